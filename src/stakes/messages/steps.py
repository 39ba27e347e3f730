"""Report the steps of long work to a listener; in Python there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

Item = TypeVar("Item")
#: Is called with a description of the work and the share that is done.
Listener = Callable[[str, float], None]


class _Part(NamedTuple):
    """The current step: its description, and the shares of the work at which it begins and ends."""

    what: str
    start: float
    width: float


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)
_PART: ContextVar[_Part | None] = ContextVar("part", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Report steps to a listener inside this context."""
    before, outer = _LISTENER.set(listener), _PART.set(None)
    try:
        yield
    finally:
        _PART.reset(outer)
        _LISTENER.reset(before)


def step_width() -> float:
    """The share of all work that the current step makes up; 1 if there are no steps."""
    part = _PART.get()
    return 1.0 if part is None else part.width


def steps(what: str, items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items, and report to a listener how many are done.

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
            _PART.set(part)
            listener(what, part.start)
            yield item
    finally:
        _PART.set(outer)
