"""Posteriors: the probability of each class by a classifier, and the move to other priors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_matrix, as_posterior_array, as_priors, frozen, refuse_bad_posteriors
from stakes._columns import as_array, as_column, as_floats, row_labels
from stakes._guesses import AnswersGuesses
from stakes._kernels.class_scores import log_softmax, shift_log_priors
from stakes._names import as_names, listed
from stakes.exceptions import PosteriorError, PriorError, StakesError
from stakes.messages.audience import row
from stakes.posteriors.class_order import (
    ClassOrder,
    column_place,
    is_single_column,
    named_places,
    told_places,
)
from stakes.typing import FloatArray, Name, Priors


def are_certain(values: NDArray[Any]) -> bool:
    """Whether every number is exactly 0 or 1: so are decisions, and hardly ever probabilities."""
    return bool(len(values)) and all(
        bool(((part == 0) | (part == 1)).all()) for part in (values[:1000], values)
    )


def refuse_decisions(model: str, how: str, otherwise: str) -> NoReturn:
    """Raise for probabilities that are all 0 or 1; the hint covers decisions and probabilities."""
    raise PosteriorError(
        f"every probability of {model!r} is exactly 0 or 1, so these look like decisions.",
        hint=f"If they are decisions:              {how}\n"
        f"If they are probabilities even so:  {otherwise}",
        code="certain",
    )


# docs/design/priors.md says why the meaning of scores is stated, never guessed.
@dataclass(frozen=True, eq=False, repr=False, init=False)
class Posteriors(AnswersGuesses):
    """Posterior probability of each class for each case.

    Use a named constructor for anything that is not already a probability: numbers outside
    [0, 1], or rows that do not add to one, are refused rather than repaired.

    Parameters
    ----------
    values : array-like of shape (n_cases, n_classes) or (n_cases,)
        Probabilities. A single column is the posterior of the second of two classes.
    classes : sequence of names, optional
        One per column, in their order. Columns of a data frame with these names are found by name.
        Named posteriors are matched to costs by name, whatever the order of either.

    Attributes
    ----------
    named : bool
        Whether the classes were named; otherwise they are positions.
    single : bool
        Whether they came as one column, and nothing named its class.

    Examples
    --------
    >>> Posteriors([[0.9, 0.1], [0.4, 0.6]]).values[1]
    array([0.4, 0.6])
    >>> Posteriors.from_logits([[0.0, 0.0]]).values
    array([[0.5, 0.5]])
    >>> Posteriors.from_llrs([0.0], priors=[0.8, 0.2]).values
    array([[0.8, 0.2]])
    """

    log_values: FloatArray
    classes: tuple[Name, ...]
    named: bool
    single: bool
    given: NDArray[np.floating[Any]] | None

    def __init__(self, values: Any, classes: Sequence[Any] | None = None) -> None:
        array = _columns_of(values)
        refuse_bad_posteriors(array)
        if classes is not None:
            classes = as_names(classes, "classes")
            array = _by_name(array, values, classes)
        wide, single = array.astype(np.float64), array.ndim == 1
        with np.errstate(divide="ignore"):
            if single:
                logs = np.column_stack([np.log1p(-wide), np.log(wide)])
                array = np.column_stack([1 - array, array])
            else:
                logs = np.log(wide)
        self._keep(logs, classes, given=np.array(array), single=single)._label(values)

    @classmethod
    def from_logits(cls, logits: Any, classes: Sequence[Any] | None = None) -> Posteriors:
        """From scores before the softmax, (n, K); or posterior log odds of class 2, (n,)."""
        scores = _log_columns(logits, "logits", classes)
        return cls._from_scores(
            scores, classes, single=as_array(logits, "logits").ndim == 1
        )._label(logits)

    @classmethod
    def from_log_posteriors(
        cls, log_posteriors: Any, classes: Sequence[Any] | None = None
    ) -> Posteriors:
        """From natural logarithms of posteriors, (n, K), whose exponentials must add to one."""
        as_matrix(log_posteriors, "log_posteriors")  # a single column would be log odds
        logs = _log_columns(log_posteriors, "log_posteriors", classes)
        with np.errstate(over="ignore"):
            refuse_bad_posteriors(np.exp(logs))
        return cls.__new__(cls)._keep(logs, classes)._label(log_posteriors)

    @classmethod
    def from_llrs(
        cls, llrs: Any, priors: Priors, classes: Sequence[Any] | None = None
    ) -> Posteriors:
        """From log-likelihood ratios and priors, by Bayes' theorem.

        `llrs` is (n,), log f(x|class 2) - log f(x|class 1); or (n, K), log-likelihoods of
        each class up to a constant per case.
        """
        scores = _log_columns(llrs, "llrs", classes)
        names = tuple(range(scores.shape[1])) if classes is None else tuple(classes)
        if len(names) != scores.shape[1]:
            raise PosteriorError(
                f"`llrs` must have a column for each of the {len(names)} classes; got shape "
                f"{scores.shape}."
            )
        shares = as_priors(priors, names)
        with np.errstate(divide="ignore", invalid="ignore"):  # a certain class of prior 0 raises
            moved = scores + np.log(shares)
        return cls._from_scores(moved, classes, single=as_array(llrs, "llrs").ndim == 1)._label(
            llrs
        )

    # ------------------------------------------------------------- reading it

    @property
    def values(self) -> FloatArray:
        """The probabilities, (n, K); exactly those that were given, if any were."""
        if self.given is None:
            return np.exp(self.log_values)
        return self.given.astype(np.float64)

    @property
    def log_odds(self) -> FloatArray:
        """Posterior log odds of the second of two classes, (n,)."""
        if len(self.classes) != 2:
            raise PosteriorError(f"log odds need two classes; there are {len(self.classes)}.")
        return self.log_values[:, 1] - self.log_values[:, 0]

    def llrs(self, priors: Priors) -> FloatArray:
        """Log-likelihood ratios (n,): the log odds minus the log odds of `priors`."""
        shares = as_priors(priors, self.classes)
        if (shares == 0).any():
            raise PriorError(f"`priors` must be positive; got {shares.tolist()}.")
        return self.log_odds - float(np.log(shares[1] / shares[0]))

    def with_priors(self, priors: Priors, *, from_priors: Priors) -> Posteriors:
        """Move the posteriors to another base rate.

        Each posterior is multiplied by new prior / old prior and renormalised, which is
        exact when cases within a class look alike in both places.

        Examples
        --------
        >>> p = Posteriors([0.3]).with_priors([0.98, 0.02], from_priors=[0.922, 0.078])
        >>> round(float(p.values[0, 1]), 3)
        0.094
        """
        after = as_priors(priors, self.classes)
        before = as_priors(from_priors, self.classes, name="from_priors")
        if (before == 0).any():
            raise PriorError(f"`from_priors` must be positive; got {before.tolist()}.")
        moved = shift_log_priors(self.log_values, before, after)
        lost = np.flatnonzero(np.isneginf(moved).all(axis=1))
        if lost.size:
            said = [self.classes[k] for k in np.flatnonzero(self.log_values[lost[0]] > -np.inf)]
            raise PosteriorError(
                f"{row(lost[0])} leaves only {listed(said)} possible, which has no share in the "
                f"new priors ({lost.size} of {len(self)} rows).",
                hint="give each class that can occur a share, however small",
                rows=lost[:10].tolist(),
            )
        names = self.classes if self.named else None
        return self._from_scores(moved, names, single=self.single)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = self.values
        return values if dtype is None else values.astype(dtype)

    def __len__(self) -> int:
        return int(self.log_values.shape[0])

    def __repr__(self) -> str:
        return f"Posteriors({len(self)} cases x {len(self.classes)} classes)"

    # ------------------------------------------------------------- privates

    @classmethod
    def _from_scores(
        cls, scores: FloatArray, classes: Sequence[Any] | None, *, single: bool = False
    ) -> Posteriors:
        """Normalise log scores row by row; refuse rows without a finite winner."""
        return cls.__new__(cls)._keep(log_softmax(determined(scores)), classes, single=single)

    def _keep(
        self,
        logs: FloatArray,
        classes: Sequence[Any] | None,
        given: NDArray[np.floating[Any]] | None = None,
        *,
        single: bool = False,
    ) -> Self:
        """Store log-posteriors with their names, and probabilities exactly as given."""
        names = as_names(range(logs.shape[1]) if classes is None else classes, "classes")
        if len(names) != logs.shape[1]:
            raise PosteriorError(f"`classes` must name {logs.shape[1]} columns; got {len(names)}.")
        exact = None if given is None else frozen(given)
        named = classes is not None
        vars(self).update(
            log_values=frozen(logs),
            classes=names,
            named=named,
            single=single and not named,
            given=exact,
        )
        return self

    def _label(self, values: Any) -> Self:
        """Remember the row labels of what these were made of, to be compared with the truth's."""
        if (labels := row_labels(values)) is not None:
            vars(self)["_row_labels"] = labels
        return self


def determined(
    scores: NDArray[Any], what: str = "scores", error: type[StakesError] = PosteriorError
) -> NDArray[Any]:
    """Return the scores; raise if a row has neither a finite nor a certain winner."""
    bad = np.isnan(scores).any(axis=1) | np.isneginf(scores).all(axis=1)
    bad |= np.isposinf(scores).sum(axis=1) > 1
    if bad.any():
        rows = np.flatnonzero(bad)
        raise error(
            f"{what} must determine a posterior; {row(rows[0])} is {scores[rows[0]].tolist()} "
            f"({rows.size} of {scores.shape[0]} rows fail).",
            rows=rows[:10].tolist(),
        )
    return scores


def posterior_array(
    posteriors: Any, classes: Sequence[Name], order: ClassOrder | None = None
) -> NDArray[np.floating[Any]]:
    """Posteriors as an array whose columns are `classes`, in that order.

    Named `Posteriors`, and columns of a data frame named after the classes, are matched by name.
    Anything without names is read as `ClassOrder` says.
    """
    known = ClassOrder() if order is None else order
    if isinstance(posteriors, Posteriors):
        read = in_class_order(posteriors, classes, known)
        exact = read.values if read.given is None else read.given
        return as_posterior_array(exact, len(classes))
    array = _columns_of(posteriors, len(classes))
    if array.ndim == 1:
        return array if column_place(posteriors, classes, known) == 1 else 1 - array
    places = named_places(posteriors, classes, known)
    if places is None:
        places = known.places(classes)
    return _taken(array, places)


def read_posteriors(
    posteriors: Any, classes: Sequence[Name], order: ClassOrder | None = None
) -> Posteriors:
    """Like `posterior_array`, but returns `Posteriors` with the names of the classes."""
    if isinstance(posteriors, Posteriors):
        return in_class_order(posteriors, classes, order)
    return Posteriors(posterior_array(posteriors, classes, order), classes=tuple(classes))


def in_class_order(
    posteriors: Posteriors, classes: Sequence[Name], order: ClassOrder | None = None
) -> Posteriors:
    """The same posteriors with their columns in the order of `classes`, and these names."""
    names, wanted = posteriors.classes, tuple(classes)
    if len(names) != len(wanted):
        raise PosteriorError(
            f"`posteriors` must have shape (n, {len(wanted)}), one column per class; got "
            f"{len(names)} columns."
        )
    places: list[int] | None
    if posteriors.named and set(names) == set(wanted):
        places = [names.index(name) for name in wanted]
    elif not posteriors.named or names == tuple(range(len(names))):
        places = (ClassOrder() if order is None else order).places(wanted)
    else:
        raise PosteriorError(
            f"`posteriors` has the classes {listed(names)}; the costs have {listed(wanted)}.",
            hint="name the columns like the classes: Posteriors(values, classes=...)",
        )
    given = None if posteriors.given is None else _taken(posteriors.given, places)
    logs = _taken(posteriors.log_values, places)
    return Posteriors.__new__(Posteriors)._keep(logs, wanted, given)


def _by_name(array: NDArray[Any], values: Any, classes: tuple[Any, ...]) -> NDArray[Any]:
    """The columns in the order of the classes, if the names in `values` give another order."""
    if array.ndim == 2:
        return _taken(array, told_places(values, classes, ClassOrder()))
    return np.column_stack([array, 1 - array]) if _is_of_first(values, classes) else array


def _is_of_first(column: Any, classes: Sequence[Any], what: str = "posteriors") -> bool:
    """Whether a single column is named after the first of two classes."""
    classes = as_names(classes, "classes")
    said = ClassOrder(classes=classes)
    return len(classes) == 2 and column_place(column, classes, said, what) == 0


def _log_columns(values: Any, what: str, classes: Sequence[Any] | None) -> FloatArray:
    """Logarithms with a column for each class; names of columns decide their order."""
    if as_array(values, what).ndim == 1:
        odds = as_floats(values, what).astype(np.float64)
        if classes is not None and _is_of_first(values, classes, what):
            odds = -odds
        return np.column_stack([np.zeros_like(odds), odds])
    matrix = as_matrix(values, what).astype(np.float64)
    if classes is None:
        return matrix
    return _taken(matrix, told_places(values, as_names(classes, "classes"), ClassOrder(), what))


def _taken(array: NDArray[Any], places: list[int] | None) -> NDArray[Any]:
    """The columns of an array at these places; the array itself if they are in order."""
    if places is None or places == list(range(len(places))):
        return array
    return np.asarray(array[:, places])


def _columns_of(posteriors: Any, n_classes: int | None = None) -> NDArray[np.floating[Any]]:
    """Posteriors as an array; a data frame with one column is that column."""
    if is_single_column(posteriors) and n_classes in (None, 2):
        return as_posterior_array(as_column(posteriors, "posteriors"), n_classes)
    return as_posterior_array(posteriors, n_classes)


def shift_priors(posteriors: Any, priors: Priors, *, from_priors: Priors) -> FloatArray:
    r"""Posteriors under other class priors.

    Exact when only the shares of the classes differ between the two places and the cases within
    a class look alike ("label shift"). Use it when the prevalence in use is known; to learn it
    from unlabelled cases see `estimate_priors`.

    .. math:: p'_k \propto \frac{P'_k}{P_k}\, p_k

    Parameters
    ----------
    posteriors : Posteriors or array-like of shape (n_cases, n_classes) or (n_cases,)
        Probabilities under the old priors.
    priors : sequence or mapping of float
        Class priors of the new place.
    from_priors : sequence or mapping of float
        Class priors for which the posteriors were made; positive.

    Returns
    -------
    ndarray of shape (n_cases, n_classes)
        Probabilities under the new priors.

    References
    ----------
    .. [1] Saerens, Latinne, Decaestecker, *Adjusting the outputs of a classifier to new a priori
       probabilities: a simple procedure*, Neural Computation 14 (2002), **eq. 2.4**.

    Examples
    --------
    >>> shift_priors([0.5], [0.9, 0.1], from_priors=[0.5, 0.5]).round(3).tolist()
    [[0.9, 0.1]]
    """
    read = posteriors if isinstance(posteriors, Posteriors) else Posteriors(posteriors)
    return read.with_priors(priors, from_priors=from_priors).values
