"""Rules as JSON: what a file holds, its published form, and a rule made again from it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from stakes._files import write_whole
from stakes._sealed import Seal
from stakes.application import Application, CostMatrix
from stakes.exceptions import FormatError, StakesError
from stakes.rules.decision_rule import DecisionRule

_SEAL = Seal(
    "stakes-rule",
    1,
    what="a saved decision rule",
    again="save the rule again, or copy it again from where that was done",
    written='a rule is written in Python by  rule.save("rule.json")',
)


def record_of(rule: DecisionRule) -> dict[str, Any]:
    """See `DecisionRule.record`."""
    from stakes.calibration.persistence import jsonable

    app = rule.application
    at, taken = rule.cuts() if rule.has_cuts else ([], [])
    return {
        "version": _SEAL.version,
        "model": rule.model,
        "rule": str(rule),
        "scores": rule.scores,
        "score_type": rule.score_type,
        "score_range": jsonable(rule.score_range),
        "classes": jsonable(app.classes),
        "decisions": jsonable(app.decisions),
        "costs": jsonable(app.costs.values),
        "unit": app.unit,
        "volume": jsonable(app.volume),
        "period": app.period,
        "priors": jsonable(app.priors),
        "from_priors": jsonable(rule.from_priors),
        "calibrator": jsonable(rule.calibrator),
        "per_case": rule.per_case,
        "cut": jsonable(rule.cut),
        "cuts": jsonable(at),
        "taken": [jsonable(rule.decisions[j]) for j in taken],
        "ties": "earlier decision",
        "cut_texts": jsonable(rule.cut_texts),
        "digest": rule.digest,
    }


def write_rule(rule: DecisionRule, path: Path) -> None:
    """See `DecisionRule.save`."""
    write_whole(path, _SEAL.sealed(record_of(rule)))


def load_rule(path: str | Path) -> DecisionRule:
    """Read a rule that `DecisionRule.save` wrote; no code is executed.

    A file of a newer version, or one that was changed or cut off after it was written, is refused.

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
    <DecisionRule of gbm: p > 0.091>
    """
    name = str(path)
    content = _SEAL.opened(_SEAL.parsed(Path(path).read_bytes(), name), name)
    try:
        rule = _made(content)
        again = record_of(rule)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        said = error.message if isinstance(error, StakesError) else error
        raise FormatError(
            f"{name} does not hold a decision rule ({type(error).__name__}: {said}).",
            hint=_SEAL.again,
        ) from None
    if again != content:
        strange = sorted(key for key in {*again, *content} if again.get(key) != content.get(key))
        raise FormatError(
            f"{name} contradicts itself: {', '.join(strange)} cannot belong to the rest.",
            hint=_SEAL.again,
        )
    return rule


def _made(content: dict[str, Any]) -> DecisionRule:
    """The rule that a record describes."""
    from stakes.calibration.calibrator import Calibrator

    costs = CostMatrix(content["costs"], content["classes"], content["decisions"])
    app = Application(
        costs, content["priors"], content["unit"], content["volume"], content["period"]
    )
    saved, reach, texts = (content[key] for key in ("calibrator", "score_range", "cut_texts"))
    return DecisionRule(
        application=app,
        scores=content["scores"],
        from_priors=content["from_priors"],
        calibrator=None if saved is None else Calibrator.from_dict(saved),
        cut=None if content["cut"] is None else float(content["cut"]),
        per_case=content["per_case"],
        score_type=content["score_type"],
        model=content["model"],
        score_range=None if reach is None else (float(reach[0]), float(reach[1])),
        digest=content["digest"],
        cut_texts=None if texts is None else tuple(texts),
    )


def rule_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a saved rule.

    Returns
    -------
    dict
        For any validator; the same file lies in the package as ``stakes/rules/rule.schema.json``.

    Examples
    --------
    >>> rule_schema()["$id"]
    'stakes-rule-1'
    """
    text = files("stakes.rules").joinpath("rule.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
