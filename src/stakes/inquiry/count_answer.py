"""Counts in place of rows: confusion matrices and saved summaries, read, judged and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from stakes._names import as_positions
from stakes.application import Application
from stakes.evaluation import Evaluation, evaluate
from stakes.evaluation.far.group_account import GroupedReduction
from stakes.evaluation.model_intervals import limits
from stakes.exceptions import DataError, FormatError
from stakes.inquiry.assumptions import about_absent, about_switches, told
from stakes.inquiry.case_question import (
    application_over,
    at_place,
    costs_given,
    refuse_or_name_dominated,
)
from stakes.inquiry.inquiry import Attended, Inquiry, judging_options
from stakes.inquiry.option_words import binary_costs
from stakes.inquiry.proposal import of_outcomes, proposing
from stakes.inquiry.truth import quoted, texts
from stakes.messages.notes import Note
from stakes.results import as_ends
from stakes.sources.cells import Labels
from stakes.sources.count_files import (
    added,
    alike,
    asked_for,
    kept_in,
    listed_files,
    read_confusion,
)
from stakes.summaries import (
    ConfusionMatrix,
    GroupedCounts,
    PairedCounts,
    load_summary,
    save_summary,
)
from stakes.summaries.asked_for import ASKED_FOR, AskedFor
from stakes.summaries.ranked_scores import RankedScores
from stakes.summaries.sliced_counts import SlicedCounts
from stakes.summaries.stored_file import is_summary
from stakes.uncertainty import compare


@dataclass(frozen=True, slots=True)
class Kept:
    """What a file of counts holds: a table for each model, and all together where known.

    `grouped` are the counts of each group, of one side, of one model or several.
    """

    tables: dict[str, ConfusionMatrix]
    joint: PairedCounts | None = None
    scores: dict[str, RankedScores] = field(default_factory=dict)
    grouped: GroupedCounts | None = None


def read_kept(path: str) -> Kept:
    """The decisions of each model that a saved summary, or all that fit a pattern, hold."""
    paths = listed_files([path])
    return _tables(added(paths)[0], Path(paths[0]).stem if len(paths) == 1 else "model", path)


def _tables(found: Any, stem: str, name: str) -> Kept:
    """Tables of counts from any summary that has them."""
    scores: dict[str, RankedScores] = {}
    if isinstance(found, SlicedCounts):
        found = found.joint
    if isinstance(found, Mapping) and "joint" in found:
        scores, found = dict(found.get("scores", {})), found["joint"]
    grouped = None
    if isinstance(found, GroupedCounts):
        grouped, found = (found if len(found.groups) == 1 else None), found.joint
    if isinstance(found, PairedCounts):
        tables = {str(name): found.confusion(name) for name in found.systems}
        return Kept(tables, found, scores, grouped)
    if isinstance(found, ConfusionMatrix):
        found = {stem: found}
    if isinstance(found, Mapping) and all(isinstance(x, ConfusionMatrix) for x in found.values()):
        return Kept({str(model): table for model, table in found.items()})
    what = "several summaries" if isinstance(found, Mapping) else f"a {type(found).__name__}"
    raise FormatError(
        f"{Path(name).name} holds {what}, not counts of decisions.",
        hint="in Python: stakes.summaries.load_summary(path), then stakes.metrics or "
        "stakes.curves; counts of decisions are written by  stakes eval ... --save FILE",
    )


def keep(ev: Evaluation, path: str) -> None:
    """Write what was decided, so that it can be merged, watched and judged again."""
    plain = ev.counted is not None and ev.doubt is None and ev.naive is None
    if plain and not isinstance(ev.counted.reduction, GroupedReduction):
        from stakes.inquiry.daily_answer import sliced_counts

        save_summary(sliced_counts(ev.counted), path)
        return
    found, asked = _decided(ev), _asked_for(ev)
    save_summary(found if asked is None else {"joint": found, ASKED_FOR: asked}, path)


def _decided(ev: Evaluation) -> Any:
    """What was decided, jointly where that is known, by group if there are any."""
    if ev.counted is not None and isinstance(ev.counted.reduction, GroupedReduction):
        return _by_group(ev.counted.reduction, ev)
    tables = {model.name: model.confusion for model in ev.models}
    found: Any = ev.joint or (tables if len(tables) > 1 else next(iter(tables.values())))
    cases, app = None if ev.sources is None else ev.sources.cases, ev.application
    known = ev.sources is not None and all(o.as_is.codes is not None for o in ev.sources.judged)
    if ev.joint is None and known and cases is not None:  # on the same cases
        assert ev.sources is not None
        decided = {one.model.name: as_positions(one.as_is.codes) for one in ev.sources.judged}
        options: dict[str, Any] = {"classes": app.classes, "decision_names": app.decisions}
        counted: Any = PairedCounts.from_decisions
        if cases.groups is not None and ev.group_names is not None:
            options["groups"] = np.array(ev.group_names, dtype=object)[cases.groups]
            counted = GroupedCounts.from_decisions
        found = counted(cases.truth, decided, sample_weight=cases.weights, **options)
    return found


def _asked_for(ev: Evaluation) -> AskedFor | None:
    """By which costs, shares and thresholds the models decided; None if all decisions were given.

    Of saved counts it is what they tell, since other costs change no decision.
    """
    kept = [] if ev.inquiry is None or ev.inquiry.confusion else kept_in(ev.inquiry.source)[0]
    if kept:
        return asked_for(added(kept)[0])
    rules = {model.name: model.rule for model in ev.models if model.rule is not None}
    rule = next(iter(rules.values()), None)
    if rule is None:
        return None
    app = rule.application
    priors, made_for = (None if x is None else x.tolist() for x in (app.priors, rule.from_priors))
    cuts = {str(name): each.cut for name, each in rules.items() if each.scores == "rank"}
    more = {"thresholds": cuts, "capacity": ev.inquiry and ev.inquiry.capacity}
    if rule.scores == "llr":  # cut where the shares put it, whatever those of the data
        more["shares"], made_for = priors, None
    costs = rule.case_costs or app.costs.values.tolist()
    return AskedFor.of(costs, priors, made_for, **more)


def _by_group(found: GroupedReduction, ev: Evaluation) -> GroupedCounts:
    """What was decided in each group, with names as text."""
    held, app = found.counts(next(iter(found.request.applications)), list(ev)), ev.application
    joint = replace(held.joint, classes=app.classes, decisions=app.decisions)
    return replace(held, groups=(tuple(map(str, held.groups[0])),), joint=joint)


def renamed(joint: PairedCounts, app: Application) -> PairedCounts:
    """The joint counts in the order and the spelling of the application."""
    rows = [app.classes.index(name) for name in texts(joint.classes)]
    columns = [app.decisions.index(name) for name in texts(joint.decisions)]
    cells = joint.cells.copy()
    cells[:, 0] = np.array(rows)[joint.cells[:, 0]]
    cells[:, 1:] = np.array(columns)[joint.cells[:, 1:]]
    return PairedCounts(cells, joint.counts, texts(joint.systems), app.classes, app.decisions)


def confusion_answer(inquiry: Inquiry) -> Evaluation:
    """The evaluation of tables of counts alone."""
    if inquiry.file is not None:
        raise DataError("--confusion takes the place of the file of cases; leave one of them out.")
    if inquiry.capacity is not None:
        raise DataError("--capacity ranks cases, and confusion matrices have none.")
    paths = [path for path in (inquiry.confusion or "").split(",") if path]
    matrices = {Path(path).stem: read_confusion(path) for path in paths}
    if len(matrices) < len(paths):
        raise DataError("two confusion matrices have the same file name.")
    source = ", ".join(Path(path).name for path in paths)
    return _count_answer(Kept(matrices), source, "confusion matrix", inquiry)


def kept_answer(
    paths: Sequence[str], rest: str | None, inquiry: Inquiry, attended: Attended
) -> Evaluation:
    """The evaluation of summaries that were saved, and of files that are counted now."""
    file = paths[0]
    for path in paths:
        if Path(path).is_file() and not is_summary(path):
            load_summary(path)  # says what is wrong with it
    found, _ = added(paths)
    warned = tuple(Note("counted-twice", said=said) for said in alike(paths))
    if isinstance(found, SlicedCounts):
        from stakes.inquiry.daily_answer import (
            asked_before,
            daily_answer,
            is_same_question,
            priced_again,
        )

        if rest is not None or is_same_question(found, inquiry):
            ev = daily_answer(found, paths, rest, inquiry, attended)
            return replace(ev, warnings=(*warned, *ev.warnings))
        if before := asked_before(found):
            warned = (*warned, Note("decided-before", asked=before))
        inquiry = priced_again(found, inquiry)
    if rest is not None:
        raise DataError(
            f"{Path(file).name} holds decisions alone, so that rows cannot be added to it.",
            hint="keep what an engine counts:  stakes eval 'days/*.parquet' ... --save FILE\n"
            "or count these rows too and add the decisions:  stakes merge A.json B.json -o C.json",
        )
    for option in ("label", "scores", "proba", "decisions", "weight", "groups", "by", "capacity"):
        if getattr(inquiry, option):
            held = f"{Path(file).name} holds counts of decisions, not rows"
            hint = f"stakes eval {file} --cost fn=10 fp=1"
            raise DataError(f"{held}, so there is no column for --{option}.", hint=hint)
    name = Path(file).name if len(paths) == 1 else f"{len(paths)} saved summaries"
    kept = _tables(found, Path(file).stem if len(paths) == 1 else "model", name)
    ev = _count_answer(kept, name, "saved summary", inquiry)
    if any(note.code == "decided-before" for note in warned):
        ev = replace(ev, notes=tuple(n for n in ev.notes if n.code != "decisions-alone"))
    return replace(ev, warnings=(*warned, *ev.warnings))


def _count_answer(kept: Kept, source: str, form: str, inquiry: Inquiry) -> Evaluation:
    """The evaluation of a table for each model."""
    matrices = kept.tables
    first = next(iter(matrices.values()))
    app = over_names(first, inquiry)
    where = source.partition(",")[0]
    if not first.total > 0:
        raise DataError(f"{where} counts no cases.", hint="merge it with others, or count again")
    app, judged = at_place(app, ordered_table(first, app, where).priors, inquiry)
    warnings = refuse_or_name_dominated(app.costs)
    ordered = {name: ordered_table(each, app, name) for name, each in matrices.items()}
    totals = next(iter(ordered.values())).class_totals
    if app.priors is not None and not inquiry.prevalence:
        for name, each in ordered.items():
            if not np.allclose(each.priors, app.priors, rtol=1e-9):
                judged = app  # so that intervals are taken at the same shares
                warnings.append(Note("other-shares", model=name, first=next(iter(ordered))))
    options, joint, grouped = judging_options(inquiry), kept.joint, kept.grouped
    ev = evaluate(None, ordered, application=judged, **options)
    if grouped is not None:
        grouped = replace(grouped, joint=renamed(grouped.joint, judged))
        ev = _with_groups(ev, grouped, judged, options)
    whole = joint is not None and bool((np.rint(joint.counts) == joint.counts).all())
    if joint is not None and len(ev) > 1 and (whole or grouped is not None):
        # only joint counts tell which model is really best
        together = renamed(joint, judged) if grouped is None else grouped
        found = compare(together, judged, normalized=True, **options)
        best = zip(ev.models, found.probability_best.tolist(), strict=True)
        models = tuple(replace(model, probability_best=chance) for model, chance in best)
        notes = tuple(note for note in ev.notes if note.code != "cases-unshared")
        absent = {name: why for name, why in ev.absent.items() if name != "comparison"}
        ev = replace(ev, models=models, comparison=found, notes=notes, absent=absent)
    said = [Note("decisions-alone"), *about_absent(app.classes, totals), *about_switches(ev)]
    facts = {"source": source, "label": "truth", "form": form}
    more: dict[str, Any] = {"class_counts": totals, "warnings": tuple(warnings), "joint": joint}
    return told(ev, said, facts, inquiry, **more)


def _with_groups(
    ev: Evaluation, grouped: GroupedCounts, app: Application, options: dict[str, Any]
) -> Evaluation:
    """The evaluation with intervals that draw whole groups."""
    ends = {name: as_ends(limits(grouped.of_one(name), app, options)) for name in grouped.systems}
    models = tuple(replace(model, interval=ends[model.name]) for model in ev.models)
    ev = replace(ev, models=models)
    few = int(grouped.n_groups[0])
    if few >= options["min_cases"]:
        return ev
    absent = {**ev.absent, "interval": "few-groups"}
    return replace(ev, notes=(*ev.notes, Note("few-groups", count=few)), absent=absent)


def over_names(matrix: ConfusionMatrix, inquiry: Inquiry) -> Application:
    """The costs over the names of a confusion matrix."""
    filed, words = costs_given(inquiry)
    names = texts(matrix.classes)
    if words is not None and words.columns:
        binary_costs(words, names)  # which says that there are no rows to take a column from
    labels = Labels(names, np.arange(len(names)), None, matrix.class_totals)
    with proposing(lambda: of_outcomes(labels, inquiry), inquiry):
        return application_over(filed, words, labels, "truth", inquiry)


def ordered_table(matrix: ConfusionMatrix, app: Application, name: str) -> ConfusionMatrix:
    """The counts in the order of the costs, decisions that never occur added with 0."""
    rows, columns = texts(matrix.classes), texts(matrix.decisions)
    if set(rows) != set(app.classes) or not set(columns) <= set(app.decisions):
        said = f"{name} has outcomes {quoted(rows)} and decisions {quoted(columns)}"
        have = f"{quoted(app.classes)} and {quoted(app.decisions)}"
        raise DataError(f"{said}; the costs have {have}.")
    counts = np.zeros(app.costs.shape)
    places = [texts(app.classes).index(name) for name in rows]
    counts[np.ix_(places, [texts(app.decisions).index(name) for name in columns])] = matrix.counts
    whole = bool((counts == np.floor(counts)).all()) and counts.max(initial=0) < 2**63
    return ConfusionMatrix(counts.astype(np.int64) if whole else counts, app.classes, app.decisions)
