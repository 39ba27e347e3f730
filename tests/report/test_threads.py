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


#: Settings of a reader, each of which would show in a drawing that does not say how it looks.
THEIRS = {
    "axes.facecolor": "red", "axes.edgecolor": "red", "axes.linewidth": 3, "axes.grid": True,
    "axes.grid.which": "both", "axes.axisbelow": False, "axes.labelcolor": "red",
    "axes.labelsize": 30, "axes.labelpad": 20, "axes.labelweight": "bold",
    "axes.spines.left": False, "axes.unicode_minus": False, "axes.formatter.limits": (-1, 1),
    "axes.prop_cycle": "cycler('color', ['red'])", "grid.color": "red", "grid.linestyle": ":",
    "grid.alpha": 0.2, "figure.facecolor": "red", "figure.subplot.left": 0.3, "text.color": "red",
    "figure.constrained_layout.w_pad": 0.5, "font.family": ["monospace"], "font.size": 20,
    "font.style": "italic", "font.weight": "bold", "legend.frameon": True, "legend.labelspacing": 3,
    "lines.linewidth": 7, "lines.markeredgewidth": 4, "lines.solid_capstyle": "round",
    "path.simplify": False, "svg.fonttype": "path", "svg.hashsalt": None, "xtick.bottom": False,
    "xtick.color": "red", "xtick.direction": "in", "xtick.labelsize": 3, "xtick.major.size": 12,
    "xtick.minor.visible": True, "xtick.top": True, "ytick.direction": "inout",
    "ytick.labelcolor": "red", "ytick.major.pad": 12, "ytick.right": True,
}  # fmt: skip


@pytest.mark.parametrize("number", range(3))
def test_settings_of_the_reader_do_not_reach_into_a_page(number):
    ev = evaluations()[number]
    plain = ev.to_html()
    with matplotlib.rc_context(THEIRS):
        assert ev.to_html() == plain


@pytest.mark.parametrize("name", ["axes.facecolor", "axes.edgecolor", "axes.grid",
                                  "xtick.direction", "font.family"])  # fmt: skip
def test_one_setting_of_the_reader_does_not_reach_into_a_page(name):
    ev, *_ = evaluations()
    plain = ev.to_html()
    with matplotlib.rc_context({name: THEIRS[name]}):
        assert ev.to_html() == plain


@pytest.mark.parametrize("sheet", ["dark_background", "fivethirtyeight", "ggplot"])
def test_a_style_sheet_of_the_reader_does_not_reach_into_a_page(sheet):
    ev, *_ = evaluations()
    plain = ev.to_html()
    with pytest.importorskip("matplotlib.style").context(sheet):
        assert ev.to_html() == plain
