"""The examples for other libraries run on their synthetic data, where the library is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def run(name: str, tmp_path: Path) -> dict[str, float]:
    """What `main` of an example returns, run as a user would, in a process of its own."""
    program = (
        f"import json, sys; sys.path.insert(0, {str(EXAMPLES)!r}); import {name}; "
        f"print('\\n' + json.dumps({name}.main()))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def need(*modules: str) -> None:
    for module in modules:
        pytest.importorskip(module, reason=f"the example needs {module}")


def test_hugging_face_trainer(tmp_path: Path) -> None:
    need("torch", "transformers", "accelerate")
    found = run("hugging_face_trainer", tmp_path)
    assert found["after"] < 0.9 * found["before"]


def test_lightning_module(tmp_path: Path) -> None:
    need("torch", "lightning")
    found = run("lightning_module", tmp_path)
    assert found["after"] < 0.9 * found["before"]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_every_example_compiles_and_says_what_it_needs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    compile(text, str(path), "exec")
    assert "Needs: pip install" in text
