"""Keys and scores in HDF5, as BOSARIS writes them, give the counts of the same lists in text."""

from __future__ import annotations

import sys

import numpy as np
import pytest

COSTS = ["--cost", "fn=1", "fp=1", "--min-positives", "1", "--json"]
MODELS, RECORDINGS = ["s1", "s2", "s3"], ["u1", "u2", "u3", "u4"]
KEY = np.array([[1, -1, 0, -1], [-1, 1, -1, 0], [0, -1, 1, -1]], dtype=np.int8)
SCORES = np.array([[2.0, -1, 9, -3], [0.9, 0.2, -2, 9], [9, -1, 3, -4]])


@pytest.fixture
def h5py():
    """The library, or a reason to skip."""
    return pytest.importorskip("h5py", reason="HDF5 needs the extra hdf5")


@pytest.fixture
def keep(h5py, tmp_path):
    """Write arrays by name, with the names of models and recordings."""

    def kept(name, ids=("ID/row_ids", "ID/column_ids"), **arrays):
        with h5py.File(tmp_path / name, "w") as file:
            for key, array in arrays.items():
                file[key] = array
            if ids:
                file[ids[0]], file[ids[1]] = MODELS, RECORDINGS
        return name

    return kept


def in_text(run, write):
    """The same trials as lists of words."""
    trials, scores = "", ""
    for i, j in np.argwhere(KEY):
        pair = f"{MODELS[i]} {RECORDINGS[j]}"
        trials += f"{pair} {'target' if KEY[i, j] > 0 else 'nontarget'}\n"
        scores += f"{pair} {SCORES[i, j]}\n"
    write("t.txt", trials)
    write("system.txt", scores)
    return run("eval", "--trials", "t.txt", "--scores", "system.txt", *COSTS).found["models"]


def test_key_and_scores(run, write, keep):
    keep("key.h5", trial_mask=KEY)
    keep("system.h5", scores=SCORES, score_mask=(KEY != 0).astype(np.uint8))
    done = run("eval", "--trials", "key.h5", "--scores", "system.h5", *COSTS)
    assert done.code == 0, done.err
    assert done.found["models"] == in_text(run, write)
    assert any("9 trials, 3 x 4 names" in note for note in done.said("notes"))


def test_older_key_and_scores_written_the_other_way_round(run, write, keep):
    keep("key.h5", target_mask=(KEY > 0).astype("i1"), nontarget_mask=(KEY < 0).astype("i1"))
    keep("system.h5", ids=("modelset", "segset"), score_mat=SCORES.T)
    done = run("eval", "--trials", "key.h5", "--scores", "system.h5", *COSTS)
    assert done.found["models"] == in_text(run, write)


def test_both_in_one_file(run, write, keep):
    done = run("eval", keep("system.h5", trial_mask=KEY, score_mat=SCORES), *COSTS)
    assert done.code == 0, done.err
    counts = [model["counts"] for model in done.found["models"]]
    assert counts == [model["counts"] for model in in_text(run, write)]


def test_one_without_the_other_says_what_to_type(run, keep):
    done = run("eval", keep("key.h5", trial_mask=KEY), *COSTS)
    assert done.code == 2
    assert "key.h5 holds trials without scores" in done.err
    assert "--trials KEY.h5 --scores SCORES.h5" in done.err


def test_plain_arrays(run, keep):
    y = np.arange(60) % 3 == 0
    keep("d.h5", ids=None, y=y.astype(int), p=np.where(y, 0.7, 0.2))
    done = run("eval", "d.h5", "--label", "y", "--scores", "p", *COSTS)
    assert done.found["models"][0]["counts"] == [[40, 0], [0, 20]]


def test_neither_trials_nor_scores(run, keep):
    keep("d.h5", ids=None, y=np.arange(3))
    done = run("eval", "--trials", "d.h5", "--scores", "d.h5", *COSTS)
    assert "holds neither trials nor scores" in done.err


def test_a_matrix_of_another_size(run, keep):
    done = run("eval", keep("s.h5", trial_mask=KEY[:, :2], scores=SCORES), *COSTS)
    assert "does not fit 3 x 4 names" in done.err


def test_a_damaged_file(run, write, h5py):
    done = run("eval", write("d.h5", b"\x89HDF\r\n\x1a\n" + b"\0" * 99), *COSTS)
    assert "the HDF5 file is damaged" in done.err


def test_a_heap_with_an_empty_gap(run, write, h5py, tmp_path):
    """The library would look for the next text there for ever."""
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["text"] = ["yes", "no"]
    data = (tmp_path / "t.h5").read_bytes()
    assert run("inspect", "t.h5").code == 0
    first = data.index(b"GCOL") + 16  # an object: its number, 6 bytes, its size, then its text
    broken = data[:first] + bytes(16) + data[first + 16 :]
    assert "the HDF5 file is damaged" in run("inspect", write("d.h5", broken)).err


def test_a_text_outside_of_the_file(run, write, h5py, tmp_path):
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["text"] = ["yes", "no"]
        start = file["text"].id.get_offset()
    data = (tmp_path / "t.h5").read_bytes()
    for at in (start, start + 8):  # the length of the first text, and where it is
        broken = data[:at] + b"\xff" * 4 + data[at + 4 :]
        assert "the HDF5 file is damaged" in run("inspect", write("d.h5", broken)).err


def test_without_the_library_the_install_line_is_printed(run, write, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    done = run("eval", write("d.h5", b"\x89HDF\r\n\x1a\n" + b"\0" * 99), *COSTS)
    assert done.code == 2
    assert "pip install 'stakes[hdf5]'" in done.err
