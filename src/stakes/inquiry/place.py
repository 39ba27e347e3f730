"""The place where the models will run: shares filled in, decisions that never pay named."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from stakes.application import (
    Application,
    CostMatrix,
    dominated_decisions,
)
from stakes.exceptions import CostError, DataError, PriorError
from stakes.inquiry.cost_words import refuse_beyond_volume, shares
from stakes.inquiry.inquiry_form import Inquiry
from stakes.inquiry.truth import Cases
from stakes.messages.notes import Note
from stakes.messages.quantities import percent
from stakes.sources.table import Table


class Placed(NamedTuple):
    """An application with its shares filled in, and the one to judge at.

    The latter has shares only if they were given: those of the data vary with the data.
    """

    app: Application
    judged: Application


def at_place(app: Application, data_priors: NDArray[Any], inquiry: Inquiry) -> Placed:
    """The application with its shares filled in: those given, or else those of the data."""
    refuse_beyond_volume(app)
    given = bool(inquiry.prevalence) or app.priors is not None
    classes = texts(app.classes)
    if inquiry.prevalence:
        app = app.with_priors(shares(inquiry.prevalence, classes))
    there = app.resolved_priors(data_priors)
    for name, here, share in zip(classes, data_priors, there, strict=True):
        if share == 1 and given:
            raise PriorError(
                f"you said that every case is '{name}', so there is nothing to decide."
            )
        if share == 1:
            raise DataError(
                f"every case here is '{name}', so nothing can be said about the others.",
                hint="bring cases of every outcome",
            )
        if here == 0 and share > 0:
            raise DataError(
                f"you said that {percent(share)} of the cases are '{name}', but there is none in "
                "the data, so nobody knows what it would cost.",
                hint=f"bring cases of '{name}', or set its share to 0",
            )
    found = app.with_priors(there)
    return Placed(found, found if given else app.with_priors(None))


def refuse_or_name_dominated(costs: CostMatrix) -> list[Note]:
    """Raise when one decision is never worse than all others; name the other wasted ones."""
    found = dominated_decisions(costs)
    if found and len(found) == len(costs.decisions) - 1:
        raise CostError(str(found[0]), hint="check the costs: rows are the truth")
    return [Note("dominated", sentence=str(each)) for each in found]


def texts(names: tuple[Any, ...]) -> tuple[str, ...]:
    """Names as text."""
    return tuple(str(name) for name in names)


def groups_of(table: Table, cases: Cases, name: str | None) -> NDArray[Any] | None:
    """Which cases belong together, as numbers; None when each stands for itself."""
    if name is None:
        return None
    labels = table.labels(name)
    codes = labels.codes[cases.rows]
    if (codes < 0).any():
        row = int(cases.rows[int((codes < 0).argmax())]) + 1
        raise DataError(
            f"'{name}', which says what belongs together, is empty in row {row}.",
            hint="give every case a group, if only its own",
        )
    return codes
