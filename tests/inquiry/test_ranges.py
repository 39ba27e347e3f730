"""Ranges of costs and shares: judged in the middle, and at all that they hold."""

from __future__ import annotations

import io

import pytest

DAY = "truth,bold,shy\n" + "".join(
    f"{t},{b},{s}\n" * n
    for t, b, s, n in [
        ("no", "no", "no", 65), ("no", "yes", "no", 25), ("no", "yes", "yes", 5),
        ("no", "no", "yes", 5), ("yes", "yes", "yes", 6), ("yes", "yes", "no", 3),
        ("yes", "no", "no", 1),
    ]
)  # fmt: skip
BASE = ("eval", "day.csv", "--label", "truth", "--positive", "yes", "--decisions", "bold,shy")


@pytest.fixture
def judged(run, write):
    """Run `eval` on a day of two models: 30 alarms and 1 miss, 10 alarms and 4 misses."""
    write("day.csv", DAY)
    return lambda *words: run(*BASE, *words)


def places(done):
    """The rows of the table between the ends, by model."""
    lines = done.out.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("NEC if "))
    return {line.split()[0]: line.split()[1:] for line in lines[start + 3 : start + 5]}


def test_a_range_of_costs_where_the_choice_switches(judged):
    """Bold costs 30 + c, shy 10 + 4 c: they are equal at c = 20 / 3."""
    done = judged("--cost", "fn=3..18", "fp=1", "--min-positives", "5")
    out = " ".join(done.out.split())
    assert done.code == 0
    assert "Evaluated at the geometric mean of the range, 7.348" in out
    assert "NEC if a miss costs 3-18, thresholds re-optimised:" in out
    assert places(done)["bold"][0] == f"{(30 + 3) / 30:.3f}"
    assert places(done)["shy"][2] == f"{(10 + 72) / 100:.3f}"
    assert places(done)["shy"][4] == f"{(10 + 72 - 30 - 18) / 100:.3f}"  # regret at 18
    assert "(smallest worst regret: shy)" in out
    at_six = judged("--cost", "fn=6", "fp=1", "--json").found
    assert judged("--cost", "fn=2..18", "fp=1", "--json").found["models"] == at_six["models"]


def test_ten_cases_do_not_tell_two_models_apart(judged):
    """At 18 bold is ahead on ten positives alone, so nothing depends on the range."""
    assert "It depends" not in judged("--cost", "fn=3..18", "fp=1").out


def test_it_depends(run, write):
    """The same day a hundred times over is certain enough."""
    head, *rows = DAY.splitlines(keepends=True)
    write("day.csv", head + "".join(rows * 100))
    out = " ".join(run(*BASE, "--cost", "fn=3..18", "fp=1").out.split())
    assert "It depends: bold if a miss costs more than 6.7 false alarms, else shy." in out
    assert "If that stays unknown, shy is safest: at most 0.340 NEC above the best" in out
    record = run(*BASE, "--cost", "fn=3..18", "fp=1", "--json").found
    assert record["verdict"]["kind"] == "it depends"
    assert [place["winner"] for place in record["doubt"]["places"]] == ["shy", "bold"]


def test_a_range_where_the_choice_holds(judged):
    out = " ".join(judged("--miss", "10..20", "--false-alarm", "1").out.split())
    assert "Over the whole range bold costs least" in out


def test_a_range_of_shares(judged):
    """With a miss at 10: bold .3 (1 - p) + p, shy .1 (1 - p) + 4 p; equal at p = .0625."""
    done = judged("--cost", "fn=10", "fp=1", "--prevalence", "2%..30%")
    assert "NEC if 2-30 % are 'yes'," in done.out
    assert "at 2 %  middle  at 30 %" in done.out
    assert places(done)["bold"][2] == f"{(0.3 * 0.7 + 0.3) / 0.7:.3f}"


def test_two_ranges_only_add_up(judged):
    """The ends are where a miss weighs least (2 against 2) and most (18 against 1)."""
    done = judged("--cost", "fn=2..18", "fp=1..2")
    assert "at 2, 2  middle  at 18, 1" in done.out


def test_ranks_are_cut_anew_at_every_end(run, write):
    rows = "".join(f"{'yes' if k % 3 else 'no'},{k % 17 + 5 * (k % 3)}\n" for k in range(90))
    write("r.csv", "truth,s\n" + rows)
    base = ("eval", "r.csv", "--label", "truth", "--positive", "yes", "--scores", "s")
    done = run(*base, "--scores-are", "rank", "--cost", "fn=1..9", "fp=1", "--json")
    there = run(*base, "--scores-are", "rank", "--cost", "fn=9", "fp=1", "--json")
    (model,) = done.found["doubt"]["models"]
    assert model["nec"][1] == there.found["models"][0]["nec"]
    assert model["kept_regret"] is None


def test_amounts_per_case_are_judged_anew_at_every_end(run, write):
    rows = "".join(
        f"{int(k % 4 == 0)},{0.6 if k % 4 == 0 else 0.1 + 0.01 * (k % 7)},{k % 9 + 1}\n"
        for k in range(120)
    )
    write("loans.csv", "default,p,amount\n" + rows)
    base = ("eval", "loans.csv", "--label", "default", "--scores", "p", "--cost", "fp=1")
    done = run(*base, "fn=0.5..2*amount", "--json").found
    there = run(*base, "fn=2*amount", "--json").found
    found = {model["name"]: model["nec"][1] for model in done["doubt"]["models"]}
    assert found == {model["name"]: model["nec"] for model in there["models"]}
    assert done["doubt"]["words"] == "x in fn=x*amount is 0.5-2"


def test_in_a_narrow_terminal_the_ends_stay_longest(judged, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    done = judged("--cost", "fn=3..18", "fp=1", "--unit", "EUR")
    assert "(column left out for width: mean cost EUR. --json has all)" in done.out
    assert "at 3  middle  at 18" in done.out


def test_one_model_has_nobody_to_beat(run, write):
    write("day.csv", DAY)
    words = [word if word != "bold,shy" else "bold" for word in BASE]
    out = run(*words, "--cost", "fn=10..20", "fp=1").out
    assert "Over the whole range bold pays off." in out


def test_many_outcomes(run, write):
    rows = "".join(f"{'abc'[k % 3]},{'abc'[(k + (k % 7 == 0)) % 3]}\n" for k in range(210))
    write("abc.csv", "truth,m\n" + rows)
    costs = 'outcomes = ["a", "b", "c"]\n[cost.a]\nb = 1\nc = [1, 4]\n[cost.b]\na = 1\nc = 1\n'
    write("c.toml", costs + "[cost.c]\na = 1\nb = 1\n")
    base = ("eval", "abc.csv", "--label", "truth", "--decisions", "m", "--costs", "c.toml")
    done = run(*base, "--prevalence", "a=20%..40%,b=.3")
    assert "20-40 % are 'a', deciding 'c' for 'a' costs 1-4" in " ".join(done.out.split())
    assert all(len(line) <= 80 for line in done.out.splitlines())
    done = run(*base, "--prevalence", "a=20%..40%,b=.3,c=.4")
    assert done.code == 2
    assert "leave one outcome out, which takes what is left" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cost", "fn=20..5", "fp=1"), "'20..5' is not a range"),
        (("--cost", "fn=1..2", "fp=1..2", "tp=1..2", "tn=1..2"), "at most 3 ranges"),
        (("--cost", "fn=9", "fp=1", "--prevalence", "2%..150%"), "is not a range of shares"),
    ],
)
def test_problems(judged, words, message):
    done = judged(*words)
    assert done.code == 2
    assert message in done.err


def test_standard_input_needs_reading_only_once(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(DAY.encode()), encoding="utf-8"))
    done = run("eval", "-", *BASE[2:], "--cost", "fn=3..18", "fp=1")
    assert done.code == 0
    assert "at 3  middle  at 18" in done.out


class TestFiles:
    def test_a_range_in_a_file_of_costs(self, judged, write):
        write("costs.toml", 'outcomes = ["no", "yes"]\nfn = [2, 18]\nfp = 1\n')
        out = " ".join(judged_with(judged).out.split())
        assert "NEC if deciding 'no' for 'yes' costs 2-18, thresholds re-optimised:" in out
        assert "at 2 middle at 18" in out

    def test_elicited_costs_are_checked_at_both_ends(self, judged, write):
        kept = "[elicitation]\nmiss = [2.0, 18.0]\n"
        write("costs.toml", f'outcomes = ["no", "yes"]\nfn = 6\nfp = 1\n{kept}')
        out = " ".join(judged_with(judged).out.split())
        assert "NEC if a miss is worth 2-18 false alarms, by the answers in the file" in out
        assert "at 2 middle at 18" in out

    def test_with_a_range_of_shares_too(self, judged, write):
        write("costs.toml", 'outcomes = ["no", "yes"]\nfn = [2, 18]\nfp = 1\n')
        out = judged_with(judged, "--prevalence", "2%..30%").out
        assert "at 2 %, 2  middle  at 30 %, 18" in out

    def test_certain_costs_say_nothing_about_ranges(self, judged, write):
        write("costs.toml", 'outcomes = ["no", "yes"]\nfn = 6\nfp = 1\n')
        assert "in the middle" not in judged_with(judged).out

    def test_broken_files_are_explained_as_before(self, judged, write):
        write("costs.toml", "fn = [\n")
        done = judged_with(judged)
        assert done.code == 2
        assert "not valid TOML" in done.err


def judged_with(judged, *words):
    """The same day with the costs of the file."""
    return judged("--costs", "costs.toml", *words)


def test_ranges_are_said_back_as_ranges(judged):
    done = judged("--cost", "fn=5..20", "fp=1", "--prevalence", "2%..5%")
    said = " ".join(done.out.split())
    assert "decision no -> 5 to 20, evaluated at 10 (missed 'yes')" in said
    assert "you gave 2-5 %, evaluated at 3.2 %." in said
