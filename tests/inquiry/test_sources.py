"""Tables put together from several files, from long form and from attribute-relation files."""

from __future__ import annotations

import pytest

COSTS = ["--cost", "error=1", "--min-positives", "1"]


class TestJoining:
    def test_columns_are_looked_up_by_id(self, run, write):
        write("y.csv", "id,y\na,0\nb,1\nc,1\n")
        write("p.csv", "id,p\nc,0.9\na,0.1\nb,0.2\n")
        words = ["--more", "p.csv", "--join-on", "id", "--scores", "p", *COSTS, "--json"]
        assert run("eval", "y.csv", *words).found["models"][0]["counts"] == [[1, 0], [1, 1]]

    def test_rows_without_partner_are_gaps(self, run, write):
        write("y.csv", "id,y\na,0\nb,1\nc,1\n")
        write("p.csv", "id,p\na,0.1\nb,0.2\n")
        ran = run("eval", "y.csv", "--more", "p.csv", "--join-on", "id", "--scores", "p", *COSTS)
        assert "1 row of p is empty." in ran.err
        assert "1 rows have no match there" in ran.out

    @pytest.mark.parametrize(
        ("other", "words", "said"),
        [
            ("id,p\na,1\na,2\n", ["--join-on", "id"], "holds the same value more than once"),
            ("id,p\nx,1\n", ["--join-on", "id"], "no 'id' of y.csv occurs in p.csv"),
            ("id,p\na,1\n", [], "--more needs to know by what to join"),
        ],
    )
    def test_problems(self, run, write, other, words, said):
        write("y.csv", "id,y\na,0\nb,1\n")
        write("p.csv", other)
        ran = run("eval", "y.csv", "--more", "p.csv", "--scores", "p", *words, *COSTS)
        assert ran.code == 2
        assert said in ran.err

    def test_join_on_alone(self, run, write):
        ran = run("eval", write("y.csv", "id,y,p\na,0,1\n"), "--join-on", "id", *COSTS)
        assert "--join-on needs a second file" in ran.err


class TestLongForm:
    LONG = (
        "model,id,truth,p_cat,p_dog\nA,1,cat,0.9,0.1\nA,2,dog,0.2,0.8\n"
        "B,2,dog,0.6,0.4\nB,1,cat,0.7,0.3\n"
    )

    def test_one_row_per_model_and_case(self, run, write):
        found = run("eval", write("l.csv", self.LONG), *COSTS, "--json").found
        counts = {model["name"]: model["counts"] for model in found["models"]}
        assert counts == {"A": [[1, 0], [0, 1]], "B": [[1, 0], [1, 0]]}

    def test_a_column_of_decisions(self, run, write):
        text = "model,id,truth,d\nA,1,0,0\nA,2,1,1\nB,1,0,1\nB,2,1,1\n"
        ran = run("eval", write("l.csv", text), "--decisions", "d", *COSTS, "--json")
        counts = {model["name"]: model["counts"] for model in ran.found["models"]}
        assert counts == {"A.d": [[1, 0], [0, 1]], "B.d": [[0, 1], [0, 1]]}

    def test_truth_that_differs_between_models(self, run, write):
        text = self.LONG.replace("B,2,dog", "B,2,cat")
        ran = run("eval", write("l.csv", text), *COSTS)
        assert "the truth of '2' differs between models" in ran.err

    def test_a_case_twice(self, run, write):
        text = self.LONG + "A,1,cat,0.5,0.5\n"
        assert "speaks of one 'id' more than once" in run("eval", write("l.csv", text), *COSTS).err


ARFF = """% predictions
@RELATION openml
@ATTRIBUTE repeat NUMERIC
@ATTRIBUTE row_id NUMERIC
@ATTRIBUTE 'confidence.a' NUMERIC
@ATTRIBUTE confidence.b NUMERIC
@ATTRIBUTE prediction {a,b}
@ATTRIBUTE correct {a,b}
@DATA
0,0,0.9,0.1,a,a
0,1,0.8,0.2,a,b
0,2,0.3,0.7,b,b
"""


class TestOpenML:
    def test_confidences_are_posteriors(self, run, write):
        found = run("eval", write("p.arff", ARFF), *COSTS, "--json").found
        assert (found["kind"], found["models"][0]["counts"]) == ("posteriors", [[1, 0], [1, 1]])

    def test_confidences_of_0_and_1_are_decisions(self, run, write):
        text = ARFF.replace("0.9,0.1", "1,0").replace("0.8,0.2", "1,0").replace("0.3,0.7", "0,1")
        ran = run("eval", write("p.arff", text), *COSTS, "--json")
        assert ran.found["kind"] == "decisions"
        assert "Every confidence is 0 or 1, so these are read as decisions." in ran.said("notes")

    def test_repeats_are_drawn_by_row(self, run, write):
        text = ARFF + "1,0,0.9,0.1,a,a\n1,1,0.4,0.6,b,b\n1,2,0.3,0.7,b,b\n"
        found = run("eval", write("p.arff", text), *COSTS, "--json").found
        assert any("intervals resample whole rows" in note["text"] for note in found["notes"])

    def test_problems(self, run, write):
        assert (
            "holds sparse rows"
            in run("eval", write("s.arff", ARFF.partition("0,0,")[0] + "{0 1}\n"), *COSTS).err
        )
        assert (
            "has 2 cells for 6 attributes"
            in run("eval", write("u.arff", ARFF + "1,2\n"), *COSTS).err
        )


def test_parts_of_the_cases_and_groups(run, write):
    rows = "".join(
        f"{k % 2},{k % 2},{'north' if k < 20 else 'south'},{k // 2}\n" for k in range(60)
    )
    name = write("t.csv", "y,d,place,customer\n" + rows)
    words = ["--decisions", "d", "--by", "place", "--groups", "customer", *COSTS]
    ran = run("eval", name, *words)
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["north", "20", "d", "0.000"] in [line[:4] for line in lines]
    assert ["south", "40", "d", "0.000"] in [line[:4] for line in lines]
    assert set(run("eval", name, *words, "--json").found["slices"]) == {
        "north",
        "south",
    }


def test_costs_that_are_ranges_in_a_file(run, write):
    """Bold costs 30 + c, shy 10 + 4 c on the same cases: they are equal at c = 20 / 3."""
    day = [("no", "no", "no", 65), ("no", "yes", "no", 25), ("no", "yes", "yes", 5),
           ("no", "no", "yes", 5), ("yes", "yes", "yes", 6), ("yes", "yes", "no", 3),
           ("yes", "no", "no", 1)]  # fmt: skip
    rows = "".join(f"{t},{b},{s}\n" * (100 * n) for t, b, s, n in day)
    write("d.csv", "y,bold,shy\n" + rows)
    costs = write("c.toml", "fn = [2, 12]\nfp = 1\n")
    words = ["--decisions", "bold,shy", "--positive", "yes", "--costs", costs]
    said = " ".join(run("eval", "d.csv", *words).out.split())
    assert "It depends: bold if a miss costs more than 6.7 false alarms, else shy." in said
    assert "NEC if deciding 'no' for 'yes' costs 2-12" in said


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_options(run, shell):
    ran = run("--completion", shell)
    assert ran.code == 0
    assert "eval" in ran.out
    assert "fail-if" in ran.out
