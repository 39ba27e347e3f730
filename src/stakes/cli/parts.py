"""Which part of the cases differs from the rest beyond chance, when parts were judged apart."""

from __future__ import annotations

from stakes.application import Application
from stakes.cli.cost_sizes import refuse_beyond_squares
from stakes.evaluation import Evaluation
from stakes.exceptions import CostError, DataError, StakesError
from stakes.monitoring import compare_segments
from stakes.report.amounts import grouped

__all__ = ["about_parts", "refuse_many_parts"]

#: More parts than this are not judged apart: a table of them says nothing to anybody.
MOST_PARTS = 200


def refuse_many_parts(name: str, count: int) -> None:
    """Raise for a column that is no division into parts, such as an id or an amount."""
    if count > MOST_PARTS:
        raise DataError(
            f"'{name}' has {grouped(count)} values; at most {MOST_PARTS} parts are judged apart.",
            hint="give a column with fewer values, such as a region or an age group\n"
            f"cases that belong together, such as those of a customer:  --group {name}",
        )


def about_parts(ev: Evaluation, app: Application) -> list[str]:
    """A sentence about the parts of the best model, with the number of parts allowed for."""
    tables = {name: part[ev.best].confusion for name, part in ev.slices.items()}
    if len(tables) < 2:
        return []
    try:
        refuse_beyond_squares(app.costs)
    except CostError as error:
        return [f"parts were not compared: {error.message}"]
    try:
        found = compare_segments(tables, application=app)
    except StakesError:  # weights, or a class that a part does not have
        return []
    level = f"{100 * found.level:g} %"
    return [f"{ev.best} by part ({level} for all {len(tables)} parts together): {found.verdict}"]
