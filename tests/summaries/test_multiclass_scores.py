"""One class against the rest, and classes in pairs."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import metrics
from stakes.exceptions import LabelError
from stakes.summaries import one_vs_rest, pairwise

NAMES = ["a", "b", "c"]


def drawn(n=200):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    logits = rng.normal(size=(n, 3)) + np.eye(3)[y]
    q = np.exp(logits)
    return y, q / q.sum(axis=1, keepdims=True)


def test_one_vs_rest_against_log_odds():
    y, q = drawn()
    found = one_vs_rest(np.array(NAMES)[y], q, classes=NAMES)
    assert list(found) == NAMES
    for k, name in enumerate(NAMES):
        log_odds = np.sort((np.log(q[:, k]) - np.log(1 - q[:, k]))[y == k])
        np.testing.assert_allclose(found[name].positives, log_odds)


def test_mean_auc_against_sklearn():
    sk = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
    y, q = drawn()
    areas = [metrics.auc(sc) for sc in one_vs_rest(y, q).values()]
    assert np.mean(areas) == pytest.approx(sk.roc_auc_score(y, q, multi_class="ovr"))


def test_pairs_hold_the_cases_of_two_classes():
    y, q = drawn()
    found = pairwise(np.array(NAMES)[y], q, classes=NAMES)
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    sc = found["a", "c"]
    assert sc.classes == ("a", "c")
    assert sc.total == np.isin(y, [0, 2]).sum()
    np.testing.assert_allclose(sc.positives, np.sort(np.log(q[y == 2, 2] / q[y == 2, 0])))


def test_certain_posteriors_give_infinite_scores():
    q = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.5, 0.5]]
    found = one_vs_rest([0, 1, 2], q)
    assert found[0].positives.tolist() == [np.inf]
    assert found[0].counts_above(-np.inf).tolist() == [0, 1]
    assert found[0].scores.tolist() == [-np.inf, np.inf]


def test_weights_are_passed_on():
    y, q = drawn(50)
    w = np.arange(50.0) + 1
    assert one_vs_rest(y, q, sample_weight=w)[1].total == w.sum()
    expected = w[np.isin(y, [0, 1])].sum()
    assert pairwise(y, q, sample_weight=w)[0, 1].total == expected


def test_unknown_labels_are_refused():
    with pytest.raises(LabelError, match="'z'"):
        one_vs_rest(["a", "z"], [[0.5, 0.5], [0.5, 0.5]], classes=["a", "b"])
