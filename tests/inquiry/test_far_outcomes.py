"""The truth counted by an engine: rows that are left out are said in the words of memory."""

from __future__ import annotations

import numpy as np
import pytest

COST = ("--cost", "fn=10", "fp=1", "--json")
ABOUT_ROWS = ("truth, is", "Spaces around", "no case of")


def said(ran):
    """Counts, and what was said about rows."""
    assert ran.code == 0, ran.err
    notes = [note for note in ran.said("notes") if any(word in note for word in ABOUT_ROWS)]
    counts = [model["counts"] for model in ran.found["models"]]
    return ran.found["cases"], counts, notes, ran.said("warnings")


def rows(n=80):
    return [[str(k % 2), f"0.{k % 9}", f"0.{k % 7}", str(int(k % 3 > 0))] for k in range(n)]


def text(table, head="y,p,q,d"):
    return "\n".join([head, *(",".join(row) for row in table)]) + "\n"


class TestRowsThatAreLeftOut:
    @pytest.mark.parametrize("models", ["p", "p,q"])
    def test_are_said_as_in_memory(self, run, write, engine, models):
        table = rows()
        table[0][0] = table[0][1] = ""  # without the truth, a gap of a model is no second loss
        table[1][1] = table[1][2] = ""
        table[2][1], table[3][2], table[4][2] = "NA", "nan", ""
        words = ("eval", write("t.csv", text(table)), "--label", "y", "--scores", models,
                 "--missing", "drop", *COST)  # fmt: skip
        far = said(run(*words, *engine))
        assert far == said(run(*words))
        gaps = {"p": "2 rows of p are empty.",
                "p,q": "2 rows of p are empty and 3 rows of q are empty."}  # fmt: skip
        kept = {"p": 80 - 1 - 2, "p,q": 80 - 1 - 4}[models]
        assert far[2] == ["1 row of 'y', the truth, is empty and left out."]
        kept_rows = f"Models are compared on the {kept} rows that every model has."
        assert far[3] == [f"{gaps[models]} {kept_rows}"]

    def test_of_decisions(self, run, write, engine):
        table = rows()
        table[1][3], table[5][3] = "n/a", ""
        words = ("eval", write("t.csv", text(table)), "--label", "y", "--decisions", "d",
                 "--missing", "drop", *COST)  # fmt: skip
        far = said(run(*words, *engine))
        assert far == said(run(*words))
        assert far[3] == [
            "2 rows of d are empty. Models are compared on the 78 rows that every model has."
        ]

    def test_of_a_model_of_several_columns_count_once(self, run, write, engine):
        table = [[y, str(round(1 - float(p), 1)), p] for y, p, *_ in rows()]
        table[3][1] = table[3][2] = table[4][1] = ""
        name = write("t.csv", text(table, "y,p_0,p_1"))
        words = ("eval", name, "--label", "y", "--proba", "p_*", "--missing", "drop", *COST)
        far = said(run(*words, *engine))
        assert far == said(run(*words))
        assert "2 rows of model are empty. Models are compared on the 78 rows" in far[3][0]

    def test_none_are_not_spoken_of(self, run, write, engine):
        words = ("eval", write("t.csv", text(rows())), "--label", "y", "--scores", "p",
                 "--missing", "drop", *COST, *engine)  # fmt: skip
        assert said(run(*words))[2:] == ([], [])

    def test_all_of_them(self, run, write, engine):
        table = [[y, "", q, d] for y, _, q, d in rows(20)]
        words = ("eval", write("t.csv", text(table)), "--label", "y", "--scores", "p",
                 "--missing", "drop", *COST)  # fmt: skip
        near, far = run(*words), run(*words, *engine)
        assert (far.code, far.err) == (near.code, near.err)
        assert "No row has a value for every model" in far.err

    def test_rows_without_a_weight_count_too(self, run, write, engine):
        table = [[*row, "2"] for row in rows()]
        table[7][4] = ""
        words = ("eval", write("t.csv", text(table, "y,p,q,d,w")), "--label", "y", "--scores", "p",
                 "--weight", "w", "--missing", "drop", *COST, *engine)  # fmt: skip
        cases, counts, _, warnings = said(run(*words))
        assert cases == 79
        assert np.sum(counts) == 79 * 2
        assert warnings == [
            "1 row of w is empty. Models are compared on the 79 rows that every model has."
        ]


class TestSpellingsOfTheTruth:
    def test_spaces_are_left_out_and_said(self, run, write, engine):
        table = [[{"0": "no", "1": "yes"}[y], *rest] for y, *rest in rows()]
        table[3][0], table[4][0], table[6][0] = " yes", "no  ", "\tno"
        words = ("eval", write("t.csv", text(table)), "--label", "y", "--positive", "yes",
                 "--scores", "p", *COST)  # fmt: skip
        far = said(run(*words, *engine))
        assert far == said(run(*words))
        assert np.sum(far[1]) == 80
        assert len(far[2]) == 1
        assert "Spaces around labels were ignored" in far[2][0]

    def test_a_point_behind_some_whole_numbers(self, run, write, engine):
        table = rows()
        for row in table[20:26]:
            row[0] += ".0"
        words = ("eval", write("t.csv", text(table)), "--label", "y", "--scores", "p", *COST)
        far = said(run(*words, *engine))
        assert far == said(run(*words))
        assert np.sum(far[1], axis=2).tolist() == [[40, 40]]

    def test_a_point_stays_where_other_numbers_need_it(self, run, write, engine):
        table = [[("1.0", "1.1", "2.0")[k % 3], *rest] for k, (_, *rest) in enumerate(rows(90))]
        for k, row in enumerate(table):
            row[3] = ("1.0", "2.0")[k % 4 > 0]
        words = ("eval", write("t.csv", text(table)), "--label", "y", "--decisions", "d",
                 "--cost", "error=1", "--json")  # fmt: skip
        near, far = run(*words), run(*words, *engine)
        assert said(far) == said(near)
        assert far.found["application"]["classes"] == ["1.0", "1.1", "2.0"]
