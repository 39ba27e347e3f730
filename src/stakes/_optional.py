"""The one way to load an extra."""

from __future__ import annotations

import importlib
from types import ModuleType

from stakes.exceptions import MissingExtraError


def load(module: str, *, extra: str) -> ModuleType:
    """Import `module`, or say which extra brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"this needs {package}, which is not installed (or fails to import: {error}).",
            hint=f"pip install 'stakes[{extra}]'",
        ) from error
