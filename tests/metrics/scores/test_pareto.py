"""Systems under several goals at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, ConfusionMatrix, CostMatrix, ScoreCounts
from stakes.exceptions import DataError
from stakes.metrics import pareto_front

LIVES = Application([[0, 0], [1, 0]])


def table(alarms, misses):
    return ConfusionMatrix([[100 - alarms, alarms], [misses, 100 - misses]])


def test_dominated_systems_are_off_the_front():
    systems = {"a": table(10, 50), "b": table(60, 10), "beaten": table(60, 55), "c": table(10, 50)}
    found = pareto_front(systems, {"lives": LIVES, "false alarms": Application([[0, 1], [0, 0]])})
    assert found.front == ("b", "a", "c")  # equals beat nobody
    assert found.frame()["on_front"].tolist() == [True, True, False, True]


def test_on_the_front_but_never_the_best_mixture():
    alarms = Application([[0, 1], [0, 0]])
    systems = {"low": table(0, 100), "middle": table(60, 60), "high": table(100, 0)}
    found = pareto_front(systems, {"lives": LIVES, "alarms": alarms})
    assert found.on_front.tolist() == [True, True, True]
    assert found.supported.tolist() == [True, False, True]


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=1, max_size=8),
       st.floats(0.01, 0.99))  # fmt: skip
def test_the_best_of_any_mixture_is_supported(points, share):
    systems = {str(k): table(*point) for k, point in enumerate(points)}
    goals = {"lives": LIVES, "alarms": Application([[0, 1], [0, 0]])}
    found = pareto_front(systems, goals)
    mixed = found.costs @ np.array([share, 1 - share])
    best = np.flatnonzero(mixed == mixed.min())
    assert found.on_front[best].any()
    assert found.supported[best].any()


def test_scores_are_expanded_to_their_thresholds():
    sc = ScoreCounts.from_scores([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], kind="posterior")
    found = pareto_front({"gbm": sc}, {"lives": LIVES, "alarms": Application([[0, 1], [0, 0]])})
    # at no alarm one positive is found, and all of them at one: both ends are beaten
    assert found.front == ("gbm > 0.25", "gbm > 0.75")
    assert repr(found) == "ParetoFront(2 of 4 systems under 2 goals)"


def test_one_goal_is_the_cheapest():
    found = pareto_front({"a": table(10, 50), "b": table(60, 10)}, {"cost": CostMatrix.zero_one(2)})
    assert found.front == ("a",)


def test_no_goal():
    with pytest.raises(DataError, match="at least one goal"):
        pareto_front({"a": table(1, 1)}, {})
