"""Words that once misled: hints, thresholds, columns, and names that must not be cut."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from stakes.cli.show.terminal import continued

ROWS = "y,p,q,w\n" + "".join(
    f"{'no' if k % 4 else 'yes'},{0.02 * (k % 30) if k % 4 else 0.7},{0.01 * (k % 97)},x\n"
    for k in range(400)
)
BASE = ("eval", "d.csv", "--label", "y", "--positive", "yes", "--scores", "p,q")
COSTS = ("--cost", "fn=10", "fp=1")


@pytest.fixture
def judged(run, write):
    """Run `eval` on four hundred cases with two models."""
    write("d.csv", ROWS)
    return lambda *words: run(*BASE, *words)


class TestHints:
    def test_a_weight_that_is_text_is_not_called_a_decision(self, judged):
        done = judged(*COSTS, "--weight", "w")
        assert done.code == 2
        assert "--weight COLUMN" in done.err
        assert "--decisions" not in done.err

    @pytest.mark.parametrize("amount", ["nan", "inf", "-Infinity"])
    def test_a_cost_is_finite(self, judged, amount):
        done = judged("--cost", f"fn={amount}", "fp=1")
        assert f"a cost must be a finite number; got fn={amount}." in done.err

    def test_a_cost_that_is_no_column_says_which_cost(self, judged):
        done = judged("--cost", "fn=abc", "fp=1")
        assert "--cost fn=abc: d.csv has no column 'abc'" in done.err
        assert "an amount is a number" in done.err

    def test_one_outcome_that_nobody_said(self, run, write):
        write("c.csv", "truth,no,yes\nno,40,10\nyes,0,0\n")
        done = run("eval", "--confusion", "c.csv", "--positive", "yes", *COSTS)
        assert "every case here is 'no'" in done.err
        assert "you said" not in done.err

    def test_shares_beyond_a_hundred_per_cent(self, judged):
        done = judged(*COSTS, "--prevalence", "2%..150%")
        assert "'2%..150%' is not a range of shares" in done.err
        assert "below 1 (100 %)" in done.err


class TestForms:
    def test_csv_has_the_interval(self, judged):
        (first, second) = csv.DictReader(io.StringIO(judged(*COSTS, "--csv").out))
        found = judged(*COSTS, "--json").found["models"]
        for row, model in zip((first, second), found, strict=True):
            assert [float(row["low"]), float(row["high"])] == model["interval"]
            assert float(row["recalibrated_nec"]) == model["recalibrated_nec"]
            assert float(row["threshold"]) == model["threshold"]

    def test_csv_of_a_range(self, judged):
        row = next(csv.DictReader(io.StringIO(judged("--cost", "fn=5..15", "fp=1", "--csv").out)))
        assert {"nec at 5", "nec at 15", "mean_nec", "worst_regret"} <= set(row)

    @pytest.mark.parametrize("kind", ["posterior", "log_odds"])
    def test_quiet_has_a_threshold_for_columns_of_both_outcomes(self, run, tmp_path, kind):
        """Acting above 1 / 11 of the second column, whatever the columns are."""
        y = np.arange(300) % 5 == 0
        p = np.where(y, 0.6, 0.01 * (np.arange(300) % 40))
        both = np.column_stack([1 - p, p])
        np.save("truth.npy", y.astype(int))
        np.save("m.npy", both if kind == "posterior" else np.log(both + 1e-9))
        done = run("eval", "m.npy", "--label", "truth.npy", "--scores-are", kind, *COSTS, "--quiet")
        assert done.out == "m 0.0909\n"

    def test_a_command_keeps_each_option_with_its_value(self, monkeypatch):
        monkeypatch.setenv("COLUMNS", "40")
        lines = continued("stakes calibrate d.csv --label y --model gbm -o gbm_cal.json")
        assert all(not line.rstrip(" \\").endswith(("-o", "--model", "--label")) for line in lines)

    def test_a_file_may_stand_after_options(self, run, write):
        write("d.csv", ROWS)
        words = [word for word in BASE if word != "d.csv"]
        assert run(*words, *COSTS, "--quiet", "d.csv").code == 0
        audit = ("audit", "f1", *words[1:], *COSTS, "--draws", "50", "--json", "d.csv")
        assert run(*audit).code == 0
        done = run(*words, *COSTS, "--quiet", "d.csv", "other.csv")
        assert done.code == 2
        assert "there is no file 'other.csv'" in done.err


class TestAudit:
    def test_names_are_never_cut(self, run):
        done = run("audit", "--all", "--draws", "50")
        assert "negative_predictive_value" in done.out
        assert "~" not in done.out
        assert all(len(line) <= 80 for line in done.out.splitlines())

    def test_a_rare_outcome_is_not_rounded_up(self, run):
        """At one in ten thousand, ten of a hundred thousand cases are positive."""
        done = run("audit", "f1", *COSTS, "--prevalence", "0.01%", "--json", "--draws", "50")
        (tn, fp), (fn, tp) = json.loads(done.out)["opposite"]["preferred"]
        assert fn + tp == 10
        assert tn + fp == 100_000 - 10

    def test_ranges_are_judged_at_their_ends_too(self, run):
        done = run("audit", "f1", "--cost", "fn=5..15", "fp=1", "--draws", "200")
        out = " ".join(done.out.split())
        assert "% if a miss costs 5; " in out
        assert "% if a miss costs 15." in out

    def test_all_metrics_in_the_middle_of_a_range(self, run):
        done = run("audit", "--all", "--cost", "fn=5..15", "fp=1", "--draws", "50")
        assert "taken in the middle of their ranges" in done.out

    def test_costs_per_case_are_said_to_be_averaged(self, run, write):
        rows = "".join(f"{int(k % 4 == 0)},{0.01 * (k % 60)},{k % 9 + 1}\n" for k in range(120))
        write("loans.csv", "default,p,amount\n" + rows)
        words = ("--label", "default", "--scores", "p", "--cost", "fn=2*amount", "fp=1")
        done = run("audit", "f1", "loans.csv", *words, "--draws", "50")
        assert "judged by the average costs" in done.out

    def test_json_has_rank_correlations(self, run, write):
        write("d.csv", ROWS.replace("y,p,q,w", "y,p,q,r").replace(",x\n", ",0.5\n"))
        words = ("d.csv", "--label", "y", "--positive", "yes", "--scores", "p,q,r", *COSTS)
        found = json.loads(run("audit", "f1", *words, "--draws", "50", "--json").out)
        assert set(found["candidates"]["rank_correlation"]) == {"spearman", "weighted"}


class TestExamplesInHints:
    """What a hint says to type is likely to work."""

    TABLE = "customer,who,gbm\n" + "".join(
        f"{1000 + k},{'no' if k % 3 else 'yes'},{0.01 * (k % 90)}\n" for k in range(300)
    )

    def test_the_truth_holds_few_values(self, run, write):
        done = run("eval", write("d.csv", self.TABLE), *COSTS)
        assert "--label who --positive yes --scores gbm" in done.err

    def test_probabilities_lie_between_0_and_1(self, run, write):
        done = run("eval", write("d.csv", self.TABLE), "--label", "who", *COSTS)
        assert "--scores gbm" in done.err

    def test_a_dash_is_no_range(self, judged):
        done = judged("--cost", "fn=5-20", "fp=1")
        assert "'fn=5-20' reads as 5 minus 20." in done.err
        assert "a range is written fn=5..20" in done.err
        assert (
            judged("--cost", "fn=25 - 5", "fp=1", "--json").found["application"]["costs"][1][0]
            == 20
        )


def test_outcomes_with_long_names_stay_within_the_page(run, write):
    long = {"yes": "the customer left within three months", "no": "the customer stayed with us"}
    rows = ROWS.replace("yes,", f"{long['yes']},").replace("no,", f"{long['no']},")
    write("d.csv", rows)
    done = run(*BASE[:5], long["yes"], *BASE[6:], "--cost", "fn=123456.5", "fp=4123.75")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert "123 456.5" in done.out
