"""`ev.plot`: every drawing that the evaluation allows."""

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="drawings need matplotlib: pip install 'stakes[plots]'")

from matplotlib.figure import Figure

from stakes import Application, CostMatrix, evaluate
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


@pytest.mark.parametrize(
    "name", ["bayes_error", "costs", "decision_curve", "det", "reliability", "roc"]
)
def test_draws_every_model(ev, name):
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
