"""How far a long computation is, on stderr: a moving line on a terminal, else a line an item."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

__all__ = ["Progress", "duration"]


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


class Progress:
    """Tells what is being computed and about how long everything ahead will take.

    `ahead` are the stated seconds of the items to come; how long they really take is learnt from
    those that are done.
    """

    def __init__(self, ahead: Sequence[float], *, quiet: bool = False) -> None:
        self._ahead = list(ahead)
        self._place = 0
        self._name = ""
        self._spent = 0.0
        self._begun = 0.0
        self._shown = 0.0
        self._quiet = quiet
        self._moving = sys.stderr.isatty()
        if self._ahead and not quiet:
            said = "item" if len(self._ahead) == 1 else "items"
            self._say(f"{len(self._ahead)} {said} to compute, about {duration(sum(self._ahead))}")

    def start(self, name: str) -> None:
        """An item begins."""
        self._name, self._begun, self._shown = name, time.perf_counter(), 0.0
        if not self._quiet and not self._moving:
            self._say(f"{self._counted()} {name} ...")
        self.at(0.0)

    def at(self, fraction: float) -> None:
        """The item is so far; shown on a terminal, at most four times a second."""
        now = time.perf_counter()
        if self._quiet or not self._moving or now - self._shown < 0.25:
            return
        self._shown = now
        left = duration(self._left(min(max(fraction, 0.0), 1.0)))
        share = f" {fraction:.0%}" if fraction > 0 else ""
        print(f"\r\033[K{self._counted()} {self._name}{share}, about {left} left", end="",
              file=sys.stderr, flush=True)  # fmt: skip

    def done(self) -> None:
        """The item is done."""
        self._spent += time.perf_counter() - self._begun
        self._place += 1
        if self._moving and not self._quiet:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _counted(self) -> str:
        """Which of how many items."""
        return f"{self._place + 1}/{len(self._ahead)}"

    def _left(self, fraction: float) -> float:
        """Seconds ahead: as stated, scaled by how the items so far took."""
        stated = self._ahead[: self._place]
        pace = min(max(self._spent / sum(stated), 0.2), 5.0) if self._spent > 2 else 1.0
        ahead = sum(self._ahead[self._place :]) - fraction * self._ahead[self._place]
        return pace * ahead

    def _say(self, line: str) -> None:
        """A whole line."""
        print(line, file=sys.stderr, flush=True)
