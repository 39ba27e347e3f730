"""What is shipped: the versions that are stated, and every file in the wheel."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MINIMA = (ROOT / "tests" / "minimum-versions.txt").read_text(encoding="utf-8")
MINIMAL = os.environ.get("STAKES_ENVIRONMENT") == "minimal"


# Extras that `dev` installs, so that their lowest versions can be tried.
TRIED = ("duckdb", "fast", "parquet", "plots", "polars", "sklearn")


def lower_bounds() -> dict[str, tuple[int, ...]]:
    """Lower bound of each dependency whose lowest version is tried, as pyproject.toml states it."""
    extras = PROJECT["optional-dependencies"]
    requirements = PROJECT["dependencies"] + [each for extra in TRIED for each in extras[extra]]
    bounds = {}
    for requirement in requirements:
        name, version = requirement.split(">=")
        bounds[name] = tuple(int(part) for part in version.split("."))
    return bounds


def pinned() -> dict[str, list[str]]:
    """Versions in the file of lowest versions, in its order."""
    pins: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w-]+)==([\d.]+)", MINIMA, flags=re.MULTILINE):
        pins.setdefault(name, []).append(version)
    return pins


def test_stated_minimum_is_the_one_tested() -> None:
    pins = pinned()
    assert set(pins) == set(lower_bounds())
    for name, bound in lower_bounds().items():
        first = tuple(int(part) for part in pins[name][0].split("."))
        assert first == bound + (0,) * (3 - len(bound))


@pytest.mark.skipif(not MINIMAL, reason="only where core dependencies are at their minimum")
def test_minimal_environment_is_minimal() -> None:
    for requirement in PROJECT["dependencies"]:
        name = requirement.split(">=")[0]
        assert importlib.metadata.version(name) in pinned()[name]
    extras = ["matplotlib", "numba", "pandas", "polars", "pyarrow", "sklearn", "torch"]
    assert [name for name in extras if importlib.util.find_spec(name)] == []


def test_all_is_the_union_of_the_extras() -> None:
    extras = PROJECT["optional-dependencies"]
    named = set(re.findall(r"[\w-]+", extras["all"][0].partition("[")[2]))
    assert named == set(extras) - {"all", "browser", "dev", "docs", "integrations"}


def test_tests_install_nothing_that_weighs_gigabytes() -> None:
    extras = PROJECT["optional-dependencies"]
    named = set(re.findall(r"[\w-]+", extras["dev"][0].partition("[")[2]))
    assert not named & {"all", "spark", "torch"}
    assert not any(re.match(r"torch|pyspark", each) for each in extras["dev"])


def test_wheel_holds_every_file_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = pytest.importorskip("hatchling.build", reason="needs hatchling to build a wheel")
    monkeypatch.chdir(ROOT)
    name = build.build_wheel(str(tmp_path))
    assert name.endswith("py3-none-any.whl")
    with zipfile.ZipFile(tmp_path / name) as wheel:
        shipped = {each for each in wheel.namelist() if each.startswith("stakes/")}
    source = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "stakes").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert shipped == source
