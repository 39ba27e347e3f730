import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit, softmax

from stakes.exceptions import DataError, PriorError, UndefinedError
from stakes.posteriors import estimate_priors


def shifted(n, share, seed=0):
    """Calibrated posteriors for prior 1/2, of cases with another share of the second class."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return expit(2 * rng.normal(size=n) + np.where(y, 2.0, -2.0))


class TestEstimatePriors:
    def test_two_values_by_hand(self):
        """Posteriors .9 and .1 at prior 1/2 are tests of 90 %: .75 = .9 p + .1 (1 - p)."""
        found = estimate_priors([0.9] * 75 + [0.1] * 25, [0.5, 0.5])
        assert found.priors[1] == pytest.approx((0.75 - 0.1) / 0.8, abs=1e-6)

    def test_finds_the_share(self):
        found = estimate_priors(shifted(50_000, 0.05), [0.5, 0.5])
        assert found.priors[1] == pytest.approx(0.05, abs=0.006)

    def test_interval_covers(self):
        held = 0
        for seed in range(200):
            found = estimate_priors(shifted(300, 0.2, seed), [0.5, 0.5], level=0.9)
            held += bool(found.low[1] <= 0.2 <= found.high[1])
        assert 0.84 <= held / 200 <= 0.96

    def test_many_classes(self):
        rng = np.random.default_rng(0)
        truth = np.array([0.6, 0.3, 0.1])
        y = rng.choice(3, 20_000, p=truth)
        logits = 2 * (rng.normal(size=(20_000, 3)) + 2 * np.eye(3)[y])  # slope 2: calibrated
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        found = estimate_priors(p / p.sum(axis=1, keepdims=True), np.full(3, 1 / 3))
        np.testing.assert_allclose(found.priors, truth, atol=0.012)
        assert ((found.low < found.priors) & (found.priors < found.high)).all()

    def test_no_case_of_a_class_touches_zero(self):
        found = estimate_priors([1e-6] * 50, [0.5, 0.5])
        assert found.priors[1] == pytest.approx(0, abs=1e-6)
        assert found.low[1] == 0.0
        # 50 cases, none of the class: the likelihood drops by z^2/2 near 1 - exp(-z^2/100)
        assert found.high[1] == pytest.approx(1 - np.exp(-(1.96**2) / 100), abs=1e-3)

    def test_frame_and_repr(self):
        found = estimate_priors([0.9, 0.1], [0.5, 0.5])
        assert found.frame()["class"].tolist() == [0, 1]
        assert "maximum likelihood" in repr(found)

    def test_zero_prior_raises(self):
        with pytest.raises(PriorError, match="positive"):
            estimate_priors([0.5], [1.0, 0.0])

    def test_empty_raises(self):
        with pytest.raises(DataError, match="at least one"):
            estimate_priors(np.empty(0), [0.5, 0.5])

    def test_too_few_steps_raise(self):
        with pytest.raises(UndefinedError, match="still change"):
            estimate_priors([0.6] * 9 + [0.4], [0.5, 0.5], max_iterations=2)


@pytest.mark.parametrize("priors", [[0.5, 0.5], [0.7, 0.3], [0.2, 0.3, 0.5]])
def test_cases_that_are_all_alike_tell_nothing(priors):
    found = estimate_priors([priors] * 10, priors)
    np.testing.assert_allclose(found.priors, priors)
    assert found.low.tolist() == [0.0] * len(priors)
    assert found.high.tolist() == [1.0] * len(priors)


@pytest.mark.parametrize(("spread", "seed"), [(0.05, 1), (0.02, 0), (0.02, 3)])
def test_weak_classifiers_against_the_root_of_the_slope(spread, seed):
    """Where expectation-maximisation would take tens of thousands of steps."""
    p = expit(spread * np.random.default_rng(seed).normal(size=2000))

    def slope(share):
        return float(((2 * p - 1) / (1 - p + share * (2 * p - 1))).sum())

    witness = 0.0 if slope(0.0) <= 0 else 1.0 if slope(1.0) >= 0 else brentq(slope, 0, 1)
    found = estimate_priors(p, [0.5, 0.5])
    assert found.priors[1] == pytest.approx(witness, abs=1e-7)
    assert found.iterations < 50
    assert found.low[1] <= witness <= found.high[1]


def test_one_step_of_expectation_maximisation_changes_nothing():
    """The fixed point of Saerens, Latinne and Decaestecker (2002), equation 2.9."""
    p = shifted(2000, 0.3)
    old = np.array([0.4, 0.6])
    found = estimate_priors(p, old)
    parts = np.column_stack([1 - p, p]) * found.priors / old
    again = (parts / parts.sum(axis=1, keepdims=True)).mean(axis=0)
    np.testing.assert_allclose(again, found.priors, atol=1e-9)


def test_text_names_the_classes():
    found = estimate_priors(shifted(500, 0.2), [0.5, 0.5])
    assert found.text.startswith(f"Estimated class mix: 0 {100 * found.priors[0]:.3g} % (")


def rare(n, share, seed, size=2):
    """Calibrated posteriors for equal priors, of cases with a rare last class."""
    rng = np.random.default_rng(seed)
    truth = np.append(np.full(size - 1, (1 - share) / (size - 1)), share)
    logits = 2 * (rng.normal(size=(n, size)) + 2 * np.eye(size)[rng.choice(size, n, p=truth)])
    return softmax(logits, axis=1)


@pytest.mark.parametrize(("share", "size"), [(0.001, 2), (0.003, 2), (0.01, 2), (0.003, 3)])
def test_intervals_of_small_shares_cover_and_are_short(share, size):
    held = 0
    for seed in range(60):
        found = estimate_priors(rare(1000, share, seed, size), np.full(size, 1 / size))
        held += bool(found.low[-1] <= share <= found.high[-1])
        assert found.high[-1] < 0.05
    assert held >= 52  # fewer happens once in 100 times or less at 95 %


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_ends_of_a_small_share_lie_where_the_likelihood_drops(seed):
    p = rare(2000, 0.002, seed)[:, 1]
    found = estimate_priors(p, [0.5, 0.5])

    def likelihood(share):
        return float(np.log(2 * (share * p + (1 - share) * (1 - p))).sum())

    allowed = 1.959964**2 / 2
    most = likelihood(found.priors[1])
    assert most - likelihood(found.high[1]) == pytest.approx(allowed, abs=1e-3)
    if found.low[1] > 0:
        assert most - likelihood(found.low[1]) == pytest.approx(allowed, abs=1e-3)
    else:
        assert most - likelihood(0.0) <= allowed


@pytest.mark.parametrize("seed", [0, 1])
def test_ends_with_three_classes_leave_the_others_free(seed):
    p = rare(500, 0.004, seed, 3)
    found = estimate_priors(p, np.full(3, 1 / 3))
    high = found.high[2]

    def loss(part):
        return -float(np.log(p @ [(1 - high) * part, (1 - high) * (1 - part), high]).sum())

    kept = minimize_scalar(loss, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-9}).fun
    most = float(np.log(p @ found.priors).sum())
    assert most + kept == pytest.approx(1.959964**2 / 2, abs=1e-3)


def test_many_classes_keep_the_others_in_proportion_and_the_truth_inside():
    rng = np.random.default_rng(0)
    truth = np.append(np.full(39, 1 / 39.1), 0.1 / 39.1)
    y = rng.choice(40, 2000, p=truth)
    p = softmax(3 * (rng.normal(size=(2000, 40)) + 3 * np.eye(40)[y]), axis=1)
    found = estimate_priors(p, np.full(40, 1 / 40))
    assert (found.low <= found.priors).all()
    assert (found.priors <= found.high).all()
    assert ((found.low <= truth) & (truth <= found.high)).mean() >= 0.85
    assert found.high.max() < 0.1


@pytest.fixture(name="mp")
def _mp():
    return pytest.importorskip("mpmath", reason="the reference arithmetic")


def binomial_end(mp, hits, n, share, side, reach=1.959963984540054):
    """Where the log-likelihood of a share has dropped by reach^2/2, in 30 digits."""
    most = hits * mp.log(share) + (n - hits) * mp.log(1 - share)
    with mp.workdps(30):
        return float(
            mp.findroot(
                lambda s: most - hits * mp.log(s) - (n - hits) * mp.log(1 - s) - reach**2 / 2,
                side,
                solver="anderson",
            )
        )


@pytest.mark.parametrize("n", [3, 12])
def test_posteriors_of_exactly_one_for_three_classes(mp, n):
    """Certain cases count classes: each share has the likelihood of a binomial."""
    counts = np.array([n // 3, n - n // 3 - 1, 1])
    found = estimate_priors(np.eye(3)[np.repeat([0, 1, 2], counts)], [0.2, 0.3, 0.5])
    np.testing.assert_allclose(found.priors, counts / n, atol=1e-8)
    for k, hits in enumerate(counts.tolist()):
        share = mp.mpf(hits) / n
        low = binomial_end(mp, hits, n, share, (mp.mpf("1e-9"), share))
        high = binomial_end(mp, hits, n, share, (share, 1 - mp.mpf("1e-9")))
        assert found.low[k] == pytest.approx(low, abs=2e-5)
        assert found.high[k] == pytest.approx(high, abs=2e-5)


@pytest.mark.parametrize("seed", [0, 1])
def test_votes_of_a_forest_of_five_against_mpmath(mp, seed):
    """Posteriors k/5 with certain cases: the shares, and how far the likelihood drops."""
    rng = np.random.default_rng(seed)
    p = rng.multinomial(5, [0.1, 0.3, 0.6], 24) / 5
    p[:6] = np.eye(3)[rng.choice(3, 6)]
    ratios = [[mp.mpf(float(x)) for x in row] for row in p / [0.2, 0.3, 0.5]]
    found = estimate_priors(p, [0.2, 0.3, 0.5])
    mixed = [mp.fdot(row, map(float, found.priors)) for row in ratios]
    for k in range(3):  # the slope along every share is 1 at the greatest likelihood
        slope = mp.fsum(row[k] / m for row, m in zip(ratios, mixed, strict=True)) / len(p)
        assert float(slope) == pytest.approx(1, abs=1e-7)

    def likelihood(share, part):
        rest = (1 - share) * part, (1 - share) * (1 - part)
        return mp.fsum(mp.log(mp.fdot(row, (*rest, share))) for row in ratios)

    def greatest(share):
        slope = lambda part: mp.diff(lambda x: likelihood(share, x), part)  # noqa: E731
        return likelihood(share, mp.findroot(slope, (0.01, 0.99), solver="anderson", tol=1e-12))

    most = mp.fsum(map(mp.log, mixed))
    for end in (float(found.low[2]), float(found.high[2])):
        assert 0 < end < 1
        assert float(most - greatest(mp.mpf(end))) == pytest.approx(1.959964**2 / 2, abs=2e-5)


def test_all_cases_certain_of_one_class():
    """Five certain cases of the first of three classes: its share is at least exp(-z^2/10)."""
    found = estimate_priors(np.eye(3)[[0] * 5], np.full(3, 1 / 3))
    assert found.priors[0] == pytest.approx(1)
    assert found.low[0] == pytest.approx(np.exp(-(1.959964**2) / 10), abs=1e-5)
    assert found.high.tolist()[0] == 1.0
    assert found.low.tolist()[1:] == [0.0, 0.0]
