from __future__ import annotations

import io

import numpy as np
import pytest

from stakes import ScoreCounts, curves

pytest.importorskip("matplotlib", reason="drawing needs the extra 'plots'")


def test_det_of_a_system_with_few_errors_everywhere_can_be_saved():
    from matplotlib.figure import Figure

    from stakes import plots

    scores = np.concatenate([np.arange(100.0), np.arange(95.0, 195.0)])
    counts = ScoreCounts.from_scores(np.repeat([0, 1], 100), scores, kind="rank")
    figure = Figure()
    plots.det(curves.det(counts), ax=figure.subplots())
    image = io.BytesIO()
    figure.savefig(image, format="png")
    assert image.getvalue().startswith(b"\x89PNG")
