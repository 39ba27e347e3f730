"""Steps of long work, told to whoever listens; in Python nobody does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

Item = TypeVar("Item")
#: Takes what is done and which share of it is over.
Listener = Callable[[str, float], None]


class _Part(NamedTuple):
    """The step that is being done: of what, and from which share of it to which."""

    what: str
    start: float
    width: float


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)
_PART: ContextVar[_Part | None] = ContextVar("part", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell a listener of the steps that are done meanwhile."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


def steps(what: str, items: Iterable[Item]) -> Iterator[Item]:
    """The items one by one; a listener is told how many are done.

    Steps within a step are parts of it.

    Examples
    --------
    >>> with listening(lambda what, share: print(f"{what} {share:.0%}")):
    ...     for model in steps("judging", ["a", "b"]):
    ...         for fold in steps("fitting", [1, 2]):
    ...             pass
    judging 0%
    judging 0%
    judging 25%
    judging 50%
    judging 50%
    judging 75%
    """
    listener, outer = _LISTENER.get(), _PART.get()
    if listener is None:
        yield from items
        return
    every = list(items)
    what, start, width = outer or _Part(what, 0.0, 1.0)
    try:
        for k, item in enumerate(every):
            part = _Part(what, start + width * k / len(every), width / len(every))
            listener(what, part.start)
            _PART.set(part)
            yield item
    finally:
        _PART.set(outer)
