from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix, PairedCounts
from stakes.exceptions import DataError
from stakes.metrics import expected_cost
from stakes.uncertainty import best_ranges, compare

A, B = ConfusionMatrix([[900, 100], [20, 180]]), ConfusionMatrix([[980, 20], [60, 140]])
SYSTEMS = {"a": A, "b": B}


class TestBestRanges:
    def test_borders_are_where_two_costs_are_equal(self) -> None:
        app = Application(CostMatrix.zero_one(2), priors=[0.8, 0.2])
        found = best_ranges(SYSTEMS, app)
        assert found.best == ("always 0", "b", "a", "always 1")
        # b and a: 0.8 x 0.02 + 0.2 r x 0.3 = 0.8 x 0.1 + 0.2 r x 0.1
        assert found.at[1] == pytest.approx(0.8 * (0.1 - 0.02) / (0.2 * (0.3 - 0.1)))
        for ratio, name in ((1.0, "b"), (3.0, "a")):
            there = Application([[0, 1], [ratio, 0]], priors=[0.8, 0.2])
            costs = {n: expected_cost(m, application=there) for n, m in SYSTEMS.items()}
            assert min(costs, key=costs.__getitem__) == name

    def test_prevalence_axis(self) -> None:
        app = Application([[0, 1], [4, 0]])
        found = best_ranges(SYSTEMS, app, over="prevalence")
        share = found.at[1]
        costs = [expected_cost(m, application=app.with_priors([1 - share, share])) for m in (A, B)]
        assert costs[0] == pytest.approx(costs[1])

    def test_interval_of_a_border_is_where_the_difference_is_unsure(self) -> None:
        rng = np.random.default_rng(0)
        y = np.arange(1200) % 6 == 0
        a = np.where(rng.random(1200) < 0.1, ~y, y).astype(int)
        b = np.where(rng.random(1200) < np.where(y, 0.3, 0.03), ~y, y).astype(int)
        pc = PairedCounts.from_decisions(y.astype(int), {"a": a, "b": b})
        found = best_ranges(pc, naive=False)
        assert found.best == ("b", "a")
        assert found.low[0] < found.at[0] < found.high[0]
        for ratio, decided in (
            (found.low[0] * 0.97, True),
            (found.at[0], False),
            (found.high[0] * 1.03, True),
        ):
            app = Application([[0, 1], [ratio, 0]], priors=pc.priors)
            difference = compare(pc, app, method="score", draws=1, rng=0).differences[0]
            assert difference.decided is decided

    def test_dominated_system_is_never_best(self) -> None:
        worse = ConfusionMatrix([[800, 200], [80, 120]])
        assert "w" not in best_ranges({"a": A, "w": worse}).best

    def test_frame_has_one_row_per_stretch(self) -> None:
        frame = best_ranges(SYSTEMS, over="effective_prior").frame()
        assert frame["from"].tolist()[1:] == frame["to"].tolist()[:-1]
        assert (frame["lead"] > 0).all()

    def test_more_than_two_decisions_are_refused(self) -> None:
        with pytest.raises(DataError, match="two decisions"):
            best_ranges({"x": ConfusionMatrix(np.ones((3, 3), int))})

    def test_axis_prevalence_needs_costs(self) -> None:
        with pytest.raises(DataError, match="costs"):
            best_ranges(SYSTEMS, over="prevalence")
