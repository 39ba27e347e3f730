"""`stakes.integrations.torch` in short: ``from stakes.torch import ExpectedCostLoss``."""

from stakes.integrations.torch import *  # noqa: F403
