"""The published tables and figures of five papers, recomputed through the public names of `stakes`.

One folder per paper; `stakes reproduce` lists and runs them.
"""

from stakes.papers.items import Cell, Claim, Context, Item, Outcome, Paper, Source

__all__ = ["Cell", "Claim", "Context", "Item", "Outcome", "Paper", "Source"]
