"""The periods that `stakes monitor` compares: from dates of rows, near or far, or from saved
counts.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._names import as_positions
from stakes.application import Application, CaseCosts
from stakes.cli.commands import inquiry_of
from stakes.cli.commands.monitor.unlabelled_periods import (
    asked_with_gaps,
    estimates_of,
    fixed_mix,
    unlabelled_rows,
)
from stakes.cli.commands.monitor.watch_text import Watched, chosen, costs_said, watch_over
from stakes.cli.show.progress import attended
from stakes.cli.whole_commands import period_lines
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.inquiry.case_question import at_place, groups_of
from stakes.inquiry.count_answer import ordered_table, over_names, read_kept, renamed
from stakes.inquiry.far_answer import as_text, counted_far
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.model_decisions import decided, posteriors_of, said_by, without_gaps
from stakes.inquiry.model_scores import Model, models_of
from stakes.inquiry.option_words import binary_case_costs, shares
from stakes.inquiry.truth import Cases, texts
from stakes.messages.quantities import grouped
from stakes.sources.cells import Labels
from stakes.sources.count_files import listed_files
from stakes.summaries import ConfusionMatrix, CostTally, GroupedCounts, ScoreCounts, merge_summaries
from stakes.summaries.stored_file import is_summary

_COUNTED = (
    "count each first:  stakes eval JAN.csv --label COLUMN --positive VALUE --scores A "
    "--cost fn=10 fp=1 --save jan.json"
)
_PERIODS = (
    "counts of each period:  stakes monitor last_month.json this_month.json --positive VALUE "
    "--cost fn=10 fp=1\nrows with a date:  stakes monitor data.csv --time date --period week "
    "--label COLUMN --positive VALUE --scores A --cost fn=10 fp=1"
)
#: More periods than this are probably not meant.
MOST = 1000
UNITS = {"hour": "h", "day": "D", "month": "M", "year": "Y"}
LONGER = {"hour": "day", "day": "week", "week": "month", "month": "year"}
#: Lengths to choose from, the cases of every outcome that nine in ten periods must then have, and
#: the most periods: few long ones find a change sooner than many short ones.
_LENGTHS, _ENOUGH, _MOST_CHOSEN = ("day", "week", "month", "quarter", "year"), 10, 60
#: How a time begins that is a date, and no number such as 2026.
_DATED = re.compile(r"\s*(\d{4}-\d\d|\d{8}(?!\d))")
#: A date, perhaps with a time and an offset, such as 2026-11-15T08:30:00+02:00 or 20261115.
DATE = re.compile(
    r"(\d{4})-?(?:(\d\d)(?:-?(\d\d))?)?"
    r"(?:[T ](\d\d)(?::(\d\d))?(?::(\d\d)(?:[.,]\d+)?)?)?\s*(?:Z|UTC|[+-]\d\d:?(?:\d\d)?)?"
)


def chosen_length(names: Sequence[str], tally: NDArray[Any]) -> str | None:
    """The shortest length of periods with enough cases; None where the times are no dates.

    `tally` holds the cases at each time, one column for each outcome that matters. If no length has
    enough, it is the longest of which there are two.
    """
    if not all(_DATED.match(name) for name in names):
        return None
    try:
        dates = _dates(tuple(names), "")
    except DataError:
        return None
    longest = None
    for length in _LENGTHS[2 if all(len(name.strip()) == 7 for name in names) else 0 :]:
        _, place = np.unique(_named(dates, length), return_inverse=True)
        cases = np.zeros((place.max() + 1, tally.shape[1]))
        np.add.at(cases, place.reshape(-1), tally)
        cases = cases[cases.sum(axis=1) > 0]
        if len(cases) < 2:
            break
        longest = length
        whole = cases[1:-1] if len(cases) > 2 else cases  # the first and the last may be cut off
        if len(cases) <= _MOST_CHOSEN and np.mean(whole.min(axis=1) >= _ENOUGH) >= 0.9:
            break
    return longest


def _usual_length(times: Labels, cases: Cases, matters: NDArray[np.bool_] | bool) -> str | None:
    """The length of periods chosen for cases; None where a time is empty or no date."""
    inside = times.codes[cases.rows]
    if inside.min() < 0:
        return None
    size = len(times.names), len(cases.classes)
    at = inside * size[1] + as_positions(cases.truth)
    tally = np.bincount(at, minlength=size[0] * size[1]).reshape(size)
    present = tally.sum(axis=1) > 0
    dated = [name for name, has in zip(times.names, present, strict=True) if has]
    return chosen_length(dated, tally[present][:, matters])


def _unmixed(times: Labels, cases: Cases, blank: NDArray[np.intp], args: Any) -> str:
    """A line with the options for the longest periods that have all labels or none, if any."""
    for length in reversed(_LENGTHS):
        try:
            _, places = period_of(times, np.concatenate([cases.rows, blank]), args.time, length)
        except DataError:  # no dates, or too many periods
            return ""
        at, blank_at = places[: len(cases)], places[len(cases) :]
        first = _first_enough(cases, at)
        if first is not None and not np.isin(blank_at, at).any():
            words = f"--period {length}" + f" --reference-first {first}" * (first > 1)
            named = args.reference  # a period of the present length
            given = "" if named is None else f", without --reference {shlex.quote(named)}"
            return f"periods that have all labels or none{given}:  {words}\n"
    return ""


def _first_enough(cases: Cases, places: NDArray[np.intp]) -> int | None:
    """How many first periods together have enough cases of every outcome and leave others."""
    _, at = np.unique(places, return_inverse=True)
    tally = np.zeros((at.max() + 1, len(cases.classes)))
    np.add.at(tally, (at.reshape(-1), cases.truth), 1)
    enough = tally.cumsum(axis=0).min(axis=1)[:-1] >= _ENOUGH
    return int(enough.argmax()) + 1 if enough.any() else None


def _too_few(
    cases: Cases, places: NDArray[np.intp], first: range, inquiry: Inquiry, reference: str | None
) -> bool:
    """Whether the reference has too few cases of an outcome to estimate other periods.

    That is an error, unless rows without a label are to be dropped.
    """
    inside = np.isin(places, first)
    counts = np.bincount(cases.truth[inside], minlength=len(cases.classes))
    if counts.min() >= _ENOUGH or inquiry.missing == "drop":
        return bool(counts.min() < _ENOUGH)
    count = _first_enough(cases, places)
    with_what = "the first period" if count == 1 else "several periods"
    given = "" if reference is None else f", instead of --reference {shlex.quote(reference)}"
    better = f"compare with {with_what}{given}:  --reference-first {count}\n" if count else ""
    raise DataError(
        f"the reference has {counts.min()} cases of '{cases.classes[int(counts.argmin())]}'; "
        f"{_ENOUGH} are needed to estimate periods without labels.",
        hint=f"{better}to leave rows without a label out:  --missing drop",
    )


def period_of(
    labels: Labels, rows: NDArray[np.intp], time: str, period: str | None
) -> tuple[list[str], NDArray[np.intp]]:
    """The names of the periods in order of time, and which of them each case belongs to."""
    codes = labels.codes[rows]
    if (codes < 0).any():
        row = int(rows[int((codes < 0).argmax())]) + 1
        raise DataError(f"'{time}', the time, is empty in row {grouped(row)}.")
    if period is None:
        try:  # by their numbers where all are numbers, else as text
            order = np.argsort([float(name) for name in labels.names], kind="stable")
        except ValueError:
            order = np.argsort(np.array(labels.names), kind="stable")
        names, place = [labels.names[k] for k in order], np.argsort(order)
        said = f"'{time}' holds {grouped(len(names))} different times."
        hint = "put them together:  --period week"
    else:
        dates = _dates(labels.names, time)
        found, place = np.unique(_named(dates, period), return_inverse=True)
        names, place = found.tolist(), place.reshape(-1)
        said = f"there are {grouped(len(names))} periods."
        hint = f"take longer ones:  --period {LONGER.get(period, 'year')}"
    if len(names) > MOST:
        raise DataError(said, hint=hint)
    kept, again = np.unique(place[codes], return_inverse=True)  # those in which there is a case
    return [names[k] for k in kept], again.reshape(-1).astype(np.intp)


def _dates(names: tuple[str, ...], column: str) -> NDArray[np.datetime64]:
    """Dates from text, by the clock as it is written: offsets such as +02:00 move nothing."""
    found = np.empty(len(names), dtype="datetime64[s]")
    for k, name in enumerate(names):
        match = DATE.fullmatch(name.strip())
        try:
            if match is None:
                raise ValueError(name)
            year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
            date = datetime(year, month or 1, day or 1, hour, minute, min(second, 59))
            found[k] = np.datetime64(date, "s")
        except ValueError:
            raise DataError(
                f"'{name}' in '{column}' is not a date that I can read.",
                hint="write dates as 2026-11-15 or 2026-11-15T08:30:00; or leave --period out, "
                "so that each value is a period",
            ) from None
    return found


def _named(dates: NDArray[np.datetime64], period: str) -> NDArray[Any]:
    """The name of the period of each date; names sort in order of time."""
    if period == "week":  # from Monday on
        days = dates.astype("datetime64[D]")
        monday = days - ((days.astype(np.int64) + 3) % 7).astype("timedelta64[D]")
        return np.array([str(day) for day in monday])
    if period == "quarter":
        months = dates.astype("datetime64[M]").astype(np.int64)
        return np.array([f"{1970 + m // 12}-Q{m % 12 // 3 + 1}" for m in months.tolist()])
    return np.array([str(each) for each in dates.astype(f"datetime64[{UNITS[period]}]")])


def from_far(args: Any) -> Watched:
    """Files of any number, put into periods by a column, counted where they lie."""
    found = counted_far(inquiry_of(args).but(by=args.time), partial(attended, quiet=args.quiet))
    app, reduction = found.application, found.reduction
    name = chosen(list(reduction.request.models), args.model)
    times = tuple(as_text(key[0]) for key in reduction.slices)
    rows = np.arange(len(times))
    counts = [reduction[key].confusion(name).counts for key in reduction.slices]
    period = args.period
    if period is None:
        matters = np.ptp(app.costs.values, axis=1) > 0
        period = chosen_length(times, np.array(counts).sum(axis=2)[:, matters])
    names, places = period_of(Labels(times, rows), rows, args.time, period)
    parts: dict[str, list[ConfusionMatrix]] = {label: [] for label in names}
    for each, place in zip(counts, places.tolist(), strict=True):
        parts[names[place]].append(ConfusionMatrix(each, app.classes, app.decisions))
    periods = {label: merge_summaries(tables) for label, tables in parts.items()}
    watch = watch_over(periods, found.judged, args)
    said = costs_said(app)
    return Watched(watch, found.files.title, name, said, found.warnings, period, not args.period)


def from_files(paths: list[str], args: Any) -> Watched:
    """One period per file, called after it."""
    for path in paths:
        if not is_summary(path) and not path.endswith(".json"):
            told = period_lines(paths, args)
            raise DataError(
                f"{Path(path).name} holds rows; several files must be counts of periods.",
                hint=f"{told or _COUNTED}\nor give one file with dates:  --time COLUMN",
            )
    kept = [read_kept(path) for path in paths]
    names = [Path(path).stem for path in paths]
    if len(set(names)) < len(names):
        names = list(paths)
    single = all(len(each.tables) == 1 for each in kept)
    model = next(iter(kept[0].tables)) if single else chosen(list(kept[0].tables), args.model)
    tables: dict[str, ConfusionMatrix] = {}
    for name, each in zip(names, kept, strict=True):
        if not single and model not in each.tables:
            raise DataError(f"{name} has no model '{model}'; it has {', '.join(each.tables)}.")
        tables[name] = next(iter(each.tables.values())) if single else each.tables[model]
    app = over_names(next(iter(tables.values())), inquiry_of(args))
    if args.prevalence:
        app = app.with_priors(shares(args.prevalence, texts(app.classes)))
    periods: dict[str, Any] = {name: ordered_table(tables[name], app, name) for name in names}
    groups = [each.grouped for each in kept if each.grouped is not None]
    if len(groups) == len(kept):
        apart = (each if single else each.of_one(model) for each in groups)
        joints = (replace(each, joint=renamed(each.joint, app)) for each in apart)
        periods = dict(zip(names, joints, strict=True))
    scores = {name: each.scores.get(model) for name, each in zip(names, kept, strict=True)}
    found = watch_over(periods, app, args, None if None in scores.values() else scores)
    called = "" if single and model in names else model
    return Watched(found, f"{len(paths)} files", called, costs_said(app))


def from_rows(args: Any) -> Watched:
    """Rows of one file, put into periods by a column."""
    question = asked_with_gaps(inquiry_of(args))
    inquiry, decisions = question.inquiry, texts(question.application.decisions)
    at_place(question.application, question.cases.priors, inquiry)
    models = models_of(question.table, question.cases, decisions, inquiry)
    name = chosen([model.name for model in models], args.model)
    models = [model for model in models if model.name == name]
    models, cases, gaps = without_gaps(models, question.cases, inquiry)
    app, judged = at_place(question.application, cases.priors, inquiry)
    case_costs = None
    if question.words is not None:
        case_costs = binary_case_costs(question.words, cases.classes, question.table, cases.rows)
        if inquiry.groups is not None:
            raise DataError("--groups does not go with costs per case here.")
    model, table, truth = models[0], question.table, as_positions(cases.truth)
    codes = as_positions(_decided(model, cases, app, inquiry, case_costs))
    times = table.labels(args.time)
    matters = case_costs is not None or np.ptp(app.costs.values, axis=1) > 0
    period = args.period or _usual_length(times, cases, matters)
    names, places = period_of(times, cases.rows, args.time, period)
    groups = groups_of(table, cases, inquiry.groups)
    if groups is not None and inquiry.groups is not None:
        groups = np.array(table.labels(inquiry.groups).names, dtype=object)[groups]
    axes: dict[str, Any] = {"classes": app.classes, "decision_names": app.decisions}
    periods: dict[str, Any] = {}
    for k, label in enumerate(names):
        inside = places == k
        both = truth[inside], codes[inside]
        if case_costs is not None:
            costs = replace(case_costs, values=case_costs.values[inside])
            periods[label] = CostTally.from_decisions(*both, costs=costs)
        elif groups is not None:
            periods[label] = GroupedCounts.from_decisions(*both, groups=groups[inside], **axes)
        else:
            periods[label] = ConfusionMatrix.from_decisions(*both, **axes)
    blank = unlabelled_rows(
        question, model, cases,
        lambda rows: period_of(times, rows, args.time, period),
        lambda rows: _unmixed(times, cases, rows, args) if judged.priors is None else "",
    )  # fmt: skip
    unlabelled = [label for label in blank.names if label not in names]
    found = watch_over(periods, judged, args, _ranked(model, cases, names, places), unlabelled)
    said = costs_said(app) if case_costs is None else ("costs differ from case to case",)
    warned = (*((gaps,) if gaps else ()), *blank.notes)
    watched = Watched(found, table.source, name, said, warned, period, not args.period)
    if not len(blank.cases):
        return watched
    begin = 0 if args.reference is None else names.index(args.reference)
    first = range(begin, begin + (args.reference_first or 1))
    few = partial(_too_few, cases, places, first, inquiry, args.reference)
    if fixed_mix(question, judged, blank) or few():
        left = (note for note in question.notes if note.code == "truth-empty")
        return replace(watched, warnings=(*((gaps,) if gaps else ()), *left))
    reference = [names[k] for k in first]
    later = estimates_of(
        question, replace(model, decisions=codes), cases, blank, reference, args.level,
        lambda each, costs: as_positions(_decided(each, cases, app, inquiry, costs)),
    )  # fmt: skip
    return replace(watched, estimates=later)


def _ranked(
    model: Model, cases: Cases, names: list[str], places: NDArray[np.intp]
) -> dict[str, ScoreCounts] | None:
    """The scores of each period, which tell whether the ranking of cases moved."""
    second = model.second
    if second is None or len(cases.classes) != 2 or model.missing.any():
        return None
    found = {}
    for k, label in enumerate(names):
        inside = places == k
        found[label] = ScoreCounts.from_scores(
            cases.truth[inside], second[inside], kind="rank", classes=[0, 1]
        )
    return found


def _decided(
    model: Model, cases: Cases, app: Application, inquiry: Inquiry, case_costs: CaseCosts | None
) -> NDArray[Any]:
    """What the model decided in each case."""
    gaps = model.missing.any()
    if case_costs is not None and model.decisions is None:
        posteriors = None if gaps else posteriors_of(model, cases, app, inquiry)
        if posteriors is None:
            said = "costs per case need probabilities in every row."
            raise DataError(said, hint="--missing drop")
        return bayes_decisions(posteriors, case_costs, classes=case_costs.classes)
    codes = None if gaps else decided(model, cases, app, inquiry)
    return said_by(model, cases, app, inquiry)[0] if codes is None else codes


def watched(words: Sequence[str], args: Any) -> Watched:
    """The periods that the options speak of, compared with the first."""
    if args.weight:
        raise DataError("--weight is not for monitoring: weights do not say how many cases.")
    if args.time is not None and len(words) == 1:
        args.file = words[0]
        return from_far(args) if inquiry_of(args).is_far else from_rows(args)
    paths = listed_files(words) if words and args.time is None else []
    if len(paths) >= 2:
        return from_files(paths, args)
    told = period_lines(words, args) if len(words) == 1 else None
    raise DataError(
        "I need a reference and at least one later period.",
        hint=f"Say:  {told}" if told else _PERIODS,
    )
