"""One case is decided as it is among many, ties included; what is wrong is refused alike."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from rule_cases import APP, PETS, by_arithmetic, one_cut, scores_for, three, two

from stakes import Application, CostMatrix, DecisionRule
from stakes.exceptions import DataError, StakesError
from stakes.rules import applied_rule, calibrated_scores

ONE_CUT, SUMS = one_cut(), by_arithmetic()
SHORT = {
    "decided_few": applied_rule,
    "decided_few_posteriors": applied_rule,
    "plain_posteriors": calibrated_scores,
}


def twentieths(n: int, seed: int = 3) -> tuple[list[list[Fraction]], np.ndarray]:
    """Posteriors of three classes with two decimals, which often tie: exact, and as floats."""
    cuts = np.sort(np.random.default_rng(seed).integers(0, 21, (n, 2)), axis=1)
    parts = np.diff(cuts, axis=1, prepend=0, append=20)
    exact = [[Fraction(int(part), 20) for part in row] for row in parts]
    return exact, np.array([[float(share) for share in row] for row in exact])


@pytest.fixture
def long_road(monkeypatch):
    """Decide with no short cut."""

    def decide(rule, scores):
        with monkeypatch.context() as without:
            for name, module in SHORT.items():
                without.setattr(module, name, lambda *_: None)
            return rule.positions(scores)

    return decide


@pytest.mark.parametrize("name", ONE_CUT)
def test_single_scores(name, long_road):
    rule = ONE_CUT[name]
    scores = scores_for(rule, 700)
    wanted = long_road(rule, scores)
    some = scores[: len(scores) // 9 * 9].reshape(-1, 9)
    few = [rule.positions(part) for part in some]
    assert {part.dtype for part in few} == {wanted.dtype}
    np.testing.assert_array_equal(np.concatenate(few), wanted[: some.size])
    wide = scores.astype(np.float64)
    for given, code in zip(wide.tolist(), long_road(rule, wide).tolist(), strict=True):
        assert rule.positions([given])[0] == code
        assert rule.decide_one(given) == rule.decisions[code]


def test_ten_thousand_rows_of_sums_are_decided_as_by_fractions(long_road):
    tenths = [[0, 1, 2], [1, 0, 1], [3, 1, 0]]
    rule = DecisionRule(Application([[cost / 10 for cost in line] for line in tenths]))
    exact, rows = twentieths(10_000)
    tied, wanted = 0, []
    for shares in exact:
        pairs = [list(zip(shares, column, strict=True)) for column in zip(*tenths, strict=True)]
        sums = [sum(p * cost for p, cost in pair) for pair in pairs]
        tied += sums.count(min(sums)) > 1
        wanted.append(sums.index(min(sums)))
    assert tied > 500
    assert [rule.decide_one(row) for row in rows.tolist()] == wanted
    assert long_road(rule, rows).tolist() == wanted


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_rows_one_by_one_as_among_many(name, kind, long_road):
    rule = SUMS[name]
    random = np.random.default_rng(6).dirichlet([0.5, 0.5, 0.5], 600)
    rows = np.vstack([random, twentieths(600)[1]]).astype(kind)
    wanted = long_road(rule, rows)
    found = [rule.positions(row[None])[0] for row in rows]
    np.testing.assert_array_equal(found, wanted)
    assert [rule.decide_one(row) for row in rows[:50]] == [rule.decisions[k] for k in wanted[:50]]
    if kind == "float64":
        np.testing.assert_array_equal([rule.positions([r])[0] for r in rows.tolist()], wanted)


def test_prices_and_priors_are_kept(long_road):
    rows = twentieths(2_000)[1]
    for rule in (
        DecisionRule(PETS, prices=[0, 0.5, 1, 0]),
        DecisionRule(PETS, from_priors=[0.1, 0.1, 0.8], score_type="float32"),
        DecisionRule(Application(CostMatrix.zero_one(["a", "b", "c"]))),
        DecisionRule(Application([[0, -3, 1], [2, 0, -7], [1, 5, 0]])),
    ):
        found = [rule.positions([row])[0] for row in rows.tolist()]
        np.testing.assert_array_equal(found, long_road(rule, rows))


ODD = {
    "nothing": [],
    "not a number": [float("nan")],
    "infinite": [float("inf")],
    "above one": [1.5],
    "text": ["0.3"],
    "none": [None],
    "truth": [True],
    "mixed": [0.3, True],
    "whole": [0, 1],
    "one column": [[0.3], [0.1]],
    "two columns": [[0.7, 0.3], [0.1, 0.9]],
    "two columns, not one in sum": [[0.7, 0.4]],
    "just not one in sum": [[0.5, 0.25, 0.25 + 0.7e-6]],
    "ragged": [[0.7, 0.3], [1.0]],
    "row and number": [[0.7, 0.3], 0.3],
    "negative": [[1.2, -0.1, -0.1]],
    "three": [[0.2, 0.3, 0.5]],
    "a row by itself": [0.2, 0.3, 0.5],
    "tuples": ((0.2, 0.3, 0.5),),
    "half": np.array([0.3, 0.09], dtype=np.float16),
    "other byte order": np.array([0.3, 0.09], dtype=">f8"),
    "masked": np.ma.array([0.3, 0.5], mask=[False, True]),
    "none left": np.empty((0, 3)),
    "cube": np.full((1, 1, 3), 1 / 3),
    "single number": 0.3,
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_input_is_answered_alike(odd, long_road):
    def answer(decide, rule):
        try:
            found = decide(rule, ODD[odd])
        except StakesError as error:
            return type(error), str(error)
        return found.dtype, found.tolist()

    nowhere = DecisionRule(APP, from_priors=[0.5, 0.5]).moved([1.0, 0.0])
    for rule in (nowhere, *ONE_CUT.values(), *SUMS.values()):
        assert answer(DecisionRule.positions, rule) == answer(long_road, rule)


def test_one_case_of_a_class_that_cannot_occur_is_refused():
    rule = DecisionRule(APP, from_priors=[0.5, 0.5]).moved([1.0, 0.0])
    for decide in (rule.positions, lambda scores: rule.decide_one(scores[0])):
        with pytest.raises(StakesError, match="possible"):
            decide([1.0])


class TestTablesAndRecords:
    """A frame or a record with the columns of a rule is decided like its columns."""

    @pytest.fixture
    def polars(self):
        return pytest.importorskip("polars", reason="needs Polars: pip install polars")

    @pytest.mark.parametrize("name", ["as it is", "affine", "float32", "log odds", "rank"])
    def test_one_column(self, polars, name):
        rule, scores = ONE_CUT[name], two()[1]
        frame = polars.DataFrame({"p": scores, "note": ["x"] * len(scores)})
        wanted = rule.positions(scores.astype(rule.score_type))
        for table in (frame, frame.to_arrow()):
            assert (rule.positions(table) == rule.positions(scores)).all()
        records = frame.head(30).to_dicts()
        assert [rule.decide_one(each) for each in records] == [
            rule.decisions[k] for k in wanted[:30]
        ]
        lazy = rule.positions(frame.lazy()).collect()
        assert lazy["decision"].to_list() == [rule.decisions[k] for k in wanted]

    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    def test_ties_in_the_type_of_the_column(self, polars, kind):
        rule = DecisionRule(Application([[0, 1], [4, 0]]), columns="p")
        scores = np.array([0.2, np.nextafter(kind(0.2), kind(1))], dtype=kind)
        assert rule.positions(scores).tolist() == [0, 1]
        assert rule.positions(polars.DataFrame({"p": scores})).tolist() == [0, 1]

    def test_a_column_for_each_class(self, polars):
        rule, scores = SUMS["pets moved"], three()[1]
        table = dict(zip("cab", scores.T[[2, 0, 1]], strict=True))
        assert (rule.positions(polars.DataFrame(table)) == rule.positions(scores)).all()
        first = {name: column[0] for name, column in table.items()}
        assert rule.decide_one(first) == rule.decisions[rule.positions(scores)[0]]

    def test_costs_of_the_case(self, polars):
        costs = CostMatrix([[0, 1], [1, 0]], classes=["no", "yes"])
        said = [["0", "5"], ["amount / 2", "0"]]
        rule = DecisionRule(Application(costs), per_case=True, case_costs=said, columns="p")
        assert rule.decide_one({"p": 0.2, "amount": 10}) == "no"  # 1.0 against 4.0
        assert rule.decide_one({"p": 0.2, "amount": 60}) == "yes"  # 6.0 against 4.0
        table = polars.DataFrame({"p": [0.2, 0.2], "amount": [10, 60]})
        assert rule.positions(table).tolist() == [0, 1]
        with pytest.raises(DataError, match="no column 'amount', which the costs are computed"):
            rule.decide_one({"p": 0.2})
        with pytest.raises(DataError, match=r"1 of 2 cases cannot be decided \(no cost in 1\)"):
            rule.positions(polars.DataFrame({"p": [0.2, 0.2], "amount": [10, None]}))

    def test_what_is_refused(self, polars):
        rule = ONE_CUT["as it is"]
        for wrong, said in [
            ({"q": 0.2}, "no column 'p'"),
            ({"p": None}, "`p` must be a number"),
            ({"p": 1.5}, "not a probability in 1"),
            (None, "`score` must be a number; got None"),
            ("x", "`score` must be a number; got 'x'"),
        ]:
            with pytest.raises(StakesError, match=said):
                rule.decide_one(wrong)
        with pytest.raises(StakesError):
            rule.positions(polars.DataFrame({"p": ["a", "b"]}))
        with pytest.raises(DataError, match="does not say which columns"):
            DecisionRule(Application([[0, 1], [10, 0]])).decide_one({"p": 0.3})


def test_several_cases_are_no_single_one():
    rule = DecisionRule(Application([[0, 1], [10, 0]]), columns="p")
    for lone in ([0.5], (0.5,), np.array([0.5])):
        with pytest.raises(DataError, match=r"`score` must be a number; got .*0\.5") as caught:
            rule.decide_one(lone)
        assert "rule.decide(scores)" in str(caught.value)
    with pytest.raises(DataError, match="got a mapping") as caught:
        rule.decide({"p": [0.5]})
    assert "rule.decide_one(case)" in str(caught.value)


def test_single_numbers_are_decided_in_their_type():
    rule = DecisionRule(Application([[0, 1], [10, 0]]), columns="p")
    cut = np.float32(1 / 11)
    near = np.array([cut, np.nextafter(cut, np.float32(1))])
    assert [rule.decide_one(p) for p in near] == rule.decide(near).tolist() == [0, 1]
    assert rule.decide_one(float(cut)) == 1  # as a double it lies above 1/11
