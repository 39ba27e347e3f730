"""The worked examples of the slides: rain, three classes, detection costs and effective priors."""

from __future__ import annotations

import numpy as np

from stakes import (
    Application,
    ConfusionMatrix,
    CostMatrix,
    bayes_decisions,
    normalized_expected_cost,
)
from stakes.metrics import accuracy, cost_by_cell, detection_cost, error_rate
from stakes.papers.items import Cell, Claim, Context, Item, Outcome

# The slides put predictions in rows; transposed here, rows are true classes.
_RAIN = ConfusionMatrix(
    np.array([[15, 30], [20, 300]]).T, classes=["rain", "clear"], decisions=["rain", "clear"]
)
_DRY = ConfusionMatrix([[0, 35], [0, 330]], classes=["rain", "clear"])
COSTS = CostMatrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
PRIORS = (0.3, 0.4, 0.3)
_POSTERIORS = ((0.40, 0.25, 0.35),)
_OUTCOMES = ConfusionMatrix(np.array([[205, 111, 56], [145, 199, 121], [50, 92, 225]]).T)
_WORKING_POINTS = ((0.05, 10, 1), (0.01, 1, 1), (0.5, 1, 10), (0.9, 2, 5))


def _compute(_: Context) -> Outcome:
    """Every number of the slides, and the identities they derive."""
    cells = [*_rain(), *_three_classes()]
    largest, off, naive = _binary()
    identities = (
        ("normalised DCF: application against its effective prior, largest difference", largest),
        ("threshold against minus the log odds of the effective prior, largest difference", off),
        ("normalised DCF of the better dummy system, minus 1", naive),
        ("rain: error rate minus DCF of (N_T/N, 1, 1)",
         error_rate(_RAIN) - detection_cost(_RAIN, prior=35 / 365, positive="rain")),
        ("rain: mean of the two error rates minus DCF of (1/2, 1, 1)",
         (20 / 35 + 30 / 330) / 2 - detection_cost(_RAIN, prior=0.5, positive="rain")),
    )  # fmt: skip
    cells += [
        Cell(name, 0.0, float(value), 1e-12, "identity", source="equality")
        for name, value in identities
    ]
    claims = (
        Claim(
            "An application (prior, cost of a miss, cost of a false alarm) and (effective prior, "
            "1, 1) have the same decisions and the same normalised DCF.",
            max(abs(largest), abs(off)) < 1e-12,
            f"Largest difference at {len(_WORKING_POINTS)} working points: {largest:.1e}.",
        ),
        Claim(
            "Accuracy can mislead: a model that always predicts clear beats the rain forecast.",
            accuracy(_DRY) > accuracy(_RAIN),
            f"Accuracies {accuracy(_DRY):.4f} and {accuracy(_RAIN):.4f}; when misses and false "
            "alarms weigh alike by rates (prior 1/2), normalised costs "
            f"{detection_cost(_DRY, prior=0.5, positive='rain', normalized=True):.3f} and "
            f"{detection_cost(_RAIN, prior=0.5, positive='rain', normalized=True):.3f}.",
        ),
    )
    return Outcome(tuple(cells), claims=claims)


def _rain() -> list[Cell]:
    """The rain forecast of one year."""
    miss, false_alarm = _RAIN.rates[0, 1], _RAIN.rates[1, 0]
    return [
        Cell("rain: accuracy", 0.86, accuracy(_RAIN), 0.005, note="315 of 365 days"),
        Cell("rain: accuracy times 365", 315, 365 * accuracy(_RAIN), 1e-9, source="again"),
        Cell("rain: accuracy of always predicting clear", 0.90, accuracy(_DRY), 0.005),
        Cell("rain: false negative rate", None, float(miss), 5e-4, note="20 of 35"),
        Cell("rain: false positive rate", None, float(false_alarm), 5e-4, note="30 of 330"),
    ]


def _three_classes() -> list[Cell]:
    """The Bayes decision for one case, and the empirical Bayes risk of many."""
    expected = np.asarray(_POSTERIORS) @ COSTS.values
    decision, cost = bayes_decisions(_POSTERIORS, COSTS, with_cost=True)
    app = Application(COSTS, priors=PRIORS)
    shares = cost_by_cell(_OUTCOMES, app)
    by_class = shares.costs.reshape(3, 3).sum(axis=1)
    cells = [
        Cell(f"three classes: expected cost of predicting {k + 1}", printed, float(ours), 0.005)
        for k, (printed, ours) in enumerate(zip((0.95, 0.75, 1.05), expected[0], strict=True))
    ]
    cells += [
        Cell("three classes: Bayes decision", 2, float(decision[0] + 1)),
        Cell("three classes: its expected cost", 0.75, float(cost[0]), 0.005, source="again"),
    ]
    cells += [
        Cell(f"empirical Bayes risk: part of class {k + 1}", printed, float(ours), 5e-6)
        for k, (printed, ours) in enumerate(zip((0.18375, 0.20199, 0.17388), by_class, strict=True))
    ]
    normalised = normalized_expected_cost(_OUTCOMES, application=app)
    cells += [
        Cell("empirical Bayes risk", 0.55962, shares.total, 5e-6),
        Cell("empirical Bayes risk, normalised by the best dummy system", None, normalised, 5e-5),
    ]
    return cells


def _binary() -> tuple[float, float, float]:
    """Largest departures from the identities of binary working points."""
    matrix, reject = ConfusionMatrix([[80, 20], [5, 45]]), ConfusionMatrix([[100, 0], [50, 0]])
    accept = ConfusionMatrix([[0, 100], [0, 50]])
    costs, thresholds, dummies = [], [], []
    for prior, miss, false_alarm in _WORKING_POINTS:
        app = Application(
            CostMatrix.binary(false_positive=false_alarm, false_negative=miss),
            priors=[1 - prior, prior],
        )
        effective = app.effective_prior
        whole = detection_cost(matrix, prior=prior, miss=miss, false_alarm=false_alarm,
                               normalized=True)  # fmt: skip
        costs.append(whole - detection_cost(matrix, prior=effective, normalized=True))
        thresholds.append(app.llr_threshold + np.log(effective / (1 - effective)))
        dummies.append(
            min(
                detection_cost(dummy, prior=prior, miss=miss, false_alarm=false_alarm,
                               normalized=True)
                for dummy in (accept, reject)
            ) - 1
        )  # fmt: skip
    return tuple(float(max(values, key=abs)) for values in (costs, thresholds, dummies))  # type: ignore[return-value]


EXAMPLES = Item("examples", "Worked examples of the slides", _compute, seconds=0.1)
