"""Text files in Polars: words for nothing are looked for only where there are some."""

from __future__ import annotations

import pytest

COST = ("--cost", "fn=10", "fp=1", "--json")


@pytest.fixture
def words_looked_for(monkeypatch):
    """Whether each scan of text that reads columns of numbers looks for words for nothing."""
    polars = pytest.importorskip("polars", reason="one of the engines")
    seen, scan = [], polars.scan_csv

    def noted(*paths, **options):
        if polars.Float64 in options["schema_overrides"].values():
            seen.append("null_values" in options)
        return scan(*paths, **options)

    monkeypatch.setattr(polars, "scan_csv", noted)
    return seen


def text(change=None, n=60):
    cells = {k: f"0.{k % 9 + 1}" for k in range(n)} | (change or {})
    return "\n".join(["y,p,g", *(f"{k % 2},{cells[k]},{'ab'[k % 2]}" for k in range(n))]) + "\n"


def found(ran):
    assert ran.code == 0, ran.err
    return ran.found["cases"], ran.found["models"][0]["counts"], ran.said("warnings")


@pytest.mark.parametrize("change", [{}, {7: ""}, {7: "NaN"}])
def test_numbers_without_words_are_read_once(run, write, words_looked_for, change):
    words = ("eval", write("t.csv", text(change)), "--label", "y", "--scores", "p", *COST,
             "--missing", "drop")  # fmt: skip
    assert found(run(*words, "--engine", "polars")) == found(run(*words))
    assert words_looked_for == [False]


@pytest.mark.parametrize("word", ["NA", "n/a", "None", "<NA>", "?"])
def test_a_word_in_the_last_row_is_met_and_then_looked_for(run, write, words_looked_for, word):
    words = ("eval", write("t.csv", text({59: word})), "--label", "y", "--scores", "p", *COST,
             "--missing", "drop")  # fmt: skip
    far = found(run(*words, "--engine", "polars"))
    assert far == found(run(*words))
    assert far[2] == [
        "1 row of p is empty. Models are compared on the 59 rows that every model has."
    ]
    assert words_looked_for == [False, True]


def test_a_word_in_one_file_of_several(run, write, words_looked_for):
    write("a.csv", text())
    write("b.csv", text({3: "NULL"}))
    words = ("eval", "*.csv", "--label", "y", "--scores", "p", *COST, "--engine", "polars")
    ran = run(*words)
    assert ran.code == 2
    assert "`p` has missing values; e.g. p = None (1 of 120 rows)" in ran.err
    assert "--missing drop" in ran.err
    assert found(run(*words, "--missing", "drop"))[0] == 119


def test_other_text_is_no_gap(run, write, words_looked_for):
    words = ("eval", write("t.csv", text({3: "NA", 50: "high"})), "--label", "y", "--scores", "p",
             *COST, "--missing", "drop", "--engine", "polars")  # fmt: skip
    ran = run(*words)
    assert ran.code == 2
    assert "column 'p' must hold numbers; a row holds 'high'." in ran.err


def test_a_slice_without_a_name_is_the_empty_one(run, write, words_looked_for):
    name = write("t.csv", text().replace("0.4,b\n", "0.4,NA\n"))
    words = ("eval", name, "--label", "y", "--scores", "p", "--by", "g", *COST)
    near, far = (run(*words, *more).found for more in ((), ("--engine", "polars")))
    assert "(empty)" in str(far)
    assert {n: part["cases"] for n, part in far["slices"].items()} == {
        n: part["cases"] for n, part in near["slices"].items()
    }


@pytest.mark.parametrize("spaced", ["{}, {}, {}", "{} ,{} ,{} "])
def test_spaces_around_names_and_numbers_are_left_out(run, write, words_looked_for, spaced):
    lines = [spaced.format(*line.split(",")) for line in text().splitlines()]
    words = ("eval", write("t.csv", "\n".join(lines) + "\n"), "--label", "y", "--scores", "p",
             *COST)  # fmt: skip
    far = found(run(*words, "--engine", "polars"))
    assert far == found(run(*words))
    assert far[0] == 60


def test_names_that_are_alike_without_spaces_stay_apart(run, write, words_looked_for):
    doubled = "\n".join(f"{line}, {line[-1]}" for line in text().splitlines()) + "\n"
    words = ("eval", write("t.csv", doubled), "--label", "y", *COST, "--engine", "polars")
    assert run(*words, "--scores", "p").code == 0
    assert "columns 3 and 4 are both called 'g'" in run(*words, "--scores", "g").err


def test_numbers_that_parquet_holds_as_text_with_spaces(run, write):
    polars = pytest.importorskip("polars", reason="one of the engines")
    pytest.importorskip("pyarrow", reason="reads Parquet in memory")
    rows = [line.split(",") for line in text().splitlines()[1:]]
    frame = polars.DataFrame({"y": [int(r[0]) for r in rows], "p": [f" {r[1]} " for r in rows]})
    path = write("t.csv", "").replace("t.csv", "t.parquet")
    frame.write_parquet(path)
    words = ("eval", path, "--label", "y", "--scores", "p", *COST)
    assert found(run(*words, "--engine", "polars")) == found(run(*words))


def test_quotes_within_names_are_those_of_memory(run, write):
    pytest.importorskip("polars", reason="one of the engines")
    table = write("t.csv", text().replace("y,p,g", 'y,"p""q",g'))
    words = ("eval", table, "--label", "y", "--scores", 'p"q', *COST)
    assert found(run(*words, "--engine", "polars")) == found(run(*words))
    words = ("eval", table, "--label", "y", "--scores", 'p""q', *COST)
    assert run(*words, "--engine", "polars").code == run(*words).code == 2
