"""`evaluate_frame`: from columns of a frame, which the engine counts where they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from stakes._checks import column_name, of_kind
from stakes._guesses import answers_guesses
from stakes._names import as_name
from stakes._random import as_seed
from stakes.application import Application, CostMatrix, UncertainApplication, as_application
from stakes.application.application import refuse_paid_errors
from stakes.application.cost_input import stated_costs
from stakes.application.written_amounts import plain_costs
from stakes.evaluation.evaluate_function import (
    about_columns,
    doubted,
    has_names,
    options_of,
    refuse_columns,
    with_inquiry,
)
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.far.case_sum_account import reduce_by_case
from stakes.evaluation.far.group_account import reduce_groups
from stakes.evaluation.recalibration import refuse_absent
from stakes.evaluation.reduction_account import evaluated_reduction
from stakes.exceptions import CostError, DataError, PriorError
from stakes.messages.notes import Note
from stakes.posteriors.posteriors import refuse_decisions
from stakes.typing import Priors, RandomSource

#: How many labels of a frame are looked at for the names of the classes.
_MOST_CLASSES = 1000


@answers_guesses
def evaluate_frame(
    frame: Any,
    *,
    label: str,
    costs: Any = None,
    application: Any = None,
    priors: Priors | None = None,
    unit: str | None = None,
    volume: float | str | None = None,
    period: str | None = None,
    scores: Any = None,
    posteriors: Any = None,
    decisions: Any = None,
    classes: Any = None,
    positive: Any = None,
    by: Sequence[str] | str | None = None,
    case_costs: Mapping[Any, Any] | None = None,
    sample_weight: str | None = None,
    groups: str | None = None,
    from_priors: Priors | None = None,
    bins: int | None = None,
    level: float = 0.95,
    min_cases: int = 10,
    baseline: str | None = None,
    switching_cost: float | str | None = None,
    rng: RandomSource = None,
) -> Evaluation:
    """Judge models by what their decisions cost, from rows of a data frame that stay in it.

    The form of `evaluate` for rows in pandas, Polars, pyarrow, DuckDB, PySpark, Dask or Ibis,
    as many as there may be: the engine counts, and nothing but the counts leaves it. Lower is
    better.

    Parameters
    ----------
    frame : data frame or Source
        Lazy frames (Polars, DuckDB, Spark, Dask, Ibis) are never collected. What
        `stakes.sources.read` gives is read as the command line reads it: names are text, and rows
        in memory are re-calibrated too.
    label : str
        Column of true classes: names of the application, or positions.
    costs, application, priors, unit, volume, period
        What is at stake, as in `evaluate`. Costs that name no classes take the names of the
        labels, which takes a pass over them. Amounts may be formulas over columns, as those of
        `case_costs`.
    scores : str or sequence of str, optional
        Columns of which each is one model: the probability of the positive one of two classes.
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
    groups : str, optional
        Column that says which cases belong together (customers, speakers): whole groups, at most
        50,000, are drawn for intervals and comparisons, and kept together when scores of two
        classes are re-calibrated. Not with costs per case.
    from_priors : shares, optional
        The base rate that the posteriors were made for, where the application has priors of its
        own; the class shares of the data if absent, which takes a pass over the labels.
    bins : int, optional
        Count the posteriors of two classes in this many bins too, for everything that needs more
        than decisions: calibration, ranges of costs, the best threshold on these data. 4096 if
        absent; 0 counts decisions alone, which is quicker.
    level, min_cases, baseline, switching_cost, rng
        As in `evaluate`.

    Returns
    -------
    Evaluation
        As from `evaluate`. What only rows can tell is named in `absent`, with the reason.

    Notes
    -----
    Posteriors are read in float64; thresholds of two classes are first rounded to the type of
    their column, so that decimals tie in float32 too. Rows that cannot be used are counted and
    refused; nothing is dropped. See `stakes.engines` for the counts themselves.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"y": ["stay", "churn"] * 50, "p": [0.05, 0.6] * 40 + [0.3, 0.05] * 10})
    >>> ev = evaluate_frame(rows, label="y", scores="p", positive="churn",
    ...                     costs={"fn": 10, "fp": 1})
    >>> ev["p"].confusion.counts
    array([[40, 10],
           [10, 40]])
    >>> round(ev["p"].cost, 2)
    1.1
    """
    posteriors, positive = scored_models(scores, posteriors), as_name(positive, "positive")
    costs, case_costs = _formulas(costs, case_costs)
    settings = {"priors": priors, "unit": unit, "volume": volume, "period": period}
    switch, far = {"baseline": baseline, "switching_cost": switching_cost}, hasattr(frame, "is_far")
    labels = None if far or has_names(costs, application) else _distinct(frame, label)
    told = {"classes": classes, "positive": positive, "what": label, **settings}
    application = stated_costs(application, costs, labels, **told)
    asked: dict[str, Any] = {"positive": positive, "by": by, "sample_weight": sample_weight}
    if far:
        idle = {"classes": classes, "from_priors": from_priors, "bins": bins or None}
        refuse_columns(idle, "sources")
        from stakes.inquiry.answers import evaluate_source

        asked |= {"posteriors": posteriors, "decisions": decisions, "case_costs": case_costs}
        asked |= {"min_cases": min_cases, "level": level, "seed": as_seed(rng), **switch}
        asked |= {"label": label, "application": application, "groups": groups}
        return evaluate_source(frame, **asked)
    from stakes.engines import Request
    from stakes.engines.request import USUAL_BINS
    from stakes.engines.row_sample import SAMPLE

    uncertain = application if isinstance(application, UncertainApplication) else None
    given = as_application(application if uncertain is None else uncertain.expected)
    refuse_paid_errors(given)
    models = frame_models(frame, posteriors, decisions)
    _refuse_idle_shares(from_priors, given)
    said_at, options = from_priors, options_of(level, rng, min_cases)
    if given.priors is not None and said_at is None and posteriors is not None:
        said_at = class_shares(frame, label, given, sample_weight)
        refuse_absent(said_at, given)
    scored = posteriors is not None and case_costs is None
    if bins is None:
        bins = USUAL_BINS if len(given.classes) == 2 and scored else 0
    request = Request(
        label,
        models,
        applications=given,
        case_costs=case_costs,
        naive=case_costs is not None,
        bins=bins,
        from_priors=said_at,
        classes=classes,
        sample=SAMPLE if len(given.classes) > 2 and scored else 0,
        seed=options["rng"],
        **asked,
    )
    reduced = _reduced(frame, request, groups)
    for name in reduced._certain:
        whole = f"decisions={{{name!r}: ...}}, a column of integers or names"
        refuse_decisions(name, whole, f"evaluate(y, {{{name!r}: stakes.Posteriors(p)}}, ...)")
    found = about_columns(evaluated_reduction(reduced, options=options), positive)
    words = {"label": label, "weight": sample_weight, "positive": positive, "by": by}
    found = with_inquiry(found, options, tuple(switch.values()), groups=groups, **words)
    if uncertain is None:
        return found
    slices = {name: doubted(part, uncertain) for name, part in found.slices.items()}
    found = replace(doubted(found, uncertain), slices=slices)
    if found.doubt is not None:
        return found
    return replace(found, notes=(*found.notes, Note("costs-by-expectation")))


def _reduced(frame: Any, request: Any, groups: str | None) -> Any:
    """What the engine counts: by group where cases belong together, or by the costs of each."""
    from stakes.engines import reduce_frame

    if groups is None:
        return (reduce_by_case if request.case_costs else reduce_frame)(frame, request)
    if request.case_costs:
        raise DataError(
            "`groups` with costs per case needs the rows in memory.",
            hint="evaluate(y, p, case_costs=..., groups=...)",
        )
    return reduce_groups(frame, request, column_name(groups, "groups"))


def _refuse_idle_shares(from_priors: Any, given: Application) -> None:
    """Raise where posteriors were made for some shares and nobody says where models will run."""
    if from_priors is not None and given.priors is None:
        raise PriorError(
            "`from_priors` says what the posteriors were made for; say too where the models "
            "will run.",
            hint="application=Application(costs, priors=[0.98, 0.02])",
        )


def _formulas(costs: Any, case_costs: Any) -> tuple[Any, Any]:
    """Costs, and costs per case where amounts are formulas over columns."""
    if not isinstance(costs, Mapping):
        return costs, case_costs
    amounts, unit = plain_costs(costs)
    if not any(isinstance(value, str) for value in amounts.values()):
        return costs, case_costs
    if case_costs is not None:
        raise CostError("costs per case are given twice: as `costs` and as `case_costs`.")
    return Application(CostMatrix.zero_one(2), unit=unit), amounts


def _distinct(frame: Any, label: str) -> Any:
    """The distinct labels of a frame, near or far; None where the column is not there."""
    from stakes.engines.frame_reduction import native

    table: Any = nw.from_native(native(frame))
    if column_name(label, "label") not in table.collect_schema().names():
        return None
    found = table.select(label).drop_nulls().unique().sort(label).head(_MOST_CLASSES)
    return (found.collect() if isinstance(found, nw.LazyFrame) else found)[label].to_numpy()


def class_shares(frame: Any, label: str, app: Application, sample_weight: str | None) -> Any:
    """The share of each class in a frame, from its labels alone."""
    from stakes.engines import Request, reduce_frame

    naive = CostMatrix(np.zeros((len(app.classes), 1)), classes=app.classes, decisions=["any"])
    request = Request(label, {}, applications=naive, sample_weight=sample_weight)
    totals = reduce_frame(frame, request).class_totals
    return totals / totals.sum()


def scored_models(scores: Any, posteriors: Any) -> Any:
    """Models that are one column each, named like it, together with those of `posteriors`."""
    if scores is None:
        return posteriors
    if posteriors is not None and not isinstance(posteriors, Mapping):
        raise DataError(
            "`scores` and `posteriors` are both given.",
            hint='posteriors={"gbm": ["p_no", "p_yes"]} names a model of several columns',
        )
    named = [scores] if isinstance(scores, str) else list(of_kind(scores, "scores", Iterable))
    return {**{str(column): column for column in named}, **(posteriors or {})}


def frame_models(frame: Any, posteriors: Any, decisions: Any) -> dict[str, Any]:
    """The columns of every model, posteriors first; raise for one kind given as the other."""
    from stakes.engines.frame_reduction import native

    types = dict(nw.from_native(native(frame)).collect_schema())
    kinds = {
        "posteriors": (posteriors, "decisions", "names or positions of decisions; else make its "
                       "numbers floats"),
        "decisions": (decisions, "posteriors", "probabilities; decisions are names or integers"),
    }  # fmt: skip
    found: dict[str, Any] = {}
    for what, (given, other, if_it_holds) in kinds.items():
        named = {} if given is None else given if isinstance(given, Mapping) else {"model": given}
        for model, said in named.items():
            if str(model) in found:
                raise DataError(f"two models are called {str(model)!r}.")
            found[str(model)] = said
            each = said.values() if isinstance(said, Mapping) else said
            columns = [said] if isinstance(said, str) else list(of_kind(each, what, Iterable))
            alone = columns[0] if len(columns) == 1 else None
            kind = types.get(alone) if isinstance(alone, str) else None
            if kind is None or (kind.is_float() or kind.is_decimal()) == (what == "posteriors"):
                continue
            read_as = "decisions" if what == "posteriors" else "probabilities"
            raise DataError(
                f"`{what}` of {str(model)!r}: column {columns[0]!r} holds {kind}, which is read as "
                f"{read_as}.",
                hint=f"{other}={{{model!r}: {columns[0]!r}}} if it holds {if_it_holds}",
            )
    if not found:
        raise DataError(
            "there is nothing to judge.", hint='posteriors=["p_no", "p_yes"], or decisions="choice"'
        )
    return found
