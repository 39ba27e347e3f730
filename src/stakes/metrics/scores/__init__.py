"""Metrics of binary scores."""
