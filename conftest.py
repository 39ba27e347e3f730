"""What holds for every test: one thread each, seeds, and how the examples in docstrings are run.

Examples that need an extra are skipped, with the reason, where it is not installed.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import importlib.util
import os
import sys
import traceback
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

# Before NumPy is loaded: two workers of two threads each wait for each other half of the time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

SOURCE = Path(__file__).parent / "src"
#: Code that may not draw without a seed, in tests.
OURS = (str(SOURCE), str(SOURCE.with_name("tests")), "<doctest")
#: Where the global generators stand when a test begins.
START = 20_010_101


def pytest_configure() -> None:
    """Refuse generators without a seed, from collection on: no test may fail by chance."""
    import numpy as np

    make = np.random.default_rng

    def seeded(seed: Any = None) -> np.random.Generator:
        if seed is None and _asked_by_us():
            raise AssertionError("a generator needs a seed in tests: np.random.default_rng(0)")
        return make(seed)

    np.random.default_rng = seeded


def _asked_by_us() -> bool:
    """Whether our code called, be it through a library; some draw while they are imported."""
    frame = sys._getframe(2)
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        if frame.f_code.co_filename.startswith(OURS):
            return True
        frame = frame.f_back
    return False


@pytest.fixture(autouse=True)
def _seeds_for_global_generators(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test that draws from the global generator of NumPy or PyTorch without seeding it."""
    import numpy as np

    numpy, torch, seeds = np.random.mtrand._rand, sys.modules.get("torch"), []

    def seed(given: Any = None) -> None:
        seeds.append(given)
        numpy.seed(given)

    monkeypatch.setattr(np.random, "seed", seed)
    numpy.seed(START)
    before = _state(numpy)
    if torch is not None:
        torch.manual_seed(START)
        stood = torch.get_rng_state()
    yield
    named = bool(seeds) and all(one is not None for one in seeds)
    if not named and _state(numpy) != before:
        pytest.fail("a test draws from NumPy's global generator; use np.random.default_rng(0)")
    drawn = torch is not None and not torch.equal(torch.get_rng_state(), stood)
    if drawn and torch.initial_seed() == START:
        pytest.fail("a test draws from PyTorch's global generator; torch.manual_seed(0) first")


def _state(generator: Any) -> tuple[bytes, int]:
    """Where a legacy generator of NumPy stands."""
    _, keys, place, *_ = generator.get_state()
    return keys.tobytes(), place


def pytest_collect_file(file_path: Path) -> None:
    """Import a module under its own name before its examples are collected.

    In `importlib` mode pytest would make a second copy of it, with classes of its own.
    """
    if file_path.suffix == ".py" and SOURCE in file_path.parents:
        parts = file_path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        with contextlib.suppress(ImportError):  # pytest meets it again, and reports it
            importlib.import_module(name)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the packages around libraries that are not installed: `integrations/torch`."""
    parts = collection_path.parts
    short = collection_path.parent == SOURCE / "stakes" and parts[-1] in ("sklearn.py", "torch.py")
    if SOURCE not in collection_path.parents or not (short or "integrations" in parts[:-1]):
        return None
    library = parts[-1 if short else parts.index("integrations") + 1].removesuffix(".py")
    library = {"torch_metrics.py": "torchmetrics"}.get(parts[-1], library)
    if library in ("__init__", "boosting") or importlib.util.find_spec(library) is not None:
        return None
    return True


def _why_skip(error: BaseException) -> str | None:
    """The reason to skip an example that raised `error`, or None if the example is broken.

    An extra may be asked for on purpose: through `stakes._optional.load`, or by an import written
    in the example itself. A missing module deeper down is an accident, and stays a failure.
    """
    from stakes.exceptions import MissingExtraError

    if isinstance(error, MissingExtraError):
        return str(error).splitlines()[0]
    if isinstance(error, ModuleNotFoundError):
        last = traceback.extract_tb(error.__traceback__)[-1]
        if last.filename.startswith("<doctest"):
            return f"the example imports {error.name}, which is not installed"
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    try:
        return (yield)
    except doctest.UnexpectedException as failure:
        reason = _why_skip(failure.exc_info[1])
        if reason is None:
            raise
    pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many tests were skipped for which reason: one line each, not one per test."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(_reason(report.longrepr) for report in skipped)
    if reasons:
        terminalreporter.section("skipped, by reason")
    for reason, times in reasons.most_common():
        terminalreporter.write_line(f"{times:>5}  {reason}")


def _reason(found: Any) -> str:
    """Why a test was skipped: the last part of (file, line, reason)."""
    text = found[-1] if isinstance(found, tuple) else str(found)
    return str(text).removeprefix("Skipped: ").splitlines()[0]
