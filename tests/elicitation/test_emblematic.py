"""Five emblematic models put in order."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.elicitation import (
    EMBLEMATIC_MODELS,
    agreed_ratio,
    contradictions,
    emblematic_models,
    ratio_from_ranking,
)
from stakes.exceptions import CostError, DataError, PriorError

ORDER = ["always", "errs", "never", "errs_negatives", "errs_positives"]


def cost(model, ratio, prior):
    return prior * ratio * model.miss_rate + (1 - prior) * model.alarm_rate


def test_the_interval_of_wa2025_appendix_a2():
    """Eq 22 with a = .6, r+ = .05: .919 <= w <= .927."""
    said = ratio_from_ranking(ORDER, error_share=0.6, priors=0.05)
    low, high = agreed_ratio(said).weights
    assert (round(low, 3), round(high, 3)) == (0.919, 0.927)
    p, n, a = 0.05, 0.95, 0.6
    assert low == pytest.approx(1 / (1 + p / (a * n)))
    assert high == pytest.approx(1 / (1 + a * p / ((1 - a) * n)))


@given(st.floats(0.05, 0.95), st.floats(0.02, 0.98), st.floats(0.01, 100))
def test_the_order_by_cost_always_contains_the_hidden_ratio(share, prior, ratio):
    models = emblematic_models(share)
    ranking = sorted(models, key=lambda name: -cost(models[name], ratio, prior))
    said = ratio_from_ranking(ranking, error_share=share, priors=prior)
    assert not contradictions(said)
    assert all(each.low <= ratio * (1 + 1e-9) and each.high >= ratio * (1 - 1e-9) for each in said)


@given(st.floats(0.05, 0.95), st.floats(0.02, 0.98))
def test_four_of_ten_pairs_say_nothing(share, prior):
    silent = 0
    for worse, better in itertools.combinations(EMBLEMATIC_MODELS, 2):
        (forth,) = ratio_from_ranking([worse, better], error_share=share, priors=prior)
        (back,) = ratio_from_ranking([better, worse], error_share=share, priors=prior)
        silent += not forth.is_possible or not back.is_possible
    assert silent == 4


def test_dominated_pairs_in_the_wrong_order_contradict_themselves():
    said = ratio_from_ranking(["errs_negatives", "always"], error_share=0.6, priors=0.05)
    assert contradictions(said)[0].positions == (0,)
    with pytest.raises(CostError, match="contradicts itself"):
        agreed_ratio(said)


def test_cuts_are_those_on_the_effective_prior():
    """Switch points at u = e/(1+e), e, 1/2, 1-e, 1/(1+e) for the six informative pairs."""
    e, prior = 0.3, 0.2
    pairs = {
        ("always", "never"): 0.5, ("errs_negatives", "errs_positives"): 0.5,
        ("always", "errs"): 1 - e, ("never", "errs"): e,
        ("always", "errs_positives"): 1 / (1 + e), ("never", "errs_negatives"): e / (1 + e),
    }  # fmt: skip
    for (one, other), u in pairs.items():
        (said,) = ratio_from_ranking([one, other], error_share=e, priors=prior)
        ratio = said.low if said.low > 0 else said.high
        assert prior * ratio / (prior * ratio + 1 - prior) == pytest.approx(u)


@pytest.mark.parametrize(
    ("ranking", "error"),
    [(["always"], DataError), (["always", "always"], DataError), (["always", "x"], DataError)],
)
def test_refused_rankings(ranking, error):
    with pytest.raises(error, match="`ranking` must order"):
        ratio_from_ranking(ranking, error_share=0.6, priors=0.05)


def test_refused_parameters():
    with pytest.raises(DataError, match="error_share"):
        ratio_from_ranking(ORDER, error_share=1.0, priors=0.05)
    with pytest.raises(PriorError):
        ratio_from_ranking(ORDER, error_share=0.6, priors=0)
