"""From what was asked to an answer: the cases, the models and the costs, near or far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes._lazy import loaded_on_use

__all__ = ["Inquiry", "answer"]

if TYPE_CHECKING:
    from stakes.inquiry.answers import answer
    from stakes.inquiry.inquiry import Inquiry

_HOMES = {"inquiry": ("Inquiry",), "answers": ("answer",)}
__getattr__, __dir__ = loaded_on_use(__name__, _HOMES)
