"""The experiments behind the figures of the pages still run: their parts, on a small scale."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def script(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for module in (name, "calibration_choice", "timing"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return importlib.import_module(name)


def test_cost_training_gives_the_same_numbers_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'stakes[torch]'")
    training = script("cost_training", monkeypatch)
    fit = training.fit
    monkeypatch.setattr(training, "fit", lambda *a, **options: fit(*a, **{**options, "steps": 20}))
    first, again = (training.one_seed("small", seed=3) for _ in range(2))
    assert first == again
    assert all(0 < nec < 2 for nec in first)
