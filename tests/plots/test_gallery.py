"""Every plot is drawn once; what it shows is what the curve holds."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")

import itertools

from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from stakes import Application, ConfusionMatrix, ScoreCounts, curves, plots
from stakes.evaluation.model_table import MOST_SHOWN
from stakes.exceptions import DataError
from stakes.plots.style import COLOURS, GREY, pen

DOCS = Path(__file__).parents[2] / "docs" / "gallery"


def drawing_module():
    spec = importlib.util.spec_from_file_location("draw_gallery", DOCS / "draw.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pictures():
    return drawing_module().pictures()


def axes():
    return Figure().subplots()


def summary(kind="llr", seed=0, n=400):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    s = 2 * rng.normal(size=n) + 4 * y - 2
    return ScoreCounts.from_scores(y, s, kind=kind)


@pytest.mark.parametrize("name", plots.__all__)
def test_every_plot_is_in_the_gallery(name, pictures):
    assert name in pictures
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    assert f"{name}.svg" in page
    assert f"plots.{name}(" in page


def test_every_picture_draws_on_given_axes(pictures):
    for name, draw in pictures.items():
        ax = axes()
        assert draw(ax) is ax, name
        assert ax.has_data(), name
        assert ax.get_xlabel(), name


def test_pictures_of_the_page_exist():
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    for file in re.findall(r"\]\((\w+\.svg)\)", page):
        assert (DOCS / file).stat().st_size > 1000


def lines_by_gid(ax):
    return {line.get_gid(): line for line in ax.lines}


class TestWhatIsDrawn:
    def test_roc(self):
        sc = summary()
        curve = curves.roc(sc)
        tangent = curves.iso_cost_tangent(sc, Application([[0, 1], [3, 0]]))
        ax = plots.roc({"a": curve}, hulls={"a": curves.roc(sc, hull=True)}, tangent=tangent,
                       ax=axes())  # fmt: skip
        drawn = lines_by_gid(ax)
        np.testing.assert_array_equal(drawn["roc-a"].get_ydata(), curve.true_positive_rate)
        x, y = drawn["iso-cost"].get_data()
        assert (y[1] - y[0]) / (x[1] - x[0]) == pytest.approx(tangent.slope)
        assert ax.get_aspect() == 1

    def test_bayes_error_shows_actual_and_minimum_and_says_off_scale(self):
        curve = curves.bayes_error(ScoreCounts.from_scores([0, 1, 0, 1], [9.0, 9.0, -9.0, -9.0],
                                                           kind="llr"))  # fmt: skip
        ax = plots.bayes_error({"bad": curve}, ax=axes())
        drawn = lines_by_gid(ax)
        np.testing.assert_array_equal(drawn["actual-bad"].get_ydata(), curve.actual)
        np.testing.assert_array_equal(drawn["minimum-bad"].get_ydata(), curve.minimum)
        assert drawn["minimum-bad"].get_linestyle() == "--"
        assert drawn["actual-bad"].get_linestyle() == "-"
        assert any("off scale" in text.get_text() for text in ax.texts)
        assert ax.get_ylim() == (0, 1.25)

    def test_bayes_error_second_axis_holds_cost_ratios(self):
        ax = plots.bayes_error(curves.bayes_error(summary()), priors=0.5, ax=axes())
        (top,) = ax.child_axes
        labels = [label.get_text() for label in top.get_xticklabels()]
        assert "1:1" in labels
        assert "100:1" in labels
        assert top.get_xticks()[labels.index("1:1")] == pytest.approx(0)

    def test_unnormalised_cost_has_a_logarithmic_axis(self):
        curve = curves.bayes_error(summary(), normalized=False)
        assert plots.bayes_error(curve, ax=axes()).get_yscale() == "log"

    def test_det_greys_what_rests_on_few_errors(self):
        curve = curves.det(summary(n=2000))
        ax = plots.det(curve, ax=axes())
        drawn = lines_by_gid(ax)
        sure = ~np.isnan(drawn["det-"].get_ydata())
        few = (curve.false_positives < 30) | (curve.false_negatives < 30)
        np.testing.assert_array_equal(sure, ~few)
        labels = [label.get_text() for label in ax.get_xticklabels()]
        assert {"1", "5", "10", "20", "40"} <= set(labels)
        assert ax.get_xlim() == ax.get_ylim()

    def test_bands_lie_behind_their_curves(self):
        curve = curves.bayes_error(summary())
        band = SimpleNamespace(x=curve.log_odds, low=curve.actual - 0.1, high=curve.actual + 0.1)
        ax = plots.bayes_error({"a": curve}, bands={"a": band}, ax=axes())
        (drawn,) = (c for c in ax.collections if c.get_gid() == "band-a")
        assert drawn.get_facecolor()[0][:3] == pytest.approx(
            to_rgb(lines_by_gid(ax)["actual-a"].get_color())
        )

    def test_confusion_counts_cases_in_use_and_shades_cost(self):
        cm = ConfusionMatrix([[90, 10], [5, 15]])
        app = Application([[0, 1], [10, 0]], priors=[0.98, 0.02])
        ax = plots.confusion(cm, app, ax=axes())
        texts = [text.get_text() for text in ax.texts]
        # 1000 * 0.98 * 0.1 false alarms cost 98; 1000 * 0.02 * 0.25 misses cost 50.
        assert texts[1] == f"{1000 * 0.98 * 0.1:g}\n{100 * 98 / 148:.0f} % of cost"
        assert texts[2] == f"{1000 * 0.02 * 0.25:g}\n{100 * 50 / 148:.0f} % of cost"

    def test_model_costs_show_dots_with_intervals(self):
        ax = plots.model_costs({"a": 0.3, "b": 0.5}, intervals={"a": (0.2, 0.4)}, ax=axes())
        xs = [line.get_xdata() for line in ax.lines]
        assert [list(np.atleast_1d(x)) for x in xs] == [[0.2, 0.4], [0.3], [0.5]]

    def test_decision_has_odds_beneath(self):
        ax = plots.decision(curves.decision(summary()), ax=axes())
        assert "0.2\n1:4" in [label.get_text() for label in ax.get_xticklabels()]
        assert ax.get_legend_handles_labels()[1][0] == "always act (falling), never act (0)"

    def test_reliability_shows_band_and_parts(self):
        curve = curves.reliability(summary(), rng=0)
        ax = plots.reliability(curve, ax=axes())
        assert "miscalibration" in ax.get_title(loc="left")
        assert "90 % if calibrated" in ax.get_legend_handles_labels()[1]
        assert plots.reliability(curve, log_odds=True, ax=axes()).get_xscale() == "logit"

    def test_reliability_without_a_band(self):
        curve = curves.reliability(summary(), draws=0)
        assert not plots.reliability(curve, ax=axes()).collections

    def test_sweep_draws_gains_as_losses(self):
        sweep = curves.threshold_sweep(summary(), np.linspace(-2, 2, 9), metrics=["f1"])
        ax = plots.threshold_sweep(sweep, ax=axes())
        assert "1 - f1" in ax.get_legend_handles_labels()[1]


class TestStyle:
    def test_neighbours_differ_in_more_than_colour(self):
        pens = [pen(k) for k in range(6)]
        assert [p.color for p in pens] == list(COLOURS)
        assert all(a.marker != b.marker for a, b in itertools.pairwise(pens))

    def test_every_model_of_a_page_has_its_own_pen_and_none_is_grey(self):
        pens = [pen(k) for k in range(MOST_SHOWN + 1)]
        assert len(set(pens)) == len(pens)
        assert GREY not in {p.color for p in pens}

    def test_dashes_are_the_second_line_of_a_system_and_grey_is_no_system(self):
        found = {name: curves.bayes_error(summary()) for name in "abc"}
        drawn = lines_by_gid(plots.bayes_error(found, ax=axes()))
        for name, line in drawn.items():
            assert (line.get_linestyle() == "--") == name.startswith("minimum-")
            assert (line.get_color() == GREY) == (name == "constant")

    def test_an_interval_that_would_squash_the_rest_is_cut(self):
        ax = plots.model_costs({"a": 0.3, "b": 0.5}, intervals={"a": (0.2, 90)}, ax=axes())
        assert ax.get_xlim()[1] == pytest.approx(2 * 0.5)

    def test_one_very_certain_case_does_not_squash_the_rest(self):
        rng = np.random.default_rng(0)
        y = np.arange(2000) % 2
        llr = rng.normal(size=2000) + 2 * y - 1
        llr[1] = 400.0
        sc = ScoreCounts.from_scores(y, llr, kind="llr")
        assert plots.tippett(curves.tippett(sc), ax=axes()).get_xlim()[1] < 10

    def test_legends_cover_no_data(self, pictures):
        from matplotlib import pyplot as plt

        plt.switch_backend("Agg")
        seen = 0
        for name, draw in pictures.items():
            ax = draw(None)
            figure = ax.figure
            figure.canvas.draw()
            legend = ax.get_legend()
            if legend is not None:
                seen += 1
                box, inside = legend.get_window_extent(), ax.get_window_extent()
                assert box.y0 >= inside.y1 - 1 or box.y1 <= inside.y0 + 1, name
                assert box.y0 >= 0, name
                assert box.y1 <= figure.bbox.y1, name
            plt.close(figure)
        assert seen > 10

    def test_settings_of_the_user_are_left_alone(self):
        import matplotlib as mpl

        before = dict(mpl.rcParams)
        plots.roc(curves.roc(summary()), ax=axes())
        assert dict(mpl.rcParams) == before

    def test_new_axes_are_made_when_none_are_given(self):
        from matplotlib import pyplot as plt

        plt.switch_backend("Agg")
        ax = plots.roc(curves.roc(summary()))
        assert plt.get_fignums()
        plt.close(ax.figure)


@pytest.mark.parametrize("given", ["roc", np.zeros(3), ConfusionMatrix([[9, 1], [1, 9]])])
def test_what_is_no_curve_is_told_to_become_one(given):
    with pytest.raises(DataError, match="takes the data of a curve") as caught:
        plots.roc({"a": given}, ax=axes())
    assert "curves.roc(y_true, scores)" in caught.value.hint


def test_every_state_of_the_page_is_photographed_and_small():
    source = (DOCS / "screenshots.py").read_text(encoding="utf-8")
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    states = re.findall(r'^    "([\w-]+)": \(\w+, \{', source, flags=re.MULTILINE)
    assert len(states) == 10
    for state in states:
        assert f"page/{state}.png" in page
        assert (DOCS / "page" / f"{state}.png").stat().st_size < 200_000
