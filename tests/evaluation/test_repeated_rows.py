"""Counts equal repeated rows in everything, weights in point values; one naive cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stakes import Application, CaseCosts, CostMatrix, Posteriors, evaluate, evaluate_frame
from stakes.application import Between, UncertainApplication
from stakes.exceptions import DataError

COSTS = [
    CostMatrix([[0, 1], [10, 0]]),
    CostMatrix([[-2, 3], [10, 1]]),
    Application(CostMatrix([[0, 1, 0.5], [10, 0, 2]]), priors=[0.7, 0.3]),
]
rows = st.integers(4, 25).flatmap(
    lambda n: st.tuples(
        st.integers(0, 2**32 - 1),
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.sampled_from(COSTS),
    )
)


def drawn(seed: int, n: int) -> tuple[Any, Any, Any]:
    """Cases with a class of each kind at the beginning, scores, and decisions."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
    return y, rng.random(n) * 0.98 + 0.01, rng.integers(0, 2, n)


class TestTheLawOfCounts:
    @given(rows)
    @settings(max_examples=20, deadline=None)
    def test_counts_are_repeated_rows_in_everything(self, case):
        seed, times, costs = case
        y, p, d = drawn(seed, len(times))
        times[:2] = times[0] + 1, times[1] + 1  # both classes occur
        at = np.repeat(np.arange(len(y)), times)
        asked: dict[str, Any] = {"application": costs, "min_cases": 2, "rng": 0}
        by = np.array(["north", "south"])[np.arange(len(y)) % 2]
        counted = evaluate(y, {"p": p, "d": d}, counts=times, by=by, **asked)
        repeated = evaluate(y[at], {"p": p[at], "d": d[at]}, by=by[at], **asked)
        assert counted.to_json() == repeated.to_json()
        assert counted.n_cases == sum(times)

    @given(rows)
    @settings(max_examples=20, deadline=None)
    def test_weights_are_repeated_rows_in_point_values(self, case):
        seed, times, costs = case
        y, p, d = drawn(seed, len(times))
        times[:2] = times[0] + 1, times[1] + 1
        models = {"p": p, "d": d}
        asked: dict[str, Any] = {"application": costs, "recalibrate": False, "rng": 0}
        counted = evaluate(y, models, counts=times, **asked)
        weighed = evaluate(y, models, sample_weight=times, **asked)
        for name in models:
            one, two = counted[name], weighed[name]
            assert one.cost == pytest.approx(two.cost, rel=1e-12, abs=1e-12)
            assert one.nec == pytest.approx(two.nec, rel=1e-9, abs=1e-12, nan_ok=True)
            assert one.confusion.counts.tolist() == two.confusion.counts.tolist()
        assert weighed.n_cases == np.count_nonzero(times)

    def test_with_groups_folds_and_costs_per_case(self):
        y, p, _ = drawn(3, 60)
        times = np.random.default_rng(4).integers(0, 3, 60)
        at = np.repeat(np.arange(60), times)
        folds, groups = np.arange(60) % 3, np.arange(60) // 2
        one = evaluate(y, {"p": p}, application=COSTS[0], counts=times, groups=groups, folds=folds)
        two = evaluate(
            y[at], {"p": p[at]}, application=COSTS[0], groups=groups[at], folds=folds[at]
        )
        assert one.to_json() == two.to_json()
        costs = CaseCosts.binary(false_positive=1 + p, false_negative=5 + 3 * p)
        by_case = evaluate(y, {"p": p}, application=costs, counts=times)
        assert by_case.to_json() == evaluate(y[at], {"p": p[at]}, application=costs[at]).to_json()

    @pytest.mark.parametrize(
        ("more", "said"),
        [
            ({"counts": [1.5, 2, 1, 1]}, "whole numbers"),
            ({"counts": [-1, 2, 1, 1]}, "whole numbers"),
            ({"counts": [1, 2, 1]}, "counts"),
            ({"counts": [1, 2, 1, 1], "sample_weight": [1, 1, 1, 1]}, "only one of them"),
            ({"counts": [10**9, 2, 1, 1]}, "at most 100 000 000"),
            ({"counts": [1, 1, 1, 1], "by": ["a", "b"]}, "by"),
        ],
    )
    def test_what_cannot_be_counts_is_refused(self, more, said):
        with pytest.raises(DataError, match=said):
            evaluate([0, 1, 0, 1], [0.2, 0.7, 0.4, 0.3], application=COSTS[0], **more)


class TestOneNaiveCost:
    Y, P, _ = drawn(7, 80)
    AMOUNTS = np.random.default_rng(8).gamma(2, 10, 80) * (1 + Y)

    def agree(self, ev: Any) -> None:
        assert ev.naive_cost == pytest.approx(ev.application.naive_cost, rel=1e-12)
        assert ev.record()["naive"]["cost"] == ev.naive_cost
        for part in ev.slices.values():
            self.agree(part)

    @pytest.mark.parametrize(
        "application",
        [
            *COSTS,
            UncertainApplication([[0, 4], [Between(20, 60), -3]], Between(0.02, 0.08)),
        ],
    )
    def test_whatever_the_costs(self, application):
        more = {"by": np.arange(80) % 2, "sample_weight": self.AMOUNTS}
        self.agree(evaluate(self.Y, {"p": self.P}, application=application, **more, rng=0))

    @pytest.mark.parametrize("priors", [None, [0.9, 0.1]])
    def test_of_costs_per_case_near_and_far(self, priors):
        costs = CaseCosts.binary(false_positive=2 + 0.1 * self.AMOUNTS, false_negative=self.AMOUNTS)
        app = Application(costs.average(), priors=priors)
        said = {"p": Posteriors(self.P)}
        near = evaluate(self.Y, said, application=app, case_costs=costs, rng=0)
        self.agree(near)
        pl = pytest.importorskip("polars")
        frame = pl.DataFrame({"y": self.Y, "p": self.P, "amount": self.AMOUNTS})
        formulas = {"fn": "amount", "fp": "0.1*amount + 2"}
        far = evaluate_frame(
            frame, label="y", posteriors={"p": "p"}, application=app, case_costs=formulas
        )
        self.agree(far)
        assert far.naive_cost == pytest.approx(near.naive_cost, rel=1e-12)
