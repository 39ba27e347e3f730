"""Posteriors at a rule's priors, as expressions over the columns of its scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from operator import add, and_, or_
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stakes._checks import sum_tolerance

if TYPE_CHECKING:
    from stakes.rules.cut_points import CutPoints

#: Makes a column of an expression that is used more than once; returns a reference to it.
Keep = Callable[[str, Any], Any]
#: Larger exponents are as good as infinite; exponentials up to here are finite.
_FAR = 700.0
#: No posterior below 1 has larger log odds in float64.
_SURE = 37.0


class Scaling(NamedTuple):
    """Calibration by a scale and a bias for each class, of log scores clipped from below."""

    scales: list[float]
    biases: list[float]
    bound: float | None
    normalised: bool = False


def scaling_of(rule: CutPoints) -> Scaling | None:
    """The scales and biases of a calibrator; None if it has none."""
    from stakes.calibration.calibrators.affine import Affine, Temperature, Vector
    from stakes.calibration.calibrators.logistic import Logistic

    found, two = rule.calibrator, len(rule.classes) == 2
    if isinstance(found, Logistic):
        return Scaling([found.slope] * 2, [0.0, found.intercept], found._bound)
    if not isinstance(found, (Affine, Temperature, Vector)) or (found.scales < 0).any():
        return None
    if isinstance(found, Vector) and two and found.scales[0] != found.scales[1]:
        return None
    scales, biases = found.scales.tolist(), found.biases.tolist()
    return Scaling(scales, biases, found._bound, isinstance(found, Vector))


def has_formula(rule: CutPoints) -> bool:
    """Whether posteriors at the rule's priors are an expression over its columns."""
    if rule.scores == "decision" or (rule.scores == "rank" and rule.calibrator is None):
        return False
    return rule.calibrator is None or scaling_of(rule) is not None


def odds_shift(rule: CutPoints) -> float | None:
    """What the rule's priors add to log odds, if posteriors of two classes are made of odds."""
    if len(rule.classes) != 2 or not all(rule.factors):
        return None
    if rule.calibrator is None and rule.scores == "posterior":
        return None
    return math.log(rule.factors[1] / rule.factors[0])


def valid(rule: CutPoints, dialect: Any, columns: list[Any]) -> Any:
    """Whether a row holds scores that can be decided; null or false if not."""
    lit = dialect.literal
    if rule.scores != "posterior":
        # the difference of two columns is no number where they determine no posterior
        read = [columns[1] - columns[0]] if len(columns) == 2 else columns
        nan = getattr(dialect, "has_nan", True)  # it is above infinity
        fits = [each <= lit(math.inf) if nan else dialect.known(each) for each in read]
        fits += determined(dialect, columns) if len(columns) > 2 else []
        return reduce(and_, [*fits, *_leave_something(rule, dialect, columns)])
    every = columns if len(columns) > 1 else [lit(1.0) - columns[0], columns[0]]
    possible = [every[k] for k in rule._possible]
    likely = [reduce(add, possible) > lit(0.0)] if possible else []
    if len(columns) == 1:
        fits = [dialect.between(columns[0], lit(0.0), lit(1.0))]
    else:
        slack = sum_slack(rule)
        total = dialect.between(reduce(add, columns), lit(1.0 - slack), lit(1.0 + slack))
        fits = [*(each >= lit(0.0) for each in columns), total]
    return reduce(and_, [*fits, *likely])


def determined(dialect: Any, columns: list[Any]) -> list[Any]:
    """Whether logarithms determine posteriors: at most one is infinite, and not all are of 0."""
    lit, most = dialect.literal, float(np.finfo(np.float64).max)
    ones = [dialect.first_of([(each > lit(most), lit(1.0))], lit(0.0)) for each in columns]
    return [reduce(add, ones) <= lit(1.0), reduce(or_, [each >= lit(-most) for each in columns])]


def _leave_something(rule: CutPoints, dialect: Any, columns: list[Any]) -> list[Any]:
    """Whether logarithms leave a class possible that can occur; nothing if all can."""
    if not rule._possible:
        return []
    most = float(np.finfo(np.float64).max)
    finite = [columns[k] >= dialect.literal(-most) for k in rule._possible]
    absent = [each for each, factor in zip(columns, rule.factors, strict=True) if factor == 0]
    return [reduce(or_, finite), *(each <= dialect.literal(most) for each in absent)]


def sum_slack(rule: CutPoints) -> float:
    """How far posteriors of the scores' type may be from summing to 1."""
    return sum_tolerance(np.dtype(rule.score_type))


def plain(name: str, expression: Any) -> Any:
    """The expression itself; makes no column."""
    return expression


def posteriors_before(
    rule: CutPoints, dialect: Any, columns: list[Any], keep: Keep = plain, shift: float = 0.0
) -> list[Any]:
    """Values proportional to the posteriors before they are moved to other priors.

    With the `odds_shift` of the rule, they are the posteriors after that.
    """
    scaling = scaling_of(rule) if rule.calibrator is not None else None
    if len(rule.classes) == 2:
        if scaling is None and rule.scores == "posterior":
            p = columns[-1]
            return [dialect.literal(1.0) - p, p] if len(columns) == 1 else columns
        odds = _odds_against(rule, dialect, columns, scaling, keep, shift)
        return _of_odds_against(dialect, odds, keep)
    if scaling is None and rule.scores == "posterior":
        return columns
    if scaling is None and 0 in rule.factors:  # a class that cannot occur rounds no other to 0
        pairs = list(zip(columns, rule.factors, strict=True))
        possible = next(column for column, factor in pairs if factor)
        columns = [column if factor else possible for column, factor in pairs]
    lit, most = dialect.literal, keep("most", dialect.greatest(columns))
    if rule.scores == "posterior":
        parts = [each / most for each in columns]
    else:
        gaps = [dialect.greatest([each - most, lit(-_FAR)]) for each in columns]
        alike = [each >= most for each in columns]  # infinity less itself is no number
        first = [dialect.first_of([(top, lit(0.0))], gap)
                 for top, gap in zip(alike, gaps, strict=True)]  # fmt: skip
        parts = [dialect.exp(gap) for gap in first]
    if scaling is None:
        return parts
    least = _FAR / max(1.0, *scaling.scales)  # below, some engines fail to compute the power
    least = math.exp(-(least if scaling.bound is None else min(least, scaling.bound)))
    parts = [dialect.greatest([each, lit(least)]) for each in parts]
    if scaling.normalised:
        parts = [keep(f"r{i}", each) for i, each in enumerate(parts)]
        total = keep("total", reduce(add, parts))
        parts = [each / total for each in parts]
    each_class = zip(parts, scaling.scales, scaling.biases, strict=True)
    return [
        keep(f"w{i}", lit(math.exp(bias)) * dialect.power(part, lit(scale)))
        for i, (part, scale, bias) in enumerate(each_class)
    ]


def _odds_against(
    rule: CutPoints,
    dialect: Any,
    columns: list[Any],
    scaling: Scaling | None,
    keep: Keep,
    shift: float,
) -> Any:
    """Calibrated odds of the first of two classes, finite and above 0."""
    lit, score = dialect.literal, columns[-1]
    if len(columns) == 2 and rule.scores != "posterior":
        score = columns[1] - columns[0]
    scale, bias, bound = 1.0, 0.0, None
    if scaling is not None:
        scale, bias, bound = scaling.scales[1], scaling.biases[1] - scaling.biases[0], scaling.bound
    bias += shift
    if rule.scores == "posterior":
        far = _FAR if bound is None else min(bound, _FAR)
        within = (_FAR - abs(bias)) / scale if scale > 0 else 0.0
        powers = within > _SURE  # one power is faster than a logarithm and an exponential
        least = 1 / (1 + math.exp(min(far, within) if powers else far))
        ends = max(least, math.exp(-_FAR)), min(1 - 1 / (1 + math.exp(far)), 1 - 2.0**-53)
        inside = dialect.smallest([dialect.greatest([score, lit(ends[0])]), lit(ends[1])])
        inside = keep("inside", inside)
        ratio = keep("ratio", inside / (lit(1.0) - inside))
        if powers:
            odds = lit(math.exp(-bias)) * dialect.power(ratio, lit(-scale))
            if bound is not None:
                return odds
            return dialect.first_of([(score >= lit(1.0), lit(0.0))], odds)  # certain stays so
        odds = dialect.log(ratio)
    else:
        odds = score
        if rule.scores == "llr" and rule.calibrator is not None and _of_posteriors(rule):
            assert rule.from_priors is not None
            odds = odds + lit(float(np.log(rule.from_priors[1] / rule.from_priors[0])))
        if bound is not None:
            odds = dialect.smallest([dialect.greatest([odds, lit(-bound)]), lit(bound)])
    if scaling is not None:
        odds = lit(scale) * odds
    if scaling is not None or bias:
        odds = odds + lit(bias)
    near = dialect.smallest([dialect.greatest([odds, lit(-_FAR)]), lit(_FAR)])
    return dialect.exp(lit(0.0) - near)


def _of_posteriors(rule: CutPoints) -> bool:
    """Whether the calibrator was fitted on posteriors, so that it reads their log odds."""
    from stakes.calibration.score_kind import POSTERIORS, TABLE

    return rule.calibrator is not None and rule.calibrator._sort in (POSTERIORS, TABLE)


def _of_odds_against(dialect: Any, odds: Any, keep: Keep) -> list[Any]:
    """Both posteriors from the odds of the first class, each to full precision."""
    lit = dialect.literal
    against = keep("against", odds)
    second = keep("second", lit(1.0) / (lit(1.0) + against))
    return [against * second, second]
