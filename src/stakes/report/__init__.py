"""Result -> page: what an evaluation found, as a verdict, a page, Markdown and a record."""

from stakes.report.findings import Findings, ModelFinding, judge
from stakes.report.live_page import Sheet, live_page
from stakes.report.markdown import as_markdown
from stakes.report.page import page
from stakes.report.pdf import find_chromium, print_pdf
from stakes.report.record import record
from stakes.report.schema import schema

__all__ = [
    "Findings",
    "ModelFinding",
    "Sheet",
    "as_markdown",
    "find_chromium",
    "judge",
    "live_page",
    "page",
    "print_pdf",
    "record",
    "schema",
]
