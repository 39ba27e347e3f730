"""Costs in any form, converted in one place for all functions."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from stakes._checks import is_number
from stakes._columns import as_array, as_column, in_brief
from stakes._names import as_name, as_names, listed, observed_names, place_of
from stakes.application.application import Application, as_application
from stakes.application.case_costs import CaseCosts, case_costs, is_binary
from stakes.application.cost_files import file_text, read_costs, read_uncertain_costs
from stakes.application.cost_matrix import CostMatrix, binary_amounts
from stakes.application.expressions import CostExpression, refuse_range
from stakes.application.toml_reader import cost_table
from stakes.application.uncertain import UncertainApplication
from stakes.application.unknowns import Unknown
from stakes.application.written_amounts import is_same_unit, plain_costs
from stakes.exceptions import CostError, FormatError, LabelError, StakesError
from stakes.typing import Name

#: What costs in any form are converted to.
Stated = Application | UncertainApplication | CaseCosts
_SAY = 'costs={"fn": 10, "fp": 1}'
_ABSTAIN = 'costs={"fn": 10, "fp": 1, "abstain": 0.5}'
_FORMS = f"{_SAY}, costs=[[0, 1], [10, 0]] (rows are true classes), or costs='costs.toml'"


def read_any_costs(costs: Any, name: str = "costs", positive: Any = None) -> Stated:
    """What is at stake, from an object of this room, a mapping, a table, a frame or a file.

    A mapping has no order of its own, so there the positive class comes last.
    """
    if isinstance(costs, Stated):
        return costs
    if isinstance(costs, CostMatrix):
        return Application(costs)
    if isinstance(costs, (str, os.PathLike)):
        _refuse_ratio(costs, name)
        return _from_file(costs)
    if isinstance(costs, Mapping):
        return _from_mapping(costs, positive)
    if hasattr(costs, "columns") and not callable(costs.columns):
        return Application(CostMatrix.from_frame(costs))
    if not (isinstance(costs, (Sequence, np.ndarray)) or hasattr(costs, "__array__")):
        got = type(costs).__name__
        raise CostError(f"`{name}` must be costs in some form; got {got}.", hint=_FORMS)
    if isinstance(costs, (list, tuple)) and _holds_unknown(costs):
        return UncertainApplication(costs)
    return Application(CostMatrix(costs))


def _holds_unknown(rows: Sequence[Any]) -> bool:
    """Whether a nested list has a cell that is only known roughly."""
    cells = (cell for row in rows if isinstance(row, (list, tuple)) for cell in row)
    return any(isinstance(cell, Unknown) for cell in cells)


def _refuse_ratio(text: str | os.PathLike[str], name: str) -> None:
    """Raise for "10:1", which leaves open which error costs 10."""
    found = re.fullmatch(r"\s*([0-9.]+)\s*(?::|to)\s*([0-9.]+)\s*", str(text))
    if found:
        first, second = found.groups()
        raise CostError(
            f"`{name}` is {str(text)!r}: which error costs {first}, a miss or a false alarm?",
            hint=f'{name}={{"fn": {first}, "fp": {second}}} or '
            f'{name}={{"fn": {second}, "fp": {first}}}',
        )


def _from_file(path: str | os.PathLike[str]) -> Application | UncertainApplication:
    """Costs from a file; ranges make them uncertain."""
    try:
        return read_costs(path)
    except FormatError as error:
        try:
            return read_uncertain_costs(path)
        except FormatError:
            raise error from None
    except (OSError, ValueError) as error:
        if isinstance(error, StakesError):
            raise
        why = getattr(error, "strerror", None) or error
        raise CostError(f"{path!r}: no costs can be read there: {why}.", hint=_FORMS) from None


def _from_mapping(costs: Mapping[Any, Any], positive: Any = None) -> Stated:
    """Amounts by fn and fp, one for every error, or by truth and decision."""
    costs, unit = plain_costs(costs)
    stated = _from_amounts(costs, positive)
    return stated if unit is None else _with_settings(stated, {"unit": unit})


def _from_amounts(costs: Mapping[Any, Any], positive: Any) -> Stated:
    """Like `_from_mapping`, for amounts without a unit."""
    if "abstain" in costs and _is_binary(costs):
        plain = _from_amounts(_but_abstain(costs), positive)
        if isinstance(plain, Application) and is_number(costs["abstain"]):
            return plain.with_costs(plain.costs.with_abstention(costs["abstain"]))
        raise CostError("beside `abstain` the costs must be numbers.", hint=_ABSTAIN)
    if set(costs) == {"error"} and is_number(costs["error"]):
        return Application(CostMatrix.zero_one(2).scaled(costs["error"]))
    if is_binary(costs):
        amounts = list(binary_amounts(costs).values())
        cells: Any = [amounts[:2], amounts[2:]]
        names: tuple[Any, ...] = ()
    else:
        if not all(isinstance(row, Mapping) for row in costs.values()):
            raise CostError(
                f"`costs` has the keys {listed(list(costs))}.",
                hint=f"{_SAY}; to ask a person instead: {_ABSTAIN}; by truth and decision: "
                '{"no": {"yes": 1}, "yes": {"no": 10}}',
            )
        last = [name for name in costs if name == positive]
        rows = as_names([*(n for n in costs if n not in last), *last], "classes", CostError)
        decided = dict.fromkeys(name for row in costs.values() for name in row)
        columns = rows if set(decided) <= set(rows) else tuple(decided)
        cells, names = _table(costs, rows, columns), (rows, columns)
        amounts = [amount for row in cells for amount in row]
    if any(isinstance(amount, Unknown) for amount in amounts):
        said = dict(zip(("classes", "decisions"), names, strict=False))
        return UncertainApplication(cells, **said)
    if any(isinstance(amount, (str, CostExpression)) for amount in amounts):
        for amount in amounts:
            refuse_range(str(amount))
        raise CostError(
            "an amount is text, that is, a formula over columns, but there are no columns here.",
            hint='a number, or one for each case: {"fn": 0.75 * amount, "fp": 10}; formulas are '
            "for evaluate_frame",
        )
    if all(as_array(amount, "costs").ndim == 0 for amount in amounts):
        return Application(CostMatrix(cells, *names))
    return case_costs({}, costs, **dict(zip(("classes", "decisions"), names, strict=False)))


def _but_abstain(costs: Mapping[Any, Any]) -> dict[Any, Any]:
    """The costs without that of abstaining."""
    return {name: amount for name, amount in costs.items() if name != "abstain"}


def _is_binary(costs: Mapping[Any, Any]) -> bool:
    """Whether costs are given by fn and fp, apart from abstention."""
    return is_binary(_but_abstain(costs))


def _table(costs: Mapping[Any, Any], rows: Sequence[Any], columns: Sequence[Any]) -> list[Any]:
    """Amounts as nested lists; only the decision named like the truth may be left out."""
    for truth in rows:
        for decision in columns:
            if decision not in costs[truth] and decision != truth:
                raise CostError(
                    f"`costs` lacks the cost of deciding {decision!r} when the truth is {truth!r}.",
                    hint="write 0 if it is free",
                )
    return [[costs[truth].get(decision, 0.0) for decision in columns] for truth in rows]


# ----------------------------------------------------------------- names for costs that have none


def named_alike(
    stated: Stated,
    labels: Any,
    classes: Any = None,
    positive: Any = None,
    *,
    by_sign: bool = False,
    what: str = "y_true",
) -> Stated:
    """Name the classes 0, 1, ... of costs like the labels, where these have other names.

    Labels are a column, or a table of counts. Of two classes the positive one comes second.
    `by_sign` is for costs by fn and fp, which refer to the positive class rather than to 1.
    """
    size = len(stated.classes)
    if tuple(stated.classes) != tuple(range(size)) or labels is None:
        return stated
    known = getattr(labels, "classes", None)  # of a table of counts
    if known is not None and len(known) != size:
        return stated
    column = as_column(labels if known is None else list(known), what)
    own = column.dtype.kind in "iub" or (column.dtype.kind == "f" and size == 2)
    if own and (positive is None or not by_sign) and _within(column, size):
        return stated
    return _renamed(stated, _label_names(column, size, classes, positive, what))


def application_of(
    application: Any, labels: Any, positive: Any = None, classes: Any = None
) -> Application:
    """What is at stake for labels; classes that the costs leave unnamed get the names of these.

    If nothing tells the order of more than two names, that is left to the check of the labels.
    """
    app = as_application(application)
    told = positive is not None or classes is not None
    if not told and app.classes == (0, 1):
        column = as_column(labels, "y_true")
        told = column.dtype.kind not in "iub" and len(observed_names(column)) == 2
    if told:
        by_sign = positive is not None and _by_sign(application)
        named = named_alike(app, labels, classes, positive, by_sign=by_sign)
        return cast(Application, named)
    return app


def refuse_other_positive(app: Application, positive: Any) -> None:
    """Raise where the second class of the costs, which is the positive one, has another name."""
    if positive is not None and place_of(positive, app.classes) != 1:
        raise LabelError(
            f"the costs are of the classes {listed(app.classes)}, and the second of two is the "
            f"positive one; `positive` is {in_brief(positive)}.",
            hint="leave `positive` out, or give the costs by fn and fp",
        )


def _within(column: Any, size: int) -> bool:
    """Whether integer labels are among 0, 1, ..."""
    return not column.size or bool((column >= 0).all() and (column < size).all())


def _label_names(
    column: Any, size: int, classes: Any, positive: Any, what: str
) -> tuple[Name, ...]:
    """The names of the labels in the order of the costs; an error asks for an unknown order."""
    names = observed_names(column) if classes is None else as_names(classes, "classes")
    positive = as_name(positive, "positive")
    if positive is not None and size == 2:
        if len(names) == 2 and positive not in names:
            raise LabelError(f"`positive` must be one of {listed(names)}; got {positive!r}.")
        others = [name for name in names if name != positive]
        if len(others) == 1:
            return others[0], positive
    elif classes is not None and len(names) == size:
        return names
    found = f"`{what}` holds {listed(names)}, and the costs name no classes"
    if size == 2 and len(names) == 2:
        ask = " or ".join(f"positive={name!r}" for name in reversed(names))
        raise LabelError(f"{found}: which one is the positive class?", hint=ask)
    order = f"classes=[{listed(names)}], in the order of the rows of the costs"
    if len(names) != size:
        order = f"classes=[...], the {size} names in the order of the rows of the costs"
    raise LabelError(f"{found}; there are {size} of them.", hint=order)


def _renamed(stated: Stated, names: tuple[Name, ...]) -> Stated:
    """The same costs with other class names, which decisions of the old names get too."""
    other = dict(zip(stated.classes, names, strict=True))
    alike = set(stated.classes) <= set(stated.decisions)
    decisions = [other.get(name, name) for name in stated.decisions]
    sides = {"classes": names, "decisions": tuple(decisions) if alike else stated.decisions}
    if isinstance(stated, UncertainApplication):
        again = copy.copy(stated)
        vars(again).update(sides)
        return again
    if isinstance(stated, CaseCosts):
        return CaseCosts(stated.values, **sides)
    costs = CostMatrix(stated.costs.values, **sides)
    return Application(costs, stated.priors, stated.unit, stated.volume, stated.period)


# ----------------------------------------------------------------- what is stated in a call


def stated_costs(
    application: Any,
    costs: Any,
    labels: Any = None,
    *,
    classes: Any = None,
    positive: Any = None,
    what: str = "y_true",
    **settings: Any,
) -> Stated:
    """What is at stake in a call that takes `application`, or `costs` with priors, unit and volume.

    Raise if neither or both are given.
    """
    beside = {name: value for name, value in settings.items() if value is not None}
    if application is None and costs is None:
        raise CostError(
            "what do errors cost? Neither `costs` nor `application` is given.", hint=_FORMS
        )
    if application is not None and (costs is not None or beside):
        also = "costs" if costs is not None else next(iter(beside))
        raise CostError(
            f"`{also}` is given beside `application`, which states it already.",
            hint=f"{_SAY} with priors=, unit= and volume=; or application=Application(...) alone",
        )
    given = costs if application is None else application
    name = "costs" if application is None else "application"
    found = read_any_costs(given, name, positive)
    by_sign = _by_sign(given)
    found = named_alike(found, labels, classes, positive, by_sign=by_sign, what=what)
    return found if not beside else _with_settings(found, beside)


def _by_sign(given: Any) -> bool:
    """Whether costs are stated by fn and fp, in a mapping or in a file that names no outcomes."""
    if isinstance(given, (str, os.PathLike)) and str(given).lower().endswith(".toml"):
        table = cost_table(file_text(given))
        return "cost" not in table and "outcomes" not in table
    return isinstance(given, Mapping) and _is_binary(given)


def _with_settings(stated: Stated, beside: Mapping[str, Any]) -> Stated:
    """The same costs with priors, unit, volume and period; raise if they have one already."""
    if isinstance(stated, CaseCosts):
        raise CostError(
            f"`{next(iter(beside))}` cannot be given beside costs that differ from case to case.",
            hint="application=Application(costs, priors=..., unit=...), case_costs=CaseCosts(...)",
        )
    for name, value in beside.items():
        own = getattr(stated, name)
        if own is not None and not (name == "unit" and is_same_unit(own, value)):
            raise CostError(f"`{name}` is given twice: by the costs and beside them.")
    if isinstance(stated, Application):
        has = {name: getattr(stated, name) for name in ("priors", "unit", "volume", "period")}
        return Application(stated.costs, **{**has, **beside})
    again = copy.copy(stated)
    checked = Application(stated.expected.costs, **beside)
    found = {name: getattr(checked, name) for name in (*beside, "period")}
    vars(again).update({name: value for name, value in found.items() if value is not None})
    return again
