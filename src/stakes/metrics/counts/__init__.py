"""Metrics of a table of decisions."""
