"""The packages around libraries keep the rules of every other room."""

from __future__ import annotations

import importlib
import inspect
import re
from types import ModuleType
from typing import Any

import pytest

import stakes
from stakes.exceptions import MissingExtraError

ROOMS = ["sklearn", "torch"]


def room(name: str) -> ModuleType:
    pytest.importorskip(name, reason=f"needs {name}: pip install 'stakes[{name}]'")
    if name == "torch":
        pytest.importorskip("torchmetrics", reason="needs torchmetrics")
    return importlib.import_module(f"stakes.integrations.{name}")


def callables(module: ModuleType) -> list[Any]:
    return [getattr(module, name) for name in module.__all__]


@pytest.mark.parametrize("name", ROOMS)
class TestRooms:
    def test_names_are_sorted_and_exist(self, name: str) -> None:
        module = room(name)
        assert module.__all__ == sorted(set(module.__all__))
        assert all(hasattr(module, each) for each in module.__all__)

    def test_is_an_attribute_of_the_package(self, name: str) -> None:
        module = room(name)
        assert getattr(stakes.integrations, name) is module

    def test_everything_has_an_example_or_says_where_it_comes_from(self, name: str) -> None:
        for thing in callables(room(name)):
            docstring = inspect.getdoc(thing) or ""
            assert ">>> " in docstring or "made by `" in docstring, thing

    def test_every_parameter_is_explained(self, name: str) -> None:
        for thing in callables(room(name)):
            docstring = inspect.getdoc(thing) or ""
            heads = re.findall(r"^([\w*][\w*, ]*)(?: ?:.*)?$", docstring, flags=re.MULTILINE)
            named = {part.strip().lstrip("*") for line in heads for part in line.split(",")}
            asked = [
                parameter.name
                for parameter in inspect.signature(thing).parameters.values()
                if not parameter.name.startswith("_")
            ]
            assert set(asked) <= named, f"{thing}: {sorted(set(asked) - named)}"

    def test_at_most_two_arguments_are_positional(self, name: str) -> None:
        for thing in callables(room(name)):
            positional = [
                parameter.name
                for parameter in inspect.signature(thing).parameters.values()
                if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
            ]
            assert len(positional) <= 2, f"{thing}: {positional}"


def test_unknown_package_raises_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_library"):
        stakes.integrations.no_such_library  # noqa: B018


@pytest.mark.parametrize("name", ROOMS)
def test_a_missing_library_is_told_with_the_install_line(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    for loaded in [m for m in sys.modules if m.startswith(f"stakes.integrations.{name}")]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'stakes\[{name}\]'"):
        importlib.import_module(f"stakes.integrations.{name}")
