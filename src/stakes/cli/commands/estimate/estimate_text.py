"""Estimates without labels on the terminal."""

from __future__ import annotations

import math

from stakes.application.cost_sentences import describe_costs
from stakes.cli.commands.estimate.file_estimates import FileEstimates
from stakes.cli.show.terminal import bold, print_aligned, print_wrapped
from stakes.estimation import CostEstimate
from stakes.estimation.cost_estimate import ASSUMED, UNSEEN
from stakes.messages.quantities import grouped, percent


def print_estimates(found: FileEstimates) -> None:
    """What was read, the estimate of each model, and what it cannot see."""
    first = next(iter(found.estimates.values()))
    print_wrapped(
        f"read {found.source}: {grouped(first.cases)} cases without labels; {found.reference}: "
        f"{grouped(first.reference_cases)} with labels",
        rest="  ",
    )
    app = found.application
    said = describe_costs(app.costs, unit=app.unit)
    for line in ["costs differ from case to case"] if found.per_case else said.splitlines():
        print_aligned(line)
    for name, each in found.estimates.items():
        print()
        _print(name, each)
    print()
    print_wrapped(UNSEEN, first="- ", rest="  ")


def _print(name: str, found: CostEstimate) -> None:
    """One model."""
    unit = f" {found.unit}" if found.unit else ""
    print_wrapped(
        f"{name}: estimated cost per case {found.value:.4g}{unit} ({found.low:.4g} to "
        f"{found.high:.4g}, {percent(found.level)} interval)",
        style=bold,
    )
    if not math.isnan(found.naive):
        naive = f"best decision without a model: {found.naive:.4g}{unit}"
        print_wrapped(naive, first="  ", rest="  ")
    print_wrapped(f"assuming {ASSUMED[found.change]}", first="  ", rest="  ")
    if found.change == "shares" and found.priors is not None:
        print_wrapped(found.priors.text, first="  ", rest="  ")
    if found.change == "inputs":
        worth = f"the weighted reference is worth {found.effective_cases:.0f} equal cases"
        print_wrapped(worth, first="  ", rest="  ")
    for key, each in found.slices.items():
        ends = f"{each.value:.4g} ({each.low:.4g} to {each.high:.4g})"
        print_wrapped(f"{key}: {ends}, {grouped(each.cases)} cases", first="  ", rest="    ")
    for note in found.notes:
        print_wrapped(note, first="- ", rest="  ")
