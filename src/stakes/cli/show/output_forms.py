"""The forms in which an evaluation is shown: text, JSON, CSV, or one line."""

from __future__ import annotations

import datetime as dt
import os
import platform
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stakes import __version__
from stakes.cli.show.evaluation_text import print_evaluation, print_quiet, read_line
from stakes.evaluation import Evaluation
from stakes.evaluation.model_table import as_csv, flat_columns, rows_of
from stakes.messages.quantities import grouped


def show(ev: Evaluation, form: str, *, counts_only: bool = False) -> None:
    """Print the evaluation as "json", as "csv", "quiet", or in full."""
    if form == "json":
        print(ev.to_json(), end="")
    elif form == "csv":
        print(as_csv(_columns(ev)), end="")
    elif form == "quiet":
        if not counts_only:
            print_quiet(ev)
    elif counts_only:
        _print_counts(ev)
    else:
        print_evaluation(ev)


def too_few(ev: Evaluation, least: int) -> tuple[float, str] | None:
    """The count of an outcome that is too rare for a verdict, and in words; None if none is."""
    assert ev.class_counts is not None
    count = float(ev.class_counts[ev.class_counts > 0].min())
    if count >= least:
        return None
    place = int(np.flatnonzero(ev.class_counts == count)[0])
    one = count == 1
    what = f"case{'' if one else 's'} of '{ev.application.classes[place]}'"
    if ev.positive is not None and place == 1:
        what = "positive" if one else "positives"
    return count, f"{grouped(count)} {what}"


def with_facts(ev: Evaluation, command: Sequence[str]) -> Evaluation:
    """The evaluation with how it was computed."""
    now = dt.datetime.now(dt.UTC)
    stamp = os.environ.get("SOURCE_DATE_EPOCH")  # for pages that must come out the same
    if stamp is not None and stamp.isdigit():
        now = dt.datetime.fromtimestamp(int(stamp), dt.UTC)
    facts = {
        "command": "stakes " + " ".join(shlex.quote(word) for word in command),
        "made": now.strftime("%Y-%m-%d"),
        "stakes": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    return replace(ev, facts={**ev.facts, **facts})


def _columns(ev: Evaluation) -> dict[str, list[Any]]:
    """The table of the models, and how they do over what is unknown."""
    columns, doubt = flat_columns(rows_of(ev)), ev.doubt
    if doubt is not None:
        places = [doubt.models.index(name) for name in columns["model"]]
        for k, place in enumerate(doubt.places):
            columns[f"nec at {place}"] = [doubt.nec[m, k] for m in places]
        columns["mean_nec"] = [doubt.mean_nec[m] for m in places]
        columns["worst_regret"] = [doubt.worst_regret[m] for m in places]
    return columns


def _print_counts(ev: Evaluation) -> None:
    """What was counted, without any figure that would suggest more is known."""
    print(read_line(ev), file=sys.stdout)
    for model in ev.models:
        print(f"\n{model.name}\n{model.confusion}")
