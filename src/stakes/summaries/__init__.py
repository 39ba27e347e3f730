"""What happened: small summaries of the rows that merge by addition."""

from stakes.summaries.confusion import ConfusionMatrix

__all__ = ["ConfusionMatrix"]
