"""`stakes audit`: sentences, JSON, table and picture."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

CASES = "churned,gbm,rules\n" + "".join(
    f"{'yes' if k % 5 == 0 else 'no'},{p:.3f},{q:.3f}\n"
    for k, (p, q) in enumerate(
        zip(
            np.random.default_rng(0).beta(1, 3, 400) * 0.7 + 0.3 * (np.arange(400) % 5 == 0),
            np.random.default_rng(1).beta(1, 3, 400) * 0.9 + 0.1 * (np.arange(400) % 5 == 0),
            strict=True,
        )
    )
)
DATA = ("--label", "churned", "--positive", "yes", "--scores", "gbm,rules")


def test_in_general(run) -> None:
    ran = run("audit", "f1", "--draws", "2000")
    assert ran.code == 0
    text = " ".join(ran.out.split())
    assert text.startswith("F1 treats a miss as 1.1 to 55 false alarms, depending on")
    assert "F1 matches no fixed costs" in text
    assert "No fixed costs agree with all of these preferences of F1" in text
    assert "A has 20 more misses and 40 fewer false alarms than B." in text
    assert "drawn at random F1 picks the worse one in" in text


def test_against_costs(run) -> None:
    ran = run("audit", "f1", "--cost", "fn=10", "fp=1", "--prevalence", "2%", "--draws", "2000")
    text = " ".join(ran.out.split())
    assert ran.code == 0
    assert "one missed 'positive' costs as much as 10 false alarms" in text
    assert "; by your costs a miss is worth 10 false alarms." in text
    assert "of 1 000 cases, 20 positive, F1 prefers 10 misses and no false alarm (0.667)" in text
    assert "picks the one that costs more in" in text


def test_metric_that_is_the_cost(run) -> None:
    ran = run("audit", "net_benefit", "--cost", "fn=4", "fp=1", "--draws", "2000")
    text = " ".join(ran.out.split())
    assert "treats a miss as 4 false alarms, as your costs do." in text
    assert "It ranks models as your costs do" in text


def test_among_models(run, write) -> None:
    ran = run("audit", "f1", "--cost", "fn=10", "fp=1", write("c.csv", CASES), *DATA,
              "--draws", "2000")  # fmt: skip
    text = " ".join(ran.out.split())
    assert ran.code == 0, ran.err
    assert text.startswith("F1 treats a miss as")
    assert "here; your costs say 10. - Here: " in text
    assert "Among your models F1 chooses" in text
    assert "gbm: The best threshold for F1," in text


def test_a_file_without_costs(run, write) -> None:
    """The operating point is where the metric is best on these scores."""
    ran = run("audit", "f2", write("c.csv", CASES), *DATA, "--draws", "200")
    text = " ".join(ran.out.split())
    assert ran.code == 0, ran.err
    assert text.startswith("F2 treats a miss as")
    assert "where F2 is best)" in text
    assert "your costs" not in text
    found = run("audit", "f2", write("c.csv", CASES), *DATA, "--draws", "200", "--json").found
    # (beta^2 P + FP) / TP: the derivatives of F-beta by hand
    missed, alarms, positives = found_at(text)
    hits = positives - missed
    price = (4 * positives + alarms) / hits
    assert math.isclose(found["implied_miss_cost"], price, rel_tol=1e-6)


def found_at(text: str) -> tuple[int, ...]:
    """Missed, false alarms and positives at the operating point that is printed."""
    said = re.search(r"Here: (\d+) of (\d+) missed and (\d+) false alarm", text)
    assert said is not None
    return int(said[1]), int(said[3]), int(said[2])


def test_counts_without_costs(run, write) -> None:
    a = write("A.csv", "truth,no,yes\nno,850,50\nyes,20,80\n")
    ran = run("audit", "f1", "--confusion", a, "--positive", "yes", "--draws", "200")
    text = " ".join(ran.out.split())
    assert text.startswith("F1 treats a miss as 1.9 false alarms here. - Here: 20 of 100 missed")


def test_several_outcomes_without_costs(run, write) -> None:
    table = write("A.csv", "truth,a,b,c\na,8,1,1\nb,2,7,1\nc,1,1,8\n")
    ran = run("audit", "macro_f1", "--confusion", table, "--draws", "200")
    assert ran.out.startswith("Macro F1 penalises one error most here: deciding"), ran.err
    assert "e-0" not in ran.out
    assert run("audit", "auc", "--confusion", table).code == 2


def test_auc(run, write) -> None:
    ran = run("audit", "auc")
    assert ran.code == 0
    assert ran.out.startswith("AUC treats a miss as N / P false alarms")
    file = write("c.csv", CASES)
    text = " ".join(run("audit", "auc", file, *DATA).out.split())
    assert text.startswith("AUC treats a miss as 4 false alarms here, whatever the threshold.")
    assert "gbm: AUC 0." in text
    text = " ".join(run("audit", "auc", file, *DATA, "--cost", "fn=10", "fp=1").out.split())
    assert "whatever the threshold; your costs say 10." in text
    assert "Among your models AUC chooses" in text
    found = run("audit", "auc", file, *DATA, "--cost", "fn=10", "fp=1", "--json").found
    assert found["implied_miss_cost"] == 4
    assert {row["candidate"] for row in found["candidates"]["table"]} == {"gbm", "rules"}
    drawn = run("audit", "auc", "--plot", "x.svg")
    assert drawn.code == 2


def test_json_holds_everything(run, write) -> None:
    ran = run("audit", "f1", write("c.csv", CASES), *DATA, "--cost", "fn=10", "fp=1", "--json",
              "--draws", "2000")  # fmt: skip
    found = ran.found
    assert found["compliant"] is False
    assert found["failure"] == "not parallel"
    assert 0 < found["misranking"] < 1
    assert found["implied_miss_cost"] > 1
    assert {row["candidate"] for row in found["candidates"]["table"]} == {"gbm", "rules"}
    assert len(found["witness"]["pairs"]) == len(found["witness"]["weights"])
    pair = found["opposite"]
    assert pair["values"][0] > pair["values"][1]
    assert pair["costs"][0] > pair["costs"][1]


def test_infinite_prices_are_words_in_json(run) -> None:
    assert run("audit", "recall", "--json", "--draws", "100").found["miss_cost_low"] == "infinity"


def test_confusion_matrices(run, write) -> None:
    a = write("A.csv", "truth,no,yes\nno,27,23\nyes,15,35\n")
    b = write("B.csv", "truth,no,yes\nno,43,7\nyes,18,32\n")
    ran = run("audit", "accuracy", "--confusion", f"{a},{b}", "--positive", "yes", "--gain",
              "--cost", "tn=15", "fp=-35", "fn=-335", "tp=165", "--draws", "2000")  # fmt: skip
    text = " ".join(ran.out.split())
    assert ran.code == 0, ran.err
    assert "accuracy chooses B, although A costs 7 a case less" in text


def test_table_of_all(run) -> None:
    ran = run("audit", "--all", "--cost", "fn=5", "fp=1", "--draws", "500")
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert lines[0].split()[:1] == ["metric"]
    rows = {line.split()[0]: line for line in lines[2:] if line}
    assert " yes " in rows["accuracy"]
    assert " no " in rows["mcc"]
    assert " by class mix " in rows["balanced_accuracy"]
    assert all(len(line) <= 80 for line in lines)


def test_table_as_json(run) -> None:
    found = run("audit", "--all", "--json", "--draws", "200").found["metrics"]
    by_name = {row["metric"]: row for row in found}
    assert by_name["accuracy"]["compliant"]
    assert not by_name["mcc"]["compliant"]


def test_picture(run, tmp_path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    ran = run("audit", "mcc", "--cost", "fn=5", "fp=1", "--plot", "levels.svg", "--draws", "200")
    assert ran.code == 0, ran.err
    assert "<svg" in (tmp_path / "levels.svg").read_text(encoding="utf-8")
    assert "plot: levels.svg" in ran.out


class TestProblems:
    def test_no_metric(self, run) -> None:
        ran = run("audit")
        assert ran.code == 2
        assert "which metric?" in ran.err

    def test_unknown_metric_lists_what_there_is(self, run) -> None:
        ran = run("audit", "f1_scor")
        assert ran.code == 2
        assert "no metric 'f1_scor'" in ran.err
        assert "f1_score" in ran.err

    def test_missing_parameter(self, run) -> None:
        ran = run("audit", "f_beta")
        assert ran.code == 2
        assert "needs beta" in ran.err

    def test_half_a_cost(self, run) -> None:
        assert run("audit", "f1", "--cost", "fn=10").code == 2


def test_same_seed_same_answer(run) -> None:
    first, second = (run("audit", "f1", "--json", "--draws", "3000").found for _ in range(2))
    assert first == second
    other = run("audit", "f1", "--json", "--draws", "3000", "--seed", "5").found
    assert not math.isclose(first["misranking"], other["misranking"], rel_tol=1e-12)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("f1", "--seed", "-1"), "`--seed` must not be negative"),
        (("--all", "f1"), "--all is every metric; 'f1' is one"),
        (("--all", "--plot", "x.svg"), "--plot draws one metric"),
        (("f_beta",), '"f_beta:beta=..."'),
        (("expected_cost",), "--cost fn=10 fp=1"),
        (("net_benefit:threshold=1",), "`threshold` must be"),
    ],
)
def test_questions_that_make_no_sense(run, given: tuple[str, ...], words: str) -> None:
    ran = run("audit", *given)
    assert ran.code == 2
    assert words in " ".join(ran.err.split())


def test_a_file_that_is_no_picture(run) -> None:
    pytest.importorskip("matplotlib", reason="draws")
    ran = run("audit", "f1", "--plot", "levels.xyz", "--draws", "100")
    assert ran.code == 2
    assert "I cannot draw into 'levels.xyz'" in ran.err


def test_the_table_explains_its_columns(run, write) -> None:
    ran = run("audit", "--all", "--cost", "fn=10", "fp=1", write("c.csv", CASES), *DATA,
              "--draws", "200")  # fmt: skip
    text = " ".join(ran.out.split())
    assert "'here' is what a miss is worth" in text
    assert "'regret/case' is how much more the model that it chooses costs" in text
    assert "e+0" not in text


def test_table_of_three_outcomes_speaks_of_no_misses(run, write) -> None:
    costs = write("k.csv", "truth,a,b,c\na,0,1,2\nb,3,0,1\nc,5,1,0\n")
    ran = run("audit", "--all", "--costs", costs, "--draws", "200")
    assert ran.code == 0, ran.err
    assert "misranks" in ran.out
    assert "miss is worth" not in ran.out


def test_candidates_for_which_the_metric_is_undefined(run, write) -> None:
    table = "truth,no,yes\nno,300,0\nyes,30,0\n"
    both = f"{write('A.csv', table)},{write('B.csv', table)}"
    given = ("--confusion", both, "--positive", "yes", "--cost", "fn=1", "fp=10", "--draws", "200")
    ran = run("audit", "precision", *given)
    assert ran.code == 0, ran.err
    assert "precision chooses none" in " ".join(ran.out.split())
    assert '"chosen": null' in run("audit", "precision", "--json", *given).out


def test_more_than_one_file_is_counted_first(run, write, tmp_path) -> None:
    (tmp_path / "lake").mkdir()
    for name in ("a", "b"):
        write(f"lake/{name}.csv", CASES)
    ran = run("audit", "f1", "lake", *DATA, "--cost", "fn=10", "fp=1")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(
        "error: stakes audit reads files into memory by name, and 'lake' is more."
    )
    assert "stakes eval ... --save counts.json" in ran.err
