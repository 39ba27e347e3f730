"""Summaries in files: exact, versioned, whole, and refused when something is wrong with them."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import (
    CaseCosts,
    ConfusionMatrix,
    CostTally,
    GroupedCounts,
    PairedCounts,
    ScoreBins,
    ScoreCounts,
)
from stakes.exceptions import DataError, FormatError, MergeError
from stakes.summaries import load_summary, merge_summaries, save_summary
from stakes.summaries.stored_file import _VERSION, checksum, is_summary

NAMES = st.lists(
    st.one_of(st.integers(-(2**70), 2**70), st.text(max_size=5), st.floats(allow_nan=False)),
    min_size=2, max_size=2, unique_by=lambda name: name,
)  # fmt: skip
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def _examples():
    truth, chosen = [0, 0, 1, 1, 1], [0, 1, 1, 0, 1]
    scores = ScoreCounts.from_scores(truth, [-np.inf, 0.1, 0.3, 0.3, np.inf], kind="llr")
    costs = CaseCosts.binary(false_positive=np.array([0.1, 0.2, 0.3, 1e-300, 5]), false_negative=3)
    yield ConfusionMatrix.from_decisions(truth, chosen)
    yield ConfusionMatrix([[2**62 + 1, 0], [1, 2**53 + 1]], ["no", "yes"], ["wait", "act"])
    yield ConfusionMatrix.from_decisions(truth, chosen, sample_weight=[0.1, 0.2, 0.3, 0.4, 0.5])
    yield CostTally.from_decisions(truth, chosen, costs=costs)
    yield PairedCounts.from_decisions(truth, {"a": chosen, "b": truth})
    yield GroupedCounts.from_decisions(truth, chosen, groups=["x", "y", "x", "z", "y"])
    yield GroupedCounts.from_decisions(truth, chosen, groups=([1, 2, 1, 3, 2], [5, 5, 6, 6, 6]))
    yield scores
    yield scores.binned([-1.0, 0.2])
    yield ScoreCounts.from_scores(truth, np.float32([0.1, 0.2, 0.3, 0.4, 0.1]), kind="posterior",
                                  from_priors=0.3)  # fmt: skip
    yield ScoreCounts.from_scores(
        truth, np.arange(5.0), kind="rank", sample_weight=[1, 2, 3, 4, 0.1]
    )


EXAMPLES = [
    pytest.param(each, id=f"{k}-{type(each).__name__}") for k, each in enumerate(_examples())
]


def _same(first, second):
    """Field by field, types and all."""
    if isinstance(first, dict):
        assert list(first) == list(second)
        for name in first:
            _same(first[name], second[name])
        return
    assert type(first) is type(second)
    for field in dataclasses.fields(first):
        a, b = getattr(first, field.name), getattr(second, field.name)
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype
            assert a.shape == b.shape
            assert a.tobytes() == b.tobytes()
        elif isinstance(a, PairedCounts):
            _same(a, b)
        else:
            assert a == b
            assert [type(x) for x in np.atleast_1d(np.array(a, dtype=object)).ravel()] == [
                type(x) for x in np.atleast_1d(np.array(b, dtype=object)).ravel()
            ]


@pytest.fixture(params=["json", "parquet"])
def file(request, tmp_path):
    if request.param == "parquet":
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    return tmp_path / f"day.{request.param}"


class TestRoundTrip:
    @pytest.mark.parametrize("summary", EXAMPLES)
    def test_everything_comes_back_bit_for_bit(self, summary, file):
        summary.save(file)
        _same(type(summary).load(file), summary)
        assert is_summary(file)

    def test_a_collection_by_name(self, file):
        both = {"gbm": next(_examples()), 7: {"deeper": ConfusionMatrix([[1, 2], [3, 4]])}}
        save_summary(both, file)
        _same(load_summary(file), both)

    @given(values=st.lists(FLOATS, min_size=4, max_size=4), names=NAMES)
    def test_any_float_and_any_name(self, values, names, tmp_path_factory):
        file = tmp_path_factory.mktemp("any") / "a.json"
        table = np.array(values).reshape(2, 2)
        tally = CostTally(np.abs(table), table, np.abs(table), tuple(names), tuple(names))
        tally.save(file)
        _same(CostTally.load(file), tally)

    def test_the_file_is_small_plain_json(self, tmp_path):
        next(_examples()).save(tmp_path / "a.json")
        found = json.loads((tmp_path / "a.json").read_text(encoding="ascii"))
        assert found["format"] == "stakes summary"
        assert found["version"] == _VERSION
        assert found["summary"]["counts"]["values"] == [1, 1, 1, 2]
        assert (tmp_path / "a.json").stat().st_size < 400

    def test_an_interrupted_write_leaves_the_old_file(self, tmp_path, monkeypatch):
        file = tmp_path / "a.json"
        first = next(_examples())
        first.save(file)

        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("os.fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            (first + first).save(file)
        assert load_summary(file) == first
        assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


class TestMerging:
    @given(
        rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=2, max_size=40),
        data=st.data(),
    )
    def test_files_of_parts_add_to_the_whole(self, rows, data, tmp_path_factory):
        folder = tmp_path_factory.mktemp("parts")
        cut = data.draw(st.integers(1, len(rows) - 1))

        def counted(part):
            truth, chosen = zip(*part, strict=True)
            return ConfusionMatrix.from_decisions(
                truth, chosen, classes=[0, 1], decision_names=[0, 1, 2]
            )

        for k, part in enumerate((rows[:cut], rows[cut:])):
            counted(part).save(folder / f"{k}.json")
        loaded = (load_summary(folder / f"{k}.json") for k in range(2))
        assert merge_summaries(loaded) == counted(rows)

    @pytest.mark.parametrize("summary", EXAMPLES)
    def test_a_part_is_left_as_it_is(self, summary):
        assert merge_summaries([summary]) is summary

    def test_collections_add_name_by_name(self):
        cm = ConfusionMatrix([[1, 2], [3, 4]])
        found = merge_summaries([{"a": cm, "b": cm}, {"b": cm, "a": cm}])
        assert found == {"a": cm + cm, "b": cm + cm}

    def test_other_kinds_are_refused(self):
        cm = ConfusionMatrix([[1, 2], [3, 4]])
        with pytest.raises(MergeError, match="a ConfusionMatrix and a PairedCounts"):
            merge_summaries([cm, PairedCounts.from_confusion(cm)])

    def test_other_classes_are_refused(self):
        with pytest.raises(MergeError, match="same classes"):
            merge_summaries([ConfusionMatrix(np.eye(2)), ConfusionMatrix(np.eye(2), ["a", "b"])])

    def test_other_models_are_refused(self):
        cm = ConfusionMatrix([[1, 2], [3, 4]])
        with pytest.raises(MergeError, match="'b' is not in all"):
            merge_summaries([{"a": cm}, {"a": cm, "b": cm}])

    def test_other_edges_are_refused(self):
        scores = ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="llr")
        with pytest.raises(MergeError, match="edges"):
            merge_summaries([scores.binned([0.5]), scores.binned([0.6])])

    def test_nothing_is_refused(self):
        with pytest.raises(DataError, match="nothing to merge"):
            merge_summaries([])


class TestRefusals:
    """Every file here was spoilt on purpose."""

    @pytest.fixture
    def whole(self, tmp_path):
        file = tmp_path / "day.json"
        ConfusionMatrix([[90, 5], [1, 4]], ["no", "yes"]).save(file)
        return file

    @pytest.mark.parametrize("kept", [0.2, 0.5, 0.99])
    def test_truncated(self, whole, kept):
        data = whole.read_bytes().rstrip()
        whole.write_bytes(data[: int(kept * len(data))])
        with pytest.raises(FormatError, match=r"day\.json ends in the middle"):
            load_summary(whole)

    def test_empty(self, whole):
        whole.write_bytes(b"")
        with pytest.raises(FormatError, match="is empty"):
            load_summary(whole)

    def test_every_changed_digit_is_noticed(self, whole):
        data = whole.read_bytes()
        for k, byte in enumerate(data):
            if chr(byte).isdigit():
                changed = b"8" if byte != ord("8") else b"7"
                whole.write_bytes(data[:k] + changed + data[k + 1 :])
                with pytest.raises(FormatError):
                    load_summary(whole)

    def test_changed_counts_name_the_checksum(self, whole):
        whole.write_text(whole.read_text().replace("90", "91"))
        with pytest.raises(FormatError, match="checksum") as error:
            load_summary(whole)
        assert "count again" in error.value.hint

    def test_older_version(self, whole):
        found = json.loads(whole.read_text())
        whole.write_text(json.dumps({**found, "version": _VERSION - 1}))
        with pytest.raises(FormatError, match=f"version {_VERSION - 1} .* older .* {_VERSION}"):
            load_summary(whole)

    def test_newer_version(self, whole):
        found = json.loads(whole.read_text())
        whole.write_text(json.dumps({**found, "version": _VERSION + 1}))
        with pytest.raises(FormatError, match=f"newer stakes; .* version {_VERSION}") as error:
            load_summary(whole)
        assert "pip install --upgrade" in error.value.hint

    @pytest.mark.parametrize("text", ["[1, 2]", "{}", '{"format": "else"}', "3", '"x"', "[" * 9000])
    def test_something_else(self, whole, text):
        whole.write_text(text)
        with pytest.raises(FormatError, match=r"day\.json (is not|ends)"):
            load_summary(whole)
        assert not is_summary(whole)

    @pytest.mark.parametrize("data", [b"\x80\x04\x95pickle", b"a,b\n1,2\n", b"\xff\xfe{}"])
    def test_other_bytes(self, whole, data):
        whole.write_bytes(data)
        with pytest.raises(FormatError, match="is not"):
            load_summary(whole)

    def _resealed(self, whole, change):
        """A file with another content and a checksum that holds for it."""
        found = json.loads(whole.read_text())
        change(found["summary"])
        content = {"version": found["version"], "summary": found["summary"]}
        whole.write_text(json.dumps({**found, "sha256": checksum(content)}))

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (lambda s: s.update(type="Pickle"), "unknown kind 'Pickle'"),
            (lambda s: s.pop("counts"), "has no `counts`"),
            (lambda s: s["counts"].update(dtype="object"), r"counts\.dtype"),
            (lambda s: s["counts"].update(shape=[3, 2]), "must fill the shape"),
            (lambda s: s["counts"]["values"].__setitem__(0, "x"), r"counts\.values\[0\]"),
            (lambda s: s["counts"]["values"].__setitem__(0, 1.5), r"counts\.values\[0\]"),
            (lambda s: s["counts"]["values"].__setitem__(0, -1), "not negative"),
            (lambda s: s["counts"]["values"].__setitem__(0, 2**64), "too large"),
            (lambda s: s.update(classes=["no"]), "must name the 2 rows"),
            (lambda s: s.update(classes=[["no"], "yes"]), "must hold names"),
            (lambda s: s.update(classes="no"), "list of names"),
        ],
    )
    def test_content_that_is_no_summary(self, whole, change, said):
        self._resealed(whole, change)
        with pytest.raises(FormatError, match=said):
            load_summary(whole)

    def test_scores_of_no_kind(self, whole):
        ScoreCounts.from_scores([0, 1], [0.1, 0.2], kind="llr").save(whole)
        self._resealed(whole, lambda s: s.update(kind="logit"))
        with pytest.raises(FormatError, match="`kind` must be one of 'llr'"):
            load_summary(whole)

    def test_another_kind_says_which(self, whole):
        with pytest.raises(FormatError, match="holds a ConfusionMatrix, not a CostTally") as error:
            CostTally.load(whole)
        assert "ConfusionMatrix.load" in error.value.hint

    def test_names_that_a_file_cannot_hold(self, tmp_path):
        odd = GroupedCounts.from_decisions(
            [0, 1], [0, 1], groups=np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]")
        )
        with pytest.raises(DataError, match="cannot be saved; it is a date"):
            odd.save(tmp_path / "a.json")
        assert not list(tmp_path.iterdir())

    def test_what_is_no_summary_is_not_saved(self, tmp_path):
        with pytest.raises(DataError, match="a list cannot be saved"):
            save_summary([1], tmp_path / "a.json")
        with pytest.raises(DataError, match="empty"):
            save_summary({}, tmp_path / "a.json")


class TestParquet:
    @pytest.fixture
    def arrow(self):
        return pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")

    def test_the_columns_are_the_arrays(self, arrow, tmp_path):
        next(_examples()).save(tmp_path / "a.parquet")
        table = arrow.read_table(tmp_path / "a.parquet")
        assert table["summary.counts"][0].as_py() == [1, 1, 1, 2]

    def test_truncated(self, arrow, tmp_path):
        file = tmp_path / "a.parquet"
        next(_examples()).save(file)
        file.write_bytes(file.read_bytes()[:-30])
        with pytest.raises(FormatError, match="damaged Parquet"):
            load_summary(file)

    def test_rows_are_no_summary(self, arrow, tmp_path):
        import pyarrow as pa

        arrow.write_table(pa.table({"y": [0, 1]}), tmp_path / "rows.parquet")
        with pytest.raises(FormatError, match="of rows") as error:
            load_summary(tmp_path / "rows.parquet")
        assert "--save" in error.value.hint
        assert not is_summary(tmp_path / "rows.parquet")

    def test_other_numbers_are_noticed(self, arrow, tmp_path):
        import pyarrow as pa

        file = tmp_path / "a.parquet"
        next(_examples()).save(file)
        table = arrow.read_table(file)
        other = pa.array([[1, 1, 1, 3]], type=pa.list_(pa.int64()))
        changed = table.set_column(0, "summary.counts", other)
        arrow.write_table(changed.replace_schema_metadata(table.schema.metadata), file)
        with pytest.raises(FormatError, match="checksum"):
            load_summary(file)


def test_a_summary_of_bins_reads_scores_again(tmp_path):
    bins = ScoreBins.from_scores([0, 1, 1], [0.1, 0.2, 1.0], edges=[0.5], kind="llr")
    bins.save(tmp_path / "bins.json")
    np.testing.assert_array_equal(
        ScoreBins.load(tmp_path / "bins.json").counts_above(0.5), bins.counts_above(0.5)
    )


@pytest.mark.parametrize("word", ["NaN", "Infinity", "1e999"])
def test_a_number_that_json_does_not_have(tmp_path, word):
    file = tmp_path / "day.json"
    ConfusionMatrix([[90, 5], [1, 4]]).save(file)
    file.write_text(file.read_text().replace("90", word))
    with pytest.raises(FormatError, match="its checksum does not match"):
        load_summary(file)


def test_counts_that_no_longer_fit_integers_add_as_floats():
    half = ConfusionMatrix([[2**62, 0], [0, 1]])
    assert merge_summaries([half, half]).counts.tolist() == [[2.0**63, 0.0], [0.0, 2.0]]
    with pytest.raises(DataError, match="must be finite"):
        merge_summaries([ConfusionMatrix([[1.7e308, 0], [0, 1]])] * 2)
