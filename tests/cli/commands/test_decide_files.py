"""`stakes decide` on several files, and on files whose columns engines would change."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from stakes import Application, CostMatrix, DecisionRule
from stakes.calibration import Gaussian, Matrix
from stakes.posteriors import Posteriors

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"], decisions=["wait", "call"])


@pytest.fixture
def decided(run, tmp_path):
    """Decide files by a rule on the column p, into out.csv or another file."""
    rule = tmp_path / "rule.json"
    DecisionRule(Application(COSTS), columns="p", model="gbm").save(rule)

    def decided(*words, out="out.csv"):
        given = [*map(str, words), "--rule", str(rule), "-o", str(tmp_path / out)]
        return run("decide", *given)

    return decided


def folder_of(tmp_path, files):
    """A folder with these files, by name."""
    folder = tmp_path / "lake"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def parquet_file(path, names, columns):
    """Write columns into a Parquet file, also of equal names."""
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[duckdb]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[duckdb]'")
    parquet.write_table(arrow.Table.from_arrays(list(map(arrow.array, columns)), names), path)
    return path


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ("id,p,region\n2,0.5,north\n", "b.csv has a column 'region', unlike a.csv"),
        ("id,p,decision\n2,0.5,yes\n", "b.csv has a column 'decision', unlike a.csv"),
        ("p\n0.5\n", "b.csv has no column 'id', unlike a.csv"),
        ("id,score\n2,0.5\n", "b.csv has no column 'p', unlike a.csv"),
        ("2,0.5\n3,0.7\n", "the first line of b.csv looks like data"),
    ],
)
def test_every_file_must_have_the_columns_of_the_first(decided, tmp_path, second, said):
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    folder = folder_of(tmp_path, {"a.csv": "id,p\n1,0.2\n", "b.csv": second})
    for given in ([folder], [folder / "*.csv"], sorted(folder.iterdir())):
        ran = decided(*given)
        assert ran.code == 2
        assert said in ran.err
        assert "--reference" not in ran.err
    assert not (tmp_path / "out.csv").exists()


def test_text_must_be_written_alike(decided, tmp_path):
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    folder = folder_of(tmp_path, {"a.csv": "id,p\n1,0.2\n", "b.csv": "id;p\n2;0,5\n"})
    assert "b.csv has cells separated by semicolons, unlike a.csv" in decided(folder).err
    (folder / "b.csv").write_text("sep=,\nid,p\n2,0.5\n")
    assert "b.csv has cells separated by commas after a line 'sep='" in decided(folder).err


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        (("int64", "float64"), "column 'id' holds int64 in a.parquet and double in b.parquet"),
        (("int64", "str"), "column 'id' holds int64 in a.parquet and string in b.parquet"),
        (("int32", "int64"), None),
        (("float32", "float64"), "column 'id' holds float in a.parquet and double in b.parquet"),
    ],
)
def test_streamed_files_need_columns_of_the_same_types(decided, tmp_path, kinds, said):
    for name, kind in zip("ab", kinds, strict=True):
        columns = [np.array([1, 2], dtype=kind).tolist(), [0.25, 0.75]]
        arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[duckdb]'")
        names = {"str": "string", "float32": "float", "float64": "double"}
        table = [arrow.array(columns[0], names.get(kind, kind)), arrow.array(columns[1])]
        parquet_file(tmp_path / f"{name}.parquet", ["id", "p"], table)
    ran = decided(tmp_path / "*.parquet", "--engine", "duckdb", out="out.parquet")
    if said:
        assert (ran.code, said in ran.err) == (2, True)
        assert not (tmp_path / "out.parquet").exists()
    else:
        parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[duckdb]'")
        assert ran.code == 0
        assert parquet.read_table(tmp_path / "out.parquet")["id"].to_pylist() == [1, 2, 1, 2]


def test_columns_in_another_order_are_decided(decided, tmp_path):
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    folder = folder_of(tmp_path, {"a.csv": "id,p\n007,0.2\n", "b.csv": "p,id\n0.01,008\n"})
    assert decided(folder).code == 0
    rows = (tmp_path / "out.csv").read_text().splitlines()
    assert [row.split(",")[:3] for row in rows[1:]] == [
        ["007", "0.2", "call"],
        ["008", "0.01", "wait"],
    ]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_schemas_are_compared(decided, tmp_path, ending):
    folder = folder_of(tmp_path, {})
    parquet_file(folder / f"a.{ending}", ["p"], [[0.2]])
    parquet_file(folder / f"b.{ending}", ["p", "region"], [[0.5], ["north"]])
    if ending == "arrow":
        feather = pytest.importorskip("pyarrow.feather", reason="pip install 'stakes[duckdb]'")
        parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[duckdb]'")
        for path in folder.iterdir():
            feather.write_feather(parquet.read_table(path), path)
    said = f"b.{ending} has a column 'region', unlike a.{ending}"
    assert said in decided(folder).err
    (folder / f"b.{ending}").unlink()
    assert decided(folder).code == 0


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["p", "p"], "columns 1 and 2 are both called 'p'"),
        (["p", "P"], "columns 'p' and 'P' differ only in capitals"),
        (["p", ""], "column 2 has no name"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_names_that_an_engine_would_change(decided, tmp_path, names, said, ending):
    file = parquet_file(tmp_path / "new.parquet", names, [[0.2], [0.3]])
    if ending == "csv":
        file = tmp_path / "new.csv"
        file.write_text(",".join(names) + "\n0.2,0.3\n")
    ran = decided(file, "--engine", "duckdb")
    assert ran.code == 2
    assert said in ran.err
    assert ("--engine memory" in ran.err) == (names != ["p", "p"])
    assert decided(file, "--engine", "memory").code == (2 if names == ["p", "p"] else 0)


def test_a_name_that_an_engine_takes_for_a_gap(decided, tmp_path):
    file = parquet_file(tmp_path / "new.parquet", ["p", "none"], [[0.2], [0.3]])
    assert decided(file, "--engine", "duckdb").code == 0
    (tmp_path / "new.csv").write_text("p,none\n0.2,0.3\n")
    ran = decided(tmp_path / "new.csv", "--engine", "duckdb")
    assert "new.csv: column 2 is called 'none', which DuckDB cannot stream" in ran.err


def test_a_file_may_be_decided_twice(decided, tmp_path):
    folder = folder_of(tmp_path, {"a.csv": "id,p\n1,0.2\n", "b.csv": "id,p\n1,0.2\n"})
    assert "decided 2 rows" in decided(*sorted(folder.iterdir())).out


def test_patterns_are_not_offered_to_memory(run, tmp_path, decided):
    folder = folder_of(tmp_path, {"a.csv": "id,p\n1,0.2\n"})
    rule = str(tmp_path / "rule.json")
    ran = run("decide", str(folder / "*.csv"), "--rule", rule)
    assert "-o decided.parquet" in ran.err
    assert "memory" not in ran.err
    ran = run("decide", str(folder / "a.csv"), "--rule", rule, "--engine", "duckdb")
    assert "-o decided.parquet, or --engine memory" in ran.err


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("files", [1, 2])
def test_times_with_a_zone_stay_the_same_instant(decided, tmp_path, engine, ending, files):
    zone = ZoneInfo("America/New_York")
    times = [datetime(2024, 7, 1, 20, tzinfo=zone), None]
    file = parquet_file(tmp_path / "new.parquet", ["p", "at"], [[0.2, 0.3], times])
    ran = decided(*[file] * files, "--engine", engine, out=f"out.{ending}")
    assert ran.code == 0, ran.err
    out = tmp_path / f"out.{ending}"
    if ending == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[duckdb]'")
        found = parquet.read_table(out)["at"].to_pylist()
    else:
        text = out.read_text()
        lines = list(csv.DictReader(io.StringIO(text))) if ending == "csv" else text.splitlines()
        told = [line["at"] if ending == "csv" else json.loads(line)["at"] for line in lines]
        found = [datetime.fromisoformat(each) if each else None for each in told]
    assert found == times * files


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_truth_values_are_written_alike(run, tmp_path, engine):
    file = parquet_file(tmp_path / "new.parquet", ["p", "paid"], [[0.2, 0.01], [True, None]])
    costs = CostMatrix([[0, 1], [10, 0]], classes=[False, True], decisions=[False, True])
    DecisionRule(Application(costs), columns="p").save(tmp_path / "rule.json")
    out = tmp_path / "out.csv"
    given = ["decide", str(file), "--rule", str(tmp_path / "rule.json"), "--engine", engine]
    assert run(*given, "-o", str(out)).code == 0
    found = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [(row["paid"], row["decision"], row["next_best"]) for row in found] == [
        ("true", "true", "false"),
        ("", "false", "true"),
    ]


@pytest.mark.parametrize("taken", ['{"by": "us"}', '{"by": {"us": 1}}', "{}"])
def test_an_object_under_the_name_of_a_new_column(decided, tmp_path, taken):
    new = tmp_path / "new.jsonl"
    new.write_text(f'{{"p": 0.2, "decision": {taken}}}\n')
    ran = decided(new, out="out.jsonl")
    assert ran.code == 2
    assert "the table already has a column 'decision'" in ran.err
    new.write_text('{"p": 0.2, "not_decided": {"by": "us"}, "our": {"decision": 1}}\n')
    assert decided(new, out="out.jsonl").code == 0
    assert "'not_decided'" in decided(new, "--on-error", "column", out="out.jsonl").err


@pytest.mark.parametrize("cells", [["true", "0.2"], ["true", "false"], ["null", "true"]])
def test_truth_values_are_no_scores(decided, tmp_path, cells):
    new = tmp_path / "new.jsonl"
    new.write_text("".join(f'{{"p": {cell}, "vip": true}}\n' for cell in cells))
    ran = decided(new)
    assert ran.code == 2
    assert f"column 'p' must hold numbers; row {cells.index('true') + 1} holds a truth" in ran.err
    assert decided(new, "--on-error", "column").code == 0
    found = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    expected = ["" if cell == "0.2" else "no score" for cell in cells]
    assert [row["not_decided"] for row in found] == expected


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_column_of_truth_values_holds_no_scores(decided, tmp_path, engine):
    file = parquet_file(tmp_path / "new.parquet", ["p"], [[True, False]])
    ran = decided(file, "--engine", engine)
    assert ran.code == 2
    assert "column 'p' must hold numbers" in ran.err


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_text_among_streamed_scores(decided, tmp_path, ending):
    file = parquet_file(tmp_path / "new.parquet", ["p"], [["0.2", "high"]])
    if ending == "csv":
        file = tmp_path / "new.csv"
        file.write_text("p\n0.2\nhigh\n")
    ran = decided(file, "--engine", "duckdb")
    assert ran.code == 2
    assert "must hold numbers; it holds 'high'" in ran.err
    assert "--engine memory --on-error column" in ran.err
    assert decided(file, "--engine", "memory", "--on-error", "column").code == 0
    assert "memory" not in decided(tmp_path / f"new*.{ending}").err


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_column_with_a_comma_in_its_name(decided, tmp_path, engine):
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    new = tmp_path / "new.csv"
    new.write_text('id,"my, score"\n1,0.2\n')
    ran = decided(new, "--columns", "my, score", "--engine", engine)
    assert ran.code == 0, ran.err
    assert "decided 1 row by" in ran.out


@pytest.mark.parametrize("name", ["new.npy", "new.npz"])
def test_arrays_whose_columns_have_no_names(decided, tmp_path, name):
    array = np.array([[0.1, 0.9]])
    if name == "new.npy":
        np.save(tmp_path / name, array)
    else:
        np.savez(tmp_path / name, p=array[:, 1], new=array)
    ran = decided(tmp_path / name)
    assert ran.code == 2
    assert f"{name} holds an array of 2 columns without names, 'new'" in ran.err
    assert "rule.decide(array)" in ran.err


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("kind", [Gaussian, Matrix])
def test_certain_scores_are_decided_by_calibrators_that_need_finite_ones(
    run, tmp_path, kind, engine
):
    pytest.importorskip("duckdb", reason="an engine, and pyarrow")
    rng = np.random.default_rng(0)
    y = np.arange(400) % 4 == 0
    p = 1 / (1 + np.exp(-rng.normal(np.where(y, 2.0, -2.0), 1.5)))
    fitted = kind().fit(Posteriors(np.column_stack([1 - p, p])), y.astype(int))
    rule = DecisionRule(Application(COSTS), columns="p", calibrator=fitted)
    rule.save(tmp_path / "fitted.json")
    (tmp_path / "ends.csv").write_text("p\n0\n.001\n2\n.5\n1\n")
    words = [str(tmp_path / "ends.csv"), "--rule", str(tmp_path / "fitted.json")]
    out = ["--engine", engine, "-o", str(tmp_path / "out.csv")]
    ran = run("decide", *words, *out, "--on-error", "column")
    assert ran.code == 0, ran.err
    found = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
    assert [row["decision"] for row in found] == ["wait", "wait", "", "call", "call"]
    assert [row["not_decided"] for row in found] == ["", "", "not a probability", "", ""]
    costs = [float(found[k]["expected_cost"]) for k in (0, 4)]
    sure = fitted.posteriors(Posteriors([5e-324, 1 - 2.0**-53]))
    assert costs == pytest.approx([10 * sure[0, 1], sure[1, 0]], abs=1e-12)
    ran = run("decide", *words, *out)
    assert ran.code != 0
    assert "1 of 5 rows cannot be decided (not a probability in 1); the first is row 3" in ran.err


@pytest.mark.parametrize("unit", ["us", "ns"])
@pytest.mark.parametrize("nested", [False, True])
def test_spans_of_time_are_no_numbers(decided, tmp_path, unit, nested):
    arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[duckdb]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[duckdb]'")
    kind = arrow.list_(arrow.duration(unit)) if nested else arrow.duration(unit)
    spans = arrow.array([[1], None] if nested else [1, None], kind)
    (tmp_path / "lake").mkdir()
    file = parquet_file(tmp_path / "lake" / "new.parquet", ["p", "took"], [[0.2, 0.3], spans])
    ran = decided(file, "--engine", "duckdb")
    assert ran.code == 2
    kept = parquet.read_schema(file).field("took").type
    assert f"column 'took' of new.parquet holds spans of time ({kept})" in ran.err
    assert "--engine memory  keeps them" in ran.err
    assert "name the files one by one, with  --engine memory" in decided(file.parent).err
    assert not (tmp_path / "out.csv").exists()
    assert decided(file, "--engine", "memory", out="out.parquet").code == 0
    assert parquet.read_schema(tmp_path / "out.parquet").field("took").type == kept
    if not nested:
        assert decided(file, out="out.jsonl").code == 0
        told = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
        words = {"us": "1 microseconds", "ns": "1 nanoseconds"}
        assert [row["took"] for row in told] == [words[unit], None]


@pytest.mark.parametrize("more", [("--engine", "memory"), ("--engine", "duckdb")])
def test_files_of_one_name_are_told_apart(decided, tmp_path, more):
    arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[duckdb]'")
    paths = [tmp_path / f"day={k}" / "a.parquet" for k in (1, 2)]
    for path, kind in zip(paths, (arrow.int32(), arrow.float64()), strict=True):
        path.parent.mkdir()
        parquet_file(path, ["p", "x"], [[0.5], arrow.array([1], kind)])
    first, second = paths
    said = f"column 'x' holds int32 in {first} and double in {second}"
    assert said in decided(*paths, *more).err
    texts = [path.with_suffix(".csv") for path in paths]
    texts[0].write_text("p,x\n0.5,1\n")
    texts[1].write_text("p,y\n0.5,1\n")
    assert f"{texts[1]} has no column 'x', unlike {texts[0]}" in decided(*texts, *more).err
    texts[1].write_text("p;x\n0,5;1\n")
    near = f"{texts[1]} holds numbers with a decimal comma, unlike {texts[0]}"
    far = f"{texts[1]} has cells separated by semicolons, unlike {texts[0]}"
    assert (near if "memory" in more else far) in decided(*texts, *more).err
