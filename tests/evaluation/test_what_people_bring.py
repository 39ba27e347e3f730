"""Models as people bring them: named frames, other orders, clashing names, tables alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix, evaluate, expected_cost
from stakes.exceptions import DataError, LabelError, PosteriorError, StakesError

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
N = 400
RNG = np.random.default_rng(0)
Y = np.where(RNG.random(N) < 0.2, "churn", "stay")
P = 1 / (1 + 4 * np.exp(-RNG.normal(np.where(Y == "churn", 2, -2), 2)))
SIDE = np.where(np.arange(N) % 2, "odd", "even")


def judged(models: Any, y: Any = Y, **options: Any) -> Any:
    """An evaluation without calibration, which is not looked at here."""
    options = {"application": COSTS, "recalibrate": False, "rng": 0, **options}
    if y is not None:
        options["positive"] = "churn"
    return evaluate(y, models, **options)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_slices_read_named_columns_as_the_whole_does(library: str) -> None:
    frames = pytest.importorskip(library, reason="needs data frames")
    turned = frames.DataFrame({"churn": P, "stay": 1 - P})
    by_name = judged({"m": turned}, by=SIDE)
    by_place = judged({"m": P}, by=SIDE)
    for side in ("odd", "even"):
        counts = by_name.slices[side]["m"].confusion.counts
        assert (counts == by_place.slices[side]["m"].confusion.counts).all()


@pytest.mark.parametrize("columns", [["p_churn", "p_stay"], ["gbm.p_churn", "gbm.p_stay"]])
def test_columns_called_after_the_classes_keep_their_order(columns: list[str]) -> None:
    pd = pytest.importorskip("pandas", reason="needs pandas")
    turned = pd.DataFrame(np.stack([P, 1 - P], axis=1), columns=columns)
    with pytest.raises(PosteriorError, match="cannot tell which column is which"):
        judged({"m": turned})
    straight = turned[columns[::-1]]
    assert judged({"m": straight})["m"].nec == judged({"m": P})["m"].nec


def test_slices_of_decisions_by_name() -> None:
    named = np.where(P > 1 / 11, "call", "ignore").tolist()
    found = judged({"m": named}, by=SIDE).slices["odd"]["m"].confusion.counts
    expected = judged({"m": P}, by=SIDE).slices["odd"]["m"].confusion.counts
    assert (found == expected).all()


class TestRowLabelsInAnotherOrder:
    pd = pytest.importorskip("pandas", reason="needs pandas")
    LABELLED = pd.Series(Y)

    def test_are_refused(self) -> None:
        turned = self.pd.Series(P).sample(frac=1, random_state=0)
        with pytest.raises(DataError, match="row labels of `y_true` in another order") as found:
            judged({"gbm": turned}, self.LABELLED)
        assert "gbm.reindex(y_true.index)" in (found.value.hint or "")

    def test_of_weights_too(self) -> None:
        weights = self.pd.Series(np.ones(N))[::-1]
        with pytest.raises(DataError, match="`sample_weight` has the row labels"):
            judged({"gbm": P}, self.LABELLED, sample_weight=weights)

    def test_other_labels_are_taken_by_position(self) -> None:
        later = self.pd.Series(P, index=range(N, 2 * N))
        assert judged({"gbm": later}, self.LABELLED)["gbm"].nec == judged({"gbm": P})["gbm"].nec


@pytest.mark.parametrize(
    ("models", "y"),
    [
        ({1: P, "1": P}, Y),
        ({1: ConfusionMatrix([[9, 1], [1, 9]]), "1": ConfusionMatrix([[9, 1], [1, 9]])}, None),
    ],
)
def test_names_that_read_alike_are_refused(models: Any, y: Any) -> None:
    with pytest.raises(DataError, match="two models are called '1'"):
        judged(models, y)


def test_refused_posteriors_say_whose_they_are() -> None:
    with pytest.raises(PosteriorError, match=r"model 'b': .*between 0 and 1") as found:
        judged({"a": P, "b": P * 3 - 1})
    assert found.value.hint is not None
    assert found.value.rows


def test_nothing_is_passed_over_in_silence() -> None:
    table = ConfusionMatrix([[90, 10], [5, 45]], COSTS.classes, COSTS.decisions)
    with pytest.raises(DataError, match="`by` cannot be used with confusion matrices"):
        judged({"A": table}, None, by=SIDE)
    with pytest.raises(DataError, match="must be True, False or a calibrator; got 'isotonic'"):
        judged({"a": P}, recalibrate="isotonic")


def test_decisions_alone_were_not_moved() -> None:
    app = Application(COSTS, priors=[0.9, 0.1])
    assert not any(
        "Probabilities were moved" in n for n in judged({"d": P > 0.1}, application=app).notes
    )
    assert any("Probabilities were moved" in n for n in judged({"d": P}, application=app).notes)


def test_no_difference_says_why() -> None:
    with pytest.raises(DataError, match="only one model"):
        judged({"a": P}).difference("a", "a")
    many = judged({f"m{k}": P for k in range(21)})  # not compared pair by pair, but on request
    assert many.difference("m0", "m1").value == 0


class TestTablesAlone:
    """Nobody knows which cases they share, so differences are as of two samples."""

    A = ConfusionMatrix([[900, 100], [20, 80]], COSTS.classes, COSTS.decisions)
    LIKE_A = ConfusionMatrix([[899, 101], [20, 80]], COSTS.classes, COSTS.decisions)
    WORSE = ConfusionMatrix([[500, 500], [20, 80]], COSTS.classes, COSTS.decisions)

    def test_one_alarm_in_a_thousand_decides_nothing(self) -> None:
        ev = judged({"A": self.A, "B": self.LIKE_A}, None)
        assert ev.verdict_kind == "cannot tell apart"
        assert ev.verdict.startswith("Either will do; use A. It saves ")
        assert (
            " The data cannot tell it from B (NEC difference 0.001, -0.133 to 0.135; " in ev.verdict
        )

    def test_a_large_difference_does(self) -> None:
        ev = judged({"A": self.A, "B": self.WORSE}, None)
        assert ev.verdict_kind == "deploy"
        assert ev.difference("B", "A").value == pytest.approx(400 / 1000)
        assert ev.difference("B", "A").low > 0

    def test_limits_are_those_of_independent_samples(self) -> None:
        ev = judged({"A": self.A, "B": self.LIKE_A}, None)
        found, a, b = ev.difference("A", "B"), ev["A"], ev["B"]
        low = a.nec - b.nec - math.hypot(a.nec - a.interval[0], b.interval[1] - b.nec)
        assert found.low == pytest.approx(low)
        rng = np.random.default_rng(0)
        drawn = []
        for _ in "ab":
            cells = rng.multinomial(1100, self.A.counts.ravel() / 1100, 20_000).T
            naive = np.minimum(cells[0] + cells[1], 10 * (cells[2] + cells[3]))
            drawn.append((cells[1] + 10 * cells[2]) / naive)
        spread = 1.96 * np.std(drawn[0] - drawn[1])
        assert (found.high - found.low) / 2 == pytest.approx(spread, rel=0.15)


@pytest.mark.parametrize(("copies", "subject"), [(2, "Both"), (3, "These 3 models")])
def test_equals(copies: int, subject: str) -> None:
    ev = judged({f"m{k}": P for k in range(copies)})
    assert f"will do; use m0 at {ev['m0'].rule}. It saves" in ev.verdict
    assert ev.verdict.endswith(f"{subject} cost the same on these cases.")


def test_a_class_that_is_expected_and_never_occurs_is_named() -> None:
    app = Application(COSTS, priors=[0.9, 0.1])
    with pytest.raises(DataError, match=r"no case of 'churn' in the data, but its prior is 0\.1"):
        judged({"a": P}, ["stay"] * N, application=app)
    assert judged({"a": P}, ["stay"] * N).verdict == "Cannot say: only 0 cases of 'churn'."


def test_a_slice_without_a_class_does_not_stop_the_others() -> None:
    part = np.where(Y == "churn", "rest", SIDE)  # 'odd' and 'even' hold nobody who leaves
    part[:40] = "rest"
    ev = judged({"a": P}, by=part, application=Application(COSTS, priors=[0.9, 0.1]))
    assert list(ev.slices) == ["rest"]
    assert (
        sum("could not be evaluated by itself: no case of 'churn'" in note for note in ev.notes)
        == 2
    )


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_of_models_is_one_model_for_each_column(library: str) -> None:
    frames = pytest.importorskip(library, reason="needs data frames")
    ev = judged(frames.DataFrame({"gbm": P, "logreg": P**2}))
    apart = judged({"gbm": P, "logreg": P**2})
    assert list(ev) == ["gbm", "logreg"]
    assert [ev[name].cost for name in ev] == [apart[name].cost for name in apart]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_two_columns_that_add_to_one_may_be_one_model(library: str) -> None:
    frames = pytest.importorskip(library, reason="needs data frames")
    with pytest.raises(StakesError) as caught:
        judged(frames.DataFrame({"gbm": P, "logreg": 1 - P}))
    line = 'if these are several models: evaluate(y_true, {"gbm": frame["gbm"], '
    assert line + '"logreg": frame["logreg"]}, ...)' in str(caught.value.hint)


@pytest.mark.parametrize(
    ("models", "line"),
    [
        ([P, P, P], '{"a": models[0], "b": models[1], ...}'),
        (np.stack([P, P, P], axis=1), '{"a": models[:, 0], "b": models[:, 1], ...}'),
    ],
)
def test_arrays_of_models_are_told_how_to_pass_them(models: Any, line: str) -> None:
    with pytest.raises(PosteriorError, match="one column per class") as caught:
        judged(models)
    assert line in str(caught.value.hint)


def test_parts_that_look_alike_in_text_are_refused() -> None:
    mixed = np.array([1, "1"] * (N // 2), dtype=object)
    with pytest.raises(DataError, match="`by` holds 1 both as text and as a number"):
        judged({"m": P}, by=mixed)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"folds": 1}, "`folds` must be 2 or more"),
        ({"folds": "five"}, "`folds` must be 2 or more"),
        ({"min_cases": -1}, "`min_cases` must be a whole number"),
        ({"min_cases": "ten"}, "`min_cases` must be a whole number"),
        ({"rng": -1}, "`rng` must be None, a whole number from 0 on or a Generator"),
        ({"rng": "a"}, "`rng` must be None, a whole number from 0 on or a Generator"),
        ({"case_costs": {"fn": 1, "fp": 1}}, "`case_costs` must be a CaseCosts; got dict"),
    ],
)
def test_settings_that_cannot_be_meant(options: dict[str, Any], said: str) -> None:
    with pytest.raises(StakesError, match=said):
        judged({"m": P}, **options)


def test_floats_in_an_object_column_are_posteriors_as_in_a_list() -> None:
    assert judged({"m": P.astype(object)})["m"].nec == judged({"m": P.tolist()})["m"].nec


def test_probabilities_given_as_decisions_are_told_what_decides() -> None:
    with pytest.raises(LabelError, match=r"stakes\.bayes_decisions\(p, costs\)") as caught:
        expected_cost(Y, P, application=Application(COSTS))
    assert "positive" not in str(caught.value.hint)  # these costs name their classes
    with pytest.raises(LabelError, match="the truth comes first"):
        expected_cost(P, Y, application=Application(COSTS))
