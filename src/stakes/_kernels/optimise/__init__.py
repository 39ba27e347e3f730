"""Minimisation: Newton's method on convex problems, and what it is used for."""
