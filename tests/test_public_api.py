"""The names that people outside rely on: all there, each once, sorted and documented."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import stakes

PACKAGE = Path(stakes.__file__).parent
# `cli` is used by its commands and `papers` by their names, not by importing; `messages` words what
# others say.
NOT_FOR_IMPORT = {"cli", "messages", "papers", "sources"}
# Rooms where a name may repeat: `plots.roc` draws what `curves.roc` computes.
MIRRORS = {"plots"}

CONTRACT = {
    "stakes": [
        "Application",
        "ConfusionMatrix",
        "CostMatrix",
        "DecisionRule",
        "ScoreCounts",
        "bayes_decisions",
        "evaluate",
        "evaluate_frame",
        "expected_cost",
        "load_rule",
        "normalized_expected_cost",
    ],
    "stakes.audit": ["audit", "implied_costs", "misranking_rate"],
    "stakes.calibration": [
        "Affine",
        "Beta",
        "Dirichlet",
        "Gaussian",
        "Isotonic",
        "Temperature",
        "Vector",
        "cross_fit",
    ],
    "stakes.curves": ["bayes_error", "cost", "decision", "det", "precision_recall", "roc"],
    "stakes.metrics": [
        "actual_cost",
        "auc",
        "catalogue",
        "cllr",
        "eer",
        "f1",
        "mcc",
        "min_cllr",
        "min_cost",
    ],
}
# Promised in the contract and not built yet. Take a name out when it arrives.
PLANNED: set[str] = set()
MEMBERS = {
    "Application": [
        "effective_prior",
        "llr_threshold",
        "log_odds_threshold",
        "naive_cost",
        "naive_decision",
        "posterior_threshold",
    ],
    "ConfusionMatrix": ["__add__", "counts", "from_decisions", "priors", "rates"],
    "CostMatrix": [
        "binary",
        "classes",
        "decisions",
        "expected",
        "from_utilities",
        "inverse_prior",
        "standardized",
        "values",
        "with_abstention",
        "zero_one",
    ],
}
SECTIONS = ["Parameters", "Attributes", "Returns", "Yields", "Raises"]
SECTIONS += ["See Also", "Notes", "References", "Examples"]


def room_names() -> list[str]:
    """The package and each of its public rooms, found on disk."""
    rooms = [
        f"stakes.{folder.name}"
        for folder in sorted(PACKAGE.iterdir())
        if (folder / "__init__.py").exists()
        and not folder.name.startswith("_")
        and folder.name not in NOT_FOR_IMPORT
    ]
    return ["stakes", *rooms]


ROOMS = room_names()


@pytest.mark.parametrize("room", ROOMS[1:])
def test_every_room_is_reached_from_the_package(room: str) -> None:
    name = room.removeprefix("stakes.")
    assert name in stakes.__all__
    assert stakes.__getattr__(name) is importlib.import_module(room)


def public_objects() -> list[tuple[str, Any]]:
    """Every public name with what it stands for."""
    found = []
    for room in ROOMS:
        module = importlib.import_module(room)
        for name in getattr(module, "__all__", []):
            found.append((f"{room}.{name}", getattr(module, name, None)))
    return found


def callables() -> list[Any]:
    """Each public function and class once, whichever rooms show it."""
    params, seen = [], set()
    for name, thing in public_objects():
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and id(thing) not in seen:
            seen.add(id(thing))
            params.append(pytest.param(thing, id=name))
    return params


def bound_names(module: ModuleType) -> set[str]:
    """Public names that the file itself binds at its top level."""
    names: set[str] = set()
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("room", ROOMS)
class TestRooms:
    def test_names_are_sorted_and_occur_once(self, room: str) -> None:
        names = importlib.import_module(room).__all__
        # Constants, then types, then functions: the order that ruff's RUF022 writes.
        kinds = {name: (not name.isupper(), not name[0].isupper()) for name in names}
        assert list(names) == sorted(set(names), key=lambda name: (kinds[name], name))

    def test_names_are_exactly_what_the_room_shows(self, room: str) -> None:
        module = importlib.import_module(room)
        bound = bound_names(module)
        listed = {name for name in module.__all__ if not name.startswith("_")}
        if hasattr(module, "__getattr__"):  # names are bound when asked for
            assert bound <= {"Any", "LoadedOnUse", "importlib"}
        else:
            assert bound == listed

    def test_every_name_resolves_and_is_shown_by_dir(self, room: str) -> None:
        module = importlib.import_module(room)
        for name in module.__all__:
            assert getattr(module, name) is not None
            assert name in dir(module)

    def test_the_room_says_what_it_is_for(self, room: str) -> None:
        assert importlib.import_module(room).__doc__


def test_unknown_name_raises_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        stakes.no_such_name  # noqa: B018


def test_rooms_are_attributes_of_the_package() -> None:
    for room in ROOMS[1:]:
        assert getattr(stakes, room.removeprefix("stakes.")) is importlib.import_module(room)


def test_no_name_means_two_things() -> None:
    meaning: dict[str, tuple[str, Any]] = {}
    for full, thing in public_objects():
        room, _, name = full.rpartition(".")
        if room.removeprefix("stakes.") in MIRRORS or inspect.ismodule(thing):
            continue
        first, other = meaning.setdefault(name, (full, thing))
        assert thing is other, f"{full} and {first} share a name but are different things"


@pytest.mark.parametrize("room", [room for room in CONTRACT if room in ROOMS])
def test_contract_names_exist(room: str) -> None:
    promised = {name for name in CONTRACT[room] if f"{room}.{name}" not in PLANNED}
    assert promised <= set(importlib.import_module(room).__all__)


def test_planned_names_that_have_arrived_are_no_longer_planned() -> None:
    arrived = PLANNED & {full for full, _ in public_objects()}
    assert not arrived, f"take {sorted(arrived)} out of PLANNED in {Path(__file__).name}"


def test_version_is_the_one_of_the_project() -> None:
    assert stakes.__version__ == importlib.metadata.version("stakes")


@pytest.mark.parametrize("room", ROOMS)
def test_type_checkers_see_the_names_that_are_loaded_on_first_use(room: str) -> None:
    module = importlib.import_module(room)
    blocks = [node for node in ast.parse(inspect.getsource(module)).body if type(node) is ast.With]
    for block in blocks:
        seen = [(alias.name, alias.asname) for node in block.body for alias in node.names]
        assert all(name == shown for name, shown in seen)
        short = {"sklearn", "torch"} if room == "stakes" else set()  # never by `import *`
        assert sorted({name for name, _ in seen} - short) == sorted(module.__all__)
    assert blocks or not hasattr(module, "__getattr__") or not module.__all__


@pytest.mark.parametrize("full", [f"{cls}.{name}" for cls in MEMBERS for name in MEMBERS[cls]])
def test_contract_members_exist(full: str) -> None:
    owner, _, name = full.partition(".")
    thing = getattr(stakes, owner)
    assert hasattr(thing, name) or name in getattr(thing, "__dataclass_fields__", {})


def sections(docstring: str) -> list[str]:
    """The numpydoc section titles of a docstring, in order."""
    return re.findall(r"^([A-Z][A-Za-z ]+)\n-{3,}$", docstring, flags=re.MULTILINE)


COMMON_PAGE = PACKAGE.parent.parent / "docs" / "common-parameters.md"
COMMON = set(re.findall(r"^`(\w+)`$", COMMON_PAGE.read_text(encoding="utf-8"), re.MULTILINE))


def explained(docstring: str) -> set[str]:
    """Names that a docstring heads an entry with, or sets in backticks."""
    heads = re.findall(r"^([\w*][\w*, ]*)(?: ?:.*)?$", docstring, flags=re.MULTILINE)
    return {part.strip().lstrip("*") for line in heads for part in line.split(",")} | set(
        re.findall(r"`+\.?(\w+)", docstring)
    )


def unexplained(thing: Any) -> list[str]:
    """Parameters that neither the docstring nor the page of common parameters speaks of."""
    named = explained(inspect.getdoc(thing) or "") | COMMON
    return [
        name
        for name, parameter in inspect.signature(thing).parameters.items()
        if name not in named
        and not name.startswith("_")
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


FUNCTIONS = [each for each in callables() if inspect.isfunction(each.values[0])]
CLASSES = [
    each
    for each in callables()
    if inspect.isclass(each.values[0]) and not issubclass(each.values[0], BaseException)
]


@pytest.mark.parametrize("function", FUNCTIONS)
class TestFunctions:
    def test_has_an_example_that_runs(self, function: Any) -> None:
        docstring = inspect.getdoc(function) or ""
        assert "Examples" in sections(docstring)
        assert ">>> " in docstring.partition("Examples\n---")[2]

    def test_sections_stand_in_the_house_order(self, function: Any) -> None:
        found = sections(inspect.getdoc(function) or "")
        assert set(found) <= set(SECTIONS)
        assert found == sorted(found, key=SECTIONS.index)

    def test_every_parameter_is_explained(self, function: Any) -> None:
        assert unexplained(function) == []

    def test_at_most_two_arguments_are_positional(self, function: Any) -> None:
        positional = [
            parameter.name
            for parameter in inspect.signature(function).parameters.values()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        fitted = positional[:1] == ["cal"]  # a calibrator, and then the data it is fitted to
        assert len(positional) <= 2 + fitted


@pytest.mark.parametrize("cls", CLASSES)
class TestClasses:
    def test_has_an_example_or_names_where_it_comes_from(self, cls: type) -> None:
        docstring = inspect.getdoc(cls) or ""
        others = {each.values[0].__name__ for each in callables()} - {cls.__name__}
        assert ">>> " in docstring or others & explained(docstring)

    def test_sections_stand_in_the_house_order(self, cls: type) -> None:
        found = sections(inspect.getdoc(cls) or "")
        assert set(found) <= set(SECTIONS)
        assert found == sorted(found, key=SECTIONS.index)

    def test_every_parameter_is_explained_where_users_make_one(self, cls: type) -> None:
        if ">>> " in (inspect.getdoc(cls) or ""):
            assert unexplained(cls) == []

    def test_public_methods_say_what_they_do(self, cls: type) -> None:
        silent = [
            name
            for name, member in vars(cls).items()
            if not name.startswith("_")
            and (inspect.isfunction(member) or isinstance(member, (property, classmethod)))
            and not inspect.getdoc(getattr(cls, name))
        ]
        assert not silent
