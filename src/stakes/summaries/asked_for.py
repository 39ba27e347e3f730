"""AskedFor: what decided the counts beside it, so that only like decisions are added."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stakes._checks import of_kind
from stakes.exceptions import DataError, MergeError

#: Words for parts of a question that differ between days; other parts go by their own name.
_ASKED = {
    "costs": "costs",
    "shares": "shares where it will run",
    "priors": "shares where it will run",
    "made_for": "shares of the data, by which probabilities were moved",
    "columns": "columns of the models",
    "models": "models",
    "by": "slices",
}
#: Its name beside the counts of a file.
ASKED_FOR = "asked_for"


@dataclass(frozen=True, slots=True, eq=False)
class AskedFor:
    """The costs, shares and thresholds by which models decided; only equal ones can be added.

    Parameters
    ----------
    asked : str
        These by name, as JSON.
    """

    asked: str

    def __post_init__(self) -> None:
        read_json(self.asked, "asked", dict)

    @classmethod
    def of(cls, costs: Any, priors: Any, made_for: Any, **more: Any) -> AskedFor:
        """What decided; `priors` matter only where posteriors `made_for` others moved there."""
        moved = made_for is not None and priors is not None and list(priors) != list(made_for)
        held = {"priors": list(priors), "made_for": list(made_for)} if moved else {}
        told = {name: value for name, value in more.items() if value}
        return cls(json.dumps({"costs": costs, **held, **told}))

    @property
    def question(self) -> dict[str, Any]:
        """What was asked, by name."""
        found: dict[str, Any] = read_json(self.asked, "asked", dict)
        return found

    def __add__(self, other: Any) -> AskedFor:
        if not isinstance(other, AskedFor):
            return NotImplemented
        refuse_other_question(self.question, other.question)
        return self


def read_json(text: Any, name: str, kind: type) -> Any:
    """A list or a dict that is kept as JSON."""
    try:
        held = json.loads(of_kind(text, name, str))
    except (ValueError, RecursionError):
        held = None
    if not isinstance(held, kind):
        raise DataError(f"`{name}` must be JSON of a {kind.__name__}.")
    return held


def refuse_other_question(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Raise for the first part of a question in which two sets of counts differ."""
    odd = next((k for k in {**mine, **theirs} if mine.get(k) != theirs.get(k)), None)
    if odd is not None:
        raise MergeError(
            f"these counts were asked for with different {_ASKED.get(odd, odd)}: "
            f"{_brief(mine.get(odd))} and {_brief(theirs.get(odd))}.",
            hint=_hint(odd, mine),
        )


def _brief(value: Any) -> str:
    """A value as text, shortened if it is long."""
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:80]}..."


def _hint(odd: str, asked: Mapping[str, Any]) -> str:
    """The hint for counts that answer another question."""
    if odd == "thresholds":
        return "each was searched among its own rows; count all rows together"
    if odd in ("priors", "shares"):
        return "count again from the rows, each time with the same --prevalence"
    if odd != "made_for":
        return "count again from the rows, each time with the same question"
    moved = "they were moved by the shares of each day's own rows; count all rows together"
    if asked.get("--scores-are") == "llr":
        return moved
    already = "--posteriors-already-adjusted"
    return f"{moved},\nor say that they hold for --prevalence already:  {already}"
