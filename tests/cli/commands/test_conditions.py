"""Conditions of `--fail-if`: what they say, and what says none."""

import numpy as np
import pytest

from stakes import ConfusionMatrix, CostMatrix, evaluate
from stakes.cli.commands.gates import Condition, condition, failures, period_condition
from stakes.exceptions import DataError


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nec>0.5", (None, "nec", ">", 0.5)),
        (" cost <= -1e3 ", (None, "cost", "<=", -1000.0)),
        ("gbm:nec>=.5", ("gbm", "nec", ">=", 0.5)),
        ("a:b:cost<1e9", ("a:b", "cost", "<", 1e9)),
    ],
)
def test_read(text, said):
    assert condition(text) == Condition(text.strip(), *said)


@pytest.mark.parametrize("text", ["nec", "nec=0.5", "nec>", "nec>half", "nec>nan", "auc>0.5", ""])
def test_what_says_no_condition(text):
    with pytest.raises(DataError, match="I cannot read the condition") as caught:
        condition(text)
    assert "--fail-if 'nec>0.5'" in caught.value.hint


@pytest.mark.parametrize("limit", ["1e999", "-1e999", "inf", "-Infinity"])
def test_limits_that_are_not_finite(limit):
    for read, text in ((condition, "nec>"), (period_condition, "cost<")):
        with pytest.raises(DataError, match="is not finite"):
            read(f"{text}{limit}")


def test_an_undefined_figure_meets_no_condition():
    for sign in (">", ">=", "<", "<="):
        said = condition(f"cost{sign}1").failed(float("nan"), "gbm")
        assert said == [f"failed: cost{sign}1 (cost of gbm is undefined)"]


@pytest.mark.parametrize(
    ("sign", "below", "equal", "above"),
    [(">", False, False, True), (">=", False, True, True),
     ("<", True, False, False), ("<=", True, True, False)],
)  # fmt: skip
def test_holds(sign, below, equal, above):
    read = condition(f"cost{sign}1")
    assert [bool(read.failed(value, "gbm")) for value in (0, 1, 2)] == [below, equal, above]


@pytest.mark.parametrize("text", ["cost>nan", "gbm:cost>1", "nec>1", "alarms"])
def test_periods_refuse_what_could_never_hold(text):
    with pytest.raises(DataError, match="I cannot read the condition") as caught:
        period_condition(text)
    assert "--fail-if alarm" in caught.value.hint


def test_evaluations_refuse_what_could_never_hold():
    with pytest.raises(DataError, match="I cannot read the condition 'nec>nan'"):
        condition("nec>nan")


def test_an_underscore_is_no_part_of_a_limit():
    with pytest.raises(DataError, match="I cannot read the condition 'nec>1_0'"):
        condition("nec>1_0")


def test_a_gate_about_an_unknown_model_names_the_known_ones():
    table = ConfusionMatrix([[60, 30], [4, 6]])  # (30 + 10 * 4) / 100 over a naive 0.9
    models = {"gbm": table, "logreg": table}
    ev = evaluate(None, models, application=CostMatrix([[0, 1], [10, 0]]), rng=0)
    assert failures([condition("logreg:nec>0.5")], None, ev)
    assert not failures([condition("logreg:nec>0.8")], None, ev)
    with pytest.raises(DataError, match="'gbn', but the models are gbm, logreg"):
        failures([condition("gbn:nec>0.5")], None, ev)


def test_so_does_the_command(run, write):
    rows = "".join(f"{k % 2},{0.1 + 0.7 * (k % 2)}\n" for k in range(40))
    file = write("d.csv", f"label,p\n{rows}")
    words = ("eval", file, "--scores", "p", "--cost", "fn=5", "fp=1")
    assert run(*words, "--fail-if", "p:nec>0.5").code == 0
    ran = run(*words, "--fail-if", "q:nec>0.5")
    assert ran.code == 2
    assert "--fail-if names 'q', but the only model is p." in ran.err


class TestAModelInUse:
    """`--baseline`: the table, the gate, the quiet line, JSON and the repeated inquiry agree."""

    @pytest.fixture
    def words(self, write):
        rng = np.random.default_rng(2)
        y = rng.random(3000) < 0.1
        strong, weak = (rng.normal(gap * (y - 0.5) * gap, gap) - 2.2 for gap in (3, 1))
        p, q = (1 / (1 + np.exp(-x)) for x in (strong, weak))
        rows = [f"{'yes' if t else 'no'},{a:.4f},{b:.4f}" for t, a, b in zip(y, p, q, strict=True)]
        file = write("day.csv", "\n".join(["y,new,current", *rows]))
        asked = "--label y --positive yes --scores current,new --cost fn=10 fp=1 --volume 10k/yr"
        return ["eval", file, *asked.split(), "--baseline", "current"]

    def test_switch(self, run, words):
        cheap = [*words, "--switching-cost", "500"]
        assert "Switch from current to new at p > 0.09" in run(*cheap).out.replace("\n", " ")
        assert run(*cheap, "--require", "new", "--quiet").code == 0
        assert run(*cheap, "--quiet").out.startswith("new 0.09")
        failed = run(*cheap, "--require", "current")
        assert failed.code == 1
        assert "failed: --require current (Switch from current to new" in failed.err

    def test_keep(self, run, words):
        dear = [*words, "--switching-cost", "1M"]
        found = run(*dear, "--json").found
        assert found["verdict"]["kind"] == "keep"
        assert found["challenge"]["switching_cost"] == 1e6
        assert found["best"] == "new"
        assert run(*dear, "--quiet", "--require", "current").out.startswith("current ")
        assert run(*dear, "--require", "new").code == 1

    def test_asked_again(self, run, words, tmp_path):
        first = run(*words, "--switching-cost", "500", "-o", "report.json")
        again = run("eval", "--inquiry", "report.json")
        assert again.out == first.out.partition("\nanswer:")[0]

    def test_files_of_an_engine(self, run, words):
        pytest.importorskip("duckdb", reason="needs DuckDB: pip install duckdb")
        near = run(*words, "--switching-cost", "500", "--json").found
        far = run(*words, "--switching-cost", "500", "--json", "--engine", "duckdb").found
        assert far["verdict"]["sentence"] == near["verdict"]["sentence"]

    def test_a_cost_without_a_volume_is_refused(self, run, words):
        at = words.index("--volume")
        found = run(*words[:at], *words[at + 2 :], "--switching-cost", "500")
        assert found.code == 2
        assert "--volume 250000/yr" in found.err
