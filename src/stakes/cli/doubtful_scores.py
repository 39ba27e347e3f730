"""Numbers that are said to be logarithms and look like probabilities: refused as in the library."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError, StakesError

__all__ = ["LOGARITHMS", "refuse_idle_narrow", "refuse_probabilities_said_logs"]

#: What scores are called that are logarithms, by the word of --scores-are.
LOGARITHMS = {"logit": "log-odds", "llr": "log-likelihood ratios"}


def refuse_probabilities_said_logs(
    scores: NDArray[np.float64],
    name: str,
    args: Any,
    weights: NDArray[np.float64] | None = None,
    *,
    looked_at: str = "",
    far: bool = False,
) -> None:
    """Raise when scores, one per case or per outcome, are said to be logarithms and look otherwise.

    Rows without a score or without weight are not looked at; `looked_at` says if others are not.
    One score per case passes when --narrow says that it is meant; ranks need rows that are not far.
    """
    if args.scores_are not in LOGARITHMS or (scores.ndim == 1 and getattr(args, "narrow", False)):
        return
    from stakes.calibration.not_logarithms import refuse_probabilities, refuse_probability_rows

    counts = ~np.isnan(scores.reshape(len(scores), -1)).any(axis=1)
    if weights is not None:
        counts &= weights > 0
    kept = scores[counts]
    try:
        if kept.ndim == 1:
            refuse_probabilities(kept, "scores", "")
        else:
            refuse_probability_rows(kept, "scores")
    except StakesError as error:
        said = error.message.replace("`scores`", f"the scores of '{name}'{looked_at}")
        said = said.replace("must be log odds", f"must be {LOGARITHMS[args.scores_are]}")
        hint = _hint(kept.ndim, args.scores_are, far, _apart(name, args))
        raise type(error)(said, hint=hint) from None


def _apart(name: str, args: Any) -> str:
    """What to type to read one of several models by itself: the others may well be logarithms."""
    given = str(getattr(args, "scores", None) or "").split(",")
    several = len(given) > 1 and name in given and not getattr(args, "trials", None)
    return f"--scores {shlex.quote(name)} " if several else ""


def _hint(dimensions: int, kind: str, far: bool, apart: str) -> str:
    """What to type."""
    lines = {"If they are probabilities": f"{apart}--scores-are prob"}
    if dimensions == 1 and not far:
        lines["If only the order means something"] = "--scores-are rank"
    if dimensions == 1:
        lines[f"If they are {LOGARITHMS[kind]} all the same"] = "--narrow"
    width = max(map(len, lines)) + 3
    return "\n".join(f"{question + ':':{width}}{option}" for question, option in lines.items())


def refuse_idle_narrow(args: Any) -> None:
    """Raise when --narrow is said of anything but one logarithm per case."""
    if getattr(args, "narrow", False) and not (args.scores and args.scores_are in LOGARITHMS):
        raise DataError(
            "--narrow does nothing here: it is for --scores that are log-odds or log-likelihood "
            "ratios.",
            hint="leave it out",
        )
