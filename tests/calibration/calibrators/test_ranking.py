import numpy as np

from stakes.calibration.calibrators.smooth import _rank_log_odds, mid_ranks


def test_ties_share_the_middle_of_their_ranks():
    places, ranks = mid_ranks(np.array([3.0, 1.0, 3.0, 2.0]), np.ones(4))
    np.testing.assert_array_equal(places, [1, 2, 3])
    np.testing.assert_allclose(ranks, [(0 + 1 / 2 + 1 / 2) / 5, 2 / 5, (2 + 2 / 2 + 1 / 2) / 5])


def test_weight_of_two_is_two_cases():
    weighted = mid_ranks(np.array([1.0, 2.0]), np.array([2.0, 1.0]))
    repeated = mid_ranks(np.array([1.0, 1.0, 2.0]), np.ones(3))
    np.testing.assert_allclose(weighted, repeated)


def test_infinite_scores_lie_one_unit_outside():
    places, _ = mid_ranks(np.array([-np.inf, 0.0, 4.0, np.inf]), np.ones(4))
    np.testing.assert_array_equal(places, [-1, 0, 4, 5])


def test_many_scores_are_thinned():
    places, ranks = mid_ranks(np.arange(10_000.0), np.ones(10_000))
    assert len(places) == len(ranks) == 2049
    assert (places[0], places[-1]) == (0, 9999)


def test_log_odds_of_a_rank():
    np.testing.assert_allclose(_rank_log_odds(np.array([0.5, 0.8])), [0, np.log(4)], atol=1e-12)
