from __future__ import annotations

import tomllib

import pytest

from stakes.application import costs_from_toml, costs_template, read_costs
from stakes.demonstration import example_path


def test_sentences_and_the_whole_matrix(run):
    ran = run("costs", str(example_path("pets-costs.toml")))
    assert ran.code == 0
    assert "decision cat     ->     100" in ran.out
    assert "fox               100  100    0     100             2" in ran.out.splitlines()
    assert f"--costs {example_path('pets-costs.toml')}" in ran.out


def test_a_table_of_costs_is_shown_as_well(run, write):
    ran = run("costs", write("c.csv", "truth,no,yes\nno,0,4\nyes,40,0\n"))
    assert ran.code == 0, ran.err
    assert "one missed 'yes' costs as much as 10 false alarms" in ran.out
    assert "yes               40    0" in ran.out.splitlines()


def test_a_matrix_that_does_not_fit_is_not_cut(run, write):
    names = [f"outcome {k:02}" for k in range(30)]
    ran = run("costs", write("c.toml", costs_template(names)))
    assert "(the matrix of 30 outcomes by 30 decisions is too large to show)" in ran.out


@pytest.mark.parametrize("abstain", [None, "ask a person"])
def test_the_template_can_be_used_as_it_stands(run, abstain):
    more = [] if abstain is None else ["--abstain", abstain]
    pets = str(example_path("pets.csv"))
    done = run("costs", "--template", pets, "--label", "species", "-o", "c.toml", *more)
    assert done.code == 0
    extra = () if abstain is None else (abstain,)
    app = read_costs("c.toml")
    assert app.decisions == (*app.classes, *extra) == ("cat", "dog", "fox", "rabbit", *extra)
    assert app.costs.cost("cat", "dog") == 1
    ran = run("eval", pets, "--label", "species", "--proba", "*.p_*", "--costs", "c.toml")
    assert ran.code == 0
    assert "every error (12 cells)" in ran.out or abstain
    assert "never" not in ran.err


def test_its_comments_add_the_abstention_that_the_option_adds():
    lines = costs_template(["no", "yes"]).splitlines()
    old = next(k for k, line in enumerate(lines) if line.startswith("decisions"))
    freed = [line.removeprefix("# ") if '"ask a person"' in line else line for line in lines]
    text = "\n".join(line for k, line in enumerate(freed) if k != old and "take the #" not in line)
    given = costs_template(["no", "yes"], abstain="ask a person")
    assert costs_from_toml(text) == costs_from_toml(given)


def test_two_outcomes_name_their_errors(run, write):
    name = write("d.csv", "y,p\n" + "no,0.1\nyes,0.9\n" * 10)
    out = run("costs", "--template", name, "--positive", "no").out
    assert tomllib.loads(out)["outcomes"] == ["yes", "no"]
    assert "yes = 1   # a miss" in out
    assert "no = 1   # a false alarm" in out


def test_odd_names(run, write):
    name = write("d.csv", 'y,p\n"a ""b"" = #1",0.1\nplain,0.9\n')
    out = run("costs", "--template", name, "--label", "y", "--positive", "plain").out
    assert costs_from_toml(out).classes == ('a "b" = #1', "plain")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "there is no file of costs to show."),
        (["c.toml", "--label", "y"], "--label is for writing a file, and c.toml is shown."),
        (["c.toml", "--template", "d.csv"], "--template d.csv writes a file, and c.toml"),
    ],
)
def test_refused(run, words, said):
    ran = run("costs", *words)
    assert (ran.code, said in ran.err) == (2, True)
