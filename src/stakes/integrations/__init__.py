"""In the tools people already use: one package per library, loaded when it is asked for.

``stakes.integrations.sklearn`` needs the extra `sklearn`, and so do ``.torch`` and ``.mlflow``;
``.boosting`` needs none. They are the only modules that import those libraries, so the room itself
shows no names: import what you need from the package of your library.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__: list[str] = []

_PACKAGES = ("boosting", "mlflow", "sklearn", "torch")


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_PACKAGES)
