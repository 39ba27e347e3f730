"""Result -> page: what an evaluation found, as a page, Markdown, PDF and a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes._lazy import loaded_on_use

__all__ = ["schema"]

if TYPE_CHECKING:
    from stakes.report.small_forms import schema

__getattr__, __dir__ = loaded_on_use(__name__, {"small_forms": ("schema",)})
