"""`stakes estimate` of a file in which some rows have labels: the same as in Python."""

from __future__ import annotations

import json

import numpy as np
import pytest

from stakes import CaseCosts
from stakes.estimation import DecidedCases, cost_from_judge, cost_from_labels, plan_labels

N = 600
ASKED = ("--label", "y", "--positive", "yes")
COST = ("--cost", "fn=10", "fp=1")
COSTS = {"fn": 10, "fp": 1}


def drawn():
    rng = np.random.default_rng(5)
    p = np.round(rng.beta(0.6, 2, N), 6)
    y = np.where(rng.random(N) < p, "yes", "no")
    wrong = np.where(y == "yes", "no", "yes")
    return {
        "y": np.where(rng.random(N) < 0.25, y, ""),
        "p": p,
        "q": np.round(np.clip(p + rng.normal(0, 0.1, N), 0.001, 0.999), 6),
        "judge": np.where(rng.random(N) < 0.85, y, wrong),
        "done": np.where(p > 0.2, "yes", "no"),
        "amount": rng.integers(1, 9, N),
        "kind": np.where(rng.random(N) < 0.5, "a", "b"),
        "weight": rng.integers(1, 4, N),
    }


def drawn_truth():
    """The labels of `drawn` before most were taken away."""
    rng = np.random.default_rng(5)
    p = np.round(rng.beta(0.6, 2, N), 6)
    return np.where(rng.random(N) < p, "yes", "no")


ROWS = drawn()
TRUTH = [name or None for name in ROWS["y"].tolist()]


def as_csv(columns):
    lines = zip(*(column.tolist() for column in columns.values()), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, line)) for line in lines)]) + "\n"


def as_jsonl(columns):
    told = {name: [v or None for v in c.tolist()] if name == "y" else c.tolist()
            for name, c in columns.items()}  # fmt: skip
    rows = zip(*told.values(), strict=True)
    return "".join(json.dumps(dict(zip(told, row, strict=True))) + "\n" for row in rows)


@pytest.fixture(autouse=True)
def files(write):
    write("decided.csv", as_csv(ROWS))
    write("decided.jsonl", as_jsonl(ROWS))


def cases(column="p", **options):
    options = options or {"costs": COSTS}
    return DecidedCases.from_scores(None, ROWS[column], classes=["no", "yes"], **options)


def same(found, said):
    """Everything that is printed as JSON is what Python has."""
    assert json.loads(json.dumps(said.record())) == found


class TestFewLabels:
    @pytest.mark.parametrize("file", ["decided.csv", "decided.jsonl"])
    def test_is_what_python_says(self, run, file):
        found = run("estimate", file, *ASKED, "--scores", "p", *COST, "--json").found
        same(found["models"]["p"], cost_from_labels(TRUTH, cases()))
        assert found["differences"] == {}

    def test_two_models_and_their_difference(self, run):
        words = (*ASKED, "--scores", "p,q", *COST, "--level", "0.9")
        found = run("estimate", "decided.csv", *words, "--json").found
        said = cost_from_labels(TRUTH, cases(), against=cases("q"), level=0.9)
        same(found["differences"]["p less q"], said)
        same(found["models"]["q"], cost_from_labels(TRUTH, cases("q"), level=0.9))
        out = run("estimate", "decided.csv", *words).out
        assert f"p less q: cost per case {said.value:.4g}" in out

    def test_slices_weights_and_costs_per_case(self, run):
        words = ("--scores", "p", "--by", "kind", "--weight", "weight")
        cost = ("--cost", "fn=3*amount", "fp=1")
        found = run("estimate", "decided.csv", *ASKED, *words, *cost, "--json").found
        each = CaseCosts.binary(
            false_negative=3.0 * ROWS["amount"], false_positive=1.0, classes=("no", "yes")
        )
        said = cost_from_labels(
            TRUTH, cases(case_costs=each, by=ROWS["kind"], sample_weight=ROWS["weight"])
        )
        one = found["models"]["p"]
        assert (one["value"], one["low"]) == pytest.approx((said.value, said.low), rel=1e-9)
        assert one["slices"]["a"]["high"] == pytest.approx(said.slices["a"].high, rel=1e-9)
        assert "costs differ" in run("estimate", "decided.csv", *ASKED, *words, *cost).out

    def test_a_row_without_a_score_is_left_out(self, run, write):
        gap = {**ROWS, "p": ROWS["p"].astype(object)}
        gap["p"][3] = ""
        write("gap.csv", as_csv(gap))
        ran = run("estimate", "gap.csv", *ASKED, "--scores", "p", *COST, "--json")
        keep = np.arange(N) != 3
        part = DecidedCases.from_scores(None, ROWS["p"][keep], costs=COSTS, classes=["no", "yes"])
        truth = [name for k, name in enumerate(TRUTH) if k != 3]
        same(ran.found["models"]["p"], cost_from_labels(truth, part))
        err = " ".join(ran.err.split())
        assert "1 row of p is empty. Only the other 599 rows are used." in err
        planned = run("estimate", "gap.csv", "--plan", "50", "--scores", "p", *COST)
        assert "Only the other 599 rows are used." in " ".join(planned.err.split())

    @pytest.mark.parametrize("seen", ["no", "yes"])
    def test_labels_that_all_show_the_same_outcome(self, run, write, seen):
        """A random part need not show a rare outcome; --positive says which there are."""
        labels = np.where(ROWS["y"] != "", seen, "")
        write("rare.csv", as_csv({**ROWS, "y": labels}))
        found = run("estimate", "rare.csv", *ASKED, "--scores", "p", *COST, "--json").found
        same(found["models"]["p"], cost_from_labels([t or None for t in labels.tolist()], cases()))

    def test_one_outcome_without_positive(self, run, write):
        write("rare.csv", as_csv({**ROWS, "y": np.where(ROWS["y"] == "no", "no", "")}))
        ran = run("estimate", "rare.csv", "--label", "y", "--scores", "p", *COST)
        assert ran.code == 2
        assert "all labels in 'y' are 'no' (" in ran.err
        assert "even if no label shows it:  --positive VALUE" in ran.err

    def test_totals_also_of_differences(self, run):
        words = (*ASKED, "--scores", "p,q", *COST, "--volume", "1000/yr")
        found = run("estimate", "decided.csv", *words, "--json").found
        for each in (*found["models"].values(), *found["differences"].values()):
            total = each["total"]
            assert [total[name] for name in ("value", "low", "high")] == [
                1000 * each[name] for name in ("value", "low", "high")
            ]
        assert run("estimate", "decided.csv", *words).out.count("  total: ") == 3

    def test_the_terminal(self, run):
        out = run("estimate", "decided.csv", *ASKED, "--scores", "p", *COST).out
        known = sum(name is not None for name in TRUTH)
        assert out.startswith(f"read decided.csv: {N} cases, {known} with a label\n")
        assert "the labels alone:" in out
        assert "Assumes that the labelled rows were chosen at random" in " ".join(out.split())


class TestJudge:
    def test_is_what_python_says(self, run):
        words = (*ASKED, "--judge", "judge", "--decisions", "done", "--by", "kind", *COST)
        found = run("estimate", "decided.jsonl", *words, "--json").found
        said = cost_from_judge(
            TRUTH, ROWS["judge"], decisions=ROWS["done"], costs=COSTS, by=ROWS["kind"],
            positive="yes",
        )  # fmt: skip
        same(found["models"]["done"], said)
        out = run("estimate", "decided.jsonl", *words).out
        assert f"if the judge were always right: {said.as_judged:.4g}" in out
        assert f" cases, {said.slices['a'].known} with a label\n" in out

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("--scores", "p"), "--decisions is missing"),
            (("--decisions", "done", "--change", "none"), "--judge and --change do not go"),
            (
                ("--decisions", "done", "--judge-errors", "decided.csv", "--chances", "p"),
                "--judge and --chances do not go",
            ),
            (("--decisions", "done", "--prevalence", "0.1"), "a stated prevalence cannot be used"),
        ],
    )
    def test_refusals(self, run, words, said):
        ran = run("estimate", "decided.csv", *ASKED, "--judge", "judge", *words, *COST)
        assert ran.code == 2
        assert said in " ".join(ran.err.split())

    def test_errors_from_another_file(self, run, write):
        """The file itself has no truth; how the judge errs is counted in another one."""
        write("blind.csv", as_csv({k: v for k, v in ROWS.items() if k != "y"}))
        words = (*ASKED, "--judge", "judge", "--decisions", "done", *COST)
        more = ("--judge-errors", "decided.csv")
        found = run("estimate", "blind.csv", *words, *more, "--json").found
        known = ROWS["y"] != ""
        errors = [
            [((ROWS["y"] == k) & (ROWS["judge"] == label)).sum() for label in ("no", "yes")]
            for k in ("no", "yes")
        ]
        assert np.sum(errors) == known.sum()
        said = cost_from_judge(
            None, ROWS["judge"], decisions=ROWS["done"], costs=COSTS, errors=errors, positive="yes",
        )  # fmt: skip
        same(found["models"]["done"], said)
        out = " ".join(run("estimate", "blind.csv", *words, *more).out.split())
        assert "the judge errs as often in these rows as in those of --judge-errors" in out

    def test_the_outcomes_may_be_those_of_the_judge(self, run, write):
        """As for a judge who is found to say nothing, since the truth is always 'no'."""
        write("rare.csv", as_csv({**ROWS, "y": np.where(ROWS["y"] == "no", "no", "")}))
        words = ("--label", "y", "--judge", "judge", "--decisions", "done", *COST)
        ran = run("estimate", "rare.csv", *words, "--positive", "yes")
        assert "the judge cannot be told from one who ignores the case" in ran.err
        assert "Say: --positive yes" in run("estimate", "rare.csv", *words).err

    def test_with_all_labels_the_line_to_type_has_no_judge(self, run, write):
        write("known.csv", as_csv({**ROWS, "y": drawn_truth()}))
        words = (*ASKED, "--judge", "judge", "--decisions", "done", *COST)
        ran = run("estimate", "known.csv", *words)
        assert ran.code == 2
        assert "the cost by these labels:  stakes eval known.csv --label y ...\n" in ran.err

    def test_without_any_truth_the_hint_is_for_a_judge(self, run, write):
        write("blank.csv", as_csv({**ROWS, "y": np.full(N, "")}))
        words = (*ASKED, "--judge", "judge", "--decisions", "done", *COST)
        ran = run("estimate", "blank.csv", *words)
        assert (ran.code, "--plan" in ran.err, "--reference" in ran.err) == (2, False, False)
        assert "--judge-errors OTHER.csv" in ran.err
        write("other.csv", as_csv({**ROWS, "y": drawn_truth()}))
        assert run("estimate", "blank.csv", *words, "--judge-errors", "other.csv").code == 0

    def test_chances(self, run, write):
        chance = np.where(ROWS["judge"] == ROWS["done"], 0.2, 0.5)
        keep = np.random.default_rng(3).random(N) < chance
        rows = {**ROWS, "y": np.where(keep, drawn_truth(), ""), "chance": chance}
        write("drawn.csv", as_csv(rows))
        words = (*ASKED, "--judge", "judge", "--decisions", "done", "--chances", "chance", *COST)
        found = run("estimate", "drawn.csv", *words, "--json").found
        said = cost_from_judge(
            [name or None for name in rows["y"].tolist()], ROWS["judge"], decisions=ROWS["done"],
            costs=COSTS, chances=chance, positive="yes",
        )  # fmt: skip
        same(found["models"]["done"], said)

    def test_a_judge_who_left_rows_out(self, run):
        words = (*ASKED[:1], "judge", "--judge", "y", "--decisions", "done", *COST)
        ran = run("estimate", "decided.csv", *words, "--positive", "yes")
        assert ran.code == 2


class TestPlan:
    def test_is_what_python_says(self, run):
        words = ("--plan", "80", "--scores", "p", *COST, "--json")
        found = run("estimate", "decided.csv", *words).found
        said = plan_labels(cases(), labels=80).record()
        assert {name: found[name] for name in said} == said
        assert found["drawn"] is None

    def test_the_command_to_type_quotes_the_file(self, run):
        ran = run("estimate", "decided.csv", "--plan", "80", "--scores", "p", *COST,
                  "-o", "my plan.csv")  # fmt: skip
        assert "stakes estimate 'my plan.csv' --label COLUMN" in ran.out

    def test_chances_of_drawn_rows_alone(self, run, write):
        chance = np.where(ROWS["y"] == "", "", "0.25")
        write("drawn.csv", as_csv({**ROWS, "chance": chance}))
        ran = run("estimate", "drawn.csv", *ASKED, "--scores", "p", *COST, "--chances", "chance")
        assert ran.code == 2
        assert "give the chance of every case, also of those that were not drawn" in " ".join(
            ran.err.split()
        )

    def test_by_width_for_the_difference(self, run):
        words = ("--plan-width", "0.3", "--scores", "p,q", *COST)
        found = run("estimate", "decided.csv", *words, "--json").found
        said = plan_labels(cases(), width=0.3, against=cases("q"))
        assert (found["labels"], found["plain"]) == (said.labels, said.plain)
        assert "difference in cost between p and q" in run("estimate", "decided.csv", *words).out

    @pytest.mark.parametrize("ending", ["csv", "jsonl"])
    def test_the_written_chances_can_be_used(self, run, tmp_path, write, ending):
        """Label the rows that the file asks for, then estimate with its chances."""
        words = ("--scores", "p", *COST)
        run("estimate", "decided.csv", "--plan", "80", *words, "-o", f"plan.{ending}")
        plan = plan_labels(cases(), labels=80)
        text = (tmp_path / f"plan.{ending}").read_text("utf-8")
        if ending == "csv":
            rows = [line.split(",") for line in text.splitlines()[1:]]
            chances, asked = [np.array([float(r[k]) for r in rows]) for k in (-2, -1)]
        else:
            read = [json.loads(line) for line in text.splitlines()]
            chances, asked = (np.array([r[k] for r in read]) for k in ("chance", "drawn"))
        assert chances == pytest.approx(plan.chances, rel=1e-8)
        stream = np.random.default_rng((0, 1))
        assert np.flatnonzero(asked).tolist() == plan.draw(stream).tolist()
        labels = np.where(asked == 1, ROWS["judge"], "")
        write("filled.csv", as_csv({"y": labels, "p": ROWS["p"], "chance": chances}))
        ran = run("estimate", "filled.csv", *ASKED, *words, "--chances", "chance", "--json")
        said = cost_from_labels([t or None for t in labels.tolist()], cases(), chances=chances)
        same(ran.found["models"]["p"], said)

    def test_classes_by_the_names_of_columns(self, run, write):
        p = ROWS["p"]
        three = {"p_a": p / 2, "p_b": p / 2, "p_c": 1 - p}
        write("three.csv", as_csv(three))
        words = ("--plan", "50", "--proba", "p_*", "--cost", "error=1", "--json")
        found = run("estimate", "three.csv", *words).found
        matrix = np.column_stack(list(three.values()))
        said = plan_labels(DecidedCases.from_scores(None, matrix, costs=1 - np.eye(3)), labels=50)
        assert found["width"] == pytest.approx(said.width, rel=1e-9)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--scores", "p", "--inputs", "kind"), "--inputs goes with --reference OLD.csv"),
        (("--scores", "p", "-o", "plan.csv"), "-o writes .json here"),
        (("--scores", "p", "--plan", "9", "--plan-width", "1"), "do not go together"),
        (("--scores", "p", "--plan", "9"), "--plan must be from 10 to 600"),
        (("--scores", "p", "--plan", "900"), "the rows; got 900"),
        (("--scores", "p", "--plan", "90", "--by", "kind"), "--plan and --by do not go together"),
        (("--scores", "p", "--plan-width", "1", "--volume", "9/day"),
         "--plan-width and --volume do not go together"),
        (("--scores", "p", "--volume", "9" * 308), "cost is too large a number"),
        (("--scores", "p", "--plan", "50", "-o", "decided.csv"), "which is read"),
        (("--scores", "p", "--chances", "amount"), "must be above 0 and at most 1"),
        (("--scores", "p", "--chances", "kind"), "to be labelled: --chances COLUMN"),
        (("--scores", "p", "--chances", "q"), "are not a random part"),
        (("--scores", "p", "--prevalence", "0.5"), "a stated prevalence cannot be used here"),
        (("--scores", "p", "--scores-are", "llr", "--narrow"), "log-likelihood ratios cannot"),
        (("--decisions", "done"), "estimates need probabilities"),
        (("--scores", "nowhere"), "no column 'nowhere'"),
    ],
)  # fmt: skip
def test_refusals(run, words, said):
    ran = run("estimate", "decided.csv", *ASKED, *words, *COST)
    assert ran.code == 2
    assert said in " ".join(ran.err.split())


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["" for _ in range(N)], "no row of 'y' has a label"),
        (["yes", "no"] * (N // 2), "every row of 'y' has a label"),
        (["yes", "no", *[""] * (N - 2)], "which to label: --plan 300"),
        ([*["yes", "no"] * 100, *[""] * (N - 200)], "--chances COLUMN"),
    ],
)
def test_labels_that_do_not_do(run, write, labels, said):
    order = np.argsort(-ROWS["p"])
    write("odd.csv", as_csv({"y": np.array(labels), "p": ROWS["p"][order]}))
    ran = run("estimate", "odd.csv", *ASKED, "--scores", "p", *COST)
    assert ran.code == 2
    assert said in " ".join(ran.err.split())


def test_a_wrong_column_of_the_judge_is_named(run, write):
    """Also when its errors are counted in another file."""
    write("other.csv", as_csv({**ROWS, "y": drawn_truth()}))
    words = (*ASKED, "--judge", "kind", "--decisions", "done", *COST)
    for more, file in (((), "decided.csv"), (("--judge-errors", "other.csv"), "other.csv")):
        ran = run("estimate", "decided.csv", *words, *more)
        assert ran.code == 2
        assert f"'kind', the judge's labels, holds 'a', 'b' in {file}" in " ".join(ran.err.split())
