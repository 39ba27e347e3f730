from __future__ import annotations

import numpy as np
import pytest


class TestJudge:
    def test_parts_add_to_the_cost(self, findings):
        (model,) = findings([[80, 10], [2, 8]]).models
        assert model.cells.tolist() == [[0, pytest.approx(0.1)], [pytest.approx(0.2), 0]]
        assert model.cost == pytest.approx(0.1 + 0.2)
        assert model.nec == pytest.approx(0.3 / min(0.9, 1.0))

    def test_priors_of_the_application_weigh_the_classes(self, findings):
        (model,) = findings([[80, 10], [2, 8]], priors=(0.5, 0.5)).models
        assert model.cost == pytest.approx(0.5 * 10 / 90 + 0.5 * 2 / 10 * 10)

    def test_undefined_when_a_constant_decision_is_perfect(self, findings):
        (model,) = findings([[80, 10], [2, 8]], priors=(1.0, 0.0)).models
        assert model.nec is None


class TestFindings:
    def test_best_and_ranked(self, findings):
        found = findings([[80, 10], [5, 5]], [[80, 10], [2, 8]])
        assert found.best.name == "m1"
        assert [model.name for model in found.ranked] == ["m1", "m0"]
        assert found.saving(found.best) == pytest.approx(0.9 - 0.3)

    def test_counts_out_of_a_thousand_where_it_will_run(self, findings):
        found = findings([[80, 10], [2, 8]], priors=(0.5, 0.5))
        expected = [[500 * 80 / 90, 500 * 10 / 90], [500 * 0.2, 500 * 0.8]]
        assert np.allclose(found.per_thousand(found.best), expected)

    def test_costliest_cells_first(self, findings):
        found = findings([[80, 10], [2, 8]])
        assert found.costliest(found.best) == [
            ("yes", "no", pytest.approx(0.2), pytest.approx(2 / 3)),
            ("no", "yes", pytest.approx(0.1), pytest.approx(1 / 3)),
        ]

    def test_frame(self, findings):
        frame = findings([[80, 10], [2, 8]], volume=1000, period="year").frame()
        assert frame.columns == ("model", "nec", "cost", "saving", "total_saving", "act_when")
        assert frame["total_saving"][0] == pytest.approx(600)

    def test_savings_that_are_rounding_are_none(self, findings):
        found = findings([[0, 90], [0, 10]])  # always yes, the naive decision
        assert found.saving(found.best) == 0.0
