from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs PyTorch: pip install 'stakes[torch]'")

import torch

import stakes
from stakes.exceptions import CostError, DataError, LabelError
from stakes.integrations.torch import (
    BinaryExpectedCostLoss,
    ExpectedCostLoss,
    ReweightedLoss,
    annealed_temperature,
    bayes_decisions,
    soft_decisions,
)

COSTS = stakes.CostMatrix([[0, 1, 4, 0.5], [2, 0, 1, 0.5], [8, 2, 0, 0.75]])
SCALES = ["log", "linear"]


def batch(n: int = 40, classes: int = 3, seed: int = 0):
    generator = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn(n, classes, dtype=torch.float64, generator=generator)
    return logits, torch.randint(0, classes, (n,), generator=generator)


@pytest.mark.parametrize("scale", SCALES)
class TestSoftDecisions:
    def test_rows_add_to_one(self, scale) -> None:
        weights = soft_decisions(batch()[0], torch.tensor(COSTS.values), scale=scale)
        assert torch.allclose(weights.sum(dim=1), torch.ones(40, dtype=torch.float64))

    def test_cold_ones_are_the_bayes_rule(self, scale) -> None:
        logits, _ = batch(500)
        weights = soft_decisions(logits, torch.tensor(COSTS.values), scale=scale, temperature=1e-6)
        assert torch.equal(weights.argmax(dim=1), bayes_decisions(logits.softmax(dim=1), COSTS))
        assert (weights.amax(dim=1) > 0.999).double().mean() > 0.99

    def test_cost_per_case_broadcasts(self, scale) -> None:
        logits, _ = batch()
        table = torch.tensor(COSTS.values)
        each = table.expand(len(logits), *table.shape)
        found = soft_decisions(logits, each, scale=scale)
        assert torch.allclose(found, soft_decisions(logits, table, scale=scale))

    def test_straight_through_has_the_value_of_the_hard_rule(self, scale) -> None:
        logits, _ = batch()
        hard = soft_decisions(
            logits, torch.tensor(COSTS.values), scale=scale, straight_through=True
        )
        taken = bayes_decisions(logits.softmax(dim=1), COSTS)
        assert torch.allclose(hard, torch.nn.functional.one_hot(taken, 4).double())

    def test_a_decision_that_surely_costs_nothing_has_finite_gradients(self, scale) -> None:
        logits = batch()[0].requires_grad_()
        costs = torch.tensor([[0.0, 1.0], [0.0, 5.0], [0.0, 2.0]], dtype=torch.float64)
        soft_decisions(logits, costs, scale=scale)[:, 1].sum().backward()
        assert torch.isfinite(logits.grad).all()


@pytest.mark.parametrize("scale", SCALES)
class TestExpectedCostLoss:
    @pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
    def test_gradients_against_differences(self, scale, priors) -> None:
        logits, target = batch(12)
        loss = ExpectedCostLoss(
            stakes.Application(COSTS, priors=priors), scale=scale, temperature=0.7,
            learn_offsets=True,
        ).double()  # fmt: skip
        target[:3] = torch.arange(3)
        assert torch.autograd.gradcheck(lambda x: loss(x, target), logits.requires_grad_())
        loss(logits, target).backward()
        assert loss.offsets.grad.abs().sum() > 0

    def test_gradients_of_costs_per_case(self, scale) -> None:
        logits, target = batch(8)
        costs = torch.rand(8, 3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        loss = ExpectedCostLoss(COSTS, scale=scale)
        assert torch.autograd.gradcheck(lambda x: loss(x, target, costs), logits.requires_grad_())

    @pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
    def test_converges_to_the_exact_cost_as_the_temperature_falls(self, scale, priors) -> None:
        logits, target = batch(300)
        app = stakes.Application(COSTS, priors=priors)
        decisions = stakes.bayes_decisions(logits.softmax(dim=1).numpy(), COSTS)
        exact = stakes.expected_cost(target.numpy(), decisions, application=app)
        loss = ExpectedCostLoss(app, scale=scale)
        gaps = []
        for temperature in (1.0, 0.1, 0.01, 1e-4):
            loss.temperature = temperature
            gaps.append(abs(float(loss(logits, target)) - exact))
        assert gaps[-1] < 1e-3 < gaps[0]
        assert gaps[2] < gaps[0] / 5

    def test_straight_through_is_exact_at_any_temperature(self, scale) -> None:
        logits, target = batch(300)
        decisions = stakes.bayes_decisions(logits.softmax(dim=1).numpy(), COSTS)
        exact = stakes.expected_cost(target.numpy(), decisions, application=COSTS)
        loss = ExpectedCostLoss(COSTS, scale=scale, straight_through=True)
        value = loss(logits.requires_grad_(), target)
        value.backward()
        assert float(value.detach()) == pytest.approx(exact, abs=1e-6)
        assert logits.grad.abs().sum() > 0

    def test_data_priors_make_batches_unbiased(self, scale) -> None:
        logits, target = batch(300)
        shares = np.bincount(target.numpy()) / 300
        app = stakes.Application(COSTS, priors=[0.2, 0.3, 0.5])
        whole = ExpectedCostLoss(app, scale=scale)(logits, target)
        loss = ExpectedCostLoss(app, scale=scale, from_priors=shares)
        parts = [loss(logits[k : k + 30], target[k : k + 30]) for k in range(0, 300, 30)]
        assert float(sum(parts) / 10) == pytest.approx(float(whole), abs=1e-6)

    def test_weights_of_whole_numbers_are_repeats(self, scale) -> None:
        logits, target = batch(20)
        times = torch.arange(20) % 3
        loss = ExpectedCostLoss(COSTS, scale=scale)
        repeated = loss(logits.repeat_interleave(times, 0), target.repeat_interleave(times))
        assert torch.allclose(loss(logits, target, sample_weight=times), repeated)

    def test_absent_class_raises(self, scale) -> None:
        app = stakes.Application(COSTS, priors=[0.2, 0.3, 0.5])
        with pytest.raises(DataError, match="class 2 has a prior but no case"):
            ExpectedCostLoss(app, scale=scale)(batch(2)[0], torch.tensor([0, 1]))


class TestBinaryExpectedCostLoss:
    APP = stakes.Application([[0, 1], [4, 0]], priors=[0.7, 0.3])

    def test_is_the_multiclass_loss_of_log_odds(self) -> None:
        logits, target = batch(50, classes=2)
        odds = logits[:, 1] - logits[:, 0]
        for slope in (0.5, 3.0):
            binary = BinaryExpectedCostLoss(self.APP, slope=slope).double()
            general = ExpectedCostLoss(self.APP, temperature=1 / slope)
            found = binary(odds, target).detach()
            assert torch.allclose(found, general(logits, target), atol=1e-6)

    def test_is_the_multiclass_loss_of_posteriors(self) -> None:
        # costs 1 and 4 make the expected costs differ by 5 (p - 1/5): slope 5 / T
        logits, target = batch(50, classes=2)
        binary = BinaryExpectedCostLoss(
            self.APP, threshold=self.APP.posterior_threshold, slope=5 / 0.3
        ).double()
        general = ExpectedCostLoss(self.APP, temperature=0.3, scale="linear")
        found = binary(logits.softmax(dim=1)[:, 1], target).detach()
        assert torch.allclose(found, general(logits, target), atol=1e-5)

    def test_hand_arithmetic_of_equations_10_and_11(self) -> None:
        loss = BinaryExpectedCostLoss(self.APP, threshold=0.5).double()
        scores = torch.tensor([0.2, 0.9, 0.4], dtype=torch.float64)
        sigmoid = lambda x: 1 / (1 + np.exp(-x))  # noqa: E731
        false_alarms = (sigmoid(0.2 - 0.5) + sigmoid(0.9 - 0.5)) / 2
        misses = sigmoid(0.5 - 0.4)
        expected = 0.7 * 1 * false_alarms + 0.3 * 4 * misses
        found = loss(scores, torch.tensor([0, 0, 1])).item()
        assert found == pytest.approx(expected, abs=1e-6)

    def test_gradients_against_differences(self) -> None:
        logits, target = batch(10, classes=2)
        target[:2] = torch.tensor([0, 1])
        loss = BinaryExpectedCostLoss(self.APP).double()
        scores = logits[:, 1].clone().requires_grad_()
        assert torch.autograd.gradcheck(lambda s: loss(s, target), scores)
        loss(scores, target).backward()
        assert loss.threshold.grad.abs() > 0

    def test_a_fixed_threshold_is_no_parameter(self) -> None:
        loss = BinaryExpectedCostLoss(self.APP, learn_threshold=False)
        assert list(loss.parameters()) == []
        assert float(loss.threshold) == pytest.approx(np.log(1 / 4))

    def test_more_decisions_raise(self) -> None:
        with pytest.raises(CostError, match="use ExpectedCostLoss"):
            BinaryExpectedCostLoss(COSTS)


class TestReweightedLoss:
    COSTS = stakes.CostMatrix([[0, 1], [4, 0]])
    # margin 0.5 for the first case (class 0), -1 for the second (class 1)
    LOGITS = torch.tensor([[0.5, 0.0], [1.0, 0.0]], dtype=torch.float64)
    TARGET = torch.tensor([0, 1])

    @pytest.mark.parametrize(
        ("kind", "first", "second"),
        [
            ("cross_entropy", np.log1p(np.exp(-0.5)), np.log1p(np.exp(1.0))),
            ("hinge", 1 - 0.5, 1 + 1.0),
            ("exponential", np.exp(-0.5), np.exp(1.0)),
            ("squared", 2 / (1 + np.exp(0.5)) ** 2, 2 / (1 + np.exp(-1.0)) ** 2),
        ],
    )
    def test_hand_arithmetic(self, kind, first, second) -> None:
        loss = ReweightedLoss(kind, self.COSTS, from_priors=[0.5, 0.5])
        expected = (1 * first + 4 * second) / (1 + 4)
        assert float(loss(self.LOGITS, self.TARGET)) == pytest.approx(expected, abs=1e-6)

    def test_factors_are_those_of_the_framework(self) -> None:
        app = stakes.Application(self.COSTS, priors=[0.9, 0.1])
        loss = ReweightedLoss("hinge", app, from_priors=[0.6, 0.4])
        expected = stakes.application.class_factors([0.6, 0.4], app, priors=[0.9, 0.1])
        assert loss.factors.numpy() == pytest.approx(expected)

    @pytest.mark.parametrize("kind", ["cross_entropy", "hinge", "exponential", "squared"])
    def test_gradients_against_differences(self, kind) -> None:
        logits, target = batch(10)
        costs = stakes.CostMatrix([[0, 1, 1], [3, 0, 3], [5, 5, 0]])
        loss = ReweightedLoss(kind, costs, from_priors=[0.2, 0.3, 0.5])
        assert torch.autograd.gradcheck(lambda x: loss(x, target), logits.requires_grad_())

    def test_unknown_kind_raises(self) -> None:
        with pytest.raises(DataError, match="got 'focal'"):
            ReweightedLoss("focal", self.COSTS, from_priors=[0.5, 0.5])  # type: ignore[arg-type]


LOSSES = {
    "log": lambda: ExpectedCostLoss(COSTS),
    "linear": lambda: ExpectedCostLoss(COSTS, scale="linear"),
    "straight-through": lambda: ExpectedCostLoss(COSTS, straight_through=True, learn_offsets=True),
    "placed": lambda: ExpectedCostLoss(
        stakes.Application(COSTS, priors=[0.2, 0.3, 0.5]), from_priors=[0.3, 0.3, 0.4]
    ),
    "binary": lambda: BinaryExpectedCostLoss(
        stakes.Application([[0, 1], [4, 0]], priors=[0.7, 0.3]), from_priors=[0.5, 0.5]
    ),
    **{
        kind: lambda kind=kind: ReweightedLoss(
            kind, stakes.CostMatrix([[0, 1, 1], [3, 0, 3], [5, 5, 0]]), from_priors=[0.3, 0.3, 0.4]
        )
        for kind in ("cross_entropy", "hinge", "squared", "exponential")
    },
}


@pytest.mark.parametrize("name", LOSSES)
class TestEveryLoss:
    def case(self, name: str, n: int = 40):
        logits, target = batch(n, classes=2 if name == "binary" else 3)
        return LOSSES[name](), logits[:, 1] if name == "binary" else logits, target

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
    def test_narrow_types_give_nearly_the_same(self, name, dtype) -> None:
        loss, scores, target = self.case(name)
        narrow = scores.to(dtype).requires_grad_()
        value = loss(narrow, target)
        value.backward()
        assert value.dtype == dtype
        assert torch.isfinite(narrow.grad).all()
        exact = loss(scores, target).item()
        assert value.item() == pytest.approx(exact, rel=20 * torch.finfo(dtype).eps)

    def test_autocast(self, name) -> None:
        loss, scores, target = self.case(name)
        torch.manual_seed(0)
        layer = torch.nn.Linear(1, 1) if name == "binary" else torch.nn.Linear(3, 3)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            made = layer(scores.float()[:, None] if name == "binary" else scores.float())
            value = loss(made[:, 0] if name == "binary" else made, target)
        value.backward()
        assert torch.isfinite(layer.weight.grad).all()

    def test_compiles_in_one_piece(self, name) -> None:
        loss, scores, target = self.case(name)
        torch.compiler.reset()
        compiled = torch.compile(loss, backend="eager", fullgraph=True)
        assert compiled(scores, target).item() == pytest.approx(loss(scores, target).item())

    def test_labels_of_any_integer_type(self, name) -> None:
        loss, scores, target = self.case(name)
        expected = loss(scores, target).item()
        for kind in (torch.int8, torch.int32, *([torch.bool] if name == "binary" else [])):
            assert loss(scores, target.to(kind)).item() == expected

    @pytest.mark.parametrize("bad", [-1, -100, 3])
    def test_labels_that_are_no_positions_raise(self, name, bad) -> None:
        loss, scores, target = self.case(name)
        target[5] = bad
        with pytest.raises(LabelError, match=f"row 5 is {bad}"):
            loss(scores, target)

    def test_labels_that_are_no_integers_raise(self, name) -> None:
        loss, scores, target = self.case(name)
        with pytest.raises(LabelError, match="integer positions"):
            loss(scores, target.float())

    def test_shapes_that_do_not_fit_raise(self, name) -> None:
        loss, scores, target = self.case(name)
        with pytest.raises(DataError, match="must be floats of shape"):
            loss(torch.zeros(40, 5), target)
        with pytest.raises(DataError, match="must be floats of shape"):
            loss(scores[None], target)
        with pytest.raises(DataError, match=r"`target` must have shape \(40,\)"):
            loss(scores, target[:7])
        with pytest.raises(DataError, match=r"`sample_weight` must have shape \(40,\)"):
            loss(scores, target, sample_weight=torch.ones(40, 1))

    def test_only_the_ratios_of_weights_count(self, name) -> None:
        loss, scores, target = self.case(name)
        weights = 1.0 + torch.arange(40) % 3
        value = loss(scores, target, sample_weight=weights).item()
        assert loss(scores, target, sample_weight=7 * weights).item() == pytest.approx(value)

    def test_state_and_copies(self, name) -> None:
        loss, scores, target = self.case(name)
        value = loss(scores, target).item()
        other = pickle.loads(pickle.dumps(copy.deepcopy(loss)))
        other.load_state_dict(loss.state_dict())
        assert other(scores, target).item() == value


def test_costs_per_case_of_another_shape_raise() -> None:
    logits, target = batch(8)
    with pytest.raises(CostError, match=r"\(8, 3, 4\), one table per case; got \(8, 3, 3\)"):
        ExpectedCostLoss(COSTS)(logits, target, torch.ones(8, 3, 3))


def test_temperature_may_be_learnt() -> None:
    logits, target = batch(8)
    heat = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    loss = ExpectedCostLoss(COSTS, temperature=heat)
    loss(logits, target).backward()
    plain = ExpectedCostLoss(COSTS, temperature=0.5)
    assert loss(logits, target).item() == pytest.approx(plain(logits, target).item())
    assert heat.grad.abs() > 0


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan")])
def test_a_temperature_that_is_not_positive_raises(temperature) -> None:
    with pytest.raises(DataError, match="`temperature` must be positive"):
        ExpectedCostLoss(COSTS, temperature=temperature)(*batch(8))


class TestAnnealedTemperature:
    def test_ends_are_kept(self) -> None:
        assert annealed_temperature(0, 10, start=2.0, stop=0.1) == 2.0
        assert annealed_temperature(9, 10, start=2.0, stop=0.1) == pytest.approx(0.1)
        assert annealed_temperature(50, 10, start=2.0, stop=0.1) == pytest.approx(0.1)

    def test_not_positive_raises(self) -> None:
        with pytest.raises(DataError, match="positive"):
            annealed_temperature(0, 3, stop=0.0)
