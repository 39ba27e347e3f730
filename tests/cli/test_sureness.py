from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix
from stakes.uncertainty import interval

COSTS = ["--cost", "fn=10", "fp=1"]


def rows(table):
    """CSV lines for counts of (truth, decision of a, decision of b)."""
    return "y,a,b\n" + "".join(f"{y},{a},{b}\n" * n for (y, a, b), n in table.items())


#: a misses 20 of 100 and raises 50 alarms; b misses 25 of the same cases, with the same alarms.
CLOSE = {(0, 0, 0): 850, (0, 1, 1): 50, (1, 1, 1): 75, (1, 1, 0): 5, (1, 0, 0): 20}
#: a differs from b in four cases only, twice each way.
SWAPPED = {(0, 0, 0): 850, (0, 1, 1): 50, (1, 1, 1): 76, (1, 1, 0): 3, (1, 0, 1): 2, (1, 0, 0): 19}


def app(priors=None):
    costs = CostMatrix.binary(false_negative=10, false_positive=1, classes=["0", "1"])
    return Application(costs, priors=priors)


@pytest.mark.parametrize(("words", "priors"), [([], None), (["--prevalence", "2%"], [0.98, 0.02])])
def test_the_interval_is_that_of_the_library(run, write, words, priors):
    name = write("t.csv", rows(CLOSE))
    model = run("eval", name, "--decisions", "a", *COSTS, *words, "--json").found["models"][0]
    matrix = ConfusionMatrix([[850, 50], [20, 80]], ["0", "1"], ["0", "1"])
    sure = interval(matrix, "normalized_expected_cost", application=app(priors))
    assert model["interval"] == pytest.approx([sure.low, sure.high], rel=1e-12)
    assert model["interval"][0] < model["nec"] < model["interval"][1]


def test_confusion_matrices_have_the_same_intervals_as_rows(run, write):
    by_rows = run("eval", write("t.csv", rows(CLOSE)), "--decisions", "a", *COSTS, "--json")
    write("a.csv", "truth,0,1\n0,850,50\n1,20,80\n")
    by_counts = run("eval", "--confusion", "a.csv", *COSTS, "--json")
    assert by_counts.found["models"][0]["interval"] == by_rows.found["models"][0]["interval"]


def test_models_that_err_on_the_same_cases_are_told_apart(run, write):
    ran = run("eval", write("t.csv", rows(CLOSE)), "--decisions", "a,b", *COSTS)
    assert "Deploy a. It saves" in ran.out
    assert "being best" in ran.out


def test_models_that_cannot_be_told_apart(run, write):
    ran = run("eval", write("t.csv", rows(SWAPPED)), "--decisions", "a,b", *COSTS)
    said = " ".join(ran.out.split())
    # a misses 21, b 22: 10 / 900 of the cost of always acting apart
    assert "Either will do; use a. It saves " in said
    assert ", 71 % of the cost of always deciding" in said  # 1 - (210 + 50) / 900
    assert f"The data cannot tell it from b (NEC difference {10 / 900:.3f}, -0.0" in said
    assert "more cases would be needed)." in said


def test_a_model_that_may_be_useless(run, write):
    table = {(0, 0, 0): 95, (0, 1, 1): 5, (1, 1, 1): 2, (1, 0, 0): 13}
    words = ["--cost", "fn=1", "fp=0.3"]  # cost 14.5 of 15, surely not surely below
    ran = run("eval", write("t.csv", rows(table)), "--decisions", "a", *words)
    assert "Cannot say: a may be no better than always deciding '0' (NEC 0.967" in ran.out


def test_money_has_the_interval_of_the_nec(run, write):
    words = ["--decisions", "a", "--prevalence", "10%", "--volume", "1000"]
    ran = run("eval", write("t.csv", rows(CLOSE)), *COSTS, *words)
    matrix = ConfusionMatrix([[850, 50], [20, 80]], ["0", "1"], ["0", "1"])
    sure = interval(matrix, "normalized_expected_cost", application=app([0.9, 0.1]))
    low, high = (900 * (1 - end) for end in (sure.high, sure.low))
    assert f"({low:.0f} to {high:.0f})" in ran.out


def test_weighted_rows_are_drawn_whole(run, write):
    text = rows(CLOSE).replace("\n", ",0.5\n").replace("y,a,b,0.5", "y,a,b,w")
    words = ["--decisions", "a,b", *COSTS, "--json"]
    weighed = run("eval", write("t.csv", text), "--weight", "w", *words).found["models"][0]
    plain = run("eval", write("u.csv", rows(CLOSE)), *words).found["models"][0]
    assert weighed["nec"] == pytest.approx(plain["nec"])
    # the same rows with the same weight each: about the same interval, by other means
    assert weighed["interval"] == pytest.approx(plain["interval"], abs=0.03)


def test_sign_of_the_margin_where_only_ascii_is_known(monkeypatch):
    import io

    from stakes.cli.show.terminal import wrapped

    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert wrapped("0.1 ± 0.2") == ["0.1 +- 0.2"]


def test_twenty_five_models_are_judged_but_not_compared(run, write):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    names = [f"m{k}" for k in range(25)]
    lines = [",".join(["y", *names])]
    lines += [",".join(map(str, [y, *rng.integers(0, 2, 25)])) for y in truth]
    ran = run("eval", write("t.csv", "\n".join(lines)), "--decisions", "m*", *COSTS, "--json")
    assert ran.code == 0
    assert all(model["probability_best"] is None for model in ran.found["models"])
