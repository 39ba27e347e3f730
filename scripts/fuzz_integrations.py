"""Right arguments for the fuzzer in the rooms that work inside other libraries."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

import stakes

N = 60
_draw = np.random.default_rng(13)
LABELS = np.arange(N) % 2
FEATURES = np.column_stack([_draw.normal(size=N) + LABELS, _draw.normal(size=N)])
COSTS = [[0.0, 1.0], [5.0, 0.0]]
#: The room of each library, and the module that must be installed.
ROOMS = {"boosting": "numpy", "sklearn": "sklearn", "torch": "torch"}


def extras() -> list[str]:
    """Rooms whose library is installed."""
    known = {room for room, need in ROOMS.items() if importlib.util.find_spec(need)}
    return [f"integrations.{room}" for room in sorted(known)]


def integration_values() -> dict[str, Any]:
    """Right arguments by `room.function.parameter`."""
    rooms = extras()
    return {
        **_of_boosting(),
        **(_of_sklearn() if "integrations.sklearn" in rooms else {}),
        **(_of_torch() if "integrations.torch" in rooms else {}),
    }


def integration_instances() -> list[Any]:
    """Things whose methods are called."""
    from stakes.integrations.boosting import CatBoostCost

    rooms, found = extras(), [CatBoostCost(COSTS)]
    if "integrations.sklearn" in rooms:
        found += _sklearn_things()
    if "integrations.torch" in rooms:
        found += _torch_things()
    return found


def _of_boosting() -> dict[str, Any]:
    own = {f"{name}.costs": COSTS for name in ("LightGBMCost", "XGBoostCost", "CatBoostCost")}
    return own | {
        "CatBoostCost.evaluate.approxes": [FEATURES[:, 0]],
        "CatBoostCost.evaluate.target": LABELS,
        "CatBoostCost.evaluate.weight": None,
    }


def _sklearn_things() -> list[Any]:
    from sklearn.linear_model import LogisticRegression

    from stakes.integrations import sklearn as room

    model = LogisticRegression().fit(FEATURES, LABELS)
    p = model.predict_proba(FEATURES)[:, 1]
    return [
        room.BayesDecisionClassifier(model, COSTS).fit(FEATURES, LABELS),
        room.CostWeightedClassifier(model, COSTS).fit(FEATURES, LABELS),
        room.CalibratorTransformer(stakes.calibration.Affine()).fit(FEATURES[:, :1], LABELS),
        room.make_cost_scorer(COSTS),
        room.RocDisplay(stakes.curves.roc(stakes.ScoreCounts.from_scores(LABELS, p, kind="rank"))),
    ]


def _of_sklearn() -> dict[str, Any]:
    model = _sklearn_things()[0].estimator
    own: dict[str, Any] = {}
    for name in ("BayesDecisionClassifier", "CostWeightedClassifier", "CalibratorTransformer"):
        own |= {f"{name}.estimator": model, f"{name}.application": COSTS, f"{name}.costs": COSTS}
        for method in ("fit", "predict", "predict_proba", "expected_costs", "inspect", "score",
                       "transform", "decision_function"):  # fmt: skip
            x = FEATURES[:, :1] if name == "CalibratorTransformer" else FEATURES
            own |= {f"{name}.{method}.{key}": None
                    for key in ("sample_weight", "priors", "costs", "groups")}  # fmt: skip
            own |= {f"{name}.{method}.X": x, f"{name}.{method}.y": LABELS}
    for name in ("Roc", "Det", "PrecisionRecall", "BayesError", "CostCurve", "DecisionCurve",
                 "Reliability"):  # fmt: skip
        own |= {
            f"{name}Display.from_estimator.estimator": model,
            f"{name}Display.from_estimator.X": FEATURES,
            f"{name}Display.from_estimator.y": LABELS,
            f"{name}Display.from_predictions.y_true": LABELS,
            f"{name}Display.from_predictions.scores": model.predict_proba(FEATURES)[:, 1],
            f"{name}Display.from_predictions.kind": "posterior",
        }
        for method in ("from_estimator", "from_predictions", "plot"):
            own |= {f"{name}Display.{method}.sample_weight": None}
    return own | {
        "CalibratorTransformer.calibrator": stakes.calibration.Affine(),
        "CostScorer.decisions.estimator": model,
        "CostScorer.decisions.X": FEATURES,
        "CostScorer.decisions.costs": None,
        "make_cost_scorer.application": COSTS,
    }


def _torch_things() -> list[Any]:
    import torch

    from stakes.integrations import torch as room

    app = stakes.Application(COSTS)
    things: list[Any] = [room.ExpectedCostLoss(app), room.BinaryExpectedCostLoss(app)]
    things += [room.ReweightedLoss("hinge", app, from_priors=[0.5, 0.5])]
    if importlib.util.find_spec("torchmetrics"):
        things += [room.ExpectedCost(app), room.ActualCost(app), room.MinimumCost(app)]
        things += [room.BrierScore(2), room.CrossEntropy(2)]
        for metric in things[3:]:
            one = isinstance(metric, (room.ActualCost, room.MinimumCost))
            posteriors = torch.tensor([[0.9, 0.1], [0.3, 0.7]])
            metric.update(posteriors[:, 1] if one else posteriors, torch.tensor([0, 1]))
    return things


def _of_torch() -> dict[str, Any]:
    import torch

    labels = torch.tensor(LABELS)
    logits = torch.tensor(np.column_stack([-FEATURES[:, 0], FEATURES[:, 0]]))
    posteriors, one = logits.softmax(dim=1), logits[:, 1]
    own: dict[str, Any] = {}
    for name in ("ExpectedCostLoss", "ReweightedLoss", "BinaryExpectedCostLoss"):
        scores = "scores" if name.startswith("Binary") else "logits"
        own |= {
            f"{name}.application": COSTS,
            f"{name}.from_priors": [0.5, 0.5],
            f"{name}.forward.target": labels,
            f"{name}.forward.{scores}": one if scores == "scores" else logits,
            f"{name}.forward.costs": None,
            f"{name}.forward.sample_weight": None,
        }
    for name in ("ExpectedCost", "ActualCost", "MinimumCost", "BrierScore", "CrossEntropy"):
        own |= {f"{name}.update.target": labels, f"{name}.application": COSTS}
        own |= {f"{name}.update.preds": one if "Cost" in name and name[0] != "E" else posteriors}
        own |= {f"{name}.n_classes": 2, f"{name}.priors": [0.5, 0.5]}
    room = "integrations.torch"
    for name in ("bayes_decisions", "confusion_counts", "confusion_matrix"):
        own |= {f"{room}.{name}.posteriors": posteriors, f"{room}.{name}.costs": COSTS}
        own |= {f"{room}.{name}.y_true": labels, f"{room}.{name}.sample_weight": None}
    for name in ("score_counts", "score_bins"):
        own |= {f"{room}.{name}.y_true": labels, f"{room}.{name}.scores": one}
        own |= {f"{room}.{name}.kind": "log_odds", f"{room}.{name}.classes": (0, 1)}
    return own | {
        "ReweightedLoss.kind": "hinge",
        f"{room}.annealed_temperature.step": 1,
        f"{room}.annealed_temperature.steps": 10,
        f"{room}.score_bins.edges": [0.0, 0.5],
        f"{room}.soft_decisions.logits": logits,
        f"{room}.soft_decisions.costs": torch.tensor(COSTS, dtype=torch.float64),
        f"{room}.soft_decisions.offsets": None,
    }
