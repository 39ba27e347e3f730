"""`ev.plot`: every drawing that the evaluation allows."""

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="drawings need matplotlib: pip install 'stakes[plots]'")

from matplotlib.figure import Figure

from stakes import Application, CostMatrix, evaluate
from stakes.evaluation.evaluation_plots import _DRAWINGS
from stakes.exceptions import UndefinedError

COSTS = CostMatrix([[0, 2], [10, 0]], classes=["no", "yes"])


def scores(n=500):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(int)
    return y, 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.4)))


@pytest.fixture(scope="module")
def ev():
    y, p = scores()
    return evaluate(y, {"a": p, "b": p**2}, application=Application(COSTS), rng=0)


@pytest.mark.parametrize("name", [name for name in _DRAWINGS if name != "confusion"])
def test_draws_every_model(ev, name):
    assert name in repr(ev.plot)
    ax = getattr(ev.plot, name)(ax=Figure().subplots())
    texts = [t.get_text() for t in (*ax.get_legend().get_texts(), *ax.get_yticklabels())] if (
        ax.get_legend()) else [t.get_text() for t in ax.get_yticklabels()]  # fmt: skip
    assert any("a" in text for text in texts)
    assert any("b" in text for text in texts)


def test_confusion_is_that_of_the_best(ev):
    ax = ev.plot.confusion(ax=Figure().subplots())
    assert [t.get_text() for t in ax.get_yticklabels()] == ["no", "yes"]


def test_decisions_have_no_curves():
    y, p = scores()
    ev = evaluate(y, {"a": (p > 0.4).astype(int)}, application=Application(COSTS), rng=0)
    with pytest.raises(UndefinedError, match="needs posteriors of two classes"):
        ev.plot.roc()
    assert ev.plot.costs(ax=Figure().subplots()) is not None


def test_the_strength_of_evidence_is_drawn_into_the_page_on_request(ev):
    plain, more = ev.to_html(), ev.to_html(forensic=True)
    for key in ("chart-tippett", "chart-entropy"):
        assert f'id="{key}"' not in plain
        assert f'id="{key}"' in more
    assert len(more) < 600_000


def test_many_scores_give_a_short_tippett_curve():
    y, p = scores(20_000)
    ev = evaluate(y, {"a": p}, application=Application(COSTS), recalibrate=False, rng=0)
    lines = ev.plot.tippett(ax=Figure().subplots()).get_lines()
    assert max(len(line.get_xdata()) for line in lines) <= 1_000
