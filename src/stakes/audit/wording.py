"""What an audit found, in words."""

from __future__ import annotations

import math

import numpy as np

from stakes.application import Application
from stakes.audit.candidates import CandidateAudit
from stakes.audit.implied import ImpliedCosts
from stakes.audit.laws import short
from stakes.audit.misranking import MisrankingRate

__all__ = ["against", "choice", "misranked", "miss_price"]

#: Relative difference of prices of a miss below which they count as the same.
SAME_PRICE = 1e-3


def miss_price(implied: ImpliedCosts) -> float:
    """The implied price of a miss; `nan` for more than two classes."""
    return implied.miss_cost if implied.costs.shape == (2, 2) else math.nan


def against(implied: ImpliedCosts, app: Application | None) -> str:
    """The implied price next to the one that is meant."""
    if app is None or app.costs.shape != (2, 2) or not math.isfinite(miss_price(implied)):
        return implied.sentence
    (tn, fp), (fn, tp) = app.costs.values.tolist()
    if fp == tn:
        return implied.sentence
    meant = (fn - tp) / (fp - tn)
    if abs(implied.miss_cost - meant) <= SAME_PRICE * abs(meant):
        return f"{implied.sentence[:-1]}, as your costs do."
    return f"{implied.sentence[:-1]}; your costs say {short(meant, 3)}."


def misranked(rate: MisrankingRate, app: Application | None) -> str:
    """The misranking rate in words."""
    whose = "your costs" if app is not None else "a utility matrix drawn at random"
    return (
        f"Of two good classifiers it picks the wrong one for {whose} in "
        f"{100 * rate.rate:.1f} % of cases (± {100 * rate.standard_error:.1f})."
    )


def choice(found: CandidateAudit, app: Application | None) -> str:
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
