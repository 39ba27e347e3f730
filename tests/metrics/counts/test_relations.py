"""Relations between classical metrics and normalised costs hold for every table."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stakes import Application, ConfusionMatrix, CostMatrix, metrics
from stakes.exceptions import CostError, PriorError, UndefinedError

cells = st.lists(st.integers(0, 500), min_size=4, max_size=4).map(
    lambda values: ConfusionMatrix(np.array(values).reshape(2, 2))
)
betas = st.floats(0.2, 5)
thresholds = st.floats(0.01, 0.95)


def both_classes(cm: ConfusionMatrix) -> tuple[float, float]:
    """Share of positive cases and of positive decisions."""
    assume((cm.class_totals > 0).all())
    return float(cm.priors[1]), float(cm.decision_totals[1] / cm.total)


def nec(cm: ConfusionMatrix, false_positive: float, false_negative: float) -> float:
    costs = CostMatrix.binary(false_positive=false_positive, false_negative=false_negative)
    return metrics.normalized_expected_cost(cm, application=Application(costs))


@given(cells, betas)
def test_f_beta_is_a_cost_over_a_number_that_grows_with_acting(cm, beta) -> None:
    prior, decided = both_classes(cm)
    cost = nec(cm, 1.0, beta**2)
    value = metrics.f_beta(cm, beta=beta)
    given_cost = metrics.f_beta_from_nec(cost, priors=prior, decided=decided, beta=beta)
    assert given_cost == pytest.approx(value, abs=1e-9)
    back = metrics.nec_from_f_beta(value, priors=prior, decided=decided, beta=beta)
    assert back == pytest.approx(cost, abs=1e-9)


@given(cells)
def test_mcc_is_the_balanced_cost_times_a_factor_for_lopsidedness(cm) -> None:
    prior, decided = both_classes(cm)
    assume(0 < decided < 1)
    balanced = metrics.false_positive_rate(cm) + metrics.false_negative_rate(cm)
    value = metrics.mcc_from_nec(balanced, priors=prior, decided=decided)
    assert value == pytest.approx(metrics.mcc(cm), abs=1e-9)
    assert metrics.nec_from_mcc(metrics.mcc(cm), priors=prior, decided=decided) == pytest.approx(
        balanced, abs=1e-9
    )


@given(cells, thresholds)
def test_net_benefit_is_an_affine_function_of_a_cost(cm, threshold) -> None:
    prior, _ = both_classes(cm)
    cost = nec(cm, threshold / (1 - threshold), 1.0)
    value = metrics.net_benefit_from_nec(cost, priors=prior, threshold=threshold)
    assert value == pytest.approx(metrics.net_benefit(cm, threshold=threshold), abs=1e-9)
    assert metrics.nec_from_net_benefit(value, priors=prior, threshold=threshold) == pytest.approx(
        cost, abs=1e-9
    )


@given(cells)
def test_positive_likelihood_ratio_from_the_balanced_cost(cm) -> None:
    both_classes(cm)
    rate = metrics.false_positive_rate(cm)
    assume(rate > 0)
    balanced = rate + metrics.false_negative_rate(cm)
    value = metrics.likelihood_ratio_from_nec(balanced, false_positive_rate=rate)
    assert value == pytest.approx(metrics.positive_likelihood_ratio(cm))
    back = metrics.nec_from_likelihood_ratio(value, false_positive_rate=rate)
    assert back == pytest.approx(balanced)


@given(st.floats(0.001, 0.999), betas)
def test_naive_f_beta_is_that_of_always_acting(prior, beta) -> None:
    always = np.array([[0, 1 - prior], [0, prior]])
    never = np.array([[1 - prior, 0], [prior, 0]])
    best = max(metrics.f_beta(always, beta=beta), metrics.f_beta(never, beta=beta))
    assert metrics.naive_f_beta(prior, beta=beta) == pytest.approx(best)


def test_naive_values_of_ferrer_2025_section_3_1() -> None:
    assert round(metrics.naive_f_beta(0.01), 2) == 0.02
    assert round(metrics.naive_f_beta(0.2), 3) == 0.333


def test_undefined_inverses_say_so() -> None:
    with pytest.raises(UndefinedError, match="no case"):
        metrics.nec_from_f_beta(0.0, priors=0.0, decided=0.5)
    with pytest.raises(UndefinedError, match="no case"):
        metrics.nec_from_mcc(0.0, priors=1.0, decided=0.5)
    with pytest.raises(UndefinedError, match="naive cost is 0"):
        metrics.nec_from_net_benefit(0.0, priors=0.0, threshold=0.5)
    with pytest.raises(CostError, match="below 1"):
        metrics.net_benefit_from_nec(0.5, priors=0.5, threshold=1.0)
    assert math.isnan(metrics.mcc_from_nec(1.0, priors=0.5, decided=1.0))
    assert math.isnan(metrics.likelihood_ratio_from_nec(1.0, false_positive_rate=0.0))
    assert math.isnan(metrics.mcc_from_nec(1.0, priors=0.0, decided=0.5))


def test_shares_lie_between_0_and_1() -> None:
    with pytest.raises(PriorError, match="`decided` must lie between 0 and 1; got -1"):
        metrics.f_beta_from_nec(0.5, priors=0.2, decided=-1)
    with pytest.raises(PriorError, match="`priors`"):
        metrics.mcc_from_nec(0.5, priors=20, decided=0.5)
