"""Models judged within limits, by `evaluate` and on the command line."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

import stakes
from stakes.application import Between, CaseCosts, UncertainApplication
from stakes.cli.entry import main
from stakes.exceptions import StakesError
from stakes.inquiry import Inquiry
from stakes.inquiry.answers import answer

LOANS = str(files("stakes.demonstration").joinpath("data/loans.csv"))
CHURN = str(files("stakes.demonstration").joinpath("data/churn.csv"))
AMOUNTS = ("fn=0.75*amount", "fp=0.02*amount+150")


@pytest.fixture(scope="module")
def two_classes():
    rng = np.random.default_rng(0)
    p = rng.beta(0.7, 3, 800)
    return (rng.random(800) < p).astype(int), p


def test_models_keep_to_the_capacity(two_classes):
    y, p = two_classes
    ev = stakes.evaluate(y, {"m": p}, costs={"fn": 10, "fp": 1}, capacity={1: 80})
    top = np.sort(np.argsort(-p, kind="stable")[:80])
    table = ev["m"].confusion.counts
    assert table[:, 1].tolist() == [80 - y[top].sum(), y[top].sum()]
    assert ev["m"].cost == pytest.approx((10 * table[1, 0] + table[0, 1]) / 800)
    np.testing.assert_array_equal(np.flatnonzero(ev["m"].rule.positions(p)), top)
    assert ev.capacity["m"][1].used == 80
    curve = ev.capacity.curve("m")
    assert curve.at(80)["cost"] == pytest.approx(ev["m"].cost)


def test_what_cannot_be_done_in_every_case_is_no_naive_decision(two_classes):
    y, p = two_classes
    free = stakes.evaluate(y, {"m": p}, costs={"fn": 50, "fp": 1})
    assert free.naive_decision == 1
    ev = stakes.evaluate(y, {"m": p}, costs={"fn": 50, "fp": 1}, capacity="1=10%")
    assert ev.naive_decision == 0
    assert ev.naive_cost == pytest.approx(50 * y.mean())
    assert ev["m"].saving == pytest.approx(ev.naive_cost - ev["m"].cost)


@pytest.mark.parametrize(
    ("capacity", "costs", "shares"),
    [
        ("1=..30,0=..780", {"fn": 10, "fp": 1}, [770 / 800, 30 / 800]),  # '1' saves most
        ("1=..30,0=..780", {"fn": 1, "fp": 9}, [780 / 800, 20 / 800]),
        ("1=200..", {"fn": 1, "fp": 9}, [600 / 800, 200 / 800]),  # not always '1', which is dear
        ("1=200..", {"fn": 50, "fp": 1}, [0, 1]),
        ("1=200..300", {"fn": 1, "fp": 9}, [600 / 800, 200 / 800]),
        ("1=25%..50%", {"fn": 50, "fp": 1}, [0.5, 0.5]),
        ("1=..300", {"fn": 50, "fp": 1}, [1, 0]),
    ],
)
def test_the_naive_rule_keeps_every_limit(two_classes, capacity, costs, shares):
    y, p = two_classes
    by = np.where(np.arange(800) % 3, "a", "b")
    ev = stakes.evaluate(y, {"m": p}, costs=costs, capacity=capacity, by=by)
    share = y.mean()
    cost = shares[0] * costs["fn"] * share + shares[1] * costs["fp"] * (1 - share)
    assert ev.naive_cost == pytest.approx(cost)
    assert ev["m"].saving == pytest.approx(cost - ev["m"].cost)
    mixed = {name: part for name, part in enumerate(shares) if 0 < part < 1}
    assert dict(ev.best_naive.shares) == pytest.approx(mixed)
    assert ("deciding at random within the limits" in ev.verdict) == bool(mixed)
    assert ev.application.costs.values.tolist() == [[0, costs["fp"]], [costs["fn"], 0]]
    assert "averaged" not in str(ev)
    assert not ev.ranges
    assert ev.absent["ranges"] == "within-limits"
    for key, part in ev.slices.items():
        inside = by == key
        paid = y[inside].mean() * costs["fn"], (1 - y[inside].mean()) * costs["fp"]
        if mixed:
            assert 0 < part.naive_cost - min(paid) < max(paid) - min(paid)
        else:
            assert part.naive_cost == pytest.approx(paid[int(shares[1])])


def test_costs_of_each_case_have_slices_within_limits(two_classes):
    y, p = two_classes
    by = np.where(np.arange(800) % 3, "a", "b")
    costs = CaseCosts.binary(fn=np.random.default_rng(3).gamma(2, 20, 800), fp=1)
    ev = stakes.evaluate(y, {"m": p}, costs=costs, capacity="1=100", by=by)
    assert [part.naive_decision for part in ev.slices.values()] == [0, 0]
    counts = sum(part["m"].confusion.counts for part in ev.slices.values())
    np.testing.assert_array_equal(counts, ev["m"].confusion.counts)


def test_rules_with_prices_name_their_models(two_classes):
    y, p = two_classes
    costs = CaseCosts.binary(fn=np.random.default_rng(3).gamma(2, 20, 800), fp=1)
    models = {"A": p, "B": p**1.5}
    ev = stakes.evaluate(y, models, costs=costs, capacity="1=60")
    said = [str(note) for note in ev.notes if note.code == "several-cuts"]
    assert [each.partition(": ")[0] for each in said] == ["A", "B"]


def test_uncertain_costs_meet_the_limits_anew(two_classes):
    y, p = two_classes
    table = [[0, 1], [Between(5, 80), 0]]
    ev = stakes.evaluate(
        y, {"m": p}, application=UncertainApplication(table), capacity={1: 60}, recalibrate=False
    )
    assert ev.doubt is not None  # evaluated again at every node
    for k, miss in enumerate((5, 80)):
        there = stakes.evaluate(y, {"m": p}, costs={"fn": miss, "fp": 1}, capacity={1: 60})
        assert there.naive_decision == 0
        assert ev.doubt.nec[0, k] == pytest.approx(there["m"].nec)


def test_weights_and_other_priors(two_classes):
    y, p = two_classes
    weights = np.random.default_rng(1).uniform(0.5, 2, 800)
    ev = stakes.evaluate(y, {"m": p}, costs={"fn": 10, "fp": 1}, priors=[0.9, 0.1],
                         sample_weight=weights, capacity="1=5%")  # fmt: skip
    totals = np.bincount(y, weights)
    each = weights * (np.array([0.9, 0.1]) / totals)[y]
    taken = ev.capacity["m"].decisions == 1
    assert 0.045 < each[taken].sum() <= 0.05 + 1e-9
    assert p[taken].min() >= p[~taken].max()


def test_limits_that_say_the_same_are_not_said_to_cost_nothing(two_classes):
    y, p = two_classes
    ev = stakes.evaluate(y, {"m": p}, costs={"fn": 10, "fp": 1}, capacity="1=30,0=770..")
    first, second, both = ev.capacity.notes("m")
    assert "reached (30 of these 800 cases); one more by itself would save nothing" in first
    assert "reached (770 of these 800 cases); one fewer by itself would save nothing" in second
    assert "Without limits" in both


def test_slices_are_those_of_the_same_decisions(two_classes):
    y, p = two_classes
    by = np.where(np.arange(800) % 3, "a", "b")
    ev = stakes.evaluate(y, {"m": p}, costs={"fn": 3, "fp": 1}, capacity={1: 80}, by=by)
    parts = [part["m"].confusion.counts for part in ev.slices.values()]
    np.testing.assert_array_equal(sum(parts), ev["m"].confusion.counts)


def test_counts_are_repeated_rows(two_classes):
    y, p = two_classes
    times = np.random.default_rng(2).integers(0, 3, 800)
    options = {"costs": {"fn": 10, "fp": 1}, "capacity": {1: 60}}
    once = stakes.evaluate(y, {"m": p}, counts=times, **options)
    again = stakes.evaluate(np.repeat(y, times), {"m": np.repeat(p, times)}, **options)
    assert once["m"].cost == pytest.approx(again["m"].cost)


def test_decisions_and_tables_are_refused(two_classes):
    y, p = two_classes
    with pytest.raises(StakesError, match="probabilities"):
        stakes.evaluate(y, {"m": (p > 0.5).astype(int)}, costs={"fn": 10, "fp": 1}, capacity="1=9")
    table = stakes.ConfusionMatrix([[5, 1], [1, 5]])
    with pytest.raises(StakesError, match="capacity"):
        stakes.evaluate(None, {"m": table}, costs={"fn": 10, "fp": 1}, capacity="1=9")


def test_given_decisions_must_keep_the_limits(two_classes):
    y, p = two_classes
    options = {"costs": {"fn": 10, "fp": 1}, "capacity": "1=10..80"}
    kept = np.zeros(800, dtype=int)
    kept[:40] = 1
    ev = stakes.evaluate(y, {"m": p, "old": kept}, **options)
    assert ev["old"].cost == pytest.approx((10 * y[40:].sum() + (1 - y[:40]).sum()) / 800)
    for often in (9, 81):
        given = np.arange(800) < often
        with pytest.raises(StakesError, match=f"'old' decides '1' in {often} of 800 cases"):
            stakes.evaluate(y, {"m": p, "old": given.astype(int)}, **options)


def test_gaps_are_not_filled_with_decisions_within_limits(tmp_path, capsys):
    file = tmp_path / "gap.csv"
    file.write_text(
        "y,a,b\n" + "".join(f"{k % 2},0.{k % 9},{k % 9 / 10 or ''}\n" for k in range(99))
    )
    told = ["eval", str(file), "--label", "y", "--positive", "1", "--scores", "a,b", "--cost",
            "fn=9", "fp=1", "--capacity", "1=20"]  # fmt: skip
    assert main([*told, "--missing", "naive"]) == 2
    assert "--missing drop" in capsys.readouterr().err
    assert main([*told, "--missing", "drop"]) == 0


def test_the_command_line_says_what_python_says(capsys):
    told = ["eval", LOANS, "--label", "default", "--scores", "bank_p", "--cost", *AMOUNTS,
            "--capacity", "1=100/day", "--volume", "3000/day", "--json"]  # fmt: skip
    assert main(told) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema = pytest.importorskip("jsonschema", reason="validates the record")
    jsonschema.validate(found, stakes.report.schema())
    asked = Inquiry(source=LOANS, label="default", scores="bank_p", cost=AMOUNTS,
                    capacity="1=100/day", volume="3000/day")  # fmt: skip
    ev = answer(asked)
    assert found["capacity"] == ev.capacity.record()
    assert ev["bank_p"].saving * 3000 == pytest.approx(642_066)
    again = Inquiry.of(found["inquiry"])
    assert again.capacity == "1=100/day"


def test_the_threshold_includes_the_price(capsys):
    told = ["eval", CHURN, "--label", "churned", "--positive", "yes", "--scores", "gbm_p",
            "--cost", "fn=40", "fp=4", "--capacity", "yes=5%"]  # fmt: skip
    assert main(told) == 0
    assert "p > 0.63" in capsys.readouterr().out


@pytest.mark.parametrize("words", ["yes=200/day", "maybe=5", "yes"])
def test_odd_capacity_is_refused_on_the_command_line(words, capsys):
    told = ["eval", CHURN, "--label", "churned", "--positive", "yes", "--scores", "gbm_p",
            "--cost", "fn=40", "fp=4", "--capacity", words]  # fmt: skip
    assert main(told) == 2
    assert "capacity" in capsys.readouterr().err or words == "yes=200/day"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_option(shell, capsys):
    assert main(["--completion", shell]) == 0
    assert "capacity" in capsys.readouterr().out


def test_an_interval_without_an_upper_end_says_so(capsys):
    told = ["eval", CHURN, "--label", "churned", "--positive", "yes", "--scores", "gbm_p",
            "--cost", "fn=40", "fp=4", "--capacity", "yes=1"]  # fmt: skip
    assert main(told) == 0
    assert " or more), if the probabilities" in " ".join(capsys.readouterr().out.split())
    assert main([*told, "--json"]) == 0
    low, high = json.loads(capsys.readouterr().out)["capacity"][0]["interval"]
    assert low > 0
    assert high is None


@pytest.mark.parametrize(
    ("name", "said"), [("gbm_p-2", "of gbm_p-2 are"), ("p, per case", "of 'p, per case' are")]
)
def test_names_stand_apart_from_the_sentence(two_classes, name, said):
    y, p = two_classes
    ev = stakes.evaluate(y, {name: p}, costs={"fn": 10, "fp": 1}, capacity={1: 20})
    assert f"if the probabilities {said} right." in " ".join(str(ev).split())
