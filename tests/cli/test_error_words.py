"""Every message that a user may meet, word for word."""

from __future__ import annotations

import numpy as np
import pytest

COSTS = ["--cost", "fn=40", "fp=4"]


def rows(counts: dict[str, int], values: str) -> str:
    return "".join(f"{label}{values}\n" * count for label, count in counts.items())


def refused(ran, *lines):
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.splitlines() == list(lines)


def test_not_probabilities(run, write):
    name = write("t.csv", "y,gbm_p\n0,-7.1\n1,9.4\n")
    refused(
        run("eval", name, "--scores", "gbm_p", *COSTS),
        "error: column 'gbm_p' has values from -7.1 to 9.4, so these are not probabilities.",
        "  If they are log-odds (logits):            --scores-are log_odds",
        "  If they are log-likelihood ratios:        --scores-are llr",
        "  If only the order means something (SVM):  --scores-are rank   (costs then need a "
        "threshold found by cross-fitting)",
    )


def test_per_cent_are_recognised(run, write):
    name = write("t.csv", "y,p\n0,3\n1,88.5\n")
    err = run("eval", name, "--scores", "p", *COSTS).err
    assert "divide them by 100 in the file" in err
    name = write("u.csv", "y,p\n0,3\n1,5000\n")
    err = run("eval", name, "--scores", "p", *COSTS).err
    assert "has values from 3 to 5000, so" in err
    assert "divide" not in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--scores", "p,p"), "'p' is named twice"),
        (("--scores", "p", "--by", "id"), "'id' has 300 values; at most 200 slices"),
        (("--scores", "p", "--min-positives", "-1"), "--min-positives must not be negative"),
        (("--scores", "p", "--embed-posteriors"), "--embed-posteriors is about the page"),
        (("--scores", "p", "--forensic"), "--forensic is about the page"),
    ],
)
def test_what_cannot_be_meant(run, write, words, said):
    cells = "".join(f"{k % 2},{0.1 + 0.8 * (k % 2)},{k}\n" for k in range(300))
    ran = run("eval", write("t.csv", "y,p,id\n" + cells), *words, *COSTS)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_costliest_cases_need_costs_of_their_own(run, write):
    cells = "".join(f"{k % 2},{0.1 + 0.8 * (k % 2)}\n" for k in range(60))
    words = ("--scores", "p", "--list-costliest", "3", "--html", "r.html")
    ran = run("eval", write("t.csv", "y,p\n" + cells), *words, *COSTS)
    assert ran.code == 0
    assert "warning: --list-costliest is about costs per case" in ran.err


def test_positive_among_more_than_two(run, write):
    name = write("t.csv", "y,d\n" + "a,a\nb,b\nc,c\n" * 20)
    ran = run("eval", name, "--decisions", "d", "--cost", "error=1", "--positive", "a")
    assert ran.code == 2
    assert "--positive is for two outcomes; 'y' holds 3" in ran.err


def test_a_value_just_outside_is_shown_in_full(run, write):
    name = write("t.csv", "y,p\n0,0\n1,1.0000001\n")
    ran = run("eval", name, "--scores", "p", *COSTS)
    assert "column 'p' has values from 0 to 1.0000001, so these are not probabilities." in ran.err


def test_infinity_is_not_a_probability_and_is_a_logit(run, write):
    name = write("t.csv", "y,p\n0,-inf\n1,inf\n")
    assert "has values from -inf to inf" in run("eval", name, "--scores", "p", *COSTS).err
    words = ["--scores-are", "log_odds", "--min-positives", "1", "--json", *COSTS]
    assert run("eval", name, "--scores", "p", *words).found["models"][0]["nec"] == 0


def test_which_outcome_is_acted_on(run, write):
    name = write("t.csv", "churned,p\n" + rows({"no": 18433, "yes": 1567}, ",0.1"))
    refused(
        run("eval", name, "--label", "churned", "--scores", "p", *COSTS),
        "error: I cannot tell which outcome is the one you act on. 'churned' holds 'no' (18 433) "
        "and 'yes' (1 567).",
        "  Say:  stakes eval t.csv --label churned --scores p --cost fn=40 fp=4 --positive yes",
    )


@pytest.mark.parametrize(("low", "high"), [("0", "1"), ("-1", "1"), ("False", "True")])
def test_pairs_that_everybody_reads_alike_need_no_positive(run, write, low, high):
    name = write("t.csv", f"y,p\n{low},0.1\n{high},0.9\n")
    ran = run("eval", name, "--scores", "p", *COSTS, "--min-positives", "1", "--json")
    assert ran.found["positive"] == high


def test_positive_with_another_spelling(run, write):
    name = write("t.csv", "y,p\nno,0.1\nyes,0.9\n")
    refused(
        run("eval", name, "--scores", "p", "--positive", "Yes", *COSTS),
        "error: 'Yes' does not occur in 'y', which holds 'no' (1) and 'yes' (1).",
        "  Say: --positive yes",
    )


def test_orientation_of_a_costs_table(run, write):
    write("costs.csv", ",cat,dog,ask\ncat,0,1,2\ndog,1,0,2\n")
    name = write("t.csv", "y,d\ncat,cat\ndog,dog\n")
    refused(
        run("eval", name, "--decisions", "d", "--costs", "costs.csv"),
        "error: costs.csv: rows are headed cat,dog and columns cat,dog,ask - I need to know which "
        "side is the truth.",
        "  Put 'truth' in the top-left cell if rows are the truth, 'decision' if rows are the "
        "decision.",
    )


def test_orientation_of_a_confusion_matrix(run, write):
    write("A.csv", ",cat,dog\ncat,9,1\ndog,1,9\n")
    refused(
        run("eval", "--confusion", "A.csv", "--cost", "error=1"),
        "error: A.csv: rows are headed cat,dog and columns cat,dog - I need to know which side is "
        "the truth.",
        "  Put 'truth' in the top-left cell if rows are the truth, 'decision' if rows are the "
        "decision.",
    )


def test_missing_costs_are_listed(run, write):
    write(
        "costs.toml",
        'outcomes = ["cat", "dog", "fox"]\n[cost.cat]\ndog = 1\n[cost.dog]\ncat = 1\n'
        "[cost.fox]\ncat = 100\n",
    )
    name = write("t.csv", "y,d\ncat,cat\ndog,dog\nfox,fox\n")
    refused(
        run("eval", name, "--decisions", "d", "--costs", "costs.toml"),
        "error: costs.toml: cost of deciding 'fox' when the truth is 'cat' is missing (3 cells "
        "missing).",
        "  Missing: cat->fox, dog->fox, fox->dog.  Write 0 if it is really free.",
    )


def test_a_decision_that_is_never_worse(run, write):
    write("costs.csv", "truth,cat,ask a person\ncat,2,2\ndog,100,2\n")
    name = write("t.csv", "y,d\ncat,cat\ndog,cat\n")
    ran = run("eval", name, "--decisions", "d", "--costs", "costs.csv")
    assert ran.code == 2
    assert ran.err.splitlines()[0] == (
        "error: with these costs 'ask a person' (2) is never worse than 'cat' (2..100), so no "
        "model can change the decision."
    )


def test_scores_that_mean_the_other_outcome(run, write):
    text = "y,gbm_p\n" + rows({"yes": 20}, ",0.1") + rows({"no": 20}, ",0.1")
    text += rows({"no": 38}, ",0.9")
    # of 20 x 58 pairs, 20 x 20 are ties and count half, the others are the wrong way round:
    # 200 / 1160 = 0.17
    name = write("t.csv", text)
    ran = run("eval", name, "--scores", "gbm_p", "--positive", "yes", *COSTS)
    assert ran.code == 0
    assert ran.err == (
        "warning: higher gbm_p goes with *fewer* 'yes' (AUC 0.17). Is the column the probability "
        "of 'no'?  --flip gbm_p\n"
    )


def test_probabilities_that_do_not_add_to_1(run, write):
    text = "y,p_0,p_1\n" + "0,0.4,0.6\n" * 5119 + "1,0.27,0.6\n" + "1,0.5,0.49\n" * 213
    name = write("t.csv", text)
    refused(
        run("eval", name, "--proba", "p_*", *COSTS),
        "error: probabilities of 214 rows do not add to 1 (worst 0.87, row 5 120).",
        "  To rescale each row: --renormalise   (differences below 1e-6 are rounding and pass)",
    )
    words = ["--proba", "p_*", "--renormalise", "--json", *COSTS]
    assert run("eval", name, *words).code == 0


def test_rounding_passes(run, write):
    name = write("t.csv", "y,p_0,p_1\n0,0.3333333,0.6666666\n1,0.1,0.9\n")
    ran = run("eval", name, "--proba", "p_*", "--min-positives", "1", *COSTS)
    assert ran.code == 0


def test_empty_rows_are_warned_of(run, write):
    text = "y,logreg_p\n" + rows({"1": 37}, ",") + rows({"0": 18396, "1": 1567}, ",0.1")
    name = write("t.csv", text)
    ran = run("eval", name, "--scores", "logreg_p", *COSTS)
    assert ran.code == 0
    assert ran.err == (
        "warning: 37 rows of logreg_p are empty. Models are compared on the 19 963 rows that every "
        "model has; change that with --missing abstain|naive|drop.\n"
    )


def test_arrays_of_different_lengths(run, tmp_path):
    np.save(tmp_path / "labels.npy", np.zeros(20000, dtype=np.int8))
    np.save(tmp_path / "scores.npy", np.full((19998, 2), 0.5))
    refused(
        run("eval", "scores.npy", "--label", "labels.npy", *COSTS),
        "error: labels has 20 000 rows but scores.npy has (19 998, 2). Same file, same order?",
    )


def test_an_outcome_without_a_column(run, write):
    text = "species,p_cat,p_dog\n" + rows({"cat": 2, "dog": 2, "fox": 312}, ",0.5,0.5")
    name = write("t.csv", text)
    words = ["--label", "species", "--proba", "p_*", "--cost", "error=1"]
    refused(
        run("eval", name, *words),
        "error: p_cat, p_dog found but 'fox' has no column.",
    )


def test_probability_of_the_predicted_class(run, write):
    name = write("t.csv", "y,prediction_score\nno,0.5\nyes,0.9\n")
    refused(
        run("eval", name, "--scores", "prediction_score", "--positive", "yes", *COSTS),
        "error: 'prediction_score' looks like the probability of the *predicted* class (minimum "
        "0.50). I need p(yes).",
    )


def test_too_few_positives(run, write):
    name = write("t.csv", "y,p\n" + rows({"0": 93}, ",0.01") + rows({"1": 7}, ",0.9"))
    ran = run("eval", name, "--scores", "p", *COSTS)
    assert ran.code == 2
    assert ran.err == (
        "error: 7 positives. I will print counts but no interval and no verdict. "
        "Override: --min-positives 7\n"
    )
    assert "Deploy" not in ran.out
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[-2:] == [["0", "93", "0", "93"], ["1", "0", "7", "7"]]
    assert run("eval", name, "--scores", "p", *COSTS, "--min-positives", "7").code == 0


def test_too_few_in_json_has_no_verdict(run, write):
    name = write("t.csv", "y,p\n0,0.1\n1,0.9\n")
    ran = run("eval", name, "--scores", "p", *COSTS, "--json")
    assert (ran.code, ran.found["verdict"]["kind"]) == (2, "cannot say")
    assert ran.found["models"][0]["interval"] is None


def test_one_outcome_only(run, write):
    name = write("t.csv", "y,p\nno,0.1\nno,0.2\n")
    refused(
        run("eval", name, "--scores", "p", *COSTS),
        "error: 'y' holds only 'no' (2), so nothing can be said about telling outcomes apart.",
        "  bring cases of every outcome, or name another column:  --label COLUMN",
    )


def test_three_outcomes_for_two_costs(run, write):
    name = write("t.csv", "y,d\na,a\nb,b\nc,c\nc,c\n")
    refused(
        run("eval", name, "--decisions", "d", *COSTS),
        "error: 'y' holds 3 outcomes, 'c' (2), 'a' (1) and 'b' (1), but this needs two: one you "
        "act on and one you do not.",
        "  when every error costs the same:  --cost error=1",
        "  otherwise give a file of costs, --costs costs.toml, which you get from:  "
        "stakes costs --template FILE --label y -o costs.toml",
    )


def test_no_costs(run, write):
    name = write("t.csv", "y,p\n0,0.1\n1,0.2\n")
    refused(
        run("eval", name, "--scores", "p"),
        "error: I need to know what the decisions cost.",
        "  Say:  stakes eval t.csv --scores p --label y --cost fn=10 fp=1",
        "    (replace 10 and 1 by your costs of a miss and a false alarm)",
        "  If you do not know what errors cost, answer a few questions:",
        "    stakes ask t.csv --label y --scores p -o costs.toml",
    )


def test_costs_given_twice(run, write):
    write("c.csv", "truth,0,1\n0,0,1\n1,1,0\n")
    ran = run("eval", "t.csv", "--costs", "c.csv", *COSTS)
    assert ran.err.splitlines()[0] == "error: costs are given twice: --costs and --cost."


def test_no_models(run, write):
    name = write("t.csv", "id,churned,score\n1,0,3\n2,1,4\n")
    refused(
        run("eval", name, "--label", "churned", *COSTS),
        "error: I cannot tell which columns hold the models. t.csv has: id, score.",
        "  probabilities of the outcome you act on:   --scores A,B",
        "  one probability per outcome:               --proba 'p_*'",
        "  decisions:                                 --decisions A,B",
    )


def test_no_file(run):
    assert run("eval", "nope.csv", "--scores", "p", *COSTS).err.splitlines()[0] == (
        "error: there is no file 'nope.csv'."
    )
    assert run("eval", *COSTS).err.splitlines()[0] == "error: there is no file to read."


def test_decision_outside_the_set(run, write):
    name = write("t.csv", "y,d\n0,0\n1,maybe\n1,maybe\n")
    refused(
        run("eval", name, "--decisions", "d", *COSTS),
        "error: column 'd' decides 'maybe' in 2 rows, but the decisions are '0', '1'.",
        "  decisions must be spelt as in the truth or in the costs file",
    )


def test_label_outside_the_costs(run, write):
    write("c.csv", "truth,a,b\na,0,1\nb,1,0\n")
    name = write("t.csv", "y,d\na,a\nc,b\n")
    refused(
        run("eval", name, "--decisions", "d", "--costs", "c.csv"),
        "error: 'y' holds 'a' (1) and 'c' (1), but the costs speak of 'a', 'b'.",
        "  add 'c' to the costs, or correct the spelling",
    )


def test_empty_truth(run, write):
    name = write("t.csv", "y,p\n0,0.1\n,0.3\n1,0.9\n")
    refused(
        run("eval", name, "--scores", "p", *COSTS),
        "error: 1 row of 'y', the truth, is empty; the first is row 2.",
        "  To leave them out: --missing drop",
    )
    words = ["--missing", "drop", "--min-positives", "1"]
    assert run("eval", name, "--scores", "p", *COSTS, *words).code == 0


def test_bad_weight(run, write):
    name = write("t.csv", "y,p,w\n0,0.1,1\n1,0.3,-2\n")
    assert run("eval", name, "--scores", "p", "--weight", "w", *COSTS).err == (
        "error: weights must be numbers that are not negative; row 2 of 'w' is -2 (1 of 2 rows).\n"
    )


def test_label_that_is_an_id(run, write):
    name = write("t.csv", "y,p\n" + "".join(f"{k},0.5\n" for k in range(1500)))
    ran = run("eval", name, "--scores", "p", "--cost", "error=1")
    assert ran.err.splitlines()[0] == (
        "error: 'y' holds 1 500 different values, which look like numbers or ids, not like "
        "outcomes."
    )


@pytest.mark.parametrize(("share", "name"), [("0", "no"), ("100%", "yes")])
def test_a_share_that_leaves_nothing_to_decide(run, write, share, name):
    file = write("t.csv", "y,p\nno,0\nyes,1\n")
    words = ["--scores", "p", "--positive", "yes", "--prevalence", share]
    refused(
        run("eval", file, *words, *COSTS),
        f"error: you said that every case is '{name}', so there is nothing to decide.",
    )


def test_a_share_of_an_outcome_nobody_has_seen(run, write):
    write("c.csv", "truth,a,b,c\na,0,1,1\nb,1,0,1\nc,9,9,0\n")
    file = write("t.csv", "y,p_a,p_b,p_c\na,0.6,0.3,0.1\nb,0.2,0.7,0.1\n")
    refused(
        run("eval", file, "--costs", "c.csv", "--prevalence", ".3,.3,.4"),
        "error: you said that 40 % of the cases are 'c', but there is none in the data, so its "
        "cost is unknown.",
        "  bring cases of 'c', or set its share to 0",
    )
    ran = run("eval", file, "--costs", "c.csv", "--prevalence", ".3,.7,0")
    assert ran.err.splitlines()[0] == (
        "error: there is no case of 'c' in the data, so its probability cannot be moved to a new "
        "base rate."
    )
    ran = run("eval", file, "--costs", "c.csv", "--min-positives", "1")
    assert "- The data have no case of 'c'." in ran.out


@pytest.mark.parametrize(
    ("cell", "written"), [("3.6%", "0.036"), ("1,000", "1000"), ("12 345.5", "12345.5")]
)
def test_numbers_that_people_write_otherwise(run, write, cell, written):
    name = write("t.csv", f'y,p\n0,0.1\n1,"{cell}"\n')
    err = run("eval", name, "--scores", "p", *COSTS).err
    assert f"row 2 holds '{cell}'" in err
    assert f"write {cell} as {written}" in err


def test_a_damaged_parquet_file(run, write):
    pytest.importorskip("pyarrow", reason="reads Parquet")
    ran = run("eval", write("t.parquet", b"PAR1 and no more"), "--label", "y", *COSTS)
    assert ran.code == 2
    assert ran.err.startswith("error: t.parquet: the Parquet file is damaged (")
    assert ran.err.endswith("  write or copy the file again\n")


def test_json_that_is_no_summary(run, write):
    ran = run("eval", write("t.json", '{"a": 1}'), "--label", "y", *COSTS)
    assert ran.err.startswith("error: t.json is not a summary")


def test_outcomes_spelt_in_two_ways(run, write):
    name = write("t.csv", "y,p\nno,0.1\nyes,0.2\nYes ,0.9\n")
    err = run("eval", name, "--scores", "p", *COSTS).err
    assert "may be one outcome: spell it alike in every row" in err


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("a/b", "`a/b` divides by 0, first in row 4 (2 of 4 rows)."),
        ("a*1e308", "`a*1e308` comes to a number that is too large, first in row 2 (1 of 4 rows)."),
        ("c", "`c` has missing values; the first is row 5 (1 of 4 rows)."),
    ],
)
def test_costs_of_a_case_name_its_row_in_the_file(run, write, formula, said):
    cells = "no,.1,1,1,1\nyes,.7,5,2,2\n,.7,1,0,3\nyes,.9,1,0,4\nno,.2,1,0,\n"
    name = write("t.csv", "y,p,a,b,c\n" + cells)
    words = ("--label", "y", "--positive", "yes", "--scores", "p", "--missing", "drop")
    ran = run("eval", name, *words, "--cost", f"fn={formula}", "fp=1")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[0] == f"error: {said}"
    assert len(ran.err.splitlines()) == 2  # and what to do


def test_calibrate_without_a_file(run):
    refused(
        run("calibrate"),
        "error: there is no file to read.",
        "  stakes calibrate data.csv --label y --model model_a -o model_a_cal.json",
    )


def test_a_file_that_is_no_calibration(run, write):
    write("t.csv", "y,p\n0,0.2\n1,0.7\n")
    refused(
        run("calibrate", "--apply", write("other.json", '{"a": 1}'), "t.csv"),
        "error: other.json is not a saved calibrator: it does not say 'format': "
        "'stakes-calibrator'.",
        "  a calibration is written by  stakes calibrate data.csv ... -o FILE, or in Python by "
        "save(...)",
    )
