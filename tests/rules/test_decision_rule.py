"""A rule decides as rational arithmetic does, at any priors and on any scores."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import narwhals as nw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stakes import Application, CostMatrix, DecisionRule, bayes_decisions
from stakes._kernels.bayes_rule import log_ratio
from stakes.calibration import Affine, Isotonic
from stakes.engines.duckdb_sql import DIALECT as DUCKDB
from stakes.engines.narwhals_expressions import DIALECT as NARWHALS
from stakes.exceptions import CostError, DataError, PosteriorError, PriorError
from stakes.posteriors import Posteriors, shift_priors

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
APP = Application(COSTS, priors=[0.98, 0.02], unit="EUR")

cents = st.integers(-300, 300).map(lambda n: n / 100)
shares = st.integers(1, 99).map(lambda n: (round(1 - n / 100, 2), n / 100))
matrices = st.integers(2, 4).flatmap(
    lambda m: st.lists(st.lists(cents, min_size=m, max_size=m), min_size=2, max_size=2)
)
thousandths = np.arange(1001) / 1000


def exactly(number: float) -> Fraction:
    """The number that was typed."""
    return Fraction(repr(number))


def cheapest(costs, p: Fraction, priors=None, from_priors=None) -> int:
    """The first decision of least expected cost, by rational arithmetic, moved case by case."""
    weights = [1 - p, p]
    if priors is not None:
        there, here = ([1 - exactly(s[1]), exactly(s[1])] for s in (priors, from_priors))
        weights = [w * a / b for w, a, b in zip(weights, there, here, strict=True)]
    expected = [
        sum(w * exactly(row[j]) for w, row in zip(weights, costs, strict=True))
        for j in range(len(costs[0]))
    ]
    return expected.index(min(expected))


def corners(costs, priors, from_priors) -> list[Fraction]:
    """Where two decisions cost the same, as a posterior before it is moved."""
    (f0, f1) = (
        (1 - exactly(priors[1])) / (1 - exactly(from_priors[1])),
        exactly(priors[1]) / exactly(from_priors[1]),
    )
    found = set()
    for i in range(len(costs[0])):
        for j in range(i):
            a = f0 * (exactly(costs[0][i]) - exactly(costs[0][j]))
            b = f1 * (exactly(costs[1][i]) - exactly(costs[1][j]))
            if a != b and 0 < a / (a - b) < 1:
                found.add(a / (a - b))
    return sorted(found)


@settings(max_examples=60)
@given(costs=matrices, priors=shares, from_priors=shares)
def test_cuts_are_where_rational_arithmetic_changes_its_mind(costs, priors, from_priors):
    rule = DecisionRule(Application(costs, priors=priors), from_priors=from_priors)
    at = corners(costs, priors, from_priors)
    places = sorted({Fraction(0), Fraction(1), *at})
    between = [(a + b) / 2 for a, b in pairwise(places)]
    for p in (*places, *between):
        here = [piece for piece in rule.stretches if piece.start < p]
        here += [piece for piece in rule.stretches if piece.start == p and piece.included]
        assert here[-1].decision == cheapest(costs, p, priors, from_priors)


@settings(max_examples=40)
@given(costs=matrices, priors=shares, from_priors=shares)
def test_decimals_are_decided_as_by_rational_arithmetic(costs, priors, from_priors):
    rule = DecisionRule(Application(costs, priors=priors), from_priors=from_priors)
    some = thousandths[::50]
    wanted = [cheapest(costs, exactly(p), priors, from_priors) for p in some.tolist()]
    near = [exactly(p) for p in some.tolist()]
    corner = corners(costs, priors, from_priors)
    told = [min((abs(p - c) for c in corner), default=1) for p in near]
    clear = np.array([t == 0 or t > Fraction(1, 10**12) for t in told])
    assert clear.all()  # decimals of three digits are never that near without tying
    assert (rule.positions(some) == wanted).all()


@settings(max_examples=60)
@given(costs=matrices)
def test_decide_equals_bayes_decisions(costs):
    rule = DecisionRule(Application(costs))
    for kind in (np.float64, np.float32, np.float16):
        p = thousandths.astype(kind)
        assert (rule.positions(p) == bayes_decisions(p, costs)).all()


@pytest.mark.parametrize(
    ("names", "kind"),
    [(["wait", "call"], "U"), ([7, 9], "i"), ([False, True], "b"), (["wait", 1], "O")],
)
def test_decisions_are_given_by_name(names, kind):
    rule = DecisionRule(Application(CostMatrix([[0, 1], [10, 0]], decisions=names)))
    found = rule.decide([0.05, 0.3, 0.5])
    assert found.tolist() == [names[0], names[1], names[1]]
    assert found.dtype.kind == kind
    assert rule.positions([0.05, 0.3, 0.5]).tolist() == [0, 1, 1]
    assert [rule.decide_one(p) for p in (0.05, 0.3)] == found[:2].tolist()


@settings(max_examples=30)
@given(seed=st.integers(0, 2**20), k=st.integers(3, 6), m=st.integers(2, 5))
def test_more_classes_are_decided_by_expected_costs(seed, k, m):
    rng = np.random.default_rng(seed)
    costs, p = rng.integers(0, 9, (k, m)), rng.dirichlet(np.ones(k), 200)
    here, there = rng.dirichlet(np.full(k, 5.0)), rng.dirichlet(np.full(k, 5.0))
    app = Application(costs, priors=there)
    assert (DecisionRule(app).positions(p) == bayes_decisions(p, costs)).all()
    moved = DecisionRule(app, from_priors=here)
    assert (
        moved.positions(p) == bayes_decisions(shift_priors(p, there, from_priors=here), costs)
    ).all()
    logits = np.log(p) + 3.0
    assert (moved.on("log_odds").positions(logits) == moved.positions(p)).all()
    assert (moved.on("llr").positions(np.log(p / here)) == moved.positions(p)).all()


@settings(max_examples=60)
@given(costs=matrices, first=shares, second=shares)
def test_a_rule_moved_there_and_back_is_the_same(costs, first, second):
    rule = DecisionRule(Application(costs, priors=first))
    back = rule.moved(second).moved(first)
    assert back.cuts() == rule.cuts()
    assert (back.positions(thousandths) == rule.positions(thousandths)).all()


@settings(max_examples=40)
@given(costs=matrices, priors=shares, from_priors=shares)
def test_other_scores_have_the_same_cuts(costs, priors, from_priors):
    rule = DecisionRule(Application(costs, priors=priors), from_priors=from_priors)
    odds, llr = rule.on("log_odds"), rule.on("llr")
    base = log_ratio(exactly(from_priors[1]), 1 - exactly(from_priors[1]))
    with np.errstate(divide="ignore"):
        wanted = [np.log(t) - np.log1p(-t) for t in rule.thresholds]
    np.testing.assert_allclose(odds.thresholds, wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(llr.thresholds, np.array(wanted) - base, rtol=1e-9, atol=1e-9)
    assert odds.taken == llr.taken == rule.taken
    assert odds.on("posterior").cuts() == rule.cuts()


def test_logarithms_are_compared_as_they_come():
    rule = DecisionRule(Application([[0, 1], [9, 0]]), scores="log_odds")
    cut = rule.threshold
    assert cut == float(np.log(1 / 9))
    around = [np.nextafter(cut, -np.inf), cut, np.nextafter(cut, np.inf), -np.inf, np.inf]
    assert rule.positions(around).tolist() == [0, 0, 1, 0, 1]
    assert rule.positions([[0.0, cut + 1], [0.0, cut - 1]]).tolist() == [1, 0]


def test_the_earlier_decision_is_taken_at_the_cut():
    turned = DecisionRule(Application([[1, 0], [0, 1]]))
    assert turned.positions([0.4, 0.5, 0.6]).tolist() == [1, 0, 0]
    assert turned.threshold == 0.5
    logs = turned.on("log_odds")
    assert logs.positions([-1e-300, 0.0, 1e-300]).tolist() == [1, 0, 0]


def test_logarithms_of_ratios_are_rounded_once():
    assert log_ratio(Fraction(10**400), Fraction(1)) == pytest.approx(400 * np.log(10), rel=1e-15)
    near = Fraction(10**60 + 1, 10**60)
    assert log_ratio(near, Fraction(1)) == pytest.approx(1e-60, rel=1e-15)
    assert log_ratio(Fraction(0), Fraction(1)) == -np.inf
    assert log_ratio(Fraction(1), Fraction(0)) == np.inf


def test_threshold_is_of_the_type_of_the_scores():
    app = Application([[0, 1], [9, 0]])
    single = DecisionRule(app, score_type="float32")
    assert single.threshold == float(np.float32(0.1))
    assert single.positions(np.array([0.1], np.float32)).tolist() == [0]
    assert DecisionRule(app).threshold == 0.1


def test_threshold_exists_for_one_cut_of_the_second_decision():
    third = [[0, 1, 0.3], [1, 0, 0.3]]
    assert DecisionRule(Application(third)).threshold is None
    assert DecisionRule(Application(third)).thresholds == (0.3, 0.7)
    dear = [[0, 1, 0.6], [1, 0, 0.6]]
    assert DecisionRule(Application(dear)).threshold == 0.5
    assert DecisionRule(Application(np.ones((3, 3)))).threshold is None
    assert DecisionRule(Application([[0, 1], [0, 1]])).threshold is None


def test_a_class_without_a_share_is_never_expected():
    rule = DecisionRule(
        application=Application([[0, 1], [10, 0]], priors=[1, 0]), from_priors=[0.5, 0.5]
    )
    assert rule.threshold == 1.0
    assert rule.positions([0.2, 0.999]).tolist() == [0, 0]
    with pytest.raises(PosteriorError, match="no share in the new"):
        rule.positions([0.2, 1.0])


def test_a_class_without_any_share_stays_out():
    p = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]])
    app = Application(1 - np.eye(3), priors=[0.2, 0.8, 0])
    rule = DecisionRule(app, from_priors=[0.5, 0.5, 0])
    moved = p * [0.4, 1.6, 0]
    moved /= moved.sum(axis=1, keepdims=True)
    assert rule.positions(p).tolist() == bayes_decisions(moved, app.costs).tolist() == [1, 1]
    with pytest.raises(PosteriorError, match="row 1 leaves only 2 possible"):
        rule.positions([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    costs = np.stack([1 - np.eye(3)] * 2)
    case = DecisionRule(app, from_priors=[0.5, 0.5, 0], per_case=True)
    assert case.positions(p, costs=costs).tolist() == [1, 1]


def test_ranks_and_given_decisions():
    ranks = DecisionRule(APP, scores="rank", cut=3.5)
    assert ranks.positions([3.5, 4.0]).tolist() == [0, 1]
    assert ranks.threshold == 3.5
    given_ = DecisionRule(APP, scores="decision")
    assert given_.positions(["call", "ignore"]).tolist() == [1, 0]
    assert given_.threshold is None


def test_a_chosen_cut_is_said_on_other_scores():
    rule = DecisionRule(APP, from_priors=[0.5, 0.5], cut=0.25)
    assert rule.on("log_odds").cut == pytest.approx(np.log(1 / 3))
    assert rule.on("llr").cut == pytest.approx(np.log(1 / 3))
    assert rule.on("log_odds").on("posterior").cut == pytest.approx(0.25)
    assert rule.positions([0.25, 0.3]).tolist() == [0, 1]


def test_costs_of_each_case_decide_a_rule_per_case():
    p = np.array([0.1, 0.1])
    costs = np.array([[[0, 1], [5, 0]], [[0, 1], [20, 0]]], dtype=float)
    rule = DecisionRule(APP, per_case=True)
    assert rule.positions(p, costs=costs).tolist() == [0, 1]
    moved = DecisionRule(APP, per_case=True, from_priors=[0.5, 0.5])
    there = shift_priors(p, APP.priors, from_priors=[0.5, 0.5])
    assert (moved.positions(p, costs=costs) == bayes_decisions(there, costs)).all()
    with pytest.raises(DataError, match="needs `costs`"):
        rule.positions(p)
    with pytest.raises(DataError, match="costs of its own"):
        DecisionRule(APP).positions(p, costs=costs)


def fitted(kind=Affine, n=400):
    rng = np.random.default_rng(3)
    y = (rng.random(n) < 0.3).astype(int)
    return kind().fit(Posteriors(1 / (1 + np.exp(-rng.normal(2 * y - 1, 2)))), y)


@pytest.mark.parametrize("kind", [Affine, Isotonic])
def test_calibrated_posteriors_are_decided(kind):
    calibrator = fitted(kind)
    rule = DecisionRule(APP, calibrator=calibrator)
    after = calibrator.posteriors(Posteriors(thousandths))
    moved = shift_priors(after, APP.priors, from_priors=calibrator.priors)
    far = np.abs(moved[:, 1] - 1 / 11) > 1e-9
    assert far.sum() > 990
    assert (rule.positions(thousandths) == bayes_decisions(moved, COSTS.values))[far].all()
    assert (rule.from_priors == calibrator.priors).all()


def narwhals_decides(rule, columns):
    """The positions by narwhals over Polars."""
    pl = pytest.importorskip("polars")
    frame = nw.from_native(pl.DataFrame(columns))
    expression = rule.expression(NARWHALS, [NARWHALS.number(name) for name in columns])
    return frame.select(d=expression)["d"].to_numpy()


def duckdb_decides(rule, columns):
    """The positions by SQL."""
    duckdb = pytest.importorskip("duckdb")
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    relation = duckdb.from_arrow(pl.DataFrame(columns).to_arrow())
    text = rule.expression(DUCKDB, [DUCKDB.number(name) for name in columns]).text
    return np.array(relation.project(text).fetchall())[:, 0]


engines = pytest.mark.parametrize("engine", [narwhals_decides, duckdb_decides])


@engines
@settings(max_examples=15)
@given(costs=matrices, priors=shares, from_priors=shares)
def test_expressions_decide_as_arrays_do(engine, costs, priors, from_priors):
    rule = DecisionRule(Application(costs, priors=priors), from_priors=from_priors)
    with np.errstate(divide="ignore"):
        logs = np.log(thousandths) - np.log1p(-thousandths)
    for each, values in ((rule, thousandths), (rule.on("log_odds"), logs), (rule.on("llr"), logs)):
        assert (engine(each, {"s": values}) == each.positions(values)).all()


@engines
def test_infinite_cuts_are_expressions_too(engine):
    certain = DecisionRule(Application([[0, 0], [1, 0]]), scores="log_odds")
    values = np.array([-np.inf, -1e300, 0.0, np.inf])
    assert (engine(certain, {"s": values}) == certain.positions(values)).all()
    assert certain.positions(values).tolist() == [0, 1, 1, 1]


@engines
def test_expressions_of_more_classes(engine):
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.ones(3), 500)
    app = Application(rng.integers(-4, 9, (3, 4)), priors=[0.2, 0.3, 0.5])
    rule = DecisionRule(app, from_priors=[0.4, 0.4, 0.2])
    assert (engine(rule, {f"p{i}": p[:, i] for i in range(3)}) == rule.positions(p)).all()
    with pytest.raises(CostError, match="needs posteriors"):
        rule.on("log_odds").expression(NARWHALS, [])


@pytest.mark.parametrize(
    ("parts", "error", "said"),
    [
        ({"scores": "prob"}, DataError, "`scores` must be one of 'posterior'"),
        ({"score_type": "int8"}, DataError, "`score_type` must be one of"),
        ({"scores": "rank"}, DataError, "needs `cut` or a calibrator"),
        ({"scores": "rank", "cut": float("nan")}, DataError, "got nan"),
        ({"scores": "decision", "cut": 0.5}, DataError, "on scores as they are"),
        ({"scores": "decision", "per_case": True}, DataError, "not decided again"),
        ({"application": COSTS, "scores": "llr"}, PriorError, "need the priors"),
        ({"from_priors": [1, 0]}, PriorError, "'churn' has no case in the data"),
        ({"from_priors": [0.7, 0.7]}, PriorError, "must add to 1"),
        ({"score_range": (1, 0)}, DataError, "in order"),
        ({"calibrator": Affine()}, DataError, "not been fitted"),
        ({"calibrator": "affine"}, DataError, "a calibrator is needed"),
        ({"application": 10}, CostError, "must be costs in some form"),
    ],
)
def test_what_cannot_be_meant_is_refused(parts, error, said):
    with pytest.raises(error, match=said):
        DecisionRule(**{"application": APP, **parts})


def test_what_cannot_be_done_is_refused():
    with pytest.raises(PriorError, match="nothing says for which priors"):
        DecisionRule(COSTS).moved([0.5, 0.5])
    with pytest.raises(PriorError, match="cannot be moved"):
        DecisionRule(APP, scores="rank", cut=1.0).moved([0.5, 0.5])
    with pytest.raises(DataError, match="cannot be stated on llr"):
        DecisionRule(APP, scores="rank", cut=1.0).on("llr")
    with pytest.raises(CostError, match="cuts exist for two classes"):
        DecisionRule(Application(np.ones((3, 3)))).cuts()
    with pytest.raises(PosteriorError):
        DecisionRule(APP).positions([1.2])
    with pytest.raises(DataError, match="the first is row 1"):
        DecisionRule(APP, scores="llr").positions([0.1, float("nan")])
    with pytest.raises(PriorError, match="leave out `from_priors`"):
        DecisionRule(APP, calibrator=fitted(), from_priors=[0.5, 0.5])


def test_names_of_columns_tell_their_order():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"churn": [0.9, 0.01], "stay": [0.1, 0.99]})
    assert DecisionRule(APP).positions(frame).tolist() == [1, 0]


def test_digits_of_a_number_just_above_1():
    with pytest.raises(PosteriorError, match=r"row 0 is 1\.0000000000000002 \(1 of 2"):
        DecisionRule(APP).decide([1 + 2**-52, 0.2])
    with pytest.raises(PosteriorError, match=r"row 1 is 1\.2 \(1 of 2"):
        DecisionRule(APP).decide([0.1, 1.2])


def test_the_words_of_a_rule_per_case_are_said_once():
    rule = DecisionRule(APP, per_case=True, model="p, per case")
    assert repr(rule) == "<DecisionRule of p: varies by case>"


@pytest.mark.parametrize("part", [{"model": 3}, {"digest": b"x"}, {"cut_texts": [0.5]}])
def test_what_the_schema_calls_text_is_text(part):
    with pytest.raises(DataError, match=f"`{next(iter(part))}` must be text"):
        DecisionRule(APP, **part)
