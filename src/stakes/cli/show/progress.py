"""How far long work is, on stderr, and stopping it."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from contextvars import copy_context
from typing import Any, TypeVar

from stakes.messages.steps import listening, step_width

Result = TypeVar("Result")
_now = time.monotonic
#: Seconds before the first message, between two messages on a terminal, and elsewhere.
PATIENCE, BETWEEN, ELSEWHERE = 2.0, 0.25, 30.0
#: The share that must be over before it tells how long the rest takes.
_ENOUGH = 0.03
#: Seconds that work which is asked to end may still take.
_LONGEST_STOP = 10.0


class _Line:
    """A line on stderr that is written over, where that is a terminal."""

    def __init__(self) -> None:
        self.moves = sys.stderr.isatty()
        self._written = 0
        self._lock = threading.Lock()

    def write(self, text: str) -> None:
        """Overwrite the line."""
        with self._lock:
            stream = getattr(sys.stderr, "stream", sys.stderr)  # this line clears no line
            stream.write("\r" + text.ljust(self._written))
            stream.flush()
            self._written = len(text)

    def clear(self) -> None:
        """Leave the line empty, if anything was written, and go back to its beginning."""
        if self._written:
            self.write("")
            self.write("")


class _Step:
    """The step of some work that is being done, and how much of all of it is over."""

    def __init__(self) -> None:
        self._start, self._width, self._most = 0.0, 1.0, 0.0

    def begins(self, _: str, share: float) -> None:
        """The next step begins; called where the work is done."""
        self._start, self._width = share, step_width()

    def over(self, part: float) -> float:
        """Per cent of the work done, from the share of this step; negative if unknown."""
        if part < 0:
            return part
        self._most = max(self._most, 100 * self._start + self._width * part)
        return self._most


#: The lines that are open, of which the last one may be written.
_OPEN: list[_Line] = []


def attended(
    work: Callable[[], Result],
    what: str,
    *,
    progress: Callable[[], float] | None = None,
    begin: Callable[[], None] | None = None,
    stop: Callable[[], None] | None = None,
    quiet: bool = False,
) -> Result:
    """The result of `work`, done in another thread while this one watches it.

    `progress` gives per cent of the present step of the work, or less than 0 where that is
    unknown; `begin` is done in that thread first, and `stop` ends the work early.
    """
    future: Future[Result] = Future()
    step = _Step()

    def labour() -> None:
        try:
            with listening(step.begins):
                if begin is not None:
                    begin()
                future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    thread = threading.Thread(target=copy_context().run, args=(labour,), daemon=True)
    # what is awaited is the future: Python 3.11 takes a thread whose `join` is interrupted for dead
    try:
        thread.start()
        _watch(future, what, None if progress is None else lambda: step.over(progress()), quiet)
    except BaseException:  # Ctrl-C, or the request to end
        end = time.monotonic() + (_LONGEST_STOP if thread.ident else 0)
        while stop is not None and not future.done() and time.monotonic() < end:
            with suppress(Exception):  # again and again: between two queries no engine hears it
                stop()
            wait([future], timeout=0.1)
        raise
    return future.result()


def _watch(
    future: Future[Any], what: str, progress: Callable[[], float] | None, quiet: bool
) -> None:
    """Wait for the result, and say how far the work is.

    ``counting churn/*.parquet: 34 % [######..............] 12 s``
    """
    start = said = _now()
    line = _Line()
    _OPEN.append(line)
    try:
        while not wait([future], timeout=0.05).done:
            now = _now()
            pause = BETWEEN if line.moves else ELSEWHERE
            if quiet or now - start < PATIENCE or now - said < pause:
                continue
            said, bar, left = now, "", ""
            share: Any = None if progress is None else progress()
            if share is not None and 0 <= share <= 100:
                bar = f"{share:3.0f} % [{'#' * round(share / 5):.<20}] "
                left = _left(share / 100, now - start)
            text = f"{what}: {bar}{now - start:.0f} s{left}"
            if line.moves:
                line.write(text)
            else:
                print(text, file=sys.stderr)
    finally:
        line.clear()
        _OPEN.remove(line)


def _left(share: float, seconds: float) -> str:
    """How long the rest takes if it goes on as so far; nothing while that cannot be told."""
    if not _ENOUGH <= share < 1:
        return ""
    return f", about {duration(seconds * (1 - share) / share)} left"


#: Seconds between two looks at the clock.
_BETWEEN_PHASES = 0.5


class Telling:
    """Says what is being done, for how many seconds, and about how long the rest takes.

    Nothing is printed before two seconds, where there is no terminal, or where it is to be `quiet`;
    the line is gone when all is done, and before anything is printed. Of several that are open the
    last one speaks.

    Examples
    --------
    >>> with Telling() as telling:  # says nothing here, where there is no terminal
    ...     telling.say("judging")
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._line = _Line()
        self._line.moves = self._line.moves and not quiet
        self._begun = self._since = _now()
        self._what = self._part = ""
        self._share = math.nan
        self._over = threading.Event()
        self._clock = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Telling:
        if self._line.moves:
            _OPEN.append(self._line)
            self._clock.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._line.moves:
            self._clock.join()
            self._line.clear()
            _OPEN.remove(self._line)

    def pause(self) -> None:
        """Leave the line empty until the next step, because something is printed."""
        self._what = ""
        for line in _OPEN:
            line.clear()

    def step(self, what: str, share: float) -> None:
        """A step begins; so much of all of them is done."""
        if what != self._what:
            self._what, self._since = what, _now()
        self._part, self._share = f" {share:.0%}", share

    def say(self, what: str) -> None:
        """The next thing begins."""
        self._what, self._part, self._share, self._since = what, "", math.nan, _now()
        self._show()

    def candidate(self, done: int, total: int, kind: str) -> None:
        """The next candidate of a choice begins, or the fit of what was chosen."""
        trying = f"trying {kind} ({done + 1} of {total})"
        self.say(trying if done < total else f"fitting {kind} to all cases")

    def fold(self, done: int, total: int) -> None:
        """The next fold of it begins."""
        self._part, self._share = f", fold {done + 1} of {total}", done / total
        self._show()

    def share(self, done: float) -> None:
        """So much of it is done; shown when the clock is."""
        self._part, self._share = f" {done:.0%}", done

    def _tick(self) -> None:
        """Show the seconds until all is done."""
        while not self._over.wait(_BETWEEN_PHASES):
            self._show()

    def _show(self) -> None:
        """The line as it is now."""
        seconds = _now() - self._begun
        if self._line.moves and self._what and seconds >= PATIENCE and _OPEN[-1:] == [self._line]:
            left = _left(self._share, _now() - self._since)
            self._line.write(f"{self._what}{self._part}: {seconds:.0f} s{left}")


def duration(seconds: float) -> str:
    """A length of time as people say it.

    Examples
    --------
    >>> [duration(s) for s in (0.2, 40.4, 75, 600)]
    ['1 s', '40 s', '1 min 15 s', '10 min']
    """
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if rest and minutes < 10 else f"{minutes} min"
