"""Write into a page of the documentation what its commands print now.

``python tests/journeys/page_outputs.py`` fills docs/journeys.md; a block with ``...`` shows parts
of an output and is left to its author. Read the difference before committing it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

from stakes.cli.entry import main

PAGE = Path(__file__).parents[2] / "docs" / "journeys.md"
COMMAND = re.compile(r"^\$ stakes (.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)


def lay_out(folder: Path, text: str) -> None:
    """The files of the demonstration, and those that the page shows."""
    from stakes.demonstration import example_path

    (folder / "stakes-demo").mkdir()
    for name in ("churn.csv", "pets.csv", "pets-costs.toml", "loans.csv"):
        data = example_path(name).read_text(encoding="utf-8")
        (folder / "stakes-demo" / name).write_text(data, encoding="utf-8")
    for name, body in re.findall(r"^```csv (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        (folder / name).write_text(body, encoding="utf-8")


def fill(text: str) -> str:
    """The page with the outputs of today."""

    def printed(found: re.Match[str]) -> str:
        words, before = found.groups()
        if words == "demo":
            return found[0]
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stdout(out):
            code = main(shlex.split(words))
        out.seek(0)
        if code != 0:
            sys.stderr.write(f"exit code {code}: stakes {words}\n")
        lines = [line.rstrip() for line in out.read().rstrip("\n").split("\n")]
        if "..." in before.split("\n"):
            return found[0]
        return f"$ stakes {words}\n" + "".join(f"{line}\n" for line in lines)

    return COMMAND.sub(printed, text)


if __name__ == "__main__":
    os.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        words = PAGE.read_text(encoding="utf-8")
        lay_out(Path(folder), words)
        PAGE.write_text(fill(words), encoding="utf-8")
