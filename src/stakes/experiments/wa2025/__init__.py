"""Cost-Sensitive Evaluation for Binary Classifiers, 2025: its tables, figures and examples."""

from stakes.experiments.items import Paper
from stakes.experiments.wa2025.correlations import FIGURES
from stakes.experiments.wa2025.massive import FIGURE_5
from stakes.experiments.wa2025.table_3 import TABLE
from stakes.experiments.wa2025.weighted_ranks import WEIGHTED_RANKS
from stakes.experiments.wa2025.worked import ACCURACIES, ELICITATION, IDENTITIES

__all__ = ["PAPER"]

PAPER = Paper(
    key="wa2025",
    citation='"Cost-Sensitive Evaluation for Binary Classifiers", 2025 (weighted accuracy).',
    items=(IDENTITIES, ACCURACIES, WEIGHTED_RANKS, *FIGURES, FIGURE_5, TABLE, ELICITATION),
)
