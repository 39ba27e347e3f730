"""`stakes estimate` of files that an engine reads: all their rows, or a sample of them."""

from __future__ import annotations

import numpy as np
import pytest

from stakes.cli.commands.estimate import sampled_rows

pytest.importorskip("duckdb", reason="needs DuckDB: pip install 'stakes[duckdb]'")
pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'stakes[parquet]'")
pandas = pytest.importorskip("pandas", reason="needs pandas: pip install pandas")

TWO = ("--label", "left", "--positive", "yes", "--scores", "p", "--cost", "fn=10", "fp=1")
THREE = ("--label", "y", "--proba", "p_*", "--cost", "error=1")
MORE = ("--by", "kind", "--inputs", "amount,kind")


def rows(n, share, seed):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < share, "yes", np.where(rng.random(n) < 0.5, "no", "maybe"))
    names = ("maybe", "no", "yes")
    said = rng.normal(0, 1, (n, 3)) + 2 * (y[:, None] == np.array(names))
    said = np.exp(said) / np.exp(said).sum(axis=1, keepdims=True)
    columns = {f"p_{name}": said[:, k] for k, name in enumerate(names)}
    kind = np.where(rng.random(n) < 0.5, "a", "b")
    more = {"p": said[:, 2], "amount": rng.integers(1, 9, n), "kind": kind, "tags": [["x"]] * n}
    left = np.where(y == "yes", "yes", "no")
    return pandas.DataFrame({"y": y, "left": left, **columns, **more})


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The same rows as one file and as a folder of two, of both kinds."""
    monkeypatch.chdir(tmp_path)
    for name, (n, share, seed) in {"old": (900, 0.3, 1), "new": (700, 0.5, 2)}.items():
        made = rows(n, share, seed)
        made = made if name == "old" else made.drop(columns=["y", "left"])
        made.to_parquet(f"{name}.parquet")
        made.drop(columns="tags").to_csv(f"{name}.csv", index=False)
        for form, write in (("parquet", "to_parquet"), ("csv", "to_csv")):
            folder = tmp_path / f"{name}-{form}"
            folder.mkdir()
            options = {} if form == "parquet" else {"index": False}
            kept = made if form == "parquet" else made.drop(columns="tags")
            getattr(kept[:400], write)(folder / f"1.{form}", **options)
            getattr(kept[400:], write)(folder / f"2.{form}", **options)


def estimated(run, words, new, old):
    ran = run("estimate", new, "--reference", old, *words, "--json")
    assert ran.code == 0, ran.err
    return ran


@pytest.mark.usefixtures("files")
class TestLakes:
    @pytest.mark.parametrize("form", ["parquet", "csv"])
    @pytest.mark.parametrize("words", [(*TWO, *MORE), THREE, (*TWO[:-2], "fn=2*amount", "fp=1")])
    def test_all_rows_say_what_one_file_says(self, run, form, words):
        near = estimated(run, words, f"new.{form}", f"old.{form}").found["models"]
        far = estimated(run, words, f"new-{form}/*.{form}", f"old-{form}/*.{form}").found["models"]
        assert near.keys() == far.keys()
        for name, one in near.items():
            other = far[name]
            assert (one["cases"], one["reference_cases"], one["change"]) == (700, 900, "shares")
            for key in ("cases", "reference_cases", "change"):
                assert one[key] == other[key]
            for key in ("value", "low", "high"):
                assert other[key] == pytest.approx(one[key], rel=1e-12)
            assert one.get("slices", {}).keys() == other.get("slices", {}).keys()

    def test_a_sample_is_said_and_close(self, run, monkeypatch):
        whole = estimated(run, THREE, "new-parquet/*.parquet", "old-parquet/*.parquet")
        assert "rows of" not in whole.err
        monkeypatch.setattr(sampled_rows, "_MOST_ROWS", 600)
        part = estimated(run, THREE, "new-parquet/*.parquet", "old-parquet/*.parquet")
        said = " ".join(part.err.split())
        (all_of_it,), (some,) = (found.found["models"].values() for found in (whole, part))
        assert f"uses {some['cases']} of the 700 rows of new-parquet/*.parquet" in said
        assert f"uses {some['reference_cases']} of the 900 rows of old-parquet/*.parquet" in said
        assert some["cases"] == pytest.approx(600, abs=2)
        assert some["value"] == pytest.approx(all_of_it["value"], abs=all_of_it["value"] / 4)

    def test_plans_need_all_rows(self, run):
        ran = run("estimate", "new-parquet/*.parquet", "--plan", "30", *TWO[4:])
        assert ran.code == 2
        assert "need all rows in memory" in ran.err
