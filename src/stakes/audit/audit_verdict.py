"""What an audit found about a metric: facts, and the verdict in a few sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.audit.candidates import CandidateAudit
from stakes.audit.compliance_result import Compliance, short
from stakes.audit.implied_costs import ImpliedCosts
from stakes.audit.misranking import MisrankingRate
from stakes.audit.opposition import OppositePair
from stakes.results import Frame

#: Relative difference of prices of a miss below which they count as the same.
_SAME_PRICE = 1e-3


def _miss_price(implied: ImpliedCosts) -> float:
    """The implied price of a miss; `nan` for more than two classes."""
    return implied.miss_cost if implied.costs.shape == (2, 2) else math.nan


def _against(implied: ImpliedCosts, app: Application | None) -> str:
    """The implied price next to the one that is meant."""
    if app is None or app.costs.shape != (2, 2) or not math.isfinite(_miss_price(implied)):
        return implied.sentence
    (tn, fp), (fn, tp) = app.costs.values.tolist()
    if fp == tn:
        return implied.sentence
    meant = (fn - tp) / (fp - tn)
    if abs(implied.miss_cost - meant) <= _SAME_PRICE * abs(meant):
        return f"{implied.sentence[:-1]}, as your costs do."
    return f"{implied.sentence[:-1]}; your costs say {short(meant, 3)}."


def _misranked(rate: MisrankingRate, app: Application | None) -> str:
    """The misranking rate in words."""
    whose = "your costs" if app is not None else "a utility matrix drawn at random"
    return (
        f"Of two good classifiers it picks the wrong one for {whose} in "
        f"{100 * rate.rate:.1f} % of cases (± {100 * rate.standard_error:.1f})."
    )


def _choice(found: CandidateAudit, app: Application | None) -> str:
    """The choice among candidates in words."""
    if np.isnan(found.values).all():
        return "Among your candidates it chooses none: it is undefined for each of them."
    if found.chosen == found.cheapest or found.regret == 0:
        return f"Among your candidates it chooses {found.chosen}, which is the cheapest."
    unit = f" {app.unit}" if app is not None and app.unit else ""
    return (
        f"Among your candidates it chooses {found.chosen}; {found.cheapest} would cost "
        f"{found.regret:.4g}{unit} a case less."
    )


@dataclass(frozen=True, slots=True)
class Audit:
    """What a metric rewards, next to what is at stake; made by `audit`.

    Parameters
    ----------
    metric : str
        Its name.
    application : Application or None
        What is at stake.
    compliance : Compliance
        Whether it ranks as any cost matrix does.
    opposite : OppositePair or None
        Two tables that it ranks opposite to the costs.
    implied : ImpliedCosts or None
        The costs that it implies at the given operating point; None where it implies none.
    misranking : MisrankingRate
        How often it ranks two good classifiers against the costs.
    candidates : CandidateAudit or None
        What it makes of the given candidates.
    remark : str
        Why it implies no costs at the given operating point, if so.
    """

    metric: str
    application: Application | None
    compliance: Compliance
    opposite: OppositePair | None
    implied: ImpliedCosts | None
    misranking: MisrankingRate
    candidates: CandidateAudit | None
    remark: str = ""

    @property
    def compliant(self) -> bool:
        """Whether it ranks as some cost matrix does."""
        return self.compliance.compliant

    @property
    def agrees(self) -> bool:
        """Whether it ranks as the costs of the application do, wherever it was tried."""
        return self.compliant and self.application is not None and self.opposite is None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict in words."""
        lines = [self.compliance.sentence]
        if self.agrees:
            lines.append("Those are your costs: choosing by it is choosing by cost.")
        elif self.compliant and self.application is not None:
            lines.append("Those are not your costs.")
        if self.implied is not None:
            lines.append(_against(self.implied, self.application))
        elif self.remark:
            lines.append(self.remark)
        if self.opposite is not None:
            lines.append(self.opposite.sentence)
        lines.append(_misranked(self.misranking, self.application))
        if self.candidates is not None:
            lines.append(_choice(self.candidates, self.application))
        return tuple(lines)

    @property
    def verdict(self) -> str:
        """The sentences as one text."""
        return " ".join(self.sentences)

    def frame(self) -> Frame:
        """One row of facts, as in the table of `audit_all`."""
        return Frame({name: [value] for name, value in self.row().items()})

    def row(self) -> dict[str, Any]:
        """The facts by name."""
        low, high = _price_range(self.compliance)
        return {
            "metric": self.metric,
            "compliant": self.compliant,
            "failure": self.compliance.failure or "",
            "miss_cost_low": low,
            "miss_cost_high": high,
            "misranking": self.misranking.rate,
            "standard_error": self.misranking.standard_error,
            "implied_miss_cost": math.nan if self.implied is None else _miss_price(self.implied),
            "regret": _regret(self.candidates),
        }

    def __repr__(self) -> str:
        kind = "compliant" if self.compliant else str(self.compliance.failure)
        return f"Audit({self.metric}: {kind}, misranks {100 * self.misranking.rate:.3g} %)"

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def _regret(found: CandidateAudit | None) -> float:
    """The regret; `nan` without candidates that the metric has a value for."""
    return math.nan if found is None or np.isnan(found.values).all() else found.regret


def _price_range(found: Compliance) -> tuple[float, float]:
    """Smallest and largest price of a miss in false alarms over all that was tried."""
    low, high = found.slopes["miss_cost_low"], found.slopes["miss_cost_high"]
    if len(low) == 0:
        return math.nan, math.nan
    if found.compliant:
        return found.miss_cost, found.miss_cost
    return float(min(low)), float(max(high))
