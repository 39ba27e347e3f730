"""Pages of `stakes monitor` and `stakes audit`."""

from __future__ import annotations


def test_from_the_command_line(run, write, tmp_path):
    rows = [f"d{k % 4},{'yes' if k % 3 else 'no'},{(k % 7) / 8}" for k in range(240)]
    write("c.csv", "day,y,p\n" + "\n".join(rows) + "\n")
    data = ("c.csv", "--label", "y", "--positive", "yes", "--scores", "p", "--cost", "fn=5", "fp=1")
    ran = run("monitor", *data, "--time", "day", "--html", "m.html")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "report: m.html")
    assert "Do the decisions still cost the same?" in (tmp_path / "m.html").read_text(
        encoding="utf-8"
    )
    ran = run("audit", "f1", *data, "--html", "a.html", "--draws", "200")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "report: a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "What does F1 reward?" in page
    assert "The best threshold for F1" in page
    assert run("audit", "--all", "--html", "a.html").code == 2
    assert run("audit", "f1", *data, "--html", "c.csv").code == 2


def test_a_folder_of_pages_has_an_index(run, write, tmp_path):
    rows = [f"d{k % 4},{'yes' if k % 3 else 'no'},{(k % 7) / 8}" for k in range(240)]
    write("c.csv", "day,y,p\n" + "\n".join(rows) + "\n")
    data = ("c.csv", "--label", "y", "--positive", "yes", "--scores", "p", "--cost", "fn=5", "fp=1")
    for words in (
        ("eval", *data),
        ("monitor", *data, "--time", "day"),
        ("audit", "f1", *data, "--draws", "200"),
    ):
        ran = run(*words, "--html", "reports/")
        assert ran.code == 0, ran.err
    folder = tmp_path / "reports"
    names = ["audit-f1.html", "c.html", "index.html", "monitor-c.html"]
    assert sorted(path.name for path in folder.iterdir()) == names
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert "3 reports" in index
    assert "F1 treats a miss as" in index
    assert 'href="monitor-c.html"' in index
    assert index.count('made <span class="word">20') == 3
    assert "script-src 'none'" in index
    assert run("audit", "f2", *data, "--draws", "200", "--html", "reports/f2.html").code == 0
    assert "4 reports" in (folder / "index.html").read_text(encoding="utf-8")


def test_an_index_of_others_is_left_alone(run, write, tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<h1>mine</h1>", encoding="utf-8")
    ran = run("audit", "f1", "--draws", "100", "--html", "site/")
    assert ran.code == 2
    assert "was not written by stakes" in ran.err
    assert (tmp_path / "site" / "index.html").read_text(encoding="utf-8") == "<h1>mine</h1>"
    assert len(list((tmp_path / "site").iterdir())) == 1
