from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs PyTorch: pip install 'stakes[torch]'")

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import stakes
from stakes.exceptions import DataError, LabelError, PosteriorError
from stakes.integrations.torch import (
    bayes_decisions,
    confusion_counts,
    confusion_matrix,
    score_bins,
    score_counts,
)

COSTS = stakes.CostMatrix(
    [[0, 1, 4, 9, 0.5], [2, 0, 1, 4, 0.5], [8, 2, 0, 1, 0.75], [32, 8, 2, 0, 1.5]],
    classes=["a", "b", "c", "d"],
    decisions=["a", "b", "c", "d", "ask"],
)
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def exact_rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and posteriors that are multiples of 2^-11: exact in float16, with many ties."""
    rng = np.random.default_rng(seed)
    parts = rng.multinomial(2048, rng.dirichlet([0.7] * 4, size=n)) / 2048
    return rng.integers(0, 4, n), parts


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
class TestAgainstNumpy:
    def test_decisions(self, device, dtype) -> None:
        _, rows = exact_rows(5000)
        found = bayes_decisions(torch.tensor(rows, device=device).to(dtype), COSTS)
        assert found.device.type == device
        assert (found.cpu().numpy() == stakes.bayes_decisions(rows, COSTS)).all()

    def test_two_classes_use_the_exact_cut(self, device, dtype) -> None:
        app = stakes.Application([[0, 1], [7, 0]])  # cut at 1/8, a float of every type
        p = np.array([0.0, 0.124, 0.125, 0.126, 1.0])
        given_p = torch.tensor(p, device=device).to(dtype)
        wanted = stakes.bayes_decisions(given_p.cpu().double().numpy(), app)
        assert bayes_decisions(given_p, app).cpu().tolist() == wanted.tolist()
        assert wanted[2] == 0  # a tie: the earlier decision

    def test_confusion_matrix(self, device, dtype) -> None:
        y, rows = exact_rows(5000, seed=1)
        found = confusion_matrix(
            torch.tensor(y, device=device),
            torch.tensor(rows, device=device).to(dtype),
            costs=COSTS,
        )
        assert found == stakes.ConfusionMatrix.from_decisions(
            y,
            stakes.bayes_decisions(rows, COSTS),
            classes=COSTS.classes,
            decision_names=COSTS.decisions,
        )


def near_ties(kind, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Costs in tenths, and rows in twentieths; those in float32 moved by a few roundings.

    In float64 there is no wider type to tell which side of the margin a moved row is on.
    """
    rng = np.random.default_rng(seed)
    size, width = rng.integers(3, 6, 2)
    costs = rng.integers(0, 21, (size, width)) / 10
    rows = (rng.multinomial(20, np.full(size, 1 / size), 3000) / 20).astype(kind)
    if kind == np.float32:
        moved = np.finfo(kind).eps * rng.integers(-40, 41, len(rows)).astype(kind)
        inside = (rows[:, :2] > 0.01).all(axis=1)
        rows[inside, 0] += moved[inside]
        rows[inside, 1] -= moved[inside]
    return rows, costs


@pytest.mark.parametrize("device", DEVICES)
class TestTiesAgainstNumpy:
    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    @pytest.mark.parametrize("seed", range(12))
    def test_ties_and_near_ties(self, device, kind, seed) -> None:
        rows, costs = near_ties(kind, seed)
        found = bayes_decisions(torch.tensor(rows, device=device), costs)
        assert (found.cpu().numpy() == stakes.bayes_decisions(rows, costs)).all()
        if device != "cpu":  # the fused kernel may decide otherwise within the rounding of sums
            cost = np.sort(rows.astype(np.float64) @ costs, axis=1)
            size = (rows.astype(np.float64) @ np.abs(costs)).max(axis=1)
            rows = rows[cost[:, 1] - cost[:, 0] > (1e-6 if kind == np.float32 else 1e-12) * size]
        labels = np.arange(len(rows)) % len(costs)
        counts = confusion_counts(
            torch.tensor(labels, device=device), torch.tensor(rows, device=device), costs=costs
        )
        decisions = stakes.bayes_decisions(rows, costs).astype(np.intp)
        expected = np.bincount(labels * costs.shape[1] + decisions, minlength=costs.size)
        assert counts.cpu().numpy().ravel().tolist() == expected.tolist()

    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    def test_decimal_ties_go_to_the_earlier(self, device, kind) -> None:
        # posteriors in thousandths with p_a + 20 p_c = 1: 'b' costs what asking costs, and is first
        costs = [[0, 1, 20, 1], [1, 0, 20, 1], [20, 20, 0, 1]]
        rows = np.array([[20 * k, 950 - 19 * k, 50 - k] for k in range(50)]) / 1000
        found = bayes_decisions(torch.tensor(rows.astype(kind), device=device), costs)
        best = (rows @ np.array(costs)).round(9).argmin(axis=1)
        assert found.tolist() == best.tolist()
        assert 1 in best

    def test_halves_are_the_float64_numbers_that_they_are(self, device) -> None:
        _, rows = exact_rows(3000)
        costs = np.random.default_rng(3).integers(0, 21, (4, 5)) / 10
        found = bayes_decisions(torch.tensor(rows, device=device).half(), costs)
        assert (found.cpu().numpy() == stakes.bayes_decisions(rows, costs)).all()

    def test_costs_per_case(self, device) -> None:
        rng = np.random.default_rng(0)
        rows = rng.multinomial(20, [0.3, 0.3, 0.4], 3000) / 20
        costs = rng.integers(0, 21, (3000, 3, 4)) / 10
        found = bayes_decisions(
            torch.tensor(rows, device=device), torch.tensor(costs, device=device)
        )
        assert (found.cpu().numpy() == stakes.bayes_decisions(rows, costs)).all()


def random_problem(seed: int, dtype: torch.dtype) -> tuple[np.ndarray, torch.Tensor]:
    """Costs from 1e-3 to 1e15 with some gains, and rows of many near zeros."""
    rng = np.random.default_rng(seed)
    k, m = (int(size) for size in rng.integers(3, 11, 2))
    costs = 10 ** rng.uniform(-3, [3, 15][seed % 2], (k, m))
    costs *= rng.choice([1, 1, -1], (k, m)) if seed % 3 else 1
    rows = torch.tensor(rng.dirichlet(np.full(k, [0.05, 1.0][seed % 2]), 100))
    if dtype in (torch.float16, torch.bfloat16):
        rows = torch.floor(rows * 128) / 128  # multiples that add to 1 exactly
        rows[torch.arange(100), rows.argmax(dim=1)] += 1 - rows.sum(dim=1)
    return costs, rows.to(dtype)


def clear_decisions(rows: torch.Tensor, costs: np.ndarray, apart: float) -> list[int | None]:
    """The decisions of rational arithmetic; None where the two best are not so far apart."""
    found: list[int | None] = []
    for row in rows.double().cpu().tolist():
        parts = [
            [Fraction(p) * Fraction(c) for p, c in zip(row, column, strict=True)]
            for column in costs.T.tolist()
        ]
        sums, sizes = [sum(part) for part in parts], [sum(map(abs, part)) for part in parts]
        first, second = sorted(range(len(sums)), key=sums.__getitem__)[:2]
        limit = Fraction(apart) * max(sizes[first], sizes[second])
        found.append(first if sums[second] - sums[first] > limit else None)
    return found


@pytest.mark.parametrize("device", DEVICES)
class TestAsInExactArithmetic:
    @pytest.mark.parametrize("seed", range(12))
    @pytest.mark.parametrize(
        ("dtype", "apart"),
        [
            (torch.float16, 1e-6),
            (torch.bfloat16, 1e-6),
            (torch.float32, 1e-6),
            (torch.float64, 1e-12),
        ],
    )
    def test_decisions_and_counts(self, device, dtype, apart, seed) -> None:
        costs, rows = random_problem(seed, dtype)
        rows = rows.to(device)
        wanted = clear_decisions(rows, costs, apart)
        clear = [k for k, decision in enumerate(wanted) if decision is not None]
        assert len(clear) > 50
        found = bayes_decisions(rows, costs).tolist()
        assert [found[k] for k in clear] == [wanted[k] for k in clear]
        labels = torch.zeros(len(clear), dtype=torch.int64, device=device)
        counts = confusion_counts(labels, rows[clear], costs=costs)  # the fused kernel on CUDA
        expected = np.bincount([wanted[k] for k in clear], minlength=costs.shape[1])
        assert counts[0].tolist() == expected.tolist()

    def test_one_dear_class_among_a_hundred(self, device) -> None:
        costs = 1 - np.eye(100)
        costs[-1] *= 100
        row = torch.zeros((1, 100), device=device)
        row[0, 0], row[0, 98] = 0.45, 0.55
        assert bayes_decisions(row, costs).tolist() == [98]

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
    @pytest.mark.parametrize("alarm", [1, 3, 7, 9])
    def test_two_decisions_act_above_the_rounded_threshold(self, device, dtype, alarm) -> None:
        app = stakes.Application([[0, alarm / 10], [(10 - alarm) / 10, 0]])  # t is alarm tenths
        p = torch.tensor([k / 1000 for k in range(1001)], dtype=torch.float64)
        p = p.to(dtype).to(device)
        threshold = torch.tensor(alarm / 10, dtype=torch.float64).to(dtype).to(device)
        assert bayes_decisions(p, app).tolist() == (p > threshold).long().tolist()

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_costs_per_case(self, device, dtype) -> None:
        costs, rows = random_problem(4, dtype)
        tables = torch.tensor(costs, device=device).expand(len(rows), *costs.shape)
        apart = 1e-6 if dtype == torch.float32 else 1e-12
        wanted = clear_decisions(rows, costs, apart)
        found = bayes_decisions(rows.to(device), tables).tolist()
        clear = [k for k, decision in enumerate(wanted) if decision is not None]
        assert len(clear) > 50
        assert [found[k] for k in clear] == [wanted[k] for k in clear]


class TestConfusionCounts:
    @settings(max_examples=20)
    @given(n=st.integers(0, 60), cut=st.integers(0, 60), seed=st.integers(0, 10**6))
    def test_parts_add(self, n: int, cut: int, seed: int) -> None:
        y, rows = (torch.tensor(part) for part in exact_rows(n, seed))
        whole = confusion_counts(y, rows, costs=COSTS)
        parts = [confusion_counts(y[s], rows[s], costs=COSTS) for s in (slice(cut), slice(cut, n))]
        assert torch.equal(whole, parts[0] + parts[1])

    def test_weights_of_whole_numbers_are_repeats(self) -> None:
        y, rows = (torch.tensor(part) for part in exact_rows(200))
        times = torch.tensor(np.random.default_rng(1).integers(0, 4, 200))
        repeated = confusion_counts(
            y.repeat_interleave(times), rows.repeat_interleave(times, dim=0), costs=COSTS
        )
        weighted = confusion_counts(y, rows, costs=COSTS, sample_weight=times)
        assert torch.equal(weighted, repeated.double())

    def test_blocks_do_not_show(self, monkeypatch: pytest.MonkeyPatch) -> None:
        y, rows = (torch.tensor(part) for part in exact_rows(1000))
        whole = confusion_counts(y, rows, costs=COSTS)
        monkeypatch.setattr("stakes.integrations.torch.tensors.BLOCK_ROWS", 64)
        assert torch.equal(confusion_counts(y, rows, costs=COSTS), whole)

    def test_one_column_is_the_second_class(self) -> None:
        app = stakes.Application([[0, 1], [10, 0]])
        p = torch.tensor([0.05, 0.2, 0.9])
        y = torch.tensor([0, 1, 1])
        both = torch.stack([1 - p, p], dim=1)
        assert torch.equal(confusion_counts(y, p, costs=app), confusion_counts(y, both, costs=app))

    def test_costs_per_case_against_numpy(self) -> None:
        rng = np.random.default_rng(0)
        rows, costs = rng.dirichlet([1, 1, 1], 50), rng.normal(size=(50, 3, 4))
        found = bayes_decisions(torch.tensor(rows), torch.tensor(costs))
        assert found.tolist() == stakes.bayes_decisions(rows, costs).tolist()

    def test_rows_that_are_no_posteriors_raise(self) -> None:
        rows = torch.tensor([[0.5, 0.5], [0.7, 0.7], [float("nan"), 1.0]])
        with pytest.raises(PosteriorError, match=r"row 1 .*2 of 3 rows fail") as error:
            bayes_decisions(rows, [[0, 1], [1, 0]])
        assert error.value.rows == (1, 2)
        assert "softmax" in str(error.value)

    def test_wrong_number_of_columns_raises(self) -> None:
        with pytest.raises(PosteriorError, match=r"shape \(n, 4\)"):
            bayes_decisions(torch.ones(3, 2) / 2, COSTS)

    @pytest.mark.parametrize("bad", [-1, 2])
    def test_label_out_of_range_raises(self, bad: int) -> None:
        with pytest.raises(LabelError, match=f"row 1 is {bad}"):
            confusion_counts(
                torch.tensor([0, bad]), torch.tensor([0.1, 0.2]), costs=[[0, 1], [1, 0]]
            )

    def test_float_labels_raise(self) -> None:
        with pytest.raises(LabelError, match="integer positions"):
            confusion_counts(torch.tensor([0.0]), torch.tensor([0.1]), costs=[[0, 1], [1, 0]])

    def test_lengths_that_differ_raise(self) -> None:
        with pytest.raises(DataError, match="2 rows, `posteriors` 1"):
            confusion_counts(torch.tensor([0, 1]), torch.tensor([0.1]), costs=[[0, 1], [1, 0]])


class TestFusedKernel:
    """The Triton kernel, where there is a GPU; its arithmetic elsewhere by Triton's interpreter."""

    @pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
    def test_equals_the_plain_path(self, dtype) -> None:
        from stakes.integrations.torch.tensors import compared_costs, count_cells, fused_counts

        pytest.importorskip("triton", reason="needs Triton")
        y, rows = exact_rows(100_003)
        labels = torch.tensor(y, device="cuda")
        posteriors = torch.tensor(rows, device="cuda").to(dtype)
        rule = compared_costs(COSTS.values, dtype)
        counts, bad = fused_counts(labels, posteriors, rule, tolerance=1e-2)
        assert torch.equal(counts, count_cells(labels, posteriors, COSTS.values))
        assert int(bad) == 0

    def test_in_the_interpreter_of_triton(self) -> None:
        import os
        import subprocess
        import sys

        pytest.importorskip("triton", reason="needs Triton")
        program = (
            "import numpy as np, torch\n"
            "from stakes.integrations.torch.tensors import compared_costs, count_cells\n"
            "from stakes.integrations.torch.tensors import fused_counts\n"
            "rng = np.random.default_rng(0)\n"
            "for K, M in ((3, 4), (4, 5)):\n"
            "    p = torch.tensor(rng.multinomial(2048, [1 / K] * K, 150) / 2048).half()\n"
            "    y = torch.tensor(rng.integers(0, K, 150))\n"
            "    costs = rng.integers(0, 9, (K, M)) / 4\n"
            "    rule = compared_costs(costs, p.dtype)\n"
            "    found, bad = fused_counts(y, p, rule, tolerance=1e-3, launch=(64, 4, 2))\n"
            "    assert torch.equal(found, count_cells(y, p, costs)) and int(bad) == 0\n"
            "    p[3] *= 2; y[5] = 9\n"
            "    assert int(fused_counts(y, p, rule, tolerance=1e-3, launch=(64, 4, 1))[1]) == 2\n"
        )
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program],
            env={**os.environ, "TRITON_INTERPRET": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


class TestScoreCounts:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("decimals", [None, 1])
    def test_against_the_summary_of_numpy(self, dtype, decimals) -> None:
        rng = np.random.default_rng(0)
        y = rng.random(500) < 0.3
        s = torch.tensor(rng.normal(size=500) + 2 * y).to(dtype)
        s = s if decimals is None else (s * 10).round() / 10
        found = score_counts(torch.tensor(y), s, kind="llr", classes=(False, True))
        assert found == stakes.ScoreCounts.from_scores(y, s.numpy(), kind="llr")

    def test_half_precision_becomes_single(self) -> None:
        s = torch.tensor([0.1, 0.4, 0.3]).half()
        found = score_counts(torch.tensor([0, 1, 1]), s, kind="posterior")
        assert found.positives.dtype == np.float32

    def test_costs_read_off_it(self) -> None:
        app = stakes.Application([[0, 1], [1, 0]], priors=[0.5, 0.5])
        y, s = torch.tensor([0, 0, 1, 1]), torch.tensor([-3.0, 0.5, -0.5, 2.0])
        found = score_counts(y, s, kind="llr")
        assert stakes.metrics.actual_cost(found, app) == 0.5
        assert stakes.metrics.min_cost(found, app) == 0.25

    @pytest.mark.parametrize(
        ("scores", "kind", "words"),
        [
            ([0.1, float("nan")], "llr", "holds NaN"),
            ([0.1, 1.5], "posterior", "between 0 and 1"),
            ([], "llr", "floats of shape"),
        ],
    )
    def test_bad_scores_raise(self, scores, kind, words) -> None:
        labels = torch.zeros(len(scores), dtype=torch.int64)
        with pytest.raises(DataError, match=words):
            score_counts(labels, torch.tensor(scores, dtype=torch.float32), kind=kind)


class TestScoreBins:
    def test_against_the_summary_of_numpy(self) -> None:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 400)
        s = (rng.normal(size=400) + y).astype(np.float32)
        edges = np.append(np.linspace(-2, 3, 21), s[7])  # one edge is a score
        edges.sort()
        found = score_bins(torch.tensor(y), torch.tensor(s), edges=edges, kind="llr")
        expected = stakes.ScoreCounts.from_scores(y, s, kind="llr").binned(edges)
        assert np.array_equal(found.counts, expected.counts)
        assert np.array_equal(found.lowest, expected.lowest, equal_nan=True)
        assert np.array_equal(found.highest, expected.highest, equal_nan=True)


@pytest.mark.parametrize("values", [[0.1, 0.9], np.array([0.1, 0.9]), "x", None])
def test_lists_and_arrays_are_no_tensors(values) -> None:
    y, p, costs = torch.tensor([0, 1]), torch.tensor([0.1, 0.9]), [[0, 1], [5, 0]]
    doors = [
        lambda: bayes_decisions(values, costs),
        lambda: confusion_counts(values, p, costs=costs),
        lambda: confusion_matrix(y, values, costs=costs),
        lambda: score_counts(y, values, kind="posterior"),
        lambda: score_bins(values, p, kind="posterior", edges=[0.5]),
        lambda: stakes.torch.ExpectedCostLoss(costs)(values, y),
        lambda: stakes.torch.BinaryExpectedCostLoss(costs)(p, values),
        lambda: stakes.torch.soft_decisions(values, torch.tensor(costs)),
    ]
    for door in doors:
        with pytest.raises(DataError, match=r"must be a tensor; got") as refused:
            door()
        assert "torch.as_tensor(" in refused.value.hint
