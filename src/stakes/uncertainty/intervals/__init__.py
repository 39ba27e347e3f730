"""Intervals: of counts, scores, costs, with groups and weights."""
