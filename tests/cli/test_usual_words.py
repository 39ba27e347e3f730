"""What people type who know other tools is answered by a line that works."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest

import stakes

ROWS = 60
ASKED = ("--label", "y", "--positive", "yes", "--scores", "p,q")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Files of two and of three outcomes, and what their errors cost."""
    rng = np.random.default_rng(5)
    truth = rng.random(ROWS) < 0.5
    p, q = (np.clip(truth * 0.4 + 0.6 * rng.random(ROWS), 0.01, 0.99) for _ in range(2))
    lines = [f"{'yes' if t else 'no'},{a:.3f},{b:.3f}" for t, a, b in zip(truth, p, q, strict=True)]
    (tmp_path / "two.csv").write_text("\n".join(["y,p,q", *lines]))
    outcomes = rng.integers(3, size=ROWS)
    shares = np.eye(3)[outcomes] + rng.random((ROWS, 3))
    shares = np.round(shares / shares.sum(axis=1, keepdims=True), 6)
    shares[:, 2] = 1 - shares[:, 0] - shares[:, 1]
    rows = [
        f"case-{i},{a:.6f},{b:.6f},{c:.6f},{'abc'[k]}"
        for i, (k, (a, b, c)) in enumerate(zip(outcomes, shares, strict=True))
    ]
    (tmp_path / "three.csv").write_text("\n".join(["who,a,b,c,y", *rows]))
    (tmp_path / "three-costs.csv").write_text("truth,a,b,c\na,0,1,2\nb,2,0,1\nc,4,2,0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("compare", "FILE --label COLUMN --positive VALUE --scores A,B --cost fn=10 fp=1\n"),
        ("evaluate", "stakes eval FILE "),
        ("metrics", "in Python, stakes.metrics.f1(y_true, decisions)"),
        ("plot", " --html page.html\n"),
        ("report", " --html page.html\n"),
        ("threshold", ").posterior_threshold\n"),
        ("elicit", "stakes ask --prevalence 5% -o costs.toml\n"),
        ("apply", "stakes.bayes_decisions(p, "),
        ("predict", "stakes calibrate --apply CAL.json NEW.csv -o out.csv\n"),
    ],
)
def test_usual_commands(run, command, line):
    ran = run(command, "rows.csv")
    assert (ran.code, ran.out) == (2, "")
    assert f"invalid choice: '{command}'" in ran.err
    assert line in ran.err


@pytest.mark.parametrize("command", ["compare", "report", "threshold"])
def test_the_line_works(run, files, command):
    line = re.search(r"stakes eval .*", run(command).err)[0]
    words = line.replace("FILE", "two.csv").replace("COLUMN", "y").replace("VALUE", "yes")
    assert run(*shlex.split(words.replace("A,B", "p,q"))[1:]).code == 0


def test_the_line_for_decisions_works(run):
    line = re.search(r"stakes\.bayes_decisions\(.*\)", run("predict").err)[0]
    assert eval(line, {"stakes": stakes, "p": [0.05, 0.5]}).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("eval --format json", "instead of --format:  --json\n"),
        ("eval --threshold 0.5", "instead of --threshold:  --decisions COLUMN "),
        ("calibrate --method isotonic", "instead of --method:  --kind KIND\n"),
        ("calibrate --out cal.json", "-o cal.json  and then  stakes calibrate --apply cal.json"),
        ("eval --out page", "instead of --out:  -o FILE\n"),
        ("eval --target y", "instead of --target:  --label COLUMN\n"),
        ("eval --y_true y", "instead of --y_true:  --label COLUMN\n"),
        ("eval --model p", "instead of --model:  --scores A,B\n"),
        ("eval --fn 40", "instead of --fn:  --cost fn=10 fp=1\n"),
        ("eval --group-by region", "instead of --group-by:  --by COLUMN\n"),
        ("eval --random-state 1", "instead of --random-state:  --seed 0\n"),
        ("eval --labl y", "did you mean --label?  stakes eval --help lists what there is\n"),
    ],
)
def test_usual_options(run, words, hint):
    command, *rest = words.split()
    ran = run(command, "rows.csv", *rest)
    assert (ran.code, ran.out) == (2, "")
    assert hint in ran.err


def test_several_at_once(run):
    said = run("calibrate", "rows.csv", "--method", "isotonic", "--out", "cal.json").err
    assert "  instead of --method:  --kind KIND\n  instead of --out:  -o cal.json  and then" in said


def test_far_spellings_are_not_guessed(run):
    for option in ("--abstain", "--methods", "--unheard"):
        assert "did you mean" not in run("eval", "rows.csv", option, "2").err


def test_the_file_for_abstention_works(run, files):
    said = run("eval", "two.csv", "--abstain", "2").err
    lines = said.partition("in that file:\n")[2].splitlines()[:3]
    (files / "costs.toml").write_text("\n".join(lines))
    ran = run("eval", "two.csv", "--label", "y", "--scores", "p,q", "--costs", "costs.toml")
    assert ran.code == 0
    assert "ask" in ran.out


@pytest.mark.parametrize(
    "words", ["two.csv --label y --scores p q", "--label y --scores p q two.csv"]
)
def test_a_list_with_spaces(run, files, words):
    ran = run("eval", *words.split(), "--cost", "fn=10", "fp=1")
    assert ran.code == 2
    assert "error: --scores takes a list with commas; got --scores p q" in ran.err
    command = ran.err.splitlines()[1].removeprefix("  Say:  stakes ")
    assert run(*command.split()).code == 0


def test_a_list_with_spaces_before_other_options(run, files):
    ran = run("eval", "--scores", "p", "q", "--label", "y", "two.csv", "--cost", "fn=10", "fp=1")
    said = "  Say:  stakes eval --scores p,q --label y two.csv --cost fn=10 fp=1 --positive yes\n"
    assert said in ran.err


@pytest.mark.parametrize(
    "words",
    [
        "two.csv --label y --scores p --costs fn=10 fp=1",
        "--label y --scores p --costs fn=10 fp=1 two.csv",
        "two.csv --label y --costs fn=10,fp=1 --scores p",
    ],
)
def test_amounts_are_not_a_file(run, files, words):
    ran = run("eval", *words.split())
    assert ran.err.startswith("error: --costs names a file; got --costs fn=10")
    command = ran.err.splitlines()[1].removeprefix("  Say:  stakes ")
    assert run(*command.split()).code == 0


def test_a_file_is_no_amount(run, files):
    (files / "costs.toml").write_text("fn = 10\nfp = 1\n")
    ran = run("eval", "two.csv", "--label", "y", "--scores", "p", "--cost", "costs.toml")
    assert ran.err.startswith("error: --cost takes amounts, such as fn=10; got --cost costs.toml.")
    command = ran.err.splitlines()[1].removeprefix("  Say:  stakes ")
    assert run(*command.split()).code == 0


def test_a_file_is_no_command(run, files):
    assert "to see what two.csv holds:  stakes inspect two.csv" in run("two.csv").err


def test_costs_are_no_cases(run, files):
    (files / "costs.toml").write_text("fn = 10\nfp = 1\n")
    assert "costs.toml holds costs, not cases." in run("eval", "costs.toml").err


def test_a_second_file_that_is_not_there(run, files):
    said = run("eval", "two.csv", "b.csv", "--label", "y").err
    assert said.startswith("error: there is no file 'b.csv'.")


class TestOutcomesAsColumns:
    COMMAND = ("eval", "three.csv", "--label", "y", "--costs", "three-costs.csv")

    def test_scores_lead_to_the_line(self, run, files):
        ran = run(*self.COMMAND, "--scores", "a,b,c")
        assert ran.code == 2
        assert ran.err.endswith("one probability per outcome:  --proba a,b,c\n")
        wrong = run(*self.COMMAND, "--scores", "a")
        assert wrong.err.endswith("--proba a,b,c\n")

    def test_far_rows_say_the_same(self, run, files):
        pytest.importorskip("duckdb")
        far = run(*self.COMMAND, "--scores", "a,b,c", "--engine", "duckdb")
        assert far == run(*self.COMMAND, "--scores", "a,b,c")
        named = run(*self.COMMAND, "--proba", "a,b,c", "--engine", "duckdb", "--quiet")
        assert (named.code, named.out) == (0, "model\n")

    @pytest.mark.parametrize("proba", ["a,b,c", "c,a,b", "*"])
    def test_they_are_read(self, run, files, proba):
        (files / "named.csv").write_text(
            (files / "three.csv").read_text().replace("who,a,b,c,y", "who,p_a,p_b,p_c,y")
        )
        named = run(*self.COMMAND[:1], "named.csv", *self.COMMAND[2:], "--csv", "--proba", "p_*")
        ran = run(*self.COMMAND, "--csv", "--proba", proba)
        assert (ran.code, ran.out) == (0, named.out)

    def test_other_columns_are_refused(self, run, files):
        ran = run(*self.COMMAND, "--proba", "a,b")
        assert ran.code == 2
        assert "a, b found but 'c' has no column." in ran.err


@pytest.mark.parametrize("head", ["[costs]", "[cost]", ""])
@pytest.mark.parametrize("amounts", ["fn = 40\nfp = 4", "fn = [20, 80]\nfp = 4"])
def test_amounts_in_a_file(run, files, head, amounts):
    (files / "costs.toml").write_text(f'unit = "EUR"\n{head}\n{amounts}\n')
    (files / "plain.toml").write_text(f'unit = "EUR"\n{amounts}\n')
    ran = run("eval", "two.csv", *ASKED, "--costs", "costs.toml", "--csv")
    plain = run("eval", "two.csv", *ASKED, "--costs", "plain.toml", "--csv")
    assert (ran.code, ran.out) == (0, plain.out)


def test_amounts_in_a_file_in_python(files):
    (files / "costs.toml").write_text('unit = "EUR"\n[costs]\nfn = 40\nfp = 4\n')
    labels, scores = ["no", "yes"] * 20, np.tile([0.2, 0.05, 0.1, 0.9], 10)
    filed = stakes.evaluate(labels, scores, costs="costs.toml", positive="yes")
    stated = stakes.evaluate(labels, scores, costs={"fn": 40, "fp": 4}, unit="EUR", positive="yes")
    assert str(filed) == str(stated)


@pytest.mark.parametrize("positive", [0, 1])
def test_amounts_in_a_file_speak_of_the_positive_class(files, positive):
    (files / "costs.toml").write_text("[costs]\nfn = 40\nfp = 4\n")
    labels, scores = [0, 1] * 20, np.tile([0.2, 0.05, 0.1, 0.9], 10)
    filed = stakes.evaluate(labels, scores, costs="costs.toml", positive=positive)
    stated = stakes.evaluate(labels, scores, costs={"fn": 40, "fp": 4}, positive=positive)
    assert filed.application.costs == stated.application.costs
    assert filed.application.costs.cost(positive, 1 - positive) == 40


@pytest.mark.parametrize("name", ["r.html", "r.json", "r.csv"])
def test_output_goes_by_its_ending(run, files, name):
    words = ("two.csv", "--label", "y", "--positive", "yes", "--scores", "p", "--cost", "error=1")
    assert run("eval", *words, "--output", name).code == 0
    text = (files / name).read_text()
    assert text.startswith({"r.html": "<!", "r.json": "{", "r.csv": "model,"}[name])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("eval two.csv --cost error=1 -o r.xlsx", "ends in .xlsx"),
        ("eval two.csv --cost error=1 --html r.csv", "--html r.html"),
        ("calibrate two.csv --label y --scores p -o c.csv", "-o c.json"),
    ],
)
def test_an_ending_that_does_not_fit(run, files, words, said):
    ran = run(*words.split())
    assert (ran.code, said in ran.err) == (2, True)


def test_the_files_that_were_typed_are_in_the_line(run, files):
    said = "stakes eval two.csv --label y --positive yes --scores p,q --cost fn=10 fp=1"
    for command in ("plot", "evaluate", "compare"):
        assert said in run(command, "two.csv").err
    assert f"{said} --html page.html" in run("report", "two.csv", "--label", "y").err
    assert 'ev.plot().figure.savefig("cost.png")' in run("plot").err
    assert "stakes rule r.json --sql snowflake" in run("sql", "r.json", "--to=snowflake").err
    assert "stakes rule rule.json --sql bigquery" in run("export").err


@pytest.mark.parametrize("words", ["watch", "monitor --label y --scores p"])
def test_two_files_of_rows_are_compared_as_the_lines_say(run, files, words):
    (files / "later.csv").write_text((files / "two.csv").read_text())
    said = run(*words.split(), "two.csv", "later.csv").err
    lines = re.findall(r"stakes ((?:eval|monitor) \w+\.\w+ .*)", said)
    assert [run(*shlex.split(line)).code for line in lines] == [0, 0, 0]
    assert "monitor two.json later.json" in lines[-1]


def test_a_file_without_labels_is_estimated(run, files):
    head, *rows = (files / "two.csv").read_text().splitlines()
    at = head.split(",").index("y")
    blank = [",".join("" if k == at else c for k, c in enumerate(r.split(","))) for r in rows]
    (files / "new.csv").write_text("\n".join([head, *blank]))
    said = run("watch", "two.csv", "new.csv").err
    assert "stakes estimate new.csv --label y --positive yes --scores p,q" in said
    assert "--reference two.csv" in said


def test_a_calibration_says_how_to_keep_it(run, files):
    words = ["calibrate", "two.csv", "--label", "y", "--positive", "yes", "--scores", "p"]
    assert run(*words).out.endswith("to keep it: -o calibration.json\n")
    assert "to keep it" not in run(*words, "-o", "calibration.json").out


def test_abstention_among_the_costs_is_answered_by_a_file(run, files):
    ran = run("eval", "two.csv", *ASKED, "--cost", "fn=10", "fp=1", "abstain=2")
    assert ran.code == 2
    assert "'abstain=2' costs a third decision" in ran.err
    line = re.search(r"stakes (costs --template .*)", ran.err)[1]
    line = line.replace("FILE", "two.csv").replace("COLUMN", "y").replace("VALUE", "yes")
    assert run(*shlex.split(line)).code == 0
    assert run("eval", "two.csv", *ASKED, "--costs", "costs.toml").code == 0
