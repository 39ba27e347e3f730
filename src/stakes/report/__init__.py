"""Result -> page: what an evaluation found, as a page, Markdown, PDF and a record."""

from stakes.report.schema import schema

__all__ = ["schema"]
