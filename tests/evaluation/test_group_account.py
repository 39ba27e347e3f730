"""Groups that an engine counted: re-calibrated models decide by group as in all bins together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stakes import Application, CostMatrix
from stakes.engines import Request
from stakes.evaluation import evaluate, evaluate_frame
from stakes.evaluation.far.group_account import GroupedReduction, reduce_groups
from stakes.evaluation.reduction_account import evaluated_reduction
from stakes.metrics import normalized_expected_cost

pl = pytest.importorskip("polars", reason="one of the frames")

OPTIONS = {"level": 0.95, "rng": 0, "min_cases": 20}
ASK = CostMatrix([[0, 1, 0.3], [10, 0, 0.3]], classes=[0, 1], decisions=[0, 1, "ask"])


def rows(seed: int, n: int = 3_000) -> dict[str, Any]:
    """Two models of groups of some twenty cases, in slices of which one has no name."""
    rng = np.random.default_rng(seed)
    who = rng.integers(0, 150, n)
    y = rng.random(n) < 0.1 + 0.4 * (who % 7 == 0)
    odds = rng.normal(2.4 * y - 2.6, 1.5) + 0.5 * (who % 5)
    return {
        "y": y.astype(int),
        "sure": 1 / (1 + np.exp(-2 * odds)),
        "mild": 1 - 1 / (1 + np.exp(-0.5 * (odds + rng.normal(0, 1, n)))),
        "part": [["a", "b", None][k] for k in rng.integers(0, 3, n)],
        "who": who,
        "w": rng.integers(0, 3, n).astype(float),
    }


@pytest.mark.parametrize(("frame", "weight"), [("polars", "w"), ("duckdb", None)])
def test_counts_by_group_come_to_the_recalibrated_cost(frame: str, weight: str | None) -> None:
    table = pl.DataFrame(rows(3)).with_columns(mild_other=1 - pl.col("mild"))
    held: Any = table.lazy()
    if frame == "duckdb":
        duckdb = pytest.importorskip("duckdb", reason="one of the frames")
        held = duckdb.from_arrow(table.to_arrow())
    apps = {
        "ask": Application(ASK),
        "rare": Application([[0, 1], [10, 0]], priors=[0.97, 0.03]),
    }
    models = {"sure": "sure", "mild": {1: "mild_other", 0: "mild"}}
    request = Request(
        "y", models, applications=apps, bins=4096, by="part", sample_weight=weight,
        from_priors=[0.8, 0.2],
    )  # fmt: skip
    found = reduce_groups(held, request, "who", keep_missing=True)
    assert set(found.slices) == {("a",), ("b",), (None,)}
    for name, app in apps.items():
        ev = evaluated_reduction(found, name, options=OPTIONS)
        units = {"": (found, ev)}
        units |= {str(key[0]): (found[key], ev.slices[str(key[0])]) for key in found.slices}
        for part, judged in units.values():
            assert isinstance(part, GroupedReduction)
            for model in models:
                counts = part.counts_after(name, model).joint.confusion("re-calibrated")
                at = app.with_priors(app.resolved_priors(counts.priors))
                nec = normalized_expected_cost(counts, application=at)
                assert judged[model].recalibrated_nec == pytest.approx(nec, rel=1e-9)
                low, high = judged[model].recalibrated_interval
                assert low < nec < high


@pytest.mark.parametrize("frame", ["pandas", "polars", "duckdb"])
def test_slices_that_are_numbers_or_none_have_intervals_after_recalibrating(frame: str) -> None:
    held = rows(4)
    values = np.array([0.5, 2.0, np.nan])
    held["part"] = values[np.random.default_rng(1).integers(0, 3, len(held["y"]))]
    table: Any = pl.DataFrame(held)
    if frame == "pandas":
        table = pytest.importorskip("pandas", reason="one of the frames").DataFrame(held)
    if frame == "duckdb":
        table = pytest.importorskip("duckdb", reason="a frame").from_arrow(table.to_arrow())
    app = Application([[0, 1], [10, 0]])
    request = Request("y", {"sure": "sure"}, applications=app, bins=4096, by="part")
    found = reduce_groups(table, request, "who", keep_missing=True)
    ev = evaluated_reduction(found, options=OPTIONS)
    assert set(ev.slices) == {"0.5", "2.0", "None"}
    for part in (ev, *ev.slices.values()):
        low, high = part["sure"].recalibrated_interval
        assert low < part["sure"].recalibrated_nec < high


def test_groups_of_three_classes_are_recalibrated_as_in_memory() -> None:
    rng = np.random.default_rng(5)
    y, who = rng.integers(0, 3, 1_500), rng.integers(0, 60, 1_500)
    odds = rng.normal(0, 1, (1_500, 3)) + 1.5 * np.eye(3)[y] + 0.3 * np.eye(3)[who % 3]
    p = np.exp(2 * odds)
    p /= p.sum(axis=1, keepdims=True)
    app = Application([[0, 1, 5], [2, 0, 5], [9, 9, 0]])
    here = evaluate(y, {"m": p}, application=app, groups=who)
    frame = pl.DataFrame({"y": y, "who": who, **{f"p{k}": p[:, k] for k in range(3)}})
    said = {"m": ["p0", "p1", "p2"]}
    there = evaluate_frame(frame, label="y", posteriors=said, application=app, groups="who")
    for name in ("nec", "interval", "recalibrated_nec", "recalibrated_interval"):
        assert getattr(there["m"], name) == pytest.approx(getattr(here["m"], name), rel=1e-12)
    ends = [(ev.worth.value, ev.worth.low, ev.worth.high) for ev in (here, there)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-12)
    assert here.absent == there.absent
