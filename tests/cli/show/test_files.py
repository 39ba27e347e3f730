from __future__ import annotations

import os

import pytest

from stakes.cli.show.outputs import files_read, refuse_overwriting, write_whole
from stakes.exceptions import DataError, FormatError
from stakes.inquiry import Inquiry


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


class TestRefuseOverwriting:
    def refused(self, output, *inputs):
        try:
            refuse_overwriting({"-o": output}, inputs)
        except DataError:
            return True
        return False

    def test_names_links_and_patterns_of_one_file(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "days").mkdir()
        for name in ("a.csv", "days/1.json", "days/2.json", "b[1].csv"):
            (tmp_path / name).write_text("x")
        (tmp_path / "link.csv").symlink_to("a.csv")
        os.link("a.csv", "hard.csv")
        assert self.refused("a.csv", "a.csv")
        assert self.refused("./days/../a.csv", "b.csv", "a.csv")
        assert self.refused("a.csv", "link.csv")
        assert self.refused("link.csv", "a.csv")
        assert self.refused("hard.csv", "a.csv")
        assert self.refused("days/2.json", "days/*.json")
        assert self.refused("days/2.json", "**/*.json")
        assert self.refused("days/2.json", "days")
        assert self.refused("b[1].csv", "b[1].csv")
        assert self.refused("new.csv", "new.csv")  # before it is missed

    def test_other_files_pass(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "days").mkdir()
        for name in ("a.csv", "days/1.json"):
            (tmp_path / name).write_text("x")
        assert not self.refused("b.csv", "a.csv", None, "", "-", "s3://bucket/*.csv")
        assert not self.refused("days/2.json", "days/*.json")
        assert not self.refused("a.csv", "days/*.json", "days")
        assert not self.refused(None, "a.csv")

    def test_a_page_in_a_folder_that_is_read_would_be_met_by_the_next_run(self, tmp_path):
        (tmp_path / "lake").mkdir()
        with pytest.raises(DataError, match="the next run would meet it") as caught:
            refuse_overwriting({"--html": f"{tmp_path}/lake/r.html"}, [f"{tmp_path}/lake"])
        assert "--html r.html" in str(caught.value)

    def test_a_column_is_no_file(self):
        assert files_read(Inquiry(source="a.csv", label="y", scores="p")) == ["a.csv"]

    def test_all_that_options_name_is_found(self):
        inquiry = Inquiry(
            source="a.csv",
            label="y.npy",
            trials="t",
            scores="s1,s2",
            confusion="c1,c2",
            more="m1,m2",
            costs="costs.toml",
        )
        assert set(files_read(inquiry, "b.csv", "cal.json", None)) == {
            "a.csv", "y.npy", "t", "s1", "s2", "c1", "c2", "m1", "m2", "costs.toml", "b.csv",
            "cal.json",
        }  # fmt: skip


class TestEveryCommand:
    """What would write over its input is refused before any work, and the input stays."""

    table = "y,p\n" + "0,0.2\n1,0.7\n0,0.6\n1,0.4\n" * 10
    model = ("--label", "y", "--positive", "1", "--scores", "p", "--cost", "fn=2", "fp=1")

    @pytest.mark.parametrize(
        ("words", "name"),
        [
            (("eval", "data.svg", *model, "--html", "./data.svg"), "data.svg"),
            (("eval", "data.svg", *model, "--pdf", "data.svg"), "data.svg"),
            (("eval", "data.svg", *model, "--save", "data.svg"), "data.svg"),
            (("eval", "d*.svg", *model, "--save", "data.svg"), "d*.svg"),
            (("eval", "data.svg", *model[:6], "--costs", "c.toml", "--html", "c.toml"), "c.toml"),
            (("eval", "x.csv", "--more", "a.csv,data.svg", "--join-on", "id", *model,
              "--html", "data.svg"), "data.svg"),
            (("eval", "--confusion", "a.csv,data.svg", "--cost", "fn=2", "fp=1",
              "--save", "data.svg"), "data.svg"),
            (("eval", "--trials", "t", "--scores", "data.svg", *model[6:], "--save", "data.svg"),
             "data.svg"),
            (("merge", "data.svg", "b.json", "-o", "data.svg"), "data.svg"),
            (("merge", "d*.svg", "-o", "data.svg"), "d*.svg"),
            (("monitor", "data.svg", "b.json", *model[6:], "--plot", "data.svg"), "data.svg"),
            (("monitor", "b.json", "data.svg", *model[6:], "--plot", "data.svg"), "data.svg"),
            (("monitor", "b.json", *model[6:], "data.svg", "--plot", "data.svg"), "data.svg"),
            (("audit", "f1", "data.svg", *model, "--plot", "data.svg"), "data.svg"),
            (("audit", "f1", "--costs", "data.svg", "--plot", "data.svg"), "data.svg"),
            (("ask", "data.toml", *model[:6], "-o", "data.toml"), "data.toml"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, tuple) else value,
    )  # fmt: skip
    def test_refuses(self, run, write, tmp_path, words, name):
        for file in ("data.svg", "data.toml"):
            write(file, self.table)
        ran = run(*words)
        assert (ran.code, ran.out) == (2, "")
        said = " ".join(ran.err.split())
        assert f"would overwrite a file which is read ({name})" in said
        assert f"{words[-2]} " in said
        assert (tmp_path / "data.svg").read_text() == self.table

    def test_two_outputs_need_two_files(self, run, write):
        ran = run("eval", write("d.csv", self.table), *self.model, "--html", "r", "--save", "./r")
        assert "--save ./r would overwrite a file that --html writes" in " ".join(ran.err.split())

    def test_a_conversation_goes_on_in_its_own_file(self, run, write):
        words = ("ask", write("d.csv", self.table), *self.model[:6], "--no-questions")
        ran = run(*words, "--miss-is-worth", "5..20", "-o", "costs.toml")
        assert ran.code == 0, ran.err
        ran = run(*words, "--answers", "costs.toml", "-o", "costs.toml")
        assert ran.code == 0, ran.err
