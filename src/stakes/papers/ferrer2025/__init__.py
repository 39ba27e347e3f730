"""L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025: its tables, figures and examples."""

from stakes.papers.ferrer2025.figures import ABSTENTION, FIGURE_1, FIGURE_2, LOAN
from stakes.papers.ferrer2025.table_1 import TABLE_1
from stakes.papers.ferrer2025.table_2 import TABLE_2
from stakes.papers.ferrer2025.table_3 import TABLE_3
from stakes.papers.items import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    key="ferrer2025",
    citation=(
        'L. Ferrer, "No Need for Ad-hoc Substitutes: The Expected Cost is a Principled '
        'All-purpose Classification Metric", Transactions on Machine Learning Research, 2025.'
    ),
    items=(LOAN, FIGURE_1, FIGURE_2, TABLE_1, TABLE_2, ABSTENTION, TABLE_3),
)
