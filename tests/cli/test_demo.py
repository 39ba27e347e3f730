from __future__ import annotations

FILES = ["churn.csv", "loans.csv", "pets-costs.toml", "pets.csv"]
PAGES = ["churn.html", "loans.html", "pets.html"]


def test_runs_the_three_examples_and_leaves_pages(run, tmp_path):
    ran = run("demo")
    assert (ran.code, ran.err) == (0, "")
    left = sorted(path.name for path in (tmp_path / "stakes-demo").iterdir())
    assert left == sorted([*FILES, *PAGES])
    assert ran.out.count("Deploy ") == 3
    assert ran.out.count("$ stakes eval ") == 3


def test_writes_where_it_is_told_over_what_was_there(run, tmp_path):
    folder = tmp_path / "elsewhere" / "deep"
    folder.mkdir(parents=True)
    (folder / "churn.csv").write_text("old")
    assert run("demo", "-o", "elsewhere/deep").code == 0
    assert (folder / "churn.csv").read_text(encoding="utf-8").startswith("customer,churned,")
    assert all((folder / name).exists() for name in PAGES)
