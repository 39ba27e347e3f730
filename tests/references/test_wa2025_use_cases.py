"""The churn and credit use cases of "Cost-Sensitive Evaluation for Binary Classifiers", 2025.

Total classification costs with costs per case (eqs 1, 20), on the data of the paper, with its
seeds. Constants of appendix B; figures from independent runs of the authors' procedure.
"""

import csv
import gzip

import numpy as np
import pytest

from stakes import CaseCosts, ConfusionMatrix
from stakes.metrics import case_cost, weighted_accuracy

N = 200
EFFECTIVE = 0.25  # probability that a retention measure works


@pytest.fixture(scope="module")
def revenues(data_folder):
    path = data_folder / "telco_churn" / "WA_Fn-UseC_-Telco-Customer-Churn.csv"
    if not path.exists():
        pytest.skip("needs the Telco churn data")
    with path.open(newline="") as file:
        charges = [float(row["MonthlyCharges"]) for row in csv.DictReader(file)]
    return np.random.default_rng(42).choice(charges, N, replace=False)


@pytest.fixture(scope="module")
def customers(data_folder):
    pandas = pytest.importorskip("pandas", reason="the sample is drawn by pandas")
    path = data_folder / "give_me_some_credit" / "creditscoring1.csv.gz"
    if not path.exists():
        pytest.skip("needs the Give Me Some Credit data")
    with gzip.open(path) as file:
        frame = pandas.read_csv(file)
    earning = frame.dropna()[lambda each: each["MonthlyIncome"] > 0]
    sample = earning.sample(N, random_state=242)
    return sample["MonthlyIncome"].to_numpy(float), sample["DebtRatio"].to_numpy(float)


def retention_cost(revenues, ratio):
    """M with M = g sum_a max(M, .25 R_a), g = (1 - r_C) / N, by bisection."""
    values, low, high = EFFECTIVE * revenues, 0.0, EFFECTIVE * revenues.max()
    for _ in range(200):
        middle = (low + high) / 2
        too_low = middle < (1 - ratio) * np.maximum(middle, values).mean()
        low, high = (middle, high) if too_low else (low, middle)
    return low


def churn_costs(revenues, ratio):
    cost = retention_cost(revenues, ratio)
    misses = np.maximum(0, EFFECTIVE * revenues - cost)
    return CaseCosts.binary(false_positive=np.full(N, cost), false_negative=misses)


class TestChurn:
    def test_sample_of_the_paper(self, revenues):
        assert round(revenues.mean(), 3) == 63.626
        assert round(revenues.std(), 5) == 29.82806

    @pytest.mark.parametrize(
        ("ratio", "cost"),
        [(0.01, 24.847), (0.1, 18.364), (0.2, 14.994), (0.3, 12.408), (0.4, 10.243), (0.5, 8.283),
         (0.6, 6.461), (0.7, 4.772), (0.8, 3.181), (0.9, 1.591), (0.99, 0.1591)],
    )  # fmt: skip
    def test_retention_costs(self, revenues, ratio, cost):
        """Appendix B.1; the published loop starts its sum one element early: 1e-4 in r_C."""
        assert retention_cost(revenues, ratio) == pytest.approx(cost, rel=2e-3)
        average = churn_costs(revenues, ratio).average().values
        realised = average[1, 0] / (average[1, 0] + average[0, 1])
        assert realised == pytest.approx(ratio, abs=1e-9)

    @pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.9])
    def test_total_cost_by_hand_and_by_eq_20(self, revenues, share):
        costs = churn_costs(revenues, 0.5)
        rng = np.random.default_rng(142)
        y = np.zeros(N, dtype=int)
        y[rng.choice(N, round(N * share), replace=False)] = 1
        decisions = rng.integers(0, 2, N)
        found = case_cost(y, decisions, costs=costs)
        fp, fn = costs.values[:, 0, 1], costs.values[:, 1, 0]
        misses, alarms = (y == 1) & (decisions == 0), (y == 0) & (decisions == 1)
        assert found.total == pytest.approx(fn[misses].sum() + fp[alarms].sum())
        by_average = misses.sum() * fn[y == 1].mean() + alarms.sum() * fp[y == 0].mean()
        fluctuation = (fn[misses] - fn[y == 1].mean()).sum()  # false alarms all cost the same
        assert found.by_average == pytest.approx(by_average)
        assert found.fluctuation == pytest.approx(fluctuation, abs=1e-9)

    def test_weighted_accuracy_follows_the_total_cost(self, revenues):
        """Cell (r+ = .5, r_C = .5) of the grid: Spearman .8222 by the authors, .8234 again."""
        from scipy.stats import spearmanr

        costs, rng = churn_costs(revenues, 0.5), np.random.default_rng(142)
        found = []
        for _ in range(8):
            y = np.zeros(N, dtype=int)
            y[rng.choice(N, N // 2, replace=False)] = 1
            totals, scores = [], []
            for k in range(N + 1):
                decisions = np.zeros(N, dtype=int)
                decisions[rng.choice(N, k, replace=False)] = 1
                totals.append(case_cost(y, decisions, costs=costs).total)
                table = ConfusionMatrix.from_decisions(y, decisions, classes=[0, 1])
                scores.append(weighted_accuracy(table, 0.5))
            found.append(spearmanr(-np.array(totals), scores).statistic)
        assert np.mean(found) == pytest.approx(0.823, abs=0.03)


def credit_costs(income, debt, share, ratio):
    """Costs of Bahnsen's credit model with the constants of appendix B.2."""
    months, rate, funding, times, largest = 24, 0.0479 / 12, 0.0294 / 12, 3, 25_000.0

    def instalment(amount):
        return amount * rate * (1 + rate) ** months / ((1 + rate) ** months - 1)

    def present(payment, interest):
        return payment / interest * (1 - (1 + interest) ** -months)

    payable = np.minimum(instalment(times * income) / income, 1 - np.clip(debt, 0, 1))
    line = np.minimum(np.minimum(times * income, largest), present(income * payable, rate))
    profit = present(instalment(line), funding) - line
    lost = share * profit.mean() * ratio / (line.mean() * (1 - (1 + share) * ratio))
    alternative = -profit.mean() * (1 - share) + line.mean() * lost * share
    return CaseCosts.binary(
        false_positive=np.maximum(0, profit + alternative), false_negative=line * lost
    )


class TestCredit:
    @pytest.mark.parametrize(
        ("share", "nominal", "realised"), [(0.01, 0.5, 0.042), (0.2, 0.5, 0.408)]
    )
    def test_realised_ratio_differs_from_the_nominal_one(self, customers, share, nominal, realised):
        """The loss given default is tuned without the clipping of the false-positive costs."""
        average = credit_costs(*customers, share, nominal).average().values
        found = average[1, 0] / (average[1, 0] + average[0, 1])
        assert found == pytest.approx(realised, abs=5e-4)

    def test_total_cost_of_a_random_outcome(self, customers):
        costs = credit_costs(*customers, 0.2, 0.5)
        rng = np.random.default_rng(142)
        y = (rng.random(len(costs)) < 0.2).astype(int)
        decisions = rng.integers(0, 2, len(costs))
        found = case_cost(y, decisions, costs=costs)
        by_hand = sum(costs.values[a, y[a], decisions[a]] for a in range(len(costs)))
        assert found.total == pytest.approx(by_hand)
        assert found.total == pytest.approx(found.by_average + found.fluctuation)
        assert found.normalized > 0
