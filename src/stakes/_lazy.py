"""Names of a room that are loaded when somebody asks for them, so that nothing else is."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def loaded_on_use(
    room: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and the `__dir__` of a room, from the names that each module holds.

    A module must not be called like a public name of its room: once imported, it would stand in
    front of it.
    """
    places = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{room}.{places[name]}"), name)
        setattr(sys.modules[room], name, value)
        return value

    def names() -> list[str]:
        return sorted(sys.modules[room].__all__)

    return find, names
