"""Numbers of `wa2025` ("Cost-Sensitive Evaluation for Binary Classifiers", 2025) computed again.

Expected numbers are the paper's, its authors' result files', or written out here.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from stakes.exceptions import DataError
from stakes.metrics import matched_beta
from stakes.papers.items import Context, Outcome
from stakes.papers.wa2025 import PAPER
from stakes.papers.wa2025 import worked as table_3
from stakes.papers.wa2025.case_costs import (
    GRID,
    METRICS,
    ErrorCosts,
    _credit_lines,
    _retention_cost,
    as_coded,
    beta_density_mass,
    churn_costs,
    churn_use_case,
    costed_scores,
    credit_use_case,
    draw_outcomes,
    free_scores,
    massive_revenues,
    revenues,
    trapezoid_h,
)
from stakes.papers.wa2025.correlations import (
    _CUSTOMERS,
    _REVENUES,
    _panel_cells,
    _realised,
    _variant_costs,
)
from stakes.papers.wa2025.grid import (
    PANELS,
    TABLE_3,
    correlation_grid,
    heat_maps,
    outcomes_at,
    panel,
    realised_claim,
    weighted_claims,
)
from stakes.papers.wa2025.worked import _SCENARIOS, _fixed_gaps, _printed_gaps, _scenario

ITEMS = {item.key: item for item in PAPER.items}
FEW = Context()
#: Mean over the churn grid, and least cell, of figure 1: an independent recomputation.
GRID_MEANS = {
    "WA": (0.980, 0.806), "H informed": (0.922, 0.020), "EWA": (0.902, -0.184),
    "ACD": (0.861, -0.332), "WCA": (0.594, -0.800), "accuracy": (0.548, -0.943),
    "H": (0.548, -0.943), "CBA": (0.494, -0.896), "IAM": (0.494, -0.896),
    "informedness": (0.185, -0.068), "ROC-AUC": (0.185, -0.068), "WRA": (0.185, -0.068),
    "MCC": (0.172, None), "kappa": (0.158, None), "F1": (0.157, -0.965),
    "Jaccard": (0.157, -0.965), "markedness": (0.138, None), "precision": (0.132, None),
    "NPV": (0.132, None), "B-ROC": (0.093, None), "P4": (0.077, None), "G-mean": (0.068, None),
    "specificity": (0.060, None), "recall": (0.051, -0.980),
}  # fmt: skip


@pytest.fixture(scope="module")
def data() -> Path:
    place = os.environ.get("STAKES_DATA")
    if not place or not (Path(place) / "telco_churn").is_dir():
        pytest.skip("STAKES_DATA is not set to a folder with telco_churn")
    return Path(place)


@pytest.fixture(scope="module")
def credit(data: Path) -> Path:
    if not (data / "give_me_some_credit").is_dir():
        pytest.skip("STAKES_DATA has no folder give_me_some_credit")
    return data


def assert_cells_agree(outcome: Outcome) -> None:
    assert [cell for cell in outcome.cells if cell.agrees is False] == []


class TestWithoutData:
    def test_accuracy_and_weighted_accuracy(self) -> None:
        outcome = ITEMS["weighted-accuracy"].compute(FEW)
        assert_cells_agree(outcome)
        assert all(claim.holds for claim in outcome.claims)

    def test_elicitation(self) -> None:
        outcome = ITEMS["appendix-a"].compute(FEW)
        assert_cells_agree(outcome)
        table = outcome.tables["weights"]
        # Eq 22: a N / P <= w / (1 - w) <= (1 - a) N / (a P), with N / P = 19; a = 0.5 and 0.75.
        for row, a in ((0, 0.5), (-1, 0.75)):
            low, high = 19 * a, 19 * (1 - a) / a
            assert table["low"][row] == pytest.approx(low / (1 + low))
            assert table["high"][row] == pytest.approx(high / (1 + high))
        assert table["low"][-1] > table["high"][-1]  # 0.75 is beyond (sqrt(5) - 1) / 2

    def test_items_that_read_data_say_so(self) -> None:
        asking = {key for key, item in ITEMS.items() if item.needs}
        assert asking == {"table2", "table3", *(f"figure{k}" for k in range(1, 6))}

    def test_retention_cost_meets_its_ratio(self) -> None:
        values = np.random.default_rng(0).gamma(2.0, 8.0, 200)
        for ratio in GRID:
            cost = _retention_cost(values, ratio)
            miss = np.maximum(values - cost, 0).mean()
            assert miss / (miss + cost) == pytest.approx(ratio, abs=2e-3)

    def test_massive_customers_make_their_share(self) -> None:
        income = np.random.default_rng(0).gamma(2.0, 8.0, 200)
        largest = np.argsort(income)[-4:]
        scaled = massive_revenues(income, 0.02, 0.8)
        assert scaled[largest].sum() / scaled.sum() == pytest.approx(0.8)
        assert np.array_equal(np.delete(scaled, largest), np.delete(income, largest))

    def test_outcomes_have_every_number_of_predicted_positives(self) -> None:
        found = draw_outcomes(np.random.default_rng(0), 30, samples=3, size=200)
        assert (found.tables[..., :, 1].sum(axis=-1) == np.arange(201)).all()
        assert (found.tables[..., 1, :].sum(axis=-1) == 30).all()
        assert np.array_equal(found.missed.sum(axis=2), found.tables[..., 1, 0])

    def test_total_costs_by_a_loop_over_customers(self) -> None:
        rng = np.random.default_rng(0)
        found = draw_outcomes(rng, 30, samples=2, size=200)
        costs = [
            ErrorCosts(rng.random(200), alarm) for alarm in (np.full(200, 0.3), rng.random(200))
        ]
        for several in ([costs[0]], [costs[1]], costs):
            total = found.total_costs(several)
            for k, each in enumerate(several):
                for place in ((0, 0), (0, 100), (1, 57)):
                    missed = sum(each.miss[a] for a in range(200) if found.missed[place][a])
                    called = sum(each.alarm[a] for a in range(200) if found.alarmed[place][a])
                    assert total[(k, *place)] == pytest.approx(missed + called, abs=1e-8)

    def test_trapezoid_mass_against_scipy(self) -> None:
        points = np.linspace(0, 1, 1000)[1:-1]
        for alpha, beta in ((2, 2), (11.2, 0.104), (0.3, 4.0)):
            expected = stats.beta.pdf(points, alpha, beta)
            area = ((expected[1:] + expected[:-1]) / 2 * np.diff(points)).sum()
            assert beta_density_mass(alpha, beta) == pytest.approx(area, rel=1e-9)

    def test_scores_where_nothing_or_everything_is_called(self) -> None:
        tables = np.array([[[90.0, 0.0], [10.0, 0.0]], [[0.0, 90.0], [0.0, 10.0]]])
        found = free_scores(tables)
        assert found["precision"].tolist() == [0.0, 0.1]
        assert found["NPV"].tolist() == [0.9, 0.0]
        assert found["B-ROC"].tolist() == [0.0, pytest.approx(0.55)]
        assert found["markedness"] == pytest.approx([-0.1, 0.1])
        assert found["MCC"].tolist() == [0.0, 0.0]

    def test_h_is_accuracy(self) -> None:
        tables = outcomes_at(0.3, 5).tables
        accuracy = (tables[..., 0, 0] + tables[..., 1, 1]) / 200
        assert np.abs(trapezoid_h(tables, 2.0, 2.0) - accuracy).max() < 1e-15

    def test_correlations_one_by_one(self) -> None:
        rng = np.random.default_rng(0)
        costs = ErrorCosts(rng.gamma(2.0, 3.0, 200), np.full(200, 4.0))
        grid = correlation_grid(
            lambda _, __: costs, ("plain",), shares=(0.2,), ratios=(0.6,), samples=3
        )
        outcomes = outcomes_at(0.2, 3)
        total = outcomes.total_costs([costs])[0]
        scores = {**free_scores(outcomes.tables), **costed_scores(outcomes.tables, costs, 0.6)}
        for name, error in zip(grid["metric"], grid["correlation"], strict=True):
            single = [stats.spearmanr(scores[name][s], -total[s]).statistic for s in range(3)]
            assert error == pytest.approx(np.mean(single), abs=1e-12)

    def test_heat_maps_leave_missing_cells_blank(self) -> None:
        pytest.importorskip("matplotlib", reason="draws with matplotlib")
        values = np.full((11, 11), np.nan)
        values[3, 4], values[5, 6] = -0.52, 0.91
        figure = heat_maps({"one": values, "two": values}, "title", columns=2)
        places = [line.get_xydata().tolist() for line in figure.axes[0].lines]
        assert places == [[[4, 3]], [[6, 5]]]  # one number at each, by column and row


class TestChurn:
    def test_revenues_of_the_sample(self, data: Path) -> None:
        income = revenues(data)
        assert income.mean() == pytest.approx(63.626, abs=5e-4)
        assert income.std() == pytest.approx(29.82806, abs=5e-6)

    def test_retention_costs(self, data: Path) -> None:
        wanted = (24.847, 18.364, 14.994, 12.408, 10.243, 8.283, 6.461, 4.772, 3.181, 1.591, 0.1591)
        for ratio, cost in zip(GRID, wanted, strict=True):
            found = churn_costs(revenues(data), ratio)
            assert found.alarm[0] == pytest.approx(cost, abs=6e-4)
            assert found.ratio == pytest.approx(ratio, abs=1.05e-4)

    def test_identities_and_quadrature(self, data: Path) -> None:
        outcome = ITEMS["table2"].compute(Context(data))
        assert_cells_agree(outcome)
        alpha, beta = matched_beta(churn_costs(revenues(data), 0.01).shares)
        assert beta_density_mass(alpha, beta) == pytest.approx(0.348, abs=5e-4)
        assert "EWA of the example is 0.260 instead of 0.749." in outcome.claims[1].evidence
        assert (alpha, beta) == (pytest.approx(11.2, abs=0.05), pytest.approx(0.104, abs=5e-4))
        assert [(c.erratum, c.holds) for c in outcome.claims] == [(5, False), (6, False)]

    def test_some_cells_of_figures_1_and_3(self, data: Path) -> None:
        shares = (0.01, 0.7)
        grid = correlation_grid(
            churn_use_case(data), ("plain", "worst", "best"), shares=shares, samples=40
        )
        for metric, printed, weighing in (
            ("WA", PANELS["churn WA"], "plain"),
            ("EWA as coded", PANELS["churn EWA"], "plain"),
            ("G-mean", PANELS["churn weighted G-mean"], "worst"),
        ):
            shown = np.full_like(printed, np.nan)
            columns = [GRID.index(share) for share in shares]
            shown[:, columns] = printed[:, columns]
            cells = _panel_cells(grid, metric, shown, metric, weighing)
            assert len(cells) == 22
            assert [cell for cell in cells if not cell.agrees] == []
        # On the line r_C = 1 - r+, where the orientations differ most: -.166 is printed.
        line = GRID.index(0.3), GRID.index(0.7)
        assert panel(grid, "G-mean", "worst")[line] < 0 < panel(grid, "G-mean", "best")[line] - 0.5
        # The trapezoid rule, not the exact integral, gives the printed cell.
        place = GRID.index(0.2), GRID.index(0.7)
        gap = panel(grid, "EWA")[place] - PANELS["churn EWA"][place]
        coded = panel(grid, "EWA as coded")[place] - PANELS["churn EWA"][place]
        assert abs(coded) < abs(gap)
        found = weighted_claims(grid, "churn", PANELS["churn weighted G-mean"])
        assert [(claim.erratum, claim.holds) for claim in found if claim.erratum] == [(4, False)]

    def test_means_over_the_grid(self, data: Path) -> None:
        grid = correlation_grid(churn_use_case(data), samples=15)
        for metric, (mean, least) in GRID_MEANS.items():
            values = panel(grid, as_coded(metric))
            assert values.mean() == pytest.approx(mean, abs=0.02), metric
            if least is not None:  # of 15 samples instead of 100
                assert values.min() == pytest.approx(least, abs=0.08), metric

    def test_table_3_scenario_1_as_printed(self, data: Path) -> None:
        case = _scenario(revenues(data), *_SCENARIOS[0])
        (found,) = _printed_gaps([case], lambda _: None, trials=60)
        for metric in METRICS:  # 60 of the 1000 trials: the gaps here hardly vary
            assert found[metric] == pytest.approx(TABLE_3[metric][0], abs=1.5)

    def test_the_printed_curve_is_an_erratum(self, data: Path) -> None:
        outcome = table_3.compute(Context(data), trials=3)
        assert [(c.erratum, c.holds) for c in outcome.claims if c.erratum] == [(3, False)]
        (claim,) = (claim for claim in outcome.claims if claim.erratum)
        assert "an area of 0.333, worse than chance; TPR = sqrt(FPR) has 0.667." in claim.evidence

    @pytest.mark.parametrize("number", range(4))
    def test_table_3_with_positives_drawn_anew(self, data: Path, number: int) -> None:
        case = _scenario(revenues(data), *_SCENARIOS[number])
        rng = np.random.default_rng(1)
        # A random part of random positives is a random part of all.
        lost = [rng.random((400, 200)).argsort(axis=1)[:, : int(count)] for count in case.misses]
        found = case.mean_gaps(np.stack([case.costs.miss[w].sum(axis=1) for w in lost], axis=1))
        spread = 5 * 60 / np.sqrt(400)  # five standard errors; sums of 40 costs vary by 50 to 60
        for metric in METRICS:
            assert found[metric] == pytest.approx(TABLE_3[metric][number], abs=spread)

    def test_weighted_accuracy_loses_little_when_positives_are_fixed(self, data: Path) -> None:
        for place in _SCENARIOS:
            case = _scenario(revenues(data), *place)
            assert _fixed_gaps(case, np.random.default_rng(1), 50)["WA"] < 2

    def test_weighted_accuracy_loses_nothing_when_candidates_cut_one_score(
        self, data: Path
    ) -> None:
        for place in _SCENARIOS:
            case = _scenario(revenues(data), *place)
            rng = np.random.default_rng(1)
            order = rng.random((50, 200)).argsort(axis=1)[:, : case.positives]
            parts = [order[:, : int(count)] for count in case.misses]
            lost = np.stack([case.costs.miss[part].sum(axis=1) for part in parts], axis=1)
            assert case.mean_gaps(lost)["WA"] == pytest.approx(0, abs=0.05)

    def test_corrected_curve_has_better_candidates(self, data: Path) -> None:
        case = _scenario(revenues(data), 0.2, 0.5, power=0.5)
        hits, alarms = (case.positives - case.misses) / case.positives, case.alarms / 160
        assert (hits >= alarms - 0.02).all()
        assert case.chosen()["recall"] > case.chosen()["specificity"]

    def test_realised_ratio_with_massive_customers(self, data: Path) -> None:
        income, off, corrected = revenues(data), [], []
        for customers in _CUSTOMERS:
            for revenue in _REVENUES:
                costs = _variant_costs(income, customers, revenue)
                off += [abs(each.ratio - r) for each, r in zip(costs, GRID, strict=True)]
                scaled = massive_revenues(income, customers, revenue)
                corrected += [abs(churn_costs(scaled, r).ratio - r) for r in GRID]
        assert sum(gap > 0.01 for gap in off) == 21
        assert max(off) == pytest.approx(0.059, abs=5e-4)
        assert max(corrected) < 0.01  # by the mean revenue after scaling


class TestCredit:
    def test_84_cells_and_realised_ratios(self, credit: Path) -> None:
        costs = _realised(credit_use_case(credit))
        assert costs.shape[0] == 84
        for share, ratio in ((0.01, 0.042), (0.2, 0.408), (0.5, 0.5), (0.99, 0.5)):
            at = (costs["positives"] == share) & (costs["nominal"] == 0.5)
            assert costs["realised"][at] == pytest.approx(ratio, abs=5e-4)
        claim = realised_claim(costs)
        assert (claim.erratum, claim.holds) == (7, False)
        assert "is 0.042 for r+ = 0.01, 0.408 for 0.2 and 0.500 for 0.5" in claim.evidence

    def test_customers_without_costs_have_no_share_of_them(self, credit: Path) -> None:
        """Whoever has no line brings no profit; an alarm costs nothing where it is clipped to 0."""
        line, profit = _credit_lines(credit)
        nobody = int(((line == 0) & (profit == 0)).sum())
        cells = [costs for share in GRID for ratio in GRID
                 if (costs := credit_use_case(credit)(share, ratio)) is not None]  # fmt: skip
        assert min(len(costs.shares) for costs in cells) == 200 - nobody

    def test_some_cells_of_figure_2(self, credit: Path) -> None:
        grid = correlation_grid(credit_use_case(credit), shares=(0.3,), samples=40)
        shown = np.full((11, 11), np.nan)
        shown[:, GRID.index(0.3)] = PANELS["credit WA"][:, GRID.index(0.3)]
        cells = _panel_cells(grid, "WA", shown, "WA")
        assert len(cells) == 8
        assert all(cell.agrees for cell in cells)


def test_panels_drawn_as_coded_are_in_the_grid() -> None:
    costs = ErrorCosts(np.linspace(0, 5, 200), np.full(200, 2.0))
    grid = correlation_grid(lambda _, __: costs, shares=(0.5,), ratios=(0.5,), samples=2)
    assert {as_coded(metric) for metric in METRICS} <= set(grid["metric"])


class TestDamagedFiles:
    """Each is told by its name."""

    @pytest.mark.parametrize(
        "content", [b"", b"a,b\n1,2\n", b"MonthlyCharges\nmuch\n", b"\xff\xfe"]
    )
    def test_churn(self, tmp_path: Path, content: bytes) -> None:
        name = "WA_Fn-UseC_-Telco-Customer-Churn.csv"
        (tmp_path / "telco_churn").mkdir()
        (tmp_path / "telco_churn" / name).write_bytes(content)
        with pytest.raises(DataError, match=f"{name} is damaged"):
            revenues(tmp_path)

    @pytest.mark.parametrize(
        "content",
        [b"", b"not packed", gzip.compress(b"a,b\n1,2\n"), gzip.compress(b"a,b\n" * 99)[:-9]],
        ids=["empty", "not packed", "other columns", "cut"],  # packed bytes hold the time
    )
    def test_credit(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "give_me_some_credit").mkdir()
        (tmp_path / "give_me_some_credit" / "creditscoring1.csv.gz").write_bytes(content)
        with pytest.raises(DataError, match=r"creditscoring1\.csv\.gz is damaged"):
            _credit_lines(tmp_path)
