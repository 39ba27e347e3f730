"""Experiments use the package as a user does: public names, from where users import them."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import stakes.papers

FOLDER = Path(stakes.papers.__file__).parent
# Types for annotations, and the table that every `.frame()` returns.
SURROUNDINGS = {"stakes.results", "stakes.typing", "stakes.exceptions"}
FILES = sorted(
    path
    for folder in FOLDER.iterdir()
    if folder.is_dir() and folder.name not in ("pages", "__pycache__")
    for path in folder.rglob("*.py")
)


def _roundabout(node: ast.AST) -> list[str]:
    """Private names reached without an import statement that names them."""
    if isinstance(node, ast.ImportFrom) and node.level:
        return [f"relative import of {node.module}"]
    if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
        return [] if node.attr.endswith("__") else [f"attribute {node.attr}"]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value] if node.value.startswith("stakes._") else []
    return []


def _problems(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.startswith("stakes.")]
        found += _roundabout(node)
        if not isinstance(node, ast.ImportFrom) or (node.module or "").split(".")[0] != "stakes":
            continue
        module, names = str(node.module), [alias.name for alias in node.names]
        private = [part for part in (*module.split("."), *names) if part.startswith("_")]
        if private:
            found.append(f"{module}: {private}")
        elif module.startswith("stakes.papers") or module in SURROUNDINGS:
            continue
        elif module.count(".") > 1:
            found.append(f"{module} is inside a room")
        else:
            public = importlib.import_module(module).__all__
            found += [f"{module}.{name}" for name in names if name not in public]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_only_public_names_are_imported(path):
    assert _problems(path) == []


def test_a_private_name_would_be_found(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(
        "from stakes._kernels import costs\nfrom stakes.metrics.scores.score_ranking import auc\n"
        "from stakes.metrics import hidden\nimport stakes.metrics\n"
    )
    assert len(_problems(path)) == 4


@pytest.mark.parametrize(
    "line",
    [
        "from ..._kernels import costs",
        "from stakes import metrics\nmetrics.ranking._kernels.auc",
        "import importlib\nimportlib.import_module('stakes._kernels')",
    ],
)
def test_a_way_round_would_be_found(tmp_path, line):
    path = tmp_path / "bad.py"
    path.write_text(f"{line}\n")
    assert len(_problems(path)) == 1
