"""Rows of infinite logits are decided alike everywhere; those that determine nothing, nowhere."""

from __future__ import annotations

import itertools
import sqlite3

import numpy as np
import pandas as pd
import pytest

from stakes import Application, CostMatrix, DecisionRule, Posteriors
from stakes.calibration import Affine, Temperature, Vector

COSTS = CostMatrix([[0, 1, 5], [2, 0, 1], [9, 3, 0]], classes=list("abc"))
ROWS = np.array(list(itertools.product([-np.inf, -1.5, 0.3, np.inf], repeat=3)))
#: More than one is infinite, or all classes are impossible.
NOTHING = (np.isposinf(ROWS).sum(axis=1) > 1) | np.isneginf(ROWS).all(axis=1)
MADE = [None, *(lambda k=k, b=b: k(bound=b) for k in (Affine, Temperature, Vector)
                for b in (None, "data"))]  # fmt: skip


def rule_of(make, priors):
    calibrator = None
    if make is not None:
        y = np.arange(600) % 3
        logits = np.random.default_rng(0).normal(2.0 * np.eye(3)[y], 1.0)
        calibrator = make().fit(
            Posteriors.from_logits(logits, list("abc")), np.array(list("abc"))[y]
        )
    app = Application(COSTS, priors=priors)
    return DecisionRule(app, scores="log_odds", calibrator=calibrator, columns=list("abc"))


def by_hand(row):
    """The least expected cost where nothing is calibrated or moved."""
    top = row.max()
    p = (row == top) * 1.0 if np.isinf(top) else np.exp(row - top)
    return "abc"[int((p / p.sum() @ COSTS.values).argmin())]


def test_certain_rows_are_those_written_out():
    rule = rule_of(None, None)
    wanted = [by_hand(row) for row in ROWS[~NOTHING]]
    assert [rule.decisions[k] for k in rule.positions(ROWS[~NOTHING])] == wanted


@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
@pytest.mark.parametrize("make", MADE)
def test_everywhere_alike(make, priors):
    rule = rule_of(make, priors)
    wanted = np.full(len(ROWS), None, dtype=object)
    wanted[~NOTHING] = [rule.decisions[k] for k in rule.positions(ROWS[~NOTHING])]
    frame = pd.DataFrame(ROWS, columns=list("abc"))
    decided = rule.decide_frame(frame, on_error="column")
    assert decided["decision"].astype(object).where(~NOTHING, None).tolist() == wanted.tolist()
    why = decided["not_decided"][NOTHING]
    assert set(why) == {"infinite scores that determine no posterior"}
    con = sqlite3.connect(":memory:")
    con.execute("CREATE TABLE t (a REAL, b REAL, c REAL)")
    con.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS.tolist())
    told = con.execute(f"SELECT {rule.to_sql('sqlite')} FROM t").fetchall()
    assert [one for (one,) in told] == wanted.tolist()
    duckdb = pytest.importorskip("duckdb", reason="an engine")
    duck = duckdb.connect()
    duck.register("t", frame)
    told = duck.execute(f"SELECT {rule.to_sql('duckdb')} FROM t").fetchall()
    assert [one for (one,) in told] == wanted.tolist()
    polars = pytest.importorskip("polars", reason="lazy frames")
    lazy = rule.decide_frame(polars.from_pandas(frame).lazy(), on_error="column").collect()
    assert lazy["decision"].to_list() == wanted.tolist()
    assert lazy["not_decided"].is_not_null().to_list() == NOTHING.tolist()
    runtime = pytest.importorskip("onnxruntime", reason="a runtime")
    pytest.importorskip("onnx", reason="needs ONNX")
    session = runtime.InferenceSession(rule.to_onnx().SerializeToString())
    (taken,) = session.run(["name"], {"scores": ROWS})
    assert [one or None for one in taken.tolist()] == wanted.tolist()
