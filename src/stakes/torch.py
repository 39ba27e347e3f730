"""`stakes.integrations.torch` in short: ``from stakes.torch import ExpectedCostLoss``."""

from typing import Any

from stakes.integrations import torch as _room
from stakes.integrations.torch import *  # noqa: F403


def __getattr__(name: str) -> Any:
    return getattr(_room, name)
