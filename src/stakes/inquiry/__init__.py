"""From what was asked to an answer: the cases, the models and the costs, near or far."""

from __future__ import annotations

from stakes.inquiry.inquiry_form import Inquiry

__all__ = ["Inquiry"]
