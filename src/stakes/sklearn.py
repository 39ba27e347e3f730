"""`stakes.integrations.sklearn` in short: ``from stakes.sklearn import make_cost_scorer``."""

from stakes.integrations.sklearn import *  # noqa: F403
