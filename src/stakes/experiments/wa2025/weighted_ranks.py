"""Section 4.1: the constants of the weighted rank correlation, found again from its values."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from stakes.audit import rank_correlations
from stakes.experiments.items import Cell, Context, Item, Outcome
from stakes.typing import FloatArray

__all__ = ["WEIGHTED_RANKS", "constants_at", "weighted_pearson"]

#: Outcomes of a sample, and the constants of the standardised correlation for so many.
OUTCOMES = 201
CONSTANTS = {"m": -0.5459591, "g0": 0.00103809, "g1": 1.2923523, "g2": -2.0094641,
             "h2": -0.4179775}  # fmt: skip
#: Mean of the correlation that is not standardised over all orders of n things.
MEANS = {3: -0.030276, 4: -0.054204, 5: -0.075843, 6: -0.095826, 7: -0.114362, 8: -0.131585}
#: Variance and left variance of random orders, as polynomials in 1/n, lowest power first.
VARIANCE = (0.00813132, 1.88346539, -8.19607344, 36.22199888)
LEFT = (0.00383928, 0.54098273, 25.32238315, -1056.9999828, 15679.72016182, -77089.49412102)
SPREADS = {"V": (VARIANCE, 0.0173034), "V left": (LEFT, 0.0070367)}


def weighted_pearson(first: FloatArray, second: FloatArray) -> FloatArray:
    """The correlation of ranks before it is standardised; rank 1 weighs most."""
    weight = 1 / (first + 2) ** 2 + 1 / (second + 2) ** 2
    weight /= weight.sum(axis=-1, keepdims=True)
    a = first - (weight * first).sum(axis=-1, keepdims=True)
    b = second - (weight * second).sum(axis=-1, keepdims=True)
    product, *squares = ((weight * x * y).sum(axis=-1) for x, y in ((a, b), (a, a), (b, b)))
    return np.asarray(product / np.sqrt(squares[0] * squares[1]))


def constants_at(n: int, rng: int = 142) -> dict[str, float]:
    """Mean and coefficients of the two parabolas that standardise the correlation of n things.

    Fitted to pairs of rankings from opposite to equal: they meet at the mean, where their slopes
    are the same.
    """
    generator = np.random.default_rng(rng)
    first = np.arange(1.0, n + 1)
    noise = generator.normal(size=(400, n)) * np.geomspace(1, 3 * n, 400)[:, None]
    towards = np.where(np.arange(400) % 2, 1, -1)[:, None] * first + noise
    second = towards.argsort(axis=1).argsort(axis=1) + 1.0
    plain = weighted_pearson(first, second)
    standard = rank_correlations(first, second, kind="weighted", top="low")
    below, above = (
        np.polynomial.polynomial.polyfit(plain[side], standard[side], 2)
        for side in (plain < CONSTANTS["m"] - 0.02, plain > CONSTANTS["m"] + 0.02)
    )
    mean = float((above[1] - below[1]) / (2 * (below[2] - above[2])))
    return {
        "m": mean,
        "g0": float(np.polynomial.polynomial.polyval(mean, below)),
        "g1": float(below[1] + 2 * below[2] * mean),
        "g2": float(below[2]),
        "h2": float(above[2]),
    }


def compute(_: Context) -> Outcome:
    """Constants for 201 outcomes, and what all orders of few things average to."""
    found = constants_at(OUTCOMES)
    spread = {name: float(np.polynomial.polynomial.polyval(1 / OUTCOMES, np.array(powers)))
              for name, (powers, _) in SPREADS.items()}  # fmt: skip
    chance = found["g0"] + found["g2"] * spread["V left"]
    chance += found["h2"] * (spread["V"] - spread["V left"])
    cells = [
        Cell(f"{OUTCOMES} outcomes / {name}", known, found[name], 5e-8 if name != "g0" else 5e-9,
             "from values of the standardised correlation", source="independent")
        for name, known in CONSTANTS.items()
    ]  # fmt: skip
    cells += [
        Cell(f"{OUTCOMES} outcomes / {name}", known, spread[name], 5e-8,
             "from the authors' polynomials", source="independent")
        for name, (_, known) in SPREADS.items()
    ]  # fmt: skip
    cells.append(Cell(f"{OUTCOMES} outcomes / mean of chance", None, chance, 5e-5, STANDARDISED))
    for n, known in MEANS.items():
        orders = np.array(list(permutations(range(1, n + 1))), dtype=np.float64)
        first = np.arange(1.0, n + 1)
        plain = float(weighted_pearson(first, orders).mean())
        standard = rank_correlations(first, orders, kind="weighted", top="low")
        cells += [
            Cell(f"all orders of {n} / m", known, plain, 5e-7, "not standardised",
                 source="independent"),
            Cell(f"all orders of {n} / mean of chance", None, float(standard.mean()), 5e-5,
                 STANDARDISED),
        ]  # fmt: skip
    return Outcome(tuple(cells), remarks=(*_REMARKS, _left_over(chance)))


def _left_over(chance: float) -> str:
    """That chance does not come to 0, and why."""
    return (
        f"Standardised, random orders of {OUTCOMES} things have a mean of {chance:.3f} by these "
        "constants, not 0. A mean of 0 asks for the term (1 + m)^2 V where the authors' code has "
        "(1 - m^2) V; the numbers here follow their code, as the figures do."
    )


STANDARDISED = "standardised"
_REMARKS = (
    "Figures 3 and 4 use the standardised weighted Spearman correlation of arXiv:2504.08428, with "
    "weights 1/(a + 2)^2 + 1/(b + 2)^2. The paper prints no constants; those compared with here "
    "were computed independently from the authors' polynomials.",
)

WEIGHTED_RANKS = Item(
    "weighted-ranks",
    "Section 4.1: constants of the weighted rank correlation",
    compute,
    seconds=0.5,
)
