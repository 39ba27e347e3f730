"""`stakes estimate`: the same as in Python, from two files."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import CaseCosts
from stakes.estimation import DecidedCases, estimate_cost

ASKED = ("--reference", "old.csv", "--label", "y", "--positive", "yes", "--scores", "p")
COST = ("--cost", "fn=10", "fp=1")


def drawn(n, share, seed):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    p = np.round(1 / (1 + 4 * np.exp(-rng.normal(3 * y - 1.5, 1.7))), 6)
    return y, p, rng.integers(1, 9, n), np.where(rng.random(n) < 0.5, "a", "b")


def text(rows, labelled):
    y, *others = rows
    columns = [np.where(y, "yes", "no"), *others] if labelled else others
    head = "y,p,amount,kind\n" if labelled else "p,amount,kind\n"
    lines = zip(*(column.tolist() for column in columns), strict=True)
    return head + "".join(f"{','.join(map(str, line))}\n" for line in lines)


OLD, NEW = drawn(800, 0.2, 1), drawn(700, 0.5, 2)


@pytest.fixture
def files(write):
    write("old.csv", text(OLD, True))
    write("new.csv", text(NEW, False))


def python(**options):
    return DecidedCases.from_scores(
        np.where(OLD[0], "yes", "no"), OLD[1], positive="yes", **options
    )


@pytest.mark.usefixtures("files")
class TestEstimate:
    def test_is_what_python_says(self, run):
        found = run("estimate", "new.csv", *ASKED, *COST, "--json").found["models"]["p"]
        said = estimate_cost(python(costs={"fn": 10, "fp": 1}), NEW[1])
        assert (found["value"], found["low"]) == pytest.approx((said.value, said.low), rel=1e-12)
        assert found["change"] == said.change == "shares"
        assert found["cases"] == 700

    def test_two_columns_of_log_odds_are_those_of_the_probability(self, run, write):
        for name, (y, p, *_), labelled in (("old", OLD, True), ("new", NEW, False)):
            z = np.log(p / (1 - p))
            rows = zip(np.where(y, "yes", "no"), (z + 3).tolist(), p.tolist(), strict=True)
            lines = [f"{label if labelled else ''},3,{up!r},{1 - q!r},{q!r}\n"
                     for label, up, q in rows]  # fmt: skip
            write(f"{name}.csv", "y,z_no,z_yes,p_no,p_yes\n" + "".join(lines))
        words = ("estimate", "new.csv", *ASKED[:-2], *COST, "--json")
        odds = run(*words, "--proba", "z_*", "--scores-are", "log_odds").found["models"]
        told = run(*words, "--proba", "p_*").found["models"]
        (one,), (other,) = odds.values(), told.values()
        assert [one[k] for k in ("value", "low", "high")] == pytest.approx(
            [other[k] for k in ("value", "low", "high")], rel=1e-6
        )

    def test_line_to_type_keeps_the_outcome_of_the_reference(self, run, write):
        write("new.csv", "y,q,p\n" + "".join(f",{p},{p}\n" for p in NEW[1]))
        write("old.csv", "y,q,p\n" + "".join(
            f"{'yes' if y else 'no'},{p},{p}\n" for y, p in zip(OLD[0], OLD[1], strict=True)
        ))  # fmt: skip
        ran = run("estimate", "new.csv", *ASKED[:-1], "p", "q", *COST)
        assert ran.code == 2
        assert "--positive yes --scores p,q" in ran.err

    def test_slices_and_inputs(self, run):
        more = ("--by", "kind", "--inputs", "amount,kind")
        found = run("estimate", "new.csv", *ASKED, *COST, *more, "--json").found["models"]["p"]
        reference = python(
            costs={"fn": 10, "fp": 1}, by=OLD[3], inputs={"amount": OLD[2], "kind": OLD[3]}
        )
        new = reference.alike(NEW[1], by=NEW[3], inputs={"amount": NEW[2], "kind": NEW[3]})
        said = estimate_cost(reference, new)
        assert found["slices"]["a"]["value"] == pytest.approx(said.slices["a"].value, rel=1e-12)

    def test_slices_say_what_each_assumes(self, run):
        """Cells without a value are a slice with a name."""
        words = (*ASKED, *COST, "--by", "kind")
        found = run("estimate", "new.csv", *words, "--json").found["models"]["p"]
        out = run("estimate", "new.csv", *words).out
        assert found["slices"]["a"]["change"] == "shares"
        assert f"  a: {found['slices']['a']['value']:.4g} (" in out
        assert out.count("cases, assuming other shares\n") == 2

    def test_slices_without_a_value_are_named(self, run, write):
        blank = np.where(NEW[3] == "a", "", NEW[3])
        write("new.csv", text((*NEW[:3], blank), False))
        ran = run("estimate", "new.csv", *ASKED, *COST, "--by", "kind", "--json")
        assert ran.found["models"]["p"]["notes"] == [
            "slice (empty): the reference has 0 cases of 'no'; 10 are needed to know how a class "
            "scores."
        ]

    def test_totals_of_a_volume(self, run):
        words = (*ASKED, *COST, "--unit", "EUR", "--volume")
        found = run("estimate", "new.csv", *words, "100/yr", "--json").found["models"]["p"]
        total = found["total"]
        assert [total[name] for name in ("value", "low", "high")] == [
            100 * found[name] for name in ("value", "low", "high")
        ]
        assert (total["volume"], total["period"]) == (100, "year")
        value, low, high = (f"{total[name]:.3g}" for name in ("value", "low", "high"))
        out = run("estimate", "new.csv", *words, "100/yr").out
        assert f"  total: {value} EUR a year ({low} to {high})\n" in out
        assert f"{value} EUR on 100 cases (" in run("estimate", "new.csv", *words, "100").out
        assert "total" not in run("estimate", "new.csv", *ASKED, *COST).out

    def test_a_comma_at_the_end_of_inputs(self, run):
        words = (*ASKED, *COST, "--json", "--inputs")
        ran = run("estimate", "new.csv", *words, " amount, kind,")
        assert ran.found == run("estimate", "new.csv", *words, "amount,kind").found

    def test_costs_per_case(self, run):
        cost = ("--cost", "fn=3*amount", "fp=1")
        found = run("estimate", "new.csv", *ASKED, *cost, "--json").found["models"]["p"]
        each = [
            CaseCosts.binary(false_negative=3.0 * a, false_positive=1.0) for a in (OLD[2], NEW[2])
        ]
        reference = DecidedCases.from_scores(OLD[0].astype(int), OLD[1], case_costs=each[0])
        said = estimate_cost(reference, reference.alike(NEW[1], case_costs=each[1]))
        assert found["value"] == pytest.approx(said.value, rel=1e-12)
        assert found["naive"] is None
        assert "costs differ from case to case" in run("estimate", "new.csv", *ASKED, *cost).out

    def test_prevalence_moves_the_rule_and_not_the_estimate(self, run):
        """Decisions at 50 % from posteriors at 20 %: act above 1 / (1 + 10 * 4)."""
        words = (*ASKED, *COST, "--prevalence", "50%", "--json")
        found = run("estimate", "new.csv", *words).found["models"]["p"]
        share = OLD[0].mean()
        cut = 1 / (1 + 10 * (1 - share) / share)
        acted = [(s > cut).astype(int) for s in (OLD[1], NEW[1])]
        reference = DecidedCases.from_scores(
            OLD[0].astype(int), OLD[1], costs={"fn": 10, "fp": 1}, decisions=acted[0]
        )
        said = estimate_cost(reference, reference.alike(NEW[1], decisions=acted[1]))
        assert found["value"] == pytest.approx(said.value, rel=1e-9)

    def test_it_says_what_it_assumes_and_cannot_see(self, run):
        out = run("estimate", "new.csv", *ASKED, *COST).out
        assert "assuming that the shares of the classes have changed" in out
        assert "Without labels, an estimate cannot see" in " ".join(out.split())

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("new.csv", "--cost", "fn=1"), "I need a file with labels and one without"),
            (("new.csv", *ASKED[:6], "--decisions", "kind", *COST), "estimates need probabilities"),
            (("new.csv", *ASKED, *COST, "--inputs", "age"), "no column 'age'"),
            (("new.csv", *ASKED, *COST, "--level", "2"), "--level must lie between 0 and 1; got 2"),
            (("new.csv", *ASKED, *COST, "--level", "2"), "\n  --level 0.95\n"),
        ],
    )
    def test_refusals(self, run, words, said):
        ran = run("estimate", *words)
        assert ran.code == 2
        assert said in ran.err

    @pytest.mark.parametrize(
        ("labels", "said"),
        [
            (700, "stakes eval partly.csv --label y ..."),
            (60, "stakes estimate partly.csv --label y ..."),
        ],
    )
    def test_labels_of_the_new_cases_are_not_ignored(self, run, write, labels, said):
        lines = text(NEW, True).splitlines()
        rows = [line if k < labels else line.split(",", 1)[1] for k, line in enumerate(lines[1:])]
        blank = [row if row.startswith(("yes", "no")) else f",{row}" for row in rows]
        write("partly.csv", "\n".join([lines[0], *blank]) + "\n")
        ran = run("estimate", "partly.csv", *ASKED, *COST)
        assert ran.code == 2
        assert f"{labels} rows of partly.csv already have a label in 'y'" in ran.err
        assert said in ran.err

    def test_a_file_is_not_its_own_reference(self, run):
        ran = run("estimate", "old.csv", *ASKED, *COST)
        assert ran.code == 2
        assert "old.csv cannot be its own --reference" in ran.err
        assert "stakes eval old.csv --label y" in ran.err
