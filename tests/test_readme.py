"""The README and the pages of docs/ are run: what they print is what comes out."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from stakes.cli.entry import main
from stakes.demonstration import example_path
from stakes.exceptions import MissingExtraError

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    path
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    if "_build" not in path.parts and "generated" not in path.parts and path.exists()
)
FENCE = re.compile(r"^```(?P<kind>\w+)[^\n]*\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(page: Path, *kinds: str) -> list[tuple[int, str]]:
    """Fenced blocks of the given kinds, each with the line it starts on."""
    text = page.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, match.start("body")), match["body"])
        for match in FENCE.finditer(text)
        if match["kind"] in kinds
    ]


def named(pages: list[Path]) -> pytest.MarkDecorator:
    """One test per page, called by its path."""
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


#: What a page says that uses an extra where it is not installed.
ABSENT = re.compile(
    r"MissingExtraError|ModuleNotFoundError: No module named '(pandas|polars|duckdb)'"
)


def sessions(page: Path) -> list[tuple[int, str]]:
    return [(line, body) for line, body in blocks(page, "python", "pycon") if ">>>" in body]


def commands(page: Path) -> list[tuple[str, str]]:
    """What to type and what it prints; those of the journeys have tests of their own."""
    if page.name == "journeys.md":
        return []
    shown = "".join(body for _, body in blocks(page, "console"))
    return re.findall(r"^\$ (stakes .*)\n((?:(?!\$ ).*\n)*)", shown, re.MULTILINE)


def files(page: Path) -> list[tuple[str, str]]:
    """Blocks that show a file, such as ```toml costs.toml, with its name."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^```(?:csv|toml) (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def leave_examples(folder: Path) -> None:
    """The bundled files, where `stakes demo` leaves them."""
    folder.mkdir()
    for name in ("churn.csv", "pets.csv", "pets-costs.toml", "loans.csv"):
        (folder / name).write_bytes(example_path(name).read_bytes())


@named([page for page in PAGES if sessions(page)])
def test_python_on_the_page_prints_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for line, body in sessions(page):
        session = doctest.DocTestParser().get_doctest(body, names, page.name, str(page), line)
        said: list[str] = []
        result = runner.run(session, out=said.append, clear_globs=False)
        names = session.globs
        if any(ABSENT.search(text) for text in said):
            pytest.skip("the page uses an extra that is not installed")
        assert result.failed == 0, "".join(said)


def test_every_line_to_type_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas", reason="the README reads its example with pandas")
    pytest.importorskip("duckdb", reason="one line writes SQL for it")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    given: dict[str, Any] = {}
    for _, body in sessions(ROOT / "README.md"):
        for example in doctest.DocTestParser().get_examples(body):
            exec(example.source, given)
    y, decided = given["y"], given["ev"].decide(given["models"])
    half = len(y) // 2
    given |= {"decided": decided, "new": given["customers"].head(1000), "amount": y.index + 1.0}
    for name, part in (("before", slice(half)), ("after", slice(half, None))):
        given[name] = given["stakes"].ConfusionMatrix.from_decisions(y[part], decided[part])
    table = text[text.index("| the line to type |") : text.index("On the command line, for")]
    lines = [each for each in re.findall(r"`([^`]+)`", table) if "(" in each]
    assert len(lines) > 25
    for line in lines:
        exec(line, given)


@named(PAGES)
def test_plain_python_on_the_page_compiles(page: Path) -> None:
    for _, body in blocks(page, "python"):
        if ">>>" not in body:
            compile(body, str(page), "exec")


@named([page for page in PAGES if commands(page)])
def test_commands_on_the_page_print_what_they_say(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    for name, body in files(page):
        (tmp_path / name).write_text(body, encoding="utf-8")
    for command, expected in commands(page):
        if (command, expected) == ("stakes demo", "...\n"):
            leave_examples(tmp_path / "stakes-demo")  # all that the page needs of it
            continue
        main(shlex.split(command)[1:])
        got = "".join(capsys.readouterr())
        assert doctest.OutputChecker().check_output(expected, got, OPTIONS), f"$ {command}\n{got}"


@named(PAGES)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    broken = [
        target
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert not broken


@named(PAGES)
def test_names_on_the_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`(stakes(?:\.\w+)+)[`(]", text):
        thing, *parts = name.split(".")
        found = importlib.import_module(thing)
        with contextlib.suppress(MissingExtraError):  # MLflow is no part of the environment
            for part in parts:
                if not hasattr(found, part):
                    importlib.import_module(f"{found.__name__}.{part}")
                found = getattr(found, part)


def test_first_screen_of_the_readme_has_the_two_commands() -> None:
    first_screen = "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:25])
    assert "make demo" in first_screen
    assert "make test" in first_screen


def test_targets_named_on_the_pages_exist() -> None:
    targets = re.findall(
        r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    for page in PAGES:
        named = re.findall(r"`?make ([a-z-]+)`", page.read_text(encoding="utf-8"))
        assert set(named) <= set(targets), page.name


def test_the_index_names_every_design_page_once_and_each_states_rules_and_reasons() -> None:
    folder = ROOT / "docs" / "design"
    index = re.findall(
        r"^- \[.+?\]\(([\w-]+\.md)\)", (folder / "README.md").read_text("utf-8"), re.M
    )
    pages = {path.name for path in folder.glob("*.md")} - {"README.md"}
    assert sorted(index) == sorted(pages)
    for name in pages - {"differences.md"}:
        text = (folder / name).read_text(encoding="utf-8")
        assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1, name
        assert "**Rule.**" in text, name
        assert "**Why.**" in text, name


def test_every_study_is_cited_by_a_design_page() -> None:
    pages = (ROOT / "docs" / "design").glob("*.md")
    cited = "".join(page.read_text(encoding="utf-8") for page in pages)
    for study in (ROOT / "docs" / "lab").glob("*.md"):
        assert f"](../lab/{study.name})" in cited, study.name
