from __future__ import annotations

import csv
import importlib.util
import json
import re

import pytest

from stakes.papers import Cell, Claim, Item, Outcome, Paper
from stakes.papers import runs as registry
from stakes.results import Frame

NASTY = '</title><script>alert("x")</script>'


class Bench:
    """Two papers made up for these tests, which count how often they are computed."""

    def __init__(self, drawing=False):
        self.runs = []
        self.drawing = drawing
        self.broken = False
        self.interrupted = False
        self.ours = 0.5

    def compute(self, key):
        def run(context):
            self.runs.append(key)
            context.progress(0.5)
            if self.interrupted and key == "second":
                raise KeyboardInterrupt
            if self.broken and key == "second":
                raise ZeroDivisionError("by nothing")
            value = self.ours if key == "first" else 2.0
            return Outcome(
                cells=(
                    Cell(f"row {NASTY} / column", 0.5, value, 0.005, note=NASTY),
                    Cell("row / other", None, 1 / 3, 5e-4),
                )
                if key == "first"
                else (),
                tables={"curve": Frame({"x": [0.0, 1.0], "y": [0.25, float("nan")]})},
                remarks=(NASTY,),
                claims=(Claim(NASTY, True, "because"), Claim("no", False, "0.345", erratum=6)),
            )

        return run

    def papers(self):
        drawn = {"draw": self.draw} if self.drawing else {}
        first = Item("first", f"First {NASTY}", self.compute("first"), seconds=2, **drawn)
        second = Item("second", "Second", self.compute("second"), seconds=90)
        scored = Item("scored", "Scored", self.compute("scored"), needs=("scores",))
        return {
            "alpha": Paper("alpha", f"A. Author, {NASTY}", (first, second)),
            "beta": Paper("beta", "B. Author", (scored,)),
        }

    @staticmethod
    def draw(outcome):
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        ax = figure.subplots()
        ax.plot(outcome.tables["curve"]["x"], outcome.tables["curve"]["y"])
        return {"first": figure}


def _installed(made, monkeypatch):
    known = made.papers()
    monkeypatch.setattr(registry, "KEYS", tuple(known))
    monkeypatch.setattr(registry, "_paper", known.get)
    # The sources have tests of their own; here they would only be read over and over.
    monkeypatch.setattr("stakes.papers.runs._sources", lambda *_: ())
    monkeypatch.delenv("STAKES_DATA", raising=False)
    return made


@pytest.fixture
def bench(monkeypatch):
    return _installed(Bench(), monkeypatch)


@pytest.fixture
def drawing(monkeypatch):
    pytest.importorskip("matplotlib", reason="drawing needs the extra 'plots'")
    return _installed(Bench(drawing=True), monkeypatch)


class TestList:
    def test_names_every_item_with_its_time_and_what_it_lacks(self, run, bench):
        ran = run("reproduce")
        assert (ran.code, ran.err, bench.runs) == (0, "", [])
        assert "~2 s" in ran.out
        assert "~1 min 30 s" in ran.out
        assert "needs data" in ran.out
        assert "stakes reproduce --all" in ran.out
        assert "Set STAKES_DATA" in ran.out

    def test_tells_finished_items_and_present_scores(self, run, bench, tmp_path, monkeypatch):
        run("reproduce", "alpha", "first")
        (tmp_path / "data" / "scores").mkdir(parents=True)
        monkeypatch.setenv("STAKES_DATA", str(tmp_path / "data"))
        ran = run("reproduce")
        assert ran.out.count("done") == 1
        assert ran.out.count("data found") == 1
        assert "needs data" not in ran.out

    def test_as_json(self, run, bench):
        found = run("reproduce", "--json").found
        assert [paper["key"] for paper in found["papers"]] == ["alpha", "beta"]
        (scored,) = found["papers"][1]["items"]
        assert (scored["needs"], scored["available"]) == (["scores"], False)

    def test_writes_nothing(self, run, bench, tmp_path):
        run("reproduce")
        assert list(tmp_path.iterdir()) == []


class TestWhatIsRun:
    def test_one_item(self, run, bench):
        assert run("reproduce", "alpha", "first").code == 0
        assert bench.runs == ["first"]

    def test_one_paper(self, run, bench):
        assert run("reproduce", "alpha").code == 0
        assert bench.runs == ["first", "second"]

    def test_everything_that_can_be_run(self, run, bench):
        ran = run("reproduce", "--all")
        assert (ran.code, bench.runs) == (0, ["first", "second"])
        assert "Skipped: beta scored." in ran.out
        assert "Set STAKES_DATA" in ran.out

    def test_with_the_data(self, run, bench, tmp_path, monkeypatch):
        (tmp_path / "data" / "scores").mkdir(parents=True)
        monkeypatch.setenv("STAKES_DATA", str(tmp_path / "data"))
        assert run("reproduce", "--all").code == 0
        assert bench.runs == ["first", "second", "scored"]

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("gamma",), "error: there is no paper 'gamma'.\n  one of: alpha, beta\n"),
            (("alpha", "third"), "error: alpha has no item 'third'.\n  one of: first, second\n"),
            (
                ("Alpah",),
                "error: there is no paper 'Alpah'.\n  did you mean alpha?\n  one of: alpha",
            ),
            (("alpha", "sec ond"), "error: alpha has no item 'sec ond'.\n  did you mean second?\n"),
            (("alpha", "--all"), "error: --all and 'alpha' say two different things.\n"),
        ],
    )
    def test_unknown_names(self, run, bench, words, said):
        ran = run("reproduce", *words)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(said)

    def test_a_data_folder_that_is_none(self, run, bench, monkeypatch):
        monkeypatch.setenv("STAKES_DATA", "/nowhere/at/all")
        ran = run("reproduce", "--all")
        assert ran.code == 2
        assert "STAKES_DATA names '/nowhere/at/all', which is not a folder." in ran.err


class TestExitCode:
    def test_one_when_a_number_is_outside_its_tolerance(self, run, bench):
        bench.ours = 0.506
        ran = run("reproduce", "alpha")
        assert ran.code == 1
        assert "printed 0.50, ours 0.506 (+0.006)" in " ".join(ran.out.split())
        assert run("reproduce", "alpha").code == 1  # also when it is kept

    def test_half_a_unit_is_inside(self, run, bench):
        bench.ours = 0.505
        assert run("reproduce", "alpha").code == 0

    def test_one_when_an_item_fails_and_the_others_are_run(self, run, bench):
        bench.broken = True
        ran = run("reproduce", "alpha")
        assert (ran.code, bench.runs) == (1, ["first", "second"])
        assert "! alpha second failed: ZeroDivisionError in test_reproduce.py:" in ran.out

    def test_two_when_nothing_that_was_asked_for_could_be_computed(
        self, run, bench, tmp_path, monkeypatch
    ):
        ran = run("reproduce", "beta")
        assert (ran.code, bench.runs) == (2, [])
        assert "error: nothing that was asked for could be computed.\n  Set STAKES_DATA" in ran.err
        assert run("reproduce", "beta", "--json").found["good"] is False
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.setenv("STAKES_DATA", str(tmp_path / "elsewhere"))
        ran = run("reproduce", "beta")
        assert ran.code == 2
        assert "elsewhere, which lacks scores." in " ".join(ran.err.split())

    def test_a_figure_that_cannot_be_drawn_is_a_failure(self, run, bench, monkeypatch):
        pytest.importorskip("matplotlib", reason="drawing needs the extra 'plots'")

        def draw(outcome):
            raise IndexError("no point")

        paper = bench.papers()["alpha"]
        broken = Paper("alpha", "A", (Item("first", "F", paper.items[0].compute, draw),))
        monkeypatch.setattr(registry, "_paper", {"alpha": broken}.get)
        ran = run("reproduce", "alpha")
        assert ran.code == 1
        assert "IndexError" in ran.out


class TestKept:
    def test_the_second_run_computes_nothing_and_shows_the_same(self, run, bench, tmp_path):
        first = run("reproduce", "alpha")
        page = (tmp_path / "stakes-reproduction" / "alpha.html").read_text(encoding="utf-8")
        second = run("reproduce", "alpha")
        assert bench.runs == ["first", "second"]
        assert (second.code, second.err) == (0, "")
        assert "kept" in second.out
        assert first.out.splitlines()[-2:] == second.out.splitlines()[-2:]
        again = (tmp_path / "stakes-reproduction" / "alpha.html").read_text(encoding="utf-8")
        assert page == again

    def test_fresh_computes_again(self, run, bench):
        run("reproduce", "alpha", "first")
        run("reproduce", "alpha", "first", "--fresh")
        assert bench.runs == ["first", "first"]

    def test_other_data_are_computed_again(self, run, bench, tmp_path, monkeypatch):
        scores = tmp_path / "data" / "scores"
        scores.mkdir(parents=True)
        (scores / "a").write_text("1")
        monkeypatch.setenv("STAKES_DATA", str(tmp_path / "data"))
        run("reproduce", "beta")
        run("reproduce", "beta")
        (scores / "a").write_text("2")
        run("reproduce", "beta")
        assert bench.runs == ["scored", "scored"]

    def test_what_is_damaged_is_computed_again(self, run, bench, tmp_path):
        run("reproduce", "alpha", "first")
        (tmp_path / "stakes-reproduction" / "kept" / "alpha-first.json").write_text("{")
        assert run("reproduce", "alpha", "first").code == 0
        assert bench.runs == ["first", "first"]

    def test_missing_figures_are_drawn_again_without_computing(self, run, drawing, tmp_path):
        run("reproduce", "alpha", "first")
        figure = tmp_path / "stakes-reproduction" / "alpha" / "first.svg"
        drawn = figure.read_bytes()
        figure.unlink()
        run("reproduce", "alpha", "first")
        assert figure.read_bytes() == drawn
        assert drawing.runs == ["first"]

    def test_data_that_change_during_the_run_are_computed_again(
        self, run, bench, tmp_path, monkeypatch
    ):
        """What is kept belongs to the inputs at the start, not to those at the end."""
        scores = tmp_path / "data" / "scores"
        scores.mkdir(parents=True)
        (scores / "a").write_text("1")
        monkeypatch.setenv("STAKES_DATA", str(tmp_path / "data"))
        paper = bench.papers()["beta"]

        def compute(context):
            (scores / "a").write_text("2")
            return paper.items[0].compute(context)

        changing = Paper("beta", "B", (Item("scored", "S", compute, needs=("scores",)),))
        monkeypatch.setattr(registry, "_paper", {"beta": changing}.get)
        run("reproduce", "beta")
        run("reproduce", "beta")
        run("reproduce", "beta")
        assert bench.runs == ["scored", "scored"]

    def test_an_interruption_keeps_what_was_done(self, run, bench, tmp_path):
        bench.interrupted = True
        ran = run("reproduce", "alpha")
        assert ran.code == 130
        assert "stopped.\n  what was computed is kept in stakes-reproduction" in ran.err
        folder = tmp_path / "stakes-reproduction"
        kept = sorted(path.name for path in (folder / "kept").iterdir())
        assert "alpha-first.json" in kept
        assert "alpha-second.json" not in kept
        assert not (folder / "alpha.html").exists()
        bench.interrupted = False
        assert run("reproduce", "alpha").code == 0
        assert bench.runs == ["first", "second", "second"]

    def test_a_page_shows_what_other_runs_computed(self, run, bench, tmp_path):
        run("reproduce", "alpha", "first")
        run("reproduce", "alpha", "second")
        page = (tmp_path / "stakes-reproduction" / "alpha.html").read_text(encoding="utf-8")
        assert "not run" not in page


class TestFiles:
    def test_no_temporary_file_stays(self, run, bench, tmp_path):
        run("reproduce", "--all", "-o", "deep/er")
        names = [path.name for path in (tmp_path / "deep" / "er").rglob("*") if path.is_file()]
        assert names
        assert not [name for name in names if name.startswith(".")]

    def test_a_page_that_cannot_be_written_leaves_the_old_one(
        self, run, bench, tmp_path, monkeypatch
    ):
        run("reproduce", "alpha")
        folder = tmp_path / "stakes-reproduction"
        before = (folder / "alpha.html").read_bytes()
        bench.ours = 0.4

        def full(*_, **__):
            raise OSError(28, "No space left on device", "alpha.html")

        monkeypatch.setattr("pathlib.Path.replace", full)
        ran = run("reproduce", "alpha", "--fresh")
        assert ran.code == 2
        assert "No space left on device" in ran.err
        assert (folder / "alpha.html").read_bytes() == before
        assert not list(folder.rglob(".*"))

    def test_pages_of_others_are_not_overwritten(self, run, bench, tmp_path):
        for name in ("index.html", "alpha.html"):
            folder = tmp_path / name.partition(".")[0]
            folder.mkdir()
            (folder / name).write_text("mine")
            ran = run("reproduce", "alpha", "-o", str(folder))
            assert (ran.code, bench.runs) == (2, [])
            assert f"has a file {name} that no reproduction wrote" in ran.err
            assert [path.read_text() for path in folder.iterdir()] == ["mine"]

    def test_other_files_in_the_folder_stay(self, run, bench, tmp_path):
        (tmp_path / "notes").mkdir()
        (tmp_path / "notes" / "mine.txt").write_text("mine")
        assert run("reproduce", "alpha", "-o", "notes").code == 0
        assert (tmp_path / "notes" / "mine.txt").read_text() == "mine"

    def test_a_folder_that_cannot_be_made_is_said_before_anything_is_computed(
        self, run, bench, tmp_path
    ):
        (tmp_path / "file").write_text("mine")
        ran = run("reproduce", "alpha", "-o", "file")
        assert (ran.code, bench.runs) == (2, [])
        assert "error: file is a file." in ran.err
        assert run("reproduce", "alpha", "-o", "file/below").code == 2
        assert bench.runs == []

    def test_numbers_as_csv(self, run, bench, tmp_path):
        run("reproduce", "alpha")
        folder = tmp_path / "stakes-reproduction" / "alpha"
        with (folder / "first.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [row["verdict"] for row in rows] == ["agrees", "not printed"]
        assert [row["source"] for row in rows] == ["the paper", ""]
        assert float(rows[1]["ours"]) == 1 / 3
        assert (folder / "first-curve.csv").read_text() == "x,y\n0.0,0.25\n1.0,nan\n"

    def test_figures_as_svg_and_png(self, run, drawing, tmp_path):
        run("reproduce", "alpha")
        folder = tmp_path / "stakes-reproduction" / "alpha"
        assert (folder / "first.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / "first.svg").read_text(encoding="utf-8").startswith("<svg ")

    def test_without_matplotlib_the_pages_have_no_figures_and_say_so(
        self, run, tmp_path, monkeypatch
    ):
        from stakes.exceptions import MissingExtraError

        _installed(Bench(drawing=True), monkeypatch)

        def absent(*_):
            raise MissingExtraError("no matplotlib.", hint="pip install 'stakes[plots]'")

        monkeypatch.setattr("stakes.cli.commands.reproduce.paper_folder.drawn", absent)
        ran = run("reproduce", "alpha")
        assert ran.code == 0
        assert "warning: the pages have no figures: pip install 'stakes[plots]'" in ran.err
        assert (tmp_path / "stakes-reproduction" / "alpha.html").is_file()


class TestPages:
    @pytest.fixture
    def folder(self, run, tmp_path, monkeypatch):
        _installed(Bench(drawing=importlib.util.find_spec("matplotlib") is not None), monkeypatch)
        run("reproduce", "alpha")
        return tmp_path / "stakes-reproduction"

    @pytest.mark.parametrize("name", ["alpha.html", "index.html"])
    def test_nothing_is_loaded_and_nothing_runs(self, folder, name):
        page = (folder / name).read_text(encoding="utf-8")
        assert "default-src 'none'" in page
        links = re.findall(r'(?:src|href)="([^"]*)"', page)
        assert links
        assert not [link for link in links if ":" in link and not link.startswith("data:")]
        assert "<script" not in page
        assert "alert(" not in page.replace("alert(&quot;x&quot;)", "")
        assert not re.search(r'\sstyle="', page)

    def test_links_lead_to_files(self, folder):
        for name in ("alpha.html", "index.html"):
            page = (folder / name).read_text(encoding="utf-8")
            for link in re.findall(r'href="([^"#]+)(?:#\w+)?"', page):
                assert (folder / link).is_file(), link

    def test_published_ours_difference_and_verdict(self, folder):
        page = (folder / "alpha.html").read_text(encoding="utf-8")
        cells = [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<td[^>]*>.*?</td>", page)]
        assert "0.50 0.500 0 0.005 agrees" in " ".join(cells)
        assert "– 0.333   not printed" in " ".join(cells)

    def test_a_claim_that_is_an_erratum_leads_to_it(self, folder):
        page = (folder / "alpha.html").read_text(encoding="utf-8")
        assert page.count('<a href="index.html#errata">Erratum 6</a>') == 2
        overview = (folder / "index.html").read_text(encoding="utf-8")
        assert overview.count('id="errata"') == overview.count('href="#errata"') == 1

    def test_overview_lists_all_eight_errata_and_the_evidence_at_hand(self, folder):
        page = (folder / "index.html").read_text(encoding="utf-8")
        numbers = re.findall(r"<dt>(\d)</dt>", page)
        assert numbers == [str(n) for n in range(1, 9)]
        assert "0.345" in page.split("<dt>6</dt>")[1].split("<dt>7</dt>")[0]
        assert page.count("Not computed here: stakes reproduce") == 7


class TestOutput:
    def test_progress_goes_to_stderr_with_an_estimate(self, run, bench):
        ran = run("reproduce", "alpha")
        assert "2 items to compute, about 1 min 32 s" in ran.err
        assert "2/2 alpha second ..." in ran.err
        assert "..." not in ran.out

    def test_quiet_prints_only_what_the_numbers_say(self, run, bench):
        ran = run("reproduce", "alpha", "--quiet")
        assert ran.err == ""
        assert ran.out == "1 comparison with printed numbers: all agree within their tolerance.\n"

    def test_json(self, run, bench):
        bench.ours = 0.6
        ran = run("reproduce", "alpha", "--json")
        assert (ran.code, ran.err) == (1, "")
        found = ran.found
        assert found["good"] is False
        first = found["results"][0]
        assert (first["compared"], first["printed"], first["outside"]) == (1, 1, 1)
        assert [cell["source"] for cell in first["cells"]] == ["print", None]
        assert first["cells"][0]["verdict"] == "differs"
        assert first["cells"][1]["difference"] is None
        assert [claim["holds"] for claim in first["claims"]] == [True, False]
        assert json.loads(ran.out)["pages"][0].endswith("index.html")


def test_a_real_table(run, monkeypatch, tmp_path):
    """Table 1 of Ferrer 2022 from end to end, twice."""
    monkeypatch.delenv("STAKES_DATA", raising=False)
    ran = run("reproduce", "ferrer2022", "table1")
    assert ran.code == 0
    assert "189 comparisons with printed numbers: all agree" in ran.out
    assert (
        run("reproduce", "ferrer2022", "table1", "--quiet").out == ran.out.splitlines()[-2] + "\n"
    )
    page = (tmp_path / "stakes-reproduction" / "ferrer2022.html").read_text(encoding="utf-8")
    assert "5.728" in page
