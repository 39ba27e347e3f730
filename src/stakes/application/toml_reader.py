"""Applications read from TOML: costs by name, or two numbers for two classes."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from stakes._checks import of_kind
from stakes._names import listed
from stakes.application.application import Application
from stakes.application.cost_matrix import CostMatrix
from stakes.application.toml_text import (
    as_number,
    as_number_or_range,
    complete,
    located,
    names_by_text,
    read_names,
    read_settings,
    toml_key,
    unexpected,
)
from stakes.application.uncertain import UncertainApplication
from stakes.exceptions import FormatError
from stakes.typing import Name

_SHORT_FORM = ("fn", "fp", "tp", "tn")
_SETTINGS = ("unit", "volume", "period", "priors")
#: `elicitation` keeps the answers that the costs come from; stakes.elicitation reads it.
_KEYS = (*_SETTINGS, "outcomes", "decisions", "cost", "rows", *_SHORT_FORM, "elicitation")
#: Reads a cost, given where it stands.
_Reader = Callable[[Any, str], Any]


def costs_from_toml(text: str, *, source: str = "costs") -> Application:
    """Read an application from TOML text.

    Parameters
    ----------
    text : str
        `outcomes` (the true classes) and, if they differ, `decisions`; one table
        ``[cost.<truth>]`` per true class. A cost may be left out, meaning 0, only for the
        decision named like the truth. Two classes may say ``fn = 10`` and ``fp = 1`` (and
        `tp`, `tn`) instead, alone or under ``[cost]``; the second outcome is then the positive
        one. ``[costs]`` is the same as ``[cost]``. Optional: `unit`, `volume`, `period`, and
        `priors` as a list or as a table by name.
    source : str
        What error messages call the text, usually the path.

    Returns
    -------
    Application
        With the names as written: ``outcomes = [0, 1]`` are integers.

    Notes
    -----
    A bare matrix ``cost = [[0, 1], [10, 0]]`` must say ``rows = "truth"`` or
    ``rows = "decision"``. A range such as ``fn = [5, 20]`` is refused, as one application
    has one cost per cell; `uncertain_costs_from_toml` reads it.

    Examples
    --------
    >>> app = costs_from_toml('''
    ... unit = "EUR"
    ... outcomes = ["stay", "churn"]
    ... decisions = ["ignore", "call"]
    ... [cost.stay]
    ... ignore = 0
    ... call = 4
    ... [cost.churn]
    ... ignore = 40
    ... call = 0
    ... ''')
    >>> app.costs.cost("churn", "ignore"), app.unit
    (40.0, 'EUR')
    """
    with located(source):
        table, cells = _read(text, as_number)
        costs = CostMatrix(cells.costs, classes=cells.classes, decisions=cells.decisions)
        return Application(costs, **read_settings(table, costs.classes))


def uncertain_costs_from_toml(text: str, *, source: str = "costs") -> UncertainApplication:
    r"""Read costs of which some are ranges, as `costs_from_toml` reads single ones.

    Parameters
    ----------
    text : str
        As for `costs_from_toml`, where any cost may also be a range ``[low, high]``.
    source : str
        What error messages call the text, usually the path.

    Returns
    -------
    UncertainApplication
        Each range is a `Between`; its `expected` is the application to decide with.

    Examples
    --------
    >>> app = uncertain_costs_from_toml("fn = [5, 20]\nfp = 1")
    >>> app
    UncertainApplication(2 classes x 2 decisions: 1 unknown in the costs)
    >>> app.expected.costs.cost(1, 0)
    10.82021280...
    """
    with located(source):
        table, cells = _read(text, as_number_or_range)
        names = tuple(range(len(cells.costs))) if cells.classes is None else cells.classes
        given: dict[str, Any] = {"classes": cells.classes, "decisions": cells.decisions}
        return UncertainApplication(cells.costs, **given, **read_settings(table, names))


class _Cells(NamedTuple):
    """Costs by truth and decision, with the names of both where the text has them."""

    costs: list[list[Any]]
    classes: tuple[Name, ...] | None
    decisions: tuple[Name, ...] | None


def toml_table(text: str) -> dict[str, Any]:
    """The text as a table, whatever is in it."""
    of_kind(text, "text", str, error=FormatError)
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        hint = _about_line(text, str(error))
        raise FormatError(f"not valid TOML: {error}.", hint=hint) from error
    except RecursionError:
        raise FormatError("not valid TOML: its tables or lists are nested too deeply.") from None
    except ValueError as error:  # a number of thousands of digits
        raise FormatError(f"not valid TOML: {error}.") from None


def _about_line(text: str, said: str) -> str | None:
    """How to write a number that begins with its decimal point; None if that is no problem."""
    found = re.search(r"at line (\d+)", said)
    line = "" if found is None else text.split("\n")[int(found[1]) - 1]
    number = re.search(r"[=\[,]\s*[-+]?(\.\d+)", line)
    return f"write 0{number[1]} for {number[1]}, in:  {line.strip()}" if number else None


def _read(text: str, read: _Reader) -> tuple[dict[str, Any], _Cells]:
    """The table, and the costs in whichever form they are given, each cell through `read`."""
    table = cost_table(text)
    for key in table:
        if key not in _KEYS:  # it may be a misspelt one that matters
            near = {"classes": "outcomes"}.get(key)
            close = [near] if near else difflib.get_close_matches(key, _KEYS, n=1)
            raise FormatError(
                f"unknown key `{key}`.",
                hint=f"did you mean `{close[0]}`?" if close else f"known: {', '.join(_KEYS)}",
            )
    return table, _named(table, read) if "cost" in table else _short_form(table, read)


def cost_table(text: str) -> dict[str, Any]:
    """The text as a table, with `costs` renamed `cost`, and fn and fp moved to the top level."""
    table = toml_table(text)
    if "costs" in table and "cost" in table:
        raise FormatError("both `cost` and `costs` are given.", hint="keep one of them")
    table = {"cost" if key == "costs" else key: value for key, value in table.items()}
    amounts = table.get("cost")
    if not isinstance(amounts, dict) or not set(amounts) & set(_SHORT_FORM):
        return table
    if any(isinstance(amount, dict) for amount in amounts.values()):  # outcomes called fn and fp
        return table
    strangers = [key for key in amounts if key not in _SHORT_FORM]
    if strangers:
        said = f"`{strangers[0]}` stands under the costs, beside fn and fp."
        raise FormatError(said, hint="write it in the first lines, above [cost]")
    twice = [key for key in amounts if key in table]
    if twice:
        raise FormatError(f"`{twice[0]}` is given twice.", hint="keep one of them")
    del table["cost"]
    return {**table, **amounts}


def _short_form(table: Mapping[str, Any], read: _Reader) -> _Cells:
    """Two classes by fn, fp, tp, tn."""
    given = {key: read(table[key], key) for key in _SHORT_FORM if key in table}
    if not given:
        raise FormatError(
            "no costs found.",
            hint="write one table [cost.<truth>] per outcome, or fn = ... and fp = ...",
        )
    if "rows" in table:
        raise FormatError("`rows` belongs to a matrix `cost = [[...], ...]`; there is none.")
    for key, meaning in (("fn", "of a miss"), ("fp", "of a false alarm")):
        if key not in given:
            raise FormatError(
                f"cost {meaning}, `{key}`, is missing.", hint="Write 0 if it is free."
            )
    sides = {key: read_names(table, key) for key in ("outcomes", "decisions") if key in table}
    for key, names in sides.items():
        if len(names) != 2:
            raise FormatError(f"fn and fp are for 2 {key}; got {listed(names)} - at `{key}`.")
    costs = [[given.get("tn", 0.0), given["fp"]], [given["fn"], given.get("tp", 0.0)]]
    return _Cells(costs, sides.get("outcomes"), sides.get("decisions"))


def _named(table: Mapping[str, Any], read: _Reader) -> _Cells:
    """Costs by name, or a matrix that says what its rows are."""
    short = [key for key in _SHORT_FORM if key in table]
    if short:
        raise FormatError(f"both `cost` and `{short[0]}` are given.", hint="keep one of them")
    if "outcomes" not in table:
        raise FormatError(
            "`outcomes` is missing: the true classes, in order.",
            hint='e.g. outcomes = ["stay", "churn"]',
        )
    classes = read_names(table, "outcomes")
    decisions = read_names(table, "decisions") if "decisions" in table else classes
    if isinstance(table["cost"], list):
        return _Cells(_matrix(table, classes, decisions, read), classes, decisions)
    if not isinstance(table["cost"], Mapping):
        raise unexpected("one table per outcome", table["cost"], "cost")
    if "rows" in table:
        raise FormatError("`rows` belongs to a matrix `cost = [[...], ...]`; these are tables.")
    truths, columns = names_by_text(classes, "outcomes"), names_by_text(decisions, "decisions")
    cells: dict[tuple[int, int], Any] = {}
    for key, row in table["cost"].items():
        at = f"cost.{toml_key(key)}"
        if key not in truths:
            raise FormatError(f"{key!r} is not among the outcomes {listed(classes)} - at `{at}`.")
        if not isinstance(row, Mapping):
            raise unexpected("a table of costs by decision", row, at)
        for name, cost in row.items():
            where = f"{at}.{toml_key(name)}"
            if name not in columns:
                raise FormatError(f"{name!r} is not among {listed(decisions)} - at `{where}`.")
            position = classes.index(truths[key]), decisions.index(columns[name])
            cells[position] = read(cost, where)
    return _Cells(complete(cells, classes, decisions), classes, decisions)


def _matrix(
    table: Mapping[str, Any], classes: Sequence[Name], decisions: Sequence[Name], read: _Reader
) -> list[list[Any]]:
    """A matrix of numbers, which must say whether its rows are the truth or the decision."""
    side = table.get("rows")
    if side not in ("truth", "decision"):
        got = "" if side is None else f" (`rows` is {side!r})"
        raise FormatError(
            f"`cost` is a matrix of numbers{got} - I need to know which side is the truth.",
            hint='Write rows = "truth" if rows are the truth, rows = "decision" if rows are '
            "the decision.",
        )
    heads, columns = (classes, decisions) if side == "truth" else (decisions, classes)
    rows = table["cost"]
    if len(rows) != len(heads):
        raise FormatError(f"one row for each of {listed(heads)}; got {len(rows)} - at `cost`.")
    values = []
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(columns):
            raise unexpected(f"a list of {len(columns)} costs", row, f"cost[{i}]")
        values.append([read(cost, f"cost[{i}][{j}]") for j, cost in enumerate(row)])
    return values if side == "truth" else [list(column) for column in zip(*values, strict=True)]
