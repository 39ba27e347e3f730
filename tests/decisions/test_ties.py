"""One rule at thresholds, everywhere: act when p > t, t exact for the numbers as written.

And for more than two classes: the decisions of exact arithmetic, but for sums that differ by less
than rounding. The references are rational numbers.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stakes
from stakes import Application, CostMatrix, Posteriors, ScoreCounts, bayes_decisions, curves
from stakes.decisions.bayes import moved_decisions
from stakes.metrics import at_bayes_threshold

#: Costs and shares as people type them.
WRITTEN = st.tuples(st.integers(1, 999), st.integers(0, 3)).map(
    lambda c: Fraction(c[0], 10 ** c[1])
)
SHARES = st.integers(1, 999).map(lambda k: Fraction(k, 1000))
KINDS = st.sampled_from([np.float64, np.float32])


@st.composite
def scores(draw, near: Fraction) -> list[float]:
    """Scores of 1 to 6 decimals, or shares of trees of a forest; many around a threshold."""
    n = draw(st.one_of(st.integers(1, 6).map(lambda d: 10**d), st.sampled_from([100, 150, 500])))
    at = int(near * n)
    places = st.one_of(st.integers(max(0, at - 1), min(n, at + 2)), st.integers(0, n))
    return [k / n for k in draw(st.lists(places, min_size=1, max_size=12))]


def rounded(t: Fraction, kind: type) -> Fraction:
    """The number of a type that is nearest; below 1 if t is."""
    near = kind(float(t))
    options = [near, np.nextafter(near, kind(0)), np.nextafter(near, kind(1))]
    found = min((Fraction(float(x)) for x in options), key=lambda x: abs(x - t))
    return Fraction(float(np.nextafter(kind(1), kind(0)))) if found == 1 > t else found


def exact(p: np.ndarray, t: Fraction) -> list[int]:
    """What the rule says, in rational arithmetic."""
    at = rounded(t, p.dtype.type)
    return [int(Fraction(float(x)) > at) for x in p]


class TestActAboveTheThreshold:
    @given(WRITTEN, WRITTEN, KINDS, st.data())
    def test_every_way_to_decide(self, alarm, miss, kind, data):
        t = alarm / (alarm + miss)
        p = np.array(data.draw(scores(t)), dtype=kind)
        costs = CostMatrix([[0, float(alarm)], [float(miss), 0]])
        wanted = exact(p, t)
        assert bayes_decisions(p, costs).tolist() == wanted
        assert bayes_decisions(np.column_stack([1 - p, p]), costs).tolist() == wanted
        assert bayes_decisions(Posteriors(p), costs).tolist() == wanted
        app = Application(costs)
        assert Fraction(app.posterior_threshold) == rounded(t, np.float64)
        counted = ScoreCounts.from_scores(
            np.zeros(len(p), int), p, kind="posterior", classes=[0, 1]
        )
        point = at_bayes_threshold(counted, app)
        assert point.confusion.counts[0].tolist() == [len(p) - sum(wanted), sum(wanted)]
        binned = counted.binned([point.threshold])
        assert at_bayes_threshold(binned, app).confusion == point.confusion

    @given(st.integers(1, 999_999), KINDS, st.data())
    def test_decision_curves_act_alike(self, millionths, kind, data):
        t = Fraction(millionths, 10**6)
        p = np.array([*data.draw(scores(t)), 0.0], dtype=kind)
        y = np.append(np.ones(len(p) - 1, int), 0)
        found = curves.decision(ScoreCounts.from_scores(y, p, kind="posterior"), [float(t)])
        costs = CostMatrix([[0, float(t)], [float(1 - t), 0]])
        assert sum(exact(p, t)) == bayes_decisions(p, costs).sum()
        share = sum(exact(p[:-1], t)) / len(p)  # the one case of the other class is never acted on
        assert found.net_benefit[0] == pytest.approx(share)

    @given(WRITTEN, WRITTEN, SHARES, SHARES, KINDS, st.data())
    def test_posteriors_made_for_other_shares(self, alarm, miss, here, said, kind, data):
        moved = here * (1 - said) / (said * (1 - here))  # by how much the odds are multiplied
        t = alarm / (alarm + miss * moved)
        p = np.array(data.draw(scores(t)), dtype=kind)
        costs = CostMatrix([[0, float(alarm)], [float(miss), 0]])
        priors, said_at = ([float(1 - share), float(share)] for share in (here, said))
        wanted = exact(p, t)
        assert moved_decisions(p, costs, priors, said_at).tolist() == wanted
        counted = ScoreCounts.from_scores(
            np.zeros(len(p), int), p, kind="posterior", classes=[0, 1], from_priors=float(said)
        )
        point = at_bayes_threshold(counted, Application(costs, priors=priors))
        assert point.confusion.counts[0, 1] == sum(wanted)

    @settings(max_examples=15)
    @given(WRITTEN, WRITTEN, SHARES, KINDS, st.data())
    def test_evaluations_say_the_rule_by_which_they_count(self, alarm, miss, here, kind, data):
        app = Application([[0, float(alarm)], [float(miss), 0]], [float(1 - here), float(here)])
        said = Fraction(1, 2)
        t = alarm / (alarm + miss * here / (1 - here))
        p = np.array(data.draw(scores(t)), dtype=kind)
        p = np.concatenate([p, p])
        y = np.repeat([0, 1], len(p) // 2)
        ev = stakes.evaluate(y, {"m": p}, application=app, recalibrate=False)
        assert said == Fraction(float(ev.data_priors[1]))
        assert ev["m"].confusion.counts[0, 1] == sum(exact(p, t)) / 2
        assert Fraction(ev["m"].threshold) == rounded(t, kind)
        printed = kind(str(ev["m"].rule).removeprefix("p > "))
        assert (p > printed).tolist() == [bool(d) for d in exact(p, t)]

    def test_costs_are_taken_as_written(self):
        assert bayes_decisions([0.1], [[0, 1], [9, 0]]).tolist() == [0]
        assert bayes_decisions([0.1], [[0, 0.3], [2.7, 0]]).tolist() == [0]
        assert Application([[0, 0.3], [2.7, 0]]).posterior_threshold == 0.1
        assert bayes_decisions(np.array([0.3], np.float16), [[0, 3], [7, 0]]).tolist() == [0]

    @pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
    def test_a_threshold_below_one_stays_below_it(self, kind):
        costs = [[0, 1e20], [1e-10, 0]]
        below = np.nextafter(kind(1), kind(0))
        assert bayes_decisions(np.array([below, 1], kind), costs).tolist() == [0, 1]
        assert Application(costs).posterior_threshold == np.nextafter(1.0, 0.0)

    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    def test_the_earlier_decision_wins_at_the_threshold_whatever_its_side(self, kind):
        t = kind(0.1)
        p = np.array([np.nextafter(t, kind(0)), t, np.nextafter(t, kind(1))], kind)
        assert bayes_decisions(p, [[0, 1], [9, 0]]).tolist() == [0, 0, 1]
        assert bayes_decisions(p, [[1, 0], [0, 9]]).tolist() == [1, 0, 0]

    def test_a_forest_at_one_in_a_hundred(self):
        votes = np.random.default_rng(0).binomial(100, 0.02, 3588)
        y = np.random.default_rng(1).integers(0, 2, votes.size)
        app = Application([[0, 1], [99, 0]])
        for kind in (np.float32, np.float64):
            p = (votes / 100).astype(kind)
            ev = stakes.evaluate(y, {"forest": p}, application=app, recalibrate=False)
            assert ev["forest"].confusion.counts[:, 1].sum() == (votes > 1).sum()
            assert float(str(ev["forest"].rule).removeprefix("p > ")) == 0.01


def costs_and_rows(rng: np.random.Generator, k: int, m: int, n: int) -> tuple:
    """Costs from 1e-3 to 1e15, some gains, some equal; and posteriors of which many are tiny."""
    costs = 10 ** rng.uniform(-3, rng.choice([0, 3, 15]), (k, m))
    costs *= rng.choice([1, 1, -1], (k, m)) if rng.random() < 0.5 else 1
    costs[rng.random((k, m)) < 0.2] = 0
    rows = rng.dirichlet(np.full(k, rng.choice([0.02, 0.3, 3])), n)
    return costs, rows


def whole(number: float) -> int:
    """A float as a multiple of the smallest one: exact, and quicker than fractions."""
    top, bottom = number.as_integer_ratio()
    return top * (2**1074 // bottom)


def clear_decisions(rows: np.ndarray, costs: np.ndarray, apart: float) -> list[int | None]:
    """The decisions of exact arithmetic; None where the two best are not so far apart."""
    table = [[whole(c) for c in column] for column in costs.T.tolist()]
    found: list[int | None] = []
    for row in rows.astype(np.float64).tolist():
        p = [(i, whole(x)) for i, x in enumerate(row) if x]
        sums = [sum(x * column[i] for i, x in p) for column in table]
        sizes = [sum(x * abs(column[i]) for i, x in p) for column in table]
        first, second = sorted(range(len(sums)), key=sums.__getitem__)[:2]
        limit = Fraction(apart) * max(sizes[first], sizes[second])
        found.append(first if sums[second] - sums[first] > limit else None)
    return found


#: Type of posteriors, and the share of the sum of |c p| from which decisions are exact.
BARS = [(np.float16, 1e-6), (np.float32, 1e-6), (np.float64, 1e-12)]


@pytest.mark.parametrize(("kind", "apart"), BARS)
class TestAsInExactArithmetic:
    @pytest.mark.parametrize("seed", range(40))
    def test_random_costs(self, kind, apart, seed):
        rng = np.random.default_rng(seed)
        k, m = rng.integers(3, 8, 2)
        costs, rows = costs_and_rows(rng, int(k), int(m), 60)
        self.compare(rows, costs, kind, apart, at_least=20)

    @pytest.mark.parametrize(("k", "m"), [(100, 12), (1000, 5)])
    def test_many_classes(self, kind, apart, k, m):
        costs, rows = costs_and_rows(np.random.default_rng(k), k, m, 20)
        self.compare(rows, costs, kind, apart, at_least=10)

    def test_one_dear_class_among_a_hundred(self, kind, apart):
        costs = 1 - np.eye(100)
        costs[-1] *= 100
        rows = np.zeros((1, 100))
        rows[0, [0, 98]] = 0.45, 0.55
        assert bayes_decisions(as_kind(rows, kind), costs).tolist() == [98]
        rows = np.random.default_rng(0).dirichlet(np.full(100, 0.02), 12)
        self.compare(rows, costs * np.where(np.arange(100) == 99, 10, 1)[:, None], kind, apart, 8)

    def test_asking_among_a_thousand(self, kind, apart):
        costs = CostMatrix.zero_one(1000).with_abstention(0.1)
        rows = np.zeros((2, 1000))
        rows[0, [0, 1]] = 0.8, 0.2
        rows[1, [0, 1]] = 0.9375, 0.0625
        assert bayes_decisions(as_kind(rows, kind), costs).tolist() == [1000, 0]

    def test_costs_per_case(self, kind, apart):
        rng = np.random.default_rng(5)
        tables, rows = zip(*(costs_and_rows(rng, 4, 5, 1) for _ in range(80)), strict=True)
        given_rows = as_kind(np.concatenate(rows), kind)
        found = bayes_decisions(given_rows, np.array(tables))
        wanted = [
            clear_decisions(r[None], c, apart)[0] for r, c in zip(given_rows, tables, strict=True)
        ]
        pairs = [(a, b) for a, b in zip(found.tolist(), wanted, strict=True) if b is not None]
        assert len(pairs) > 40
        assert all(a == b for a, b in pairs)

    def compare(self, rows, costs, kind, apart, at_least):
        rows = as_kind(rows, kind)
        found = bayes_decisions(rows, costs).tolist()
        wanted = clear_decisions(rows, costs, apart)
        pairs = [(a, b) for a, b in zip(found, wanted, strict=True) if b is not None]
        assert len(pairs) >= at_least
        assert [a for a, _ in pairs] == [b for _, b in pairs]


def as_kind(rows: np.ndarray, kind: type) -> np.ndarray:
    """Rows of a type that still add to 1 as far as `bayes_decisions` asks; halves exactly."""
    if kind != np.float16:
        return rows.astype(kind)
    parts = np.floor(rows * 1024)
    parts[np.arange(len(rows)), rows.argmax(axis=1)] += 1024 - parts.sum(axis=1)
    return (parts / 1024).astype(np.float16)
