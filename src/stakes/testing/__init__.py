"""Assertions for test suites: limits on the cost of models, and laws that metrics keep."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.testing.cost_bar import assert_cost as assert_cost
    from stakes.testing.metric_laws import LawReport as LawReport
    from stakes.testing.metric_laws import LawResult as LawResult
    from stakes.testing.metric_laws import assert_laws as assert_laws
    from stakes.testing.metric_laws import check_laws as check_laws
