"""Names that are integers, or are written as integers, in any order: the same evaluation."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, CaseCosts, CostMatrix, evaluate, evaluate_frame
from stakes.engines.stream import Stream
from stakes.exceptions import PosteriorError
from stakes.messages.audience import marked

KINDS = [["no", "yes"], [0, 1], [1, 0], [1, 2], [7, -3], ["0", "1"], ["1", "0"], ["1", "2"]]


def _rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    p = np.clip(0.3 + 0.4 * y + rng.normal(0, 0.2, 200), 0.01, 0.99)
    return y, p, (p > 0.5).astype(int)


@pytest.mark.parametrize("names", KINDS, ids=str)
def test_evaluate(names):
    y, p, d = _rows()
    wanted = np.array([[np.sum((y == i) & (d == j)) for j in range(2)] for i in range(2)])
    app = Application(CostMatrix([[0, 1], [10, 0]], classes=names))
    named = np.array(names)
    ev = evaluate(
        named[y], {"p": p, "d": named[d], "e": named[1 - d]}, application=app, rng=0,
        by=np.arange(200) % 2, recalibrate=False, positive=names[1],
    )  # fmt: skip
    np.testing.assert_array_equal(ev["d"].confusion.counts, wanted)
    assert ev["d"].confusion.classes == tuple(names)
    parts = [ev.slices[name]["d"].confusion.counts for name in ("0", "1")]
    np.testing.assert_array_equal(sum(parts), wanted)
    assert ev.comparison is not None
    assert ev.difference("d", "e").value < 0


@pytest.mark.parametrize("names", [["True", "False"], ["False", "True"]], ids=str)
def test_booleans_meet_the_names_written_like_them(names):
    polars = pytest.importorskip("polars", reason="reads frames")
    y, p, d = _rows()
    true = names.index("True")
    codes = np.array([1 - true, true])
    wanted = np.zeros((2, 2))
    np.add.at(wanted, (codes[y], codes[d]), 1)
    app = Application(CostMatrix([[0, 1], [10, 0]], classes=names))
    said = {"p": p, "d": d.astype(bool)}
    ev = evaluate(y.astype(bool), said, application=app, rng=0, recalibrate=False, positive=True)
    np.testing.assert_array_equal(ev["d"].confusion.counts, wanted)
    text = evaluate(y.astype(bool).astype(str), {"p": p}, application=app, rng=0,
                    recalibrate=False, positive="True")  # fmt: skip
    assert ev["p"].cost == text["p"].cost
    rows = polars.DataFrame({"y": y.astype(bool), "d": d.astype(bool)})
    framed = evaluate_frame(rows, label="y", decisions={"d": "d"}, application=app)
    np.testing.assert_array_equal(framed["d"].confusion.counts, wanted)


def test_columns_of_booleans_are_sorted_false_first():
    y, p, _ = _rows()
    app = Application(CostMatrix([[0, 1], [10, 0]], classes=["True", "False"]))
    with pytest.raises(PosteriorError, match="not in sorted order, 'False', 'True'"):
        evaluate(y.astype(bool), {"p": np.column_stack([1 - p, p])}, application=app)


@pytest.mark.parametrize("names", KINDS, ids=str)
def test_stream(names):
    y, p, d = _rows()
    named = np.array(names)
    app = Application(CostMatrix([[0, 1], [10, 0]], classes=names))
    costs = CaseCosts(np.broadcast_to([[0.0, 1], [10, 0]], (200, 2, 2)), names, names)
    stream = Stream(app, scores="exact", positive=names[1]).update(
        named[y], {"p": p, "d": named[d]}, groups=np.arange(200) % 5, case_costs=costs
    )
    wanted = np.array([[np.sum((y == i) & (d == j)) for j in range(2)] for i in range(2)])
    np.testing.assert_array_equal(stream.confusion("d").counts, wanted)
    np.testing.assert_array_equal(stream.tallies["d"].counts, wanted)
    np.testing.assert_array_equal(stream.scores["p"].class_totals, np.bincount(y))
    assert stream.scores["p"].counts_above(0.5)[1] == wanted[1, 1]


@pytest.mark.parametrize("odd", ["\x1b[2J", "\x07", "\u202e", "\x9b31m"])
def test_names_cannot_steer_the_terminal(odd):
    y, p, _ = _rows()
    app = Application(CostMatrix([[0, 1], [10, 0]], classes=["no", f"yes{odd}"]))
    ev = evaluate(np.array(app.costs.classes)[y], {f"m{odd}": p, "other": p**2}, application=app)
    for text in (str(ev), str(ev.frame())):
        assert odd not in text
        assert "m" + marked(odd) in text
