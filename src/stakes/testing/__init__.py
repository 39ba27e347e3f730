"""Laws that anybody can run on a metric of their own, in their own test suite."""

from stakes.testing.checking import LawReport, assert_laws, check_laws
from stakes.testing.laws import LawResult

__all__ = ["LawReport", "LawResult", "assert_laws", "check_laws"]
