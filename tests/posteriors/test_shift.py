import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.exceptions import PriorError
from stakes.posteriors import shift_priors

shares = st.floats(0.01, 0.99)


class TestShiftPriors:
    def test_by_hand(self):
        """.3 under .2 becomes .3 * 2.5 / (.3 * 2.5 + .7 * .625) under .5."""
        found = shift_priors([0.3], [0.5, 0.5], from_priors=[0.8, 0.2])
        expected = 0.3 * 0.5 / 0.2 / (0.3 * 0.5 / 0.2 + 0.7 * 0.5 / 0.8)
        assert found[0, 1] == pytest.approx(expected)

    @given(shares, shares, shares)
    def test_there_and_back(self, p, old, new):
        moved = shift_priors([p], [1 - new, new], from_priors=[1 - old, old])
        back = shift_priors(moved, [1 - old, old], from_priors=[1 - new, new])
        assert back[0, 1] == pytest.approx(p)

    def test_many_classes(self):
        p = np.array([[0.2, 0.3, 0.5]])
        moved = shift_priors(p, [0.5, 0.25, 0.25], from_priors=[0.25, 0.25, 0.5])
        weights = p * [2, 1, 0.5]
        np.testing.assert_allclose(moved, weights / weights.sum())

    def test_old_priors_of_zero_raise(self):
        with pytest.raises(PriorError, match="positive"):
            shift_priors([0.3], [0.5, 0.5], from_priors=[1.0, 0.0])
