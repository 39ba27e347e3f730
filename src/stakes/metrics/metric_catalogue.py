"""The catalogue of metrics, and what is known of every metric of costs and scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Any, NoReturn

import numpy as np

from stakes._checks import of_kind, positive_share
from stakes._guesses import CallError, line_to_type
from stakes._kernels import two_class_metrics as kernels
from stakes._kernels.two_class_metrics import Array, cells, ratio
from stakes._usual_metrics import METRICS
from stakes.application import Application
from stakes.exceptions import DataError
from stakes.metrics.catalogue_entries import (
    ANY_CLASS_METRICS,
    SCORE_METRICS,
    TWO_CLASS_METRICS,
    two_class_batch,
)
from stakes.metrics.costs.cost_weighted import (
    accuracy_cost_distance,
    c_score,
    weighted_class_accuracy,
    weighted_relative_accuracy,
)
from stakes.metrics.costs.expected_cost import (
    alpha_cost,
    detection_cost,
    expected_cost,
    msu,
    normalized_expected_cost,
    savings,
    total_classification_cost,
    utility_yield,
)
from stakes.metrics.costs.weighted_accuracy import (
    beta_averaged_accuracy,
    expected_weighted_accuracy,
    matched_beta,
    matched_beta_accuracy,
    weighted_accuracy,
)
from stakes.metrics.counts.table_cells import error_costs
from stakes.metrics.metric import Batch, Metric, entry
from stakes.results import Frame
from stakes.typing import FloatArray, Priors

_FERRER = "Ferrer 2025"
_WA = "Cost-Sensitive Evaluation for Binary Classifiers 2025"
_INFINITE = float("inf")


def _with_costs(kernel: Callable[..., Array]) -> Batch:
    """A kernel of the cells and the error costs as a function of (..., 2, 2) counts."""

    def batch(counts: FloatArray, application: Application, positive: int = 1) -> FloatArray:
        fp, fn = error_costs(application, application.classes[positive])
        return np.asarray(kernel(*cells(counts, positive), fp_cost=fp, fn_cost=fn))

    return batch


def _expected(counts: FloatArray, application: Application) -> FloatArray:
    """Expected cost of many tables."""
    shares, rates = _shares(counts, application), ratio(counts, counts.sum(axis=-1, keepdims=True))
    return np.asarray(np.einsum("...i,...ij,ij->...", shares, rates, application.costs.values))


def _shares(counts: FloatArray, application: Application) -> FloatArray:
    """The class shares that each of many tables is judged at."""
    if application.priors is not None:
        return application.priors
    totals = counts.sum(axis=-1)
    return ratio(totals, totals.sum(axis=-1, keepdims=True))


def _normalized(counts: FloatArray, application: Application) -> FloatArray:
    """Normalised expected cost of many tables."""
    standard = application.with_costs(application.costs.standardized())
    naive = (_shares(counts, standard) @ standard.costs.values).min(axis=-1)
    return ratio(_expected(counts, standard), naive)


def _beta_averaged(counts: FloatArray, positive: int = 1, alpha: float = 2.0,
                   beta: float = 2.0) -> FloatArray:  # fmt: skip
    """Weighted accuracy at the mean weight."""
    return kernels.weighted_accuracy(*cells(counts, positive), weight=beta / (alpha + beta))


def _detection(
    counts: FloatArray, priors: Priors, miss: float = 1.0, false_alarm: float = 1.0,
    positive: int = 1,
) -> FloatArray:  # fmt: skip
    """Detection cost of many tables."""
    prior = positive_share(priors, at=positive)
    tn, fp, fn, tp = cells(counts, positive)
    return prior * miss * ratio(fn, fn + tp) + (1 - prior) * false_alarm * ratio(fp, fp + tn)


def _alpha(tn: Array, fp: Array, fn: Array, tp: Array, *, alpha: float) -> Array:
    """Normalised cost by its one parameter."""
    return (alpha * ratio(fp, fp + tn) + ratio(fn, fn + tp)) / min(alpha, 1.0)


def _expected_weighted(
    tn: Array, fp: Array, fn: Array, tp: Array, *, alpha: float, beta: float
) -> Array:
    """Expected weighted accuracy: a part of the hits in both classes that their sizes set."""
    total = tn + fp + fn + tp
    shares, place = np.unique(np.round(ratio(tp + fn, total), 12), return_inverse=True)
    parts = np.array([_parts(share, alpha, beta) for share in shares.ravel()])[place.reshape(-1)]
    hits, rest = parts.T.reshape(2, *tp.shape)
    return np.asarray(ratio(tp, total) * hits + ratio(tn, total) * rest)


def _parts(share: float, alpha: float, beta: float) -> tuple[float, float]:
    """What the hits among positives, and among negatives, are worth if all are hits."""
    if np.isnan(share):
        return np.nan, np.nan
    tables: Any = [[0, 1 - share], [0, share]], [[1 - share, 0], [share, 0]]
    hits, rest = (expected_weighted_accuracy(t, alpha=alpha, beta=beta) for t in tables)
    return (hits / share if share else 0.0), (rest / (1 - share) if share < 1 else 0.0)


#: One metric that takes costs.
_entry = partial(entry, needs=("application",))


COST_METRICS = (
    _entry(expected_cost, _expected,
           "What does a case cost on average?",
           "sum(C * counts) / total", "min(P @ C)",
           "error: a class with positive prior has no case", f"{_FERRER}, eqs 1-2",
           higher=False, low=-_INFINITE, high=_INFINITE, classes="any"),
    _entry(normalized_expected_cost, _normalized,
           "What share of the best naive system's cost is paid?",
           "sum(C * counts) / min(rows @ C)", "1",
           "error: the best naive system costs nothing", f"{_FERRER}, eqs 3-4",
           higher=False, high=_INFINITE, classes="any"),
    _entry(savings, lambda counts, application: 1 - _normalized(counts, application),
           "What share of the best naive system's cost is saved?",
           "1 - sum(C * counts) / min(rows @ C)", "0",
           "error: the best naive system costs nothing", f"{_FERRER}, eq 4",
           low=-_INFINITE, classes="any", identities=("savings == 1 - normalized_expected_cost",)),
    _entry(utility_yield, lambda counts, application: -_expected(counts, application),
           "What does a case gain on average?",
           "-sum(C * counts) / total", "max(-P @ C)",
           "error: a class with positive prior has no case", "Dyrland et al. 2022, eq 10",
           low=-_INFINITE, high=_INFINITE, classes="any",
           identities=("utility_yield == -expected_cost",)),
    _entry(total_classification_cost,
           lambda counts, application: (counts * application.costs.values).sum(axis=(-2, -1)),
           "What do all cases cost together?",
           "sum(C * counts)", "min(P @ C)", "never",
           f"{_WA}, eqs 1-2", higher=False, low=-_INFINITE, high=_INFINITE, classes="any",
           identities=("total_classification_cost == expected_cost * total",)),
    _entry(detection_cost, _detection,
           "What does a case cost at a given prior of the positive class (DCF)?",
           "prior * FN / P + (1 - prior) * FP / N", "min(prior, 1 - prior)",
           "error: a class with positive prior has no case",
           "Cumani, Bayes decisions and Model evaluation; van Leeuwen & Brümmer 2007",
           higher=False, high=_INFINITE, needs=("priors",)),
    _entry(alpha_cost, two_class_batch(_alpha),
           "What share of the naive cost is paid when errors weigh alpha to 1?",
           "(alpha * FP / N + FN / P) / min(alpha, 1)", "1",
           "error: a class has no case", f"{_FERRER}, eq 4",
           higher=False, high=_INFINITE, needs=("alpha",)),
    _entry(weighted_accuracy, two_class_batch(kernels.weighted_accuracy),
           "What share of the weight, w to positives and 1 - w to negatives, was right (WA)?",
           "(w * TP + (1 - w) * TN) / (w * P + (1 - w) * N)",
           "max(w * P2, (1 - w) * P1) / (w * P2 + (1 - w) * P1)",
           "no case has a positive weight", f"{_WA}, eq 3", needs=("weight",),
           identities=("weighted_accuracy == msu",)),
    _entry(expected_weighted_accuracy, two_class_batch(_expected_weighted),
           "The same, averaged over w ~ Beta(alpha, beta) (EWA)?",
           "integral of WA(w) Beta(w; alpha, beta) dw", "by integration", "no cases",
           f"{_WA}, eq 7", needs=("alpha", "beta")),
    _entry(msu,
           _with_costs(lambda *c, **k: 1 - kernels.share_of_worst_cost(*c, **k)),
           "What share of the worst possible cost was avoided?",
           "1 - (C_FN * FN + C_FP * FP) / (C_FN * P + C_FP * N)",
           "max(C_FN * P2, C_FP * P1) / (C_FN * P2 + C_FP * P1)",
           "no case can cost anything", f"{_WA}, Table 2"),
    _entry(c_score, _with_costs(kernels.c_score),
           "What do the errors cost per positive case, in false alarms?",
           "(C_FN * FN + C_FP * FP) / (P * C_FP)", "min(C_FN / C_FP, P1 / P2)",
           "no positive cases, or a false alarm costs nothing", f"{_WA}, Table 2",
           higher=False, high=_INFINITE,
           identities=("c_score == (1 / precision - C_FN / C_FP - 1) * recall + C_FN / C_FP",)),
    _entry(weighted_class_accuracy, _with_costs(kernels.weighted_class_accuracy),
           "What is the average of recall and specificity, weighed by cost (WCA)?",
           "(C_FN * TP / P + C_FP * TN / N) / (C_FN + C_FP)",
           "max(C_FN, C_FP) / (C_FN + C_FP)", "a class has no case", f"{_WA}, Table 2"),
    _entry(weighted_relative_accuracy,
           _with_costs(kernels.weighted_relative_accuracy),
           "Informedness, scaled by costs and prevalence (WRA)?",
           "4 * (N * C_FP / (P * C_FN)) * (TP / P - FP / N) / (1 + N * C_FP / (P * C_FN))**2",
           "0", "a class has no case, or a miss costs nothing", f"{_WA}, Table 2", low=-1.0,
           identities=("weighted_relative_accuracy == informedness"
                       " * 4 * P * N * C_FP * C_FN / (P * C_FN + N * C_FP)**2",)),
    _entry(accuracy_cost_distance, _with_costs(kernels.accuracy_cost_distance),
           "How far from no errors and no cost (ACD)?",
           "sqrt(((FP + FN) / n)**2 + ((C_FN * FN + C_FP * FP) / (C_FN * P + C_FP * N))**2)",
           "by search",
           "no case can cost anything", f"{_WA}, Table 2", higher=False, high=2**0.5),
    _entry(beta_averaged_accuracy, _beta_averaged,
           "One minus averaged cost over averaged worst cost, c ~ Beta (H of wa2025)?",
           "(beta * TP + alpha * TN) / (beta * P + alpha * N)",
           "max(beta * P2, alpha * P1) / (beta * P2 + alpha * P1)",
           "no cases", f"{_WA}, Table 2 (H)", needs=(),
           identities=("beta_averaged_accuracy == accuracy",)),
    _entry(matched_beta_accuracy,
           lambda counts, shares, positive: _beta_averaged(counts, positive, *matched_beta(shares)),
           "The same, with the Beta matched to per-case costs (H informed of wa2025)?",
           "(w * TP + (1 - w) * TN) / (w * P + (1 - w) * N)",
           "max(w * P2, (1 - w) * P1) / (w * P2 + (1 - w) * P1)",
           "no cases", f"{_WA}, Table 2 (H informed)", needs=("shares",),
           identities=("matched_beta_accuracy == weighted_accuracy",)),
)  # fmt: skip


_COLUMNS = ("name", "question", "formula", "direction", "low", "high", "naive", "classes", "of",
            "undefined", "needs", "identities", "reference")  # fmt: skip


#: F2, f0.5, F-2 score: F-beta by its number.
_F_BETA = re.compile(r"f[-_ ]?(\d+(?:\.\d+)?)(?:[-_ ]?score)?")
#: Names that people write in capitals.
_CAPITALS = {"auc", "eer", "f1", "mcc", "msu", "p4"}


def spoken(name: str) -> str:
    """The name of a metric as a sentence has it; that of a function of one's own as it is.

    Examples
    --------
    >>> [spoken(name) for name in ("f1", "f_beta(beta=2)", "balanced_accuracy", "my_score")]
    ['F1', 'F2', 'balanced accuracy', 'my_score']
    """
    plain, _, settings = name.partition("(")
    if plain not in catalogue:
        return name
    if plain == "f_beta" and settings:
        return f"F{settings.removeprefix('beta=').rstrip(')')}"
    words = (word.upper() if word in _CAPITALS else word for word in plain.split("_"))
    return " ".join(words) + (f" ({settings}" if settings else "")


# The facts of the catalogue are executed: docs/design/metrics.md.
class Catalogue(Mapping[str, Metric]):
    """A mapping from name to `Metric`; printing it shows the table of facts.

    Parameters
    ----------
    metrics : sequence of Metric
        The entries, in the order in which they are shown.

    Examples
    --------
    >>> from stakes.metrics import catalogue
    >>> round(catalogue["mcc"]([[90, 5], [1, 4]]), 4)
    0.5692
    >>> catalogue["f1"].naive
    '2 * P2 / (1 + P2)'
    >>> catalogue["youden"].name
    'informedness'
    """

    def __init__(self, metrics: tuple[Metric, ...]) -> None:
        self._metrics: dict[str, Metric] = {
            of_kind(metric, "metrics", Metric).name: metric
            for metric in of_kind(metrics, "metrics", Iterable)
        }

    def __getitem__(self, name: str) -> Metric:
        lower = str(name).strip().lower()
        plain = METRICS.get(lower) or lower.replace("-", "_").replace(" ", "_")
        found = self._metrics.get(METRICS.get(plain, plain))
        if found is None:
            meant = " or ".join(self.nearest(name)) or "another"
            raise KeyError(f"no metric {name!r}; did you mean {meant}?")
        return found

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Raise: the catalogue cannot be called; one of its metrics can."""
        raise CallError("the catalogue is a mapping of metrics.", hint=line_to_type("catalogue"))

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def tables(self) -> list[Metric]:
        """The metrics that are computed from a table of decisions."""
        return [metric for metric in self._metrics.values() if metric.of == "table"]

    def nearest(self, name: str) -> list[str]:
        """Names that look like this one."""
        return get_close_matches(str(name).lower(), [*self._metrics, *METRICS], n=3)

    def find(self, name: str) -> Metric:
        """The entry, or a `DataError` that lists what there is.

        A name may carry parameters: ``"f_beta:beta=2"``, in short ``"f2"``.
        """
        plain, _, given = of_kind(name, "metric", str).partition(":")
        beta = _F_BETA.fullmatch(plain.strip().lower())
        if beta is not None and float(beta[1]) != 1 and not given:
            plain, given = "f_beta", f"beta={beta[1]}"
        try:
            metric = self[plain]
        except KeyError:
            raise DataError(
                f"no metric {plain!r} in the catalogue; there are {', '.join(self)}.",
                hint=" or ".join(self.nearest(plain)) or None,
            ) from None
        if given:
            metric = metric.fixed(**_parameters(given))
            if metric.of == "table" and not metric.missing:
                metric([[2, 1], [1, 2]])  # so that its function may refuse the numbers
        return metric

    def frame(self) -> Frame:
        """One row per metric: what it answers, formula, direction, range and the rest."""
        columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        for metric in self._metrics.values():
            facts = vars(metric) | {
                "direction": "higher" if metric.higher_is_better else "lower",
                "needs": ", ".join(metric.needs),
                "identities": "; ".join(metric.identities),
            }
            for name, column in columns.items():
                column.append(facts[name])
        return Frame(columns)

    def __repr__(self) -> str:
        return f"<Catalogue of {len(self)} metrics: print it, or see .frame()>"

    def __str__(self) -> str:
        table = self.frame()
        short = ("name", "direction", "low", "high", "naive", "classes", "undefined")
        return str(Frame({name: table[name] for name in short}))


def _parameters(text: str) -> dict[str, float]:
    """``"beta=2"`` as a dictionary."""
    found = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise DataError(f"metric parameters must read name=number; got {part!r}.") from None
    return found


#: Every metric, by name.
catalogue = Catalogue((*ANY_CLASS_METRICS, *TWO_CLASS_METRICS, *COST_METRICS, *SCORE_METRICS))
