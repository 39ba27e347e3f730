"""How far a calibration is: on terminals one line on stderr, which is overwritten."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

__all__ = ["Telling"]

#: Seconds between two looks at the clock.
BETWEEN = 0.5


class Telling:
    """Says what is being done, and for how many seconds; the line is gone when all is done.

    Examples
    --------
    >>> with Telling() as telling:  # says nothing here, where there is no terminal
    ...     telling.say("judging")
    """

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._begun = time.monotonic()
        self._what = self._part = ""
        self._written = 0
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._clock = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Telling:
        if self._terminal:
            self._clock.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._terminal:
            self._clock.join()
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def say(self, what: str) -> None:
        """The next thing begins."""
        self._what, self._part = what, ""
        self._show()

    def candidate(self, done: int, total: int, kind: str) -> None:
        """The next candidate of a choice begins, or the fit of what was chosen."""
        if done == total:
            self.say(f"fitting {kind} to all cases")
        else:
            self.say(f"trying {kind} ({done + 1} of {total})")

    def fold(self, done: int, total: int) -> None:
        """The next fold of it begins."""
        self._part = f", fold {done + 1} of {total}"
        self._show()

    def _tick(self) -> None:
        """Show the seconds until all is done."""
        while not self._over.wait(BETWEEN):
            self._show()

    def _show(self) -> None:
        """The line as it is now."""
        if self._terminal and self._what:
            seconds = time.monotonic() - self._begun
            waited = f": {seconds:.0f} s" if seconds >= 1 else ""
            self._write(f"{self._what}{self._part}{waited}")

    def _write(self, text: str) -> None:
        """Overwrite the line."""
        with self._lock:
            sys.stderr.write("\r" + text.ljust(self._written))
            sys.stderr.flush()
            self._written = len(text)
