"""Clouds of tables and level sets as data."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, CostMatrix
from stakes.audit import level_sets, metric_cloud
from stakes.exceptions import DataError, PriorError
from stakes.metrics import catalogue

# Ferrer 2022, Table 1: class totals, FN, FP, EC_1, EC_1.5, EC_nb, F1, MCC; EC normalised.
FERRER_2022_TABLE_1 = [
    ((500, 500), 0, 50, 0.10, 0.10, 0.10, 0.95, 0.90),
    ((500, 500), 25, 25, 0.10, 0.12, 0.10, 0.95, 0.90),
    ((500, 500), 50, 0, 0.10, 0.14, 0.10, 0.95, 0.90),
    ((500, 500), 0, 250, 0.50, 0.50, 0.50, 0.80, 0.58),
    ((500, 500), 125, 125, 0.50, 0.60, 0.50, 0.75, 0.50),
    ((500, 500), 250, 0, 0.50, 0.71, 0.50, 0.67, 0.58),
    ((500, 500), 0, 450, 0.90, 0.90, 0.90, 0.69, 0.23),
    ((500, 500), 225, 225, 0.90, 1.09, 0.90, 0.55, 0.10),
    ((500, 500), 450, 0, 0.90, 1.27, 0.90, 0.18, 0.23),
    ((900, 100), 0, 90, 0.90, 0.64, 0.10, 0.69, 0.69),
    ((900, 100), 5, 45, 0.50, 0.37, 0.10, 0.79, 0.78),
    ((900, 100), 10, 0, 0.10, 0.10, 0.10, 0.95, 0.94),
    ((900, 100), 0, 450, 4.50, 3.18, 0.50, 0.31, 0.30),
    ((900, 100), 30, 180, 2.10, 1.57, 0.50, 0.40, 0.35),
    ((900, 100), 50, 0, 0.50, 0.50, 0.50, 0.67, 0.69),
    ((900, 100), 0, 810, 8.10, 5.73, 0.90, 0.20, 0.10),
    ((900, 100), 40, 450, 4.90, 3.58, 0.90, 0.20, 0.06),
    ((900, 100), 90, 0, 0.90, 0.90, 0.90, 0.18, 0.30),
    ((900, 100), 45, 45, 0.90, 0.77, 0.50, 0.55, 0.50),
]


def figure_1(class_totals: tuple[int, int]):
    """The columns of Ferrer 2022, figure 1."""
    priors = np.array(class_totals) / sum(class_totals)
    applications = {
        "EC_1": CostMatrix.zero_one(2),
        "EC_1.5": CostMatrix([[0, 1], [1.5, 0]]),
        "EC_nb": CostMatrix.inverse_prior(priors),
    }
    return metric_cloud(["mcc", "f1"], class_totals=class_totals, applications=applications)


class TestFerrer2022Figure1:
    @pytest.mark.parametrize("class_totals", [(500, 500), (900, 100)])
    def test_grid(self, class_totals: tuple[int, int]) -> None:
        cloud = figure_1(class_totals)
        assert cloud.shape == (400, 7)
        assert cloud["false_positives"].max() == class_totals[0]
        assert cloud["false_negatives"].max() == class_totals[1]

    @pytest.mark.parametrize("class_totals", [(500, 500), (900, 100)])
    def test_relations_hold_at_every_point(self, class_totals: tuple[int, int]) -> None:
        cloud = figure_1(class_totals)
        fp, fn = cloud["false_positives"], cloud["false_negatives"]
        r12, r21 = fp / class_totals[0], fn / class_totals[1]
        np.testing.assert_allclose(cloud["EC_nb"], r12 + r21)
        decided = (fp + class_totals[1] - fn) / sum(class_totals)
        p2 = class_totals[1] / sum(class_totals)
        np.testing.assert_allclose(  # equation 22
            1 - cloud["f1"],
            cloud["EC_1"] * min(p2, 1 - p2) / (p2 + decided),
            atol=1e-12,
        )
        inner = (decided > 0) & (decided < 1)
        np.testing.assert_allclose(  # equation 30
            cloud["mcc"][inner],
            np.sqrt(p2 * (1 - p2) / (decided * (1 - decided))[inner]) * (1 - r12 - r21)[inner],
            atol=1e-12,
        )
        assert np.isnan(cloud["mcc"][~inner]).all()

    @pytest.mark.parametrize("row", FERRER_2022_TABLE_1)
    def test_table_1(self, row) -> None:
        (negatives, positives), fn, fp, ec1, ec15, ecnb, f1, mcc = row
        table = np.array([[negatives - fp, fp], [fn, positives - fn]])
        p1, p2 = negatives / 1000, positives / 1000

        def nec(c21: float) -> float:
            return (p1 * fp / negatives + c21 * p2 * fn / positives) / min(p1, c21 * p2)

        assert catalogue["f1"](table) == pytest.approx(f1, abs=0.0051)
        assert catalogue["mcc"](table) == pytest.approx(mcc, abs=0.0051)
        assert fp / negatives + fn / positives == pytest.approx(ecnb, abs=0.0051)
        assert nec(1.0) == pytest.approx(ec1, abs=0.0051)
        # The text says beta^2 = 1.5; the printed column is that of c_21 = sqrt(2).
        assert nec(np.sqrt(2)) == pytest.approx(ec15, abs=0.0051)

    def test_metrics_by_name_of_column(self) -> None:
        cloud = metric_cloud({"hits": lambda c: c[1, 1]}, class_totals=(10, 10), steps=3)
        assert cloud["hits"].tolist() == [10, 10, 10, 5, 5, 5, 0, 0, 0]
        with pytest.raises(DataError, match="at least 2"):
            metric_cloud(["f1"], class_totals=(10, 10), steps=1)


class TestLevelSets:
    APP = Application(CostMatrix.binary(false_positive=1, false_negative=4))

    def test_values_are_those_of_the_metric(self) -> None:
        grid = level_sets("f1", priors=0.2, application=self.APP, resolution=11)
        table = 1000 * np.array([[0.8 * 0.7, 0.8 * 0.3], [0.2 * 0.1, 0.2 * 0.9]])
        assert grid.values[9, 3] == pytest.approx(catalogue["f1"](table))
        assert grid.costs[9, 3] == pytest.approx(0.8 * 0.3 * 1 + 0.2 * 0.1 * 4)

    def test_cost_does_not_change_along_the_slope(self) -> None:
        grid = level_sets("f1", priors=0.2, application=self.APP)
        assert grid.iso_cost_slope == pytest.approx(0.8 * 1 / (0.2 * 4))
        weighted = level_sets("weighted_accuracy", priors=0.2, application=self.APP)
        flat = np.stack([weighted.values.ravel(), weighted.costs.ravel()])
        assert np.corrcoef(flat)[0, 1] == pytest.approx(-1)

    def test_without_costs(self) -> None:
        grid = level_sets("mcc", priors=0.5)
        assert grid.costs is None
        assert np.isnan(grid.iso_cost_slope)
        assert np.isnan(grid.values[0, 0])  # nobody is acted on
        assert grid.frame().columns == ("false_positive_rate", "true_positive_rate", "mcc")

    def test_refusals(self) -> None:
        with pytest.raises(PriorError, match="strictly between"):
            level_sets("f1", priors=1.0)
        with pytest.raises(DataError, match="at least 2"):
            level_sets("f1", priors=0.5, resolution=1)
