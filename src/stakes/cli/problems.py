"""Problems as people see them: `error:` and what to type, on stderr, and an exit code."""

from __future__ import annotations

import errno
import os
import platform
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stakes import __version__
from stakes.cli.show.terminal import shown
from stakes.cli.streams import lasting_streams
from stakes.exceptions import StakesError

EXIT_OK = 0
EXIT_GATE = 1  # a condition the user set, such as --fail-if, does not hold
EXIT_PROBLEM = 2  # the question could not be answered
_EXIT_OURS = 70  # an error in this program
_EXIT_INTERRUPTED = 130
_EXIT_ENDED = 143
#: What `--help` says about them.
EXIT_CODES = (
    "exit codes: 0 done, 1 a condition was not met, 2 a problem, 70 an error of ours, "
    "130 interrupted"
)
#: The variable that asks for the traceback of a mistake of ours.
_TRACEBACK = "STAKES_TRACEBACK"


def guarded(run: Callable[[], int]) -> int:
    """Run a command to its end, and give its exit code.

    A reader that has seen enough, such as `head`, ends nothing: files are written and conditions
    looked at. Only where what is printed was asked for, as by --json, is its loss a problem.
    """
    with lasting_streams() as out:
        code = _code_of(run)
        out.flush()
        if out.lost is None or code != EXIT_OK:
            return code
        if not isinstance(out.lost, BrokenPipeError):
            complain(*_about_files(out.lost))
            return EXIT_PROBLEM
        if out.is_output:
            complain("standard output was closed before everything was written.")
            return EXIT_PROBLEM
        return code


def _code_of(run: Callable[[], int]) -> int:
    """The exit code of a command; every problem becomes a message and a code."""
    try:
        with _ending_cleanly():
            return run()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else EXIT_PROBLEM
    except StakesError as error:
        complain(error.message, error.hint)
    except OSError as error:
        complain(*_about_files(error))
    except MemoryError:
        complain("there is not enough memory for this file.", "evaluate a sample of its rows")
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return _EXIT_INTERRUPTED
    except Exception as error:
        _report(error)
        return _EXIT_OURS
    return EXIT_PROBLEM


def _report(error: Exception) -> None:
    """Say what to report of a mistake of ours; all of it where that was asked for."""
    if os.environ.get(_TRACEBACK):
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    said = " ".join(str(error).split())
    complain(
        f"this is a mistake in stakes, not in what you typed: {type(error).__name__}"
        f"{f': {said}' if said else ''}{place}.",
        f"please report the command, this message, and what it prints with {_TRACEBACK}=1 set\n"
        f"stakes {__version__}, Python {platform.python_version()}, {platform.system()}",
    )


@contextmanager
def _ending_cleanly() -> Iterator[None]:
    """Let a request to end (SIGTERM) unwind like Ctrl-C, so that nothing is left half-written."""
    usual = signal.getsignal(signal.SIGTERM)
    if usual is not signal.SIG_DFL or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise SystemExit(_EXIT_ENDED)

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
