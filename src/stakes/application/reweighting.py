"""Weights that make a sample represent another population, and whether rebalancing agrees with
the costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_number, as_priors, positive_share
from stakes._columns import as_array, as_column, as_weights
from stakes._names import as_names, encode, listed, observed_names
from stakes.application.application import as_application
from stakes.application.cost_sentences import shown, spoken
from stakes.exceptions import CostError, DataError, PriorError
from stakes.typing import FloatArray, Name, Priors


def class_factors(
    from_priors: Any, costs: Any = None, *, priors: Priors | str | None = None
) -> FloatArray:
    r"""The factor by which a case of each class counts, given its costs and the priors in use.

    Multiplying every case's weight by the factor of its class turns a weighted average over
    the sample into one over the population in use. Only ratios of factors matter.

    .. math:: \frac{P^{target}_i}{P^{data}_i}\, c_i

    Parameters
    ----------
    from_priors : sequence of float
        Share of each class in the sample, all positive.
    costs : CostMatrix or Application, optional
        Every wrong decision must cost the same within a class; that cost, above the cost of
        the right decision, is :math:`c_i`. Without costs, :math:`c_i` is 1.
    priors : sequence, mapping, "balanced" or None
        Shares where the system will run; or equal shares. If absent, the priors of the
        application, and without them the shares of the sample.

    Returns
    -------
    array of shape (n_classes,)
        Not negative, with mean 1 over the cases of the sample.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eqs 11, 13, 16, 17.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> class_factors([0.8, 0.2], priors="balanced")
    array([0.625, 2.5  ])
    >>> class_factors([0.8, 0.2], CostMatrix([[0, 1], [9, 0]])).round(3)
    array([0.385, 3.462])
    """
    app = None if costs is None else as_application(costs)
    given = as_array(from_priors, "from_priors")
    size = given.size if given.ndim else 2
    classes = range(size) if app is None else app.classes
    shares = as_priors(from_priors, classes, name="from_priors")
    if (shares == 0).any():
        absent = [name for name, share in zip(classes, shares, strict=True) if share == 0]
        raise DataError(f"no case of {listed(absent)}, so there is nothing to weigh up.")
    factors = np.ones(len(classes)) if app is None else _error_costs(app)
    if isinstance(priors, str):
        if priors != "balanced":
            raise PriorError(f"`priors` must be shares or 'balanced'; got {priors!r}.")
        factors = factors / (len(classes) * shares)
    else:
        place = app.priors if priors is None and app is not None else priors
        if place is not None:
            factors = factors * as_priors(place, classes) / shares
    total = float(factors @ shares)
    if total <= 0:
        raise CostError("no class counts for anything under these costs and shares.")
    return np.asarray(factors / total)


def sample_weights(
    y_true: Any,
    costs: Any = None,
    *,
    priors: Priors | str | None = None,
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> FloatArray:
    """Weights for any metric, loss or estimator that averages over cases.

    Instead of resampling: a balanced sample, one in which errors count by their cost, one
    with the class shares of the place of use, or all at once. Accuracy with these weights is
    the weighted accuracy; a loss with them trains for the costs.

    Parameters
    ----------
    y_true : column
        True classes.
    costs : CostMatrix or Application, optional
        As in `class_factors`; names the classes too.
    priors : sequence, mapping, "balanced" or None
        Shares where the system will run; or equal shares. If absent, the priors of the
        application, and without them the shares of the sample.
    classes : sequence of names, optional
        Without costs: the order of the classes for `priors`; sorted values if absent.
    sample_weight : column, optional
        Weights that the cases already have.

    Returns
    -------
    array of shape (n_cases,)
        They add to what the given weights add to (the number of cases), so that a
        regularised estimator keeps its balance between data and penalty.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eqs 8-17.

    Examples
    --------
    >>> sample_weights(["no", "no", "no", "yes"], priors="balanced").round(3)
    array([0.667, 0.667, 0.667, 2.   ])
    """
    column = as_column(y_true, "y_true")
    if costs is not None:
        names: tuple[Name, ...] = as_application(costs).classes
    else:
        names = observed_names(column) if classes is None else as_names(classes, "classes")
    codes = encode(column, names, "y_true")
    given = as_weights(sample_weight, column.shape[0])
    weights = np.ones(column.shape[0]) if given is None else given
    totals = np.bincount(codes, weights=weights, minlength=len(names))
    if totals.sum() == 0:
        raise DataError("there are no cases to weigh.")
    if priors is not None and not isinstance(priors, str):
        priors = as_priors(priors, names)
    factors = class_factors(totals / totals.sum(), costs, priors=priors)
    return np.asarray(weights * factors[codes])


def target_weight(
    cost_weight: float, from_priors: Priors, *, priors: Priors | None = None
) -> float:
    r"""Weight of the positive class for a weighted accuracy that holds for the place of use.

    .. math:: w^t = \frac{R_+ r_C}{R_+ r_C + R_- (1 - r_C)},\quad
              R_+ = \frac{r^t_+}{r_+},\ R_- = \frac{1 - r^t_+}{1 - r_+}

    Parameters
    ----------
    cost_weight : float
        :math:`r_C` = C_FN / (C_FN + C_FP), from 0 to 1.
    from_priors : float or pair
        Share of positives, or of both classes, in the sample; strictly between 0 and 1.
    priors : float or pair, optional
        The same where the system will run; as in the sample if absent.

    Returns
    -------
    float
        Between 0 and 1, for `stakes.metrics.weighted_accuracy`.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eq 18.

    Examples
    --------
    >>> round(target_weight(0.9, 0.5, priors=0.1), 6)
    0.5
    """
    cost_weight = as_number(cost_weight, "cost_weight", CostError)
    if not 0 <= cost_weight <= 1:
        raise CostError(f"`cost_weight` must lie between 0 and 1; got {cost_weight!r}.")
    data = positive_share(from_priors, "from_priors", inside=True)
    goal = data if priors is None else positive_share(priors, inside=True)
    positive = goal * cost_weight / data
    negative = (1 - goal) * (1 - cost_weight) / (1 - data)
    return positive / (positive + negative)


def _error_costs(app: Any) -> FloatArray:
    """What any wrong decision costs in each class, above the right one."""
    values = app.costs.standardized().values
    if values.shape[0] != values.shape[1] or (np.diag(values) != 0).any():
        raise CostError(
            "cost weights need one right decision per class, in the order of the classes.",
            hint="decide with stakes.bayes_decisions instead of reweighting",
        )
    size = values.shape[0]
    if size < 2:
        raise CostError(f"there are no errors with one class alone: {app.classes[0]!r}.")
    wrong = values[~np.eye(size, dtype=bool)].reshape(size, size - 1)
    uneven = np.flatnonzero(wrong.max(axis=1) != wrong.min(axis=1))
    if uneven.size:
        raise CostError(
            f"errors of class {app.classes[uneven[0]]!r} cost from {wrong[uneven[0]].min():g} to "
            f"{wrong[uneven[0]].max():g}; one weight per class cannot stand for that.",
            hint="train by a proper score and decide with stakes.bayes_decisions",
        )
    return np.asarray(wrong[:, 0])


#: Relative difference of two cost ratios that is taken for rounding.
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Consistency:
    """Whether a habit agrees with the costs; see `rebalancing_is_consistent`.

    Parameters
    ----------
    holds : bool
        Whether it ranks all systems as the total cost does.
    implied_ratio : float
        Number of false alarms that one miss is worth to the habit.
    actual_ratio : float
        Number of false alarms that one miss is worth to you.
    advice : str
        What it means, in words.
    """

    holds: bool
    implied_ratio: float
    actual_ratio: float
    advice: str

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return self.advice


def rebalancing_is_consistent(application: Any, from_priors: Any) -> Consistency:
    """Whether evaluating on a rebalanced sample agrees with the costs.

    Rebalancing weighs each class by the inverse of its share. That minimises the total cost
    only if the costs are inversely proportional to the shares of the place of use.

    Parameters
    ----------
    application : Application or CostMatrix
        Two classes, two decisions; its priors, if any, are those of the place of use.
    from_priors : sequence of float
        Shares in the sample that is to be rebalanced.

    Returns
    -------
    Consistency
        True or false in a condition; prints as advice.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eq 15.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> found = rebalancing_is_consistent(CostMatrix([[0, 1], [3, 0]]), [0.95, 0.05])
    >>> bool(found), round(found.implied_ratio, 1), found.actual_ratio
    (False, 19.0, 3.0)
    >>> print(found)
    Rebalancing would mislead you here, because it treats one missed '1' as 19 false alarms and
    you said 3: it prefers systems that raise too many alarms.
    Use sample_weights(y_true, costs) instead.
    """
    return _judged("Rebalancing", application, from_priors)


def accuracy_is_consistent(application: Any, from_priors: Any) -> Consistency:
    r"""Whether plain accuracy on this sample agrees with the costs in use.

    It does if and only if the share of positives in the sample is

    .. math:: r_+ = \frac{r^t_+ r_C}{1 - r^t_+ - r_C + 2 r^t_+ r_C}

    Parameters
    ----------
    application : Application or CostMatrix
        Two classes, two decisions; its priors, if any, are those of the place of use.
    from_priors : sequence of float
        Shares in the sample.

    Returns
    -------
    Consistency
        True or false in a condition; prints as advice.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eq 19.

    Examples
    --------
    >>> from stakes import Application
    >>> bool(accuracy_is_consistent(Application([[0, 1], [9, 0]], priors=[0.9, 0.1]), [0.5, 0.5]))
    True
    """
    return _judged("Accuracy", application, from_priors)


def _judged(habit: str, application: Any, from_priors: Any) -> Consistency:
    """Whether a habit weighs a missed positive against false alarms as the costs do."""
    app = as_application(application)
    shares = as_priors(from_priors, app.classes, name="from_priors")
    threshold, data, target = app.posterior_threshold, shares[1], app.resolved_priors(shares)[1]
    if not (0 < threshold < 1 and 0 < data < 1 and 0 < target < 1):
        raise CostError("both errors must cost something, and both classes must occur.")
    actual = (1 - threshold) / threshold
    implied = float((1 - target) / target)  # balanced: a positive counts as many negatives
    if habit == "Accuracy":  # one missed positive of the sample stands for target / data in use
        implied = float((data / target) / ((1 - data) / (1 - target)))
    missed = f"one missed '{shown(app.classes[1])}' as"
    if abs(implied / actual - 1) <= _SAME:
        advice = (
            f"{habit} agrees with your costs: both treat {missed} {_count(actual)} false alarms."
        )
        return Consistency(True, implied, actual, advice)
    leaning = "raise too many alarms" if implied > actual else "miss too many cases"
    place = "" if data == target else f", priors=[{1 - target:g}, {target:g}]"
    advice = (
        f"{habit} would mislead you here, because it treats {missed} {_count(implied)} false "
        f"alarms and\nyou said {_count(actual)}: it prefers systems that {leaning}.\n"
        f"Use sample_weights(y_true, costs{place}) instead"
    )
    if habit == "Accuracy":
        weight = target_weight(actual / (1 + actual), float(data), priors=float(target))
        advice += f", or weighted_accuracy(cm, {weight:.4g})"
    return Consistency(False, implied, actual, f"{advice}.")


def _count(ratio: float) -> str:
    """A ratio as people say it."""
    return spoken(float(f"{ratio:.3g}"))
