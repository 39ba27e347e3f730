"""Answers are the same at every call, and no test draws without a seed."""

from pathlib import Path

import numpy as np
import pytest

from stakes import ConfusionMatrix, CostMatrix, evaluate
from stakes._random import _SEED, as_generator, as_seed
from stakes.exceptions import DataError
from stakes.uncertainty import interval

pytest_plugins = ("pytester",)
CONFTEST = Path(__file__).parents[1] / "conftest.py"


class TestOfStakes:
    def test_none_is_the_documented_seed(self):
        first = as_generator(None).random(4)
        assert (as_generator(None).random(4) == first).all()
        assert (np.random.default_rng(_SEED).random(4) == first).all()
        assert as_seed(None) == _SEED

    def test_a_seed_is_that_seed(self):
        assert (as_generator(np.int64(7)).random(4) == np.random.default_rng(7).random(4)).all()
        assert as_seed(7) == 7

    def test_a_generator_gives_fresh_draws(self):
        rng = np.random.default_rng(0)
        assert as_generator(rng) is rng
        assert len({as_seed(rng) for _ in range(5)}) == 5

    @pytest.mark.parametrize("rng", [-1, 1.5, "0", True, np.nan, [1, 2]])
    @pytest.mark.parametrize("read", [as_generator, as_seed])
    def test_anything_else_is_refused(self, read, rng):
        with pytest.raises(DataError, match="`rng` must be None, a whole number from 0 on"):
            read(rng)


class TestOfAnswers:
    def judged(self, **given):
        """What an evaluation says: folds for calibrating, and draws for who is best."""
        rng = np.random.default_rng(3)
        y = rng.random(60) < 0.4
        models = {name: 0.4 * y + 0.59 * rng.random(60) for name in "ab"}
        found = evaluate(y, models, application=CostMatrix([[0, 1], [3, 0]]), **given)
        return found.record()

    def test_an_evaluation_is_the_same_at_every_call(self):
        assert self.judged() == self.judged() == self.judged(rng=None) == self.judged(rng=0)

    def test_a_generator_makes_another_one(self):
        rng = np.random.default_rng(0)
        assert self.judged(rng=rng) != self.judged(rng=rng)

    def test_an_interval_is_the_same_at_every_call(self):
        found = [interval(ConfusionMatrix([[40, 9], [5, 46]]), "mcc").low for _ in range(2)]
        assert found[0] == found[1]


class TestOfTests:
    def test_a_generator_without_a_seed_fails(self):
        for arguments in ((), (None,)):
            with pytest.raises(AssertionError, match="needs a seed"):
                np.random.default_rng(*arguments)

    def test_so_does_one_that_a_library_makes_for_us(self):
        from scipy.stats import qmc

        with pytest.raises(AssertionError, match="needs a seed"):
            qmc.Halton(1)

    def test_so_do_draws_from_global_generators(self, pytester):
        pytester.makeconftest(CONFTEST.read_text(encoding="utf-8"))
        pytester.makepyfile(
            """
            import numpy as np

            def test_bare():
                np.random.rand()

            def test_seeded():
                np.random.seed(0)
                np.random.rand()

            def test_seeded_by_nothing():
                np.random.seed()

            def test_none():
                np.random.default_rng(0).random()
            """
        )
        found = pytester.runpytest_subprocess()
        found.assert_outcomes(passed=4, errors=2)
        found.stdout.fnmatch_lines(["ERROR *test_bare*", "ERROR *test_seeded_by_nothing*"])
