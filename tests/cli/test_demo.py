from __future__ import annotations

import pytest


@pytest.fixture
def demo(run, tmp_path):
    ran = run("demo")
    assert ran.code == 0, ran.err
    return ran, tmp_path / "stakes-demo"


def test_runs_the_three_examples_and_leaves_pages(demo):
    ran, folder = demo
    assert ran.err == ""
    assert sorted(path.name for path in folder.iterdir()) == [
        "churn.csv",
        "churn.html",
        "loans.csv",
        "loans.html",
        "pets-costs.toml",
        "pets.csv",
        "pets.html",
    ]
    assert ran.out.count("Deploy ") == 3
    assert ran.out.count("$ stakes eval ") == 3


def test_may_be_run_again_over_its_own_files(run, demo):
    _, folder = demo
    before = (folder / "churn.csv").read_bytes()
    assert run("demo").code == 0
    assert (folder / "churn.csv").read_bytes() == before


def test_writes_where_it_is_told(run, tmp_path):
    assert run("demo", "-o", "elsewhere/deep").code == 0
    assert (tmp_path / "elsewhere" / "deep" / "pets.html").exists()
