"""Reviewers: people as second classifiers, with a fee, hours and an error matrix of their own."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._checks import as_number, as_whole, frozen, of_kind
from stakes._columns import as_reals
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._names import as_names, listed
from stakes.exceptions import CostError, DataError
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name

#: What is added to each count, before anything was seen (Jeffreys).
_BEFORE = 0.5


@dataclass(frozen=True, eq=False)
class Reviewer(AnswersGuesses):
    """A person who looks at a case and says which class it is.

    Parameters
    ----------
    name : str
        What the reviewer is called in plans.
    errors : array-like of shape (n_classes, n_classes)
        How often each class (rows) is called each class (columns); rows add to 1.
    fee : float
        What a review costs, in the unit of the costs.
    minutes : float
        What a review takes.
    hours : float
        How many hours there are for this batch; without an end if infinite.
    counts : array-like of shape (n_classes, n_classes), optional
        The doubly labelled cases that `errors` come from, so that their doubt is known.
    classes : sequence of names, optional
        The classes of the rows and columns; those of the costs, in their order, if absent.

    Examples
    --------
    >>> anna = Reviewer.from_labels("Anna", [0] * 50 + [1] * 50, [0] * 48 + [1] * 50 + [0] * 2,
    ...                             fee=4, minutes=6, hours=8)
    >>> anna.errors.round(3)
    array([[0.951, 0.049],
           [0.049, 0.951]])
    >>> anna.cases
    80
    """

    name: str
    errors: FloatArray
    fee: float = 0.0
    minutes: float = 1.0
    hours: float = math.inf
    counts: FloatArray | None = None
    classes: tuple[Name, ...] | None = None

    def __post_init__(self) -> None:
        keep = object.__setattr__
        of_kind(self.name, "name", str)
        table = as_reals(self.errors, "errors", DataError)
        square = table.ndim == 2 and table.shape[0] == table.shape[1] and table.size > 0
        if not square or not (table >= 0).all() or not np.allclose(table.sum(axis=1), 1, atol=1e-6):
            raise DataError(
                f"`errors` of {self.name!r} must have a row for each class that adds to 1; got "
                f"{table.tolist()}.",
                hint="Reviewer.from_labels(name, y_true, said) counts doubly labelled cases",
            )
        keep(self, "errors", frozen(table))
        for name in ("fee", "minutes", "hours"):
            keep(self, name, as_number(getattr(self, name), name))
        if not (math.isfinite(self.fee) and 0 < self.minutes < math.inf and self.hours >= 0):
            raise DataError(
                f"{self.name!r} has a fee of {self.fee:g}, {self.minutes:g} minutes per case and "
                f"{self.hours:g} hours, which cannot be meant."
            )
        if self.counts is not None:
            counts = as_reals(self.counts, "counts", DataError)
            if counts.shape != table.shape or not (counts >= 0).all():
                raise DataError(f"`counts` of {self.name!r} must be those of {table.shape}.")
            keep(self, "counts", frozen(counts))
        if self.classes is not None:
            keep(self, "classes", as_names(self.classes, "classes"))
            if len(self.classes) != len(table):
                raise DataError(f"`classes` of {self.name!r} must name {len(table)} classes.")

    @classmethod
    @answers_guesses
    def from_labels(
        cls,
        name: str,
        y_true: Any,
        said: Any,
        *,
        classes: Any = None,
        fee: float = 0.0,
        minutes: float = 1.0,
        hours: float = math.inf,
    ) -> Reviewer:
        """A reviewer whose errors are counted on doubly labelled cases.

        Parameters
        ----------
        name : str
            What the reviewer is called.
        y_true, said : column
            The truth, and what the reviewer said.
        classes : sequence of names, optional
            All classes; those that occur if absent.
        fee, minutes, hours : float
            As in `Reviewer`.

        Returns
        -------
        Reviewer
            Its errors are the expected ones after the counts (Jeffreys prior). It keeps
            the names of the classes, so that a plan finds them whatever the order of the costs.
        """
        table = ConfusionMatrix.from_decisions(y_true, said, classes=classes)
        if table.classes != table.decisions:
            raise DataError(f"{name!r} must say one of the classes {listed(table.classes)}.")
        counts = np.asarray(table.counts, dtype=np.float64)
        smooth = counts + _BEFORE
        errors = smooth / smooth.sum(axis=1, keepdims=True)
        return cls(name, errors, fee, minutes, hours, counts, table.classes)

    @classmethod
    @answers_guesses
    def perfect(
        cls,
        name: str,
        classes: int = 2,
        *,
        fee: float = 0.0,
        minutes: float = 1.0,
        hours: float = math.inf,
    ) -> Reviewer:
        """An expert who is always right, as `CostMatrix.with_abstention` assumes."""
        return cls(name, np.eye(as_whole(classes, "classes", most=1000)), fee, minutes, hours)

    @property
    def cases(self) -> float:
        """How many cases the hours suffice for; infinite without an end."""
        found = self.hours * 60 / self.minutes
        return found if math.isinf(found) else math.floor(found + 1e-9)

    def drawn(self, rng: np.random.Generator) -> FloatArray:
        """Errors as they may be, by what the counts leave open; without counts they are known."""
        if self.counts is None:
            return self.errors
        draws = rng.standard_gamma(self.counts + _BEFORE)
        return np.asarray(draws / draws.sum(axis=1, keepdims=True))

    def in_order(self, classes: tuple[Name, ...]) -> Reviewer:
        """The reviewer with errors in the order of the costs, matched by the names of classes."""
        if self.classes is None or self.classes == classes:
            return self
        texts = [str(name) for name in self.classes]
        if len(set(texts)) < len(texts) or sorted(texts) != sorted(map(str, classes)):
            raise CostError(
                f"{self.name!r} knows the classes {listed(self.classes)}; those of the costs are "
                f"{listed(classes)}.",
                hint="name the classes of the costs:  CostMatrix(costs, classes=...)",
            )
        at = [texts.index(str(name)) for name in classes]
        ordered = np.ix_(at, at)
        counts = None if self.counts is None else self.counts[ordered]
        return replace(self, errors=self.errors[ordered], counts=counts, classes=classes)
