"""The short way to `stakes.integrations.torch`: ``from stakes.torch import ExpectedCostLoss``."""

from stakes.integrations import torch as _room
from stakes.integrations.torch import *  # noqa: F403

__all__ = _room.__all__
