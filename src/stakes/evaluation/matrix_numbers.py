"""The numbers behind a page whose matrix of costs, or price of abstaining, can be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes.evaluation.judging import Judged, Sources
from stakes.report.embedding import packed
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

__all__ = ["matrix_numbers"]

#: At most so many bytes of posteriors go into a page, before base64.
LARGEST = 1_100_000
#: At most so many prices of abstaining, and so many numbers behind them.
PRICES = 200
PRICE_NUMBERS = 30_000
#: Posteriors are embedded as whole numbers up to this one.
WHOLE = 65_535


def matrix_numbers(ev: Evaluation, *, embed: bool, rng: Any = 0) -> dict[str, Any] | None:
    """What the script needs for any number of classes and decisions; None without sources."""
    sources = ev.sources
    if sources is None:
        return None
    deciders = all(one.model.posteriors is None for one in sources.judged)
    rows = _sample(ev, sources, rng) if embed and not deciders else None
    weighted = sources.cases.weights is not None
    return {
        "editable": deciders or (rows is not None and not weighted),
        "sample": 0 if rows is None or weighted else int(rows.shape[0]),
        "truth": None if rows is None else packed(sources.cases.truth[rows]),
        "totals": np.asarray(sources.judged[0].as_is.confusion.class_totals).tolist(),
        **_prices(ev, sources),
        "models": [
            {
                "counts": np.asarray(one.as_is.confusion.counts).tolist(),
                "posteriors": None if rows is None else _quantised(one, ev, sources, rows),
                **_handed_over(one, ev, sources),
            }
            for one in sources.judged
        ],
    }


def _sample(ev: Evaluation, sources: Sources, rng: Any) -> NDArray[np.intp]:
    """Cases in random order, as many as fit, each class by its share."""
    truth = sources.cases.truth
    models = sum(one.model.posteriors is not None for one in sources.judged)
    room = max(LARGEST // (2 * len(ev.application.classes) * models), 1)
    order = np.random.default_rng(rng).permutation(truth.shape[0])
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
    return np.asarray(np.rint(posteriors * WHOLE), dtype=np.uint16)


def _quantised(one: Judged, ev: Evaluation, sources: Sources, rows: Any) -> dict[str, str] | None:
    """The posteriors that decide, of the sampled cases."""
    assert ev.application.priors is not None
    moved = one.model.at(ev.application.priors, sources.said_at)
    if moved is None:
        return None
    return packed(np.append(quantised(moved[rows]).ravel(), WHOLE))  # always two bytes each


def abstention(ev: Evaluation) -> int | None:
    """The decision that costs the same whatever the truth; None unless there is exactly one."""
    values = ev.application.costs.values
    constant = np.flatnonzero((values == values[:1]).all(axis=0))
    named = [int(j) for j in constant if ev.application.decisions[j] not in ev.application.classes]
    return named[0] if len(named) == 1 and values.shape[1] > 2 else None


def prices_of(ev: Evaluation) -> tuple[FloatArray, int] | None:
    """Prices of abstaining, and which is the stated one."""
    column = abstention(ev)
    if column is None:
        return None
    values = ev.application.costs.values
    others = np.delete(values, column, axis=1)
    lowest, stated = float(others.min(axis=1).max()), float(values[0, column])
    naive = float((ev.application.priors @ others).min())  # type: ignore[operator]
    top = max(1.5 * naive, 2 * stated)
    if stated < lowest:
        return None
    room = PRICE_NUMBERS // (2 * len(ev.application.classes) * len(ev.models))
    count = int(min(PRICES, max(room, 11)))
    grid = np.linspace(lowest, top, count)
    at = int(np.searchsorted(grid, stated))
    grid[min(at, count - 1)] = stated
    return grid, min(at, count - 1)


def _prices(ev: Evaluation, sources: Sources) -> dict[str, Any]:
    """The slider of the price of abstaining."""
    found = prices_of(ev)
    if found is None or all(one.model.posteriors is None for one in sources.judged):
        return {"abstain": None}
    prices, start = found
    column = abstention(ev)
    made = {"column": column, "start": start, "count": len(prices), "prices": packed(prices)}
    return {"abstain": made}


def _handed_over(one: Judged, ev: Evaluation, sources: Sources) -> dict[str, Any]:
    """By price and class: cost of the cases decided, and weight of those handed over."""
    found, column = prices_of(ev), abstention(ev)
    if found is None or column is None or one.model.posteriors is None:
        return {"lost": None, "left": None}
    lost, left = handed_over(one, ev, sources, found[0], column)
    return {"lost": packed(lost), "left": packed(left)}


def handed_over(
    one: Judged, ev: Evaluation, sources: Sources, prices: FloatArray, column: int
) -> tuple[FloatArray, FloatArray]:
    """For each price, (n_prices, K) costs of decided cases and weights of the others."""
    app, cases = ev.application, sources.cases
    assert app.priors is not None
    moved = one.model.at(app.priors, sources.said_at)
    assert moved is not None
    others = [j for j in range(app.costs.shape[1]) if j != column]
    expected = np.asarray(moved, dtype=np.float64) @ app.costs.values[:, others]
    chosen = expected.argmin(axis=1)
    least = expected[np.arange(chosen.shape[0]), chosen]
    # An earlier column wins a tie: what is left of the abstention, against it.
    first = np.array(others)[chosen] > column
    side = np.where(first, np.searchsorted(prices, least, side="right"),
                    np.searchsorted(prices, least, side="left"))  # fmt: skip
    paid = app.costs.values[cases.truth, np.array(others)[chosen]]
    weights = np.ones(chosen.shape[0]) if cases.weights is None else cases.weights
    size, n = len(prices) + 1, len(app.classes)
    key = side + size * cases.truth
    cost = np.bincount(key, weights=weights * paid, minlength=size * n).reshape(n, size)
    many = np.bincount(key, weights=weights, minlength=size * n).reshape(n, size)
    decided = cost[:, :-1].cumsum(axis=1).T
    over = many.sum(axis=1) - many[:, :-1].cumsum(axis=1).T
    return decided, over
