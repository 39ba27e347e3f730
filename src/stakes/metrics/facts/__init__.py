"""The catalogue: what is known about each metric."""
