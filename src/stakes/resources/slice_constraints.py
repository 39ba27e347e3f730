"""The cheapest rule of each slice when slices may not differ too much, and what that costs.

Docs: docs/design/resources.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_number, as_switch, as_whole, same_length
from stakes._columns import as_column, as_floats, as_weights
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels.bayes_rule import code_type
from stakes._kernels.optimise.hull_mixture import hull_mixtures
from stakes._names import encode, listed, named_column, observed_names, place_of
from stakes._random import as_generator
from stakes.application import Application, CaseCosts, as_application
from stakes.exceptions import CostError, DataError, LabelError, PriorError, UndefinedError
from stakes.messages.audience import either, named, setting
from stakes.messages.quantities import money
from stakes.metrics.scores.pareto_hull import HullPoints, hull_points
from stakes.resources.slice_cases import SlicedCases, read_cases, refuse_small
from stakes.resources.slice_rules import (
    WORDS,
    Constraint,
    SliceRates,
    SliceRule,
    act_chances,
    as_constraints,
    slice_rates,
)
from stakes.results import Frame
from stakes.typing import FloatArray, Name, RandomSource

#: Rates that differ by less are the same, up to rounding.
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConstrainedSlices(AnswersGuesses):
    """The cheapest rules that keep slices alike; made by `constrained_slices`.

    Parameters
    ----------
    rules, free_rules : tuple of SliceRule
        The rule of each slice within the limit, and without it.
    rates, free_rates : SliceRates
        What these rules do on the data that they were found on.
    constraint : tuple of str
        What is limited.
    ratio, difference : float, optional
        The limit; the other is None.
    shadow_price : float
        What the limit costs at the margin: per case, and per 1 by which it is loosened. A
        hundredth of it is what one percentage point saves.
    application : Application
        What is at stake.
    classes : tuple of names
        The two classes, the one that high scores speak for second.
    """

    rules: tuple[SliceRule, ...]
    free_rules: tuple[SliceRule, ...]
    rates: SliceRates
    free_rates: SliceRates
    constraint: tuple[Constraint, ...]
    ratio: float | None
    difference: float | None
    shadow_price: float
    application: Application
    classes: tuple[Name, ...]

    @property
    def cost(self) -> float:
        """Expected cost per case within the limit."""
        return self.rates.average_cost

    @property
    def free_cost(self) -> float:
        """Expected cost per case without the limit."""
        return self.free_rates.average_cost

    @property
    def price(self) -> float:
        """What the limit costs per case."""
        return self.cost - self.free_cost

    @property
    def total_price(self) -> float | None:
        """What the limit costs per period; None where the volume is unknown."""
        return None if self.application.volume is None else self.price * self.application.volume

    def __getitem__(self, name: Name) -> SliceRule:
        """The rule of a slice."""
        for rule in self.rules:
            if rule.name == name:
                return rule
        raise KeyError(f"there is no slice {name!r}; there are {listed(self.rates.names)}")

    def decide(self, scores: Any, by: Any, *, rng: RandomSource = None) -> NDArray[Any]:
        """The decision of each case by its name; see `positions`."""
        return np.asarray(
            named_column(self.application.decisions)[self.positions(scores, by, rng=rng)]
        )

    def positions(self, scores: Any, by: Any, *, rng: RandomSource = None) -> NDArray[Any]:
        """The decision of each case by its position; where thresholds are mixed, drawn.

        Parameters
        ----------
        scores, by : column
            Score and slice of each case; other slices than those of the data are refused.
        rng : optional
            Seed of the draws, or a generator.
        """
        cases = self._read(scores, by)
        drawn = as_generator(rng).random(cases.scores.size)
        return (drawn < act_chances(self.rules, cases)).astype(code_type(2))

    def apply(
        self, y_true: Any, scores: Any, *, by: Any, sample_weight: Any = None, free: bool = False
    ) -> SliceRates:
        """What the rules do on other cases, on average over the draws.

        Parameters
        ----------
        y_true, scores, by, sample_weight : column
            As for `constrained_slices`; slices that do not occur are left out.
        free : bool
            Apply the rules without the limit instead.
        """
        cases = self._read(scores, by)
        truth = encode(y_true, self.classes, "y_true").astype(np.intp)
        same_length("y_true", truth.size, "scores", cases.scores.size)
        weights = as_weights(sample_weight, truth.size)
        cases = cases._replace(truth=truth, weights=weights)
        rules = self.free_rules if as_switch(free, "free") else self.rules
        return slice_rates(cases, rules, self.application)

    def _read(self, scores: Any, by: Any) -> SlicedCases:
        """Scores and slices; the truth is not known."""
        given = as_floats(scores, "scores").astype(np.float64, copy=False)
        if given.size == 0:
            raise DataError("`scores` must not be empty.")
        try:
            codes = encode(by, self.rates.names, "by").astype(np.intp)
        except LabelError:
            there = observed_names(as_column(by, "by"))
            new = [name for name in there if place_of(name, self.rates.names) is None]
            raise DataError(
                f"{named('by')} holds slices without a rule: {listed(new)}; there are rules for "
                f"{listed(self.rates.names)}.",
                hint="leave out their rows",
            ) from None
        same_length("by", codes.size, "scores", given.size)
        return SlicedCases(self.rates.names, self.classes, np.zeros(0, np.intp), given, codes, None)

    def frame(self) -> Frame:
        """One row per slice: the columns of `rates`, free_cost, rule and free_rule in words."""
        return Frame(
            {
                **self.rates.frame(),
                "free_cost": self.free_rates.cost,
                "rule": [rule.text for rule in self.rules],
                "free_rule": [rule.text for rule in self.free_rules],
            }
        )

    @property
    def limit_text(self) -> str:
        """The limit in words."""
        words = " and the ".join(WORDS[name] for name in self.constraint)
        if self.ratio == 1 or self.difference == 0:
            return f"the {words} of all slices equal"
        if self.ratio is not None:
            return f"the {words} of each slice at least {self.ratio:g} times that of any other"
        unit = self.application.unit if self.constraint == ("cost",) else None
        within = f"{self.difference:g} {unit}" if unit else f"{self.difference:g}"
        return f"the {words} of all slices within {within} of each other"

    @property
    def text(self) -> str:
        """What the limit costs, in a sentence or two."""
        app = self.application
        if self.price <= _CLOSE * max(abs(self.free_cost), abs(self.cost)):
            return f"Keeping {self.limit_text} costs nothing: the cheapest rules do so already."
        said = (
            f"Keeping {self.limit_text} costs {money(self.price, app.unit)} per case "
            f"({money(self.cost, None)} instead of {money(self.free_cost, None)})"
        )
        if self.total_price is not None:
            said += f", {money(self.total_price, app.unit)} per {app.period or 'period'}"
        if self.constraint == ("cost",) and self.ratio is None:
            step, saved = f"1 {app.unit or ''}".rstrip(), self.shadow_price
        else:
            step, saved = "0.01", self.shadow_price / 100
        more = f"Loosening the limit by {step} would save about {money(saved, app.unit)} per case."
        return f"{said}. {more}"

    def __repr__(self) -> str:
        return f"ConstrainedSlices({len(self.rules)} slices; {self.text})"


# Why a linear programme over corners, and why it may mix: docs/design/resources.md.
@answers_guesses
def constrained_slices(
    y_true: Any,
    scores: Any,
    *,
    by: Any,
    costs: Any,
    constraint: Constraint | Sequence[Constraint] = "selection",
    ratio: float | None = None,
    difference: float | None = None,
    positive: Any = None,
    sample_weight: Any = None,
    min_cases: int = 10,
) -> ConstrainedSlices:
    r"""The cheapest rules when slices may differ only so much, and what the limit costs.

    Each slice gets a threshold of its own, or a random mixture of two where that is needed to
    keep the limit exactly. No other rules that keep it are cheaper on these data, of those that
    act on higher scores first and are no worse than chance in any slice.

    .. math:: \min \sum_g w_g \, c_g(\lambda_g) \quad \text{with }
              \min_g q_g(\lambda_g) \ge r \max_g q_g(\lambda_g)

    Parameters
    ----------
    y_true : column
        True classes, two of them.
    scores : column
        Of any kind; only their order within a slice counts.
    by : column
        The slice of each case.
    costs : Application, CostMatrix, mapping or array-like
        Costs of two decisions; each slice keeps the class shares of its data.
    constraint : {"selection", "true_positive", "false_positive", "cost"}, or several
        What must be alike: the share of cases acted on, of positives acted on, of negatives acted
        on, or the cost per case. True and false positives together are equalised odds [1]_.
    ratio : float, optional
        The value of the lowest slice must be at least this fraction of the highest, 0 to 1.
    difference : float, optional
        The value of the highest slice may exceed the lowest by at most this. Give one of the two.
    positive : name, optional
        Which class high scores speak for, where the labels are words and the costs name none.
    sample_weight : column, optional
        Weight of each case.
    min_cases : int
        A slice with fewer cases of a class than this is refused.

    Returns
    -------
    ConstrainedSlices
        Rules, rates and costs with the limit and without, and its price.

    Notes
    -----
    A linear programme over the corners of the ROC convex hull of each slice. Like every minimum
    found on the data it is optimistic, and on new cases the limit is kept only nearly: see `apply`.
    A limit on cost is kept by treating some slices worse than their scores allow.

    References
    ----------
    .. [1] M. Hardt, E. Price, N. Srebro, "Equality of opportunity in supervised learning",
       NeurIPS 2016.
    .. [2] F. Provost, T. Fawcett, "Robust classification for imprecise environments",
       Machine Learning 42, 2001.

    Examples
    --------
    >>> y = [0, 0, 1, 1] * 2
    >>> scores = [0.1, 0.2, 0.3, 0.4, 0.1, 0.6, 0.5, 0.7]
    >>> found = constrained_slices(y, scores, by=list("aaaabbbb"), costs={"fn": 1, "fp": 2},
    ...                            constraint="selection", ratio=1, min_cases=2)
    >>> found.rates.selection, found.price
    (array([0.5, 0.5]), 0.0625)
    >>> found["b"].text
    'act above 0.65 in 50 % and act above 0.3 in 50 % of cases, chosen at random'
    """
    names = as_constraints(constraint)
    ratio, difference = _limit(ratio, difference)
    app = _two_by_two(costs)
    cases = read_cases(y_true, scores, by, app, positive, sample_weight)
    refuse_small(cases, as_whole(min_cases, "min_cases"))
    counts = cases.counts
    points = [hull_points(each) for each in counts]
    shares = np.array([each.total for each in counts])
    shares /= shares.sum()
    paid = [_corner_rates(p, c.priors, app) for p, c in zip(points, counts, strict=True)]
    corner_costs = [each["cost"] for each in paid]
    if ratio is not None and "cost" in names and min(map(np.min, corner_costs)) < 0:
        raise CostError(
            "a ratio of costs means nothing where some are below 0.", hint="difference=... instead"
        )
    best = [np.eye(cost.size)[int(np.argmin(cost))] for cost in corner_costs]  # ties: fewer acts
    limited = [np.array([each[name] for name in names]) for each in paid]
    found: tuple[list[FloatArray], float] | None = best, 0.0
    if not _kept(best, limited, ratio, difference):
        found = hull_mixtures(corner_costs, limited, shares, ratio=ratio, difference=difference)
    if found is None:
        raise UndefinedError(
            f"no rules of these scores keep the {WORDS[names[0]]} of the slices as close as that.",
            hint="a smaller ratio or a larger difference",
        )
    free_rules, rules = (
        tuple(map(_rule, cases.names, points, mixtures)) for mixtures in (best, found[0])
    )
    free_rates, rates = (slice_rates(cases, each, app) for each in (free_rules, rules))
    return ConstrainedSlices(
        rules=rules,
        free_rules=free_rules,
        rates=rates,
        free_rates=free_rates,
        constraint=names,
        ratio=ratio,
        difference=difference,
        shadow_price=found[1],
        application=app,
        classes=cases.classes,
    )


def _limit(ratio: Any, difference: Any) -> tuple[float | None, float | None]:
    """The ratio or the difference, one of them."""
    if (ratio is None) == (difference is None):
        both = "neither" if ratio is None else "both"
        raise DataError(
            f"the limit is a ratio or a difference; got {both}.",
            hint=f"{setting('ratio', 0.8)}, or {setting('difference', 0.05)}",
        )
    if ratio is not None:
        ratio = as_number(ratio, "ratio")
        if not 0 <= ratio <= 1:
            raise DataError(f"{named('ratio')} must lie between 0 and 1; got {ratio:g}.")
        return ratio, None
    difference = as_number(difference, "difference")
    if not 0 <= difference < math.inf:
        raise DataError(f"{named('difference')} must be 0 or more; got {difference:g}.")
    return None, difference


def _two_by_two(costs: Any) -> Application:
    """Costs of two classes and two decisions, the same in all cases, with the data's shares."""
    if isinstance(costs, CaseCosts):
        raise CostError(
            "limits between slices need costs that are the same in all cases: a threshold per "
            "slice is best only then.",
            hint="average them, for example by class",
        )
    app = as_application(costs)
    if app.costs.shape != (2, 2):
        many, kinds = app.costs.shape
        raise CostError(
            f"limits between slices are about two classes and two decisions; got {many} and "
            f"{kinds}: with more there is no single rate of selection.",
            hint="one class against all others, as scores: stakes.summaries.one_vs_rest",
        )
    if app.priors is not None:
        raise PriorError(
            "each slice keeps the shares of the classes in its data, so priors for all mean "
            "nothing here.",
            hint=either("leave the priors out; sample_weight= moves the shares",
                        "leave --prevalence out; --weight moves the shares"),
        )  # fmt: skip
    app.posterior_threshold  # noqa: B018 - refuses costs under which acting never pays
    return app


def _corner_rates(
    points: HullPoints, priors: FloatArray, app: Application
) -> dict[str, FloatArray]:
    """Each rate that can be limited, at each corner of the hull of a slice."""
    false, true = points.false_positive_rate, points.sensitivity
    (c11, c12), (c21, c22) = app.costs.values
    return {
        "selection": priors[0] * false + priors[1] * true,
        "true_positive": true,
        "false_positive": false,
        "cost": priors[0] * (c11 + (c12 - c11) * false) + priors[1] * (c21 + (c22 - c21) * true),
    }


def _kept(
    mixtures: list[FloatArray],
    limited: list[FloatArray],
    ratio: float | None,
    difference: float | None,
) -> bool:
    """Whether mixtures of corners keep the limit."""
    rates = np.array([rate @ mixture for rate, mixture in zip(limited, mixtures, strict=True)])
    low, high = rates.min(axis=0), rates.max(axis=0)
    if ratio is not None:
        return bool((low >= ratio * high - _CLOSE * high).all())
    assert difference is not None
    return bool((high - low <= difference + _CLOSE * np.abs(rates).max(axis=0)).all())


def _rule(name: Name, points: HullPoints, mixture: FloatArray) -> SliceRule:
    """The corners that a mixture uses, as thresholds."""
    used = np.flatnonzero(mixture)
    cuts = tuple(points.thresholds[used].tolist())
    return SliceRule(name, cuts, tuple(mixture[used].tolist()))
