"""What holds for every test: one thread each, and how the examples in docstrings are run.

Examples that need an extra are skipped, with the reason, where it is not installed.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import importlib.util
import os
import traceback
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

# Before NumPy is loaded: two workers of two threads each wait for each other half of the time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

SOURCE = Path(__file__).parent / "src"


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
    if SOURCE not in collection_path.parents or "integrations" not in parts[:-1]:
        return None
    library = parts[parts.index("integrations") + 1].removesuffix(".py")
    if library == "__init__" or importlib.util.find_spec(library) is not None:
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
