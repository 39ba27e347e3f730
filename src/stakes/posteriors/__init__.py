"""What the classifier says: posteriors, log-likelihood ratios and changes of base rate."""

from stakes.posteriors.posteriors import Posteriors

__all__ = ["Posteriors"]
