"""Problems as people see them: `error:` and what to type, on stderr, without a traceback."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from stakes.cli.output import shown
from stakes.exceptions import StakesError

__all__ = ["EXIT_GATE", "EXIT_OK", "EXIT_PROBLEM", "complain", "guarded", "warn"]

EXIT_OK = 0
EXIT_GATE = 1  # a condition the user set, such as --fail-if, does not hold
EXIT_PROBLEM = 2  # the question could not be answered
EXIT_INTERRUPTED = 130
EXIT_ENDED = 143


def guarded(run: Callable[[Any], int], args: Any) -> int:
    """Run a command; every expected problem becomes a message and an exit code."""
    try:
        with _ending_cleanly():
            code = run(args)
        sys.stdout.flush()
    except StakesError as error:
        complain(error.message, error.hint)
        return EXIT_PROBLEM
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
        return EXIT_OK
    except OSError as error:
        complain(*_about_files(error))
        return EXIT_PROBLEM
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return EXIT_INTERRUPTED
    except MemoryError:
        complain("there is not enough memory for this file.", "evaluate a sample of its rows")
        return EXIT_PROBLEM
    return code


@contextmanager
def _ending_cleanly() -> Iterator[None]:
    """Let a request to end (SIGTERM) unwind like Ctrl-C, so that nothing is left half-written."""
    usual = signal.getsignal(signal.SIGTERM)
    if usual is not signal.SIG_DFL or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise SystemExit(EXIT_ENDED)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, usual)


def complain(message: str, hint: str | None = None) -> None:
    """Print an error; each line of the hint is indented under it."""
    print("\n".join([f"error: {shown(message)}", *_indented(hint)]), file=sys.stderr)


def warn(message: str) -> None:
    """Print a warning."""
    print(f"warning: {shown(message)}", file=sys.stderr)


def _indented(hint: str | None) -> list[str]:
    """The lines of a hint, two spaces in."""
    return [f"  {shown(line)}" for line in hint.splitlines()] if hint else []


def _about_files(error: OSError) -> tuple[str, str | None]:
    """A message about a file that could not be opened or written."""
    if error.errno == errno.ENOSPC and error.filename is None:
        return "there is no space left to write into.", "free some, or write elsewhere"
    name = error.filename if isinstance(error.filename, str) else str(error.filename or "the file")
    if isinstance(error, FileNotFoundError):
        return f"there is no file {name!r}.", "check the name and the folder"
    if isinstance(error, IsADirectoryError):
        return f"{name!r} is a folder, not a file.", None
    if isinstance(error, PermissionError):
        return f"no permission to open {name!r}.", None
    return f"{name}: {error.strerror or error}.", None
