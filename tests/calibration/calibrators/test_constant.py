import numpy as np

from stakes.calibration import Constant, load


def test_says_the_shares_of_the_data_whatever_the_scores():
    found = Constant().fit(np.arange(12.0).reshape(4, 3), [0, 1, 2, 2]).posteriors(np.ones((2, 3)))
    np.testing.assert_allclose(found, [[1 / 4, 1 / 4, 1 / 2]] * 2)


def test_says_the_target_priors():
    found = Constant(priors=[0.9, 0.1]).fit([1.0, 2.0], [0, 1]).posteriors([0.0])
    np.testing.assert_allclose(found, [[0.9, 0.1]])


def test_saves(tmp_path):
    Constant().fit([1.0, 2.0, 3.0], [0, 1, 1]).save(tmp_path / "c.json")
    np.testing.assert_allclose(load(tmp_path / "c.json").posteriors([0.0]), [[1 / 3, 2 / 3]])
