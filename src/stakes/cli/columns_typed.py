"""The columns of scores as they are typed, for a rule: `--columns A,B`."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Sequence

from stakes.exceptions import DataError
from stakes.inquiry.column_roles import words_of
from stakes.rules import DecisionRule


def columns_typed(text: str | None, rule: DecisionRule, table: Sequence[str] | None) -> list[str]:
    """The columns of a list with commas; a name in double quotes may hold one.

    So may the name of a column of the `table`. If the table is not known, what may also be one
    name is refused.
    """
    if not text:
        return []
    if text in (rule.columns or () if table is None else table):
        return [text]
    if '"' in text:
        cells = next(csv.reader(text.splitlines(), skipinitialspace=True))
        return [cell.strip() for cell in cells if cell.strip()]
    words = words_of(text)
    if table is None and len(words) > 1 and ", " in text and _may_be_one(words, rule):
        one, several = shlex.quote(f'"{text}"'), shlex.quote(",".join(words))
        raise DataError(
            f"'{text}' may be the name of one column, or of {len(words)}.",
            hint=f"for one:  --columns {one}\nfor {len(words)}:  --columns {several}",
        )
    return words


def _may_be_one(words: Sequence[str], rule: DecisionRule) -> bool:
    """Whether the rule can read one column, and these are not the columns that it knows."""
    single = len(rule.classes) == 2 or rule.scores == "decision"
    return single and not set(words) <= set(rule.columns or ())
