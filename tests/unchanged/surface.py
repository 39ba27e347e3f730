"""The public names with their signatures, and the options of every command."""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any
from unittest import mock

import stakes
from stakes.cli.entry import main

SPECIAL = ("__add__", "__call__", "__contains__", "__getitem__", "__iter__", "__len__", "__eq__")


def names(*rooms: str) -> Iterator[str]:
    """Every name of the rooms' `__all__`, and what the results of their functions can do."""
    results: dict[str, type] = {}
    public = set()
    for room in rooms or ("stakes", *_rooms(), "stakes.integrations.sklearn"):
        module = importlib.import_module(room)
        for name in sorted(module.__all__):
            thing = getattr(module, name)
            if inspect.ismodule(thing):
                yield f"{room}.{name}: a room"
                continue
            yield from _described(f"{room}.{name}", thing)
            public.add(thing if isinstance(thing, type) else None)
            result = _result(thing)
            if result is not None:
                results[f"{result.__name__}, made by {room}.{name}"] = result
    seen = set()
    for title, cls in sorted(results.items()):
        if cls not in public | seen:
            seen.add(cls)
            yield from _described(title, cls)


def _rooms() -> list[str]:
    return [f"stakes.{name}" for name in stakes.__all__ if inspect.ismodule(getattr(stakes, name))]


def _described(name: str, thing: Any) -> Iterator[str]:
    """A function or a class with its members, one line each."""
    if not isinstance(thing, type):
        yield f"{name}{_signature(thing)}" if callable(thing) else f"{name}: {type(thing).__name__}"
        return
    bases = [base.__name__ for base in thing.__mro__[1:] if base.__module__ != "builtins"]
    error = issubclass(thing, BaseException)
    yield f"{name}{'' if error else _signature(thing)}: {', '.join(bases) or 'a class'}"
    members: dict[str, Any] = {}
    for cls in reversed(thing.__mro__):
        if cls.__module__.startswith("stakes"):
            members |= vars(cls)
    for member, value in sorted(members.items()):
        if member.startswith("_") and member not in SPECIAL:
            continue
        if isinstance(value, property) or type(value).__name__ == "cached_property":
            yield f"    .{member}"
        elif isinstance(value, (staticmethod, classmethod)) or inspect.isfunction(value):
            yield f"    .{member}{_signature(getattr(thing, member))}"


def _signature(thing: Any) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    parameters = [each.replace(annotation=_bare(each)) for each in signature.parameters.values()]
    bare = signature.replace(parameters=parameters, return_annotation=_bare(signature))
    return re.sub(r" at 0x[0-9a-f]+", "", str(bare))


def _bare(annotated: Any) -> Any:
    """The annotation of a parameter or a result as it is written, without quotes."""
    annotation = getattr(annotated, "annotation", getattr(annotated, "return_annotation", None))
    if annotation is inspect.Parameter.empty or annotation is None:
        return inspect.Parameter.empty
    text = getattr(annotation, "__forward_arg__", annotation)
    return _Words(text) if isinstance(text, str) else annotation


class _Words:
    """Text that shows itself without quotes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _result(thing: Any) -> type | None:
    """The class of ours that a function returns, if its annotation tells."""
    if not inspect.isfunction(thing):
        return None
    text = str(thing.__annotations__.get("return", ""))
    found = getattr(inspect.getmodule(thing), text, None)
    ours = isinstance(found, type) and found.__module__.startswith("stakes")
    return found if ours else None


class _CaughtError(BaseException):
    """Carries the parser that the command line has just made past its catch-all for errors."""


def _parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of the whole command line, with one command set up."""

    def catch(parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        raise _CaughtError(parser)

    with mock.patch.object(argparse.ArgumentParser, "parse_known_args", catch):
        try:
            main([command])
        except _CaughtError as caught:
            return caught.args[0]
    raise AssertionError("the command line no longer uses argparse")


def options() -> Iterator[str]:
    """Every option of every command: its metavar, default, choices and meaning."""
    root = _parser_of("eval")
    commands = next(a for a in root._actions if isinstance(a, argparse._SubParsersAction))
    yield from _options_of(root, "stakes")
    for command in commands.choices:
        inner = next(
            a for a in _parser_of(command)._actions if isinstance(a, argparse._SubParsersAction)
        )
        yield from _options_of(inner.choices[command], f"stakes {command}")


def _options_of(parser: argparse.ArgumentParser, name: str) -> Iterator[str]:
    yield name
    for action in sorted(parser._actions, key=lambda a: (a.option_strings or [a.dest])[-1]):
        words = [", ".join(action.option_strings) or action.dest]
        for key in ("metavar", "nargs", "choices", "default", "const", "required"):
            value = getattr(action, key)
            if isinstance(value, dict):
                value = list(value)
            if value not in (None, False, argparse.SUPPRESS):
                words.append(f"{key}={value!r}")
        yield f"    {'  '.join(words)}"
