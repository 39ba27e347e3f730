"""What each of 200 customers costs when misjudged, random outcomes, and the metrics of Table 2
for them.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stakes import CostMatrix
from stakes.exceptions import DataError
from stakes.metrics import catalogue, matched_beta
from stakes.typing import FloatArray

#: Values of the share of positives and of the cost ratio (section 4.1).
GRID = (0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
CUSTOMERS = 200
#: Probability that a retention measure works (appendix B.1).
EFFECTIVENESS = 0.25
#: Of a loan: months, monthly rates of lending and of funding, monthly incomes lent, highest line.
MONTHS, LENDING, FUNDING, INCOMES, HIGHEST = 24, 0.0479 / 12, 0.0294 / 12, 3, 25_000.0


class ErrorCosts(NamedTuple):
    """Cost of missing, and of raising a false alarm for, each customer."""

    miss: FloatArray
    alarm: FloatArray

    @property
    def ratio(self) -> float:
        """The realised cost ratio: C_FN / (C_FN + C_FP) of the average costs."""
        miss, alarm = float(self.miss.mean()), float(self.alarm.mean())
        return miss / (miss + alarm)

    @property
    def shares(self) -> FloatArray:
        """c = C_FP / (C_FP + C_FN) of each customer who costs anything."""
        both = self.alarm + self.miss
        return np.asarray(self.alarm[both > 0] / both[both > 0])


CostsOf: TypeAlias = Callable[[float, float], ErrorCosts | None]


@lru_cache(maxsize=2)
def revenues(data: Path) -> FloatArray:
    """Monthly charges of 200 customers drawn as in the authors' code (section 4.1.1)."""
    path = data / "telco_churn" / "WA_Fn-UseC_-Telco-Customer-Churn.csv"
    with _named(path), path.open(encoding="utf-8", newline="") as file:
        charges = np.array([float(row["MonthlyCharges"]) for row in csv.DictReader(file)])
        if charges.size < CUSTOMERS:
            raise ValueError(f"{charges.size} customers")
    return np.random.default_rng(42).choice(charges, CUSTOMERS, replace=False)


def _retention_cost(values: FloatArray, ratio: float, *, fallback: float | None = None) -> float:
    """Cost M of a retention measure for which C_FN / (C_FN + C_FP) has the wanted value.

    Solves M = g sum(max(M, v)), v being what each retained customer is worth and g the share
    (1 - ratio) / n. Like the authors' loop, the sum starts one customer early, which moves the
    ratio by at most 1e-4. Where M lies below every v it is `fallback`, by default (1 - ratio)
    times the mean of v, which is exact.
    """
    v, n = np.sort(values), values.size
    g = (1 - ratio) / n
    k = np.arange(n - 1)
    tails = np.cumsum(v[::-1])[::-1][:-1]
    cost = g * tails / (1 - g * k)
    below = cost < v[0]
    inside = (v[:-1] <= cost) & (cost <= v[1:])
    first = int(np.argmax(below | inside))
    if below[first]:
        return (1 - ratio) * float(v.mean()) if fallback is None else fallback
    return float(cost[first])


def churn_costs(income: FloatArray, ratio: float, *, fallback: float | None = None) -> ErrorCosts:
    """Costs of the churn use case: a measure for everybody called, revenue lost for the missed."""
    values = EFFECTIVENESS * income
    cost = _retention_cost(values, ratio, fallback=fallback)
    return ErrorCosts(np.maximum(values - cost, 0.0), np.full(values.size, cost))


def churn_use_case(data: Path) -> CostsOf:
    """Costs by share of positives, which does not matter here, and cost ratio."""
    income = revenues(data)
    return lambda _, ratio: churn_costs(income, ratio)


def massive_revenues(income: FloatArray, customers: float, share: float) -> FloatArray:
    """Revenues in which the largest `customers` (a fraction) make `share` of the total."""
    count = round(customers * income.size)
    largest = np.argsort(income)[-count:]
    rest = float(income.sum() - income[largest].sum())
    scaled = income.copy()
    scaled[largest] *= share / (1 - share) * rest / income[largest].sum()
    return scaled


@lru_cache(maxsize=2)
def _credit_lines(data: Path) -> tuple[FloatArray, FloatArray]:
    """Credit line and profit of 200 customers drawn as in the authors' code (appendix B.2)."""
    path = data / "give_me_some_credit" / "creditscoring1.csv.gz"
    with _named(path), gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
        places = names.index("MonthlyIncome"), names.index("DebtRatio")
        known = [row for row in rows if "NA" not in row and "" not in row]
        income, debt = np.array([[float(row[k]) for k in places] for row in known]).T
    income, debt = income[income > 0], debt[income > 0]  # without income there is no line
    paid = np.minimum(_instalment(INCOMES * income, LENDING) / income, 1 - np.clip(debt, 0, 1))
    line = np.minimum.reduce(
        [INCOMES * income, np.full(income.size, HIGHEST), _present(income * paid, LENDING)]
    )
    profit = _present(_instalment(line, LENDING), FUNDING) - line
    # What a pandas frame does when it is asked for a sample with this seed.
    drawn = np.random.RandomState(242).permutation(line.size)[:CUSTOMERS]
    return line[drawn], profit[drawn]


def _credit_costs(
    line: FloatArray, profit: FloatArray, positives: float, ratio: float
) -> ErrorCosts | None:
    """Costs of the credit use case; None where no loss given default yields the cost ratio."""
    if ratio >= 1 / (1 + positives):
        return None
    mean_line, mean_profit = float(line.mean()), float(profit.mean())
    loss = positives * mean_profit * ratio / (mean_line * (1 - (1 + positives) * ratio))
    other = -mean_profit * (1 - positives) + mean_line * loss * positives
    return ErrorCosts(line * loss, np.maximum(profit + other, 0.0))


def credit_use_case(data: Path) -> CostsOf:
    """Costs by share of positives and cost ratio."""
    line, profit = _credit_lines(data)
    return lambda positives, ratio: _credit_costs(line, profit, positives, ratio)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file that something is wrong with; one that is not there names itself."""
    try:
        yield
    except (KeyError, IndexError, ValueError, TypeError, EOFError, gzip.BadGzipFile) as error:
        raise DataError(
            f"{path} is damaged, or not the file that is meant.", hint="copy it again"
        ) from error


def _instalment(line: FloatArray, rate: float) -> FloatArray:
    """Monthly payment of a loan."""
    growth = (1 + rate) ** MONTHS
    return np.asarray(line * rate * growth / (growth - 1))


def _present(instalment: FloatArray, rate: float) -> FloatArray:
    """Present value of a monthly payment."""
    return np.asarray(instalment / rate * (1 - (1 + rate) ** -MONTHS))


#: Differences below this, in the unit of the costs, are rounding; outcomes that cost the same tie.
_DECIMALS = 9


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Samples of customers, each with one outcome for every number of predicted positives.

    `tables` are the confusion matrices, rows negative and positive, of shape (samples, n + 1, 2, 2)
    for n customers; `missed` and `alarmed` mark the customers on whom each outcome is wrong.
    """

    tables: FloatArray
    missed: NDArray[np.bool_]
    alarmed: NDArray[np.bool_]

    def total_costs(self, costs: list[ErrorCosts]) -> FloatArray:
        """TCC of every outcome under every set of costs (eq 1): (sets, samples, outcomes)."""
        misses = np.stack([each.miss for each in costs], axis=1)
        alarms = np.stack([each.alarm for each in costs], axis=1)
        total = self.missed.reshape(-1, CUSTOMERS).astype(np.float64) @ misses
        if (alarms == alarms[:1]).all():  # the same for every customer: only their number matters
            total += self.tables[..., 0, 1].reshape(-1, 1) * alarms[:1]
        else:
            total += self.alarmed.reshape(-1, CUSTOMERS).astype(np.float64) @ alarms
        shaped = np.round(total, _DECIMALS).reshape(*self.tables.shape[:2], len(costs))
        return np.ascontiguousarray(np.moveaxis(shaped, -1, 0))


def draw_outcomes(
    rng: np.random.Generator, positives: int, *, samples: int = 100, size: int = CUSTOMERS
) -> Outcomes:
    """Random positives and, for each number of predicted positives, a random set of that size.

    As in section 4.1: predictions do not depend on the labels, so every outcome is one of chance.
    """
    label = rng.random((samples, size), dtype=np.float32).argsort(axis=1) < positives
    order = rng.random((samples, size + 1, size), dtype=np.float32).argsort(axis=2)
    called = order < np.arange(size + 1)[:, None]
    missed, alarmed = label[:, None] & ~called, ~label[:, None] & called
    fn, fp = missed.sum(axis=2), alarmed.sum(axis=2)
    cells = np.stack([size - positives - fp, fp, fn, positives - fn], axis=-1)
    tables = cells.reshape(samples, size + 1, 2, 2).astype(np.float64)
    return Outcomes(tables, missed, alarmed)


#: Also rated "as coded": with costs, the authors' code integrates by trapezoids; without, it adds
#: 1e-9 to a denominator, which breaks ties.
_CODED = {"precision", "NPV", "H informed", "EWA"}
#: In the order of the paper's figures.
METRICS = (
    "accuracy", "CBA", "IAM", "H", "WCA", "kappa", "informedness", "ROC-AUC", "WRA", "MCC",
    "markedness", "precision", "NPV", "P4", "G-mean", "Jaccard", "F1", "recall", "B-ROC",
    "specificity", "ACD", "WA", "H informed", "EWA",
)  # fmt: skip
#: Those that look at costs.
_COSTED = {"WCA", "WRA", "ACD", "WA", "H informed", "EWA"}
#: Names in the catalogue that are not the paper's in small letters.
_CATALOGUED = {
    "CBA": "class_balance_accuracy",
    "IAM": "imbalance_accuracy",
    "H": "beta_averaged_accuracy",
    "ROC-AUC": "balanced_accuracy",
    "NPV": "negative_predictive_value",
    "G-mean": "geometric_mean",
    "B-ROC": "precision_recall_mean",
}
#: The interior points at which the authors' code takes the density of a Beta distribution.
POINTS = np.linspace(0, 1, 1000)[1:-1]
#: Scores that differ by less are equal but for rounding.
_PREFERENCE_DECIMALS = 12
_TINY = 1e-9


def free_scores(tables: FloatArray) -> dict[str, FloatArray]:
    """Scores, higher is better, of the metrics without costs; at 0/0 as in the authors' code."""
    (tn, fp), (fn, tp) = np.moveaxis(tables, (-2, -1), (0, 1))
    coded = {"precision as coded": tp / (tp + fp + _TINY), "NPV as coded": tn / (tn + fn + _TINY)}
    instead = {
        "markedness": np.where(tp + fp == 0, -fn / (tn + fn + _TINY), coded["precision as coded"]),
        "B-ROC": tp / (tp + fn) / 2,
    }
    found = {}
    for name in METRICS:
        if name not in _COSTED:
            value = catalogue[_CATALOGUED.get(name, name.lower())].values(tables)
            value = np.where(np.isnan(value), instead.get(name, 0.0), value)
            found[name] = np.round(value, _PREFERENCE_DECIMALS)
    return found | coded


def as_coded(metric: str) -> str:
    """The name under which a metric of the figures stands as the authors' code computes it."""
    return f"{metric} as coded" if metric in _CODED else metric


def costed_scores(tables: FloatArray, costs: ErrorCosts, ratio: float) -> dict[str, FloatArray]:
    """Scores, higher is better, of the metrics with costs.

    As in the paper they take the nominal cost ratio; H informed and EWA take the Beta distribution
    that matches the customers' own ratios.
    """
    matrix = CostMatrix.binary(false_positive=1.0, false_negative=ratio / (1 - ratio))
    shares = costs.shares
    alpha, beta = matched_beta(shares)
    by_cost = {"application": matrix}
    asked: dict[str, tuple[str, dict[str, Any]]] = {
        "WCA": ("weighted_class_accuracy", by_cost),
        "WRA": ("weighted_relative_accuracy", by_cost),
        "ACD": ("accuracy_cost_distance", by_cost),
        "WA": ("weighted_accuracy", {"weight": ratio}),
        "H informed": ("matched_beta_accuracy", {"shares": shares}),
        # The Beta distribution is one of c = 1 - w, hence the order of its parameters.
        "EWA": ("expected_weighted_accuracy", {"alpha": beta, "beta": alpha}),
    }
    found = {name: catalogue[m].fixed(**how).values(tables) for name, (m, how) in asked.items()}
    found["ACD"] = -found["ACD"]
    found["H informed as coded"] = trapezoid_h(tables, alpha, beta)
    found["EWA as coded"] = _trapezoid_ewa(tables, alpha, beta)
    return {name: np.round(value, _PREFERENCE_DECIMALS) for name, value in found.items()}


def beta_density_mass(alpha: float, beta: float) -> float:
    """Mass of a Beta distribution that the authors' trapezoid rule sees; 1 would be all of it."""
    return float(_trapezoid_weights(alpha, beta).sum())


def _trapezoid_weights(alpha: float, beta: float) -> FloatArray:
    """Weights of the 998 points: the density times the width that the trapezoid rule gives it."""
    from scipy.special import betaln, xlog1py, xlogy

    width = np.full(POINTS.size, POINTS[1] - POINTS[0])
    width[[0, -1]] /= 2
    log_density = xlogy(alpha - 1, POINTS) + xlog1py(beta - 1, -POINTS) - betaln(alpha, beta)
    return np.asarray(np.exp(log_density) * width)


def trapezoid_h(tables: FloatArray, alpha: float, beta: float) -> FloatArray:
    """H by its definition in Table 2, the integrals by trapezoids.

    Both are linear in c, so that they need only the mass and the first moment of its density.
    """
    weights = _trapezoid_weights(alpha, beta)
    alarm = float(weights @ POINTS)
    miss = float(weights.sum()) - alarm
    (tn, fp), (fn, tp) = np.moveaxis(tables, (-2, -1), (0, 1))
    whole = alarm * (tn + fp) + miss * (fn + tp)
    return np.asarray(1 - (alarm * fp + miss * fn) / whole)


def _trapezoid_ewa(tables: FloatArray, alpha: float, beta: float) -> FloatArray:
    """EWA by trapezoids; all tables must have the same class totals."""
    weights = _trapezoid_weights(alpha, beta)
    negatives, positives = tables.reshape(-1, 2, 2)[0].sum(axis=1)
    whole = positives * (1 - POINTS) + negatives * POINTS
    hits, rest = float(weights @ ((1 - POINTS) / whole)), float(weights @ (POINTS / whole))
    return np.asarray(hits * tables[..., 1, 1] + rest * tables[..., 0, 0])
