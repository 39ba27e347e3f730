"""Bundled examples: small data sets and the seeded simulator that made them."""

from stakes.demonstration.simulator import (
    churn_csv,
    example_files,
    example_path,
    loans_csv,
    month_csv,
    pets_costs,
    pets_csv,
)

__all__ = [
    "churn_csv",
    "example_files",
    "example_path",
    "loans_csv",
    "month_csv",
    "pets_costs",
    "pets_csv",
]
