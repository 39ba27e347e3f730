"""Running the command line inside the test process."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stakes.cli.entry import main


@dataclass(frozen=True)
class Ran:
    """What a command printed and returned."""

    code: int
    out: str
    err: str

    @property
    def found(self) -> dict[str, Any]:
        return json.loads(self.out)

    def said(self, key: str) -> list[str]:
        """The texts of the notes or the warnings of an evaluation."""
        return [each["text"] for each in self.found[key]]


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Ran]:
    """Run `stakes` in an empty folder with the given words."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")

    def ran(*words: str) -> Ran:
        capsys.readouterr()
        code = main(list(words))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return ran


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], str]:
    """Write a file into that folder and return its name."""

    def written(name: str, content: str | bytes) -> str:
        data = content if isinstance(content, bytes) else content.encode("utf-8")
        (tmp_path / name).write_bytes(data)
        return name

    return written


@pytest.fixture(
    params=["duckdb", "polars", pytest.param("spark", marks=pytest.mark.filterwarnings("ignore"))]
)
def engine(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The option that names each engine in turn."""
    package = {"spark": "pyspark"}.get(request.param, request.param)
    pytest.importorskip(package, reason="one of the engines")
    if request.param == "spark" and shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java: apt-get install openjdk-17-jre-headless")
    return ("--engine", request.param)
