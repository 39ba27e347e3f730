"""The facts of the catalogue are executed: formulas, naive values, identities, ranges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, ConfusionMatrix, CostMatrix, ScoreCounts
from stakes.exceptions import DataError, StakesError, UndefinedError
from stakes.metrics import catalogue

C_FP, C_FN, WEIGHT = 1.0, 3.0, 0.75
SETTINGS = {"priors": 0.3, "beta": 2.0, "threshold": 0.25, "weight": WEIGHT, "alpha": 2.0,
            "shares": [0.25, 0.25]}  # fmt: skip
NAMES = {"max": max, "min": min, "sum": np.sum, "mean": np.mean, "prod": np.prod,
         "sqrt": np.sqrt, "abs": abs, "maximum": np.maximum, "nan": math.nan,
         "w": WEIGHT, "C_FP": C_FP, "C_FN": C_FN}  # fmt: skip


def costs(n_classes: int) -> Application:
    if n_classes == 2:
        return Application(CostMatrix.binary(false_positive=C_FP, false_negative=C_FN))
    off_diagonal = 1.0 + np.arange(n_classes**2).reshape(n_classes, n_classes) % 4
    return Application(off_diagonal * (1 - np.eye(n_classes)))


def ready(name: str, n_classes: int = 2):
    metric = catalogue[name]
    given = {key: SETTINGS[key] for key in metric.needs if key in SETTINGS}
    if "application" in metric.needs:
        given["application"] = costs(n_classes)
    if name == "beta_averaged_accuracy":
        given = {"alpha": 2.0, "beta": 2.0}
    return metric.fixed(**given)


def quantities(counts: np.ndarray) -> dict:
    rows, cols, n = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    names = {"diag": np.diag(counts), "rows": rows, "cols": cols, "total": n, "n": n,
             "K": len(rows), "counts": counts, "C": costs(len(rows)).costs.values}  # fmt: skip
    if len(rows) == 2:
        (tn, fp), (fn, tp) = counts
        names |= {"TN": tn, "FP": fp, "FN": fn, "TP": tp, "P": fn + tp, "N": tn + fp}
    return names


def tables(n_classes: int, n: int, *, low: int = 1) -> np.ndarray:
    rng = np.random.default_rng(7)
    return rng.integers(low, 60, size=(n, n_classes, n_classes)).astype(float)


def evaluated(text: str, **names: object) -> object:
    return eval(text, {"__builtins__": {}}, {**NAMES, **names})


def sized(classes: str) -> list[str]:
    return [metric.name for metric in catalogue.tables() if metric.classes == classes]


def counted(counts: np.ndarray, size: int) -> ConfusionMatrix:
    return ConfusionMatrix(counts, classes=range(size))


NAMED = [metric.name for metric in catalogue.tables()]
FACTS = [
    quantities(counts) | {name: ready(name)(counted(counts, 2)) for name in NAMED}
    for counts in tables(2, 20)
]


@pytest.mark.parametrize("name", NAMED)
class TestFacts:
    def test_formula_gives_the_value(self, name: str) -> None:
        metric = ready(name)
        if metric.formula.startswith("integral"):
            pytest.skip("checked against quadrature by its own test")
        sizes = (2, 3, 5) if metric.classes == "any" else (2,)
        for size in sizes:
            metric = ready(name, size)
            for counts in tables(size, 30):
                expected = evaluated(metric.formula, **quantities(counts), beta=2.0, alpha=2.0,
                                     prior=0.3, threshold=0.25)  # fmt: skip
                assert metric(counted(counts, size)) == pytest.approx(expected, rel=1e-12)

    def test_many_tables_at_once_are_the_same_tables_one_by_one(self, name: str) -> None:
        metric = ready(name)
        many = np.concatenate([tables(2, 40), tables(2, 40, low=0)])
        many[:4] = [[[5, 0], [0, 0]], [[0, 0], [0, 5]], [[3, 0], [4, 0]], [[0, 3], [0, 4]]]
        if metric.undefined.startswith("error"):
            many = many[many.sum(axis=2).min(axis=1) > 0]
        single = [metric(counted(counts, 2)) for counts in many]
        np.testing.assert_allclose(metric.values(many), single, rtol=1e-12, atol=1e-15)

    def test_naive_value_is_the_best_of_systems_that_ignore_the_input(self, name: str) -> None:
        """Against every constant decision, and random ones at thousands of fixed shares."""
        shares = [[0.8, 0.2], [0.99, 0.01], [0.6, 0.4]]
        if catalogue[name].classes == "any":
            shares += [[0.5, 0.3, 0.2], [0.97, 0.02, 0.01]]
        for priors in map(np.array, shares):
            size = len(priors)
            metric, sign = ready(name, size), 1 if catalogue[name].higher_is_better else -1
            rng = np.random.default_rng(3)
            chances = [rng.dirichlet(np.full(size, spread), 2000) for spread in (0.3, 1, 5)]
            tried = np.concatenate([np.eye(size), priors[None], *chances])
            best = metric.naive_value(priors)
            found = np.nanmax(sign * metric.values(priors[:, None] * tried[:, None, :]))
            assert found <= sign * best + 1e-6
            assert found >= sign * best - 2e-3  # as far as the shares tried reach
            if metric.naive not in ("by integration", "by search"):
                expected = evaluated(metric.naive, P=priors, P1=priors[0], P2=priors[1], K=size,
                                     beta=2.0, alpha=2.0, prior=0.3, threshold=0.25,
                                     C=costs(size).costs.values)  # fmt: skip
                assert best == pytest.approx(expected, abs=1e-6)

    def test_identities_hold(self, name: str) -> None:
        for facts in FACTS:
            for identity in catalogue[name].identities:
                left, equal, right = identity.removeprefix("K > 2 or ").partition(" == ")
                assert equal
                assert evaluated(left, **facts) == pytest.approx(evaluated(right, **facts))

    def test_values_stay_in_the_range_and_reach_the_better_end(self, name: str) -> None:
        metric = ready(name)
        values = metric.values(tables(2, 500, low=0)[1:])
        values = values[~np.isnan(values)]
        assert (values >= metric.low - 1e-12).all()
        assert (values <= metric.high + 1e-12).all()
        best = metric.values(np.array([[1e6, 1e-6], [1e-6, 1e6]]))
        worse = metric.values(np.array([[6e5, 4e5], [4e5, 6e5]]))
        assert (best > worse) == metric.higher_is_better

    def test_says_what_it_answers_and_where_it_is_defined(self, name: str) -> None:
        metric = catalogue[name]
        assert metric.question.endswith("?")
        assert metric.reference
        assert metric.undefined
        assert metric.function.__name__ == name


# alpha_cost is about the first and the second class by definition.
@pytest.mark.parametrize("name", [name for name in sized("two") if name != "alpha_cost"])
def test_positive_names_the_other_class(name: str) -> None:
    metric = ready(name)
    cm = ConfusionMatrix([[50, 30], [5, 15]], classes=["a", "b"])
    flipped = ConfusionMatrix([[15, 5], [30, 50]], classes=["b", "a"])
    if "application" in metric.needs:
        app = Application([[0, C_FP], [C_FN, 0]])
        named = {"application": Application(CostMatrix(app.costs.values, classes=["a", "b"]))}
        other = {"application": Application(CostMatrix([[0, C_FN], [C_FP, 0]], classes=["b", "a"]))}
        assert metric.function(cm, positive="a", **named) == pytest.approx(
            metric.function(flipped, positive="a", **other)
        )
        return
    assert metric(cm, positive="a") == pytest.approx(metric(flipped))
    assert metric.values(cm.counts, positive=0) == pytest.approx(metric(flipped))


class TestCatalogue:
    def test_is_a_mapping_by_name(self) -> None:
        assert catalogue["mcc"]([[90, 5], [1, 4]]) == pytest.approx(
            (90 * 4 - 5 * 1) / math.sqrt(9 * 5 * 95 * 91)
        )
        assert "mcc" in catalogue
        assert len(catalogue) == len(list(catalogue))

    def test_frame_has_one_row_per_metric(self) -> None:
        table = catalogue.frame()
        assert list(table["name"]) == list(catalogue)
        assert set(table["direction"]) == {"higher", "lower"}

    def test_printing_shows_the_table(self) -> None:
        shown = str(catalogue).splitlines()
        assert len(shown) == len(catalogue) + 1
        assert shown[0].split()[:2] == ["name", "direction"]

    def test_other_names_are_understood(self) -> None:
        assert catalogue["youden"] is catalogue["informedness"]
        assert catalogue["Dice"] is catalogue["f1"]

    def test_unknown_name_says_what_is_near(self) -> None:
        with pytest.raises(KeyError, match="did you mean"):
            catalogue["f1_scor"]
        with pytest.raises(DataError, match="no metric 'nonsense'"):
            catalogue.find("nonsense")

    def test_parameters_in_the_name(self) -> None:
        cm = [[90, 5], [1, 4]]
        assert catalogue.find("f_beta:beta=2")(cm) == (1 + 4) * 4 / ((1 + 4) * 4 + 4 * 1 + 5)
        with pytest.raises(DataError, match="name=number"):
            catalogue.find("f_beta:beta")

    @pytest.mark.parametrize(
        "name", ["F1", "MCC", "balanced-accuracy", "Balanced Accuracy", "B-ROC", "LR-"]
    )
    def test_names_as_people_write_them(self, name: str) -> None:
        assert catalogue.find(name).name in catalogue

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("f1:beta=2", "`f1` has no parameter 'beta'; it takes none"),
            ("f_beta:gamma=2", "it takes beta"),
            ("f1:positive=0", "no parameter 'positive'"),
            ("f_beta:beta=-1", "`beta` must be"),
            ("net_benefit:threshold=1", "`threshold` must be"),
            ("weighted_accuracy:weight=2", "`weight` must"),
        ],
    )
    def test_parameters_that_the_metric_refuses(self, name: str, words: str) -> None:
        with pytest.raises(StakesError, match=words):
            catalogue.find(name)

    def test_tables_of_other_shapes_are_refused(self) -> None:
        with pytest.raises(DataError, match="`f1` needs two classes and two decisions"):
            catalogue["f1"].values(np.ones((5, 3, 3)))
        for name in ("accuracy", "mcc", "kappa", "macro_f1"):
            with pytest.raises(DataError, match="needs decisions that are the classes"):
                catalogue[name].values(np.ones((2, 3)))

    @pytest.mark.parametrize("name", sorted(set(NAMED) - {"expected_cost",
                                                          "normalized_expected_cost"}))  # fmt: skip
    def test_plain_counts_will_do(self, name: str) -> None:
        metric, counts = ready(name), [[90, 5], [1, 4]]
        assert metric(counts) == metric(ConfusionMatrix(counts))

    def test_missing_parameters_are_named(self) -> None:
        with pytest.raises(UndefinedError, match="needs beta"):
            catalogue["f_beta"].values([[1, 2], [3, 4]])

    def test_an_application_fills_in_what_it_can_tell(self) -> None:
        app = Application([[0, 1], [3, 0]])
        assert catalogue["net_benefit"].with_application(app).settings == {"threshold": 0.25}
        assert catalogue["weighted_accuracy"].with_application(app).settings == {"weight": 0.75}
        assert catalogue["msu"].with_application(app).missing == ()


@given(st.lists(st.integers(0, 50), min_size=4, max_size=4), st.integers(2, 5))
def test_metrics_of_rates_do_not_see_the_number_of_cases(cells: list[int], factor: int) -> None:
    counts = np.array(cells, dtype=float).reshape(2, 2)
    skipped = {"total_classification_cost"}
    for name in NAMED:
        metric = ready(name)
        if name in skipped or metric.undefined.startswith("error"):
            continue
        first, second = metric.values(counts), metric.values(factor * counts)
        np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-12, equal_nan=True)


class TestNaiveSystems:
    def test_a_coin_beats_every_constant_where_both_classes_must_be_found(self) -> None:
        """By hand at equal shares: half of each class is found, half of each decision right."""
        even = [0.5, 0.5]
        for name in ("geometric_mean", "p4", "class_balance_accuracy", "macro_f1"):
            assert catalogue[name].naive_value(even) == pytest.approx(0.5)
        for name in ("imbalance_accuracy", "mcc", "markedness"):
            assert catalogue[name].naive_value(even) == pytest.approx(0, abs=1e-6)
        assert catalogue["diagnostic_odds_ratio"].naive_value(even) == pytest.approx(1)

    def test_weighted_f1_by_hand(self) -> None:
        """Decide as often as each class occurs: 2 P q / (P + q) = P, of which the mean is 5/9."""
        shares = np.array([1 / 3, 2 / 3])
        at_shares = (shares * shares).sum()
        always = shares[1] * 2 * shares[1] / (1 + shares[1])
        found = catalogue["weighted_f1"].naive_value(shares)
        assert found >= max(at_shares, always)
        # the slopes P 2 P^2 / (P + q)^2 are equal where P + q goes as P to the power of 3/2
        powers = shares**1.5
        q = 2 * powers / powers.sum() - shares
        best = (shares * 2 * shares * q / (shares + q)).sum()
        assert (q > 0).all()
        assert found == pytest.approx(best, rel=1e-9)

    def test_bad_priors_raise(self) -> None:
        for priors in ([0.5, np.nan], [0.5, 0.6], [1.2, -0.2]):
            with pytest.raises(StakesError, match="priors"):
                catalogue["mcc"].naive_value(priors)


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_is_at_least_minus_one(size: int, weights: str | None) -> None:
    """Every pair of decisions swapped is the worst; random tables stay above."""
    metric = catalogue["kappa"].fixed(weights=weights)
    worst = np.zeros((size, size))
    worst[0, -1] = worst[-1, 0] = 7
    assert metric.values(worst) == pytest.approx(-1)
    assert metric.low == -1
    rng = np.random.default_rng(0)
    many = rng.exponential(size=(4000, size, size)) ** rng.integers(1, 12, (4000, 1, 1))
    assert (metric.values(many) >= -1).all()


class TestScores:
    SCORES = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9], kind="posterior")

    def test_numbers_of_scores_are_called_with_scores(self) -> None:
        assert catalogue["auc"](self.SCORES) == 3 / 4
        assert catalogue["sp_at_se"](self.SCORES, sensitivity=0.5) == 1.0

    def test_and_refuse_tables(self) -> None:
        with pytest.raises(DataError, match="a number of scores"):
            catalogue["auc"].values([[1, 2], [3, 4]])

    @pytest.mark.parametrize("target", [0.1, 0.5, 0.9])
    def test_naive_values_are_those_of_useless_scores(self, target: float) -> None:
        rng = np.random.default_rng(0)
        y, s = rng.integers(0, 2, 100_000), rng.normal(size=100_000)
        useless = ScoreCounts.from_scores(y, s, kind="rank")
        for metric in catalogue.values():
            if metric.of == "scores":
                given = dict.fromkeys(metric.needs, target)
                assert metric(useless, **given) == pytest.approx(
                    evaluated(metric.naive, **given), abs=0.01
                )
