"""Pages of what was reproduced: one per paper and an overview, as HTML and as Markdown."""

from stakes.papers.pages.html_pages import overview_page, paper_page
from stakes.papers.pages.page_files import (
    Drawn,
    cells_csv,
    drawn,
    frame_csv,
    overview_markdown,
    paper_markdown,
)

__all__ = [
    "Drawn",
    "cells_csv",
    "drawn",
    "frame_csv",
    "overview_markdown",
    "overview_page",
    "paper_markdown",
    "paper_page",
]
