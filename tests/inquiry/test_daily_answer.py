"""Yesterday's summaries and today's files give the record of both together."""

from __future__ import annotations

import json

import numpy as np
import pytest

from stakes import Inquiry, sources
from stakes.exceptions import DataError, FormatError, MergeError
from stakes.inquiry.answers import answer
from stakes.summaries import PairedCounts, SlicedCounts, load_summary

pa = pytest.importorskip("pyarrow", reason="files are written by pyarrow")
pytest.importorskip("duckdb", reason="files are counted by DuckDB")

TWO = ("--label", "y", "--positive", "yes", "--cost", "fn=10", "fp=1")
COSTS = "truth,cat,dog,fox,ask\ncat,0,1,5,0.7\ndog,1,0,5,0.7\nfox,9,9,0,0.7\n"
THREE = ("--label", "animal", "--costs", "costs.csv")
#: What says where counts come from, and nothing about them.
WHENCE = ("source", "inquiry", "facts")


def _rows(seed, n, regions):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    a, b = (1 / (1 + np.exp(-rng.normal(size * (2 * y - 1), 1.5))) for size in (1.2, 0.7))
    q = rng.dirichlet([1, 1, 1], n)
    kinds = np.array(["cat", "dog", "fox"])
    return {
        "y": np.where(y, "yes", "no"),
        "a": a.astype(np.float32),
        "b": b,
        "logit": np.log(a / (1 - a)),
        "d": np.where(b > 0.2, "yes", "no"),
        "w": rng.integers(0, 4, n).astype(float),
        "region": rng.choice(regions, n),
        "animal": kinds[[rng.choice(3, p=row) for row in q]],
        **{f"p_{name}": q[:, k] for k, name in enumerate(kinds)},
        "animal_d": rng.choice([*kinds, "ask"], n),
    }


@pytest.fixture
def days(run, tmp_path):
    """Two days of rows, which do not have the same slices."""
    from pyarrow import parquet

    (tmp_path / "rows").mkdir()
    (tmp_path / "costs.csv").write_text(COSTS)
    for name, seed, n, regions in (
        ("monday", 1, 700, ["9", "10"]),
        ("tuesday", 2, 500, ["10", "west"]),
    ):
        parquet.write_table(pa.table(_rows(seed, n, regions)), tmp_path / f"rows/{name}.parquet")
    return run


def _record(ran):
    assert ran.code == 0, ran.err
    return {name: value for name, value in ran.found.items() if name not in WHENCE}


def _kept(run, day, words, folder="kept"):
    """The counts of a day, saved."""
    rows = f"rows/{day}.parquet"
    saved = ("--save", f"{folder}/{day}.json", "--quiet")
    ran = run("eval", rows, *words, "--engine", "duckdb", *saved)
    assert ran.code == 0, ran.err
    return f"{folder}/{day}.json"


QUESTIONS = {
    "scores": (*TWO, "--scores", "a,b"),
    "slices": (*TWO, "--scores", "a,b", "--by", "region"),
    "log odds": (*TWO, "--scores", "logit", "--scores-are", "log_odds", "--unit", "EUR"),
    "decisions": (*TWO, "--decisions", "d", "--by", "region"),
    "turned": (*TWO, "--scores", "a", "--flip", "a"),
    "adjusted": (*TWO, "--scores", "a", "--prevalence", "5%", "--posteriors-already-adjusted"),
    "elsewhere, decided": (*TWO, "--decisions", "d", "--prevalence", "5%"),
    "three outcomes, decided": (*THREE, "--decisions", "animal_d", "--by", "region"),
}


@pytest.mark.parametrize("words", QUESTIONS.values(), ids=QUESTIONS)
def test_summaries_and_files_give_the_record_of_all_rows(days, tmp_path, words):
    (tmp_path / "kept").mkdir()
    both = _record(days("eval", "rows", *words, "--json"))
    monday, tuesday = (_kept(days, day, words) for day in ("monday", "tuesday"))
    assert _record(days("eval", monday, "rows/tuesday.parquet", "--json")) == both
    assert _record(days("eval", monday, tuesday, *words, "--json")) == both
    days("merge", monday, tuesday, "-o", "week.parquet")
    assert _record(days("eval", "week.parquet", "--json")) == both


def test_three_outcomes_with_probabilities(days, tmp_path):
    (tmp_path / "kept").mkdir()
    words = (*THREE, "--proba", "p_*", "--by", "region")
    both = days("eval", "rows", *words, "--json")
    found = days("eval", _kept(days, "monday", words), "rows/tuesday.parquet", "--json")
    assert found.code == 0, found.err
    for name in ("counts", "cost", "nec", "interval", "cells"):
        first, second = ([m.get(name) for m in ran.found["models"]] for ran in (both, found))
        assert first == second
    assert list(found.found["slices"]) == list(both.found["slices"])
    # a sample of the rows is not kept, so that what it tells is absent, with its reason
    assert "recalibration-needs-memory" in {note["code"] for note in found.found["notes"]}


def test_weights_agree_to_the_order_of_addition(days, tmp_path):
    (tmp_path / "kept").mkdir()
    words = (*TWO, "--scores", "a,b", "--weight", "w", "--by", "region")
    both = days("eval", "rows", *words, "--json").found
    found = days("eval", _kept(days, "monday", words), "rows/tuesday.parquet", "--json").found
    assert [n["code"] for n in found["notes"]] == [n["code"] for n in both["notes"]]
    for one, other in zip(found["models"], both["models"], strict=True):
        for name in ("counts", "cost", "nec", "interval"):
            np.testing.assert_allclose(one[name], other[name], rtol=1e-9)


def test_python_reads_a_folder_of_summaries(days, tmp_path):
    (tmp_path / "kept").mkdir()
    for day in ("monday", "tuesday"):
        _kept(days, day, QUESTIONS["slices"])
    found = sources.read("kept")
    assert isinstance(found, sources.SavedCounts)
    assert (found.source, found.is_far, found.form) == ("2 summaries", True, "saved summaries")
    ev = answer(Inquiry(source=found))
    asked = Inquiry(source="rows", label="y", positive="yes", scores="a,b", by="region",
                    cost={"fn": 10, "fp": 1})  # fmt: skip
    whole = answer(asked)
    assert json.loads(ev.to_json())["models"] == json.loads(whole.to_json())["models"]
    assert list(ev.slices) == list(whole.slices)


def test_what_is_kept_grows_day_by_day(days, tmp_path):
    (tmp_path / "kept").mkdir()
    words = QUESTIONS["scores"]
    monday = _kept(days, "monday", words)
    ran = days("eval", monday, "rows/tuesday.parquet", "--save", "so_far.json", "--quiet")
    assert ran.code == 0, ran.err
    both = _record(days("eval", "rows", *words, "--json"))
    assert _record(days("eval", "so_far.json", "--json")) == both


def test_other_costs_judge_the_decisions_that_were_taken(days, tmp_path):
    (tmp_path / "kept").mkdir()
    monday = _kept(days, "monday", QUESTIONS["scores"])
    ran = days("eval", monday, "--positive", "yes", "--cost", "fn=3", "fp=1", "--json")
    assert ran.code == 0, ran.err
    assert "decisions-alone" not in {note["code"] for note in ran.found["notes"]}
    before = {note["code"]: note["text"] for note in ran.found["warnings"]}["decided-before"]
    assert "were taken for --cost fn=" in before
    assert "To decide for those, count the rows again:  stakes eval ROWS" in before
    kept = load_summary(monday)
    assert isinstance(kept, SlicedCounts)
    for model in ran.found["models"]:
        assert model["counts"] == kept.joint.confusion(model["name"]).counts.tolist()


def test_other_shares_judge_the_decisions_that_were_taken_at_the_costs_that_were_asked(
    days, tmp_path
):
    (tmp_path / "kept").mkdir()
    monday = _kept(days, "monday", QUESTIONS["scores"])
    words = ("--prevalence", "5%", "--json")
    wanted = days("eval", monday, *words, "--positive", "yes", "--cost", "fn=10", "fp=1")
    assert _record(days("eval", monday, *words)) == _record(wanted)


class TestRefusals:
    @pytest.fixture
    def monday(self, days, tmp_path):
        (tmp_path / "kept").mkdir()
        return _kept(days, "monday", QUESTIONS["scores"])

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("--cost", "fn=3", "fp=1"), "different costs"),
            (("--scores", "a"), "different models"),
            (("--by", "region"), "different slices"),
            (("--engine", "memory"), "counted by an engine"),
        ],
    )
    def test_another_question(self, days, monday, words, said):
        ran = days("eval", monday, "rows/tuesday.parquet", *words)
        assert ran.code == 2
        assert said in ran.err

    @pytest.mark.parametrize(
        ("words", "also"),
        [
            (("--scores", "a", "--prevalence", "5%"), True),
            (("--scores", "logit", "--scores-are", "llr"), False),
        ],
    )
    def test_probabilities_moved_from_the_shares_of_a_day(self, days, tmp_path, words, also):
        (tmp_path / "kept").mkdir()
        ran = days("eval", _kept(days, "monday", (*TWO, *words)), "rows/tuesday.parquet")
        assert ran.code == 2
        assert "different shares of the data, by which probabilities were moved" in ran.err
        assert ("--posteriors-already-adjusted" in ran.err) is also

    def test_decisions_alone(self, days, monday):
        ran = days("eval", "rows/monday.parquet", *QUESTIONS["scores"], "--save", "near.json")
        assert ran.code == 0, ran.err
        near = load_summary("near.json")["joint"]
        assert isinstance(near, PairedCounts)
        ran = days("eval", "near.json", "rows/tuesday.parquet", *QUESTIONS["scores"])
        assert ran.code == 2
        assert "near.json holds decisions alone" in ran.err
        ran = days("merge", "near.json", monday, "-o", "sum.json")
        assert ran.code == 0
        assert "some files hold decisions alone, so the sum does too" in ran.err
        assert load_summary("sum.json")["joint"] == near + load_summary(monday).joint

    def test_one_model_from_memory_and_from_an_engine(self, days, tmp_path):
        (tmp_path / "kept").mkdir()
        words = (*TWO, "--scores", "b")
        far = _kept(days, "monday", words)
        assert days("eval", "rows/tuesday.parquet", *words, "--save", "near.json").code == 0
        for both in (("near.json", far), (far, "near.json")):
            ran = days("merge", *both, "-o", "sum.json")
            assert ran.code == 0, ran.err
            told = days("eval", *both, *TWO[2:], "--json")
            assert told.found["models"][0]["name"] == "b"
            asked = days("eval", "rows/monday.parquet", "rows/tuesday.parquet", *words, "--json")
            np.testing.assert_array_equal(
                load_summary("sum.json")["joint"].confusion("b").counts,
                asked.found["models"][0]["counts"],
            )

    def test_scores_of_another_width(self, days, monday, tmp_path):
        from pyarrow import parquet

        rows = parquet.read_table(tmp_path / "rows/tuesday.parquet")
        doubles = pa.array(np.random.default_rng(3).random(len(rows)))
        wide = rows.set_column(rows.column_names.index("a"), "a", doubles)
        parquet.write_table(wide, tmp_path / "rows/wide.parquet")
        ran = days("eval", monday, "rows/wide.parquet")
        assert ran.code == 2
        said = "its scores 'a' are 64-bit numbers, the others 32-bit ones"
        assert f"wide.parquet does not fit monday.json: {said}" in ran.err
        assert "count the rows of both in one run" in ran.err
        both = days("eval", "rows/monday.parquet", "rows/wide.parquet", *QUESTIONS["scores"],
                    "--engine", "duckdb")  # fmt: skip
        assert both.code == 0, both.err

    def test_a_folder_of_both_kinds(self, days, monday, tmp_path):
        rows = (tmp_path / "rows/monday.parquet").read_bytes()
        (tmp_path / "kept" / "z.parquet").write_bytes(rows)
        with pytest.raises(FormatError, match="holds saved summaries"):
            sources.read("kept")

    def test_a_day_that_is_named_twice(self, days, monday):
        ran = days("eval", monday, f"./{monday}")
        assert ran.code == 2
        assert "is named twice" in ran.err

    def test_damaged_counts(self, days, monday, tmp_path):
        text = (tmp_path / monday).read_text()
        (tmp_path / monday).write_text(text.replace('"slices":[""]', '"slices":["x"]'))
        ran = days("eval", monday)
        assert ran.code == 2
        assert "its checksum does not match" in ran.err

    def test_counts_that_cannot_be(self, monday):
        found = load_summary(monday)
        with pytest.raises(DataError, match="JSON"):
            SlicedCounts("{", "[]", found.classes, found.decisions, ("",), found.parts)
        with pytest.raises(DataError, match="outside of the slices"):
            SlicedCounts(found.asked, "[]", found.classes, found.decisions, (), found.parts)
        with pytest.raises(DataError, match="models and words"):
            SlicedCounts("{}", "[]", found.classes, found.decisions, ("",), found.parts)
        with pytest.raises(MergeError):
            found + load_summary(monday).__class__(
                found.asked.replace('"bins": 4096', '"bins": 64'), "[]", found.classes,
                found.decisions, ("",), found.parts,
            )  # fmt: skip
