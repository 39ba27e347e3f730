"""What the classifier says: posteriors, log-likelihood ratios and changes of base rate."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.posteriors.posteriors import Posteriors as Posteriors
    from stakes.posteriors.posteriors import shift_priors as shift_priors
    from stakes.posteriors.prior_estimation import PriorEstimate as PriorEstimate
    from stakes.posteriors.prior_estimation import estimate_priors as estimate_priors
    from stakes.posteriors.prior_estimation import (
        estimate_priors_from_decisions as estimate_priors_from_decisions,
    )
