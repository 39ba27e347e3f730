"""The audit as a whole."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix, ScoreCounts
from stakes.application import Between, UncertainApplication
from stakes.audit import audit, audit_all, misranking_rate
from stakes.exceptions import CostError, DataError
from stakes.metrics import auc

APP = Application(CostMatrix.binary(false_positive=1, false_negative=10), priors=[0.9, 0.1],
                  unit="EUR")  # fmt: skip
CM = ConfusionMatrix([[850, 50], [20, 80]])


class TestAudit:
    def test_of_f1(self) -> None:
        found = audit("f1", application=APP, matrix=CM, draws=5000)
        assert not found.compliant
        assert not found.agrees
        assert found.implied.miss_cost == pytest.approx((80 + 50 + 20) / 80, rel=1e-6)
        assert found.headline == "F1 treats a miss as 1.9 false alarms here; your costs say 10."
        assert found.sentences[:2] == (
            found.headline,
            "Here: 20 of 100 missed and 50 false alarms in the other 900.",
        )
        assert "EUR per case" in found.verdict
        assert found.misranking == misranking_rate("f1", utilities=APP, draws=5000, rng=0)
        assert str(found).count("\n") == len(found.sentences) - 1

    def test_of_a_metric_that_is_the_cost(self) -> None:
        found = audit("weighted_accuracy", application=APP, matrix=CM, draws=5000)
        assert found.compliant
        assert found.agrees
        assert found.opposite is None
        assert found.misranking < 0.001
        assert "It ranks models as your costs do" in found.verdict
        assert "as your costs do" in found.verdict

    def test_of_a_metric_with_other_costs(self) -> None:
        found = audit("accuracy", application=APP, draws=5000)
        assert found.compliant
        assert not found.agrees
        assert found.headline == "Accuracy treats a miss as 1 false alarm; your costs say 10."
        assert "as some fixed costs do, but not as yours do" in found.verdict

    def test_without_an_application(self) -> None:
        found = audit("mcc", draws=5000)
        assert found.opposite is None
        assert found.application is None
        assert "drawn at random" in found.verdict

    def test_of_a_function_of_ones_own(self) -> None:
        found = audit(lambda c: c[0, 0] + 10 * c[1, 1], application=APP, draws=2000)
        assert found.agrees
        assert audit(
            lambda c: c[0, 1], application=APP, higher_is_better=False, draws=500
        ).compliant

    def test_under_uncertain_costs(self) -> None:
        unsure = UncertainApplication.binary(false_positive=1, false_negative=Between(5, 15),
                                             priors=[0.9, 0.1])  # fmt: skip
        found = audit("weighted_accuracy", application=unsure, draws=5000)
        assert found.agrees  # with the expected costs
        assert 0 < found.misranking < 0.1  # but the costs may turn out otherwise

    def test_among_candidates(self) -> None:
        both = {"timid": ConfusionMatrix([[899, 1], [50, 50]]),
                "bold": ConfusionMatrix([[800, 100], [5, 95]])}  # fmt: skip
        found = audit("accuracy", application=APP, candidates=both, draws=500)
        assert found.candidates.chosen == "timid"
        # 1 + 500 against 100 + 50 per 1000 cases
        assert found.candidates.regret == pytest.approx(0.501 - 0.150)
        assert "although bold costs 0.351 EUR a case less" in found.verdict
        agreed = audit("recall", application=APP, candidates=both, draws=500)
        assert "which is the cheapest" in agreed.verdict

    def test_three_classes(self) -> None:
        costs = CostMatrix(1.0 - np.eye(3))
        assert audit("accuracy", application=costs, draws=500).agrees
        found = audit("macro_f1", application=costs, draws=500)
        assert found.compliance.failure == "curved"
        assert math.isnan(found.row()["miss_cost_low"])

    def test_abstention_is_refused(self) -> None:
        with pytest.raises(CostError, match="decisions that are the classes"):
            audit("accuracy", application=CostMatrix.zero_one(2).with_abstention(0.1))

    def test_of_a_metric_of_scores(self) -> None:
        found = audit("auc", application=APP)
        said = "AUC treats a miss as 9 false alarms here, whatever the threshold; your costs "
        assert found.headline == f"{said}say 10."
        assert "AUC / 2 + 1 / 4" in found.verdict
        assert "at every threshold at once" in audit("auc").headline
        assert "whatever errors cost" in audit("eer").headline

    def test_what_auc_averages(self) -> None:
        """Balanced accuracy at thresholds taken from the scores, half of them from each class."""
        rng = np.random.default_rng(3)
        low, high = rng.normal(0, 1, 40).round(1), rng.normal(1, 1, 25).round(1)

        def balanced(cut: float) -> float:  # cases at the threshold count half
            recall = (high > cut).mean() + (high == cut).mean() / 2
            spared = (low < cut).mean() + (low == cut).mean() / 2
            return (recall + spared) / 2

        mean = (np.mean([balanced(t) for t in low]) + np.mean([balanced(t) for t in high])) / 2
        truth = [0] * 40 + [1] * 25
        scores = ScoreCounts.from_scores(truth, [*low, *high], kind="rank")
        assert mean == pytest.approx(auc(scores) / 2 + 0.25, abs=1e-12)

    def test_auc_among_candidates(self) -> None:
        truth = [0, 0, 0, 0, 1, 1]
        both = {
            "orders": ScoreCounts.from_scores(
                truth, [0.01, 0.02, 0.03, 0.05, 0.04, 0.06], kind="posterior"
            ),
            "means it": ScoreCounts.from_scores(
                truth, [0.5, 0.6, 0.05, 0.01, 0.4, 0.7], kind="posterior"
            ),
        }
        found = audit("auc", application=APP, candidates=both)
        assert found.candidates.chosen == "orders"
        assert found.candidates.cheapest == "means it"
        with pytest.raises(DataError, match="needs the scores of each candidate"):
            audit("auc", application=APP, candidates={"a": CM})

    def test_row_and_frame(self) -> None:
        found = audit("f1", application=APP, draws=500)
        assert list(found.frame()["metric"]) == ["f1"]
        assert found.row()["failure"] == "not parallel"
        assert repr(found).startswith("Audit(f1: not parallel, misranks")


class TestAuditAll:
    def test_whole_catalogue(self) -> None:
        table = audit_all(application=APP, draws=200)
        names = table["metric"].tolist()
        assert "accuracy" in names
        assert not any(name.startswith(("f_beta", "auc")) for name in names)
        yes = dict(zip(names, table["compliant"].tolist(), strict=True))
        assert yes["accuracy"]
        assert not yes["mcc"]

    def test_some(self) -> None:
        table = audit_all(["f_beta:beta=2", lambda c: c[1, 1]], draws=200)
        assert table["metric"].tolist() == ["f_beta(beta=2)", "your metric"]

    def test_operating_point_where_some_are_undefined(self) -> None:
        table = audit_all(["precision", "recall"], matrix=[[90, 0], [10, 0]], draws=200)
        assert np.isnan(table["implied_miss_cost"][0])
        assert table["implied_miss_cost"][1] == math.inf


def test_candidates_and_many_classes_need_costs() -> None:
    both = {"a": [[9, 1], [1, 9]], "b": [[8, 2], [0, 10]]}
    with pytest.raises(CostError, match="`candidates`"):
        audit("f1", candidates=both, draws=10)
    with pytest.raises(CostError, match="decisions that are the classes"):
        audit("accuracy", matrix=[[5, 1, 1], [1, 5, 1]], draws=10)
    many = audit("accuracy", matrix=np.eye(3, dtype=int) * 5 + 1, draws=10)
    assert many.headline == "Accuracy penalises all errors alike here."
    with pytest.raises(DataError, match="AUC is for two classes; there are 3"):
        audit("auc", matrix=np.eye(3, dtype=int) * 5 + 1)
    with pytest.raises(DataError, match="`f1` needs two classes"):
        audit("f1", application=CostMatrix(1.0 - np.eye(3)), draws=10)


class TestWhereTheMetricIsUndefined:
    TIMID = ConfusionMatrix([[900, 0], [100, 0]])
    BOLD = ConfusionMatrix([[890, 10], [20, 80]])

    def test_the_rest_of_the_audit_stands(self) -> None:
        found = audit("precision", application=APP, matrix=self.TIMID, draws=500)
        assert found.implied is None
        assert "Precision is not a finite number at this table" in found.verdict
        assert found.compliance.failure == "not parallel"

    def test_for_all_candidates(self) -> None:
        both = {"a": self.TIMID, "b": self.TIMID}
        found = audit("precision", application=APP, candidates=both, draws=500)
        assert "precision chooses none" in found.verdict
        assert math.isnan(found.row()["regret"])

    def test_for_one_candidate_the_table_still_has_the_regret(self) -> None:
        both = {"timid": self.TIMID, "bold": self.BOLD}
        wary = Application([[0, 100], [1, 0]])
        table = audit_all(["precision"], application=wary, matrix=self.TIMID, candidates=both,
                          draws=500)  # fmt: skip
        # bold is chosen, as the only one: 10 * 100 + 20 against 100 in 1000 cases
        assert table["regret"].tolist() == pytest.approx([1.02 - 0.1])


def test_costs_that_leave_nothing_to_choose() -> None:
    with pytest.raises(CostError, match="every decision costs the same"):
        audit("f1", application=Application([[0, 0], [5, 5]]), draws=10)


def test_table_of_one_metric_and_of_none() -> None:
    assert audit_all("f1", draws=100)["metric"].tolist() == ["f1"]
    with pytest.raises(DataError, match="at least one metric"):
        audit_all([], draws=100)
