"""A tolerance is half a unit of the last digit that was published; a wider one could hide an error.

Items that read real scores, and those of Monte Carlo, have tests of their own.
"""

from __future__ import annotations

import math

import pytest

from stakes.papers import Cell, Context
from stakes.papers import runs as registry
from stakes.papers.ferrer2025.table_2 import _printed_rows

QUICK = (
    ("ferrer2025", "loan"),
    ("ferrer2025", "table1"),
    ("ferrer2025", "abstention"),
    ("ferrer2022", "table1"),
    ("dyrland2022", "table1"),
    ("cumani", "examples"),
    ("wa2025", "weighted-accuracy"),
    ("wa2025", "appendix-a"),
)


def _problem(cell: Cell) -> str:
    """What is wrong with the tolerance of a cell; nothing if it is as it should be."""
    if cell.published is None or not cell.available:
        return ""
    if cell.source == "equality":
        return "" if cell.tolerance <= 1e-6 else f"{cell.name}: an equality within {cell.tolerance}"
    if cell.tolerance < 1e-8:
        return ""
    digits = -math.log10(2 * cell.tolerance)
    if abs(digits - round(digits)) > 1e-9:
        return f"{cell.name}: {cell.tolerance} is not half a unit of a digit"
    units = cell.published / (2 * cell.tolerance)
    return "" if abs(units - round(units)) < 1e-6 else f"{cell.name}: more digits were published"


@pytest.mark.parametrize(("paper", "item"), QUICK)
def test_half_a_unit_of_the_last_digit(paper, item):
    cells = registry.item_of(registry.paper_of(paper), item).compute(Context()).cells
    compared = [cell for cell in cells if cell.agrees is not None]
    assert compared
    assert [_problem(cell) for cell in compared if _problem(cell)] == []
    assert [cell.name for cell in compared if not cell.agrees] == []


def test_table_2_was_published_in_thousandths():
    values = [value for row in _printed_rows().values() for value in row.values()]
    assert all(abs(1000 * value - round(1000 * value)) < 1e-9 for value in values)


@pytest.mark.parametrize(
    "cell",
    [
        Cell("wide", 0.348, 0.35, 0.005),
        Cell("odd", 0.35, 0.35, 0.006),
        Cell("loose", 0.0, 0.001, 0.005, source="equality"),
    ],
)
def test_a_wide_tolerance_would_be_found(cell):
    assert _problem(cell).startswith(cell.name)


def test_no_printed_number_is_counted_twice_in_an_item():
    """The same name and reading twice would count one number of the paper as two."""
    for paper, item in QUICK:
        cells = registry.item_of(registry.paper_of(paper), item).compute(Context()).cells
        places = [(cell.name, cell.reading) for cell in cells if cell.source == "print"]
        assert len(set(places)) == len(places), (paper, item)
