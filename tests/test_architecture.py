"""The plan of the house, checked: who imports whom, how large a part may grow, what loads when."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "stakes"

# From the ground up. A part may import parts above it in this list, never below: imports point one
# way. `surroundings` are the single modules that every room stands on.
SURROUNDINGS = (
    "exceptions",
    "typing",
    "_checks",
    "_columns",
    "_files",
    "_usual_arguments",
    "_usual_metrics",
    "_usual_words",
    "_usual_results",
    "_guesses",
    "_lazy",
    "_names",
    "_optional",
    "_random",
    "_checksums",
    "results",
)
LAYERS = (
    "_kernels",
    "messages",
    "surroundings",
    "application",
    "posteriors",
    "decisions",
    "summaries",
    "metrics",
    "curves",
    "calibration",
    "rules",
    "uncertainty",
    "estimation",
    "resources",
    "monitoring",
    "audit",
    "elicitation",
    "sources",
    "engines",
    "plots",
    "evaluation",
    "report",
    "inquiry",
    "integrations",
    "papers",
    "testing",
    "demonstration",
    "cli",
)
CORE_DEPENDENCIES = {"narwhals", "numpy", "scipy"}
# The files whose whole purpose is another library, and which only load when someone asks for them.
MAY_IMPORT_EXTRAS = ("integrations", "papers")
FORBIDDEN_NAMES = {"base", "common", "core", "helper", "helpers", "misc", "util", "utils"}
# The exceptions to the order: `to_html` and its kin load the report when called, and
# `evaluate_frame` the room that reads files when it is given one, and `decide_frame` the engines.
LOADED_WHEN_CALLED = {
    ("rules", "engines"),
    ("evaluation", "report"),
    ("evaluation", "inquiry"),
    ("audit", "report"),
    ("monitoring", "report"),
}
MODULE_LINES = 500
BODY_LINES = 60


@dataclass(frozen=True)
class Import:
    """One imported module: by whom, on which line, and when."""

    path: Path
    line: int
    module: str
    in_function: bool
    for_types_only: bool

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line} imports {self.module}"


@cache
def modules() -> tuple[Path, ...]:
    return tuple(sorted(PACKAGE.rglob("*.py")))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def dotted(path: Path) -> str:
    """The importable name of a file of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer(module: str) -> str | None:
    """The layer of a module of this package; None for the package itself."""
    parts = module.split(".")
    if len(parts) == 1:
        return None
    if parts[1] == "__main__":
        return "cli"
    if parts[1] in ("sklearn", "torch"):  # the short ways in
        return "integrations"
    return "surroundings" if parts[1] in SURROUNDINGS else parts[1]


def is_type_checking(node: ast.AST) -> bool:
    """Whether imports inside run for type checkers alone, or later, when a name is asked for."""
    if isinstance(node, ast.With):
        return ast.unparse(node.items[0]) == "LoadedOnUse(globals())"
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def targets(node: ast.Import | ast.ImportFrom, path: Path) -> Iterator[str]:
    """The modules that one import statement names."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    module = node.module or ""
    if node.level:
        here = dotted(path).split(".")
        package = here if path.name == "__init__.py" else here[:-1]
        module = ".".join([*package[: len(package) - node.level + 1], *filter(None, [module])])
    for alias in node.names:
        inner = PACKAGE.parent.joinpath(*module.split("."), alias.name)
        is_module = inner.is_dir() or inner.with_suffix(".py").exists()
        yield f"{module}.{alias.name}" if is_module else module


def imports_of(path: Path) -> list[Import]:
    """Every import of a file, wherever it stands."""
    found: list[Import] = []

    def visit(node: ast.AST, in_function: bool, for_types_only: bool) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for module in dict.fromkeys(targets(node, path)):
                found.append(Import(path, node.lineno, module, in_function, for_types_only))
        in_function = in_function or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for_types_only = for_types_only or is_type_checking(node)
        for child in ast.iter_child_nodes(node):
            visit(child, in_function, for_types_only)

    visit(tree(path), False, False)
    return found


@cache
def all_imports() -> tuple[Import, ...]:
    return tuple(each for path in modules() for each in imports_of(path))


def listed(problems: list[str]) -> str:
    return "\n  ".join(["", *problems])


def test_every_part_has_a_place_in_the_order() -> None:
    parts = {layer(dotted(path)) for path in modules()} - {None}
    unknown = sorted(parts - set(LAYERS))
    assert not unknown, f"put {unknown} into LAYERS or SURROUNDINGS of {Path(__file__).name}"


def test_imports_point_one_way() -> None:
    problems = []
    for each in all_imports():
        importer, imported = layer(dotted(each.path)), layer(each.module)
        if importer is None or not each.module.startswith("stakes."):
            continue
        if each.in_function and (importer, imported) in LOADED_WHEN_CALLED:
            continue
        if LAYERS.index(imported) > LAYERS.index(importer):
            problems.append(f"{each}: {importer} stands below {imported}")
    assert not problems, listed(problems)


def test_no_part_imports_the_top_of_the_package() -> None:
    allowed = ("cli", "papers", "report")  # faces that use the package as a user does
    problems = [
        str(each)
        for each in all_imports()
        if each.module == "stakes"
        and not each.for_types_only
        and layer(dotted(each.path)) not in allowed
    ]
    assert not problems, listed(problems)


def test_extras_are_not_imported_at_module_level() -> None:
    problems = [
        str(each)
        for each in all_imports()
        if not each.in_function
        and not each.for_types_only
        and each.module.partition(".")[0] not in {*CORE_DEPENDENCIES, "stakes"}
        and each.module.partition(".")[0] not in sys.stdlib_module_names
        and layer(dotted(each.path)) not in MAY_IMPORT_EXTRAS
    ]
    assert not problems, listed(problems)


def test_extras_are_loaded_in_one_way() -> None:
    problems = [
        f"{each}; use stakes._optional.load"
        for each in all_imports()
        if each.in_function
        and each.module.partition(".")[0] not in {*CORE_DEPENDENCIES, "stakes"}
        and each.module.partition(".")[0] not in sys.stdlib_module_names
        and layer(dotted(each.path)) not in (*MAY_IMPORT_EXTRAS, "_kernels")
    ]
    assert not problems, listed(problems)


def test_kernels_import_only_numpy_and_scipy() -> None:
    problems = []
    for each in all_imports():
        if layer(dotted(each.path)) != "_kernels" or each.for_types_only:
            continue
        top = each.module.partition(".")[0]
        allowed = (
            top in {"numpy", "scipy"}
            or top in sys.stdlib_module_names
            or each.module.startswith("stakes._kernels")
            or (top == "numba" and each.in_function)
        )
        if not allowed:
            problems.append(str(each))
    assert not problems, listed(problems)


def test_private_names_of_other_libraries_are_left_alone() -> None:
    problems = []
    for path in modules():
        external: set[str] = set()
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Import):
                external |= {
                    (alias.asname or alias.name).partition(".")[0]
                    for alias in node.names
                    if not alias.name.startswith("stakes")
                }
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                private = [n for n in names if n.startswith("_") and not n.endswith("__")]
                if private and names[0] not in ("stakes", "__future__"):
                    problems.append(f"{path.relative_to(ROOT)}:{node.lineno} {private}")
        for node in ast.walk(tree(path)):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in external
                and node.attr.startswith("_")
                and not node.attr.endswith("__")
            ):
                problems.append(f"{path.relative_to(ROOT)}:{node.lineno} .{node.attr}")
    assert not problems, listed(problems)


def test_modules_stay_small() -> None:
    problems = []
    for path in modules():
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > MODULE_LINES:
            problems.append(f"{path.relative_to(ROOT)} has {lines} lines, above {MODULE_LINES}")
    assert not problems, listed(problems)


FOLDER_MODULES = 20
#: Rooms in which a file may be called as one elsewhere: one folder per paper, engines by name, a
#: curve and its plot.
NAMED_ALIKE = {"papers", "engines", "curves", "plots"}


def test_folders_stay_small() -> None:
    folders = Counter(path.parent for path in modules() if path.stem != "__init__")
    problems = [
        f"{folder.relative_to(ROOT)} holds {held} modules, above {FOLDER_MODULES}"
        for folder, held in folders.items()
        if held > FOLDER_MODULES
    ]
    assert not problems, listed(problems)


def test_file_names_say_different_things_in_different_rooms() -> None:
    places: dict[str, list[str]] = {}
    for path in modules():
        inside = path.relative_to(PACKAGE)
        if not path.stem.startswith("__") and inside.parts[0] not in NAMED_ALIKE:
            places.setdefault(path.stem, []).append(inside.as_posix())
    problems = [" and ".join(found) for found in places.values() if len(found) > 1]
    assert not problems, listed(problems)


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from the first statement after the docstring to the last."""
    statements = function.body[1:] if ast.get_docstring(function) else function.body
    if not statements:
        return 0
    return (statements[-1].end_lineno or 0) - statements[0].lineno + 1


def test_functions_stay_small() -> None:
    problems = []
    for path in modules():
        for node in ast.walk(tree(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines = body_lines(node)
                if lines > BODY_LINES:
                    where = f"{path.relative_to(ROOT)}:{node.lineno}"
                    problems.append(f"{where} {node.name} has {lines} lines, above {BODY_LINES}")
    assert not problems, listed(problems)


def test_files_are_named_after_what_they_hold() -> None:
    folders = [PACKAGE, ROOT / "tests", ROOT / "benchmarks", ROOT / "scripts"]
    named = [path for folder in folders if folder.exists() for path in folder.rglob("*")]
    problems = [
        str(path.relative_to(ROOT))
        for path in named
        if path.stem.strip("_").removeprefix("test_") in FORBIDDEN_NAMES
    ]
    assert not problems, listed(problems)


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()


def loaded_after(statements: str) -> set[str]:
    """The top-level modules that a new interpreter holds after running `statements`."""
    program = f"import sys, json\n{statements}\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


HEAVY = {"dask", "duckdb", "ibis", "matplotlib", "narwhals", "numba", "pandas", "polars"} | {
    "pyarrow",
    "pyspark",
    "scipy",
    "sklearn",
    "torch",
}


def test_import_stakes_loads_nothing_heavy() -> None:
    assert not loaded_after("import stakes") & HEAVY


def test_the_nouns_load_no_extra() -> None:
    extras = HEAVY - {"scipy", "narwhals"}
    program = "import stakes\nstakes.CostMatrix([[0, 1], [10, 0]])\nstakes.ConfusionMatrix"
    assert not loaded_after(program) & extras


@pytest.mark.skipif(not (PACKAGE / "cli" / "entry.py").exists(), reason="no command line yet")
def test_help_of_the_command_line_loads_no_numpy() -> None:
    program = (
        "from stakes.cli.entry import main\n"
        "sys.argv = ['stakes', '--help']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code"
    )
    assert not loaded_after(program) & (HEAVY | {"numpy"})


def test_nothing_looks_for_words_in_our_own_messages():
    """Notes and errors have codes; the script also knows whose texts may be looked into."""
    spec = importlib.util.spec_from_file_location("house", ROOT / "scripts" / "measure_house.py")
    house = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(house)
    assert not (found := house.matched_english()), listed(found)
    looked = "'add to 1' in error.message", "why.replace('As is', 'x')", "re.search('a b', hint)"
    for text in looked:
        words, where = house._looked_for(ast.parse(text, mode="eval").body)
        assert words, text
        assert house.MESSAGE.search(where), text


def test_design_pages_are_cited_where_their_rules_are_followed() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    cited = set(re.findall(r"docs/design/([a-z-]+)\.md", text))
    pages = {path.stem for path in (ROOT / "docs" / "design").glob("*.md")}
    about_the_repository = {"README", "differences", "house", "tests"}
    assert cited <= pages
    assert pages - cited == about_the_repository


def test_the_table_of_rooms_names_every_room_and_only_modules_that_exist() -> None:
    page = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`.*?) \|.*\| (.*?) \|$", page, re.M)
    listed_rooms = set()
    for rooms, modules in rows:
        names = re.findall(r"`(\w+)`", rooms)
        listed_rooms |= set(names)
        for module in re.findall(r"`([\w/]+)`", modules):
            places = [PACKAGE / room / module for room in names]
            assert any(p.with_suffix(".py").exists() or p.is_dir() for p in places), module
    rooms = {p.name for p in PACKAGE.iterdir() if p.is_dir() and not p.name.startswith("_")}
    assert listed_rooms == rooms
