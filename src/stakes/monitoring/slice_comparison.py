"""Compare slices: the cost of each with its interval, and which differ beyond chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from stakes._checks import as_level
from stakes._guesses import AnswersGuesses
from stakes._kernels.interval_ends import normal_quantile, student_limits
from stakes._kernels.score_test_limits import score_limits
from stakes.application import Application
from stakes.application.uncertain import settled
from stakes.exceptions import DataError
from stakes.monitoring.change_parts import Samples, samples_of, tables_of
from stakes.monitoring.periods import PeriodChange, changes_between
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix, CostTally, GroupedCounts, merge_summaries
from stakes.typing import FloatArray, Name
from stakes.uncertainty import Interval, interval
from stakes.uncertainty.differences import holm
from stakes.uncertainty.intervals.interval import shortage


def cost_intervals(
    summaries: Sequence[Any], samples: Samples, app: Application, level: float, min_cases: int
) -> tuple[Interval, ...]:
    """The intervals of `stakes.uncertainty.interval`, all at once; `samples` are of `summaries`."""
    if samples.costs is None:
        return tuple(
            interval(each, application=app, level=level, min_cases=min_cases) for each in summaries
        )
    values, found = samples.costs_at(app.priors), []
    if samples.groups is not None:
        for k, group in enumerate(samples.groups):
            parts = group.cost(samples.shares[k], samples.means[k], app.priors)
            value, error = float(values[k]), float(np.sqrt(group.covariance(parts)))
            refused, notes = shortage(np.array([float(len(parts))]), ["groups"], min_cases)
            rule = partial(_student, value, error, group.freedom)
            facts: Any = {"method": "groups", "refused": refused, "notes": notes}
            found.append(Interval.found("expected_cost", value, rule, level=level, **facts))
        return tuple(found)
    counts, weights = samples.strata(app.priors)
    known = np.ptp(weights[0], axis=1) == 0  # cost the same whatever is decided
    constant = float(weights[0, known, 0].sum())
    weights = np.where(known[:, None], 0.0, weights)
    matters = np.ptp(samples.costs if app.priors is None else weights[0], axis=1) > 0
    low, high = score_limits(counts, weights, normal_quantile(level))
    for k, value in enumerate(values.tolist()):
        refused, notes = shortage(samples.class_totals[k], app.classes, min_cases, matters)
        start, stop = (np.nan if refused else float(end[k]) + constant for end in (low, high))
        ends = (start, stop, level)
        found.append(Interval("expected_cost", value, *ends, "score", notes, refused))
    return tuple(found)


def _student(value: float, error: float, freedom: int, at: float, _: Any) -> tuple[float, float]:
    """The limits of a cost whose cases come in groups."""
    return student_limits(value, error, at, freedom)


@dataclass(frozen=True, eq=False, repr=False)
class Slices(AnswersGuesses):
    """Cost of each slice, and whether it differs from the rest; see `compare_slices`.

    Parameters
    ----------
    application : Application
        Costs, and priors if costs are evaluated at given priors.
    slices : tuple of names
        The slices.
    costs : tuple of Interval
        Cost per case of each; the level holds for all intervals together.
    gaps : tuple of PeriodChange
        Each slice (`after`) against all others together (`before`).
    adjusted : array
        p-value of each slice's cost difference, after Holm's correction over the slices.
    level : float
        Probability that no slice is named that does not differ.
    """

    application: Application
    slices: tuple[Name, ...]
    costs: tuple[Interval, ...]
    gaps: tuple[PeriodChange, ...]
    adjusted: FloatArray
    level: float

    @property
    def differing(self) -> tuple[Name, ...]:
        """Slices whose cost differs significantly from the rest, the costliest first."""
        kept = np.flatnonzero(self.adjusted <= 1 - self.level)
        order = sorted(kept.tolist(), key=lambda k: -self.gaps[k].change)
        return tuple(self.slices[k] for k in order)

    def __getitem__(self, name: Name) -> PeriodChange:
        if name not in self.slices:
            known = ", ".join(map(repr, self.slices))
            raise DataError(f"no slice {name!r}; there are {known}.")
        return self.gaps[self.slices.index(name)]

    @property
    def verdict(self) -> str:
        """Which slices differ, and why, in words."""
        if not self.differing:
            return "No slice differs from the rest by more than chance."
        said = []
        for name in self.differing:
            gap = self[name]
            way = "more" if gap.change > 0 else "less"
            shares, errors = abs(gap.prior_part.value), abs(gap.rate_part.value)
            why = "its class shares" if shares > errors else "the errors within its classes"
            said.append(f"{name!s} costs {way} than the rest, {gap.cost}, mostly through {why}")
        return "; ".join(said) + "."

    def frame(self) -> Frame:
        """One row per slice: cases, cost with interval, gap to the rest and its parts."""
        return Frame(
            {
                "slice": list(self.slices),
                "cases": [gap.cases[1] for gap in self.gaps],
                "cost": [each.value for each in self.costs],
                "low": [each.low for each in self.costs],
                "high": [each.high for each in self.costs],
                "gap": [gap.change for gap in self.gaps],
                "from_shares": [gap.prior_part.value for gap in self.gaps],
                "from_errors": [gap.rate_part.value for gap in self.gaps],
                "p_value": [gap.p_values["cost"] for gap in self.gaps],
                "adjusted": self.adjusted,
                "differs": self.adjusted <= 1 - self.level,
            }
        )

    def __str__(self) -> str:
        return f"{self.frame()}\n\n{self.verdict}"

    def __repr__(self) -> str:
        return f"<{len(self.slices)} Slices, {len(self.differing)} differ from the rest>"


def compare_slices(
    slices: Mapping[Any, Any] | GroupedCounts,
    *,
    application: Any,
    level: float = 0.95,
    min_cases: int = 10,
) -> Slices:
    """What each slice costs, and which of them differ significantly from the rest.

    Among twenty slices without any difference, one is expected to look different at 5 %. Here
    the level holds for all intervals together (Bonferroni) and for all named slices together
    (Holm), however many slices there are.

    Parameters
    ----------
    slices : mapping from names to ConfusionMatrix or CostTally, or GroupedCounts
        What happened in each slice; together they are all cases. Groups of one side and one
        system may be taken as slices.
    application : Application or CostMatrix
        Costs. Without priors, a slice may differ only through its class shares; the parts of each
        gap show this. With priors, all slices are evaluated at these.
    level : float
        Confidence level for all slices together.
    min_cases : int
        With fewer cases of a class that affects costs, a slice has a cost but no interval.

    Returns
    -------
    Slices
        With `.differing`, `.verdict`, `.frame()`; index it by a slice for its gap to the rest.

    Notes
    -----
    The slices must have been chosen before looking at their costs.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian
       Journal of Statistics 6, 1979.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> found = compare_slices({"north": ConfusionMatrix([[900, 50], [20, 80]]),
    ...                         "east": ConfusionMatrix([[902, 48], [21, 79]]),
    ...                         "south": ConfusionMatrix([[900, 50], [40, 60]]),
    ...                         "west": ConfusionMatrix([[905, 45], [22, 78]])},
    ...                        application=Application([[0, 1], [10, 0]]))
    >>> found.differing
    ('south',)
    >>> [round(float(p), 3) for p in found.adjusted]
    [0.592, 0.592, 0.006, 0.592]
    >>> found["south"].prior_part.value
    0.0
    """
    app, level = settled(application), as_level(level)
    named = _by_name(slices)
    names, parts = tuple(named), list(named.values())
    inside = samples_of(parts, app, names)
    total = merge_summaries(parts)
    sums = ("counts", "sums", "squares") if isinstance(total, CostTally) else ("counts",)
    rest = [
        replace(total, **{name: getattr(total, name) - getattr(part, name) for name in sums})
        for part in parts
    ]
    outside = samples_of(rest, app, [f"all but {name}" for name in names])
    gaps = changes_between(outside, inside, app, level)
    reach = 1 - (1 - level) / len(names)
    return Slices(
        application=app,
        slices=names,
        costs=cost_intervals(parts, inside, app, reach, min_cases),
        gaps=tuple(gaps),
        adjusted=holm([gap.p_values["cost"] for gap in gaps]),
        level=level,
    )


def _by_name(slices: Any) -> dict[Any, Any]:
    """A mapping as it is; groups as confusion matrices."""
    if isinstance(slices, GroupedCounts):
        if len(slices.groups) > 1 or len(slices.systems) > 1:
            raise DataError("slices from groups need one side and one system.")
        axes = slices.joint.classes, slices.joint.decisions
        names = (slices.groups[0][key] for key in slices.keys[:, 0].tolist())
        tables = zip(names, tables_of(slices), strict=True)
        slices = {name: ConfusionMatrix(table, *axes) for name, table in tables}
    if not isinstance(slices, Mapping) or len(slices) < 2:
        raise DataError(
            "`slices` must name at least two slices.",
            hint="compare_slices({'north': cm_1, 'south': cm_2}, application=app)",
        )
    return dict(slices)
