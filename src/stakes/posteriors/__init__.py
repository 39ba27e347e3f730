"""What the classifier says: posteriors, log-likelihood ratios and changes of base rate."""

from stakes.posteriors.posteriors import Posteriors
from stakes.posteriors.prior_estimation import PriorEstimate, estimate_priors
from stakes.posteriors.priors_from_decisions import estimate_priors_from_decisions
from stakes.posteriors.shift import shift_priors

__all__ = [
    "Posteriors",
    "PriorEstimate",
    "estimate_priors",
    "estimate_priors_from_decisions",
    "shift_priors",
]
