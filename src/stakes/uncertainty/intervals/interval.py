"""Interval: a number, how sure it is and how that was found; draws of a statistic that can be
extended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._checks import as_level, as_number, as_whole, frozen
from stakes._guesses import AnswersGuesses
from stakes._kernels.interval_ends import normal_quantile, percentile, wilson
from stakes._names import listed, place_of
from stakes._random import as_generator
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.typing import FloatArray, Name, RandomSource

#: Replicates are drawn in blocks of this size, each from a seed of its own, so that 3,000
#: replicates begin with the same 2,000, and blocks may be drawn anywhere.
BLOCK = 500


Draw = Callable[[int, np.random.Generator], FloatArray]
#: Finds the ends for a level, from replicates that have a value if it needs any.
Rule = Callable[[float, FloatArray], tuple[float, float]]


def percentile_rule(level: float, values: FloatArray) -> tuple[float, float]:
    """Ends that leave equal shares of the replicates out on both sides."""
    return percentile(values, level)


def seed_of(rng: RandomSource) -> int:
    """One whole number that stands for `rng`."""
    return int(as_generator(rng).integers(2**63))


@dataclass(frozen=True, eq=False, repr=False)
class Replicates:
    """Draws of a statistic, reproducible from a seed and never drawn twice.

    Held by the results of `interval`, `band` and `compare`.

    Parameters
    ----------
    values : array of shape (n_replicates, ...)
        The statistic in each replicate.
    seed : int
        What they were drawn from.
    draw : callable
        ``draw(size, generator)`` makes `size` more.
    """

    values: FloatArray
    seed: int
    draw: Callable[[int, np.random.Generator], FloatArray]

    @classmethod
    def drawn(
        cls, draw: Callable[[int, np.random.Generator], FloatArray], size: int, rng: RandomSource,
        least: int = 1,
    ) -> Replicates:  # fmt: skip
        """Draw `size` replicates; a spread needs at `least` two."""
        return cls(np.empty(0), seed_of(rng), draw).grown(as_whole(size, "draws", least))

    def grown(self, size: int) -> Replicates:
        """The same replicates and more, `size` in all (fewer when fewer are asked for)."""
        have = self.values.shape[0]
        if size <= have:
            return Replicates(frozen(self.values[:size]), self.seed, self.draw)
        parts = [self.values[: have - have % BLOCK]] if have >= BLOCK else []
        for block in range(have // BLOCK, -(-size // BLOCK)):
            parts.append(self.draw(BLOCK, np.random.default_rng([self.seed, block])))
        return Replicates(frozen(np.concatenate(parts)[:size]), self.seed, self.draw)

    def more(self, size: int) -> Replicates:
        """The same replicates and `size` more."""
        return self.grown(len(self) + as_whole(size, "draws"))

    @property
    def defined(self) -> FloatArray:
        """Those with a finite value."""
        return self.values[np.isfinite(self.values).reshape(len(self), -1).all(axis=1)]

    def noted(self, notes: tuple[str, ...]) -> tuple[str, ...]:
        """The notes, and how many replicates have no value, if any."""
        undefined = len(self) - self.defined.shape[0]
        if not undefined:
            return notes
        return (*notes, f"undefined in {undefined} of {len(self)} replicates, left out")

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def __repr__(self) -> str:
        return f"<{len(self)} replicates from seed {self.seed}>"


@dataclass(frozen=True, eq=False, repr=False)
class Interval(AnswersGuesses):
    """A value with the two ends of its interval; what `interval` returns.

    Parameters
    ----------
    metric : str
        What was measured.
    value : float
        The estimate.
    low, high : float
        The ends; NaN when there were too few cases.
    level : float
        Share of data sets in which such an interval holds the truth.
    method : str
        How the ends were found.
    notes : tuple of str
        What a reader should know, e.g. that there are few cases.
    too_few : bool
        Whether there were too few cases for an interval.
    replicates : Replicates, optional
        The draws behind it, if any.
    rule : callable, optional
        Finds the ends for another level or with more replicates.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> from stakes.uncertainty import interval
    >>> found = interval(ConfusionMatrix([[900, 60], [5, 35]]), "expected_cost",
    ...                  application=Application([[0, 1], [10, 0]], priors=[0.9, 0.1]))
    >>> round(found.low, 4), round(found.high, 4)
    (0.1091, 0.3179)
    >>> found.at(0.5).high < found.high
    True
    """

    metric: str
    value: float
    low: float
    high: float
    level: float
    method: str
    notes: tuple[str, ...] = ()
    too_few: bool = False
    replicates: Replicates | None = None
    rule: Rule | None = None

    @classmethod
    def found(
        cls,
        metric: str,
        value: float,
        rule: Rule,
        *,
        level: float,
        method: str,
        refused: bool = False,
        notes: tuple[str, ...] = (),
        replicates: Replicates | None = None,
    ) -> Interval:
        """Apply a rule, unless there are too few cases."""
        ends = np.nan, np.nan
        return cls(
            metric, value, *ends, as_level(level), method, notes, refused, replicates, rule
        ).at(level)

    @property
    def limits(self) -> tuple[float, float]:
        """The two ends."""
        return self.low, self.high

    def at(self, level: float) -> Interval:
        """The same interval at another level, from the same replicates."""
        level = as_level(level)
        if self.too_few or self.rule is None:
            return replace(self, level=level)
        low, high, drawn = np.nan, np.nan, self.replicates
        values = np.empty(0) if drawn is None else drawn.defined
        if drawn is None or len(values):
            low, high = self.rule(level, values)
        return replace(self, level=level, low=float(low), high=float(high))

    def more(self, draws: int) -> Interval:
        """The same interval from this many more replicates."""
        if self.replicates is None or self.rule is None:
            raise DataError(f"an interval by {self.method!r} has no replicates to add to.")
        return replace(self, replicates=self.replicates.more(draws)).at(self.level)

    def noted_if_alike(self) -> Interval:
        """The same, with a note when all replicates are alike, which is no certainty."""
        if self.low != self.high:
            return self
        alike = "all replicates are alike: they cannot know of an error that did not occur"
        return replace(self, notes=(*self.notes, alike))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def frame(self) -> Frame:
        """One row: metric, value, low, high, level, method, notes."""
        names = ("metric", "value", "low", "high", "level", "method")
        row = {name: [getattr(self, name)] for name in names}
        return Frame({**row, "notes": ["; ".join(self.notes)]})

    def __str__(self) -> str:
        if self.too_few:
            return f"{self.value:.4g} (too few cases for an interval)"
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"

    def __repr__(self) -> str:
        return f"<Interval of {self.metric}: {self}, {self.level:g} by {self.method}>"


def rate_interval(
    hits: float, cases: float, *, method: str = "wilson", level: float = 0.95
) -> Interval:
    r"""Interval of a share, such as an error rate of one class.

    Parameters
    ----------
    hits, cases : float
        How often it happened, out of how many.
    method : {"wilson", "jeffreys", "clopper_pearson"}
        Wilson's score interval; the Bayesian one under Jeffreys' prior, Beta(1/2, 1/2), with
        its ends opened at no or only hits; or Clopper and Pearson's, which covers at least
        the level and usually more.
    level : float
        Share of data sets in which the interval holds the truth.

    Returns
    -------
    Interval
        Of the share.

    References
    ----------
    .. [1] L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a binomial
       proportion", Statistical Science 16(2), 2001.

    Examples
    --------
    >>> print(rate_interval(0, 10))
    0 (0 to 0.2775)
    >>> print(rate_interval(3, 10, method="clopper_pearson"))
    0.3 (0.06674 to 0.6525)
    """
    hits, cases = as_number(hits, "hits"), as_number(cases, "cases")
    if not (0 <= hits <= cases and 0 < cases < np.inf):
        raise DataError(f"`hits` must lie between 0 and `cases`; got {hits!r} of {cases!r}.")
    if place_of(method, ("wilson", "jeffreys", "clopper_pearson")) is None:
        raise DataError(
            f"`method` must be one of wilson, jeffreys, clopper_pearson; got {method!r}."
        )

    def rule(at: float, _: FloatArray) -> tuple[float, float]:
        from scipy.special import betaincinv

        if method == "wilson":
            ends = wilson(hits / cases, cases, normal_quantile(at))
            return float(ends[0]), float(ends[1])
        # Clopper and Pearson invert the two one-sided tests, each with one case more against it.
        below, above = (0.5, 0.5) if method == "jeffreys" else (0.0, 1.0)
        a, b = (hits + below, cases - hits + above), (hits + above, cases - hits + below)
        low = 0.0 if hits == 0 else float(betaincinv(*a, (1 - at) / 2))
        return low, 1.0 if hits == cases else float(betaincinv(*b, (1 + at) / 2))

    return Interval.found("rate", hits / cases, rule, level=level, method=method)


#: Below this many cases of a class that matters no interval and no verdict is given.
MIN_CASES = 10
#: Below this many the result says that it rests on few cases.
_FEW_CASES = 100

#: What to give instead of summaries of weighted cases.
_OF_DECISIONS = (
    "give the rows: weighted_interval(y_true, decisions, sample_weight=...); or, for cases that "
    "belong together, GroupedCounts.from_decisions(..., groups=..., sample_weight=...)"
)
OF_SCORES = "give the rows: weighted_score_interval(y_true, scores, sample_weight=..., metric=...)"
OF_SYSTEMS = (
    "give GroupedCounts.from_decisions(y_true, decisions, groups=range(len(y_true)), "
    "sample_weight=...), in which each case is a group of its own, or the groups there are"
)
OF_CURVES = (
    "give the rows, one point of the curve at a time: weighted_score_interval(y_true, scores, "
    "sample_weight=..., metric=lambda scores: ...)"
)
OF_PLANS = (
    "plan from numbers of cases; for weighted cases, the width of weighted_interval(...) shrinks "
    "with the square root of the number of rows"
)


def few_carry(places: Sequence[Any]) -> str:
    """What to say when amounts are so unequal that intervals are too short; see `too_unequal`."""
    return (
        f"a few cases could carry most of the cost: the amounts at stake in cases of "
        f"{listed(places)} are so unequal that intervals are probably too short; the cases that "
        "would make them longer may not be among these"
    )


def shortage(
    totals: FloatArray, classes: Sequence[Name], min_cases: int, matters: Any = None
) -> tuple[bool, tuple[str, ...]]:
    """Whether to refuse, and what to say; classes with `matters` False are left out."""
    min_cases = as_number(min_cases, "min_cases")  # type: ignore[assignment]
    if not min_cases >= 0:
        raise DataError(f"`min_cases` must be a number of cases, 0 or more; got {min_cases!r}.")
    kept = np.ones(len(classes), dtype=bool) if matters is None else np.asarray(matters, bool)
    counted = [(float(t), n) for t, n, k in zip(totals, classes, kept, strict=True) if k]
    if not counted:
        return False, ()
    least, name = min(counted, key=lambda pair: pair[0])
    if least < min_cases:
        return True, (
            f"too few: {least:g} cases of {name!r}, below the {min_cases} that an interval "
            f"needs (min_cases={int(least)} overrides)",
        )
    if least < _FEW_CASES:
        return False, (f"few: only {least:g} cases of {name!r}",)
    return False, ()


def refuse_weights(
    counts: FloatArray, what: str = "summary", *, instead: str = _OF_DECISIONS
) -> None:
    """Raise when counts are not whole numbers, since then they are no numbers of cases.

    Whole numbers are taken for frequencies: that many cases were seen.
    """
    if not whole(counts):
        raise DataError(
            f"the {what} holds weights, not numbers of cases, so it cannot tell how many cases "
            "there were, nor how much their weights differ.",
            hint=instead,
        )


def whole(counts: FloatArray) -> bool:
    """Whether these may be numbers of cases."""
    rounded = np.rint(counts)
    return bool((np.abs(counts - rounded) <= 1e-9 * np.maximum(1.0, rounded)).all())
