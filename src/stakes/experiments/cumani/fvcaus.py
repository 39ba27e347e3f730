"""The plots of the slides on the scores of a real speaker verifier."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stakes.experiments.cumani.detection import detection, draw_detection
from stakes.experiments.items import Context, Item, Outcome
from stakes.experiments.stored_scores import read_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FVCAUS"]


def compute(context: Context) -> Outcome:
    """114 072 trials; the difference of the two log-posteriors is the score."""
    if context.data is None:
        raise FileNotFoundError("the folder of scores")
    scores, y = read_scores(context.data / "fvcaus_plda")
    found = detection(y, scores[:, 1] - scores[:, 0], task="FVCAUS")
    remark = (
        "The slides draw these plots for scores of their own, without numbers; here they are drawn "
        f"for FVCAUS (x-vectors, PLDA): {len(y)} trials, {int(y.sum())} of the same speaker."
    )
    return replace(found, remarks=(remark,))


def draw(outcome: Outcome) -> dict[str, Figure]:
    """Scores and Bayes errors."""
    return draw_detection(outcome, "fvcaus", corner=True)


FVCAUS = Item(
    "fvcaus", "Plots of the slides on real scores (FVCAUS)", compute, draw,
    needs=("fvcaus_plda",), seconds=5,
)  # fmt: skip
