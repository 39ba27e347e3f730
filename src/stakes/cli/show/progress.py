"""How far long work is, on stderr, and stopping it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from typing import Any, TypeVar

Result = TypeVar("Result")
#: Seconds before anything is said, between two words on a terminal, and elsewhere.
PATIENCE, BETWEEN, ELSEWHERE = 1.0, 0.25, 30.0
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
            sys.stderr.write("\r" + text.ljust(self._written))
            sys.stderr.flush()
            self._written = len(text)

    def clear(self) -> None:
        """Leave the line empty, if anything was written, and go back to its beginning."""
        if self._written:
            self.write("")
            self.write("")


def attended(
    work: Callable[[], Result],
    what: str,
    *,
    progress: Callable[[], float] | None = None,
    stop: Callable[[], None] | None = None,
    quiet: bool = False,
) -> Result:
    """The result of `work`, done in another thread while this one watches it.

    `progress` gives per cent, or less than 0 where that is unknown; `stop` ends the work early.
    """
    future: Future[Result] = Future()

    def labour() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    thread = threading.Thread(target=copy_context().run, args=(labour,), daemon=True)
    thread.start()
    try:
        _watch(thread, what, progress, quiet)
    except BaseException:  # Ctrl-C, or the request to end
        end = time.monotonic() + _LONGEST_STOP
        while stop is not None and thread.is_alive() and time.monotonic() < end:
            with suppress(Exception):  # again and again: between two queries no engine hears it
                stop()
            thread.join(timeout=0.1)
        raise
    return future.result()


def _watch(
    thread: threading.Thread, what: str, progress: Callable[[], float] | None, quiet: bool
) -> None:
    """Wait for the thread, and say how far it is.

    ``counting churn/*.parquet: 34 % [######..............] 12 s``
    """
    start = said = time.monotonic()
    line = _Line()
    while thread.is_alive():
        thread.join(timeout=0.05)
        now = time.monotonic()
        if quiet or now - start < PATIENCE or now - said < (BETWEEN if line.moves else ELSEWHERE):
            continue
        said, bar = now, ""
        share: Any = None if progress is None else progress()
        if share is not None and 0 <= share <= 100:
            bar = f"{share:3.0f} % [{'#' * round(share / 5):.<20}] "
        text = f"{what}: {bar}{now - start:.0f} s"
        if line.moves:
            line.write(text)
        else:
            print(text, file=sys.stderr)
    line.clear()


#: Seconds between two looks at the clock.
_BETWEEN_PHASES = 0.5


class Telling:
    """Says what is being done, and for how many seconds; the line is gone when all is done.

    Nothing is said where there is no terminal, or where it is to be `quiet`.

    Examples
    --------
    >>> with Telling() as telling:  # says nothing here, where there is no terminal
    ...     telling.say("judging")
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._line = _Line()
        self._line.moves = self._line.moves and not quiet
        self._begun = time.monotonic()
        self._what = self._part = ""
        self._over = threading.Event()
        self._clock = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Telling:
        if self._line.moves:
            self._clock.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._line.moves:
            self._clock.join()
            self._line.clear()

    def say(self, what: str) -> None:
        """The next thing begins."""
        self._what, self._part = what, ""
        self._show()

    def candidate(self, done: int, total: int, kind: str) -> None:
        """The next candidate of a choice begins, or the fit of what was chosen."""
        trying = f"trying {kind} ({done + 1} of {total})"
        self.say(trying if done < total else f"fitting {kind} to all cases")

    def fold(self, done: int, total: int) -> None:
        """The next fold of it begins."""
        self._part = f", fold {done + 1} of {total}"
        self._show()

    def share(self, done: float) -> None:
        """So much of it is done; shown when the clock is."""
        self._part = f" {done:.0%}"

    def _tick(self) -> None:
        """Show the seconds until all is done."""
        while not self._over.wait(_BETWEEN_PHASES):
            self._show()

    def _show(self) -> None:
        """The line as it is now."""
        if self._line.moves and self._what:
            seconds = time.monotonic() - self._begun
            waited = f": {seconds:.0f} s" if seconds >= 1 else ""
            self._line.write(f"{self._what}{self._part}{waited}")


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
