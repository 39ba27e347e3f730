"""The same cases near, far and as counts: figures agree, or are absent with a reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stakes
from stakes import Application, CaseCosts, CostMatrix
from stakes.messages.notes import codes

COSTS = CostMatrix([[0, 1], [8, 0]], classes=["no", "yes"], decisions=["wait", "act"])
MANY = CostMatrix([[0, 1, 2], [3, 0, 1], [9, 4, 0]], classes=["low", "mid", "top"])
APP = Application(COSTS)
FIGURES = ("interval", "threshold", "recalibrated_nec", "optimistic_nec")


def drawn(n: int = 900) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(2)
    y = (rng.random(n) < 0.2).astype(int)
    return y, {name: 1 / (1 + 4 * np.exp(-rng.normal(s * (y - 0.5), 1))) for name, s in
               (("sharp", 3.0), ("blunt", 1.0))}  # fmt: skip


def near(**options: Any) -> Any:
    y, models = drawn()
    return stakes.evaluate(y, models, application=APP, rng=0, **options)


def far(**options: Any) -> Any:
    polars = pytest.importorskip("polars", reason="pip install polars")
    y, models = drawn()
    frame = polars.DataFrame({"y": y, **models, "amount": 5 + y})
    options = {"posteriors": {name: name for name in models}, "application": APP} | options
    return stakes.evaluate_frame(frame, label="y", rng=0, **options)


def by_case() -> Any:
    y, models = drawn()
    costs = CaseCosts.binary(
        false_positive=np.ones(y.size), false_negative=5.0 + y, classes=COSTS.classes,
        decisions=COSTS.decisions,
    )  # fmt: skip
    return stakes.evaluate(y, models, application=APP, case_costs=costs, rng=0)


def counted(**options: Any) -> Any:
    tables = {model.name: model.confusion for model in near(recalibrate=False).models}
    return stakes.evaluate(None, tables, application=APP, rng=0, **options)


def three() -> Any:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 300)
    return stakes.evaluate(y, {"m": rng.dirichlet([1, 1, 1], 300)}, application=MANY,
                           classes=MANY.classes, rng=0)  # fmt: skip


REASONS = {
    "rows": (near, {}),
    "rows as they are": (lambda: near(recalibrate=False), {"recalibrated_nec": "not-asked"}),
    "rows in an engine": (far, {}),
    "decisions in an engine alone": (
        lambda: far(bins=0),
        {
            "recalibrated_nec": "recalibration-needs-rows",
            "optimistic_nec": "optimistic-needs-bins",
            "ranges": "ranges-need-rows",
        },
    ),
    "one model in bins": (
        lambda: far(posteriors="sharp", bins=256),
        {"comparison": "one-model"},
    ),
    "confusion matrices": (
        counted,
        {
            "threshold": "counts-only",
            "recalibrated_nec": "counts-only",
            "optimistic_nec": "counts-only",
            "comparison": "cases-unshared",
        },
    ),
    "costs per case": (
        by_case,
        dict.fromkeys(("recalibrated_nec", "optimistic_nec", "ranges"), "costs-per-case"),
    ),
    "costs per case in an engine": (
        lambda: far(case_costs={"fp": 1, "fn": "amount"}),
        {
            "recalibrated_nec": "costs-per-case",
            "optimistic_nec": "costs-per-case",
            "ranges": "costs-per-case",
            "sliders": "case-sliders-need-rows",
        },
    ),
    "three classes": (
        three,
        {
            "threshold": "two-classes-only",
            "optimistic_nec": "two-classes-only",
            "comparison": "one-model",
            "ranges": "two-classes-only",
        },
    ),
    "few cases": (
        lambda: counted(min_cases=10_000),
        {
            "interval": "too-few-cases",
            "threshold": "counts-only",
            "recalibrated_nec": "counts-only",
            "optimistic_nec": "counts-only",
            "comparison": "cases-unshared",
        },
    ),
}


@pytest.mark.parametrize("kind", REASONS)
def test_what_is_absent_has_a_reason(kind: str) -> None:
    made, expected = REASONS[kind]
    ev = made()
    assert ev.absent == expected
    assert set(ev.absent.values()) <= set(codes())
    for figure in FIGURES:
        there = any(getattr(model, figure) is not None for model in ev.models)
        assert there == (figure not in ev.absent)
    assert (ev.comparison is None) == ("comparison" in ev.absent)


def test_near_far_and_counted_agree() -> None:
    one, two, three = near(recalibrate=False), far(), counted()
    for name in one:
        figures = {(ev[name].cost, ev[name].nec, ev[name].interval) for ev in (one, two, three)}
        assert len(figures) == 1
        assert one[name].probability_best == two[name].probability_best
    assert one.verdict == two.verdict
    assert one.verdict == three.verdict.replace("sharp.", f"sharp at {one['sharp'].rule}.", 1)


def test_slices_in_one_order() -> None:
    y, models = drawn()
    parts = np.resize([10, 9, 2], y.size)
    expected = ["2", "9", "10"]
    for by in (parts, parts.astype(str)):
        ev = stakes.evaluate(y, models, application=APP, by=by, recalibrate=False, rng=0)
        assert list(ev.slices) == expected
    polars = pytest.importorskip("polars", reason="pip install polars")
    for by in (parts, parts.astype(str)):
        frame = polars.DataFrame({"y": y, "p": models["sharp"], "by": by})
        ev = stakes.evaluate_frame(frame, label="y", posteriors="p", application=APP, by="by")
        assert list(ev.slices) == expected
    words = np.resize(["west", "10", "east"], y.size)
    ev = stakes.evaluate(y, models, application=APP, by=words, recalibrate=False, rng=0)
    assert list(ev.slices) == ["10", "east", "west"]


def test_a_class_that_is_missing_is_refused_alike() -> None:
    polars = pytest.importorskip("polars", reason="pip install polars")
    app, p = Application(COSTS, priors=[0.9, 0.1]), np.linspace(0.01, 0.9, 50)
    frame = polars.DataFrame({"y": np.zeros(50, dtype=int), "p": p})
    with pytest.raises(stakes.exceptions.DataError) as near_error:
        stakes.evaluate(np.zeros(50, dtype=int), {"m": p}, application=app)
    with pytest.raises(stakes.exceptions.DataError) as far_error:
        stakes.evaluate_frame(frame, label="y", posteriors={"m": "p"}, application=app)
    assert str(near_error.value) == str(far_error.value)
