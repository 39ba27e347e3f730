"""`stakes eval` of patterns, folders and engines: the same findings as from one file in memory."""

from __future__ import annotations

import os
import re
import shutil

import numpy as np
import pytest

from stakes.exceptions import FormatError
from stakes.sources.far.opened_files import unreadable
from stakes.sources.patterns import Files, found_files
from stakes.summaries import SlicedCounts, load_summary

COST = ("--cost", "fn=10", "fp=1")
WORDS = ("--label", "y", "--positive", "yes", *COST)
N = 900


def _columns(seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(N) < 0.3
    log_odds = {name: np.round(rng.normal(size * (2 * y - 1), 1.5), 3)
                for name, size in (("a", 1.5), ("b", 0.8))}  # fmt: skip
    posteriors = {name: np.round(1 / (1 + np.exp(-x)), 3) for name, x in log_odds.items()}
    posteriors["a"][:40] = 0.09  # near the threshold, and many at once
    return {
        "y": np.where(y, "yes", "no"),
        "whole": y.astype(np.int64),
        "flag": y,
        **posteriors,
        "logit_a": log_odds["a"],
        "d": np.where(posteriors["b"] > 0.2, "yes", "no"),
        "choice": (posteriors["b"] > 0.2).astype(np.int64),
        "w": rng.integers(1, 4, N).astype(float),
        "region": rng.choice(["north", "south"], N),
    }


def _written(folder, form, columns, hive=False):
    """Three files of a form; with `hive`, one folder for each region."""
    pa = pytest.importorskip("pyarrow", reason="these files are written by pyarrow")
    table = pa.table(columns)
    folder.mkdir(parents=True, exist_ok=True)
    if hive:
        for name in ("north", "south"):
            inside = folder / f"region={name}"
            inside.mkdir()
            kept = table.filter(pa.compute.equal(table["region"], name)).drop_columns(["region"])
            _write(kept, inside / f"part.{form}", form)
        return
    for k in range(3):
        _write(table.slice(k * N // 3, N // 3), folder / f"part-{k}.{form}", form)


def _write(table, path, form):
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet

    if form == "parquet":
        pyarrow.parquet.write_table(table, path)
    elif form == "csv":
        pyarrow.csv.write_csv(table, path)
    else:
        pyarrow.feather.write_feather(table, path, compression="uncompressed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The rows in three forms, in folders named by region, and in one file."""
    pytest.importorskip("duckdb", reason="files are counted by DuckDB")
    pa = pytest.importorskip("pyarrow", reason="these files are written by pyarrow")
    made = tmp_path_factory.mktemp("lake")
    columns = _columns()
    for form in ("parquet", "csv", "arrow"):
        _written(made / form, form, columns)
    _written(made / "hive", "parquet", columns, hive=True)
    _written(made / "hive-csv", "csv", columns, hive=True)
    _written(made / "a=b" / "lake", "parquet", columns, hive=True)
    _write(pa.table(columns), made / "one.parquet", "parquet")
    return made


@pytest.fixture
def lake(run, folder, tmp_path):
    """A folder of its own in which the files can be seen."""
    for path in folder.iterdir():
        (tmp_path / path.name).symlink_to(path)
    return run


IN_MEMORY = {}


def _wanted(lake, *words):
    """What one file in memory comes to, computed once for the same words."""
    if words not in IN_MEMORY:
        IN_MEMORY[words] = _numbers(lake("eval", "one.parquet", *words))
    return IN_MEMORY[words]


def _numbers(ran):
    assert ran.code == 0, ran.err
    keys = ("name", "counts", "cost", "nec", "interval", "threshold")
    return [{key: model.get(key) for key in keys} for model in ran.found["models"]]


def _same(first, second):
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        for key, value in one.items():
            if isinstance(value, (float, list)) and value:
                # counts determine costs; intervals are roots that are searched for
                close = {"counts": 0, "cost": 1e-12, "nec": 1e-12}.get(key, 1e-9)
                np.testing.assert_allclose(value, other[key], rtol=close)
            else:
                assert value == other[key], key


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
@pytest.mark.parametrize("where", ["parquet/*.parquet", "csv/*.csv", "arrow/*.arrow", "hive"])
def test_every_form_and_engine_finds_what_one_file_in_memory_does(lake, where, engine):
    if engine == "polars":
        pytest.importorskip("polars", reason="one of the engines")
    words = (*WORDS, "--scores", "a,b", "--json")
    wanted = _wanted(lake, *words)
    _same(wanted, _numbers(lake("eval", where, *words, "--engine", engine)))


@pytest.mark.filterwarnings("ignore")  # those of pyspark itself
@pytest.mark.parametrize("where", ["hive", "csv/*.csv"])
def test_spark_finds_the_same(lake, where):
    pytest.importorskip("pyspark", reason="pip install 'stakes[spark]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java: apt-get install openjdk-17-jre-headless")
    words = (*WORDS, "--scores", "a,b", "--json")
    wanted = _wanted(lake, *words)
    _same(wanted, _numbers(lake("eval", where, *words, "--engine", "spark")))


@pytest.mark.filterwarnings("ignore")  # those of pyspark itself
def test_spark_reads_text_as_it_is_read_in_memory(run, write):
    pytest.importorskip("pyspark", reason="pip install 'stakes[spark]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java: apt-get install openjdk-17-jre-headless")
    rows = [f'{k % 2};0,{k % 9 + 1};{k % 3};"a ""b"";c"' for k in range(60)]
    rows[7] = "NA;0,5;1;x"
    rows[8] = "1;n/a;1;x"
    name = write("t.csv", "\n".join(["y;p;w;note", *rows]) + "\n")
    words = ("eval", name, "--label", "y", "--scores", "p", "--weight", "w", "--missing", "drop",
             *COST, "--json")  # fmt: skip
    near, far = run(*words), run(*words, "--engine", "spark")
    assert far.code == 0, far.err
    assert far.found["cases"] == near.found["cases"] == 38
    np.testing.assert_allclose(*(ran.found["models"][0]["counts"] for ran in (near, far)))


SPARK = pytest.param("spark", marks=pytest.mark.filterwarnings("ignore"))  # those of pyspark


@pytest.mark.parametrize("engine", ["duckdb", "polars", SPARK])
@pytest.mark.parametrize("where", ["hive", "hive-csv", "a=b/lake"])
def test_folders_are_columns_of_every_form(lake, tmp_path, where, engine):
    if engine != "duckdb":
        pytest.importorskip({"spark": "pyspark"}.get(engine, engine), reason="one of the engines")
    if engine == "spark" and shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java: apt-get install openjdk-17-jre-headless")
    words = (*WORDS, "--scores", "a", "--by", "region", "--json")
    found = lake("eval", str(tmp_path / where), *words, "--engine", engine)
    assert found.code == 0, found.err
    wanted = lake("eval", "one.parquet", *words).found["slices"]
    slices = found.found["slices"]
    assert {name: part["cases"] for name, part in slices.items()} == {
        name: part["cases"] for name, part in wanted.items()
    }


class TestOptions:
    @pytest.mark.parametrize(
        "words",
        [
            ("--label", "y", "--positive", "yes", "--decisions", "d"),
            ("--label", "y", "--positive", "no", "--decisions", "d"),
            ("--label", "whole", "--scores", "a"),
            ("--label", "whole", "--positive", "0", "--scores", "a", "--flip", "a"),
            ("--label", "flag", "--positive", "True", "--scores", "a"),
            ("--label", "whole", "--decisions", "choice"),
            ("--label", "y", "--positive", "yes", "--scores", "logit_a",
             "--scores-are", "log_odds"),
            ("--label", "y", "--positive", "yes", "--scores", "logit_a", "--scores-are", "llr"),
            ("--label", "y", "--positive", "yes", "--scores", "a", "--prevalence", "5%"),
            ("--label", "y", "--positive", "yes", "--scores", "logit_a", "--scores-are", "llr",
             "--prevalence", "5%"),
            ("--label", "y", "--positive", "yes", "--scores", "a", "--prevalence", "5%",
             "--posteriors-already-adjusted"),
            ("--label", "y", "--positive", "yes", "--decisions", "d", "--prevalence", "5%"),
        ],
    )  # fmt: skip
    def test_agree_with_the_rows_in_memory(self, lake, words):
        wanted = _numbers(lake("eval", "one.parquet", *words, *COST, "--json"))
        _same(wanted, _numbers(lake("eval", "parquet", *words, *COST, "--json")))

    def test_weights(self, lake):
        words = (*WORDS, "--scores", "a", "--weight", "w", "--json")
        wanted = _numbers(lake("eval", "one.parquet", *words))
        found = _numbers(lake("eval", "parquet", *words))
        for key in ("counts", "cost", "nec", "interval"):
            np.testing.assert_allclose(found[0][key], wanted[0][key])

    def test_weighted_models_are_compared(self, lake):
        words = (*WORDS, "--scores", "a,b", "--weight", "w", "--json")
        near, far = (lake("eval", name, *words).found for name in ("one.parquet", "parquet"))
        best_in = [
            [model["probability_best"] for model in found["models"]] for found in (near, far)
        ]
        np.testing.assert_allclose(best_in[1], best_in[0], atol=0.03)
        wanted, said = (found["differences"][0] for found in (near, far))
        assert (said["first"], said["decided"]) == (wanted["first"], wanted["decided"])
        for key, close in (("value", 1e-9), ("low", 0.05), ("high", 0.05)):
            np.testing.assert_allclose(said[key], wanted[key], rtol=close)
        assert not any("no interval" in note["text"] for note in far["notes"])

    @pytest.mark.parametrize("engine", ["duckdb", "polars"])
    def test_rows_of_weight_zero_are_no_cases(self, run, write, engine):
        pytest.importorskip(engine, reason="one of the engines")
        lines = [f"{k % 2},0.{k % 9},{k % 4 % 3},{'ab'[k < 20]}" for k in range(80)]
        name = write("t.csv", "\n".join(["y,p,w,g", *lines]) + "\n")
        words = ("--label", "y", "--scores", "p", "--weight", "w", "--by", "g", *COST)
        near, far = (run("eval", name, *words, *more) for more in ((), ("--engine", engine)))
        assert (near.code, far.code) == (0, 0), far.err
        first = far.out.splitlines()[0]  # 20 rows of each outcome weigh nothing
        assert first == near.out.splitlines()[0] == (
            "read t.csv: 40 cases, 20 y = 1 (33.3 % by weight), 1 model"
        )  # fmt: skip
        parts = [dict(re.findall(r"^([ab]) +(\d+) ", ran.out, re.M)) for ran in (near, far)]
        assert parts == [{"a": "30", "b": "10"}] * 2

    @pytest.mark.parametrize("engine", ["duckdb", "polars"])
    def test_an_outcome_of_few_rows_that_weigh_is_too_rare(self, run, write, engine):
        pytest.importorskip(engine, reason="one of the engines")
        lines = [f"{k % 2},0.{k % 9},{k % 2 == 0 or k < 14:d}" for k in range(80)]
        name = write("t.csv", "\n".join(["y,p,w", *lines]) + "\n")
        words = ("eval", name, "--label", "y", "--scores", "p", "--weight", "w", *COST)
        near, far = run(*words), run(*words, "--engine", engine)
        assert near.code == far.code == 2
        assert near.err == far.err
        assert near.err.startswith("error: 7 positives.")

    @pytest.mark.parametrize("option", ["--scores", "--weight"])
    @pytest.mark.parametrize("where", ["csv/*.csv", "parquet"])
    @pytest.mark.parametrize("engine", ["duckdb", "polars"])
    def test_words_where_numbers_should_be(self, lake, engine, where, option):
        pytest.importorskip(engine, reason="one of the engines")
        words = {"--scores": "a", option: "region"}
        given = [word for pair in words.items() for word in pair]
        ran = lake("eval", where, *WORDS, *given, "--engine", engine)
        assert ran.code == 2
        assert " must hold numbers; a row holds '" in ran.err  # not every version names the column
        assert "name another column, or correct the files" in ran.err

    @pytest.mark.parametrize("engine", ["duckdb", "polars"])
    def test_a_negative_weight_is_called_as_it_was_typed(self, run, write, engine):
        pytest.importorskip(engine, reason="one of the engines")
        name = write("t.csv", "y,p,w\n0,0.2,3\n1,0.7,2\n1,0.6,-1\n")
        words = ("eval", name, "--label", "y", "--scores", "p", "--weight", "w", *COST)
        ran = run(*words, "--engine", engine)
        assert ran.code == 2
        assert "--weight must be finite and not negative; e.g. w = -1.0 (1 of 3 rows)" in ran.err
        assert "correct the files, or name another column" in ran.err

    def test_weights_that_are_all_zero(self, run, write):
        pytest.importorskip("duckdb", reason="files are counted by DuckDB")
        name = write("t.csv", "y,p,w\n0,0.2,0\n1,0.7,0\n")
        words = ("eval", name, "--label", "y", "--scores", "p", "--weight", "w", *COST)
        near, far = run(*words), run(*words, "--engine", "duckdb")
        assert (near.code, near.err) == (far.code, far.err)
        assert "every weight in 'w' is 0" in far.err

    def test_folders_named_by_value_are_a_column(self, lake):
        words = (*WORDS, "--scores", "a", "--by", "region")
        ran = lake("eval", "hive/*/*.parquet", *words)
        assert ran.code == 0, ran.err
        assert "north" in ran.out
        assert "a by slice (95 % confidence for all 2 together)" in " ".join(ran.out.split())

    def test_three_outcomes_with_an_abstention(self, run, tmp_path, write):
        pytest.importorskip("duckdb", reason="files are counted by DuckDB")
        rng = np.random.default_rng(0)
        q = np.round(rng.dirichlet([1, 1, 1], 300), 4)
        q[:, 2] = 1 - q[:, 0] - q[:, 1]
        y = np.array(["cat", "dog", "fox"])[[rng.choice(3, p=row / row.sum()) for row in abs(q)]]
        columns = {"y": y, **{f"p_{n}": abs(q[:, k]) for k, n in enumerate(("cat", "dog", "fox"))}}
        import pyarrow as pa

        _write(pa.table(columns), tmp_path / "one.parquet", "parquet")
        (tmp_path / "many").mkdir()
        for k in range(3):
            _write(pa.table(columns).slice(k * 100, 100), tmp_path / f"many/{k}.parquet", "parquet")
        write("costs.csv", "truth,cat,dog,fox,ask\ncat,0,1,5,0.7\ndog,1,0,5,0.7\nfox,9,9,0,0.7\n")
        words = ("--label", "y", "--proba", "p_*", "--costs", "costs.csv", "--json")
        wanted = _numbers(run("eval", "one.parquet", *words))
        _same(wanted, _numbers(run("eval", "many/*.parquet", *words)))

    def test_outcomes_and_decisions_that_are_integers(self, run, tmp_path, write):
        pytest.importorskip("duckdb", reason="files are counted by DuckDB")
        pa = pytest.importorskip("pyarrow", reason="these files are written by pyarrow")
        rng = np.random.default_rng(0)
        y, d = rng.integers(1, 4, 300), rng.integers(1, 4, 300)
        _write(pa.table({"y": y, "d": d}), tmp_path / "one.parquet", "parquet")
        write("costs.csv", "truth,3,1,2,ask\n3,0,1,5,0.7\n1,1,0,5,0.7\n2,9,9,0,0.7\n")
        words = ("--label", "y", "--decisions", "d", "--costs", "costs.csv", "--json")
        wanted = _numbers(run("eval", "one.parquet", *words))
        assert wanted[0]["counts"][0][0] == int(((y == 3) & (d == 3)).sum())
        _same(wanted, _numbers(run("eval", "one.parquet", *words, "--engine", "duckdb")))

    def test_rows_without_a_value_are_refused_or_left_out(self, run, tmp_path):
        pytest.importorskip("duckdb", reason="files are counted by DuckDB")
        pa = pytest.importorskip("pyarrow")
        rows = {"y": ["yes", "no"] * 50 + ["yes", None], "p": [0.9, 0.1] * 50 + [None, 0.5]}
        (tmp_path / "gaps").mkdir()
        _write(pa.table(rows), tmp_path / "gaps" / "a.parquet", "parquet")
        words = ("eval", "gaps/*.parquet", *WORDS, "--scores", "p")
        ran = run(*words)
        assert ran.code == 2
        assert "1 row of 'y', the truth, is empty." in ran.err
        assert "--missing drop" in ran.err
        ran = run(*words, "--missing", "drop", "--json")
        assert ran.found["cases"] == 100

    def test_what_was_decided_is_saved(self, lake):
        words = (*WORDS, "--scores", "a,b", "--quiet")
        lake("eval", "one.parquet", *words, "--save", "one.json")
        lake("eval", "parquet", *words, "--save", "many.json")
        found = load_summary("many.json")
        assert isinstance(found, SlicedCounts)
        assert found.joint == load_summary("one.json")["joint"]

    def test_a_page_and_a_gate(self, lake, tmp_path):
        ran = lake("eval", "parquet", *WORDS, "--scores", "a,b", "--html", "page.html",
                   "--fail-if", "nec>0.01")  # fmt: skip
        assert ran.code == 1
        assert (tmp_path / "page.html").stat().st_size > 10_000
        assert "NEC" in ran.out


class TestRefusals:
    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("gone/*.parquet",), "no file fits 'gone/*.parquet'"),
            (("s3://bucket/day/*.parquet",), "INSTALL httpfs"),
            (("s3://bucket/day",), "end the address in a pattern"),
            (("parquet", "--groups", "nobody"), "has no column 'nobody'"),
            (("parquet", "--scores-are", "rank"), "needs the rows in memory"),
            (("parquet", "--missing", "naive"), "--missing drop"),
            (("parquet", "--memory", "lots"), "--memory 2GB"),
            (("parquet", "--scores", "gbm"), "has no column 'gbm'"),
            (("parquet", "--label", "truth"), "has no column 'truth'"),
            (("parquet", "--scores", "logit_a"), "--scores-are log_odds"),
        ],
    )
    def test_say_what_to_type(self, lake, words, said):
        options = list(words[1:])
        given = [w for pair in (("--label", "y"), ("--scores", "a")) for w in pair
                 if pair[0] not in options]  # fmt: skip
        ran = lake("eval", words[0], *given, "--positive", "yes", *COST, *options)
        assert ran.code == 2
        assert said in ran.err

    def test_a_damaged_file(self, lake, tmp_path):
        (tmp_path / "torn").mkdir()
        good = (tmp_path / "one.parquet").read_bytes()
        (tmp_path / "torn" / "a.parquet").write_bytes(good)
        (tmp_path / "torn" / "b.parquet").write_bytes(good[: len(good) // 2])
        ran = lake("eval", "torn", *WORDS, "--scores", "a", "--save", "never.json")
        assert ran.code == 2
        assert "error: torn" in ran.err
        assert not (tmp_path / "never.json").exists()

    def test_an_outcome_that_the_costs_do_not_know(self, lake, write):
        write("costs.csv", "truth,no,maybe\nno,0,1\nmaybe,10,0\n")
        ran = lake("eval", "parquet", "--label", "y", "--scores", "a", "--costs", "costs.csv")
        assert ran.code == 2
        assert "but the costs speak of 'no', 'maybe'" in ran.err


class TestFiles:
    def _touched(self, tmp_path, *names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x")

    def test_a_folder_without_what_writers_leave_beside(self, tmp_path):
        self._touched(tmp_path, "d/a.parquet", "d/x=1/b.parquet", "d/_SUCCESS", "d/.a.crc")
        found = found_files(str(tmp_path / "d"))
        assert [path.rpartition("/")[2] for path in found.paths] == ["a.parquet", "b.parquet"]
        assert found.hive
        assert found.size == 2

    def test_forms_are_not_mixed(self, tmp_path):
        self._touched(tmp_path, "d/a.parquet", "d/b.csv.gz")
        with pytest.raises(FormatError, match="several forms: csv, parquet"):
            found_files(str(tmp_path / "d"))

    def test_unknown_forms(self, tmp_path):
        self._touched(tmp_path, "d/a.pkl")
        with pytest.raises(FormatError, match="do not know the form"):
            found_files(str(tmp_path / "d"))

    def test_an_empty_folder(self, tmp_path):
        with pytest.raises(FormatError, match="holds no files"):
            found_files(str(tmp_path))


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
class TestFilesAsTheyAreFound:
    def _files(self, folder, engine, **changed):
        pytest.importorskip(engine, reason="the engine is an extra")
        _written(folder, "parquet", {**_columns(), **changed})

    def test_columns_that_differ_from_file_to_file(self, run, tmp_path, engine):
        self._files(tmp_path / "lake", engine)
        _written(tmp_path / "other", "parquet", {"y": ["no", "yes"] * 450, "c": [0.5] * N})
        shutil.copy(tmp_path / "other/part-0.parquet", tmp_path / "lake/part-1.parquet")
        ran = run("eval", "lake/*.parquet", *WORDS, "--scores", "a", "--engine", engine)
        assert ran.code == 2
        assert ran.err.startswith("error: lake/*.parquet: ")
        assert "every file must have the same columns, of the same types" in ran.err

    def test_a_file_without_bytes(self, run, tmp_path, engine):
        self._files(tmp_path / "lake", engine)
        (tmp_path / "lake/part-1.parquet").write_bytes(b"")
        ran = run("eval", "lake", *WORDS, "--scores", "a", "--engine", engine)
        assert ran.code == 2
        assert "part-1.parquet is empty (1 of 3 files have no bytes)" in ran.err

    @pytest.mark.parametrize("said", ["[1] a 'b'", "[1] a 'b'/*.parquet", "[[]1*/*.parquet"])
    def test_names_with_brackets_spaces_and_quotes(self, run, tmp_path, engine, said):
        self._files(tmp_path / "[1] a 'b'", engine)
        ran = run("eval", said, *WORDS, "--scores", "a", "--engine", engine, "--json")
        assert ran.code == 0, ran.err
        assert ran.found["cases"] == N

    def test_folders_that_hide_a_column_are_named(self, run, tmp_path, engine):
        self._files(tmp_path / "lake" / "y=yes", engine)
        self._files(tmp_path / "lake" / "y=no", engine)
        ran = run("eval", "lake", *WORDS, "--scores", "a", "--engine", engine, "--json")
        assert ran.code == 0, ran.err
        assert "'y' is both a column of the files and a name of folders (y=...)" in ran.err
        assert ran.found["cases"] == 2 * N

    def test_models_that_nobody_named(self, run, tmp_path, engine):
        self._files(tmp_path / "lake", engine)
        ran = run("eval", "lake", "--label", "y", *COST, "--engine", engine)
        assert ran.code == 2
        assert "I cannot tell which columns hold the models" in ran.err


def test_spark_that_does_not_start(run, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="these files are written by pyarrow")
    _written(tmp_path / "lake", "parquet", _columns())

    class Builder:
        def appName(self, _):  # noqa: N802 - as Spark spells it
            return self

        def config(self, *_):
            return self

        def getOrCreate(self):  # noqa: N802
            raise RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited")

    class Module:
        class SparkSession:
            builder = Builder()

        PySparkException = OSError

    monkeypatch.setattr("stakes.sources.far.spark_files.load", lambda *_, **__: Module)
    ran = run("eval", "lake", *WORDS, "--scores", "a", "--engine", "spark")
    assert ran.code == 2
    assert "error: Spark does not start: [JAVA_GATEWAY_EXITED]" in ran.err
    assert "it needs Java 17" in ran.err


class _JavaError(Exception):
    """As py4j tells what happened in Java."""

    def __str__(self):
        return (
            "An error occurred while calling o34.collectToPython.\n: org.apache.spark."
            "SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file "
            "file:///lake/1.parquet.  SQLSTATE: KD001\n\tat org.apache.spark.Some.java:7\n"
            "Caused by: java.lang.RuntimeException: file:/lake/1.parquet is not a Parquet file. "
            "Expected magic number at tail\n\tat parquet.java:9\n\t... 23 more"
        )


def test_problems_of_java_are_said_in_a_line():
    files = Files("lake", ("lake/0.parquet", "/lake/1.parquet"), "parquet", 2)
    found = unreadable(_JavaError(), files)
    assert found.message == (
        "lake: Encountered error while reading file file:///lake/1.parquet. file:/lake/1.parquet "
        "is not a Parquet file. Expected magic number at tail"
    )
    assert found.hint == "write or copy the file again, or leave it out"
