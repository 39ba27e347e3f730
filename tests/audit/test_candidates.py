"""A metric among real candidates."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix
from stakes.audit import audit_candidates, choice_regret
from stakes.exceptions import DataError, UndefinedError

# Dyrland, Lundervold, Porta Mana 2022, section 0: two classifiers, utilities (4), rows true.
FACTORY = {"A": ConfusionMatrix([[27, 23], [15, 35]]), "B": ConfusionMatrix([[43, 7], [18, 32]])}
UTILITIES = CostMatrix.from_utilities([[15, -35], [-335, 165]])


class TestFactory:
    def test_accuracy_chooses_the_one_that_loses_money(self) -> None:
        found = audit_candidates("accuracy", FACTORY, application=UTILITIES)
        assert (found.chosen, found.cheapest) == ("B", "A")
        np.testing.assert_allclose(found.costs, [-3.5, 3.5])
        assert found.regret == pytest.approx(7)
        assert found.misranked == (("A", "B"),)
        assert found.misranking_rate == 1

    @pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc", "precision"])
    def test_so_do_others(self, metric: str) -> None:
        assert audit_candidates(metric, FACTORY, application=UTILITIES).chosen == "B"

    def test_frame_is_sorted_by_cost(self) -> None:
        frame = audit_candidates("f1", FACTORY, application=UTILITIES).frame()
        assert frame["candidate"].tolist() == ["A", "B"]
        assert frame.columns == ("candidate", "cost", "f1")


def systems(n: int) -> dict[str, ConfusionMatrix]:
    """Systems that act on more and more of 100 negatives and 20 positives."""
    rng = np.random.default_rng(2)
    found = {}
    for k in range(n):
        fp, tp = rng.binomial(100, k / n), rng.binomial(20, math.sqrt(k / n))
        found[f"s{k}"] = ConfusionMatrix([[100 - fp, fp], [20 - tp, tp]])
    return found


class TestMany:
    APP = Application(CostMatrix.binary(false_positive=1, false_negative=4))

    def test_counting_pairs_one_by_one(self) -> None:
        found = audit_candidates("f1", systems(9), application=self.APP)
        wrong = pairs = 0
        for i in range(9):
            for j in range(i):
                if found.costs[i] != found.costs[j]:
                    pairs += 1
                    up = found.values[i] - found.values[j]
                    wrong += not up * (found.costs[j] - found.costs[i]) > 0
        assert found.misranking_rate == pytest.approx(wrong / pairs)
        assert len(found.misranked) == wrong

    def test_the_cost_itself_has_no_regret(self) -> None:
        found = audit_candidates("weighted_accuracy", systems(9), application=self.APP)
        assert found.regret == 0
        assert found.misranking_rate == 0
        assert found.correlation() == pytest.approx(1)
        assert found.correlation("weighted") == pytest.approx(1)
        assert audit_candidates("recall", systems(9), application=self.APP).correlation() < 1

    def test_metric_to_minimise(self) -> None:
        found = audit_candidates("error_rate", systems(9), application=self.APP)
        assert found.chosen == found.names[int(np.argmin(found.values))]

    def test_names_of_the_application_are_taken_over(self) -> None:
        named = CostMatrix([[0, 1], [4, 0]], classes=["stay", "churn"], decisions=["wait", "call"])
        found = audit_candidates("accuracy", systems(3), application=named)
        assert len(found.costs) == 3

    def test_priors_of_the_application_count_in_the_costs(self) -> None:
        rare = self.APP.with_priors([0.999, 0.001])
        found = audit_candidates("recall", systems(9), application=rare)
        assert found.cheapest == "s0"

    def test_other_data_is_refused(self) -> None:
        mixed = {"a": ConfusionMatrix([[5, 5], [1, 9]]), "b": ConfusionMatrix([[5, 6], [1, 9]])}
        with pytest.raises(DataError, match="same data"):
            audit_candidates("f1", mixed, application=self.APP)
        with pytest.raises(DataError, match="got none"):
            audit_candidates("f1", {}, application=self.APP)


class TestChoiceRegret:
    def test_first_of_equally_good_ones(self) -> None:
        assert choice_regret([0.5, 0.5, 0.1], [3.0, 1.0, 2.0]) == 3.0 - 1.0

    def test_lower_is_better(self) -> None:
        assert choice_regret([0.5, 0.2], [3.0, 1.0], higher_is_better=False) == 0

    def test_undefined_values_are_refused(self) -> None:
        with pytest.raises(DataError, match=r"candidate 0 is \(1 of 2\)"):
            choice_regret([math.nan, 0.2], [1.0, 3.0])

    def test_audits_never_choose_where_the_metric_is_undefined(self) -> None:
        """Nothing is decided positive by the second, so its precision is undefined."""
        app = Application(CostMatrix.zero_one(2))
        tables = {"acts": [[6, 2], [1, 1]], "waits": [[8, 0], [2, 0]]}
        found = audit_candidates("precision", tables, application=app)
        assert found.chosen == "acts"
        assert found.regret == pytest.approx(3 / 10 - 2 / 10)
        waits = {"one": tables["waits"], "other": [[8, 0], [2, 0]]}
        nobody = audit_candidates("precision", waits, application=app)
        with pytest.raises(UndefinedError, match="chooses none"):
            _ = nobody.regret

    def test_bad_columns(self) -> None:
        with pytest.raises(DataError, match="same length"):
            choice_regret([1.0], [1.0, 2.0])
        with pytest.raises(DataError, match="must be finite; got nan"):
            choice_regret([1.0], [math.nan])
