import numpy as np
import pytest

from stakes.calibration import Affine, calibration_gain
from stakes.exceptions import LabelError


@pytest.mark.parametrize(
    ("labels", "typed"),
    [([-1, 1, -1, 1], "classes=[-1, 1]"), ([3, 5, 5, 3], "classes=[3, 5]")],
)
def test_integers_that_are_no_positions_are_to_be_named(labels, typed):
    scores = np.array([-2.0, 1.0, -1.0, -0.5])
    for function in (
        lambda: Affine().fit(scores, labels),
        lambda: calibration_gain(labels, scores),
    ):
        with pytest.raises(LabelError, match="not all positions of the score columns") as caught:
            function()
        assert typed in str(caught.value)
        assert "application" not in str(caught.value)
    named = Affine(classes=sorted(set(labels))).fit(scores, labels)
    assert named.classes == tuple(sorted(set(labels)))


def test_more_labels_than_columns_are_named_and_left_to_the_user():
    with pytest.raises(LabelError, match="holds 0, 1, 2, which") as caught:
        Affine().fit([-2.0, 1.0, -1.0], [0, 1, 2])
    assert "classes=[...]" in str(caught.value)
    assert caught.value.rows == (2,)


def test_a_row_that_is_no_position_is_named():
    with pytest.raises(LabelError, match=r"first at row 1 \(1 of 3 rows\)"):
        Affine().fit([-2.0, 1.0, -1.0], [0, 7, 0])
