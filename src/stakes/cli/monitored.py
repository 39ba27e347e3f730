"""Periods from files of counts, or from the dates of one file, and the watch over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._names import as_positions
from stakes.application import Application, CaseCosts
from stakes.application.sentences import describe_costs
from stakes.cli.asked import asked
from stakes.cli.cases import quoted
from stakes.cli.cells import Labels
from stakes.cli.costs import binary_case_costs, shares
from stakes.cli.deciding import posteriors_of, said_by, without_gaps
from stakes.cli.far_counts import as_text, counted_far
from stakes.cli.from_counts import ordered_table, over_names
from stakes.cli.globs import needs_engine
from stakes.cli.kept import read_kept, renamed
from stakes.cli.kept_files import listed_files
from stakes.cli.models import Model, models_of
from stakes.cli.place import at_place, groups_of, judged_at, texts
from stakes.cli.timing import period_of
from stakes.decisions import bayes_decisions
from stakes.exceptions import CostError, DataError
from stakes.monitoring import Watch, watch
from stakes.summaries import (
    ConfusionMatrix,
    CostTally,
    GroupedCounts,
    ScoreCounts,
    merge_summaries,
)
from stakes.summaries.storing import is_summary

__all__ = ["Watched", "watched"]


@dataclass(frozen=True, slots=True)
class Watched:
    """A watch with where it came from."""

    watch: Watch
    source: str
    model: str
    costs_said: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def watched(words: Sequence[str], args: Any) -> Watched:
    """The periods that the options speak of, compared with the first."""
    if args.time is not None and len(words) == 1:
        args.file = words[0]
        return _from_far(args) if needs_engine(args) else _from_rows(args)
    paths = listed_files(words) if words and args.time is None else []
    if len(paths) >= 2:
        return _from_files(paths, args)
    raise DataError(
        "I need a reference and at least one later period.",
        hint="counts of each period:  stakes monitor last_month.json this_month.json "
        "--cost fn=10 fp=1\nrows with a date:  stakes monitor data.csv --time date --period "
        "week --cost fn=10 fp=1",
    )


# ------------------------------------------------------------- files of counts


def _from_files(paths: list[str], args: Any) -> Watched:
    """One period per file, called after it."""
    for path in paths:
        if not is_summary(path) and not path.endswith(".json"):
            raise DataError(
                f"{Path(path).name} holds rows; several files must be counts of periods.",
                hint=f"count it first:  stakes eval {path} ... --save {Path(path).stem}.json\n"
                "or give one file with dates:  --time COLUMN",
            )
    kept = [read_kept(path) for path in paths]
    names = [Path(path).stem for path in paths]
    if len(set(names)) < len(names):
        names = list(paths)
    single = all(len(each.tables) == 1 for each in kept)
    model = next(iter(kept[0].tables)) if single else _chosen(list(kept[0].tables), args.model)
    tables: dict[str, ConfusionMatrix] = {}
    for name, each in zip(names, kept, strict=True):
        if not single and model not in each.tables:
            raise DataError(f"{name} has no model '{model}'; it has {', '.join(each.tables)}.")
        tables[name] = next(iter(each.tables.values())) if single else each.tables[model]
    app = over_names(next(iter(tables.values())), args)
    if args.prevalence:
        app = app.with_priors(shares(args.prevalence, texts(app.classes)))
    periods: dict[str, Any] = {}
    for (name, table), each in zip(tables.items(), kept, strict=True):
        periods[name] = ordered_table(table, app, name)
        if all(one.grouped is not None for one in kept) and each.grouped is not None:
            periods[name] = replace(each.grouped, joint=renamed(each.grouped.joint, app))
    scores = {name: each.scores.get(model) for name, each in zip(names, kept, strict=True)}
    ranked = None if None in scores.values() else scores
    found = _watch(periods, app, args, ranked)
    called = "" if single and model in names else model
    return Watched(found, f"{len(paths)} files", called, _said(app))


def _chosen(models: list[str], given: str | None) -> str:
    """The model that is meant, when there are several."""
    if given is None and len(models) == 1:
        return models[0]
    if given is None:
        raise DataError(
            f"there are {len(models)} models: {', '.join(models)}.", hint=f"--model {models[0]}"
        )
    if given not in models:
        raise DataError(f"--model speaks of '{given}'; the models are {', '.join(models)}.")
    return given


def _watch(
    periods: dict[str, Any], app: Application, args: Any, scores: dict[str, Any] | None = None
) -> Watch:
    """The watch itself, with the first periods put together if that was asked."""
    if not 0 < args.level < 1:
        raise DataError(f"--level must lie between 0 and 1; got {args.level:g}.")
    _refuse_unwatched(periods, app, args)
    count = args.reference_first
    if count is None:
        return watch(
            periods, application=app, reference=args.reference, scores=scores, level=args.level
        )
    if args.reference is not None:
        raise DataError("--reference and --reference-first say the same thing; leave one out.")
    names = list(periods)
    if not 1 <= count < len(names):
        raise DataError(
            f"--reference-first must leave periods to watch; there are {len(names)}, got {count}."
        )
    called = names[0] if count == 1 else f"first {count}"

    def together(parts: dict[str, Any]) -> dict[str, Any]:
        first = merge_summaries([parts[name] for name in names[:count]])
        return {called: first, **{name: parts[name] for name in names[count:]}}

    scores = None if scores is None else together(scores)
    return watch(together(periods), application=app, scores=scores, level=args.level)


def _refuse_unwatched(periods: dict[str, Any], app: Application, args: Any) -> None:
    """Raise, with what to type, where nothing is left to watch or to judge."""
    names = list(periods)
    if args.reference is not None and args.reference not in names:
        raise DataError(
            f"--reference speaks of '{args.reference}'; there are {quoted(names[:12])}."
        )
    if len(names) == 1:
        shorter = "" if args.time is None else "; or take shorter ones:  --period day"
        raise DataError(
            f"there is only one period, '{names[0]}', and nothing to compare it with.",
            hint=f"bring an earlier or a later one{shorter}",
        )
    if args.reference == names[-1]:
        raise DataError(
            f"'{names[-1]}' is the last period, so none is left to compare with it.",
            hint=f"--reference {names[0]}",
        )
    values = app.costs.values
    given = not any(isinstance(one, CostTally) for one in periods.values())
    if given and (values == values[:, :1]).all():
        raise CostError(
            "with these costs it makes no difference what is decided: there is nothing to watch.",
            hint="say what errors cost:  --cost fn=10 fp=1",
        )
    if app.priors is None:
        return
    for name, summary in periods.items():
        met = (summary.class_totals > 0) | (app.priors == 0)
        absent = [k for k, found in zip(app.classes, met.tolist(), strict=True) if not found]
        if absent:
            raise DataError(
                f"'{name}' has no case of {quoted(absent)}, so its cost at the given shares is "
                "unknown.",
                hint="take longer periods, or leave --prevalence out",
            )


def _said(app: Application) -> tuple[str, ...]:
    """The costs as sentences."""
    return tuple(describe_costs(app.costs, unit=app.unit).splitlines())


# ------------------------------------------------------------- rows with dates


def _from_rows(args: Any) -> Watched:
    """Rows of one file, put into periods by a column."""
    if args.weight:
        raise DataError("--weight is not for monitoring: weights do not say how many cases.")
    question = asked(args)
    app = at_place(question.application, question.cases.priors, args)
    models = models_of(question.table, question.cases, texts(app.decisions), args)
    name = _chosen([model.name for model in models], args.model)
    models = [model for model in models if model.name == name]
    models, cases, gaps = without_gaps(models, question.cases, args)
    app = at_place(question.application, cases.priors, args)
    case_costs = None
    if question.words is not None:
        case_costs = binary_case_costs(question.words, cases.classes, question.table, cases.rows)
    codes = _decided(models[0], cases, app, args, case_costs)
    names, places = period_of(question.table.labels(args.time), cases.rows, args)
    groups = groups_of(question.table, cases, args.group)
    if groups is not None:
        groups = np.array(question.table.labels(args.group).names, dtype=object)[groups]
    periods = {
        label: _counted(cases.truth, codes, groups, places == k, app, case_costs)
        for k, label in enumerate(names)
    }
    scores = _scores(models[0], cases, names, places)
    found = _watch(periods, judged_at(app, args), args, scores)
    said = _said(app) if case_costs is None else ("costs differ from case to case",)
    return Watched(found, question.table.source, name, said, (gaps,) if gaps else ())


def _scores(
    model: Model, cases: Any, names: list[str], places: NDArray[np.intp]
) -> dict[str, ScoreCounts] | None:
    """The ranking of cases in each period, where scores of two outcomes tell it."""
    if model.scores is None or len(cases.classes) != 2 or model.missing.any():
        return None
    second = model.scores if model.scores.ndim == 1 else model.scores[:, 1]
    return {
        name: ScoreCounts.from_scores(
            cases.truth[places == k], second[places == k], kind="rank", classes=[0, 1]
        )
        for k, name in enumerate(names)
    }


def _decided(
    model: Model, cases: Any, app: Application, args: Any, case_costs: CaseCosts | None
) -> NDArray[Any]:
    """What the model decided in each case."""
    posteriors = None
    if model.decisions is None and not model.missing.any():
        posteriors = posteriors_of(model, cases, app, args)
    if posteriors is not None:
        return bayes_decisions(posteriors, app.costs if case_costs is None else case_costs)
    if case_costs is not None and model.decisions is None:
        raise DataError("costs per case need probabilities in every row.", hint="--missing drop")
    return said_by(model, cases, app, args)[0]


def _counted(
    truth: NDArray[Any],
    codes: NDArray[Any],
    groups: NDArray[Any] | None,
    inside: NDArray[np.bool_],
    app: Application,
    case_costs: CaseCosts | None,
) -> ConfusionMatrix | GroupedCounts | CostTally:
    """The counts of one period."""
    truth, codes = as_positions(truth), as_positions(codes)
    if groups is not None:
        if case_costs is not None:
            raise DataError("--group does not go with costs per case here.")
        return GroupedCounts.from_decisions(
            truth[inside],
            codes[inside],
            groups=groups[inside],
            classes=app.classes,
            decision_names=app.decisions,
        )
    if case_costs is None:
        return ConfusionMatrix.from_decisions(
            truth[inside], codes[inside], classes=app.classes, decision_names=app.decisions
        )
    costs = CaseCosts(case_costs.values[inside], case_costs.classes, case_costs.decisions)
    return CostTally.from_decisions(truth[inside], codes[inside], costs=costs)


# ------------------------------------------------------------- files that are counted apart


def _from_far(args: Any) -> Watched:
    """Files of any number, put into periods by a column, counted where they lie."""
    args.subset = args.time
    found = counted_far(args)
    app, reduction = found.application, found.reduction
    name = _chosen(list(reduction.request.models), args.model)
    times = Labels(
        tuple(as_text(key[0]) for key in reduction.slices), np.arange(len(reduction.slices))
    )
    names, places = period_of(times, np.arange(len(times.names)), args)
    periods: dict[str, ConfusionMatrix] = {}
    for key, place in zip(reduction.slices, places.tolist(), strict=True):
        counts = reduction[key].confusion(name).counts
        table = ConfusionMatrix(counts, app.classes, app.decisions)
        periods[names[place]] = periods[names[place]] + table if names[place] in periods else table
    ordered = {label: periods[label] for label in names}
    watch = _watch(ordered, judged_at(app, args), args)
    return Watched(watch, found.files.title, name, _said(app), found.warnings)
