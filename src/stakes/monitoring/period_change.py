"""What moved between two periods: the parts of the change, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from stakes._kernels import bayes_rule as intervals
from stakes.application import Application
from stakes.exceptions import StakesError
from stakes.results import Frame
from stakes.typing import FloatArray, Name


def _advice_on(change: PeriodChange) -> str:
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
        f"The share of {change.classes[k]!r} went from {_percent(change.priors_before[k])} to "
        f"{_percent(change.priors_after[k])}"
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
    cuts = _moved_threshold(change)
    where = "Estimate the priors anew and decide with them; the model can stay"
    if cuts is None:
        return f"{where}: posteriors.with_priors(new, old=old)."
    old, new = cuts
    return (
        f"{where}: on probabilities made for the old shares, act above {new:.3g} instead of "
        f"{old:.3g}."
    )


def _moved_threshold(change: PeriodChange) -> tuple[float, float] | None:
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


def _percent(share: float) -> str:
    """A share in per cent, three digits."""
    return f"{100 * share:.3g} %"


class Part(NamedTuple):
    """A part of a change in cost with its interval; see `PeriodChange`."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:+.4g} ({self.low:+.4g} to {self.high:+.4g})"


@dataclass(frozen=True, eq=False, repr=False)
class PeriodChange:
    """What moved between two periods; what `compare_periods` returns.

    Parameters
    ----------
    application : Application
        Costs, and priors if the cost is judged at given ones.
    before, after : float
        Cost per case of each period.
    cost : Part
        The change in cost with its interval.
    prior_part, rate_part : Part
        What of it came from the class shares and from the errors within classes; their values
        add to the change exactly.
    p_values, adjusted : dict
        For "cost", "priors" and "rates": probability of so much change if nothing had changed,
        and the same after Holm's correction for three questions.
    alpha : float
        What an adjusted probability must fall below for an alarm.
    priors_before, priors_after : array
        Class shares.
    class_costs_before, class_costs_after : array
        Mean cost of a case of each class.
    prior_parts, rate_parts : array
        The two parts by class.
    cases : pair of float
        Number of cases of each period.
    ranking : float or None
        Probability of so much change in the AUC by chance, if scores were given.
    """

    application: Application
    before: float
    after: float
    cost: Part
    prior_part: Part
    rate_part: Part
    p_values: dict[str, float]
    adjusted: dict[str, float]
    alpha: float
    priors_before: FloatArray
    priors_after: FloatArray
    class_costs_before: FloatArray
    class_costs_after: FloatArray
    prior_parts: FloatArray
    rate_parts: FloatArray
    cases: tuple[float, float]
    ranking: float | None = None

    @property
    def change(self) -> float:
        """Cost per case of the second period minus that of the first."""
        return self.cost.value

    @property
    def classes(self) -> tuple[Name, ...]:
        """The true classes."""
        return self.application.classes

    @property
    def moved(self) -> tuple[str, ...]:
        """Which of "cost", "priors" and "rates" moved more than chance."""
        return tuple(name for name, p in self.adjusted.items() if p <= self.alpha)

    @property
    def alarm(self) -> bool:
        """Whether anything moved more than chance."""
        return bool(self.moved)

    @property
    def advice(self) -> str:
        """What to do, in a sentence or two."""
        return _advice_on(self)

    def frame(self) -> Frame:
        """One row per class: shares, costs and parts of the change."""
        return Frame(
            {
                "truth": list(self.classes),
                "share_before": self.priors_before,
                "share_after": self.priors_after,
                "cost_before": self.class_costs_before,
                "cost_after": self.class_costs_after,
                "from_shares": self.prior_parts,
                "from_errors": self.rate_parts,
            }
        )

    def __str__(self) -> str:
        said = {
            name: f"p = {self.p_values[name]:.2g}{', moved' * (name in self.moved)}"
            for name in self.p_values
        }
        shares = ", ".join(
            f"{name} {_percent(p)} -> {_percent(q)}"
            for name, p, q in zip(
                self.classes[-3:], self.priors_before[-3:], self.priors_after[-3:], strict=True
            )
        )
        return "\n".join(
            [
                f"cost per case {self.before:.4g} -> {self.after:.4g}: {self.cost}; {said['cost']}",
                f"  from the shares of the outcomes: {self.prior_part}",
                f"  from the errors within them:     {self.rate_part}",
                f"shares: {shares}; {said['priors']}",
                f"errors within each outcome: {said['rates']}",
                self.advice,
            ]
        )

    def __repr__(self) -> str:
        what = ", ".join(self.moved) if self.alarm else "nothing"
        return f"<PeriodChange: cost {self.cost}; moved: {what}>"
