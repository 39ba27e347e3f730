"""Without matplotlib, a plot says what to install."""

from __future__ import annotations

import sys

import pytest

from stakes import ScoreCounts, curves, plots
from stakes.exceptions import MissingExtraError


def test_missing_matplotlib_names_the_extra(monkeypatch):
    for name in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    sc = ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="rank")
    with pytest.raises(MissingExtraError, match=r"pip install 'stakes\[plots\]'"):
        plots.roc(curves.roc(sc))
