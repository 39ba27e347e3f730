"""Counts of days: kept with their question, added to each other and to what is counted today."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stakes.application import Application, CostMatrix
from stakes.engines import Reduction, Request
from stakes.engines.reduction import Panel, Part
from stakes.engines.request import System
from stakes.evaluation import Evaluation
from stakes.exceptions import DataError, MergeError
from stakes.inquiry.case_question import (
    application_over,
    at_place,
    costs_given,
    refuse_or_name_dominated,
)
from stakes.inquiry.far_answer import Counted, as_cases, counted_far, judged_counts
from stakes.inquiry.far_truth import Outcomes
from stakes.inquiry.inquiry import Attended, Inquiry
from stakes.inquiry.truth import Cases
from stakes.messages.notes import Note
from stakes.sources.cells import Labels
from stakes.sources.patterns import Files
from stakes.sources.source import MEMORY
from stakes.summaries import ScoreBins
from stakes.summaries.sliced_counts import CountTable, SlicedCounts

#: What decides which rows are counted how, and so must be the same for days to add up.
_COUNTED_BY = (
    "label", "positive", "scores", "proba", "decisions", "scores_are", "narrow", "renormalise",
    "flip", "weight", "by", "missing", "posteriors_already_adjusted",
)  # fmt: skip
#: What may be said in other words of the same counts.
_SHOWN_BY = ("cost", "gain", "prevalence", "unit", "volume")


# Days that add up: docs/design/saved-summaries.md.
def sliced_counts(found: Counted) -> SlicedCounts:
    """What the files came to, with its question, to be kept."""
    reduction, judged, inquiry = found.reduction, found.judged, found.inquiry
    if inquiry.groups:
        raise DataError(
            "counts that are added day by day do not know what belongs together.",
            hint="leave --groups out, or count all files together",
        )
    request, said = reduction.request, found.inquiry.plain
    made_for = None if request.from_priors is None else request.from_priors.tolist()
    if inquiry.kind == "llr" and not inquiry.decisions:  # moved to the shares of these rows
        made_for = found.cases.priors.tolist()
    asked = {
        "said": _said(found),
        "words": {name: said[name] for name in _COUNTED_BY if name in said},
        "models": dict(reduction.kinds),
        "raw": {model: list(columns) for model, columns in found.columns.items()},
        "columns": {model: list(columns) for model, columns in request.models.items()},
        "label": request.label,
        "by": list(request.by),
        "weight": request.sample_weight,
        "bins": request.bins,
        "costs": judged.costs.values.tolist(),
        "priors": None if judged.priors is None else judged.priors.tolist(),
        "made_for": made_for,
        "classes": list(map(str, judged.classes)),
        "decisions": list(map(str, judged.decisions)),
    }
    keys = list(reduction.parts)
    tables = [_panel_table(reduction, p) for p in range(len(reduction.whole.panels))]
    tables += [_bin_table(reduction, model) for model in reduction.whole.bins]
    noticed = [[note.code, note.values] for note in (*found.notes, *found.warnings)]
    return SlicedCounts(
        json.dumps(asked),
        json.dumps([each for each in noticed if each[0] != "dominated"], default=str),
        tuple(asked["classes"]),
        tuple(asked["decisions"]),
        tuple(key[0] if key else "" for key in keys),
        tuple(tables),
    )


def _said(found: Counted) -> dict[str, Any]:
    """In which words it was asked; costs from a file are kept as numbers."""
    said = {name: word for name, word in found.inquiry.plain.items() if name in _SHOWN_BY}
    if found.inquiry.costs is None:
        return said
    app = found.application
    held = {"unit": app.unit, "volume": app.volume, "period": app.period}
    return {"filed": held, **{n: said[n] for n in ("prevalence", "unit", "volume") if n in said}}


def _panel_table(reduction: Reduction, place: int) -> CountTable:
    """The joint cells of some models in all slices."""
    panels = [part.panels[place] for part in reduction.parts.values()]
    names = tuple(panels[0].sums)
    cells = [np.insert(panel.cells, 0, k, axis=1) for k, panel in enumerate(panels)]
    sums = [
        np.column_stack([np.zeros((len(panel.rows), 0)), *(panel.sums[name] for name in names)])
        for panel in panels
    ]
    return CountTable(
        tuple(system.model for system in panels[0].systems),
        names,
        np.concatenate(cells).astype(np.int64),
        np.concatenate([panel.rows for panel in panels])[:, None],
        np.concatenate(sums),
    )


#: The numbers of weighted rows in a bin, by class.
_NUMBERS = ("rows0", "rows1", "squares0", "squares1")


def _bin_table(reduction: Reduction, model: str) -> CountTable:
    """The filled bins of a model in all slices."""
    cells, counts, sums, ends = [], [], [], []
    numbers = reduction.whole.numbers
    for k, part in enumerate(reduction.parts.values()):
        if model not in part.bins:
            continue
        bins = part.bins[model]
        filled = np.flatnonzero(bins.counts.sum(axis=1) > 0)
        cells.append(np.column_stack([np.full(len(filled), k), filled]))
        counts.append(bins.counts[filled])
        ends.append(np.column_stack([bins.lowest[filled], bins.highest[filled]]))
        if numbers:
            sums.append(part.numbers[model][:, filled].transpose(1, 0, 2).reshape(-1, 4))
        else:
            sums.append(np.zeros((len(filled), 0)))
    return CountTable(
        (model,),
        _NUMBERS if numbers else (),
        np.concatenate(cells).astype(np.int64),
        np.concatenate(counts),
        np.concatenate(sums),
        np.concatenate(ends),
        reduction.whole.bins[model].edges,
    )


def asked_again(kept: SlicedCounts, inquiry: Inquiry) -> Inquiry:
    """The question of kept counts, overridden by what is asked now."""
    held = kept.question
    words = dict(held["words"])
    said = dict(held["said"])
    filed = said.pop("filed", None)
    if filed is not None:
        costs = CostMatrix(held["costs"], held["classes"], held["decisions"])
        priors = None if said.get("prevalence") else held["priors"]
        words["costs"] = Application(costs, priors, **filed)
    return inquiry.after(Inquiry(**words, **said))


def priced_again(kept: SlicedCounts, inquiry: Inquiry) -> Inquiry:
    """What is asked now, with the costs of kept counts unless others are given."""
    before = asked_again(kept, Inquiry())
    said = {name: getattr(before, name) for name in ("positive", "cost", "gain", "costs")}
    return inquiry.after(Inquiry(**said, unit=before.unit, volume=before.volume))


def asked_before(kept: SlicedCounts) -> str | None:
    """For which costs and class mix scores were decided; None if decisions were given."""
    before = asked_again(kept, Inquiry())
    if before.decisions:
        return None
    named = {"--cost": before.cost, "--gain": before.gain, "--prevalence": before.prevalence}
    words = [f"{option} {' '.join([said] if isinstance(said, str) else said)}"
             for option, said in named.items() if said and said != ("",)]  # fmt: skip
    filed = kept.question["said"].get("filed") is not None
    return ", ".join([*(["the costs of a file"] if filed else []), *words])


def is_same_question(kept: SlicedCounts, inquiry: Inquiry) -> bool:
    """Whether what is asked now was decided and counted so."""
    held = kept.question
    now = inquiry.plain
    if any(now[name] != held["words"].get(name) for name in _COUNTED_BY if name in now):
        return False
    try:
        _, judged, _ = _placed(kept, asked_again(kept, inquiry))
    except DataError:
        return False
    priors = None if judged.priors is None else judged.priors.tolist()
    names = (list(judged.classes), list(judged.decisions))
    same = judged.costs.values.tolist() == held["costs"] and priors == held["priors"]
    return same and names == (held["classes"], held["decisions"])


def _placed(kept: SlicedCounts, inquiry: Inquiry) -> tuple[Application, Application, Cases]:
    """The application with its shares, the same as it was given, and one case for each class."""
    label, totals = kept.question["label"], kept.class_totals
    occur = [k for k, total in enumerate(totals) if total > 0]
    names = tuple(sorted(str(kept.classes[k]) for k in occur))
    by_name = dict(zip(map(str, kept.classes), totals.tolist(), strict=True))
    labels = Labels(names, np.arange(len(names)), None, np.array([by_name[n] for n in names]))
    filed, words = costs_given(inquiry)
    app = application_over(filed, words, labels, label, inquiry)
    cases = as_cases(app, Outcomes(labels, labels.counts, {}, {}), label)
    app, judged = at_place(app, cases.priors, inquiry)
    return app, judged, cases


def _counted(kept: SlicedCounts, inquiry: Inquiry, files: Files, form: str) -> Counted:
    """Kept counts as what an engine comes to."""
    app, judged, cases = _placed(kept, inquiry)
    reduction = _reduction(kept, judged)
    told = [Note(code, **values) for code, values in json.loads(kept.told)]
    warned = [note for note in told if note.severity == "warning"]
    warned += refuse_or_name_dominated(app.costs)
    notes = tuple(note for note in told if note.severity != "warning")
    raw = {model: tuple(columns) for model, columns in kept.question["raw"].items()}
    place = (reduction, app, judged, cases, files, "")
    return Counted(*place, notes, tuple(warned), inquiry, raw, form)


def _reduction(kept: SlicedCounts, judged: Application) -> Reduction:
    """The counts as the reduction of all rows, over names as text."""
    held = kept.question
    classes = judged.classes
    models = {
        model: columns[0] if len(columns) == 1 else dict(zip(classes, columns, strict=True))
        for model, columns in held["columns"].items()
    }
    request = Request(
        held["label"],
        models,
        applications=judged,
        sample_weight=held["weight"],
        by=held["by"],
        from_priors=held["made_for"] if held["priors"] is not None else None,
        classes=classes,
        positive=classes[1] if len(classes) == 2 else None,
        bins=held["bins"],
    )
    panels = [table for table in kept.parts if not table.is_binned]
    binned = [table for table in kept.parts if table.is_binned]
    parts = {}
    for k, name in enumerate(kept.slices):
        inside = tuple(_panel(table, k) for table in panels)
        bins = {str(table.systems[0]): _bins(table, k, kept) for table in binned}
        found = {model: each for model, each in bins.items() if each is not None}
        weighed = [table for table in binned if table.names and table.systems[0] in found]
        numbers = {str(table.systems[0]): _numbers(table, k) for table in weighed}
        parts[(name,) if held["by"] else ()] = Part(inside, found, numbers)
    return Reduction(request, held["models"], parts)


def _panel(table: CountTable, place: int) -> Panel:
    """The joint cells of one slice."""
    at = table.cells[:, 0] == place
    systems = tuple(System(str(model), "") for model in table.systems)
    sums = {str(name): table.sums[at, k] for k, name in enumerate(table.names)}
    return Panel(systems, table.cells[at, 1:].astype(np.intp), table.counts[at, 0], sums)


def _bins(table: CountTable, place: int, kept: SlicedCounts) -> ScoreBins | None:
    """The bins of one slice; None where it has no cases."""
    at = table.cells[:, 0] == place
    if not at.any():
        return None
    assert table.edges is not None
    assert table.ends is not None
    size, where = len(table.edges) + 1, table.cells[at, 1]
    counts = np.zeros((size, 2), table.counts.dtype)
    counts[where] = table.counts[at]
    ends = np.full((size, 2), np.nan)
    ends[where] = table.ends[at]
    prior = kept.question["made_for"]
    if prior is None or kept.question["priors"] is None:
        totals = table.counts.sum(axis=0)
        share = float(totals[1] / totals.sum())
        prior = [1 - share, share] if 0 < share < 1 else None
    said_at = None if prior is None else prior[1]
    held = (table.edges, counts, ends[:, 0], ends[:, 1])
    return ScoreBins(*held, kept.classes, "posterior", said_at)


def _numbers(table: CountTable, place: int) -> Any:
    """How many weighted rows each bin of a slice holds, and the squares of their weights."""
    at = table.cells[:, 0] == place
    assert table.edges is not None
    found = np.zeros((len(table.edges) + 1, 2, 2))
    found[table.cells[at, 1]] = table.sums[at].reshape(-1, 2, 2)
    return found.transpose(1, 0, 2)


def daily_answer(
    kept: SlicedCounts, paths: Sequence[str], rest: str | None, inquiry: Inquiry, attended: Attended
) -> Evaluation:
    """The evaluation of kept counts, and of files that are counted now, as of all rows together."""
    many = f"{len(paths)} saved summar{'ies' if len(paths) > 1 else 'y'}"
    title, form = ", ".join(Path(path).name for path in paths[:3]), many
    title += f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    asked = asked_again(kept, inquiry)
    if rest is not None:
        today = _today(asked.but(source=rest), paths, attended)
        title = f"{title} + {today.files.title}"
        form = f"{many} and {today.form_words}"
        try:
            kept = kept + sliced_counts(today)
        except MergeError as error:
            said = f"{today.files.title} does not fit {Path(paths[0]).name}: {error.message}"
            raise MergeError(said, hint=error.hint) from None
    files = Files(title, tuple(paths), "summary", None)
    return judged_counts(_counted(kept, asked, files, form))


def _today(asked: Inquiry, paths: Sequence[str], attended: Attended) -> Counted:
    """What is counted now, to be added to what was kept."""
    if asked.engine == MEMORY:
        raise DataError(
            f"rows that are added to {Path(paths[0]).name} are counted by an engine.",
            hint="leave --engine memory out",
        )
    return counted_far(asked, attended)
