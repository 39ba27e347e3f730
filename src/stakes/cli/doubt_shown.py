"""Unknown costs and shares on the terminal: the models at both ends, in between, and in doubt."""

from __future__ import annotations

import math
from typing import Any

from stakes.cli.output import dim, page_width, print_wrapped, shown
from stakes.cli.tables import Column, fitted
from stakes.report.amounts import aligned

__all__ = ["print_doubt"]


def print_doubt(evaluation: Any) -> None:
    """The table of what the models cost between the ends; nothing where all is known."""
    doubt = None if evaluation is None else evaluation.doubt
    if doubt is None:
        return
    order = sorted(range(len(doubt.models)), key=lambda k: float(doubt.middle_cost[k]))
    last = len(doubt.places) - 1
    ends = [
        Column(f"at {place}", [_nec(doubt.nec[k, end]) for k in order], drop=_leaves(end, last))
        for end, place in enumerate(doubt.places)
    ]
    middle = Column("middle", [_nec(doubt.middle_nec[k]) for k in order])
    ends = [ends[0], middle, ends[1]] if len(ends) == 2 else [*ends, middle]
    unit = f" {evaluation.application.unit}" if evaluation.application.unit else ""
    costs = aligned([float(doubt.mean_cost[k]) for k in order])
    columns = [
        Column("model", [doubt.models[k] for k in order], label=True),
        *ends,
        Column("mean NEC", [_nec(doubt.mean_nec[k]) for k in order]),
        Column("worst regret", [_nec(doubt.worst_regret[k]) for k in order]),
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


def _nec(value: float) -> str:
    """A NEC to three decimals."""
    return "undef." if math.isnan(value) else f"{value:.3f}"
