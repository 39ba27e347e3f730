"""Problems become messages and exit codes, and output survives a closed pipe."""

from __future__ import annotations

import contextlib
import errno
import glob
import io
import os
import platform
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stakes import __version__
from stakes.exceptions import FormatError, StakesError
from stakes.messages.audience import shown


class Stream:
    """A stream that keeps the first problem of writing to it, and takes what follows to nowhere.

    So the rest of a command is done whether or not anybody still reads what it prints.
    """

    def __init__(self, stream: Any) -> None:
        self.closed_before = stream is None
        self.lost: OSError | None = None
        self.before: Callable[[], None] | None = None  # done before anything is written
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
        if self.before is not None:
            self.before()
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


@contextlib.contextmanager
def doing_before_writing(action: Callable[[], None]) -> Iterator[None]:
    """Do something before anything is written to either stream, such as to clear a line."""
    streams = [each for each in (sys.stdout, sys.stderr) if isinstance(each, Stream)]
    kept = [each.before for each in streams]
    for each in streams:
        each.before = action
    try:
        yield
    finally:
        for each, before in zip(streams, kept, strict=True):
            each.before = before


def printing_is_the_output() -> None:
    """Say that what is printed from here on is what was asked for: to lose it is a problem."""
    if isinstance(sys.stdout, Stream):
        sys.stdout.is_output = True


EXIT_OK = 0
EXIT_GATE = 1  # a condition the user set, such as --fail-if, does not hold
EXIT_PROBLEM = 2  # the question could not be answered
_EXIT_OURS = 70  # an error in this program
_EXIT_INTERRUPTED = 130
_EXIT_ENDED = 143
#: What `--help` says about them.
EXIT_CODES = (
    "exit codes: 0 success, 1 a condition was not met, 2 wrong input or usage, 70 an internal "
    "error, 130 interrupted"
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
        left = isinstance(out.lost, BrokenPipeError)
        if out.lost is None or code != EXIT_OK or (left and not out.is_output):
            return code
        closed = ("standard output was closed before everything was written.", None)
        complain(*(closed if left else _about_files(out.lost)))
        return EXIT_PROBLEM


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
    lines = [f"  {shown(line)}" for line in (hint or "").splitlines()]
    print("\n".join([f"error: {shown(message)}", *lines]), file=sys.stderr)


def warn(message: str) -> None:
    """Print a warning."""
    print(f"warning: {shown(message)}", file=sys.stderr)


@contextmanager
def written_by(command: str) -> Iterator[None]:
    """Say which command writes a file, where it is read before it is there."""
    try:
        yield
    except FileNotFoundError as error:
        hint = f"{command}  writes one"
        raise FormatError(f"there is no file {str(error.filename)!r}.", hint=hint) from None


def is_there(word: str, *, file: bool = False) -> bool:
    """Whether a word that was typed names what is there, or a `file`; a long list names nothing."""
    with contextlib.suppress(OSError, ValueError):
        return Path(word).is_file() if file else Path(word).exists()
    return False


def _about_files(error: OSError) -> tuple[str, str | None]:
    """A message about a file that could not be opened or written."""
    if error.errno == errno.ENOSPC and error.filename is None:
        return "there is no space left to write into.", "free some, or write elsewhere"
    name = error.filename if isinstance(error.filename, str) else str(error.filename or "the file")
    if isinstance(error, FileNotFoundError):
        return f"there is no file {name!r}.", _about_pattern(
            name
        ) or "check the name and the folder"
    if isinstance(error, IsADirectoryError):
        return f"{name!r} is a folder, not a file.", "name the files in it one by one"
    if isinstance(error, PermissionError):
        return f"no permission to open {name!r}.", None
    return f"{name}: {error.strerror or error}.", None


def _about_pattern(name: str) -> str | None:
    """What to type instead of a pattern, where it finds files but only names are read."""
    found = len(glob.glob(name, recursive=True)) if glob.has_magic(name) else 0  # noqa: PTH207
    if not found:
        return None
    files = "file" if found == 1 else f"{found} files"
    return f"name the {files} one by one, or leave out the quotes, so that the shell names them"
