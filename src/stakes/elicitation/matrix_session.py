"""Costs of more than two classes or decisions: the cost matrices that agree with all answers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_pair, keep_numbers, of_kind, two_numbers
from stakes._columns import as_reals, in_brief
from stakes._guesses import AnswersGuesses
from stakes._names import as_names, listed, place_of
from stakes._random import as_generator
from stakes.application import CostMatrix, UncertainApplication
from stakes.elicitation.agreement import alarm_in, without_some
from stakes.elicitation.question import MatrixQuestion, asked_about
from stakes.exceptions import CostError, DataError
from stakes.messages.audience import either
from stakes.results import Frame, frame_of
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name

#: Steps between two kept draws, for each unknown.
_THINNING = 2
_BURN_IN = 50
#: Greatest number of points that are tried on a line.
_MOST_TRIES = 60
#: Inequalities may be violated by this much, relative to their size, because of rounding.
_SLACK = 1e-9


def _inner_point(rows: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray | None:
    """A point of {x : rows @ x >= 0, low <= x <= high} far from its edges; None if empty."""
    from scipy.optimize import linprog

    size = low.size
    free = (high > low).astype(np.float64)
    goal = np.append(np.zeros(size), -1.0)  # the largest margin
    upper = np.column_stack([-rows, np.abs(rows).sum(axis=1)])
    wall, margin = np.eye(size), (free * low)[:, None]
    walls = np.block([[-wall, margin], [wall, margin]])
    found = linprog(
        goal,
        A_ub=np.vstack([upper, walls]),
        b_ub=np.concatenate([np.full(len(upper), _SLACK), -low, high]),
        bounds=[(None, None)] * size + [(0, 1)],
    )
    return np.clip(found.x[:-1], low, high) if found.status == 0 else None


def _least_and_most(
    rows: FloatArray, low: FloatArray, high: FloatArray, k: int
) -> tuple[float, float]:
    """The least and the greatest possible value of entry `k`."""
    from scipy.optimize import linprog

    ends = []
    for sign in (1.0, -1.0):
        goal = np.zeros(low.size)
        goal[k] = sign
        for slack in (0.0, _SLACK):  # exactly, or up to rounding if no point is left
            found = linprog(goal, -rows, np.full(len(rows), slack), bounds=np.stack([low, high], 1))
            if found.status == 0:
                break
        ends.append(float(f"{found.x[k]:.9g}"))
    return ends[0], ends[1]


def _drawn(
    rows: FloatArray, low: FloatArray, high: FloatArray, n: int, rng: np.random.Generator
) -> FloatArray:
    """Points of the set, uniform in their logarithms: hit and run, with shrinking steps."""
    at = _inner_point(rows, low, high)
    assert at is not None
    x, groups = np.log(at), _linked(rows, low.size)
    fixed = np.unique(groups[high <= low])
    moving = np.setdiff1d(groups, fixed)
    if moving.size == 0:
        return np.repeat(at[None], n, axis=0)
    free = np.flatnonzero(np.isin(groups, moving))
    member = np.searchsorted(moving, groups[free])
    bottom, top = np.log(low[free]), np.log(high[free])
    slack = _SLACK * np.abs(rows).sum(axis=1) * high.max()
    kept, line = np.empty((n, low.size)), np.zeros(low.size)
    steps = _THINNING * moving.size
    for k in range(-_BURN_IN, n):
        for _ in range(steps):
            direction = rng.normal(size=moving.size)[member]
            with np.errstate(divide="ignore"):
                ends = np.stack([(bottom - x[free]) / direction, (top - x[free]) / direction])
            start = min(float(ends.min(axis=0).max()), 0.0)
            stop = max(float(ends.max(axis=0).min()), 0.0)
            line[free] = direction
            for _ in range(_MOST_TRIES):  # until a point of the line is in the set, as x is
                step = rng.uniform(start, stop)
                if (rows @ np.exp(x + step * line) >= -slack).all():
                    x = x + step * line
                    break
                start, stop = (step, stop) if step < 0 else (start, step)
        if k >= 0:
            kept[k] = np.exp(x)
    return np.clip(kept, low, high)


def _linked(rows: FloatArray, size: int) -> NDArray[np.intp]:
    """The number of each entry's group; entries of a group have fixed ratios to each other."""
    groups = np.arange(size)
    pairs = [row / np.abs(row).max() for row in rows if np.count_nonzero(row) == 2]
    for first, second in itertools.combinations(pairs, 2):
        i, j = np.flatnonzero(first)
        ratio = -first[i] / first[j]
        if second[i] * second[j] < 0 and np.flatnonzero(second).tolist() == [i, j]:
            opposite = first[i] * second[i] < 0
            if opposite and abs(-second[i] / second[j] / ratio - 1) < _SLACK:
                groups[groups == groups[j]] = groups[i]
    return groups


Cell = tuple[Name, Name]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MatrixStatement:
    """A statement about the cells of a cost matrix; see `MatrixElicitation`.

    Parameters
    ----------
    coefficients : array of shape (n_classes, n_decisions)
        The sum over all cells of coefficient times cost is not negative.
    said : str
        The statement in words.
    inputs : mapping
        What it was made from, so that it can be replayed.
    """

    coefficients: FloatArray
    said: str
    inputs: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"MatrixStatement({self.said!r})"


@dataclass(frozen=True, eq=False, repr=False)
class MatrixElicitation(AnswersGuesses):
    """A conversation about the costs of several classes or decisions.

    The decision with the name of the class costs nothing; one other cell is the unit. Statements
    bound ratios of cells, or prefer one outcome to another; a set of matrices remains possible.

    Parameters
    ----------
    classes, decisions : sequence of names
        Rows and columns; without `decisions`, the columns are the classes.
    unit : pair of names, optional
        Truth and decision of the cell that costs 1; default, the first that is not free.
    limit : float
        No cell costs more than `limit`, or less than 1 / `limit`, units.
    statements : tuple of MatrixStatement
        The statements so far.
    rng : int
        Seed of the draws.
    draws : int
        Number of draws.

    Examples
    --------
    >>> talk = MatrixElicitation(["cat", "dog", "fox"], limit=100)
    >>> talk = talk.ratio(("fox", "cat"), ("cat", "dog"), between=(5, 20))
    >>> talk = talk.ratio(("fox", "dog"), ("fox", "cat"), between=(1, 1))
    >>> talk.bounds(("fox", "dog"))
    (5.0, 20.0)
    """

    classes: Sequence[Any]
    decisions: Sequence[Any] | None = None
    unit: Cell | None = None
    limit: float = 1000.0
    statements: tuple[MatrixStatement, ...] = ()
    rng: int = 0
    draws: int = 500
    free: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        rows = as_names(self.classes, "classes", CostError)
        names = rows if self.decisions is None else as_names(self.decisions, "decisions", CostError)
        keep_numbers(self, "limit")
        self._hold(self.statements)
        free = np.array([[truth == decision for decision in names] for truth in rows])
        if free.all() or not 1 < self.limit < np.inf:
            raise DataError(
                "there must be a cell that costs something, and a finite limit above 1."
            )
        first = tuple(np.argwhere(~free)[0])
        unit = (rows[first[0]], names[first[1]]) if self.unit is None else self.unit
        known = {"classes": rows, "decisions": names, "free": free, "unit": unit}
        for name, value in known.items():
            object.__setattr__(self, name, value)
        if free[self._at(unit)]:
            raise DataError(f"the unit {unit} is a right decision, which costs nothing.")

    # ------------------------------------------------------------- saying something

    def ratio(self, cell: Cell, other: Cell, *, between: tuple[float, float]) -> MatrixElicitation:
        """State that one cell costs `between` two multiples of what another costs."""
        low, high = two_numbers(between, "between", CostError)
        if not 0 < low <= high < np.inf:
            raise CostError(f"needs 0 < low <= high, both finite; got {low!r} and {high!r}.")
        statements = []
        for side, ratio, sign in (("at least", low, 1.0), ("at most", high, -1.0)):
            row = np.zeros(self.free.shape)
            row[self._at(cell)], row[self._at(other)] = sign, -sign * ratio
            said = f"{_cell(cell)} costs {side} {ratio:g} times {_cell(other)}"
            inputs = {"cell": list(cell), "other": list(other), side.replace(" ", "_"): ratio}
            statements.append(MatrixStatement(row, said, inputs))
        return self.stated(*statements)

    def preferred(self, better: Any, worse: Any, *, said: str = "") -> MatrixElicitation:
        """State that one outcome, a table of counts, is no worse than another."""
        given = [getattr(table, "counts", table) for table in (better, worse)]
        tables = [as_reals(table, "outcome") for table in given]
        for table in tables:
            if table.shape != self.free.shape:
                raise DataError(f"outcomes must have shape {self.free.shape}; got {table.shape}.")
        gap = tables[1] - tables[0]
        if not np.isfinite(gap).all():
            raise DataError("outcomes must be finite counts.")
        inputs = {"better": tables[0].tolist(), "worse": tables[1].tolist()}
        words = of_kind(said, "said", str) or "you prefer one outcome to another"
        return self.stated(MatrixStatement(gap, words, inputs))

    def stated(self, *statements: MatrixStatement) -> MatrixElicitation:
        """The conversation with more statements."""
        self._hold(statements)
        return replace(self, statements=(*self.statements, *statements))

    def without(self, *positions: int) -> MatrixElicitation:
        """The conversation without the statements at these positions."""
        return replace(self, statements=without_some(self.statements, positions))

    # ------------------------------------------------------------- what is known

    @cached_property
    def contradictions(self) -> tuple[int, ...]:
        """A minimal set of statements, by position, that cannot all be true; empty if all can."""
        rows, kept = self._rows, list(range(len(self.statements)))
        if _inner_point(rows, *self._box) is not None:
            return ()
        for k in range(len(rows)):  # drop statements that the contradiction does not need
            rest = [other for other in kept if other != k]
            if _inner_point(rows[rest], *self._box) is None:
                kept = rest
        return tuple(kept)

    def bounds(self, cell: Cell) -> tuple[float, float]:
        """The least and the most that a cell may cost, in units."""
        self._refuse_contradictions()
        place = self._at(cell)
        if self.free[place]:
            return 0.0, 0.0
        k = np.argwhere(~self.free).tolist().index(list(place))
        return _least_and_most(self._rows, *self._box, k)

    @cached_property
    def samples(self) -> FloatArray:
        """Matrices that agree with every answer, uniform on a logarithmic scale."""
        self._refuse_contradictions()
        values = _drawn(self._rows, *self._box, self.draws, as_generator(self.rng))
        costs = np.zeros((len(values), *self.free.shape))
        costs[:, ~self.free] = values
        return costs

    def application(self, priors: Any = None, **settings: Any) -> UncertainApplication:
        """An application with all matrices that are still possible."""
        if settings.get("unit") is not None:
            alarm_in(settings["unit"])  # refused
        return UncertainApplication.from_samples(
            self.samples, priors, classes=self.classes, decisions=self.decisions, **settings
        )

    @property
    def middle(self) -> CostMatrix:
        """The geometric middle of the matrices that are still possible."""
        values = np.zeros(self.free.shape)
        values[~self.free] = np.exp(np.log(self.samples[:, ~self.free]).mean(axis=0))
        return CostMatrix(values, classes=self.classes, decisions=self.decisions)

    def question(
        self, systems: Mapping[str, ConfusionMatrix], *, tolerance: float = 0.02, cases: int = 1000
    ) -> MatrixQuestion | None:
        """The most useful question about the outcomes of two systems; None when done.

        Done means that, for every matrix drawn, one system loses at most `tolerance` of the cost
        of the best naive decision. If a single answer led there, it is asked again, the other way
        round.
        """
        found = asked_about(systems, self.samples, tolerance=tolerance, cases=cases)
        return found or self._other_way_round()

    def _other_way_round(self) -> MatrixQuestion | None:
        """The only question that was answered, mirrored; None if there are more statements."""
        if len(self.statements) != 1 or "better" not in self.statements[0].inputs:
            return None
        said = self.statements[0].inputs
        side = -1 if said.get("prefers", "a") == "a" else 1  # swap the letters
        outcomes = [np.asarray(said[name]) for name in ("better", "worse")][::side]
        systems = list(said.get("systems", ("one", "the other")))[::side]
        why = "one answer alone decides, so the same question follows the other way round"
        return MatrixQuestion(
            (systems[0], systems[1]), (outcomes[0], outcomes[1]), tuple(self.classes),
            tuple(self.decisions or ()), float(side > 0), why,
        )  # fmt: skip

    def answered(self, question: MatrixQuestion, *, prefers: str) -> MatrixElicitation:
        """The conversation with an answer: "a", "b", or "=" for cannot say.

        An earlier answer about the same two outcomes is removed if this one contradicts it or is
        "=".
        """
        if place_of(prefers, ("a", "b", "=")) is None:
            raise DataError(f"an answer is 'a', 'b' or '='; got {in_brief(prefers)}.")
        of_kind(question, "question", MatrixQuestion)
        side = 1 if prefers == "a" else -1
        (better, worse), names = question.outcomes[::side], question.systems[::side]
        back = [k for k, s in enumerate(self.statements)
                if np.array_equal(s.coefficients, better - worse)
                or (prefers == "=" and np.array_equal(s.coefficients, worse - better))]  # fmt: skip
        if back or prefers == "=":
            return self.without(*back) if back else self
        said = f"you prefer the outcome of {names[0]!r} to that of {names[1]!r}"
        made = self.preferred(better, worse, said=said).statements[-1]
        inputs = {**made.inputs, "systems": names, "prefers": prefers}
        return self.stated(replace(made, inputs=inputs))

    def frame(self) -> Frame:
        """One row per cell that costs something: truth, decision, least, most."""
        cells = [(self.classes[i], (self.decisions or ())[j]) for i, j in np.argwhere(~self.free)]
        rows = [(*cell, *self.bounds(cell)) for cell in cells]
        return frame_of(("truth", "decision", "least", "most"), rows)

    # ------------------------------------------------------------- privates

    def _at(self, cell: Cell) -> tuple[int, int]:
        """Position of a cell."""
        truth, decision = as_pair(cell, "cell", "(truth, decision)")
        at = place_of(truth, self.classes), place_of(decision, self.decisions or ())
        if at[0] is None or at[1] is None:
            raise DataError(
                f"no cell {in_brief(cell)}; truths are {listed(self.classes)}, decisions "
                f"{listed(self.decisions or ())}."
            )
        return at[0], at[1]

    @staticmethod
    def _hold(statements: Any) -> None:
        """Raise unless these are statements about costs."""
        for each in of_kind(statements, "statements", tuple, list):
            of_kind(each, "statements", MatrixStatement, hint=".ratio(...) or .preferred(...)")

    @property
    def _box(self) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest cost of each cell before any answer."""
        low, high = np.full(self.free.shape, 1 / self.limit), np.full(self.free.shape, self.limit)
        assert self.unit is not None
        low[self._at(self.unit)] = high[self._at(self.unit)] = 1.0
        return low[~self.free], high[~self.free]

    @property
    def _rows(self) -> FloatArray:
        """The inequalities of the statements."""
        rows = [each.coefficients[~self.free] for each in self.statements]
        return np.array(rows).reshape(len(rows), int((~self.free).sum()))

    def _refuse_contradictions(self) -> None:
        """Raise when no matrix agrees with everything."""
        if self.contradictions:
            said = "; ".join(self.statements[k].said for k in self.contradictions)
            raise CostError(
                f"these answers contradict: {said}.",
                hint=either(
                    f"take one of them back: .without(k) for k in {self.contradictions}",
                    "edit the file of answers",
                ),
            )

    def __repr__(self) -> str:
        return (
            f"MatrixElicitation({len(self.classes)} classes x {self.free.shape[1]} decisions, "
            f"{len(self.statements)} statements)"
        )


def _cell(cell: Cell) -> str:
    """A cell in words."""
    return f"deciding {cell[1]!r} when it is {cell[0]!r}"
