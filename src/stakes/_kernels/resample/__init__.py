"""Draws: bootstrap, Poisson counts, permutations."""
