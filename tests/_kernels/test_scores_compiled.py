"""Compiled loops and array code must agree, and Numba must only be met when it is wanted."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from stakes._kernels import fast_loops as compiled
from stakes._kernels import roc_hull as scores_compiled
from stakes._kernels.label_runs import split_classes
from stakes._kernels.roc_hull import cumulative


def drawn(kind, dtype, share):
    """Scores with few or many ties, some infinite."""
    rng = np.random.default_rng(7)
    positive = rng.random(20_000) < share
    scores = rng.normal(size=positive.size) + positive
    if kind == "ties":
        scores = np.round(scores, 1)
    scores[:20], scores[20:40] = np.inf, -np.inf
    return scores.astype(dtype), positive


@pytest.mark.parametrize("share", [0.01, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["ties", "distinct"])
def test_compiled_loops_agree_with_array_code(monkeypatch, kind, dtype, share):
    pytest.importorskip("numba", reason="the extra `fast` is not installed")
    scores, positive = drawn(kind, dtype, share)
    found = []
    for wish in ("0", "1"):
        monkeypatch.setenv("STAKES_FAST", wish)
        assert compiled.pays(10) is (wish == "1")
        first, second = split_classes(scores, positive)
        runs = scores_compiled.runs(first, second, None, None)
        hull = scores_compiled.hull(cumulative(runs.negatives), cumulative(runs.positives))
        found.append((first, second, *runs, hull))
    for arrays, loops in zip(*found, strict=True):
        assert arrays.dtype == loops.dtype
        np.testing.assert_array_equal(arrays, loops)


def test_small_input_uses_array_code(monkeypatch):
    monkeypatch.delenv("STAKES_FAST", raising=False)
    assert not compiled.pays(compiled.MEDIUM - 1)


def test_absent_numba_is_no_error(monkeypatch):
    monkeypatch.setenv("STAKES_FAST", "1")
    monkeypatch.setattr(compiled, "_installed", lambda: False)
    found = scores_compiled.runs(np.array([1.0]), np.array([2.0]), None, None)
    assert (found.negatives.tolist(), found.positives.tolist()) == ([1, 0], [0, 1])


def test_small_work_does_not_import_numba():
    program = (
        "import sys, stakes\n"
        "sc = stakes.ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind='llr')\n"
        "import stakes.metrics\n"
        "sc.hull\n"
        "assert 'numba' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
