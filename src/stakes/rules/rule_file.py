"""Rules as JSON: write them, read them, and describe the format."""

from __future__ import annotations

import json
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from stakes._checksums import Seal
from stakes._files import as_path, write_whole
from stakes.application import Application, CostMatrix
from stakes.exceptions import FormatError, StakesError
from stakes.rules.decision_rule import DecisionRule

_SEAL = Seal(
    "stakes-rule",
    1,
    what="a saved decision rule",
    again="save the rule again, or copy it again from where that was done",
    written='stakes eval ... --rule rule.json  saves one; in Python,  rule.save("rule.json")',
)


def record_of(rule: DecisionRule) -> dict[str, Any]:
    """See `DecisionRule.record`."""
    from stakes.calibration.calibrator_json import jsonable

    app = rule.application
    at, taken = rule.cuts() if rule.has_cuts else ([], [])

    def held(by: Any, *names: str) -> dict[str, Any]:
        return {name: jsonable(getattr(by, name)) for name in names}

    return {
        "version": _SEAL.version,
        "model": rule.model,
        "rule": str(rule),
        **held(rule, "scores", "score_type", "score_range", "classes", "decisions"),
        "costs": jsonable(app.costs.values),
        **held(app, "unit", "volume", "period", "priors"),
        **held(rule, "from_priors", "calibrator", "per_case", "cut"),
        "cuts": jsonable(at),
        "taken": [jsonable(rule.decisions[j]) for j in taken],
        "ties": "earlier decision",
        **held(rule, "cut_texts", "columns", "case_costs", "prices", "digest"),
    }


def write_rule(rule: DecisionRule, path: Path) -> None:
    """See `DecisionRule.save`."""
    write_whole(path, _SEAL.sealed(record_of(rule)))


def load_rule(path: str | Path) -> DecisionRule:
    """Read a rule that `DecisionRule.save` wrote; no code is executed.

    Refuses a file of a newer version, or one that was changed or truncated after it was written.

    Parameters
    ----------
    path : str or Path
        A JSON file.

    Returns
    -------
    DecisionRule
        Ready for `decide`.

    Examples
    --------
    >>> import tempfile
    >>> rule = DecisionRule(Application([[0, 1], [10, 0]]), model="gbm")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rule.save(Path(folder) / "rule.json")
    ...     load_rule(Path(folder) / "rule.json")
    <DecisionRule of gbm: p > 0.0909>
    """
    name = str(path)
    content = _SEAL.opened(_SEAL.parsed(as_path(path).read_bytes(), name), name, path)
    try:
        rule = _made(content)
        again = record_of(rule)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        said = error.message if isinstance(error, StakesError) else error
        message = f"{name} does not hold a decision rule ({type(error).__name__}: {said})."
        raise FormatError(message, hint=_SEAL.again) from None
    if again != content:
        strange = sorted(key for key in {*again, *content} if again.get(key) != content.get(key))
        message = f"{name} contradicts itself: {', '.join(strange)} cannot belong to the rest."
        raise FormatError(message, hint=_SEAL.again)
    return rule


def _made(content: dict[str, Any]) -> DecisionRule:
    """The rule that a record describes."""
    from stakes.calibration.calibrator import Calibrator

    costs = CostMatrix(content["costs"], content["classes"], content["decisions"])
    app = Application(costs, *(content[key] for key in ("priors", "unit", "volume", "period")))
    parts = {each.name: content[each.name] for each in fields(DecisionRule)[1:]}
    if parts["calibrator"] is not None:
        parts["calibrator"] = Calibrator.from_dict(parts["calibrator"])
    if parts["cut"] is not None:
        parts["cut"] = float(parts["cut"])
    return DecisionRule(app, **parts)


def rule_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a saved rule.

    Returns
    -------
    dict
        For any validator; the package holds it as ``stakes/rules/rule.schema.json``.

    Examples
    --------
    >>> rule_schema()["$id"]
    'stakes-rule-1'
    """
    text = files("stakes.rules").joinpath("rule.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
