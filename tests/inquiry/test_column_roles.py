from __future__ import annotations

import re
import time

import numpy as np
import pytest

from stakes.exceptions import DataError
from stakes.inquiry.column_roles import (
    _stars,
    class_columns,
    find_label,
    in_class_order,
    named_columns,
    recognised,
)
from stakes.sources.table import Table


def table(*names, matrices=None):
    getters = [lambda: np.zeros(1)] * len(names)
    return Table("t.csv", 1, names, "text", "", getters, matrices or {})


class TestLabel:
    @pytest.mark.parametrize("name", ["y", "label", "target", "Truth", "correct", "actual"])
    def test_found_by_its_name_and_said(self, name):
        assert find_label(table("id", name, "p"), None) == (
            name,
            f"The truth is read from '{name}', recognised by its name.",
        )

    def test_given_name_wins(self):
        assert find_label(table("y", "churned"), "churned") == ("churned", None)

    def test_two_candidates_are_an_error(self):
        with pytest.raises(DataError) as caught:
            find_label(table("y", "truth"), None)
        assert caught.value.message == "t.csv: 'y' and 'truth' could each be the truth."
        assert caught.value.hint == "Say: --label y"

    def test_none_is_an_error(self):
        with pytest.raises(DataError) as caught:
            find_label(table("id", "p_cat", "species"), None)
        assert (caught.value.hint, caught.value.code) == ("Say: --label COLUMN", "no-label")


class TestNamedColumns:
    def test_list_and_star(self):
        columns = table("y", "gbm_p", "logreg_p")
        assert named_columns(columns, "logreg_p, gbm_p") == ["logreg_p", "gbm_p"]
        assert named_columns(columns, "*_p") == ["gbm_p", "logreg_p"]
        assert named_columns(columns, "gbm_p,*_p") == ["gbm_p", "logreg_p"]

    def test_star_without_a_match(self):
        with pytest.raises(DataError, match=r"no column fits 'q_\*'"):
            named_columns(table("y", "p"), "q_*")


class TestClassColumns:
    def test_one_model(self):
        (model,) = class_columns(table("y", "p_cat", "p_dog"), "p_*")
        assert model.by_class == {"cat": "p_cat", "dog": "p_dog"}

    @pytest.mark.parametrize("pattern", ["*.p_*", "p_*"])
    def test_several_models(self, pattern):
        columns = table("y", "A.p_cat", "A.p_dog", "B.p_cat", "B.p_dog")
        models = class_columns(columns, pattern)
        assert [(m.model, m.by_class["dog"]) for m in models] == [
            ("A", "A.p_dog"),
            ("B", "B.p_dog"),
        ]

    def test_two_patterns(self):
        models = class_columns(table("y", "A.p_cat", "B.p_cat"), "A.p_*,B.p_*")
        assert [model.model for model in models] == ["A", "B"]

    def test_columns_one_by_one(self):
        (model,) = class_columns(table("y", "p_cat", "p_dog", "p_fox"), "p_cat,p_dog")
        assert list(model.by_class) == ["cat", "dog"]

    def test_columns_called_like_the_classes(self):
        (model,) = class_columns(table("y", "cat", "dog"), "cat,dog")
        assert model.by_class == {"cat": "cat", "dog": "dog"}
        with pytest.raises(DataError, match="cat, dog found but 'fox' has no column"):
            in_class_order(model, ["cat", "dog", "fox"])
        with pytest.raises(DataError, match="'a', 'b' has no column") as caught:
            in_class_order(model, ["a", "b"])
        assert str(caught.value.hint).startswith("name the columns p_<class>")
        with pytest.raises(DataError, match="'dog' found but 'dog' is not among") as caught:
            in_class_order(model, ["cat"])
        assert "only these:  --proba cat " in str(caught.value.hint)

    def test_a_star_passes_the_truth_by(self):
        (model,) = class_columns(table("cat", "dog", "y"), "*", "y")
        assert list(model.by_class) == ["cat", "dog"]

    def test_an_array(self):
        (model,) = class_columns(table("y", matrices={"p": np.zeros((1, 2))}), "p")
        assert model.matrix == "p"


@pytest.mark.parametrize(
    ("names", "classes"),
    [
        (("p_cat", "p_dog"), ["cat", "dog"]),
        (("prob_cat", "prob_dog"), ["cat", "dog"]),
        (("proba_cat", "proba_dog"), ["cat", "dog"]),
        (("probability_cat", "probability_dog"), ["cat", "dog"]),
        (("prob.cat", "prob.dog"), ["cat", "dog"]),
        ((".pred_cat", ".pred_dog"), ["cat", "dog"]),
        (("confidence.cat", "confidence.dog"), ["cat", "dog"]),
    ],
)
def test_conventions_of_other_tools(names, classes):
    (model,) = recognised(table("y", *names))
    assert list(model.by_class) == classes


def test_a_single_class_column_is_not_a_model():
    assert recognised(table("y", "p_value")) == []


class TestOtherTools:
    """Tables as other tools write them, without a word about their columns."""

    ROWS = [("no", 0.9), ("yes", 0.8), ("no", 0.3), ("no", 0.6), ("yes", 0.2), ("yes", 0.7)] * 20
    COUNTS = [[20, 40], [20, 40]]  # acting above 1/2: 0.9 and 0.6 of 'no', all but 0.2 of 'yes'
    COSTS = ("--cost", "fn=1", "fp=1", "--json")

    def counted(self, run, write, head, line, *words):
        write("d.csv", head + "\n" + "".join(line(y, p) + "\n" for y, p in self.ROWS))
        done = run("eval", "d.csv", *words, *self.COSTS)
        assert done.code == 0, done.err
        return done.found["models"][0]["counts"]

    def test_h2o(self, run, write):
        def line(y, p):
            return f"{int(y == 'yes')},{int(p > 0.5)},{1 - p:.2f},{p}"

        assert self.counted(run, write, "y,predict,p0,p1", line) == self.COUNTS

    @pytest.mark.parametrize("words", [(), ("--proba", ".pred_*")])
    def test_tidymodels(self, run, write, words):
        def line(y, p):
            return f"{y},{'yes' if p > 0.5 else 'no'},{1 - p:.2f},{p}"

        head = "truth,.pred_class,.pred_no,.pred_yes"
        assert self.counted(run, write, head, line, "--positive", "yes", *words) == self.COUNTS

    def test_mlr(self, run, write):
        def line(y, p):
            return f"1,{y},{'yes' if p > 0.5 else 'no'},{1 - p:.2f},{p}"

        head = "id,truth,response,prob.no,prob.yes"
        assert self.counted(run, write, head, line, "--positive", "yes") == self.COUNTS

    def test_p0_without_predict_is_not_guessed(self, run, write):
        write("d.csv", "y,p0,p1\n" + "0,0.4,0.6\n1,0.3,0.7\n" * 20)
        done = run("eval", "d.csv", *self.COSTS)
        assert done.code == 2
        assert "--scores p0" in done.err


class TestFlip:
    data = "y,a,b\n" + "".join(f"{k % 2},0.{k},0.{10 - k}\n" for k in (1, 2, 3, 4, 6, 7, 8)) * 6

    @pytest.mark.parametrize("command", ["eval", "calibrate"])
    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("--scores", "a", "--flip", "aa"), "--flip aa does nothing: the scores are a."),
            (("--scores", "a", "--flip", "a,b"), "--flip b does nothing: the scores are a."),
            (("--decisions", "y", "--flip", "a"), "--flip a does nothing: there are no --scores."),
        ],
    )
    def test_of_no_score_is_refused(self, run, write, command, words, said):
        ran = run(command, write("t.csv", self.data), "--label", "y", *words, "--cost", "error=1")
        assert ran.code == 2
        assert said in ran.err

    def test_blanks_between_names_do_not_matter(self, run, write):
        words = ("eval", write("t.csv", self.data), "--label", "y", "--positive", "1",
                 "--scores", "a,b", "--cost", "error=1", "--json")  # fmt: skip
        one = {m["name"]: m["cost"] for m in run(*words, "--flip", "a, b").found["models"]}
        two = {m["name"]: m["cost"] for m in run(*words).found["models"]}
        assert one == {"a": two["b"], "b": two["a"]}
        assert two["a"] != two["b"]


@pytest.mark.parametrize("engine", [(), ("--engine", "duckdb")])
@pytest.mark.parametrize("option", ["--scores", "--decisions"])
def test_the_truth_is_no_model(run, write, option, engine):
    if engine:
        pytest.importorskip("duckdb", reason="one of the engines")
    lines = [f"{k % 2},0.{k % 9 + 1}" for k in range(40)]
    name = write("t.csv", "\n".join(["y,p", *lines]) + "\n")
    words = ("eval", name, "--label", "y", "--cost", "fn=10", "fp=1", *engine)
    ran = run(*words, option, "y")
    assert ran.code == 2
    assert "'y' is the truth, so it cannot be a model." in ran.err
    ran = run(*words, "--scores", "*", "--json")  # a star passes it by
    assert [model["name"] for model in ran.found["models"]] == ["p"]


def test_no_column_at_all(run, write):
    name = write("t.csv", "y,p\n0,0.2\n1,0.7\n")
    ran = run("eval", name, "--label", "y", "--scores", ",", "--cost", "fn=10", "fp=1")
    assert ran.code == 2
    assert "',' names no column." in ran.err


class TestStars:
    @pytest.mark.parametrize(
        ("pattern", "name", "stars"),
        [
            ("p_*", "p_cat", ["cat"]),
            ("*.p_*", "gbm.v2.p_cat", ["gbm.v2", "cat"]),
            ("*.p_*", "gbm.p_a.p_b", ["gbm.p_a", "b"]),  # the first is as long as can be
            ("**", "abc", ["ab", "c"]),
            ("a*a", "a", []),
            ("p_*", "p_", []),
            ("*x", "ax", ["a"]),
        ],
    )
    def test_what_stands_for_each(self, pattern, name, stars):
        assert _stars(pattern, name) == stars

    def test_as_a_regular_expression_would(self):
        rng = np.random.default_rng(0)
        found = 0
        for _ in range(3000):
            pattern = "".join(rng.choice(list("ab*."), size=rng.integers(1, 7)))
            name = "".join(rng.choice(list("ab."), size=rng.integers(0, 9)))
            if "*" in pattern:
                wanted = re.compile("(.+)".join(map(re.escape, pattern.split("*")))).fullmatch(name)
                found += wanted is not None
                assert _stars(pattern, name) == (list(wanted.groups()) if wanted else [])
        assert found > 100

    def test_no_pattern_takes_long(self):
        """With backtracking a hundred stars over as many letters never end."""
        name = "a" * 20_000
        start = time.monotonic()
        assert _stars("*a" * 100 + "*b", name) == []
        assert len(_stars("*a" * 100 + "*", name)) == 101
        assert time.monotonic() - start < 5
