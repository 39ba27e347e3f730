"""The table over all that unknown costs may be, as the page shows it."""

from __future__ import annotations

import re

import numpy as np
import pytest

import stakes
from stakes.application import Between, UncertainApplication


def cells(page: str) -> dict[str, list[str]]:
    """The texts of the table, by model."""
    body = re.search(r'<tbody id="doubt">(.*?)</tbody>', page, re.DOTALL)
    assert body is not None
    rows = re.findall(r"<tr>(.*?)</tr>", body[1], re.DOTALL)
    found = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return {row[0]: row[1:] for row in found}


@pytest.fixture
def rows():
    rng = np.random.default_rng(5)
    y = rng.random(4000) < 0.1
    llr = rng.normal(2 * (2 * y - 1), 2)
    good = 1 / (1 + 9 * np.exp(-llr))
    noisy = 1 / (1 + 9 * np.exp(-(llr + rng.normal(0, 2, 4000)) / 2))
    return y, {"good": good, "noisy <b>": noisy}


def test_ends_of_the_range_are_evaluations_at_the_ends(rows):
    y, models = rows
    ranges = UncertainApplication([[0, 1], [Between(5, 15), 0]], classes=[False, True])
    page = stakes.evaluate(y, models, application=ranges, rng=0).to_html()
    shown = cells(page)
    assert set(shown) == {"good", "noisy &lt;b&gt;"}
    for place, miss in ((0, 5), (1, 15)):
        app = stakes.Application(stakes.CostMatrix([[0, 1], [miss, 0]], classes=[False, True]))
        found = stakes.evaluate(y, models, application=app, rng=0)
        assert f"{found['good'].nec:.3f}" in shown["good"][place]
        assert f"{found['noisy <b>'].nec:.3f}" in shown["noisy &lt;b&gt;"][place]
        assert shown["good"][place].startswith("<b>")


def test_known_costs_have_no_such_table(rows):
    y, models = rows
    app = stakes.Application(stakes.CostMatrix([[0, 1], [10, 0]], classes=[False, True]))
    assert "Over all that is possible" not in stakes.evaluate(y, models, application=app).to_html()
