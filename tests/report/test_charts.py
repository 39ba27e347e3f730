import re

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="drawings need matplotlib: pip install 'stakes[plots]'")

from stakes.report.charts import _in_steps, inline


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


def points_of(path):
    """Where a path of M, L, l and z goes, in tenths."""
    found, here, start = [], np.zeros(2), np.zeros(2)
    for letter, numbers in re.findall(r"([MLlz])([^MLlz]*)", path):
        pairs = np.array(re.findall(r"-?(?:\d+\.?\d*|\.\d+)", numbers), dtype=float).reshape(-1, 2)
        for pair in pairs:
            here = here + pair if letter == "l" else pair
            start = pair if letter == "M" else start
            found.append(tuple(np.round(10 * here).astype(int)))
        here = start if letter == "z" else here
    return found


def test_long_paths_in_steps_go_where_they_went():
    rng = np.random.default_rng(0)
    points = np.round(rng.normal(0, [[3.0, 40.0]], (200, 2)), 1)
    points[50:60] = points[50]  # the same point again is left out
    first, second = (
        "M " + " L ".join(f"{x:g} {y:g} " for x, y in part) for part in np.split(points, 2)
    )
    short = _in_steps(f' d="{first}z {second}"')
    expected = [tuple(np.round(10 * point).astype(int)) for point in points]
    kept = [at for k, at in enumerate(expected) if k in (0, 100) or at != expected[k - 1]]
    assert points_of(short) == kept
    assert len(short) < 0.75 * len(first + second)


def test_curved_paths_keep_their_commands():
    curved = ' d="M 0.04 1 Q 1 2 3.14159 4"'
    assert _in_steps(curved) == ' d="M 0 1 Q 1 2 3.1 4"'


def test_numbers_of_an_axis_and_of_the_label_keep_their_digits():
    from matplotlib.figure import Figure

    ax = Figure(figsize=(4, 3), dpi=72).subplots()
    ax.plot([0.0, 1.0], [0.0, 0.005])
    ax.set_yticks([0.0, 0.0025, 0.005])
    drawn = inline(ax, "k", "net benefit above 0.0909091").svg
    said = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
    assert said[-3:] == ["0.0000", "0.0025", "0.0050"]
    assert 'aria-label="net benefit above 0.0909091"' in drawn
