"""More than two classes as summaries of two: each class against the rest, and in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from stakes._columns import as_array
from stakes._names import as_names, encode
from stakes.exceptions import DataError, LabelError
from stakes.posteriors import Posteriors
from stakes.posteriors.class_order import ClassOrder
from stakes.posteriors.posteriors import in_class_order
from stakes.summaries.score_counts import ScoreCounts
from stakes.typing import FloatArray, Name


def one_vs_rest(
    y_true: Any,
    posteriors: Any,
    *,
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> dict[Name, ScoreCounts]:
    """Scores of each class against all others.

    The score is the log odds of the class: its log posterior less that of all others
    together.

    Parameters
    ----------
    y_true : column
        True classes: names, or positions.
    posteriors : Posteriors or array of shape (n_cases, n_classes)
        One column per class.
    classes : sequence of names, optional
        The columns; default, those of `posteriors`, or 0, 1, ...
    sample_weight : column, optional
        Weight of each case.

    Returns
    -------
    dict of ScoreCounts
        By class; kind "log_odds", the class itself second (``True``).

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.7.

    Examples
    --------
    >>> q = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]]
    >>> one_vs_rest(["a", "b", "c"], q, classes=["a", "b", "c"])["b"]
    ScoreCounts(3 cases, 1 of True, kind 'log_odds')
    """
    codes, log_values, names = _coded(y_true, posteriors, classes)
    found: dict[Name, ScoreCounts] = {}
    for k, name in enumerate(names):
        rest = np.delete(log_values, k, axis=1)
        top = rest.max(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            total = np.where(np.isneginf(top), 0, np.exp(rest - top)).sum(axis=1)
            others = np.where(np.isneginf(top[:, 0]), -np.inf, top[:, 0] + np.log(total))
            log_odds = log_values[:, k] - others
        found[name] = ScoreCounts.from_scores(
            codes == k, log_odds, kind="log_odds", sample_weight=sample_weight
        )
    return found


def pairwise(
    y_true: Any,
    posteriors: Any,
    *,
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> dict[tuple[Name, Name], ScoreCounts]:
    """Scores of each pair of classes, on the cases of these two alone.

    The score is the difference of the two log posteriors.

    Parameters
    ----------
    y_true, posteriors, classes, sample_weight
        As in `one_vs_rest`.

    Returns
    -------
    dict of ScoreCounts
        By pair; kind "log_odds", the later class second. Pairs without cases are left out.

    References
    ----------
    .. [1] D. J. Hand and R. J. Till, "A simple generalisation of the area under the ROC
       curve for multiple class classification problems", Machine Learning 45, 2001.

    Examples
    --------
    >>> q = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]]
    >>> pairwise(["a", "b", "c"], q, classes=["a", "b", "c"])["a", "c"]
    ScoreCounts(2 cases, 1 of 'c', kind 'log_odds')
    """
    codes, log_values, names = _coded(y_true, posteriors, classes)
    weights = (
        None if sample_weight is None else as_array(sample_weight, "sample_weight", np.float64)
    )
    found: dict[tuple[Name, Name], ScoreCounts] = {}
    for i, j in combinations(range(len(names)), 2):
        rows = (codes == i) | (codes == j)
        if not rows.any():
            continue
        with np.errstate(invalid="ignore"):
            log_odds = log_values[rows, j] - log_values[rows, i]
        log_odds[np.isnan(log_odds)] = 0.0  # both impossible: no preference
        found[names[i], names[j]] = ScoreCounts.from_scores(
            (codes[rows] == j).astype(np.int64),
            log_odds,
            kind="log_odds",
            classes=(names[i], names[j]) if not _integers(names[i], names[j]) else None,
            sample_weight=None if weights is None else weights[rows],
        )
    return found


def _integers(*names: Name) -> bool:
    """Whether positions could be taken for names."""
    return any(isinstance(name, int) for name in names)


def _coded(
    y_true: Any, posteriors: Any, classes: Sequence[Any] | None
) -> tuple[np.ndarray, FloatArray, tuple[Name, ...]]:
    """Class positions, log posteriors, and the names of the classes."""
    if not isinstance(posteriors, Posteriors):
        posteriors = Posteriors(posteriors, classes=classes)
    elif classes is not None:
        posteriors = in_class_order(posteriors, as_names(classes, "classes"), ClassOrder(classes))
    log_values = np.asarray(posteriors.log_values, dtype=np.float64)
    names = as_names(posteriors.classes if classes is None else classes, "classes")
    if log_values.shape[1] != len(names):
        raise LabelError(f"{log_values.shape[1]} columns of posteriors for {len(names)} classes.")
    codes = np.asarray(encode(y_true, names, "y_true"))
    if codes.shape[0] != log_values.shape[0]:
        raise DataError(f"`y_true` has {codes.shape[0]} rows, posteriors {log_values.shape[0]}.")
    return codes, log_values, names
