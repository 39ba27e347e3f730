"""Rows that leave only classes with a prior of 0 possible are decided nowhere, and alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from stakes import Application, DecisionRule, Posteriors
from stakes.calibration import (
    Affine,
    Automatic,
    Constant,
    Dirichlet,
    Isotonic,
    Matrix,
    Temperature,
    Vector,
)
from stakes.exceptions import PosteriorError, StakesError

COSTS = 1 - np.eye(3)
APP = Application(COSTS, priors=[0.5, 0.5, 0])
#: Rows of three classes, and which of them leave only the third one possible.
ROWS = np.array([[0, 0, 1], [0.3, 0.3, 0.4], [1, 0, 0], [0, 1, 0], [0, 0.01, 0.99], [1e-9, 0, 1]])
LOST = [0]
LOGITS = np.array([[-np.inf, -np.inf, 1], [0, 0.3, 0.4], [0, -np.inf, -np.inf], [0, 0, np.inf]])
LOST_LOGITS = [0, 3]
FORMULA = [None, *(lambda k=k, b=b: k(bound=b) for k in (Affine, Temperature, Vector)
                   for b in (None, "data"))]  # fmt: skip
OTHERS = [lambda k=k, b=b: k(bound=b) for k in (Isotonic, Constant, Automatic, Matrix, Dirichlet)
          for b in (None, "data")]  # fmt: skip


def cases():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 3
    return y, rng.normal(2.0 * np.eye(3)[y], 1.0)


def rule_of(make, scores):
    y, logits = cases()
    if make is None:
        known = {"scores": scores, "from_priors": [1 / 3] * 3}
    else:
        told = Posteriors.from_logits(logits).values if scores == "posterior" else logits
        fitted = make().fit(Posteriors(told) if scores == "posterior" else told, y)
        known = {"scores": scores, "calibrator": fitted}
    return DecisionRule(APP, columns=list("abc"), **known)


def by_array(rule, rows):
    """Decisions row by row; None for those that are refused."""
    found = []
    for row in rows:
        try:
            found.append(int(rule.positions(row[None])[0]))
        except PosteriorError:
            found.append(None)
    return found


def by_frame(rule, frame):
    found = rule.decide_frame(frame, on_error="column")
    found = found if isinstance(found, pd.DataFrame) else found.to_df()
    lost = found["not_decided"] == "only classes with a prior of 0"
    assert found["decision"].isna().tolist() == lost.tolist()
    return [None if bad else int(k) for k, bad in zip(found["decision"], lost, strict=True)]


@pytest.mark.parametrize("scores", ["posterior", "log_odds", "llr"])
@pytest.mark.parametrize("make", [*FORMULA, *OTHERS])
def test_arrays_single_cases_and_frames(make, scores):
    rule = rule_of(make, scores)
    rows, lost = (ROWS, LOST) if scores == "posterior" else (LOGITS, LOST_LOGITS)
    found = by_array(rule, rows)
    assert [k for k, one in enumerate(found) if one is None] == lost
    assert all(one in (0, 1) for k, one in enumerate(found) if k not in lost)
    assert by_frame(rule, pd.DataFrame(rows, columns=list("abc"))) == found
    frame = pd.DataFrame(rows[1:3], columns=list("abc"))
    assert rule.positions(frame).tolist() == found[1:3]
    for row, one in zip(rows, found, strict=True):
        for case in (row.tolist(), dict(zip("abc", row.tolist(), strict=True))):
            if one is None:
                with pytest.raises(StakesError):
                    rule.decide_one(case)
            else:
                assert rule.decide_one(case) == one
    with pytest.raises(
        PosteriorError, match=rf"row 0 leaves only 2 .*\({len(lost)} of {len(rows)}"
    ):
        rule.decide(rows)


@pytest.mark.parametrize("scores", ["posterior", "log_odds", "llr"])
@pytest.mark.parametrize("make", FORMULA)
def test_engines(make, scores):
    rule = rule_of(make, scores)
    rows = ROWS if scores == "posterior" else LOGITS
    wanted = by_array(rule, rows)
    frame = pd.DataFrame(rows, columns=list("abc"))
    duckdb = pytest.importorskip("duckdb", reason="an engine")
    con = duckdb.connect()
    con.register("cases", frame)
    told = con.sql(f"SELECT {rule.to_sql()} FROM cases").fetchall()
    assert [one for (one,) in told] == wanted
    assert by_frame(rule, con.sql("SELECT * FROM cases")) == wanted
    polars = pytest.importorskip("polars", reason="lazy frames")
    lazy = rule.decide_frame(polars.from_pandas(frame).lazy(), on_error="column").collect()
    assert lazy["decision"].to_list() == wanted
    runtime = pytest.importorskip("onnxruntime", reason="a runtime")
    pytest.importorskip("onnx", reason="needs ONNX")
    session = runtime.InferenceSession(rule.to_onnx().SerializeToString())
    (taken,) = session.run(["decision"], {"scores": rows})
    assert [None if one < 0 else int(one) for one in taken] == wanted


def test_a_map_that_leaves_only_such_a_class_is_a_reason_too():
    y, logits = cases()
    p = Posteriors.from_logits(logits).values
    fitted = Isotonic(misleading=0).fit(Posteriors(p), y)
    rule = DecisionRule(APP, calibrator=fitted, columns=list("abc"))
    lost = (fitted.posteriors(Posteriors(ROWS))[:, :2] == 0).all(axis=1) | (ROWS[:, 2] == 1)
    assert lost.tolist() == [True, False, False, False, True, True]
    found = by_frame(rule, pd.DataFrame(ROWS, columns=list("abc")))
    assert [one is None for one in found] == lost.tolist()
    assert by_array(rule, ROWS) == found


def test_of_two_classes_the_other_is_certain_also_case_by_case():
    app = Application([[0, 1], [10, 0]], priors=[1, 0])
    for scores, given in (("log_odds", [0.0, 800.0, np.inf]), ("llr", [0.0, 800.0, np.inf])):
        rule = DecisionRule(app, scores=scores, from_priors=[0.5, 0.5], per_case=True)
        costs = np.stack([[[3.0, 1.0], [0.0, 5.0]]] * 3)  # of the first class: 1 beats 3
        assert rule.positions(given, costs=costs).tolist() == [1, 1, 1]
