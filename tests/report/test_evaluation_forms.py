"""What is written: whole, or not at all, with what to type."""

import numpy as np
import pytest

from stakes import Application, CostMatrix, ScoreCounts, evaluate
from stakes.application import write_costs
from stakes.elicitation import Elicitation, ratio_between, write_answers
from stakes.exceptions import FormatError
from stakes.report import pdf
from stakes.uncertainty import threshold_range

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"])


@pytest.fixture(scope="module")
def ev():
    models = {"a": [0, 1] * 20}
    return evaluate(["no", "yes"] * 20, models, application=COSTS, rng=0)


def talk():
    return Elicitation(priors=0.1).stated(ratio_between(5, 20))


WRITERS = {
    "x.html": lambda ev, path: ev.to_html(path),
    "x.json": lambda ev, path: ev.to_json(path),
    "x.md": lambda ev, path: ev.to_markdown(path),
    "counts.json": lambda ev, path: ev["a"].confusion.save(path),
    "costs.toml": lambda ev, path: write_costs(COSTS, path),
    "answers.toml": lambda ev, path: write_answers(talk(), path),
    "x.pdf": lambda ev, path: pdf.print_pdf("<p>", path, browser="browser"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_missing_folder_is_named_with_what_to_type(ev, name, tmp_path):
    with pytest.raises(FormatError, match=f"there is no folder .* to write {name} into") as caught:
        WRITERS[name](ev, tmp_path / "missing" / "folder" / name)
    assert str(caught.value.hint).startswith("make it first:  mkdir -p ")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "x.pdf"])
def test_a_file_is_written_under_its_name_alone(ev, name, tmp_path):
    WRITERS[name](ev, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_page_says_how_far_a_tuned_threshold_moves():
    rng = np.random.default_rng(3)
    y = (rng.random(400) < 0.3).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1)))
    ev = evaluate(y, {"m": p}, costs={"fn": 10, "fp": 1}, recalibrate=False)
    scores = ScoreCounts.from_scores(y, p, kind="posterior")
    ends = threshold_range(scores, Application([[0, 1], [10, 0]]), draws=200)
    assert f">{ends[0]:.3g} to {ends[1]:.3g}</td>" in ev.to_html()
    weighted = evaluate(y, {"m": p}, costs={"fn": 10, "fp": 1}, sample_weight=1 + y)
    assert "range of that threshold" in weighted.to_html()
