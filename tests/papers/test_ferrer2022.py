"""L. Ferrer, "Analysis and Comparison of Classification Metrics", 2022: every cell against print.

The column headed EC_1.5 is printed for a cost of sqrt(2) = 1.414..., not of 1.5: the row
(K21, K12) = (50, 0) of the balanced data shows .14 where .15 would follow from 1.5, and
(0, 810) of the imbalanced data shows 5.73 = .81 / (.1 sqrt(2)) where 1.5 gives 5.40.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from stakes import ConfusionMatrix
from stakes.metrics import balanced_error_rate
from stakes.papers import Context
from stakes.papers.ferrer2022 import PAPER, measured

ITEMS = {item.key: item for item in PAPER.items}


@pytest.fixture(scope="module")
def outcomes():
    return {key: item.compute(Context()) for key, item in ITEMS.items()}


class TestTable1:
    def test_all_21_rows_of_9_columns_agree(self, outcomes):
        cells = [cell for cell in outcomes["table1"].cells if cell.published is not None]
        assert len(cells) == 21 * 9
        assert [cell for cell in cells if not cell.agrees] == []

    def test_with_the_cost_that_the_text_names_thirteen_rows_would_differ(self, outcomes):
        cells = {cell.name: cell for cell in outcomes["table1"].cells}
        pairs = [
            (cells[name.replace(" (1.5)", "")].published, cell.ours)
            for name, cell in cells.items()
            if name.endswith("(1.5)")
        ]
        assert len(pairs) == 21
        assert sum(abs(printed - ours) > 0.005 + 1e-9 for printed, ours in pairs) == 13

    def test_a_row_by_hand(self):
        """K12 = 810 of 900, K21 = 0 of 100: always-1 costs .1 c21, always-2 costs .9."""
        row = measured(ConfusionMatrix([[90, 810], [0, 100]]))
        assert row["EC_1"] == pytest.approx(0.81 / 0.1)
        assert row["EC_1.5"] == pytest.approx(0.81 / (0.1 * math.sqrt(2)))
        assert row["EC_1.5 text"] == pytest.approx(0.81 / 0.15)
        assert row["EC_nb"] == pytest.approx(810 / 900)
        assert row["FS_1"] == pytest.approx(200 / (200 + 810))

    def test_normalised_balanced_error_is_twice_the_balanced_error_rate(self):
        matrix = ConfusionMatrix([[70, 30], [8, 12]])
        assert measured(matrix)["EC_nb"] == pytest.approx(2 * balanced_error_rate(matrix))


class TestFigure1:
    def test_grid_holds_the_systems_of_the_table(self, outcomes):
        frame = outcomes["figure1"].tables["Imb"]
        assert frame.shape[0] == 21 * 21
        place = (frame["K21"] == 45) & (frame["K12"] == 45)
        assert round(float(frame["FS_1"][place][0]), 2) == 0.55

    def test_claims_hold(self, outcomes):
        assert [claim.holds for claim in outcomes["figure1"].claims] == [True, True]
        assert [claim.holds for claim in outcomes["table1"].claims] == [True, True, False]

    def test_six_panels(self, outcomes):
        pytest.importorskip("matplotlib", reason="drawing needs the extra 'plots'")
        figure = ITEMS["figure1"].draw(outcomes["figure1"])["figure1"]
        assert len(figure.axes) == 6
        assert all(len(ax.lines[0].get_xdata()) == 21 * 21 for ax in figure.axes)

    def test_decisions_that_are_all_one_class_have_no_mcc(self, outcomes):
        frame = outcomes["figure1"].tables["Bal"]
        constant = (frame["R*2"] == 0) | (frame["R*2"] == 1)
        np.testing.assert_array_equal(np.isnan(frame["MCC"]), constant)
