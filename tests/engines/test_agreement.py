"""The same table on every engine: the same counts as in memory, or the same refusal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from frame_cases import QUICK, kinds
from hypothesis import given, settings
from hypothesis import strategies as st

from stakes import (
    Application,
    CaseCosts,
    ConfusionMatrix,
    CostMatrix,
    CostTally,
    PairedCounts,
    ScoreCounts,
    bayes_decisions,
)
from stakes.engines import Reduction, Request, reduce_frame
from stakes.exceptions import DataError, LabelError, PosteriorError, StakesError

pytest.importorskip("pyarrow", reason="pip install pyarrow")

every_kind = pytest.mark.parametrize("frame", kinds(*QUICK, "dask", "ibis"))
quick_kind = pytest.mark.parametrize("frame", kinds(*QUICK))
EXAMPLES = settings(max_examples=6)

THREE = Application(
    CostMatrix([[0, 1, 2, 0.3], [1, 0, 4, 0.3], [3, 1, 0, 0.5]], ["a", "b", "c"], list("abc?"))
)
PLAIN = Application(CostMatrix.zero_one(["a", "b", "c"]).with_abstention(0.4))
TWO = Application(
    CostMatrix([[0, 1, 0.2], [4, 0, 0.5]], classes=["no", "yes"], decisions=["no", "yes", "ask"])
)

# Posteriors in tenths, so that ties between decisions and scores at thresholds are frequent.
tenths = st.integers(0, 10).map(lambda k: k / 10)


@st.composite
def three_class_rows(draw: st.DrawFn) -> dict[str, list[Any]]:
    n = draw(st.integers(1, 12))
    cells = [draw(st.tuples(st.integers(0, 10), st.integers(0, 10))) for _ in range(n)]
    rows = []
    for one, two in cells:
        low, high = sorted((one, two))
        rows.append((low / 10, (high - low) / 10, (10 - high) / 10))
    names = st.sampled_from(["a", "b", "c"])
    return {
        "y": draw(st.lists(names, min_size=n, max_size=n)),
        "pa": [p[0] for p in rows],
        "pb": [p[1] for p in rows],
        "pc": [p[2] for p in rows],
        "d": draw(st.lists(st.sampled_from(["a", "b", "c", "?"]), min_size=n, max_size=n)),
        "w": draw(st.lists(st.sampled_from([0.0, 0.25, 1.0, 3.0]), min_size=n, max_size=n)),
        "g": draw(st.lists(st.sampled_from(["x", "y", "z"]), min_size=n, max_size=n)),
    }


@st.composite
def two_class_rows(draw: st.DrawFn) -> dict[str, list[Any]]:
    n = draw(st.integers(1, 12))
    exact = st.sampled_from([0.0, 1.0, 1 / 6, 0.2, 0.5, float(np.nextafter(0.5, 1)), 1e-9])
    scores = st.one_of(tenths, exact, st.floats(0, 1))
    return {
        "y": draw(st.lists(st.sampled_from([0, 1]), min_size=n, max_size=n)),
        "p": draw(st.lists(scores, min_size=n, max_size=n)),
        "amount": draw(st.lists(st.sampled_from([0.5, 1.0, 20.0]), min_size=n, max_size=n)),
    }


def in_memory(rows: dict[str, list[Any]], app: Application, weights: Any = None) -> ConfusionMatrix:
    posteriors = np.column_stack([rows["pa"], rows["pb"], rows["pc"]])
    return ConfusionMatrix.from_decisions(
        rows["y"],
        bayes_decisions(posteriors, app),
        classes=app.classes,
        decision_names=app.decisions,
        sample_weight=weights,
    )


def decided(rows: dict[str, list[Any]], app: Application) -> list[Any]:
    posteriors = np.column_stack([rows["pa"], rows["pb"], rows["pc"]])
    return [app.decisions[k] for k in bayes_decisions(posteriors, app)]


def part_of(rows: dict[str, list[Any]], key: str, value: Any) -> dict[str, list[Any]]:
    inside = [k for k, v in enumerate(rows[key]) if v == value]
    return {name: [column[k] for k in inside] for name, column in rows.items()}


@quick_kind
class TestPosteriorsOfThreeClasses:
    @EXAMPLES
    @given(rows=three_class_rows())
    def test_counts_of_several_models_and_applications(self, frame: Any, rows: Any) -> None:
        models = {"m": ["pa", "pb", "pc"], "rule": "d"}
        plain = CostMatrix(PLAIN.costs.values, list("abc"), list("abc?"))
        apps = {"costs": THREE, "plain": Application(plain)}
        found = reduce_frame(frame(rows), Request("y", models, applications=apps, by="g"))
        for name, app in apps.items():
            assert found.confusion("m", name) == in_memory(rows, app)
            expected = PairedCounts.from_decisions(
                rows["y"],
                {"m": decided(rows, app), "rule": rows["d"]},
                classes=app.classes,
                decision_names=app.decisions,
            )
            assert found.paired(name) == expected
        assert found.slices == tuple((v,) for v in sorted(set(rows["g"])))
        for value in set(rows["g"]):
            part = part_of(rows, "g", value)
            assert found[value].confusion("m", "costs") == in_memory(part, THREE)

    @EXAMPLES
    @given(rows=three_class_rows())
    def test_weights_and_proper_scores(self, frame: Any, rows: Any) -> None:
        request = Request(
            "y",
            {"m": ["pa", "pb", "pc"]},
            applications=THREE,
            sample_weight="w",
            proper_scores=True,
        )
        if not any(rows["w"]):
            rows["w"][0] = 1.0
        found = reduce_frame(frame(rows), request)
        expected = in_memory(rows, THREE, rows["w"])
        np.testing.assert_allclose(found.confusion().counts, expected.counts, rtol=1e-12)
        weights = np.array(rows["w"])
        truth = np.array([THREE.classes.index(y) for y in rows["y"]])
        posteriors = np.column_stack([rows["pa"], rows["pb"], rows["pc"]])
        brier = ((posteriors - np.eye(3)[truth]) ** 2).sum(axis=1)
        mean = (weights * brier).sum() / weights.sum()
        assert found.brier_scores().cost() == pytest.approx(mean, rel=1e-12, abs=1e-15)
        meant = posteriors[np.arange(len(truth)), truth]
        wrong = (meant == 0) & (weights > 0)
        if wrong.any():
            with pytest.raises(StakesError, match=f"{wrong.sum()} rows"):
                found.log_scores()
        else:
            counts = weights > 0
            mean = -(weights[counts] * np.log(meant[counts])).sum() / weights.sum()
            assert found.log_scores().cost() == pytest.approx(mean, rel=1e-12, abs=1e-15)

    @EXAMPLES
    @given(rows=three_class_rows())
    def test_rows_of_weight_zero_are_no_cases(self, frame: Any, rows: Any) -> None:
        rows["w"][0] = 1.0
        models = {"m": ["pa", "pb", "pc"], "rule": "d"}
        request = Request("y", models, applications=THREE, sample_weight="w", proper_scores=True)
        kept = [k for k, weight in enumerate(rows["w"]) if weight]
        found = reduce_frame(frame(rows), request)
        assert found.n_rows == len(kept)
        for k, name in enumerate(THREE.classes):
            assert found.rows_by_class[k] == sum(rows["y"][row] == name for row in kept)
        without = {name: [column[k] for k in kept] for name, column in rows.items()}
        alone = reduce_frame(frame(without), request)
        assert found.paired() == alone.paired()

    @EXAMPLES
    @given(rows=three_class_rows(), cut=st.integers(0, 12))
    def test_powers_of_weights_and_parts_of_the_rows(self, frame: Any, rows: Any, cut: int) -> None:
        rows["w"][0] = 1.0  # others are 0, 0.25, 1 or 3: sums of their powers are exact
        models = {"m": ["pa", "pb", "pc"], "rule": "d"}
        request = Request("y", models, applications=THREE, sample_weight="w")
        found = reduce_frame(frame(rows), request)
        y, n = np.array(rows["y"]), len(rows["y"])
        said, w = {"m": decided(rows, THREE), "rule": rows["d"]}, np.array(rows["w"])
        panel = found.whole.panels[0]
        for power, name in ((0, "rows"), (1, "weight"), (2, "squares"), (4, "fourths")):
            values = panel.rows if power == 0 else panel.sums[name]
            for (i, j, k), value in zip(panel.cells.tolist(), values, strict=True):
                inside = [
                    w[row] ** power * (w[row] > 0)
                    for row in range(n)
                    if y[row] == THREE.classes[i]
                    and said["m"][row] == THREE.decisions[j]
                    and said["rule"][row] == THREE.decisions[k]
                ]
                assert value == sum(inside)
        if not 0 < cut < n or not 0 < w[:cut].sum() < w.sum():
            return
        halves = [
            reduce_frame(frame({name: v[part] for name, v in rows.items()}), request)
            for part in (slice(cut), slice(cut, None))
        ]
        merged, whole = sum(halves).weighted(), found.weighted()
        for name in ("rows", "squares", "fourths"):
            np.testing.assert_array_equal(getattr(merged, name), getattr(whole, name))
        assert merged.joint == whole.joint

    @settings(max_examples=10)
    @given(rows=three_class_rows(), data=st.data())
    def test_one_bad_value_is_refused_alike(self, frame: Any, rows: Any, data: Any) -> None:
        column, bad = data.draw(
            st.sampled_from(
                [
                    ("y", None),
                    ("y", "nobody"),
                    ("pa", None),
                    ("pb", math.nan),
                    ("pc", -1e-300),
                    ("pa", 1.7),
                    ("pb", 0.123),
                    ("w", -1.0),
                    ("w", math.inf),
                    ("d", "nothing"),
                    ("d", None),
                ]
            )
        )
        for values in rows.values():
            values.append(values[0])  # so that no column is missing throughout
        rows[column][0] = bad
        models = {"m": ["pa", "pb", "pc"], "rule": "d"}
        request = Request("y", models, applications=THREE, sample_weight="w")
        with pytest.raises((DataError, LabelError, PosteriorError), match=r"\(1 of \d+ rows\)"):
            reduce_frame(frame(rows), request)


@quick_kind
class TestScoresOfTwoClasses:
    @EXAMPLES
    @given(rows=two_class_rows())
    def test_bins_are_those_of_the_scores(self, frame: Any, rows: Any) -> None:
        app = Application([[0, 1], [5, 0]])
        other = Application([[0, 1], [1, 0]])
        request = Request("y", {"m": "p"}, applications={"a": app, "b": other}, bins=64)
        found = reduce_frame(frame(rows), request)
        bins = found.score_bins()
        scores = ScoreCounts.from_scores(rows["y"], rows["p"], kind="posterior", classes=(0, 1))
        expected = scores.binned(bins.edges)
        assert np.array_equal(bins.counts, expected.counts)
        assert np.array_equal(bins.lowest, expected.lowest, equal_nan=True)
        assert np.array_equal(bins.highest, expected.highest, equal_nan=True)
        for name, each in (("a", app), ("b", other)):
            chosen = bayes_decisions(np.array(rows["p"]), each)
            assert found.confusion("m", name) == ConfusionMatrix.from_decisions(
                rows["y"], chosen, classes=(0, 1), decision_names=(0, 1)
            )
            assert np.array_equal(
                bins.counts_above(each.posterior_threshold),
                found.confusion("m", name).counts[:, 1],
            )

    def test_decisions_beside_bins_are_those_counted_apart(self, frame: Any) -> None:
        """The first bins count the joint decisions of all models, with or without slices."""
        rng = np.random.default_rng(3)
        p, q = rng.random((2, 150)).round(3)
        more = {"y": (rng.random(150) < p).astype(int), "p": p, "q": q, "d": (q > 0.3).astype(int)}
        more = {name: column.tolist() for name, column in more.items()}
        more["g"] = ["u", "v", "w"] * 50
        asks = CostMatrix([[0, 1, 0.4], [3, 0, 0.4]], decisions=["no", "yes", "ask"])
        apps = {"two": Application([[0, 1], [5, 0]]), "asks": Application(asks)}
        for by in (None, ["g"]):
            for told in (apps, {"two": apps["two"]}):
                models = {"p": "p", "d": "d", "q": "q"} if len(told) == 1 else {"p": "p", "q": "q"}
                how = {"applications": told, "by": by}
                beside = reduce_frame(frame(more), Request("y", models, **how, bins=64))
                apart = reduce_frame(frame(more), Request("y", models, **how))
                assert beside.slices == apart.slices
                for name in told:
                    one, other = beside.paired(name), apart.paired(name)
                    assert one.cells.tolist() == other.cells.tolist()
                    assert one.counts.tolist() == other.counts.tolist()
                for model in ("p", "q"):
                    alone = Request("y", {model: model}, **how, bins=64)
                    bins, expected = beside, reduce_frame(frame(more), alone)
                    bins, expected = (each.score_bins(model) for each in (bins, expected))
                    for part in ("edges", "counts", "lowest", "highest"):
                        pair = getattr(bins, part), getattr(expected, part)
                        assert np.array_equal(*pair, equal_nan=True), part

    @EXAMPLES
    @given(rows=two_class_rows(), data=st.data())
    def test_bins_leave_out_rows_of_weight_zero(self, frame: Any, rows: Any, data: Any) -> None:
        n, weights = len(rows["y"]), st.sampled_from([0.0, 0.25, 3.0])
        rows["w"] = [1.0, *data.draw(st.lists(weights, min_size=n - 1, max_size=n - 1))]
        app = Application([[0, 1], [5, 0]])
        request = Request("y", {"m": "p"}, applications=app, sample_weight="w", bins=64)
        kept = [k for k, weight in enumerate(rows["w"]) if weight]
        found = reduce_frame(frame(rows), request)
        truth = np.array(rows["y"])[kept]
        assert found.rows_by_class.tolist() == np.bincount(truth, minlength=2).tolist()
        without = {name: [column[k] for k in kept] for name, column in rows.items()}
        alone = reduce_frame(frame(without), request)
        assert np.array_equal(found.score_bins().counts, alone.score_bins().counts)
        empty = found.score_bins().counts.sum(axis=1) == 0
        assert np.isnan(found.score_bins().lowest[empty]).all()
        assert found.confusion() == alone.confusion()

    @EXAMPLES
    @given(rows=two_class_rows())
    def test_an_ask_decision_in_between(self, frame: Any, rows: Any) -> None:
        chosen = bayes_decisions(np.array(rows["p"]), TWO)
        expected = ConfusionMatrix.from_decisions(
            rows["y"], chosen, classes=("no", "yes"), decision_names=TWO.decisions
        )
        found = reduce_frame(frame(rows), Request("y", {"m": "p"}, applications=TWO))
        assert found.confusion() == expected

    @EXAMPLES
    @given(rows=two_class_rows())
    def test_costs_of_each_case(self, frame: Any, rows: Any) -> None:
        costs = {"fp": "1 + amount/2", "fn": "2*amount - 0.25"}
        request = Request(
            "y",
            {"m": "p"},
            applications=Application([[0, 1], [1, 0]]),
            case_costs=costs,
            naive=True,
        )
        found = reduce_frame(frame(rows), request)
        amount = np.array(rows["amount"])
        cases = CaseCosts.binary(false_positive=1 + amount / 2, false_negative=2 * amount - 0.25)
        chosen = bayes_decisions(np.array(rows["p"]), cases)
        expected = CostTally.from_decisions(rows["y"], chosen, costs=cases)
        tally = found.tally()
        assert np.array_equal(tally.counts, expected.counts)
        np.testing.assert_allclose(tally.sums, expected.sums, rtol=1e-12)
        np.testing.assert_allclose(tally.squares, expected.squares, rtol=1e-12)
        always = CostTally.from_decisions(rows["y"], [0] * len(amount), costs=cases)
        assert found.naive_tally().sums[:, 0].sum() == pytest.approx(always.sums.sum(), rel=1e-12)
        assert found.least_cost.sum() == 0  # the right decision is free


@quick_kind
class TestAllInOneRequest:
    @EXAMPLES
    @given(rows=two_class_rows())
    def test_costs_per_case_beside_bins(self, frame: Any, rows: Any) -> None:
        costs = {"no": {"yes": 1, "ask": 0.2}, "yes": {"no": "amount", "ask": "amount/4"}}
        apart = Request("y", {"m": "p"}, applications=TWO, case_costs=costs)
        together = Request("y", {"m": "p"}, applications=TWO, case_costs=costs, bins=64)
        one, two = (reduce_frame(frame(rows), request) for request in (apart, together))
        assert np.array_equal(one.tally().counts, two.tally().counts)
        np.testing.assert_allclose(two.tally().sums, one.tally().sums, rtol=1e-12)
        np.testing.assert_allclose(two.tally().squares, one.tally().squares, rtol=1e-12)
        plain = reduce_frame(frame(rows), Request("y", {"m": "p"}, applications={"": TWO}))
        assert two.confusion("m", "") == plain.confusion()


@every_kind
class TestEveryKind:
    def test_all_at_once(self, frame: Any) -> None:
        rng = np.random.default_rng(1)
        p = rng.dirichlet(np.ones(3), 40).round(3)
        p[:, 2] = 1 - p[:, 0] - p[:, 1]
        p[:3] = [[0.4, 0.3, 0.3], [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]
        rows = {
            "y": rng.choice(["a", "b", "c"], 40).tolist(),
            "pa": p[:, 0].tolist(),
            "pb": p[:, 1].tolist(),
            "pc": p[:, 2].tolist(),
            "w": rng.random(40).tolist(),
            "g": rng.choice(["x", "y"], 40).tolist(),
            "h": rng.integers(1, 3, 40).tolist(),
        }
        request = Request(
            "y",
            {"m": ["pa", "pb", "pc"]},
            applications=PLAIN,
            sample_weight="w",
            by=["g", "h"],
        )
        found: Reduction = reduce_frame(frame(rows), request)
        assert found.n_rows == 40
        assert set(found.slices) == set(zip(rows["g"], rows["h"], strict=True))
        expected = in_memory(rows, PLAIN, rows["w"])
        np.testing.assert_allclose(found.confusion().counts, expected.counts, rtol=1e-12)

    def test_bins(self, frame: Any) -> None:
        rng = np.random.default_rng(2)
        rows = {"y": rng.integers(0, 2, 50).tolist(), "p": rng.random(50).round(2).tolist()}
        request = Request("y", {"m": "p"}, applications=Application([[0, 1], [4, 0]]), bins=256)
        bins = reduce_frame(frame(rows), request).score_bins()
        scores = ScoreCounts.from_scores(rows["y"], rows["p"], kind="posterior", classes=(0, 1))
        assert np.array_equal(bins.counts, scores.binned(bins.edges).counts)

    def test_missing_and_unknown_labels_are_told(self, frame: Any) -> None:
        rows = {"y": ["a", None, "b", "zebra"], "p": ["a", "b", "c", "a"]}
        request = Request("y", {"m": "p"}, applications=PLAIN)
        with pytest.raises(DataError, match=r"`y` has missing values.*\(1 of 4 rows\)"):
            reduce_frame(frame(rows), request)
        rows["y"][1] = "b"
        with pytest.raises(LabelError, match=r"'zebra', not among the names .*\(1 of 4 rows\)"):
            reduce_frame(frame(rows), request)

    def test_a_missing_slice_is_told(self, frame: Any) -> None:
        rows = {"y": ["a", "b", "c"], "p": ["a", "b", "c"], "g": ["x", None, "x"]}
        request = Request("y", {"m": "p"}, applications=PLAIN, by="g")
        with pytest.raises(DataError, match=r"`by` column 'g' has missing values \(1 rows\)"):
            reduce_frame(frame(rows), request)

    def test_a_missing_slice_may_be_kept(self, frame: Any) -> None:
        for gap, values in ((None, ["x", "y"]), (np.nan, [1.5, 2.5])):
            g = [values[0], gap, values[1], gap, gap]
            rows = {"y": ["a", "b", "c", "a", "b"], "p": ["a", "b", "c", "c", "b"], "g": g}
            request = Request("y", {"m": "p"}, applications=PLAIN, by="g")
            with pytest.raises(DataError, match=r"`by` column 'g' has missing values \(3 rows\)"):
                reduce_frame(frame(rows), request)
            found = reduce_frame(frame(rows), request, keep_missing=True)
            assert set(found.slices) == {(values[0],), (values[1],), (None,)}
            assert found[None].confusion().counts.tolist() == [[0, 0, 1, 0], [0, 2, 0, 0], [0] * 4]

    def test_no_rows(self, frame: Any) -> None:
        rows = {"y": ["a", "b"], "p": ["a", "b"]}
        request = Request("y", {"m": "p"}, applications=PLAIN)
        whole = frame(rows)
        import narwhals as nw

        empty = nw.from_native(whole).filter(nw.col("y") == "nobody").to_native()
        with pytest.raises(DataError, match="no cases"):
            reduce_frame(empty, request)
