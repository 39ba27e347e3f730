"""`stakes.integrations.sklearn` in short: ``from stakes.sklearn import make_cost_scorer``."""

from typing import Any

from stakes.integrations import sklearn as _room
from stakes.integrations.sklearn import *  # noqa: F403


def __getattr__(name: str) -> Any:
    return getattr(_room, name)
