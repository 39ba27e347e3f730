"""Many classes on the engines: the same counts as in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from frame_cases import kinds

from stakes import Application, CostMatrix, bayes_decisions, evaluate, evaluate_frame
from stakes.engines import Request, reduce_frame
from stakes.exceptions import DataError, LabelError

every_engine = pytest.mark.parametrize("frame", kinds("duckdb", "polars", "polars_lazy"))


def application(n_classes: int, seed: int = 3) -> Application:
    costs = np.random.default_rng(seed).integers(1, 9, (n_classes, n_classes)).astype(float)
    np.fill_diagonal(costs, 0)
    names = [f"c{k:04d}" for k in range(n_classes)]
    return Application(CostMatrix(costs, names, names))


def codes(n_classes: int, seed: int) -> np.ndarray:
    """Places of classes; the last is there, for it makes the largest products."""
    drawn = np.random.default_rng(seed).integers(0, n_classes, 120)
    return np.concatenate(([n_classes - 1, 0], drawn))


def named(app: Application, places: np.ndarray) -> list[Any]:
    return [app.classes[place] for place in places]


def counted(app: Application, truth: np.ndarray, decided: np.ndarray) -> np.ndarray:
    table = np.zeros(app.costs.shape, dtype=np.int64)
    np.add.at(table, (truth, decided), 1)
    return table


@every_engine
@pytest.mark.parametrize("n_classes", [16, 17, 20, 300])
@pytest.mark.parametrize("by_name", [True, False], ids=["names", "positions"])
def test_decisions(frame: Any, n_classes: int, by_name: bool) -> None:
    app = application(n_classes)
    y, d, e = (codes(n_classes, seed) for seed in (5, 6, 7))
    places = {"y": y, "d": d, "e": e}
    rows = {name: named(app, at) if by_name else at.tolist() for name, at in places.items()}
    request = Request("y", {"m": "d", "other": "e"}, applications=app)
    found = reduce_frame(frame(rows), request)
    for model, decided in (("m", d), ("other", e)):
        assert np.array_equal(found.confusion(model).counts, counted(app, y, decided))


@every_engine
@pytest.mark.parametrize("n_classes", [16, 17, 20, 40])
def test_posteriors(frame: Any, n_classes: int) -> None:
    app, y = application(n_classes), codes(n_classes, 5)
    p = np.random.default_rng(8).dirichlet(np.ones(n_classes), len(y))
    columns = {f"p{k}": p[:, k].tolist() for k in range(n_classes)}
    models = {"m": dict(zip(app.classes, columns, strict=True))}
    rows = {"y": named(app, y), **columns}
    found = reduce_frame(frame(rows), Request("y", models, applications=app, proper_scores=True))
    expected = counted(app, y, bayes_decisions(p, app))
    assert np.array_equal(found.confusion().counts, expected)
    brier = ((p - np.eye(n_classes)[y]) ** 2).sum(axis=1).mean()
    assert found.brier_scores().cost() == pytest.approx(brier, rel=1e-12)
    log = -np.log(p[np.arange(len(y)), y]).mean()
    assert found.log_scores().cost() == pytest.approx(log, rel=1e-12)


@every_engine
@pytest.mark.parametrize("n_classes", [16, 40])
def test_rows_without_any_usable_name_are_refused(frame: Any, n_classes: int) -> None:
    app = application(n_classes)
    rows = {n: ["none"] * 3 for n in ("y", "d", "e")}
    request = Request("y", {"m": "d", "other": "e"}, applications=app)
    with pytest.raises(LabelError, match=r"`label` .*'none', not among .*\(3 of 3 rows\)"):
        reduce_frame(frame(rows), request)
    rows = {n: [app.classes[-1], app.classes[0], None] for n in ("y", "d", "e")}
    with pytest.raises(DataError, match=r"`y` has missing values.*\(1 of 3 rows\)"):
        reduce_frame(frame(rows), request)


@every_engine
def test_an_evaluation_is_that_of_memory(frame: Any) -> None:
    costs, y, d = CostMatrix(1 - np.eye(17)), codes(17, 5), codes(17, 6)
    rows = frame({"y": y.tolist(), "d": d.tolist()})
    found = evaluate_frame(rows, label="y", decisions={"m": "d"}, application=costs)
    expected = evaluate(y, {"m": d}, application=costs)
    assert found.models[0].cost == pytest.approx(np.mean(y != d), rel=1e-12)
    assert found.models[0].nec == pytest.approx(expected.models[0].nec, rel=1e-12)


@pytest.mark.parametrize("constructor", kinds("pandas", "polars_lazy", "duckdb"))
def test_doubts_of_any_class_are_seen(constructor: Any) -> None:
    """The last class may be certain in every row where the others are not."""
    columns = {"y": [0, 1, 2, 0] * 5, "w": [1.0, 1.0, 1.0, 0.0] * 5}
    sure = np.eye(3)[columns["y"]]
    doubt = sure.copy()
    doubt[0] = [0.7, 0.3, 0.0]
    unweighed = sure.copy()
    unweighed[3] = [0.6, 0.4, 0.0]
    for name, said in (("sure", sure), ("doubt", doubt), ("unweighed", unweighed)):
        columns |= {f"{name}{k}": said[:, k].tolist() for k in range(3)}
    models = {name: [f"{name}{k}" for k in range(3)] for name in ("sure", "doubt", "unweighed")}
    app = Application(CostMatrix.zero_one(3))
    plain = reduce_frame(constructor(columns), Request("y", models, applications=app))
    assert plain._certain == ["sure"]
    request = Request("y", models, applications=app, sample_weight="w")
    weighed = reduce_frame(constructor(columns), request)
    assert weighed._certain == ["sure", "unweighed"]
    assert (plain + plain)._certain == ["sure"]
