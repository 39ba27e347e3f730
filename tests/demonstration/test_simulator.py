from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import stakes
from stakes.demonstration import example_files, example_path
from stakes.exceptions import DataError

FILES = ["churn.csv", "june.csv", "loans.csv", "may.csv", "pets-costs.toml", "pets.csv"]


def columns(name):
    rows = list(csv.DictReader(io.StringIO(example_path(name).read_text(encoding="utf-8"))))
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


@pytest.mark.parametrize("name", FILES)
def test_the_simulator_makes_the_bundled_files_exactly(name):
    assert example_files()[name].encode() == example_path(name).read_bytes()


def test_the_bundled_files_are_small():
    assert sum(example_path(name).stat().st_size for name in FILES) < 400_000


def test_unknown_example():
    for name in ("nope.csv", "../bundled.py"):
        with pytest.raises(DataError, match="there is no example"):
            example_path(name)


@pytest.fixture(scope="module")
def churn():
    return columns("churn.csv")


class TestChurn:
    def nec(self, churn, model, ratio):
        app = stakes.Application(
            stakes.CostMatrix.binary(false_positive=1, false_negative=ratio, classes=["no", "yes"])
        )
        chosen = stakes.bayes_decisions(churn[model].astype(float), app)
        truth = (churn["churned"] == "yes").astype(int)
        return stakes.normalized_expected_cost(truth, chosen, application=app)

    def test_the_best_model_at_the_costs_of_the_demonstration(self, churn):
        by_model = {m: self.nec(churn, m, 10) for m in ("gbm_p", "logreg_p", "rules_p")}
        assert min(by_model, key=by_model.get) == "gbm_p"

    def test_the_other_two_cross(self, churn):
        assert self.nec(churn, "rules_p", 2) < self.nec(churn, "logreg_p", 2) - 0.05
        assert self.nec(churn, "logreg_p", 20) < self.nec(churn, "rules_p", 20) - 0.05

    def test_the_best_is_over_confident_and_the_others_are_not(self, churn):
        truth = churn["churned"] == "yes"
        for model, confident in (("gbm_p", True), ("logreg_p", False), ("rules_p", False)):
            p = churn[model].astype(float)
            sure = p > 0.6
            gap = p[sure].mean() - truth[sure].mean()
            assert (gap > 0.15) == confident, model


class TestMonths:
    def test_only_may_is_labelled(self):
        assert set(columns("may.csv")["churned"]) == {"no", "yes"}
        assert set(columns("june.csv")["churned"]) == {""}

    def test_every_region_has_cases_of_both_outcomes(self):
        may = columns("may.csv")
        for region in ("north", "south", "west"):
            left = may["churned"][may["region"] == region] == "yes"
            assert 10 <= left.sum() <= left.size - 10


class TestPets:
    def test_rows_add_to_one_for_both_models(self):
        pets = columns("pets.csv")
        for model in ("small", "large"):
            parts = [pets[name].astype(float) for name in pets if name.startswith(model)]
            assert len(parts) == 4
            assert np.abs(np.sum(parts, axis=0) - 1).max() < 1e-9

    def test_the_costs_have_a_person_to_ask(self):
        app = stakes.application.read_costs(example_path("pets-costs.toml"))
        assert app.decisions == (*app.classes, "ask a person")
        assert set(columns("pets.csv")["species"]) == set(app.classes)


class TestLoans:
    def test_amounts_have_a_long_tail(self):
        amounts = np.sort(columns("loans.csv")["amount"].astype(float))[::-1]
        assert amounts.min() >= 500
        assert amounts[: amounts.size // 100].sum() > 0.05 * amounts.sum()
