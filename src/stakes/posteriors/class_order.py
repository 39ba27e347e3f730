"""Which column speaks of which class, where an array comes without names.

An array knows no names. Its K columns are read in the order of the classes when that is the order
in which `np.unique`, and so most libraries, sort the labels in their own type, or when the labels
are positions. In any other order nobody can tell, so it has to be said.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from stakes._columns import as_column
from stakes._names import encode, integers_meant, listed, positional
from stakes.exceptions import LabelError, PosteriorError
from stakes.typing import Name


@dataclass(frozen=True, slots=True, eq=False)
class ClassOrder:
    """What is known about the columns of arrays without names.

    Parameters
    ----------
    classes : sequence of names, optional
        The order of the columns, where it was said.
    positive : name, optional
        The class of which a single column is the probability, where it was said.
    labels : column, optional
        The true labels, as they came.
    say : str
        What to type so that the order is known, with {} for the names in order.
    single : str
        The same for a single column, with {} for the class it speaks of, where that differs.
    also : str
        What else can be typed.
    """

    classes: Any = None
    positive: Any = None
    labels: Any = None
    say: str = "Posteriors(p, classes={})"
    single: str = ""
    also: str = ""

    def places(self, classes: Sequence[Name], what: str = "posteriors") -> list[int] | None:
        """Where each class stands among K columns; None when they are in order."""
        wanted = tuple(classes)
        if self.classes is not None:
            return _places_said(self.classes, wanted)
        found = _sorted_names(wanted, self.labels)
        if found == wanted:
            return None
        own = f"{self.say.format(list(wanted))} if they stand in the order of the classes"
        if found is not None:
            own = f"{self.say.format(list(found))} if they are sorted, as scikit-learn's are; {own}"
        raise PosteriorError(
            f"`{what}` has {len(wanted)} columns without names, and the classes {listed(wanted)} "
            f"are not in {_sorted_words(found)}, so I cannot tell which column is which.",
            hint=f"{own}; or a data frame whose columns are named like the classes{self.also}",
        )

    def place(self, classes: Sequence[Name], what: str = "posteriors") -> int:
        """Which of two classes a single column speaks of: `positive`, by default the second."""
        wanted = tuple(classes)
        if self.positive is not None:
            return int(encode([self.positive], wanted, "positive")[0])
        if self.classes is not None:
            places = _places_said(self.classes, wanted)
            return 1 if places is None else places.index(1)
        found = _sorted_names(wanted, self.labels)
        if found == wanted:
            return 1
        if self.single:
            words = [self.single.format(repr(name)) for name in reversed(wanted)]
        else:
            words = [self.say.format(list(pair)) for pair in (wanted, wanted[::-1])]
        raise PosteriorError(
            f"`{what}` is a single column, and the classes {listed(wanted)} are not in "
            f"{_sorted_words(found)}, so I cannot tell whose probability it is.",
            hint=f"{words[0]} if it is that of {wanted[1]!r}, {words[1]} if it is that of "
            f"{wanted[0]!r}{self.also}",
        )


def asked_order(
    classes: Any = None, positive: Any = None, labels: Any = None, also: str = ""
) -> ClassOrder:
    """What is known in a function that takes `classes` and `positive`."""
    return ClassOrder(classes, positive, labels, "classes={}", "positive={}", also)


def _sorted_names(names: Sequence[Name], labels: Any = None) -> tuple[Name, ...] | None:
    """The names as `np.unique` sorts labels; None where they cannot be sorted.

    `labels` are the true labels as they came: integers that are positions keep the order of the
    names, integers that spell names are sorted as numbers.
    """
    if labels is not None and (column := as_column(labels, "y_true")).dtype.kind in "iub":
        if positional(column, names):
            return tuple(names)
        if not any(isinstance(name, int) for name in names):
            meant = integers_meant(names, "y_true", truths=column.dtype == bool)
            if len(meant) == len(names):
                return tuple(names[meant[value]] for value in sorted(meant))
    try:
        return tuple(sorted(names))  # type: ignore[type-var]
    except TypeError:
        return None


def _places_said(given: Any, classes: tuple[Name, ...]) -> list[int] | None:
    """Where each class stands in an order that was said; None when it is the same."""
    codes = [int(code) for code in encode(list(given), classes, "classes")]
    if sorted(codes) != list(range(len(classes))):
        raise LabelError(
            f"`classes` must name each of the {len(classes)} classes {listed(classes)} once, in "
            f"the order of the columns; got {listed(list(given))}."
        )
    return None if codes == sorted(codes) else [codes.index(k) for k in range(len(classes))]


def named_places(table: Any, classes: Sequence[Name]) -> list[int] | None:
    """Where each class stands among the columns of a data frame; None when no names tell.

    Names are those of the classes, or end with them as a word of its own, such as p_yes.
    """
    names = _column_names(table)
    if names is None or len(names) != len(classes) or names == list(range(len(classes))):
        return None  # numbers that pandas gives by itself are positions
    if set(names) == set(classes):
        return [names.index(name) for name in classes]
    ends = [str(name) for name in classes]
    order: list[int] = []
    for name in map(str, names):
        found = [k for k, end in enumerate(ends) if _called_after(name, end)]
        if len(found) != 1:
            return None
        order += found
    if len(set(order)) < len(order):
        return None
    if order != sorted(order):
        raise PosteriorError(
            f"the columns {listed(list(names))} are not in the order of the classes "
            f"{listed(list(classes))}.",
            hint="name them exactly as the classes are, or put them in that order",
        )
    return order


def _column_names(table: Any) -> list[Any] | None:
    """The names of the columns of a data frame or table; None for anything else."""
    for attribute in ("columns", "column_names"):  # pandas and Polars, pyarrow
        found = getattr(table, attribute, None)
        if isinstance(found, Iterable) and not isinstance(found, str):
            names = list(found)
            if all(isinstance(name, Hashable) for name in names):
                return names
    return None


def _called_after(name: str, end: str) -> bool:
    """Whether a name is that of a class, or ends with it as a word of its own."""
    before = name[: len(name) - len(end)]
    return name.endswith(end) and not before[-1:].isalnum()


def _sorted_words(found: tuple[Name, ...] | None) -> str:
    """The sorted order, for a sentence."""
    return "an order that can be sorted" if found is None else f"sorted order, {listed(found)}"
