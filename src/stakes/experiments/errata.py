"""Where the printed numbers of a paper follow from something other than what its text says."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ERRATA", "Erratum"]


class Erratum(NamedTuple):
    """A finding: its number, the paper, the place in it, and what was found, without figures."""

    number: int
    paper: str
    place: str
    finding: str


ERRATA = (
    Erratum(
        1, "ferrer2025", "Table 2, columns MC1 and MC2",
        "The text says that decisions are those of the highest score; the printed columns follow "
        "from the Bayes decisions for Cimb.",
    ),
    Erratum(
        2, "ferrer2025", "Figure 2, the easier data set",
        "The main text gives a variance of 0.06, appendix B 0.05, under the name sigma. The "
        "printed cost ratio follows from 0.06, and from variances, not standard deviations.",
    ),
    Erratum(
        3, "wa2025", "Table 3, the candidates",
        "They are described as having an AUC of 2/3; the curve used, TPR = FPR squared, has 1/3. "
        "The square root of the FPR has 2/3.",
    ),
    Erratum(
        4, "wa2025", "Figures 3 and 4, weighted rank correlations",
        "The text says that the weights emphasise the best outcomes; they emphasise the worst.",
    ),
    Erratum(
        5, "wa2025", "the metrics H and H informed",
        "H with Beta(2, 2) is the accuracy, and H informed the weighted accuracy at one weight; "
        "neither is Hand's H-measure.",
    ),
    Erratum(
        6, "wa2025", "the metric EWA",
        "The trapezoid rule behind the printed values loses much of the mass of extreme Beta "
        "distributions.",
    ),
    Erratum(
        7, "wa2025", "the credit use case",
        "The loss given default is tuned without the clipping of the costs of false alarms, so "
        "the realised cost ratio is not the nominal one.",
    ),
    Erratum(
        8, "dyrland2022", "section 3.3, the numerator of MCC",
        "The printed numerator f1 C00 + f0 C11 lacks the term - f0 f1.",
    ),
)  # fmt: skip
