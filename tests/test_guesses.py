"""What a reader of the README would type, as they would type it: it works, or says what to type."""

from __future__ import annotations

import contextlib
import copy
import importlib
import inspect
import pickle
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import stakes
from stakes import curves, metrics
from stakes.application import Between
from stakes.exceptions import (
    CostError,
    DataError,
    FormatError,
    LabelError,
    StakesError,
    UndefinedError,
)

RNG = np.random.default_rng(0)
N = 600
Y = (RNG.random(N) < 0.2).astype(int)
LLR = RNG.normal(4 * Y - 2, 2)
GBM = 1 / (1 + 4 * np.exp(-LLR))
LOGREG = 1 / (1 + 4 * np.exp(-RNG.normal(Y - 0.5, 1)))
YES = np.where(Y, "yes", "no")
DECIDED = (GBM > 0.1).astype(int)
AMOUNT = RNG.gamma(2, 50, N)
COSTS = {"fn": 500, "fp": 20}
MATRIX = [[0, 20], [500, 0]]
BOTH = {"gbm": GBM, "logreg": LOGREG}
NAMED = stakes.CostMatrix(MATRIX, classes=["no", "yes"])
TABLE = stakes.ConfusionMatrix.from_decisions(Y, DECIDED)


def same(found: stakes.evaluation.Evaluation, **more: Any) -> bool:
    """Whether an evaluation is that of the costs spelled out."""
    wanted = stakes.evaluate(YES, BOTH, application=stakes.Application(NAMED, **more))
    costs = [[ev[name].cost for name in ev] for ev in (found, wanted)]
    return costs[0] == costs[1] and list(map(str, found.application.classes)) in (
        ["no", "yes"], ["0", "1"])  # fmt: skip


class TestCosts:
    """`evaluate(..., costs=)` in every form."""

    def test_by_fn_and_fp(self) -> None:
        ev = stakes.evaluate(
            YES, BOTH, costs=COSTS, unit="EUR", volume=250_000, period="year", positive="yes"
        )
        assert same(ev)
        assert ev.application == stakes.Application(NAMED, ev.data_priors, "EUR", 250_000, "year")

    @pytest.mark.parametrize("y", [Y, Y.astype(bool), Y.tolist(), Y.astype(float)])
    def test_numbers_and_truths_need_no_positive(self, y: Any) -> None:
        assert same(stakes.evaluate(y, BOTH, costs=COSTS))

    @pytest.mark.parametrize(
        "costs",
        [
            MATRIX,
            np.array(MATRIX),
            {"miss": 500, "false_alarm": 20},
            {"false_negative": 500, "false_positive": 20},
            {"fn": Decimal(500), "fp": np.float32(20)},
            stakes.CostMatrix(MATRIX),
            stakes.CostMatrix.binary(fn=500, fp=20),
            NAMED,
            {"no": {"yes": 20}, "yes": {"no": 500}},
            stakes.Application(MATRIX),
        ],
    )
    @pytest.mark.parametrize("word", ["costs", "application"])
    def test_other_forms(self, costs: Any, word: str) -> None:
        assert same(stakes.evaluate(YES, BOTH, positive="yes", **{word: costs}))

    def test_rows_in_the_order_of_the_classes(self) -> None:
        models = {name: np.stack([1 - p, p], axis=1) for name, p in BOTH.items()}
        assert same(stakes.evaluate(YES, models, costs=MATRIX, classes=["no", "yes"]))

    def test_the_positive_class_may_be_the_first_in_the_alphabet(self) -> None:
        y = np.where(Y, "churn", "stay")
        ev = stakes.evaluate(y, BOTH, costs=COSTS, positive="churn")
        assert ev.application.classes == ("stay", "churn")
        assert ev["gbm"].cost == stakes.evaluate(Y, BOTH, costs=COSTS)["gbm"].cost

    def test_zero_may_be_the_positive_class(self) -> None:
        ev = stakes.evaluate(1 - Y, BOTH, costs=COSTS, positive=0)
        assert ev.application.classes == (1, 0)
        assert ev["gbm"].cost == stakes.evaluate(Y, BOTH, costs=COSTS)["gbm"].cost

    def test_a_frame(self) -> None:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(MATRIX, index=["no", "yes"], columns=["no", "yes"])
        frame = frame.rename_axis("truth")
        assert same(stakes.evaluate(YES, BOTH, costs=frame))

    def test_a_file(self, tmp_path: Path) -> None:
        file = tmp_path / "costs.toml"
        file.write_text("fn = 500\nfp = 20\n", encoding="utf-8")
        for path in (file, str(file)):
            assert same(stakes.evaluate(YES, BOTH, costs=path, positive="yes"))
        assert stakes.expected_cost(Y, DECIDED, application=file) > 0

    def test_ranges(self, tmp_path: Path) -> None:
        file = tmp_path / "costs.toml"
        file.write_text("fn = [300, 900]\nfp = 20\n", encoding="utf-8")
        for costs in (file, {"fn": Between(300, 900), "fp": 20}, [[0, 20], [Between(300, 900), 0]]):
            ev = stakes.evaluate(YES, BOTH, costs=costs, positive="yes", unit="EUR")
            assert ev.doubt is not None
            assert ev.application.unit == "EUR"

    def test_amounts_that_differ_from_case_to_case(self) -> None:
        ev = stakes.evaluate(YES, {"gbm": GBM}, costs={"fn": AMOUNT, "fp": 20}, positive="yes")
        assert "gbm, per case" in list(ev)

    def test_priors_beside_costs(self) -> None:
        for priors in (0.02, [0.98, 0.02], {"yes": 0.02, "no": 0.98}):
            ev = stakes.evaluate(YES, BOTH, costs=COSTS, positive="yes", priors=priors)
            assert same(ev, priors=[0.98, 0.02])

    def test_confusion_matrices(self) -> None:
        decided = np.where(DECIDED, "yes", "no")
        table = stakes.ConfusionMatrix.from_decisions(YES, decided)
        ev = stakes.evaluate(None, {"gbm": table}, costs=COSTS, positive="yes")
        wanted = stakes.evaluate(None, {"gbm": table}, application=NAMED)
        assert ev["gbm"].cost == wanted["gbm"].cost

    @pytest.mark.parametrize(
        ("given", "error", "said", "line"),
        [
            ({"costs": COSTS}, LabelError, "which one is the positive class", "positive='yes'"),
            ({}, CostError, "what do errors cost", 'costs={"fn": 10, "fp": 1}'),
            ({"costs": COSTS, "application": NAMED}, CostError, "beside `application`", "costs="),
            ({"unit": "EUR", "application": NAMED}, CostError, "`unit` is given beside", "costs="),
            ({"costs": {"fn": 500}}, CostError, "lacks 'fp'", "write 0 if free"),
            ({"costs": {"a": 5, "fp": 2}}, CostError, "keys 'a', 'fp'", '{"fn": 10, "fp": 1}'),
            ({"costs": {"fn": 1, "miss": 2, "fp": 1}}, CostError, "given twice", None),
            ({"costs": {"fn": "amount", "fp": 1}}, CostError, "formula over columns", "each case"),
            ({"costs": "nope.toml"}, CostError, "no costs can be read", '{"fn": 10, "fp": 1}'),
            ({"costs": "\0.toml"}, FormatError, "must name a file", "path="),
            ({"costs": {"error": "a"}}, CostError, "the keys 'error'", '{"fn": 10, "fp": 1}'),
            ({"costs": 10}, CostError, "got int", 'costs={"fn": 10, "fp": 1}'),
            ({"costs": COSTS, "positive": "maybe"}, LabelError, "one of 'no', 'yes'", None),
            ({"costs": np.eye(3)}, LabelError, "there are 3 of them", "classes=[...]"),
        ],
    )
    def test_what_cannot_be_known_is_asked(
        self, given: dict[str, Any], error: type[StakesError], said: str, line: str | None
    ) -> None:
        with pytest.raises(error, match=said) as caught:
            stakes.evaluate(YES, BOTH, **given)
        assert line is None or line in str(caught.value.hint)

    def test_what_is_said_twice_is_refused(self) -> None:
        app = stakes.Application(NAMED, unit="EUR")
        with pytest.raises(CostError, match="`unit` is given twice"):
            stakes.evaluate(YES, BOTH, costs=app, unit="USD")
        with pytest.raises(CostError, match="an Application already"):
            stakes.Application(app)

    def test_everywhere_alike(self) -> None:
        rule = stakes.DecisionRule(COSTS)
        assert rule.decide(GBM).tolist() == stakes.bayes_decisions(GBM, COSTS).tolist()
        app = stakes.Application(COSTS, unit="EUR")
        wanted = stakes.expected_cost(Y, DECIDED, application=app)
        assert stakes.expected_cost(Y, DECIDED, application=MATRIX) == wanted
        assert stakes.expected_cost(Y, DECIDED, application=COSTS) == wanted
        assert stakes.normalized_expected_cost(Y, DECIDED, application=COSTS) > 0
        with pytest.raises(LabelError) as caught:
            stakes.expected_cost(YES, YES, application=COSTS)
        assert "positive='yes'" in str(caught.value.hint)


class TestBinary:
    def test_short_and_spelled_out(self) -> None:
        costs = stakes.CostMatrix.binary(fn=10, fp=1, tp=-2, tn=-1, classes=["no", "yes"])
        assert costs.values.tolist() == [[-1, 1], [10, -2]]
        spelled = stakes.CostMatrix.binary(
            false_negative=10, false_positive=1, true_positive=-2, true_negative=-1
        )
        assert spelled.values.tolist() == costs.values.tolist()
        assert repr(spelled).endswith("[[-1, 1], [10, -2]])")
        each = stakes.CaseCosts.binary(fn=AMOUNT, fp=20)
        assert each.values[0].tolist() == [[0, 20], [AMOUNT[0], 0]]

    def test_problems(self) -> None:
        with pytest.raises(CostError, match="lacks 'fn'"):
            stakes.CostMatrix.binary(fp=1)
        with pytest.raises(CostError, match="'fn' is given twice"):
            stakes.CostMatrix.binary(fn=1, false_negative=2, fp=1)
        with pytest.raises(CostError, match="'cost' is no cost of two classes"):
            stakes.CostMatrix.binary(cost=1)


class TestModels:
    @pytest.mark.parametrize("library", ["pandas", "polars"])
    def test_a_frame_of_models(self, library: str) -> None:
        frames = pytest.importorskip(library)
        assert same(stakes.evaluate(YES, frames.DataFrame(BOTH), costs=COSTS, positive="yes"))

    def test_a_list_of_numbers_is_one_model(self) -> None:
        assert list(stakes.evaluate(Y, GBM.tolist(), costs=COSTS)) == ["model"]

    def test_a_list_of_arrays_is_told_how(self) -> None:
        with pytest.raises(StakesError) as caught:
            stakes.evaluate(Y, [GBM, LOGREG], costs=COSTS)
        assert '{"a": models[0], "b": models[1]}' in str(caught.value.hint)


class TestFrames:
    @pytest.mark.parametrize("library", ["pandas", "polars", "lazy"])
    def test_label_and_scores(self, library: str) -> None:
        frames = pytest.importorskip("polars" if library == "lazy" else library)
        frame = frames.DataFrame({"churned": YES, "amount": AMOUNT, **BOTH})
        frame = frame.lazy() if library == "lazy" else frame
        asked: dict[str, Any] = {"label": "churned", "positive": "yes"}
        ev = stakes.evaluate_frame(frame, scores=["gbm", "logreg"], costs=COSTS, **asked)
        assert same(ev)
        one = stakes.evaluate_frame(frame, scores="gbm", costs=COSTS, unit="EUR", **asked)
        assert one["gbm"].cost == ev["gbm"].cost
        assert one.application.unit == "EUR"
        each = stakes.evaluate_frame(frame, scores="gbm", costs={"fn": "amount", "fp": 20}, **asked)
        assert each["gbm, per case"].cost > 0
        with pytest.raises(LabelError, match="`churned` holds 'no', 'yes'") as caught:
            stakes.evaluate_frame(frame, label="churned", scores="gbm", costs=COSTS)
        assert "positive='yes'" in str(caught.value.hint)
        with pytest.raises(CostError, match="what do errors cost"):
            stakes.evaluate_frame(frame, label="churned", scores="gbm")


TABLE = stakes.ConfusionMatrix.from_decisions(Y, DECIDED)
SCORES = stakes.ScoreCounts.from_scores(Y, LLR)


class TestMetrics:
    @pytest.mark.parametrize("name", ["f1", "mcc", "accuracy", "recall", "kappa", "macro_f1"])
    def test_of_decisions(self, name: str) -> None:
        metric = getattr(metrics, name)
        wanted = metric(TABLE)
        assert metric(Y, DECIDED) == wanted
        assert metric(Y.tolist(), DECIDED.tolist()) == wanted
        assert metric(Y.astype(bool), DECIDED.astype(bool)) == wanted
        assert metric(y_true=Y, decisions=DECIDED) == wanted
        assert metric(Y, DECIDED, sample_weight=np.full(N, 2.0)) == wanted

    def test_of_decisions_and_something_else(self) -> None:
        assert metrics.savings(Y, DECIDED, COSTS) == metrics.savings(TABLE, COSTS)
        assert metrics.f_beta(Y, DECIDED, beta=2) == metrics.f_beta(TABLE, beta=2)
        assert metrics.weighted_accuracy(Y, DECIDED, 0.9) == metrics.weighted_accuracy(TABLE, 0.9)

    @pytest.mark.parametrize("name", ["auc", "eer", "average_precision", "min_cllr", "pr_auc"])
    def test_of_scores(self, name: str) -> None:
        metric = getattr(metrics, name)
        wanted = metric(SCORES)
        assert metric(Y, LLR) == wanted
        assert metric(YES, LLR, positive="yes") == wanted
        assert metric(y_true=Y, scores=LLR) == wanted

    def test_of_scores_and_something_else(self) -> None:
        assert metrics.min_cost(Y, LLR, COSTS) == metrics.min_cost(SCORES, COSTS)
        assert metrics.min_cost(Y, LLR, application=MATRIX) == metrics.min_cost(SCORES, COSTS)
        named = stakes.ScoreCounts.from_scores(Y, LLR, kind="llr")
        assert metrics.cllr(Y, LLR, kind="llr") == metrics.cllr(named)
        assert curves.roc(Y, LLR).frame()["threshold"].tolist() == (
            curves.roc(SCORES).frame()["threshold"].tolist()
        )

    def test_names_are_not_guessed(self) -> None:
        first = np.where(Y, "churn", "stay")  # sorted, the positive class comes first
        assert metrics.auc(first, LLR, positive="churn") == metrics.auc(SCORES)
        chosen = np.where(DECIDED, "churn", "stay")
        assert metrics.f1(first, chosen, positive="churn") == metrics.f1(TABLE)
        assert metrics.mcc(first, chosen) == pytest.approx(metrics.mcc(TABLE))
        for metric, said in ((metrics.auc, LLR), (metrics.f1, chosen)):
            with pytest.raises(LabelError, match="which one is the positive class") as caught:
                metric(first, said)
            assert "positive='churn'" in str(caught.value.hint)

    def test_what_scores_are_is_asked_where_it_matters(self) -> None:
        for call in (lambda: metrics.cllr(Y, LLR), lambda: metrics.actual_cost(Y, GBM, COSTS)):
            with pytest.raises(UndefinedError) as caught:
                call()
            assert "kind='posterior'" in str(caught.value.hint)

    def test_problems(self) -> None:
        with pytest.raises(LabelError) as caught:
            metrics.f1(Y, GBM)
        assert "bayes_decisions" in str(caught.value.hint)
        with pytest.raises(DataError, match="3 rows but `decisions` has 2"):
            metrics.f1([0, 1, 1], [0, 1])
        with pytest.raises(DataError) as data:
            metrics.auc(Y)
        assert "auc(y_true, scores)" in str(data.value.hint)

    def test_help_says_so(self) -> None:
        assert "savings(y_true, decisions, application)" in str(metrics.savings.__doc__)
        assert "auc(y_true, scores)" in str(metrics.auc.__doc__)


class TestShortWays:
    @pytest.mark.parametrize("name", ["sklearn", "torch"])
    def test_same_names(self, name: str) -> None:
        library = pytest.importorskip(name)
        short = importlib.import_module(f"stakes.{name}")
        room = importlib.import_module(f"stakes.integrations.{name}")
        assert all(getattr(short, each) is getattr(room, each) for each in room.__all__)
        assert importlib.import_module(name) is library

    @pytest.mark.parametrize("costs", [COSTS, MATRIX])
    def test_estimators(self, costs: Any) -> None:
        pytest.importorskip("sklearn")
        from sklearn.base import clone
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import cross_val_score

        from stakes.sklearn import BayesDecisionClassifier, make_cost_scorer

        model = clone(BayesDecisionClassifier(LogisticRegression(), costs))
        assert model.get_params()["application"] == costs
        X = LLR[:, None]
        spelled = BayesDecisionClassifier(LogisticRegression(), stakes.CostMatrix(MATRIX))
        assert model.fit(X, Y).predict(X).tolist() == spelled.fit(X, Y).predict(X).tolist()
        for scorer in (make_cost_scorer(costs), make_cost_scorer(costs=costs)):
            assert cross_val_score(LogisticRegression(), X, Y, scoring=scorer).max() < 0

    @pytest.mark.parametrize("costs", [COSTS, MATRIX])
    def test_losses(self, costs: Any) -> None:
        torch = pytest.importorskip("torch")
        pytest.importorskip("torchmetrics")
        from stakes.torch import ExpectedCostLoss, bayes_decisions

        logits, target = torch.zeros(3, 2), torch.tensor([0, 1, 1])
        spelled = ExpectedCostLoss(stakes.CostMatrix(MATRIX))(logits, target)
        for loss in (ExpectedCostLoss(costs), ExpectedCostLoss(costs=costs)):
            assert float(loss(logits, target)) == float(spelled)
        assert bayes_decisions(torch.tensor([0.01, 0.2]), costs).tolist() == [0, 1]


THREE = RNG.integers(0, 3, N)
SAID = RNG.dirichlet([1, 1, 1], N) / 2 + np.eye(3)[THREE] / 2
PART = np.where(LLR > 0, "a", "b")


def evaluations() -> dict[str, Any]:
    """Evaluations of every kind, made when asked for."""

    def far(**more: Any) -> Any:
        frame = pytest.importorskip("polars").DataFrame({"y": Y, "amount": AMOUNT, **BOTH}).lazy()
        return stakes.evaluate_frame(frame, label="y", scores=list(BOTH), **more)

    three = {"a": SAID, "b": RNG.dirichlet([1, 1, 1], N)}
    return {
        "two models": lambda: stakes.evaluate(Y, BOTH, costs=COSTS),
        "three classes": lambda: stakes.evaluate(THREE, three, costs=1 - np.eye(3)),
        "slices": lambda: stakes.evaluate(Y, BOTH, costs=COSTS, by=PART),
        "groups": lambda: stakes.evaluate(Y, BOTH, costs=COSTS, groups=np.arange(N) // 3),
        "weights": lambda: stakes.evaluate(Y, BOTH, costs=COSTS, sample_weight=AMOUNT),
        "case costs": lambda: stakes.evaluate(Y, BOTH, costs={"fn": AMOUNT, "fp": 5}),
        "uncertain": lambda: stakes.evaluate(Y, BOTH, costs={"fn": Between(100, 900), "fp": 20}),
        "decisions": lambda: stakes.evaluate(Y, {"a": DECIDED, "b": 1 - DECIDED}, costs=COSTS),
        "tables": lambda: stakes.evaluate(None, {"a": TABLE, "b": TABLE}, costs=COSTS),
        "far": lambda: far(costs=COSTS),
        "far bins": lambda: far(costs=COSTS, bins=50),
        "far case costs": lambda: far(costs={"fn": "amount", "fp": "5"}),
    }


@pytest.mark.parametrize("kind", list(evaluations()))
def test_evaluations_are_pickled_and_copied(kind: str) -> None:
    ev = evaluations()[kind]()
    for again in (pickle.loads(pickle.dumps(ev)), copy.deepcopy(ev)):
        assert again.verdict == ev.verdict
        assert str(again.frame()) == str(ev.frame())
        assert again.to_json() == ev.to_json()
    assert pickle.loads(pickle.dumps(ev)).to_html() == ev.to_html()


class TestWhatComesBack:
    EV = stakes.evaluate(Y, BOTH, costs=COSTS)

    def test_frames(self) -> None:
        pandas = pytest.importorskip("pandas")
        table = pandas.DataFrame(self.EV.frame())
        assert table.equals(self.EV.to_pandas())
        assert table["model"].tolist() == ["gbm", "logreg"]
        polars = pytest.importorskip("polars")
        assert self.EV.to_polars()["model"].to_list() == ["gbm", "logreg"]
        assert polars.DataFrame(self.EV.frame()).shape == self.EV.frame().shape

    def test_a_frame_cannot_be_changed(self) -> None:
        frame = self.EV.frame()
        for change in (frame.clear, lambda: frame.update(model=1), lambda: frame.pop("model")):
            with pytest.raises(TypeError, match="cannot be changed"):
                change()
        assert str(pickle.loads(pickle.dumps(frame))) == str(frame)
        with pytest.raises(KeyError, match="no column 'cost_'; there are model"):
            frame["cost_"]

    @pytest.mark.parametrize("form", ["html", "json", "markdown"])
    def test_a_path_comes_back_where_one_is_given(self, form: str, tmp_path: Path) -> None:
        write, path = getattr(self.EV, f"to_{form}"), tmp_path / "report"
        text = write()
        assert isinstance(text, str)
        assert write(path) == path
        assert write(str(path)) == path
        assert len(path.read_text(encoding="utf-8")) == len(text)

    def test_plot(self) -> None:
        pytest.importorskip("matplotlib")
        from matplotlib.figure import Figure

        drawn = self.EV.plot(ax=Figure().subplots())
        named = self.EV.plot.bayes_error(ax=Figure().subplots())
        assert drawn.get_xlabel() == named.get_xlabel()
        decided = stakes.evaluate(Y, DECIDED, costs=COSTS)
        assert decided.plot(ax=Figure().subplots()) is not None


class TestTunedThreshold:
    def test_its_range(self) -> None:
        from stakes.uncertainty import min_cost_optimism, threshold_range

        low, high = threshold_range(Y, LLR, COSTS)
        best = metrics.at_min_cost(Y, LLR, COSTS).threshold
        assert low <= best <= high
        assert low < high
        assert threshold_range(SCORES, COSTS, rng=0) == (low, high)
        inner = threshold_range(SCORES, COSTS, level=0.5)
        assert low <= inner[0] <= inner[1] <= high
        found = min_cost_optimism(SCORES, COSTS)
        assert (found.threshold, found.threshold_range) == (best, (low, high))
        assert f"on other draws {low:.4g} to {high:.4g}" in repr(found)

    def test_of_an_evaluation(self) -> None:
        ev = stakes.evaluate(Y, BOTH, costs=COSTS)
        low, high = ev.threshold_range("gbm")
        assert low <= ev["gbm"].optimistic_threshold <= high
        with pytest.raises(DataError, match="has no threshold"):
            stakes.evaluate(Y, {"a": DECIDED}, costs=COSTS).threshold_range("a")

    def test_more_cases_move_it_less(self) -> None:
        from stakes.uncertainty import threshold_range

        rng, widths = np.random.default_rng(3), []
        for n in (200, 20_000):
            y = rng.random(n) < 0.2
            low, high = threshold_range(y, rng.normal(2.0 * y), {"fn": 5, "fp": 1})
            widths.append(high - low)
        assert widths[1] < widths[0] / 2


ROWS = (Y, GBM)
FRACTIONS = np.round(GBM, 3)


class TestOtherWords:
    """Names and arguments of other libraries end in the line to type."""

    @pytest.mark.parametrize(
        ("room", "name", "line"),
        [
            ("metrics", "matthews_corrcoef", "stakes.metrics.mcc(y_true, decisions)"),
            ("metrics", "roc_auc_score", "stakes.metrics.auc(y_true, scores, positive="),
            ("metrics", "brier_score_loss", 'binary_brier_score(y_true, p, kind="posterior", '),
            ("metrics", "log_loss", 'binary_cross_entropy(y_true, p, kind="posterior", '),
            ("metrics", "confusion_matrix", "ConfusionMatrix.from_decisions(y_true, decisions)"),
            ("metrics", "roc", "stakes.curves.roc"),
            ("metrics", "acuracy", "type accuracy"),
            ("plots", "reliability_diagram", "stakes.plots.reliability(stakes.curves.reliability("),
            ("calibration", "Platt", "Logistic().fit(scores, y_true)"),
        ],
    )
    def test_of_rooms(self, room: str, name: str, line: str) -> None:
        with pytest.raises(AttributeError) as caught:
            getattr(getattr(stakes, room), name)
        assert line in str(caught.value)
        assert line in str(pickle.loads(pickle.dumps(caught.value)))
        assert not hasattr(getattr(stakes, room), name)

    @pytest.mark.parametrize(
        ("room", "name", "line"),
        [
            ("metrics", "f1_score", "type stakes.metrics.f1(y_true, decisions, positive="),
            ("", "Isotonic", "type stakes.calibration.Isotonic"),
            ("curves", "xyzzy", "module 'stakes.curves' has no attribute 'xyzzy'"),
        ],
    )
    def test_of_rooms_imported_by_name(self, room: str, name: str, line: str) -> None:
        """Python drops the words of an AttributeError there."""
        with pytest.raises(ImportError) as caught:
            exec(f"from stakes{'.' * bool(room)}{room} import {name}")
        assert line in str(caught.value)
        assert caught.value.name == name

    def test_what_nobody_knows(self) -> None:
        for name in ("xyzzy", "_private"):
            with pytest.raises(AttributeError) as caught:
                getattr(stakes.metrics, name)
            assert str(caught.value) == f"module 'stakes.metrics' has no attribute {name!r}"

    @pytest.mark.parametrize("name", ["sklearn", "torch"])
    def test_short_ways_are_there(self, name: str) -> None:
        pytest.importorskip(name)
        room = getattr(stakes, name)
        assert room is importlib.import_module(f"stakes.{name}")
        assert name not in stakes.__all__  # or import * would put it in the place of the library
        word = "make_scorer" if name == "sklearn" else "CostSensitiveLoss"
        line = "make_cost_scorer(costs)" if name == "sklearn" else "ExpectedCostLoss(costs)"
        with pytest.raises(AttributeError) as caught:
            getattr(room, word)
        assert line in str(caught.value)

    @pytest.mark.parametrize(
        ("call", "line"),
        [
            (lambda: stakes.evaluate("df", label="y", scores=["a"]), "stakes.evaluate_frame(df,"),
            (lambda: stakes.evaluate(*ROWS, costs=COSTS, abstain=2), ".with_abstention(2)"),
            (lambda: stakes.evaluate(*ROWS, costs=COSTS, random_state=0), "rng=0"),
            (lambda: stakes.evaluate(*ROWS, costs=COSTS, threshold=0.5), "(p > t).astype(int)"),
            (lambda: stakes.evaluate(*ROWS, fn=40, fp=4), 'costs={"fn": 40, "fp": 4}'),
            (lambda: metrics.f1(Y, DECIDED, None, 1, 2), "f1(y_true, decisions)"),
            (lambda: stakes.expected_cost(Y, DECIDED), "costs={"),
            (lambda: stakes.bayes_decisions(GBM, application=COSTS), "costs=..."),
            (lambda: stakes.evaluate(*ROWS, COSTS), 'costs={"fn": 10, "fp": 1}'),
            (lambda: stakes.CostMatrix(fn=4, fp=1), "stakes.CostMatrix.binary(fn=40, fp=4)"),
            (lambda: stakes.CaseCosts(fn=AMOUNT, fp=1), "stakes.CaseCosts.binary("),
            (lambda: stakes.Application(cost_matrix=MATRIX), "costs=..."),
            (lambda: stakes.calibration.reliability_table(*ROWS, n_bins=9), "bins=9"),
            (lambda: stakes.uncertainty.interval(TABLE, costs=COSTS, n_boot=9, alpha=0.1),
             "draws=9; level=1 - alpha"),
            (lambda: stakes.uncertainty.interval(*ROWS, costs=COSTS), "from_decisions(y_true, de"),
            (lambda: stakes.uncertainty.compare(*ROWS, LOGREG, costs=COSTS), "PairedCounts.from_"),
            (lambda: stakes.audit.audit("f1", *ROWS), 'audit("f1", application=costs, matrix='),
            (lambda: stakes.monitoring.compare_periods(*ROWS, costs=COSTS), "where each is stakes"),
            (lambda: metrics.f1(Y, DECIDED, pos_label=1), "positive=1"),
            (lambda: metrics.auc(Y, GBM, weights=AMOUNT), "sample_weight=..."),
            (lambda: metrics.catalogue(Y, DECIDED), "for m in stakes.metrics.catalogue.tables()"),
            (lambda: stakes.ConfusionMatrix.from_decisions(Y, DECIDED, labels=[0, 1]), "classes="),
            (lambda: stakes.ScoreCounts.from_scores(YES, GBM, pos_label="yes"), "classes=[other"),
            (lambda: stakes.plots.reliability(*ROWS), "stakes.curves.reliability(y_true, p, "),
            (lambda: curves.roc(Y, BOTH), "for model, p in models.items()"),
            (lambda: metrics.weighted_accuracy(Y, DECIDED), "weighted_accuracy(..., "),
            (lambda: stakes.calibration.Affine.fit(*ROWS), "Affine().fit(scores, y_true)"),
            (lambda: stakes.calibration.cross_fit(*ROWS, method="isotonic"), "calibrator="),
        ],
    )  # fmt: skip
    def test_of_calls(self, call: Any, line: str) -> None:
        with pytest.raises(StakesError) as caught:
            call()
        assert isinstance(caught.value, TypeError)
        assert line in str(caught.value.hint)

    def test_costs_are_an_application(self) -> None:
        wanted = stakes.expected_cost(Y, DECIDED, application=COSTS)
        assert stakes.expected_cost(Y, DECIDED, costs=COSTS) == wanted
        assert metrics.savings(Y, DECIDED, costs=COSTS) == metrics.savings(TABLE, COSTS)
        assert stakes.uncertainty.interval(TABLE, costs=MATRIX).value == wanted
        for call in (stakes.expected_cost, metrics.savings):
            with pytest.raises(StakesError, match="`costs` and `application`"):
                call(Y, DECIDED, costs=COSTS, application=COSTS)

    def test_functions_are_what_they_were(self) -> None:
        assert str(inspect.signature(stakes.CostMatrix)).startswith("(values: 'Any', classes:")
        assert list(inspect.signature(stakes.evaluate).parameters)[:2] == ["y_true", "models"]
        assert pickle.loads(pickle.dumps(stakes.evaluate)) is stakes.evaluate

    def test_of_things(self) -> None:
        ev = stakes.evaluate(Y, BOTH, costs=COSTS)
        assert ev.threshold == ev["gbm"].threshold
        assert str(ev.rule("gbm")) == str(ev["gbm"].rule)
        assert ev.decide(GBM).tolist() == stakes.bayes_decisions(GBM, COSTS).tolist()
        with pytest.raises(DataError, match="gave decisions"):
            stakes.evaluate(Y, DECIDED, costs=COSTS).decide(GBM)
        cal = stakes.calibration.Isotonic().fit(GBM, Y)
        curve = curves.roc(Y, GBM)
        for thing, name, line in (
            (ev, "by_group", "by=column"), (ev, "verdct", "type ev.verdict"),
            (cal, "predict_proba", "calibrator.posteriors(scores)"),
            (curve, "plot", "stakes.plots.roc(curve)"),
        ):  # fmt: skip
            with pytest.raises(AttributeError) as caught:
                getattr(thing, name)
            assert line in str(caught.value)
            assert not hasattr(copy.deepcopy(thing), name)

    @pytest.mark.parametrize("labels", [Y, YES, Y.astype(bool), Y.tolist()])
    def test_labels_before_scores(self, labels: Any) -> None:
        with pytest.raises(DataError, match="swapped") as caught:
            stakes.calibration.Isotonic().fit(labels, FRACTIONS)
        assert caught.value.hint == "fit(scores, y_true)"

    def test_a_calibrator_is_loaded_by_its_kind(self, tmp_path: Path) -> None:
        path = tmp_path / "calibrator.json"
        stakes.calibration.Isotonic().fit(GBM, Y).save(path)
        assert stakes.calibration.Isotonic.load(path).posteriors([0.1]).shape == (1, 2)
        with pytest.raises(DataError, match="must be an Affine") as caught:
            stakes.calibration.Affine.load(path)
        assert caught.value.hint == "stakes.calibration.load(path)"

    def test_a_volume_with_its_period(self) -> None:
        app = stakes.evaluate(Y, GBM, costs=COSTS, volume="100000/year").application
        assert (app.volume, app.period) == (100_000, "year")


class TestSecondList:
    """What another reader of the README typed."""

    Y = np.arange(200) % 4 == 0
    P = np.where(Y, 0.6, 0.2) + np.linspace(0, 0.2, 200)

    def test_costs_of_an_audit_as_everywhere(self):
        table = stakes.ConfusionMatrix.from_decisions(
            self.Y.astype(int), (self.P > 0.5).astype(int)
        )
        by_sign = stakes.audit.audit("f1", application={"fn": 50, "fp": 5}, matrix=table, draws=100)
        matrix = stakes.CostMatrix.binary(fn=50, fp=5)
        assert str(by_sign) == str(
            stakes.audit.audit("f1", application=matrix, matrix=table, draws=100)
        )

    def test_a_drawing_by_its_name(self):
        pytest.importorskip("matplotlib", reason="drawing needs matplotlib")
        ev = stakes.evaluate(self.Y, self.P, costs={"fn": 10, "fp": 1})
        assert ev.plot("roc").get_xlabel() == ev.plot.roc().get_xlabel()
        with pytest.raises(StakesError, match="no drawing 'cost_curve'") as caught:
            ev.plot("cost_curve")
        assert "bayes_error" in caught.value.hint

    def test_words_for_what_stands_elsewhere(self):
        for room, word, line in (
            (stakes, "load", "stakes.load_rule(path)"),
            (stakes.elicitation, "ask", "Elicitation(priors=0.1)"),
        ):
            with pytest.raises(AttributeError) as caught:
                getattr(room, word)
            assert line in str(caught.value)
        with pytest.raises(StakesError, match="prevalence"):
            stakes.audit.implied_costs("f1", prevalence=0.1)


class TestThirdList:
    """Guesses of people who had read the first page only."""

    def test_a_ratio_leaves_open_which_error_costs_more(self) -> None:
        with pytest.raises(CostError, match="which error costs 10") as caught:
            stakes.evaluate(Y, GBM, costs="10:1")
        assert 'costs={"fn": 10, "fp": 1}' in str(caught.value)

    def test_costs_with_abstention(self) -> None:
        costs = {"fn": 10, "fp": 1, "abstain": 0.5}
        matrix = stakes.CostMatrix.binary(fn=10, fp=1).with_abstention(0.5)
        found = stakes.evaluate(Y, GBM, costs=costs)
        assert found.application.costs.values.tolist() == matrix.values.tolist()
        assert found["model"].nec == stakes.evaluate(Y, GBM, costs=matrix)["model"].nec
        named = stakes.evaluate(np.where(Y == 1, "yes", "no"), GBM, costs=costs, positive="yes")
        assert named.application.decisions == ("no", "yes", "abstain")
        assert named["model"].nec == found["model"].nec
        with pytest.raises(CostError, match="'reject'") as caught:
            stakes.evaluate(Y, GBM, costs={"fn": 10, "fp": 1, "reject": 0.5})
        assert '"abstain": 0.5' in str(caught.value)

    @pytest.mark.parametrize(
        ("call", "line"),
        [
            (lambda: stakes.CostMatrix.from_dict, "type stakes.CostMatrix.binary(fn=10, fp=1)"),
            (lambda: stakes.CostMatrix({"fn": 10, "fp": 1}), "CostMatrix.binary(fn=10, fp=1)"),
            (lambda: stakes.optimal_threshold, '({"fn": 10, "fp": 1}).posterior_threshold'),
            (lambda: stakes.sample_size, "stakes.uncertainty.cases_needed("),
            (lambda: stakes.uncertainty.sample_size, "stakes.uncertainty.cases_needed("),
            (lambda: stakes.uncertainty.cases_needed(margin=1), "cases_needed(pilot, app"),
            (lambda: stakes.monitoring.watch(Y, time="month"), "stakes monitor FILE --time"),
            (lambda: stakes.evaluate(Y, GBM, costs=COSTS)["model"].ci, "type ev[model].interval"),
            (lambda: stakes.evaluate(Y, GBM, costs=COSTS)["model"].expected_cost, "[model].cost"),
        ],
    )
    def test_answered(self, call: Any, line: str) -> None:
        with pytest.raises((AttributeError, StakesError)) as caught:
            call()
        assert line in str(caught.value)

    def test_costs_per_case_are_not_averaged(self) -> None:
        costs = stakes.CaseCosts.binary(fn=np.linspace(1, 9, len(Y)), fp=5)
        with pytest.raises(CostError, match="per_case") as caught:
            stakes.expected_cost(Y, DECIDED, costs=costs)
        assert "average" not in str(caught.value)

    def test_few_groups_are_told(self) -> None:
        found = stakes.evaluate(Y, GBM, costs=COSTS, groups=np.arange(len(Y)) % 3)
        assert found["model"].interval is None
        assert found.absent["interval"] == "few-groups"
        assert any("3 groups" in note for note in found.notes)

    def test_slices_are_printed(self) -> None:
        by = np.where(np.arange(len(Y)) % 2, "north", "south")
        found = stakes.evaluate(Y, GBM, costs=COSTS, by=by)
        assert all(f"{name}: {found.slices[name].verdict}" in str(found) for name in set(by))

    def test_tables_are_printed(self) -> None:
        table = stakes.calibration.reliability_table(Y, GBM)
        assert str(table.frame()) in str(table)
        found = stakes.evaluate(Y, {"a": GBM, "b": GBM**2}, costs=COSTS).comparison
        assert str(found.frame()) in str(found)

    def test_an_audit_takes_nested_costs(self) -> None:
        table = stakes.ConfusionMatrix.from_decisions(Y, DECIDED)
        one, other = (
            stakes.audit.audit("f1", application=costs, matrix=table, rng=0)
            for costs in ([[0, 1], [5, 0]], {"fn": 5, "fp": 1})
        )
        assert one.misranking.rate == other.misranking.rate


class TestFifthList:
    """What a fifth reader of the README typed, and the line that answers it."""

    @pytest.mark.parametrize(
        ("typed", "answer"),
        [
            (
                lambda: stakes.calibrate,
                'stakes.calibration.Affine(bound="data").fit(stakes.Posteriors(p)',
            ),
            (lambda: stakes.f1_score, "stakes.metrics.f1(y_true, decisions, positive="),
            (lambda: _evaluated().save, 'ev.rule().save("rule.json")'),
            (lambda: _evaluated().to_sql, 'ev.rule().to_sql("duckdb", columns="p")'),
            (lambda: _evaluated().rule(columns="p"), 'ev.rule().to_sql("duckdb", columns="p")'),
            (lambda: _evaluated().rule("a").to_sql("p"), 'rule.to_sql("duckdb", columns="p")'),
            (lambda: _evaluated().rule("a").to_sql(column="p"), 'columns="p"'),
            (lambda: _evaluated(n_bootstrap=200), "leave it out"),
            (lambda: _evaluated(champion="a"), 'baseline="name of the model in use"'),
            (lambda: _evaluated(capacity=5), 'capacity="1=5"'),
            (lambda: _evaluated(capacity=["review=5"]), "the decisions are 0, 1:  1=200"),
        ],
    )
    def test_python(self, typed: Any, answer: str) -> None:
        with pytest.raises((AttributeError, StakesError)) as error:
            typed()
        assert answer in str(error.value)

    @pytest.mark.parametrize(
        ("words", "answer"),
        [
            (["compare", "jan.csv", "feb.csv"], "stakes monitor FILE --time COLUMN"),
            (["eval", "a.csv", "--champion", "p"], "--baseline A"),
            (["eval", "a.csv", "--save-rule", "r.json"], "--rule rule.json"),
            (["eval", "a.csv", "--cost-matrix", "c.csv"], "--costs FILE"),
            (["decide", "a.csv", "--rule", "r.json", "--scores", "p"], "--columns p"),
            (["eval", "a.csv", "--pred", "p"], "--scores A,B for probabilities"),
        ],
    )
    def test_command_line(
        self, capsys: pytest.CaptureFixture[str], words: list[str], answer: str
    ) -> None:
        from stakes.cli.entry import main

        with contextlib.suppress(SystemExit):
            main(words)
        assert answer in capsys.readouterr().err


class TestSixthList:
    """What a sixth reader of the README typed, and the line that answers it."""

    NAMES: ClassVar = ["setosa", "versicolor", "virginica"]
    COSTS: ClassVar = [[0, 1, 5], [1, 0, 2], [9, 3, 0]]

    @pytest.mark.parametrize(
        ("typed", "answer"),
        [
            (lambda: stakes.CostMatrix.from_dict, "stakes.Application({truth: {decision: cost}})"),
            (lambda: stakes.bayes_decisions(0.3, COSTS), "a list of one: [0.3]"),
            (lambda: stakes.bayes_decisions([0.3], COSTS, threshold=0.2), "leave it out"),
            (lambda: stakes.bayes_decisions([0.3], COSTS, prevalence=0.2), "with_priors(0.02, "),
            (lambda: stakes.Application(COSTS).decide, "stakes.bayes_decisions(p, app)"),
            (lambda: stakes.Application(COSTS).threshold, "app.posterior_threshold"),
            (lambda: _evaluated().savings, "{name: ev[name].saving for name in ev}"),
            (lambda: stakes.expected_cost(TABLE, COSTS), "expected_cost(matrix, costs=costs)"),
            (lambda: stakes.expected_cost(TABLE, costs=COSTS, prevalence=0.1), "priors=0.02)"),
            (lambda: _evaluated(prevalence=0.1), "priors=0.02"),
            (
                lambda: stakes.audit.implied_costs("f1", prevalence=0.1),
                'implied_costs("f1", stakes',
            ),
            (lambda: stakes.Application(COSTS, prevalence=0.1), "priors=0.02"),
            (lambda: stakes.elicitation.Elicitation(prevalence=0.1), "priors=0.02"),
            (
                lambda: stakes.metrics.cost_by_cell(TABLE, costs=COSTS).to_pandas,
                "result.frame().to_pandas()",
            ),
            (
                lambda: stakes.metrics.min_cost(Y, GBM, costs=COSTS, return_threshold=True),
                "stakes.metrics.at_min_cost(y_true, scores, costs=",
            ),
            (lambda: stakes.ConfusionMatrix.from_labels, "from_decisions(y_true, decisions)"),
            (lambda: TABLE.f1_score, "stakes.metrics.f1(matrix)"),
            (lambda: stakes.ScoreCounts(Y, GBM, positive=1), "stakes.ScoreCounts.from_scores("),
            (lambda: stakes.ScoreCounts(Y, GBM), "ScoreCounts.from_scores(y_true, scores"),
            (lambda: TABLE.with_costs, "no attribute 'with_costs'"),
            (
                lambda: stakes.CostMatrix.binary(fn=9, fp=1).with_abstention("ask", cost=2),
                'costs.with_abstention(2, name="ask a person")',
            ),
            (lambda: stakes.curves.switch_points(_evaluated()), "switch_points({name: stakes.Sc"),
            (lambda: stakes.curves.switch_points(Y, GBM), "switch_points({name: stakes.Sc"),
            (
                lambda: stakes.testing.check_laws(lambda y_true, y_pred: 1.0),
                'goes by its name: "f1"',
            ),
            (
                lambda: stakes.evaluate_frame("SELECT 1", label="y", scores="p", costs=COSTS),
                'duckdb.sql("SELECT ...")',
            ),
        ],
    )
    def test_python(self, typed: Any, answer: str) -> None:
        with pytest.raises((AttributeError, StakesError)) as error:
            typed()
        assert answer in str(error.value)

    def test_answers_work(self) -> None:
        found = stakes.metrics.at_min_cost(Y, GBM, costs=COSTS).threshold
        assert stakes.metrics.expected_cost(Y, found < GBM, costs=COSTS) == pytest.approx(
            stakes.metrics.min_cost(Y, GBM, costs=COSTS)
        )
        moved = stakes.Posteriors([0.3]).with_priors(0.02, from_priors=0.08).values[0, 1]
        odds = 3 / 7 * (0.02 / 0.98) / (0.08 / 0.92)
        assert moved == pytest.approx(odds / (1 + odds))

    def test_one_model_of_a_frame(self) -> None:
        pd = pytest.importorskip("pandas", reason="frames of models are pandas here")
        models = pd.DataFrame({"a": GBM, "b": GBM**2})
        with pytest.raises(StakesError, match="one model at a time") as error:
            stakes.curves.bayes_error(Y, models, positive=1)
        assert (
            "stakes.curves.bayes_error(y_true, models[model], positive=1, kind='posterior') "
            "for model in models.columns}" in str(error.value)
        )
        with pytest.raises(StakesError, match="one-dimensional") as error:
            stakes.ScoreCounts.from_scores(Y, models)
        assert "scores['a']" in str(error.value)

    def test_costs_without_names_take_those_of_the_columns(self) -> None:
        p = np.random.default_rng(0).dirichlet([1, 1, 1], size=50)
        plain = stakes.bayes_decisions(p, self.COSTS)
        named = stakes.bayes_decisions(p, self.COSTS, classes=self.NAMES)
        assert named.tolist() == plain.tolist() == np.argmin(p @ self.COSTS, axis=1).tolist()
        cases = stakes.CaseCosts(np.broadcast_to(self.COSTS, (50, 3, 3)))
        assert stakes.bayes_decisions(p, cases, classes=self.NAMES).tolist() == plain.tolist()

    def test_columns_of_a_frame_are_still_found_by_name(self) -> None:
        pd = pytest.importorskip("pandas", reason="columns with names")
        p = np.random.default_rng(0).dirichlet([1, 1, 1], size=50)
        frame = pd.DataFrame(p[:, ::-1], columns=self.NAMES[::-1])
        found = stakes.bayes_decisions(frame[self.NAMES], self.COSTS, classes=self.NAMES)
        assert found.tolist() == stakes.bayes_decisions(p, self.COSTS).tolist()
        with pytest.raises(StakesError, match="but `classes` says"):
            stakes.bayes_decisions(frame, self.COSTS, classes=self.NAMES)

    def test_differences_say_their_unit(self) -> None:
        models = {"a": GBM, "b": GBM**2}
        said = stakes.evaluate(Y, models, costs=COSTS, unit="EUR").comparison
        assert "(difference in NEC)" in str(said)
        paired = stakes.PairedCounts.from_decisions(Y, {k: p > 0.1 for k, p in models.items()})
        for costs, measure in ((COSTS, "cost per case"), (_in_euros(), "EUR per case")):
            found = stakes.uncertainty.compare(paired, application=costs, draws=50, rng=0)
            assert f"(difference in {measure})" in str(found)
            assert str(found.at(0.9)).count(measure) == 1
        areas = stakes.uncertainty.compare_scores(Y, models, metric="auc", rng=0)
        assert "(difference in 1 - AUC)" in str(areas)

    @pytest.mark.parametrize(
        ("words", "answer"),
        [
            (["decide", "a.csv", "--cost", "fn=40", "fp=4"], "--rule rule.json"),
            (["decide", "a.csv", "-o", "b.csv"], "--cost fn=10 fp=1 --rule rule.json  writes one"),
            (["decide", "a.csv", "--rule", "no.json"], "--rule rule.json  writes one"),
            (["rule", "no.json"], "--rule rule.json  writes one"),
            (["calibrate", "--apply", "no.json", "a.csv"], "-o cal.json  writes one"),
            (["eval", "a.csv", "--json", "out.json"], "Say:  stakes eval a.csv --json > out.json"),
            (["eval", "a.csv", "--csv", "b.csv", "--by", "c"], "eval a.csv --csv --by c > b.csv"),
        ],
    )
    def test_command_line(
        self, capsys: pytest.CaptureFixture[str], words: list[str], answer: str
    ) -> None:
        from stakes.cli.entry import main

        with contextlib.suppress(SystemExit):
            assert main(words) == 2
        assert answer in capsys.readouterr().err


class TestSeventhList:
    """What a seventh reader of the README typed, and the line that answers it."""

    BY: ClassVar = np.where(AMOUNT > 80, "large", "small")
    COUNTS: ClassVar = stakes.ScoreCounts.from_scores(Y, GBM, kind="posterior")

    @pytest.mark.parametrize(
        ("typed", "answer"),
        [
            (
                lambda: stakes.CostMatrix({("cat", "dog"): 1, ("dog", "cat"): 2}),
                'stakes.Application({"no": {"yes": 1}, "yes": {"no": 10}}).costs',
            ),
            (
                lambda: stakes.calibration.binned_calibration_error(Y, GBM, positive=1),
                "classes=[other, positive]",
            ),
            (lambda: stakes.calibration.calibration_gain(Y, GBM, n_bins=9), "has no argument"),
            (lambda: stakes.calibration.Temperature().temperature, "1 / calibrator.scales[0]"),
            (lambda: _rule().predict, "rule.decide(p)"),
            (
                lambda: stakes.estimation.estimate_cost(GBM, costs=COSTS),
                "stakes.bayes_decisions(p, costs, with_cost=True)[1].mean()",
            ),
            (
                lambda: stakes.estimation.estimate_cost(GBM, decisions=DECIDED, costs=COSTS),
                "reference.alike(p_new, decisions=...)",
            ),
            (
                lambda: stakes.estimation.estimate_cost(GBM, COSTS),
                "reference = stakes.estimation.DecidedCases.from_scores(y_true, p, costs=costs)",
            ),
            (lambda: _evaluated(capacity="5%"), 'capacity="1=5%"'),
            (lambda: _evaluated(capacity="200/day"), 'capacity="1=200/day"'),
            (lambda: _evaluated(capacity="often"), "I cannot read the capacity 'often'"),
            (
                lambda: stakes.resources.evaluate_cascade(Y, [GBM, LOGREG], prices=[0, 1]),
                'stages={"small": p, "large": q}',
            ),
            (
                lambda: stakes.resources.evaluate_cascade(Y, BOTH, prices=[0, 1], costs=COSTS),
                "prices={'gbm': 0.02, ...}",
            ),
            (
                lambda: stakes.resources.evaluate_cascade(Y, BOTH, costs=COSTS),
                'prices={"small": 0, "large": 0.05}',
            ),
            (
                lambda: _evaluated(constraint="equal_opportunity"),
                "stakes.resources.constrained_slices(y_true, p, by=column, costs=costs, ",
            ),
            (lambda: _alike(slices=TestSeventhList.BY), "by=..."),
            (
                lambda: _alike(by=TestSeventhList.BY, constraint="equal_opportunity"),
                'constraint="true_positive"',
            ),
            (lambda: TABLE.to_json, 'counts.save("counts.json")'),
            (
                lambda: stakes.ConfusionMatrix.from_json,
                'stakes.summaries.load_summary("counts.json")',
            ),
            (lambda: TABLE.accuracy, "stakes.metrics.accuracy(matrix)"),
            (lambda: TABLE.expected_cost, "stakes.metrics.expected_cost(matrix, costs=costs)"),
            (lambda: TestSeventhList.COUNTS.auc, "stakes.metrics.auc(counts)"),
            (
                lambda: TestSeventhList.COUNTS.min_cost,
                "stakes.metrics.min_cost(counts, costs=costs)",
            ),
        ],
    )
    def test_python(self, typed: Any, answer: str) -> None:
        with pytest.raises((AttributeError, StakesError)) as error:
            typed()
        assert answer in str(error.value)

    def test_answers_work(self, tmp_path: Path) -> None:
        costs = stakes.Application({"no": {"yes": 1}, "yes": {"no": 10}}).costs
        assert costs.values.tolist() == [[0, 1], [10, 0]]
        decided, expected = stakes.bayes_decisions(GBM, MATRIX, with_cost=True)
        assert expected.mean() == pytest.approx(np.where(decided, 20 * (1 - GBM), 500 * GBM).mean())
        reference = stakes.estimation.DecidedCases.from_scores(Y, GBM, costs=COSTS)
        new = reference.alike(GBM, decisions=DECIDED)
        paid = stakes.expected_cost(Y, DECIDED, costs=COSTS)
        assert paid in stakes.estimation.estimate_cost(reference, new)
        assert _rule().decide(GBM).tolist() == (GBM > 1 / 26).tolist()
        assert stakes.metrics.auc(self.COUNTS) == stakes.metrics.auc(Y, GBM)
        TABLE.save(tmp_path / "counts.json")
        assert stakes.summaries.load_summary(tmp_path / "counts.json") == TABLE
        assert _alike(by=self.BY, constraint="true_positive").text.startswith("Keeping the true")

    def test_temperature(self) -> None:
        logits = np.log(np.column_stack([1 - GBM, GBM]))
        cold, warm = (stakes.calibration.Temperature().fit(k * logits, Y) for k in (1, 3))
        assert 1 / warm.scales[0] == pytest.approx(3 / cold.scales[0], rel=1e-4)

    def test_unknown_options_come_before_the_place_of_the_file(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        from stakes.cli.entry import main

        with contextlib.suppress(SystemExit):
            assert main(["eval", "a.csv", "--target", "y", "--json", "out.json"]) == 2
        said = capsys.readouterr().err
        assert "instead of --target:  --label COLUMN" in said
        assert "Say:" not in said


class TestEighthList:
    """What an eighth reader of the README typed, and the line that answers it."""

    @pytest.mark.parametrize(
        ("typed", "answer"),
        [
            (lambda: _evaluated().to_csv, 'ev.to_pandas().to_csv("report.csv", index=False)'),
            (
                lambda: stakes.resources.evaluate_cascade(Y, GBM, LOGREG, costs=COSTS, cost=0.5),
                'prices={"small": 0, "large": 0.05}',
            ),
            (
                lambda: _rule().decide_frame(GBM, columns="p"),
                'dataclasses.replace(rule, columns="p").decide_frame(frame)',
            ),
            (
                lambda: stakes.evaluate_frame(GBM, label="y", costs=COSTS, capacity="1=1"),
                'stakes.evaluate(df["y"], df[["gbm_p"]], costs=costs, capacity={"yes": 100})',
            ),
        ],
    )
    def test_python(self, typed: Any, answer: str) -> None:
        with pytest.raises((AttributeError, StakesError)) as error:
            typed()
        assert answer in str(error.value)

    @pytest.mark.parametrize(
        ("words", "answer"),
        [
            (["sql", "rule.json", "--dialect", "bigquery"], "stakes rule rule.json --sql bigquery"),
            (["watch", "a.csv", "b.csv"], "stakes monitor jan.json feb.json"),
        ],
    )
    def test_command_line(
        self, capsys: pytest.CaptureFixture[str], words: list[str], answer: str
    ) -> None:
        from stakes.cli.entry import main

        with contextlib.suppress(SystemExit):
            assert main(words) == 2
        assert answer in capsys.readouterr().err


WORDED = stakes.ConfusionMatrix.from_decisions(YES, np.where(DECIDED, "yes", "no"))
NAMED_LINE = "stakes.CostMatrix.binary(fn=500, fp=20, classes=['no', 'yes'])"


def _switches() -> Any:
    return curves.switch_points(
        {
            name: stakes.ScoreCounts.from_scores(YES, p, kind="posterior", classes=["no", "yes"])
            for name, p in BOTH.items()
        }
    )


class TestNinthList:
    """What a ninth reader of the README typed, and the line that answers it."""

    @pytest.mark.parametrize(
        ("typed", "answer"),
        [
            (
                lambda: _evaluated().with_costs,
                'evaluate(y_true, models, costs={"fn": 80, "fp": 4})',
            ),
            (lambda: _evaluated().evaluate, 'evaluate(y_true, models, costs={"fn": 80, "fp": 4})'),
            (lambda: _evaluated().replace, 'evaluate(y_true, models, costs={"fn": 80, "fp": 4})'),
            (lambda: _evaluated().with_priors, "models, costs=costs, priors=0.02)"),
            (lambda: _evaluated().savings, ".saving for name in ev} per case, or {name: ev[name]."),
            (lambda: _evaluated().total_saving, "ev[name].total_saving for name in ev} over the"),
            (lambda: _evaluated()["a"].total, "type ev[model].total_saving"),
            (lambda: _evaluated().compare, "type ev.comparison, or of two models ev.difference("),
            (lambda: _evaluated().model, "type ev.models"),
            (lambda: _evaluated().rule.save("rule.json"), 'ev.rule().save("rule.json")'),
            (lambda: _evaluated().rule.to_sql("duckdb"), 'ev.rule().to_sql("duckdb", columns="p")'),
            (lambda: _evaluated().rule.decide(GBM), "ev.rule().decide(p)"),
            (lambda: stakes.Application(COSTS, priors={"yes": 0.02, "no": 0.98}), NAMED_LINE),
            (lambda: stakes.Application(COSTS, classes=["no", "yes"]), 'classes=["no", "yes"])'),
            (lambda: stakes.Application(COSTS, positive="yes"), 'classes=["no", "yes"])'),
            (lambda: stakes.expected_cost(WORDED, costs=COSTS), NAMED_LINE),
            (
                lambda: stakes.monitoring.compare_periods(WORDED, WORDED, application=COSTS),
                NAMED_LINE,
            ),
            (lambda: stakes.uncertainty.interval(WORDED, costs=COSTS), NAMED_LINE),
            (lambda: curves.bayes_error(YES, BOTH), "p, positive='yes', kind='posterior') for mod"),
            (lambda: curves.roc(Y, {"a": LLR}), "stakes.curves.roc(y_true, p) for model, p in"),
            (
                lambda: curves.bayes_error(Y, GBM).plot,
                '(y_true, p, kind="posterior", positive="yes")',
            ),
            (lambda: stakes.plots.bayes_error(YES, GBM), 'y_true, p, kind="posterior")), with pos'),
            (
                lambda: stakes.calibration.Affine().fit(np.round(GBM, 1), Y),
                'probabilities: Affine(bound="data").fit(stakes.Posteriors(p), y_true)',
            ),
            (lambda: _switches().to_pandas, "points.frame().to_pandas()"),
            (lambda: _switches().plot, "stakes.plots.switch_points(points)"),
            (lambda: _switches().by_cost_ratio(), "points.by_cost_ratio(0.02)"),
        ],
    )
    def test_python(self, typed: Any, answer: str) -> None:
        with pytest.raises((AttributeError, StakesError)) as error:
            typed()
        assert answer in str(error.value)

    def test_the_positive_class_beside_costs(self) -> None:
        """As `evaluate` takes it; costs with names know it already."""
        words, chosen = (np.where(each, "churn", "stay") for each in (Y, DECIDED))
        wanted = stakes.expected_cost(Y, DECIDED, costs=COSTS)
        told = {"costs": COSTS, "positive": "churn"}
        assert stakes.expected_cost(words, chosen, **told) == wanted
        assert stakes.expected_cost(1 - Y, 1 - DECIDED, costs=COSTS, positive=0) == wanted
        assert metrics.cost_by_cell(words, chosen, **told).total == wanted
        assert metrics.msu(words, chosen, **told) == metrics.msu(Y, DECIDED, costs=COSTS)
        nec = stakes.normalized_expected_cost(YES, YES, costs=NAMED, positive="yes")
        assert nec == stakes.normalized_expected_cost(YES, YES, costs=NAMED) == 0
        with pytest.raises(LabelError, match="the second of two is the positive one"):
            stakes.expected_cost(YES, YES, costs=NAMED, positive="no")
        for call in (stakes.expected_cost, metrics.cost_by_cell):
            with pytest.raises(LabelError, match="which one is the positive class"):
                call(words, chosen, costs=COSTS)
            for more in ({}, {"positive": "yes"}):
                with pytest.raises(LabelError, match="holds probabilities") as caught:
                    call(YES, GBM, costs=COSTS, **more)
                assert "bayes_decisions(p, costs)" in str(caught.value.hint)
                assert "with positive='yes'" in str(caught.value.hint)

    def test_answers_work(self) -> None:
        app = stakes.Application(
            costs=stakes.CostMatrix.binary(fn=500, fp=20, classes=["no", "yes"]),
            priors={"yes": 0.02, "no": 0.98},
        )
        assert app.priors is not None
        assert app.priors.tolist() == [0.98, 0.02]
        assert stakes.expected_cost(WORDED, costs=app.costs) == stakes.expected_cost(
            WORDED, costs=COSTS, positive="yes"
        )
        p = np.round(GBM, 1)
        fitted = stakes.calibration.Affine(bound="data").fit(stakes.Posteriors(p), Y)
        assert fitted.posteriors(stakes.Posteriors(p)).shape == (N, 2)
        each = {
            model: curves.bayes_error(YES, p, positive="yes", kind="posterior")
            for model, p in BOTH.items()
        }
        assert np.isfinite(each["gbm"].actual).all()

    def test_a_curve_without_actual_costs_says_so(self) -> None:
        assert "no actual cost: give kind='posterior'" in repr(curves.bayes_error(Y, GBM))
        assert "no actual" not in repr(curves.bayes_error(Y, GBM, kind="posterior"))

    def test_switch_points_say_where(self) -> None:
        points = _switches()
        assert all(f"| {start:.3g} |" in repr(points) for start in points.start[1:])
        by_name = points.by_cost_ratio({"yes": 0.02, "no": 0.98})
        assert str(by_name) == str(points.by_cost_ratio(0.02))

    def test_decisions_may_be_called_by_numbers_between_0_and_1(self) -> None:
        """A discount of 0.1 is no probability."""
        offers = np.where(DECIDED, 0.1, 0.0)
        costs = stakes.CostMatrix([[0, 20], [500, 0]], ["no", "yes"], [0.0, 0.1])
        wanted = stakes.expected_cost(Y, DECIDED, costs=COSTS)
        assert stakes.expected_cost(YES, offers, costs=costs) == wanted
        assert metrics.cost_by_cell(YES, offers, costs=costs).total == wanted

    def test_tables_of_two_words_ask_which_is_positive(self, tmp_path: Path) -> None:
        """Sorted, "churn" comes before "stay": nobody said that "stay" is the positive class."""
        words, chosen = (np.where(each, "churn", "stay") for each in (Y, DECIDED))
        table = stakes.ConfusionMatrix.from_decisions(words, chosen)
        table.save(tmp_path / "table.json")
        again = stakes.summaries.load_summary(tmp_path / "table.json")
        for each in (table, table + table, table.with_priors(0.5), copy.deepcopy(table), again):
            with pytest.raises(LabelError, match="which one is the positive class") as caught:
                metrics.f1(each)
            assert "classes=['stay', 'churn']" in str(caught.value.hint)
            assert metrics.f1(each, positive="churn") > 0
            assert metrics.mcc(each) > 0
        for call in (stakes.uncertainty.interval, lambda t, m: stakes.audit.implied_costs(m, t)):
            with pytest.raises(LabelError, match="which one is the positive class"):
                call(table, "f1")
        told = stakes.ConfusionMatrix.from_decisions(words, chosen, classes=["stay", "churn"])
        assert metrics.f1(told) == metrics.f1(TABLE) == metrics.f1(table, positive="churn")
        usual = stakes.ConfusionMatrix.from_decisions(YES, np.where(DECIDED, "yes", "no"))
        assert metrics.f1(usual) == metrics.f1(TABLE)

    def test_savings_over_the_volume(self) -> None:
        ev = _evaluated(volume=1000)
        assert ev["a"].total_saving == 1000 * ev["a"].saving == ev.frame()["total_saving"][0]
        assert _evaluated()["a"].total_saving is None

    def test_a_rule_that_was_called_answers(self, tmp_path: Path) -> None:
        ev = stakes.evaluate(Y, BOTH, costs=COSTS)
        ev.rule("gbm").save(tmp_path / "rule.json")
        assert str(stakes.load_rule(tmp_path / "rule.json")) == str(ev.rule("gbm"))
        assert "ev.rule().save" in repr(ev.rule.save)

    def test_lines_without_a_finite_point_are_drawn(self, tmp_path: Path) -> None:
        """With markers at even distances, matplotlib cannot draw them."""
        pytest.importorskip("matplotlib", reason="drawing needs matplotlib")
        from matplotlib.figure import Figure

        y, sure = np.array([0, 1, 1, 0] * 9), np.array([0.0, 1.0, 0.0, 1.0] * 9)
        known = {"kind": "posterior"}
        ties = curves.abstention(y, np.full(36, 0.5), MATRIX, abstention_costs=[0.0], **known)
        for drawing, curve, options in (
            (stakes.plots.bayes_error, curves.bayes_error(y, sure), {}),
            (stakes.plots.empirical_cross_entropy,
             curves.empirical_cross_entropy(y, sure, **known), {}),
            (stakes.plots.tippett, curves.tippett(y, sure, **known), {}),
            (stakes.plots.reliability, curves.reliability(y, sure, **known), {"log_odds": True}),
            (stakes.plots.abstention, ties, {}),
        ):  # fmt: skip
            ax = drawing(curve, ax=Figure().subplots(), **options)
            ax.figure.savefig(tmp_path / "drawn.png")
            said = ax.get_legend_handles_labels()[1]
            assert any("no finite value" in label for label in said), drawing


class TestTwoWords:
    """One score per case, and labels of which nothing says which one it speaks for."""

    WORDS = ("Legit", "Fraud")

    @pytest.mark.parametrize(
        "typed",
        [
            lambda y, p: stakes.ScoreCounts.from_scores(y, p, kind="posterior"),
            lambda y, p: stakes.calibration.Affine().fit(stakes.Posteriors(p), y),
            stakes.calibration.reliability_table,
        ],
    )
    def test_asks(self, typed: Any) -> None:
        y, p = np.array(self.WORDS * 30), np.linspace(0.1, 0.9, 60)
        with pytest.raises(stakes.exceptions.LabelError, match="which one") as error:
            typed(y, p)
        assert "['Fraud', 'Legit']" in str(error.value)
        typed(np.array(["no", "yes"] * 30), p)

    def test_the_answer_can_be_typed(self) -> None:
        y, p = np.array(self.WORDS * 30), np.linspace(0.1, 0.9, 60)
        counts = stakes.ScoreCounts.from_scores(y, p, kind="posterior", classes=["Legit", "Fraud"])
        assert counts.classes == self.WORDS


class TestTenthList:
    """What a tenth reader of the README typed, and the line that answers it."""

    @pytest.mark.parametrize(
        ("typed", "answer"),
        [
            (lambda: _compared().comparison.interval, 'type ev.difference("a", "b")'),
            (lambda: _estimated().cost, "type result.value"),
            (lambda: _estimated().interval, "type (result.low, result.high)"),
            (lambda: _estimated().verdict, "type result.text"),
            (lambda: _estimated().weather, "there are result.effective_cases, "),
            (lambda: _evaluated().decide([0.5], threshold=0.5), "there are costs, model"),
            (
                lambda: stakes.calibration.reliability_table(Y, GBM).plot(),
                'stakes.plots.reliability(stakes.curves.reliability(y_true, p, kind="posterior", ',
            ),
            (
                lambda: stakes.curves.bayes_error(Y, BOTH, kind="posterior"),
                "to draw them  stakes.plots.bayes_error({...}) of these",
            ),
            (lambda: stakes.elicitation.Elicitation(priors=0.1).costs, "session.application()"),
        ],
    )
    def test_python(self, typed: Any, answer: str) -> None:
        with pytest.raises((AttributeError, StakesError)) as error:
            typed()
        assert answer in str(error.value)

    def test_decides_frames_of_models_and_by_another_model(self) -> None:
        ev = _compared()
        for given in (BOTH, {name: np.asarray(BOTH[name]) for name in BOTH}):
            assert (ev.decide(given) == ev.decide(np.asarray(BOTH[ev.best]))).all()
            other = next(name for name in ev if name != ev.best)
            wanted = ev.rule(other).decide(np.asarray(BOTH[other]))
            assert (ev.decide(given, model=other) == wanted).all()

    def test_scores_of_another_model_are_asked_about(self) -> None:
        pd = pytest.importorskip("pandas", reason="needs pandas: pip install pandas")
        ev, frame = _compared(), pd.DataFrame(BOTH)
        other = next(name for name in ev if name != ev.best)
        for given in (frame[[other]], frame[other], {other: BOTH[other]}):
            with pytest.raises(DataError, match=f"these are scores of '{other}'"):
                ev.decide(given)
        wanted = ev.decide(frame)
        assert (ev.decide(frame[ev.best].to_numpy()) == wanted).all()
        assert (ev.decide(frame[ev.best]) == wanted).all()

    def test_a_rule_knows_the_column_its_model_is_called_after(self) -> None:
        pd = pytest.importorskip("pandas", reason="needs pandas: pip install pandas")
        frame, rule = pd.DataFrame(BOTH), _rule()
        assert rule.columns == ("gbm",)
        assert (rule.decide(frame) == rule.decide(BOTH["gbm"])).all()
        with pytest.raises(DataError, match="no column 'gbm'"):
            rule.decide(frame[["logreg"]])
        assert '"gbm"' in rule.to_sql()
        assert stakes.evaluate(Y, GBM, costs=COSTS).rule("model").columns is None

    def test_one_share_of_two_is_enough(self) -> None:
        app = stakes.Application(stakes.CostMatrix.binary(fn=4, fp=1), priors={1: 0.02})
        assert app.priors.tolist() == [0.98, 0.02]
        with pytest.raises(StakesError, match="missing 0"):
            stakes.Application(stakes.CostMatrix.binary(fn=4, fp=1), priors={1: 2})

    def test_a_frame_with_the_same_names_on_both_sides_is_asked_about(self) -> None:
        pd = pytest.importorskip("pandas", reason="needs pandas: pip install pandas")
        frame = pd.DataFrame([[0, 4], [40, 0]], index=["no", "yes"], columns=["no", "yes"])
        with pytest.raises(CostError, match="which are the true classes") as error:
            stakes.CostMatrix.from_frame(frame)
        assert 'costs.rename_axis("truth")' in str(error.value)
        said = stakes.CostMatrix.from_frame(frame.rename_axis("truth"))
        assert said.cost("yes", "no") == 40
        assert stakes.CostMatrix.from_frame(frame.rename_axis("decision")).cost("no", "yes") == 40
        across = frame.rename_axis(columns="decision")
        assert stakes.CostMatrix.from_frame(across).cost("yes", "no") == 40
        equal = pd.DataFrame([[0, 4], [4, 0]], index=["no", "yes"], columns=["no", "yes"])
        assert stakes.CostMatrix.from_frame(equal).cost("yes", "no") == 4

    @pytest.mark.parametrize(
        ("words", "answer"),
        [
            (["eval", "a.csv", "--case-costs", "fn=amount"], "--cost fn=amount fp=4"),
            (["ask", "--priors", "0.08"], "instead of --priors:  --prevalence 2%"),
        ],
    )
    def test_command_line(
        self, capsys: pytest.CaptureFixture[str], words: list[str], answer: str
    ) -> None:
        from stakes.cli.entry import main

        with contextlib.suppress(SystemExit):
            assert main(words) == 2
        assert answer in capsys.readouterr().err


class TestEleventhList:
    """What an eleventh reader of the README typed, and the line that answers it."""

    @pytest.mark.parametrize(
        ("typed", "answer"),
        [
            (lambda: stakes.metrics.brier_score_loss, 'kind="posterior", positive="yes")'),
            (lambda: stakes.metrics.fbeta, 'f_beta(y_true, decisions, beta=2, positive="yes")'),
            (lambda: stakes.uncertainty.bootstrap, 'metric="f1")'),
            (lambda: np.asarray(TABLE), "matrix.counts"),
            (lambda: np.asarray(NAMED), "costs.values"),
            (lambda: [TABLE.to_numpy], "type matrix.counts"),
            (lambda: [NAMED.to_pandas], 'pivot(index="truth", columns="decision"'),
            (lambda: _evaluated()["a"].interval.lower, "type interval.low"),
            (lambda: metrics.f1(YES, YES, pos_label="yes"), "Hint: positive='yes'"),
            (lambda: stakes.calibration.reliability_table(Y, GBM, n_bins=10), "Hint: bins=10"),
            (
                lambda: stakes.uncertainty.interval(TABLE, metric="f1", positive="yes"),
                'classes=["no", "yes"]) in its place',
            ),
            (
                lambda: stakes.calibration.Affine().fit(LLR, YES, positive="yes"),
                'Affine(classes=["no", "yes"], bound="data").fit(',
            ),
            (
                lambda: stakes.sklearn.CostSensitiveClassifier,
                "stakes.sklearn.BayesDecisionClassifier(model, costs)",
            ),
        ],
    )
    def test_python(self, typed: Any, answer: str) -> None:
        pytest.importorskip("sklearn")
        with pytest.raises((AttributeError, StakesError)) as error:
            typed()
        assert answer in str(error.value)

    def test_ends_of_an_interval_have_names(self) -> None:
        one = _evaluated()["a"]
        low, high = one.interval
        assert (one.interval.low, one.interval.high) == (low, high) == one.interval
        assert repr(one.interval) == repr((low, high))
        assert pickle.loads(pickle.dumps(one.interval)).high == high

    def test_an_answer_that_is_possible_is_named(self) -> None:
        words = np.where(Y, "churn", "stay")
        with pytest.raises(LabelError) as error:
            stakes.uncertainty.interval(
                stakes.ConfusionMatrix.from_decisions(words, words), metric="f1"
            )
        assert "positive=" not in str(error.value.hint)

    def test_a_table_is_no_cost_matrix(self) -> None:
        for call in (
            lambda: stakes.evaluate(Y, GBM, costs=TABLE),
            lambda: stakes.bayes_decisions(GBM, TABLE),
        ):
            with pytest.raises(DataError, match="must be an array; got ConfusionMatrix"):
                call()

    def test_files_of_another_kind(self, tmp_path: Path) -> None:
        rule, kept = tmp_path / "rule.json", tmp_path / "kept.json"
        stakes.DecisionRule(NAMED).save(rule)
        stakes.calibration.Affine().fit(LLR, Y).save(kept)
        for read, file, answer in (
            (stakes.summaries.load_summary, rule, f"stakes.load_rule('{rule}')"),
            (stakes.summaries.load_summary, kept, f"stakes.calibration.load('{kept}')"),
            (stakes.calibration.load, rule, "stakes.load_rule("),
            (stakes.load_rule, kept, "stakes.calibration.load("),
        ):
            with pytest.raises(FormatError, match=r"is a (rule|calibration), not a s") as error:
                read(file)
            assert answer in str(error.value.hint)

    @pytest.mark.parametrize(
        ("words", "answer"),
        [
            (["capacity", "a.csv"], "--capacity VALUE=200"),
            (["decide", "rule.json", "a.csv", "--out", "b.csv"],
             "stakes decide a.csv --rule rule.json -o b.csv"),
            (["decide", "rule.json", "--rule", "rule.json", "a.csv", "-o", "b.csv"],
             "stakes decide a.csv --rule rule.json -o b.csv"),
            (["decide", "rule.json"], "stakes decide NEW.csv --rule rule.json"),
            (["inspect", "rule.json"], "  stakes rule rule.json"),
            (["calibrate", "a.csv", "--out", "c.csv"], "stakes calibrate --apply cal.json FILE"),
            (["costs", "--cost", "fn=40", "fp=4"], "--template DATA.csv"),
            (["eval", "a.csv", "--abstain", "2"], "in place of --cost"),
        ],
    )  # fmt: skip
    def test_command_line(
        self,
        capsys: pytest.CaptureFixture[str],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        words: list[str],
        answer: str,
    ) -> None:
        from stakes.cli.entry import main

        monkeypatch.chdir(tmp_path)
        stakes.DecisionRule(NAMED, columns=("p",)).save("rule.json")
        Path("a.csv").write_text("y,p\nno,0.1\nyes,0.8\n")
        with contextlib.suppress(SystemExit):
            assert main(words) == 2
        assert answer in capsys.readouterr().err


def _estimated() -> Any:
    reference = stakes.estimation.DecidedCases.from_scores(Y, GBM, costs=COSTS)
    return stakes.estimation.estimate_cost(reference, GBM)


def _compared() -> Any:
    return stakes.evaluate(Y, BOTH, costs=COSTS)


def _rule() -> Any:
    return stakes.evaluate(Y, BOTH, costs=COSTS).rule("gbm")


def _alike(**more: Any) -> Any:
    return stakes.resources.constrained_slices(Y, GBM, costs=COSTS, **{"ratio": 0.8} | more)


def _in_euros() -> stakes.Application:
    return stakes.Application(COSTS, unit="EUR")


def _evaluated(**more: Any) -> Any:
    y = [0, 1] * 60
    p = [0.1, 0.8, 0.3, 0.6] * 30
    return stakes.evaluate(y, {"a": p}, costs={"fn": 10, "fp": 1}, **more)


def _cascade() -> Any:
    prices = {"small": 0, "large": 0.5}
    stages = {"small": LOGREG, "large": GBM}
    return stakes.resources.evaluate_cascade(Y, stages, prices=prices, costs=COSTS)


class TestTwelfthList:
    """What another reader of the README typed."""

    def test_a_named_column_is_called_by_its_name(self) -> None:
        pd = pytest.importorskip("pandas", reason="needs pandas: pip install pandas")
        frame = pd.DataFrame(BOTH)
        ev = stakes.evaluate(Y, frame["gbm"], costs=COSTS)
        assert list(ev) == ["gbm"]
        assert ev.rule("gbm").columns == ("gbm",)
        assert (ev.decide(frame) == ev.decide(GBM)).all()
        assert list(stakes.evaluate(Y, pd.Series(GBM), costs=COSTS)) == ["model"]

    def test_entries_of_the_catalogue_take_columns(self) -> None:
        entry = metrics.catalogue["f1"]
        assert entry(YES, np.where(DECIDED, "yes", "no"), positive="yes") == entry(TABLE)
        assert metrics.catalogue["auc"](Y, GBM) == metrics.auc(Y, GBM)
        with pytest.raises(AttributeError, match=r"type stakes.metrics.catalogue\['mcc'\]"):
            _ = metrics.catalogue.mcc  # type: ignore[attr-defined]
        with pytest.raises(DataError, match="mcc") as caught:
            metrics.catalogue["mcc"](Y, DECIDED, positive=1)
        assert "the same for either class" in str(caught.value)

    def test_words_that_say_which_is_positive(self) -> None:
        said = np.where(DECIDED, "yes", "no")
        assert metrics.f1(YES, said) == metrics.f1(YES, said, positive="yes")
        other = np.where(Y, "churn", "stay")
        with pytest.raises(LabelError, match="which one is the positive class"):
            metrics.f1(other, np.where(DECIDED, "churn", "stay"))

    def test_costs_per_case_are_costs(self) -> None:
        cases = stakes.CaseCosts.binary(fn=AMOUNT, fp=5)
        alone = stakes.evaluate(Y, GBM, case_costs=cases, unit="EUR")
        both = stakes.evaluate(Y, GBM, costs=cases.average(), case_costs=cases, unit="EUR")
        assert alone.verdict == both.verdict
        with pytest.raises(DataError, match="case_costs") as caught:
            stakes.expected_cost(Y, DECIDED, case_costs=cases)  # type: ignore[call-arg]
        assert "stakes.metrics.case_cost(" in str(caught.value)

    @pytest.mark.parametrize(
        ("typed", "answer"),
        [
            (lambda: stakes.evaluate(Y, GBM, costs=COSTS)["model"].plot, "ev.plot()"),
            (lambda: stakes.CostMatrix(MATRIX).threshold, "stakes.Application(costs)"),
            (lambda: metrics.best_threshold(Y, GBM, costs=COSTS), "stakes.metrics.at_min_cost("),
            (lambda: stakes.audit.best_threshold(Y, GBM, costs=COSTS), 'best_threshold("f1", '),
            (lambda: metrics.f1(Y, DECIDED, average="macro"), "stakes.metrics.macro_f1("),
            (lambda: metrics.f1_macro(Y, DECIDED), "stakes.metrics.macro_f1("),
            (lambda: metrics.f1([0, 1, 2], [0, 1, 2]), "macro_f1"),
            (lambda: metrics.f1(["no"] * 5, ["no"] * 5), 'classes=["no", "yes"]'),
            (
                lambda: stakes.monitoring.compare_periods((Y, Y), (Y, Y), costs=COSTS),
                "stakes.ConfusionMatrix.from_decisions(y_true, decisions)",
            ),
            (lambda: _cascade().decide, 'result.cascade.step("small", posteriors)'),
            (lambda: _cascade().cascade.predict, 'cascade.step("small", posteriors)'),
            (lambda: _rule().to_sql("duckdb", table="t"), "AS decision FROM"),
        ],
    )
    def test_python(self, typed: Any, answer: str) -> None:
        with pytest.raises((StakesError, AttributeError)) as caught:
            typed()
        assert answer in str(caught.value)
