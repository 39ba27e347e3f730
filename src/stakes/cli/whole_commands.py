"""Whole commands about the files that were typed, for hints: each can be typed as it stands."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stakes._checksums import is_sealed
from stakes.cli.problems import is_there
from stakes.exceptions import DataError, StakesError

if TYPE_CHECKING:
    from stakes.inquiry.inquiry import Inquiry
    from stakes.inquiry.proposal import Proposal

_COSTS = ("cost", "gain", "costs", "unit")


def read_quietly(parser: argparse.ArgumentParser, words: Sequence[str]) -> Any:
    """The options that words stand for, near spellings too; None where the parser refuses them."""
    known = [name for action in parser._actions for name in action.option_strings]
    words = [_near(word, known) for word in words]
    with contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(SystemExit):
        return parser.parse_known_args(words)[0]
    return None


def _near(word: str, known: Sequence[str]) -> str:
    """An option as the parser spells it."""
    if not word.startswith("--") or word in known:
        return word
    return next(iter(difflib.get_close_matches(word, known, 1, 0.85)), word)


def _proposed(file: str | None, inquiry: Inquiry) -> tuple[Proposal | None, str | None]:
    """What a file of rows makes likely of that which was not said, and its column of times."""
    from stakes.inquiry.column_contents import described
    from stakes.inquiry.proposal import proposal
    from stakes.sources import read
    from stakes.sources.table import Table

    if file is None or not is_there(file, file=True):
        return None, None
    with contextlib.suppress(StakesError, OSError):
        table = read(file)
        if isinstance(table, Table):
            times = [each.name for each in described(table, None) if each.role == "time"]
            return proposal(table, inquiry), next(iter(times), None)
    return None, None


def completed(words: Sequence[str], args: Any) -> list[str]:
    """Words of a command, with what its file needs beside them, such as --positive yes."""
    from stakes.cli.commands import file_after_amounts, inquiry_of
    from stakes.inquiry.proposal import completed_words

    if args is None or not hasattr(args, "label") or not hasattr(args, "positive"):
        return list(words)
    if hasattr(args, "gain"):
        file_after_amounts(args)
    named = getattr(args, "reference", None)  # the labelled file, or a period
    labelled = named if named and Path(named).is_file() else args.file
    found, _ = _proposed(labelled, inquiry_of(args))
    return list(words) if found is None else completed_words(words, found.added)


def eval_line(args: Any) -> str | None:
    """A whole `stakes eval` of the file that was typed; None where too little is known of it."""
    from stakes.cli.commands import inquiry_of

    inquiry = inquiry_of(args)
    found, _ = _proposed(args.file, inquiry)
    if found is None or not found.models:
        return None
    return _of_cases("eval", inquiry, found)


def refuse_rule_for_rows(words: Sequence[str], output: str | None) -> None:
    """Raise with a whole `stakes decide` where a rule stands among the files of rows."""
    files = [word for word in dict.fromkeys(words) if is_there(word, file=True)]
    rules = [file for file in files if is_sealed(file, "stakes-rule")]
    if rules:
        rows = [file for file in files if file not in rules] or ["NEW.csv"]
        new = [word for word in words if word not in files and not word.startswith("-")]
        line = ["stakes", "decide", *rows, "--rule", rules[0], "-o", output or (*new, "out.csv")[0]]
        raise DataError(f"{rules[0]} is a rule, and holds no cases.", hint=shlex.join(line))


def period_lines(files: Sequence[str], args: Any) -> str | None:
    """Whole commands that compare files of rows, or the periods of one; None if none is known."""
    from stakes.cli.commands import inquiry_of
    from stakes.summaries.stored_file import is_summary

    rows = [file for file in files if not is_summary(file)]
    if not rows:
        return None
    inquiry = inquiry_of(args).but(source=rows[0], time=None, period=None)
    found, time = _proposed(rows[0], inquiry)
    if found is None or not found.models:
        return None
    if len(files) == 1:
        by_time = [] if time is None else ["--time", time, *_given(args, "period")]
        return _of_cases("monitor", inquiry, found, *by_time) if by_time else None
    whole = inquiry.but(**found.added)
    later = [file for file in rows[1:] if _proposed(file, whole.but(source=file))[0] is None]
    if later:
        lines = [
            _of_cases("estimate", inquiry.but(source=file), found, "--reference", rows[0])
            for file in later
        ]
        return "\n".join(["for cases without labels:", *lines])
    counts = {file: f"{Path(file).stem}.json" if file in rows else file for file in files}
    lines = [
        _of_cases("eval", inquiry.but(source=file), found, "--save", counts[file]) for file in rows
    ]
    names = str(whole.scores or whole.decisions or whole.proba).split(",")
    model = ["--model", names[0]] if len(names) > 1 else []
    positive = [] if whole.positive is None else ["--positive", whole.positive]
    words = ["stakes", "monitor", *counts.values(), *model, *positive, *_costs(whole, found)]
    return "\n".join([*lines, shlex.join(words)])


def _given(args: Any, name: str) -> list[str]:
    """An option as it was typed; nothing without it."""
    value = getattr(args, name, None)
    return [] if value is None else [f"--{name}", str(value)]


def _of_cases(name: str, inquiry: Inquiry, found: Proposal, *more: str) -> str:
    """A command about the cases of a file, with costs."""
    from stakes.inquiry.proposal import command

    whole = inquiry.but(**found.added)
    return command(name, whole, *more, *_costs(whole, found))


def _costs(inquiry: Inquiry, found: Proposal) -> list[str]:
    """The costs as they were given, or an example of some."""
    from stakes.inquiry.proposal import given

    if inquiry.gives_costs:
        return given(inquiry, *_COSTS)
    return ["--cost", "error=1"] if found.several else ["--cost", "fn=10", "fp=1"]
