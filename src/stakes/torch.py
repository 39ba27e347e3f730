"""`stakes.integrations.torch` in short: ``from stakes.torch import ExpectedCostLoss``."""

from stakes.integrations import torch as _room
from stakes.integrations.torch import *  # noqa: F403

__getattr__ = _room.__getattr__
