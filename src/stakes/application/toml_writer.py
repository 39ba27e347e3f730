"""Applications written as TOML: costs by name, easy to read and to review."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from stakes.application.application import Application, as_application
from stakes.application.cost_matrix import CostMatrix
from stakes.application.named_cells import number_text, required_text
from stakes.application.naming import name_text
from stakes.application.uncertain import UncertainApplication
from stakes.application.unknowns import Between
from stakes.exceptions import FormatError
from stakes.typing import Name

__all__ = ["alike", "costs_to_toml", "settings", "toml_key", "toml_value"]


def costs_to_toml(application: Application | UncertainApplication | CostMatrix) -> str:
    """Write an application as TOML text that `costs_from_toml` reads back without loss.

    Parameters
    ----------
    application : Application, UncertainApplication or CostMatrix
        What to write. Of what is uncertain, ranges of single costs have a form: `Between` is
        written ``[low, high]`` and read back by `uncertain_costs_from_toml`.

    Returns
    -------
    str
        One table per true class; where two names look alike as text (1 and "1"), a matrix
        with ``rows = "truth"``.

    Examples
    --------
    >>> print(costs_to_toml(CostMatrix.binary(false_positive=1, false_negative=10)))
    outcomes = [0, 1]
    decisions = [0, 1]
    <BLANKLINE>
    # what each decision costs, by the truth
    [cost.0]
    1 = 1
    <BLANKLINE>
    [cost.1]
    0 = 10
    <BLANKLINE>
    """
    app: Application | UncertainApplication
    if isinstance(application, UncertainApplication):
        app, cells = application, _ranged(application)
    else:
        app = as_application(application)
        cells = _numbers(app)
    lines = [f"{key} = {toml_value(value)}" for key, value in settings(app).items()]
    lines += [f"outcomes = {toml_value(app.classes)}"]
    lines += [f"decisions = {toml_value(app.decisions)}"]
    if alike(app.classes) or alike(app.decisions):
        rows = ",\n".join(f"  [{', '.join(row)}]" for row in cells)
        lines += ['rows = "truth"', f"cost = [\n{rows},\n]"]
    else:
        lines += ["", "# what each decision costs, by the truth"]
        for truth, row in zip(app.classes, cells, strict=True):
            lines += [*_row(truth, app.decisions, row), ""]
        lines.pop()
    return "\n".join(lines) + "\n"


def _numbers(app: Application) -> list[list[str]]:
    """Each cost as text."""
    return [[number_text(cost) for cost in row] for row in app.costs.values.tolist()]


def _ranged(app: UncertainApplication) -> list[list[str]]:
    """Each cost as text, a range as its two ends; an error where the doubt has no such form."""
    cells = [[number_text(cost) for cost in row] for row in app.base.tolist()]
    known = app.priors is None or isinstance(app.priors, np.ndarray)
    for amount, direction in app.terms:
        for i, j in np.argwhere(direction).tolist():
            cells[i][j] = f"[{number_text(amount.low)}, {number_text(amount.high)}]"
        single = np.count_nonzero(direction) == 1 and direction.sum() == 1
        known &= single and isinstance(amount, Between) and not (app.base * direction).any()
    if not known or app.given is not None:
        raise FormatError(
            "only ranges of single costs have a form in a file; this application is uncertain "
            "in another way.",
            hint="write application.expected, the costs to decide with",
        )
    return cells


def settings(app: Application | UncertainApplication) -> dict[str, Any]:
    """Everything but the costs, in the order in which it is written."""
    found: dict[str, Any] = dict(required_text(app))
    if app.volume is not None:
        found["volume"] = app.volume
    if app.priors is not None:
        found["priors"] = app.priors.tolist()
    return {key: found[key] for key in ("unit", "volume", "period", "priors") if key in found}


def toml_value(value: Any) -> str:
    """A string, number, boolean or sequence of them as a TOML value on one line."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Sequence):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    if isinstance(value, (bool, int)):
        return name_text(value)
    return repr(float(value))


def _row(truth: Name, decisions: Sequence[Name], costs: Sequence[str]) -> Iterable[str]:
    """One table: a line per decision, without the free matching one."""
    yield f"[cost.{toml_key(truth)}]"
    for decision, text in zip(decisions, costs, strict=True):
        if text != "0" or truth != decision:
            yield f"{toml_key(decision)} = {text}"


def toml_key(name: Name) -> str:
    """A name as a TOML key, quoted where it must be."""
    text = name_text(name)
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else toml_value(text)


def alike(names: Sequence[Name]) -> bool:
    """Whether two different names have the same text, so that keys cannot tell them apart."""
    return len({name_text(name) for name in names}) < len(names)
