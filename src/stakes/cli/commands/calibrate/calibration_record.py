"""What was learnt, as plain data for programs."""

from __future__ import annotations

import json
import math
from typing import Any

from stakes.calibration import Automatic, Average, CalibrationGain, Calibrator
from stakes.cli.commands.calibrate.calibration_fit import CHOSEN_BY, Learnt
from stakes.evaluation.evaluation_record import application_record
from stakes.inquiry.calibration_words import in_file


def as_json(facts: dict[str, Any]) -> str:
    """JSON text; numbers that are undefined or infinite are null."""
    return json.dumps(_plain(facts), indent=2, ensure_ascii=False, allow_nan=False)


def learnt_record(learnt: Learnt, args: Any, *, naive: float) -> dict[str, Any]:
    """What is said on the terminal rests on; `naive` is the cost of the best constant decision."""
    cal, app, cases = learnt.calibrator, learnt.application, learnt.cases
    chosen = cal.chosen if isinstance(cal, Automatic) else cal
    return {
        "source": learnt.question.table.source,
        "sha256": learnt.question.table.digest,
        "cases": len(cases),
        "label": cases.label,
        "model": learnt.model,
        "columns": learnt.columns,
        "scores_are": args.scores_are,
        "asked": args.kind,
        "kind": chosen.kind,
        "members": _members(chosen),
        "bound": cal.options["bound"],
        "folds": args.folds,
        "seed": args.seed,
        "group": args.group,
        "application": application_record(app, cases.priors),
        "cost": _gain(learnt.cost, learnt),
        "nec": None if naive <= 0 else _scaled(_gain(learnt.cost, learnt), naive),
        "cross_entropy": _gain(learnt.entropy, learnt),
        "compared": _gain(learnt.compared, learnt) if chosen is not cal else None,
        "candidates": cal.frame().rows() if isinstance(cal, Automatic) else [],
        "chosen_by": (args.choose_by or next(iter(CHOSEN_BY))) if chosen is not cal else None,
        "without": learnt.without,
        "failures": [in_file(text, cases) for text in cal.report.get("failures", [])],
        "notes": list(learnt.question.notes),
        "warnings": list(learnt.warnings),
        "output": args.output,
        "plot": args.plot,
    }


def _members(chosen: Calibrator) -> list[dict[str, Any]]:
    """The calibrators that are averaged, with their weights; curves sought by stakes with these.

    Of averages among them, their members.
    """
    if not isinstance(chosen, Average):
        return []
    found = []
    for member, weight in zip(chosen.members, chosen.weights, strict=True):
        record = {"kind": member.kind, "weight": float(weight)}
        if isinstance(member, Average):
            record["members"] = _members(member)
        elif (emphasis := member.options.get("emphasis")) is not None:
            record["emphasis"] = emphasis
        found.append(record)
    return found


def _gain(gain: CalibrationGain, learnt: Learnt) -> dict[str, Any]:
    """Before, after, the difference and its interval; ranks are nothing before."""
    row = {**gain.frame().rows()[0], "level": gain.level}
    if learnt.before is None:
        row |= dict.fromkeys(("before", "gain", "low", "high", "relative"))
        row["impossible_before"] = 0
    return row


def _scaled(row: dict[str, Any], naive: float) -> dict[str, Any]:
    """The same as a share of what the best constant decision costs."""
    scaled = ("before", "after", "gain", "low", "high")
    return {key: None if row[key] is None else row[key] / naive for key in scaled}


def _plain(value: Any) -> Any:
    """Values that JSON knows."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
