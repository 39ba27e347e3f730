"""The numbers behind sliders of any cost matrix: what every model decides along them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._random import as_generator
from stakes.application import CostMatrix
from stakes.decisions.bayes import moved_decisions
from stakes.evaluation.recalibration import Judged, Sources
from stakes.report.markup import packed
from stakes.report.page_inputs import LARGEST_TABLE
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


#: The most prices of abstaining, and the most numbers behind them.
_PRICES = 200
_PRICE_NUMBERS = 30_000
#: Natural logarithm of the odds of a share from one stop to the next, and stops either way.
_STEP = 0.2
_SHARE_STOPS = 15
_LEAST_STOPS = 5
#: The most classes whose shares can be moved, and the most numbers and products behind them.
_MOVED_CLASSES = 3
_SHARE_NUMBERS = 40_000
_PRODUCTS = 1.5e9


@dataclass(frozen=True, slots=True, eq=False)
class MatrixPath:
    """One slider: the price or share at each stop, and (n_stops, K, M) counts of every model.

    `column` is the decision whose price moves, or else `row` the class whose share does. Counts
    are None for a model that gave decisions: they stay as they are.
    """

    values: FloatArray
    start: int
    counts: tuple[FloatArray | None, ...]
    column: int | None = None
    row: int | None = None

    def applied(self, ev: Evaluation, stop: int) -> tuple[FloatArray, FloatArray]:
        """Costs and shares at a stop."""
        costs = ev.application.costs.values
        priors = ev.application.resolved_priors(ev.data_priors)
        if stop == self.start:
            return costs, priors
        if self.column is not None:
            costs = costs.copy()
            costs[:, self.column] = self.values[stop]
            return costs, priors
        assert self.row is not None
        return costs, moved_share(priors, self.row, float(self.values[stop]))


def moved_share(priors: FloatArray, row: int, share: float) -> FloatArray:
    """Shares when one of them changes and the others keep their proportions."""
    found = priors * ((1 - share) / (1 - priors[row]))
    found[row] = share
    return np.asarray(found)


def _abstention(ev: Evaluation) -> int | None:
    """The decision that costs the same whatever the truth; None unless there is exactly one."""
    values = ev.application.costs.values
    constant = np.flatnonzero((values == values[:1]).all(axis=0))
    named = [int(j) for j in constant if ev.application.decisions[j] not in ev.application.classes]
    return named[0] if len(named) == 1 and values.shape[1] > 2 else None


def _prices_of(ev: Evaluation) -> tuple[FloatArray, int] | None:
    """Prices of abstaining, and which is the stated one."""
    column = _abstention(ev)
    if column is None:
        return None
    values = ev.application.costs.values
    others = np.delete(values, column, axis=1)
    lowest, stated = float(others.min(axis=1).max()), float(values[0, column])
    naive = float((ev.application.priors @ others).min())  # type: ignore[operator]
    top = max(1.5 * naive, 2 * stated)
    if stated < lowest or not lowest < top:
        return None
    room = _PRICE_NUMBERS // (values.size * len(ev.models))
    count = int(min(_PRICES, max(room, 11)))
    grid = np.linspace(lowest, top, count)
    at = min(int(np.searchsorted(grid, stated)), count - 1)
    grid[at] = stated
    return grid, at


def _price_path(ev: Evaluation, sources: Sources) -> MatrixPath | None:
    """The slider of the price of abstaining; None where there is none."""
    found, column = _prices_of(ev), _abstention(ev)
    if found is None or column is None:
        return None
    prices, start = found
    return _path(ev, prices, start, partial(_handed_over, ev, sources, prices, column), column)


def _path(
    ev: Evaluation, values: FloatArray, start: int, counted: Callable[[Judged], FloatArray],
    column: int | None = None, row: int | None = None,
) -> MatrixPath:  # fmt: skip
    """A slider with the counts of every model; where it starts, what was evaluated."""
    counts: list[FloatArray | None] = []
    for one in ev.sources.judged if ev.sources is not None else ():
        counts.append(counted(one) if one.model.kind == "posteriors" else None)
        if (last := counts[-1]) is not None:
            whole = one.as_is.confusion.counts
            totals = last.sum(axis=2, keepdims=True)  # of a sample, where cases are far
            scale = np.divide(whole.sum(axis=1)[:, None], totals, out=np.ones_like(totals),
                              where=totals > 0)  # fmt: skip
            counts[-1] = last * scale
            counts[-1][start] = whole  # type: ignore[index]
    return MatrixPath(values, start, tuple(counts), column, row)


def _handed_over(
    ev: Evaluation, sources: Sources, prices: FloatArray, column: int, one: Judged
) -> FloatArray:
    """Counts at each price: a case is handed over while that costs less than its best decision."""
    app, cases = ev.application, sources.cases_of(one)
    moved = one.model.at(app.resolved_priors(ev.data_priors), sources.said_at)
    others = np.array([j for j in range(app.costs.shape[1]) if j != column])
    expected = np.asarray(moved, dtype=np.float64) @ app.costs.values[:, others]
    chosen = expected.argmin(axis=1)
    least = expected[np.arange(chosen.shape[0]), chosen]
    chosen = others[chosen]
    # An earlier column wins a tie: what is left of the abstention, against it.
    side = np.where(chosen > column, np.searchsorted(prices, least, side="right"),
                    np.searchsorted(prices, least, side="left"))  # fmt: skip
    size, shape = len(prices) + 1, app.costs.shape
    cell = cases.truth.astype(np.intp) * shape[1] + chosen
    sums = np.bincount(side + size * cell, cases.weights, minlength=size * shape[0] * shape[1])
    decided = sums.reshape(*shape, size).cumsum(axis=2)
    found = np.moveaxis(decided[:, :, :-1], 2, 0).astype(np.float64)
    totals = decided[:, :, -1].sum(axis=1)
    found[:, :, column] = np.maximum(totals - found.sum(axis=2), 0.0)
    return found


def _share_paths(ev: Evaluation, sources: Sources) -> list[MatrixPath]:
    """Sliders for the shares of the classes that carry most of the best model's cost."""
    app, best = ev.application, ev[ev.best]
    priors = app.resolved_priors(ev.data_priors)
    said = [model for model in ev.models if model.kind == "posteriors"]
    if not said or len(app.classes) < 2 or not (sources.said_at > 0).all():
        return []
    numbers = app.costs.values.size * len(said)
    products = numbers * max(sources.cases_of(one).truth.shape[0] for one in sources.judged
                             if one.model.kind == "posteriors")  # fmt: skip
    fits = min(_SHARE_NUMBERS / numbers, _PRODUCTS / products)  # stops that can be had
    paid, totals = np.abs(np.asarray(best.cells)).sum(axis=1), best.confusion.class_totals
    order = np.argsort(-paid, kind="stable").tolist()
    rows = [k for k in order if 0 < priors[k] < 1 and totals[k] > 0][:_MOVED_CLASSES]
    while len(rows) > 1 and fits < len(rows) * (2 * _SHARE_STOPS + 1):
        rows.pop()
    half = min(_SHARE_STOPS, int((fits / max(len(rows), 1) - 1) // 2))
    found = []
    for row in rows if half >= _LEAST_STOPS else ():
        here = float(np.log(priors[row] / (1 - priors[row])))
        values = 1 / (1 + np.exp(-(here + _STEP * np.arange(-half, half + 1))))
        values[half] = priors[row]
        places = [moved_share(priors, row, share) for share in values]
        found.append(_path(ev, values, half, partial(_decided, ev, sources, places), row=row))
    return found


def _decided(ev: Evaluation, sources: Sources, places: list[FloatArray], one: Judged) -> FloatArray:
    """Counts at other shares: a posterior times a ratio of shares is a cost times that ratio."""
    costs, cases = CostMatrix(ev.application.costs.standardized().values), sources.cases_of(one)
    found = np.empty((len(places), *costs.shape))
    for stop, priors in enumerate(places):
        codes = moved_decisions(np.asarray(one.model.posteriors), costs, priors, sources.said_at)
        cell = cases.truth.astype(np.intp) * costs.shape[1] + codes
        sums = np.bincount(cell, cases.weights, minlength=costs.values.size)
        found[stop] = sums.reshape(costs.shape)
    return found


#: The most bytes of posteriors in a page, before base64.
_LARGEST = 1_100_000
#: Posteriors are embedded as whole numbers up to this one.
_WHOLE = 65_535


def matrix_numbers(ev: Evaluation, *, embed: bool) -> dict[str, Any]:
    """What the script needs for any number of classes and decisions.

    `how` says what an edit does to the decisions, `drawn` are the paths for the drawings.
    """
    sources, app = ev.sources, ev.application
    paths: list[MatrixPath] = []
    cases, rows, how = None, None, "decisions"  # also where counts are all there is
    if sources is not None and ev.kind == "posteriors":
        boxes = max(app.costs.shape) <= LARGEST_TABLE  # else there is nothing to edit
        cases = sources.cases  # each model has its own where bins stand for them
        embed = embed and boxes and cases is not None and cases.weights is None
        rows = _sample(ev, cases.truth) if embed and cases is not None else None
        how = "fixed" if rows is None else "sample"
        price = _price_path(ev, sources)
        paths = [*([] if price is None else [price]), *_share_paths(ev, sources)]
    models: list[dict[str, Any]] = []
    for k, model in enumerate(ev.models):
        said = None
        if sources is not None and rows is not None:
            shares = app.resolved_priors(ev.data_priors)
            said = sources.judged[k].model.at(shares, sources.said_at)
        whole = None if said is None else np.append(quantised(said[rows]).ravel(), _WHOLE)
        models.append(
            {
                "counts": np.asarray(model.confusion.counts).tolist(),
                "posteriors": None if whole is None else packed(whole),  # always two bytes each
            }
        )
    truth = None if cases is None or rows is None else packed(cases.truth[rows])
    return {
        "how": how,
        "sample": 0 if rows is None else len(rows),
        "truth": truth,
        "models": models,
        "paths": [
            {
                "column": path.column,
                "row": path.row,
                "start": path.start,
                "count": len(path.values),
                "values": packed(path.values),
                "counts": [None if c is None else packed(c.ravel()) for c in path.counts],
            }
            for path in paths
        ],
        "drawn": paths,
    }


def _sample(ev: Evaluation, truth: NDArray[Any]) -> NDArray[np.intp]:
    """Cases in random order, as many as fit, each class by its share."""
    models = sum(model.kind == "posteriors" for model in ev.models)
    room = max(_LARGEST // (2 * len(ev.application.classes) * models), 1)
    order = as_generator(0).permutation(truth.shape[0])
    if room >= truth.shape[0]:
        return order
    wanted = np.floor(np.bincount(truth) * (room / truth.shape[0])).astype(np.intp)
    rooms = np.maximum(wanted, 1).tolist()
    kept = [np.flatnonzero(truth[order] == k)[:count] for k, count in enumerate(rooms)]
    return np.asarray(order[np.sort(np.concatenate(kept))])


def quantised(posteriors: NDArray[Any]) -> NDArray[np.uint16]:
    """Posteriors as whole numbers; only their ratios within a row count."""
    return np.asarray(np.rint(posteriors * _WHOLE), dtype=np.uint16)
