"""The TOML form by hand: what it means, and what each mistake is answered."""

from __future__ import annotations

import pytest

from stakes import CostMatrix
from stakes.application import costs_from_toml
from stakes.exceptions import FormatError

PETS = """\
unit = "EUR"
outcomes  = ["cat", "dog", "fox"]
decisions = ["cat", "dog", "fox", "ask a person"]
[cost.cat]            # truth = cat
dog = 1
fox = 20
"ask a person" = 2
[cost.dog]
cat = 1
fox = 20
"ask a person" = 2
[cost.fox]
cat = 100
dog = 100
"ask a person" = 2
"""


class TestByName:
    def test_pets(self) -> None:
        app = costs_from_toml(PETS)
        assert app.costs == CostMatrix(
            [[0, 1, 20, 2], [1, 0, 20, 2], [100, 100, 0, 2]],
            classes=["cat", "dog", "fox"],
            decisions=["cat", "dog", "fox", "ask a person"],
        )
        assert app.unit == "EUR"
        assert app.priors is None

    def test_decisions_default_to_the_outcomes(self) -> None:
        app = costs_from_toml('outcomes = ["a", "b"]\n[cost.a]\nb = 1\n[cost.b]\na = 5')
        assert app.decisions == ("a", "b")
        assert app.costs.cost("b", "a") == 5

    def test_integer_names_are_integers(self) -> None:
        app = costs_from_toml("outcomes = [0, 1]\n[cost.0]\n1 = 1\n[cost.1]\n0 = 10")
        assert app.costs == CostMatrix([[0, 1], [10, 0]])

    def test_a_matching_decision_may_cost_something(self) -> None:
        app = costs_from_toml('outcomes = ["a"]\n[cost.a]\na = -3.5')
        assert app.costs.values.tolist() == [[-3.5]]

    def test_everything_else(self) -> None:
        text = 'fn = 10\nfp = 1\noutcomes = ["stay", "churn"]\nvolume = 250_000\nperiod = "year"\n'
        listed = costs_from_toml(text + "priors = [0.98, 0.02]")
        named = costs_from_toml(text + "[priors]\nchurn = 0.02\nstay = 0.98")
        assert listed == named
        assert named.priors is not None
        assert named.priors.tolist() == [0.98, 0.02]
        assert (named.volume, named.period) == (250_000, "year")


class TestShortForm:
    def test_the_second_outcome_is_positive(self) -> None:
        text = 'fn = 10\nfp = 1\ntp = -2\ntn = 0.5\noutcomes = ["stay", "churn"]'
        app = costs_from_toml(text + '\ndecisions = ["ignore", "call"]')
        assert app.costs.cost("churn", "ignore") == 10
        assert app.costs.cost("stay", "call") == 1
        assert app.costs.cost("churn", "call") == -2
        assert app.costs.cost("stay", "ignore") == 0.5

    def test_names_are_optional(self) -> None:
        assert costs_from_toml("fn = 10\nfp = 1").costs == CostMatrix([[0, 1], [10, 0]])
        for head in ("cost", "costs"):
            app = costs_from_toml(f"[{head}]\nfn = 10\nfp = 1")
            assert app.costs == CostMatrix([[0, 1], [10, 0]])


class TestMatrix:
    def test_rows_are_the_truth_or_the_decision_as_said(self) -> None:
        head = 'outcomes = ["a", "b"]\ndecisions = ["x", "y", "z"]\n'
        truth = costs_from_toml(head + 'rows = "truth"\ncost = [[1, 2, 3], [4, 5, 6]]')
        decision = costs_from_toml(head + 'rows = "decision"\ncost = [[1, 4], [2, 5], [3, 6]]')
        assert truth == decision
        assert truth.costs.cost("a", "z") == 3


MATRIX = 'outcomes = ["a", "b"]\n'
MISTAKES = {
    "nothing": ("", "no costs found."),
    "unknown key": ("fn = 1\nfp = 1\ncolour = 3", "unknown key `colour`."),
    "misspelt key": ("fn = 1\nfp = 1\nunits = 'EUR'", "unknown key `units`."),
    "classes": ("classes = [0, 1]\nfn = 1\nfp = 1", "unknown key `classes`."),
    "no fn": ("fp = 1", "cost of a miss, `fn`, is missing."),
    "text": ("fn = 'ten'\nfp = 1", "expected a number, got the text 'ten' - at `fn`."),
    "boolean": ("fn = true\nfp = 1", "expected a number, got true - at `fn`."),
    "infinite": ("fn = inf\nfp = 1", "expected a finite number, got inf - at `fn`."),
    "not a number": ("fn = nan\nfp = 1", "expected a finite number, got nan - at `fn`."),
    "range": (
        "fn = [5, 20]\nfp = 1",
        "[5, 20] is a range; one application has a single cost - at `fn`.",
    ),
    "list": ("fn = [5, 6, 7]\nfp = 1", "expected a number, got a list of 3 - at `fn`."),
    "three outcomes": (
        'fn = 1\nfp = 1\noutcomes = ["a", "b", "c"]',
        "fn and fp are for 2 outcomes; got 'a', 'b', 'c' - at `outcomes`.",
    ),
    "both heads": ("[cost]\nfn = 1\nfp = 1\n[costs]\nfn = 1", "both `cost` and `costs` are given."),
    "twice": ("fn = 1\n[costs]\nfn = 2\nfp = 1", "`fn` is given twice."),
    "unit under a head": (
        "[costs]\nfn = 1\nfp = 1\nunit = 'EUR'",
        "`unit` stands under the costs, beside fn and fp.",
    ),
    "under a head": ("[costs]\nfn = 1", "cost of a false alarm, `fp`, is missing."),
    "both forms": (MATRIX + "fn = 1\n[cost.a]", "both `cost` and `fn` are given."),
    "rows without a matrix": (
        'fn = 1\nfp = 1\nrows = "truth"',
        "`rows` belongs to a matrix `cost = [[...], ...]`; there is none.",
    ),
    "rows with tables": (
        MATRIX + 'rows = "truth"\n[cost.a]\nb = 1',
        "`rows` belongs to a matrix `cost = [[...], ...]`; these are tables.",
    ),
    "no outcomes": ("[cost.a]\nb = 1", "`outcomes` is missing: the true classes, in order."),
    "outcomes as text": (
        'outcomes = "a"\n[cost.a]',
        "expected a list of names, got the text 'a' - at `outcomes`.",
    ),
    "no outcome": (
        "outcomes = []\n[cost]",
        "expected a list of names, got a list of 0 - at `outcomes`.",
    ),
    "a date as name": (
        "outcomes = [2020-01-01]\n[cost]",
        "expected a name, got 2020-01-01 - at `outcomes[0]`.",
    ),
    "same name twice": (
        'outcomes = ["a", "a"]\n[cost]',
        "`outcomes` must differ from each other; 'a' occurs twice.",
    ),
    "names alike as keys": (
        'outcomes = [1, "1"]\n[cost.1]',
        "two of `outcomes` look alike as keys: 1, '1'.",
    ),
    "unknown truth": (
        MATRIX + "[cost.c]\na = 1",
        "'c' is not among the outcomes 'a', 'b' - at `cost.c`.",
    ),
    "unknown decision": (
        MATRIX + '[cost.a]\n"d.e" = 1',
        "'d.e' is not among 'a', 'b' - at `cost.a.\"d.e\"`.",
    ),
    "a number for a table": (
        MATRIX + "cost = 3",
        "expected one table per outcome, got 3 - at `cost`.",
    ),
    "short form inside cost": (
        MATRIX + "[cost]\na = 1",
        "expected a table of costs by decision, got 1 - at `cost.a`.",
    ),
    "cell of text": (
        MATRIX + "[cost.a]\nb = 'x'\n[cost.b]\na = 1",
        "expected a number, got the text 'x' - at `cost.a.b`.",
    ),
    "cell as range": (
        MATRIX + "[cost.a]\nb = [1, 2]\n[cost.b]\na = 1",
        "[1, 2] is a range; one application has a single cost - at `cost.a.b`.",
    ),
    "bare matrix": (
        MATRIX + "cost = [[0, 1], [1, 0]]",
        "`cost` is a matrix of numbers - I need to know which side is the truth.",
    ),
    "strange rows": (
        MATRIX + 'rows = "columns"\ncost = [[0, 1], [1, 0]]',
        "`cost` is a matrix of numbers (`rows` is 'columns') - I need to know which side is the "
        "truth.",
    ),
    "too few rows": (
        MATRIX + 'rows = "truth"\ncost = [[0, 1]]',
        "one row for each of 'a', 'b'; got 1 - at `cost`.",
    ),
    "ragged rows": (
        MATRIX + 'rows = "truth"\ncost = [[0, 1], [1]]',
        "expected a list of 2 costs, got a list of 1 - at `cost[1]`.",
    ),
    "text in a matrix": (
        MATRIX + 'rows = "truth"\ncost = [[0, "x"], [1, 0]]',
        "expected a number, got the text 'x' - at `cost[0][1]`.",
    ),
    "unit": ("fn = 1\nfp = 1\nunit = 3", "expected text in quotes, got 3 - at `unit`."),
    "volume": ("fn = 1\nfp = 1\nvolume = 0", "`volume` must be a positive number of cases; got 0."),
    "volume of text": (
        "fn = 1\nfp = 1\nvolume = 'many'",
        "expected a number, got the text 'many' - at `volume`.",
    ),
    "priors": ("fn = 1\nfp = 1\npriors = [0.5, 0.4]", "`priors` must add to 1; they add to 0.9."),
    "priors as a number": (
        "fn = 1\nfp = 1\npriors = 0.5",
        "expected a list of shares or a table by name, got 0.5 - at `priors`.",
    ),
    "prior of text": (
        "fn = 1\nfp = 1\npriors = {0 = 0.5, 1 = 'half'}",
        "expected a number, got the text 'half' - at `priors.1`.",
    ),
    "prior of a stranger": (
        "fn = 1\nfp = 1\npriors = {0 = 0.5, cat = 0.5}",
        "`priors` must name the classes 0, 1; unknown 'cat' and missing 1.",
    ),
}


class TestMistakes:
    @pytest.mark.parametrize("name", MISTAKES)
    def test_message(self, name: str) -> None:
        text, message = MISTAKES[name]
        with pytest.raises(FormatError) as caught:
            costs_from_toml(text, source="costs.toml")
        assert caught.value.message == f"costs.toml: {message}"

    @pytest.mark.parametrize(
        "text",
        ["fn = \nfp = 1", "fn = 1\nfn = 2\n", "[cost.a]\n[cost.a]\n", "cost cat"],
        ids=["no value", "key twice", "table twice", "no sign"],
    )
    def test_syntax_errors_say_the_line(self, text: str) -> None:
        with pytest.raises(FormatError, match=r"^costs.toml: not valid TOML: .* \(at .*\)\.$"):
            costs_from_toml(text, source="costs.toml")

    def test_missing_cells_are_all_named(self) -> None:
        text = 'outcomes = ["cat", "dog", "fox"]\n[cost.cat]\ndog = 1\n[cost.dog]\ncat = 1\n'
        with pytest.raises(FormatError) as caught:
            costs_from_toml(text + "[cost.fox]\ncat = 100", source="costs.toml")
        assert caught.value.message == (
            "costs.toml: cost of deciding 'fox' when the truth is 'cat' is missing "
            "(3 cells missing)."
        )
        assert caught.value.hint == (
            "Missing: cat->fox, dog->fox, fox->dog.  Write 0 if it is really free."
        )

    def test_one_missing_cell(self) -> None:
        with pytest.raises(FormatError, match=r"is missing \(1 cell missing\)\."):
            costs_from_toml(MATRIX + "[cost.a]\nb = 1")

    def test_many_missing_cells_are_counted(self) -> None:
        with pytest.raises(FormatError) as caught:
            costs_from_toml(f"outcomes = {list(range(5))}\n[cost]")
        assert "(20 cells missing)" in caught.value.message
        assert str(caught.value.hint).count("->") == 10
        assert "and 10 more" in str(caught.value.hint)

    def test_names_alike_in_text_do_not_match(self) -> None:
        with pytest.raises(FormatError, match=r"deciding '1' when the truth is 1 is missing"):
            costs_from_toml('outcomes = [1]\ndecisions = ["1"]\n[cost.1]')

    @pytest.mark.parametrize(
        ("text", "hint"),
        [
            ("fn = 1\nfp = 1\nunits = 'EUR'", "did you mean `unit`?"),
            ("classes = [0, 1]\nfn = 1\nfp = 1", "did you mean `outcomes`?"),
            ("fp = 1", "Write 0 if it is free."),
            ("", "write one table [cost.<truth>] per outcome, or fn = ... and fp = ..."),
            (
                MATRIX + "cost = [[0, 1], [1, 0]]",
                'Write rows = "truth" if rows are the truth, rows = "decision" if rows are the '
                "decision.",
            ),
        ],
    )
    def test_hint_says_what_to_type(self, text: str, hint: str) -> None:
        with pytest.raises(FormatError) as caught:
            costs_from_toml(text)
        assert caught.value.hint == hint

    def test_a_huge_integer_is_not_a_crash(self) -> None:
        with pytest.raises(FormatError, match="expected a finite number"):
            costs_from_toml(f"fn = 1{'0' * 400}\nfp = 1")
