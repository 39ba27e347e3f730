import numpy as np

from stakes import Application, CostMatrix, evaluate

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"])


def made(name="gbm", **more):
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.3).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.4)))
    return evaluate(y, {name: p}, application=Application(COSTS, **more), rng=0)


def test_verdict_first_then_a_table():
    ev = made(volume=1000, period="year", unit="EUR")
    lines = ev.to_markdown().splitlines()
    assert lines[0].startswith("**")
    head = next(line for line in lines if line.startswith("| model"))
    assert (
        head
        == "| model | NEC | 95 % interval | NEC if calibrated | act when | saves per year (EUR) |"
    )
    widths = {line.count("|") for line in lines if line.startswith("|")}
    assert len(widths) == 1


def test_names_cannot_break_the_table():
    text = made("a|b\n*c* <d>").to_markdown()
    assert "a\\|b␤\\*c\\* \\<d\\>" in text


def test_written_to_a_path(tmp_path):
    path = made().to_markdown(tmp_path / "t.md")
    assert path == tmp_path / "t.md"
    assert path.read_text(encoding="utf-8") == made().to_markdown()


def test_thresholds_read_as_in_the_verdict():
    ev = made()
    rule = str(ev["gbm"].rule).replace(">", "\\>")
    assert f"| {rule} |" in ev.to_markdown()


def test_notes_are_a_list_of_their_own():
    lines = made().to_markdown().splitlines()
    place = next(
        k for k, line in enumerate(lines) if line.startswith("- Assuming the same class mix")
    )
    assert lines[place - 1] == ""
