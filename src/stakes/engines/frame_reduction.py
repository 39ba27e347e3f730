"""A frame reduced where it lives: the engine counts, and the counts become summaries."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from operator import or_
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from stakes._checks import frozen
from stakes._columns import as_frame
from stakes.engines.column_types import ColumnTypes
from stakes.engines.reduction import Panel, Part, Reduction
from stakes.engines.refused_rows import refuse_rows, refused_count
from stakes.engines.request import Request
from stakes.engines.request_plan import Planned, planned
from stakes.engines.row_sample import Chosen, with_sample
from stakes.engines.row_values import PREFIX, Bins, Table, added
from stakes.exceptions import DataError
from stakes.messages.audience import named
from stakes.summaries import ScoreBins
from stakes.typing import FloatArray


def _reduction_of(made: Planned, tables: list[Table], *, keep_missing: bool = False) -> Reduction:
    """Build the reduction from the tables of the groupings, in order."""
    for table in tables:
        _mark_missing(made, table, keep_missing)
    if made.from_bins:
        panels = [_panel_of_bins(made, tables[0])]
    else:
        panels = [_panels(made, k, table) for k, table in enumerate(tables[: len(made.panels)])]
    last = tables[len(tables) - len(made.bins) :]
    bins = {model: _bins(made, k, model, last[k]) for k, model in enumerate(made.bins)}
    parts = {}
    for key in _sorted(panels[0]):
        here = {model: found[key] for model, found in bins.items() if key in found}
        scores = {model: each.bins for model, each in here.items()}
        numbers = {model: each.numbers for model, each in here.items() if each.numbers is not None}
        risks = {model: each.risks for model, each in here.items() if each.risks is not None}
        parts[key] = Part(tuple(each[key] for each in panels), scores, numbers, risks)
    if not parts:
        raise DataError("there are no cases: the frame is empty.")
    return Reduction(made.request, made.kinds, parts)


def _panel_of_bins(made: Planned, table: Table) -> dict[tuple[Any, ...], Panel]:
    """Panels of cells from the bins of one score: thresholds are edges, so no bin is split.

    The decisions of other models stand beside the bins.
    """
    scores = np.asarray(table[PREFIX + "low"], dtype=np.float64)
    beside = np.asarray(table[PREFIX + "bin0"], dtype=np.int64) % made.beside
    others = made.others
    told = dict(zip(others, np.unravel_index(beside, (1, *others.values()))[1:], strict=True))
    decided = []
    for k, system in enumerate(made.request.systems):
        if k in told:
            decided.append(told[k])
            continue
        app, kind = made.request.application_of(system.application), made.score_type(system.model)
        at, decisions = made.request._rule(app, kind).cuts()
        decided.append(np.asarray(decisions)[np.searchsorted(at, scores, side="left")])
    names = ("rows", "second") if made.request.sample_weight is None else ("cases", "second_cases")
    every, second = (np.asarray(table[PREFIX + n], dtype=np.int64) for n in names)
    rows = np.concatenate([every - second, second])
    truth = np.repeat([0, 1], len(scores))
    codes = np.column_stack([truth, *(np.tile(d, 2) for d in decided)]).astype(np.intp)
    sums = {}
    if made.request.sample_weight is not None:
        for name in ("weight", "squares"):
            whole, part = (np.asarray(table[PREFIX + n]) for n in (name, f"second_{name}"))
            sums[name] = np.concatenate([whole - part, part])
    found = {}
    for key, places in _slices(made, table).items():
        here = np.concatenate([places, np.array(places) + len(scores)]).astype(np.intp)
        parts = {name: values[here] for name, values in sums.items()}
        found[key] = Panel(made.request.systems, codes[here], rows[here], parts).gathered()
    return found


def _sorted(keys: Any) -> list[Any]:
    """Keys in their order; by their `repr` where types are mixed."""
    try:
        return sorted(keys)
    except TypeError:
        return sorted(keys, key=repr)


def _slices(made: Planned, table: Table) -> dict[tuple[Any, ...], list[int]]:
    """Which groups belong to each slice."""
    found: dict[tuple[Any, ...], list[int]] = {}
    columns = [table[name] for name in made.request.by]
    if not columns and len(table[PREFIX + "rows"]):
        return {(): list(range(len(table[PREFIX + "rows"])))}
    for k, key in enumerate(zip(*columns, strict=True)):
        found.setdefault(tuple(key), []).append(k)
    return found


def _mark_missing(made: Planned, table: Table, keep: bool) -> None:
    """Replace missing values of `by` by None if `keep`; raise for them otherwise."""
    for name in made.request.by:
        missing = [_is_missing(value) for value in table[name]]
        if any(missing) and not keep:
            n = sum(rows for rows, gap in zip(table[PREFIX + "rows"], missing, strict=True) if gap)
            raise DataError(
                f"{named('by')} column {name!r} has missing values ({n} rows).",
                hint="drop or fill those rows first; nothing is dropped silently",
                code="slice-missing",
            )
        if any(missing):
            cells = zip(table[name], missing, strict=True)
            table[name] = [None if gap else value for value, gap in cells]


def _is_missing(value: Any) -> bool:
    """Whether a key is None, NaN or a library's own mark of a missing value."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # a mark that refuses to be compared
        return True


def _panels(made: Planned, k: int, table: Table) -> dict[tuple[Any, ...], Panel]:
    """One panel in every slice."""
    panel = made.panels[k]
    systems = tuple(made.request.systems[s] for s in panel)
    codes = np.asarray(table[f"{PREFIX}cell{k}"], dtype=np.int64)
    cells = np.column_stack(np.unravel_index(codes, made.panel_sizes(panel))).astype(np.intp)
    sums = {}
    for name in made.plan.groupings[k].sums:
        short = name.removeprefix(PREFIX).removesuffix("_sum")
        sums[short] = np.asarray(table[name], dtype=np.float64)
    weighted = made.request.sample_weight is not None
    rows = sums.pop("cases") if weighted else np.asarray(table[PREFIX + "rows"], dtype=np.int64)
    found = {}
    for key, places in _slices(made, table).items():
        at = np.array(places)[np.argsort(codes[places])]
        at = at[rows[at] > 0]  # weights of zero only
        parts = {name: frozen(values[at]) for name, values in sums.items()}
        found[key] = Panel(systems, frozen(cells[at]), frozen(rows[at].astype(np.int64)), parts)
    return found


class _Binned(NamedTuple):
    """The bins of one model in one slice; `Part` describes the fields."""

    bins: ScoreBins
    numbers: FloatArray | None
    risks: FloatArray | None


def _bins(made: Planned, k: int, model: str, table: Table) -> dict[tuple[Any, ...], _Binned]:
    """The bins of one model in every slice; for weighted rows also numbers of rows."""
    bins: Bins = made.bins[model]
    edges = bins.edges
    beside = made.beside if k == 0 and made.from_bins else 1
    codes = bins.position(np.asarray(table[f"{PREFIX}bin{k}"], dtype=np.int64) // beside)
    weighted = made.request.sample_weight is not None
    kind = np.float64 if weighted else np.int64
    summed = ("weight", "second_weight") if weighted else ("rows", "second")
    every, second = (np.asarray(table[PREFIX + n]).astype(kind) for n in summed)
    low, high = (np.asarray(table[PREFIX + n], dtype=np.float64) for n in ("low", "high"))
    priors = made.request.from_priors
    prior = None if priors is None else float(priors[1])
    if prior is None:  # every slice takes the share in all rows, so that slices can be added
        total = float(every.sum())
        share = float(second.sum()) / total if total > 0 else 0.0
        prior = share if 0 < share < 1 else None
    cells = [(every, second)]
    if weighted:
        powers = [("cases", "second_cases"), ("squares", "second_squares")]
        cells += [(np.asarray(table[PREFIX + a]), np.asarray(table[PREFIX + b])) for a, b in powers]
    if made.request.finds_cut:
        risk, part = (np.asarray(table[f"{PREFIX}{n}risk{k}"]) for n in ("", "second_"))
        risky = np.column_stack([risk - part, part]).astype(np.float64)
    by_class = [np.column_stack([both - part, part]) for both, part in cells]
    found = {}
    for key, places in _slices(made, table).items():
        held = np.zeros((len(cells), edges.shape[0] + 1, 2), dtype=kind)
        for at, values in enumerate(by_class):
            np.add.at(held[at], codes[places], values[places])
        if weighted:  # without what rounding leaves in empty bins
            held = np.where(held[1] > 0, np.maximum(held, 0.0), 0.0)
        counts, numbers = held[0], held[1:] if weighted else None
        ends = np.full((2, edges.shape[0] + 1), np.nan)
        np.fmin.at(ends[0], codes[places], low[places])
        np.fmax.at(ends[1], codes[places], high[places])
        ends[:, counts.sum(axis=1) == 0] = np.nan  # weights of zero only
        if counts.sum() > 0:
            names = made.request.classes
            scores = ScoreBins(edges, counts, ends[0], ends[1], names, "posterior", prior)
            risks = None
            if made.request.finds_cut:
                risks = np.zeros((edges.shape[0] + 1, 2))
                risks[codes[places]] = risky[places]
            found[key] = _Binned(scores, numbers, risks)
    return found


#: Modules for frames that have their own engine, by the package of the frame's type.
_NATIVE = {"duckdb": "duckdb_sql", "polars": "polars_expressions", "pyspark": "spark_sql"}


def reduce_frame(frame: Any, request: Request, *, keep_missing: bool = False) -> Reduction:
    """Count what a request asks for, where the rows live; nothing but counts leaves the engine.

    Parameters
    ----------
    frame : data frame
        pandas, Polars (eager or lazy), pyarrow, a DuckDB relation, PySpark, Dask or Ibis.
    request : Request
        Columns, models, applications.
    keep_missing : bool
        Whether rows without a value in a column of `by` make a slice of their own, called None,
        instead of being refused.

    Returns
    -------
    Reduction
        Summaries that add with ``+``.

    Notes
    -----
    Posteriors are read in float64; thresholds of two classes are first rounded to the type of
    their column, so that decimals tie in float32 too. Rows that cannot be used (missing values,
    unknown labels, invalid posteriors, negative weights) are counted in the same
    pass, and then refused with their number; nothing is dropped or repaired.

    Examples
    --------
    >>> from stakes import Application
    >>> import polars as pl
    >>> rows = pl.DataFrame({"y": [0, 0, 1, 1], "p": [0.02, 0.3, 0.05, 0.8]})
    >>> app = Application([[0, 1], [10, 0]])
    >>> found = reduce_frame(rows, Request("y", {"gbm": "p"}, applications=app))
    >>> found.confusion().counts
    array([[1, 1],
           [1, 1]])
    """
    frame = native(frame)
    engine = _engine_of(frame)
    types = ColumnTypes.of(frame, request)
    made = planned(request, types, engine.DIALECT)
    tables = engine.run(frame, made.plan, request.columns)
    refused = refused_count(made, tables)
    if refused:
        refuse_rows(frame, engine, request, types, refused)
    found = _with_doubts(_reduction_of(made, tables, keep_missing=keep_missing), frame)
    return with_sample(found, frame, engine, types) if request.sample else found


def _engine_of(frame: Any) -> ModuleType:
    """The module that counts a native frame."""
    package = type(frame).__module__.partition(".")[0].lstrip("_")
    return import_module(f"stakes.engines.{_NATIVE.get(package, 'narwhals_expressions')}")


def some_rows(frame: Any, columns: tuple[str, ...], *, wanted: int, seed: int) -> tuple[Table, int]:
    """About as many rows as wanted, spread evenly over a frame with an engine of its own.

    The second value is the number of all rows.
    """
    import narwhals as nw

    rows: Any = nw.from_native(frame).select(nw.len())
    whole = int((rows.collect() if isinstance(rows, nw.LazyFrame) else rows).item())
    frame = native(frame)
    return _engine_of(frame).some_rows(frame, columns, Chosen.of(wanted, whole, seed)), whole


def _with_doubts(found: Reduction, frame: Any) -> Reduction:
    """Mark models as unsure that are certain about the last of several classes, but not others.

    The pass over all rows looks at the last class only: that is faster, and nearly always enough.
    """
    import narwhals as nw

    request = found.request
    suspects = found._certain if len(request.classes) > 2 else []
    for model in suspects:
        rows: Any = nw.from_native(frame)
        if request.sample_weight is not None:
            rows = rows.filter(nw.col(request.sample_weight) > 0)
        parts = [nw.col(name).cast(nw.Float64) for name in request.models[model]]
        doubts = added([(p > 0) & (p < 1) for p in parts], or_)
        seen = rows.filter(doubts).select(request.label).head(1)
        if len(seen.collect() if isinstance(seen, nw.LazyFrame) else seen):
            scored = [name for name, kind in found.kinds.items() if kind == "posteriors"]
            parts_of = {
                key: _doubted(part, scored.index(model)) for key, part in found.parts.items()
            }
            found = Reduction(request, found.kinds, parts_of)
    return found


def _doubted(part: Part, number: int) -> Part:
    """The part with a mark that a model is not always certain."""
    first, name = part.panels[0], f"unsure{number}"
    sums = {**first.sums, name: first.sums[name] + 1.0}
    return replace(part, panels=(replace(first, sums=sums), *part.panels[1:]))


def native(frame: Any, arrays: str = "evaluate()") -> Any:
    """The frame without a narwhals wrapper; raise for anything that is not a frame.

    `arrays` is what takes those.
    """
    import narwhals as nw

    try:
        return nw.to_native(as_frame(frame, "frame"))
    except TypeError:
        hint = f"pandas, Polars, pyarrow, DuckDB, PySpark, Dask or Ibis; for arrays, {arrays}"
        if isinstance(frame, (str, Path)):
            hint = 'for a query: duckdb.sql("SELECT ..."); for a file: pd.read_csv("data.csv")'
        raise DataError(
            f"`frame` must be a data frame; got {type(frame).__name__}.", hint=hint
        ) from None
