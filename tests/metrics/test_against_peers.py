"""Classical metrics equal those of other libraries, over thousands of random tables."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from stakes import metrics
from stakes.metrics import catalogue


def random_tables(n_classes: int, n: int) -> np.ndarray:
    """Tables from near-perfect to hopeless, with every class and every decision present."""
    rng = np.random.default_rng(n_classes)
    skew = rng.gamma(0.5, size=(n, n_classes, n_classes))
    skew[:, np.arange(n_classes), np.arange(n_classes)] *= rng.uniform(0.2, 20, size=(n, 1))
    counts = rng.poisson(40 * skew / skew.mean(axis=(1, 2), keepdims=True)).astype(np.int64)
    usable = (counts.sum(axis=1).min(axis=1) > 0) & (counts.sum(axis=2).min(axis=1) > 0)
    return counts[usable]


def as_columns(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One weighted row per cell: truth, decision, weight."""
    size = counts.shape[0]
    truth, chosen = np.divmod(np.arange(size * size), size)
    return truth, chosen, counts.ravel()


def as_rows(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One row per case: truth, decision."""
    truth, chosen, weight = as_columns(counts)
    return np.repeat(truth, weight), np.repeat(chosen, weight)


class TestAgainstSklearn:
    def compare(self, ours: str, theirs, n_classes: int, n: int, **given) -> None:
        tables = random_tables(n_classes, n)
        metric = catalogue[ours].fixed(**given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # theirs warn where ours is nan
            expected = np.array([theirs(*as_columns(counts)) for counts in tables])
        found = metric.values(tables)
        defined = ~np.isnan(found)
        assert defined.mean() > 0.8
        np.testing.assert_allclose(found[defined], expected[defined], rtol=1e-10, atol=1e-12)

    @pytest.mark.parametrize(
        ("ours", "theirs", "given", "options"),
        [
            ("recall", "recall_score", {}, {}),
            ("precision", "precision_score", {}, {}),
            ("specificity", "recall_score", {}, {"pos_label": 0}),
            ("negative_predictive_value", "precision_score", {}, {"pos_label": 0}),
            ("f1", "f1_score", {}, {}),
            ("f_beta", "fbeta_score", {"beta": 2.0}, {"beta": 2.0}),
            ("f_beta", "fbeta_score", {"beta": 0.5}, {"beta": 0.5}),
            ("jaccard", "jaccard_score", {}, {}),
            ("mcc", "matthews_corrcoef", {}, {}),
            ("kappa", "cohen_kappa_score", {}, {}),
            ("accuracy", "accuracy_score", {}, {}),
            ("balanced_accuracy", "balanced_accuracy_score", {}, {}),
        ],
    )
    def test_two_classes(self, ours: str, theirs: str, given: dict, options: dict) -> None:
        sklearn = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
        function = getattr(sklearn, theirs)
        self.compare(
            ours, lambda y, d, w: function(y, d, sample_weight=w, **options), 2, 250, **given
        )

    @pytest.mark.parametrize("n_classes", [3, 6])
    @pytest.mark.parametrize(
        ("ours", "theirs", "given", "options"),
        [
            ("mcc", "matthews_corrcoef", {}, {}),
            ("kappa", "cohen_kappa_score", {}, {}),
            ("kappa", "cohen_kappa_score", {"weights": "linear"}, {"weights": "linear"}),
            ("kappa", "cohen_kappa_score", {"weights": "quadratic"}, {"weights": "quadratic"}),
            ("macro_f1", "f1_score", {}, {"average": "macro"}),
            ("micro_f1", "f1_score", {}, {"average": "micro"}),
            ("weighted_f1", "f1_score", {}, {"average": "weighted"}),
            ("macro_precision", "precision_score", {}, {"average": "macro"}),
            ("macro_recall", "recall_score", {}, {"average": "macro"}),
            ("balanced_accuracy", "balanced_accuracy_score", {}, {}),
        ],
    )
    def test_many_classes(
        self, ours: str, theirs: str, given: dict, options: dict, n_classes: int
    ) -> None:
        sklearn = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
        function = getattr(sklearn, theirs)
        self.compare(
            ours, lambda y, d, w: function(y, d, sample_weight=w, **options), n_classes, 100,
            **given,
        )  # fmt: skip

    def test_likelihood_ratios(self) -> None:
        sklearn = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
        for counts in random_tables(2, 150):
            (tn, fp), (fn, _) = counts
            if 0 in (tn, fp, fn):
                continue
            positive, negative = sklearn.class_likelihood_ratios(
                *as_columns(counts)[:2], sample_weight=as_columns(counts)[2]
            )
            assert metrics.positive_likelihood_ratio(counts) == pytest.approx(positive)
            assert metrics.negative_likelihood_ratio(counts) == pytest.approx(negative)

    @pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
    def test_averages(self, average: str) -> None:
        sklearn = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
        for counts in random_tables(4, 80):
            y, d, w = as_columns(counts)
            p, r, f, _ = sklearn.precision_recall_fscore_support(
                y, d, sample_weight=w, average=average, beta=2.0, zero_division=0
            )
            assert metrics.multiclass_precision(counts, average=average) == pytest.approx(p)
            assert metrics.multiclass_recall(counts, average=average) == pytest.approx(r)
            assert metrics.multiclass_f_beta(counts, beta=2, average=average) == pytest.approx(f)

    @pytest.mark.parametrize("counts", [[[5, 0], [3, 0]], [[0, 4], [0, 9]], [[7, 0], [0, 0]]])
    def test_silent_zeros_are_nan_here(self, counts: list) -> None:
        sklearn = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
        y, d, w = as_columns(np.array(counts))
        assert sklearn.matthews_corrcoef(y, d, sample_weight=w) == 0
        assert math.isnan(metrics.mcc(counts))


class TestAgainstImbalancedLearn:
    @pytest.mark.parametrize("n_classes", [2, 3, 5])
    def test_geometric_mean(self, n_classes: int) -> None:
        imblearn = pytest.importorskip("imblearn.metrics", reason="compares with imbalanced-learn")
        average = "binary" if n_classes == 2 else "multiclass"
        for counts in random_tables(n_classes, 60):
            y, d = as_rows(counts)  # its specificity ignores part of the weights
            expected = imblearn.geometric_mean_score(y, d, average=average)
            assert metrics.geometric_mean(counts) == pytest.approx(expected, abs=1e-12)

    def test_sensitivity_and_specificity(self) -> None:
        imblearn = pytest.importorskip("imblearn.metrics", reason="compares with imbalanced-learn")
        for counts in random_tables(2, 60):
            found = metrics.recall(counts), metrics.specificity(counts)
            y, d = as_rows(counts)
            assert found[0] == pytest.approx(imblearn.sensitivity_score(y, d, average="binary"))
            assert found[1] == pytest.approx(imblearn.specificity_score(y, d, average="binary"))


PYCM_NAMES = {
    "recall": "TPR", "specificity": "TNR", "precision": "PPV",
    "negative_predictive_value": "NPV", "false_positive_rate": "FPR",
    "false_negative_rate": "FNR", "false_discovery_rate": "FDR",
    "false_omission_rate": "FOR", "f1": "F1", "jaccard": "J", "informedness": "J_",
    "markedness": "MK", "mcc": "MCC", "positive_likelihood_ratio": "PLR",
    "negative_likelihood_ratio": "NLR", "diagnostic_odds_ratio": "DOR",
    "fowlkes_mallows": "G",
}  # fmt: skip


class TestAgainstPycm:
    def test_two_classes(self) -> None:
        pycm = pytest.importorskip("pycm", reason="compares with pycm")
        compared = 0
        for counts in random_tables(2, 2000):
            theirs = pycm.ConfusionMatrix(
                matrix={i: dict(enumerate(row)) for i, row in enumerate(counts.tolist())}
            )
            for name, attribute in PYCM_NAMES.items():
                if attribute == "J_":
                    expected = theirs.TPR[1] + theirs.TNR[1] - 1
                else:
                    expected = getattr(theirs, attribute)[1]
                found = catalogue[name](counts)
                if expected == "None" or math.isnan(found):
                    continue
                assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), name
                compared += 1
        assert compared > 20_000

    @pytest.mark.parametrize("n_classes", [3, 5])
    def test_many_classes(self, n_classes: int) -> None:
        pycm = pytest.importorskip("pycm", reason="compares with pycm")
        for counts in random_tables(n_classes, 400):
            theirs = pycm.ConfusionMatrix(
                matrix={i: dict(enumerate(row)) for i, row in enumerate(counts.tolist())}
            )
            assert metrics.kappa(counts) == pytest.approx(theirs.Kappa)
            assert metrics.mcc(counts) == pytest.approx(theirs.Overall_MCC)
            assert metrics.class_balance_accuracy(counts) == pytest.approx(theirs.CBA)
            assert metrics.macro_precision(counts) == pytest.approx(theirs.PPV_Macro)
            assert metrics.macro_recall(counts) == pytest.approx(theirs.TPR_Macro)
            assert metrics.macro_f1(counts) == pytest.approx(theirs.F1_Macro)
