"""Tensors with named costs: the rule of `stakes.bayes_decisions`."""

from __future__ import annotations

import numpy as np
import pytest
from fraud_cases import CODES, COSTS, FRAUD, RIGHT, SORTED, cost

import stakes
from stakes.exceptions import PosteriorError

torch = pytest.importorskip("torch", reason="decides tensors")


class TestTensors:
    def test_the_same_rule(self):
        from stakes.integrations.torch import bayes_decisions as decide
        from stakes.integrations.torch import confusion_matrix

        said, fraud = torch.tensor(SORTED), torch.tensor(FRAUD)
        with pytest.raises(PosteriorError, match="columns without names"):
            decide(said, COSTS)
        with pytest.raises(PosteriorError, match="single column"):
            decide(fraud, COSTS)
        for found in (
            decide(said, COSTS, classes=["Fraud", "Legit"]),
            decide(fraud, COSTS, positive="Fraud"),
            decide(1 - fraud, COSTS, positive="Legit"),
        ):
            np.testing.assert_array_equal(found.numpy(), RIGHT)
        by_position = confusion_matrix(torch.tensor(CODES), said.flip(1), costs=COSTS)
        assert stakes.expected_cost(by_position, application=COSTS) == pytest.approx(cost(RIGHT))
