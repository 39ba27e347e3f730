"""Rows in memory come to the same reduction as the same rows in an engine."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix
from stakes.engines import Request, reduce_frame
from stakes.engines.array_reduction import MOST_COMPARED, reduce_arrays, reduce_confusions
from stakes.exceptions import UndefinedError

APP = Application(CostMatrix([[0, 1], [8, 0]], classes=["no", "yes"], decisions=["wait", "act"]))


def decided(n: int = 400, models: int = 2):
    rng = np.random.default_rng(4)
    truth = (rng.random(n) < 0.3).astype(int)
    codes = {f"m{k}": np.where(rng.random(n) < 0.2, 1 - truth, truth) for k in range(models)}
    weights = rng.random(n) * (rng.random(n) < 0.9)
    return truth, codes, weights


def far(truth, codes, weights=None):
    polars = pytest.importorskip("polars", reason="pip install polars")
    columns = {"y": truth, **codes} | ({} if weights is None else {"w": weights})
    request = Request(
        "y", {name: name for name in codes}, applications=APP,
        sample_weight=None if weights is None else "w",
    )  # fmt: skip
    return reduce_frame(polars.DataFrame(columns), request)


def near(truth, codes, weights=None):
    kinds = dict.fromkeys(codes, "decisions")
    return reduce_arrays(truth, codes, APP, kinds=kinds, sample_weight=weights)


def test_counts():
    truth, codes, _ = decided()
    one, two = near(truth, codes), far(truth, codes)
    for name in codes:
        assert one.confusion(name) == two.confusion(name)
    assert one.paired().cells.tolist() == two.paired().cells.tolist()
    assert one.paired().counts.tolist() == two.paired().counts.tolist()
    assert one.n_rows == two.n_rows == 400
    assert one.class_totals.tolist() == two.class_totals.tolist()
    assert one.kinds == two.kinds


def test_weights():
    truth, codes, weights = decided()
    one, two = near(truth, codes, weights), far(truth, codes, weights)
    for name in codes:
        counts = one.confusion(name).counts
        assert counts == pytest.approx(two.confusion(name).counts, rel=1e-12)
    assert one.rows_by_class.tolist() == two.rows_by_class.tolist()
    assert one.n_rows == int((weights > 0).sum())
    with pytest.raises(UndefinedError, match="but not their squares"):
        one.weighted(model="m0")


def test_models_that_nobody_compares_are_counted_apart():
    truth, codes, _ = decided(models=MOST_COMPARED + 1)
    with pytest.raises(UndefinedError, match="counted separately"):
        near(truth, codes).paired()


def test_confusion_matrices():
    names = {"classes": ["no", "yes"], "decisions": ["wait", "act"]}
    tables = {"a": ConfusionMatrix([[8, 2], [1, 3]], **names)}
    tables["b"] = ConfusionMatrix([[4.5, 0.5], [2, 3]], **names)
    found = reduce_confusions(tables, APP)
    assert {name: found.confusion(name) for name in tables} == tables
    assert found.class_totals.tolist() == [10, 4]
