"""The catalogue: every metric by name, with what is known about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from stakes.exceptions import DataError
from stakes.metrics.facts.binary_facts import SCORE_METRICS, TWO_CLASS_METRICS
from stakes.metrics.facts.cost_facts import COST_METRICS
from stakes.metrics.facts.count_facts import ANY_CLASS_METRICS
from stakes.metrics.facts.metric import Metric
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix

#: Other names that people look for.
_ALIASES = {
    "ba": "balanced_accuracy",
    "b_roc": "precision_recall_mean",
    "cba": "class_balance_accuracy",
    "csi": "jaccard",
    "dcf": "detection_cost",
    "dice": "f1",
    "dor": "diagnostic_odds_ratio",
    "ec": "expected_cost",
    "ewa": "expected_weighted_accuracy",
    "f1_score": "f1",
    "fdr": "false_discovery_rate",
    "fnr": "false_negative_rate",
    "fpr": "false_positive_rate",
    "g_mean": "geometric_mean",
    "iam": "imbalance_accuracy",
    "iou": "jaccard",
    "lr+": "positive_likelihood_ratio",
    "lr-": "negative_likelihood_ratio",
    "matthews": "mcc",
    "nec": "normalized_expected_cost",
    "npv": "negative_predictive_value",
    "ppv": "precision",
    "se_at_sp": "sensitivity_at_specificity",
    "sensitivity": "recall",
    "sp_at_se": "specificity_at_sensitivity",
    "tnr": "specificity",
    "tpr": "recall",
    "wa": "weighted_accuracy",
    "wca": "weighted_class_accuracy",
    "wra": "weighted_relative_accuracy",
    "youden": "informedness",
}


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
        self._metrics = {metric.name: metric for metric in metrics}

    def __getitem__(self, name: str) -> Metric:
        lower = str(name).strip().lower()
        plain = _ALIASES.get(lower) or lower.replace("-", "_").replace(" ", "_")
        found = self._metrics.get(_ALIASES.get(plain, plain))
        if found is None:
            raise KeyError(
                f"no metric {name!r}; did you mean {' or '.join(self.nearest(name)) or 'another'}?"
            )
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def tables(self) -> list[Metric]:
        """The metrics that are computed from a table of decisions."""
        return [metric for metric in self._metrics.values() if metric.of == "table"]

    def nearest(self, name: str) -> list[str]:
        """Names that look like this one."""
        return get_close_matches(str(name).lower(), [*self._metrics, *_ALIASES], n=3)

    def find(self, name: str) -> Metric:
        """The entry, or a `DataError` that lists what there is.

        A name may carry parameters: ``"f_beta:beta=2"``.
        """
        plain, _, given = name.partition(":")
        try:
            metric = self[plain]
        except KeyError:
            raise DataError(
                f"no metric {plain!r} in the catalogue; there are {', '.join(self)}.",
                hint=" or ".join(self.nearest(plain)) or None,
            ) from None
        return _tried(metric.fixed(**_parameters(given))) if given else metric

    def frame(self) -> Frame:
        """One row per metric: what it answers, formula, direction, range and the rest."""
        entries = list(self._metrics.values())
        return Frame(
            {
                "name": [m.name for m in entries],
                "question": [m.question for m in entries],
                "formula": [m.formula for m in entries],
                "direction": ["higher" if m.higher_is_better else "lower" for m in entries],
                "low": [m.low for m in entries],
                "high": [m.high for m in entries],
                "naive": [m.naive for m in entries],
                "classes": [m.classes for m in entries],
                "of": [m.of for m in entries],
                "undefined": [m.undefined for m in entries],
                "needs": [", ".join(m.needs) for m in entries],
                "identities": ["; ".join(m.identities) for m in entries],
                "reference": [m.reference for m in entries],
            }
        )

    def __repr__(self) -> str:
        return f"<Catalogue of {len(self)} metrics: print it, or see .frame()>"

    def __str__(self) -> str:
        table = self.frame()
        short = ("name", "direction", "low", "high", "naive", "classes", "undefined")
        return str(Frame({name: table[name] for name in short}))


def _tried(metric: Metric) -> Metric:
    """The metric, once its function has accepted the numbers that were given for it."""
    if metric.of == "table" and not metric.missing:
        metric(ConfusionMatrix([[2, 1], [1, 2]]))
    return metric


def _parameters(text: str) -> dict[str, float]:
    """``"beta=2"`` as a dictionary."""
    found = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise DataError(f"metric parameters must read name=number; got {part!r}.")
    return found


#: Every metric, by name.
catalogue = Catalogue((*ANY_CLASS_METRICS, *TWO_CLASS_METRICS, *COST_METRICS, *SCORE_METRICS))
