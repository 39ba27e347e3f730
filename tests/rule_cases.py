"""Rules of every kind with scores that touch their cuts, for whoever decides them elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes import Application, CostMatrix, DecisionRule
from stakes.calibration import Affine, Isotonic, Logistic, Smooth, Temperature, Vector
from stakes.posteriors import Posteriors

TWO = CostMatrix([[0, 1], [10, 0]], classes=["stay", "it's \\ gone"], decisions=["wait", "it's"])
APP = Application(TWO, priors=[0.9, 0.1])
ASK = Application(
    CostMatrix([[0, 1, 0.2], [10, 0, 0.3]], classes=["no", "yes"], decisions=["no", "yes", "ask"]),
    priors=[0.9, 0.1],
)
PETS = Application(
    CostMatrix(
        [[0, 1, 20, 2], [1, 0, 20, 2], [100, 100, 0, 2]],
        classes=["cat", "dog", "fox"], decisions=["cat", "dog", "fox", "ask"],
    ),
    priors=[0.5, 0.3, 0.2],
)  # fmt: skip


def two(seed: int = 0, n: int = 400) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return y, 1 / (1 + np.exp(-rng.normal(1.5 * (2 * y - 1), 2.0)))


def three(seed: int = 1, n: int = 600) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    logits = rng.normal(0, 1, (n, 3)) + 2 * np.eye(3)[y]
    return y, np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)


def one_cut() -> dict[str, DecisionRule]:
    """Rules that compare one column with cuts."""
    y, p = two()
    odds = np.log(p / (1 - p))
    told = Posteriors(p)
    return {
        "as it is": DecisionRule(APP, columns="p"),
        "moved": DecisionRule(APP, from_priors=[0.7, 0.3], columns="p"),
        "three decisions": DecisionRule(ASK, columns="p"),
        "float32": DecisionRule(APP, score_type="float32", columns="p"),
        "affine": DecisionRule(APP, calibrator=Affine(bound="data").fit(told, y), columns="p"),
        "affine, three": DecisionRule(ASK, calibrator=Affine().fit(told, y), columns="p"),
        "isotonic": DecisionRule(APP, calibrator=Isotonic().fit(told, y), columns="p"),
        "smooth": DecisionRule(APP, calibrator=Smooth().fit(told, y), columns="p"),
        "log odds": DecisionRule(APP, scores="log_odds", columns="p"),
        "llr": DecisionRule(APP, scores="llr", columns="p"),
        "calibrated llr": DecisionRule(
            APP, scores="llr", calibrator=Logistic().fit(odds, y), columns="p"
        ),
        "rank": DecisionRule(APP, scores="rank", cut=0.1 + 0.2, columns="p"),
        "always": DecisionRule(Application([[0, 1], [0, 1]]), columns="p"),
        "from the step on": DecisionRule(Application([[1, 0], [0, 1]]), columns="p"),
    }


def by_arithmetic() -> dict[str, DecisionRule]:
    """Rules that compare sums."""
    y, p = three()
    columns, told = ("a", "b", "c"), Posteriors(p)
    return {
        "pets": DecisionRule(PETS, columns=columns),
        "pets moved": DecisionRule(PETS, from_priors=[0.2, 0.3, 0.5], columns=columns),
        "pets affine": DecisionRule(PETS, calibrator=Affine(bound="data").fit(told, y),
                                    columns=columns),
        "pets temperature": DecisionRule(PETS, calibrator=Temperature().fit(told, y),
                                         columns=columns),
        "pets vector": DecisionRule(PETS, calibrator=Vector(bound=20).fit(told, y),
                                    columns=columns),
        "pets logits": DecisionRule(PETS, scores="log_odds", columns=columns),
    }  # fmt: skip


def per_case() -> DecisionRule:
    return DecisionRule(
        APP, per_case=True, columns="p", case_costs=[["0", "2 + 0.05*amount"], ["0.75*amount", "1"]]
    )


def scores_for(rule: DecisionRule, n: int, seed: int = 5) -> Any:
    """Scores of one column: some random, some at a cut and beside it, the ends."""
    rng = np.random.default_rng(seed)
    at = np.array(rule.raw_cuts()[0], dtype=rule.score_type)
    near = [at, np.nextafter(at, at.dtype.type(-9)), np.nextafter(at, at.dtype.type(9))]
    if rule.scores == "posterior":
        random, ends = rng.beta(0.6, 0.6, n), [0.0, 1.0, 1e-300, 0.5]
    else:
        random, ends = rng.normal(0, 4, n), [-700.0, 700.0, 0.0]
    return np.concatenate([random.astype(at.dtype), np.array(ends, dtype=at.dtype), *near])


def posteriors_for(n: int, k: int = 3, seed: int = 6) -> Any:
    """Rows of posteriors: some random, some that tie, some certain."""
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.full(k, 0.5), n)
    tied = np.vstack([np.eye(k), np.full((1, k), 1 / k)])
    return np.vstack([rows, tied])
