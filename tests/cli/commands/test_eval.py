from __future__ import annotations

import csv
import io
import os
import subprocess
import sys

import numpy as np
import pytest

import stakes
from stakes.demonstration import example_path

# Ten cases, three of them yes. At fn=10, fp=1 the threshold on p is 1/11 = 0.0909...: p acts on
# the cases with 0.2, 0.9, 0.8 and 0.3, so it misses one yes (0.05) and raises two false alarms.
TEN = """y,p,d
no,0.01,no
no,0.02,no
no,0.03,no
no,0.04,no
no,0.05,no
no,0.2,no
no,0.3,yes
yes,0.9,yes
yes,0.8,no
yes,0.05,no
"""
COSTS = ["--positive", "yes", "--cost", "fn=10", "fp=1", "--min-positives", "1"]
# Ninety cases that p and d tell apart without an error.
CLEAR = "y,p,d\n" + "no,0.01,no\n" * 60 + "yes,0.9,yes\n" * 30


@pytest.fixture
def ten(write):
    return write("ten.csv", TEN)


def only(ran):
    assert ran.code == 0, ran.err
    (model,) = ran.found["models"]
    return model


class TestNumbers:
    def test_scores_by_hand(self, run, ten):
        model = only(run("eval", ten, "--scores", "p", *COSTS, "--json"))
        assert model["counts"] == [[5, 2], [1, 2]]
        assert model["cost"] == pytest.approx((1 * 10 + 2 * 1) / 10)
        # always yes costs 7 x 1, always no 3 x 10: the former is the best constant decision
        assert model["nec"] == pytest.approx((10 + 2) / 7)
        assert model["threshold"] == pytest.approx(1 / 11)

    def test_decisions_by_hand(self, run, ten):
        model = only(run("eval", ten, "--decisions", "d", *COSTS, "--json"))
        assert model["counts"] == [[6, 1], [2, 1]]
        assert model["cost"] == pytest.approx((2 * 10 + 1) / 10)
        assert model["threshold"] is None

    def test_scores_that_are_decisions(self, run, ten):
        words = ("eval", ten, *COSTS, "--json")
        found = only(run(*words, "--scores", "d", "--scores-are", "decision"))
        assert found == only(run(*words, "--decisions", "d"))
        ran = run(*words, "--decisions", "d", "--scores-are", "decision")
        assert ran.code == 2
        assert "--scores-are decision speaks of the columns of --scores" in ran.err

    def test_class_columns_agree_with_scores(self, run, write, ten):
        rows = [line.split(",") for line in TEN.split()[1:]]
        text = "y,p_no,p_yes\n" + "".join(f"{y},{1 - float(p):.12g},{p}\n" for y, p, _ in rows)
        wide = write("wide.csv", text)
        one = only(run("eval", ten, "--scores", "p", *COSTS, "--json"))
        two = only(run("eval", wide, "--proba", "p_*", *COSTS, "--json"))
        assert (one["counts"], one["nec"]) == (two["counts"], two["nec"])

    def test_logits_and_llrs_agree_with_probabilities(self, run, write, ten):
        rows = [line.split(",") for line in TEN.split()[1:]]
        odds = [np.log(float(p) / (1 - float(p))) for _, p, _ in rows]
        prior = np.log(3 / 7)
        text = "y,log_odds,llr\n" + "".join(
            f"{y},{o:.17g},{o - prior:.17g}\n" for (y, _, _), o in zip(rows, odds, strict=True)
        )
        other = write("odds.csv", text)
        one = only(run("eval", ten, "--scores", "p", *COSTS, "--json"))
        for column in ("log_odds", "llr"):
            words = ["--scores", column, "--scores-are", column, *COSTS, "--json"]
            model = only(run("eval", other, *words))
            assert model["counts"] == one["counts"]
            shift = prior if column == "llr" else 0.0
            assert model["threshold"] == pytest.approx(np.log(1 / 10) - shift)

    def test_flip(self, run, write, ten):
        rows = [line.split(",") for line in TEN.split()[1:]]
        other = write("flip.csv", "y,q\n" + "".join(f"{y},{1 - float(p)}\n" for y, p, _ in rows))
        flipped = only(run("eval", other, "--scores", "q", "--flip", "q", *COSTS, "--json"))
        assert flipped["counts"] == [[5, 2], [1, 2]]

    def test_weights_are_repeated_rows(self, run, write, ten):
        lines = TEN.splitlines()
        doubled = write("twice.csv", "\n".join([*lines, *lines[8:]]) + "\n")
        weighed = write(
            "weighed.csv",
            "\n".join([lines[0] + ",w", *(f"{x},{1 + (k >= 7)}" for k, x in enumerate(lines[1:]))]),
        )
        one = only(run("eval", doubled, "--scores", "p", *COSTS, "--json"))
        two = only(run("eval", weighed, "--scores", "p", "--weight", "w", *COSTS, "--json"))
        assert np.array_equal(one["counts"], two["counts"])
        assert one["nec"] == pytest.approx(two["nec"])

    def test_confusion_matrix_agrees_with_rows_in_both_orientations(self, run, write, ten):
        rows = only(run("eval", ten, "--decisions", "d", *COSTS, "--json"))
        write("down.csv", "truth,no,yes\nno,6,1\nyes,2,1\n")
        write("across.csv", "decision,yes,no\nyes,1,1\nno,2,6\n")
        for name in ("down.csv", "across.csv"):
            counts = only(run("eval", "--confusion", name, *COSTS, "--json"))
            assert (counts["cost"], counts["nec"]) == (rows["cost"], rows["nec"])

    def test_prevalence_moves_probabilities_and_weighs_rates(self, run, ten):
        words = ["--scores", "p", "--prevalence", "50%", *COSTS, "--json"]
        model = only(run("eval", ten, *words))
        # at even odds the posterior odds grow by (1/1)/(3/7) = 7/3, so the threshold on the
        # odds in the file is (1/10) / (7/3) = 3/70, on p 3/73 = 0.041: 0.05 and above act
        assert model["threshold"] == pytest.approx(3 / 73)
        assert model["counts"] == [[4, 3], [0, 3]]
        assert model["cost"] == pytest.approx(0.5 * 3 / 7 * 1)
        assert model["nec"] == pytest.approx((0.5 * 3 / 7) / 0.5)

    def test_posteriors_already_adjusted_are_left_alone(self, run, ten):
        words = ["--scores", "p", "--prevalence", "50%", "--posteriors-already-adjusted"]
        model = only(run("eval", ten, *words, *COSTS, "--json"))
        assert model["counts"] == [[5, 2], [1, 2]]
        assert model["cost"] == pytest.approx(0.5 * 2 / 7 * 1 + 0.5 * 1 / 3 * 10)

    def test_against_the_library_on_four_classes(self, run):
        pets, costs = str(example_path("pets.csv")), str(example_path("pets-costs.toml"))
        ran = run(
            "eval", pets, "--label", "species", "--proba", "*.p_*", "--costs", costs, "--json"
        )
        app = stakes.application.read_costs(costs)
        with example_path("pets.csv").open(encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        truth = [row["species"] for row in rows]
        for model in ran.found["models"]:
            names = [f"{model['name']}.p_{name}" for name in app.classes]
            posteriors = np.array([[float(row[name]) for name in names] for row in rows])
            chosen = stakes.bayes_decisions(posteriors, app)
            decisions = np.array(app.decisions)[chosen]
            expected = stakes.normalized_expected_cost(truth, decisions, application=app)
            assert model["nec"] == pytest.approx(expected, rel=1e-12)

    def test_costs_per_case_by_hand(self, run, write):
        loans = write("loans.csv", "default,p,amount\n0,0.1,100\n0,0.3,10\n1,0.3,100\n1,0.1,10\n")
        words = ["--label", "default", "--scores", "p", "--cost", "fn=amount", "fp=5"]
        words += ["--min-positives", "1", "--json"]
        found = {m["name"]: m for m in run("eval", loans, *words).found["models"]}
        # case by case: act when p * amount > (1 - p) * 5, i.e. cases 1 (10 > 4.5) and 3
        # (30 > 3.5), not 2 (3 < 3.5) nor 4 (1 < 4.5): one false alarm, one miss of 10
        assert found["p, per case"]["cost"] == pytest.approx((5 + 10) / 4)
        # average costs: average amount 55, threshold 5 / 60 = 0.083: everybody is acted on
        assert found["p, average costs"]["cost"] == pytest.approx((5 + 5) / 4)
        assert found["p, average costs"]["nec"] == pytest.approx(1.0)  # just as always acting
        assert set(found) == {"p, per case", "p, one threshold", "p, average costs"}

    def test_costliest_cases_are_listed_on_request(self, run, write, tmp_path):
        loans = write("loans.csv", "default,p,amount\n0,0.1,100\n0,0.3,10\n1,0.3,100\n1,0.1,10\n")
        words = ["--label", "default", "--scores", "p", "--cost", "fn=amount", "fp=5"]
        words += ["--min-positives", "1", "--html", "page.html"]
        run("eval", loans, *words)
        assert "costliest cases" not in (tmp_path / "page.html").read_text(encoding="utf-8")
        run("eval", loans, *words, "--list-costliest", "2")
        assert "lists 2 cases by their row" in (tmp_path / "page.html").read_text(encoding="utf-8")

    def test_arrays_follow_the_sorted_outcomes(self, run, tmp_path):
        truth = np.array(["b", "a", "b", "a"])
        posteriors = np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
        np.savez(tmp_path / "t.npz", y=truth, p=posteriors)
        for positive in ("a", "b"):
            words = ["--positive", positive, "--cost", "fn=1", "fp=1", "--min-positives", "1"]
            ran = run("eval", "t.npz", "--label", "y", "--proba", "p", *words, "--json")
            assert only(ran)["nec"] == 0

    def test_two_npy_files(self, run, tmp_path):
        np.save(tmp_path / "scores.npy", np.array([[0.9, 0.1], [0.2, 0.8]]))
        np.save(tmp_path / "targets.npy", np.array([0, 1]))
        words = ["--label", "targets.npy", "--cost", "error=1", "--min-positives", "1", "--json"]
        assert only(run("eval", "scores.npy", *words))["cost"] == 0

    def test_parquet_agrees_with_csv(self, run, tmp_path):
        pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
        path = example_path("churn.csv")
        with path.open(encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        columns = {"churned": [r["churned"] for r in rows]}
        columns["gbm_p"] = [float(r["gbm_p"]) for r in rows]
        parquet.write_table(pyarrow.table(columns), tmp_path / "churn.parquet")
        words = ["--label", "churned", "--positive", "yes", "--scores", "gbm_p"]
        words += ["--cost", "fn=40", "fp=4", "--json"]
        one, two = only(run("eval", str(path), *words)), only(run("eval", "churn.parquet", *words))
        assert one == two


class TestMissing:
    @pytest.fixture
    def gaps(self, write):
        return write("gaps.csv", "y,a,b\nno,0.01,0.01\nno,,0.2\nyes,0.9,0.9\nyes,0.8,\nno,0.02,0\n")

    def test_default_compares_on_common_rows_and_warns(self, run, gaps):
        ran = run("eval", gaps, "--scores", "a,b", *COSTS, "--json")
        assert ran.err == (
            "warning: 1 row of a is empty and 1 row of b is empty. Models are compared on the "
            "3 rows that every model has; change that with --missing abstain|naive|drop.\n"
        )
        assert [model["counts"] for model in ran.found["models"]] == [[[2, 0], [0, 1]]] * 2

    def test_naive_takes_the_best_constant_decision(self, run, gaps):
        ran = run("eval", gaps, "--scores", "a", "--missing", "naive", *COSTS, "--json")
        # always yes costs 3 x 1, always no 2 x 10, so the gap in a 'no' becomes a false alarm
        assert ran.found["models"][0]["counts"] == [[2, 1], [0, 2]]

    def test_abstain_takes_the_decision_that_is_no_outcome(self, run, write, gaps):
        costs = write("c.csv", "truth,no,yes,ask\nno,0,1,0.5\nyes,10,0,0.5\n")
        words = ["--missing", "abstain", "--costs", costs, "--min-positives", "1", "--json"]
        ran = run("eval", gaps, "--scores", "a", *words)
        assert ran.found["models"][0]["counts"][0] == [2, 0, 1]

    def test_abstain_without_such_a_decision(self, run, gaps):
        ran = run("eval", gaps, "--scores", "a", "--missing", "abstain", *COSTS)
        assert ran.code == 2
        assert "needs exactly one decision that is not an outcome" in ran.err


class TestForms:
    def test_80_columns_and_no_colour(self, run):
        churn = str(example_path("churn.csv"))
        words = ["--label", "churned", "--positive", "yes", "--scores", "*_p"]
        words += ["--cost", "fn=40", "fp=4", "--unit", "EUR", "--volume", "250000/yr"]
        ran = run("eval", churn, *words)
        assert ran.code == 0
        assert max(map(len, ran.out.splitlines())) <= 80
        assert "\033" not in ran.out
        assert ran.out.isascii()

    def test_narrow_terminal_drops_columns_and_says_so(self, run, ten, monkeypatch):
        monkeypatch.setenv("COLUMNS", "30")
        ran = run("eval", ten, "--scores", "p", *COSTS)
        assert "(columns left out for width: NEC if calibrated, saves/case" in " ".join(
            ran.out.split()
        )
        assert "1.714" in ran.out  # the NEC, 12 / 7, is never cut

    def test_costs_are_said_back(self, run, ten):
        lines = run("eval", ten, "--scores", "p", *COSTS, "--unit", "EUR").out.splitlines()
        assert lines[1:6] == [
            "Costs used (EUR):",
            "  truth yes,  decision no   -> 10   (missed 'yes')",
            "  truth no,   decision yes  ->  1   (false alarm)",
            "  correct decisions         ->  0",
            "one missed 'yes' costs as much as 10 false alarms",
        ]

    def test_first_line_says_what_was_read(self, run, ten):
        first = run("eval", ten, "--scores", "p", *COSTS).out.splitlines()[0]
        assert first == "read ten.csv: 10 cases, 3 y = yes (30 %), 1 model"

    def test_quiet(self, run, write):
        name = write("clear.csv", CLEAR)
        for option, said in (("--scores=p", "p 0.0909\n"), ("--decisions=d", "d\n")):
            ran = run("eval", name, option, *COSTS, "--quiet")
            assert (ran.code, ran.out, ran.err) == (0, said, "")

    def test_quiet_names_no_model_that_is_not_to_be_deployed(self, run, ten):
        ran = run("eval", ten, "--scores", "p", *COSTS, "--quiet")
        assert (ran.code, ran.out) == (0, "")
        assert ran.err.startswith(
            "Use no model: keep always deciding 'yes'. No model here costs less"
        )

    def test_quiet_prints_no_counts_when_there_are_too_few_cases(self, run, ten):
        ran = run("eval", ten, "--scores", "p", *COSTS[:-2], "--quiet")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("error: 3 positives.")

    def test_csv(self, run, ten):
        ran = run("eval", ten, "--decisions", "d", *COSTS, "--csv")
        (row,) = csv.DictReader(io.StringIO(ran.out))
        assert (row["model"], float(row["cost"])) == ("d", pytest.approx(2.1))

    def test_json_has_everything_and_nothing_else_on_stdout(self, run, ten):
        found = run("eval", ten, "--scores", "p", *COSTS, "--json").found
        assert found["application"]["costs"] == [[0, 1], [10, 0]]
        cost = pytest.approx(0.7)
        assert found["naive"] == {"decision": "yes", "cost": cost, "avoidable_cost": cost}
        assert found["facts"]["command"].startswith("stakes eval ten.csv --scores p")

    def test_html_is_written_and_named(self, run, ten, tmp_path):
        ran = run("eval", ten, "--scores", "p", *COSTS, "--html", "r.html")
        assert ran.out.splitlines()[-1].startswith("report: r.html (")
        assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")

    def test_forensic_drawings(self, run, write, tmp_path):
        words = ("eval", write("clear.csv", CLEAR), *COSTS, "--html", "r.html", "--forensic")
        assert run(*words, "--scores", "p").code == 0
        drawn = (tmp_path / "r.html").read_text(encoding="utf-8")
        assert 'id="chart-tippett"' in drawn or "need matplotlib" in drawn
        assert "likelihood ratios" in run(*words, "--decisions", "d").err

    def test_standard_input(self, tmp_path):
        done = subprocess.run(
            [sys.executable, "-m", "stakes", "eval", "-", "--scores", "p", *COSTS, "--quiet"],
            input=CLEAR, capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (0, "p 0.0909\n")

    def test_terminal_that_knows_only_ascii(self, tmp_path):
        text = "y,p\n猫,0.1\nnaïve,0.9\n"
        done = subprocess.run(
            [sys.executable, "-m", "stakes", "eval", "-", "--scores", "p", "--positive", "naïve",
             "--cost", "fn=1", "fp=1", "--min-positives", "1"],
            input=text.encode(), capture_output=True, check=False, cwd=tmp_path,
            env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert b"na\\xefve" in done.stdout
        assert done.stdout.isascii()

    def test_the_file_may_stand_after_the_costs(self, run, write):
        ran = run("eval", "--scores", "p", "--quiet", "--positive", "yes", "--min-positives", "1",
                  "--cost", "fn=10", "fp=1", write("clear.csv", CLEAR))  # fmt: skip
        assert (ran.code, ran.out) == (0, "p 0.0909\n")

    def test_columns_found_by_their_names_are_said(self, run, write):
        name = write("t.csv", "truth,p_a,p_b\na,0.9,0.1\nb,0.2,0.8\n")
        ran = run("eval", name, "--cost", "error=1", "--min-positives", "1")
        assert "- The truth is read from 'truth', recognised by its name." in ran.out
        assert "- Models were recognised by the names of their columns: p_a, p_b." in ran.out


class TestWords:
    def test_new_base_rate_is_explained(self, run, write):
        lines = ["yes,0.3" if k < 78 else "no,0.3" for k in range(1000)]
        name = write("t.csv", "y,p\n" + "\n".join(lines) + "\n")
        ran = run("eval", name, "--positive", "yes", "--scores", "p", "--cost", "fn=10", "fp=1",
                  "--prevalence", "2%")  # fmt: skip
        said = " ".join(ran.out.split())
        # odds 3/7 x (0.02/0.98) / (0.078/0.922) = 0.10339, so p = 0.0937
        assert (
            "Your test set has 7.8 % 'yes'; you said 2 %. Each probability was moved to the new "
            "base rate (0.30 -> 0.094). This assumes that cases within each outcome look alike in "
            "both places." in said
        )

    def test_decisions_have_no_threshold(self, run, ten):
        out = " ".join(run("eval", ten, "--decisions", "d", *COSTS).out.split())
        said = "These are decisions, not scores, so I can compare them but not move a threshold."
        assert said in out

    def test_switch_point_between_two_deciders(self, run, write):
        # A: 4 misses, 0 alarms; B: 1 miss, 6 alarms: B saves 3 misses for 6 alarms, so 2 each
        write("A.csv", "truth,0,1\n0,90,0\n1,4,6\n")
        write("B.csv", "truth,0,1\n0,84,6\n1,1,9\n")
        words = ["--confusion", "A.csv,B.csv", "--min-positives", "1"]
        cheap = run("eval", *words, "--cost", "fn=1", "fp=1")
        assert "A is cheaper than B as long as a miss costs less than 2 false alarms" in cheap.out
        dear = run("eval", *words, "--cost", "fn=3", "fp=1")
        assert "B is cheaper than A as long as a miss costs more than 2 false alarms" in dear.out

    def test_two_cuts_are_said_in_a_sentence(self, run, write, ten):
        costs = write("c.csv", "truth,ignore,call,ask\nno,0,4,1\nyes,40,0,2\n")
        ran = run("eval", ten, "--scores", "p", "--costs", costs, "--min-positives", "1")
        # ask beats ignore when 1 (1 - p) + 2 p < 40 p, p > 1/39; call beats ask when
        # 4 (1 - p) < 1 (1 - p) + 2 p, p > 3/5
        assert f"p up to {1 / 39:.3g} decide 'ignore', then below 0.6 'ask'" in ran.out
        assert "from there on 'call'" in ran.out

    def test_use_of_a_person(self, run, write):
        costs = write("c.csv", "truth,a,b,ask\na,0,10,1\nb,10,0,1\n")
        name = write("t.csv", "y,p_a,p_b\na,0.99,0.01\nb,0.01,0.99\na,0.5,0.5\nb,0.6,0.4\n")
        ran = run("eval", name, "--costs", costs, "--min-positives", "1")
        # asks in two of four cases, at 1 each; without asking the tie goes to a: one error of 10
        assert (
            "model decides 'ask' in 50 % of cases. That costs 0.5 per case; without this decision"
            in " ".join(ran.out.split())
        )

    def test_a_person_who_is_never_asked(self, run, write):
        costs = write("c.csv", "truth,a,b,ask\na,0,10,9\nb,10,0,9\n")
        name = write("t.csv", "y,p_a,p_b\na,0.99,0.01\nb,0.01,0.99\na,0.5,0.5\nb,0.6,0.4\n")
        ran = run("eval", name, "--costs", costs, "--min-positives", "1")
        assert "- model never decides 'ask'." in ran.out

    def test_where_the_money_goes_for_more_than_two(self, run, write):
        name = write("t.csv", "y,d\na,a\na,b\nb,b\nc,c\nc,a\nc,a\n")
        ran = run("eval", name, "--decisions", "d", "--cost", "error=1", "--min-positives", "1")
        lines = ran.out.splitlines()
        start = lines.index("Where most of the cost comes from (d):")
        assert lines[start + 3].split() == ["c", "a", "0.333", "67", "%"]
        assert lines[start + 4].split() == ["a", "b", "0.167", "33", "%"]

    def test_a_useless_model(self, run, ten):
        out = " ".join(run("eval", ten, "--scores", "p", *COSTS).out.split())
        assert "Use no model: keep always deciding 'yes'. No model here costs less" in out


class TestGates:
    @pytest.mark.parametrize(
        ("condition", "code"),
        [("nec>0.5", 1), ("nec>2", 0), ("cost>=1.2", 1), ("saving<0", 1), ("p:nec > 1.7", 1)],
    )
    def test_exit_codes(self, run, ten, condition, code):
        # NEC 12/7 = 1.714, cost 1.2, saving 0.7 - 1.2 = -0.5
        assert run("eval", ten, "--scores", "p", *COSTS, "--fail-if", condition).code == code

    def test_what_failed_is_said(self, run, ten):
        ran = run("eval", ten, "--scores", "p", *COSTS, "--fail-if", "nec>0.5", "--quiet")
        assert ran.err.splitlines()[-1] == "failed: nec>0.5 (nec of p is 1.714)"

    def test_a_typo_is_a_problem_not_a_pass(self, run, ten):
        ran = run("eval", ten, "--scores", "p", *COSTS, "--fail-if", "nec>nan")
        assert ran.code == 2
        ran = run("eval", ten, "--scores", "p", *COSTS, "--fail-if", "nex>0.5")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("error: I cannot read the condition 'nex>0.5'.\n")

    def test_require_fails_unless_the_verdict_is_to_deploy(self, run, ten):
        ran = run("eval", ten, "--scores", "p", *COSTS, "--require", "p")
        assert ran.code == 1
        assert ran.err.startswith("failed: --require p (Use no model: keep always deciding 'yes'.")

    def test_require(self, run, write):
        name = write("t.csv", "y,a,b\n" + "0,0,0\n1,1,0\n" * 20)
        words = ["eval", name, "--decisions", "a,b", "--cost", "error=1", "--min-positives", "1"]
        assert run(*words, "--require", "a").code == 0
        failed = run(*words, "--require", "b", "--quiet")
        assert (failed.code, failed.err) == (1, "failed: --require b (the best is a)\n")
        assert run(*words, "--require", "c").code == 2


class TestNextStep:
    """The command that is recommended can be typed, and asks the same question."""

    def test_it_repeats_weights_and_costs(self, run, write):
        rows = list(csv.DictReader(io.StringIO(example_path("churn.csv").read_text())))
        text = "y,p,n\n" + "".join(
            f"{row['churned']},{row['gbm_p']},{1 + i % 3}\n" for i, row in enumerate(rows)
        )
        words = ["--label", "y", "--positive", "yes", "--scores", "p", "--weight", "n"]
        ran = run("eval", write("c.csv", text), *words, "--cost", "fn=40", "fp=4", "--unit", "EUR")
        told = ran.out[ran.out.index("stakes calibrate") :].split("\np ")[0].replace("\\\n", " ")
        expected = (
            "stakes calibrate c.csv --label y --positive yes --model p --weight n "
            "--cost fn=40 fp=4 --unit EUR -o p_cal.json"
        )
        assert " ".join(told.split()) == expected
        assert run(*told.split()[1:]).code == 0
