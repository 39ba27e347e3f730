"""S. Cumani, "Bayes decisions and Model evaluation": worked examples and plots of the lecture."""

from stakes.experiments.cumani.examples import EXAMPLES
from stakes.experiments.cumani.fvcaus import FVCAUS
from stakes.experiments.cumani.three_classes import THREE_CLASSES
from stakes.experiments.items import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    key="cumani",
    citation='S. Cumani, "Bayes decisions and Model evaluation", lecture slides, Turin.',
    items=(EXAMPLES, FVCAUS, THREE_CLASSES),
)
