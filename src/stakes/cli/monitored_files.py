"""Periods that were counted before: one file of counts for each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from stakes.cli.costs import shares
from stakes.cli.from_counts import ordered_table, over_names
from stakes.cli.kept import read_kept, renamed
from stakes.cli.monitored_watch import Watched, chosen, costs_said, watch_over
from stakes.cli.place import texts
from stakes.exceptions import DataError
from stakes.summaries import ConfusionMatrix
from stakes.summaries.storing import is_summary

__all__ = ["from_files"]


def from_files(paths: list[str], args: Any) -> Watched:
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
    model = next(iter(kept[0].tables)) if single else chosen(list(kept[0].tables), args.model)
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
    found = watch_over(periods, app, args, ranked)
    called = "" if single and model in names else model
    return Watched(found, f"{len(paths)} files", called, costs_said(app))
