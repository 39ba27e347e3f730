"""Decisions as expressions are those of `bayes_decisions`, in the type of the columns."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from frame_cases import kinds

from stakes import Application, ConfusionMatrix, CostMatrix, Posteriors, bayes_decisions
from stakes.engines import Request, reduce_frame
from stakes.exceptions import PosteriorError, UndefinedError
from stakes.metrics import at_bayes_threshold

pa = pytest.importorskip("pyarrow", reason="pip install pyarrow")
engines = pytest.mark.parametrize("frame", kinds("pyarrow", "polars", "duckdb"))


def drawn(n_classes: int, kind: Any, n: int = 400) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(n_classes)
    whole = rng.multinomial(20, np.ones(n_classes) / n_classes, n)  # twentieths: many ties
    posteriors = (whole / 20).astype(kind)
    columns = {f"p{k}": posteriors[:, k] for k in range(n_classes)}
    return {"y": rng.integers(0, n_classes, n), **columns}, posteriors


def counted(y: Any, codes: Any, app: Application) -> ConfusionMatrix:
    decided = [app.decisions[k] for k in codes]
    return ConfusionMatrix.from_decisions(
        y, decided, classes=app.classes, decision_names=app.decisions
    )


@engines
class TestBayesRule:
    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    @pytest.mark.parametrize("n_classes", [2, 3, 12])
    def test_any_costs(self, frame: Any, n_classes: int, kind: Any) -> None:
        rng = np.random.default_rng(n_classes)
        names = list(range(n_classes))
        costs = rng.integers(0, 5, (n_classes, n_classes + 1)) / 4
        app = Application(CostMatrix(costs, names, [*names, "ask"]))
        rows, posteriors = drawn(n_classes, kind)
        columns = [name for name in rows if name != "y"]
        found = reduce_frame(frame(rows), Request("y", {"m": columns}, applications=app))
        decided = bayes_decisions(posteriors, app)
        assert found.confusion() == counted(rows["y"], decided, app)

    @pytest.mark.parametrize("n_classes", [2, 4])
    def test_posteriors_moved_to_other_priors(self, frame: Any, n_classes: int) -> None:
        rng = np.random.default_rng(9)
        posteriors = rng.dirichlet(np.ones(n_classes), 300)
        priors, said = (rng.dirichlet(np.full(n_classes, 5.0)) for _ in range(2))
        app = Application(rng.random((n_classes, n_classes)), priors=priors)
        rows = {"y": rng.integers(0, n_classes, 300)}
        rows |= {f"p{k}": posteriors[:, k] for k in range(n_classes)}
        request = Request(
            "y", {"m": [c for c in rows if c != "y"]}, applications=app, from_priors=said
        )
        moved = Posteriors(posteriors).with_priors(priors, from_priors=said).values
        expected = counted(rows["y"], bayes_decisions(moved, app), app)
        assert reduce_frame(frame(rows), request).confusion() == expected

    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    @pytest.mark.parametrize("seed", range(4))
    def test_costs_of_any_size(self, frame: Any, seed: int, kind: Any) -> None:
        # as in rational arithmetic wherever the two best are further apart than rounding
        rng = np.random.default_rng(seed)
        n_classes, n_decisions = 3 + 4 * (seed % 2), 4 + 7 * (seed // 2)
        costs = 10 ** rng.uniform(-3, 15, (n_classes, n_decisions))
        costs *= rng.choice([1, 1, -1], costs.shape) if seed else 1
        posteriors = rng.dirichlet(np.full(n_classes, 0.1), 60).astype(kind)
        wanted = [exact_decision(row, costs, 1e-12 if kind == np.float64 else 1e-6)
                  for row in posteriors]  # fmt: skip
        clear = np.array([decision is not None for decision in wanted])
        assert clear.sum() > 40
        rows = {f"p{k}": posteriors[clear, k] for k in range(n_classes)}
        rows |= {"y": np.zeros(clear.sum(), dtype=np.int64)}
        names = [name for name in rows if name != "y"]
        request = Request("y", {"m": names}, applications=Application(CostMatrix(costs)))
        counts = reduce_frame(frame(rows), request).confusion().counts[0]
        expected = np.bincount([d for d in wanted if d is not None], minlength=n_decisions)
        assert counts.tolist() == expected.tolist()

    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    @pytest.mark.parametrize("bins", [0, 256])
    @pytest.mark.parametrize(("alarm", "miss"), [(1, 9), (0.3, 2.7), (3, 7), (0.7, 0.3), (1, 99)])
    def test_scores_at_the_threshold(
        self, frame: Any, alarm: float, miss: float, bins: int, kind: Any
    ) -> None:
        p = (np.arange(1001) / 1000).astype(kind)
        threshold = kind(round(alarm / (alarm + miss), 6))
        rows = {"y": np.zeros(p.shape, dtype=np.int64), "p": p}
        app = Application([[0, alarm], [miss, 0]])
        request = Request("y", {"m": "p"}, applications=app, bins=bins)
        found = reduce_frame(frame(rows), request)
        assert found.confusion().counts[0, 1] == (p > threshold).sum()
        if bins:
            point = at_bayes_threshold(found.score_bins(), app)
            assert point.confusion == found.confusion()


def exact_decision(row: Any, costs: Any, apart: float) -> int | None:
    """In rational arithmetic; None where the two best are not that far apart."""
    met = np.flatnonzero(row)
    p = [Fraction(x) for x in row[met].astype(np.float64).tolist()]
    parts = [
        [x * Fraction(c) for x, c in zip(p, column, strict=True)]
        for column in costs[met].T.tolist()
    ]
    sums, sizes = [sum(part) for part in parts], [sum(map(abs, part)) for part in parts]
    first, second = sorted(range(len(sums)), key=sums.__getitem__)[:2]
    limit = Fraction(apart) * max(sizes[first], sizes[second])
    return first if sums[second] - sums[first] > limit else None


@engines
def test_models_with_too_many_combinations_are_counted_apart(frame: Any) -> None:
    rng = np.random.default_rng(4)
    n_classes = 12
    names = list(range(n_classes))
    app = Application(CostMatrix.zero_one(names))
    rows = {"y": rng.integers(0, n_classes, 50)}
    rows |= {f"d{k}": rng.integers(0, n_classes, 50) for k in range(6)}  # 12^7 combinations
    models = {name: name for name in rows if name != "y"}
    found = reduce_frame(frame(rows), Request("y", models, applications=app))
    for name in models:
        assert found.confusion(name) == counted(rows["y"], rows[name], app)
    with pytest.raises(UndefinedError, match="counted separately"):
        found.paired()


def test_duckdb_keeps_the_settings_of_its_user() -> None:
    duckdb = pytest.importorskip("duckdb", reason="pip install duckdb")
    connection = duckdb.connect(config={"threads": 1})
    setting = "SELECT current_setting('perfect_ht_threshold')"
    before = connection.execute(setting).fetchall()
    relation = connection.sql("SELECT 1 AS y, 0.5::DOUBLE AS p")
    request = Request("y", {"m": "p"}, applications=Application([[0, 1], [1, 0]]), bins=1024)
    assert reduce_frame(relation, request).n_rows == 1
    assert connection.execute(setting).fetchall() == before
    assert connection.execute("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall()[
        0
    ] == (0,)


@pytest.mark.parametrize("frame", kinds("pandas", "polars_lazy", "duckdb"))
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_thousand_classes_with_costs_of_any_size(frame: Any, kind: Any) -> None:
    # a million products for each row: no engine plans that many, so batches are decided in Python
    rng = np.random.default_rng(8)
    costs = 10 ** rng.uniform(-3, 15, (1000, 1000)) * rng.choice([1, 1, 1, -1], (1000, 1000))
    posteriors = np.zeros((4, 1000), dtype=kind)
    for row in posteriors:
        row[rng.choice(1000, 20, replace=False)] = rng.dirichlet(np.full(20, 0.3))
    apart = 1e-12 if kind == np.float64 else 1e-6
    wanted = [exact_decision(row, costs, apart) for row in posteriors]
    assert None not in wanted
    rows = {f"p{k}": posteriors[:, k] for k in range(1000)} | {"y": np.zeros(4, dtype=np.int64)}
    request = Request("y", {"m": list(rows)[:-1]}, applications=CostMatrix(costs))
    counts = reduce_frame(frame(rows), request).confusion().counts[0]
    assert counts.tolist() == np.bincount(wanted, minlength=1000).tolist()


@pytest.mark.parametrize("frame", kinds("pandas", "pyarrow", "polars", "polars_lazy", "duckdb"))
class TestBatches:
    """Many classes whose costs differ: their decisions are made by NumPy, batch by batch."""

    names = tuple(f"^p{k}$" for k in range(50))

    def rows(self, n: int = 30) -> tuple[dict[str, Any], Any]:
        rng = np.random.default_rng(2)
        posteriors = rng.dirichlet(np.full(50, 0.2), n)
        rows = dict(zip(self.names, posteriors.T, strict=True))
        return rows | {"y": rng.integers(0, 50, n), "g": np.arange(n) % 2}, posteriors

    def request(self, costs: Any, **more: Any) -> Request:
        app = Application(CostMatrix(costs), priors=more.pop("priors", None))
        return Request("y", {"m": self.names}, applications=app, **more)

    def test_two_rules_slices_and_priors(self, frame: Any) -> None:
        rng = np.random.default_rng(3)
        rows, posteriors = self.rows()
        said, priors = rng.dirichlet(np.full(50, 5.0), 2)
        costs = [rng.random((50, 50)) for _ in range(2)]
        apps = {name: Application(c, priors=priors) for name, c in zip("ab", costs, strict=True)}
        request = Request("y", {"m": self.names}, applications=apps, from_priors=said, by=["g"])
        found = reduce_frame(frame(rows), request)
        moved = Posteriors(posteriors).with_priors(priors, from_priors=said).values
        for name, app in apps.items():
            decided = bayes_decisions(moved, app)
            assert found.confusion("m", name) == counted(rows["y"], decided, app)
            odd = rows["g"] == 1
            assert found[1].confusion("m", name) == counted(rows["y"][odd], decided[odd], app)

    @pytest.mark.parametrize(("bad", "why"), [(-0.1, "between 0 and 1"), (0.5, "sum to 1")])
    def test_bad_rows_are_refused_by_number(self, frame: Any, bad: float, why: str) -> None:
        rows, _ = self.rows()
        rows[self.names[7]] = rows[self.names[7]].copy()
        rows[self.names[7]][[3, 4]] = bad
        costs = np.random.default_rng(4).random((50, 50))
        with pytest.raises(PosteriorError, match=rf"{why}.*\(2 of 30 rows\)"):
            reduce_frame(frame(rows), self.request(costs))
