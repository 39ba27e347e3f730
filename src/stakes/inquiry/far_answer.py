"""Files that stay where they are: counted by an engine, judged, and what was assumed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial, reduce
from operator import add
from typing import Any

import narwhals as nw
import numpy as np

from stakes._random import as_seed
from stakes.application import Application, CostMatrix
from stakes.engines import Reduction, Request, reduce_frame
from stakes.engines.request import USUAL_BINS
from stakes.engines.row_sample import SAMPLE
from stakes.evaluation import Evaluation
from stakes.evaluation.builder import with_rules
from stakes.evaluation.far.case_sum_account import reduce_by_case
from stakes.evaluation.far.group_account import reduce_groups
from stakes.evaluation.reduction_account import evaluated_reduction
from stakes.exceptions import DataError, LabelError, PosteriorError, StakesError
from stakes.inquiry.assumptions import assumptions, recalibrating_far, refuse_many_slices, told
from stakes.inquiry.case_question import (
    Placed,
    application_over,
    at_place,
    costs_given,
    fill_in_models,
    refuse_or_name_dominated,
)
from stakes.inquiry.column_roles import find_label
from stakes.inquiry.far_columns import FarColumns, far_columns, prepared, read_as_meant
from stakes.inquiry.far_truth import (
    Outcomes,
    counted_outcomes,
    outcomes_of,
    refuse_far_probabilities,
    with_names,
)
from stakes.inquiry.inquiry import Attended, Inquiry, judging_options, plainly
from stakes.inquiry.model_decisions import ends_in_files, on_columns, rule_kind, rule_of
from stakes.inquiry.model_scores import (
    DECIMALS,
    EXACT,
    ROUNDING,
    certain_refused,
    rounding_note,
    rounding_passes,
)
from stakes.inquiry.near_answer import ruled_by_case, said_per_case
from stakes.inquiry.option_words import CostWords
from stakes.inquiry.proposal import proposal, proposing
from stakes.inquiry.truth import Cases, places_of, refuse_single, texts
from stakes.messages.audience import speaking_of
from stakes.messages.notes import Note
from stakes.rules import DecisionRule
from stakes.rules.rule_words import said_alike
from stakes.sources.far.opened_files import Opened, UnreadGapError
from stakes.sources.far.text_checks import looked_at
from stakes.sources.patterns import Files, found_files
from stakes.sources.source import FarFiles, from_frame, opened
from stakes.sources.table import Table
from stakes.summaries import ConfusionMatrix, PairedCounts

_NEEDS_ROWS = {
    "id": "cases are listed from rows in memory",
    "capacity": "cases are ranked in memory",
    "more": "files are joined in memory",
    "join_on": "files are joined in memory",
}

#: How many rows are looked at to propose missing options.
_LOOKED_AT = 1000


@dataclass(frozen=True, slots=True)
class Counted:
    """What the files came to; `application` has its shares, `cases` one case per class.

    `judged` has shares only if they were given; `inquiry` has what the files made plain; `columns`
    are those of each model whose scores are as they are.
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
    columns: Mapping[str, tuple[str, ...]]
    form: str = ""
    words: CostWords | None = None

    @property
    def form_words(self) -> str:
        """What was counted, and by whom."""
        many = len(self.files.paths)
        said = f"{many} {self.files.form} file{'s' if many != 1 else ''}, counted by {self.engine}"
        return self.form or said


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked of which files: columns, and costs from a file or in words."""

    inquiry: Inquiry
    files: Files
    engine: str
    columns: FarColumns
    filed: Application | None
    words: CostWords | None
    notes: tuple[Note, ...]
    attended: Attended

    @property
    def inner(self) -> FarColumns:
        """The columns by names that mean the same to every engine."""
        return self.columns.renamed(self.columns.stand_ins)

    @property
    def words_by_case(self) -> CostWords | None:
        """The costs, where they differ from case to case."""
        return self.words if self.words is not None and self.words.columns else None

    def watched(self, work: Callable[[], Any], doing: str, source: Opened) -> Any:
        """Some work of the engine, while somebody watches it."""
        said = f"{doing} {self.files.title}"
        told = {"progress": source.progress, "begin": source.begin, "stop": source.stop}
        return self.attended(work, said, **told)


def counted_far(inquiry: Inquiry, attended: Attended = plainly) -> Counted:
    """Count the files that the options speak of in their engine; `attended` watches long work."""
    filed, words = costs_given(inquiry)
    refuse_what_needs_rows(inquiry)
    if isinstance(inquiry.source, FarFiles):
        files, engine = inquiry.source.files, inquiry.source.engine
        inquiry = inquiry.but(memory=inquiry.source.memory)
    else:
        files, engine = found_files(str(inquiry.source)), inquiry.engine or "duckdb"
    with proposing(lambda: proposal(_first_rows(files, engine, inquiry), inquiry), inquiry):
        return _counted_files(inquiry, (filed, words), files, engine, attended)


def _first_rows(files: Files, engine: str, inquiry: Inquiry) -> Table:
    """Some rows in memory, to see what the files hold."""
    with opened(files, engine, inquiry.memory) as source:
        frame = nw.from_native(source.frame).head(_LOOKED_AT)
        eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
        return from_frame(nw.to_native(eager), files.title)


def _counted_files(
    inquiry: Inquiry, costs: tuple[Any, Any], files: Files, engine: str, attended: Attended
) -> Counted:
    """See `counted_far`."""
    filed, words = costs
    try:
        with opened(files, engine, inquiry.memory) as source:
            types = nw.from_native(source.frame).collect_schema()
            table = Table(files.title, 0, tuple(types.names()), files.form, "")
            label, said = find_label(table, inquiry.label)
            inquiry, found = fill_in_models(table, label, inquiry)
            amounts = () if words is None else words.columns
            columns = far_columns(table, types, label, inquiry, amounts)
            _refuse_twice(files, columns)
            notes = (*([said] if said else ()), *found)
            asked = _Question(inquiry, files, engine, columns, filed, words, notes, attended)
            if files.form != "csv":
                return _counted(source, asked)
            asked = replace(asked, columns=replace(columns, whole_decisions=False))
    except UnreadGapError:  # in text that is to be numbers; the files are opened anew
        return _again(asked, "text")
    files = attended(lambda: looked_at(files, engine), f"looking at {files.title}")
    return _again(replace(asked, files=files), files.gaps)


def _again(asked: _Question, gaps: str) -> Counted:
    """Open files whose columns are known: cells as they stand, not as they look.

    Words for nothing among numbers are looked for (`gaps`) where some were met.
    """
    asked = replace(asked, files=replace(asked.files, gaps=gaps))
    types = asked.columns.types if asked.files.form == "csv" else {}
    if gaps == "text":
        types = dict.fromkeys(types, "text")
    try:
        with opened(asked.files, asked.engine, asked.inquiry.memory, types) as source:
            return _counted(source, asked)
    except UnreadGapError as error:
        if gaps == "text":
            raise
        plain = asked.engine == "polars" and not error.spaced and not gaps
    return _again(asked, "words" if plain else "text")


def _counted(source: Opened, asked: _Question) -> Counted:
    """Count the outcomes, and then what was decided."""
    columns, inner, inquiry = asked.columns, asked.inner, asked.inquiry
    frame = source.renamed(source.frame, columns.stand_ins)
    source = replace(source, frame=read_as_meant(frame, inner, asked.files, inquiry))
    table = asked.watched(
        lambda: counted_outcomes(source.frame, inner, inquiry), "looking at", source
    )
    outcomes = outcomes_of(table, columns, inquiry)
    labels = outcomes.labels
    refuse_single(labels, columns.label)
    refuse_far_probabilities(source.frame, inner, columns.scores, inquiry)
    app = application_over(asked.filed, asked.words, labels, columns.label, inquiry)
    cases = as_cases(app, outcomes, columns.label)
    app, judged = at_place(app, cases.priors, inquiry)
    warnings = [*outcomes.warnings]
    warnings += refuse_or_name_dominated(app.costs) if asked.words_by_case is None else []
    warnings += _hidden_by_folders(asked)
    try:
        reduction = _reduced(source, asked, judged, cases, outcomes)
    except PosteriorError as error:
        sums = error.code in (None, "posterior-sum")
        rounded = _rounded_rows(source.frame, inner, inquiry) if sums else ()
        if not rounded:
            raise
        inquiry = inquiry.but(renormalise=True)
        asked = replace(asked, inquiry=inquiry, notes=(*asked.notes, *rounded))
        reduction = _reduced(source, asked, judged, cases, outcomes)
    notes, told = (*asked.notes, *outcomes.notes), tuple(warnings)
    known = _columns_as_they_are(asked.columns, cases.classes)
    counted = (reduction, app, judged, cases, asked.files, asked.engine, notes, told, inquiry)
    return Counted(*counted, known, words=asked.words_by_case)


def _columns_as_they_are(
    columns: FarColumns, classes: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    """The columns of each model that are not turned round."""
    found = columns.models_for(classes).items()
    kept = ((name, said) for name, said in found if name not in columns.turned)
    return {name: (said,) if isinstance(said, str) else tuple(said) for name, said in kept}


def _rounded_rows(frame: Any, columns: FarColumns, inquiry: Inquiry) -> tuple[Note, ...]:
    """A note for each model whose rows miss 1 by the digits they are written in; else none."""
    notes: list[Note] = []
    for model in columns.classes if inquiry.kind == "posterior" and not inquiry.renormalise else ():
        parts = [nw.col(name).cast(nw.Float64) for name in model.by_class.values()]
        total = reduce(add, parts)
        far = (total - 1).abs() > ROUNDING
        wanted = {"low": total.min(), "high": total.max(), "off": far.cast(nw.Int64).sum()}
        for d in DECIMALS:
            beyond = [((part - part.round(d)).abs() > EXACT).cast(nw.Int64) for part in parts]
            wanted[f"d{d}"] = reduce(add, beyond).sum()
        rows = nw.from_native(frame).select(**wanted)
        eager = rows.collect() if isinstance(rows, nw.LazyFrame) else rows
        found = {name: eager[name].to_list()[0] for name in eager.columns}
        digits = next((d for d in DECIMALS if not found[f"d{d}"]), None)
        ends = found["low"], found["high"]
        if max(abs(end - 1) for end in ends) > rounding_passes(digits, len(parts)):
            return ()
        if found["off"]:
            notes.append(rounding_note(model.model, digits, int(found["off"]), *ends))
    return tuple(notes)


def _refuse_twice(files: Files, columns: FarColumns) -> None:
    """Raise when a column that is read is not the only one of its name; engines take the first."""
    if files.header is not None:
        named = Table(files.title, 0, files.header.names, files.form, "")
        for name in set(columns.types) & set(named.names):
            named.position(name)


def _hidden_by_folders(asked: _Question) -> list[Note]:
    """Columns of the files that are not read, since folders (``region=north``) have their name."""
    files = asked.files
    keys = files.folder_keys & set(asked.columns.types)
    if not keys:
        return []
    one = replace(files, paths=files.paths[:1], folders=False)
    with opened(one, asked.engine, asked.inquiry.memory) as plain:
        inside = keys & set(nw.from_native(plain.frame).collect_schema().names())
    return [Note("folders-taken", name=name) for name in sorted(inside)]


def refuse_what_needs_rows(inquiry: Inquiry) -> None:
    """Say which options cannot be had without the rows in memory."""
    small = "take a sample of the rows in one file for that"
    for option, why in _NEEDS_ROWS.items():
        if getattr(inquiry, option):
            said = f"--{option.replace('_', '-')} does not go with files that are counted apart"
            ranked = (
                "--engine memory reads one file whole; of more files, "
                if option == "capacity"
                else ""
            )
            raise DataError(f"{said}: {why}.", hint=f"{ranked}{small}")
    if inquiry.kind == "rank":
        raise DataError("--scores-are rank needs the rows in memory.", hint=small)
    if inquiry.groups and (inquiry.time or _by_case(inquiry)):
        when = "over time" if inquiry.time else "where costs differ from case to case"
        raise DataError(f"--groups {when} needs the rows in memory.", hint=small)
    if inquiry.missing in ("naive", "abstain"):
        drop = "leave such rows out:  --missing drop"
        raise DataError(f"--missing {inquiry.missing} needs the rows in memory.", hint=drop)


def _by_case(inquiry: Inquiry) -> bool:
    """Whether amounts are formulas over columns."""
    words = costs_given(inquiry)[1]
    return words is not None and bool(words.columns)


def as_text(value: Any) -> str:
    """A value as files write it: whole numbers without a point."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def as_cases(app: Application, outcomes: Outcomes, label: str) -> Cases:
    """One weighed case for each class, which has the shares of all of them."""
    classes, names = texts(app.classes), outcomes.labels.names
    weights, places = np.zeros(len(classes)), np.arange(len(classes))
    weights[places_of(outcomes.labels, label, classes)] = outcomes.totals
    return Cases(classes, places, weights, places, label, tuple(sorted(names)))


def _reduced(
    source: Opened, asked: _Question, judged: Application, cases: Cases, outcomes: Outcomes
) -> Reduction:
    """Everything that is asked for, counted in one pass."""
    columns, inquiry, said_at = asked.columns, asked.inquiry, None
    if judged.priors is not None and not inquiry.decisions:
        said_at = judged.priors if inquiry.posteriors_already_adjusted else cases.priors
    typed = _typed(judged, outcomes.values, columns)
    formulas, reduce = None, reduce_frame
    if asked.words_by_case is not None:
        (tn, fp), (fn, tp) = asked.words_by_case.table
        formulas, reduce = {"fn": fn, "fp": fp, "tp": tp, "tn": tn}, reduce_by_case
    elif inquiry.groups:
        named = with_names if columns.by else None
        reduce = partial(reduce_groups, group=inquiry.groups, named=named)
    request = Request(
        columns.label,
        columns.models_for(cases.classes),
        applications=typed,
        sample_weight=inquiry.weight,
        by=columns.by,
        from_priors=said_at,
        classes=typed.classes,
        positive=typed.classes[1] if len(typed.classes) == 2 else None,
        case_costs=formulas,
        naive=formulas is not None,
        bins=USUAL_BINS if len(typed.classes) == 2 and not (inquiry.decisions or formulas) else 0,
        sample=SAMPLE if len(typed.classes) > 2 and not (inquiry.decisions or inquiry.time) else 0,
        seed=as_seed(inquiry.seed),
    )
    ready = prepared(source.frame, asked.inner, cases, inquiry, typed.decisions, outcomes.respelt)
    frame = source.renamed(ready, {new: old for old, new in columns.stand_ins.items()})
    times = inquiry.time is not None
    try:
        with speaking_of(by="--time" if times else "--by"):
            count = partial(reduce, frame, request, keep_missing=not times)
            found: Reduction = asked.watched(count, "counting", source)
    except StakesError as error:
        raise type(error)(
            error.message, hint=_hint(error, inquiry), rows=error.rows, code=error.code
        ) from None
    if inquiry.scores_are is None and (certain := found._certain):
        certain_refused(certain[0], inquiry)
    return found if times or inquiry.groups or not columns.by else with_names(found)


#: What to type on the command line, by the code of an error.
_HINTS = {
    "slice-missing": "fill the column in, or leave those rows out of the files",
    "weight": "correct the files, or name another column",
    "column-type": "correct the files, or name another column",
    "missing": "To leave such rows out: --missing drop",
    "posterior-range": "If they are log-odds (logits):      --scores-are log_odds\n"
    "If they are log-likelihood ratios:  --scores-are llr",
    "posterior-sum": "To rescale each row: --renormalise",
    "unscored": "such a row has no score, or tells no outcome (all -inf, or several inf)\n"
    "To leave rows without a score out: --missing drop",
}


def _hint(error: StakesError, inquiry: Inquiry) -> str | None:
    """What to type on the command line."""
    code = error.code or ("posterior-sum" if isinstance(error, PosteriorError) else "")
    if inquiry.kind != "posterior" and code in ("missing", "posterior-range", "posterior-sum"):
        code = "unscored"
    if isinstance(error, LabelError):
        return "decisions must be spelt as in the truth or in the costs file"
    return _HINTS.get(code, error.hint)


def _typed(app: Application, values: Mapping[str, Any], columns: FarColumns) -> Application:
    """The application with its names as the values that stand in the columns."""

    def whole(name: Any) -> Any:
        return int(name) if str(name).lstrip("-").isdigit() else name

    def typed(name: str) -> Any:
        if name not in values:
            numbers = all(type(value) in (int, float) for value in values.values())
            return whole(name) if numbers else name
        value = values[name]
        if isinstance(value, Decimal):
            value = float(value)
        return int(value) if isinstance(value, float) and value.is_integer() else value

    decisions: list[Any] = list(texts(app.decisions))
    if columns.whole_decisions:  # "ask" never occurs among integers, but may be a decision
        decisions = list(map(whole, decisions))
    costs = CostMatrix(app.costs.values, list(map(typed, texts(app.classes))), decisions)
    return Application(costs, app.priors, app.unit, app.volume, app.period)


def far_answer(inquiry: Inquiry, attended: Attended = plainly) -> Evaluation:
    """Count the files in their engine, and judge the counts."""
    return judged_counts(counted_far(inquiry, attended))


def judged_counts(found: Counted) -> Evaluation:
    """The evaluation of what files came to."""
    inquiry, reduction, app = found.inquiry, found.reduction, found.application
    if inquiry.by:
        refuse_many_slices(inquiry.by, len(reduction.slices))
    ev = evaluated_reduction(reduction, options=judging_options(inquiry))
    if found.words is not None:
        ev = ruled_by_case(ev, found.columns, {}, found.words, rule_kind(inquiry))
    else:
        ends = ends_in_files(reduction, found.cases, inquiry)
        rules = {
            model: _for_model(rule_of(app, found.cases, inquiry, None, near), model, found)
            for model, near in ends.items()
        }
        ev = with_rules(ev, said_alike(rules, ends))
    ev = _in_text(ev, app)
    try:  # what all models decided together, where that was counted
        pairs = reduction.paired()
        joint = PairedCounts(pairs.cells, pairs.counts, pairs.systems, app.classes, app.decisions)
    except StakesError:
        joint = None
    return _told(ev, found, joint)


def _for_model(rule: DecisionRule | None, model: str, found: Counted) -> DecisionRule | None:
    """The rule of one of the models, which knows its columns and the range of its scores."""
    if rule is None:
        return None
    known = rule.score_range if rule.scores == "posterior" else None  # the bins are of posteriors
    return on_columns(replace(rule, score_range=known), found.columns.get(model))


def _in_text(ev: Evaluation, app: Application) -> Evaluation:
    """The same evaluation, whole and in its slices, over names as text."""
    values = app.costs.values if ev.naive is None else ev.application.costs.values
    costs, naive = CostMatrix(values, app.classes, app.decisions), ev.naive
    named = Application(costs, ev.application.priors, app.unit, app.volume, app.period)
    if naive is not None:
        at = ev.application.decisions.index(naive.decision)
        naive = replace(naive, decision=app.decisions[at])
    models = tuple(
        replace(m, confusion=ConfusionMatrix(m.confusion.counts, app.classes, app.decisions))
        for m in ev.models
    )
    slices = {name: _in_text(part, app) for name, part in ev.slices.items()}
    short = re.sub(r"(?<= of )-?\d+$", r"'\g<0>'", ev.too_few)  # a class, which was a number
    return replace(ev, application=named, models=models, slices=slices, naive=naive, too_few=short)


def _told(ev: Evaluation, found: Counted, joint: PairedCounts | None) -> Evaluation:
    """The evaluation with where it comes from and what was assumed."""
    cases, files, inquiry = found.cases, found.files, found.inquiry
    place = Placed(found.application, found.judged)
    by_case = found.words
    notes = [*found.notes, *assumptions(ev, place, cases, inquiry, alike=by_case is None)]
    kept = tuple(note for note in ev.notes if note.code != "recalibration-needs-rows")
    if len(kept) < len(ev.notes):  # said with what to do then on the command line
        notes.append(Note("recalibration-needs-memory"))
        ev = replace(ev, notes=kept)
    where: dict[str, Any] = {"source": files.title, "label": cases.label, "form": found.form_words}
    counts = found.reduction.rows_by_class if inquiry.weight else cases.totals
    more: dict[str, Any] = {"class_counts": counts, "warnings": found.warnings, "joint": joint}
    more["counted"] = found
    if by_case is not None:
        more["case_costs_said"] = said_per_case(by_case, place.app, cases)
    where |= {"models": len(found.reduction.request.models), "weight": inquiry.weight}
    facts = {**where, "calibrate": recalibrating_far(ev, inquiry)}
    return told(ev, notes, facts, inquiry, **more)
