"""One module for each command, and how their options become an inquiry."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stakes.inquiry.inquiry import Inquiry


def file_after_amounts(args: argparse.Namespace) -> None:
    """Files may stand after ``--cost fn=10 fp=1`` or after ``--gain``."""
    for words in (args.cost, args.gain):
        files: list[str] = []
        while args.file is None and words and "=" not in words[-1]:
            files.insert(0, words.pop())
        if files:
            args.file = files[0] if len(files) == 1 else shlex.join(files)


def inquiry_of(args: argparse.Namespace) -> Inquiry:
    """What the options ask for; those that a command does not have are as if not given."""
    from stakes.inquiry.inquiry import from_options

    return from_options(vars(args))


def settle_output(args: argparse.Namespace, *, table: bool = True) -> None:
    """A page that -o names is that of --html; other endings must be those of an answer."""
    from stakes.cli.show.outputs import PAGE, refuse_ending

    pages = PAGE if hasattr(args, "html") else ()
    if pages and (args.output or "").lower().endswith(pages) and not args.html:
        args.html, args.output = args.output, None
    refuse_ending("-o", args.output, (*pages, ".json", *((".csv",) if table else ())))
