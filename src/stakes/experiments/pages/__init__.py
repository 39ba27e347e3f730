"""Pages of what was reproduced: one per paper and an overview, as HTML and as Markdown."""

from stakes.experiments.pages.csv_files import cells_csv, frame_csv
from stakes.experiments.pages.figures import Drawn, drawn
from stakes.experiments.pages.markdown import overview_markdown, paper_markdown
from stakes.experiments.pages.overview import overview_page
from stakes.experiments.pages.paper import paper_page

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
