"""Which part of the cases differs from the rest beyond chance, when parts were judged apart."""

from __future__ import annotations

from stakes.application import Application
from stakes.evaluation import Evaluation
from stakes.exceptions import StakesError
from stakes.monitoring import compare_segments

__all__ = ["about_parts"]


def about_parts(ev: Evaluation, app: Application) -> list[str]:
    """A sentence about the parts of the best model, with the number of parts allowed for."""
    tables = {name: part[ev.best].confusion for name, part in ev.slices.items()}
    if len(tables) < 2:
        return []
    try:
        found = compare_segments(tables, application=app)
    except StakesError:  # weights, or a class that a part does not have
        return []
    level = f"{100 * found.level:g} %"
    return [f"{ev.best} by part ({level} for all {len(tables)} parts together): {found.verdict}"]
