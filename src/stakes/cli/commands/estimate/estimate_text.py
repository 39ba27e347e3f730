"""Estimates on the terminal: without labels, from some, by a judge; and plans."""

from __future__ import annotations

import math

from stakes.application import Application
from stakes.application.cost_sentences import describe_costs
from stakes.cli.commands.estimate.file_estimates import FileEstimates, total_of
from stakes.cli.commands.estimate.partly_labelled import FilePlan, PartEstimates
from stakes.cli.show.terminal import bold, print_aligned, print_wrapped
from stakes.estimation import CostEstimate, JudgedCost, LabelledCost
from stakes.estimation.cost_estimate import ASSUMED, UNSEEN
from stakes.messages.quantities import grouped, money, percent
from stakes.monitoring.period_estimates import BRIEFLY

#: What estimates from some labels assume.
BY_LABELS = (
    "Assumes that the labelled rows were chosen at random, with equal chances or with those of "
    "--chances."
)
BY_JUDGE = (
    "Assumes that, given the truth, the judge errs as often in these rows as in those of "
    "--judge-errors, whatever was decided."
)


def print_estimates(found: FileEstimates) -> None:
    """What was read, the estimate of each model, and what it cannot see."""
    first = next(iter(found.estimates.values()))
    print_wrapped(
        f"read {found.source}: {grouped(first.cases)} cases without labels; {found.reference}: "
        f"{grouped(first.reference_cases)} with labels",
        rest="  ",
    )
    _print_costs(found)
    for name, each in found.estimates.items():
        print()
        _print(name, each, found.application)
    print()
    print_wrapped(UNSEEN, first="- ", rest="  ")


def print_part(found: PartEstimates) -> None:
    """The cost of each model from some labels, or by a judge's; differences; what is assumed."""
    first = next(iter(found.estimates.values()))
    known = first.known if isinstance(first, JudgedCost) else first.labels
    print(f"read {found.source}: {grouped(first.cases)} cases, {grouped(known)} with a label")
    _print_costs(found)
    for name, each in found.estimates.items():
        print()
        _print_value(f"{name}: cost per case", each, found.application)
        for note in each.notes:
            print_wrapped(note, first="- ", rest="  ")
    for name, each in found.differences.items():
        print()
        _print_value(f"{name}: cost per case", each, found.application)
    print()
    print_wrapped(BY_JUDGE if found.elsewhere else BY_LABELS, first="- ", rest="  ")


def print_plan(found: FilePlan) -> None:
    """How many rows to label, and what that gives."""
    plan, rows = found.plan, grouped(found.plan.chances.shape[0])
    what = f"the cost of {found.models[0]}"
    if len(found.models) > 1:
        what = f"the difference in cost between {found.models[0]} and {found.models[1]}"
    print_wrapped(
        f"About {grouped(plan.labels)} labels among {rows} rows, drawn more often where they "
        f"matter, give {what} a {percent(plan.level)} interval {plan.width:.3g} wide, "
        "if the scores mean what they say.",
        style=bold,
    )
    print_wrapped(
        f"For the same width a simple random sample needs {grouped(plan.random)} labels, or "
        f"{grouped(plan.plain)} if the scores are ignored."
    )
    for note in plan.notes:
        print_wrapped(note)


def _print_costs(found: FileEstimates | PartEstimates) -> None:
    """What errors cost."""
    app = found.application
    said = describe_costs(app.costs, unit=app.unit)
    for line in ["costs differ from case to case"] if found.per_case else said.splitlines():
        print_aligned(line)


def _print_value(
    said: str, found: CostEstimate | LabelledCost | JudgedCost, app: Application
) -> None:
    """An estimate with its interval, what it is compared with, and its slices."""
    unit = f" {found.unit}" if found.unit else ""
    print_wrapped(
        f"{said} {found.value:.4g}{unit} ({found.low:.4g} to {found.high:.4g}, "
        f"{percent(found.level)} interval)",
        style=bold,
    )
    if total := total_of(found, app).get("total"):
        value, low, high = (money(total[name], None) for name in ("value", "low", "high"))
        over = f"a {app.period}" if app.period else f"on {grouped(total['volume'])} cases"
        print_wrapped(f"total: {value}{unit} {over} ({low} to {high})", first="  ", rest="  ")
    if isinstance(found, LabelledCost):
        plain = found.plain
        alone = f"the labels alone: {plain[0]:.4g} ({plain[1]:.4g} to {plain[2]:.4g})"
        print_wrapped(alone, first="  ", rest="  ")
    elif isinstance(found, JudgedCost):
        alone = f"if the judge were always right: {found.as_judged:.4g}"
        print_wrapped(alone, first="  ", rest="  ")
    else:
        return
    _print_slices(found)


def _print_slices(found: CostEstimate | LabelledCost | JudgedCost) -> None:
    """One line for each slice."""
    for key, each in found.slices.items():
        ends = f"{each.value:.4g} ({each.low:.4g} to {each.high:.4g})"
        if isinstance(each, CostEstimate):
            how = f", assuming {BRIEFLY[each.change]}"
        else:
            known = each.known if isinstance(each, JudgedCost) else each.labels
            how = f", {grouped(known)} with a label"
        print_wrapped(f"{key}: {ends}, {grouped(each.cases)} cases{how}", first="  ", rest="    ")


def _print(name: str, found: CostEstimate, app: Application) -> None:
    """One model."""
    _print_value(f"{name}: estimated cost per case", found, app)
    unit = f" {found.unit}" if found.unit else ""
    if not math.isnan(found.naive):
        naive = f"best decision without a model: {found.naive:.4g}{unit}"
        print_wrapped(naive, first="  ", rest="  ")
    print_wrapped(f"assuming {ASSUMED[found.change]}", first="  ", rest="  ")
    if found.change == "shares" and found.priors is not None:
        print_wrapped(found.priors.text, first="  ", rest="  ")
    if found.change == "inputs":
        worth = f"the weighted reference is worth {found.effective_cases:.0f} equal cases"
        print_wrapped(worth, first="  ", rest="  ")
    _print_slices(found)
    for note in found.notes:
        print_wrapped(note, first="- ", rest="  ")
