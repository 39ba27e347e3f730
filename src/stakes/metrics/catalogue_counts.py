"""Facts about the metrics of square tables with any number of classes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from stakes._kernels import many_class_metrics as kernels
from stakes._kernels import two_class_metrics as two_class
from stakes.metrics.costs import expected_cost as special_cases
from stakes.metrics.counts import many_class_rates as agreement
from stakes.metrics.counts import many_class_rates as averages
from stakes.metrics.metric import entry
from stakes.typing import FloatArray

_FERRER = "Ferrer 2025"
_A_CLASS_EMPTY = "a class has no case"
_NEITHER = "a class has neither cases nor decisions"


#: One metric of any number of classes.
_entry = partial(entry, classes="any")


def _error_rate(counts: FloatArray) -> FloatArray:
    """Share of wrong decisions."""
    return 1 - kernels.pooled_f_beta(counts)


def _mean_recall(counts: FloatArray) -> FloatArray:
    """Average recall."""
    return np.asarray(kernels.class_recall(counts).mean(axis=-1))


def _mean_precision(counts: FloatArray) -> FloatArray:
    """Average precision."""
    return np.asarray(kernels.class_precision(counts).mean(axis=-1))


def _mean_f1(counts: FloatArray) -> FloatArray:
    """Average F1."""
    return np.asarray(kernels.class_f_beta(counts, beta=1.0).mean(axis=-1))


def _weighted_f1(counts: FloatArray) -> FloatArray:
    """F1 averaged by class shares."""
    totals = counts.sum(axis=-1)
    scores = kernels.class_f_beta(counts, beta=1.0)
    return kernels.ratio((scores * totals).sum(axis=-1), totals.sum(axis=-1))


def _kappa(counts: FloatArray, weights: Any = None) -> FloatArray:
    """Kappa with weights given as for the public function."""
    table = agreement.disagreement_weights(weights, counts.shape[-1])
    return kernels.weighted_kappa(counts, weights=table)


def _mcc(counts: FloatArray) -> FloatArray:
    """MCC by the form that suits the number of classes."""
    if counts.shape[-2:] == (2, 2):
        return two_class.matthews(*two_class.cells(counts))
    return kernels.matthews(counts)


def _geometric_mean(counts: FloatArray) -> FloatArray:
    """Geometric mean of the recalls by the form that suits the number of classes."""
    if counts.shape[-2:] == (2, 2):
        return two_class.geometric_mean(*two_class.cells(counts))
    return kernels.geometric_mean(counts)


def _mean_f_beta(counts: FloatArray, beta: float = 1.0) -> FloatArray:
    """F-beta of the averages."""
    return kernels.mean_f_beta(counts, beta=beta)


ANY_CLASS_METRICS = (
    _entry(special_cases.accuracy, kernels.pooled_f_beta,
           "How many decisions were right?",
           "sum(diag) / total", "max(P)", "no cases", f"{_FERRER}, section 2.3",
           identities=("accuracy == 1 - error_rate", "accuracy == micro_f1",
                       "accuracy == beta_averaged_accuracy")),
    _entry(special_cases.error_rate, _error_rate,
           "How many decisions were wrong?",
           "1 - sum(diag) / total", "1 - max(P)", "no cases", f"{_FERRER}, eq 5", higher=False),
    _entry(special_cases.balanced_accuracy, _mean_recall,
           "What is the average recall?",
           "mean(diag / rows)", "1 / K", _A_CLASS_EMPTY, f"{_FERRER}, section 2.3",
           identities=("balanced_accuracy == 1 - balanced_error_rate",
                       "balanced_accuracy == macro_recall")),
    _entry(special_cases.balanced_error_rate, lambda counts: 1 - _mean_recall(counts),
           "What is the average error rate of the classes?",
           "1 - mean(diag / rows)", "1 - 1 / K", _A_CLASS_EMPTY, f"{_FERRER}, eq 6", higher=False),
    _entry(agreement.mcc, _mcc,
           "How strongly do class and decision correlate?",
           "(total * sum(diag) - sum(rows * cols))"
           " / sqrt((total**2 - sum(cols**2)) * (total**2 - sum(rows**2)))",
           "0", "all cases of one class, or all decisions the same",
           f"{_FERRER}, eq 17; Gorodkin 2004", low=-1.0,
           identities=("K > 2 or abs(mcc) == sqrt(abs(informedness * markedness))",)),
    _entry(agreement.kappa, _kappa,
           "How far does agreement exceed what the margins alone would give?",
           "1 - (total - sum(diag)) * total / (total**2 - sum(rows * cols))", "0",
           "all cases of one class and all decisions that class", "Cohen 1960, 1968",
           low=-1.0),
    _entry(agreement.geometric_mean, _geometric_mean,
           "What is the geometric mean of the recalls?",
           "prod(diag / rows) ** (1 / K)", "1 / K", _A_CLASS_EMPTY,
           "Cost-Sensitive Evaluation for Binary Classifiers 2025, Table 2",
           identities=("K > 2 or geometric_mean == sqrt(recall * specificity)",)),
    _entry(agreement.class_balance_accuracy, kernels.class_balance_accuracy,
           "What is the average of the smaller of precision and recall (CBA)?",
           "mean(diag / maximum(rows, cols))", "1 / K", _NEITHER,
           "Cost-Sensitive Evaluation for Binary Classifiers 2025, Table 2"),
    _entry(averages.macro_precision, _mean_precision,
           "What is the average precision of the classes?",
           "mean(diag / cols)", "1 / K", "a decision was never taken", f"{_FERRER}, section 3.7"),
    _entry(averages.macro_recall, _mean_recall,
           "What is the average recall of the classes?",
           "mean(diag / rows)", "1 / K", _A_CLASS_EMPTY, f"{_FERRER}, section 3.7"),
    _entry(averages.macro_f1, _mean_f1,
           "What is the average F1 of the classes?",
           "mean(2 * diag / (rows + cols))", "1 / K", _NEITHER,
           f"{_FERRER}, section 3.7 (MC1)"),
    _entry(averages.f1_of_averages, _mean_f_beta,
           "What is the F1 of the average precision and recall?",
           "2 * mean(diag / cols) * mean(diag / rows) / (mean(diag / cols) + mean(diag / rows))",
           "1 / K", "a class has no case, a decision was never taken, or nothing is right",
           f"{_FERRER}, section 3.7 (MC2)",
           identities=("f1_of_averages == 2 * macro_precision * macro_recall"
                       " / (macro_precision + macro_recall)",)),
    _entry(averages.micro_f1, kernels.pooled_f_beta,
           "What is the F1 of all one-against-rest decisions pooled?",
           "sum(diag) / total", "max(P)", "no cases", f"{_FERRER}, section 3.7"),
    _entry(averages.weighted_f1, _weighted_f1,
           "What is the F1 of the classes, averaged by their shares?",
           "sum(rows * 2 * diag / (rows + cols)) / total", "by search",
           _NEITHER, "scikit-learn, f1_score(average='weighted')"),
)  # fmt: skip
