"""The TOML text itself: what a person sees in the file."""

from __future__ import annotations

from stakes import Application, CostMatrix
from stakes.application import costs_from_toml, costs_to_toml


def test_looks_as_a_person_would_write_it() -> None:
    costs = CostMatrix(
        [[0, 1, 2], [100, 0, 2.5]], classes=["cat", "fox"], decisions=["cat", "fox", "ask a person"]
    )
    app = Application(costs, priors=[0.75, 0.25], unit="EUR", volume=250_000, period="year")
    assert costs_to_toml(app) == (
        'unit = "EUR"\n'
        "volume = 250000\n"
        'period = "year"\n'
        "priors = [0.75, 0.25]\n"
        'outcomes = ["cat", "fox"]\n'
        'decisions = ["cat", "fox", "ask a person"]\n'
        "\n"
        "# what each decision costs, by the truth\n"
        "[cost.cat]\n"
        "fox = 1\n"
        '"ask a person" = 2\n'
        "\n"
        "[cost.fox]\n"
        "cat = 100\n"
        '"ask a person" = 2.5\n'
    )


def test_a_free_decision_of_another_name_is_written() -> None:
    costs = CostMatrix([[0, 1]], classes=["stay"], decisions=["ignore", "call"])
    assert "ignore = 0" in costs_to_toml(costs)


def test_quotes_dots_and_control_characters_are_escaped() -> None:
    text = costs_to_toml(CostMatrix([[0, 1], [1, 0]], classes=['a."b"', "c\x7f\n"]))
    assert '[cost."a.\\"b\\""]' in text
    assert '"c\\u007f\\n" = 1' in text


def test_names_that_look_alike_are_written_as_a_matrix() -> None:
    costs = CostMatrix([[0, 1], [2, 3]], classes=[1, "1"])
    text = costs_to_toml(costs)
    assert 'rows = "truth"' in text
    assert "[0, 1]" in text
    assert costs_from_toml(text).costs == costs
