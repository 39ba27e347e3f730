"""Rooms whose names are loaded when asked for."""

from __future__ import annotations

import builtins
import importlib
import sys
import threading
from types import ModuleType

import pytest

from stakes._lazy import LoadedOnUse

ROOM = '''"""A room."""
from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from {name} import inner as inner
    from {name}.first import Beta as Beta
    from {name}.first import alpha as alpha
    from {name}.second import second as second
'''


@pytest.fixture
def room(tmp_path, monkeypatch) -> ModuleType:
    """A package with modules `first` and `inner`, and `second`, which holds its namesake."""
    folder = tmp_path / "lazy_room"
    folder.mkdir()
    (folder / "__init__.py").write_text(ROOM.format(name="lazy_room"))
    (folder / "first.py").write_text("alpha = 1\nclass Beta: pass\n")
    (folder / "inner.py").write_text("")
    (folder / "second.py").write_text("def second(): return 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("lazy_room")
    for name in [name for name in sys.modules if name.partition(".")[0] == "lazy_room"]:
        del sys.modules[name]


def test_a_name_is_loaded_when_it_is_asked_for(room):
    assert "lazy_room.first" not in sys.modules
    assert room.alpha == 1
    assert "lazy_room.first" in sys.modules
    assert vars(room)["alpha"] == 1


def test_names_are_listed_types_first(room):
    assert room.__all__ == ["Beta", "alpha", "inner", "second"]
    assert {*room.__all__, "__doc__"} <= set(dir(room))
    assert "LoadedOnUse" not in dir(room)


def test_a_module_may_be_one_of_the_names(room):
    assert room.inner is importlib.import_module("lazy_room.inner")


def test_a_module_does_not_hide_the_function_of_its_name(room):
    importlib.import_module("lazy_room.second")
    assert room.second() == 2


def test_no_such_name_raises(room):
    with pytest.raises(AttributeError, match="module 'lazy_room' has no attribute 'gamma'"):
        room.gamma  # noqa: B018


def test_other_threads_import_as_usual():
    usual, found = builtins.__import__, []

    def elsewhere() -> None:
        from fractions import Fraction

        found.append(Fraction)

    with LoadedOnUse({"__name__": "here"}):
        assert builtins.__import__ is not usual
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert builtins.__import__ is usual
    assert found[0](1, 2) == 0.5
