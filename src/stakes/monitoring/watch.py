"""Watch periods against a reference: what each cost, and where there was an alarm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np

from stakes._checks import as_level, of_kind
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes.application import Application
from stakes.application.uncertain import settled
from stakes.exceptions import DataError
from stakes.monitoring.change_advice import FEW_TO_COMPARE, NOTHING_MOVED, TOO_FEW
from stakes.monitoring.change_parts import samples_of
from stakes.monitoring.periods import PeriodChange, changes_between, ranking_chance
from stakes.monitoring.slice_comparison import cost_intervals
from stakes.results import Frame
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import FloatArray, Name
from stakes.uncertainty import Interval
from stakes.uncertainty.differences import holm


@dataclass(frozen=True, eq=False, repr=False)
class Watch(AnswersGuesses):
    """Periods against a reference, with alarms; what `watch` returns.

    Parameters
    ----------
    application : Application
        Costs, and priors if costs are evaluated at given priors.
    reference : name
        The period that the others are compared with.
    periods : tuple of names
        All periods in order, the reference first.
    costs : tuple of Interval
        Cost per case of each period.
    changes : tuple of PeriodChange
        Each later period against the reference, tested at its share of the false-alarm rate.
    so_far : tuple of PeriodChange
        The same for all periods since the reference together, which finds slow changes.
    p_values : array
        The least p-value of each later period, after Holm's correction for the questions asked
        about it.
    alphas : array
        The largest p-value that raises an alarm.
    level : float
        At least this share of endless runs without change has no alarm.
    """

    application: Application
    reference: Name
    periods: tuple[Name, ...]
    costs: tuple[Interval, ...]
    changes: tuple[PeriodChange, ...]
    so_far: tuple[PeriodChange, ...]
    p_values: FloatArray
    alphas: FloatArray
    level: float

    @property
    def alarms(self) -> tuple[Name, ...]:
        """The periods at which there was an alarm."""
        rung = self.p_values <= self.alphas
        return tuple(n for n, bad in zip(self.periods[1:], rung, strict=True) if bad)

    @property
    def alarm(self) -> bool:
        """Whether there was any."""
        return bool(self.alarms)

    @property
    def last(self) -> PeriodChange:
        """The last period against the reference."""
        return self.changes[-1]

    @property
    def first_alarm(self) -> PeriodChange | None:
        """What moved at the first alarm: in that period, or in all periods up to it."""
        if not self.alarm:
            return None
        k = self.periods.index(self.alarms[0]) - 1
        return self.changes[k] if self.changes[k].alarm else self.so_far[k]

    @property
    def advice(self) -> str:
        """What to do, in a sentence or two."""
        found = self.first_alarm
        if found is None:
            few = [math.isnan(each.low) for each in self.costs]
            return TOO_FEW if all(few) else FEW_TO_COMPARE if few[0] else NOTHING_MOVED
        return f"Since {self.alarms[0]!s}: {found.advice}"

    def frame(self) -> Frame:
        """One row per period: cases, cost with its interval, change, probability, alarm."""
        nothing = [np.nan]
        return Frame(
            {
                "period": list(self.periods),
                "cases": [self.changes[0].cases[0], *(c.cases[1] for c in self.changes)],
                "cost": [each.value for each in self.costs],
                "low": [each.low for each in self.costs],
                "high": [each.high for each in self.costs],
                "change": [*nothing, *(c.change for c in self.changes)],
                "from_shares": [*nothing, *(c.prior_part.value for c in self.changes)],
                "from_errors": [*nothing, *(c.rate_part.value for c in self.changes)],
                "p_value": [*nothing, *self.p_values.tolist()],
                "alpha": [*nothing, *self.alphas.tolist()],
                "alarm": [False, *(self.p_values <= self.alphas).tolist()],
            }
        )

    def to_html(
        self, path: Any = None, *, title: str = "", facts: Any = None, estimates: Any = None
    ) -> Any:
        """The page in the style of the report: one self-contained file.

        Parameters
        ----------
        path : path, optional
            Where to write it; the path is then returned.
        title : str
            The heading; by default the question that the page answers.
        facts : mapping, optional
            Facts about the origin to show: "source".
        estimates : PeriodEstimates, optional
            Periods without labels, to be shown as estimates.

        Returns
        -------
        str or Path
            The page, or the path to which it was written.
        """
        from stakes.report.answer_pages import watch_page
        from stakes.report.evaluation_forms import written

        return written(watch_page(self, title=title, facts=facts, estimates=estimates), path)

    def __str__(self) -> str:
        return f"{self.frame()}\n\n{self.advice}"

    def __repr__(self) -> str:
        rung = f"alarm at {', '.join(map(str, self.alarms[:4]))}" if self.alarm else "no alarm"
        return f"<Watch over {len(self.periods)} periods since {self.reference!s}: {rung}>"


# Alarms share one budget: docs/design/monitoring.md.
@answers_guesses
def watch(
    periods: Mapping[Any, Any] | Sequence[Any],
    *,
    application: Any,
    reference: Any = None,
    scores: Mapping[Any, RankedScores] | None = None,
    level: float = 0.95,
    min_cases: int = 10,
) -> Watch:
    r"""Compare every period with a reference, however many periods, with few false alarms.

    Testing every day at 5 % raises a false alarm in most months. Here period k after the
    reference is tested at :math:`\alpha / (k (k + 1))`. These levels add to :math:`\alpha` over
    an endless run, whatever the dependence between periods. Each period tests the cost, the class
    shares and the rates of decisions, for the period itself (sudden changes) and for all periods
    since the reference (slow ones), with Holm's correction.

    Parameters
    ----------
    periods : mapping from names to ConfusionMatrix, GroupedCounts or CostTally, or sequence
        In order of time, all of one kind.
    application : Application or CostMatrix
        Costs; with priors, all periods are evaluated at these.
    reference : summary or name of a period, optional
        What the periods are compared with; default, the first of them.
    scores : mapping from names to ScoreCounts or ScoreBins, optional
        The scores of each period, under the same names. At an alarm they show whether the ranking
        of cases changed, and so whether to recalibrate or to retrain.
    level : float
        Share of endless runs without change that never have an alarm.
    min_cases : int
        With fewer cases of a class that affects costs, the cost of a period has no interval.

    Returns
    -------
    Watch
        With `.alarms`, `.advice`, `.changes` and `.frame()`; draw it with
        `stakes.plots.cost_over_periods`.

    Notes
    -----
    After you have reacted to an alarm, start again with a new reference. More frequent periods
    are tested at lower levels, so weekly periods find a lasting change sooner than hourly ones.
    A new decision rule (a moved threshold) changes the rates, so it raises an alarm too.

    References
    ----------
    .. [1] K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials",
       Biometrika 70, 1983.
    .. [2] D. P. Foster and R. A. Stine, "Alpha-investing", Journal of the Royal Statistical
       Society B 70, 2008.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> week = ConfusionMatrix([[860, 90], [10, 40]])
    >>> worse = ConfusionMatrix([[850, 100], [30, 20]])
    >>> found = watch({"w1": week, "w2": week, "w3": worse}, application=Application(
    ...     [[0, 1], [10, 0]]))
    >>> found.alarms
    ('w3',)
    >>> [round(float(a), 4) for a in found.alphas]
    [0.025, 0.0083]
    """
    app, level = settled(application), as_level(level)
    names, summaries = _in_order(periods, reference)
    later = summaries[1:]
    samples = samples_of(summaries, app, names)
    base = samples.at(*[0] * len(later))
    changes = changes_between(base, samples.at(*range(1, len(names))), app, level)
    so_far = changes_between(base, samples_of(list(accumulate(later)), app, names[1:]), app, level)
    looks = np.arange(1, len(later) + 1)
    alphas = (1 - level) / (looks * (looks + 1.0))
    judged = [
        _judged(change, None if k == 0 else so_far[k], float(alphas[k]))  # nothing to pool at first
        for k, change in enumerate(changes)
    ]
    if scores is not None:
        judged = _with_ranking(judged, names, scores)
    return Watch(
        application=app,
        reference=names[0],
        periods=names,
        costs=cost_intervals(summaries, samples, app, level, min_cases),
        changes=tuple(one for one, _, _ in judged),
        so_far=tuple(other for _, other, _ in judged),
        p_values=np.array([p for _, _, p in judged]),
        alphas=alphas,
        level=level,
    )


#: A period and all periods up to it, each against the reference, and their least p-value.
Judged = tuple[PeriodChange, PeriodChange, float]


def _judged(change: PeriodChange, so_far: PeriodChange | None, alpha: float) -> Judged:
    """One period: its questions corrected together, at its share of the false-alarm rate."""
    asked = [change] if so_far is None else [change, so_far]
    corrected = iter(holm([p for each in asked for p in each.p_values.values()]).tolist())
    found = [
        replace(each, adjusted={name: next(corrected) for name in each.p_values}, alpha=alpha)
        for each in asked
    ]
    least = min(p for each in found for p in each.adjusted.values())
    return found[0], found[-1], least


def _with_ranking(
    judged: list[Judged], names: Sequence[Any], scores: Mapping[Any, RankedScores]
) -> list[Judged]:
    """At alarms: whether the ranking of cases moved, in that period and since the start."""
    absent = [name for name in names if name not in of_kind(scores, "scores", Mapping)]
    if absent:
        raise DataError(f"`scores` must have every period; {absent[0]!r} is missing.")
    first, *rest = (scores[name] for name in names)
    found = []
    for each, pooled, (one, other, least) in zip(rest, accumulate(rest), judged, strict=True):
        if least <= one.alpha:
            one = replace(one, ranking=ranking_chance(first, each))
            other = replace(other, ranking=ranking_chance(first, pooled))
        found.append((one, other, least))
    return found


def _in_order(periods: Any, reference: Any) -> tuple[tuple[Any, ...], list[Any]]:
    """Names and summaries, the reference first."""
    of_kind(periods, "periods", Iterable)
    named = dict(periods) if isinstance(periods, Mapping) else dict(enumerate(periods))
    if isinstance(reference, (str, int, float)):
        if reference not in named:
            raise DataError(f"no period {reference!r}; there are {', '.join(map(repr, named))}.")
        named = dict(list(named.items())[list(named).index(reference) :])
    elif reference is not None:
        named = {"reference": reference, **named}
    if len(named) < 2:
        raise DataError(
            "`watch` needs a reference and at least one later period.",
            hint="watch({'before': cm_1, 'after': cm_2}, application=app)",
        )
    return tuple(named), list(named.values())
