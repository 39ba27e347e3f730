from __future__ import annotations

import os

import pytest

from stakes.cli.files import write_whole
from stakes.exceptions import FormatError


def test_writes_utf8_and_returns_the_size(tmp_path):
    assert write_whole(tmp_path / "a.txt", "né") == 3
    assert (tmp_path / "a.txt").read_bytes() == b"n\xc3\xa9"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_failure_leaves_the_old_file_and_no_rest(tmp_path, monkeypatch):
    target = tmp_path / "a.txt"
    target.write_text("old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_whole(target, "new")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FormatError, match="there is no folder") as caught:
        write_whole(tmp_path / "no" / "a.txt", "x")
    assert f"mkdir -p {tmp_path}" in str(caught.value.hint)


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
def test_permissions_are_those_of_a_new_file(tmp_path):
    write_whole(tmp_path / "a.txt", "x")
    (tmp_path / "b.txt").write_text("x")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode


@pytest.mark.skipif(os.name != "posix", reason="pipes with names are those of POSIX")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert write_whole(pipe, "né") == 3
        assert os.read(reader, 10) == b"n\xc3\xa9"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_folder_that_takes_no_files(tmp_path, monkeypatch):
    def fail(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", fail)
    with pytest.raises(FormatError, match=r"a\.txt' cannot be written: No space left on device"):
        write_whole(tmp_path / "a.txt", "x")
