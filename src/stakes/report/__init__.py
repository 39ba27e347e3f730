"""Result -> page: what an evaluation found, as a verdict, a static HTML page and a record."""

from stakes.report.findings import Findings, ModelFinding, judge
from stakes.report.page import page
from stakes.report.record import record

__all__ = ["Findings", "ModelFinding", "judge", "page", "record"]
