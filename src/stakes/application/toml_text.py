"""Applications as text: values read from TOML with their place, and written so that they are
easy to review.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from stakes._checks import is_number, of_kind
from stakes._names import as_names, listed
from stakes.application.application import Application, as_application
from stakes.application.cost_matrix import CostMatrix
from stakes.application.cost_sentences import name_text
from stakes.application.uncertain import UncertainApplication
from stakes.application.unknowns import Between
from stakes.exceptions import FormatError, StakesError
from stakes.typing import FloatArray, Name

#: Whole costs below this are written without a decimal point; above, floats skip whole numbers.
_WHOLE = 1e15


def number_text(value: float) -> str:
    """A number that reads back as the same float, without a needless decimal point."""
    text = repr(float(value))
    return text.removesuffix(".0") if abs(value) < _WHOLE and text != "-0.0" else text


def complete(
    cells: Mapping[tuple[int, int], Any], classes: Sequence[Name], decisions: Sequence[Name]
) -> list[list[Any]]:
    """The full table: an absent cell is 0 for the decision named like the truth, else an error."""
    missing = [
        (truth, decision)
        for i, truth in enumerate(classes)
        for j, decision in enumerate(decisions)
        if (i, j) not in cells and truth != decision
    ]
    if missing:
        truth, decision = missing[0]
        count = f"{len(missing)} cell{'s' if len(missing) > 1 else ''} missing"
        shown = ", ".join(f"{name_text(t)}->{name_text(d)}" for t, d in missing[:10])
        rest = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
        raise FormatError(
            f"cost of deciding {decision!r} when the truth is {truth!r} is missing ({count}).",
            hint=f"Missing: {shown}{rest}.  Write 0 if it is really free.",
        )
    return [[cells.get((i, j), 0.0) for j in range(len(decisions))] for i in range(len(classes))]


@contextmanager
def located(source: str) -> Iterator[None]:
    """Every error inside becomes a FormatError that starts with the name of the file."""
    try:
        yield
    except StakesError as error:
        told: dict[str, Any] = {"hint": error.hint, "rows": error.rows or None}
        raise FormatError(f"{source}: {error.message}", **told) from error


def costs_to_toml(application: Application | UncertainApplication | CostMatrix) -> str:
    """Write an application as TOML text that `costs_from_toml` reads back without loss.

    Parameters
    ----------
    application : Application, UncertainApplication or CostMatrix
        What to write. Uncertainty can be written only as ranges of single costs: `Between`
        becomes ``[low, high]``, which `uncertain_costs_from_toml` reads back.

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
    if isinstance(application, UncertainApplication):
        app: Application | UncertainApplication = application
        cells = _ranged(application)
    else:
        app = as_application(application)
        cells = _texts(app.costs.values)
    lines = [f"{key} = {toml_value(value)}" for key, value in settings(app).items()]
    lines += [f"outcomes = {toml_value(app.classes)}", f"decisions = {toml_value(app.decisions)}"]
    if _alike(app.classes) or _alike(app.decisions):
        rows = ",\n".join(f"  [{', '.join(row)}]" for row in cells)
        lines += ['rows = "truth"', f"cost = [\n{rows},\n]"]
    else:
        lines += ["", "# what each decision costs, by the truth"]
        for truth, row in zip(app.classes, cells, strict=True):
            lines += [f"[cost.{toml_key(truth)}]"]
            lines += [
                f"{toml_key(decision)} = {text}"
                for decision, text in zip(app.decisions, row, strict=True)
                if text != "0" or truth != decision  # the matching decision is free
            ]
            lines += [""]
        lines.pop()
    return "\n".join(lines) + "\n"


def costs_template(
    outcomes: Sequence[Name], *, abstain: Name | None = None, about: str = "your data"
) -> str:
    """A file of costs to fill in: every error costs 1, with a comment on every line to change.

    Parameters
    ----------
    outcomes : sequence of names
        Every outcome that occurs; of two, the one to act on comes last.
    abstain : name, optional
        A decision that is no outcome, such as "ask a person". Without it the lines that would
        add one are there as comments.
    about : str
        Whose outcomes they are, for the first line of the file.

    Returns
    -------
    str
        TOML that `read_costs` reads as it stands.

    Examples
    --------
    >>> print(costs_template(["no", "yes"]).splitlines()[0])
    # What each decision costs, for the outcomes of your data.
    >>> from stakes.application import costs_from_toml
    >>> costs_from_toml(costs_template(["no", "yes"], abstain="ask")).costs.decisions
    ('no', 'yes', 'ask')
    """
    names = as_names(outcomes, "outcomes", FormatError)
    if not names:
        raise FormatError("`outcomes` must name at least one outcome; got none.")
    own = ["ask a person" if abstain is None else abstain]
    extra, mark = as_names(own, "abstain", FormatError)[0], "# " if abstain is None else ""
    about, first = " ".join(of_kind(about, "about", str).split()), toml_key(names[0])
    called = [f"   # a {what}" if len(names) == 2 else "" for what in ("false alarm", "miss")]
    lines = [
        f"# What each decision costs, for the outcomes of {about}.",
        "# Every error costs 1 until you change it. Deciding rightly costs 0; if it does not,",
        f"# add a line under [cost.{first}], such as:  {first} = 0.2",
        "# A range is written [5, 20].",
        "",
        '# unit = "EUR"        # what a cost of 1 is',
        "# volume = 250000     # cases in a period, for totals",
        '# period = "year"',
        "",
        f"outcomes = {toml_value(names)}",
        f"decisions = {toml_value(names if mark else (*names, extra))}",
    ]
    if mark:
        both = toml_value((*names, extra))
        lines += [
            "# To let a person decide the doubtful cases, use this line in place of the one above",
            f'# and take the # away from every line that says "{extra}":',
            f"# decisions = {both}",
        ]
    for truth, note in zip(names, called + [""] * len(names), strict=False):
        lines += ["", f"[cost.{toml_key(truth)}]   # when the truth is {toml_value(truth)}"]
        lines += [f"{toml_key(decision)} = 1{note}" for decision in names if decision != truth]
        lines += [f"{mark}{toml_key(extra)} = 0.25"]
    return "\n".join(lines) + "\n"


def _texts(costs: FloatArray) -> list[list[str]]:
    """Each cost as text."""
    return [[number_text(cost) for cost in row] for row in costs.tolist()]


def _ranged(app: UncertainApplication) -> list[list[str]]:
    """Each cost as text, a range as its two ends; raise for uncertainty that is not a range."""
    cells = _texts(app.base)
    known = app.priors is None or isinstance(app.priors, np.ndarray)
    for amount, direction in app.terms:
        for i, j in np.argwhere(direction).tolist():
            cells[i][j] = f"[{number_text(amount.low)}, {number_text(amount.high)}]"
        single = np.count_nonzero(direction) == 1 and direction.sum() == 1
        known &= single and isinstance(amount, Between) and not (app.base * direction).any()
    if not known or app.given is not None:
        raise FormatError(
            "a file can hold ranges of single costs only; this application is uncertain in "
            "another way.",
            hint="write application.expected, the costs to decide with",
        )
    return cells


def settings(app: Application | UncertainApplication) -> dict[str, Any]:
    """Everything but the costs, in the order in which it is written."""
    found = {"unit": app.unit, "volume": app.volume, "period": app.period}
    found["priors"] = None if app.priors is None else app.priors.tolist()
    for key in ("unit", "period"):
        if not isinstance(found[key], str | None):
            raise FormatError(f"`{key}` must be text to be written; got {found[key]!r}.")
    return {key: value for key, value in found.items() if value is not None}


def toml_value(value: Any) -> str:
    """A string, number, boolean or sequence of them as a TOML value on one line."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Sequence):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    if isinstance(value, (bool, int)):
        return name_text(value)
    return repr(float(value))


def toml_key(name: Name) -> str:
    """A name as a TOML key, quoted where it must be."""
    text = name_text(name)
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else toml_value(text)


def _alike(names: Sequence[Name]) -> bool:
    """Whether two different names have the same text, so that keys cannot tell them apart."""
    return len({name_text(name) for name in names}) < len(names)


def read_settings(table: Mapping[str, Any], classes: Sequence[Name]) -> dict[str, Any]:
    """Unit, volume, period and priors as arguments of Application."""
    found: dict[str, Any] = {key: table[key] for key in ("unit", "period") if key in table}
    for key, value in found.items():
        if not isinstance(value, str):
            raise unexpected("text in quotes", value, key)
    if "volume" in table:
        found["volume"] = as_number(table["volume"], "volume")
    if "priors" in table:
        found["priors"] = _priors(table["priors"], classes)
    return found


def read_names(table: Mapping[str, Any], key: str) -> tuple[Name, ...]:
    """A list of names."""
    value = table[key]
    if not isinstance(value, list) or not value:
        raise unexpected("a list of names", value, key)
    for i, name in enumerate(value):
        if not isinstance(name, (str, int, float)):
            raise unexpected("a name", name, f"{key}[{i}]")
    return as_names(value, key, FormatError)


def names_by_text(names: Sequence[Name], what: str) -> dict[str, Name]:
    """Names by the key that stands for them."""
    if _alike(names):
        raise FormatError(
            f"two of `{what}` look alike as keys: {listed(names)}.",
            hint='give the costs as a matrix, cost = [[...], ...], with rows = "truth"',
        )
    return {name_text(name): name for name in names}


def as_number(value: Any, at: str) -> float:
    """A finite number, as it was written: integers stay integers."""
    if _is_range(value):
        raise FormatError(
            f"{value} is a range; one application has a single cost - at `{at}`.",
            hint="write one number; or keep the range and read it with "
            "stakes.application.read_uncertain_costs",
        )
    if not is_number(value):
        raise unexpected("a number", value, at)
    if not abs(value) <= sys.float_info.max:  # refuses NaN and huge integers too
        raise FormatError(f"expected a finite number, got {value} - at `{at}`.")
    return value  # type: ignore[no-any-return]


def as_number_or_range(value: Any, at: str) -> float | Between:
    """A number, or what lies between two of them."""
    if not _is_range(value):
        return as_number(value, at)
    low, high = (as_number(end, f"{at}[{i}]") for i, end in enumerate(value))
    if low > high:
        raise FormatError(f"a range has its lower end first; got {value} - at `{at}`.")
    return Between(low, high)


def unexpected(wanted: str, value: Any, at: str) -> FormatError:
    """An error that says what was expected, what was there, and where."""
    if isinstance(value, (dict, list)):
        got = "a table" if isinstance(value, dict) else f"a list of {len(value)}"
    else:
        got = f"the text {value!r}" if isinstance(value, str) else str(value).lower()
    return FormatError(f"expected {wanted}, got {got} - at `{at}`.")


def _priors(value: Any, classes: Sequence[Name]) -> list[float] | dict[Name, float]:
    """Shares in the order of the outcomes, or by name."""
    if isinstance(value, Mapping):
        names = names_by_text(classes, "outcomes")
        return {names.get(k, k): as_number(v, f"priors.{toml_key(k)}") for k, v in value.items()}
    if isinstance(value, list):
        return [as_number(share, f"priors[{i}]") for i, share in enumerate(value)]
    raise unexpected("a list of shares or a table by name", value, "priors")


def _is_range(value: Any) -> bool:
    """Whether a value is a pair of numbers."""
    return isinstance(value, list) and len(value) == 2 and all(map(is_number, value))
