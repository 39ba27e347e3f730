"""K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, 2022: its tables, figures and examples."""

from stakes.papers.dyrland2022.clouds import FIGURE_1, FIGURE_2, FIGURE_3, FIGURES_4_5
from stakes.papers.dyrland2022.misranked import FIGURE_6, FIGURE_7
from stakes.papers.dyrland2022.stories import COMPLIANCE, FIGURE_8, TABLE_1
from stakes.papers.items import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    key="dyrland2022",
    citation=(
        'K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to '
        'evaluation? A first-principle approach to the evaluation of classifiers", 2022.'
    ),
    items=(TABLE_1, FIGURE_1, COMPLIANCE, FIGURE_2, FIGURE_3, FIGURES_4_5, FIGURE_6, FIGURE_7,
           FIGURE_8),
)  # fmt: skip
