"""Words that readers stumbled over stay out of what users read: see docs/design/messages.md."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
AVOIDED = re.compile(
    r"costs I understood|\bso many\b|\bdear(er|est)?\b|\bnobody\b|\b(is|are) said\b"
    r"|\bfor nothing\b(?! else)|what it is of|scale of factors|\banew\b|says otherwise"
    r"|worth having|\b(be|are|is) mended\b|are this rare|as is, stays",
    re.IGNORECASE,
)
CODE = sorted((ROOT / "src" / "stakes").rglob("*.py"))
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "gallery").glob("*.md")),
]


def sentences(code: str) -> list[str]:
    """Strings with a space in them that are no docstrings; parts of one stand together."""
    tree = ast.parse(code)
    hidden: set[int] = set()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hidden.add(id(node.value))  # a docstring
        elif isinstance(node, ast.JoinedStr):
            texts = [part for part in node.values if isinstance(part, ast.Constant)]
            hidden.update(map(id, texts))
            found.append("{}".join(str(part.value) for part in texts))
        elif isinstance(node, ast.Constant) and id(node) not in hidden:
            found.append(str(node.value))
    return [text for text in found if " " in text]


@pytest.mark.parametrize("word", ["costs I understood", "so many cases", "anew", "is said of it"])
def test_the_words_are_recognised(word):
    assert any(AVOIDED.search(text) for text in sentences(f'print(f"it {{x}} {word} here")'))


def test_docstrings_are_not_sentences_of_the_program():
    assert sentences('def f():\n    """It is said."""\n    return "plain words"') == ["plain words"]


def test_the_program_speaks_plainly():
    texts = [(path, text) for path in CODE for text in sentences(path.read_text(encoding="utf-8"))]
    assert len(texts) > 1000  # the walk finds them
    odd = [f"{path.relative_to(ROOT)}: {text}" for path, text in texts if AVOIDED.search(text)]
    assert not odd


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_speak_plainly(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if AVOIDED.search(line)]


def test_the_script_of_the_page_speaks_plainly():
    scripts = sorted((ROOT / "src" / "stakes" / "report" / "script").glob("*.js"))
    assert scripts
    for path in scripts:
        assert not AVOIDED.search(path.read_text(encoding="utf-8")), path.name
