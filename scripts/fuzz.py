"""Call everything that is public with wrong arguments, and read broken files.

    python scripts/fuzz.py --calls 50000 --files 1000 --seconds 1800 --seed 0
    python scripts/fuzz.py --calls 5000 --show 20     # with examples of each failure
    python scripts/fuzz.py --only 1234 --seed 0       # one call again, with its traceback

A call ends well when it returns, or raises a `StakesError`, Python's own error about a file that it
names, or about a keyword. Anything else is a raw error; a warning that escapes is a leak; a call
beyond its time is a hang; a file after a refusal, or a temporary one, is left. The exit status is 1
where plausible arguments fail, or anything leaks, hangs or is left.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import importlib
import inspect
import io
import itertools
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from fuzz_arguments import base_values, gross, instances, plausible, sample_files
from fuzz_integrations import extras

import stakes
from stakes._checks import is_number
from stakes.exceptions import StakesError

PACKAGE = Path(stakes.__file__).parent
#: `cli` is tried with files; `papers` are run, not called; `messages` words what others say.
LEFT_OUT = {"cli", "papers", "messages", "demonstration"}
#: What rooms and CatBoost say, with arguments that they made themselves; and a browser.
AMONG_US = {
    "get_final_error",
    "refuse_other",
    "require_both",
    "require_scale",
    "expression",
    "decisions_of",
    "application_of",
    "turned",
    "found",
    "noted",
    "noted_if_alike",
    "from_sorted",
    "counts_beside_each",
    "cuts_at",
    "blocks",
    "to_pdf",
    "drawn",
    "grown",
    "shift_to",
    "counts_between",
    "counts_above_each",
    "losses",
    "mean",
    "part",
    "ends",
    "with_case_rules",
    "naive_shares",
    "refuse_beyond",
}
#: What functions return, with arrays that they made; the constructor looks at nothing.
RESULTS = {"Calibrator", "Unknown", "PriorEstimate", "LabelPlan", "DecidedCases", "CostScorer"}
CALL_SECONDS = 30
#: So many draws may take longer than that, and are not asked for.
MANY_DRAWS = 10_000
#: Arguments that are functions of the caller: what they raise is the caller's.
OWN_FUNCTIONS = {"columns", "curve", "metric"}
MEMORY = 4 * 2**30


class Hang(BaseException):
    """A call that ran past its time; no `except Exception` keeps it."""


@dataclass(frozen=True)
class Target:
    """Something to call: a function, a constructor, or a method of an instance."""

    name: str
    call: Callable[..., Any]
    owner: str | None = None


@dataclass
class Counts:
    """What came of the calls."""

    calls: int = 0
    refused: int = 0
    returned: int = 0
    raw: dict[str, Counter[str]] = field(
        default_factory=lambda: {"plausible": Counter(), "gross": Counter()}
    )
    warned: Counter[str] = field(default_factory=Counter)
    hangs: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def failed(self) -> bool:
        """Whether anything happened that must not."""
        return bool(self.raw["plausible"] or self.warned or self.hangs or self.left)

    def lines(self, show: int) -> Iterator[str]:
        """The counts as text, the most frequent places first."""
        yield f"calls     {self.calls}"
        yield f"returned  {self.returned}"
        yield f"refused   {self.refused}"
        groups = {f"raw {kind}": places for kind, places in self.raw.items()}
        for title, places in {
            **groups,
            "warnings": self.warned,
            "hangs": self.hangs,
            "left": self.left,
        }.items():
            yield f"{title:<14} {places.total()} from {len(places)} places"
            for place, count in places.most_common(None if show else 10):
                yield f"  {count:6d}  {place}"
                yield from (
                    f"            {line}" for line in self.examples[f"{title} {place}"][:show]
                )


def targets() -> list[Target]:
    """Every public function, constructor, classmethod and method, those shared by classes once."""
    found: dict[str, Target] = {}
    rooms = [
        f.name
        for f in sorted(PACKAGE.iterdir())
        if (f / "__init__.py").exists() and f.name[0] != "_"
    ]
    for room in ["", *(room for room in rooms if room not in LEFT_OUT), *extras()]:
        module = importlib.import_module(f"stakes.{room}" if room else "stakes")
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            if inspect.isclass(thing) and not issubclass(thing, Exception):
                found.update((target.name, target) for target in _of_class(name, thing))
            elif inspect.isfunction(thing):
                alike = room in ("plots", "calibration") or room.startswith("integrations")
                label = f"{room}.{name}" if alike else name
                found.setdefault(label, Target(label, thing))
    return list(found.values())


def _of_class(name: str, thing: type) -> Iterator[Target]:
    """The constructor, where it looks at what it is given, and the methods."""
    own = [key for key in ("__init__", "__post_init__", "__new__") if key in vars(thing)]
    if thing.__name__ in RESULTS or issubclass(thing, tuple):
        own = []
    plain = hasattr(thing, "__dataclass_fields__") and "__post_init__" not in own
    if own and not inspect.isabstract(thing) and not (plain and thing.__dataclass_params__.init):  # type: ignore[attr-defined]
        yield Target(name, thing)
    for key, member in inspect.getmembers(thing, callable):
        if (
            key.startswith("_")
            or key in AMONG_US
            or not str(getattr(member, "__module__", "")).startswith("stakes")
        ):
            continue
        bound = inspect.ismethod(member) or isinstance(
            inspect.getattr_static(thing, key), staticmethod
        )
        yield Target(f"{name}.{key}", member, None if bound else name)


class World:
    """Right arguments, things to call methods of, and a folder to write into."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "out"
        self.folder.mkdir()
        self.base = base_values(self.folder)
        self.instances = instances(self.base)
        self.files = sample_files(folder / "samples", self.base)

    def right(self, target: Target) -> dict[str, Any]:
        """Right arguments by parameter; what is not known has its default."""
        chosen = {}
        for name, parameter in inspect.signature(target.call).parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                chosen |= self.base.get(f"{target.name}.{name}: dict", {})
            if name == "self" or parameter.kind is parameter.VAR_KEYWORD:
                continue
            kind = str(parameter.annotation).split("[")[0].split(" ")[0].split(".")[0]
            last = target.name.rpartition(".")[2]
            if name == "path" and (file := self.files.get(target.name) or self.files.get(last)):
                chosen[name] = file
                continue
            for key in (f"{target.name}.{name}", f"{last}.{name}", f"{name}: {kind}", name):
                if key in self.base:
                    chosen[name] = self.base[key]
                    break
            else:
                if parameter.default is not parameter.empty:  # a switch, or the name of a method
                    chosen[name] = parameter.default
        return chosen


def attempt(
    world: World, target: Target, seed: int, index: int, counts: Counts, *, wrong: bool = True
) -> None:
    """One call, with one or two arguments made wrong, and what came of it."""
    draw = np.random.default_rng([seed, index])
    arguments = copy.copy(world.right(target))
    kind = "gross" if draw.random() < 0.3 else "plausible"
    changed = []
    if wrong and arguments:
        for name in draw.choice(
            list(arguments), size=min(len(arguments), int(draw.integers(1, 3))), replace=False
        ):
            arguments[name] = (
                gross(draw)
                if kind == "gross"
                else plausible(arguments[name], draw, world.base, world.folder)
            )
            if name == "draws" and is_number(arguments[name]) and arguments[name] > MANY_DRAWS:
                arguments[name] = MANY_DRAWS
            changed.append(str(name))
    function = target.call
    if target.owner is not None:
        things = world.instances.get(target.owner)
        if not things:
            return
        thing = _copied(things[int(draw.integers(len(things)))])
        function = getattr(thing, target.name.rpartition(".")[2])
    counts.calls += 1
    said = ", ".join(f"{name}={_short(arguments[name])}" for name in changed)
    example = f"#{index} {target.name}({said})"
    failure: BaseException | None = None
    with warnings.catch_warnings(record=True) as caught, _quiet():
        warnings.simplefilter("always")
        try:
            result = _within_time(function, target, arguments)
            counts.returned += 1
            if type(result).__module__.startswith("stakes."):
                world.instances.setdefault(type(result).__name__, [result])
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            failure = error
    own = [name for name in changed if name in OWN_FUNCTIONS and callable(arguments[name])]
    if own and not isinstance(failure, (Hang, StakesError)):
        failure = None
    _count(failure, kind, example, counts)
    for warning in caught:
        if issubclass(warning.category, ResourceWarning) or _to_estimators(warning, target):
            continue
        said = f"{warning.category.__name__}: {str(warning.message)[:60]}"
        place = f"{_inside(warning.filename)}:{warning.lineno} {said}"
        counts.warned[place] += 1
        counts.examples[f"warnings {place}"].append(example)
    _look_for_files(world.folder, failure, target, example, counts)


def _copied(thing: Any) -> Any:
    """A thing of its own, where it can be copied."""
    try:
        return copy.deepcopy(thing)
    except TypeError:
        return thing


def _count(failure: BaseException | None, kind: str, example: str, counts: Counts) -> None:
    """Put a failure where it belongs."""
    if failure is None:
        return
    unmet = isinstance(failure, AssertionError) and " assert_" in example  # a bar, as it should be
    named = isinstance(failure, OSError) and failure.filename
    if isinstance(failure, StakesError) or named or unmet:
        counts.refused += 1
        counts.examples["refused"] = [f"{example}: {' '.join(str(failure).split())[:150]}"]
        return
    place = _place(failure)
    if place is None or _of_estimators(failure):  # an argument too many, or one missing
        counts.refused += 1
        counts.examples["refused"] = [f"{example}: {failure}"]
    elif isinstance(failure, Hang):
        counts.hangs[place] += 1
        counts.examples[f"hangs {place}"].append(example)
    else:
        counts.raw[kind][place] += 1
        words = f"{example}: {type(failure).__name__}: {str(failure)[:100]!r}"
        counts.examples[f"raw {kind} {place}"].append(words)


def _to_estimators(warning: warnings.WarningMessage, target: Target) -> bool:
    """Whether scikit-learn warns of what it was handed, as it warns users of its estimators."""
    theirs = warning.category is UserWarning or warning.category.__module__ == "sklearn.exceptions"
    theirs |= "sklearn" in Path(warning.filename).parts
    return theirs and "integrations.sklearn" in str(getattr(target.call, "__module__", ""))


def _of_estimators(failure: BaseException) -> bool:
    """Whether scikit-learn refuses what it was handed, in the words that it asks of estimators."""
    where = [Path(f.filename).parts for f in traceback.extract_tb(failure.__traceback__)]
    ours = any({"stakes", "integrations", "sklearn"} <= set(each) for each in where)
    return ours and "sklearn" in where[-1] and "stakes" not in where[-1]


def _within_time(function: Callable[..., Any], target: Target, arguments: dict[str, Any]) -> Any:
    """What the call returns, said as text once, or `Hang`."""

    def stop(*_: Any) -> None:
        raise Hang

    several = [
        n
        for n, p in inspect.signature(target.call).parameters.items()
        if p.kind is p.VAR_POSITIONAL
    ]
    places = [arguments.pop(name) for name in several if name in arguments]
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS)
    try:
        result = function(*places, **arguments)
        if type(result).__module__.startswith("stakes."):
            str(result)
        return result
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Nothing is printed, and nobody waits for the keyboard."""
    held, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(b""))
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        sys.stdin = held


def _place(error: BaseException) -> str | None:
    """The last line inside the package that the error passed through."""
    inside = [
        f
        for f in traceback.extract_tb(error.__traceback__)
        if Path(f.filename).is_relative_to(PACKAGE)
    ]
    if not inside:
        return None if isinstance(error, TypeError) else f"outside: {type(error).__name__}"
    return f"{_inside(inside[-1].filename)}:{inside[-1].lineno}"


def _inside(filename: str) -> str:
    """A file as people of the project name it."""
    path = Path(filename)
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name


def _look_for_files(
    folder: Path, failure: BaseException | None, target: Target, example: str, counts: Counts
) -> None:
    """Count temporary files, and any file of a call that failed; then tidy up."""
    found = list(folder.iterdir()) + [
        path for path in Path.cwd().iterdir() if path.name not in ("samples", "out")
    ]
    for path in found:
        if path.name.startswith(".") or failure is not None:
            counts.left[target.name] += 1
            counts.examples[f"left {target.name}"].append(f"{example}: {path.name!r}")
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _short(value: Any) -> str:
    """A value in a line of text."""
    try:
        words = " ".join(repr(value).split())
    except Exception as error:
        words = f"<{type(error).__name__}>"
    return f"{type(value).__name__} {words[:50]}"


def fuzz_calls(
    calls: int, seed: int, seconds: float, *, show: int = 0, only: int | None = None
) -> Counts:
    """Call public things `calls` times, or until the time is over."""
    counts, until, before = Counts(), time.monotonic() + seconds, Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        os.chdir(folder)
        try:
            every = targets()
            for _ in range(2):  # right arguments first: what they return has methods, too
                for k, target in enumerate(every):
                    attempt(world, target, seed, k, right := Counts(), wrong=False)
                    if show and right.refused:
                        print("right arguments refused:", *right.examples["refused"])
                    for kind in ("plausible", "gross"):
                        counts.raw[kind] += right.raw[kind]
                    counts.warned += right.warned
                    for key, lines in right.examples.items():
                        counts.examples[key] += lines
            for index in itertools.count() if only is None else [only]:
                if counts.calls >= calls or time.monotonic() > until:
                    break
                if index % 5000 == 0 and index:
                    print(f"{index} calls", file=sys.stderr, flush=True)
                order = np.random.default_rng([seed, index, 1]).integers(len(every))
                attempt(world, every[int(order)], seed, index, counts)
        finally:
            os.chdir(before)
    return counts


def main() -> int:
    """Both kinds of fuzzing, and their counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=3600, help="time for the calls")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="examples of each failure")
    parser.add_argument("--only", type=int, metavar="INDEX", help="this call alone")
    options = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "agg")
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + 2 * MEMORY, -1))
    counts = fuzz_calls(
        options.calls, options.seed, options.seconds, show=options.show, only=options.only
    )
    print(*counts.lines(options.show), sep="\n")
    failed = counts.failed()
    if options.files and options.only is None:
        from fuzz_files import fuzz_files

        found = fuzz_files(options.files, options.seed, options.seconds)
        print(found)
        failed |= not found.is_clean
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
