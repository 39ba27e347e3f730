"""Tables of every kind are decided row by row as NumPy decides, and say what it costs."""

from __future__ import annotations

import frame_cases
import narwhals as nw
import numpy as np
import pytest
from rule_cases import APP, ASK, by_arithmetic, one_cut, per_case, posteriors_for, scores_for, two

from stakes import Application, CostMatrix, DecisionRule
from stakes.calibration import Isotonic
from stakes.exceptions import CostError, DataError
from stakes.posteriors import Posteriors, shift_priors

ONE_CUT, SUMS = one_cut(), by_arithmetic()
KINDS = [kind for kind in frame_cases.NEEDS if kind not in ("ibis", "dask")]
FORMULA = [name for name in ONE_CUT if name not in ("isotonic", "smooth")]


def as_lists(frame):
    rows = nw.from_native(frame)
    if isinstance(rows, nw.LazyFrame):
        rows = rows.collect()
    return {name: rows[name].to_list() for name in rows.columns}


def made(kind, columns):
    for package in frame_cases.NEEDS[kind]:
        pytest.importorskip(package, reason=f"a frame of {package}")
    return getattr(frame_cases, f"as_{kind}")(columns)


def by_hand(rule, p, costs):
    """Expected costs of rows of posteriors where the rule runs, best and second best."""
    expected = p @ costs
    order = np.argsort(expected, axis=1, kind="stable")
    best, after = order[:, 0], order[:, 1]
    rows = np.arange(len(p))
    return expected[rows, best], after, expected[rows, after] - expected[rows, best]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["moved", "affine", "three decisions", "llr", "rank"])
def test_every_kind_of_frame(kind, name):
    rule = ONE_CUT[name]
    scores = scores_for(rule, 60)
    frame = made(kind, {"id": list(range(len(scores))), "p": scores.astype(float).tolist()})
    found = as_lists(rule.decide_frame(frame))
    assert list(found) == ["id", "p", "decision", "expected_cost", "next_best", "margin"]
    back = np.argsort(found["id"])
    decision = [found["decision"][k] for k in back]
    assert decision == [rule.decisions[j] for j in rule.positions(scores)]
    assert all(a != b for a, b in zip(found["decision"], found["next_best"], strict=True))
    if name == "rank":
        assert all(value is None or value != value for value in found["expected_cost"])


def test_costs_and_margins_by_hand():
    p = np.array([0.02, 0.05, 0.3, 0.9])
    there = shift_priors(p, [0.9, 0.1], from_priors=[0.7, 0.3])
    rule = DecisionRule(ASK, from_priors=[0.7, 0.3], columns="p")
    for kind in ("pandas", "polars_lazy", "duckdb"):
        found = as_lists(rule.decide_frame(made(kind, {"p": p.tolist()})))
        cost, after, margin = by_hand(rule, there, ASK.costs.values)
        assert found["expected_cost"] == pytest.approx(cost)
        assert found["margin"] == pytest.approx(margin)
        assert found["next_best"] == [ASK.decisions[j] for j in after]


@pytest.mark.parametrize("name", FORMULA)
def test_lazy_frames_say_what_arrays_say(name):
    pytest.importorskip("duckdb", reason="an engine")
    rule = ONE_CUT[name]
    scores = scores_for(rule, 500).astype(float).tolist()
    here, there = (
        as_lists(rule.decide_frame(made(kind, {"p": scores}))) for kind in ("polars", "duckdb")
    )
    assert here["decision"] == there["decision"]
    assert here["next_best"] == there["next_best"]
    if name != "rank":
        scale = np.abs(rule.application.costs.values).max()
        for column in ("expected_cost", "margin"):
            assert there[column] == pytest.approx(here[column], rel=1e-9, abs=1e-12 * scale)


@pytest.mark.parametrize("name", SUMS)
def test_more_classes(name):
    pytest.importorskip("duckdb", reason="an engine")
    rule = SUMS[name]
    rows = posteriors_for(300)
    rows = np.log(rows + 1e-9) if "logits" in name else rows
    columns = dict(zip("abc", rows.T.tolist(), strict=True))
    here, there = (
        as_lists(rule.decide_frame(made(kind, columns))) for kind in ("polars", "duckdb")
    )
    apart = [k for k, (a, b) in enumerate(zip(here["decision"], there["decision"], strict=True))
             if a != b]  # fmt: skip
    assert all(here["margin"][k] < 1e-9 for k in apart)
    assert there["expected_cost"] == pytest.approx(here["expected_cost"], rel=1e-9, abs=1e-9)
    assert there["margin"] == pytest.approx(here["margin"], rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("kind", ["pandas", "polars_lazy", "duckdb"])
def test_costs_per_case_come_from_columns(kind):
    rule = per_case()
    p, amount = [0.1, 0.1, 0.6], [10.0, 100.0, 4.0]
    found = as_lists(rule.decide_frame(made(kind, {"p": p, "amount": amount})))
    wait = [0.1 * 7.5, 0.1 * 75, 0.6 * 3]
    call = [0.9 * 2.5 + 0.1, 0.9 * 7 + 0.1, 0.4 * 2.2 + 0.6]
    assert found["expected_cost"] == pytest.approx(np.minimum(wait, call))
    assert found["decision"] == [
        "wait" if a < b else "it's" for a, b in zip(wait, call, strict=True)
    ]
    assert found["margin"] == pytest.approx(np.abs(np.subtract(wait, call)))


@pytest.mark.parametrize("kind", ["pandas", "polars", "polars_lazy", "duckdb"])
def test_rows_that_cannot_be_decided(kind):
    rule = per_case()
    frame = made(kind, {"p": [0.5, None, 1.5, 0.5], "amount": [1.0, 1.0, 1.0, None]})
    with pytest.raises(DataError, match="3 of 4 rows cannot be decided") as caught:
        rule.decide_frame(frame)
    assert 'on_error="column"' in caught.value.hint
    found = as_lists(rule.decide_frame(frame, on_error="column"))
    told = [why if isinstance(why, str) else None for why in found["not_decided"]]
    assert told == [None, "no score", "not a probability", "no cost"]
    assert [x is None or x != x for x in found["decision"]] == [False, True, True, True]
    three = SUMS["pets"]
    frame = made(kind, {"a": [0.5, 0.2], "b": [0.5, 0.3], "c": [0.5, 0.5]})
    found = as_lists(three.decide_frame(frame, on_error="column"))
    assert found["not_decided"][0] == "probabilities do not add to 1"
    assert not isinstance(found["not_decided"][1], str)


def test_scores_beyond_the_range_are_counted():
    from stakes.engines.decided_frame import decided_frame

    rule = DecisionRule(APP, columns="p", score_range=(0.2, 0.8))
    for kind in ("pandas", "duckdb"):
        found = decided_frame(rule, made(kind, {"p": [0.1, 0.2, 0.5, 0.9]}))
        assert (found.rows, found.outside, found.undecided) == (4, 2, {})


def test_a_frame_of_pandas_keeps_its_index():
    pd = pytest.importorskip("pandas", reason="a frame of pandas")
    frame = pd.DataFrame({"p": [0.01, 0.9]}, index=[7, 3])
    found = DecisionRule(APP, columns="p").decide_frame(frame)
    assert found["decision"].to_dict() == {7: "wait", 3: "it's"}
    assert list(frame.columns) == ["p"]


def test_what_cannot_be_meant():
    y, p = two()
    steps = DecisionRule(APP, calibrator=Isotonic().fit(Posteriors(p), y), columns="p")
    assert as_lists(steps.decide_frame(made("polars", {"p": [0.1]})))["decision"]
    with pytest.raises(CostError, match="has no formula"):
        steps.decide_frame(made("polars_lazy", {"p": [0.1]}))
    rule = DecisionRule(APP, columns="p")
    with pytest.raises(DataError, match="already has a column 'margin'"):
        rule.decide_frame(made("polars", {"p": [0.1], "margin": [1]}))
    with pytest.raises(DataError, match="no column 'p'"):
        rule.decide_frame(made("polars", {"q": [0.1]}))
    with pytest.raises(DataError, match="`on_error`"):
        rule.decide_frame(made("polars", {"p": [0.1]}), on_error="skip")
    single = DecisionRule(Application(CostMatrix([[1], [2]])), columns="p")
    found = as_lists(single.decide_frame(made("polars", {"p": [0.25]})))
    assert (found["expected_cost"], found["next_best"]) == ([1.25], [None])


def test_one_case_at_a_time():
    for rule in ONE_CUT.values():
        scores = scores_for(rule, 20).astype(float)
        assert [rule.decide_one(x) for x in scores.tolist()] == [
            rule.decisions[j] for j in rule.positions(scores)
        ]
    assert SUMS["pets"].decide_one([0.02, 0.03, 0.95]) == "fox"
    for bad in (float("nan"), 1.5):
        with pytest.raises(DataError, match="must be a probability"):
            ONE_CUT["affine"].decide_one(bad)


def test_two_columns_of_log_odds_are_a_difference():
    rule = DecisionRule(APP, scores="log_odds", columns=["a", "b"])
    rows = np.random.default_rng(4).normal(0, 4, (200, 2))
    wanted = [rule.decisions[j] for j in rule.positions(rows)]
    columns = {"a": rows[:, 0].tolist(), "b": rows[:, 1].tolist()}
    for kind in ("polars", "polars_lazy"):
        assert as_lists(rule.decide_frame(made(kind, columns)))["decision"] == wanted
    with pytest.raises(DataError, match="reads one column"):
        DecisionRule(APP, scores="rank", cut=0.5).to_sql(columns=["a", "b"])
