"""Certain scores are decided like their neighbours, also by calibrators that need finite ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from stakes import Application, DecisionRule
from stakes.calibration import (
    Affine,
    Automatic,
    Average,
    CommonCurve,
    Dirichlet,
    Gaussian,
    Matrix,
    StructuredMatrix,
)
from stakes.exceptions import DataError
from stakes.posteriors import Posteriors

APP = Application([[0, 1, 0.2], [10, 0, 0.3]], priors=[0.8, 0.2])
TWO = {
    "gaussian": Gaussian,
    "unequal": lambda: Gaussian(variances="unequal"),
    "t": lambda: Gaussian(tails="t"),
    "matrix": Matrix,
    "dirichlet": Dirichlet,
    "common curve": CommonCurve,
    "structured matrix": StructuredMatrix,
    "affine": Affine,
    "average": lambda: Average([Affine(), Gaussian()]),
    "automatic": lambda: Automatic([Gaussian()], bound=None),
    "bounded": lambda: Gaussian(bound=8.0),
}
THREE = (Matrix, Dirichlet, CommonCurve, StructuredMatrix)


def two(turned=False):
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.25).astype(int)
    odds = rng.normal((-1 if turned else 1) * (4 * y - 2), 1.5)
    return y, 1 / (1 + np.exp(-odds))


def three():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 3
    q = np.exp(rng.normal(2.0 * np.eye(3)[y], 1.0))
    return y, q / q.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("name", TWO)
def test_posteriors_of_0_and_1(name, kind, turned):
    y, p = two(turned)
    calibrator = TWO[name]().fit(Posteriors(p), y)
    rule = DecisionRule(APP, calibrator=calibrator, columns="p", score_type=kind)
    number = np.finfo(kind)
    ends = np.array([0, 0.3, 1], dtype=kind)
    near = np.array([number.smallest_subnormal, 0.3, 1 - number.epsneg], dtype=kind)
    assert rule.positions(ends).tolist() == rule.positions(near).tolist()
    assert [rule.decide_one(x) for x in ends] == rule.decide(ends).tolist()
    table = np.column_stack([1 - ends, ends])
    assert rule.positions(table).tolist() == rule.positions(ends).tolist()
    found, wanted = (
        rule.decide_frame(pd.DataFrame({"p": x}), on_error="column") for x in (ends, near)
    )
    assert found["not_decided"].isna().all()
    assert found["decision"].tolist() == wanted["decision"].tolist() == rule.decide(ends).tolist()
    assert found["expected_cost"].to_numpy() == pytest.approx(
        wanted["expected_cost"].to_numpy(), abs=1e-12
    )


@pytest.mark.parametrize("name", TWO)
def test_infinite_log_odds(name):
    y, p = two()
    odds = np.log(p / (1 - p))
    rule = DecisionRule(APP, scores="log_odds", calibrator=TWO[name]().fit(odds, y), columns="odds")
    ends, near = np.array([-np.inf, 0.5, np.inf]), np.array([-1e100, 0.5, 1e100])
    assert rule.positions(ends).tolist() == rule.positions(near).tolist()
    found, wanted = (
        rule.decide_frame(pd.DataFrame({"odds": x}), on_error="column") for x in (ends, near)
    )
    assert found["not_decided"].isna().all()
    assert found["decision"].tolist() == wanted["decision"].tolist() == rule.decide(ends).tolist()
    assert found["expected_cost"].tolist() == pytest.approx(wanted["expected_cost"].tolist())


@pytest.mark.parametrize("kind", THREE)
def test_posteriors_of_0_among_three_classes(kind):
    y, p = three()
    calibrator = kind().fit(Posteriors(p), y)
    costs = np.array([[0, 1, 5], [2, 0, 1], [9, 3, 0]])
    rule = DecisionRule(Application(costs), calibrator=calibrator, columns=list("abc"))
    ends = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0.5, 0.5], [0.2, 0, 0.8]])
    near = Posteriors.from_log_posteriors(np.log(np.where(ends == 0, 5e-324, ends)))
    expected = calibrator.posteriors(near) @ costs
    best = expected.argmin(axis=1)
    assert rule.positions(ends).tolist() == best.tolist()
    found = rule.decide_frame(pd.DataFrame(ends, columns=list("abc")), on_error="column")
    assert found["not_decided"].isna().all()
    assert found["decision"].tolist() == best.tolist()
    assert found["expected_cost"].tolist() == pytest.approx(expected.min(axis=1).tolist())


def test_the_calibrator_itself_still_refuses_them():
    y, p = two()
    with pytest.raises(DataError, match="must be finite; they are not in row 1"):
        Gaussian().fit(Posteriors(p), y).posteriors(Posteriors([0.5, 1.0]))
