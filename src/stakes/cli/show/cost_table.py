"""A file of costs as sentences, and as the whole matrix where it fits."""

from __future__ import annotations

import numpy as np

from stakes.application import CostMatrix, read_costs, read_uncertain_costs
from stakes.application.cost_sentences import describe_application, spoken
from stakes.application.cost_sentences import shown as shown_name
from stakes.cli.show.fixed_width import Column, fitted
from stakes.cli.show.terminal import page_width
from stakes.messages.audience import shown

#: More outcomes than this are not read row by row.
_MOST_ROWS = 40


def print_costs(path: str) -> None:
    """Say back what a file of costs holds."""
    ranged = read_uncertain_costs(path) if path.lower().endswith(".toml") else None
    stated = read_costs(path) if ranged is None else ranged.expected
    print(shown(describe_application(stated)))
    if ranged is not None and len(ranged.corners()) > 1:
        print("(costs given as ranges are shown by their means)")
    print(f"\n{_table(stated.costs)}")
    print(f"\nTo use them:\n  stakes eval DATA.csv --label COLUMN ... --costs {shown(path)}")


def _table(costs: CostMatrix) -> str:
    """The matrix, a row for each truth; its size where it is too wide or too long."""
    rows, columns = costs.shape
    head = Column(r"truth \ decision", [shown_name(name) for name in costs.classes], right=False)
    prices = [
        Column(shown_name(name), [spoken(cost) for cost in np.asarray(prices).tolist()])
        for name, prices in zip(costs.decisions, costs.values.T, strict=True)
    ]
    text, _ = fitted([head, *prices], page_width())
    if rows > _MOST_ROWS or max(map(len, text.splitlines())) > page_width():
        return f"(the matrix of {rows} outcomes by {columns} decisions is too large to show)"
    return text
