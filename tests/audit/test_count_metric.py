"""Any metric as a function of many tables."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stakes import Application, metrics
from stakes.audit.count_metric import as_count_metric
from stakes.exceptions import DataError, UndefinedError
from stakes.metrics.counts.table_cells import as_table

TABLES = np.random.default_rng(3).integers(1, 90, size=(300, 2, 2)).astype(float)


def of_cells(c):
    return c[1, 1] / (c[1, 1] + c[0, 1])


def of_sums(c):
    return c[1, 1] / c[1].sum()


def prevalence_of_all(c):  # right for a batch of one prevalence, wrong for others
    return c[0, 0] / c.sum() + c[1].sum() / c.sum() * c[1, 1] / c.sum()


def with_a_branch(c):
    return c[1, 1] if c[0, 1] > 40 else -c[0, 0]


def with_max(c):
    return max(c[0, 0], c[1, 1])


def determinant(c):
    return float(np.linalg.det(c))


def that_writes(c):
    c[0, 0] = 0
    return c.sum()


@pytest.mark.parametrize(
    "function",
    [of_cells, of_sums, prevalence_of_all, with_a_branch, with_max, determinant, that_writes],
)
def test_many_tables_give_what_each_alone_gives(function) -> None:
    counted = as_count_metric(function)
    before = TABLES.copy()
    expected = [function(table.copy()) for table in TABLES]
    np.testing.assert_allclose(counted.values(TABLES), expected, rtol=1e-12)
    np.testing.assert_array_equal(before, TABLES)


def test_arithmetic_that_fails_is_nan() -> None:
    assert np.isnan(as_count_metric(lambda c: 1 / 0).values(TABLES)).all()
    assert np.isnan(as_count_metric(lambda c: math.sqrt(-c[0, 0])).values(TABLES)).all()
    assert math.isnan(as_count_metric(of_cells).values([[5, 0], [5, 0]]))


def test_other_failures_are_not_hidden() -> None:
    with pytest.raises(IndexError):
        as_count_metric(lambda c: c[5, 5]).values(TABLES)
    with pytest.raises(DataError, match="must return a number"):
        as_count_metric(lambda c: None).values(TABLES)
    with pytest.raises(DataError, match="a name, a Metric or a function"):
        as_count_metric(3)
    with pytest.raises(UndefinedError, match="needs beta"):
        as_count_metric("f_beta")


def test_names_entries_and_functions_are_the_same_metric() -> None:
    values = metrics.catalogue["mcc"].values(TABLES)
    for metric in ("mcc", metrics.catalogue["mcc"], metrics.mcc):
        counted = as_count_metric(metric)
        assert counted.name == "mcc"
        np.testing.assert_array_equal(counted.values(TABLES), values)


def test_direction() -> None:
    assert as_count_metric("error_rate").scores(TABLES)[0] < 0
    assert not as_count_metric(of_cells, higher_is_better=False).higher_is_better


def test_costs_come_from_the_application() -> None:
    counted = as_count_metric("weighted_accuracy", application=Application([[0, 1], [3, 0]]))
    expected = [metrics.weighted_accuracy(as_table(t), 0.75) for t in TABLES]
    np.testing.assert_allclose(counted.values(TABLES), expected)


def test_code_for_whole_cases_is_recognised() -> None:
    fractional = TABLES + 0.37
    assert as_count_metric(lambda c: int(c[1, 1])).truncates(fractional)
    assert not as_count_metric(of_cells).truncates(fractional)


def test_words_are_no_number() -> None:
    with pytest.raises(DataError, match="must return a number"):
        as_count_metric(lambda c: "high").values(TABLES)


@pytest.mark.parametrize("name", ["net_benefit", "weighted_accuracy"])
def test_costs_follow_the_positive_class(name: str) -> None:
    # With the first class positive, a miss is a case of the first class: it costs 1, not 10.
    app = Application([[0, 1], [10, 0]])
    metric = as_count_metric(name, application=app, positive=0)
    pair = np.array([[[50.0, 10.0], [1.0, 39.0]], [[59.0, 1.0], [2.0, 38.0]]])  # 20 against 21
    assert metric.scores(pair)[0] > metric.scores(pair)[1]
