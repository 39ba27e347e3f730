"""Laws that anybody can run on a metric of their own, in their own test suite."""

from stakes.testing.metric_laws import LawReport, LawResult, assert_laws, check_laws

__all__ = ["LawReport", "LawResult", "assert_laws", "check_laws"]
