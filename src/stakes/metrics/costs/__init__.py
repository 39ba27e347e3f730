"""Metrics that take costs."""
