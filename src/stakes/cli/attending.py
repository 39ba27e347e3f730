"""Long work that says on stderr how far it is, and that can be stopped."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

__all__ = ["attended"]

Result = TypeVar("Result")
#: Seconds before anything is said, between two words on a terminal, and elsewhere.
PATIENCE, BETWEEN, ELSEWHERE = 1.0, 0.25, 30.0
#: Seconds that work which is asked to end may still take.
LONGEST_STOP = 10.0


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
    found: list[Result] = []
    failed: list[BaseException] = []

    def labour() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=labour, daemon=True)
    thread.start()
    try:
        _watch(thread, what, progress, quiet)
    except BaseException:  # Ctrl-C, or the request to end
        if stop is not None:
            _ended(thread, stop)
        raise
    if failed:
        raise failed[0]
    return found[0]


def _ended(thread: threading.Thread, stop: Callable[[], None]) -> None:
    """Ask the thread to end until it does: between two queries an engine does not hear it."""
    start = time.monotonic()
    while thread.is_alive() and time.monotonic() - start < LONGEST_STOP:
        with suppress(Exception):
            stop()
        thread.join(timeout=0.1)


def _watch(
    thread: threading.Thread, what: str, progress: Callable[[], float] | None, quiet: bool
) -> None:
    """Wait for the thread, and say how far it is."""
    start = said = time.monotonic()
    terminal = sys.stderr.isatty()
    written = 0
    while thread.is_alive():
        thread.join(timeout=0.05)
        now = time.monotonic()
        if quiet or now - start < PATIENCE or now - said < (BETWEEN if terminal else ELSEWHERE):
            continue
        said = now
        text = _line(what, progress, now - start)
        if terminal:
            sys.stderr.write("\r" + text.ljust(written))
            sys.stderr.flush()
            written = len(text)
        else:
            print(text, file=sys.stderr)
    if written:
        sys.stderr.write("\r" + " " * written + "\r")
        sys.stderr.flush()


def _line(what: str, progress: Callable[[], float] | None, seconds: float) -> str:
    """``counting churn/*.parquet: 34 % [######..............] 12 s``"""
    share: Any = None if progress is None else progress()
    if share is None or not 0 <= share <= 100:
        return f"{what}: {seconds:.0f} s"
    done = round(share / 5)
    return f"{what}: {share:3.0f} % [{'#' * done}{'.' * (20 - done)}] {seconds:.0f} s"
