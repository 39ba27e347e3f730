"""What is said of weighted rows, and when they are too few."""

from __future__ import annotations

import pytest

WORDS = ["--label", "y", "--positive", "1", "--scores", "p", "--cost", "fn=10", "fp=1"]


def table(positives: int, weight: str, without: int = 0) -> str:
    """Negatives and positives of one weight, and further positives of weight 0."""
    lines = [f"0,{0.01 + 0.3 * (i % 7 == 0):.2f},{weight}" for i in range(90)]
    lines += [f"1,{0.9 - 0.8 * (i % 5 == 0):.2f},{weight}" for i in range(positives)]
    return "\n".join(["y,p,w", *lines, *["1,0.90,0"] * without]) + "\n"


def test_a_few_heavy_rows_are_refused_as_without_weights(run, write):
    path = write("four.csv", table(4, "3"))
    for words in (["--weight", "w"], []):
        ran = run("eval", path, *WORDS, *words)
        assert ran.code == 2
        assert "4 positives. I will print counts but no interval and no verdict" in ran.err


@pytest.mark.parametrize("weight", ["0.0005", "3", "1"])
def test_rows_are_counted_not_weights(run, write, weight):
    ran = run("eval", write("c.csv", table(20, weight)), *WORDS, "--weight", "w")
    assert ran.code == 0, ran.err
    assert "110 cases, 20 y = 1 (18.2 % by weight)" in ran.out  # 20 / 110


def test_rows_of_weight_zero_do_not_count(run, write):
    ran = run("eval", write("c.csv", table(4, "1", without=30)), *WORDS, "--weight", "w")
    assert ran.code == 2
    assert "94 cases, 4 y = 1" in ran.out
    assert "4 positives." in ran.err


def test_several_outcomes_have_shares_by_weight(run, write):
    lines = ["y,d,w", *["cat,cat,2"] * 20, *["dog,cat,1"] * 20, *["owl,owl,1"] * 20]
    path = write("pets.csv", "\n".join(lines) + "\n")
    words = ["--label", "y", "--decisions", "d", "--cost", "error=1", "--weight", "w"]
    assert "60 cases, y: cat 50 %, dog 25 %, owl 25 % by weight" in run("eval", path, *words).out


def test_without_weights_nothing_is_said_of_them(run, write):
    assert "by weight" not in run("eval", write("c.csv", table(20, "1")), *WORDS).out


def test_counts_of_many_outcomes_are_the_largest_only(run, write):
    names = [f"c{k:02d}" for k in range(25)]
    lines = [f"{name},{name}" for name in names for _ in range(2)] + ["c03,c04"] * 2
    path = write("many.csv", "\n".join(["y,d", *lines]) + "\n")
    ran = run("eval", path, "--label", "y", "--decisions", "d", "--cost", "error=1")
    assert ran.code == 2
    assert "c19 3.8 % and 5 more" in ran.out.replace("\n", " ")
    assert "(6 more cells with cases: --json prints all)" in ran.out
    assert len(ran.out.splitlines()) < 30
