"""Which column belongs to which class: by its name, or by what is known about unnamed arrays.

Columns of a data frame are matched by name. They are refused if their names match no class, or
contradict the order that was given. An array has no names. Its K columns are read in the order of
the classes if `np.unique`, and so most libraries, would sort the labels in that order in their own
type, or if the labels are positions. Any other order must be stated.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from stakes._checks import of_kind
from stakes._columns import as_column
from stakes._names import as_name, as_names, encode, integers_meant, listed, positional
from stakes.exceptions import LabelError, PosteriorError
from stakes.typing import Name

_RENAME = "rename the columns exactly like the classes"


#: Hints spell out at most this many classes.
_MOST_NAMED = 50


@dataclass(frozen=True, slots=True, eq=False)
class ClassOrder:
    """What is known about the columns of arrays without names.

    Parameters
    ----------
    classes : sequence of names, optional
        The order of the columns, if it was given.
    positive : name, optional
        The class of which a single column is the probability, if it was given.
    labels : column, optional
        The true labels, as they came.
    say : str
        What to type to state the order, with {} for the names in order.
    single : str
        The same for a single column, if that differs, with {} for its class.
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
        """The column of each class among K columns; None if they are in order."""
        wanted = tuple(classes)
        if self.classes is not None:
            return _places_said(self.classes, wanted)
        found = _sorted_names(wanted, self.labels)
        if found == wanted:
            return None
        own: Any = list(wanted)
        other: Any = None if found is None else list(found)
        if len(wanted) > _MOST_NAMED:
            own, other = "costs.classes", other and "sorted(costs.classes)"
        own = f"{self.say.format(own)} if they stand in the order of the classes"
        if other is not None:
            own = f"{self.say.format(other)} if they are sorted, as scikit-learn's are; {own}"
        raise PosteriorError(
            f"`{what}` has {len(wanted)} columns without names, and the classes {listed(wanted)} "
            f"are not in {_sorted_words(found)}, so I cannot tell which column is which.",
            hint=f"{own}; or a data frame whose columns are named like the classes{self.also}",
        )

    def place(self, classes: Sequence[Name], what: str = "posteriors") -> int:
        """Which of two classes a single column belongs to: `positive`, by default the second."""
        wanted = tuple(classes)
        if self.positive is not None:
            return int(encode([self.positive], wanted, "positive")[0])
        if self.classes is not None:
            places = _places_said(self.classes, wanted)
            return 1 if places is None else places.index(1)
        found = _sorted_names(wanted, self.labels)
        if found == wanted:
            return 1
        first, second = (self.said_single(wanted, name) for name in wanted)
        raise PosteriorError(
            f"`{what}` is a single column, and the classes {listed(wanted)} are not in "
            f"{_sorted_words(found)}, so I cannot tell whose probability it is.",
            hint=f"{second} if it is that of {wanted[1]!r}, {first} if it is that of "
            f"{wanted[0]!r}{self.also}",
        )

    def said_single(self, classes: Sequence[Name], name: Name) -> str:
        """What to type for a single column that belongs to one of two classes."""
        if self.single:
            return self.single.format(repr(name))
        return self.say.format([*(other for other in classes if other != name), name])


# docs/design/conventions.md says why columns are matched by name or refused.
def asked_order(
    classes: Any = None, positive: Any = None, labels: Any = None, also: str = ""
) -> ClassOrder:
    """The class order known to a function that takes `classes` and `positive`."""
    named = as_name(positive, "positive")
    return ClassOrder(classes, named, labels, "classes={}", "positive={}", also)


def said_names(classes: Sequence[Name], order: ClassOrder) -> tuple[Name, ...]:
    """The names of the classes; costs without names take those given, in their order."""
    wanted = tuple(classes)
    if order.classes is None or wanted != tuple(range(len(wanted))):
        return wanted
    names = as_names(order.classes, "classes")
    named = len(names) == len(wanted) and all(isinstance(name, str) for name in names)
    return names if named else wanted


def _sorted_names(names: Sequence[Name], labels: Any = None) -> tuple[Name, ...] | None:
    """The names as `np.unique` sorts labels; None if they cannot be sorted.

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
    """The position of each class in a given order; None if that is the order of the classes."""
    of_kind(given, "classes", Iterable, error=LabelError)
    codes = [int(code) for code in encode(list(given), classes, "classes")]
    if sorted(codes) != list(range(len(classes))):
        raise LabelError(
            f"`classes` must name each of the {len(classes)} classes {listed(classes)} once, in "
            f"the order of the columns; got {listed(list(given))}."
        )
    return None if codes == sorted(codes) else [codes.index(k) for k in range(len(classes))]


def named_places(
    table: Any, classes: Sequence[Name], known: ClassOrder, what: str = "posteriors"
) -> list[int] | None:
    """The column of each class in a data frame; None for anything without names.

    Columns with names other than the classes are refused, unless their order was given.
    """
    names, wanted = _column_names(table), tuple(classes)
    found = told_places(table, wanted, known, what)
    if found is not None or names is None or _given_by_itself(names):
        return found
    if known.classes is not None:
        return known.places(wanted, what) or list(range(len(wanted)))
    raise _other_names(names, wanted, known, what)


def told_places(
    table: Any, classes: Sequence[Name], known: ClassOrder, what: str = "posteriors"
) -> list[int] | None:
    """The column of each class by the names of the columns; None if these name no classes.

    A name is that of a class, or ends with it as a separate word, such as p_yes. Names that occur
    twice, or contradict the order that was given, are refused.
    """
    names, wanted = _column_names(table), tuple(classes)
    if names is None:
        return None
    if len(set(names)) < len(names):
        raise PosteriorError(
            f"`{what}` has columns of the same name, {listed(names)}, so I cannot tell which "
            f"is which of the classes {listed(wanted)}.",
            hint="give each column a name of its own, those of the classes",
        )
    if len(names) != len(wanted) or _given_by_itself(names):
        return None
    found = _exact_places(names, wanted)
    if known.classes is not None:
        said = known.places(wanted, what) or list(range(len(wanted)))
        if _speak_against(names, wanted, said) or (found is not None and found != said):
            raise PosteriorError(
                f"`{what}` has the columns {listed(names)}, but `classes` says that they are "
                f"{listed(list(known.classes))}.",
                hint=_RENAME,
            )
        return found
    if found is not None:
        return found
    ends = [_only(wanted, name) for name in map(str, names)]
    in_order = list(range(len(wanted)))
    if ends == in_order:
        return in_order
    if _speak_against(names, wanted, in_order):
        raise _other_names(names, wanted, known, what)
    return None


def column_place(
    column: Any, classes: Sequence[Name], order: ClassOrder, what: str = "posteriors"
) -> int:
    """Which of two classes a single column belongs to; one of a frame may be named after it."""
    names, wanted = _column_names(column), tuple(classes)
    called = getattr(column, "name", None) if names is None else names[0]
    if not isinstance(called, str):
        return order.place(wanted, what)
    if called in wanted and order.positive is None:
        return wanted.index(called)
    place = order.place(wanted, what)
    near = _only(wanted, called, loosely=True)
    name = None if near is None else wanted[near]
    if near == place or not isinstance(name, str) or name.isdecimal():
        return place  # a class that is a number may be in the name of a model or a fold
    raise PosteriorError(
        f"`{what}` is the column {called!r}, but it would be read as the probability of "
        f"{wanted[place]!r}.",
        hint=f"{order.said_single(wanted, name)} if it is that of {name!r}; rename "
        f"the column if it is that of {wanted[place]!r}",
    )


def is_single_column(table: Any) -> bool:
    """Whether a data frame has one column, which is then read like a column by itself."""
    names = _column_names(table)
    return names is not None and len(names) == 1


def _exact_places(names: list[Any], classes: tuple[Name, ...]) -> list[int] | None:
    """The column of each class if columns have exactly these names, as they are or as text."""
    if set(names) == set(classes):
        return [names.index(name) for name in classes]
    texts = [str(name) for name in classes]
    if set(names) == set(texts) and len(set(texts)) == len(texts):
        return [names.index(text) for text in texts]
    return None


def _given_by_itself(names: list[Any]) -> bool:
    """Whether columns have the default names of pandas or Polars."""
    return names in ([*range(len(names))], [f"column_{k}" for k in range(len(names))])


def _speak_against(names: list[Any], classes: tuple[Name, ...], places: list[int]) -> bool:
    """Whether a column has the name of a class other than the one in its place."""
    if any(isinstance(name, int) for name in names) and set(names) == set(range(len(names))):
        return True  # positions in another order
    near = [_only(classes, str(name), loosely=True) for name in names]
    return any(k is not None and places[k] != j for j, k in enumerate(near))


def _other_names(
    names: list[Any], classes: tuple[Name, ...], known: ClassOrder, what: str
) -> PosteriorError:
    """An error for columns whose names are not those of the classes."""
    return PosteriorError(
        f"`{what}` has the columns {listed(names)}, which are not the classes {listed(classes)}, "
        "so I cannot tell which column is which.",
        hint=f"{_RENAME}, or say their order: {known.say.format('[...]')}{known.also}",
    )


def _only(classes: tuple[Name, ...], name: str, *, loosely: bool = False) -> int | None:
    """The only class that a column is named after, ignoring case if `loosely`."""
    ends = [str(each) for each in classes]
    if loosely and name not in ends:
        name, ends = name.casefold(), [end.casefold() for end in ends]
    found = [
        k
        for k, end in enumerate(ends)
        if name.endswith(end) and not name[: len(name) - len(end)][-1:].isalnum()
    ]
    return found[0] if len(found) == 1 else None


def _column_names(table: Any) -> list[Any] | None:
    """The names of the columns of a data frame or table; None for anything else."""
    for attribute in ("columns", "column_names"):  # pandas and Polars, pyarrow
        found = getattr(table, attribute, None)
        if isinstance(found, Iterable) and not isinstance(found, str):
            names = list(found)
            if all(isinstance(name, Hashable) for name in names):
                return names
    return None


def _sorted_words(found: tuple[Name, ...] | None) -> str:
    """The sorted order in words."""
    return "an order that can be sorted" if found is None else f"sorted order, {listed(found)}"
