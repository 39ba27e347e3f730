"""What people bring by mistake is refused in words, at the door of each kind of parameter."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import stakes
from stakes import application, audit, curves, elicitation, metrics, summaries, uncertainty
from stakes._checks import as_number, as_pair, as_whole, of_kind, two_numbers
from stakes._columns import as_reals, in_brief
from stakes._files import as_path
from stakes._guesses import CallError
from stakes._names import place_of
from stakes.exceptions import CostError, DataError, FormatError, LabelError, StakesError

Y = [0, 1, 0, 1]
SCORES = stakes.ScoreCounts.from_scores(Y, [-1.0, 1.0, 0.5, 2.0], kind="llr")
MATRIX = stakes.ConfusionMatrix([[9, 1], [2, 8]])
TWO = [[0, 1], [5, 0]]
LABELS, RISKS = Y * 60, [0.1, 0.9, 0.3, 0.8, 0.2, 0.6] * 40
CASCADE = stakes.resources.evaluate_cascade(
    LABELS,
    {"small": RISKS, "large": RISKS[::-1]},
    prices={"small": 0.0, "large": 0.1},
    costs=TWO,
    folds=2,
)
LIMITED = stakes.evaluate(LABELS, RISKS, costs=TWO, capacity={1: 20}, recalibrate=False).capacity
ANNA = stakes.resources.Reviewer.perfect("Anna", hours=1)
PLAN = stakes.resources.review_plan([0.1, 0.9], TWO, reviewers=ANNA, draws=9, rng=0)
CALIBRATED = stakes.DecisionRule(
    TWO, calibrator=stakes.calibration.Isotonic().fit(stakes.Posteriors(np.array(RISKS)), LABELS)
)


def id_of(value: object) -> str:
    """The name of a case, which must not tell where in memory a thing lies."""
    return "object" if type(value) is object else in_brief(value)


NO_NUMBERS = [None, "0.5", True, [0.5], np.array([0.5]), {"a": 1}, 1j, 10**400, object(), b"1"]
NO_PATHS = [None, 1, 0.5, ["a"], b"name", "\0", "\ud800", {"a": 1}, np.array("name")]


class TestNumbers:
    @pytest.mark.parametrize("value", [1, 0.5, Decimal("0.5"), Fraction(1, 2), np.float32(0.5)])
    def test_any_real_number_will_do(self, value: Any) -> None:
        assert as_number(value, "share") == float(value)
        assert as_number(np.array(float(value)), "share") == float(value)

    @pytest.mark.parametrize("value", NO_NUMBERS, ids=id_of)
    def test_everything_else_is_refused(self, value: Any) -> None:
        with pytest.raises(DataError, match="`share` must be a number; got"):
            as_number(value, "share")

    @pytest.mark.parametrize("value", NO_NUMBERS, ids=id_of)
    @pytest.mark.parametrize(
        "door",
        [
            lambda v: metrics.top_share([1.0, 2.0], v),
            lambda v: metrics.at_sensitivity(SCORES, v),
            lambda v: metrics.f_beta(MATRIX, beta=v),
            lambda v: metrics.alpha_cost(MATRIX, v),
            lambda v: metrics.nec_from_mcc(v, priors=0.5, decided=0.5),
            elicitation.ratio_between,
            lambda v: application.Between(v, 10**6),
            lambda v: application.UtilityPoint(v, 0.5),
            lambda v: uncertainty.rate_interval(v, 10),
            SCORES.counts_above,
            lambda v: stakes.CostMatrix.zero_one(2).scaled(v),
        ],
    )
    def test_at_the_doors(self, door: Any, value: Any) -> None:
        with pytest.raises(StakesError, match="must be a number; got"):
            door(value)

    @pytest.mark.parametrize("value", [1e308, 10**19, 10**400, np.inf, np.nan, "9", 2.5, [9]])
    def test_no_number_of_draws(self, value: Any) -> None:
        with pytest.raises(DataError, match="`draws` must be"):
            as_whole(value, "draws")
        with pytest.raises(DataError, match="`draws` must be"):
            uncertainty.interval(SCORES, "auc", draws=9, method="percentile").more(value)

    def test_two_numbers(self) -> None:
        assert two_numbers([Decimal(1), 2], "between") == (1.0, 2.0)
        for value in ([1], [1, 2, 3], 5.0, [[1, 2]]):
            with pytest.raises(DataError, match="`between` must be two numbers"):
                two_numbers(value, "between")

    def test_a_pair(self) -> None:
        assert as_pair([1, 2], "cell", "(truth, decision)") == (1, 2)
        with pytest.raises(DataError, match=r"`cell` must be \(truth, decision\); got 5"):
            as_pair(5, "cell", "(truth, decision)")


class TestArrays:
    @pytest.mark.parametrize("read", [as_reals, lambda v, n: metrics.mcc(v)])
    def test_sparse_arrays_say_how_to_go_on(self, read: Any) -> None:
        with pytest.raises(DataError, match="which is sparse") as caught:
            read(sparse.csr_array(np.eye(2)), "counts")
        assert caught.value.hint == "counts.toarray()"

    def test_ragged_rows(self) -> None:
        with pytest.raises(DataError, match="in rows of equal length"):
            curves.bayes_error(SCORES, [[0, 1], [5]])

    def test_numbers_beyond_floats(self) -> None:
        with pytest.raises(DataError, match="must hold real numbers"):
            as_reals([10**400], "values")

    def test_labels_beyond_integers_leak_no_warning(self) -> None:
        with pytest.raises(LabelError, match="not among the names"):
            stakes.ConfusionMatrix.from_decisions([np.inf, 1.0], [0, 1], classes=[0, 1])


class TestPaths:
    @pytest.mark.parametrize("path", NO_PATHS, ids=id_of)
    def test_what_names_no_file(self, path: Any) -> None:
        with pytest.raises(FormatError, match="`path` must name a file; got"):
            as_path(path)

    @pytest.mark.parametrize("path", NO_PATHS, ids=id_of)
    @pytest.mark.parametrize(
        "door",
        [
            MATRIX.save,
            stakes.ConfusionMatrix.load,
            stakes.load_rule,
            application.read_costs,
            elicitation.read_answers,
            summaries.load_summary,
            stakes.calibration.load,
            stakes.Inquiry.load,
        ],
    )
    def test_at_the_doors(self, door: Any, path: Any) -> None:
        with pytest.raises(FormatError, match="`path` must name a file; got"):
            door(path)

    def test_absent_files_are_pythons_own_error(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError, match="absent"):
            stakes.load_rule(tmp_path / "absent")


class TestKinds:
    @pytest.mark.parametrize("value", [None, 5, "text", [1], np.zeros((2, 2)), MATRIX], ids=id_of)
    @pytest.mark.parametrize(
        "door",
        [
            elicitation.answers_to_toml,
            curves.switch_points,
            curves.curve_dominance,
            lambda v: audit.best_threshold("f1", v),
            lambda v: elicitation.Elicitation().stated(v),
            lambda v: stakes.CostTally.from_decisions(Y, Y, costs=v),
            lambda v: metrics.pareto_front(v, {"here": stakes.CostMatrix.zero_one(2)}),
        ],
    )
    def test_another_thing_is_refused(self, door: Any, value: Any) -> None:
        with pytest.raises(StakesError, match=r"must be|needs"):
            door(value)

    def test_text_is_no_list(self) -> None:
        with pytest.raises(CostError, match="`costs` must be a list; got 'ab'"):
            of_kind("ab", "costs", Iterable, error=CostError)

    @pytest.mark.parametrize("name", [[1], np.array([0, 1]), {"a": 1}, "c", None], ids=id_of)
    def test_no_name(self, name: Any) -> None:
        assert place_of(name, ("a", "b")) is None
        with pytest.raises(DataError, match="no system"):
            stakes.PairedCounts.from_decisions(Y, {"a": Y}).position(name)

    def test_no_model_is_a_refusal_and_an_absent_key(self) -> None:
        found = stakes.evaluate(Y * 10, {"a": Y * 10}, application=stakes.CostMatrix.zero_one(2))
        with pytest.raises(StakesError, match="no model 'x'; there are 'a'"):
            found.use("x")
        with pytest.raises(KeyError, match="no model 'x'"):
            found["x"]

    @pytest.mark.parametrize("models", [[np.eye(2)[Y], np.eye(2)[Y]], [np.eye(2), [[1]]]])
    def test_a_list_of_arrays_is_several_models(self, models: Any) -> None:
        with pytest.raises(StakesError, match=r'\{"a": models\[0\], "b": models\[1\]\}'):
            stakes.evaluate(Y, models, costs={"fn": 1, "fp": 1})

    def test_nothing_to_draw_at(self) -> None:
        with pytest.raises(DataError, match="`at` must be one-dimensional, not empty"):
            uncertainty.band(SCORES, "bayes_error", at=[])

    @pytest.mark.filterwarnings("error")
    def test_odds_that_leave_almost_nothing_to_one_class(self) -> None:
        """From log odds of 37 on, 1 - p is 0, and costs were divided by it."""
        found = uncertainty.band(SCORES, at=[-300.0, 300.0], draws=20, min_cases=1, rng=0)
        curve = curves.bayes_error(SCORES, log_odds=[-300.0, 300.0])
        np.testing.assert_allclose(found.y, curve.actual, rtol=1e-12)
        with pytest.raises(DataError, match="within 700 of 0"):
            uncertainty.band(SCORES, at=[1e3])

    def test_numbers_of_another_shape(self) -> None:
        for wrong in ([1.0, [1.0]], [[[[1]]]]):
            with pytest.raises(StakesError):
                stakes.CaseCosts.binary(fn=[1.0, 2.0], fp=wrong)
            with pytest.raises(StakesError):
                elicitation.ratio_from_amounts(false_positive=wrong, false_negative=1.0)
        with pytest.raises(StakesError, match="a column for each of the 2 classes"):
            stakes.Posteriors.from_llrs(np.ones((1, 40)), [0.5, 0.5], classes=[0, 1])
        with pytest.raises(DataError, match="as their squares count"):
            stakes.CostTally.from_costs(Y, [1e300, 1, 1, 1])

    def test_words_and_facts_of_another_kind(self) -> None:
        with pytest.raises(CostError, match="`cost` must be"):
            stakes.Inquiry(cost=[3])
        with pytest.raises(DataError, match="facts"):
            audit.audit("f1", matrix=MATRIX).to_html(facts="x")
        with pytest.raises(StakesError):
            stakes.sources.read(None)

    def test_a_cloud_has_an_end(self) -> None:
        with pytest.raises(DataError, match="steps=2000 at most"):
            audit.metric_cloud(["f1"], class_totals=(5, 5), steps=10**6)
        with pytest.raises(CostError, match="'x' is not"):
            audit.metric_cloud(["f1"], class_totals=(5, 5), applications={"x": np.ones((3, 3))})

    @pytest.mark.filterwarnings("error")
    def test_log_odds_beyond_numbers(self) -> None:
        assert curves.bayes_error(SCORES, log_odds=[-700, 700]).naive.tolist() == [1.0, 1.0]
        with pytest.raises(DataError, match="within 700 of 0"):
            curves.bayes_error(SCORES, log_odds=[1e300])

    def test_numbers_that_no_memory_holds(self) -> None:
        with pytest.raises(DataError, match="`resolution` must be at most 2,000; got"):
            audit.level_sets("f1", priors=0.5, resolution=10**6)
        with pytest.raises(DataError, match="`draws` must be at most 100,000"):
            stakes.posteriors.estimate_priors_from_decisions(MATRIX, [5, 5], draws=10**6)

    @pytest.mark.parametrize("kind", ["VennAbers", "Isotonic", "Affine", "Smooth"])
    def test_weights_that_a_sum_forgets(self, kind: str) -> None:
        with pytest.raises(DataError, match="within a factor of 1e15"):
            getattr(stakes.calibration, kind)().fit(
                [-1.0, 1.0, 0.5, 2.0], Y, sample_weight=[1e300, 1, 1, 1]
            )

    def test_tables_of_another_kind(self) -> None:
        both = stakes.PairedCounts.from_decisions(Y, {"a": Y, "b": Y})
        with pytest.raises(DataError, match="must be a ConfusionMatrix; got PairedCounts"):
            stakes.posteriors.estimate_priors_from_decisions(both, [5, 5])
        with pytest.raises(CostError, match="40 classes and 2 decisions"):
            audit.misranking_rate("f1", utilities=np.ones((40, 2)), draws=9)

    @pytest.mark.filterwarnings("error")
    def test_logarithms_beyond_numbers(self) -> None:
        with pytest.raises(StakesError, match="between 0 and 1"):
            stakes.Posteriors.from_log_posteriors([[1e300, -1.0], [-1.0, -1.0]])

    @pytest.mark.parametrize("positive", [{}, MATRIX, SCORES, [1], sparse.csr_array(np.eye(2))])
    @pytest.mark.parametrize(
        "door",
        [
            lambda v: stakes.evaluate(Y, [0.1, 0.9, 0.4, 0.8], costs=[[0, 1], [5, 0]], positive=v),
            lambda v: stakes.bayes_decisions([0.1, 0.9], [[0, 1], [5, 0]], positive=v),
        ],
    )
    def test_a_name_is_text_or_a_number(self, door: Any, positive: Any) -> None:
        with pytest.raises(LabelError, match="`positive` must be a string or a number; got"):
            door(positive)

    def test_columns_that_can_be_read_once(self) -> None:
        with pytest.raises(DataError, match="got list_iterator") as caught:
            stakes.ConfusionMatrix.from_decisions(iter(Y), Y)
        assert caught.value.hint == "list(y_true)"

    def test_entries_that_cannot_be_told_apart(self) -> None:
        with pytest.raises(DataError, match="must hold names or numbers; it holds"):
            metrics.mcc([{"a": 1}, {"b": 1}], [0, 1])

    def test_a_weight_is_a_column(self) -> None:
        frame = {"y": Y, "p": [0.1, 0.9, 0.4, 0.8]}
        for weight in ([], ["w"], {}):
            with pytest.raises(DataError, match="`sample_weight` must be text"):
                stakes.engines.Request(
                    "y",
                    {"a": "p"},
                    applications=stakes.CostMatrix([[0, 1], [5, 0]]),
                    sample_weight=weight,
                )
            with pytest.raises(StakesError):
                stakes.evaluate_frame(
                    frame, label="y", scores="p", costs=[[0, 1], [5, 0]], sample_weight=weight
                )

    def test_limits_of_another_kind(self) -> None:
        for wrong in ({"share": np.ones(3)}, {"at_most": np.ones(3)}, {"period": {}}):
            with pytest.raises(DataError, match="must be"):
                stakes.resources.Limit("review", **wrong)
        with pytest.raises(LabelError, match="`decision` must be a string or a number"):
            stakes.resources.capacity_curve([0.1, 0.9], [[0, 1], [5, 0]], decision=["0.5"])

    def test_ragged_costs_and_no_groups(self) -> None:
        with pytest.raises(StakesError, match="rows of equal length"):
            stakes.bayes_decisions([[0.5, 0.5]], [[0, 1], [5]])
        with pytest.raises(StakesError):
            stakes.evaluate(Y, Y, costs={"fn": [[0, 1], [5]], "fp": 1})
        with pytest.raises(DataError):
            uncertainty.grouped_score_interval(Y, [-1.0, 1.0, 0.5, 2.0], groups=())

    @pytest.mark.filterwarnings("error")
    def test_a_vast_difference_is_found_for_certain(self) -> None:
        paired = stakes.PairedCounts.from_decisions([0, 1] * 9, {"a": [0, 1] * 9, "b": [0] * 18})
        app = stakes.Application([[0, 1], [5, 0]])
        assert uncertainty.power_curve(paired, app, difference=-1e308).power.min() == 1

    def test_ragged_folds_and_named_pairs(self) -> None:
        with pytest.raises(DataError, match="`folds` must hold numbers"):
            stakes.evaluate(Y, [0.1, 0.9, 0.4, 0.8], costs=[[0, 1], [5, 0]], folds=[[0, 1], [5]])
        made = stakes.ScoreCounts(np.zeros(1), np.ones(1), classes={"no": 1, "yes": 2})
        assert made.classes == ("no", "yes")

    @pytest.mark.parametrize("columns", [[[]], {1: {2: {3: 4}}}, [{}]])
    def test_columns_of_a_frame_have_names(self, columns: Any) -> None:
        frame = {"y": Y, "p": [0.1, 0.9, 0.4, 0.8]}
        with pytest.raises(StakesError):
            stakes.evaluate_frame(frame, label="y", decisions=columns, costs=[[0, 1], [5, 0]])

    @pytest.mark.parametrize(
        "name", [5, "x", ["a", "b"], {"a": 1}, np.zeros((2, 2)), 1j], ids=id_of
    )
    @pytest.mark.parametrize(
        ("door", "parameter"),
        [
            (CASCADE.cost, "name"),
            (lambda v: CASCADE.cascade.step(v, [0.5]), "stage"),
            (LIMITED.curve, "model"),
            (PLAN.hour_price, "reviewer"),
            (lambda v: stakes.DecisionRule(TWO, scores=v), "scores"),
            (lambda v: stakes.DecisionRule(TWO).cuts(v), "score_type"),
            (CALIBRATED.raw_cuts, "score_type"),
            (lambda v: CALIBRATED.to_onnx(score_type=v), "score_type"),
            (lambda v: stakes.DecisionRule(TWO).decide_frame({}, on_error=v), "on_error"),
        ],
    )
    def test_one_of_the_names(self, door: Any, parameter: str, name: Any) -> None:
        with pytest.raises(DataError, match=f"`{parameter}` must be one of '.*; got"):
            door(name)

    def test_another_row_or_decision(self) -> None:
        with pytest.raises(DataError, match="`name` must be one of"):
            CASCADE.saving(["small"])
        with pytest.raises(DataError, match="`decision` must be one of 0, 1; got '1'"):
            LIMITED.curve("model", "1")
        assert LIMITED.notes(["model"]) == []  # type: ignore[arg-type]

    def test_rules_of_odd_parts(self) -> None:
        for wrong in ([1], ["a", "b"], [None, 1], 5, iter([0, 1, 2])):
            with pytest.raises(DataError, match="`score_range` must"):
                stakes.DecisionRule(TWO, score_range=wrong)  # type: ignore[arg-type]
        for part, wrong in (("cut_texts", -1), ("per_case", np.zeros(2)), ("per_case", "x")):
            with pytest.raises(DataError, match=f"`{part}` must be"):
                stakes.DecisionRule(TWO, **{part: wrong})  # type: ignore[arg-type]
        with pytest.raises(DataError, match="`score` must be a probability"):
            stakes.DecisionRule(TWO).decide_one(10**400)

    @pytest.mark.filterwarnings("error")
    def test_no_case_to_share_capacity_among(self) -> None:
        for found in (
            lambda: stakes.resources.capacity_optimum([], TWO, capacity={1: 2}),
            lambda: stakes.resources.capacity_curve([], TWO, decision=1),
            lambda: stakes.resources.review_plan([], TWO, reviewers=ANNA),
        ):
            with pytest.raises(DataError, match="`posteriors` must hold at least one case"):
                found()

    def test_odd_reviewers_and_limits(self) -> None:
        with pytest.raises(StakesError, match="rows of equal length"):
            stakes.resources.capacity_curve([0.1, 0.9], [[1], [5, 0]], decision=1)
        for wrong in (None, 3.7, {"0", "1"}, [], sparse.csr_array(np.eye(2))):
            with pytest.raises(StakesError, match="`decisions` must"):
                stakes.resources.read_limits("1=5%", wrong)  # type: ignore[arg-type]
        with pytest.raises(CostError, match="how often which decision may be taken; got 1000"):
            stakes.resources.read_limits(10**400, [0, 1])
        with pytest.raises(DataError, match="`hours` must be a number"):
            stakes.resources.Reviewer("Anna", np.eye(2), hours=np.array([1, 2]))  # type: ignore[arg-type]
        with pytest.raises(DataError, match="`classes` must be at most 1,000"):
            stakes.resources.Reviewer.perfect("Anna", 10**6)
        with pytest.raises(DataError, match="`final` must be True or False"):
            stakes.resources.review_plan([0.5], TWO, reviewers=ANNA, final=Y)  # type: ignore[arg-type]

    def test_estimates_of_odd_columns(self) -> None:
        cases = stakes.estimation.DecidedCases
        for wrong in (-1, "x", stakes.CostMatrix(TWO)):
            with pytest.raises(DataError, match="`case_costs` must be a CaseCosts"):
                cases.from_scores(Y, [0.1, 0.9, 0.4, 0.8], costs=TWO, case_costs=wrong)  # type: ignore[arg-type]
        held = cases.from_scores(None, [0.1, 0.9] * 20, costs=TWO)
        with pytest.raises(DataError, match="`chances` must have one entry per case"):
            stakes.estimation.cost_from_labels(Y * 10, held, chances=[[1], *[0.5] * 39])
        with pytest.raises(DataError, match="`y_true` must be a column"):
            stakes.estimation.cost_from_labels(np.array(0.5), held)
        with pytest.raises(DataError, match="`labelled` must be True or False"):
            cases.from_bins(SCORES, application=TWO, labelled=Y)  # type: ignore[arg-type]

    def test_estimates_with_too_many_arguments_by_place(self) -> None:
        room = stakes.estimation
        held = room.DecidedCases.from_scores(None, [0.1, 0.9] * 20, costs=TWO)
        for call, given, taken in (
            (room.cost_from_judge, (Y, Y, Y, TWO), "`y_true`, `judge`"),
            (room.cost_from_labels, (Y * 10, held, held), "`y_true`, `cases`"),
            (room.plan_labels, (held, 0.1), "`cases`"),
        ):
            with pytest.raises(CallError, match=f"takes only {taken} by position") as caught:
                call(*given)  # type: ignore[operator]
            assert caught.value.hint is not None
            assert caught.value.hint.startswith(call.__name__)
        with pytest.raises(CallError, match="needs `decisions`"):
            room.cost_from_judge(Y, Y, costs=TWO)  # type: ignore[call-arg]

    def test_costs_of_other_cases(self) -> None:
        cases = stakes.CaseCosts.binary(fn=[1.0, 2.0, 3.0], fp=1.0)
        for found in (
            lambda: CASCADE.cascade.step("small", [0.1, 0.9], costs=cases),
            lambda: stakes.resources.review_plan([0.1, 0.9], cases, reviewers=ANNA),
        ):
            with pytest.raises(DataError, match="`costs` has 3 rows but `posteriors` has 2"):
                found()

    def test_positive_of_another_kind(self) -> None:
        for wrong in (np.array(Y), [1], np.array([(1, 2.0)], dtype=[("a", int), ("b", float)])):
            with pytest.raises(LabelError, match="`positive` must be a string or a number"):
                stakes.estimation.DecidedCases.from_scores(
                    ["no", "yes"], [0.1, 0.9], costs=TWO, positive=wrong
                )
            with pytest.raises(LabelError, match="`positive` must be a string or a number"):
                metrics.auc(Y, [-1.0, 1.0, 0.5, 2.0], positive=wrong)

    def test_bands_of_more_draws_than_anybody_waits_for(self) -> None:
        with pytest.raises(DataError, match="`draws` must be at most 100,000"):
            stakes.calibration.reliability_table(LABELS, RISKS, draws=10**6)

    def test_draws_of_any_whole_type(self) -> None:
        told = {"bins": 2, "rng": 0}
        found = stakes.calibration.reliability_table(LABELS, RISKS, draws=np.float32(20), **told)
        again = stakes.calibration.reliability_table(LABELS, RISKS, draws=20, **told)
        assert np.array_equal(found.low, again.low)

    def test_a_spread_needs_two_draws(self) -> None:
        grouped = stakes.GroupedCounts.from_decisions(Y * 9, Y * 9, groups=np.arange(36))
        two = stakes.GroupedCounts.from_decisions(
            Y * 9, {"a": Y * 9, "b": [0] * 36}, groups=np.arange(36)
        )
        for found in (
            lambda: uncertainty.interval(grouped, "f1", draws=1),
            lambda: uncertainty.compare(two, application=TWO, draws=1),
            lambda: uncertainty.grouped_score_interval(
                Y * 9, np.arange(36), groups=np.arange(36), metric="eer", draws=1
            ),
        ):
            with pytest.raises(DataError, match="`draws` must be a whole number, at least 2"):
                found()

    def test_parts_of_grouped_counts(self) -> None:
        paired = stakes.PairedCounts.from_decisions(Y, {"a": Y})
        right = {"groups": (("n", "s"),), "keys": [[0], [1]], "counts": [[1, 1], [1, 1]]}
        assert stakes.GroupedCounts(**right, joint=paired).n_groups == (2,)  # type: ignore[arg-type]
        for wrong in ({"groups": (1, 2)}, {"keys": "ab"}, {"keys": [[0.5], [1]]}, {"joint": Y},
                      {"keys": 0, "counts": 1.0}, {"counts": 1e308}):  # fmt: skip
            with pytest.raises(StakesError, match=f"`{next(iter(wrong))}`.* must"):
                stakes.GroupedCounts(**({**right, "joint": paired} | wrong))  # type: ignore[arg-type]

    def test_flags_and_parts(self) -> None:
        with pytest.raises(DataError, match="`surely` must be True or False"):
            stakes.testing.assert_cost(Y, Y, costs=TWO, max_cost=1, surely=Y)  # type: ignore[arg-type]
        for parts in (1e6, np.zeros(2), (), (MATRIX,)):
            with pytest.raises(DataError, match="`parts` must be"):
                summaries.SlicedCounts("{}", "[]", (0, 1), (0, 1), ("May",), parts)  # type: ignore[arg-type]

    def test_long_things_are_said_in_brief(self) -> None:
        assert len(in_brief(list(range(1000)))) <= 100
        assert in_brief([1, 2]) == "[1, 2]"


class TestSwitchesAndWords:
    """What is neither True nor False, and what is no word, is refused before it is compared."""

    COUNTED = stakes.PairedCounts.from_decisions(Y, {"a": Y, "b": [0, 0, 1, 1]})

    @pytest.mark.parametrize("value", ["no", np.array(Y), [True], None, 2, 0.5], ids=id_of)
    @pytest.mark.parametrize(
        "door",
        [
            lambda v: metrics.min_cost(SCORES, TWO, normalized=v),
            lambda v: stakes.bayes_decisions([0.2, 0.8], TWO, with_cost=v),
            lambda v: uncertainty.compare(TestSwitchesAndWords.COUNTED, TWO, normalized=v),
            lambda v: curves.roc(SCORES, hull=v),
            lambda v: audit.choice_regret([0.3, 0.5], [2.0, 1.0], higher_is_better=v),
        ],
    )
    def test_switches(self, door: Any, value: Any) -> None:
        with pytest.raises(DataError, match="must be True or False; got"):
            door(value)

    @pytest.mark.parametrize("value", [True, np.True_, 1])
    def test_true_in_any_form(self, value: Any) -> None:
        expected = metrics.min_cost(SCORES, TWO, normalized=True)
        assert metrics.min_cost(SCORES, TWO, normalized=value) == expected

    @pytest.mark.parametrize("value", [np.array(Y), ["hull"], 1, b"hull", {"a": 1}], ids=id_of)
    @pytest.mark.parametrize(
        "door",
        [
            lambda v: metrics.eer(SCORES, method=v),
            lambda v: metrics.multiclass_recall(MATRIX, average=v),
            lambda v: uncertainty.min_cost_optimism(SCORES, TWO, method=v),
            lambda v: stakes.calibration.Gaussian(tails=v),
            lambda v: stakes.calibration.Affine(bound=v),
            lambda v: stakes.testing.check_laws("f1", laws=[v]),
            lambda v: application.costs_template(["no", "yes"], about=v),
            application.CostExpression,
        ],
    )
    def test_words(self, door: Any, value: Any) -> None:
        if isinstance(value, int) and door is not application.CostExpression:
            value = np.zeros((2, 2))  # a bound may be a number
        with pytest.raises(StakesError):
            door(value)

    @pytest.mark.parametrize("value", [np.array(Y), ["x"], "x", None, 1j], ids=id_of)
    @pytest.mark.parametrize(
        "door",
        [
            lambda v: metrics.expected_max_profit_credit(SCORES, full_loss=v),
            lambda v: metrics.constrained_optimum(SCORES, TWO, min_specificity=[v]),
            lambda v: stakes.posteriors.estimate_priors([0.2, 0.8], [0.5, 0.5], tolerance=v),
            lambda v: elicitation.Elicitation({"a": MATRIX}, priors=0.3).winners(tolerance=v),
            lambda v: stakes.DecisionRule(TWO).decide_one([0.3, [v]]),
            lambda v: stakes.calibration.Average(emphasis=[[v], 1, 1]),
            lambda v: stakes.plots.decision(curves.decision(SCORES), span=[v, [v]]),
        ],
    )
    def test_numbers(self, door: Any, value: Any) -> None:
        with pytest.raises(StakesError):
            door(value)


class TestNamesOfColumns:
    """Frames of pandas may call their columns by numbers, and two by the same name."""

    TABLE = np.column_stack([LABELS, RISKS, RISKS])

    def test_numbered_columns_are_read(self) -> None:
        pd = pytest.importorskip("pandas")
        numbered, named = (pd.DataFrame(self.TABLE, columns=c) for c in (None, ["0", "1", "2"]))
        read = stakes.sources.from_frame
        assert read(numbered).names == read(named).names
        assert np.array_equal(read(numbered).numbers("1"), read(named).numbers("1"))
        cases = [
            stakes.estimation.DecidedCases.from_scores(LABELS, RISKS, costs=TWO, inputs=inputs)
            for inputs in (numbered, named)
        ]
        assert cases[0].inputs.columns.keys() == cases[1].inputs.columns.keys()  # type: ignore[union-attr]
        costs = pd.DataFrame({"truth": [0, 1], 0: [0.0, 5.0], 1: [1.0, 0.0]})
        assert stakes.CostMatrix.from_frame(costs, truth="truth").values.tolist() == TWO

    def test_numbered_columns_are_not_found_by_text(self) -> None:
        pd = pytest.importorskip("pandas")
        rows = pd.DataFrame(self.TABLE[:, :2].astype(object))
        for label in (0, "0"):
            with pytest.raises(DataError) as refused:
                stakes.evaluate_frame(rows, label=label, scores=["1"], costs=TWO)  # type: ignore[arg-type]
            assert "frame.rename(columns=str)" in str(refused.value.hint)
        rows = rows.rename(columns=str).astype({"0": int, "1": float})
        ev = stakes.evaluate_frame(rows, label="0", scores=["1"], costs={"fn": 5, "fp": 1})
        assert ev.best == "1"

    @pytest.mark.parametrize(
        "read",
        [
            stakes.sources.from_frame,
            stakes.CostMatrix.from_frame,
            lambda t: stakes.evaluate(LABELS, t, costs=TWO),
            lambda t: stakes.evaluate_frame(t, label="y", scores=["p"], costs=TWO),
            lambda t: stakes.DecisionRule(TWO, columns=("p",)).decide(t),
            lambda t: stakes.DecisionRule(TWO, columns=("p",)).decide_frame(t),
            lambda t: stakes.estimation.DecidedCases.from_scores(
                LABELS, RISKS, costs=TWO, inputs=t
            ),
        ],
    )
    def test_two_columns_of_one_name(self, read: Any) -> None:
        pd = pytest.importorskip("pandas")
        with pytest.raises(DataError, match="columns of the same name: 'p' 2 times"):
            read(pd.DataFrame(self.TABLE, columns=["y", "p", "p"]))

    def test_names_that_look_the_same(self) -> None:
        pd = pytest.importorskip("pandas")
        with pytest.raises(DataError, match="names look the same: 1"):
            stakes.sources.from_frame(pd.DataFrame(self.TABLE, columns=["y", 1, "1"]))


def test_misranking_rates_can_be_copied() -> None:
    rate = audit.MisrankingRate(0.25, draws=100, metric="f1")
    for again in (copy.deepcopy(rate), pickle.loads(pickle.dumps(rate))):
        assert (again, again.draws, again.metric) == (rate, 100, "f1")
