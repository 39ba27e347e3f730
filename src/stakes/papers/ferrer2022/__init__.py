"""L. Ferrer, "Analysis and Comparison of Classification Metrics", 2022: its figure and table."""

from stakes.papers.ferrer2022.figure_1 import FIGURE_1
from stakes.papers.ferrer2022.table_1 import TABLE_1
from stakes.papers.items import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    key="ferrer2022",
    citation=(
        'L. Ferrer, "Analysis and Comparison of Classification Metrics", arXiv:2209.05355, 2022.'
    ),
    items=(FIGURE_1, TABLE_1),
)
