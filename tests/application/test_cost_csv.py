"""The CSV form by hand: what it means, and what each mistake is answered."""

from __future__ import annotations

import pytest

from stakes import Application, CostMatrix
from stakes.application import costs_from_csv, costs_to_csv
from stakes.exceptions import FormatError

PETS = CostMatrix(
    [[0, 1, 2], [100, 0, 2]], classes=["cat", "fox"], decisions=["cat", "fox", "ask a person"]
)


class TestReading:
    def test_truth_in_the_corner(self) -> None:
        app = costs_from_csv("truth,cat,fox,ask a person\ncat,0,1,2\nfox,100,0,2\n")
        assert app == Application(PETS)

    def test_decision_in_the_corner_turns_the_table(self) -> None:
        app = costs_from_csv("decision,cat,fox\ncat,0,100\nfox,1,0\nask a person,2,2\n")
        assert app == Application(PETS)

    def test_an_empty_cell_is_free_only_where_the_names_match(self) -> None:
        app = costs_from_csv("truth,cat,fox,ask a person\ncat,,1,2\nfox,100,,2\n")
        assert app == Application(PETS)

    @pytest.mark.parametrize(
        "text",
        [
            "Truth, cat , fox, ask a person\ncat, 0,1, 2\n\nfox , 100,0,2",
            '"truth","cat","fox","ask a person"\r\n"cat","0","1","2"\r\n"fox",1e2,+0,2.\r\n',
            ",,,\ntruth,cat,fox,ask a person\ncat,0,1,2\n,,,\nfox,100,0,2\n,,,\n",
        ],
        ids=["spaces and a blank line", "quotes and CRLF", "empty spreadsheet rows"],
    )
    def test_as_people_and_spreadsheets_write_it(self, text: str) -> None:
        assert costs_from_csv(text) == Application(PETS)

    def test_plain_integers_are_integer_names_and_others_are_text(self) -> None:
        app = costs_from_csv("truth,0,-7,007,1.5,abstain\n0,0,1,2,3,4\n")
        assert app.decisions == (0, -7, "007", "1.5", "abstain")
        assert app.classes == (0,)

    def test_notes_above_the_table(self) -> None:
        app = costs_from_csv(
            "# made by hand\n"
            '# unit = "EUR"\n'
            "#volume = 250000\n"
            '# period = "year"\n'
            "\n"
            "# priors = [0.75, 0.25]\n"
            "truth,cat,fox\ncat,0,1\nfox,100,0\n"
        )
        assert (app.unit, app.volume, app.period) == ("EUR", 250_000, "year")
        assert app.priors is not None
        assert app.priors.tolist() == [0.75, 0.25]

    def test_notes_after_a_spreadsheet_has_saved_them(self) -> None:
        app = costs_from_csv(
            '"# unit = ""EUR""",,\n"# priors = [0.75, 0.25]",,\ntruth,cat,fox\ncat,0,1\nfox,100,0\n'
        )
        assert app.unit == "EUR"
        assert app.priors is not None
        assert app.priors.tolist() == [0.75, 0.25]

    def test_a_note_may_say_what_the_names_are(self) -> None:
        app = costs_from_csv('# outcomes = ["0", "1"]\ntruth,0,1\n0,0,1\n1,10,0\n')
        assert app.classes == ("0", "1")
        assert app.decisions == (0, 1)

    def test_a_name_may_hold_line_ends_and_commas(self) -> None:
        app = costs_from_csv('truth,"a,\nb"\n"a,\nb",0\n')
        assert app.classes == ("a,\nb",)

    def test_tabs(self) -> None:
        assert costs_from_csv("truth\ta\tb\na\t0\t1\nb\t2\t0\n", delimiter="\t").costs.shape == (
            2,
            2,
        )


class TestWriting:
    def test_text(self) -> None:
        app = Application(PETS, unit="EUR", priors=[0.75, 0.25])
        assert costs_to_csv(app) == (
            '# unit = "EUR"\n'
            "# priors = [0.75, 0.25]\n"
            "truth,cat,fox,ask a person\n"
            "cat,0,1,2\n"
            "fox,100,0,2\n"
        )

    def test_a_note_names_what_would_be_read_as_something_else(self) -> None:
        text = costs_to_csv(CostMatrix([[0, 1], [1, 0]], classes=["0", " x"]))
        assert text.startswith('# outcomes = ["0", " x"]\n# decisions = ["0", " x"]\n')

    def test_integer_names_need_no_note(self) -> None:
        assert costs_to_csv(CostMatrix.zero_one(2)) == "truth,0,1\n0,0,1\n1,1,0\n"


CORNER = (
    "Put 'truth' in the top-left cell if rows are the truth, 'decision' if rows are the decision."
)
MISTAKES = {
    "no corner": (
        ",cat,dog,ask\ncat,0,1,2\ndog,1,0,2",
        "rows are headed cat,dog and columns cat,dog,ask - I need to know which side is the truth.",
    ),
    "only numbers": (
        "0,1\n10,0",
        "there are only numbers - I need to know which side is the truth, and the names.",
    ),
    "many headers": (
        ",".join(["x", *"abcdefghij"]) + "\n" + ",".join(["y", *"0123456789"]),
        "rows are headed y and columns a,b,c,d,e,f,g,h and 2 more - I need to know which side is "
        "the truth.",
    ),
    "empty": ("", "a header line and at least one row of costs expected; got 0 lines."),
    "header alone": (
        "truth,cat",
        "a header line and at least one row of costs expected; got 1 line.",
    ),
    "semicolons": (
        "truth;cat;dog\ncat;0;1\ndog;1;0",
        "the cells are separated by semicolons, not by ','.",
    ),
    "semicolons and decimal commas": (
        "truth;cat;dog\ncat;0;1,5\ndog;1;0",
        "the cells are separated by semicolons, not by ','.",
    ),
    "ragged": ("truth,cat,dog\ncat,0,1\ndog,1", "line 3 has 2 cells, the header has 3."),
    "text": (
        "truth,cat,dog\ncat,0,ten\ndog,1,0",
        "line 2, column 'dog': 'ten' is not a number.",
    ),
    "underscore": (
        "truth,cat,dog\ncat,0,1_0\ndog,1,0",
        "line 2, column 'dog': '1_0' is not a number.",
    ),
    "thousands": (
        'truth,cat,dog\ncat,0,"1,000"\ndog,1,0',
        "line 2, column 'dog': '1,000' is not a number.",
    ),
    "nan": ("truth,cat,dog\ncat,0,nan\ndog,1,0", "line 2, column 'dog': 'nan' is not a number."),
    "huge": ("truth,cat,dog\ncat,0,1e999\ndog,1,0", "line 2, column 'dog': '1e999' is too large."),
    "duplicate column": (
        "truth,cat,cat\ncat,0,1",
        "`decisions` must differ from each other; 'cat' occurs twice.",
    ),
    "duplicate row": (
        "truth,cat\ncat,0\ncat,1",
        "`outcomes` must differ from each other; 'cat' occurs twice.",
    ),
    "nameless column": (
        "truth,cat,\ncat,0,1",
        "every one of the decisions must have a name; got ['cat', ''].",
    ),
    "missing cell": (
        "truth,cat,dog\ncat,0,\ndog,1,0",
        "cost of deciding 'dog' when the truth is 'cat' is missing (1 cell missing).",
    ),
    "missing cell, turned": (
        "decision,cat,dog\ncat,0,\ndog,1,0",
        "cost of deciding 'cat' when the truth is 'dog' is missing (1 cell missing).",
    ),
    "note twice": (
        "# unit = 'EUR'\n# unit = 'USD'\ntruth,cat\ncat,0",
        "line 2: `unit` is given twice.",
    ),
    "note of the wrong kind": (
        "# unit = 3\ntruth,cat\ncat,0",
        "expected text in quotes, got 3 - at `unit`.",
    ),
    "note that disagrees": (
        "# outcomes = ['dog']\ntruth,cat\ncat,0",
        "the note `outcomes` lists dog, the table has cat.",
    ),
    "line counted after notes": (
        "# unit = 'EUR'\n\ntruth,cat,dog\ncat,0,ten\ndog,1,0",
        "line 4, column 'dog': 'ten' is not a number.",
    ),
}


class TestMistakes:
    @pytest.mark.parametrize("name", MISTAKES)
    def test_message(self, name: str) -> None:
        text, message = MISTAKES[name]
        with pytest.raises(FormatError) as caught:
            costs_from_csv(text, source="costs.csv")
        assert caught.value.message == f"costs.csv: {message}"

    @pytest.mark.parametrize(
        ("name", "hint"),
        [
            ("no corner", CORNER),
            ("only numbers", CORNER),
            ("semicolons", "save the table with commas as .csv, or with tabs as .tsv"),
            ("thousands", "write it plainly, with a point for decimals: 1234.5"),
            ("missing cell", "Missing: cat->dog.  Write 0 if it is really free."),
        ],
    )
    def test_hint_says_what_to_do(self, name: str, hint: str) -> None:
        with pytest.raises(FormatError) as caught:
            costs_from_csv(MISTAKES[name][0])
        assert caught.value.hint == hint

    def test_broken_quotes_say_the_line(self) -> None:
        with pytest.raises(FormatError, match=r"^costs: line 2: .*expected after.*\.$"):
            costs_from_csv('truth,cat\n"cat" x,0')

    def test_a_broken_note_says_the_line(self) -> None:
        with pytest.raises(
            FormatError, match=r"line 1: '# unit = EUR' is not `name = value` as in"
        ):
            costs_from_csv("# unit = EUR\ntruth,cat\ncat,0")
