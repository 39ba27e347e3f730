"""Summaries that were kept in files: read, turned into tables by model, and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from stakes._names import as_positions
from stakes.application import Application
from stakes.cli.kept_files import added, listed_files
from stakes.cli.place import texts
from stakes.evaluation import Evaluation
from stakes.evaluation.from_counts import UNSHARED
from stakes.exceptions import FormatError
from stakes.summaries import (
    ConfusionMatrix,
    GroupedCounts,
    PairedCounts,
    load_summary,
    save_summary,
)
from stakes.summaries.ranked_scores import RankedScores
from stakes.uncertainty import compare

__all__ = ["Kept", "compared_jointly", "joint_of", "keep", "read_kept", "renamed"]


@dataclass(frozen=True, slots=True)
class Kept:
    """What a file of counts holds: a table for each model, and all together where known."""

    tables: dict[str, ConfusionMatrix]
    joint: PairedCounts | None = None
    scores: dict[str, RankedScores] = field(default_factory=dict)
    grouped: GroupedCounts | None = None


def read_kept(path: str) -> Kept:
    """The decisions of each model that a saved summary, or all that fit a pattern, hold."""
    paths = listed_files([path])
    if len(paths) == 1:
        return _tables(load_summary(paths[0]), Path(paths[0]).stem, Path(paths[0]).name)
    return _tables(added(paths)[0], "model", path)


def _tables(found: Any, stem: str, name: str) -> Kept:
    """Tables of counts from any summary that has them."""
    scores: dict[str, RankedScores] = {}
    if isinstance(found, Mapping) and "joint" in found:
        scores, found = dict(found.get("scores", {})), found["joint"]
    grouped = None
    if isinstance(found, GroupedCounts):
        one = len(found.systems) == 1 and len(found.groups) == 1
        grouped, found = (found if one else None), found.joint
    if isinstance(found, ConfusionMatrix):
        return Kept({stem: found})
    if isinstance(found, PairedCounts):
        tables = {str(name): found.confusion(name) for name in found.systems}
        return Kept(tables, found, scores, grouped)
    if isinstance(found, Mapping) and all(isinstance(x, ConfusionMatrix) for x in found.values()):
        return Kept({str(model): table for model, table in found.items()})
    what = "several summaries" if isinstance(found, Mapping) else f"a {type(found).__name__}"
    raise FormatError(
        f"{name} holds {what}, not counts of decisions.",
        hint="in Python: stakes.summaries.load_summary(path), then stakes.metrics or "
        "stakes.curves; counts of decisions are written by  stakes eval ... --save FILE",
    )


def keep(ev: Evaluation, args: Any) -> None:
    """Write what was decided, so that it can be merged, watched and judged again."""
    found: Any = getattr(args, "joint", None)
    if found is None:
        found = joint_of(ev, getattr(args, "group_names", None))
    if found is None:
        tables = {model.name: model.confusion for model in ev.models}
        found = tables if len(tables) > 1 else next(iter(tables.values()))
    save_summary(found, args.save)


def joint_of(
    ev: Evaluation, group_names: Sequence[str] | None = None
) -> PairedCounts | GroupedCounts | None:
    """What all models decided on the same cases, by group if any, where rows are still known."""
    if ev.sources is None or any(one.as_is.codes is None for one in ev.sources.judged):
        return None
    cases, app = ev.sources.cases, ev.application
    decided = {one.model.name: as_positions(one.as_is.codes) for one in ev.sources.judged}
    options: dict[str, Any] = {
        "classes": app.classes,
        "decision_names": app.decisions,
        "sample_weight": cases.weights,
    }
    if cases.groups is None or group_names is None:
        return PairedCounts.from_decisions(cases.truth, decided, **options)
    groups = np.array(group_names, dtype=object)[cases.groups]
    return GroupedCounts.from_decisions(cases.truth, decided, groups=groups, **options)


def compared_jointly(
    ev: Evaluation, joint: PairedCounts, app: Application, **options: Any
) -> Evaluation:
    """The evaluation of tables with what only joint counts tell: which model is really best."""
    if len(ev) < 2 or (np.rint(joint.counts) != joint.counts).any():
        return ev
    found = compare(renamed(joint, app), app, normalize=True, **options)
    models = tuple(
        replace(model, probability_best=float(found.probability_best[k]))
        for k, model in enumerate(ev.models)
    )
    notes = tuple(note for note in ev.notes if note != UNSHARED)
    return replace(ev, models=models, comparison=found, notes=notes)


def renamed(joint: PairedCounts, app: Application) -> PairedCounts:
    """The joint counts in the order and the spelling of the application."""
    rows = [app.classes.index(name) for name in texts(joint.classes)]
    columns = [app.decisions.index(name) for name in texts(joint.decisions)]
    cells = joint.cells.copy()
    cells[:, 0] = np.array(rows)[joint.cells[:, 0]]
    cells[:, 1:] = np.array(columns)[joint.cells[:, 1:]]
    systems = tuple(str(name) for name in joint.systems)
    return PairedCounts(cells, joint.counts, systems, app.classes, app.decisions)
