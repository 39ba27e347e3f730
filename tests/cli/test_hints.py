"""Options that hints and examples name are options of the command that would take them."""

from __future__ import annotations

import argparse
import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import stakes
from stakes.cli.entry import PURPOSES

ROOT = Path(stakes.__file__).parent
ROOMS = ("cli", "engines", "inquiry", "sources")
WORD = re.compile(r"\bstakes (?P<command>[a-z]+)\b|(?<![\w-])(?P<option>--[a-z][\w-]*)")
#: Options of `stakes` itself.
GENERAL = {"--help", "--help-all", "--version", "--completion"}
#: Hints of a module that a command does not come to, though it imports it, with why.
NEVER = {
    ("ask", "case_table"): "--join-on is not taken",
    ("ask", "option_words"): "ask asks for costs, so that no words for them are read",
    ("ask", "model_decisions"): "shares are moved only between outcomes that occur",
    ("ask", "case_question"): "costs are filled in before",
    ("ask", "truth"): "every error costs the same as long as nothing was asked",
    ("audit", "case_table"): "--join-on is not taken",
    ("audit", "answers"): "--preset is not taken",
    ("audit", "assumptions"): "--by is not taken",
    ("audit", "opened_files"): "what needs an engine is refused",
    ("calibrate", "case_table"): "--join-on is not taken",
    ("constrain", "case_table"): "--join-on is not taken",
    ("constrain", "source"): "--engine is not taken",
    ("costs", "cells"): "no column is read as numbers",
    ("costs", "case_table"): "--join-on is not taken",
    ("costs", "case_question"): "neither models nor costs are asked for",
    ("costs", "column_roles"): "models are not asked for",
    ("costs", "option_words"): "no words for costs are read",
    ("costs", "truth"): "rows without the truth do not matter, and neither do costs",
    ("demo", "cells"): "no file is read",
    ("demo", "column_roles"): "no file is read",
    ("demo", "truth"): "no file is read",
    ("inspect", "cells"): "columns that are no numbers are described as such",
    ("inspect", "column_roles"): "models are found, not named",
    ("inspect", "truth"): "costs are not asked for",
    ("merge", "cells"): "only counts are read",
    ("audit", "daily_answer"): "counts and rows are not added here",
    ("audit", "source"): "--engine is not taken",
    ("cascade", "case_table"): "--join-on is not taken",
    ("cascade", "assumptions"): "--by is not taken",
    ("decide", "assumptions"): "slices and groups are not taken",
    ("decide", "case_question"): "rows are decided, not judged, so it is not reached",
    ("decide", "case_table"): "--join-on is not taken",
    ("decide", "cells"): "rows are decided, not judged, so it is not reached",
    ("decide", "column_roles"): "rows are decided, not judged, so it is not reached",
    ("decide", "far_truth"): "rows are decided, not judged, so it is not reached",
    ("decide", "model_decisions"): "rows are decided, not judged, so it is not reached",
    ("decide", "model_scores"): "rows are decided, not judged, so it is not reached",
    ("decide", "option_words"): "rows are decided, not judged, so it is not reached",
    ("decide", "truth"): "rows are decided, not judged, so it is not reached",
    ("estimate", "case_table"): "--join-on is not taken",
    ("estimate", "source"): "--engine is not taken",
    ("monitor", "case_table"): "--join-on is not taken",
    ("rule", "cells"): "no rows are read",
    ("rule", "column_roles"): "no rows are read",
    ("rule", "truth"): "no rows are read",
}


@cache
def options_of(command: str) -> set[str]:
    parser = argparse.ArgumentParser()
    importlib.import_module(f"stakes.cli.commands.{command}").configure(parser)
    return {option for action in parser._actions for option in action.option_strings}


def modules() -> dict[str, ast.Module]:
    found = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[f"stakes.{name}"] = ast.parse(path.read_text("utf-8"))
    return found


MODULES = modules()


def text_of(node: ast.AST) -> str:
    """A string as far as it stands in the code; anything else as a sign that is no word."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return text_of(node.left) + text_of(node.right)
    return "{}"


def strings(tree: ast.Module) -> Iterator[str]:
    """Every whole string that is no docstring."""
    inside: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            inside.add(id(body[0].value))
        if id(node) in inside or not isinstance(node, (ast.Constant, ast.JoinedStr, ast.BinOp)):
            continue
        inside.update(id(part) for part in ast.walk(node) if part is not node)
        yield text_of(node)


def named(text: str, command: str | None) -> Iterator[tuple[str | None, str]]:
    """Each option of a text, with the command that stands before it in its line."""
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        now = command
        for word in WORD.finditer(line):
            if word["command"] in PURPOSES:
                now = word["command"]
            elif word["option"]:
                yield now, word["option"]


@pytest.mark.parametrize("module", MODULES)
def test_every_option_is_one(module):
    everywhere = GENERAL.union(*map(options_of, PURPOSES))
    for text in strings(MODULES[module]):
        for command, option in named(text, None):
            known = everywhere if command is None else options_of(command) | GENERAL
            assert option in known, f"{option} is no option of stakes {command or '...'}: {text!r}"


def hints(tree: ast.Module) -> Iterator[str]:
    """What is given or kept as a `hint`, whole."""
    for node in ast.walk(tree):
        given = isinstance(node, ast.keyword) and node.arg == "hint"
        kept = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "hint"
        if given or kept:
            yield from alternatives(node.value)


def alternatives(node: ast.expr) -> Iterator[str]:
    """Each text that an expression may be."""
    if isinstance(node, ast.IfExp):
        yield from (*alternatives(node.body), *alternatives(node.orelse))
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from alternatives(value)
    else:
        yield text_of(node)


@cache
def behind(command: str) -> frozenset[str]:
    """The modules that a command imports, at once or later."""
    seen: set[str] = set()
    left = [f"stakes.cli.commands.{command}"]
    while left:
        name = left.pop()
        if name in seen:
            continue
        # which engine counts is chosen only by commands that have one; others read into memory
        if name == "stakes.inquiry.road" and "--engine" not in options_of(command):
            continue
        seen.add(name)
        types = {
            inner
            for node in ast.walk(MODULES[name])
            if ast.unparse(node).startswith(("if TYPE_CHECKING", "with LoadedOnUse"))
            for inner in ast.walk(node)
        }
        for node in set(ast.walk(MODULES[name])) - types:
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                sources = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
                left += [source for source in sources if source in MODULES]
    return frozenset(seen)


def test_hints_name_options_of_the_command_that_says_them():
    strange = {}
    for command in PURPOSES:
        for module in behind(command):
            for text in hints(MODULES[module]):
                for meant, option in named(text, command):
                    if option not in options_of(meant or command) | GENERAL:
                        strange[command, module.rpartition(".")[2]] = f"{option} in {text!r}"
    assert strange.keys() - NEVER.keys() == set(), strange
    assert NEVER.keys() - strange.keys() == set()
