"""UncertainApplication: costs and priors of which a range or a distribution is known, and draws
of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, methodcaller
from typing import Any, NamedTuple

import numpy as np

from stakes._checks import as_priors, as_whole, frozen, of_kind
from stakes._columns import as_array, as_reals
from stakes._names import table_names
from stakes._random import as_generator
from stakes.application.application import Application, as_application
from stakes.application.cost_matrix import AMOUNTS, CostMatrix, binary_amounts
from stakes.application.unknowns import DirichletShares, Unknown, equal_or_given
from stakes.application.written_amounts import volume_and_period
from stakes.exceptions import CostError, PriorError
from stakes.typing import FloatArray, Name, RandomSource


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Draws:
    """Several possible applications; made by `UncertainApplication`.

    Parameters
    ----------
    costs : array of shape (n, n_classes, n_decisions)
        One cost matrix per draw.
    priors : array of shape (n, n_classes), optional
        Shares of the classes per draw; `None`: those of the data.
    weights : array of shape (n,)
        Probability of each draw.
    """

    costs: FloatArray
    priors: FloatArray | None
    weights: FloatArray

    def __len__(self) -> int:
        return int(self.costs.shape[0])

    def resolved_priors(self, priors: FloatArray | None = None) -> FloatArray:
        """The shares of each draw; if the draws have none, `priors`, those of the data."""
        if self.priors is not None:
            return self.priors
        if priors is None:
            raise PriorError("the priors are those of the data, and there are no data here.")
        return np.broadcast_to(priors, (len(self), self.costs.shape[1]))

    def __repr__(self) -> str:
        return f"Draws({len(self)} of {self.costs.shape[1]} classes x {self.costs.shape[2]})"


class Term(NamedTuple):
    """Something unknown, and how the costs grow with it."""

    amount: Unknown
    direction: FloatArray


class Affine(NamedTuple):
    """Costs that grow in proportion to what is unknown."""

    base: FloatArray
    terms: tuple[Term, ...]


def parts_of(costs: Any) -> tuple[FloatArray, tuple[Term, ...], Draws | None]:
    """The known costs, the unknown terms and the draws, from costs in any form."""
    if isinstance(costs, Draws):
        return np.zeros(costs.costs.shape[1:]), (), costs
    if isinstance(costs, CostMatrix):
        return costs.values.copy(), (), None
    if isinstance(costs, Affine):
        return costs.base, costs.terms, None
    rows = [list(of_kind(row, "costs", Iterable)) for row in of_kind(costs, "costs", Iterable)]
    if not rows or any(len(row) != len(rows[0]) for row in rows) or not rows[0]:
        raise CostError("`costs` must be a table: one row per class, all of one length.")
    base, terms = np.zeros((len(rows), len(rows[0]))), []
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            if isinstance(cell, Unknown):
                direction = np.zeros_like(base)
                direction[i, j] = 1.0
                terms.append(Term(cell, direction))
            else:
                base[i, j] = _number(cell, i, j)
    return base, tuple(terms), None


def _number(cell: Any, i: int, j: int) -> float:
    """A known cost."""
    try:
        value = float(cell)
    except (OverflowError, TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise CostError(
            f"`costs` must hold finite numbers or unknowns; row {i}, column {j} is {cell!r}.",
            hint="a range is written Between(5, 20)",
        )
    return value


def checked_priors(priors: Any, classes: tuple[Name, ...]) -> Any:
    """Priors that fit the classes."""
    if priors is None or not isinstance(priors, (DirichletShares, Unknown)):
        return None if priors is None else frozen(as_priors(priors, classes))
    if isinstance(priors, DirichletShares):
        if len(priors.concentration) != len(classes):
            raise PriorError(
                f"`priors` must have a share for each of the {len(classes)} classes; got {priors}."
            )
    elif len(classes) != 2:
        raise PriorError("one unknown share is for two classes; use DirichletShares([...]).")
    elif priors.low < 0 or priors.high > 1:
        raise PriorError(f"a share lies between 0 and 1; got {priors}.")
    return priors


#: More unknown costs than this have too many corners to look at one by one.
_MOST_UNKNOWNS = 12


# A range is a set, never read as one cost: docs/design/unknown-costs.md.
@dataclass(frozen=True, eq=False, repr=False, init=False)
class UncertainApplication:
    """What is at stake, when costs or priors are only known roughly.

    By linearity, decisions depend on the expected costs alone: `expected` is the application
    to decide with. For how much the uncertainty matters, and which system is best under it, see
    `stakes.metrics.compare_under_uncertainty`.

    Parameters
    ----------
    costs : nested sequence of shape (n_classes, n_decisions)
        Each entry a number or something unknown (`Between`, `LogUniform`, `BetaShare`,
        `Alternatives`, `Samples`), independent of each other.
    priors : sequence, DirichletShares, or something unknown, optional
        Shares of the classes. For two classes, something unknown is the share of the second.
        `None`: those of the data.
    classes, decisions : sequence of names, optional
        As in `CostMatrix`.
    unit, volume, period : optional
        As in `Application`.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, eqs 18-19.

    Examples
    --------
    >>> from stakes.application import Between
    >>> app = UncertainApplication([[0, 1], [Between(5, 20), 0]], priors=Between(0.02, 0.05))
    >>> app
    UncertainApplication(2 classes x 2 decisions: 1 unknown in the costs, priors unknown)
    >>> app.expected.costs.values.round(3)
    array([[ 0.  ,  1.  ],
           [10.82,  0.  ]])
    >>> len(app.corners())
    4
    """

    base: FloatArray
    terms: tuple[Term, ...]
    given: Draws | None
    priors: Any
    classes: tuple[Name, ...]
    decisions: tuple[Name, ...]
    unit: str | None
    volume: float | None
    period: str | None

    def __init__(
        self,
        costs: Any,
        priors: Any = None,
        *,
        classes: Sequence[Any] | None = None,
        decisions: Sequence[Any] | None = None,
        unit: str | None = None,
        volume: float | str | None = None,
        period: str | None = None,
    ) -> None:
        base, terms, given = parts_of(costs)
        rows, columns = table_names(base.shape, classes, decisions, CostError)
        if given is not None and given.priors is not None and priors is not None:
            raise PriorError("`priors` are given twice: with the draws and beside them.")
        shares = checked_priors(priors, rows)
        vars(self).update(base=frozen(base), terms=terms, given=given, priors=shares)
        volume, period = volume_and_period(volume, period)
        vars(self).update(classes=rows, decisions=columns, unit=unit, volume=volume, period=period)

    # ------------------------------------------------------------- ways to make one

    @classmethod
    def binary(
        cls,
        *,
        fn: Any = None,
        fp: Any = None,
        tp: Any = None,
        tn: Any = None,
        priors: Any = None,
        **settings: Any,
    ) -> UncertainApplication:
        """Two classes, two decisions; each cost a number or something unknown.

        Examples
        --------
        >>> from stakes.application import Between
        >>> UncertainApplication.binary(fn=Between(5, 20), fp=1)
        UncertainApplication(2 classes x 2 decisions: 1 unknown in the costs)
        """
        words = {word: settings.pop(word) for word in AMOUNTS if word in settings}
        amounts = binary_amounts({"fn": fn, "fp": fp, "tp": tp, "tn": tn, **words})
        cells = [[amounts["tn"], amounts["fp"]], [amounts["fn"], amounts["tp"]]]
        return cls(cells, priors, **settings)

    @classmethod
    def from_weight(
        cls, weight: Unknown, priors: Any = None, **settings: Any
    ) -> UncertainApplication:
        """Two classes by the cost weight w = C_FN / (C_FN + C_FP) alone (`wa2025` eqs 4-7).

        A miss costs w and a false alarm 1 - w, so that they always add to 1.

        Examples
        --------
        >>> from stakes.application import BetaShare
        >>> app = UncertainApplication.from_weight(BetaShare(9, 1))
        >>> app.expected.costs.values.round(3)
        array([[0. , 0.1],
               [0.9, 0. ]])
        """
        of_kind(weight, "weight", Unknown, hint="weight=Between(0.2, 0.4)", error=CostError)
        if weight.low < 0 or weight.high > 1:
            raise CostError(f"`weight` must lie between 0 and 1; got {weight!r}.")
        term = Term(weight, np.array([[0.0, -1.0], [1.0, 0.0]]))
        costs = Affine(np.array([[0.0, 1.0], [0.0, 0.0]]), (term,))
        return cls(costs, priors, **settings)

    @classmethod
    def alternatives(
        cls, applications: Sequence[Any], probabilities: Sequence[float] | None = None
    ) -> UncertainApplication:
        """One of several applications or cost matrices, each with a probability.

        Examples
        --------
        >>> low, high = CostMatrix([[0, 1], [5, 0]]), CostMatrix([[0, 1], [15, 0]])
        >>> UncertainApplication.alternatives([low, high], [0.3, 0.7]).expected.costs.values
        array([[ 0.,  1.],
               [12.,  0.]])
        """
        apps = [as_application(app) for app in of_kind(applications, "applications", Iterable)]
        if not apps:
            raise CostError("`applications` must hold at least one application; got none.")
        first = apps[0]
        for app in apps:
            if (app.classes, app.decisions) != (first.classes, first.decisions):
                raise CostError(f"all must share classes and decisions; got {first} and {app}.")
        named = [app.priors for app in apps if app.priors is not None]
        if 0 < len(named) < len(apps):
            raise PriorError("either all applications name their priors, or none does.")
        weights = equal_or_given(probabilities, len(apps), "probabilities")
        costs = np.stack([app.costs.values for app in apps])
        settings = ("classes", "decisions", "unit", "volume", "period")
        return cls(
            Draws(costs, np.stack(named) if named else None, weights),
            **{name: getattr(first, name) for name in settings},
        )

    @classmethod
    def from_samples(
        cls, costs: Any, priors: Any = None, *, weights: Any = None, **settings: Any
    ) -> UncertainApplication:
        """Draws of cost matrices (n, n_classes, n_decisions) and, if given, priors (n, n_classes).

        A row of `priors` belongs to the matrix of the same number, so both may depend on each
        other; one set of priors holds for all draws.

        Examples
        --------
        >>> costs = [[[0, 1], [5, 0]], [[0, 1], [15, 0]]]
        >>> app = UncertainApplication.from_samples(costs, [[0.9, 0.1], [0.7, 0.3]])
        >>> app.expected.priors, app.expected.costs.values[1]
        (array([0.8, 0.2]), array([12.5,  0. ]))
        """
        matrices = as_reals(costs, "costs", CostError)
        if matrices.ndim != 3 or matrices.size == 0 or not np.isfinite(matrices).all():
            raise CostError(
                "`costs` must be finite, of shape (n, n_classes, n_decisions); got shape "
                f"{matrices.shape}."
            )
        n = matrices.shape[0]
        shares = equal_or_given(weights, n, "weights")
        paired = priors is not None and not isinstance(priors, (Unknown, DirichletShares))
        if paired and not isinstance(priors, Mapping) and as_array(priors, "priors").ndim == 2:
            if not len(priors):
                raise PriorError("`priors` has no rows.")
            classes = settings.get("classes") or range(matrices.shape[1])
            rows = np.stack([as_priors(row, tuple(classes)) for row in priors])
            if rows.shape[0] != n:
                raise PriorError(f"`priors` has {rows.shape[0]} rows for {n} cost matrices.")
            return cls(Draws(matrices, rows, shares), **settings)
        return cls(Draws(matrices, None, shares), priors, **settings)

    # ------------------------------------------------------------- what decides

    @property
    def expected(self) -> Application:
        """The application that decides: expected costs under expected priors.

        If draws of costs and priors depend on each other, the costs are weighted so that
        every expected cost is right.
        """
        shares = self.expected_priors
        if self.given is None:
            values = self.base + sum(t.amount.mean * t.direction for t in self.terms)
        else:
            weights, priors, costs = self.given.weights, self.given.priors, self.given.costs
            values = np.tensordot(weights, costs, axes=1)
            if priors is not None and shares is not None:
                joint = np.einsum("s,si,sij->ij", weights, priors, costs)
                np.divide(joint, shares[:, None], out=values, where=shares[:, None] > 0)
        matrix = CostMatrix(values, classes=self.classes, decisions=self.decisions)
        return Application(matrix, shares, self.unit, self.volume, self.period)

    @property
    def expected_priors(self) -> FloatArray | None:
        """The shares of the classes on average; `None` where they are those of the data."""
        if self.given is not None and self.given.priors is not None:
            return np.asarray(self.given.weights @ self.given.priors)
        shares: FloatArray | None = self._shares(attrgetter("mean"))
        return shares

    def _shares(self, of: Callable[[Any], Any]) -> Any:
        """The shares of the classes; `of` says what to take of shares that are unknown."""
        if not isinstance(self.priors, Unknown):
            return of(self.priors) if isinstance(self.priors, DirichletShares) else self.priors
        second = np.asarray(of(self.priors))
        return np.stack([1 - second, second], axis=-1)

    # ------------------------------------------------------------- what may be

    def sample(self, draws: int = 1000, *, rng: RandomSource = None) -> Draws:
        """Draw `draws` possible applications, equally probable."""
        size, random = as_whole(draws, "draws"), as_generator(rng)
        given, priors = self.given, None
        if given is not None:
            rows = random.choice(len(given), size=size, p=given.weights / given.weights.sum())
            costs, priors = given.costs[rows], None if given.priors is None else given.priors[rows]
        else:
            costs = np.repeat(self.base[None], size, axis=0)
            for term in self.terms:
                costs += term.amount.sample(size, random)[:, None, None] * term.direction
        if priors is None and self.priors is not None:
            priors = self._shares(methodcaller("sample", size, random))
            priors = np.array(np.broadcast_to(priors, (size, len(self.classes))))
        return Draws(costs, priors, np.full(size, 1 / size))

    def corners(self) -> Draws:
        """The extreme applications, in which every unknown is at one of its ends.

        For given decisions the regret is convex in the costs and in the priors, so its worst
        case is at a corner. Every given draw counts as a corner.
        """
        if self.given is not None and self.given.priors is not None:
            return self.given
        costs = self._extreme_costs() if self.given is None else self.given.costs

        def ends(unknown: Any) -> FloatArray:  # all of one class, or the least and the most
            shares = isinstance(unknown, DirichletShares)
            return np.eye(len(self.classes)) if shares else np.unique([unknown.low, unknown.high])

        priors = self._shares(ends)
        if priors is None:
            return Draws(costs, None, np.full(len(costs), np.nan))
        priors = np.atleast_2d(priors)
        pairs = np.repeat(costs, len(priors), axis=0), np.tile(priors, (len(costs), 1))
        return Draws(*pairs, np.full(len(pairs[0]), np.nan))

    def _extreme_costs(self) -> FloatArray:
        """The cost matrices in which every unknown cost is at one of its ends."""
        if len(self.terms) > _MOST_UNKNOWNS:
            raise CostError(
                f"{len(self.terms)} unknown costs have 2^{len(self.terms)} corners.",
                hint=f"at most {_MOST_UNKNOWNS}; or UncertainApplication.from_samples(...)",
            )
        values = self.base[None]
        for amount, direction in self.terms:
            ends = np.unique([amount.low, amount.high])
            raised = values[:, None] + ends[:, None, None] * direction
            values = raised.reshape(-1, *self.base.shape)
        return values

    def __repr__(self) -> str:
        size = f"{len(self.classes)} classes x {len(self.decisions)} decisions"
        if self.given is not None:
            joint = " and priors" if self.given.priors is not None else ""
            parts = [f"{len(self.given)} draws of the costs{joint}"]
        else:
            parts = [f"{len(self.terms)} unknown in the costs"]
        if isinstance(self.priors, (Unknown, DirichletShares)):
            parts.append("priors unknown")
        return f"UncertainApplication({size}: {', '.join(parts)})"


def settled(application: Any) -> Application:
    """The application to decide with; for an uncertain one, its expectation."""
    if isinstance(application, UncertainApplication):
        return application.expected
    return as_application(application)
