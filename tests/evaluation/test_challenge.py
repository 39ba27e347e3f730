"""A challenger replaces the model in use only if it surely saves more than switching costs."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stakes import Application, CaseCosts, ConfusionMatrix, CostMatrix, evaluate, evaluate_frame
from stakes.exceptions import CostError, DataError, StakesError

RNG = np.random.default_rng(5)
N = 4000
Y = (RNG.random(N) < 0.2).astype(int)
# Decisions: `new` repairs most of what `old` misses; `odd` is worse than both.
OLD = np.where(RNG.random(N) < np.where(Y, 0.7, 0.1), 1, 0)
NEW = np.where((Y == 1) & (RNG.random(N) < 0.6), 1, OLD)
ODD = np.where(RNG.random(N) < 0.3, 1 - OLD, OLD)
COSTS = {"fn": 10, "fp": 1}
VOLUME = {"volume": "1000/yr", "unit": "EUR"}


def judged(models=None, **options):
    models = {"old": OLD, "new": NEW} if models is None else models
    return evaluate(Y, models, **{"costs": COSTS, "baseline": "old", **VOLUME, **options})


def paid(codes):
    return np.where(Y == 1, 10.0 * (codes == 0), 1.0 * (codes == 1))


class TestTheRule:
    def test_saving_is_the_difference_in_cost(self):
        found = judged().challenge
        assert found.saving == pytest.approx((paid(OLD) - paid(NEW)).mean())
        assert (found.baseline, found.challenger, found.challengers) == ("old", "new", 1)

    def test_interval_against_a_stratified_normal_one(self):
        found = judged(priors=[0.8, 0.2]).challenge
        apart = paid(OLD) - paid(NEW)
        parts = [(share, apart[k == Y]) for k, share in enumerate((0.8, 0.2))]
        error = np.sqrt(sum(s**2 * x.var(ddof=1) / x.size for s, x in parts))
        middle = sum(s * x.mean() for s, x in parts)
        low, high = middle - 1.96 * error, middle + 1.96 * error
        assert found.interval == pytest.approx((low, high), abs=0.1 * error)

    def test_several_challengers_widen_the_interval(self):
        one = judged().challenge
        two = judged({"old": OLD, "new": NEW, "odd": ODD}).challenge
        assert two.challenger == "new"
        wider = NormalDist().inv_cdf(0.9875) / NormalDist().inv_cdf(0.975)
        for end in (0, 1):
            gap = (two.interval[end] - two.saving) / (one.interval[end] - one.saving)
            assert gap == pytest.approx(wider, rel=0.02)  # other draws behind the comparison

    @settings(deadline=None, max_examples=15)
    @given(st.floats(0, 3000))
    def test_switches_where_the_lower_end_exceeds_the_cost(self, price):
        ev = judged(switching_cost=price)
        low = ev.challenge.interval[0] * 1000
        assert (ev.verdict_kind == "switch") == (low > price)
        assert ev.to_deploy == ("new" if low > price else "old")

    def test_the_best_baseline_stays(self):
        ev = judged(baseline="new")
        more = 1000 * (paid(OLD) - paid(NEW)).mean()
        assert ev.verdict_kind == "keep"
        assert ev.to_deploy == "new"
        start = "Keep new. No challenger costs less (the nearest, old, costs "
        assert ev.verdict.startswith(start)
        amount, rest = ev.verdict.removeprefix(start).split(maxsplit=1)
        assert abs(int(amount) - more) <= 0.5
        assert rest == "EUR a year more)."

    def test_equal_models_stay(self):
        ev = judged({"old": OLD, "copy": OLD})
        assert ev.verdict == (
            "Keep old. No challenger costs less (the nearest, copy, costs as much)."
        )

    def test_words_of_a_switch(self):
        ev = judged(switching_cost="€100")
        assert ev.verdict.startswith("Switch from old to new. It saves ")
        assert ev.verdict.endswith("), more than the 100 EUR that switching costs.")

    def test_names_with_commas_are_quoted(self):
        models = {"card, 2019": OLD, "card, 2025": NEW}
        said = judged(models, baseline="card, 2019").verdict
        assert said.startswith("Switch from 'card, 2019' to 'card, 2025'. It saves ")
        said = judged(models, baseline="card, 2025").verdict
        assert said.startswith("Keep 'card, 2025'. No challenger costs less (the nearest, 'card,")

    def test_words_of_a_saving_that_is_too_small(self):
        assert judged(switching_cost="5k").verdict.endswith(
            "), less than the 5 000 EUR that switching costs."
        )

    def test_words_of_a_saving_that_may_be_too_small(self):
        found = judged().challenge
        price = 1000 * (found.saving + found.interval[0]) / 2
        said = judged(switching_cost=price).verdict
        assert said.startswith("Keep old. new saves ")
        assert ", not surely more than the " in said
        # half the width, squared over the squared lead, times the cases
        half = (found.interval[1] - found.interval[0]) / 2
        needed = N * ((half / (found.saving - price / 1000)) ** 2 - 1)
        words = said.rsplit("about ", 1)[1].split(" more cases")[0]
        assert needed <= int(words.replace(" ", "")) <= 1.1 * needed + 10

    def test_without_a_verdict_nothing_is_switched(self):
        few = {"old": OLD[:20], "new": NEW[:20]}
        ev = evaluate(Y[:20], few, costs=COSTS, baseline="old")
        assert ev.verdict_kind == "cannot say"
        assert ev.to_deploy is None
        assert ev.challenge.interval is None

    def test_a_model_that_calibration_would_make_best_is_told(self):
        sharp = np.where(Y, 0.5, 0.02) + RNG.uniform(-0.01, 0.4, N) * (0.3 + Y)
        timid = np.clip(sharp / 12, 0.001, 0.999)
        ev = judged({"old": OLD, "timid": timid})
        assert ev.verdict_kind == "keep"
        assert "recalibrate-first" in [note.code for note in ev.remarks]


class TestEveryKindOfInput:
    def test_more_classes(self):
        y = RNG.integers(0, 3, 900)
        old = np.where(RNG.random(900) < 0.6, y, (y + 1) % 3)
        new = np.where(RNG.random(900) < 0.9, y, old)
        matrix = CostMatrix([[0, 1, 5], [2, 0, 1], [4, 3, 0]])
        ev = evaluate(y, {"old": old, "new": new}, costs=matrix, baseline="old")
        cost = matrix.values[y, old].mean() - matrix.values[y, new].mean()
        assert ev.challenge.saving == pytest.approx(cost)
        assert ev.verdict_kind == "switch"

    def test_costs_per_case(self):
        amounts = RNG.gamma(2, 20, N)
        costs = CaseCosts.binary(false_negative=amounts, false_positive=2.0)
        p = np.clip(0.15 + 0.6 * Y + RNG.normal(0, 0.2, N), 0.01, 0.99)
        ev = evaluate(Y, {"old": OLD, "gbm": p}, costs=costs, baseline="old")
        before = np.where(Y == 1, amounts * (OLD == 0), 2.0 * (OLD == 1)).mean()
        assert ev.challenge.saving == pytest.approx(before - ev[ev.best].cost)
        assert ev.challenge.challengers == 3
        with pytest.raises(DataError, match="'gbm' is no model") as caught:
            evaluate(Y, {"old": OLD, "gbm": p}, costs=costs, baseline="gbm")
        assert "gbm, per case" in caught.value.hint

    @pytest.mark.parametrize("column", ["sample_weight", "counts", "groups"])
    def test_columns_of_the_cases(self, column):
        values = RNG.integers(1, 4, N) if column != "groups" else np.arange(N) // 4
        ev = judged(**{column: values})
        weights = np.ones(N) if column == "groups" else values
        saved = np.average(paid(OLD) - paid(NEW), weights=weights)
        assert ev.challenge.saving == pytest.approx(saved)
        assert ev.challenge.interval[0] < saved < ev.challenge.interval[1]

    def test_slices_without_the_switching_cost(self):
        where = np.where(np.arange(N) % 2, "north", "south")
        ev = judged(by=where, switching_cost=5000)
        assert ev.verdict_kind == "keep"
        for name, part in ev.slices.items():
            here = where == name
            saved = (paid(OLD) - paid(NEW))[here].mean()
            assert part.challenge.saving == pytest.approx(saved)
            assert part.challenge.switching_cost == 0
            assert part.verdict_kind == "switch"
        assert "slices-switch-free" in [note.code for note in ev.notes]

    def test_confusion_matrices(self):
        def table(codes):
            return ConfusionMatrix.from_decisions(Y, codes, classes=[0, 1])

        near = judged()
        app = Application([[0, 1], [10, 0]], volume=1000, period="year", unit="EUR")
        ev = evaluate(None, {"old": table(OLD), "new": table(NEW)}, application=app, baseline="old")
        assert ev.challenge.saving == pytest.approx(near.challenge.saving)
        # as if on other cases, so that the interval is wider
        assert ev.challenge.interval[0] < near.challenge.interval[0]

    def test_frames_and_engines(self):
        pl = pytest.importorskip("polars", reason="needs Polars: pip install polars")
        rows = pl.DataFrame({"y": Y, "old": OLD, "new": NEW}).lazy()
        columns = {"old": "old", "new": "new"}
        far = evaluate_frame(rows, label="y", decisions=columns, costs=COSTS, baseline="old",
                             switching_cost=100, **VOLUME)  # fmt: skip
        assert far.verdict == judged(switching_cost=100).verdict

    def test_sums_of_costs_per_case_say_what_rows_say(self):
        pl = pytest.importorskip("polars", reason="needs Polars: pip install polars")
        amount = RNG.gamma(2, 20, N)
        rows = pl.DataFrame({"y": Y, "old": OLD, "new": NEW, "amount": amount})
        ev = evaluate_frame(rows.lazy(), label="y", decisions={"old": "old", "new": "new"},
                            costs={"fn": "amount", "fp": 2}, baseline="old")  # fmt: skip
        costs = CaseCosts.binary(fn=amount, fp=2)
        near = evaluate(Y, {"old": OLD, "new": NEW}, case_costs=costs, baseline="old", rng=0)
        assert ev.verdict == near.verdict
        assert ev.to_deploy == near.to_deploy == "new"

    def test_weighted_sums_of_costs_per_case_cannot_say(self):
        pl = pytest.importorskip("polars", reason="needs Polars: pip install polars")
        columns = {"y": Y, "old": OLD, "new": NEW, "amount": RNG.gamma(2, 20, N)}
        rows = pl.DataFrame(columns | {"w": RNG.uniform(0.5, 2, N)}).lazy()
        ev = evaluate_frame(rows, label="y", decisions={"old": "old", "new": "new"}, baseline="old",
                            costs={"fn": "amount", "fp": 2}, sample_weight="w")  # fmt: skip
        assert ev.verdict == (
            "Cannot say whether new should replace old: they could not be compared on the same "
            "cases. Keep old until they are."
        )
        assert ev.to_deploy is None


class TestRefused:
    def test_a_switching_cost_without_a_volume(self):
        with pytest.raises(DataError, match="paid once") as caught:
            judged(volume=None, switching_cost=20)
        assert "volume" in caught.value.hint

    def test_a_switching_cost_without_a_baseline(self):
        with pytest.raises(DataError, match="to switch from"):
            judged(baseline=None, switching_cost=20)

    def test_a_baseline_that_is_not_judged(self):
        with pytest.raises(DataError, match="'current' is no model here"):
            judged(baseline="current")

    def test_a_baseline_without_challenger(self):
        with pytest.raises(DataError, match="no challenger"):
            judged({"old": OLD})

    @pytest.mark.parametrize("price", [-1, float("nan"), float("inf"), "much", True, [20], "$20"])
    def test_costs_that_are_none(self, price):
        with pytest.raises(CostError):
            judged(switching_cost=price)

    @pytest.mark.parametrize("name", [3, ["old"], {"old"}, np.array(["old", "new"])])
    def test_names_that_are_none(self, name):
        with pytest.raises(StakesError):
            judged(baseline=name)
