"""`evaluate_frame`: the verdict on rows that stay where they live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from stakes._random import as_seed
from stakes.application import Application, CostMatrix, UncertainApplication, as_application
from stakes.engines import Request, reduce_frame
from stakes.engines.reducing import native
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.from_reduction import evaluated_reduction
from stakes.exceptions import DataError
from stakes.typing import Priors, RandomSource

__all__ = ["evaluate_frame"]


def evaluate_frame(
    frame: Any,
    *,
    label: str,
    application: Any,
    posteriors: Any = None,
    decisions: Any = None,
    classes: Any = None,
    positive: Any = None,
    by: Sequence[str] | str | None = None,
    case_costs: Mapping[Any, Any] | None = None,
    sample_weight: str | None = None,
    posterior_priors: Priors | None = None,
    n_bins: int = 0,
    level: float = 0.95,
    min_cases: int = 10,
    rng: RandomSource = None,
) -> Evaluation:
    """Judge models by what their decisions cost, from rows of a data frame that stay in it.

    The form of `evaluate` for rows in pandas, Polars, pyarrow, DuckDB, PySpark, Dask or Ibis,
    as many as there may be: the engine counts, and nothing but the counts leaves it. Lower is
    better.

    Parameters
    ----------
    frame : data frame
        Lazy ones (Polars, DuckDB, Spark, Dask, Ibis) are never collected.
    label : str
        Column of true classes: names of the application, or positions.
    application : Application, CostMatrix or UncertainApplication
        What is at stake.
    posteriors : str, sequence of str, or mapping from models to either
        A column for each class, or one float column with the posterior of one of two classes.
        Columns that are named like the classes are found by name; of others the order counts.
        A model may also map the classes to its columns: ``{"gbm": {"yes": "p1", "no": "p0"}}``.
    decisions : str, or mapping from models to str
        Columns of decisions: names or integer positions.
    classes : sequence of names, optional
        The order of the columns that are not named like the classes. Needed when the
        application names the classes in another order than the sorted one, unless labels are
        positions.
    positive : name, optional
        The class of which a single column is the probability; needed in the same case.
    by : str or sequence of str, optional
        Evaluate the rows of each value of these columns too (`.slices`).
    case_costs : mapping, optional
        Costs that differ from case to case, as formulas over columns:
        ``{"fn": "amount", "fp": "0.05*amount + 10"}``; see `stakes.application.case_costs`.
        Each case is then decided by its own costs.
    sample_weight : str, optional
        Column of weights.
    posterior_priors : shares, optional
        The base rate that the posteriors were made for; the class shares of the data if
        absent, which takes a pass over the labels when the application has priors of its own.
    n_bins : int
        Also count the posteriors of two classes in this many bins, for the best threshold on
        these data.
    level, min_cases, rng
        As in `evaluate`.

    Returns
    -------
    Evaluation
        As from `evaluate`, without what needs the rows: no model is re-calibrated.

    Notes
    -----
    Posteriors are read in float64, whatever their type. Rows that cannot be used are counted
    and refused; nothing is dropped. See `stakes.engines` for the counts themselves.

    Examples
    --------
    >>> import polars as pl
    >>> from stakes import CostMatrix
    >>> rows = pl.DataFrame({"y": ["stay", "churn"] * 50, "p": [0.05, 0.6] * 40 + [0.3, 0.05] * 10})
    >>> costs = CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"],
    ...                    decisions=["ignore", "call"])
    >>> ev = evaluate_frame(rows, label="y", posteriors={"gbm": "p"}, positive="churn",
    ...                     application=costs)
    >>> ev["gbm"].confusion.counts
    array([[40, 10],
           [10, 40]])
    >>> round(ev["gbm"].cost, 2)
    1.1
    """
    uncertain = application if isinstance(application, UncertainApplication) else None
    given = as_application(application if uncertain is None else uncertain.expected)
    models = _models(posteriors, decisions)
    _refuse_mistaken(frame, posteriors, decisions)
    said_at = posterior_priors
    if given.priors is not None and said_at is None and posteriors is not None:
        said_at = class_shares(frame, label, given, sample_weight)
    request = Request(
        label,
        models,
        applications=given,
        sample_weight=sample_weight,
        by=by,
        case_costs=case_costs,
        naive=case_costs is not None,
        n_bins=n_bins,
        posterior_priors=said_at,
        classes=classes,
        positive=positive,
    )
    options: dict[str, Any] = {"level": level, "rng": as_seed(rng), "min_cases": min_cases}
    found = evaluated_reduction(reduce_frame(frame, request), options=options)
    if uncertain is None:
        return found
    note = "uncertain costs are judged by their expectation; evaluate() says what depends on them"
    return replace(found, notes=(*found.notes, note))


def class_shares(frame: Any, label: str, app: Application, sample_weight: str | None) -> Any:
    """The share of each class in a frame, from its labels alone."""
    naive = CostMatrix(np.zeros((len(app.classes), 1)), classes=app.classes, decisions=["any"])
    request = Request(label, {}, applications=naive, sample_weight=sample_weight)
    totals = reduce_frame(frame, request).class_totals
    return totals / totals.sum()


def _refuse_mistaken(frame: Any, posteriors: Any, decisions: Any) -> None:
    """Raise for probabilities that are given as decisions, or decisions as probabilities."""
    types = dict(nw.from_native(native(frame)).collect_schema())
    for given, what in ((posteriors, "posteriors"), (decisions, "decisions")):
        named = given if isinstance(given, Mapping) else {} if given is None else {"model": given}
        for model, said in named.items():
            each = said.values() if isinstance(said, Mapping) else said
            columns = [said] if isinstance(said, str) else list(each)
            kind = types.get(columns[0]) if len(columns) == 1 else None
            if kind is None or (kind.is_float() or kind.is_decimal()) == (what == "posteriors"):
                continue
            hints = {
                "posteriors": f"decisions={{{model!r}: {columns[0]!r}}} if it holds names or "
                "positions of decisions; else make its numbers floats",
                "decisions": f"posteriors={{{model!r}: {columns[0]!r}}} if it holds "
                "probabilities; decisions are names or integers",
            }
            raise DataError(
                f"`{what}` of {str(model)!r}: column {columns[0]!r} holds {kind}, which is read as "
                f"{'decisions' if what == 'posteriors' else 'probabilities'}.",
                hint=hints[what],
            )


def _models(posteriors: Any, decisions: Any) -> dict[str, Any]:
    """The columns of every model, posteriors first."""
    found: dict[str, Any] = {}
    for given in (posteriors, decisions):
        if given is None:
            continue
        named = given if isinstance(given, Mapping) else {"model": given}
        for name, columns in named.items():
            if str(name) in found:
                raise DataError(f"two models are called {str(name)!r}.")
            found[str(name)] = columns
    if not found:
        raise DataError(
            "there is nothing to judge.", hint='posteriors=["p_no", "p_yes"], or decisions="choice"'
        )
    return found
