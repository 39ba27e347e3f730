"""S. Cumani, "Bayes decisions and Model evaluation": worked examples and plots of the lecture."""

from stakes.papers.cumani.detection import FVCAUS
from stakes.papers.cumani.examples import EXAMPLES
from stakes.papers.cumani.three_classes import THREE_CLASSES
from stakes.papers.items import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    key="cumani",
    citation='S. Cumani, "Bayes decisions and Model evaluation", lecture slides, Turin.',
    items=(EXAMPLES, FVCAUS, THREE_CLASSES),
)
