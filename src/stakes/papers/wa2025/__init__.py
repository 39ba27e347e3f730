"""Cost-Sensitive Evaluation for Binary Classifiers, 2025: its tables, figures and examples."""

from stakes.papers.items import Paper
from stakes.papers.wa2025.correlations import FIGURE_5, FIGURES
from stakes.papers.wa2025.worked import ACCURACIES, ELICITATION, IDENTITIES, TABLE

__all__ = ["PAPER"]

PAPER = Paper(
    key="wa2025",
    citation='"Cost-Sensitive Evaluation for Binary Classifiers", 2025 (weighted accuracy).',
    items=(IDENTITIES, ACCURACIES, *FIGURES, FIGURE_5, TABLE, ELICITATION),
)
