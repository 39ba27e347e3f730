"""`stakes monitor` of a file in which the last periods have no labels yet."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from stakes.estimation import DecidedCases
from stakes.monitoring import estimate_periods

WORDS = ("months.csv", "--time", "date", "--period", "month", "--label", "y", "--positive", "yes",
         "--scores", "p", "--cost", "fn=10", "fp=1")  # fmt: skip


def month(share, seed):
    rng = np.random.default_rng(seed)
    y = (rng.random(1000) < share).astype(int)
    p = expit(rng.normal((2 * y - 1) * 1.5, np.sqrt(3)) + np.log(0.25))
    return y, np.round(p, 6)


MONTHS = [month(0.2, 0), month(0.2, 1), month(0.6, 2)]


@pytest.fixture
def monitored(run, write):
    def ran(*words, labelled=2, gap=False):
        lines = ["date,y,p"]
        for k, (y, p) in enumerate(MONTHS):
            names = np.where(y == 1, "yes", "no") if k < labelled else np.full(1000, "")
            if gap and k == 1:
                names[7] = ""
            rows = zip(names.tolist(), p.tolist(), strict=True)
            lines += [f"2026-0{k + 1}-05,{name},{s}" for name, s in rows]
        write("months.csv", "\n".join(lines) + "\n")
        return run("monitor", *WORDS, *words)

    return ran


def test_periods_without_labels_are_estimated_as_in_python(monitored):
    found = monitored("--json").found
    reference = DecidedCases.from_scores(*MONTHS[0], costs={"fn": 10, "fp": 1})
    said = estimate_periods(
        {
            "2026-02": reference.alike(MONTHS[1][1], y_true=MONTHS[1][0]),
            "2026-03": reference.alike(MONTHS[2][1]),
        },
        reference=reference,
    )
    rows = found["estimates"]["periods"]
    assert [row["estimate"] for row in rows] == pytest.approx(said.frame()["estimate"].tolist())
    assert [row["cost"] for row in rows] == [pytest.approx(said.costs[0]), None]
    assert found["estimates"]["alarms"] == ["2026-03"] == list(said.alarms)
    assert [row["period"] for row in found["periods"]] == ["2026-01", "2026-02"]


@pytest.mark.parametrize("cost", ["fn=10", "fn=amount"])
@pytest.mark.parametrize(
    "scores", [("--scores", "l_yes"), ("--proba", "l_*")], ids=["one column", "two columns"]
)
def test_all_periods_are_decided_at_the_same_class_shares(run, write, scores, cost):
    """Log-likelihood ratios are decided at the shares of all labelled cases."""
    rng, lines = np.random.default_rng(3), ["date,y,l_no,l_yes,amount"]
    for k, share in enumerate((0.5, 0.05, 0.05, 0.5)):
        y = rng.random(800) < share
        ratios, amounts = rng.normal(3 * y - 1.5, np.sqrt(3)), rng.uniform(5, 15, 800)
        names = np.where(y, "yes", "no") if k < 3 else np.full(800, "")
        rows = zip(names.tolist(), ratios.tolist(), amounts.tolist(), strict=True)
        lines += [f"2026-0{k + 1}-05,{name},0,{r:.5f},{a:.2f}" for name, r, a in rows]
    write("months.csv", "\n".join(lines) + "\n")
    found = run("monitor", *WORDS[:9], *scores, "--scores-are", "llr", "--cost", cost, "fp=1",
                "--json").found  # fmt: skip
    first, *known = [row["cost"] for row in found["periods"]]
    *estimated, last = found["estimates"]["periods"]
    assert [row["cost"] for row in estimated] == pytest.approx(known)
    assert last["low"] < first < last["high"]  # the first and the last are drawn alike


def test_scores_in_two_columns_are_read_as_in_one(run, write):
    lines = ["date,y,z_no,z_yes"]
    for k, (y, p) in enumerate(MONTHS):
        names = np.where(y == 1, "yes", "no") if k < 2 else np.full(1000, "")
        rows = zip(names.tolist(), np.round(np.log(p / (1 - p)), 4).tolist(), strict=True)
        lines += [f"2026-0{k + 1}-05,{name},0,{z}" for name, z in rows]
    write("months.csv", "\n".join(lines) + "\n")
    one, two = (
        run("monitor", *WORDS[:9], *scores, "--scores-are", "log_odds", *WORDS[11:], "--json").found
        for scores in (("--scores", "z_yes"), ("--proba", "z_*"))
    )
    said = [each["estimates"]["periods"][-1]["estimate"] for each in (one, two)]
    assert said[0] == pytest.approx(said[1])


def test_the_terminal_marks_them(monitored):
    out = monitored().out
    part = out.partition("Estimated without labels:")[2]
    assert "2026-03" in part
    assert "~" in part
    assert "ALARM" in part
    assert "Without labels, an estimate cannot see" in " ".join(part.split())
    assert monitored("--quiet").out == "2026-03\n"


def test_the_page_shows_them(monitored, tmp_path):
    monitored("--html", "watch.html")
    page = (tmp_path / "watch.html").read_text("utf-8")
    assert "Before labels arrive" in page
    assert "not yet" in page
    assert "other shares" in page


def test_the_chance_of_a_needless_alarm_of_either_kind_is_told(monitored, tmp_path):
    said = "The chance of a needless alarm is 10 % over the whole run"
    for labelled, more in (
        (2, " for alarms by labels, and another 10 % for alarms of estimates."),
        (3, "."),
    ):
        out = monitored("--level", "0.9", "--html", "watch.html", labelled=labelled).out
        assert f"- {said}{more}" in " ".join(out.split())
        page = (tmp_path / "watch.html").read_text("utf-8")
        assert f"{said}{more}</p>" in " ".join(page.split())


def test_an_alarm_without_labels_is_the_answer(monitored, tmp_path):
    """On the terminal, on the page and as JSON, as `--fail-if alarm` counts it."""
    said = "Alarm of the estimate at 2026-03, without labels."
    ran = monitored("--html", "watch.html", "--fail-if", "alarm")
    out, page = " ".join(ran.out.split()), (tmp_path / "watch.html").read_text("utf-8")
    assert ran.code == 1
    assert said in out
    assert "Label some of these cases at random; if the labels confirm it, estimate the" in out
    assert f"<strong>{said}</strong>" in page
    found = monitored("--json").found
    assert (found["alarm"], found["alarms"]) == (True, ["2026-03"])
    assert found["advice"].startswith(said)
    assert "Nothing moved" not in out + page + found["advice"]


def test_alarms_of_both_kinds_are_told(run, write):
    lines = ["date,y,p"]
    for k, (y, p) in enumerate([MONTHS[0], MONTHS[2], MONTHS[2]]):
        names = np.where(y == 1, "yes", "no") if k < 2 else np.full(1000, "")
        rows = zip(names.tolist(), p.tolist(), strict=True)
        lines += [f"2026-0{k + 1}-05,{name},{s}" for name, s in rows]
    write("months.csv", "\n".join(lines) + "\n")
    found = run("monitor", *WORDS, "--json").found
    assert found["alarms"] == ["2026-02", "2026-03"]
    assert found["first_alarm"]["moved"]
    assert found["advice"].startswith("Since 2026-02:")
    out = " ".join(run("monitor", *WORDS).out.split())
    assert "Alarm at 2026-02. The share of 'yes' went" in out
    assert "Alarm of the estimate at 2026-03, without labels." in out


def test_csv_has_periods_without_labels_and_marks_them(monitored):
    head, *rows = (line.split(",") for line in monitored("--csv").out.splitlines())
    rows = [dict(zip(head, row, strict=True)) for row in rows]
    assert [(row["period"], row["basis"]) for row in rows] == [
        ("2026-01", "labels"), ("2026-02", "labels"), ("2026-03", "estimate"),
    ]  # fmt: skip
    last = monitored("--json").found["estimates"]["periods"][-1]
    assert [float(rows[2][name]) for name in ("cases", "cost", "low", "p_value")] == [
        last[name] for name in ("cases", "estimate", "low", "chance")
    ]
    assert (rows[2]["change"], rows[2]["alarm"]) == ("", "True")


def test_with_all_labels_nothing_is_estimated(monitored):
    assert monitored("--json", labelled=3).found["estimates"] is None


def test_a_gap_among_labels_is_still_an_error(monitored):
    ran = monitored(gap=True)
    assert ran.code == 2
    assert "1 row of 'y', the truth, is empty in periods that have labels" in ran.err
    assert "--missing drop" in ran.err
    assert "stakes estimate PERIOD.csv --label y" in ran.err
    assert "--period" not in ran.err  # no length of periods would separate them


def test_dropping_a_gap_keeps_the_estimates_of_other_periods(monitored):
    ran = monitored("--missing", "drop", "--json", gap=True)
    err = " ".join(ran.err.split())
    assert "1 row of 'y', the truth, in periods that have labels, is empty and left out." in err
    assert ran.found["periods"][1]["cases"] == 999
    wanted = monitored("--json").found["estimates"]["periods"][-1]
    assert ran.found["estimates"]["periods"][-1] == wanted


def test_dropped_rows_are_counted_where_nothing_is_estimated(run, write):
    rows = [f"2026-0{month}-05,{y},yes" for month in (1, 2) for y in ["yes", "no"] * 30]
    write("done.csv", "\n".join(["date,y,d", *rows, *["2026-03-05,,yes"] * 60]) + "\n")
    ran = run("monitor", "done.csv", *WORDS[1:9], "--decisions", "d", "--cost", "fn=10",
              "fp=1", "--missing", "drop", "--json")  # fmt: skip
    assert ran.found["estimates"] is None
    assert "60 rows of 'y', the truth, are empty and left out." in " ".join(ran.err.split())


def test_rows_without_label_and_score_are_left_out_and_counted(run, write):
    lines = ["date,y,p"]
    for k, (y, p) in enumerate(MONTHS):
        names = np.where(y == 1, "yes", "no") if k < 2 else np.full(1000, "")
        scores = [("" if k == 2 and i < 5 else s) for i, s in enumerate(p.tolist())]
        rows = zip(names.tolist(), scores, strict=True)
        lines += [f"2026-0{k + 1}-05,{name},{s}" for name, s in rows]
    write("months.csv", "\n".join(lines) + "\n")
    for words in ((), ("--missing", "drop")):
        ran = run("monitor", *WORDS, *words, "--json")
        err = " ".join(ran.err.split())
        assert "5 rows of p without a label are empty. Only the other 995 rows are used." in err
        assert ran.found["estimates"]["periods"][-1]["cases"] == 995


def dated(first, days, labelled, step=8):
    """Eight rows a day, two of them `yes`."""
    found = []
    for k in range(days * step):
        day = np.datetime64(first) + k // step
        y = k % 4 == 0
        name = ("yes" if y else "no") if str(day) < labelled else ""
        found.append(f"{day},{name},{0.3 + 0.4 * y + 0.001 * (k % 97)}")
    return found


def test_periods_that_have_all_labels_or_none_are_advised(run, write):
    """Labels end on a Tuesday; the first five days have ten cases of both outcomes."""
    words = ("monitor", "both.csv", *WORDS[1:3], *WORDS[5:])
    advised = "--period day --reference-first 5"
    write("both.csv", "\n".join(["date,y,p", *dated("2026-05-01", 61, "2026-06-03")]) + "\n")
    ran = run(*words, "--period", "week")
    assert "are empty in periods that have labels, such as 2026-06-01." in ran.err
    assert f"periods that have all labels or none:  {advised}\n" in ran.err
    assert run(*words, *advised.split()).code == 0


def test_a_small_reference_is_refused_with_what_to_type(run, write):
    write("both.csv", "\n".join(["date,y,p", *dated("2026-05-01", 61, "2026-06-01")]) + "\n")
    words = ("monitor", "both.csv", *WORDS[1:3], *WORDS[5:], "--period", "day")
    ran = run(*words)
    assert ran.code == 2
    assert "the reference has 2 cases of 'yes'; 10 are needed to estimate periods" in ran.err
    assert "compare with several periods:  --reference-first 5\n" in ran.err
    assert run(*words, "--reference-first", "5").code == 0
    ran = run(*words, "--missing", "drop", "--json")  # by labels alone
    assert ran.found["estimates"] is None
    assert "240 rows of 'y', the truth, are empty and left out." in " ".join(ran.err.split())


def test_what_to_type_instead_of_a_small_named_reference(run, write):
    """--reference-first does not go with --reference."""
    write("both.csv", "\n".join(["date,y,p", *dated("2026-05-01", 61, "2026-06-01")]) + "\n")
    words = ("monitor", "both.csv", *WORDS[1:3], *WORDS[5:], "--period", "day")
    ran = run(*words, "--reference", "2026-05-03")
    said = "compare with several periods, instead of --reference 2026-05-03:  --reference-first 5\n"
    assert said in ran.err
    assert run(*words, "--reference-first", "5").code == 0


def test_what_to_type_instead_of_a_named_reference_where_the_first_has_enough(run, write):
    lines = [*dated("2026-05-01", 1, "2026-06-01", step=48), *dated("2026-05-02", 60, "2026-06-01")]
    write("both.csv", "\n".join(["date,y,p", *lines]) + "\n")
    words = ("monitor", "both.csv", *WORDS[1:3], *WORDS[5:], "--period", "day")
    ran = run(*words, "--reference", "2026-05-03")
    said = "compare with the first period, instead of --reference 2026-05-03:  --reference-first 1"
    assert said in ran.err
    assert run(*words, "--reference-first", "1").code == 0


def test_other_periods_are_advised_without_a_named_reference(run, write):
    write("both.csv", "\n".join(["date,y,p", *dated("2026-05-01", 61, "2026-06-03")]) + "\n")
    words = ("monitor", "both.csv", *WORDS[1:3], *WORDS[5:])
    ran = run(*words, "--period", "week", "--reference", "2026-05-04")
    advised = "--period day --reference-first 5"
    said = f"periods that have all labels or none, without --reference 2026-05-04:  {advised}\n"
    assert said in ran.err
    assert run(*words, *advised.split()).code == 0


STATED = {  # what states the class mix, and how to leave it out
    "option": (("--cost", "fn=10", "fp=1", "--prevalence", "5%"), "leave out --prevalence\n"),
    "file": (("--costs", "costs.toml"), "leave out the priors in costs.toml\n"),
    "both": (
        ("--costs", "costs.toml", "--prevalence", "5%"),
        "leave out --prevalence and the priors in costs.toml\n",
    ),
}


@pytest.fixture
def stated(monitored, run, write):
    """`stakes monitor` of the months with other costs, which may state a class mix."""
    write("costs.toml", 'outcomes = ["no", "yes"]\nfn = 10\nfp = 1\npriors = [0.95, 0.05]')

    def ran(*words, **months):
        monitored(**months)  # writes the months
        return run("monitor", *WORDS[:11], *words)

    return ran


@pytest.mark.parametrize("given", STATED)
def test_periods_are_not_estimated_at_a_stated_class_mix(stated, given):
    words, remedy = STATED[given]
    ran = stated(*words)
    assert ran.code == 2
    assert "'2026-03' has no labels and cannot be estimated at a stated class mix" in ran.err
    assert f"to estimate at the class mix of the data:  {remedy}" in ran.err
    assert stated("--cost", "fn=10", "fp=1").code == 0


@pytest.mark.parametrize("gap", [False, True])
@pytest.mark.parametrize("given", STATED)
def test_at_a_stated_class_mix_labels_alone_are_watched(stated, given, gap):
    ran = stated(*STATED[given][0], "--missing", "drop", "--json", gap=gap)
    assert ran.found["estimates"] is None
    assert [row["period"] for row in ran.found["periods"]] == ["2026-01", "2026-02"]
    said = f"warning: 1 00{int(gap)} rows of 'y', the truth, are empty and left out."
    assert " ".join(ran.err.split()) == said


def test_at_a_stated_class_mix_no_other_periods_are_advised(run, write):
    """They would have all labels or none, and those without could not be estimated."""
    write("both.csv", "\n".join(["date,y,p", *dated("2026-05-01", 61, "2026-06-03")]) + "\n")
    words = ("monitor", "both.csv", *WORDS[1:3], *WORDS[5:], "--period", "week")
    ran = run(*words, "--prevalence", "5%")
    assert "are empty in periods that have labels, such as 2026-06-01." in ran.err
    assert "--period" not in ran.err
    assert run(*words, "--prevalence", "5%", "--missing", "drop").code == 0


def test_fail_if_alarm_counts_periods_without_labels(monitored):
    ran = monitored("--fail-if", "alarm")
    assert ran.code == 1
    assert "failed: alarm of the estimate at 2026-03" in ran.err
    assert "alarm at" not in ran.err.replace("estimate at", "")  # the labelled months are quiet


def test_once_labels_have_come_they_decide(monitored):
    found = monitored("--json", labelled=3).found
    ran = monitored("--fail-if", "alarm", labelled=3)
    assert found["alarms"] == ["2026-03"]
    assert "failed: alarm at 2026-03" in ran.err
    assert "estimate" not in ran.err


@pytest.mark.parametrize(
    ("words", "labelled", "said", "hint"),
    [
        (("--reference-first", "2"), 2, "there are 2 with labels (1 has none), got 2.",
         "--reference-first 1"),
        (("--reference-first", "3"), 3, "there are 3, got 3.", "--reference-first 2"),
        (("--reference-first", "0"), 3, "there are 3, got 0.", "--reference-first 1"),
        (("--reference", "2026-03"), 2,
         "names '2026-03', which has no labels; those with labels are '2026-01', '2026-02'.",
         "--reference 2026-01"),
        (("--reference", "2026-02"), 2,
         "'2026-02' is the last period with labels, so none is left", "--reference 2026-01"),
        (("--reference", "2026-03"), 3, "'2026-03' is the last period, so", "--reference 2026-01"),
    ],
)  # fmt: skip
def test_a_reference_that_leaves_nothing_to_watch(monitored, words, labelled, said, hint):
    """Periods without labels are told from those that are not there; the advice works."""
    ran = monitored(*words, labelled=labelled)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.endswith(f"\n  {hint}\n")
    assert monitored(*hint.split(), labelled=labelled).code == 0


def test_a_named_reference_where_one_period_has_labels(monitored):
    for name in ("2026-01", "2026-02"):
        err = monitored("--reference", name, labelled=1).err
        assert "only '2026-01' has labels; '2026-02', '2026-03' have none." in err


def test_periods_before_the_reference_are_estimated_too(run, write):
    lines = ["date,y,p"]
    for k, (y, p) in enumerate(MONTHS):
        names = np.where(y == 1, "yes", "no") if k else np.full(1000, "")
        rows = zip(names.tolist(), p.tolist(), strict=True)
        lines += [f"2026-0{k + 1}-05,{name},{s}" for name, s in rows]
    write("months.csv", "\n".join(lines) + "\n")
    found = run("monitor", *WORDS, "--json").found
    assert [row["period"] for row in found["periods"]] == ["2026-02", "2026-03"]
    assert [row["period"] for row in found["estimates"]["periods"]] == ["2026-01", "2026-03"]
    rows = run("monitor", *WORDS, "--csv").out.splitlines()[1:]
    assert [row.partition(",")[0] for row in rows] == ["2026-02", "2026-01", "2026-03"]
    part = run("monitor", *WORDS).out.partition("Estimated without labels:")[2]
    assert "2026-01" in part
    assert "2026-03" not in part


def test_one_period_with_labels_and_one_without(run, write):
    rows = [f"2025-05-{k % 28 + 1:02},{k % 2},{0.2 + 0.6 * (k % 2)}" for k in range(60)]
    rows += [f"2025-06-{k % 28 + 1:02},,0.4" for k in range(30)]
    write("both.csv", "\n".join(["day,y,p", *rows]) + "\n")
    ran = run("monitor", "both.csv", "--time", "day", "--period", "month", "--label", "y",
              "--scores", "p", "--cost", "fn=10", "fp=1")  # fmt: skip
    assert ran.code == 2
    assert "only '2025-05' has labels; '2025-06' has none." in ran.err
    assert "stakes estimate UNLABELLED.csv --reference LABELLED.csv" in ran.err
