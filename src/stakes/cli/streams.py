"""Standard output and standard error that may close while a command still has work to do."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import Any


class Stream:
    """A stream that keeps the first problem of writing to it, and takes what follows to nowhere.

    So the rest of a command is done whether or not anybody still reads what it prints.
    """

    def __init__(self, stream: Any) -> None:
        self.closed_before = stream is None
        self.lost: OSError | None = None
        self.is_output = False  # whether what is printed is what was asked for, as by --json
        self.stream = io.StringIO() if stream is None else stream
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal that cannot show a character gets its escape
            reconfigure(errors="backslashreplace")

    def write(self, text: str) -> int:
        """Write a text, unless writing has become impossible."""
        if self.closed_before:
            self.lost = BrokenPipeError()
            return len(text)
        try:
            self.stream.write(text)
        except OSError as error:
            self._lose(error)
        return len(text)

    def flush(self) -> None:
        """Let everything go out, unless that has become impossible."""
        try:
            self.stream.flush()
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        """Keep the problem; what is still held back, and what follows, goes nowhere."""
        self.lost = self.lost or error
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.stream.fileno())
            os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextlib.contextmanager
def lasting_streams() -> Iterator[Stream]:
    """Put such streams into the place of the usual ones; gives the one for standard output."""
    usual = sys.stdout, sys.stderr
    for name in ("stdout", "stderr"):
        if not isinstance(getattr(sys, name), Stream):
            setattr(sys, name, Stream(getattr(sys, name)))
    try:
        yield sys.stdout  # type: ignore[misc]
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        sys.stdout, sys.stderr = usual


def printing_is_the_output() -> None:
    """Say that what is printed from here on is what was asked for: to lose it is a problem."""
    if isinstance(sys.stdout, Stream):
        sys.stdout.is_output = True
