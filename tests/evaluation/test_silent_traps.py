"""Calls that look right and would end in a plausible wrong verdict: said, or refused."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from frame_cases import kinds

from stakes import Application, CaseCosts, CostMatrix, Posteriors, evaluate, evaluate_frame
from stakes.exceptions import CostError, PosteriorError

APP = Application(
    CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
)
RNG = np.random.default_rng(8)
Y = (RNG.random(1500) < 0.2).astype(int)
P = 1 / (1 + 4 * np.exp(-RNG.normal(3 * Y - 1.5, 1.5)))
D = (P > 0.2).astype(float)
frames = pytest.mark.parametrize("frame", kinds("pandas", "polars_lazy", "pyarrow", "duckdb"))


def columns(**more: Any) -> dict[str, list[Any]]:
    names = {"y": [APP.classes[k] for k in Y], "w": np.linspace(0.5, 2, Y.size).tolist()}
    return {**names, **{name: values.tolist() for name, values in more.items()}}


def codes(ev: Any) -> list[str]:
    return [warning.code for warning in ev.warnings]


class TestScoresThatRunTheWrongWay:
    def test_are_named_where_the_evaluation_is_printed(self):
        ev = evaluate(Y, {"a": 1 - P, "b": P}, application=APP, positive="churn", rng=0)
        assert codes(ev) == ["turned-round"]
        assert "higher a goes with *fewer* 'churn'" in str(ev)
        assert "If so, give 1 - p" in str(ev)

    def test_also_where_each_case_has_its_own_costs(self):
        costs = CaseCosts.binary(false_positive=1.0, false_negative=10 + P)
        assert codes(evaluate(Y, {"a": 1 - P}, application=costs, rng=0)) == ["turned-round"]
        assert codes(evaluate(Y, {"a": P}, application=costs, rng=0)) == []

    def test_chance_is_not_named(self):
        for seed in range(100, 120):
            noise = np.random.default_rng(seed).random(Y.size)
            assert codes(evaluate(Y, noise, application=CostMatrix([[0, 1], [10, 0]]), rng=0)) == []

    @frames
    @pytest.mark.parametrize("weight", [None, "w"])
    @pytest.mark.parametrize("bins", [0, 64])
    def test_far_as_near(self, frame, weight, bins):
        rows = frame(columns(a=1 - P, b=P, noise=np.random.default_rng(1).random(Y.size)))
        for model, wanted in {"a": ["turned-round"], "b": [], "noise": []}.items():
            ev = evaluate_frame(
                rows, label="y", posteriors={model: model}, application=APP, positive="churn",
                sample_weight=weight, bins=bins,
            )  # fmt: skip
            assert codes(ev) == wanted

    def test_far_with_a_column_for_each_class_and_costs_per_case(self):
        pl = pytest.importorskip("polars")
        rows = pl.DataFrame(columns(p0=P, p1=1 - P)).lazy()
        asked: dict[str, Any] = {"label": "y", "posteriors": {"a": ["p0", "p1"]}, "positive": None}
        asked |= {"classes": ["stay", "churn"], "application": APP}
        assert codes(evaluate_frame(rows, **asked)) == ["turned-round"]
        by_case = evaluate_frame(rows, **asked, case_costs={"fn": "10*w", "fp": "1"})
        assert codes(by_case) == ["turned-round"]


class TestDecisionsAmongProbabilities:
    @pytest.mark.parametrize(
        ("said", "positive", "line"),
        [
            (D, "churn", "p.astype(int)"),
            (D, "stay", "(1 - p).astype(int)"),
            (np.eye(2)[D.astype(int)], None, "p.argmax(axis=1)"),
            (D.astype(np.float32), "churn", "p.astype(int)"),
        ],
    )
    def test_are_refused_with_both_lines_to_type(self, said, positive, line):
        asked = {"positive": positive} if positive else {"classes": ["stay", "churn"]}
        with pytest.raises(PosteriorError, match="'a' is exactly 0 or 1") as refused:
            evaluate(Y, {"a": said}, application=APP, **asked)
        assert line in refused.value.hint
        assert "Posteriors(p)" in refused.value.hint

    def test_both_lines_work(self):
        taken = evaluate(Y, {"a": D.astype(int)}, application=APP)
        said = evaluate(Y, {"a": Posteriors(D)}, application=APP, positive="churn")
        assert taken["a"].cost == said["a"].cost
        assert codes(said) == ["posteriors-certain"]

    def test_one_doubt_is_enough(self):
        some = D.copy()
        some[-1] = 0.5
        assert codes(evaluate(Y, {"a": some}, application=APP, positive="churn", rng=0)) == []

    def test_an_estimator_is_asked_all_the_same(self):
        tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier(random_state=0)
        X = np.column_stack([P, np.arange(Y.size)])
        tree.fit(X[::2], Y[::2])
        ev = evaluate(Y, {"tree": tree}, X=X, application=CostMatrix([[0, 1], [10, 0]]), rng=0)
        assert codes(ev) == ["posteriors-certain"]

    @frames
    @pytest.mark.parametrize("bins", [0, 64])
    def test_far_as_near(self, frame, bins):
        asked: dict[str, Any] = {"label": "y", "application": APP, "bins": bins}
        rows = frame(columns(a=D, b=P))
        with pytest.raises(PosteriorError, match="'a' is exactly 0 or 1") as refused:
            evaluate_frame(rows, posteriors={"a": "a"}, positive="churn", **asked)
        assert "decisions={'a'" in refused.value.hint

    def test_far_with_three_classes(self):
        pl = pytest.importorskip("polars")
        hard = np.eye(3)[np.arange(90) % 3]
        soft = hard.copy()
        soft[0] = [0.5, 0.25, 0.25]
        for said, refused in ((hard, True), (soft, False)):
            made = {f"p{k}": said[:, k].tolist() for k in range(3)}
            rows = pl.DataFrame({"y": [k % 3 for k in range(90)], **made}).lazy()
            asked = {"label": "y", "posteriors": ["p0", "p1", "p2"], "classes": [0, 1, 2]}
            if not refused:
                evaluate_frame(rows, application=CostMatrix.zero_one(3), **asked)
                continue
            with pytest.raises(PosteriorError, match="exactly 0 or 1"):
                evaluate_frame(rows, application=CostMatrix.zero_one(3), **asked)


class TestErrorsThatArePaid:
    @pytest.mark.parametrize("cells", [[[0, -1], [-10, 0]], [[0, 1], [-10, 0]], [[-5, -6], [1, 0]]])
    def test_are_refused_by_their_cell(self, cells):
        i, j = np.argwhere((np.array(cells) < 0) & ~np.eye(2, dtype=bool))[0]
        with pytest.raises(CostError, match=f"truth {i}, decision {j} costs") as refused:
            evaluate(Y, {"a": P}, application=CostMatrix(cells))
        assert "CostMatrix.from_utilities" in refused.value.hint
        pl = pytest.importorskip("polars")
        rows = pl.DataFrame({"y": Y, "p": P}).lazy()
        with pytest.raises(CostError, match="errors cannot be gains"):
            evaluate_frame(rows, label="y", posteriors="p", application=CostMatrix(cells))

    @pytest.mark.parametrize(
        "costs",
        [
            CostMatrix([[-5, 1], [10, -3]]),
            CostMatrix.from_utilities([[15, -35], [2, 165]]),
            CostMatrix([[-5, -1], [10, 0]]),
            CostMatrix([[0, -1], [-10, 0]], classes=["a", "b"], decisions=["hold", "sell"]),
            CostMatrix([[0, 1, -2], [10, 0, -2]], decisions=[0, 1, "ask"]),
        ],
    )
    def test_gains_of_right_decisions_and_other_decisions_pass(self, costs):
        ev = evaluate(Y, {"a": P}, application=costs, rng=0)
        assert np.isfinite(ev["a"].cost)


class TestPositive:
    """Which class a rule speaks of, where costs are given by name."""

    Y = np.array(["yes", "no", "no", "no"] * 60)
    P = np.tile([0.8, 0.3, 0.05, 0.1], 60)
    BY_NAME: ClassVar = {"yes": {"yes": 0, "no": 40}, "no": {"yes": 4, "no": 0}}

    def test_a_mapping_has_no_order_so_the_positive_class_comes_second(self):
        other = {name: self.BY_NAME[name] for name in ("no", "yes")}
        for costs in (self.BY_NAME, other, {"fn": 40, "fp": 4}):
            ev = evaluate(self.Y, self.P, costs=costs, positive="yes")
            assert ev.positive == "yes"
            assert ev["model"].threshold == pytest.approx(4 / 44)

    def test_a_rule_on_the_other_class_is_said(self):
        costs = CostMatrix([[0, 40], [4, 0]], classes=["yes", "no"])
        ev = evaluate(self.Y, self.P, application=costs, positive="yes")
        assert ev["model"].threshold == pytest.approx(40 / 44)
        assert "rule-of-second" in [note.code for note in ev.warnings]
        assert "The rule applies to the probability of 'no'" in str(ev)
        frame = pytest.importorskip("pandas").DataFrame({"y": self.Y, "p": self.P})
        far = evaluate_frame(frame, label="y", scores="p", application=costs, positive="yes")
        assert "rule-of-second" in [note.code for note in far.warnings]
