"""What the library says of calibrators, in the words of the command line."""

from __future__ import annotations

import re

from stakes.calibration.calibrator import kinds
from stakes.cli.cases import Cases
from stakes.exceptions import StakesError
from stakes.report.amounts import grouped

__all__ = ["in_file", "told"]

#: What is written otherwise in Python; longer phrases come first.
PHRASES = (
    ('bound="data", or a number', "--bound 50"),
    ('bound="data"', "--bound data"),
    ("bound=", "--bound "),
    (', or tails="normal"', ""),
    (", or smoothing=True", ""),
    ("; if they are missing by design, name all: classes=[...]", ""),
    ("folds=5, or the fold of each case", "--folds 5"),
    ("use fewer folds", "use fewer folds, such as --folds 2"),
    ("is not taken alone unless named", "is not taken alone unless named by --kind"),
    ("`scores`", "the scores"),
    ("`folds`", "--folds"),
    ("`groups`", "the values of --group"),
    ("`sample_weight`", "--weight"),
)
_NAMES = {calibrator.__name__: kind for kind, calibrator in kinds.items()}
_CLASS = re.compile(rf"\b({'|'.join(sorted(_NAMES, key=len, reverse=True))})\b(\(\))?")


def in_file(text: str, cases: Cases) -> str:
    """What a calibrator says, with the rows of the file, counted from 1, and the options."""
    text = re.sub(r"\brow (\d+)\b", lambda m: f"row {grouped(cases.rows[int(m[1])] + 1)}", text)
    for python, ours in PHRASES:
        text = text.replace(python, ours)
    text = text.replace("`y_true`", f"'{cases.label}'")
    found = 0

    def kind(match: re.Match[str]) -> str:
        nonlocal found
        found += 1
        return f"{'--kind ' if found == 1 else ''}{_NAMES[match[1]]}"

    return _CLASS.sub(kind, text)


def told(error: StakesError, cases: Cases) -> StakesError:
    """The same error in these words."""
    hint = None if error.hint is None else in_file(error.hint, cases)
    return type(error)(in_file(error.message, cases), hint=hint)
