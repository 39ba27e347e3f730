"""The numbers behind sliders of any cost matrix: what every model decides along them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._random import as_generator
from stakes.application import CostMatrix
from stakes.decisions.bayes import moved_decisions
from stakes.evaluation.model_variants import Judged, Sources
from stakes.report.markup import packed
from stakes.report.page_inputs import LARGEST_TABLE
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


#: At most so many prices of abstaining, and so many numbers behind them.
_PRICES = 200
_PRICE_NUMBERS = 30_000
#: Natural logarithm of the odds of a share from one stop to the next, and stops either way.
_STEP = 0.2
_SHARE_STOPS = 15
_LEAST_STOPS = 5
#: Shares of so many classes can be moved; so many numbers, and products of numbers, behind them.
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
    if found is None or column is None or not any(_says(one) for one in sources.judged):
        return None
    prices, start = found
    counts = _counts(sources, start, lambda one: _handed_over(one, ev, sources, prices, column))
    return MatrixPath(prices, start, counts, column=column)


def _says(one: Judged) -> bool:
    """Whether a model gave posteriors."""
    return one.model.posteriors is not None


def _counts(
    sources: Sources, start: int, counted: Callable[[Judged], FloatArray]
) -> tuple[FloatArray | None, ...]:
    """Counts of every model with posteriors; where the slider starts, what was evaluated."""
    found: list[FloatArray | None] = []
    for one in sources.judged:
        counts = counted(one) if _says(one) else None
        if counts is not None:
            counts[start] = one.as_is.confusion.counts
        found.append(counts)
    return tuple(found)


def _handed_over(
    one: Judged, ev: Evaluation, sources: Sources, prices: FloatArray, column: int
) -> FloatArray:
    """Counts at each price: a case is handed over while that costs less than its best decision."""
    app, cases = ev.application, sources.cases
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
    """Sliders for the shares of the classes that carry most of the cost."""
    app = ev.application
    said = sum(_says(one) for one in sources.judged)
    if not said or len(app.classes) < 2 or not (sources.said_at > 0).all():
        return []
    numbers = app.costs.values.size * said
    products = numbers * sources.cases.truth.shape[0]
    fits = min(_SHARE_NUMBERS / numbers, _PRODUCTS / products)  # stops that can be had
    totals = np.asarray(ev[ev.best].confusion.class_totals)
    rows = [row for row in movable_classes(ev) if totals[row] > 0][:_MOVED_CLASSES]
    while len(rows) > 1 and fits < len(rows) * (2 * _SHARE_STOPS + 1):
        rows.pop()
    half = min(_SHARE_STOPS, int((fits / max(len(rows), 1) - 1) // 2))
    if not rows or half < _LEAST_STOPS:
        return []
    return [_share_path(ev, sources, row, half) for row in rows]


def movable_classes(ev: Evaluation) -> list[int]:
    """Classes whose share may move, those that carry most of the best model's cost first."""
    cells, priors = ev[ev.best].cells, ev.application.resolved_priors(ev.data_priors)
    paid = np.zeros(len(priors)) if cells is None else np.abs(cells).sum(axis=1)
    return [k for k in np.argsort(-paid, kind="stable").tolist() if 0 < priors[k] < 1]


def _share_path(ev: Evaluation, sources: Sources, row: int, half: int) -> MatrixPath:
    """Every model at every share of one class."""
    priors = ev.application.resolved_priors(ev.data_priors)
    here = float(np.log(priors[row] / (1 - priors[row])))
    values = 1 / (1 + np.exp(-(here + _STEP * np.arange(-half, half + 1))))
    values[half] = priors[row]
    places = [moved_share(priors, row, share) for share in values]

    def counted(one: Judged) -> FloatArray:
        return np.stack([_decided(one, ev, sources, there) for there in places])

    return MatrixPath(values, half, _counts(sources, half, counted), row=row)


def _decided(one: Judged, ev: Evaluation, sources: Sources, priors: FloatArray) -> NDArray[Any]:
    """Counts at other shares: a posterior times a ratio of shares is a cost times that ratio."""
    costs = ev.application.costs.standardized().values
    assert one.model.posteriors is not None
    codes = moved_decisions(one.model.posteriors, CostMatrix(costs), priors, sources.said_at)
    shape, cases = costs.shape, sources.cases
    cell = cases.truth.astype(np.intp) * shape[1] + codes
    sums = np.bincount(cell, cases.weights, minlength=shape[0] * shape[1])
    return np.asarray(sums, dtype=np.float64).reshape(shape)


#: At most so many bytes of posteriors go into a page, before base64.
_LARGEST = 1_100_000
#: Posteriors are embedded as whole numbers up to this one.
_WHOLE = 65_535


def matrix_numbers(ev: Evaluation, *, embed: bool, rng: Any = 0) -> dict[str, Any] | None:
    """What the script needs for any number of classes and decisions; None for costs per case."""
    if ev.naive is not None:
        return None
    sources = ev.sources
    counts = [np.asarray(model.confusion.counts).tolist() for model in ev.models]
    if sources is None:  # counts are all there is
        return _whole("decisions", 0, None, [], [{"counts": c, "posteriors": None} for c in counts])
    deciders = not any(_says(one) for one in sources.judged)
    weighted = sources.cases.weights is not None
    boxes = max(ev.application.costs.shape) <= LARGEST_TABLE  # else there is nothing to edit
    inside = embed and boxes and not deciders and not weighted
    rows = _sample(ev, sources, rng) if inside else None
    price = _price_path(ev, sources)
    paths = _share_paths(ev, sources)
    paths = paths if price is None else [price, *paths]
    models = [
        {"counts": c, "posteriors": None if rows is None else _quantised(one, ev, sources, rows)}
        for c, one in zip(counts, sources.judged, strict=True)
    ]
    how = "decisions" if deciders else "fixed" if rows is None else "sample"
    size = 0 if rows is None else int(rows.shape[0])
    truth = None if rows is None else packed(sources.cases.truth[rows])
    return _whole(how, size, truth, paths, models)


def _whole(how: str, size: int, truth: Any, paths: list[MatrixPath], models: Any) -> dict[str, Any]:
    """The parts together; `how` says what an edit does to the decisions."""
    return {
        "how": how,
        "sample": size,
        "truth": truth,
        "models": models,
        "paths": [_path(path) for path in paths],
        "drawn": paths,
    }


def _path(path: MatrixPath) -> dict[str, Any]:
    """One slider for JSON."""
    return {
        "column": path.column,
        "row": path.row,
        "start": path.start,
        "count": len(path.values),
        "values": packed(path.values),
        "counts": [None if c is None else packed(c.ravel()) for c in path.counts],
    }


def _sample(ev: Evaluation, sources: Sources, rng: Any) -> NDArray[np.intp]:
    """Cases in random order, as many as fit, each class by its share."""
    truth = sources.cases.truth
    models = sum(_says(one) for one in sources.judged)
    room = max(_LARGEST // (2 * len(ev.application.classes) * models), 1)
    order = as_generator(rng).permutation(truth.shape[0])
    if room >= truth.shape[0]:
        return order
    wanted = np.floor(np.bincount(truth) * (room / truth.shape[0])).astype(np.intp)
    ranks = np.empty(truth.shape[0], dtype=np.intp)
    for k, _ in enumerate(wanted):
        mine = order[truth[order] == k]
        ranks[mine] = np.arange(mine.shape[0])
    kept = ranks < np.maximum(wanted, 1)[truth]
    return np.asarray(order[kept[order]])


def quantised(posteriors: NDArray[Any]) -> NDArray[np.uint16]:
    """Posteriors as whole numbers; only their ratios within a row count."""
    return np.asarray(np.rint(posteriors * _WHOLE), dtype=np.uint16)


def _quantised(one: Judged, ev: Evaluation, sources: Sources, rows: Any) -> dict[str, str] | None:
    """The posteriors that decide, of the sampled cases."""
    moved = one.model.at(ev.application.resolved_priors(ev.data_priors), sources.said_at)
    if moved is None:
        return None
    return packed(np.append(quantised(moved[rows]).ravel(), _WHOLE))  # always two bytes each
