"""Models over everything that unknown costs and shares may be."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import stakes
from stakes.application import Alternatives, BetaShare, Between, Samples, UncertainApplication
from stakes.evaluation.unknown_costs_builder import axis, possible_of

# 100 'no' and 10 'yes': bold 30 alarms and 1 miss, shy 10 alarms and 4 misses.
BOLD, SHY = (
    stakes.ConfusionMatrix(counts, ["no", "yes"], ["no", "yes"])
    for counts in ([[70, 30], [1, 9]], [[90, 10], [4, 6]])
)
NAMES = {"classes": ["no", "yes"], "decisions": ["no", "yes"]}


def doubted(miss, priors=None):
    """Both tables with what a miss costs, or how frequent they are, unknown."""
    app = UncertainApplication([[0, 1], [miss, 0]], priors, **NAMES)
    return stakes.evaluate(None, {"bold": BOLD, "shy": SHY}, application=app, min_cases=1)


class TestTwoClasses:
    def test_ends_by_hand(self):
        """A miss at 2 weighs 20 against 100 alarms, at 18 it weighs 180."""
        doubt = doubted(Between(2, 18)).doubt
        assert doubt.places == ("2", "18")
        assert doubt.nec[:, 0] == pytest.approx([(30 + 2) / 20, (10 + 8) / 20])
        assert doubt.nec[:, 1] == pytest.approx([(30 + 18) / 100, (10 + 72) / 100])
        assert doubt.cost[:, 1] == pytest.approx([(30 + 18) / 110, (10 + 72) / 110])

    def test_mean_is_uniform_on_the_scale_of_factors(self):
        """Below a ratio of 10 shy costs (10 + 4 r) / 10 r, above it (10 + 4 r) / 100."""
        doubt = doubted(Between(2, 18)).doubt
        below = (1 / 2 - 1 / 10) + 0.4 * math.log(10 / 2)
        above = 0.1 * math.log(18 / 10) + 0.04 * (18 - 10)
        wanted = (below + above) / math.log(18 / 2)
        assert doubt.mean_nec[1] == pytest.approx(wanted, rel=1e-4)

    def test_worst_regret_is_against_the_best_choice(self):
        """At 2 bold (1.6) could have been shy (0.9); at 18 shy (0.82) could have been bold."""
        doubt = doubted(Between(2, 18)).doubt
        assert doubt.worst_regret == pytest.approx([1.6 - 0.9, 0.82 - 0.48])
        assert doubt.safest == "shy"
        assert (doubt.kept_regret == doubt.worst_regret).all()

    def test_a_constant_decision_is_a_choice_too(self):
        """At 1 both cost more than acting on nobody, which costs 1."""
        doubt = doubted(Between(1, 18)).doubt
        assert doubt.worst_regret[0] == pytest.approx((30 + 1) / 10 - 1)
        assert doubt.winners == ("none", "bold")

    def test_the_verdict_says_on_what_it_depends(self):
        """Bold costs 30 + r, shy 10 + 4 r: equal at 20 / 3."""
        ev = doubted(Between(3, 18))
        assert ev.verdict_kind == "it depends"
        assert ev.verdict == (
            "It depends: bold if a miss costs more than 6.7 false alarms, else shy. If that "
            "stays unknown, shy is safest: at most 0.340 NEC above the best choice."
        )
        assert ev.doubt.worst("bold") == pytest.approx((30 + 3) / 30 - (10 + 12) / 30)

    def test_unknown_shares(self):
        """With a miss at 10: .3 (1 - p) + p against .1 (1 - p) + 4 p; equal at p = 1 / 16."""
        ev = doubted(10, Between(0.02, 0.3))
        assert ev.doubt.unknown == "shares"
        assert ev.doubt.places == ("2 %", "30 %")
        assert ev.doubt.nec[:, 1] == pytest.approx([(0.21 + 0.3) / 0.7, (0.07 + 1.2) / 0.7])
        assert "bold if more than 6.2 % are 'yes', else shy" in ev.verdict

    def test_both_unknown_only_add_up(self):
        ev = doubted(Between(2, 18), Between(0.05, 0.2))
        assert ev.doubt.unknown == "both"
        assert ev.doubt.places == ("2, 5 %", "18, 20 %")
        assert "'yes')" in ev.verdict

    def test_a_choice_that_holds(self):
        ev = doubted(Between(8, 18))
        assert ev.switches[0].winner == "bold"
        assert "Over the whole range bold costs least." in ev.remarks


def scored(n=4000):
    """One model that knows much, one that knows little, calibrated both."""
    rng = np.random.default_rng(5)
    y = (rng.random(n) < 0.2).astype(int)
    llr = {"sharp": rng.normal(4 * y - 2, 2), "blunt": rng.normal(y - 0.5, 1)}
    return y, {name: 1 / (1 + 4 * np.exp(-s)) for name, s in llr.items()}


class TestPosteriors:
    def test_decisions_follow_the_costs(self):
        """At both ends the figures are those of an evaluation there."""
        y, models = scored()
        app = UncertainApplication([[0, 1], [Between(2, 30), 0]])
        doubt = stakes.evaluate(y, models, application=app, rng=0).doubt
        for k, ratio in enumerate((2, 30)):
            there = stakes.evaluate(
                y, models, application=stakes.CostMatrix([[0, 1], [ratio, 0]]), rng=0
            )
            assert doubt.nec[:, k].tolist() == [there[name].nec for name in models]
            assert doubt.cost[:, k] == pytest.approx([there[name].cost for name in models])

    def test_keeping_the_decisions_of_the_middle_costs_more(self):
        y, models = scored()
        app = UncertainApplication([[0, 1], [Between(1, 60), 0]])
        ev = stakes.evaluate(y, models, application=app, rng=0)
        assert ev.doubt.kept("sharp") > ev.doubt.worst("sharp") + 0.05
        assert any(remark.startswith("If the threshold stays at p > ") for remark in ev.remarks)
        assert ev.doubt.worst("sharp") == 0
        assert ev.verdict_kind == "deploy"

    def test_ends_that_chance_decides_are_no_reason_to_depend(self):
        """Two copies of the same model with different noise win at one end each."""
        rng = np.random.default_rng(0)
        y = (rng.random(300) < 0.3).astype(int)
        models = {
            name: 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.4))) for name in ("first", "second")
        }
        app = UncertainApplication([[0, 1], [Between(1.2, 6), 0]])
        ev = stakes.evaluate(y, models, application=app, rng=0)
        cheapest = ev.doubt.nec.argmin(axis=0)
        assert cheapest[0] != cheapest[1]
        assert "tie" in ev.doubt.winners
        assert ev.verdict_kind != "it depends"

    def test_shares_move_the_posteriors(self):
        y, models = scored()
        app = UncertainApplication([[0, 1], [5, 0]], Between(0.05, 0.4))
        doubt = stakes.evaluate(y, models, application=app, rng=0).doubt
        there = stakes.evaluate(
            y, models, rng=0, application=stakes.Application([[0, 1], [5, 0]], [0.6, 0.4])
        )
        assert doubt.nec[:, 1].tolist() == [there[name].nec for name in models]


class TestManyClasses:
    def test_every_end_is_that_of_an_evaluation_there(self):
        rng = np.random.default_rng(3)
        y = rng.integers(0, 3, 600)
        said = np.eye(3)[y] * 2 + rng.normal(size=(600, 3))
        said = np.exp(said) / np.exp(said).sum(axis=1, keepdims=True)
        cells = [[0, 1, 1, 0.4], [1, 0, 1, 0.4], [Between(2, 9), 3, 0, Between(0.2, 0.6)]]
        ev = stakes.evaluate(y, {"m": said}, application=UncertainApplication(cells), rng=0)
        assert ev.doubt.places == ("2, 0.2", "2, 0.6", "9, 0.2", "9, 0.6")
        at = [[0, 1, 1, 0.4], [1, 0, 1, 0.4], [9, 3, 0, 0.2]]
        there = stakes.evaluate(y, {"m": said}, application=stakes.CostMatrix(at), rng=0)
        assert ev.doubt.nec[0, 2] == pytest.approx(there["m"].nec)

    def test_the_verdict_names_the_ends(self):
        good, odd = ([[90, 5, 5], [5, 90, 5], [30, 5, 65]], [[80, 5, 15], [5, 80, 15], [5, 5, 90]])
        cells = [[0, 1, 1], [1, 0, 1], [Between(0.5, 4), Between(0.5, 4), 0]]
        tables = {"good": stakes.ConfusionMatrix(good), "odd": stakes.ConfusionMatrix(odd)}
        ev = stakes.evaluate(None, tables, application=UncertainApplication(cells))
        assert ev.verdict_kind == "it depends"
        assert "good at 0.5, 0.5 and 1 other end; odd at 4, 0.5 and 1 other end" in ev.verdict


class TestForms:
    def test_json_follows_the_schema(self):
        jsonschema = pytest.importorskip("jsonschema", reason="validates the published form")
        record = json.loads(doubted(Between(2, 18), Between(0.05, 0.2)).to_json())
        jsonschema.validate(record, stakes.report.schema())
        assert record["doubt"]["safest"] == "shy"
        assert [m["name"] for m in record["doubt"]["models"]] == ["bold", "shy"]
        assert json.loads(doubted(4).to_json())["doubt"] is not None

    def test_markdown_has_the_table(self):
        text = doubted(Between(2, 18)).to_markdown()
        assert "| model | NEC at 2 | NEC at 18 | middle | mean | worst regret |" in text
        assert "| bold | 1.600 | 0.480 |" in text

    def test_printing_it(self):
        assert "unknown: deciding 'no' for 'yes' costs 2-18" in str(doubted(Between(2, 18)))
        assert repr(doubted(Between(2, 18)).doubt).endswith("safest shy>")


class TestNodes:
    def test_a_range_that_holds_zero_is_plain(self):
        found = axis(Between(-1, 3), 5, "x")
        assert found.values.tolist() == [-1, 0, 1, 2, 3]
        assert found.weights @ found.values == pytest.approx(1)

    def test_a_negative_range(self):
        found = axis(Between(-8, -2), 3, "x")
        assert found.values == pytest.approx([-8, -4, -2])

    def test_alternatives_are_taken_as_they_are(self):
        found = axis(Alternatives([15, 5], [0.75, 0.25]), 9, "x")
        assert found.values.tolist() == [5, 15]
        assert found.weights.tolist() == [0.25, 0.75]

    def test_distributions_by_their_quantiles(self):
        found = axis(BetaShare(9, 1), 51, "w")
        assert found.weights @ found.values == pytest.approx(0.9, abs=0.01)
        found = axis(Samples(range(1001)), 101, "x")
        assert found.weights @ found.values == pytest.approx(500)

    def test_alternative_applications(self):
        app = UncertainApplication.alternatives(
            [stakes.CostMatrix([[0, 1], [5, 0]]), stakes.CostMatrix([[0, 1], [15, 0]])], [0.3, 0.7]
        )
        found = possible_of(app, few=True)
        assert [found.label(k) for k in found.corners] == ["no. 1", "no. 2"]
        assert found.weights.tolist() == [0.3, 0.7]

    def test_more_unknowns_than_can_be_crossed_are_drawn(self):
        cells = [[0, *[Between(1, 2)] * 5], [3, *[0] * 5]]
        found = possible_of(UncertainApplication(cells), few=False)
        assert found.axes == ()
        assert len(found.weights) == 200


class TestRangesThatReachZero:
    """At a miss that costs nothing there is nothing to decide, and the NEC does not exist."""

    def test_the_end_is_undefined_and_the_rest_is_not(self):
        y, models = scored(400)
        app = UncertainApplication([[0, 1], [Between(0, 10), 0]])
        doubt = stakes.evaluate(y, models, application=app, rng=0, recalibrate=False).doubt
        assert doubt.places == ("0", "10")
        assert np.isnan(doubt.nec[:, 0]).all()
        assert np.isfinite(doubt.nec[:, 1]).all()
        assert np.isfinite(doubt.mean_nec).all()
        assert doubt.safest == "sharp"

    def test_printed_as_undefined(self):
        text = doubted(Between(0, 10)).to_markdown()
        assert "| bold | undefined |" in text
