"""The numbers behind a page about costs per case: sums by rule and stop, and no case."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes.evaluation.model_variants import CaseRule, CaseSources
from stakes.report.live.any_matrix import movable_classes, moved_share
from stakes.report.live.case_stops import (
    FACTOR_STOPS,
    SHARE_STOPS,
    STEP,
    SUMS,
    RuleSums,
    grid_of_cases,
    sums_of,
)
from stakes.report.markup import packed
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


#: So many classes can be moved; so many numbers, and products of numbers, behind them.
_MOVED_CLASSES = 3
_NUMBERS = 30_000
_PRODUCTS = 1.5e9


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
    rows = [k for k in movable_classes(ev) if cases.totals[k] > 0 and cases.excess[:, k].any()]
    numbers = 3 * cases.paid.shape[1] * len(priors) * max(len(deciding), 1)
    products = numbers / 3 * cases.truth.shape[0] if deciding else 1.0
    stops = 2 * (FACTOR_STOPS + SHARE_STOPS + 1)
    fits = int(min(_NUMBERS / numbers, _PRODUCTS / products) // stops)
    rows = rows[: min(_MOVED_CLASSES, fits)]
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
    places = [path.scales(priors, stop) for stop in range(len(values))]

    def sums(rule: CaseRule) -> tuple[CellSums, ...]:
        codes = [
            rule.codes if stop == half else cases.decided(rule, *there)
            for stop, there in enumerate(places)
        ]
        return tuple(cases.added(one) for one in codes)

    rules = cases.sources.rules
    found = tuple(None if rule.kind == "decisions" else sums(rule) for rule in rules)
    return replace(path, rules=found)


def _nec(cases: _Cases, own: list[CellSums], path: CasePath, stop: int) -> list[float]:
    """The NEC of every rule at a stop."""
    factors, shares = path.scales(cases.sources.priors, stop)
    scale = factors * shares / np.where(cases.totals > 0, cases.totals, 1.0)
    naive = float((scale @ cases.always).min())
    sums = [
        mine if there is None else there[stop] for mine, there in zip(own, path.rules, strict=True)
    ]
    return [float(scale @ one.excess.sum(axis=1)) / naive for one in sums]


def _path_numbers(ev: Evaluation, sources: CaseSources) -> dict[str, Any] | None:
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
        "own": [{name: sums.tolist() for name, sums in asdict(one).items()} for one in own],
        "paths": [_packed(path, free) for path in paths],
        "curve": list(zip(paths, curves, strict=True)),
    }


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


def case_numbers(ev: Evaluation) -> dict[str, Any] | None:
    """What the script needs to follow the sliders; None where there are none."""
    sources = ev.case_sources
    if sources is not None and ev.application.costs.shape != (2, 2):
        return _path_numbers(ev, sources)
    grid = None if sources is None else grid_of_cases(sources, ev.application)
    sums = None if sources is None or grid is None else sums_of(sources, grid)
    if sources is None or grid is None or sums is None:
        return None
    totals = np.array([parts[0].sum() for parts in sources.amounts])
    wrong, lost = (parts[1] for parts in sources.amounts)
    return {
        "step": STEP,
        "logOdds": grid.log_odds,
        "factors": grid.factors,
        "shares": grid.shares,
        "totals": totals.tolist(),
        # What a constant decision costs above the cheapest one, within each class.
        "always": [
            [float(-wrong[wrong < 0].sum() / totals[0]), float(wrong[wrong > 0].sum() / totals[0])],
            [float(lost[lost > 0].sum() / totals[1]), float(-lost[lost < 0].sum() / totals[1])],
        ],
        "correct": [float(parts[2].sum()) for parts in sources.amounts],
        "rules": [_rule(one) for one in sums],
        "curve": _curve(ev, sums, grid.factors, grid.shares),
    }


def _rule(sums: RuleSums) -> dict[str, Any]:
    """One rule for JSON: its sums, row by row, and how they are laid out."""
    found: dict[str, Any] = {name: packed(getattr(sums, name).ravel()) for name in SUMS}
    found["along"] = "both" if sums.alarms.ndim == 2 else "one" if sums.alarms.size > 1 else "none"
    found["cuts"] = None if sums.cuts is None else packed(sums.cuts.ravel())
    return found


def _curve(ev: Evaluation, sums: list[RuleSums], factors: int, shares: int) -> Any:
    """The logarithm of the factor, and the NEC of every rule there, at the stated share."""
    sources = ev.case_sources
    assert sources is not None
    steps = np.arange(-factors, factors + 1)
    alarm, miss = sources.amounts
    totals = alarm[0].sum(), miss[0].sum()
    share = sources.priors
    factor = np.exp(STEP * steps)
    found = []
    least = [np.minimum(part[1], 0).sum() for part in (alarm, miss)]
    most = [np.maximum(part[1], 0).sum() for part in (alarm, miss)]
    waits = share[1] * factor * most[1] / totals[1] - share[0] * least[0] / totals[0]
    acts = share[0] * most[0] / totals[0] - share[1] * factor * least[1] / totals[1]
    for one in sums:
        at: Any = (slice(None), shares) if one.alarms.ndim == 2 else shares + np.arange(len(steps))
        if one.alarms.size == 1:
            at = np.zeros(len(steps), dtype=np.intp)
        excess = share[0] * (one.alarm_costs[at] - least[0]) / totals[0]
        excess = excess + share[1] * factor * (one.miss_costs[at] - least[1]) / totals[1]
        found.append(excess / np.minimum(waits, acts))
    return STEP * steps, np.stack(found)


def costliest_cases(ev: Evaluation, count: int) -> list[dict[str, Any]]:
    """The cases that cost most under the cheapest rule: row, truth, decision, cost, share."""
    sources = ev.case_sources
    if sources is None or count < 1:
        return []
    rule = next(one for one in sources.rules if one.name == ev.best)
    rows = np.arange(len(sources.costs))
    paid = sources.costs.values[rows, sources.cases.truth, rule.codes]
    totals = np.bincount(sources.cases.truth, sources.weights, len(sources.priors))
    scale = np.divide(sources.priors, totals, out=np.zeros(len(totals)), where=totals > 0)
    weights = sources.weights * scale[sources.cases.truth]
    parts = weights * paid
    gross = float(np.abs(parts).sum()) or 1.0
    app = ev.application
    return [
        {
            "row": int(k),
            "truth": str(app.classes[sources.cases.truth[k]]),
            "decision": str(app.decisions[rule.codes[k]]),
            "cost": float(paid[k]),
            "share": abs(float(parts[k])) / gross,
        }
        for k in np.argsort(-parts, kind="stable")[:count].tolist()
        if parts[k] > 0
    ]
