"""Which cases to label, and how many: chances proportional to the spread of their cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_level, as_number, as_whole, keep, of_kind
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._random import as_generator
from stakes.estimation.decided_cases import DecidedCases
from stakes.estimation.few_labels import compared_costs
from stakes.estimation.labelled_rows import LEAST_LABELS
from stakes.exceptions import DataError, UndefinedError
from stakes.results import Frame
from stakes.typing import FloatArray

#: This share of the labels is spread evenly, so that a case whose posterior is wrongly sure is
#: still seen; it takes at most 1 / 0.9 times the labels.
_EVEN = 0.1
#: Shares that differ by less are equal.
_ROUNDING = 1e-9
#: With more cases whose scores call an outcome impossible, the plan warns.
_MANY_ZEROS = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class LabelPlan(AnswersGuesses):
    """How many labels an interval takes, and with which chance to label each case.

    From `plan_labels`.

    Parameters
    ----------
    labels : int
        How many labels are planned, on average, with `chances`.
    width : float
        The width of the interval that they are expected to give, from end to end.
    level : float
        Of that interval.
    random : int
        How many labels of a random part are as good with the predictions.
    plain : int
        How many labels of a random part are as good without the predictions.
    chances : array of shape (n_cases,)
        With which chance to label each case.
    notes : tuple of str
        What a reader should know.
    """

    labels: int
    width: float
    level: float
    random: int
    plain: int
    chances: FloatArray
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        keep(self, chances=self.chances)

    def draw(self, rng: Any = None) -> NDArray[np.intp]:
        """Positions of the cases to label, each drawn with its chance.

        Examples
        --------
        >>> cases = DecidedCases.from_scores(None, [0.01, 0.4] * 500, costs={"fn": 1, "fp": 1})
        >>> plan = plan_labels(cases, labels=50)
        >>> len(plan.draw(rng=1))
        53
        """
        return np.flatnonzero(as_generator(rng).random(self.chances.shape[0]) < self.chances)

    @property
    def text(self) -> str:
        """The plan in a sentence."""
        return (
            f"{self.labels} labels, drawn with `chances`, give an interval of width "
            f"{self.width:.3g} (level {self.level:g}) if the scores mean what they say. With equal "
            f"chances that takes {self.random} labels, and without the predictions {self.plain}."
        )

    def frame(self) -> Frame:
        """The number of labels for each way to draw them."""
        ways = ["chances", "random", "plain"]
        return Frame({"drawn": ways, "labels": [self.labels, self.random, self.plain]})

    def record(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        names = ("labels", "width", "level", "random", "plain")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        return {**found, "notes": list(self.notes), "chances": self.chances.tolist()}

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<LabelPlan of {self.labels} labels of {self.chances.shape[0]} cases>"


@answers_guesses
def plan_labels(
    cases: DecidedCases,
    *,
    width: float | None = None,
    labels: int | None = None,
    against: DecidedCases | None = None,
    level: float = 0.95,
) -> LabelPlan:
    r"""How many cases to label, and which, to know what decisions cost.

    A case whose cost is certain need not be labelled. With chances proportional to the standard
    deviation :math:`\sqrt{v}` of its cost, by its posteriors, the labels needed are those of plain
    sampling times :math:`(E\sqrt{v})^2 / \operatorname{Var}`; with a random part, times
    :math:`1 - R^2 = E v / \operatorname{Var}` (Neyman's allocation [1]_; [2]_).

    Parameters
    ----------
    cases : DecidedCases
        From `DecidedCases.from_scores(None, posteriors, costs=...)`.
    width : float, optional
        The widest acceptable interval, from end to end.
    labels : int, optional
        How many labels can be had; either this or `width`.
    against : DecidedCases, optional
        The same cases, decided by another model: plan for the difference.
    level : float
        Of the interval.

    Returns
    -------
    LabelPlan
        With the chance of each case, and `draw`.

    References
    ----------
    .. [1] J. Neyman, "On the Two Different Aspects of the Representative Method", JRSS 97, 1934.
    .. [2] T. Zrnic and E. J. Candès, "Active Statistical Inference", ICML 2024.

    Examples
    --------
    >>> p = np.linspace(0.001, 0.6, 10_000) ** 3
    >>> cases = DecidedCases.from_scores(None, p, costs={"fn": 10, "fp": 1})
    >>> plan = plan_labels(cases, width=0.1)
    >>> plan.labels < plan.random < plan.plain
    True
    """
    of_kind(cases, "cases", DecidedCases)
    level = as_level(level)
    if (width is None) == (labels is None):
        raise DataError("say how wide the interval may be (`width`) or how many `labels` to draw.")
    paid, posteriors = compared_costs(cases, against)
    posteriors, notes = _possible(posteriors)
    mean = (paid * posteriors).sum(axis=1)
    spread = (posteriors * (paid - mean[:, None]) ** 2).sum(axis=1)
    kept = cases.mass > 0  # other cases count for nothing and are never drawn
    share, mean, spread = (each[kept] for each in (cases.mass / cases.mass.sum(), mean, spread))
    wanted = _wanted(share * np.sqrt(spread))
    size, z = int(kept.sum()), _normal(level)
    if size < LEAST_LABELS:
        raise UndefinedError(f"there are {size} cases; at least {LEAST_LABELS} labels are needed.")
    if labels is not None:
        number = as_whole(labels, "labels", LEAST_LABELS)
        if number > size:
            weighted = "" if kept.all() else " with a weight above 0"
            raise DataError(f"`labels` is {number}, and there are {size} cases{weighted}.")
    else:
        goal = (as_number(width, "width") / 2 / z) ** 2
        if not goal > 0:
            raise DataError(f"`width` must be above 0; got {width!r}.")
        number = _fewest(lambda n: _left(_scaled(wanted, n), share, spread), goal, size)
    chances = _scaled(wanted, number)
    reached = _left(chances, share, spread)
    overall = spread + (mean - share @ mean) ** 2

    def as_good(values: FloatArray) -> int:
        return _fewest(lambda n: _left(np.full(size, n / size), share, values), reached, size)

    wide, every = 2 * z * float(np.sqrt(reached)), np.zeros(len(cases))
    every[kept] = chances
    return LabelPlan(number, wide, level, as_good(spread), as_good(overall), every, notes)


def _possible(posteriors: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
    """Posteriors with half the smallest one above 0 in place of 0, and a note about many zeros."""
    zero = posteriors <= 0
    rows = int(zero.any(axis=1).sum())
    if not rows:
        return posteriors, ()
    bounded = np.where(zero, posteriors[~zero].min() / 2, posteriors)
    share = rows / len(posteriors)
    notes = (
        f"By the scores of {100 * share:.0f} % of the cases an outcome is impossible (exactly 0 or "
        "1), so these cases are rarely drawn. If they err all the same, the interval is much wider "
        "than planned: calibrate such scores first, or draw the labels with equal chances.",
    )
    return bounded / bounded.sum(axis=1, keepdims=True), notes if share > _MANY_ZEROS else ()


def _wanted(weights: FloatArray) -> FloatArray:
    """Relative chances: mostly those of the weights, and evenly for a small part."""
    size, total = weights.shape[0], weights.sum()
    if total <= 0:
        return np.full(size, 1 / size)
    return np.asarray((1 - _EVEN) * weights / total + _EVEN / size)


def _scaled(wanted: FloatArray, number: int) -> FloatArray:
    """Chances that add to a number of labels, none above 1."""
    chances = np.minimum(wanted * number / wanted.sum(), 1.0)
    for _ in range(100):
        free = chances < 1
        missing = number - chances.sum()
        if missing <= _ROUNDING * number or not free.any():
            break
        grown = chances[free] * (1 + missing / chances[free].sum())
        chances[free] = np.minimum(grown, 1.0)
    return np.where(chances > 1 - _ROUNDING, 1.0, chances)


def _left(chances: FloatArray, share: FloatArray, spread: FloatArray) -> float:
    """Expected variance of the estimate when cases are labelled with these chances."""
    return float((share**2 * spread * (1 / chances - 1)).sum())


def _fewest(variance: Any, goal: float, size: int) -> int:
    """The least number of labels with a variance of at most the goal, by bisection."""
    if variance(LEAST_LABELS) <= goal * (1 + _ROUNDING):
        return LEAST_LABELS
    low, high = LEAST_LABELS, size
    while high - low > 1:
        middle = (low + high) // 2
        enough = variance(middle) <= goal * (1 + _ROUNDING)
        low, high = (low, middle) if enough else (middle, high)
    return high


def _normal(level: float) -> float:
    """Standard errors on each side of a normal interval."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))
