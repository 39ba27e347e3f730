"""Costs from formulas over named quantities."""

import numpy as np
import pytest

from stakes.application import Between, costs_from_amounts
from stakes.exceptions import CostError

LOAN = {
    "repays": {"deny": 0, "high": "accepts*high_rate", "standard": "standard_rate"},
    "defaults": {
        "deny": 0,
        "high": "paid*(1 + high_rate) - 1",
        "standard": "paid*(1 + standard_rate) - 1",
    },
}
KNOWN = {"accepts": 0.5, "high_rate": 0.9, "standard_rate": 0.5, "paid": 0.4}


def test_the_loan_of_ferrer2025_section_2_2():
    app = costs_from_amounts(LOAN, KNOWN, gains=True, unit="per unit lent")
    assert np.allclose(-app.costs.values, [[0, 0.45, 0.5], [0, -0.24, -0.4]])
    assert np.allclose(app.costs.standardized().values, [[0.5, 0.05, 0], [0, 0.24, 0.4]])
    assert app.unit == "per unit lent"
    assert app.decisions == ("deny", "high", "standard")


def test_unknown_quantities_make_draws_that_move_together():
    app = costs_from_amounts(LOAN, {**KNOWN, "paid": Between(0.2, 0.6)}, gains=True)
    draws = app.sample(500, rng=0).costs
    paid = (1 - draws[:, 1, 2]) / 1.5  # standard: cost 1 - paid * 1.5
    assert ((paid >= 0.2 - 1e-12) & (paid <= 0.6 + 1e-12)).all()
    assert np.allclose(draws[:, 1, 1], 1 - paid * 1.9)
    assert np.allclose(draws[:, 0], [0, -0.45, -0.5])


def test_missing_quantities_are_named():
    with pytest.raises(CostError, match="'paid', which is not among"):
        costs_from_amounts(LOAN, {k: v for k, v in KNOWN.items() if k != "paid"})
    with pytest.raises(CostError, match="at least one outcome"):
        costs_from_amounts({})
