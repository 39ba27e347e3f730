"""Result -> page: what an evaluation found, as a page, Markdown, PDF and a record."""

from stakes.report.findings import Findings, ModelFinding, judge, record
from stakes.report.schema import schema

__all__ = ["Findings", "ModelFinding", "judge", "record", "schema"]
