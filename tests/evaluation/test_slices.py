"""Slices of the cases, judged apart."""

from __future__ import annotations

import numpy as np
import pytest

import stakes

COSTS = stakes.CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"], decisions=["wait", "act"])


@pytest.fixture
def rows():
    rng = np.random.default_rng(8)
    region = rng.choice(["north", "south"], 6000)
    share = np.where(region == "north", 0.05, 0.3)
    y = (rng.random(6000) < share).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(1.5 * (2 * y - 1), 1.5) + 2))
    return y, p, region


def test_shares_of_the_data_keep_the_decisions_of_the_whole(rows):
    y, p, region = rows
    ev = stakes.evaluate(y, {"m": p}, application=stakes.Application(COSTS), by=region, rng=0)
    parts = [one["m"].confusion for one in ev.slices.values()]
    assert np.array_equal(sum(part.counts for part in parts), ev["m"].confusion.counts)
    for name, one in ev.slices.items():
        inside = region == name
        act = p[inside] > 1 / 11
        cost = np.mean(np.where(y[inside] == 1, 10.0 * ~act, 1.0 * act))
        assert one["m"].cost == pytest.approx(cost, rel=1e-12)


def test_as_evaluate_frame_does(rows):
    polars = pytest.importorskip("polars", reason="needs polars: pip install 'stakes[polars]'")
    y, p, region = rows
    app = stakes.Application(COSTS)
    ev = stakes.evaluate(y, {"m": p}, application=app, by=region, rng=0)
    frame = polars.DataFrame({"y": np.array(["no", "yes"])[y], "p": p, "region": region})
    other = stakes.evaluate_frame(
        frame, label="y", posteriors={"m": "p"}, application=app, by="region"
    )
    for name in ("north", "south"):
        assert other.slices[name]["m"].cost == pytest.approx(ev.slices[name]["m"].cost, rel=1e-12)


def test_given_shares_move_every_part_to_them(rows):
    y, p, region = rows
    app = stakes.Application(COSTS, priors=[0.5, 0.5])
    ev = stakes.evaluate(y, {"m": p}, application=app, by=region, rng=0)
    parts = [one["m"].confusion.counts for one in ev.slices.values()]
    assert np.array_equal(sum(parts), ev["m"].confusion.counts)
