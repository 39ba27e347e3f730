"""Whether rebalancing, or plain accuracy, ranks systems as their cost does; and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stakes._checks import as_priors
from stakes.application.application import as_application
from stakes.application.naming import shown
from stakes.application.reweighting import target_weight
from stakes.application.sentences import spoken
from stakes.exceptions import CostError

__all__ = ["Consistency", "accuracy_is_consistent", "rebalancing_is_consistent"]

#: Relative difference of two cost ratios that is taken for rounding.
SAME = 1e-9


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


def rebalancing_is_consistent(application: Any, data_priors: Any) -> Consistency:
    """Whether evaluating on a rebalanced sample agrees with the costs.

    Rebalancing weighs each class by the inverse of its share. That minimises the total cost
    only if the costs are inversely proportional to the shares of the place of use.

    Parameters
    ----------
    application : Application or CostMatrix
        Two classes, two decisions; its priors, if any, are those of the place of use.
    data_priors : sequence of float
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
    ratio, shares, target = _read(application, data_priors)
    odds = (1 - target[1]) / target[1]  # balanced: a positive counts as many negatives
    return _judged(
        "Rebalancing", odds, ratio, as_application(application).classes[1], shares[1], target[1]
    )


def accuracy_is_consistent(application: Any, data_priors: Any) -> Consistency:
    r"""Whether plain accuracy on this sample agrees with the costs in use.

    It does if and only if the share of positives in the sample is

    .. math:: r_+ = \frac{r^t_+ r_C}{1 - r^t_+ - r_C + 2 r^t_+ r_C}

    Parameters
    ----------
    application : Application or CostMatrix
        Two classes, two decisions; its priors, if any, are those of the place of use.
    data_priors : sequence of float
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
    ratio, shares, target = _read(application, data_priors)
    # One missed positive of the sample stands for (target / data) of them in use.
    implied = (shares[1] / target[1]) / ((1 - shares[1]) / (1 - target[1]))
    return _judged(
        "Accuracy", implied, ratio, as_application(application).classes[1], shares[1], target[1]
    )


def _read(application: Any, data_priors: Any) -> tuple[float, list[float], list[float]]:
    """Cost ratio, shares of the sample, shares in use."""
    app = as_application(application)
    shares = as_priors(data_priors, app.classes, name="data_priors")
    target = app.resolved_priors(shares)
    threshold = app.posterior_threshold
    if not 0 < threshold < 1 or not (0 < shares[1] < 1 and 0 < target[1] < 1):
        raise CostError("both errors must cost something, and both classes must occur.")
    return (1 - threshold) / threshold, shares.tolist(), target.tolist()


def _judged(
    habit: str, implied: float, actual: float, positive: Any, data: float, target: float
) -> Consistency:
    """The finding in words."""
    holds = abs(implied / actual - 1) <= SAME
    if holds:
        advice = f"{habit} agrees with your costs: both treat one missed '{shown(positive)}' as "
        return Consistency(True, implied, actual, f"{advice}{_count(actual)} false alarms.")
    leaning = "raise too many alarms" if implied > actual else "miss too many cases"
    weight = target_weight(actual / (1 + actual), data, target_prior=target)
    advice = (
        f"{habit} would mislead you here, because it treats one missed '{shown(positive)}' as "
        f"{_count(implied)} false alarms and\nyou said {_count(actual)}: it prefers systems that "
        f"{leaning}.\nUse sample_weights(y_true, costs{_target(data, target)}) instead"
    )
    advice += "." if habit == "Rebalancing" else f", or weighted_accuracy(cm, {weight:.4g})."
    return Consistency(False, implied, actual, advice)


def _count(ratio: float) -> str:
    """A ratio as people say it."""
    return spoken(float(f"{ratio:.3g}"))


def _target(data: float, target: float) -> str:
    """The argument that names other shares, where they are other."""
    return "" if data == target else f", target=[{1 - target:g}, {target:g}]"
