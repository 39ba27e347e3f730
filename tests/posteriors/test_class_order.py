"""Columns without names: read in sorted order, told apart by what is said, or refused."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from fraud_cases import COSTS, FRAUD, LOGITS, NAMES, RIGHT, SORTED, N

from stakes import CaseCosts, CostMatrix, Posteriors, bayes_decisions
from stakes.application import UncertainApplication
from stakes.decisions import case_rules, expected_case_costs, minimax_regret_decisions
from stakes.exceptions import LabelError, PosteriorError
from stakes.posteriors.class_order import _sorted_names


class TestSortedNames:
    @pytest.mark.parametrize("order", list(permutations(["b", "a", "C"])))
    def test_text_is_sorted_as_numpy_sorts_it(self, order):
        assert _sorted_names(order) == tuple(np.unique(order).tolist())

    @pytest.mark.parametrize("order", list(permutations([2, 10, -1])))
    def test_numbers_are_sorted_as_numbers(self, order):
        assert _sorted_names(order) == tuple(np.unique(order).tolist())

    def test_text_that_spells_numbers_follows_the_type_of_the_labels(self):
        names = ("2", "10")
        assert _sorted_names(names, np.array([2, 10, 2])) == ("2", "10")
        assert _sorted_names(names, np.array(["2", "10"])) == ("10", "2")
        assert _sorted_names(names) == ("10", "2")

    @pytest.mark.parametrize("labels", [np.array([0, 1]), np.array([False, True]), [1, 0]])
    def test_positions_keep_the_order_of_the_names(self, labels):
        assert _sorted_names(NAMES, labels) == NAMES

    def test_kinds_that_cannot_be_compared_have_no_order(self):
        assert _sorted_names(("a", 1)) is None
        with pytest.raises(PosteriorError, match="an order that can be sorted"):
            bayes_decisions([[0.5, 0.5]], CostMatrix.zero_one(["a", 1]))


class TestBayesDecisions:
    def test_a_bare_array_is_refused_with_both_orders_and_what_to_type(self):
        with pytest.raises(PosteriorError, match="'Legit', 'Fraud' are not in sorted order, "
                           "'Fraud', 'Legit'") as found:  # fmt: skip
            bayes_decisions(SORTED, COSTS)
        assert "classes=['Fraud', 'Legit'] if they are sorted" in found.value.hint
        assert "classes=['Legit', 'Fraud'] if they stand in the order" in found.value.hint

    def test_a_single_column_is_refused_without_the_class_it_speaks_of(self):
        with pytest.raises(PosteriorError, match="single column") as found:
            bayes_decisions(FRAUD, COSTS)
        assert "positive='Fraud' if it is that of 'Fraud'" in found.value.hint

    @pytest.mark.parametrize(
        ("said", "options"),
        [
            (SORTED, {"classes": ["Fraud", "Legit"]}),
            (SORTED[:, ::-1], {"classes": NAMES}),
            (SORTED, {"classes": [1, 0]}),  # positions, as labels may be
            (FRAUD, {"positive": "Fraud"}),
            (1 - FRAUD, {"positive": "Legit"}),
            (FRAUD, {"classes": NAMES}),
            (1 - FRAUD, {"classes": ["Fraud", "Legit"]}),
            (Posteriors(SORTED, classes=["Fraud", "Legit"]), {}),
            (Posteriors(FRAUD, classes=NAMES), {}),
            (Posteriors.from_logits(-LOGITS, classes=["Fraud", "Legit"]), {}),
            (Posteriors(SORTED), {"classes": ["Fraud", "Legit"]}),
        ],
    )
    def test_what_is_said_is_followed(self, said, options):
        np.testing.assert_array_equal(bayes_decisions(said, COSTS, **options), RIGHT)
        per_case = CaseCosts(np.broadcast_to(COSTS.values, (N, 2, 2)), NAMES, COSTS.decisions)
        np.testing.assert_array_equal(bayes_decisions(said, per_case, **options), RIGHT)

    def test_sorted_names_and_positions_need_nothing(self):
        turned = CostMatrix(COSTS.values[::-1], classes=NAMES[::-1], decisions=COSTS.decisions)
        np.testing.assert_array_equal(bayes_decisions(SORTED, turned), RIGHT)
        np.testing.assert_array_equal(bayes_decisions(SORTED[:, ::-1], COSTS.values), RIGHT)

    def test_posteriors_without_names_are_arrays(self):
        with pytest.raises(PosteriorError, match="columns without names"):
            bayes_decisions(Posteriors(FRAUD), COSTS)
        moved = Posteriors(FRAUD).with_priors([0.5, 0.5], from_priors=[0.8, 0.2])
        assert not moved.named
        with pytest.raises(PosteriorError, match="columns without names"):
            bayes_decisions(moved, CostMatrix.zero_one([1, 0]))

    @pytest.mark.parametrize("classes", [["Fraud"], ["Fraud", "Fraud"], ["Fraud", "legit"]])
    def test_an_order_that_is_none_is_refused(self, classes):
        with pytest.raises(LabelError):
            bayes_decisions(SORTED, COSTS, classes=classes)
        with pytest.raises(LabelError):
            bayes_decisions(FRAUD, COSTS, positive="fraud")

    @pytest.mark.parametrize("order", list(permutations(range(3))))
    def test_three_classes_in_every_order(self, order):
        names = np.array(["cat", "dog", "fox"])
        said = np.random.default_rng(1).dirichlet(np.ones(3), 50)
        table = np.array([[0, 1, 5, 2], [3, 0, 1, 2], [9, 4, 0, 2]])
        expected = (said @ table).argmin(axis=1)
        rows = list(order)
        costs = CostMatrix(table[rows], classes=names[rows], decisions=[*"abcd"])
        np.testing.assert_array_equal(bayes_decisions(said, costs, classes=names), expected)
        named = Posteriors(said[:, rows[::-1]], classes=names[rows[::-1]])
        np.testing.assert_array_equal(bayes_decisions(named, costs), expected)

    def test_other_functions_that_decide(self):
        unsure = UncertainApplication(COSTS.values, classes=NAMES, decisions=COSTS.decisions)
        per_case = CaseCosts(np.broadcast_to(COSTS.values, (N, 2, 2)), NAMES, COSTS.decisions)
        rules = (
            lambda **said: minimax_regret_decisions(SORTED, unsure, **said),
            lambda **said: case_rules(SORTED, per_case, **said).per_case,
            lambda **said: expected_case_costs(SORTED, per_case, **said).argmin(axis=1),
        )
        for decide in rules:
            with pytest.raises(PosteriorError, match="columns without names"):
                decide()
            np.testing.assert_array_equal(decide(classes=["Fraud", "Legit"]), RIGHT)
