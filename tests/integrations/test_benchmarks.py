"""The experiments behind the figures of the pages still run: their parts, on a small scale."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def script(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for module in (name, "calibration_choice", "timing"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return importlib.import_module(name)


class TestTunedRules:
    def test_regrets_of_scores(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("sklearn", reason="needs scikit-learn")
        rules = script("tuned_rules", monkeypatch)
        monkeypatch.setattr(rules, "RATIOS", (5,))
        rng = np.random.default_rng(0)
        y = np.arange(400) % 2
        p = 1 / (1 + np.exp(-(rng.normal(size=400) + 2 * y - 1)))
        found = rules.regrets(y[:200], p[:200], y[200:], p[200:])
        assert len(found) == len(rules.RULES)
        assert min(found) >= 0  # no rule is cheaper than the oracle threshold on the test rows

    def test_the_paired_test(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("sklearn", reason="needs scikit-learn")
        rules = script("tuned_rules", monkeypatch)
        # mean .01, standard error .001: (.01 - .005) / .001 = 5 errors above the margin
        worse = 0.01 + 0.001 * np.sqrt(4) * np.array([-1, 1, -1, 1]) * np.sqrt(3 / 4)
        p, bound = rules.compared(worse)
        assert p < 0.05
        assert bound == pytest.approx(0.01 + 0.001 * 2.353363, abs=1e-8)  # t, 3 degrees, 95 %
        assert rules.compared(np.full(4, 0.02))[0] == 0
        assert rules.compared(np.zeros(4)) == (1, 0)


def test_cost_training_gives_the_same_numbers_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'stakes[torch]'")
    training = script("cost_training", monkeypatch)
    fit = training.fit
    monkeypatch.setattr(training, "fit", lambda *a, **options: fit(*a, **{**options, "steps": 20}))
    first, again = (training.one_seed("small", seed=3) for _ in range(2))
    assert first == again
    assert all(0 < nec < 2 for nec in first)
