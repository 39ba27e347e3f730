"""The laws, one function each: tables of counts in, the first broken case out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stakes.audit.count_metric import CountMetric
from stakes.typing import FloatArray

__all__ = ["LAWS", "LawResult"]

#: Values that differ by less than this share of the metric's spread count as equal.
CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class LawResult:
    """Whether a metric kept one law; part of what `check_laws` returns.

    Parameters
    ----------
    law : str
        Its name.
    meaning : str
        What it demands, in a sentence.
    kept : bool
        Whether no table that was tried breaks it.
    tried : int
        Cases on which the metric has a value, and which the law was tried on.
    witness : str
        The first case that breaks it, with the values; empty when it is kept.
    """

    law: str
    meaning: str
    kept: bool
    tried: int
    witness: str = ""


def defined(metric: CountMetric, tables: FloatArray) -> tuple[int, str]:
    """Every table with cases of each class has a value."""
    values = metric.values(tables)
    bad = np.flatnonzero(~np.isfinite(values))
    words = f"{_table(tables[bad[0]])} has the value {values[bad[0]]:g}" if bad.size else ""
    return tables.shape[0], words


def scale(metric: CountMetric, tables: FloatArray) -> tuple[int, str]:
    """Twice the same data give the same value."""
    once, twice = metric.values(tables), metric.values(2 * tables)
    with np.errstate(invalid="ignore"):
        bad = np.abs(once - twice) > _margin(once)
    return _first(bad, once, lambda i: (
        f"{_table(tables[i])} has {once[i]:.6g}, but {twice[i]:.6g} when every case counts twice"
    ))  # fmt: skip


def improvement(metric: CountMetric, tables: FloatArray) -> tuple[int, str]:
    """A case moved from an error to its right decision never makes the value worse."""
    classes = tables.shape[1]
    before, after = [], []
    for truth in range(classes):
        for decision in range(tables.shape[2]):
            if decision != truth:
                moved = tables[tables[:, truth, decision] >= 1].copy()
                before.append(moved.copy())
                moved[:, truth, decision] -= 1
                moved[:, truth, truth] += 1
                after.append(moved)
    old, new = np.concatenate(before), np.concatenate(after)
    first, second = metric.scores(old), metric.scores(new)
    with np.errstate(invalid="ignore"):
        bad = second < first - _margin(first)
    return _first(bad, first + second, lambda i: (
        f"{_table(new[i])} is worse than {_table(old[i])}, which has one error more: "
        f"{_said(metric, second[i])} against {_said(metric, first[i])}"))  # fmt: skip


def parts(metric: CountMetric, tables: FloatArray) -> tuple[int, str]:
    """A system that is better on both halves of the data is better on all of them."""
    # Systems A and B on one half of the data, and on another with other class totals.
    a1, a2 = tables[::2], tables[1::2]
    b1, b2 = _decided_anew(a1, 1), _decided_anew(a2, 2)
    gains = [metric.scores(a) - metric.scores(b) for a, b in ((a1, b1), (a2, b2))]
    whole = metric.scores(a1 + a2) - metric.scores(b1 + b2)
    gap = _margin(metric.scores(tables))
    with np.errstate(invalid="ignore"):
        sign = np.sign(gains[0])
        agree = (sign * gains[0] > gap) & (sign * gains[1] > gap)
        bad = agree & (sign * whole < -gap)
    return _first(bad, np.where(agree, whole, np.nan), lambda i: (
        f"on the halves {_table(a1[i])} and {_table(a2[i])} are both "
        f"{'better' if sign[i] > 0 else 'worse'} than {_table(b1[i])} and {_table(b2[i])}; "
        "on all cases together it is the other way round"))  # fmt: skip


def relabelling(metric: CountMetric, tables: FloatArray) -> tuple[int, str]:
    """Naming the classes in another order changes nothing: no class is preferred."""
    turned = tables[:, ::-1, ::-1]
    once, other = metric.values(tables), metric.values(turned)
    with np.errstate(invalid="ignore"):
        bad = np.abs(once - other) > _margin(once)
    return _first(bad, once + other, lambda i: (
        f"{_table(tables[i])} has {once[i]:.6g}, and {other[i]:.6g} with the classes in reverse"
    ))  # fmt: skip


#: Name -> what tries it. `cost` is tried by `stakes.audit.compliance`.
LAWS: dict[str, Callable[[CountMetric, FloatArray], tuple[int, str]]] = {
    "defined": defined,
    "scale": scale,
    "improvement": improvement,
    "parts": parts,
    "relabelling": relabelling,
}


def _margin(values: FloatArray) -> float:
    """What counts as a difference between values of this spread."""
    finite = values[np.isfinite(values)]
    return CLOSE * max(float(np.ptp(finite)), 1e-300) if finite.size else 0.0


def _first(
    bad: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    values: FloatArray,
    say: Callable[[int], str],
) -> tuple[int, str]:
    """How many cases have values, and the words on the first bad one."""
    found = np.flatnonzero(bad)
    tried = int(np.isfinite(values).sum())
    if not tried:
        return 0, "no table that was tried has a value"
    return tried, say(int(found[0])) if found.size else ""


def _decided_anew(tables: FloatArray, seed: int) -> FloatArray:
    """Other tables with the same class totals: each class's decisions drawn anew."""
    rng = np.random.default_rng(seed)
    totals = tables.sum(axis=2).astype(np.int64)
    shares = rng.dirichlet(np.ones(tables.shape[2]), size=totals.shape)
    return rng.multinomial(totals, shares).astype(np.float64)


def _said(metric: CountMetric, score: float) -> str:
    return f"{score if metric.higher_is_better else -score:.6g}"


def _table(counts: FloatArray) -> str:
    return str(counts.astype(np.int64).tolist())
