"""Pages of `stakes monitor` and `stakes audit`."""

from __future__ import annotations


def test_from_the_command_line(run, write, tmp_path):
    rows = [f"d{k % 4},{'yes' if k % 3 else 'no'},{(k % 7) / 8}" for k in range(240)]
    write("c.csv", "day,y,p\n" + "\n".join(rows) + "\n")
    data = ("c.csv", "--label", "y", "--positive", "yes", "--scores", "p", "--cost", "fn=5", "fp=1")
    ran = run("monitor", *data, "--time", "day", "--html", "m.html")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "page: m.html")
    assert "Does it still cost what it did?" in (tmp_path / "m.html").read_text(encoding="utf-8")
    ran = run("audit", "f1", *data, "--html", "a.html", "--draws", "200")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "page: a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "What does F1 reward?" in page
    assert "Tuning the threshold for F1" in page
    assert run("audit", "--all", "--html", "a.html").code == 2
    assert run("audit", "f1", *data, "--html", "c.csv").code == 2
