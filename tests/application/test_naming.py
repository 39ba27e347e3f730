"""Names as text."""

from __future__ import annotations

import pytest

from stakes.application.cost_sentences import name_text, shown


@pytest.mark.parametrize(
    ("name", "text"),
    [("cat", "cat"), (1, "1"), (True, "true"), (False, "false"), (0.5, "0.5"), (1e16, "1e+16")],
)
def test_in_a_key(name, text) -> None:
    assert name_text(name) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [("cat", "cat"), (1, "1"), ("a\tb", "a␉b"), ("é", "é"), ("x" * 99, "x" * 99)],
)
def test_in_a_sentence(name, text) -> None:
    assert shown(name) == text
