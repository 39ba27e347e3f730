"""What is known of the metrics of tables of any size, of two-class tables and of binary scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from stakes._kernels import many_class_metrics as many_class
from stakes._kernels import two_class_metrics as kernels
from stakes._kernels.two_class_metrics import Array, cells
from stakes.metrics.counts import agreement_rates, binary_rates, class_averages
from stakes.metrics.counts.class_averages import averaged
from stakes.metrics.metric import Batch, Metric, entry
from stakes.metrics.scores.error_rate_points import (
    eer,
    sensitivity_at_specificity,
    specificity_at_sensitivity,
)
from stakes.metrics.scores.score_ranking import auc
from stakes.typing import FloatArray

_FERRER = "Ferrer 2025"
_WA = "Cost-Sensitive Evaluation for Binary Classifiers 2025, Table 2"
_DYRLAND = "Dyrland, Lundervold, Porta Mana 2022, section 3.3"
_NO_POSITIVE_CASES = "no positive cases"
_NO_NEGATIVE_CASES = "no negative cases"
_A_CLASS_EMPTY = "a class has no case"
_NEITHER = "a class has neither cases nor decisions"
_NO_SCORE = "error: a class has no case"
_INFINITE = float("inf")


#: One metric of any number of classes.
_any = partial(entry, classes="any")
_recalls = partial(averaged, each=many_class.class_recall)
_f1s = partial(averaged, each=many_class.class_f_beta)

ANY_CLASS_METRICS = (
    _any(agreement_rates.accuracy, many_class.pooled_f_beta,
         "How many decisions were right?",
         "sum(diag) / total", "max(P)", "no cases", f"{_FERRER}, section 2.3",
         identities=("accuracy == 1 - error_rate", "accuracy == micro_f1",
                     "accuracy == beta_averaged_accuracy")),
    _any(agreement_rates.error_rate, lambda counts: 1 - many_class.pooled_f_beta(counts),
         "How many decisions were wrong?",
         "1 - sum(diag) / total", "1 - max(P)", "no cases", f"{_FERRER}, eq 5", higher=False),
    _any(agreement_rates.balanced_accuracy, _recalls,
         "What is the average recall?",
         "mean(diag / rows)", "1 / K", _A_CLASS_EMPTY, f"{_FERRER}, section 2.3",
         identities=("balanced_accuracy == 1 - balanced_error_rate",
                     "balanced_accuracy == macro_recall")),
    _any(agreement_rates.balanced_error_rate, lambda counts: 1 - _recalls(counts),
         "What is the average error rate of the classes?",
         "1 - mean(diag / rows)", "1 - 1 / K", _A_CLASS_EMPTY, f"{_FERRER}, eq 6", higher=False),
    _any(agreement_rates.mcc, many_class.matthews,
         "How strongly do class and decision correlate?",
         "(total * sum(diag) - sum(rows * cols))"
         " / sqrt((total**2 - sum(cols**2)) * (total**2 - sum(rows**2)))",
         "0", "all cases of one class, or all decisions the same",
         f"{_FERRER}, eq 17; Gorodkin 2004", low=-1.0,
         identities=("K > 2 or abs(mcc) == sqrt(abs(informedness * markedness))",)),
    _any(agreement_rates.kappa, agreement_rates.kappas,
         "How far does agreement exceed what the margins alone would give?",
         "1 - (total - sum(diag)) * total / (total**2 - sum(rows * cols))", "0",
         "all cases of one class and all decisions that class", "Cohen 1960, 1968",
         low=-1.0),
    _any(agreement_rates.geometric_mean, many_class.geometric_mean,
         "What is the geometric mean of the recalls?",
         "prod(diag / rows) ** (1 / K)", "1 / K", _A_CLASS_EMPTY,
         _WA,
         identities=("K > 2 or geometric_mean == sqrt(recall * specificity)",)),
    _any(agreement_rates.class_balance_accuracy, many_class.class_balance_accuracy,
         "What is the average of the smaller of precision and recall (CBA)?",
         "mean(diag / maximum(rows, cols))", "1 / K", _NEITHER,
         _WA),
    _any(class_averages.macro_precision, partial(averaged, each=many_class.class_precision),
         "What is the average precision of the classes?",
         "mean(diag / cols)", "1 / K", "a decision was never taken", f"{_FERRER}, section 3.7"),
    _any(class_averages.macro_recall, _recalls,
         "What is the average recall of the classes?",
         "mean(diag / rows)", "1 / K", _A_CLASS_EMPTY, f"{_FERRER}, section 3.7"),
    _any(class_averages.macro_f1, _f1s,
         "What is the average F1 of the classes?",
         "mean(2 * diag / (rows + cols))", "1 / K", _NEITHER,
         f"{_FERRER}, section 3.7 (MC1)"),
    _any(class_averages.f1_of_averages, many_class.mean_f_beta,
         "What is the F1 of the average precision and recall?",
         "2 * mean(diag / cols) * mean(diag / rows) / (mean(diag / cols) + mean(diag / rows))",
         "1 / K", "a class has no case, a decision was never taken, or nothing is right",
         f"{_FERRER}, section 3.7 (MC2)",
         identities=("f1_of_averages == 2 * macro_precision * macro_recall"
                     " / (macro_precision + macro_recall)",)),
    _any(class_averages.micro_f1, many_class.pooled_f_beta,
         "What is the F1 of all one-against-rest decisions pooled?",
         "sum(diag) / total", "max(P)", "no cases", f"{_FERRER}, section 3.7"),
    _any(class_averages.weighted_f1, partial(_f1s, average="weighted"),
         "What is the F1 of the classes, averaged by their shares?",
         "sum(rows * 2 * diag / (rows + cols)) / total", "by search",
         _NEITHER, "scikit-learn, f1_score(average='weighted')"),
)  # fmt: skip


def two_class_batch(kernel: Callable[..., Array]) -> Batch:
    """A kernel of tn, fp, fn, tp as a function of (..., 2, 2) counts."""

    def batch(counts: FloatArray, positive: int = 1, **parameters: Any) -> FloatArray:
        return np.asarray(kernel(*cells(counts, positive), **parameters))

    return batch


def _entry(
    function: Callable[..., float], kernel: Callable[..., Array], *words: str, **facts: Any
) -> Metric:
    """One metric of two classes, by its kernel; see `entry`."""
    return entry(function, two_class_batch(kernel), *words, **facts)


_RATES = (
    _entry(binary_rates.recall, kernels.recall,
           "How many of the positive cases were found?",
           "TP / (TP + FN)", "1", _NO_POSITIVE_CASES, f"{_FERRER}, eq 12"),
    _entry(binary_rates.specificity, kernels.specificity,
           "How many of the negative cases were left alone?",
           "TN / (TN + FP)", "1", _NO_NEGATIVE_CASES, _WA),
    _entry(binary_rates.false_positive_rate, lambda tn, fp, fn, tp: kernels.ratio(fp, tn + fp),
           "How many of the negative cases were acted on?",
           "FP / (TN + FP)", "0", _NO_NEGATIVE_CASES, f"{_FERRER}, section 3.6", higher=False,
           identities=("false_positive_rate == 1 - specificity",)),
    _entry(binary_rates.false_negative_rate, lambda tn, fp, fn, tp: kernels.ratio(fn, tp + fn),
           "How many of the positive cases were missed?",
           "FN / (TP + FN)", "0", _NO_POSITIVE_CASES, f"{_FERRER}, section 3.6", higher=False,
           identities=("false_negative_rate == 1 - recall",)),
    _entry(binary_rates.precision, kernels.precision,
           "How many of the positive decisions were right?",
           "TP / (TP + FP)", "P2", "no positive decisions", f"{_FERRER}, eq 12"),
    _entry(binary_rates.negative_predictive_value, kernels.negative_predictive_value,
           "How many of the negative decisions were right?",
           "TN / (TN + FN)", "P1", "no negative decisions", _WA),
    _entry(binary_rates.false_discovery_rate, lambda tn, fp, fn, tp: kernels.ratio(fp, tp + fp),
           "How many of the positive decisions were wrong?",
           "FP / (TP + FP)", "P1", "no positive decisions", "Benjamini & Hochberg 1995",
           higher=False, identities=("false_discovery_rate == 1 - precision",)),
    _entry(binary_rates.false_omission_rate, lambda tn, fp, fn, tp: kernels.ratio(fn, tn + fn),
           "How many of the negative decisions were wrong?",
           "FN / (TN + FN)", "P2", "no negative decisions", "Powers 2011", higher=False,
           identities=("false_omission_rate == 1 - negative_predictive_value",)),
    _entry(binary_rates.informedness, kernels.informedness,
           "How far from chance are the two rates (Youden's J)?",
           "TP / P - FP / N", "0", _A_CLASS_EMPTY, _WA, low=-1.0,
           identities=("informedness == 2 * balanced_accuracy - 1",
                       "informedness == recall + specificity - 1")),
    _entry(binary_rates.markedness, kernels.markedness,
           "How far from chance are the two predictive values?",
           "TP / (TP + FP) - FN / (TN + FN)", "0", "a decision was never taken", _WA, low=-1.0,
           identities=("markedness == precision + negative_predictive_value - 1",)),
)  # fmt: skip

_DIAGNOSTICS = (
    _entry(binary_rates.positive_likelihood_ratio, kernels.positive_likelihood_ratio,
           "By how much does acting raise the odds of the positive class?",
           "(TP / P) / (FP / N)", "1", "no false positives, or a class has no case",
           f"{_FERRER}, eq 22", high=_INFINITE,
           identities=("positive_likelihood_ratio == recall / (1 - specificity)",)),
    _entry(binary_rates.negative_likelihood_ratio, kernels.negative_likelihood_ratio,
           "By how much does not acting lower the odds of the positive class?",
           "(FN / P) / (TN / N)", "1", "no true negatives, or a class has no case",
           "Simundic 2009", higher=False, high=_INFINITE,
           identities=("negative_likelihood_ratio == (1 - recall) / specificity",)),
    _entry(binary_rates.diagnostic_odds_ratio, kernels.diagnostic_odds_ratio,
           "How many times higher are the odds of acting on positives?",
           "TP * TN / (FP * FN)", "1", "no false positives or no false negatives",
           "Glas et al. 2003", high=_INFINITE,
           identities=("diagnostic_odds_ratio == "
                       "positive_likelihood_ratio / negative_likelihood_ratio",)),
    _entry(binary_rates.net_benefit, kernels.net_benefit,
           "How many true positives per case, net of false ones weighed by p / (1 - p)?",
           "TP / n - threshold / (1 - threshold) * FP / n",
           "max(0, P2 - threshold / (1 - threshold) * P1)", "no cases", f"{_FERRER}, eq 19",
           low=-_INFINITE, needs=("threshold",)),
)  # fmt: skip

_F_SCORES = (
    _entry(binary_rates.f1, kernels.f_beta,
           "What is the harmonic mean of precision and recall?",
           "2 * TP / (2 * TP + FN + FP)", "2 * P2 / (1 + P2)",
           "neither positive cases nor positive decisions", f"{_FERRER}, eq 13",
           identities=("f1 == 2 * precision * recall / (precision + recall)",)),
    _entry(binary_rates.f_beta, kernels.f_beta,
           "The same, with recall counting beta times more than precision?",
           "(1 + beta**2) * TP / ((1 + beta**2) * TP + beta**2 * FN + FP)",
           "(1 + beta**2) * P2 / (beta**2 * P2 + 1)",
           "neither positive cases nor positive decisions", f"{_FERRER}, eqs 12-13",
           needs=("beta",)),
    _entry(binary_rates.jaccard, kernels.jaccard,
           "How far do positive cases and positive decisions overlap?",
           "TP / (TP + FP + FN)", "P2", "neither positive cases nor positive decisions", _WA,
           identities=("jaccard == f1 / (2 - f1)",)),
    _entry(binary_rates.fowlkes_mallows, kernels.fowlkes_mallows,
           "What is the geometric mean of precision and recall?",
           "sqrt(TP / (TP + FP) * TP / (TP + FN))", "sqrt(P2)",
           "no positive cases or no positive decisions", _DYRLAND,
           identities=("fowlkes_mallows == sqrt(precision * recall)",)),
    _entry(binary_rates.p4, kernels.p4,
           "What is the harmonic mean of precision, recall, specificity and NPV?",
           "4 * TP * TN / (4 * TP * TN + (TP + TN) * (FP + FN))", "4 / (4 + 1 / (P1 * P2))",
           "no cases, or all cases of one class and all of them right", _WA,
           identities=("p4 == 4 / (1 / precision + 1 / recall + 1 / specificity"
                       " + 1 / negative_predictive_value)",)),
    _entry(agreement_rates.precision_recall_mean, kernels.precision_recall_mean,
           "What is the mean of precision and recall (single-point B-ROC)?",
           "(TP / P + TP / (TP + FP)) / 2", "(1 + P2) / 2",
           "no positive cases or no positive decisions", _WA,
           identities=("precision_recall_mean == (precision + recall) / 2",)),
    _entry(agreement_rates.imbalance_accuracy, kernels.imbalance_accuracy,
           "How far do right decisions exceed the larger kind of error (IAM)?",
           "((TP - max(FP, FN)) / max(P, TP + FP) + (TN - max(FP, FN)) / max(N, TN + FN)) / 2",
           "0", "a class has neither cases nor decisions", _WA, low=-1.0,
           identities=("imbalance_accuracy == 2 * class_balance_accuracy - 1",)),
)  # fmt: skip

TWO_CLASS_METRICS = (*_RATES, *_DIAGNOSTICS, *_F_SCORES)


def _no_table(*_: Any, **__: Any) -> FloatArray:
    """Never called: `Metric.values` refuses first."""
    raise NotImplementedError


_score_entry = partial(entry, of="scores")

SCORE_METRICS = (
    _score_entry(auc, _no_table, "How often does a positive case have the higher score?",
                 "P(s2 > s1) + P(s2 == s1) / 2", "1 / 2", _NO_SCORE, f"{_FERRER}, section 3.6"),
    _score_entry(eer, _no_table, "What is the error rate where both error rates are equal?",
                 "R12 where R12 == R21", "1 / 2", _NO_SCORE, f"{_FERRER}, section 3.6",
                 higher=False),
    _score_entry(specificity_at_sensitivity, _no_table,
                 "How many negatives are spared when a share of the positives must be found "
                 "(SP@SE)?", "max(R11) where R22 >= sensitivity", "1 - sensitivity", _NO_SCORE,
                 f"{_FERRER}, section 3.5", needs=("sensitivity",)),
    _score_entry(sensitivity_at_specificity, _no_table,
                 "How many positives are found when a share of the negatives must be spared "
                 "(SE@SP)?", "max(R22) where R11 >= specificity", "1 - specificity", _NO_SCORE,
                 f"{_FERRER}, section 3.5", needs=("specificity",)),
)  # fmt: skip
