"""Costs in files: nothing is lost on the way there and back, and nothing is guessed."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given

from stakes import Application, CostMatrix
from stakes.application import (
    costs_from_csv,
    costs_from_toml,
    costs_to_csv,
    costs_to_toml,
    read_costs,
    write_costs,
)
from stakes.exceptions import CostError, FormatError

AWKWARD = ["", " ", "a.b", 'say "hi"', "it's", "a,b", "a;b", "#no", "1", "-0", "01", "true", "1.5"]
AWKWARD += ["\n", "a\r\nb", "\t", "\x00", "\x7f", "café", "犬", "[x]", "=1", "\\", "truth", " x "]
AWKWARD += ["decision", "cost", "\u2028", "\x85", "fn", "'''"]

names = st.one_of(
    st.text(max_size=6),
    st.sampled_from(AWKWARD),
    st.integers(),
    st.booleans(),
    st.floats(allow_nan=False),
)
units = st.none() | st.text(max_size=5) | st.sampled_from(AWKWARD)


@st.composite
def applications(draw: st.DrawFn) -> Application:
    classes = draw(st.lists(names, min_size=1, max_size=4, unique_by=lambda n: n))
    decisions = draw(
        st.just(classes) | st.lists(names, min_size=1, max_size=4, unique_by=lambda n: n)
    )
    values = draw(
        hnp.arrays(
            np.float64,
            (len(classes), len(decisions)),
            elements=st.floats(allow_nan=False, allow_infinity=False)
            | st.integers(-9, 9).map(float),
        )
    )
    weights = draw(st.none() | st.lists(st.integers(1, 99), min_size=4, max_size=4))
    priors = None
    if weights is not None:
        shares = np.array(weights[: len(classes)], dtype=float)
        priors = shares / shares.sum()
    return Application(
        CostMatrix(values, classes=classes, decisions=decisions),
        priors=priors,
        unit=draw(units),
        volume=draw(st.none() | st.integers(1, 10**20) | st.floats(1e-300, 1e300)),
        period=draw(units),
    )


def identical(first: Application, second: Application) -> bool:
    """Equal, to the types of the names and the signs of the zeros."""
    return (
        first == second
        and first.costs.values.tobytes() == second.costs.values.tobytes()
        and [*map(type, first.classes)] == [*map(type, second.classes)]
        and [*map(type, first.decisions)] == [*map(type, second.decisions)]
    )


ONE_AND_ONE = Application(CostMatrix([[0, 1], [2, 3]], classes=[1, "1"], decisions=["1", 1]))
MINUS_ZERO = Application(CostMatrix([[-0.0, 5e-324], [1.7976931348623157e308, 0.1]]))


class TestRoundTrip:
    @given(applications())
    @example(ONE_AND_ONE)
    @example(MINUS_ZERO)
    def test_toml(self, app) -> None:
        assert identical(costs_from_toml(costs_to_toml(app)), app)

    @given(applications(), st.sampled_from([",", "\t"]))
    @example(ONE_AND_ONE, ",")
    @example(MINUS_ZERO, ",")
    def test_csv(self, app, delimiter) -> None:
        text = costs_to_csv(app, delimiter=delimiter)
        assert identical(costs_from_csv(text, delimiter=delimiter), app)

    @given(applications())
    def test_csv_with_the_line_ends_of_windows(self, app) -> None:
        text = costs_to_csv(app)
        if "\r" not in text and '\n"' not in text and '"\n' not in text:
            assert identical(costs_from_csv(text.replace("\n", "\r\n")), app)

    @pytest.mark.parametrize("name", ["costs.toml", "costs.csv", "costs.tsv", "COSTS.TOML"])
    @pytest.mark.parametrize("awkward", AWKWARD)
    def test_files(self, tmp_path: Path, name: str, awkward: str) -> None:
        costs = CostMatrix([[0, 1], [0.1, 0]], classes=[awkward, "other"])
        app = Application(costs, priors=[0.3, 0.7], unit=awkward, volume=3, period="day")
        write_costs(app, tmp_path / name)
        assert identical(read_costs(tmp_path / name), app)

    def test_a_matrix_alone_can_be_written(self, tmp_path: Path) -> None:
        costs = CostMatrix.zero_one(3)
        write_costs(costs, str(tmp_path / "costs.toml"))
        assert read_costs(str(tmp_path / "costs.toml")) == Application(costs)


class TestReading:
    @pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
    @pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
    def test_marks_and_line_ends_of_windows_are_read(self, tmp_path: Path, mark, end) -> None:
        table = tmp_path / "costs.csv"
        table.write_bytes(mark + end.join([b"truth,a,b", b"a,0,1", b"b,10,0", b""]))
        assert read_costs(table).costs.values.tolist() == [[0, 1], [10, 0]]
        named = tmp_path / "costs.toml"
        named.write_bytes(mark + end.join([b"fn = 10", b"fp = 1", b""]))
        assert read_costs(named).costs.values.tolist() == [[0, 1], [10, 0]]

    @pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
    def test_other_encodings_are_named_as_such(self, tmp_path: Path, encoding) -> None:
        path = tmp_path / "costs.csv"
        path.write_bytes("truth,café\ncafé,0\n".encode(encoding))
        with pytest.raises(FormatError, match=r"costs\.csv: not UTF-8 text; byte") as caught:
            read_costs(path)
        assert caught.value.hint == "save the file again with the encoding UTF-8"

    @pytest.mark.parametrize("name", ["costs.json", "costs", "costs.xlsx"])
    def test_other_forms_are_refused(self, tmp_path: Path, name) -> None:
        for act in (read_costs, lambda path: write_costs(CostMatrix.zero_one(2), path)):
            with pytest.raises(FormatError, match="must tell the form of the costs") as caught:
                act(tmp_path / name)
            assert caught.value.hint.startswith("name it .toml, .csv or .tsv")

    def test_an_absent_file_is_the_usual_error(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            read_costs(tmp_path / "costs.toml")

    def test_errors_start_with_the_path_as_given(self, tmp_path: Path, monkeypatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("costs.toml").write_text("fn = 10\n", encoding="utf-8")
        with pytest.raises(FormatError) as caught:
            read_costs("costs.toml")
        assert caught.value.message == "costs.toml: cost of a false alarm, `fp`, is missing."


class TestWriting:
    def test_replaces_an_old_file_and_leaves_nothing_else(self, tmp_path: Path) -> None:
        path = tmp_path / "costs.csv"
        path.write_text("old", encoding="utf-8")
        write_costs(CostMatrix.zero_one(2), path)
        assert path.read_text(encoding="utf-8") == "truth,0,1\n0,0,1\n1,1,0\n"
        assert [each.name for each in tmp_path.iterdir()] == ["costs.csv"]

    def test_a_failure_leaves_the_old_file_and_no_rubbish(
        self, tmp_path: Path, monkeypatch
    ) -> None:
        path = tmp_path / "costs.csv"
        path.write_text("old", encoding="utf-8")

        def fail(self: Path, target: Path) -> None:
            raise OSError("disk full")

        monkeypatch.setattr(Path, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            write_costs(CostMatrix.zero_one(2), path)
        assert path.read_text(encoding="utf-8") == "old"
        assert [each.name for each in tmp_path.iterdir()] == ["costs.csv"]

    def test_nothing_is_touched_when_the_text_cannot_be_made(self, tmp_path: Path) -> None:
        path = tmp_path / "costs.toml"
        costs = CostMatrix([[0]], classes=["\ud800"])
        with pytest.raises(FormatError, match="cannot be written as UTF-8"):
            write_costs(costs, path)
        assert not list(tmp_path.iterdir())

    def test_unit_must_be_text(self) -> None:
        with pytest.raises(CostError, match="`unit` must be text; got 3"):
            Application(CostMatrix.zero_one(2), unit=3)  # type: ignore[arg-type]

    @pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        target, link = tmp_path / "real.toml", tmp_path / "costs.toml"
        target.write_text("old", encoding="utf-8")
        try:
            link.symlink_to(target)
        except OSError:
            pytest.skip("symbolic links are not allowed here")
        write_costs(CostMatrix.zero_one(2), link)
        assert link.is_symlink()
        assert read_costs(target).costs == CostMatrix.zero_one(2)
