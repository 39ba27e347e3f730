"""From what was asked to an answer: the cases, the models and the costs, near or far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes._lazy import loaded_on_use

__all__ = ["Inquiry", "answer"]

if TYPE_CHECKING:
    from stakes.inquiry.inquiry_form import Inquiry
    from stakes.inquiry.ranges import answer

_HOMES = {"inquiry_form": ("Inquiry",), "ranges": ("answer",)}
__getattr__, __dir__ = loaded_on_use(__name__, _HOMES)
