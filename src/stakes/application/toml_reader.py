"""Applications read from TOML: costs by name, or two numbers for two classes."""

from __future__ import annotations

import difflib
import sys
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from stakes._names import as_names, listed
from stakes.application.application import Application
from stakes.application.cost_matrix import CostMatrix
from stakes.application.named_cells import complete, located
from stakes.application.naming import name_text
from stakes.application.toml_writer import alike, toml_key
from stakes.exceptions import FormatError
from stakes.typing import Name

__all__ = ["costs_from_toml", "read_names", "read_settings"]

SHORT_FORM = {"fn": "false_negative", "fp": "false_positive", "tp": "true_positive"}
SHORT_FORM |= {"tn": "true_negative"}
SETTINGS = ("unit", "volume", "period", "priors")
KEYS = (*SETTINGS, "outcomes", "decisions", "cost", "rows", *SHORT_FORM)
SIDES = ("truth", "decision")


def costs_from_toml(text: str, *, source: str = "costs") -> Application:
    """Read an application from TOML text.

    Parameters
    ----------
    text : str
        `outcomes` (the true classes) and, if they differ, `decisions`; one table
        ``[cost.<truth>]`` per true class. A cost may be left out, meaning 0, only for the
        decision named like the truth. Two classes may say ``fn = 10`` and ``fp = 1`` (and
        `tp`, `tn`) instead; the second outcome is then the positive one. Optional: `unit`,
        `volume`, `period`, and `priors` as a list or as a table by name.
    source : str
        What error messages call the text, usually the path.

    Returns
    -------
    Application
        With the names as written: ``outcomes = [0, 1]`` are integers.

    Notes
    -----
    A bare matrix ``cost = [[0, 1], [10, 0]]`` must say ``rows = "truth"`` or
    ``rows = "decision"``. A range such as ``fn = [5, 20]`` is refused: one application has
    one cost per cell.

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
        try:
            table = tomllib.loads(text.removeprefix("\ufeff"))
        except tomllib.TOMLDecodeError as error:
            raise FormatError(f"not valid TOML: {error}.") from error
        _refuse_unknown(table)
        costs = _matrix(table) if "cost" in table else _short_form(table)
        return Application(costs, **read_settings(table, costs.classes))


def read_settings(table: Mapping[str, Any], classes: Sequence[Name]) -> dict[str, Any]:
    """Unit, volume, period and priors as arguments of Application."""
    found: dict[str, Any] = {}
    for key in ("unit", "period"):
        if key in table:
            if not isinstance(table[key], str):
                raise _unexpected("text in quotes", table[key], key)
            found[key] = table[key]
    if "volume" in table:
        found["volume"] = _number(table["volume"], "volume")
    if "priors" in table:
        found["priors"] = _priors(table["priors"], classes)
    return found


def _priors(value: Any, classes: Sequence[Name]) -> list[float] | dict[Name, float]:
    """Shares in the order of the outcomes, or by name."""
    if isinstance(value, Mapping):
        names = _by_text(classes, "outcomes")
        return {names.get(k, k): _number(v, f"priors.{toml_key(k)}") for k, v in value.items()}
    if isinstance(value, list):
        return [_number(share, f"priors[{i}]") for i, share in enumerate(value)]
    raise _unexpected("a list of shares or a table by name", value, "priors")


def _refuse_unknown(table: Mapping[str, Any]) -> None:
    """Raise on a key that means nothing here: it may be a misspelt one that matters."""
    for key in table:
        if key not in KEYS:
            near = {"classes": "outcomes", "costs": "cost"}.get(key)
            close = [near] if near else difflib.get_close_matches(key, KEYS, n=1)
            raise FormatError(
                f"unknown key `{key}`.",
                hint=f"did you mean `{close[0]}`?" if close else f"known: {', '.join(KEYS)}",
            )


def _short_form(table: Mapping[str, Any]) -> CostMatrix:
    """Two classes by fn, fp, tp, tn."""
    given = {key: _number(table[key], key) for key in SHORT_FORM if key in table}
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
                f"cost {meaning}, `{key}`, is missing.", hint="Write 0 if it is really free."
            )
    sides = {key: read_names(table, key) for key in ("outcomes", "decisions") if key in table}
    for key, names in sides.items():
        if len(names) != 2:
            raise FormatError(f"fn and fp are for 2 {key}; got {listed(names)} - at `{key}`.")
    return CostMatrix.binary(
        false_negative=given["fn"],
        false_positive=given["fp"],
        true_positive=given.get("tp", 0.0),
        true_negative=given.get("tn", 0.0),
        classes=sides.get("outcomes"),
        decisions=sides.get("decisions"),
    )


def _matrix(table: Mapping[str, Any]) -> CostMatrix:
    """Costs by name, or a matrix that says what its rows are."""
    short = [key for key in SHORT_FORM if key in table]
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
        return _bare_matrix(table, classes, decisions)
    if not isinstance(table["cost"], Mapping):
        raise _unexpected("one table per outcome", table["cost"], "cost")
    if "rows" in table:
        raise FormatError("`rows` belongs to a matrix `cost = [[...], ...]`; these are tables.")
    truths, columns = _by_text(classes, "outcomes"), _by_text(decisions, "decisions")
    cells: dict[tuple[int, int], float] = {}
    for key, row in table["cost"].items():
        at = f"cost.{toml_key(key)}"
        if key not in truths:
            raise FormatError(f"{key!r} is not among the outcomes {listed(classes)} - at `{at}`.")
        if not isinstance(row, Mapping):
            raise _unexpected("a table of costs by decision", row, at)
        for name, cost in row.items():
            where = f"{at}.{toml_key(name)}"
            if name not in columns:
                raise FormatError(
                    f"{name!r} is not among the decisions {listed(decisions)} - at `{where}`."
                )
            position = classes.index(truths[key]), decisions.index(columns[name])
            cells[position] = _number(cost, where)
    return CostMatrix(complete(cells, classes, decisions), classes=classes, decisions=decisions)


def _bare_matrix(
    table: Mapping[str, Any], classes: tuple[Name, ...], decisions: tuple[Name, ...]
) -> CostMatrix:
    """A matrix of numbers, which must say whether its rows are the truth or the decision."""
    side = table.get("rows")
    if side not in SIDES:
        got = "" if side is None else f" (`rows` is {side!r})"
        raise FormatError(
            f"`cost` is a matrix of numbers{got} - I need to know which side is the truth.",
            hint='Write rows = "truth" if rows are the truth, rows = "decision" if rows are '
            "the decision.",
        )
    heads, columns = (classes, decisions) if side == "truth" else (decisions, classes)
    rows = table["cost"]
    if len(rows) != len(heads):
        raise FormatError(
            f"one row for each of {listed(heads)} expected; got {len(rows)} - at `cost`."
        )
    values = []
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(columns):
            raise _unexpected(f"a list of {len(columns)} costs", row, f"cost[{i}]")
        values.append([_number(cost, f"cost[{i}][{j}]") for j, cost in enumerate(row)])
    matrix = values if side == "truth" else [list(column) for column in zip(*values, strict=True)]
    return CostMatrix(matrix, classes=classes, decisions=decisions)


def read_names(table: Mapping[str, Any], key: str) -> tuple[Name, ...]:
    """A list of names."""
    value = table[key]
    if not isinstance(value, list) or not value:
        raise _unexpected("a list of names", value, key)
    for i, name in enumerate(value):
        if not isinstance(name, (str, int, float)):
            raise _unexpected("a name", name, f"{key}[{i}]")
    return as_names(value, key, FormatError)


def _by_text(names: Sequence[Name], what: str) -> dict[str, Name]:
    """Names by the key that stands for them."""
    if alike(names):
        raise FormatError(
            f"two of `{what}` look alike as keys: {listed(names)}.",
            hint='give the costs as a matrix, cost = [[...], ...], with rows = "truth"',
        )
    return {name_text(name): name for name in names}


def _number(value: Any, at: str) -> float:
    """A finite number, as it was written: integers stay integers."""
    if isinstance(value, list) and len(value) == 2 and all(_is_number(end) for end in value):
        raise FormatError(
            f"{value} is a range; one application has a single cost - at `{at}`.",
            hint="write one number, and evaluate once with each end to see if it matters",
        )
    if not _is_number(value):
        raise _unexpected("a number", value, at)
    if not abs(value) <= sys.float_info.max:  # so for NaN and for huge integers too
        raise FormatError(f"expected a finite number, got {value} - at `{at}`.")
    number: float = value
    return number


def _is_number(value: Any) -> bool:
    """Whether a TOML value is an integer or a float."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _unexpected(wanted: str, value: Any, at: str) -> FormatError:
    """What was expected, what was there, and where."""
    if isinstance(value, (dict, list)):
        got = "a table" if isinstance(value, dict) else f"a list of {len(value)}"
    else:
        got = f"the text {value!r}" if isinstance(value, str) else str(value).lower()
    return FormatError(f"expected {wanted}, got {got} - at `{at}`.")
