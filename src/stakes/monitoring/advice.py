"""What to do about what moved: a closed set of sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes._kernels import intervals
from stakes.exceptions import StakesError
from stakes.typing import Name

if TYPE_CHECKING:
    from stakes.monitoring.period_change import PeriodChange

__all__ = ["advice_on", "moved_threshold", "percent"]


def advice_on(change: PeriodChange) -> str:
    """One or two sentences: what moved, and what to do about it."""
    moved = set(change.moved)
    if not moved:
        return "Nothing moved more than chance: keep deciding as you do."
    gone = (change.priors_after == 0) & (change.priors_before > 0)
    if "priors" in moved and gone.any():
        return f"{_shares(change)}. {_about_gone(change.classes[int(gone.argmax())])}"
    if moved <= {"priors", "cost"} and "priors" in moved:
        return f"{_shares(change)}; {_within(change)} {_new_threshold(change)}"
    if "rates" in moved:
        also = f" {_shares(change)} too, so estimate the priors anew first." * ("priors" in moved)
        return f"{_errors(change)}.{also} {_remedy(change)}"
    way = "rose" if change.change > 0 else "fell"
    return (
        f"The cost {way}, but neither the shares of the outcomes nor the errors within them moved "
        "surely enough to say why: collect more cases, and look at both."
    )


def _shares(change: PeriodChange) -> str:
    """Which share moved most."""
    gaps = abs(change.priors_after - change.priors_before)
    k = int(gaps.argmax())
    if len(change.classes) == 2:
        k = 1  # the outcome that is acted on
    return (
        f"The share of {change.classes[k]!r} went from {percent(change.priors_before[k])} to "
        f"{percent(change.priors_after[k])}"
    )


def _within(change: PeriodChange) -> str:
    """That errors did not move."""
    return "the errors within each outcome moved no more than chance."


def _about_gone(name: Name) -> str:
    """What to do when a class is not met any more."""
    return (
        f"Find out first why there is no case of {name!r} any more: its labels may not have come "
        "in yet. Until then this period says nothing about the model."
    )


def _new_threshold(change: PeriodChange) -> str:
    """How to use the model at other shares."""
    cuts = moved_threshold(change)
    where = "Estimate the priors anew and decide with them; the model can stay"
    if cuts is None:
        return f"{where}: posteriors.with_priors(new, old=old)."
    old, new = cuts
    return (
        f"{where}: on probabilities made for the old shares, act above {new:.3g} instead of "
        f"{old:.3g}."
    )


def moved_threshold(change: PeriodChange) -> tuple[float, float] | None:
    """The cut on probabilities made for the old shares, at the old and at the new ones."""
    if len(change.classes) != 2 or change.application.costs.shape != (2, 2):
        return None
    p, q = change.priors_before, change.priors_after
    try:
        cut = change.application.posterior_threshold
    except StakesError:
        return None
    if not (0 < cut < 1 and 0 < p[1] < 1 and 0 < q[1] < 1):
        return None
    return cut, intervals.in_type(intervals.moved_threshold(cut, intervals.moved_shares(q, p)))


def _errors(change: PeriodChange) -> str:
    """Which class the errors of which moved most in cost."""
    parts = change.rate_parts
    k = int(abs(parts).argmax())
    way = "more" if parts[k] > 0 else "less"
    name = change.classes[k]
    if parts[k] == 0:
        return "The decisions within the outcomes moved, at no cost"
    return (
        f"Deciding about {name!r} costs {way} than it did: {change.class_costs_before[k]:.4g} -> "
        f"{change.class_costs_after[k]:.4g} for each"
    )


def _remedy(change: PeriodChange) -> str:
    """Recalibrate, retrain, or find out which."""
    if change.rate_part.value <= 0:
        return "It got no dearer: find out what changed before you rely on it."
    if change.ranking is None:
        return (
            "Re-calibrate on recent cases; if the ranking of cases got worse too (compare their "
            "scores), retrain."
        )
    if change.ranking < change.alpha:
        return "The ranking of cases changed as well, which calibration cannot mend: retrain."
    return (
        "The ranking of cases is what it was, so the model is still good: re-calibrate on recent "
        "cases."
    )


def percent(share: float) -> str:
    """A share in per cent, three digits."""
    return f"{100 * share:.3g} %"
