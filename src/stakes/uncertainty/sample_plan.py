"""Planning: the number of cases to find a difference, or for an interval of a given width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_level, as_number, as_priors, of_kind
from stakes._columns import as_reals
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels.interval_ends import normal_quantile
from stakes.exceptions import DataError, UndefinedError
from stakes.metrics.costs.expected_cost import check_names
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix, PairedCounts
from stakes.typing import FloatArray, Name, Priors
from stakes.uncertainty.differences import rounded_up
from stakes.uncertainty.intervals.interval import OF_PLANS, refuse_weights
from stakes.uncertainty.intervals.linear_costs import (
    CostSum,
    Stakes,
    as_stakes,
    cost_sum,
    difference_sum,
)


@dataclass(frozen=True)
class SamplePlan:
    """The number of cases needed, and its range; what `cases_needed` returns.

    Parameters
    ----------
    cases : float
        Cases needed in all.
    at_best, at_worst : float
        The same if the true difference lies at the far or the near end of its interval;
        infinite if that end is zero or beyond.
    pilot : float
        Cases in the pilot.
    by_class : dict
        Cases of each class among those needed.
    purpose : str
        The purpose, in words.
    """

    cases: float
    at_best: float
    at_worst: float
    pilot: float
    by_class: dict[Name, float]
    purpose: str

    @property
    def more(self) -> float:
        """Cases still missing."""
        return max(self.cases - self.pilot, 0.0)

    def __str__(self) -> str:
        if not np.isfinite(self.cases):
            return f"no number of cases is enough {self.purpose}"
        needed = f"{rounded_up(self.cases):,}".replace(",", " ")
        more = f"{rounded_up(self.more):,}".replace(",", " ")
        return f"about {needed} cases {self.purpose}, {more} more than there are"


@answers_guesses
def cases_needed(
    pilot: PairedCounts | ConfusionMatrix,
    application: Any,
    *,
    width: float | None = None,
    systems: Sequence[Name] | None = None,
    normalized: bool = False,
    power: float = 0.8,
    level: float = 0.95,
    shares: Priors | None = None,
) -> SamplePlan:
    """The number of cases to collect, judged from a pilot.

    With `width`, the interval of the cost (or of the difference of two systems) will be no wider
    than that. Without it, a difference as large as that of the pilot will be found.

    Parameters
    ----------
    pilot : PairedCounts or ConfusionMatrix
        What is known so far. A confusion matrix needs `width`.
    application : Application or CostMatrix
        Costs and priors.
    width : float, optional
        The widest acceptable interval, from end to end.
    systems : pair of names, optional
        Which two systems; needed when there are more.
    normalized : bool
        Plan for normalised costs.
    power : float
        Probability of finding the difference.
    level : float
        Of the interval or test.
    shares : sequence or mapping of float, optional
        Share of each class among the cases to be collected; default, as in the pilot. Used only
        if the application gives priors.

    Returns
    -------
    SamplePlan
        Printing it gives a sentence.

    Notes
    -----
    The difference in the pilot is itself uncertain; `at_best` and `at_worst` show how much that
    matters. A difference of zero cannot be found.

    References
    ----------
    .. [1] R. J. Connor, "Sample size for testing differences in proportions for the
       paired-sample design", Biometrics 43, 1987.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> app = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
    >>> print(cases_needed(ConfusionMatrix([[90, 10], [4, 16]]), app, width=0.1))
    about 1 700 cases to know the cost within 0.1, 1 500 more than there are
    """
    plan = _Plan.of(pilot, application, systems, normalized, width is None, shares)
    total, unit = plan.total, plan.unit
    z = normal_quantile(as_level(level))
    if width is not None:
        width = as_number(width, "width")
        if not 0 < width < np.inf:
            raise DataError(f"`width` must be positive and finite; got {width!r}.")
        n = unit * (2 * z / width) ** 2
        return plan.needing(n, n, n, f"to know the cost within {width:g}")
    power = as_number(power, "power")
    if not 0 < power < 1:
        raise DataError(f"`power` must lie between 0 and 1; got {power!r}.", hint="power=0.8")
    reach = max(z + normal_quantile(2 * power - 1), 0.0)
    low, high = total.limits(level)
    ends = sorted((abs(low), abs(high)))
    n, best, worst = (
        unit * (reach / gap) ** 2 if gap > 0 else np.inf
        for gap in (abs(total.value), ends[1], ends[0])
    )
    if low <= 0 <= high:
        worst = np.inf
    purpose = f"to find a difference of {abs(total.value):.3g} with probability {power:g}"
    return plan.needing(n, best, worst, purpose)


@dataclass(frozen=True, eq=False, repr=False)
class PowerCurve(AnswersGuesses):
    """Probability of finding the difference at each number of cases; see `power_curve`."""

    cases: FloatArray
    power: FloatArray
    difference: float
    level: float

    def frame(self) -> Frame:
        """One row per number of cases."""
        return Frame({"cases": self.cases, "power": self.power})

    def __repr__(self) -> str:
        ends = [f"{self.power[k]:.2g} with {self.cases[k]:.6g} cases" for k in (0, -1)]
        return f"<PowerCurve for a difference of {self.difference:.4g}: {' to '.join(ends)}>"


def power_curve(
    pilot: PairedCounts,
    application: Any,
    *,
    cases: Any = None,
    difference: float | None = None,
    systems: Sequence[Name] | None = None,
    normalized: bool = False,
    level: float = 0.95,
    shares: Priors | None = None,
) -> PowerCurve:
    """Probability that a comparison finds the difference of two systems, by number of cases.

    Parameters
    ----------
    pilot : PairedCounts
        What is known so far.
    application : Application or CostMatrix
        Costs and priors.
    cases : array-like, optional
        Numbers of cases; default, from a tenth to a hundred times the pilot.
    difference : float, optional
        The difference to be found; default, that of the pilot.
    systems, normalized, level, shares
        As in `cases_needed`.

    Returns
    -------
    PowerCurve
        With `.frame()`.

    References
    ----------
    .. [1] R. J. Connor, "Sample size for testing differences in proportions for the
       paired-sample design", Biometrics 43, 1987.

    Examples
    --------
    >>> from stakes import Application, PairedCounts
    >>> cells = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> pc = PairedCounts(cells, [82, 6, 4, 2, 2, 4], ("a", "b"), (0, 1), (0, 1))
    >>> power_curve(pc, Application([[0, 1], [10, 0]]), cases=[100, 1000]).power.round(2)
    array([0.34, 1.  ])
    """
    from scipy.special import ndtr

    plan = _Plan.of(pilot, application, systems, normalized, True, shares)
    n = plan.present * np.logspace(-1, 2, 31) if cases is None else as_reals(cases, "cases")
    if n.ndim != 1 or not n.size or not (np.isfinite(n) & (n > 0)).all():
        raise DataError(f"`cases` must be positive and finite; got {n.tolist()}.")
    gap = plan.total.value if difference is None else as_number(difference, "difference")
    errors = np.sqrt(plan.unit / n)
    z = normal_quantile(as_level(level))
    with np.errstate(over="ignore"):  # a huge difference is found for certain
        ratio = abs(gap) / errors
    power = ndtr(ratio - z) + ndtr(-ratio - z)
    return PowerCurve(n, np.asarray(power), gap, level)


@dataclass(frozen=True, eq=False)
class _Plan:
    """The cost or difference to estimate, from a number of cases with given class shares."""

    total: CostSum
    stakes: Stakes
    present: float
    mix: FloatArray

    @classmethod
    def of(
        cls,
        pilot: PairedCounts | ConfusionMatrix,
        application: Any,
        systems: Sequence[Name] | None,
        normalized: bool,
        needs_pair: bool,
        shares: Priors | None,
    ) -> _Plan:
        """Make it from the pilot; cases come in its class shares unless others are given."""
        of_kind(pilot, "pilot", PairedCounts, ConfusionMatrix)
        stakes, totals = as_stakes(application), pilot.class_totals
        refuse_weights(np.asarray(pilot.counts, dtype=np.float64), "pilot", instead=OF_PLANS)
        if isinstance(pilot, ConfusionMatrix):
            if needs_pair:
                raise DataError(
                    "a confusion matrix is one system.", hint="give width=..., or PairedCounts"
                )
            check_names(pilot, stakes.applications[0])
            total = cost_sum(pilot.counts, stakes, normalized=normalized)
        else:
            check_names(pilot.confusion(pilot.systems[0]), stakes.applications[0])
            pair = (
                pilot.systems if systems is None else tuple(of_kind(systems, "systems", Iterable))
            )
            if len(pair) != 2:
                raise DataError(
                    f"say which two systems; there are {len(pair)}.", hint="systems=('a', 'b')"
                )
            total = difference_sum(pilot.subset(pair), stakes, normalized=normalized)
        present = float(totals.sum())
        mix = totals / present if shares is None else as_priors(shares, stakes.classes)
        return cls(total, stakes, present, mix)

    @property
    def unit(self) -> float:
        """Variance times the number of cases, when classes come in these shares."""
        spreads = self.total.spreads
        if not self.stakes.with_priors:
            return float(spreads.sum())
        needed = spreads > 0
        if (self.mix[needed] == 0).any():
            raise UndefinedError("`shares` must be positive for every class that matters.")
        return float((spreads[needed] / self.mix[needed]).sum())

    def needing(self, cases: float, best: float, worst: float, purpose: str) -> SamplePlan:
        """A number of cases, split by class."""
        split = {n: float(cases * m) for n, m in zip(self.stakes.classes, self.mix, strict=True)}
        return SamplePlan(cases, best, worst, self.present, split, purpose)
