import pytest

from stakes.calibration import Affine
from stakes.exceptions import LabelError


def test_a_single_class_among_names_is_named():
    with pytest.raises(LabelError, match="single class, 'no'; the scores are about 2") as caught:
        Affine().fit([0.1, 0.2, 0.3], ["no", "no", "no"])
    assert "classes=[...]" in str(caught.value)
