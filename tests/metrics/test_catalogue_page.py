"""docs/catalogue.md is what the registry says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from stakes.metrics import catalogue

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "write_catalogue.py"


@pytest.fixture(scope="module")
def writer():
    spec = importlib.util.spec_from_file_location("write_catalogue", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page(writer) -> str:
    return writer.page()


def test_page_is_in_step_with_the_registry(page: str) -> None:
    written = (ROOT / "docs" / "catalogue.md").read_text(encoding="utf-8")
    assert written == page, "run: python scripts/write_catalogue.py"


def test_every_metric_has_its_section(page: str) -> None:
    for name in catalogue:
        assert page.count(f"### {name}\n") == 1
