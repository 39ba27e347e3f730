"""Costs while trees are boosted: evaluation metrics for LightGBM, XGBoost and CatBoost.

None of these libraries is imported: each metric is an object that its library calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._checks import as_switch
from stakes._columns import EXACT, as_reals
from stakes._names import listed
from stakes.application import Application, as_application
from stakes.application.application import refuse_paid_errors
from stakes.application.cost_input import stated_costs
from stakes.decisions import bayes_decisions
from stakes.exceptions import CostError, LabelError
from stakes.metrics import expected_cost, normalized_expected_cost
from stakes.posteriors import Posteriors
from stakes.typing import FloatArray

__all__ = ["CatBoostCost", "LightGBMCost", "XGBoostCost"]


class _BoostingCost:
    """What the Bayes decisions of predicted probabilities cost; lower is better."""

    def __init__(self, costs: Any, *, normalized: bool = False) -> None:
        given = costs if hasattr(costs, "classes") else stated_costs(None, costs, [0, 1])
        self.application = as_application(given)
        refuse_paid_errors(self.application)
        classes = self.application.classes
        if list(classes) != sorted(classes, key=lambda name: (str(type(name)), name)):
            raise CostError(
                "boosting libraries number the classes in sorted order, and these costs have "
                f"{listed(list(classes))}.",
                hint="CostMatrix(values, classes=sorted(names)) with rows in that order",
            )
        self.normalized = as_switch(normalized, "normalized")
        self.__name__ = "nec" if normalized else "cost"  # by which the libraries show it

    def _value(self, y_true: Any, posteriors: Any, weight: Any) -> float:
        """The cost of deciding by the posteriors, per case."""
        costs, given = self.application.costs.values, as_reals(y_true, "y_true")
        truth = np.where(np.abs(given) < EXACT, given, -1).astype(np.intp)
        if not np.array_equal(truth, given):
            raise LabelError("labels must be numbered; a boosting library numbers them itself.")
        taken = bayes_decisions(as_reals(posteriors, "posteriors"), costs)
        judged = normalized_expected_cost if self.normalized else expected_cost
        by_position = Application(costs, self.application.priors)
        return float(judged(truth, taken, application=by_position, sample_weight=weight))


class LightGBMCost(_BoostingCost):
    """Expected cost as a metric of LightGBM: ``fit(..., eval_metric=LightGBMCost(costs))``.

    Works with `LGBMClassifier`; labels are numbered in sorted order.

    Parameters
    ----------
    costs : mapping, nested list, CostMatrix or Application
        As in `stakes.evaluate`; ``{"fn": 10, "fp": 1}`` speaks of the greater of two labels.
        Priors of an application weigh the classes.
    normalized : bool
        Divide by the cost of the best naive decision.

    Examples
    --------
    >>> metric = LightGBMCost({"fn": 10, "fp": 1})
    >>> metric([0, 0, 1, 1], [0.05, 0.2, 0.05, 0.8])
    ('cost', 2.75, False)
    """

    def __call__(self, y_true: Any, y_pred: Any, weight: Any = None) -> tuple[str, float, bool]:
        """Its name, its value, and that higher is not better."""
        return self.__name__, self._value(y_true, y_pred, weight), False


class XGBoostCost(_BoostingCost):
    """Expected cost as a metric of XGBoost: ``XGBClassifier(eval_metric=XGBoostCost(costs))``.

    Parameters
    ----------
    costs : mapping, nested list, CostMatrix or Application
        As in `LightGBMCost`.
    normalized : bool
        Divide by the cost of the best naive decision.

    Examples
    --------
    >>> XGBoostCost({"fn": 10, "fp": 1})([0, 0, 1, 1], [0.05, 0.2, 0.05, 0.8])
    2.75
    """

    def __call__(self, y_true: Any, y_score: Any, sample_weight: Any = None) -> float:
        """The cost per case, which XGBoost takes to be better when lower."""
        return self._value(y_true, y_score, sample_weight)


class CatBoostCost(_BoostingCost):
    """Expected cost as a metric of CatBoost, ``CatBoostClassifier(eval_metric=...)``.

    CatBoost hands over log odds, or a logit for each class, and labels numbered in sorted order.

    Parameters
    ----------
    costs : mapping, nested list, CostMatrix or Application
        As in `LightGBMCost`.
    normalized : bool
        Divide by the cost of the best naive decision.

    Examples
    --------
    >>> import numpy as np
    >>> metric, p = CatBoostCost({"fn": 10, "fp": 1}), np.array([0.05, 0.2, 0.05, 0.8])
    >>> metric.evaluate([np.log(p / (1 - p))], [0, 0, 1, 1], None)
    (2.75, 1.0)
    """

    def is_max_optimal(self) -> bool:
        """Whether higher is better: no."""
        return False

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """The cost per case, and 1: CatBoost divides the first by the second."""
        given = np.atleast_2d(as_reals(approxes, "approxes")).T
        logits: FloatArray = given[:, 0] if given.shape[1] == 1 else given
        weights = None if weight is None else as_reals(weight, "weight").reshape(-1)
        weights = weights if weights is not None and weights.size else None
        return self._value(target, Posteriors.from_logits(logits).values, weights), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """The cost per case."""
        return error / weight  # alone: CatBoost compiles it
