from __future__ import annotations

import numpy as np
import pytest

from stakes.exceptions import DataError
from stakes.papers.items import read_scores


@pytest.fixture
def folder(tmp_path):
    np.save(tmp_path / "scores.npy", np.array([[0.5, 1.0], [2.0, -1.0]], dtype=np.float32))
    np.save(tmp_path / "targets.npy", np.array([1.0, 0.0]))
    return tmp_path


def test_scores_and_classes(folder):
    scores, y = read_scores(folder)
    assert (scores.dtype, y.dtype) == (np.float64, np.intp)
    assert (scores.tolist(), y.tolist()) == ([[0.5, 1.0], [2.0, -1.0]], [1, 0])


@pytest.mark.parametrize("name", ["scores.npy", "targets.npy"])
def test_a_file_that_was_cut_off_or_is_something_else_is_named(folder, name):
    whole = (folder / name).read_bytes()
    for content in (whole[:-3], whole[:20], b"junk", b"", b"PK\x03\x04"):
        (folder / name).write_bytes(content)
        with pytest.raises(DataError, match=rf"{name} is damaged"):
            read_scores(folder)


def test_words_are_not_read(folder):
    np.save(folder / "targets.npy", np.array(["a", "b"]))
    with pytest.raises(DataError, match=r"targets\.npy holds no numbers"):
        read_scores(folder)


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        ([0, 1, 1], r"scores of shape \(2, 2\) and targets of shape \(3,\)"),
        ([0, 2], "targets other than 0 to 1"),
        ([0, 0.5], "targets other than 0 to 1"),
    ],
)
def test_targets_that_do_not_belong_to_the_scores(folder, targets, said):
    np.save(folder / "targets.npy", np.array(targets))
    with pytest.raises(DataError, match=said):
        read_scores(folder)


def test_scores_that_are_not_numbers(folder):
    np.save(folder / "scores.npy", np.array([[0.5, np.nan], [1.0, 2.0]]))
    with pytest.raises(DataError, match="scores that are not numbers"):
        read_scores(folder)


def test_a_missing_file_is_missing(folder):
    (folder / "scores.npy").unlink()
    with pytest.raises(FileNotFoundError):
        read_scores(folder)
