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
from stakes.cli.printing import print_findings, print_quiet, read_line
from stakes.evaluation.recording import record_of
from stakes.report import Findings, record
from stakes.report.amounts import grouped

__all__ = ["show", "too_few", "with_facts"]


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
    elif counts_only:
        _print_counts(findings)
    elif args.quiet:
        print_quiet(findings)
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
        what = f"cases of '{findings.application.classes[place]}'"
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
    """The table as CSV."""
    table = findings.frame()
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(list(row.values()) for row in table.rows())
    return stream.getvalue()


def _print_counts(findings: Findings) -> None:
    """What was counted, without any figure that would suggest more is known."""
    print(read_line(findings), file=sys.stdout)
    for model in findings.models:
        print(f"\n{model.name}\n{model.confusion}")
