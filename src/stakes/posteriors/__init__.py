"""What the classifier says: posteriors, log-likelihood ratios and changes of base rate."""

from stakes.posteriors.posteriors import Posteriors, shift_priors
from stakes.posteriors.prior_estimation import (
    PriorEstimate,
    estimate_priors,
    estimate_priors_from_decisions,
)

__all__ = [
    "Posteriors",
    "PriorEstimate",
    "estimate_priors",
    "estimate_priors_from_decisions",
    "shift_priors",
]
