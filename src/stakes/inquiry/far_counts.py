"""Files counted where they lie: the outcomes first, then everything that was asked, in one pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np

from stakes.application import Application, CostMatrix
from stakes.engines import Reduction, Request, reduce_frame
from stakes.exceptions import DataError, LabelError, PosteriorError, StakesError
from stakes.inquiry.case_question import (
    application_over,
    at_place,
    costs_given,
    fill_in_models,
    refuse_or_name_dominated,
)
from stakes.inquiry.column_roles import find_label
from stakes.inquiry.far_columns import FarColumns, far_columns, prepared, read_as_meant
from stakes.inquiry.far_truth import (
    CountedLabels,
    Outcomes,
    counted_outcomes,
    outcomes_of,
    refuse_far_probabilities,
    with_names,
)
from stakes.inquiry.inquiry import Attended, Inquiry, plainly
from stakes.inquiry.option_words import CostWords
from stakes.inquiry.truth import Cases, counted, quoted, refuse_single, texts
from stakes.messages.audience import speaking_of
from stakes.messages.notes import Note
from stakes.sources.far.lazy_frame import Opened, UnreadGapError
from stakes.sources.far.text_lines import looked_at
from stakes.sources.patterns import Files, found_files
from stakes.sources.source import FarFiles, opened
from stakes.sources.table import Table

_NEEDS_ROWS = {
    "groups": "whole groups are drawn from rows in memory",
    "more": "files are joined in memory",
    "join_on": "files are joined in memory",
    "embed_posteriors": "posteriors of the cases are not kept",
}


@dataclass(frozen=True, slots=True)
class Counted:
    """What the files came to; `application` has its shares, `cases` one case per class.

    `judged` has shares only if they were given; `inquiry` has what the files made plain.
    """

    reduction: Reduction
    application: Application
    judged: Application
    cases: Cases
    files: Files
    engine: str
    notes: tuple[Note, ...]
    warnings: tuple[Note, ...]
    inquiry: Inquiry


def counted_far(inquiry: Inquiry, attended: Attended = plainly) -> Counted:
    """Count the files that the options speak of in their engine; `attended` watches long work."""
    filed, words = costs_given(inquiry)
    _refuse_what_needs_rows(inquiry, words)
    files, engine, inquiry = _far(inquiry)
    try:
        with opened(files, engine, inquiry.memory) as source:
            types = nw.from_native(source.frame).collect_schema()
            table = Table(files.title, 0, tuple(types.names()), files.form, "")
            label, said = find_label(table, inquiry.label)
            notes = [said] if said else []
            inquiry, found = fill_in_models(table, label, inquiry)
            notes += found
            columns = far_columns(table, types, label, inquiry)
            _refuse_twice(files, columns)
            asked = _Asked(columns, filed, words, engine, tuple(notes), attended)
            if files.form != "csv":
                return _counted(source, files, asked, inquiry)
            asked = replace(asked, columns=replace(columns, whole_decisions=False))
    except UnreadGapError:  # in text that is to be numbers; the files are opened anew
        return _again(replace(files, gaps="text"), asked, inquiry)
    files = attended(lambda: looked_at(files, engine), f"looking at {files.title}")
    return _text_counted(files, asked, inquiry)


def _far(inquiry: Inquiry) -> tuple[Files, str, Inquiry]:
    """The files, who counts them, and the inquiry with the memory for it."""
    source = inquiry.source
    if isinstance(source, FarFiles):
        return source.files, source.engine, inquiry.but(memory=source.memory)
    assert isinstance(source, str)
    return found_files(source), inquiry.engine or "duckdb", inquiry


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the options ask for: columns, costs (from a file or in words), an engine; and notes."""

    columns: FarColumns
    filed: Application | None
    words: CostWords | None
    engine: str
    notes: tuple[Note, ...]
    attended: Attended


def _text_counted(files: Files, asked: _Asked, inquiry: Inquiry) -> Counted:
    """Count text files; words for nothing among numbers are looked for where some were met."""
    try:
        return _again(files, asked, inquiry)
    except UnreadGapError as error:
        if files.gaps == "text":
            raise
        plain = asked.engine == "polars" and not error.spaced and not files.gaps
    return _text_counted(replace(files, gaps="words" if plain else "text"), asked, inquiry)


def _again(files: Files, asked: _Asked, inquiry: Inquiry) -> Counted:
    """Open files whose columns are known: cells as they stand, not as they look."""
    types = asked.columns.types if files.form == "csv" else {}
    if files.gaps == "text":
        types = dict.fromkeys(types, "text")
    with opened(files, asked.engine, inquiry.memory, types) as source:
        return _counted(source, files, asked, inquiry)


def _counted(source: Opened, files: Files, asked: _Asked, inquiry: Inquiry) -> Counted:
    """Count the outcomes, and then what was decided."""
    columns, engine = asked.columns, asked.engine
    inner = columns.renamed(columns.stand_ins)
    frame = source.renamed(source.frame, columns.stand_ins)
    source = replace(source, frame=read_as_meant(frame, inner, files, inquiry))
    outcomes = _outcomes(source, asked, files, inquiry)
    refuse_single(outcomes.labels, columns.label)
    refuse_far_probabilities(source.frame, inner, columns.scores, inquiry)
    app = application_over(asked.filed, asked.words, outcomes.labels, columns.label, inquiry)
    cases = _as_cases(app, outcomes.labels, columns.label)
    app, judged = at_place(app, cases.priors, inquiry)
    warnings = [*outcomes.warnings, *refuse_or_name_dominated(app.costs)]
    warnings += _hidden_by_folders(files, engine, inquiry, columns)
    reduction = _reduced(source, asked, judged, cases, outcomes, files, inquiry)
    notes = (*asked.notes, *outcomes.notes)
    return Counted(reduction, app, judged, cases, files, engine, notes, tuple(warnings), inquiry)


def _refuse_twice(files: Files, columns: FarColumns) -> None:
    """Raise when a column that is read is not the only one of its name; engines take the first."""
    if files.header is not None:
        named = Table(files.title, 0, files.header.names, files.form, "")
        for name in columns.types:
            if name in named.names:
                named.position(name)


def _hidden_by_folders(
    files: Files, engine: str, inquiry: Inquiry, columns: FarColumns
) -> list[Note]:
    """Columns of the files that are not read, since folders (``region=north``) have their name."""
    keys = files.folder_keys & {columns.label, *columns.types}
    if not keys:
        return []
    with opened(replace(files, paths=files.paths[:1]), engine, inquiry.memory, hive=False) as plain:
        inside = keys & set(nw.from_native(plain.frame).collect_schema().names())
    return [Note("folders-taken", name=name) for name in sorted(inside)]


def _refuse_what_needs_rows(inquiry: Inquiry, words: Any) -> None:
    """Say which options cannot be had without the rows in memory."""
    small = "take a sample of the rows in one file for that"
    for option, why in _NEEDS_ROWS.items():
        if getattr(inquiry, option, None):
            said = option.replace("_", "-")
            raise DataError(f"--{said} does not go with files that are counted apart: {why}.",
                            hint=small)  # fmt: skip
    if inquiry.kind == "rank":
        raise DataError("--scores-are rank needs the rows in memory.", hint=small)
    if inquiry.missing in ("naive", "abstain"):
        raise DataError(f"--missing {inquiry.missing} needs the rows in memory.",
                        hint="leave such rows out:  --missing drop")  # fmt: skip
    if words is not None and words.columns:
        raise DataError("costs per case need the rows in memory.", hint=small)


def _outcomes(source: Opened, asked: _Asked, files: Files, inquiry: Inquiry) -> Outcomes:
    """How often each outcome occurs, as text, and the value that each text stands for."""
    columns = asked.columns
    found = asked.attended(
        lambda: counted_outcomes(source.frame, columns.renamed(columns.stand_ins), inquiry),
        f"looking at {files.title}",
        progress=source.progress,
        stop=source.stop,
    )
    return outcomes_of(found, columns, inquiry)


def as_text(value: Any) -> str:
    """A value as files write it: whole numbers without a point."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def _as_cases(app: Application, labels: CountedLabels, label: str) -> Cases:
    """One weighed case for each class, which has the shares of all of them."""
    classes = texts(app.classes)
    strangers = [name for name in labels.names if name not in classes]
    if strangers:
        raise LabelError(
            f"'{label}' holds {counted(labels)}, but the costs speak of {quoted(classes)}.",
            hint=f"add {quoted(strangers)} to the costs, or correct the spelling",
        )
    totals = dict(zip(labels.names, labels.totals.tolist(), strict=True))
    weights = np.array([totals.get(name, 0.0) for name in classes])
    places = np.arange(len(classes))
    return Cases(classes, places, weights, places, label, tuple(sorted(labels.names)))


def _reduced(
    source: Opened,
    asked: _Asked,
    judged: Application,
    cases: Cases,
    outcomes: Outcomes,
    files: Files,
    inquiry: Inquiry,
) -> Reduction:
    """Everything that is asked for, counted in one pass."""
    columns, said_at = asked.columns, None
    if judged.priors is not None and not inquiry.decisions:
        said_at = judged.priors if inquiry.posteriors_already_adjusted else cases.priors
    typed = _typed(judged, outcomes.values, columns)
    request = Request(
        columns.label,
        columns.models_for(cases.classes),
        applications=typed,
        sample_weight=inquiry.weight,
        by=columns.by,
        from_priors=said_at,
        classes=typed.classes,
        positive=typed.classes[1] if len(typed.classes) == 2 else None,
    )
    inner = columns.renamed(columns.stand_ins)
    ready = prepared(source.frame, inner, cases, inquiry, typed.decisions, outcomes.respelt)
    frame = source.renamed(ready, {new: old for old, new in columns.stand_ins.items()})
    times = inquiry.time is not None
    try:
        with speaking_of(by="--time" if times else "--by"):
            found = asked.attended(
                lambda: reduce_frame(frame, request, keep_missing=not times),
                f"counting {files.title}",
                progress=source.progress,
                stop=source.stop,
            )
    except StakesError as error:
        raise type(error)(error.message, hint=_hint(error, inquiry) or error.hint) from None
    return found if times or not columns.by else with_names(found)


def _hint(error: StakesError, inquiry: Inquiry) -> str | None:
    """What to type on the command line."""
    if error.code == "slice-missing":
        return "fill the column in, or leave those rows out of the files"
    if error.code in ("weight", "column-type"):
        return "correct the files, or name another column"
    missing = error.code == "missing"
    if inquiry.kind != "posterior" and (missing or isinstance(error, PosteriorError)):
        return (
            "such a row has no score, or tells no outcome (all -inf, or several inf)\n"
            "To leave rows without a score out: --missing drop"
        )
    if missing:
        return "To leave such rows out: --missing drop"
    if error.code == "posterior-range":
        return (
            "If they are log-odds (logits):      --scores-are log_odds\n"
            "If they are log-likelihood ratios:  --scores-are llr"
        )
    if isinstance(error, PosteriorError):
        return "To rescale each row: --renormalise"
    if isinstance(error, LabelError):
        return "decisions must be spelt as in the truth or in the costs file"
    return None


def _typed(app: Application, values: Mapping[str, Any], columns: FarColumns) -> Application:
    """The application with its names as the values that stand in the columns."""

    def typed(name: Any) -> Any:
        if name in values:
            value = values[name]
            if isinstance(value, Decimal):
                return int(value) if value == value.to_integral_value() else float(value)
            return int(value) if isinstance(value, float) and value.is_integer() else value
        whole = all(isinstance(v, (int, float)) and not isinstance(v, bool)
                    for v in values.values())  # fmt: skip
        return int(name) if whole and str(name).lstrip("-").isdigit() else name

    classes = [typed(name) for name in texts(app.classes)]
    decisions: list[Any] = list(texts(app.decisions))
    if columns.whole_decisions:  # "ask" never occurs among integers, but may be a decision
        decisions = [int(name) if name.lstrip("-").isdigit() else name for name in decisions]
    costs = CostMatrix(app.costs.values, classes, decisions)
    return Application(costs, app.priors, app.unit, app.volume, app.period)
