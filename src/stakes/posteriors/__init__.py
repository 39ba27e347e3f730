"""What the classifier says: posteriors, log-likelihood ratios and changes of base rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes._lazy import loaded_on_use

__all__ = [
    "Posteriors",
    "PriorEstimate",
    "estimate_priors",
    "estimate_priors_from_decisions",
    "shift_priors",
]

if TYPE_CHECKING:
    from stakes.posteriors.posteriors import (
        Posteriors,
        shift_priors,
    )
    from stakes.posteriors.prior_estimation import (
        PriorEstimate,
        estimate_priors,
        estimate_priors_from_decisions,
    )

_HOMES = {
    "posteriors": (
        "Posteriors",
        "shift_priors",
    ),
    "prior_estimation": (
        "PriorEstimate",
        "estimate_priors",
        "estimate_priors_from_decisions",
    ),
}
__getattr__, __dir__ = loaded_on_use(__name__, _HOMES)
