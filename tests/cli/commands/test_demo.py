from __future__ import annotations

FILES = ["churn.csv", "june.csv", "loans.csv", "may.csv", "pets-costs.toml", "pets.csv"]
PAGES = ["churn.html", "loans.html", "pets.html"]


def test_runs_the_three_examples_where_it_is_told_over_what_was_there(run, tmp_path):
    """That `stakes-demo` is where it writes by default, the page of the command line shows."""
    folder = tmp_path / "elsewhere" / "deep"
    folder.mkdir(parents=True)
    (folder / "churn.csv").write_text("old")
    ran = run("demo", "-o", "elsewhere/deep")
    assert (ran.code, ran.err) == (0, "")
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, *PAGES, "index.html"])
    assert (folder / "churn.csv").read_text(encoding="utf-8").startswith("customer,churned,")
    assert ran.out.count("Deploy ") == 2
    assert ran.out.count("The data cannot tell it from") == 1  # three loans make the difference
    assert ran.out.count("$ stakes eval ") == 3
