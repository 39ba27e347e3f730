from __future__ import annotations

import shlex

import numpy as np
import pytest

from stakes import ConfusionMatrix, CostMatrix, ScoreCounts
from stakes.demonstration import example_path
from stakes.engines import Stream


def test_describes_each_column_and_stops(run):
    ran = run("inspect", str(example_path("churn.csv")))
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "churn.csv: 5 000 rows, text, cells separated by commas"
    assert any(line.startswith("churned ") and line.endswith("the truth?") for line in lines)
    assert any(line.startswith("gbm_p") and line.endswith("probabilities?") for line in lines)
    assert lines[-1] == "Nothing was evaluated."
    assert "NEC" not in ran.out


@pytest.mark.parametrize("name", ["churn.csv", "loans.csv"])
def test_the_command_it_suggests_works(run, name):
    ran = run("inspect", str(example_path(name)))
    command = next(line for line in ran.out.splitlines() if line.startswith("  stakes eval"))
    assert run(*shlex.split(command)[1:]).code == 0


def test_class_columns_of_several_models(run):
    ran = run("inspect", str(example_path("pets.csv")))
    assert "p(fox) by large" in ran.out
    assert "--proba '*.p_*' --cost error=1" in ran.out


def test_gaps_ids_and_codes(run, write):
    rows = "".join(f"{k},{k % 2},0.5,\n" for k in range(30))
    name = write("t.csv", f"id,y,p,empty\n{rows}31,1,,\n")
    lines = run("inspect", name).out.splitlines()
    said = {line.split()[0]: line for line in lines if line}
    assert said["id"].endswith("an id")
    assert said["y"].endswith("the truth")
    assert "'1' (16) and '0' (15)" in said["y"]
    assert "1 empty" in said["p"]


def test_arrays(run, tmp_path):
    np.savez(tmp_path / "t.npz", y=np.array([0, 1, 1]), p=np.full((3, 2), 0.5))
    ran = run("inspect", "t.npz")
    assert "array of 3 x 2" in ran.out
    assert "--label y --proba p" in ran.out


def test_no_file(run):
    assert run("inspect").code == 2
    assert run("inspect", "nope.csv").code == 2


def test_a_confusion_matrix_is_not_taken_for_rows(run, write):
    name = write("cm.csv", "truth,no,yes\nno,90,10\nyes,5,20\n")
    ran = run("inspect", name)
    assert "--decisions" not in ran.out
    command = next(line for line in ran.out.splitlines() if line.startswith("  stakes eval"))
    assert run(*shlex.split(command)[1:]).code == 0


def test_a_column_called_truth_may_still_hold_cases(run, write):
    rows = "".join(f"{'yes' if k % 3 else 'no'},0.{k % 10}\n" for k in range(40))
    assert (
        "--label truth --positive no --scores p"
        in run("inspect", write("t.csv", f"truth,p\n{rows}")).out
    )


def test_a_repeated_name_is_not_suggested(run, write):
    rows = "".join(f"{k % 2},0.5,0.{k % 10},0.{k % 7}\n" for k in range(40))
    ran = run("inspect", write("t.csv", f"y,p,p,q\n{rows}"))
    assert ran.out.count("two columns of one name") == 2
    assert "--scores q " in ran.out


def test_costs_are_said_back(run, write):
    ran = run("inspect", write("c.toml", "unit = 'EUR'\nfn = [5, 15]\nfp = 1\n"))
    assert ran.code == 0
    assert "Costs used (EUR):" in ran.out
    assert f"-> {(15 - 5) / np.log(15 / 5):.5f}" in ran.out  # the mean of a log-uniform range
    assert "shown by their means" in ran.out
    assert "--costs c.toml" in ran.out
    assert run("inspect", "nope.toml").code == 2


class TestSeveralFiles:
    @pytest.fixture
    def days(self, tmp_path):
        for name, counts in (("mon", [[90, 10], [3, 20]]), ("tue", [[80, 9], [2, 30]])):
            ConfusionMatrix(counts, ["no", "yes"]).save(tmp_path / f"{name}.json")

    @pytest.mark.parametrize("words", [["*.json"], ["mon.json", "tue.json"]])
    def test_counts_are_put_together(self, run, days, words):
        ran = run("inspect", *words)
        assert ran.code == 0
        lines = ran.out.splitlines()
        assert lines[2].split()[:2] == ["mon.json", "123"]
        assert lines[3].split()[:2] == ["tue.json", "121"]
        commands = [shlex.split(line)[1:] for line in lines if line.startswith("  stakes")]
        assert [words[0] for words in commands] == ["monitor", "merge"]
        assert [run(*words).code for words in commands] == [0, 0]

    def test_counts_of_a_stream(self, run, tmp_path):
        stream = Stream(CostMatrix([[0, 1], [10, 0]]), scores="exact")
        stream.update([0, 1, 1], {"gbm": np.array([0.1, 0.9, 0.4])}).save(tmp_path / "s.json")
        lines = run("inspect", "s.json").out.splitlines()
        assert lines[2].split() == ["s.json", "3", "gbm", "0,", "1", "decisions", "+", "scores"]

    def test_scores_alone_are_for_python(self, run, tmp_path):
        ScoreCounts.from_scores([0, 1], [0.1, 0.9], kind="posterior").save(tmp_path / "s.json")
        assert "In Python: stakes.summaries.load_summary" in run("inspect", "s.json").out

    def test_files_of_rows_and_costs(self, run, write):
        write("a.csv", "y,p\n" + "no,0.1\nyes,0.9\n" * 10)
        write("b.csv", "y,q\n" + "no,0.1\nyes,0.9\n" * 10)
        write("c.toml", "fn = 40\nfp = 4\n")
        out = run("inspect", "a.csv", "b.csv", "c.toml").out
        assert out.count("To evaluate it:") == 2
        assert "Costs used" in out
        assert out.count("Nothing was evaluated.") == 1

    @pytest.mark.parametrize("word", ["lake", "lake/*/*.csv"])
    def test_a_lake_is_known_by_its_first_file(self, run, tmp_path, word):
        for year in (2025, 2026):
            folder = tmp_path / "lake" / f"year={year}"
            folder.mkdir(parents=True)
            (folder / "part.csv").write_text("y,p\n" + "no,0.1\nyes,0.9\n" * 10)
        ran = run("inspect", word)
        assert ran.out.startswith(f"{word}: 2 files, csv; the first of them\npart.csv: 20 rows")
        assert "Folders are columns too: 'year', e.g. --by year" in ran.out
        command = next(line for line in ran.out.splitlines() if line.startswith("  stakes eval"))
        pytest.importorskip("duckdb", reason="counting files apart needs duckdb")
        assert run(*shlex.split(command)[1:], "--by", "year").code == 0

    @pytest.mark.parametrize(
        ("word", "said"),
        [
            ("no*.json", "no file fits 'no*.json'"),
            ("no.csv", "there is no file 'no.csv'"),
            ("s3://bucket/x.parquet", "is not on this machine"),
        ],
    )
    def test_what_is_not_there(self, run, word, said):
        ran = run("inspect", word)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err


def test_an_empty_column_is_not_replaced_by_another(run):
    ran = run("inspect", str(example_path("june.csv")))
    said = " ".join(ran.out.split())
    assert "churned nothing empty (labels not here yet?)" in said
    assert "the truth?" not in said
    assert "--reference LABELLED.csv --label churned --scores gbm_p --cost fn=10 fp=1" in said
    ran = run("eval", str(example_path("june.csv")), "--label", "churned", "--scores", "gbm_p",
              "--cost", "fn=10", "fp=1")  # fmt: skip
    assert "'churned' is empty." in ran.err
    assert "stakes estimate FILE --reference LABELLED.csv" in ran.err
