"""Columns of posteriors that carry names are found by name."""

from __future__ import annotations

import numpy as np
import pytest

import stakes
from stakes.exceptions import PosteriorError
from stakes.posteriors.posteriors import posterior_array

CLASSES = ("stay", "churn")
STAY, CHURN = np.array([0.95, 0.2]), np.array([0.05, 0.8])
COSTS = stakes.CostMatrix([[0, 1], [1, 0]], classes=CLASSES, decisions=("ignore", "call"))


@pytest.mark.parametrize(
    ("library", "make"),
    [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")],
)
def test_columns_of_a_frame_are_put_in_the_order_of_the_classes(library, make):
    module = pytest.importorskip(library, reason=f"reads a {library} table")
    turned = getattr(module, make)({"churn": CHURN, "stay": STAY})
    assert posterior_array(turned, CLASSES).tolist() == np.column_stack([STAY, CHURN]).tolist()
    assert stakes.bayes_decisions(turned, COSTS).tolist() == [0, 1]
    per_case = stakes.CaseCosts(np.stack([COSTS.values] * 2), classes=CLASSES)
    assert stakes.bayes_decisions(turned, per_case).tolist() == [0, 1]


def test_columns_with_other_names_are_taken_as_they_stand():
    pandas = pytest.importorskip("pandas", reason="reads a pandas table")
    frame = pandas.DataFrame({"p_a": STAY, "p_b": CHURN})
    assert stakes.bayes_decisions(frame, COSTS, classes=CLASSES).tolist() == [0, 1]


def test_named_posteriors_in_another_order_are_found_by_name():
    turned = stakes.Posteriors(np.column_stack([CHURN, STAY]), classes=("churn", "stay"))
    per_case = stakes.CaseCosts(np.stack([COSTS.values] * 2), classes=CLASSES)
    for costs in (COSTS, per_case):
        assert stakes.bayes_decisions(turned, costs).tolist() == [0, 1]
    strange = stakes.Posteriors(turned.values, classes=("left", "stayed"))
    for costs in (COSTS, per_case):
        with pytest.raises(
            PosteriorError, match="'left', 'stayed'; the costs have 'stay', 'churn'"
        ):
            stakes.bayes_decisions(strange, costs)


def test_every_reader_finds_columns_by_name():
    pandas = pytest.importorskip("pandas", reason="reads a pandas table")
    turned = pandas.DataFrame({"churn": CHURN, "stay": STAY})
    named = stakes.Posteriors(turned, classes=CLASSES)
    assert np.allclose(named.values, np.column_stack([STAY, CHURN]))
    truth = ["stay", "churn"]
    both = stakes.summaries.one_vs_rest(truth, turned, classes=CLASSES)
    assert [stakes.metrics.auc(both[name]) for name in CLASSES] == [1.0, 1.0]
    path = stakes.curves.application_path(truth, turned, applications=[COSTS])
    assert path.cost.tolist() == [0.0]
