"""Validation shared by several rooms: one helper for each rule, one message for each failure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._columns import (
    EXACT,
    as_array,
    as_reals,
    in_brief,
    refuse_masked,
    refuse_rows,
    refuse_sparse,
)
from stakes._names import listed
from stakes.exceptions import DataError, PosteriorError, PriorError, StakesError
from stakes.messages.audience import named, setting
from stakes.typing import FloatArray, Name, Priors

#: How far shares may be from adding to one before it counts as a mistake, not as rounding.
_SUM_TOLERANCE = 1e-6
#: The same for rows of posteriors in small types: the rounding of their own type.
_SUM_TOLERANCES = {"float32": 1e-5, "float16": 1e-3}
#: More draws or bins than this do not fit into memory; the number must be a mistake.
_MOST = 10**9
#: Plain words for types whose names in Python are technical.
#: What to type where the columns of a frame are called by numbers.
TEXT_NAMES = "where columns are called by numbers, first  frame = frame.rename(columns=str)"
_WORDS = {"str": "text", "Mapping": "a dictionary", "Iterable": "a list", "Sequence": "a list"}


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view that cannot be written through, for keeping inside an object."""
    view = array.view()
    view.flags.writeable = False
    return view


def keep(thing: Any, **fields: Any) -> None:
    """Set fields of a frozen dataclass, arrays as read-only views."""
    for name, value in fields.items():
        object.__setattr__(thing, name, frozen(value) if isinstance(value, np.ndarray) else value)


# Priors are parameters, rates are data: docs/design/priors.md.
def as_priors(
    priors: Priors, classes: Sequence[Name], name: str = "priors", of: str = "classes"
) -> FloatArray:
    """One share per class in the order of `classes`, summing to one.

    With two classes, a single number is the share of the second, and one name is enough.
    """
    given: Any = priors
    if given is None:
        example = ", ".join(["..."] * len(classes))
        raise PriorError(f"`{name}` must be given here.", hint=f"{name}=[{example}]")
    labels = getattr(priors, "index", None)
    if labels is not None and not callable(labels) and set(labels) == set(classes):
        priors = dict(zip(labels, np.asarray(priors).tolist(), strict=True))  # a labelled column
    if isinstance(priors, Mapping):
        priors = _by_name(priors, classes, name)
    refuse_masked(priors, name)
    try:
        values = as_reals(priors, name, PriorError)
    except (PriorError, ValueError):
        raise PriorError(f"`{name}` must be numbers, one per class; got {priors!r}.") from None
    if values.ndim == 0 and len(classes) == 2:
        if not 0 <= values <= 1:
            raise PriorError(f"`{name}` must lie between 0 and 1; got {float(values):g}.")
        return np.array([1 - values, values])
    if values.ndim == 0:
        raise PriorError(
            f"`{name}` must give one share for each of the {len(classes)} {of}; "
            f"got the single number {float(values):g}."
        )
    if values.ndim == 2 and 1 in values.shape:
        values = values.reshape(-1)
    if values.shape != (len(classes),):
        raise PriorError(
            f"`{name}` must give one share for each of the {len(classes)} {of} "
            f"{listed(classes)}; got shape {np.shape(priors)}."
        )
    if not np.isfinite(values).all() or (values < 0).any():
        raise PriorError(f"`{name}` must be finite and not negative; got {values.tolist()}.")
    total = float(values.sum())
    if abs(total - 1) > _SUM_TOLERANCE:
        raise PriorError(
            f"`{name}` must add to 1; they add to {total:.6g}.",
            hint=f"divide them by their sum: {[round(v / total, 6) for v in values.tolist()]}"
            if total > 0
            else None,
            code="shares-sum",
        )
    return values


def positive_share(
    priors: Priors,
    name: str = "priors",
    classes: Sequence[Name] = (0, 1),
    *,
    at: int = 1,
    inside: bool = False,
) -> float:
    """Share of the positive one of two classes, the second unless `at` is 0.

    A single number is this share, whatever `at` is; of two shares, the one at `at` is taken.
    `inside` refuses 0 and 1.
    """
    shares = as_priors(priors, classes, name)
    alone = not isinstance(priors, Mapping) and np.ndim(priors) == 0
    share = float(shares[1 if alone else at])
    if inside and not 0 < share < 1:
        raise PriorError(f"`{name}` must lie strictly between 0 and 1; got {share:g}.")
    return share


def _by_name(priors: Mapping[Any, float], classes: Sequence[Name], name: str) -> list[float]:
    """A mapping of shares, in the order of the classes."""
    unknown = [key for key in priors if key not in classes]
    missing = [label for label in classes if label not in priors]
    if len(classes) == 2 and len(priors) == len(missing) == 1 and not unknown:
        (said,) = priors.values()
        if is_number(said) and 0 <= said <= 1:  # the other class has the rest
            return [1.0 - said if label in missing else float(said) for label in classes]
    if unknown or missing:
        parts = [f"unknown {listed(unknown)}"] if unknown else []
        parts += [f"missing {listed(missing)}"] if missing else []
        raise PriorError(
            f"`{name}` must name the classes {listed(classes)}; {' and '.join(parts)}."
        )
    return [priors[label] for label in classes]


def refuse_absent(
    classes: Sequence[Name], shares: FloatArray, known: NDArray[np.bool_], what: str = "the cost"
) -> None:
    """Raise when a class with a positive prior has no case in the data."""
    absent = np.flatnonzero((shares > 0) & ~known).tolist()
    if absent:
        names, priors = listed([classes[k] for k in absent]), [f"{shares[k]:g}" for k in absent]
        raise DataError(
            f"no case of {names} in the data, but its prior is {', '.join(priors)}, so {what} is "
            "unknown.",
            hint="bring cases of it, or set its prior to 0",
        )


def as_level(level: Any) -> float:
    """A confidence level strictly between 0 and 1."""
    if not (is_number(level) and 0 < level < 1):
        raise DataError(
            f"{named('level')} must lie between 0 and 1; got {in_brief(level)}.",
            hint=setting("level", 0.95),
        )
    return float(level)


def as_whole(value: Any, name: str, least: int = 1, most: int = _MOST) -> int:
    """A whole number from `least` to `most`; more would not fit into memory."""
    if not (is_number(value) and least <= value < np.inf and int(value) == value):
        raise DataError(
            f"`{name}` must be a whole number, at least {least}; got {in_brief(value)}."
        )
    if value > most:
        raise DataError(f"`{name}` must be at most {most:,}; got {float_of(value):g}.")
    return int(value)


def as_number(value: Any, name: str, error: type[StakesError] = DataError) -> float:
    """A single real number; text, booleans and columns of numbers are refused."""
    plain = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if is_number(plain) or isinstance(plain, (Decimal, Fraction)):
        number = float_of(plain)
        if not isinstance(plain, int) or math.isfinite(number):
            return number
    raise error(f"`{name}` must be a number; got {in_brief(value)}.")


def as_pair(values: Any, name: str, what: str) -> tuple[Any, Any]:
    """The two entries of a pair; `what` describes the pair in the error."""
    if isinstance(values, (tuple, list)) and len(values) == 2:
        return values[0], values[1]
    raise DataError(f"`{name}` must be {what}; got {in_brief(values)}.")


def as_switch(value: Any, name: str) -> bool:
    """True or False; 0 and 1 stand for them, text does not."""
    if isinstance(value, (bool, np.bool_)) or (is_number(value) and value in (0, 1)):
        return bool(value)
    raise DataError(f"`{name}` must be True or False; got {in_brief(value)}.")


def two_numbers(
    values: Any, name: str, error: type[StakesError] = DataError
) -> tuple[float, float]:
    """A pair of numbers, such as the ends of a range."""
    pair = as_reals(values, name, error)
    if pair.shape != (2,):
        raise error(f"`{name}` must be two numbers; got {in_brief(values)}.")
    return float(pair[0]), float(pair[1])


def keep_numbers(thing: Any, *names: str, error: type[StakesError] = DataError) -> None:
    """Check that fields of a frozen dataclass are numbers; make floats of all but int and float."""
    for name in names:
        value = getattr(thing, name)
        number = as_number(value, name, error)
        if type(value) not in (int, float):
            object.__setattr__(thing, name, number)


def float_of(value: Any) -> float:
    """A number as a float; infinite if it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def of_kind(
    value: Any,
    name: str,
    *kinds: type,
    hint: str | None = None,
    error: type[StakesError] = DataError,
) -> Any:
    """Return the value if it is an instance of one of `kinds`; raise otherwise."""
    text = isinstance(value, (str, bytes)) and str not in kinds
    if isinstance(value, kinds) and not text and getattr(value, "ndim", 1) != 0:
        return value
    known = " or ".join(_WORDS.get(kind.__name__, _article(kind.__name__)) for kind in kinds)
    raise error(f"`{name}` must be {known}; got {in_brief(value)}.", hint=hint)


def column_name(value: Any, name: str) -> str:
    """The name of a column of a frame, which must be text."""
    kept: str = of_kind(value, name, str, hint=TEXT_NAMES)
    return kept


def _article(word: str) -> str:
    """A word with its article."""
    return f"an {word}" if word[0] in "AEIO" else f"a {word}"


def is_number(value: Any) -> bool:
    """Whether a value is a plain number; booleans are not."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _even_rows(values: Any, name: str, error: type[StakesError], hint: str | None) -> NDArray[Any]:
    """An array of any type; frames and tensors are read through NumPy."""
    refuse_masked(values, name)
    refuse_sparse(values, name)
    try:
        return np.asarray(values)
    except StakesError:  # of a table of ours
        raise error(f"`{name}` must be an array; got {in_brief(values)}.", hint=hint) from None
    except ValueError:
        raise error(f"`{name}` must have rows of equal length.", hint=hint) from None


def as_matrix(values: Any, name: str, hint: str | None = None) -> NDArray[Any]:
    """A two-dimensional numeric array."""
    array = _even_rows(values, name, DataError, hint)
    if array.dtype == object:
        try:
            array = array.astype(np.float64)
        except (OverflowError, TypeError, ValueError):
            raise DataError(f"`{name}` must hold numbers; got object.", hint=hint) from None
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise DataError(
            f"`{name}` must be a two-dimensional array of numbers; got shape {array.shape} "
            f"of {array.dtype}.",
            hint=hint,
        )
    return array


def as_counts(values: Any, name: str) -> NDArray[Any]:
    """Numbers or weights of cases; integers stay integers if a float holds their sum exactly."""
    array = as_array(values, name)
    if array.dtype == object:
        array = as_reals(array, name)
    if array.dtype.kind not in "fiub":
        raise DataError(f"`{name}` must hold numbers; got {array.dtype}.")
    with np.errstate(over="ignore"):
        total = float(array.sum(dtype=np.float64))
    whole = array.dtype.kind in "iub" and total < EXACT
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        at = tuple(np.argwhere(bad)[0].tolist())
        where = ", ".join(f"{word} {k}" for word, k in zip(("row", "column"), at, strict=False))
        raise DataError(
            f"`{name}` must be finite and not negative; {where} is {array[at]:g} "
            f"({np.count_nonzero(bad)} of {array.size} fail)."
        )
    if not np.isfinite(total):
        raise DataError(f"`{name}` must add to a finite number; they add to {total:g}.")
    return array.astype(np.int64 if whole else np.float64)


def as_posterior_array(values: Any, n_classes: int | None = None) -> NDArray[np.floating[Any]]:
    """Posteriors as floats: (n, K), or (n,) for the second of two classes.

    float32 and float16 are kept, since the sums of rows are checked with the tolerance of their
    type; a single column of float16 has no sums, and becomes float64. Only the shape and the type
    are checked here; ranges and sums are checked in blocks where the rows are read anyway.
    """
    array = _even_rows(values, "posteriors", PosteriorError, None)
    if array.dtype.kind not in "fiub":
        raise PosteriorError(f"`posteriors` must hold numbers; got {array.dtype}.")
    if array.dtype.name not in _SUM_TOLERANCES or (array.dtype == np.float16 and array.ndim == 1):
        array = array.astype(np.float64, copy=False)
    if array.ndim == 1:
        if n_classes not in (None, 2):
            raise PosteriorError(
                f"`posteriors` must have one column for each of the {n_classes} classes; "
                f"got shape {array.shape}.",
                hint="a single column is the posterior of the second of two classes",
            )
    elif array.ndim != 2 or (n_classes is not None and array.shape[1] != n_classes):
        raise PosteriorError(
            f"`posteriors` must have shape (n, {n_classes or 'K'}), one column per class; "
            f"got shape {array.shape}.",
            hint=f"a single case is a list of one: [{array[()]:g}]" if not array.ndim else None,
        )
    return array


def sum_tolerance(kind: np.dtype[Any]) -> float:
    """How far a row of posteriors may be from adding to one: rounding of its own type."""
    return _SUM_TOLERANCES.get(kind.name, _SUM_TOLERANCE)


def refuse_bad_posteriors(array: NDArray[np.floating[Any]]) -> None:
    """Raise when rows of (n, K), or entries of (n,), are not probabilities."""
    values: tuple[Any, ...] = "is {:g}", array
    if array.ndim == 1:
        outside = ~((array >= 0) & (array <= 1))
        if outside.any() and 0 <= float(f"{array[outside][0]:g}") <= 1:
            values = "is {}", array  # 1.0000000000000002, which six digits would show as 1
    else:
        low, high = array.min(axis=1, initial=np.inf), array.max(axis=1, initial=-np.inf)
        outside = ~((low >= 0) & (high <= 1 + sum_tolerance(array.dtype)))
        values = "has values from {:g} to {:g}", low, high
    hint = "for logits use Posteriors.from_logits(x), "
    hint += "for log-likelihood ratios Posteriors.from_llrs(x, priors)"
    must = "`posteriors` must lie between 0 and 1"
    refuse_rows(outside, must, *values, hint=hint, error=PosteriorError)
    if array.ndim == 2:
        sums = array.sum(axis=1, dtype=np.float64)
        off = ~(np.abs(sums - 1) <= sum_tolerance(array.dtype))
        hint = "for logits use Posteriors.from_logits(x); to rescale rows on purpose, "
        hint += "divide by x.sum(axis=1, keepdims=True)"
        must = "`posteriors` rows must sum to 1"
        refuse_rows(off, must, "sums to {:.6g}", sums, hint=hint, error=PosteriorError)


def same_length(what: str, length: int, other: str, other_length: int) -> None:
    """Raise when two columns do not have the same number of rows."""
    if length != other_length:
        raise DataError(
            f"`{what}` has {length} rows but `{other}` has {other_length}.",
            hint="same file, same order?",
        )
