from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs PyTorch: pip install 'stakes[torch]'")
pytest.importorskip("torchmetrics", reason="needs torchmetrics")

import torch
import torchmetrics

import stakes
from stakes.exceptions import CostError, DataError, LabelError, PriorError
from stakes.integrations.torch import (
    ActualCost,
    BrierScore,
    CrossEntropy,
    ExpectedCost,
    MinimumCost,
)

COSTS = stakes.CostMatrix([[0, 1, 4, 0.5], [2, 0, 1, 0.5], [8, 2, 0, 0.75]])
BINARY = stakes.Application([[0, 1], [7, 0]], priors=[0.8, 0.2])


def rows(n: int = 200, classes: int = 3):
    rng = np.random.default_rng(0)
    posteriors = rng.dirichlet(np.ones(classes), n)
    return torch.tensor(posteriors), torch.tensor(rng.integers(0, classes, n))


def in_batches(metric, preds, target, size: int = 37):
    for start in range(0, len(target), size):
        metric.update(preds[start : start + size], target[start : start + size])
    return float(metric.compute())


class TestExpectedCost:
    @pytest.mark.parametrize("priors", [None, [0.5, 0.3, 0.2]])
    @pytest.mark.parametrize("normalized", [False, True])
    def test_batches_equal_the_whole(self, priors, normalized) -> None:
        p, y = rows()
        app = stakes.Application(COSTS, priors=priors)
        measure = stakes.normalized_expected_cost if normalized else stakes.expected_cost
        decisions = stakes.bayes_decisions(p.numpy(), COSTS)
        expected = measure(y.numpy(), decisions, application=app)
        assert in_batches(ExpectedCost(app, normalized=normalized), p, y) == expected

    def test_decisions_already_taken(self) -> None:
        p, y = rows()
        taken = torch.tensor(stakes.bayes_decisions(p.numpy(), COSTS).astype(np.int64))
        direct = in_batches(ExpectedCost(COSTS), taken, y)
        assert direct == in_batches(ExpectedCost(COSTS), p, y)

    def test_forward_returns_the_batch_and_keeps_the_whole(self) -> None:
        p, y = rows()
        metric, first = ExpectedCost(COSTS), ExpectedCost(COSTS)
        first.update(p[:50], y[:50])
        assert float(metric(p[:50], y[:50])) == float(first.compute())
        metric(p[50:], y[50:])
        assert float(metric.compute()) == in_batches(ExpectedCost(COSTS), p, y)

    def test_reset_forgets(self) -> None:
        p, y = rows()
        metric = ExpectedCost(COSTS)
        metric.update(p, y)
        metric.reset()
        assert metric.summary().total == 0

    def test_summary_is_the_confusion_matrix(self) -> None:
        p, y = rows()
        metric = ExpectedCost(COSTS)
        metric.update(p, y)
        decisions = stakes.bayes_decisions(p.numpy(), COSTS)
        assert metric.summary() == stakes.ConfusionMatrix.from_decisions(
            y.numpy(), decisions, classes=COSTS.classes, decision_names=COSTS.decisions
        )

    def test_bad_decisions_raise(self) -> None:
        with pytest.raises(LabelError, match="from 0 to 3"):
            ExpectedCost(COSTS).update(torch.tensor([4]), torch.tensor([0]))


class TestBinnedCosts:
    def scores(self):
        rng = np.random.default_rng(1)
        y = rng.integers(0, 2, 500)
        return torch.tensor(2 * rng.normal(size=500) + 2 * y), torch.tensor(y)

    @pytest.mark.parametrize("normalized", [False, True])
    def test_actual_cost_is_exact(self, normalized) -> None:
        s, y = self.scores()
        exact = stakes.ScoreCounts.from_scores(y.numpy(), s.numpy(), kind="log_odds")
        expected = stakes.metrics.actual_cost(exact, BINARY, normalized=normalized)
        assert in_batches(ActualCost(BINARY, normalized=normalized, bins=50), s, y) == expected

    def test_minimum_cost_is_within_its_bounds(self) -> None:
        s, y = self.scores()
        exact = stakes.ScoreCounts.from_scores(y.numpy(), s.numpy(), kind="log_odds")
        least = stakes.metrics.min_cost(exact, BINARY)
        coarse = in_batches(MinimumCost(BINARY, bins=30), s, y)
        fine = in_batches(MinimumCost(BINARY, bins=100_000), s, y)
        assert least <= fine <= coarse
        assert fine == pytest.approx(least, abs=1e-3)

    def test_two_columns_of_logits(self) -> None:
        s, y = self.scores()
        table = torch.stack([-s / 2, s / 2], dim=1)
        assert in_batches(ActualCost(BINARY), table, y) == in_batches(ActualCost(BINARY), s, y)

    def test_three_classes_raise(self) -> None:
        with pytest.raises(CostError, match="two classes"):
            ActualCost(COSTS)

    def test_nan_raises(self) -> None:
        with pytest.raises(DataError, match="NaN"):
            ActualCost(BINARY).update(torch.tensor([float("nan")]), torch.tensor([0]))


class TestProperScores:
    def test_hand_arithmetic(self) -> None:
        p = torch.tensor([[0.7, 0.3], [0.4, 0.6], [0.9, 0.1]])
        y = torch.tensor([0, 1, 1])
        entropy = -(np.log(0.7) + np.log(0.6) + np.log(0.1)) / 3
        brier = 2 * (0.3**2 + 0.4**2 + 0.9**2) / 3
        assert in_batches(CrossEntropy(2), p, y, size=2) == pytest.approx(entropy, abs=1e-6)
        assert in_batches(BrierScore(2), p, y, size=2) == pytest.approx(brier, abs=1e-6)

    def test_priors_weigh_the_classes(self) -> None:
        p = torch.tensor([[0.7, 0.3], [0.4, 0.6], [0.9, 0.1]])
        y = torch.tensor([0, 1, 1])
        expected = -0.9 * np.log(0.7) - 0.1 * (np.log(0.6) + np.log(0.1)) / 2
        found = in_batches(CrossEntropy(2, priors=[0.9, 0.1]), p, y)
        assert found == pytest.approx(expected, abs=1e-6)

    def test_absent_class_raises(self) -> None:
        metric = CrossEntropy(2, priors=[0.9, 0.1])
        metric.update(torch.tensor([[0.7, 0.3]]), torch.tensor([0]))
        with pytest.raises(DataError, match="no case"):
            metric.compute()


class TestWhatIsRefused:
    @pytest.mark.parametrize("kind", [torch.int8, torch.int32, torch.bool])
    def test_targets_may_be_any_integers(self, kind) -> None:
        p, y = rows(classes=2)
        for make in (lambda: CrossEntropy(2), lambda: BrierScore(2), lambda: ExpectedCost(BINARY)):
            assert in_batches(make(), p, y.to(kind)) == in_batches(make(), p, y)

    @pytest.mark.parametrize("score", [CrossEntropy, BrierScore])
    def test_one_column_is_the_second_class(self, score) -> None:
        p, y = rows(classes=2)
        assert in_batches(score(2), p[:, 1], y) == pytest.approx(in_batches(score(2), p, y))

    @pytest.mark.parametrize("shape", [(4, 1), (4, 3), (4, 2, 1)])
    def test_scores_of_another_shape(self, shape) -> None:
        with pytest.raises(DataError, match=r"floats of shape"):
            ActualCost(BINARY).update(torch.zeros(shape), torch.tensor([0, 1, 0, 1]))

    def test_integers_are_no_scores(self) -> None:
        with pytest.raises(DataError, match="floats of shape"):
            MinimumCost(BINARY).update(torch.tensor([0, 1]), torch.tensor([0, 1]))

    def test_lengths_that_differ(self) -> None:
        p, y = rows()
        for metric in (ExpectedCost(COSTS), CrossEntropy(3), BrierScore(3)):
            with pytest.raises(DataError, match=r"200"):
                metric.update(p[:50], y)
        with pytest.raises(DataError, match=r"shape \(5,\)"):
            ActualCost(BINARY).update(torch.zeros(5), torch.tensor([0, 1]))

    @pytest.mark.parametrize("options", [{"bins": 1}, {"reach": -3.0}, {"reach": float("inf")}])
    def test_bins(self, options) -> None:
        with pytest.raises(DataError, match=r"at least 2|`reach` must be positive"):
            ActualCost(BINARY, **options)

    def test_priors_and_classes(self) -> None:
        with pytest.raises(PriorError, match="3 classes"):
            CrossEntropy(3, priors=[0.5, 0.5])
        with pytest.raises(DataError, match="at least 2"):
            BrierScore(1)

    def test_nothing_seen(self) -> None:
        p, y = rows()
        for metric in (ExpectedCost(COSTS), CrossEntropy(3), BrierScore(3)):
            metric.update(p[:0], y[:0])
            with pytest.raises(DataError, match="no cases"):
                metric.compute()


def test_half_precision_of_a_model_leaves_the_states_alone() -> None:
    p, y = rows()
    model = torch.nn.ModuleList([CrossEntropy(3), ExpectedCost(COSTS), MinimumCost(BINARY)])
    model[0].update(p, y)
    before = float(model[0].compute())
    model.half()
    assert float(model[0].compute()) == before
    assert model[2].lowest.dtype == torch.float64


WORKER = """
import sys
import torch, torch.distributed as dist
from stakes import Application
from stakes.integrations.torch import ExpectedCost, MinimumCost
rank, folder = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
app = Application([[0, 1], [7, 0]])
odds = torch.tensor([-3.0, 0.5, -4.5, 2.0]); y = torch.tensor([0, 0, 1, 1])
mine = slice(rank * 2, rank * 2 + 2)
whole, part = ExpectedCost(app), ExpectedCost(app)
p = torch.sigmoid(odds)
part.update(p[mine], y[mine])
found = [float(part.compute()), float(part.compute())]  # twice: states stay one's own
least = MinimumCost(app); least.update(odds[mine], y[mine])
if rank == 0:
    assert found == [2.0, 2.0], found  # one false alarm (1) and one miss (7) in four cases
    assert float(least.compute()) == 0.5, least.compute()  # act on all: two false alarms
else:
    least.compute()
assert part.summary().total == 2
other = ExpectedCost(app); other.update(p[:2], y[:2]); other.merge_state(part)
assert other.summary().total == 4
batch = ExpectedCost(app)
dist.destroy_process_group()
assert float(batch(p, y)) == 2.0 and batch.summary().total == 4
batch.reset(); assert batch.summary().total == 0
"""


def test_processes_add(tmp_path) -> None:
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("needs torch.distributed with gloo")
    workers = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", WORKER, str(rank), str(tmp_path)],
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    told = [worker.communicate(timeout=240)[1] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], "\n".join(told)


def test_without_torchmetrics_only_the_metrics_are_refused() -> None:
    told = """
import sys
sys.modules["torchmetrics"] = None
import stakes.integrations.torch as room
print(room.bayes_decisions.__name__)
try:
    room.ExpectedCost
except ImportError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("bayes_decisions\nthis needs torchmetrics, which is not installed")
    assert "pip install 'stakes[torch]'" in ran.stdout


class TestMetricCollection:
    """Collections of torchmetrics let metrics share states that are equal after one batch."""

    def collection(self, **metrics):
        return torchmetrics.MetricCollection(metrics)

    def test_other_costs_are_counted_apart(self) -> None:
        p, y = rows()
        dear = stakes.CostMatrix([[0, 5, 4, 0.5], [2, 0, 1, 0.5], [80, 2, 0, 0.75]])
        both = self.collection(
            cost=ExpectedCost(COSTS), nec=ExpectedCost(COSTS, normalized=True),
            dear=ExpectedCost(dear),
        )  # fmt: skip
        sure = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).double()
        for part, target in ((sure, torch.tensor([0, 1])), (p, y)):  # alike in the first batch
            both.update(part, target)
        alone = ExpectedCost(dear)
        alone.update(sure, torch.tensor([0, 1]))
        alone.update(p, y)
        assert float(both.compute()["dear"]) == float(alone.compute())
        assert ["cost", "nec"] in list(both.compute_groups.values())

    def test_other_thresholds_are_binned_apart(self) -> None:
        apps = [stakes.Application([[0, 1], [c, 0]], priors=[0.5, 0.5]) for c in (2, 3)]
        both = self.collection(a=ActualCost(apps[0]), b=ActualCost(apps[1]))
        both.update(torch.tensor([-9.0, 9.0]), torch.tensor([0, 1]))
        between = torch.tensor([-0.9, -0.9])  # the thresholds are -log 2 and -log 3
        both.update(between, torch.tensor([0, 1]))
        assert [float(v) for v in both.compute().values()] == [0.5 * 2 / 2, 0.5 * 1 / 2]

    def test_proper_scores_that_are_zero_at_first(self) -> None:
        both = self.collection(entropy=CrossEntropy(2), brier=BrierScore(2))
        both.update(torch.tensor([[1.0, 0.0]]), torch.tensor([0]))
        both.update(torch.tensor([[0.5, 0.5]]), torch.tensor([1]))
        found = {name: float(value) for name, value in both.compute().items()}
        assert found == pytest.approx({"entropy": np.log(2) / 2, "brier": 0.5 / 2})
