from __future__ import annotations

import numpy as np
import pytest

from stakes.calibration import Affine, Gaussian
from stakes.calibration.calibrator_json import every_kind
from stakes.cli.show.progress import attended
from stakes.exceptions import DataError
from stakes.messages.audience import (
    calibrators,
    command_line,
    either,
    named,
    row,
    setting,
    speaking_of,
)


def composed():
    return [
        named("scores"),
        named("groups"),
        named("posteriors"),
        setting("bound", "data"),
        setting("bound", 12.0),
        calibrators("venn-abers", "beta", "affine"),
        calibrators("affine", called=True),
        row(np.int64(5)),
        either("classes=[...]", ""),
    ]


PYTHON = [
    "`scores`",
    "`groups`",
    "`posteriors`",
    'bound="data"',
    "bound=12",
    "VennAbers, Beta or Affine",
    "Affine()",
    "row 5",
    "classes=[...]",
]
OPTIONS = [
    "the scores",
    "the values of --groups",
    "`posteriors`",
    "--bound data",
    "--bound 12",
    "--kind venn-abers, beta or affine",
    "--kind affine",
    "row 5",
    "",
]


def test_each_reader_has_names_for_things():
    assert composed() == PYTHON
    with command_line():
        assert composed() == OPTIONS
    assert composed() == PYTHON


def test_the_reader_is_python_again_after_an_error():
    with pytest.raises(ZeroDivisionError), command_line():
        1 / 0  # noqa: B018
    assert composed() == PYTHON


def test_rows_are_counted_as_in_the_file():
    with command_line(), speaking_of(rows=np.array([4, 9, 1235])):
        assert [row(k) for k in range(4)] == ["row 5", "row 10", "row 1 236", "row 3"]
        with speaking_of(y_true="'churned'"):
            assert (named("y_true"), row(1)) == ("'churned'", "row 10")
        assert named("y_true") == "`y_true`"


def test_work_in_another_thread_has_the_same_reader():
    with command_line(), speaking_of(rows=[7], by="--time"):
        assert attended(lambda: (named("by"), row(0)), "working", quiet=True) == ("--time", "row 8")
    assert attended(lambda: named("by"), "working", quiet=True) == "`by`"


@pytest.mark.parametrize("kind", sorted(set(every_kind()) - {"shifted"}))
def test_calibrators_are_called_by_their_class(kind):
    assert calibrators(kind) == every_kind()[kind].__name__


def test_one_message_for_two_readers():
    scores, y = [[-np.inf, 0.0], [0.0, 1.0], [1.0, 0.5]], ["row 1", "yes", "row 1"]
    with pytest.raises(DataError) as python:
        Affine().fit(scores, y)
    assert python.value.message.startswith(
        "`scores` give the true class a posterior of 0, in row 0"
    )
    assert python.value.hint.endswith('bound="data", or a number, as in Affine(bound="data")')
    with (
        command_line(),
        speaking_of(rows=[41, 42, 43], y_true="'churned'"),
        pytest.raises(DataError) as options,
    ):
        Affine().fit(scores, y)
    assert options.value.message.startswith(
        "the scores give the true class a posterior of 0, in row 42"
    )
    assert options.value.hint.endswith("trusted: --bound 50")
    assert options.value.rows == python.value.rows == (0,)


@pytest.mark.parametrize("name", ["Beta", "row 1", "bound=3", "`scores`"])
def test_names_of_outcomes_are_left_as_they_are(name):
    with command_line(), speaking_of(rows=[9] * 3, y_true="'y'"), pytest.raises(DataError) as found:
        Gaussian(classes=["no", name, "c"][:2]).fit([1.0, 2.0, 3.0], ["no"] * 3)
    assert f"'y' has no case of class {name!r}, so" in found.value.message
