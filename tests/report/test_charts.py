import re

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="drawings need matplotlib: pip install 'stakes[plots]'")

from stakes.report.charts import inline


@pytest.fixture
def chart():
    from matplotlib.figure import Figure

    ax = Figure(figsize=(4, 3), dpi=72).subplots()
    ax.plot([0.0, 1.0, 2.0], [0.0, 2.0, 1.0], color="#0072B2", gid="line")
    ax.set(xlim=(0, 2), ylim=(0, 2), xlabel="<x> & 🦊")
    return inline(ax, "k", "a label")


def test_colours_are_attributes_and_classes(chart):
    drawn = re.search(r'id="k-line".*?<path ([^>]*)>', chart.svg)[1]
    assert 'stroke="#0072b2"' in drawn
    assert 'class="s-0072b2"' in drawn
    assert "style=" not in chart.svg
    assert "<style" not in chart.svg


def test_scale_places_data_where_the_path_is(chart):
    path = re.search(r'id="k-line".*?<path d="([^"]+)"', chart.svg)[1]
    numbers = np.array(re.findall(r"-?\d+\.?\d*", path), dtype=float).reshape(-1, 2)
    a, b, c, d = chart.scale
    expected = [(a + b * x, c + d * y) for x, y in ((0, 0), (1, 2), (2, 1))]
    np.testing.assert_allclose(numbers, expected, atol=0.02)


def test_names_are_its_own_and_text_is_escaped(chart):
    assert all(
        name.startswith(("k-", "chart-k")) for name in re.findall(r' id="([^"]+)"', chart.svg)
    )
    assert "&lt;x&gt; &amp; 🦊" in chart.svg
    assert 'role="img"' in chart.svg
    assert 'aria-label="a label"' in chart.svg
