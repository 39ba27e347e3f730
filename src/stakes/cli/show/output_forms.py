"""The forms in which findings are shown: text, JSON, CSV, or one line."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import os
import platform
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stakes import __version__
from stakes.cli.show.findings_text import print_findings, print_quiet, read_line
from stakes.evaluation.evaluation_record import record_of
from stakes.messages.quantities import grouped
from stakes.report import Findings, record


def show(findings: Findings, args: Any, *, counts_only: bool = False) -> None:
    """Print the findings in the form that was asked for."""
    if args.json:
        found = record(findings)
        if findings.evaluation is not None:  # in the published form, with everything
            found["evaluation"] = record_of(findings.evaluation)
        if counts_only:
            found.update(best=None, verdict=None)
        print(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
    elif args.csv:
        print(_as_csv(findings), end="")
    elif args.quiet:
        if not counts_only:
            print_quiet(findings)
    elif counts_only:
        _print_counts(findings)
    else:
        print_findings(findings)


def too_few(findings: Findings, least: int) -> str | None:
    """What to say when an outcome is too rare for a verdict; None when it is not."""
    present = findings.class_counts[findings.class_counts > 0]
    count = float(present.min())
    if count >= least:
        return None
    what = "positives" if findings.positive is not None else "cases"
    place = int(np.flatnonzero(findings.class_counts == count)[0])
    if findings.positive is None or place == 0:
        many = "case" if count == 1 else "cases"
        what = f"{many} of '{findings.application.classes[place]}'"
    elif count == 1:
        what = what.removesuffix("s")
    return (
        f"{grouped(count)} {what}. I will print counts but no interval and no verdict. "
        f"Override: --min-positives {int(count) if count >= 1 else 0}"
    )


def with_facts(findings: Findings, command: Sequence[str]) -> Findings:
    """The findings with how they were computed."""
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
    return replace(findings, facts={**findings.facts, **facts})


def _as_csv(findings: Findings) -> str:
    """The table as CSV; what is not known is empty."""
    columns = _columns(findings)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return stream.getvalue()


def _columns(findings: Findings) -> dict[str, list[Any]]:
    """Every figure of the models, cheapest first."""
    ranked, volume = findings.ranked, findings.application.volume
    intervals = [model.interval or (None, None) for model in ranked]
    columns: dict[str, list[Any]] = {
        "model": [model.name for model in ranked],
        "nec": [model.nec for model in ranked],
        "low": [low for low, _ in intervals],
        "high": [high for _, high in intervals],
        "recalibrated": [model.recalibrated for model in ranked],
        "cost": [model.cost for model in ranked],
        "saving": [findings.saving(model) for model in ranked],
    }
    if volume is not None:
        columns["total_saving"] = [findings.saving(model) * volume for model in ranked]
    columns["act_when"] = [model.rule or "" for model in ranked]
    columns["threshold"] = [model.threshold for model in ranked]
    columns["best_in"] = [findings.best_in(model) for model in ranked]
    doubt = None if findings.evaluation is None else findings.evaluation.doubt
    if doubt is not None:
        places = [doubt.models.index(model.name) for model in ranked]
        for k, place in enumerate(doubt.places):
            columns[f"nec at {place}"] = [doubt.nec[m, k] for m in places]
        columns["mean_nec"] = [doubt.mean_nec[m] for m in places]
        columns["worst_regret"] = [doubt.worst_regret[m] for m in places]
    return columns


def _print_counts(findings: Findings) -> None:
    """What was counted, without any figure that would suggest more is known."""
    print(read_line(findings), file=sys.stdout)
    for model in findings.models:
        print(f"\n{model.name}\n{model.confusion}")
