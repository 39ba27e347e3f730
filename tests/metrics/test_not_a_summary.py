"""Metrics and curves of scores refuse what is no summary of scores, with what to type."""

import pytest

from stakes import ConfusionMatrix, curves, metrics
from stakes.exceptions import DataError


@pytest.mark.parametrize("thing", [ConfusionMatrix([[1, 0], [0, 1]]), [0.1, 0.9], None])
@pytest.mark.parametrize(
    "function", [metrics.auc, metrics.eer, metrics.cllr, metrics.min_cllr, curves.roc, curves.det]
)
def test_not_a_summary_of_scores(function, thing):
    with pytest.raises(DataError, match="needs a summary of scores; got"):
        function(thing)
