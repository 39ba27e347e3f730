"""Laws that anybody can run on a metric of their own, in their own test suite."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.testing.metric_laws import LawReport as LawReport
    from stakes.testing.metric_laws import LawResult as LawResult
    from stakes.testing.metric_laws import assert_laws as assert_laws
    from stakes.testing.metric_laws import check_laws as check_laws
