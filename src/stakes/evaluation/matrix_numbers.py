"""The numbers behind a page whose matrix of costs, or shares of classes, can be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._random import as_generator
from stakes.evaluation.judging import Judged, Sources
from stakes.evaluation.matrix_paths import MatrixPath, price_path, share_paths
from stakes.report.embedding import packed
from stakes.report.page_inputs import LARGEST_TABLE

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

__all__ = ["matrix_numbers"]

#: At most so many bytes of posteriors go into a page, before base64.
LARGEST = 1_100_000
#: Posteriors are embedded as whole numbers up to this one.
WHOLE = 65_535


def matrix_numbers(ev: Evaluation, *, embed: bool, rng: Any = 0) -> dict[str, Any] | None:
    """What the script needs for any number of classes and decisions; None for costs per case."""
    if ev.naive is not None:
        return None
    sources = ev.sources
    counts = [np.asarray(model.confusion.counts).tolist() for model in ev.models]
    if sources is None:  # counts are all there is
        return _whole("decisions", 0, None, [], [{"counts": c, "posteriors": None} for c in counts])
    deciders = all(one.model.posteriors is None for one in sources.judged)
    weighted = sources.cases.weights is not None
    boxes = max(ev.application.costs.shape) <= LARGEST_TABLE  # else there is nothing to edit
    inside = embed and boxes and not deciders and not weighted
    rows = _sample(ev, sources, rng) if inside else None
    price = price_path(ev, sources)
    paths = share_paths(ev, sources)
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
    models = sum(one.model.posteriors is not None for one in sources.judged)
    room = max(LARGEST // (2 * len(ev.application.classes) * models), 1)
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
    return np.asarray(np.rint(posteriors * WHOLE), dtype=np.uint16)


def _quantised(one: Judged, ev: Evaluation, sources: Sources, rows: Any) -> dict[str, str] | None:
    """The posteriors that decide, of the sampled cases."""
    assert ev.application.priors is not None
    moved = one.model.at(ev.application.priors, sources.said_at)
    if moved is None:
        return None
    return packed(np.append(quantised(moved[rows]).ravel(), WHOLE))  # always two bytes each
