"""What the library says of calibrators, in the words of the command line."""

from __future__ import annotations

import re

from stakes.calibration.persistence import every_kind
from stakes.exceptions import StakesError
from stakes.inquiry.truth import Cases
from stakes.messages.quantities import grouped

#: What is written otherwise in Python; longer phrases come first.
PHRASES = (
    ('bound="data", or a number', "--bound 50"),
    ('bound="data"', "--bound data"),
    ("bound=", "--bound "),
    (', or tails="normal"', ""),
    (", or smoothing=True", ""),
    ("; if they are missing by design, name all: classes=[...]", ""),
    ("use fewer folds", "use fewer folds, such as --folds 2"),
    ("is not taken alone unless named", "is not taken alone unless named by --kind"),
    ("`scores`", "the scores"),
    ("`folds`", "--folds"),
    ("`groups`", "the values of --groups"),
    ("`sample_weight`", "--weight"),
)
#: Where the number of folds was wrong.
_FOLDS = re.compile(r"folds=(\d+), or the fold of each case")
_NAMES = {calibrator.__name__: kind for kind, calibrator in every_kind().items()}
_CLASS = re.compile(rf"\b({'|'.join(sorted(_NAMES, key=len, reverse=True))})\b(\(\))?")


def in_file(text: str, cases: Cases) -> str:
    """What a calibrator says, with the rows of the file, counted from 1, and the options.

    Names of outcomes, which the library puts in quotes or after "class", stay as they are.
    """
    names = "|".join(re.escape(name) for name in sorted(cases.classes, key=len, reverse=True))
    quoted = "|".join(re.escape(repr(name)) for name in cases.classes)
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\0{len(kept) - 1}\0"

    text = _translated(re.sub(rf"{quoted}|\bclass (?:{names})(?!\w)", keep, text), cases)
    return re.sub(r"\0(\d+)\0", lambda match: kept[int(match[1])], text)


def _translated(text: str, cases: Cases) -> str:
    """What the library wrote itself, in these words."""
    text = re.sub(r"\brow (\d+)\b", lambda match: _row(match, cases), text)
    for python, ours in PHRASES:
        text = text.replace(python, ours)
    text = _FOLDS.sub(r"--folds \1", text)
    found = 0

    def kind(match: re.Match[str]) -> str:
        nonlocal found
        found += 1
        return f"{'--kind ' if found == 1 else ''}{_NAMES[match[1]]}"

    return _CLASS.sub(kind, text).replace("`y_true`", f"'{cases.label}'")


def _row(match: re.Match[str], cases: Cases) -> str:
    """A row as the file counts it."""
    place = int(match[1])
    return f"row {grouped(cases.rows[place] + 1)}" if place < len(cases) else match[0]


def told(error: StakesError, cases: Cases) -> StakesError:
    """The same error in these words."""
    hint = None if error.hint is None else in_file(error.hint, cases)
    if hint is not None and "Posteriors(p)" in hint:  # how to pass probabilities in Python
        hint = "--scores-are posterior"
    return type(error)(in_file(error.message, cases), hint=hint)
