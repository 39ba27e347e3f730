"""Pages of what was reproduced: one per paper and an overview."""

from stakes.papers.pages.html_pages import (
    Drawn,
    cells_csv,
    drawn,
    frame_csv,
    overview_page,
    paper_page,
)

__all__ = ["Drawn", "cells_csv", "drawn", "frame_csv", "overview_page", "paper_page"]
