"""Ferrer, TMLR 2025, Table 2: the calibrated rows of the 17 systems whose scores are public.

Affine calibration on log-posteriors, five stratified folds shuffled with seed 0, on the test data;
priors from the data; NEC of the Bayes decisions for the costs 0-1, 1/(K P_i), and 0-1 with the last
row times 100. For two classes also 1 - AUC and the EER, which the paper's code takes as the
false-alarm rate where the two error rates are nearest, among the points of the ROC curve at which
a step changes.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp

from stakes import Application, CostMatrix, ScoreCounts, bayes_decisions, normalized_expected_cost
from stakes.calibration import Affine, cross_fit, stratified_folds
from stakes.metrics import auc

# name: folder, kind of change, cells (NEC 0-1, NEC 1/(K P), NEC imbalanced, error rate, 1-AUC, EER)
SYSTEMS = {
    "SST2 GPT2-4sh": ("sst2_gpt2_4shot", None, (0.226, 0.225, 0.921, 0.113, 0.048, 0.116)),
    "SST2 GPT2-0sh": ("sst2_gpt2", None, (0.310, 0.308, 0.907, 0.155, 0.072, 0.152)),
    "SST2 Res1": ("sst2_gpt2", (0.7, 0.3), (0.451, 0.306, 1.150, 0.135, 0.074, 0.158)),
    "SST2 Res2": ("sst2_gpt2", (0.8, 0.2), (0.526, 0.305, 1.071, 0.105, 0.079, 0.155)),
    "FVCAUS": ("fvcaus_plda", None, (0.012, 0.003, 0.005, 0.000, 0.000, 0.001)),
    "CIFAR-1vsO": ("cifar100_resnet-20", 1, (0.430, 0.041, 0.041, 0.004, 0.003, 0.023)),
    "CIFAR-2vsO": ("cifar100_resnet-20", 2, (0.560, 0.108, 0.109, 0.006, 0.013, 0.056)),
    "IEMOCAP": ("iemocap_wav2vec_pt", None, (0.494, 0.428, 0.804, 0.342)),
    "IEMOCAP Res1": (
        "iemocap_wav2vec_pt",
        (0.95 / 3, 0.95 / 3, 0.95 / 3, 0.05),
        (0.471, 0.435, 0.620, 0.322),
    ),
    "AGNEWS": ("agnews_gpt2", None, (0.378, 0.378, 1.179, 0.283)),
    "AGNEWS Res1": ("agnews_gpt2", (0.33, 0.33, 0.33, 0.01), (0.277, 0.365, 0.584, 0.186)),
    "CIFAR10 Resnet": ("cifar10_resnet-20", None, (0.083, 0.083, 0.184, 0.075)),
    "CIFAR10 Vgg": ("cifar10_vgg19_bn", None, (0.069, 0.069, 0.186, 0.062)),
    "CIFAR10 RepVgg": ("cifar10_repvgg_a2", None, (0.052, 0.052, 0.129, 0.047)),
    "CIFAR100 Resnet": ("cifar100_resnet-20", None, (0.317, 0.317, 0.351, 0.314)),
    "CIFAR100 Vgg": ("cifar100_vgg19_bn", None, (0.266, 0.266, 0.358, 0.263)),
    "CIFAR100 RepVgg": ("cifar100_repvgg_a2", None, (0.228, 0.228, 0.341, 0.226)),
}


def resampled(logs, y, priors):
    """Draw without replacement, class by class, so that the classes have other shares."""
    random = np.random.RandomState(0)
    counts = np.bincount(y)
    wanted = np.array(priors) * len(y)
    wanted = wanted / (wanted / counts).max()
    rows = [
        random.choice(np.flatnonzero(y == k), int(wanted[k]), replace=False)
        for k in range(len(counts))
    ]
    kept = np.concatenate(rows)
    return logs[kept], y[kept]


def one_against_the_rest(logs, y, k):
    rest = logsumexp(np.delete(logs, k, axis=1), axis=1)
    return np.column_stack([rest, logs[:, k]]), (y == k).astype(int)


def read(folder, name, change):
    scores = np.load(folder / name / "scores.npy").astype(np.float64)
    logs, y = log_softmax(scores, axis=1), np.load(folder / name / "targets.npy").astype(int)
    if isinstance(change, int):
        return one_against_the_rest(logs, y, change)
    return (logs, y) if change is None else resampled(logs, y, change)


def necs(posteriors, y):
    size = posteriors.shape[1]
    shares = np.bincount(y, minlength=size) / len(y)
    plain = 1.0 - np.eye(size)
    last = np.append(np.ones(size - 1), 100.0)
    for costs in (plain, plain / (size * shares)[:, None], plain * last[:, None]):
        app = Application(CostMatrix(costs), priors=shares)
        yield normalized_expected_cost(y, bayes_decisions(posteriors, app), application=app)


def nearest_error_rates(odds, y):
    """False-alarm rate at the first cut, from above, where the two error rates are nearest."""
    counts = ScoreCounts.from_scores(y, odds, kind="llr")
    _, negatives, positives = counts.levels
    alarms, hits = (np.append(0, np.cumsum(part[::-1])) for part in (negatives, positives))
    bend = (np.diff(alarms, 2) != 0) | (np.diff(hits, 2) != 0)
    kept = np.concatenate([[True], bend, [True]])
    alarms, misses = alarms[kept] / negatives.sum(), 1 - hits[kept] / positives.sum()
    return alarms[np.abs(misses - alarms).argmin()]


@pytest.mark.parametrize("name", SYSTEMS)
def test_calibrated_row(name, data_folder):
    where, change, expected = SYSTEMS[name]
    logs, y = read(data_folder, where, change)
    folds = stratified_folds(y, 5, rng=np.random.RandomState(0))
    posteriors = cross_fit(Affine(), logs, y, folds=folds)
    cells = [*necs(posteriors, y), (posteriors.argmax(axis=1) != y).mean()]
    if posteriors.shape[1] == 2:
        odds = np.log(posteriors[:, 1]) - np.log(posteriors[:, 0])
        cells.append(1 - auc(ScoreCounts.from_scores(y, odds, kind="llr")))
        cells.append(nearest_error_rates(odds, y))
    np.testing.assert_allclose(cells, expected, atol=0.002)


def test_folds_are_those_of_sklearn():
    selection = pytest.importorskip("sklearn.model_selection", reason="the folds' own library")
    y = np.random.default_rng(0).integers(0, 3, 97)
    splits = selection.StratifiedKFold(5, shuffle=True, random_state=0).split(y, y)
    number = stratified_folds(y, 5, rng=np.random.RandomState(0))
    for k, (_, test) in enumerate(splits):
        np.testing.assert_array_equal(np.flatnonzero(number == k), test)
