"""Load each name of a room when it is first used, so that nothing else is loaded."""

from __future__ import annotations

import _thread
import builtins
import importlib
from types import SimpleNamespace

TYPE_CHECKING = False  # `typing` and `threading` would triple the time of `import stakes`
if TYPE_CHECKING:
    from typing import Any

_one_room_at_a_time = _thread.allocate_lock()
#: Left out of ``from stakes import *``, where they would hide the libraries of the same name.
_NAMED_AS_LIBRARIES = ("sklearn", "torch")


class NoSuchNameError(AttributeError):
    """A name that does not exist; what to type instead is looked up when the message is read."""

    def __init__(self, place: str | type, name: str) -> None:
        super().__init__(place, name)

    def __str__(self) -> str:
        from stakes._guesses import no_attribute

        return no_attribute(*self.args)


def _imports_by_name() -> bool:
    """Whether the code that asked for a name is at ``from room import name``."""
    from inspect import currentframe
    from opcode import opmap

    frame = currentframe()
    for _ in range(2):
        frame = None if frame is None else frame.f_back
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]


# Why nothing heavy is loaded early: docs/design/architecture.md.
class LoadedOnUse:
    """Imports inside this `with` only note where names live; each is loaded when asked for.

    `room` is the `globals()` of a room, which gets its `__all__`, `__getattr__` and `__dir__` from
    these imports. Type checkers and editors see ordinary imports; ``import f1 as f1`` tells them
    that the name is public. Python 3.15 has ``lazy from ... import`` for this.
    """

    def __init__(self, room: dict[str, object]) -> None:
        self._room, self._homes = room, dict[str, str]()

    def __enter__(self) -> None:
        _one_room_at_a_time.acquire()
        self._usual, builtins.__import__ = builtins.__import__, self._noted

    def _noted(self, *given: Any, **named: Any) -> Any:
        """What `import` calls instead of importing."""
        if len(given) < 4 or given[1] is not self._room:  # another thread imports something
            return self._usual(*given, **named)
        module, _, _, names, *_ = given
        self._homes |= dict.fromkeys(names, module)
        return SimpleNamespace(**dict.fromkeys(names))

    def __exit__(self, *_: object) -> None:
        builtins.__import__ = self._usual
        _one_room_at_a_time.release()
        for name in self._homes:
            del self._room[name]
        names = [name for name in self._homes if name not in _NAMED_AS_LIBRARIES]
        types_first = sorted(names, key=lambda n: (not n.isupper(), not n[0].isupper(), n))
        dunders = [name for name in self._room if name.startswith("__")]
        self._room |= {
            "__all__": types_first,
            "__getattr__": self._loaded,
            "__dir__": lambda: sorted([*types_first, *dunders]),
        }
        for name, home in self._homes.items():
            if home == f"{self._room['__name__']}.{name}":
                self._loaded(name)  # else its module, once another loads it, would take its place

    def _loaded(self, name: str) -> object:
        """The thing of this name, kept in the room from now on."""
        room = self._room["__name__"]
        if name not in self._homes:
            missing = NoSuchNameError(str(room), name)
            if _imports_by_name():  # Python would replace our message there
                raise ImportError(str(missing), name=name)
            raise missing
        home = self._homes[name]
        if home == room:
            self._room[name] = importlib.import_module(f"{room}.{name}")
        else:
            self._room[name] = getattr(importlib.import_module(home), name)
        return self._room[name]
