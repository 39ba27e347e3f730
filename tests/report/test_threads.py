"""Pages made at the same time are those made alone, and leave no trace."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from stakes import Application, CaseCosts, CostMatrix, evaluate

matplotlib = pytest.importorskip("matplotlib", reason="drawings need the extra `plots`")

THREADS = 8


def evaluations():
    """Pages with every kind of drawing; a name has a character that the measuring font lacks."""
    rng = np.random.default_rng(0)
    y = rng.random(120) < 0.3
    said = {name: 0.6 * rng.random(120) + 0.39 * y for name in ("🦊", "b")}
    costs = CostMatrix([[0, 1], [5, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
    many = rng.dirichlet([1, 1, 1], 90)
    three = Application(CostMatrix.zero_one(3).with_abstention(0.3), unit="🦊")
    return [
        evaluate(y, said, application=costs),
        evaluate(rng.permutation(90) % 3, {"c": many}, application=three),
        evaluate(y, said, application=CaseCosts.binary(false_negative=1 + rng.random(120) * 9,
                                                       false_positive=np.ones(120))),
    ]  # fmt: skip


def test_pages_from_threads_are_those_made_alone():
    judged = evaluations()
    alone = [ev.to_html() for ev in judged]
    assert all("<svg" in page for page in alone)
    settings, filters = dict(matplotlib.rcParams), list(warnings.filters)
    together = Barrier(THREADS)

    def page(number):
        together.wait()
        return judged[number % 3].to_html()

    with ThreadPoolExecutor(THREADS) as pool:
        for number, made in enumerate(pool.map(page, range(THREADS))):
            assert made == alone[number % 3]
    assert dict(matplotlib.rcParams) == settings
    assert list(warnings.filters) == filters


def test_settings_of_the_reader_do_not_reach_into_a_page():
    ev, *_ = evaluations()
    plain = ev.to_html()
    theirs = {
        "svg.fonttype": "path", "svg.hashsalt": None, "font.size": 20, "lines.linewidth": 7,
        "axes.grid": False, "legend.frameon": True, "xtick.labelsize": 3, "axes.labelsize": 30,
    }  # fmt: skip
    with matplotlib.rc_context(theirs):
        assert ev.to_html() == plain
