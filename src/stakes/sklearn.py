"""`stakes.integrations.sklearn` in short: ``from stakes.sklearn import make_cost_scorer``."""

from stakes.integrations import sklearn as _room
from stakes.integrations.sklearn import *  # noqa: F403

__getattr__ = _room.__getattr__
