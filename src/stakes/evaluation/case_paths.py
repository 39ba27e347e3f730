"""Sliders of a page about costs per case with more than two classes or decisions.

Along a path one number changes: a factor on what errors about one class cost above the cheapest
decision, in every case; or the share of that class, the others in proportion. What every rule
costs at each stop of it are sums by class and decision, without the cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes.evaluation.case_stops import FACTOR_STOPS, SHARE_STOPS, STEP, CaseRule, CaseSources
from stakes.evaluation.matrix_paths import moved_share
from stakes.report.embedding import packed
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

__all__ = ["CasePath", "CellSums", "path_numbers"]

#: So many classes can be moved; so many numbers, and products of numbers, behind them.
MOVED_CLASSES = 3
NUMBERS = 30_000
PRODUCTS = 1.5e9


@dataclass(frozen=True, slots=True, eq=False)
class CellSums:
    """One rule by class and decision: weight, cost above the cheapest decision, and its cost."""

    counts: FloatArray
    excess: FloatArray
    least: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class CasePath:
    """One slider: the factor or share at each stop, and every rule there, unless it stays."""

    kind: str
    row: int
    values: FloatArray
    start: int
    rules: tuple[tuple[CellSums, ...] | None, ...]

    def scales(self, priors: FloatArray, stop: int) -> tuple[FloatArray, FloatArray]:
        """Factors and shares of all classes at a stop."""
        factors, value = np.ones(len(priors)), float(self.values[stop])
        if stop == self.start:
            return factors, priors
        if self.kind == "share":
            return factors, moved_share(priors, self.row, value)
        factors[self.row] = value
        return factors, priors


class _Cases:
    """Costs of every case above its cheapest decision, ready for deciding and adding up."""

    def __init__(self, sources: CaseSources) -> None:
        self.sources = sources
        values, truth = sources.costs.values, sources.cases.truth.astype(np.intp)
        self.excess = values - values.min(axis=2, keepdims=True)
        self.shape = values.shape[1:]
        self.truth, rows = truth, np.arange(truth.shape[0])
        self.paid, self.least = self.excess[rows, truth], values[rows, truth].min(axis=1)
        self.totals = np.bincount(truth, sources.weights, minlength=self.shape[0])
        # Averages over the cases of each class, of which shares make the average over all.
        self.means = np.zeros((self.shape[0], *self.shape))
        self.always = np.zeros(self.shape)
        for k in np.flatnonzero(self.totals > 0).tolist():
            own = truth == k
            self.means[k] = np.tensordot(sources.weights[own], self.excess[own], 1)
            self.always[k] = self.means[k, k]
            self.means[k] /= self.totals[k]

    def added(self, codes: NDArray[Any]) -> CellSums:
        """What decisions cost, by class and decision."""
        weights, size = self.sources.weights, self.shape[0] * self.shape[1]
        place = self.truth * self.shape[1] + codes
        paid = self.paid[np.arange(codes.shape[0]), codes]
        parts = [
            np.bincount(place, w, minlength=size).astype(np.float64).reshape(self.shape)
            for w in (weights, weights * paid, weights * self.least)
        ]
        return CellSums(parts[0], parts[1], parts[2])

    def decided(self, rule: CaseRule, factors: FloatArray, priors: FloatArray) -> NDArray[Any]:
        """Decisions there: a posterior times a ratio of shares is a cost times that ratio."""
        scale = factors * priors / self.sources.said_at
        weighed = np.asarray(rule.model.posteriors, dtype=np.float64) * (scale / scale.max())
        if rule.kind == "per case":
            return np.asarray(np.einsum("nk,nkj->nj", weighed, self.excess).argmin(axis=1))
        return np.asarray((weighed @ np.tensordot(priors, self.means, 1)).argmin(axis=1))


def _paths(ev: Evaluation, cases: _Cases) -> list[CasePath]:
    """The sliders, of the classes that carry most of the cost first; none where they do not fit."""
    sources, priors = cases.sources, cases.sources.priors
    deciding = [rule for rule in sources.rules if rule.kind != "decisions"]
    if deciding and not (sources.said_at > 0).all():
        return []
    cells = ev[ev.best].cells
    paid = np.zeros(len(priors)) if cells is None else np.abs(cells).sum(axis=1)
    rows = [k for k in np.argsort(-paid, kind="stable").tolist()
            if 0 < priors[k] < 1 and cases.totals[k] > 0 and cases.excess[:, k].any()]  # fmt: skip
    numbers = 3 * cases.paid.shape[1] * len(priors) * max(len(deciding), 1)
    products = numbers / 3 * cases.truth.shape[0] if deciding else 1.0
    stops = 2 * (FACTOR_STOPS + SHARE_STOPS + 1)
    fits = int(min(NUMBERS / numbers, PRODUCTS / products) // stops)
    rows = rows[: min(MOVED_CLASSES, fits)]
    return [_path(cases, kind, row) for row in rows for kind in ("factor", "share")]


def _path(cases: _Cases, kind: str, row: int) -> CasePath:
    """One slider with every rule at its stops."""
    priors, half = cases.sources.priors, FACTOR_STOPS if kind == "factor" else SHARE_STOPS
    steps = STEP * np.arange(-half, half + 1)
    values = np.exp(steps)
    if kind == "share":
        odds = values * priors[row] / (1 - priors[row])
        values = odds / (1 + odds)
        values[half] = priors[row]
    path = CasePath(kind, row, values, half, ())
    found: list[tuple[CellSums, ...] | None] = []
    for rule in cases.sources.rules:
        if rule.kind == "decisions":
            found.append(None)
            continue
        codes = [
            rule.codes if stop == half else cases.decided(rule, *path.scales(priors, stop))
            for stop in range(len(values))
        ]
        found.append(tuple(cases.added(one) for one in codes))
    return CasePath(kind, row, values, half, tuple(found))


def _nec(cases: _Cases, own: list[CellSums], path: CasePath, stop: int) -> list[float]:
    """The NEC of every rule at a stop."""
    factors, shares = path.scales(cases.sources.priors, stop)
    scale = factors * shares / np.where(cases.totals > 0, cases.totals, 1.0)
    naive = float((scale @ cases.always).min())
    sums = [
        mine if there is None else there[stop] for mine, there in zip(own, path.rules, strict=True)
    ]
    return [float(scale @ one.excess.sum(axis=1)) / naive for one in sums]


def path_numbers(ev: Evaluation, sources: CaseSources) -> dict[str, Any] | None:
    """What the script needs to follow these sliders; None where there are none."""
    cases = _Cases(sources)
    paths = _paths(ev, cases)
    if not paths:
        return None
    own = [cases.added(rule.codes) for rule in sources.rules]
    curves = [
        np.array([_nec(cases, own, path, stop) for stop in range(len(path.values))]).T
        for path in paths
    ]
    free = not cases.least.any()
    return {
        "totals": cases.totals.tolist(),
        "always": cases.always.tolist(),
        "own": [_listed(one) for one in own],
        "paths": [_packed(path, free) for path in paths],
        "curve": list(zip(paths, curves, strict=True)),
    }


def _listed(one: CellSums) -> dict[str, Any]:
    """Sums for JSON, as tables."""
    return {name: getattr(one, name).tolist() for name in ("counts", "excess", "least")}


def _packed(path: CasePath, free: bool) -> dict[str, Any]:
    """One slider for JSON; `free` when the cheapest decision never costs anything."""

    def part(sums: tuple[CellSums, ...], name: str) -> Any:
        return packed(np.stack([getattr(one, name) for one in sums]).ravel())

    return {
        "kind": path.kind,
        "row": path.row,
        "start": path.start,
        "count": len(path.values),
        "values": packed(path.values),
        "rules": [
            None if sums is None else {
                "counts": part(sums, "counts"),
                "excess": part(sums, "excess"),
                "least": None if free else part(sums, "least"),
            }
            for sums in path.rules
        ],
    }  # fmt: skip
