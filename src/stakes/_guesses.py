"""Errors that say what to type when a name or an argument does not exist in stakes."""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin

from stakes._checks import as_switch
from stakes._lazy import NoSuchNameError
from stakes._names import one_of
from stakes._usual_arguments import KEYWORDS
from stakes._usual_results import SAME_IDEA, TABLES, VARIABLES
from stakes._usual_words import (
    ATTRIBUTES,
    CALLED,
    LINES,
    OF_SUMMARIES,
    OPTIONS,
    ROOMS,
)
from stakes.exceptions import DataError

F = TypeVar("F", bound=Callable[..., Any])
#: So many names are listed where none comes near.
_MOST_NAMES = 30
#: A longer value is not repeated after the argument to type.
_LONGEST_VALUE = 40


class CallError(DataError, TypeError):
    """A call whose arguments do not fit the function."""


class _Uncalled:
    """Stands for an attribute of what a method returns, where the method was not called."""

    def __init__(self, method: str, name: str, line: str) -> None:
        self._said = f"`{method}` is a method: call it before `.{name}`."
        self._line = line

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise CallError(self._said, hint=self._line)

    def __repr__(self) -> str:
        return f"<{self._said} Type {self._line}>"


class _AnsweringClass(type):
    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            raise NoSuchNameError(cls, name)

        def __call__(cls, *given: Any, **options: Any) -> Any:
            known = _parameters(cls)
            if known is not None and not options.keys() <= known:
                options = in_our_words(cls.__name__, options, known)
            return super().__call__(*given, **options)

        @property
        def __signature__(cls) -> inspect.Signature:  # or help() would show that of `__call__`
            made = inspect.signature(cls.__init__)
            return made.replace(parameters=[*made.parameters.values()][1:])


@functools.cache
def _parameters(cls: type) -> frozenset[str] | None:
    """Names of the arguments that construct a class; None if it takes any."""
    found = inspect.signature(cls).parameters.values()
    anything = any(each.kind is each.VAR_KEYWORD for each in found)
    return None if anything else frozenset(each.name for each in found)


class AnswersGuesses(metaclass=_AnsweringClass):
    """Base class: asking for a missing attribute raises an error that says what to type."""

    __slots__ = ()

    if not TYPE_CHECKING:  # or type checkers would believe in every name

        def __getattr__(self, name: str) -> Any:
            raise NoSuchNameError(type(self), name)


def no_attribute(place: str | type, name: str) -> str:
    """The message for a name that a room or a class lacks, with what to type if that is known."""
    if isinstance(place, type):
        what, places = f"{place.__name__!r} object", [each.__name__ for each in place.__mro__]
        known = list(dict.fromkeys([*dir(place), *getattr(place, "__dataclass_fields__", ())]))
    else:
        what, places = f"module {place!r}", [place]
        known = importlib.import_module(place).__all__
    lacks = f"{what} has no attribute {name!r}"
    if name.startswith("_"):
        return lacks
    said = [line for each in places if (line := ATTRIBUTES.get(each, {}).get(name))]
    if not said and name in TABLES and "frame" in known:
        said = [VARIABLES.get(places[0], "result") + TABLES[name]]
    if not said and isinstance(place, str):
        rooms = [f"stakes.{room}" for room in ROOMS if f"stakes.{room}" != place]
        said = [f"{r}.{name}" for r in rooms if name in importlib.import_module(r).__all__]
    public = [each for each in known if not each.startswith("_")]
    if not said and isinstance(place, type):
        said = _same_idea(name, public, VARIABLES.get(places[0], "result"))
    if not said:
        near = difflib.get_close_matches(name, public, n=3, cutoff=0.7)
        said = [_of_variable(place, each) for each in near]
    if not said and isinstance(place, type) and issubclass(place, AnswersGuesses):
        owner = VARIABLES.get(places[0], "result")
        named = ", ".join(f"{owner}.{each}" for each in public[:_MOST_NAMES])
        return f"{lacks}; there are {named}{', ...' if len(public) > _MOST_NAMES else ''}"
    return f"{lacks}; type {' or '.join(said)}" if said else lacks


def _same_idea(name: str, public: list[str], owner: str) -> list[str]:
    """What a thing calls an idea that other libraries have another name for."""
    for words, candidates in SAME_IDEA:
        if name in words:
            found = [each for each in candidates if set(each.split()) <= set(public)]
            if found:
                each = [f"{owner}.{part}" for part in found[0].split()]
                return [each[0] if len(each) == 1 else f"({', '.join(each)})"]
            if "verdict" in words:
                return [f"print({owner})"]
    return []


def _of_variable(place: str | type, name: str) -> str:
    """A name as it is typed after a thing of the class, such as ev.verdict."""
    owner = VARIABLES.get(place.__name__) if isinstance(place, type) else None
    if owner is None or isinstance(inspect.getattr_static(place, name, None), classmethod):
        return name
    return f"{owner}.{name}"


def in_our_words(name: str, options: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """The options of a call, with `costs` renamed `application`; raise for unknown ones."""
    if "costs" in options and "costs" not in known and "application" in known:
        if "application" in options:
            raise CallError(f"{name}() is given `costs` and `application`, which are the same.")
        options = {("application" if k == "costs" else k): v for k, v in options.items()}
    unknown = [word for word in options if word not in known]
    if unknown:
        said = ", ".join(f"`{word}`" for word in unknown)
        lines = dict.fromkeys(_with_value(_word_here(name, w, known), options[w]) for w in unknown)
        raise CallError(f"{name}() has no argument {said}.", hint="; ".join(lines))
    return options


def _with_value(line: str, value: Any) -> str:
    """The argument to type with the value that was typed, where that is a word or a number."""
    short = isinstance(value, (str, bool, int, float)) and len(repr(value)) <= _LONGEST_VALUE
    return f"{line[:-3]}{value!r}" if line.endswith("=...") and short else line


def _word_here(name: str, word: str, known: frozenset[str]) -> str:
    """What to type for an argument that a function lacks."""
    said = OPTIONS.get(name, {}).get(word)
    if said is not None:
        return said
    for here in KEYWORDS.get(word, ()):
        if here.partition("=")[0] in known:
            return here if "=" in here else f"{here}=..."
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.75)
    if near:
        return f"{near[0]}=..."
    return line_to_type(name) or "there are " + ", ".join(sorted(known - {"self", "cls"}))


def line_to_type(name: str) -> str | None:
    """An example of how to call a function; None if there is none."""
    room, _, plot = name.partition(".")
    if room == "plots" and plot in importlib.import_module("stakes.curves").__all__:
        curve = f'stakes.curves.{plot}(y_true, p, kind="posterior")'
        return f'stakes.plots.{plot}({curve}), with positive="yes" in it if labels are words'
    return LINES.get(name)


def _are_rows(value: Any) -> bool:
    """Whether a column or a data frame was given."""
    if isinstance(value, (list, tuple)):
        return bool(value) and not hasattr(value[0], "__len__")
    return getattr(value, "ndim", 0) == 1 or hasattr(value, "columns")


def _words(parameter: inspect.Parameter, function: Callable[..., Any]) -> tuple[Any, ...]:
    """The words that an argument may be, such as those of ``kind: ScoreKind``; none if any."""
    said = function.__globals__.get(str(parameter.annotation))
    return get_args(said) if get_origin(said) is Literal else ()


def answers_guesses(function: F) -> F:
    """Let a function say what to type when it is called with arguments that it does not have."""
    parameters = inspect.signature(function).parameters
    known, name = frozenset(parameters), function.__qualname__.removesuffix(".__init__")
    if function.__module__.startswith("stakes.plots."):
        name = f"plots.{name}"
    placed = [each.name for each in parameters.values() if each.kind <= each.POSITIONAL_OR_KEYWORD]
    needed = [each.name for each in parameters.values() if each.default is each.empty]
    place = {each: k for k, each in enumerate(placed)}
    # constructors look at their own arguments, and those of scikit-learn may not
    checked = {} if function.__name__ == "__init__" else parameters
    switches = [each.name for each in checked.values() if each.annotation == "bool"]
    words = {each.name: _words(each, function) for each in checked.values()}

    @functools.wraps(function)
    def asked(*given: Any, **options: Any) -> Any:
        size = len(given)
        if size and name in OF_SUMMARIES and _are_rows(given[0]):
            raise CallError(f"{name}() takes summaries, not rows.", hint=line_to_type(name))
        if not options.keys() <= known:
            options = in_our_words(name, options, known)
        if size > len(placed):
            most = ", ".join(f"`{each}`" for each in placed if each not in ("self", "cls"))
            raise CallError(f"{name}() takes only {most} by position.", hint=line_to_type(name))
        lacks = [n for n in needed if n not in options and place.get(n, size) >= size]
        twice = [n for n in placed[:size] if n in options]
        for names, what in ((lacks, "needs {}"), (twice, "got {} twice")):
            if names:
                said = f"{name}() {what.format(', '.join(f'`{each}`' for each in names))}."
                raise CallError(said, hint=line_to_type(name) or f"{name}(..., {names[0]}=...)")
        for each in switches:  # one by one, or torch.compile of 2.11 stops
            if each in options:
                options[each] = as_switch(options[each], each)
        for each, value in options.items():
            # the function knows what to say of text
            if words.get(each) and not isinstance(value, str):
                one_of(value, each, words[each])
        return function(*given, **options)

    for each, line in CALLED.get(name, {}).items():
        setattr(asked, each, _Uncalled(name.rpartition(".")[2], each, line))
    return asked  # type: ignore[return-value]
