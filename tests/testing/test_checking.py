from __future__ import annotations

import json
import re

import numpy as np
import pytest

from stakes import Application, CostMatrix
from stakes.exceptions import DataError
from stakes.testing import assert_laws, check_laws


def broken(metric, **options):
    return [result.law for result in check_laws(metric, **options).broken]


def test_accuracy_keeps_every_law():
    assert broken("accuracy") == []
    assert broken("accuracy", n_classes=4) == []


def test_expected_cost_prefers_a_class_when_its_errors_are_dear():
    costs = Application(CostMatrix([[0, 1], [10, 0]]))
    assert broken("expected_cost", application=costs) == ["relabelling"]


def test_metrics_that_depend_on_the_system_rank_as_no_cost():
    assert "cost" in broken("f1")
    assert "cost" in broken("mcc")


def test_precision_turns_round_when_data_are_joined():
    # Simpson's reversal: the shares that precision averages over are the system's own
    assert "parts" in broken("precision", laws=["parts"])


def test_a_function_that_punishes_being_right_is_found_out():
    def few_alarms(counts):
        return -counts[:, 1].sum() / counts.sum()

    report = check_laws(few_alarms, laws=["improvement"])
    (result,) = report.results
    assert not result.kept
    worse, better = (json.loads(part) for part in re.findall(r"\[\[.*?\]\]", result.witness)[:2])
    assert few_alarms(np.array(worse)) < few_alarms(np.array(better))
    # the table that is called worse has one error less
    assert np.trace(worse) == np.trace(better) + 1


def test_direction_turns_the_law_of_improvement():
    def errors(counts):
        return counts[0, 1] + counts[1, 0]

    assert broken(errors, laws=["improvement"]) == ["improvement"]
    assert broken(errors, laws=["improvement"], higher_is_better=False) == []


def test_counts_are_not_shares():
    assert broken(lambda counts: counts[1, 1], laws=["scale"]) == ["scale"]


def test_a_metric_without_values_is_said_to_have_none():
    report = check_laws(lambda counts: float("nan"), laws=["defined", "scale"])
    assert [result.kept for result in report.results] == [False, False]
    assert report.results[1].tried == 0


def test_assertion_shows_the_case():
    with pytest.raises(AssertionError, match=r"BROKEN  scale: .*\n +\[\["):
        assert_laws(lambda counts: counts[1, 1])


def test_unknown_law_lists_those_there_are():
    with pytest.raises(DataError, match="'defined', 'scale', 'improvement'"):
        check_laws("f1", laws=["beauty"])


def test_report_as_table():
    table = check_laws("accuracy", laws=["scale", "parts"]).frame()
    assert table["law"].tolist() == ["scale", "parts"]
    assert table["kept"].all()
