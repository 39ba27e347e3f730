"""`stakes merge`, `stakes eval --save` and `stakes eval` of what was saved."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostTally, PairedCounts
from stakes.engines.stream import Stream
from stakes.exceptions import FormatError
from stakes.summaries import load_summary

COST = ("--cost", "fn=10", "fp=1")


def _rows(seed, n=400):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    a, b = (rng.normal(size * (2 * y - 1), 1.5) > -1 for size in (1.5, 0.5))
    columns = (np.where(x, "yes", "no") for x in (y, a, b))
    return "truth,a,b\n" + "".join(f"{','.join(row)}\n" for row in zip(*columns, strict=True))


SAVED: dict[str, bytes] = {}


@pytest.fixture
def days(run, write, tmp_path):
    """Two days, each evaluated and saved, and both together."""
    parts = [_rows(1), _rows(2)]
    write("mon.csv", parts[0])
    write("tue.csv", parts[1])
    write("both.csv", parts[0] + parts[1].partition("\n")[2])
    for day in ("mon", "tue", "both"):
        if day in SAVED:
            write(f"{day}.json", SAVED[day])
            continue
        ran = run("eval", f"{day}.csv", "--decisions", "a,b", "--positive", "yes", *COST,
                  "--save", f"{day}.json")  # fmt: skip
        assert ran.code == 0, ran.err
        SAVED[day] = (tmp_path / f"{day}.json").read_bytes()
    return run


class TestMerge:
    def test_two_days_are_both_together(self, days):
        ran = days("merge", "mon.json", "tue.json", "-o", "week.json")
        assert ran.code == 0
        assert ran.out == "merged 2 files, 800 cases, into week.json\n"
        assert load_summary("week.json") == load_summary("both.json")

    def test_a_pattern_and_parquet(self, days):
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
        ran = days("merge", "[mt]*.json", "-o", "week.parquet", "--quiet")
        assert (ran.code, ran.out) == (0, "")
        assert load_summary("week.parquet") == load_summary("both.json")

    def test_a_file_named_twice(self, days):
        ran = days("merge", "mon.json", "m*.json", "-o", "week.json")
        assert ran.code == 2
        assert "'mon.json' is named twice" in ran.err

    def test_a_file_that_does_not_fit_is_named(self, days, tmp_path):
        ConfusionMatrix([[1, 2], [3, 4]]).save(tmp_path / "other.json")
        ran = days("merge", "mon.json", "other.json", "-o", "week.json")
        assert ran.code == 2
        assert "other.json does not fit mon.json" in ran.err
        assert not (tmp_path / "week.json").exists()

    def test_a_damaged_file(self, days, tmp_path):
        data = (tmp_path / "tue.json").read_bytes()
        (tmp_path / "tue.json").write_bytes(data[:100])
        ran = days("merge", "mon.json", "tue.json", "-o", "week.json")
        assert ran.code == 2
        assert "tue.json ends in the middle" in ran.err
        assert "count again" in ran.err

    @pytest.mark.parametrize("words", [("gone.json",), ("gone*.json",)])
    def test_no_file(self, run, words):
        ran = run("merge", *words, "-o", "week.json")
        assert ran.code == 2
        assert "no file" in ran.err


class TestEvalOfSaved:
    def test_costs_and_intervals_are_those_of_the_rows(self, days):
        rows = days("eval", "both.csv", "--decisions", "a,b", "--positive", "yes", *COST, "--json")
        saved = days("eval", "both.json", "--positive", "yes", *COST, "--json")
        assert saved.code == 0, saved.err
        for one, other in zip(rows.found["models"], saved.found["models"], strict=True):
            assert one["name"] == other["name"]
            assert one["cost"] == pytest.approx(other["cost"])
            assert one["interval"] == pytest.approx(other["interval"])

    def test_models_are_compared_on_the_same_cases(self, days):
        ran = days("eval", "both.json", "--positive", "yes", *COST)
        assert ran.code == 0
        assert "being best" in ran.out
        assert "decisions, not scores" in ran.out

    def test_other_costs_and_shares(self, days):
        ran = days("eval", "both.json", "--positive", "yes", "--cost", "fn=2", "fp=3",
                   "--prevalence", "5%", "--json")  # fmt: skip
        joint = load_summary("both.json")
        rates = joint.confusion("a").rates
        wanted = 0.95 * rates[0, 1] * 3 + 0.05 * rates[1, 0] * 2
        found = {model["name"]: model["cost"] for model in ran.found["models"]}
        assert found["a"] == pytest.approx(wanted)

    def test_a_gate_and_a_page(self, days, tmp_path):
        ran = days("eval", "both.json", "--positive", "yes", *COST, "--fail-if", "nec>0.01",
                   "--html", "page.html")  # fmt: skip
        assert ran.code == 1
        assert (tmp_path / "page.html").exists()

    def test_saving_what_was_saved(self, days):
        days("eval", "both.json", "--positive", "yes", *COST, "--save", "again.json")
        assert load_summary("again.json") == load_summary("both.json")

    def test_one_confusion_matrix_is_called_after_its_file(self, run, tmp_path):
        ConfusionMatrix([[900, 60], [30, 400]], ["no", "yes"]).save(tmp_path / "gbm.json")
        ran = run("eval", "gbm.json", "--positive", "yes", *COST, "--json")
        assert [model["name"] for model in ran.found["models"]] == ["gbm"]

    def test_a_checkpoint_of_a_stream(self, run, tmp_path):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 300)
        stream = Stream(Application([[0, 1], [10, 0]]), scores="bins").update(
            y, {"m": rng.random(300)}
        )
        stream.save(tmp_path / "stream.json")
        ran = run("eval", "stream.json", *COST, "--json")
        assert ran.found["models"][0]["name"] == "m"
        assert ran.found["cases"] == 300

    def test_columns_are_refused(self, days):
        ran = days("eval", "both.json", "--label", "truth", *COST)
        assert ran.code == 2
        assert "holds counts of decisions, not rows" in ran.err

    def test_other_summaries_are_refused(self, run, tmp_path):
        CostTally.from_costs([0, 1], [1.0, 2.0]).save(tmp_path / "tally.json")
        ran = run("eval", "tally.json", *COST)
        assert ran.code == 2
        assert "holds a CostTally, not counts" in ran.err

    def test_other_json_is_refused(self, run, write):
        ran = run("eval", write("report.json", '{"models": []}'), *COST)
        assert ran.code == 2
        assert "report.json is not a summary" in ran.err


def test_saving_tables_keeps_each_by_name(run, write):
    write("A.csv", "truth,no,yes\nno,90,5\nyes,1,40\n")
    write("B.csv", "truth,no,yes\nno,80,15\nyes,1,40\n")
    run("eval", "--confusion", "A.csv,B.csv", "--positive", "yes", *COST, "--save", "both.json")
    found = load_summary("both.json")
    assert list(found) == ["A", "B"]
    np.testing.assert_array_equal(found["A"].counts, [[90, 5], [1, 40]])


def test_weights_are_kept(run, write):
    write("w.csv", "y,d,w\n" + "no,no,0.5\nyes,no,1.5\nyes,yes,2\n" * 20)
    ran = run("eval", "w.csv", "--label", "y", "--decisions", "d", "--weight", "w",
              "--positive", "yes", *COST, "--save", "w.json")  # fmt: skip
    assert ran.code == 0, ran.err
    found = load_summary("w.json")
    assert isinstance(found, PairedCounts)
    np.testing.assert_allclose(found.confusion("d").counts, [[10, 0], [30, 40]])


class TestTheSameCasesTwice:
    def test_another_spelling_of_the_same_file_is_refused(self, days):
        ran = days("merge", "mon.json", "./mon.json", "-o", "week.json")
        assert ran.code == 2
        assert "'./mon.json' is named twice (it is 'mon.json' too)" in ran.err

    def test_a_copy_is_named(self, days, tmp_path):
        (tmp_path / "copy.json").write_bytes((tmp_path / "mon.json").read_bytes())
        ran = days("merge", "mon.json", "copy.json", "-o", "week.json")
        assert ran.code == 0
        assert "warning: copy.json holds exactly what mon.json holds" in ran.err


def test_an_output_that_is_a_folder(days, tmp_path):
    (tmp_path / "week").mkdir()
    ran = days("merge", "mon.json", "tue.json", "-o", "week")
    assert ran.code == 2
    assert "error: 'week' is a folder" in ran.err
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


def test_counts_of_nothing(run, tmp_path):
    ConfusionMatrix([[0, 0], [0, 0]], ["no", "yes"]).save(tmp_path / "none.json")
    ran = run("eval", "none.json", "--positive", "yes", *COST)
    assert ran.code == 2
    assert "none.json counts no cases" in ran.err


@pytest.mark.parametrize("option", ["--save", "--html"])
def test_outputs_that_cannot_be_written_are_refused_before_any_work(days, option):
    ran = days("eval", "both.json", "--positive", "yes", *COST, option, "away/out")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no folder 'away' to write out into" in ran.err


def test_other_models_do_not_fit(run, days, tmp_path):
    words = (
        "eval",
        "tue.csv",
        "--decisions",
        "a",
        "--positive",
        "yes",
        *COST,
        "--save",
        "one.json",
    )
    assert run(*words).code == 0
    ran = run("merge", "mon.json", "one.json", "-o", "all.json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1] == (
        "  judge the same models at the same costs each time:  stakes eval --save FILE"
    )
    assert not (tmp_path / "all.json").exists()


ROWS = "y,p,d,amount\n" + "no,0.1,no,3\nyes,0.8,yes,5\nno,0.3,no,2\nyes,0.15,no,9\n" * 20


class TestWhatDecidedIsKept:
    """Counts of decisions are added only if they were decided alike."""

    @pytest.fixture
    def saved(self, run, write):
        write("a.csv", ROWS)
        write("b.csv", ROWS + "yes,0.7,yes,1\nyes,0.2,yes,4\n" * 5)

        def _save(file, *words):
            ran = run("eval", f"{file}.csv", "--label", "y", "--positive", "yes", *words,
                      "--save", f"{file}.json")  # fmt: skip
            assert ran.code == 0, ran.err

        return _save

    @pytest.mark.parametrize(
        ("first", "second", "said"),
        [
            ("--cost fn=4 fp=1", "--cost fn=50 fp=1", "different costs: [[0.0, 1.0], [4.0, 0.0]]"),
            ("--cost fn=amount fp=1", "--cost fn=2*amount fp=1", "different costs"),
            ("--cost fn=4 fp=1 --prevalence 5%",) * 2 + ("by which probabilities were moved",),
            ("--cost fn=4 fp=1 --scores-are rank", "--cost fn=50 fp=1 --scores-are rank", "costs"),
            ("--cost fn=4 fp=1 --scores-are llr --narrow",) * 2
            + ("different shares where it will run",),
            ("--cost fn=4 fp=1 --capacity yes=10%", "--cost fn=4 fp=1 --capacity yes=20%",
             "different capacity"),
        ],
    )  # fmt: skip
    def test_decided_otherwise(self, run, saved, first, second, said):
        saved("a", "--scores", "p", *first.split())
        saved("b", "--scores", "p", *second.split())
        ran = run("merge", "a.json", "b.json", "-o", "ab.json")
        assert ran.code == 2
        assert "b.json does not fit a.json: these counts were asked for with" in ran.err
        assert said in ran.err

    @pytest.mark.parametrize(
        "words",
        [
            "--scores p",
            "--scores p --prevalence 5% --posteriors-already-adjusted",
            "--scores p --scores-are llr --narrow --prevalence 5%",
            "--decisions d",
        ],
    )
    def test_decided_alike(self, run, saved, words):
        for file in "ab":
            saved(file, *words.split(), *COST)
        ran = run("merge", "a.json", "b.json", "-o", "ab.json")
        assert ran.code == 0, ran.err
        assert run("eval", "ab.json", "--positive", "yes", *COST).code == 0

    def test_groups_keep_it_too(self, run, saved):
        for file, costs in (("a", "fn=4"), ("b", "fn=50")):
            saved(file, "--scores", "p", "--groups", "amount", "--cost", costs, "fp=1",
                  "--min-positives", "1")  # fmt: skip
        ran = run("merge", "a.json", "b.json", "-o", "ab.json")
        assert (ran.code, "different costs" in ran.err) == (2, True)

    def test_it_outlives_other_costs_and_files_without_it(self, run, saved):
        saved("a", "--scores", "p", "--cost", "fn=4", "fp=1")
        saved("b", "--scores", "p", "--cost", "fn=50", "fp=1")
        load_summary("a.json")["joint"].save("old.json")  # as it was written before
        for again in (
            ("eval", "a.json", "--positive", "yes", "--cost", "fn=50", "fp=1", "--save", "c.json"),
            ("merge", "old.json", "a.json", "-o", "c.json"),
        ):
            assert run(*again).code == 0
            ran = run("merge", "c.json", "b.json", "-o", "ab.json")
            assert (ran.code, "different costs" in ran.err) == (2, True)

    def test_a_table_adds_to_joint_counts_of_one_model(self, run, saved):
        saved("a", "--decisions", "d", *COST)
        load_summary("a.json").confusion("d").save("table.json")
        assert run("merge", "a.json", "table.json", "-o", "both.json").code == 0
        assert load_summary("both.json").total == 160
        saved("b", "--scores", "p", *COST)
        with pytest.raises(FormatError, match="holds a collection of 'joint', 'asked_for'"):
            PairedCounts.load("b.json")
