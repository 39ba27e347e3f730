"""`evaluate_frame` against `evaluate`: the same numbers wherever the rows live."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from frame_cases import kinds

import stakes
from stakes import Application, CaseCosts, CostMatrix
from stakes.exceptions import DataError, PriorError, StakesError

pytest.importorskip("pyarrow", reason="pip install pyarrow")

COSTS = CostMatrix([[0, 1], [8, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
evaluate = partial(stakes.evaluate, positive="churn")
evaluate_frame = partial(stakes.evaluate_frame, positive="churn")
frames = pytest.mark.parametrize("frame", kinds("pandas", "polars_lazy", "pyarrow", "duckdb"))


def rows(n: int = 1500) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    y = (rng.random(n) < 0.2).astype(int)
    sharp, blunt = rng.normal(3 * y - 1.5, 1.7), rng.normal(y - 0.5, 1)
    made = {name: 1 / (1 + 4 * np.exp(-s)) for name, s in (("sharp", sharp), ("blunt", blunt))}
    return {
        "y": [COSTS.classes[k] for k in y],
        "region": rng.choice(["north", "south"], n).tolist(),
        "w": rng.random(n).tolist(),
        **{name: p.tolist() for name, p in made.items()},
    }


def close(one: Any, two: Any) -> None:
    assert one.cost == pytest.approx(two.cost, rel=1e-12)
    assert one.nec == pytest.approx(two.nec, rel=1e-12)
    assert one.confusion == two.confusion
    assert one.interval == two.interval
    assert one.threshold == pytest.approx(two.threshold, rel=1e-12)
    # beside the rows as many digits are printed as decide all alike, else three
    first, second = (float(str(each.rule).removeprefix("p > ")) for each in (one, two))
    assert first == pytest.approx(second, abs=5e-4)


@frames
class TestEvaluateFrame:
    @pytest.mark.parametrize("priors", [None, [0.95, 0.05]])
    def test_same_as_evaluate(self, frame: Any, priors: Any) -> None:
        table = rows()
        app = Application(COSTS, priors=priors, unit="EUR", volume=1000)
        models = {"sharp": table["sharp"], "blunt": table["blunt"]}
        arrays = {name: np.array(p) for name, p in models.items()}
        expected = evaluate(table["y"], arrays, application=app, recalibrate=False, rng=0)
        found = evaluate_frame(
            frame(table),
            label="y",
            posteriors={"sharp": "sharp", "blunt": "blunt"},
            application=app,
            bins=0,
            rng=0,
        )
        for name in models:
            close(found[name], expected[name])
        assert found.verdict == expected.verdict
        assert found.n_cases == expected.n_cases
        mine, theirs = (ev.difference("sharp", "blunt") for ev in (found, expected))
        assert (mine.value, mine.low, mine.high) == (theirs.value, theirs.low, theirs.high)
        assert any("re-calibrated" in note for note in found.notes)

    def test_slices_are_judged_like_their_rows_alone(self, frame: Any) -> None:
        table = rows()
        app = Application(COSTS)
        found = evaluate_frame(
            frame(table), label="y", posteriors="sharp", application=app, by="region", rng=0
        )
        assert list(found.slices) == ["north", "south"]
        inside = np.array(table["region"]) == "south"
        expected = evaluate(
            np.array(table["y"])[inside],
            np.array(table["sharp"])[inside],
            application=app,
            recalibrate=False,
            rng=0,
        )
        close(found.slices["south"]["model"], expected["model"])

    @pytest.mark.parametrize("priors", [None, [0.95, 0.05]])
    def test_weights(self, frame: Any, priors: Any) -> None:
        table, names = rows(), ("sharp", "blunt")
        options: dict[str, Any] = {"application": Application(COSTS, priors=priors), "rng": 0}
        expected = evaluate(
            table["y"],
            {name: np.array(table[name]) for name in names},
            sample_weight=table["w"],
            recalibrate=False,
            **options,
        )
        models = {name: name for name in names}
        found = evaluate_frame(
            frame(table), label="y", posteriors=models, sample_weight="w", by="region", **options
        )
        for name in names:
            assert found[name].cost == pytest.approx(expected[name].cost, rel=1e-12)
            assert found[name].interval == pytest.approx(expected[name].interval, rel=1e-9)
        mine, theirs = (ev.difference(*names) for ev in (found, expected))
        assert mine.value == pytest.approx(theirs.value, rel=1e-9)
        assert mine.high - mine.low == pytest.approx(theirs.high - theirs.low, rel=0.06)
        assert found.verdict_kind == expected.verdict_kind == "deploy"
        assert not any("interval" in note for note in found.notes)
        inside = np.array(table["region"]) == "south"
        part = evaluate(
            np.array(table["y"])[inside],
            np.array(table["sharp"])[inside],
            sample_weight=np.array(table["w"])[inside],
            from_priors=None if priors is None else expected.data_priors,
            recalibrate=False,
            **options,
        )
        limits = found.slices["south"]["sharp"].interval
        assert limits == pytest.approx(part["model"].interval, rel=1e-9)

    def test_equal_weights_give_the_intervals_of_counts(self, frame: Any) -> None:
        table = rows()
        table["w"] = [0.5] * len(table["w"])
        models = {name: name for name in ("sharp", "blunt")}
        options: dict[str, Any] = {"label": "y", "posteriors": models, "application": COSTS}
        plain = evaluate_frame(frame(table), rng=0, **options)
        found = evaluate_frame(frame(table), rng=0, sample_weight="w", **options)
        for name in models:
            assert found[name].interval == pytest.approx(plain[name].interval, rel=1e-9)
        mine, theirs = (ev.difference("sharp", "blunt") for ev in (found, plain))
        assert mine.high - mine.low == pytest.approx(theirs.high - theirs.low, rel=0.06)

    def test_bins_of_weighted_rows_have_the_same_interval(self, frame: Any) -> None:
        options: dict[str, Any] = {"label": "y", "posteriors": "sharp", "application": COSTS}
        table = rows()
        found, binned = (
            evaluate_frame(frame(table), sample_weight="w", bins=n, rng=0, **options)
            for n in (0, 4096)
        )
        assert binned["model"].interval == pytest.approx(found["model"].interval, rel=1e-9)

    def test_weights_beyond_all_bounds_have_no_interval(self, frame: Any) -> None:
        table = rows()
        table["w"] = [1e90 * (1 + weight) for weight in table["w"]]
        models = {name: name for name in ("sharp", "blunt")}
        found = evaluate_frame(
            frame(table), label="y", posteriors=models, application=COSTS, sample_weight="w", rng=0
        )
        assert found["sharp"].interval is None
        assert found.comparison is None
        assert any(
            note.startswith("There are no intervals: the weights are too large")
            for note in found.notes
        )

    def test_best_threshold_from_bins_is_within_its_bounds(self, frame: Any) -> None:
        table = rows()
        expected = evaluate(table["y"], np.array(table["sharp"]), application=COSTS, rng=0)
        found = evaluate_frame(
            frame(table), label="y", posteriors="sharp", application=COSTS, bins=4096
        )
        exact, binned = expected["model"].optimistic_nec, found["model"].optimistic_nec
        assert exact is not None
        assert binned is not None
        assert exact - 1e-12 <= binned <= exact + 0.02  # an edge near the best cut
        assert binned <= found["model"].nec + 1e-12  # the threshold itself is an edge


@frames
def test_costs_per_case(frame: Any) -> None:
    table = rows()
    amount = np.random.default_rng(6).gamma(2, 10, len(table["y"]))
    cases = CaseCosts.binary(
        false_positive=np.full(amount.shape, 3.0),
        false_negative=amount,
        classes=COSTS.classes,
        decisions=COSTS.decisions,
    )
    app = Application(COSTS, priors=[0.9, 0.1])
    expected = evaluate(
        table["y"], np.array(table["sharp"]), application=app, case_costs=cases, rng=0
    )
    found = evaluate_frame(
        frame({**table, "amount": amount.tolist()}),
        label="y",
        posteriors="sharp",
        application=app,
        case_costs={"fp": 3, "fn": "amount"},
    )
    mine, theirs = found["model, per case"], expected["model, per case"]
    assert mine.confusion == theirs.confusion
    assert mine.cost == pytest.approx(theirs.cost, rel=1e-12)
    assert mine.nec == pytest.approx(theirs.nec, rel=1e-12)
    assert found.naive_cost == pytest.approx(expected.naive_cost, rel=1e-12)


class TestRefusals:
    def test_nothing_to_judge(self) -> None:
        pa = pytest.importorskip("pyarrow")
        with pytest.raises(DataError, match="nothing to judge"):
            evaluate_frame(pa.table({"y": [0]}), label="y", application=COSTS)

    def test_a_column_that_is_not_there(self) -> None:
        pa = pytest.importorskip("pyarrow")
        table = pa.table({"label": ["stay"], "score": [0.5]})
        with pytest.raises(DataError, match="no column 'scores'") as caught:
            evaluate_frame(table, label="label", posteriors="scores", application=COSTS)
        assert caught.value.hint == "did you mean 'score'?"

    def test_something_else_than_a_frame(self) -> None:
        with pytest.raises(DataError, match="must be a data frame; got list"):
            evaluate_frame([1, 2], label="y", posteriors="p", application=COSTS)


@frames
class TestColumnsThatAreMistaken:
    APP = Application(COSTS)

    def _refused(self, frame: Any, table: dict[str, Any], **given: Any) -> str:
        with pytest.raises(StakesError) as caught:
            evaluate_frame(frame(table), label="y", application=self.APP, **given)
        return str(caught.value)

    def test_probabilities_given_as_decisions(self, frame: Any) -> None:
        said = self._refused(frame, rows(60), decisions={"gbm": "sharp"})
        assert "`decisions` of 'gbm': column 'sharp' holds Float64" in said
        assert "posteriors={'gbm': 'sharp'}" in said

    def test_decisions_given_as_probabilities(self, frame: Any) -> None:
        said = self._refused(frame, rows(60), posteriors={"rule": "region"})
        assert "`posteriors` of 'rule': column 'region' holds String" in said
        assert "decisions={'rule': 'region'}" in said

    def test_another_case_of_letters_is_suggested(self, frame: Any) -> None:
        said = self._refused(frame, rows(60), posteriors="SHARP")
        assert "did you mean 'sharp'?" in said

    @pytest.mark.parametrize("formula", ["w / nothing", "huge * huge"])
    def test_costs_that_are_not_finite(self, frame: Any, formula: str) -> None:
        table = {**rows(60), "nothing": [0.0] * 60, "huge": [1e308] * 60}
        said = self._refused(frame, table, posteriors="sharp", case_costs={"fn": formula, "fp": 1})
        assert "`case_costs` must come to finite costs; they do not in 60 of 60 rows" in said


def test_columns_of_the_same_name() -> None:
    pa = pytest.importorskip("pyarrow", reason="pip install pyarrow")
    columns = [pa.array(["stay", "churn"]), pa.array([0.1, 0.9]), pa.array([0.2, 0.8])]
    table = pa.Table.from_arrays(columns, names=["y", "p", "p"])
    with pytest.raises(DataError, match="`frame` has columns of the same name: 'p' 2 times"):
        evaluate_frame(table, label="y", posteriors="p", application=Application(COSTS))


def test_shares_of_the_posteriors_need_those_of_the_place():
    """Without the place, near and far would move posteriors to different shares."""
    import pyarrow as pa

    rows = pa.table({"y": ["no", "yes"] * 20, "p": [0.1, 0.6] * 20})
    asked = {"label": "y", "posteriors": "p", "from_priors": [0.9, 0.1]}
    with pytest.raises(PriorError, match="say too where the models will run"):
        stakes.evaluate_frame(rows, application=CostMatrix.zero_one(["no", "yes"]), **asked)


def test_slices_of_unequal_shares_have_their_bins_added():
    """The best threshold of the whole needs the bins of all slices together."""
    import pyarrow as pa

    y = ["no", "yes"] * 50 + ["no"] * 59 + ["yes"]
    p = [0.1, 0.7] * 50 + [0.2] * 59 + [0.6]
    rows = pa.table({"y": y, "p": p, "region": ["a"] * 100 + ["b"] * 60})
    costs = CostMatrix.binary(false_negative=5, false_positive=1, classes=["no", "yes"])
    asked = {"label": "y", "posteriors": "p", "positive": "yes", "application": costs, "bins": 16}
    whole = stakes.evaluate_frame(rows, **asked)
    parts = stakes.evaluate_frame(rows, **asked, by="region")
    assert parts["model"].optimistic_nec == whole["model"].optimistic_nec == 0.0
    assert parts["model"].optimistic_threshold == whole["model"].optimistic_threshold
    assert set(parts.slices) == {"a", "b"}
