"""The gap that the caption of a reliability drawing names."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import ScoreCounts
from stakes.report.live.reliability_charts import _largest_gap, reliability_chart


def test_it_is_counted():
    pytest.importorskip("matplotlib", reason="needs matplotlib: pip install 'stakes[plots]'")
    # twenty groups of 50; in that at 0.9 only 30 of 50 happen, elsewhere as many as said
    said = np.repeat(np.arange(20) / 20, 50)
    happened = np.concatenate([np.arange(50) < round(50 * p) for p in np.arange(20) / 20])
    happened[said == 0.9] = np.arange(50) < 30
    scores = ScoreCounts.from_scores(happened.astype(int), said, kind="posterior")
    assert _largest_gap(scores) == pytest.approx((0.9, 0.6))
    chart, curves = reliability_chart(
        {"m0": scores}, "m0", key="reliability", label="", name="gbm", event="yes"
    )
    assert "Where gbm predicts 90 %, 60 % are “yes”: the largest gap among 20" in chart.caption
    assert chart.models == (0,)
    assert list(curves) == ["m0"]
