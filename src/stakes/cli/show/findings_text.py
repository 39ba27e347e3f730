"""Findings on the terminal: what was read, the costs used, the table, the verdict, and both ends
of ranges.
"""

from __future__ import annotations

import math
import sys
from typing import Any

from stakes.cli.show.fixed_width import Column, fitted
from stakes.cli.show.terminal import (
    bold,
    continued,
    dim,
    page_width,
    print_aligned,
    print_wrapped,
    shown,
    wrapped,
)
from stakes.evaluation.verdict import AFTER
from stakes.messages.quantities import aligned, amount, grouped, per_case, percent
from stakes.report import Findings, ModelFinding


def _print_doubt(evaluation: Any) -> None:
    """The table of what the models cost between the ends; nothing where all is known."""
    doubt = None if evaluation is None else evaluation.doubt
    if doubt is None:
        return
    order = sorted(range(len(doubt.models)), key=lambda k: float(doubt.middle_cost[k]))
    last = len(doubt.places) - 1
    ends = [
        Column(
            f"at {place}", [_range_nec(doubt.nec[k, end]) for k in order], drop=_leaves(end, last)
        )
        for end, place in enumerate(doubt.places)
    ]
    middle = Column("middle", [_range_nec(doubt.middle_nec[k]) for k in order])
    ends = [ends[0], middle, ends[1]] if len(ends) == 2 else [*ends, middle]
    unit = f" {evaluation.application.unit}" if evaluation.application.unit else ""
    costs = aligned([float(doubt.mean_cost[k]) for k in order])
    columns = [
        Column("model", [doubt.models[k] for k in order], label=True),
        *ends,
        Column("mean NEC", [_range_nec(doubt.mean_nec[k]) for k in order]),
        Column("worst regret", [_range_nec(doubt.worst_regret[k]) for k in order]),
        Column(f"mean cost{unit}", costs, drop=9),
    ]
    print()
    print_wrapped(f"NEC if {doubt.words}, decisions following the costs:", rest="  ")
    text, left_out = fitted(columns, page_width())
    print(text)
    if left_out:
        print_wrapped(f"(too narrow for: {'; '.join(left_out)}. --json has everything)")
    print(dim(shown(f"(least worst regret: {doubt.safest})")))


def _leaves(end: int, last: int) -> int:
    """When the column of an end leaves a narrow page: the outer ones after those between them."""
    return 1 if end in (0, last) else 2


def _range_nec(value: float) -> str:
    """A NEC to three decimals."""
    return "undef." if math.isnan(value) else f"{value:.3f}"


#: Names longer than this get the place of the column of costs.
_LONG_NAME = 12


def print_findings(findings: Findings, *, with_verdict: bool = True) -> None:
    """Everything, in the order in which it is read."""
    print_wrapped(read_line(findings), rest="  ")
    for line in findings.costs_said:
        print_aligned(line)
    print()
    _print_table(findings)
    for line in wrapped(_naive_line(findings)):
        print(dim(line))
    _print_doubt(findings.evaluation)
    _print_where_money_goes(findings)
    _print_slices(findings)
    if with_verdict:
        print()
        print_bold(findings.verdict)
        if findings.evaluation is not None and findings.evaluation.verdict_kind == AFTER:
            _print_calibrate(findings)
        _print_remarks(findings)
    print()
    for note in (*findings.notes, *_unsure(findings)):
        print_wrapped(note, first="- ", rest="  ")


def print_bold(text: str) -> None:
    """A wrapped paragraph, bold where the terminal can."""
    for line in wrapped(text):
        print(bold(line))


def _print_remarks(findings: Findings) -> None:
    """What to mind, each with the command that helps, if one does."""
    for remark in findings.remarks:
        print_wrapped(remark, first="! ", rest="  ")
        if "Re-calibrating is worth" in remark:
            _print_calibrate(findings)


def _print_calibrate(findings: Findings) -> None:
    """The command that re-calibrates, if there is one."""
    if "calibrate" in findings.facts:
        print("\n".join(continued(shown(str(findings.facts["calibrate"])))))


def read_line(findings: Findings) -> str:
    """What was read, in one sentence."""
    app, counts = findings.application, findings.class_counts
    shares = findings.data_priors
    count = findings.facts.get("models", len(findings.models))
    models = f"{count} model{'s' if count != 1 else ''}"
    label = findings.facts.get("label", "truth")
    by_weight = " by weight" if "weight" in findings.facts else ""
    if findings.positive is not None:
        outcome = (
            f"{grouped(counts[1])} {label} = {findings.positive} ({percent(shares[1])}{by_weight})"
        )
    else:
        pairs = zip(app.classes, shares, strict=True)
        outcome = f"{label}: " + ", ".join(f"{name} {percent(share)}" for name, share in pairs)
        outcome += by_weight
    return f"read {findings.source}: {grouped(findings.n_cases)} cases, {outcome}, {models}"


def print_quiet(findings: Findings) -> None:
    """Only the model to deploy and its threshold; without one, why, on standard error."""
    if findings.evaluation.to_deploy is None:
        print(shown(findings.verdict), file=sys.stderr)
        return
    best = findings.best
    threshold = "" if best.threshold is None else f" {str(best.rule).split()[-1]}"
    print(shown(best.name) + threshold)


def _table_columns(findings: Findings) -> list[Column]:
    """The columns of the main table; those to the right leave first when it is narrow."""
    models = findings.ranked
    columns = [
        Column("model", [model.name for model in models], label=True),
        Column("NEC", [_nec(model) for model in models]),
    ]
    if any(model.interval for model in models):
        columns.append(Column("95% interval", [_interval(model) for model in models], drop=1))
    again = any(model.recalibrated is not None for model in models)
    if again:
        columns.append(Column("recal.", [_recalibrated(model) for model in models], drop=4))
    if any(model.rule for model in models):
        rules = [model.rule or "" for model in models]
        columns.append(Column("act when", rules, drop=2, right=False))
    app = findings.application
    unit = f" {app.unit}" if app.unit else ""
    if not again and max(len(model.name) for model in models) <= _LONG_NAME:  # else no room
        columns.append(Column(f"cost/case{unit}", aligned([m.cost for m in models]), drop=4))
    columns.append(Column(*_savings(findings), drop=3))
    if findings.comparison is not None:
        best_in = [findings.best_in(model) or 0.0 for model in models]
        columns.append(Column("best in", [percent(share, 0) for share in best_in], drop=5))
    return columns


def _savings(findings: Findings) -> tuple[str, list[str]]:
    """The column of savings: per period when the volume is known."""
    app = findings.application
    unit = f" {app.unit}" if app.unit else ""
    if app.volume is None:
        cells = aligned([findings.saving(model) for model in findings.ranked])
        return f"saves/case{unit}", cells
    short = {"year": "yr", "month": "mo", "week": "wk"}.get(app.period or "", app.period)
    title = f"saves/{short}" if short else "saves"
    return title, [
        f"{amount(findings.saving(model) * app.volume)}{unit}" for model in findings.ranked
    ]


def _print_table(findings: Findings) -> None:
    """The main table, and what had to be left out of it."""
    text, left_out = fitted(_table_columns(findings), page_width())
    print(text)
    if left_out:
        print_wrapped(f"(too narrow for: {', '.join(left_out)}; --json has everything)")


def _naive_line(findings: Findings) -> str:
    """The best constant decision, as a row to compare with."""
    app = findings.application
    unit = f" {app.unit}" if app.unit else ""
    cost = f"{per_case(findings.naive_cost)}{unit} per case"
    return f"(always '{findings.naive_decision}': NEC 1.000, {cost})"


def _print_where_money_goes(findings: Findings) -> None:
    """The costliest cells of the best model, for more than two outcomes or decisions."""
    app = findings.application
    if app.costs.shape == (2, 2):
        return
    cells = findings.costliest(findings.best)
    if not cells:
        return
    print()
    unit = f" {app.unit}" if app.unit else ""
    print(shown(f"where the money goes ({findings.best.name}):"))
    text, _ = fitted(
        [
            Column("truth", [cell[0] for cell in cells], label=True),
            Column("decision", [cell[1] for cell in cells], label=True),
            Column(f"cost/case{unit}", aligned([cell[2] for cell in cells], 3)),
            Column("share", [percent(cell[3], 0) for cell in cells]),
        ],
        page_width(),
    )
    print(text)


def _print_slices(findings: Findings) -> None:
    """The best model in each part of the cases, where that was asked."""
    parts = {} if findings.evaluation is None else findings.evaluation.slices
    if not parts:
        return
    best = {name: part[part.best] for name, part in parts.items()}
    print()
    text, _ = fitted(
        [
            Column("part", list(parts), label=True),
            Column("cases", [grouped(part.n_cases) for part in parts.values()]),
            Column("best", [model.name for model in best.values()], label=True),
            Column("NEC", [_part_nec(model.nec) for model in best.values()]),
            Column("95% interval", [_limits(model.interval) for model in best.values()], drop=1),
            Column("verdict", [p.verdict_kind for p in parts.values()], drop=2, right=False),
        ],
        page_width(),
    )
    print(text)


def _part_nec(nec: float) -> str:
    """The NEC in a part; undefined where all its cases are alike, so that no decision errs."""
    return "undef." if math.isnan(nec) else f"{nec:.3f}"


def _limits(interval: tuple[float, float] | None) -> str:
    """An interval, or that there are too few cases for one."""
    return "too few" if interval is None else f"{interval[0]:.3f} - {interval[1]:.3f}"


def _unsure(findings: Findings) -> list[str]:
    """A reminder as long as nobody has computed an interval."""
    if any(model.interval for model in findings.models):
        return []
    return ["no interval was computed: chance could move these figures"]


def _recalibrated(model: ModelFinding) -> str:
    """The NEC after calibration, where there is one."""
    return "" if model.recalibrated is None else f"{model.recalibrated:.3f}"


def _nec(model: ModelFinding) -> str:
    """The NEC to three decimals."""
    return "undef." if model.nec is None else f"{model.nec:.3f}"


def _interval(model: ModelFinding) -> str:
    """An interval of the NEC."""
    return "" if model.interval is None else f"{model.interval[0]:.3f} - {model.interval[1]:.3f}"
