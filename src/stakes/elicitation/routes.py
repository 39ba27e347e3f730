"""Ways to say, directly or not, how many false alarms one miss is worth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stakes._columns import as_reals
from stakes.application.sentences import spoken
from stakes.elicitation.statement import Statement
from stakes.exceptions import CostError

__all__ = [
    "ratio_between",
    "ratio_from_amounts",
    "ratio_from_number_willing",
    "ratio_from_threshold",
]


def ratio_between(low: float, high: float | None = None) -> Statement:
    """Say it directly: one miss is worth as many false alarms as this, or from this to that.

    Parameters
    ----------
    low, high : float
        Positive; one number if it is known.

    Returns
    -------
    Statement
        What it implies for the ratio.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, appendix A.1: 35 for
       bankruptcy by one source, 10 to 50 by another.

    Examples
    --------
    >>> ratio_between(10, 50)
    Statement('one miss is worth 10 to 50 false alarms': ratio from 10 to 50)
    """
    high = low if high is None else high
    if not (0 < low <= high < math.inf):
        raise CostError(f"needs 0 < low <= high; got {low!r} and {high!r}.")
    amount = spoken(low) if low == high else f"{spoken(low)} to {spoken(high)}"
    low, high = float(low), float(high)
    said = f"one miss is worth {amount} false alarms"
    return Statement(low, high, said, "ratio", {"ratio": [low, high]})


def ratio_from_threshold(threshold: float, upper: float | None = None) -> Statement:
    """What acting at a probability implies: at p, a miss is worth (1 - p) / p false alarms.

    Parameters
    ----------
    threshold, upper : float
        The probability from which you act today, or the range it lies in; between 0 and 1.

    Returns
    -------
    Statement
        What it implies for the ratio.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 28 solved for the costs.

    Examples
    --------
    >>> ratio_from_threshold(0.3)
    Statement('you act at 30 %': ratio from 2.33333 to 2.33333)
    """
    upper = threshold if upper is None else upper
    if not 0 < threshold <= upper < 1:
        raise CostError(f"a threshold lies between 0 and 1; got {threshold!r} and {upper!r}.")
    amount = f"{100 * threshold:.4g}" + (f" to {100 * upper:.4g}" if upper != threshold else "")
    inputs = {"threshold": [threshold, upper]}
    return Statement(
        (1 - upper) / upper, (1 - threshold) / threshold, f"you act at {amount} %", "threshold",
        inputs,
    )  # fmt: skip


def ratio_from_number_willing(number: float, upper: float | None = None) -> Statement:
    """What a number willing to treat implies: acting on n cases to catch one positive.

    Parameters
    ----------
    number, upper : float
        How many cases you would act on to find one positive, or a range; above 1.

    Returns
    -------
    Statement
        All but one of the n are false alarms, so the ratio is n - 1.

    References
    ----------
    .. [1] A. J. Vickers, E. B. Elkin, "Decision curve analysis", Medical Decision Making 26,
       2006: the threshold is 1 / n.

    Examples
    --------
    >>> ratio_from_number_willing(20)
    Statement('you would act on 20 cases to catch one': ratio from 19 to 19)
    """
    upper = number if upper is None else upper
    if not 1 < number <= upper < math.inf:
        raise CostError(f"needs a number above 1; got {number!r} and {upper!r}.")
    amount = spoken(number) if upper == number else f"{spoken(number)} to {spoken(upper)}"
    said = f"you would act on {amount} cases to catch one"
    return Statement(number - 1, upper - 1, said, "number_willing", {"number": [number, upper]})


def ratio_from_amounts(
    *,
    false_negative: Any,
    false_positive: Any,
    true_positive: Any = 0.0,
    true_negative: Any = 0.0,
) -> Statement:
    """What amounts in money imply, each a number or a pair (from, to).

    Parameters
    ----------
    false_negative, false_positive, true_positive, true_negative : float or pair of float
        What each outcome costs; a gain is negative.

    Returns
    -------
    Statement
        (miss - hit) / (false alarm - correct rejection), from its least to its most.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eq 2: shifted costs.

    Examples
    --------
    >>> ratio_from_amounts(false_negative=(200, 400), false_positive=10, true_positive=10)
    Statement('a miss costs 200 to 400, a false alarm 10, a hit 10': ratio from 19 to 39)
    """
    fn, fp, tp, tn = (_pair(x) for x in (false_negative, false_positive, true_positive,
                                         true_negative))  # fmt: skip
    miss = fn[0] - tp[1], fn[1] - tp[0]
    alarm = fp[0] - tn[1], fp[1] - tn[0]
    if miss[0] <= 0 or alarm[0] <= 0:
        raise CostError(
            "errors must cost more than right decisions; a miss costs from "
            f"{miss[0]:g} and a false alarm from {alarm[0]:g} more.",
            hint="gains are negative costs",
        )
    parts = [f"a miss costs {_said(fn)}", f"a false alarm {_said(fp)}"]
    parts += [f"a hit {_said(tp)}"] if tp != (0.0, 0.0) else []
    parts += [f"a rightly ignored case {_said(tn)}"] if tn != (0.0, 0.0) else []
    inputs = {"fn": list(fn), "fp": list(fp), "tp": list(tp), "tn": list(tn)}
    return Statement(miss[0] / alarm[1], miss[1] / alarm[0], ", ".join(parts), "amounts", inputs)


# ----------------------------------------------------------------- privates


def _pair(amount: Any) -> tuple[float, float]:
    """A number or a range as two ends."""
    ends = np.atleast_1d(as_reals(amount, "amount", CostError))
    if ends.size not in (1, 2) or not np.isfinite(ends).all() or ends[0] > ends[-1]:
        raise CostError(f"an amount is a number, or a pair (from, to); got {amount!r}.")
    return float(ends[0]), float(ends[-1])


def _said(pair: tuple[float, float]) -> str:
    """An amount in words."""
    return spoken(pair[0]) if pair[0] == pair[1] else f"{spoken(pair[0])} to {spoken(pair[1])}"
