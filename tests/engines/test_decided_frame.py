"""Tables of every kind are decided row by row as NumPy decides, and say what it costs."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from itertools import product

import frame_cases
import narwhals as nw
import numpy as np
import pytest
from rule_cases import (
    APP,
    ASK,
    by_arithmetic,
    one_cut,
    per_case,
    posteriors_for,
    scores_for,
    three,
    two,
)

from stakes import Application, CostMatrix, DecisionRule
from stakes.calibration import Affine, Isotonic, Temperature, Vector
from stakes.exceptions import CostError, DataError
from stakes.posteriors import Posteriors, shift_priors

TWO = [[0, 1], [10, 0]]
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
    with pytest.raises(DataError, match="must be a data frame") as caught:
        rule.decide_frame([0.1])
    assert caught.value.hint.endswith("for arrays, rule.decide(x)")
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


@pytest.mark.parametrize("classes", [[0, 1], [False, True], ["no", "yes"]])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_without_a_score_have_no_decision(kind, classes):
    rule = DecisionRule(Application(CostMatrix(TWO, classes=classes)), columns="p")
    found = as_lists(rule.decide_frame(made(kind, {"p": [0.5, None]}), on_error="column"))
    assert [str(cell) for cell in found["decision"] if not is_missing(cell)] == [str(classes[1])]


def is_missing(cell):
    return str(cell) in ("None", "nan", "<NA>")


@pytest.mark.parametrize("name", ["Decision", "MARGIN", "Not_Decided"])
def test_engines_that_ignore_case_would_return_the_column_of_the_user(name):
    rule = DecisionRule(Application(TWO), columns="p")
    columns = {"p": [0.5], name: ["mine"]}
    with pytest.raises(DataError, match=f"already has a column '{name}'"):
        rule.decide_frame(made("duckdb", columns), on_error="column")
    assert as_lists(rule.decide_frame(made("polars", columns)))[name] == ["mine"]


@pytest.mark.parametrize("kind", ["polars_lazy", "duckdb"])
def test_columns_with_our_prefix_stay(kind):
    rule = DecisionRule(Application(TWO), columns="p")
    columns = {"p": [0.5], "stakes_d": ["mine"], "Stakes_paid": [7], "stakes__e0": [8]}
    found = as_lists(rule.decide_frame(made(kind, columns)))
    assert {name: found[name] for name in columns} == columns
    assert (found["decision"], found["expected_cost"]) == ([1], [0.5])


AMOUNTS = {
    "p": [0.9, 0.5, 0.5, 0.01, 0.5, 0.5, 0.5],
    "amount": [10.0, float("inf"), 0.0, 10.0, 1e300, 5.0, None],
    "fee": [2.0, 1.0, 0.0, 0.0, 1e-300, float("inf"), 1.0],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("formula", ["amount / fee", "1 / (amount / fee)"])
def test_costs_that_no_number_holds(kind, formula):
    rule = DecisionRule(
        Application(CostMatrix([[0, 1], [1, 0]], classes=["no", "yes"])),
        per_case=True,
        case_costs=(("0", "5"), (formula, "0")),
        columns="p",
    )
    bad = {1, 2, 3, 5, 6} | ({4} if formula == "amount / fee" else set())
    columns = {"id": list(range(7)), **AMOUNTS}
    if len(bad) == 5:  # 1 / (1e300 / 1e-300) is 0 where infinity is a number
        columns["fee"] = [*columns["fee"][:4], 1.0, *columns["fee"][5:]]
    found = as_lists(rule.decide_frame(made(kind, columns), on_error="column"))
    rows = list(zip(found["id"], found["decision"], found["not_decided"], strict=True))
    assert {k for k, _, why in rows if why == "no cost"} == bad
    assert {k for k, decision, _ in rows if is_missing(decision)} == bad
    with pytest.raises(DataError, match=rf"{len(bad)} of 7 rows .*no cost in {len(bad)}") as caught:
        rule.decide_frame(made(kind, columns))
    assert "; the first is row" not in str(caught.value) or "is row 1." in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_a_class_with_prior_0(kind):
    rule = DecisionRule(Application(TWO, priors=[1, 0]), from_priors=[0.5, 0.5], columns="p")
    found = as_lists(rule.decide_frame(made(kind, {"p": [0.5, 1.0]}), on_error="column"))
    why = dict(zip(found["p"], found["not_decided"], strict=True))
    assert why[1.0] == "only classes with a prior of 0"
    assert is_missing(why[0.5])


@pytest.mark.parametrize("calibrator", [Affine(), Temperature(), Vector()], ids=repr)
@pytest.mark.parametrize("kind", KINDS)
def test_calibrated_rows_of_a_class_with_prior_0(kind, calibrator):
    classes = ["ant", "bee", "cow"]
    y, p = three(5, 500)
    fitted = calibrator.fit(Posteriors(p, classes=classes), np.array(classes)[y])
    app = Application(CostMatrix(1 - np.eye(3), classes=classes), priors=[0.5, 0.5, 0])
    rule = DecisionRule(app, calibrator=fitted, columns=classes)
    columns = {"ant": [0.2, 0.0, 1.0], "bee": [0.3, 0.0, 0.0], "cow": [0.5, 1.0, 0.0]}
    found = as_lists(rule.decide_frame(made(kind, columns), on_error="column"))
    why = dict(zip(found["cow"], found["not_decided"], strict=True))
    assert why[1.0] == "only classes with a prior of 0"
    assert is_missing(why[0.5])
    said = dict(zip(found["cow"], found["decision"], strict=True))
    assert (said[0.5], said[0.0]) == ("bee" if wins(fitted, [0.2, 0.3, 0.5]) else "ant", "ant")


def wins(fitted, row):
    """Whether the second class is likelier than the first when calibrated."""
    table = fitted.posteriors(Posteriors([row], classes=["ant", "bee", "cow"]))
    return table[0, 1] > table[0, 0]


def test_a_class_with_prior_0_rounds_no_other_to_0():
    y, p = three(5, 500)
    fitted = Temperature().fit(np.log(p), y)
    app = Application(CostMatrix(1 - np.eye(3)), priors=[0.5, 0.5, 0])
    rule = DecisionRule(app, scores="log_odds", calibrator=fitted, columns=["a", "b", "c"])
    assert rule.decide(np.array([[1.0, 2.0, 9000.0], [2.0, 1.0, 9000.0]])).tolist() == [1, 0]


ROUNDED = {
    "as it is": DecisionRule(Application(TWO), score_type="float32", columns="p"),
    "cut": DecisionRule(Application(TWO), score_type="float32", columns="p", cut=0.1),
    "half": DecisionRule(Application(TWO), score_type="float16", columns="p"),
    "log odds": DecisionRule(
        Application(TWO), scores="log_odds", score_type="float32", columns="p"
    ),
    "affine": DecisionRule(
        Application(TWO),
        calibrator=Affine().fit(Posteriors(two()[1]), two()[0]),
        score_type="float32",
        columns="p",
    ),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_doubles_are_decided_as_if_rounded_to_the_type_of_the_rule(name):
    duckdb = pytest.importorskip("duckdb", reason="an engine")
    rule = ROUNDED[name]
    kind = np.dtype(rule.score_type).type
    (cut,), _ = rule.raw_cuts()
    near = [np.nextafter(kind(cut), kind(side)) for side in (-9, 9)]
    middles = [(float(cut) + float(each)) / 2 for each in near]
    scores = [cut, *map(float, near), *middles]
    scores += [float(np.nextafter(each, side)) for each in scores for side in (-9, 9)]
    wanted = rule.decide(np.array(scores, dtype=kind)).tolist()
    assert len(set(wanted)) == 2
    assert rule.decide(np.array(scores)).tolist() == wanted
    assert rule.decide(np.array(scores * 20)).tolist() == wanted * 20
    assert [rule.decide_one(score) for score in scores] == wanted
    assert [rule.decide_one({"p": score}) for score in scores] == wanted
    for frame in ("pandas", "polars", "polars_lazy", "duckdb"):
        columns = {"id": list(range(len(scores))), "p": scores}
        found = as_lists(rule.decide_frame(made(frame, columns)))
        assert [found["decision"][k] for k in np.argsort(found["id"])] == wanted
    text = rule.to_sql()
    said = [duckdb.sql(f"SELECT {text} FROM (SELECT {x!r}::DOUBLE AS p)") for x in scores]
    assert [each.fetchall()[0][0] for each in said] == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_columns_with_dots_and_quotes_in_their_names(kind):
    rule = DecisionRule(Application(TWO), columns="gbm.p")
    columns = {"a.id": [1, 2], "gbm.p": [0.5, 0.01], 'it`s "x"': ["b", "c"]}
    found = as_lists(rule.decide_frame(made(kind, columns)))
    back = np.argsort(found["a.id"])
    assert list(found)[:3] == list(columns)
    assert [found["decision"][k] for k in back] == [1, 0]
    assert [found['it`s "x"'][k] for k in back] == ["b", "c"]


def test_what_is_certain_stays_certain_without_a_bound():
    y, p = two()
    sure = p**3 / (p**3 + (1 - p) ** 3)
    rule = DecisionRule(APP, calibrator=Affine().fit(Posteriors(sure), y), columns="p")
    assert rule.calibrator.scales[1] < 0.5  # powers of the last number below 1 are far from 0
    found = as_lists(rule.decide_frame(made("duckdb", {"p": [0.0, 1.0]})))
    assert found["expected_cost"] == pytest.approx([0, 0], abs=1e-30)
    assert found["margin"] == [1, 10]


@pytest.mark.parametrize("kind", ["polars", "polars_lazy"])
def test_columns_of_float32_are_decided_in_their_type(kind):
    polars = pytest.importorskip("polars", reason="a frame of polars")
    rule = DecisionRule(Application([[0, 1], [4, 0]]), columns="p")
    scores = np.array([0.2, np.nextafter(np.float32(0.2), np.float32(1))], dtype=np.float32)
    frame = polars.DataFrame({"p": scores})
    found = as_lists(rule.decide_frame(frame if kind == "polars" else frame.lazy()))
    assert found["decision"] == rule.decide(scores).tolist() == [0, 1]


def test_frames_without_the_column_of_the_rule():
    pandas = pytest.importorskip("pandas", reason="a frame of pandas")
    costs = CostMatrix(TWO, classes=["no", "yes"])
    rule = DecisionRule(Application(costs), columns="p")
    for columns in ({"other": [0.5]}, {"a": [0.5], "b": [0.5]}):
        with pytest.raises(DataError, match="no column 'p'"):
            rule.decide(pandas.DataFrame(columns))
    assert rule.decide(pandas.DataFrame({"yes": [0.9], "no": [0.1]})).tolist() == ["yes"]
    assert rule.decide(pandas.DataFrame([0.9])).tolist() == ["yes"]
    twice = pandas.DataFrame([[0.1, 0.9]], columns=["p", "p"])
    with pytest.raises(DataError, match="columns of the same name"):
        rule.decide(twice)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "polars_lazy", "duckdb"])
def test_the_cell_that_is_no_number_is_named(kind):
    rule = DecisionRule(Application(TWO), columns="p")
    for decide in (rule.decide, rule.decide_frame):
        with pytest.raises(DataError, match="column 'p' must hold numbers; it holds 'abc'"):
            decide(made(kind, {"p": ["0.5", None, "abc"]}))


@pytest.mark.parametrize("kind", KINDS)
def test_scores_larger_than_calibrators_take(kind):
    y, p = two()
    odds = np.log(p / (1 - p))
    rule = DecisionRule(
        Application(TWO), scores="log_odds", calibrator=Affine().fit(odds, y), columns="p"
    )
    columns = {"id": [0, 1, 2], "p": [-1e120, 1.0, 1e300]}
    found = as_lists(rule.decide_frame(made(kind, columns), on_error="column"))
    assert [found["decision"][k] for k in np.argsort(found["id"])] == [0, 1, 1]
    assert max(found["expected_cost"]) < 1


@pytest.mark.parametrize("narrow", [np.float32, np.float16])
@pytest.mark.parametrize("scores", ["posterior", "log_odds"])
def test_narrow_columns_tie_as_arrays_do(scores, narrow):
    # three tenths: both types hold a number above it, which a double would not tie with
    rule = DecisionRule(Application([[0, 3], [7, 0]]), scores=scores, columns="p")
    (cut,), _ = rule.raw_cuts(np.dtype(narrow).name)
    given = np.nextafter(narrow(cut), narrow([-9, 9]))
    given = np.array([given[0], cut, given[1]], dtype=narrow)
    wanted = [0, 0, 1]
    assert (
        rule.positions(given).tolist() == rule.positions(np.tile(given, 99))[:3].tolist() == wanted
    )
    assert [rule.decide_one({"p": score}) for score in given] == wanted
    for kind in ("pandas", "polars", "polars_lazy", "pyarrow"):
        frame = made(kind, {"p": given})
        if "Float16" not in str(nw.from_native(frame).collect_schema()) and narrow is np.float16:
            continue  # an older library, which has no such columns
        assert as_lists(rule.decide_frame(frame))["decision"] == wanted


PRIOR_0 = Application([[0, 1, 2], [3, 0, 1], [5, 4, 0]], priors=[0, 0.5, 0.5])


@pytest.mark.parametrize("kind", ["pandas", "polars_lazy", "duckdb"])
def test_logits_of_a_class_with_prior_0_hide_no_other(kind):
    rule = DecisionRule(PRIOR_0, scores="log_odds", from_priors=[0.2, 0.4, 0.4],
                        columns=["a", "b", "c"])  # fmt: skip
    logits = {"a": [800.0, -800.0, 800.0], "b": [0.0, 0.0, -3.0], "c": [-3.0, -3.0, 0.0]}
    second = 1 / (1 + np.exp([-3.0, -3.0, 3.0]))  # of the two classes that can occur
    paid, after, margin = by_hand(rule, np.column_stack([0 * second, second, 1 - second]),
                                  PRIOR_0.costs.values)  # fmt: skip
    found = as_lists(rule.decide_frame(made(kind, logits)))
    assert found["decision"] == [1, 1, 2]
    assert found["next_best"] == list(after)
    assert found["expected_cost"] == pytest.approx(paid)
    assert found["margin"] == pytest.approx(margin)


@pytest.mark.parametrize("kind", ["pandas", "polars_lazy", "duckdb"])
@pytest.mark.parametrize("scores", ["log_odds", "llr"])
def test_the_only_class_that_can_occur_is_certain(kind, scores):
    app = Application([[0, 1], [10, 0]], priors=[0, 1])
    before = {"from_priors": [0.5, 0.5]} if scores == "log_odds" else {}
    rule = DecisionRule(app, scores=scores, columns="p", **before)
    found = as_lists(rule.decide_frame(made(kind, {"p": [-1e300, -800.0, 0.0, 800.0]})))
    assert found["decision"] == [1] * 4
    assert found["expected_cost"] == pytest.approx([0] * 4)
    assert found["margin"] == pytest.approx([10] * 4)


@pytest.mark.parametrize("kind", ["pandas", "polars_lazy", "duckdb"])
def test_formulas_that_read_no_column(kind):
    rule = DecisionRule(APP, per_case=True, case_costs=[["0", "1"], ["2*5", "0"]], columns="p")
    found = as_lists(rule.decide_frame(made(kind, {"p": [0.05, 0.5]})))
    assert found["decision"] == ["wait", "it's"]
    assert found["expected_cost"] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("kind", ["pyarrow", "polars", "polars_lazy", "duckdb"])
@pytest.mark.parametrize(
    ("name", "cell"),
    [
        *product(["p", "amount"], [date(2020, 1, 1), timedelta(1), [0.5], b"0.5"]),
        ("p", True),
    ],
)
def test_other_types_are_no_numbers(kind, cell, name):
    rule = replace(per_case(), scores="log_odds")
    columns = {"p": [0.5], "amount": [1.0]} | {name: [cell]}
    for decide in (rule.decide_frame, rule.decide):
        with pytest.raises(DataError, match=f"column '{name}' must hold numbers; its type is"):
            decide(made(kind, columns))
