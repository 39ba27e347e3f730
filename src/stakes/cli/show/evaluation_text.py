"""An evaluation on the terminal: what was read, the costs used, the table, the verdict, and both
ends of ranges.
"""

from __future__ import annotations

import math
import sys

from stakes.cli.show.fixed_width import Column, print_columns
from stakes.cli.show.terminal import (
    bold,
    continued,
    dim,
    print_aligned,
    print_wrapped,
)
from stakes.evaluation import Evaluation
from stakes.evaluation.case_account import case_name, costliest_cases
from stakes.evaluation.model_table import MOST_SHOWN, shown_columns, unshown_models
from stakes.evaluation.verdict import AFTER, BRIEF
from stakes.messages.audience import shown
from stakes.messages.notes import flagged
from stakes.messages.quantities import aligned, grouped, normalized, per_case, percent

#: More outcomes than this are not listed with their shares.
_MANY = 20
#: A reminder where no interval was computed.
_UNSURE = "No interval was computed, so these figures may be off by chance."


def _print_doubt(ev: Evaluation) -> None:
    """The table of what the models cost between the ends; nothing where all is known."""
    doubt = ev.doubt
    if doubt is None:
        return
    order = sorted(range(len(doubt.models)), key=lambda k: float(doubt.middle_cost[k]))
    order = order[:MOST_SHOWN]
    outer = {0, len(doubt.places) - 1}  # they leave last
    ends = [
        Column(f"at {at}", [_nec(doubt.nec[k, end]) for k in order], drop=1 if end in outer else 2)
        for end, at in enumerate(doubt.places)
    ]
    middle = Column("middle", [_nec(doubt.middle_nec[k]) for k in order])
    ends = [ends[0], middle, ends[1]] if len(ends) == 2 else [*ends, middle]
    costs = aligned([float(doubt.mean_cost[k]) for k in order])
    columns = [
        Column("model", [doubt.models[k] for k in order], label=True),
        *ends,
        Column("mean NEC", [_nec(doubt.mean_nec[k]) for k in order]),
        Column("worst regret", [_nec(doubt.worst_regret[k]) for k in order]),
        Column(f"mean cost{_unit(ev)}", costs, drop=9),
    ]
    print()
    print_wrapped(f"NEC if {doubt.words}, thresholds re-optimised:", rest="  ")
    print_columns(*columns, between="; ")
    print(dim(shown(f"(smallest worst regret: {doubt.safest})")))


def print_evaluation(ev: Evaluation, listed: int = 0) -> None:
    """Everything, in the order in which it is read, with `listed` of the costliest cases."""
    print_wrapped(read_line(ev), rest="  ")
    for line in ev.costs_said:
        print_aligned(line)
    print()
    _print_table(ev)
    naive = ev.best_naive
    cost = f"{per_case(naive.cost)}{_unit(ev)} per case"
    said = naive.doing if naive.shares else f"always '{naive.decision}'"
    print_wrapped(f"(NEC: 0 = perfect, 1 = {said}, {cost})", style=dim)
    _print_doubt(ev)
    _print_where_money_goes(ev)
    _print_costliest(ev, listed)
    _print_slices(ev)
    print()
    print_wrapped(ev.verdict, style=bold)
    if ev.verdict_kind == AFTER:
        _print_calibrate(ev)
    for remark in ev.remarks:
        print_wrapped(flagged(remark), rest="  " if remark.severity == "warning" else "")
        if remark.code in ("recalibration-worth", "recalibrate-first"):
            _print_calibrate(ev)
    print()
    unsure = () if any(model.interval for model in ev.models) else (_UNSURE,)
    for note in (*ev.notes, *unsure):
        print_wrapped(note, first="- ", rest="  ")


def _print_calibrate(ev: Evaluation) -> None:
    """The command that re-calibrates, if there is one."""
    if "calibrate" in ev.facts:
        print("\n".join(continued(shown(str(ev.facts["calibrate"])))))


def read_line(ev: Evaluation) -> str:
    """What was read, in one sentence."""
    counts, shares = ev.class_counts, ev.data_priors
    assert counts is not None
    count = ev.facts.get("models", len(ev))
    models = f"{count} model{'s' if count != 1 else ''}"
    label = ev.facts.get("label", "truth")
    by_weight = " by weight" if "weight" in ev.facts else ""
    pairs = list(zip(ev.application.classes, shares, strict=True))
    outcome = f"{label}: " + ", ".join(f"{name} {percent(share)}" for name, share in pairs[:_MANY])
    outcome += f" and {len(pairs) - _MANY} more" if len(pairs) > _MANY else ""
    outcome += by_weight
    if ev.positive is not None:
        outcome = f"{grouped(counts[1])} {label} = {ev.positive} ({percent(shares[1])}{by_weight})"
    return f"read {ev.facts['source']}: {grouped(ev.n_cases)} cases, {outcome}, {models}"


def print_quiet(ev: Evaluation) -> None:
    """Only the model to deploy and its threshold; without one, why, on standard error."""
    if ev.to_deploy is None:
        print(shown(ev.verdict), file=sys.stderr)
        return
    best = ev[ev.to_deploy]
    threshold = "" if best.threshold is None else f" {str(best.rule).split()[-1]}"
    print(shown(best.name) + threshold)


def _print_table(ev: Evaluation) -> None:
    """The models, and which columns had to be left out."""
    record = ev.record()
    record["models"] = record["models"][:MOST_SHOWN]
    columns = [
        Column(each.title, each.cells, each.column.name == "name", form.drop, form.right)
        for each in shown_columns(record, narrow=True)
        if (form := each.column.narrow) is not None
    ]
    print_columns(*columns, between=", ")
    if rest := unshown_models(len(ev)):
        print_wrapped(rest, style=dim)


def _unit(ev: Evaluation) -> str:
    """The unit after a gap, if there is one."""
    return f" {ev.application.unit}" if ev.application.unit else ""


def _print_where_money_goes(ev: Evaluation) -> None:
    """The costliest cells of the best model, for more than two outcomes or decisions."""
    if ev.application.costs.shape == (2, 2) or not (cells := ev.costliest(ev.best)).shape[0]:
        return
    print()
    print(shown(f"Where most of the cost comes from ({ev.best}):"))
    print_columns(
        Column("truth", list(cells["truth"]), label=True),
        Column("decision", list(cells["decision"]), label=True),
        Column(f"cost/case{_unit(ev)}", aligned(cells["cost"].tolist(), 3)),
        Column("share", [percent(share, 0) for share in cells["share"]]),
    )


def _print_costliest(ev: Evaluation, count: int) -> None:
    """The costliest cases under the cheapest rule; only on request."""
    if not (found := costliest_cases(ev, count)):
        return
    print()
    print(shown(f"The costliest cases ({ev.best}):"))
    print_columns(
        Column("row" if found[0]["id"] is None else "id", [*map(case_name, found)], label=True),
        Column("truth", [case["truth"] for case in found], label=True),
        Column("decision", [case["decision"] for case in found], label=True),
        Column(f"cost{_unit(ev)}", aligned([case["cost"] for case in found])),
        Column("share", [percent(case["share"]) for case in found]),
    )


def _print_slices(ev: Evaluation) -> None:
    """The best model in each slice of the cases, where that was asked."""
    parts = ev.slices
    if not parts:
        return
    best = {name: part[part.best] for name, part in parts.items()}
    level = percent(ev.level).replace(" ", "")
    ends = [model.interval for model in best.values()]
    limits = ["too few" if each is None else f"{each[0]:.3f} - {each[1]:.3f}" for each in ends]
    kinds = [BRIEF.get(part.verdict_kind, part.verdict_kind) for part in parts.values()]
    print()
    print_columns(
        Column("slice", list(parts), label=True),
        Column("cases", [grouped(part.n_cases) for part in parts.values()]),
        Column("best", [model.name for model in best.values()], label=True),
        Column("NEC", [_nec(model.nec) for model in best.values()]),
        Column(f"{level} interval", limits, drop=1),
        Column("verdict", kinds, drop=2, right=False),
    )


def _nec(value: float) -> str:
    """A NEC to three decimals; undefined where all cases are alike, so that no decision errs."""
    return normalized(None if math.isnan(value) else value)
