"""Advice on a change: keep deciding, use new priors, re-calibrate, or retrain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stakes.messages.quantities import aligned, cut_text, signed
from stakes.rules import DecisionRule

if TYPE_CHECKING:
    from stakes.monitoring.periods import PeriodChange

NOTHING_MOVED = "Nothing moved more than chance: keep deciding as you do."
TOO_FEW = "Too few cases to see a change: no alarm, but no evidence either. Use longer periods."
FEW_TO_COMPARE = (
    "Too few cases in the reference to see a change: no alarm, but no evidence either. Use a "
    "longer reference."
)
#: With fewer cases of a class in a period, no change is seen.
_FEW = 10


def advice_on(change: PeriodChange) -> str:
    """One or two sentences: what moved, and what to do about it."""
    moved = set(change.moved)
    if not moved:
        return TOO_FEW if _few(change) else NOTHING_MOVED
    gone = (change.priors_after == 0) & (change.priors_before > 0)
    if "priors" in moved and gone.any():
        name = change.classes[int(gone.argmax())]
        return (
            f"{_shares(change)}. Find out first why there is no case of {name!r} any more: its "
            "labels may not have come in yet. Until then this period says nothing about the model."
        )
    if "priors" in moved and "rates" not in moved:
        quiet = "the errors within each outcome moved no more than chance"
        return f"{_shares(change)}; {quiet}. {_new_threshold(change)}"
    if "rates" in moved:
        also = f" {_shares(change)} too, so estimate the priors again first." * ("priors" in moved)
        return f"{_errors(change)}.{also} {_remedy(change)}"
    way = "rose" if change.change > 0 else "fell"
    return (
        f"The cost {way}, but neither the shares of the outcomes nor the errors within them moved "
        "surely enough to say why: collect more cases, and look at both."
    )


def parts_of(change: PeriodChange) -> dict[str, str]:
    """The change in cost per case and its two parts, with intervals, in equal decimals."""
    parts = {
        "cost per case": change.cost,
        "from the class mix": change.prior_part,
        "from the error rates": change.rate_part,
    }
    middles = [part.value for part in parts.values()]  # with the decimals that a table has
    texts = iter(signed([number for part in parts.values() for number in part], middles))
    return {name: f"{next(texts)} ({next(texts)} to {next(texts)})" for name in parts}


def _few(change: PeriodChange) -> bool:
    """Whether a period has few cases of a class that occurs and whose decisions cost something."""
    counts = np.outer(change.cases, [1.0]) * [change.priors_before, change.priors_after]
    matters = (np.ptp(change.application.costs.values, axis=1) > 0) & (counts > 0).any(axis=0)
    return bool((counts[:, matters] < _FEW).any())


def _shares(change: PeriodChange) -> str:
    """Which share moved most; with two outcomes, that of the outcome that is acted on."""
    p, q = change.priors_before, change.priors_after
    k = 1 if len(change.classes) == 2 else int(abs(q - p).argmax())
    went = f"went from {in_per_cent(p[k])} to {in_per_cent(q[k])}"
    return f"The share of {change.classes[k]!r} {went}"


def _new_threshold(change: PeriodChange) -> str:
    """How to use the model at new shares: the new cut on probabilities for the old ones."""
    where = "Estimate the priors again and decide with them; the model can stay"
    p, q = change.priors_before, change.priors_after
    if change.application.costs.shape == (2, 2) and 0 < p[1] < 1 and 0 < q[1] < 1:
        rule = DecisionRule(change.application.with_priors(p))
        old, new = rule.threshold, rule.moved(q).threshold
        if rule.taken == (0, 1) and old is not None and new is not None and 0 < old < 1:
            cuts = f"act above {cut_text(new)} instead of {cut_text(old)}"
            return f"{where}: on probabilities made for the old shares, {cuts}."
    return f"{where}: posteriors.with_priors(new, from_priors=old)."


def _errors(change: PeriodChange) -> str:
    """The class whose errors changed the cost most."""
    k = int(abs(change.rate_parts).argmax())
    if change.rate_parts[k] == 0:
        return "The decisions within the outcomes moved, at no cost"
    way = "rose" if change.rate_parts[k] > 0 else "fell"
    both = aligned([change.class_costs_before[k], change.class_costs_after[k]])
    while "." in both[0] and all(each[-1] in "0." for each in both):
        both = [each[:-1] for each in both]
    unit = f" {change.application.unit}" if change.application.unit else ""
    return f"Cost per {change.classes[k]!r} {way} from {both[0]} to {both[1]}{unit}"


def _remedy(change: PeriodChange) -> str:
    """Recalibrate, retrain, or find out which."""
    if change.rate_part.value <= 0:
        return "The cost did not rise: find out what changed before you rely on it."
    if change.ranking is None:
        return (
            "Re-calibrate on recent cases; if the ranking of cases got worse too (compare their "
            "scores), retrain."
        )
    if change.ranking < change.alpha:
        return "The ranking of cases changed as well, which calibration cannot fix: retrain."
    good = "The ranking of cases is what it was, so the model is still good"
    return f"{good}: re-calibrate on recent cases."


def in_per_cent(share: float) -> str:
    """A share in per cent, with three digits."""
    return f"{100 * share:.3g} %"
