"""The short way to `stakes.integrations.sklearn`: ``from stakes.sklearn import make_cost_scorer``."""

from stakes.integrations import sklearn as _room
from stakes.integrations.sklearn import *  # noqa: F403

__all__ = _room.__all__
