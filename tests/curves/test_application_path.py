"""Costs of several classes along a path, against deciding by hand."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, CostMatrix, bayes_decisions, curves, normalized_expected_cost
from stakes.exceptions import DataError


def drawn(n=300):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    logits = rng.normal(size=(n, 3)) + 2 * np.eye(3)[y]
    q = np.exp(logits)
    return y, q / q.sum(axis=1, keepdims=True)


def test_against_bayes_decisions():
    y, q = drawn()
    path = [Application(CostMatrix([[0, 1, 1], [1, 0, 1], [c, c, 0]])) for c in (0.5, 1, 8)]
    found = curves.application_path(y, q, applications=path, positions=[-1, 0, 3])
    assert found.position.tolist() == [-1, 0, 3]
    for app, value in zip(path, found.normalized_cost, strict=True):
        decided = bayes_decisions(q, app)
        assert value == pytest.approx(normalized_expected_cost(y, decided, application=app))


def test_posteriors_are_moved_to_each_prior():
    y, q = drawn()
    app = Application(CostMatrix.zero_one(3), priors=[0.8, 0.1, 0.1])
    found = curves.application_path(y, q, applications=[app], from_priors=[1 / 3] * 3)
    moved = q * np.array([0.8, 0.1, 0.1])
    decided = np.argmax(moved, axis=1)
    expected = normalized_expected_cost(y, decided, application=app)
    assert found.normalized_cost[0] == pytest.approx(expected)


def test_best_dummy_system_costs_one():
    # cumani: the cost is scaled by the best of the K systems that always say one class.
    y, _ = drawn()
    q = np.tile([1 / 3, 1 / 3, 1 / 3], (y.size, 1))
    app = Application(CostMatrix.zero_one(3), priors=[0.4, 0.35, 0.25])
    assert curves.application_path(y, q, applications=[app]).normalized_cost[0] == pytest.approx(1)


def test_empty_path_is_refused():
    y, q = drawn(5)
    with pytest.raises(DataError, match="must not be empty"):
        curves.application_path(y, q, applications=[])
