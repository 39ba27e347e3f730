"""Costs in words, for the person who gave them, so that a mistake is noticed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._checks import of_kind
from stakes.messages.audience import marked
from stakes.typing import Name

if TYPE_CHECKING:
    from stakes.application.application import Application
    from stakes.application.cost_matrix import CostMatrix


def name_text(name: Name) -> str:
    """A name as it stands in a table key or a header cell: 'cat', '1', '0.5', 'true'."""
    if isinstance(name, bool):
        return "true" if name else "false"
    return repr(name) if isinstance(name, float) else str(name)


def shown(name: Name) -> str:
    """A name for a line of text: whole, and on one line."""
    return marked(str(name))


#: If there would be more lines, the costliest cells and the range of the others are shown.
_MOST_LINES = 12
_COSTLIEST = 5
#: More errors than this that cost the same are said in one line.
_FEW_ALIKE = 2


def spoken(value: float) -> str:
    """A number as a person would write it: 40, 0.25, 1 234 567.5.

    Examples
    --------
    >>> spoken(0.1 + 0.2), spoken(20000), spoken(-335)
    ('0.3', '20 000', '-335')
    """
    size = abs(value)
    if size >= 1e15 or 0 < size < 1e-6 or not math.isfinite(value):
        return f"{value:.6g}"
    decimals = 0 if size == 0 else max(2, 5 - math.floor(math.log10(size)))
    text = f"{value:,.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text.replace(",", " ")


class _Line(NamedTuple):
    """One statement: which truth, which decision, what it costs, and what that is called."""

    truth: str
    decision: str
    costs: str
    note: str = ""


def describe_costs(
    costs: CostMatrix, *, unit: str | None = None, ends: Sequence[CostMatrix] = ()
) -> str:
    """See `CostMatrix.describe`; with `ends`, costs that differ between these are ranges."""
    if unit is not None:
        of_kind(unit, "unit", str)
    lines = [*_errors(costs, ends), *_correct(costs)]
    split = max((len(line.truth) for line in lines if line.decision), default=0)
    lefts = [f"{x.truth:<{split}}  {x.decision}" if x.decision else x.truth for x in lines]
    width = max(map(len, lefts))
    ranged = any(" evaluated at " in line.costs for line in lines)  # no column of numbers then
    right = 0 if ranged else max(len(line.costs) for line in lines)
    head = f"Costs used ({unit}):" if unit else "Costs used:"
    body = [
        f"  {left:<{width}}  -> {line.costs:>{right}}   {line.note}".rstrip()
        for left, line in zip(lefts, lines, strict=True)
    ]
    return "\n".join([head, *body, *_exchange(costs, ends)])


def describe_application(application: Application) -> str:
    """See `Application.describe`."""
    text = describe_costs(application.costs, unit=application.unit)
    if application.priors is None:
        text += "\nclass mix where it will run: as in the data"
    else:
        pairs = [
            f"'{shown(name)}' {spoken(100 * share)} %"
            for name, share in zip(application.classes, application.priors.tolist(), strict=True)
        ]
        rest = f" and {len(pairs) - _MOST_LINES} more" if len(pairs) > _MOST_LINES else ""
        text += f"\nclass mix where it will run: {', '.join(pairs[:_MOST_LINES])}{rest}"
    if application.volume is not None:
        period = f" a {application.period}" if application.period else ""
        text += f"\n{spoken(application.volume)} cases{period}"
    return text


# ----------------------------------------------------------------- privates


def _binary(costs: CostMatrix) -> tuple[float, float] | None:
    """Extra cost of a miss and of a false alarm; None for tables without these two errors."""
    if costs.shape != (2, 2):
        return None
    (tn, fp), (fn, tp) = costs.values.tolist()
    return (fn - tp, fp - tn) if fn > tp and fp > tn else None


def _exchange(costs: CostMatrix, ends: Sequence[CostMatrix] = ()) -> list[str]:
    """One miss in false alarms, or the other way round, whichever costs more."""
    extra = _binary(costs)
    if extra is None:
        return []
    miss, alarm = extra
    missed = f"missed '{shown(costs.classes[1])}'"
    ratios = [pair[0] / pair[1] for pair in map(_binary, ends) if pair is not None]
    if ratios and max(ratios) > min(ratios) * (1 + 1e-9):
        low, high, middle = (
            spoken(float(f"{r:.3g}")) for r in (min(ratios), max(ratios), miss / alarm)
        )
        return [
            f"one {missed} costs as much as {low} to {high} false alarms, evaluated at {middle}"
        ]
    if miss == alarm:
        return [f"one {missed} costs as much as one false alarm"]
    ratio = max(miss, alarm) / min(miss, alarm)
    rounded = float(f"{ratio:.3g}")
    count = spoken(rounded) if math.isclose(ratio, rounded) else f"about {spoken(rounded)}"
    if miss > alarm:
        return [f"one {missed} costs as much as {count} false alarms"]
    return [f"one false alarm costs as much as {count} {missed}"]


def _errors(costs: CostMatrix, ends: Sequence[CostMatrix]) -> list[_Line]:
    """Everything but the correct decisions: cell by cell, or the costliest ones and a range."""
    values = costs.values
    flat = values.max(axis=1) == values.min(axis=1)
    flat &= values.shape[1] > 1
    wrong = (values > values.min(axis=1, keepdims=True)) & ~flat[:, None]
    even = wrong.all(axis=0) & (values.max(axis=0) == values.min(axis=0)) & (len(values) > 1)
    single = wrong & ~even
    cells = wrong | flat[:, None]
    alike = wrong.sum() > _FEW_ALIKE and not (flat.any() or ends) and np.ptp(values[wrong]) == 0
    if alike or int(single.sum() + flat.sum() + even.sum()) > _MOST_LINES:
        return _summary(costs, cells)
    items: list[tuple[int | None, int | None]] = [(i, j) for i, j in np.argwhere(single).tolist()]
    if _binary(costs) is not None:
        items.reverse()  # the miss first
    items += [(i, None) for i in np.flatnonzero(flat).tolist()]
    items += [(None, j) for j in np.flatnonzero(even).tolist()]
    return [_in_range(_line(costs, i, j), costs, ends, i or 0, j or 0) for i, j in items]


def _in_range(line: _Line, costs: CostMatrix, ends: Sequence[CostMatrix], i: int, j: int) -> _Line:
    """The statement about a cell with the range of its cost, where the ends differ."""
    prices = [float(each.values[i, j]) for each in ends if each.shape == costs.shape]
    if not prices or math.isclose(min(prices), max(prices)):
        return line
    low, high, here = (
        float(f"{price:.4g}") for price in (min(prices), max(prices), costs.values[i, j])
    )
    return line._replace(costs=f"{_range(low, high)}, evaluated at {spoken(here)}")


def _summary(costs: CostMatrix, cells: NDArray[np.bool_]) -> list[_Line]:
    """Many cells in few lines: the costliest, and the range of the others."""
    rows, columns = np.nonzero(cells)
    prices = costs.values[rows, columns]
    if prices.min() == prices.max():
        what = "any other decision" if cells.all(axis=1).any() else "every error"
        return [_Line(f"{what} ({spoken(prices.size)} cells)", "", spoken(prices[0]))]
    order = np.argsort(-prices, kind="stable")
    rest = prices[order[_COSTLIEST:]]
    lines = [_line(costs, int(rows[k]), int(columns[k])) for k in order[:_COSTLIEST]]
    left = _Line(f"the other {spoken(rest.size)} cells", "", _range(rest.min(), rest.max()))
    return [*lines, left]


def _line(costs: CostMatrix, i: int | None, j: int | None, note: str = "") -> _Line:
    """The statement about one cell, a constant row (j None) or a constant column (i None)."""
    value = float(costs.values[i or 0, j or 0])
    truth = "any truth," if i is None else f"truth {shown(costs.classes[i])},"
    decision = "any decision" if j is None else f"decision {shown(costs.decisions[j])}"
    if _binary(costs) is not None and i != j and not note:
        note = f"(missed '{shown(costs.classes[1])}')" if i == 1 else "(false alarm)"
    if not note and value < 0:
        note = "(a gain)"
    return _Line(truth, decision, spoken(value), note)


def _correct(costs: CostMatrix) -> list[_Line]:
    """The cheapest decision of each class, in one line if they cost the same."""
    values = costs.values
    lowest = values.min(axis=1)
    kept = np.flatnonzero((values.max(axis=1) > lowest) | (values.shape[1] == 1))
    if kept.size == 0:
        return []
    if lowest[kept].min() == lowest[kept].max():
        return [_Line("correct decisions", "", spoken(lowest[kept[0]]))]
    cells = [(i, j) for i in kept.tolist() for j in np.flatnonzero(values[i] == lowest[i]).tolist()]
    if len(cells) > _MOST_LINES // 2:
        return [_Line("correct decisions", "", _range(lowest[kept].min(), lowest[kept].max()))]
    notes = np.where(lowest < 0, "(correct, a gain)", "(correct)").tolist()
    return [_line(costs, i, j, notes[i]) for i, j in cells]


def _range(low: float, high: float) -> str:
    """Two numbers as a range, or the one that they both are."""
    return spoken(low) if low == high else f"{spoken(low)} to {spoken(high)}"
