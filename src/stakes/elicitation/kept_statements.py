"""What one kept answer says, worked out again by the route that it came by."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

from stakes.elicitation.answer_problems import reading_answer
from stakes.elicitation.emblematic import ratio_from_ranking
from stakes.elicitation.question import Answer, Question
from stakes.elicitation.routes import (
    ratio_between,
    ratio_from_amounts,
    ratio_from_number_willing,
    ratio_from_threshold,
)
from stakes.elicitation.statement import Statement
from stakes.exceptions import FormatError

__all__ = ["is_number", "statements_of"]


def statements_of(row: Mapping[str, Any], k: int) -> tuple[Statement, ...]:
    """What one table says."""
    route = row.get("route")
    if not isinstance(route, str) or route not in _ROUTES:
        raise FormatError(
            f"unknown route {route!r} - at `answer[{k}]`.", hint=f"known: {', '.join(_ROUTES)}"
        )
    with reading_answer(f"answer[{k}]"):
        found = _ROUTES[route](row)
    name, date = str(row.get("name", "")), str(row.get("date", ""))
    return tuple(each.signed(name, date) for each in found)


def _from_preference(row: Mapping[str, Any]) -> tuple[Statement, ...]:
    """An answer to a question."""
    (m_a, m_b), (f_a, f_b) = (_counts(row[key], key) for key in ("misses", "alarms"))
    question = Question(int(row.get("cases", 0)), 0, (m_a, m_b), (f_a, f_b))
    answer: Any = row["prefers"]
    if isinstance(answer, str):
        answer = cast(Answer, answer.lower())  # the question calls them A and B
    return (question.statement(answer),)


def _counts(values: Any, key: str) -> list[int]:
    """How many, in A and in B."""
    if not isinstance(values, list) or len(values) != 2 or not all(map(_is_whole, values)):
        raise FormatError(f"`{key}` must be two whole numbers, of A and of B; got {values!r}.")
    return [int(n) for n in values]


def _is_whole(value: Any) -> bool:
    """Whether it is a number without a fraction."""
    return is_number(value) and math.isfinite(value) and value == int(value)


def is_number(value: Any) -> bool:
    """Whether TOML holds a number here."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _ends(row: Mapping[str, Any], key: str) -> list[float]:
    """A number, or the two ends of a range."""
    ends = row[key] if isinstance(row[key], list) else [row[key]]
    if len(ends) not in (1, 2) or not all(map(is_number, ends)):
        raise FormatError(f"`{key}` must be a number, or two ends of a range; got {row[key]!r}.")
    return ends


def _as_said(row: Mapping[str, Any]) -> tuple[Statement, ...]:
    """A ratio that came from data which are not here."""
    ends = _ends(row, "ratio")
    low, high = float(ends[0]), float(ends[-1])
    inputs = {"ratio": [low, high]}
    return (Statement(low, high, str(row.get("said", row["route"])), str(row["route"]), inputs),)


def _from_amounts(row: Mapping[str, Any]) -> tuple[Statement, ...]:
    """Amounts in money."""
    return (
        ratio_from_amounts(
            false_negative=row["fn"],
            false_positive=row["fp"],
            true_positive=row.get("tp", 0.0),
            true_negative=row.get("tn", 0.0),
        ),
    )


_ROUTES: dict[str, Callable[[Mapping[str, Any]], tuple[Statement, ...]]] = {
    "ratio": lambda row: (ratio_between(*_ends(row, "ratio")),),
    "threshold": lambda row: (ratio_from_threshold(*_ends(row, "threshold")),),
    "number_willing": lambda row: (ratio_from_number_willing(*_ends(row, "number")),),
    "amounts": _from_amounts,
    "ranking": lambda row: ratio_from_ranking(
        row["ranking"], error_share=row["error_share"], prior=row["prior"]
    ),
    "preference": _from_preference,
    "metric": _as_said,
    "sensitivity": _as_said,
}
