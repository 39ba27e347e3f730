"""Fixtures that run the command line inside the test process."""

from command_runs import engine, run, write

__all__ = ["engine", "run", "write"]
