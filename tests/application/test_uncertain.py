"""Applications of which only a range or a distribution is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, CostMatrix
from stakes.application import (
    Alternatives,
    BetaShare,
    Between,
    DirichletShares,
    UncertainApplication,
)
from stakes.exceptions import CostError, DataError, PriorError

COST = st.floats(0, 100)


@given(st.lists(st.lists(COST, min_size=6, max_size=6), min_size=1, max_size=5), st.data())
def test_expected_cost_is_linear_in_the_costs(rows, data):
    """`dyrland2022` eqs 18-19: the average of the costs is the cost of the average matrix."""
    matrices = [CostMatrix(np.reshape(row, (2, 3)), [0, 1], ["a", "b", "c"]) for row in rows]
    raw = data.draw(st.lists(st.floats(0.1, 1), min_size=len(rows), max_size=len(rows)))
    weights = np.array(raw) / sum(raw)
    app = UncertainApplication.alternatives(matrices, weights.tolist())
    q = np.array([0.3, 0.7])
    averaged = sum(w * (q @ m.values) for w, m in zip(weights, matrices, strict=True))
    assert np.allclose(q @ app.expected.costs.values, averaged)


def test_paired_costs_and_priors_keep_every_expected_cost_right():
    costs = np.array([[[0, 1], [5, 0]], [[0, 2], [15, 0]]], dtype=float)
    priors = np.array([[0.9, 0.1], [0.7, 0.3]])
    app = UncertainApplication.from_samples(costs, priors, weights=[0.25, 0.75]).expected
    rates = np.array([[0.8, 0.2], [0.4, 0.6]])
    directly = sum(
        w * np.einsum("i,ij,ij->", p, rates, c)
        for w, p, c in zip([0.25, 0.75], priors, costs, strict=True)
    )
    assert np.einsum("i,ij,ij->", app.priors, rates, app.costs.values) == pytest.approx(directly)


def test_expected_of_independent_cells_by_hand():
    app = UncertainApplication(
        [[0, Between(-1, 3)], [Alternatives([5, 15], [0.3, 0.7]), 0]], priors=BetaShare(1, 3)
    )
    assert app.expected.costs.values.tolist() == [[0, 1], [0.3 * 5 + 0.7 * 15, 0]]
    assert app.expected.priors.tolist() == [0.75, 0.25]


def test_weight_form_costs_add_to_one():
    """`wa2025` eqs 4-5: a miss costs w, a false alarm 1 - w."""
    app = UncertainApplication.from_weight(Between(0.8, 0.9))
    draws = app.sample(200, rng=0)
    assert np.allclose(draws.costs[:, 0, 1] + draws.costs[:, 1, 0], 1)
    assert sorted(draw[1, 0] for draw in app.corners().costs) == [0.8, 0.9]
    with pytest.raises(CostError, match="between 0 and 1"):
        UncertainApplication.from_weight(Between(0.5, 1.5))


def test_corners_are_all_combinations_of_ends():
    app = UncertainApplication([[0, Between(1, 2)], [Between(5, 20), 0]], priors=Between(0.1, 0.2))
    corners = app.corners()
    found = {(c[0, 1], c[1, 0], p[1]) for c, p in zip(corners.costs, corners.priors, strict=True)}
    assert found == {(a, b, p) for a in (1, 2) for b in (5, 20) for p in (0.1, 0.2)}


def test_too_many_unknowns_have_too_many_corners():
    cells = [[Between(1, 2)] * 7, [Between(1, 2)] * 7]
    with pytest.raises(CostError, match=r"14 unknown costs have 2\^14 corners"):
        UncertainApplication(cells, classes=[0, 1], decisions=range(7)).corners()


def test_draws_stay_inside_and_are_reproducible():
    app = UncertainApplication([[0, 1], [Between(5, 20), 0]], priors=DirichletShares([9, 1]))
    first, second = app.sample(100, rng=7), app.sample(100, rng=7)
    assert np.array_equal(first.costs, second.costs)
    assert np.array_equal(first.priors, second.priors)
    assert ((first.costs[:, 1, 0] >= 5) & (first.costs[:, 1, 0] <= 20)).all()
    assert (first.costs[:, 0, 1] == 1).all()


def test_priors_left_to_the_data():
    app = UncertainApplication([[0, 1], [Between(5, 20), 0]])
    assert app.expected.priors is None
    assert app.corners().resolved_priors(np.array([0.6, 0.4])).tolist() == [[0.6, 0.4]] * 2
    with pytest.raises(PriorError, match="no data here"):
        app.corners().resolved_priors()


def test_names_and_settings_are_kept():
    app = UncertainApplication.binary(
        false_positive=1, false_negative=Between(5, 20), classes=["stay", "churn"], unit="EUR",
        volume=1000, period="day",
    )  # fmt: skip
    expected = app.expected
    assert isinstance(expected, Application)
    assert (expected.unit, expected.volume, expected.period) == ("EUR", 1000, "day")
    assert expected.classes == ("stay", "churn")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: UncertainApplication([[0, 1], [2]]), "all of one length"),
        (lambda: UncertainApplication([[0, "x"], [1, 0]]), "finite numbers or unknowns"),
        (lambda: UncertainApplication([[0, np.nan], [1, 0]]), "row 0, column 1 is nan"),
        (lambda: UncertainApplication.alternatives([]), "at least one"),
        (lambda: UncertainApplication.from_samples([[0, 1], [1, 0]]), "shape"),
        (lambda: UncertainApplication.alternatives(
            [CostMatrix.zero_one(2), CostMatrix.zero_one(3)]), "share classes"),
    ],
)  # fmt: skip
def test_refused_costs(make, message):
    with pytest.raises(CostError, match=message):
        make()


@pytest.mark.parametrize(
    "priors", [Between(0.5, 1.5), DirichletShares([1, 2, 3]), [0.5, 0.6], [[0.5, 0.5]] * 3]
)
def test_refused_priors(priors):
    with pytest.raises(PriorError):
        UncertainApplication.from_samples([np.eye(2), np.eye(2)], priors)


def test_one_unknown_share_is_for_two_classes():
    with pytest.raises(PriorError, match="DirichletShares"):
        UncertainApplication(CostMatrix.zero_one(3), priors=Between(0.1, 0.2))
    mixed = [Application(np.eye(2), [0.5, 0.5]), Application(np.eye(2))]
    with pytest.raises(PriorError, match="or none does"):
        UncertainApplication.alternatives(mixed)


@pytest.mark.parametrize("n", [0, -3])
def test_at_least_one_draw(n):
    app = UncertainApplication([[0, 1], [Between(2, 12), 0]], priors=[0.9, 0.1])
    with pytest.raises(DataError, match="`draws` must be a whole number, at least 1"):
        app.sample(n)
