"""Sliders for several classes: counts at each stop are those of the decisions taken there."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from stakes import Application, CostMatrix, bayes_decisions, evaluate
from stakes.report.live.any_matrix import (
    _SHARE_NUMBERS,
    _abstention,
    _price_path,
    _share_paths,
    matrix_numbers,
    moved_share,
)

COSTS = CostMatrix(
    [[0, 1, 9, 2], [1, 0, 9, 2], [20, 20, 0, 2]],
    classes=["cat", "dog", "fox"],
    decisions=["cat", "dog", "fox", "ask"],
)


def drawn(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, size=n, p=[0.5, 0.4, 0.1])
    score = np.exp(1.3 * (rng.normal(size=(n, 3)) + 1.4 * np.eye(3)[y]) + np.log([0.5, 0.4, 0.1]))
    return y, score / score.sum(axis=1, keepdims=True)


@cache
def judged_with_weights(priors=None):
    return judged(priors, np.random.default_rng(1).uniform(0.1, 2, 300))


def judged(priors=None, weights=None, costs=COSTS):
    y, p = drawn()
    models = {"net": p, "vet": p.argmax(axis=1)}
    app = Application(costs, priors=priors)
    return evaluate(y, models, application=app, sample_weight=weights, recalibrate=False,
                    min_cases=10**6, rng=0)  # fmt: skip


@pytest.mark.parametrize("made", [
    judged, judged_with_weights, lambda: judged([0.2, 0.3, 0.5])
])  # fmt: skip
def test_along_every_path(made):
    ev = made()
    paths = [_price_path(ev, ev.sources), *_share_paths(ev, ev.sources)]
    assert [path.row for path in paths[1:]] != []
    for path in paths:
        assert path.counts[1] is None  # decisions stay
        for stop in (0, path.start, len(path.values) // 3, len(path.values) - 1):
            costs, shares = path.applied(ev, stop)
            p = ev.sources.judged[0].model.at(shares, ev.sources.said_at)
            counts = ev.sources.cases.count(bayes_decisions(p, costs), ev.application).counts
            np.testing.assert_allclose(path.counts[0][stop], counts, rtol=1e-12, atol=1e-9)


def test_moved_share_keeps_proportions():
    found = moved_share(np.array([0.5, 0.3, 0.2]), 2, 0.6)
    np.testing.assert_allclose(found, [0.5 * 0.4 / 0.8, 0.3 * 0.4 / 0.8, 0.6])


def test_abstention_is_a_constant_that_is_no_class():
    assert _abstention(judged()) == 3
    assert _abstention(judged(costs=CostMatrix.zero_one(COSTS.classes))) is None


def test_no_more_than_fits():
    many = CostMatrix.zero_one(130)
    y = np.arange(260) % 130
    p = np.random.default_rng(0).dirichlet(np.ones(130), size=260)
    ev = evaluate(y, {"net": p}, application=many, recalibrate=False, min_cases=10**6, rng=0)
    assert _share_paths(ev, ev.sources) == []
    assert 11 * many.values.size > _SHARE_NUMBERS


def test_what_an_edit_does_is_named():
    ev = judged()
    assert matrix_numbers(ev, embed=False)["how"] == "fixed"
    assert matrix_numbers(ev, embed=True)["how"] == "sample"
    assert (
        matrix_numbers(judged_with_weights(), embed=True)["how"] == "fixed"
    )  # a sample would lose weights
    y, p = drawn()
    decided = evaluate(y, {"vet": p.argmax(axis=1)}, application=COSTS, rng=0)
    assert matrix_numbers(decided, embed=True)["how"] == "decisions"
