"""`stakes ask`: scripted, typed, replayed; what it says and what it keeps."""

from __future__ import annotations

import csv
import sys

import numpy as np
import pytest

from stakes.application import read_costs
from stakes.elicitation import read_answers

BASE = ("ask", "churn.csv", "--label", "churned", "--positive", "yes", "--scores", "sharp,even")
ORDER = "always,errs,never,errs_negatives,errs_positives"


@pytest.fixture
def ask(run, tmp_path):
    """Run `stakes` beside a file of two models whose ROC curves cross."""
    rng = np.random.default_rng(0)
    y = (rng.random(3000) < 0.1).astype(int)
    noise = rng.normal(size=(2, y.size))
    sharp = np.where(y == 1, 2.2 * noise[0] + 2.2, noise[0])
    even = np.where(y == 1, 0.8 * noise[1] + 1.9, noise[1])
    with (tmp_path / "churn.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["churned", "sharp", "even"])
        for k in range(y.size):
            scores = 1 / (1 + np.exp(-np.array([sharp[k], even[k]])))
            writer.writerow(["yes" if y[k] else "no", *scores.round(6)])
    return run


@pytest.fixture
def typed(monkeypatch):
    """Lines that are typed at a terminal."""

    def give(*lines):
        left = iter(lines)
        monkeypatch.setattr("builtins.input", lambda _="": _line(left))
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)

    return give


def _line(left):
    """The next line, or the end of them, as after Ctrl-D."""
    try:
        return next(left)
    except StopIteration:
        raise EOFError from None


class TestScripted:
    def test_one_answer_picks_the_model(self, ask):
        done = ask(*BASE, "--answer", "b,a")  # the second is the first the other way round
        assert done.code == 0
        assert "Question 1.  Out of 1 000 cases" in done.out
        assert "Take even" in done.out
        assert "Question 3" not in done.out
        done = ask(*BASE, "--answer", "a,b")
        assert "Take sharp" in done.out

    def test_lines_fit_the_page(self, ask):
        done = ask(*BASE, "--answer", "b", "--acts-at", "1%..40%", "--goal", "threshold")
        assert max(len(line) for line in done.out.splitlines()) <= 80

    def test_json(self, ask):
        found = ask(*BASE, "--answer", "b,a", "--json").found
        assert found["done"] is True
        assert found["recommendation"] == "even"
        low, high = found["false_alarms_per_miss"]
        assert 1 < low < high == 1000
        assert found["answers"][0]["route"] == "preference"
        waiting = ask(*BASE, "--no-questions", "--json").found
        assert waiting["done"] is False
        assert waiting["next_question"]["ratio"] == pytest.approx(low)

    def test_kept_costs_serve_eval_and_answers_replay(self, ask, tmp_path):
        done = ask(*BASE, "--answer", "b,a", "--name", "Ada", "-o", "costs.toml")
        assert "kept in costs.toml" in done.out
        assert read_costs(tmp_path / "costs.toml").unit is None
        assert read_answers(tmp_path / "costs.toml")[0].name == "Ada"
        again = ask(*BASE, "--answers", "costs.toml", "--no-questions")
        assert "Take even" in again.out
        judged = ask("eval", *BASE[1:], "--costs", "costs.toml")
        assert judged.code == 0

    def test_a_unit_needs_amounts_in_it(self, ask, tmp_path):
        """A false alarm of 10 is 10 EUR, not 1; a miss of 200 to 800 is 400 in the middle."""
        words = (*BASE, "--no-questions", "-o", "costs.toml", "--unit", "EUR")
        done = ask(*words, "--miss-is-worth", "5..20")
        assert done.code == 2
        assert "what was learnt is a ratio, not an amount" in done.err
        assert not (tmp_path / "costs.toml").exists()
        assert ask(*words, "--amounts", "fn=200..800", "fp=10").code == 0
        app = read_costs(tmp_path / "costs.toml")
        assert app.unit == "EUR"
        assert app.costs.cost("no", "yes") == pytest.approx(10)
        assert app.costs.cost("yes", "no") == pytest.approx(400)

    def test_who_prefers_both_is_told_so_and_asked_afresh(self, ask, tmp_path):
        done = ask(*BASE, "--answer", "b,b", "-o", "costs.toml")
        assert "neither answer counts" in " ".join(done.out.split())
        assert "Question 3." in done.out
        assert done.code != 0
        assert "nothing was learnt and nothing was saved" in done.err
        assert not (tmp_path / "costs.toml").exists()
        assert "Take even" in ask(*BASE, "--answer", "b,b,b,a").out
        json = ask(*BASE, "--answer", "b,b", "--json")
        assert "neither answer counts" in json.err
        assert json.found["done"] is False

    def test_replayed_at_the_share_it_was_made_for(self, ask, tmp_path):
        ask(*BASE, "--prevalence", "2%", "--answer", "b", "-o", "costs.toml")
        assert ask(*BASE, "--answers", "costs.toml", "--no-questions", "--json").found[
            "prior"
        ] == pytest.approx(0.02)
        alone = ask("ask", "--answers", "costs.toml", "--no-questions")  # as the file itself says
        assert alone.code == 0
        assert "2 % positive where it will run, as in costs.toml" in " ".join(alone.out.split())
        again = ask(
            "ask", "--answers", "costs.toml", "--prevalence", "5%", "--json", "--answer", ""
        )
        assert again.found["prior"] == pytest.approx(0.05)
        text = (tmp_path / "costs.toml").read_text().replace("prior = 0.02", "prior = 2")
        (tmp_path / "costs.toml").write_text(text)
        assert "`prior` must lie between 0 and 1" in ask("ask", "--answers", "costs.toml").err

    def test_not_an_answer(self, ask):
        done = ask(*BASE, "--answer", "x")
        assert done.code == 2
        assert "'x' is not an answer" in done.err


class TestStatements:
    def test_emblematic_ranking_without_a_file(self, ask):
        done = ask("ask", "--prevalence", "5%", "--rank", ORDER, "--no-questions")
        assert "One missed 'positive' costs as much as 11.4 to 12.7 false alarms." in done.out

    @pytest.mark.parametrize(
        ("option", "value", "ends"),
        [
            ("--miss-is-worth", "5..20", (5, 20)),
            ("--acts-at", "10%..20%", (4, 9)),
            ("--number-willing", "20", (19, 19)),
        ],
    )
    def test_ranges(self, ask, option, value, ends):
        found = ask("ask", "--prevalence", "5%", option, value, "--no-questions", "--json").found
        assert found["false_alarms_per_miss"] == pytest.approx(ends)

    def test_amounts(self, ask):
        words = ("--amounts", "fn=200..400", "fp=10", "--no-questions", "--json")
        found = ask("ask", "--prevalence", "5%", *words).found
        assert found["false_alarms_per_miss"] == [20, 40]

    def test_todays_metric_and_sensitivity(self, ask):
        found = ask(*BASE, "--tuned", "f1", "--no-questions", "--json").found
        assert found["answers"][0]["said"].startswith("you tune f1")
        found = ask(*BASE, "--sensitivity", "90%", "--no-questions", "--json").found
        assert found["answers"][0]["low"] > 0

    def test_contradictions_are_shown_not_averaged(self, ask):
        done = ask("ask", "--prevalence", "5%", "--miss-is-worth", "5..20", "--acts-at", "50%",
                   "--no-questions")  # fmt: skip
        assert done.code == 2
        assert "these two answers contradict: one miss is worth 5 to 20 false alarms" in done.err
        assert "Which one do you keep?" in done.err

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("ask",), "I need to know the share of positives"),
            (
                ("ask", "--prevalence", "5%", "--miss-is-worth", "x"),
                "I cannot read --miss-is-worth x",
            ),
            (("ask", "--prevalence", "5%", "--amounts", "fn=2"), "the amount fp= is missing"),
            (("ask", "--prevalence", "5%", "--amounts", "fx=2"), "'fx=2' is not an amount"),
            (("ask", "--prevalence", "5%", "--tuned", "f1"), "--tuned needs a file"),
            ((*BASE, "--tuned", "nosuch", "--no-questions"), "no metric 'nosuch'"),
            ((*BASE, "--sensitivity", "90%..95%", "--no-questions"), "90%..95% is a range"),
            (("ask", "--prevalence", "5%", "--cases", "0"), "--cases must be 1 or more"),
            (("ask", "--prevalence", "5%", "--answers", "none.toml"), "there is no file"),
            ((*BASE, "--no-questions", "-o", "costs.csv"), "answers are kept as TOML"),
        ],
    )
    def test_problems(self, ask, words, message):
        done = ask(*words)
        assert done.code == 2
        assert message in done.err


class TestTyped:
    def test_why_undo_and_answer(self, ask, typed):
        typed("?", "what", "a", "b")
        done = ask(*BASE, "--quick")
        assert "is the better choice, above it" in " ".join(done.out.split())
        assert "please type a, b, =, ?, u or q" in done.out
        assert "Take sharp" in done.out

    def test_undo_takes_the_last_answer_back(self, ask, typed):
        typed("a", "u", "b", "b", "q")
        done = ask(*BASE, "--quick", "--goal", "threshold", "--tolerance", "0.01")
        assert "Question 2." in done.out
        assert done.code == 0

    def test_stopping_early_keeps_what_is_known(self, ask, typed):
        typed("a", "q")
        done = ask(*BASE, "--quick", "--goal", "threshold", "--tolerance", "0.01")
        assert "More answers would make it surer." in done.out

    def test_stopping_at_once_learns_nothing(self, ask, typed):
        typed("q")
        done = ask(*BASE, "--quick")
        assert done.out.endswith("No question was answered, so nothing was learnt.\n")
        assert "Take" not in done.out

    def test_a_person_settles_contradictions(self, ask, typed):
        typed("3", "1", "q")
        done = ask(*BASE, "--quick", "--miss-is-worth", "5..20", "--acts-at", "50%")
        assert "taken back: you act at 50 %" in done.out
        assert "5 to 20 false alarms" in done.out

    def test_the_place_comes_first(self, ask, typed, tmp_path):
        typed("200%", "2%", "the bank; the customer", "y", "b", "a")
        done = ask(*BASE, "-o", "costs.toml")
        out = " ".join(done.out.split())
        assert "I cannot read the share '200%'" in out
        assert "add the third to the file of costs" in out
        assert "(20 'yes')" in out  # 2 % of 1 000 cases
        kept = (tmp_path / "costs.toml").read_text()
        assert 'note = "the bank; the customer"' in kept
        assert read_costs(tmp_path / "costs.toml").unit is None
        assert read_costs(tmp_path / "costs.toml").priors[1] == pytest.approx(0.02)

    def test_a_closed_terminal_keeps_what_was_said(self, ask, typed, tmp_path):
        typed()
        done = ask(*BASE, "--miss-is-worth", "5..20", "-o", "costs.toml")
        assert done.code == 0
        assert "5 to 20 false alarms" in done.out
        assert read_costs(tmp_path / "costs.toml").costs.cost("yes", "no") == pytest.approx(10)

    def test_a_closed_terminal_settles_no_contradiction(self, ask, typed):
        typed()
        done = ask(*BASE, "--quick", "--miss-is-worth", "5..20", "--acts-at", "50%")
        assert done.code == 2
        assert "these two answers contradict" in done.err


class TestMoreOutcomes:
    @pytest.fixture
    def pets(self, run, tmp_path):
        """Two models: one confuses cats with dogs, the other misses foxes."""
        rows = ["species,one,two"]
        rows += ["cat,cat,cat"] * 60 + ["cat,dog,cat"] * 30 + ["dog,dog,dog"] * 90
        rows += ["fox,fox,cat"] * 20 + ["fox,fox,fox"] * 40 + ["fox,cat,dog"] * 5
        (tmp_path / "pets.csv").write_text("\n".join(rows) + "\n")
        base = ("ask", "pets.csv", "--label", "species", "--decisions", "one,two")
        return lambda *words: run(*base, *words)

    def test_an_answer_picks_the_model_and_is_kept(self, pets, tmp_path):
        done = pets("--answer", "a,b", "-o", "costs.toml")
        assert done.code == 0
        assert "decided as 'dog'" in done.out
        assert "Take one" in done.out
        assert "Question 2" in done.out
        assert "Question 3" not in done.out
        assert "Take two" in pets("--answer", "b,a").out
        costs = read_costs(tmp_path / "costs.toml").costs
        assert costs.classes == ("cat", "dog", "fox")
        assert 30 * costs.cost("cat", "dog") <= 20 * costs.cost("fox", "cat") * 1.2
        again = pets("--answers", "costs.toml", "--no-questions", "--json").found
        assert again["recommendation"] == "one"
        assert len(again["cells"]) == 6

    def test_typed(self, pets, typed):
        typed("x", "a", "?", "b", "q")
        out = " ".join(pets().out.split())
        assert "Take one" in out
        assert "One answer alone decides, so the same question follows the other way round." in out

    def test_who_prefers_both_is_told_so_and_asked_afresh(self, pets):
        done = pets("--answer", "a,a,a,b")
        assert "each of the two once, so neither answer counts" in " ".join(done.out.split())
        assert "Take one" in done.out
        told = pets("--answer", "a,a,a,b", "--json")
        assert "neither answer counts" in told.err
        assert len(told.found["answers"]) == 2

    def test_who_cannot_say_the_other_way_round_has_said_nothing(self, pets):
        assert pets("--answer", "a,=", "--json").found["answers"] == []

    def test_the_share_in_use_counts(self, pets, tmp_path):
        done = pets("--prevalence", "cat=.1,dog=.1,fox=.8", "--answer", "a", "-o", "costs.toml")
        assert read_costs(tmp_path / "costs.toml").priors.tolist() == [0.1, 0.1, 0.8]
        # 20 of 65 foxes are taken for cats by the second model: 0.8 * 20 / 65 of 1 000 cases
        assert f"{round(800 * 20 / 65)} 'fox' decided as 'cat'" in done.out

    def test_a_range_of_shares_is_asked_in_its_middle_and_checked_at_its_ends(self, pets):
        """The middle of 10 % and 40 % is 20 % on the scale of factors; dogs take the rest."""
        words = ("--prevalence", "cat=.3,fox=10%..40%", "--answer", "a,b")
        out = " ".join(pets(*words).out.split())
        assert (
            "in the middle of the range, where there are 30 % 'cat', 50 % 'dog', 20 % 'fox'" in out
        )
        assert "'fox' 10 %" in out
        found = pets(*words, "--json").found
        assert list(found["recommendation_at_ends"]) == ["'fox' 10 %", "'fox' 40 %"]
        at_one_end = pets("--prevalence", "cat=.3,fox=40%", "--answer", "a,b", "--json").found
        assert found["recommendation_at_ends"]["'fox' 40 %"] == at_one_end["recommendation"]

    def test_a_share_that_is_none(self, pets):
        done = pets("--prevalence", "cat=.9,dog=.9,fox=.8", "--answer", "a")
        assert done.code == 2
        assert "--prevalence" in done.err

    @pytest.mark.parametrize("option", ["--miss-is-worth", "--acts-at", "--rank"])
    def test_what_is_about_two_outcomes_is_refused(self, pets, option):
        done = pets(option, "5", "--answer", "a")
        assert done.code == 2
        assert f"{option} is about two outcomes; 'species' has 3" in done.err

    def test_answers_are_kept_as_toml(self, pets):
        done = pets("--answer", "a", "-o", "costs.csv")
        assert done.code == 2
        assert "answers are kept as TOML" in done.err

    def test_one_model_is_not_enough(self, run, tmp_path):
        (tmp_path / "pets.csv").write_text("y,d\ncat,cat\ndog,dog\nfox,cat\n")
        done = run("ask", "pets.csv", "--label", "y", "--decisions", "d")
        assert done.code == 2
        assert "name two or more models" in done.err

    def test_why_and_undo(self, run, typed, tmp_path):
        """With three models the first answer leaves a question, at which it is taken back."""
        rows = ["species,one,two,three"]
        rows += ["cat,cat,cat,cat"] * 60 + ["cat,dog,cat,fox"] * 30 + ["dog,dog,dog,dog"] * 90
        rows += ["fox,fox,cat,fox"] * 20 + ["fox,fox,fox,fox"] * 40 + ["dog,dog,cat,fox"] * 9
        (tmp_path / "pets.csv").write_text("\n".join(rows) + "\n")
        words = ("ask", "pets.csv", "--label", "species", "--decisions", "one,two,three")
        typed("?", "a", "u", "b", "q")
        done = run(*words)
        out = " ".join(done.out.split())
        assert "of the cost matrices that are still possible prefer A" in out
        assert done.out.count("Question 1.") == 2
        typed("b", "q")
        assert run(*words).out.splitlines()[-3:] == done.out.splitlines()[-3:]

    def test_nothing_to_undo(self, pets, typed):
        typed("u", "a", "a", "a", "q")
        assert "Take one" in pets().out


class TestSurplusAnswers:
    def test_they_are_named(self, ask):
        done = ask(*BASE, "--answer", "b,a,b,=")
        assert done.code == 0
        assert "warning: 2 more answers were given than there were questions: b,=." in done.err

    def test_enough_is_no_reason_to_warn(self, ask):
        assert "warning" not in ask(*BASE, "--answer", "b").err


class TestRangeOfShares:
    def test_asked_in_the_middle_and_checked_at_both_ends(self, ask):
        """The middle of 4 % and 25 % is 10 % on the scale of factors."""
        done = ask(*BASE, "--answer", "b", "--prevalence", "4%..25%")
        out = " ".join(done.out.split())
        assert "asked where 10 % are 'yes', the middle of 4 % to 25 % 'yes'" in out
        assert "at both ends, 4 % and 25 %" in out or "At 4 % it would be" in out
        found = ask(*BASE, "--answer", "b", "--prevalence", "4..25%", "--json").found
        assert found["prior"] == pytest.approx(0.1)
        assert found["prior_range"] == pytest.approx([0.04, 0.25])
        assert len(found["recommendation_at_ends"]) == 2

    def test_without_a_file(self, ask):
        done = ask("ask", "--prevalence", "2%..8%", "--miss-is-worth", "5..20", "--no-questions")
        assert done.code == 0
        assert "asked where 4 % are 'positive'" in done.out

    def test_not_a_range_of_shares(self, ask):
        done = ask(*BASE, "--answer", "b", "--prevalence", "25%..4%")
        assert done.code == 2
        assert "--prevalence" in done.err


@pytest.mark.parametrize("output", ["away/costs.toml", "costs.csv"])
def test_answers_that_could_not_be_kept_are_not_asked_for(ask, typed, output):
    typed()  # nothing: whoever asks would stop with an error
    done = ask(*BASE, "-o", output)
    assert (done.code, done.out) == (2, "")


def test_the_file_is_named_with_its_folder(ask, tmp_path):
    (tmp_path / "kept").mkdir()
    done = ask(*BASE, "--answer", "b", "-o", "kept/costs.toml")
    assert "stakes eval ... --costs kept/costs.toml" in done.out
