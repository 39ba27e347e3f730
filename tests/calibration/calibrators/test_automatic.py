import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, log_softmax

from stakes import Application, CostMatrix, bayes_decisions
from stakes.calibration import (
    Affine,
    Automatic,
    Average,
    Beta,
    Calibrator,
    Gaussian,
    Isotonic,
    Rank,
    Smooth,
    Temperature,
    calibration_gain,
    cross_fit,
    load,
    stratified_folds,
)
from stakes.calibration.calibrators import automatic_choice as candidate_average
from stakes.calibration.calibrators.automatic_choice import default_candidates
from stakes.calibration.labelled_scores import read_cases
from stakes.exceptions import DataError, FormatError
from stakes.metrics import BetaWeight


def made_up(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return 3 * (rng.normal(size=n) + np.where(y == 1, 1.0, -1.0)), y


def bent(n=4000, seed=0):
    """Posteriors that no line can mend: a step."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(-3, 3, n)
    return scores, (rng.random(n) < np.where(scores > 1, 0.9, 0.1)).astype(int)


def stairs(n=4000, seed=0):
    """Posteriors that no smooth curve can follow: five steps."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0, 6, n)
    height = np.array([0.02, 0.3, 0.35, 0.9, 0.92, 0.995])[scores.astype(int)]
    return scores - 3, (rng.random(n) < height).astype(int)


class TestChoice:
    def test_earlier_candidate_wins_within_one_standard_error(self):
        scores, y = made_up()
        for candidates in ([Affine(), Isotonic()], [Gaussian(), Affine()]):
            cal = Automatic(candidates).fit(scores, y)
            table = cal.frame()
            first = table["candidate"].tolist().index(candidates[0].kind)
            assert table["above_best"][first] <= table["standard_error"][first] + 1e-12
            assert cal.chosen.kind == candidates[0].kind

    def test_later_candidate_wins_when_clearly_better(self):
        cal = Automatic([Affine(), Isotonic()]).fit(*bent())
        assert cal.chosen.kind == "isotonic"
        assert "Chose isotonic: the least cross-fitted cross-entropy (" in cal.why

    def test_says_when_the_best_is_not_clearly_better(self):
        """Of two like candidates, each is taken when named first; only one is the best."""
        both = [
            Automatic(order).fit(*made_up())
            for order in ([Gaussian(), Affine()], [Affine(), Gaussian()])
        ]
        assert [cal.chosen.kind for cal in both] == ["gaussian", "affine"]
        assert sum("is not clearly better" in cal.why for cal in both) == 1

    def test_by_cost_of_an_application(self):
        scores, y = bent()
        app = Application(CostMatrix([[0, 1], [5, 0]]))
        cal = Automatic([Temperature(), Isotonic()], by=app).fit(scores, y)
        assert "cost" in cal.why
        table = cal.frame()
        decisions = (expit(scores) > 1 / 6).astype(int)
        assert table["loss"][0] == pytest.approx(app.costs.values[y, decisions].mean())

    def test_priors_of_the_application_are_the_target(self):
        app = Application(CostMatrix([[0, 1], [5, 0]]), priors=[0.9, 0.1])
        cal = Automatic([Affine()], by=app).fit(*made_up())
        np.testing.assert_allclose(cal.priors, [0.9, 0.1])

    def test_failing_candidate_is_left_out_and_named(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 90)
        logits = rng.normal(size=(90, 3)) + np.eye(3)[y]
        cal = Automatic([Gaussian(), Affine()]).fit(logits, y)
        assert cal.chosen.kind == "affine"
        assert "gaussian" in cal.report["failures"][0]

    def test_all_failing_raises(self):
        with pytest.raises(DataError, match="no candidate"):
            Automatic([Gaussian()]).fit(np.eye(3)[[0, 1, 2] * 9] * 2, [0, 1, 2] * 9)

    def test_unknown_measure_raises(self):
        with pytest.raises(DataError, match="`by`"):
            Automatic(by="accuracy")

    def test_infinite_scores_are_bounded(self):
        scores, y = made_up()
        scores[0], y[0] = np.inf, 0
        assert np.isfinite(Automatic().fit(scores, y).log_posteriors(scores)).all()

    def test_default_for_many_classes(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 4, 800)
        logs = log_softmax(3 * (rng.normal(size=(800, 4)) + 1.5 * np.eye(4)[y]), axis=1)
        cal = Automatic().fit(logs, y)
        value = -cal.log_posteriors(logs)[np.arange(800), y].mean()
        assert value < -logs[np.arange(800), y].mean() - 0.1

    def test_smooth_alone_where_the_average_is_no_better(self):
        rng = np.random.default_rng(2)
        u = rng.random(1000)
        bend = 0.02 + 0.6 * expit(12 * (u - 0.7))
        cal = Automatic().fit(3 * np.log(u), (rng.random(1000) < bend).astype(int))
        table = cal.frame()
        assert cal.chosen.kind == "smooth"
        assert table["candidate"][1] == "smooth"
        assert table["above_best"][1] <= table["standard_error"][1]

    def test_average_by_likelihood_where_it_is_better(self):
        cal = Automatic().fit(*stairs())
        assert isinstance(cal.chosen, Average)
        assert cal.chosen.weights.sum() == pytest.approx(1)
        assert "average (" in cal.why
        table = cal.frame()
        assert table["above_best"][1] > 2 * table["standard_error"][1]  # smooth
        least = np.delete(table["loss"], [0, 2]).min()  # one case beforehand for each of six
        assert table["loss"][2] <= least + (5 * np.log(4000) + 6) / 4000

    def test_an_average_of_one_is_that_one(self, tmp_path):
        """Scores on the next class: a matrix mends them, and nothing else has a share."""
        rng, y = np.random.default_rng(0), np.arange(600) % 3
        logits = rng.normal(size=(600, 3))
        logits[np.arange(600), (y + 1) % 3] += 3.0
        cal = Automatic().fit(logits, y)
        assert cal.chosen.kind == "dirichlet"
        assert cal.why.startswith("Chose dirichlet: the least cross-fitted cross-entropy (")
        names = cal.frame()["candidate"].tolist()
        assert names == ["as is", "dirichlet", "common-curve", "affine", "temperature", "isotonic"]
        cal.save(tmp_path / "cal.json")
        again = load(tmp_path / "cal.json")
        np.testing.assert_array_equal(again.posteriors(logits), cal.posteriors(logits))

    @pytest.mark.parametrize("place", range(6))
    def test_one_with_all_the_weight_is_compared_with_smooth(self, place, monkeypatch):
        shares = np.eye(6)[place] * 0.995 + 0.001
        monkeypatch.setattr(
            candidate_average, "likelihood_weights", lambda *_, **__: shares / shares.sum()
        )
        cal = Automatic().fit(*made_up(600))
        names = cal.frame()["candidate"].tolist()
        tried = ["smooth", "rank", "venn-abers", "beta", "affine", "isotonic"]
        assert sorted(names) == sorted(["as is", *tried])
        assert names[1] == "smooth"
        assert "average" not in cal.why
        assert cal.chosen.kind in {"smooth", tried[place]}
        assert set(names[1:3]) >= {"smooth", tried[place]}

    def test_saved_average_applies(self, tmp_path):
        scores, y = made_up()
        cal = Automatic().fit(scores, y)
        cal.save(tmp_path / "cal.json")
        again = load(tmp_path / "cal.json")
        np.testing.assert_array_equal(again.posteriors(scores), cal.posteriors(scores))

    def test_saved_choice_applies_without_candidates(self, tmp_path):
        scores, y = bent()
        cal = Automatic([Affine(), Isotonic()]).fit(scores, y)
        cal.save(tmp_path / "cal.json")
        again = load(tmp_path / "cal.json")
        assert again.why == cal.why
        assert again.chosen.kind == "isotonic"

    def test_loaded_fits_the_same_candidates_again(self, tmp_path):
        scores, y = bent()
        named = [
            Affine(smoothing=True, bound=9.0),
            Isotonic(misleading=0.25),
            Average([Rank(), Beta()], weights=[3, 1], emphasis=[1, 20]),
            Automatic([Temperature(), Affine()], by=Application([[0, 1], [20, 0]]), folds=3),
        ]
        cal = Automatic(named, by="brier", folds=4, rng=2).fit(scores, y)
        cal.save(tmp_path / "cal.json")
        json.loads((tmp_path / "cal.json").read_text(), parse_constant=pytest.fail)
        fresh = load(tmp_path / "cal.json").unfitted()
        assert [type(each) for each in fresh.options["candidates"]] == [type(c) for c in named]
        assert fresh.options["candidates"][1].options["misleading"] == 0.25
        assert fresh.options["candidates"][2].options["weights"] == [3, 1]
        assert [c.kind for c in fresh.options["candidates"][3].options["candidates"]] == [
            "temperature",
            "affine",
        ]
        again = fresh.fit(scores, y)
        assert again.why == cal.why
        np.testing.assert_array_equal(again.posteriors(scores), cal.posteriors(scores))
        assert [c.classes for c in named] == [None] * 4

    def test_older_files_without_candidates_load(self):
        scores, y = bent()
        saved = Automatic([Affine(), Isotonic()]).fit(scores, y).to_dict()
        saved["options"]["candidates"] = None
        again = Automatic.from_dict(saved)
        assert again.chosen.kind == "isotonic"
        assert again.unfitted().options["candidates"] is None

    def test_a_candidate_of_no_known_kind_is_refused(self):
        scores, y = bent()
        saved = Automatic([Affine()]).fit(scores, y).to_dict()
        saved["options"]["candidates"] = [{"kind": "magic", "options": {}}]
        with pytest.raises(FormatError, match="unknown calibrator 'magic'"):
            Automatic.from_dict(saved)

    def test_candidates_are_copied(self):
        scores, y = bent()
        names = np.array(["n", "y"])[y]
        named = [Affine(priors=[0.3, 0.7]), Isotonic(classes=["a", "b"])]
        Automatic(iter(named), priors={"n": 0.5, "y": 0.5}).fit(scores, names)
        assert named[0].options["priors"] == [0.3, 0.7]
        assert named[1].options["classes"] == ["a", "b"]
        assert [cal.classes for cal in named] == [None, None]

    def test_what_is_no_calibrator_is_refused_at_once(self):
        with pytest.raises(DataError, match="a calibrator is needed"):
            Automatic(["affine"])

    def test_loaded_compares_by_the_same_cost(self, tmp_path):
        costs = CostMatrix([[0, 1], [20, 0]], classes=["good", "bad"], decisions=["lend", "refuse"])
        scores, y = made_up()
        names = np.array(["good", "bad"])[y]
        cal = Automatic(by=Application(costs, [0.9, 0.1]), classes=["good", "bad"])
        cal.fit(scores, names).save(tmp_path / "cal.json")
        again = load(tmp_path / "cal.json")
        assert again.options["by"].costs.decisions == ("lend", "refuse")
        np.testing.assert_array_equal(again.options["by"].costs.values, costs.values)
        np.testing.assert_allclose(again.options["by"].priors, [0.9, 0.1])
        assert again.unfitted().fit(scores, names).why == cal.why


class TestRareClasses:
    def test_a_class_without_cases_is_named_once(self):
        with pytest.raises(DataError, match="no case of class 1") as caught:
            Automatic().fit(np.arange(30.0), np.zeros(30, dtype=int))
        assert caught.value.message.count("no case of class 1") == 1
        assert caught.value.hint == "add cases of that class"

    @pytest.mark.parametrize("weight", [1.0, 7.0])
    def test_one_case_of_a_class_is_too_few_to_compare(self, weight):
        y = (np.arange(30) == 29).astype(int)
        with pytest.raises(DataError, match="single case of class 1; two of each") as caught:
            Automatic().fit(np.arange(30.0), y, sample_weight=np.where(y == 1, weight, 1.0))
        assert "Affine()" in caught.value.hint

    def test_light_cases_are_cases_too(self):
        scores, y = made_up(200)
        cal = Automatic().fit(scores, y, sample_weight=np.full(200, 1e-3))
        assert cal.chosen.kind != "temperature"


class TestGroups:
    """Cases that come twice reward whoever remembers them, unless twins share a fold."""

    def twins(self):
        rng = np.random.default_rng(0)
        scores = rng.normal(size=300)
        y = (rng.random(300) < expit(scores)).astype(int)
        return np.repeat(scores, 2), np.repeat(y, 2), np.repeat(np.arange(300), 2)

    def test_twins_in_one_fold_are_no_better_than_one(self):
        scores, y, pair = self.twins()
        candidates = [Affine(), Isotonic(misleading=0.1)]
        together = Automatic(candidates).fit(scores, y, groups=pair).frame()["loss"]
        apart = Automatic(candidates).fit(scores, y).frame()["loss"]
        assert together[1] == pytest.approx(apart[1], abs=0.01)
        assert together[2] > apart[2] + 0.02

    def test_copies_may_share_the_weight_of_one_case(self):
        scores, y, _ = self.twins()
        copies = {"sample_weight": np.full(20 * len(y), 0.05)}
        many, classes, case = np.tile(scores, 20), np.tile(y, 20), np.tile(np.arange(len(y)), 20)
        assert "tells nothing" in Automatic([Affine()]).fit(many, classes, **copies).why
        assert (
            "tells nothing"
            not in Automatic([Affine()]).fit(many, classes, groups=case, **copies).why
        )

    def test_inside_a_cross_fit_too(self):
        scores, y, pair = self.twins()
        cal = Automatic([Affine(), Isotonic(misleading=0.1)])
        number = stratified_folds(y, 5, groups=pair)
        found = cross_fit(y, scores, calibrator=cal, groups=pair)
        test = number == 0
        alone = cal.unfitted().fit(scores[~test], y[~test], groups=pair[~test])
        np.testing.assert_allclose(found[test], alone.posteriors(scores[test]))

    def test_of_another_length_are_refused(self):
        scores, y, pair = self.twins()
        with pytest.raises(DataError, match="groups"):
            Automatic().fit(scores, y, groups=pair[1:])


class TestByCost:
    def test_one_decision_when_scores_do_not_help(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 300)
        app = Application(CostMatrix([[0, 1], [100, 0]]))
        cal = Automatic(by=app).fit(rng.normal(size=300), y)
        assert (bayes_decisions(cal.posteriors(rng.normal(size=1000)), app) == 1).all()
        assert "constant" in cal.frame()["candidate"].tolist()
        assert cal.frame()["loss"][-1] == pytest.approx((y == 0).mean())

    @pytest.mark.parametrize("power", [-1020, -660, 1010])
    def test_the_unit_of_costs_changes_nothing(self, power):
        scores, y = bent(300)
        costs = np.array([[0.0, 1.0], [20.0, 0.0]])
        plain = Automatic(by=Application(CostMatrix(costs))).fit(scores, y)
        other = Automatic(by=Application(CostMatrix(costs * 2.0**power))).fit(scores, y)
        np.testing.assert_array_equal(other.posteriors(scores), plain.posteriors(scores))
        for name in ("loss", "above_best", "standard_error"):
            np.testing.assert_allclose(
                other.frame()[name], plain.frame()[name] * 2.0**power, rtol=1e-12
            )

    @given(
        st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=2), min_size=2, max_size=3),
        st.tuples(st.integers(-50, 50), st.integers(-50, 50)),
        st.sampled_from([None, [0.7, 0.3]]),
    )
    @settings(max_examples=3)
    def test_shifted_rows_and_exchanged_classes(self, columns, shift, priors):
        scores, y = (part[:150] for part in bent())
        costs = np.array(columns, dtype=float).T
        first = Automatic(by=Application(CostMatrix(costs), priors)).fit(scores, y)
        moved = CostMatrix(costs + np.array(shift)[:, None])
        again = Automatic(by=Application(moved, priors)).fit(scores, y)
        np.testing.assert_allclose(again.posteriors(scores), first.posteriors(scores), atol=1e-8)
        turned = Application(CostMatrix(costs[::-1]), None if priors is None else priors[::-1])
        mirrored = Automatic(by=turned).fit(-scores, 1 - y)
        np.testing.assert_allclose(
            mirrored.posteriors(-scores)[:, ::-1], first.posteriors(scores), atol=1e-8
        )

    def test_classes_in_another_order_than_those_of_the_costs_are_refused(self):
        scores, y = bent(300)
        words = np.where(y == 1, "yes", "no")
        costs = {"yes": [0, 20], "no": [1, 0]}
        app = Application(CostMatrix(list(costs.values()), classes=list(costs)))
        with pytest.raises(DataError, match="'yes', 'no', and the cases have 'no', 'yes'") as seen:
            Automatic(by=app).fit(scores, words)
        assert "classes=['yes', 'no']" in seen.value.hint
        named = Automatic(by=app, classes=["yes", "no"]).fit(-scores, words)
        sorted_ = Application(CostMatrix([[0, 1], [20, 0]], classes=["no", "yes"]))
        plain = Automatic(by=sorted_).fit(scores, words)
        np.testing.assert_allclose(
            named.posteriors(-scores)[:, ::-1], plain.posteriors(scores), atol=1e-8
        )

    @pytest.mark.parametrize("names", [["no", "yes"], ["yes", "no"], [1, 0]])
    def test_classes_in_the_order_of_the_costs_wherever_it_is_fitted(self, names):
        """Behind other functions it is given positions, which are no names."""
        scores, y = (part[:300] for part in bent())
        labels = np.where(y == 1, "yes", "no") if "no" in names else y
        turn = -1 if names in (["yes", "no"], [1, 0]) else 1
        app = Application(CostMatrix(np.array([[0, 1], [9, 0]])[::turn, ::turn], classes=names))
        cal = Automatic([Affine(), Beta()], by=app, classes=names)
        found = cross_fit(labels, turn * scores, calibrator=cal)
        plain = Automatic([Affine(), Beta()], by=Application(CostMatrix([[0, 1], [9, 0]])))
        np.testing.assert_allclose(
            found[:, ::turn], cross_fit(y, scores, calibrator=plain), atol=1e-8
        )
        gain = calibration_gain(labels, turn * scores, by=app, calibrator=cal)
        loss = np.where(y == 1, 9.0 * (found[:, ::turn][:, 1] < 0.1), found[:, ::turn][:, 1] > 0.1)
        assert gain.after == pytest.approx(loss.mean())
        if turn < 0:
            with pytest.raises(DataError, match="in another order"):
                cross_fit(labels, scores, calibrator=Automatic(by=app))

    def test_average_is_weighed_where_the_decision_changes(self):
        app = Application(CostMatrix([[0, 1], [20, 0]]))
        cal = Automatic(by=app).fit(*stairs())
        assert isinstance(cal.chosen, Average)
        np.testing.assert_allclose(cal.chosen.options["emphasis"], [1 / 20, 1])

    def test_smooth_alone_where_the_average_is_hardly_cheaper(self):
        """Two curves: of the cases as they are, and by the root of what is at stake."""
        app = Application(CostMatrix([[0, 1], [20, 0]]))
        cal = Automatic(by=app).fit(*bent())
        plain, weighed = cal.chosen.members
        assert plain.kind == weighed.kind == "smooth"
        assert plain.options["emphasis"] is None
        np.testing.assert_allclose(weighed.options["emphasis"], [20**-0.5, 1])
        assert cal.why.startswith("Chose smooth (")

    @pytest.mark.parametrize("flip", [False, True])
    def test_curves_are_mixed_as_the_cases_at_stake_make_likely(self, flip):
        """Beside a search over all shares, with folds and sums of its own."""
        scores, y = bent()
        scores, y = (-scores, 1 - y) if flip else (scores, y)
        costs = np.array([1.0, 20.0][:: -1 if flip else 1])
        app = Application(CostMatrix(np.diag(costs)[:, ::-1]))
        found = Automatic(by=app).fit(scores, y).chosen.weights
        number = stratified_folds(y, 5, rng=0)
        own = []
        for emphasis in (None, np.sqrt(costs)):
            stake = cross_fit(y, scores, calibrator=Smooth(emphasis=emphasis), folds=number) * costs
            own.append((stake / stake.sum(axis=1, keepdims=True))[np.arange(len(y)), y])
        mass = costs[y] * len(y) / costs[y].sum()
        shares = np.linspace(0.0005, 0.9995, 1000)
        likely = [
            mass @ np.log((1 - s) * own[0] + s * own[1]) + np.log(s * (1 - s)) for s in shares
        ]
        assert found[1] == pytest.approx(shares[int(np.argmax(likely))], abs=0.001)

    @pytest.mark.parametrize(("cheap", "curves"), [(99, 1), (100, 2)])
    def test_a_class_must_count_for_five_cases_still(self, cheap, curves):
        """By the root of 400, a case counts for a twentieth."""
        app = Application(CostMatrix([[0, 400], [1, 0]]))
        scores, y = (
            np.random.default_rng(0).normal(size=500),
            np.repeat([0, 1], [500 - cheap, cheap]),
        )
        tried = default_candidates(read_cases(scores + y, y), app)
        assert sum(each.kind == "smooth" for each in tried) == curves

    def test_equal_stakes_need_one_curve(self):
        app = Application(CostMatrix([[0, 1], [1, 0]]))
        names = Automatic(by=app).fit(*bent()).frame()["candidate"].tolist()
        assert names[1] == "smooth"

    def test_decides_well_where_errors_are_dear(self):
        """Beside the exact posteriors of the same model, on many new cases."""
        app = Application(CostMatrix([[0, 1], [50, 0]]))
        cal = Automatic(by=app).fit(*made_up())
        scores, y = made_up(50_000, seed=1)
        exact = expit(2 * scores / 3 + np.log(0.3 / 0.7))
        costs = [
            app.costs.values[y, bayes_decisions(q, app)].mean()
            for q in (cal.posteriors(scores), np.column_stack([1 - exact, exact]))
        ]
        assert costs[0] <= 1.15 * costs[1]

    def test_constant_is_hardly_used_when_scores_help(self):
        app = Application(CostMatrix([[0, 1], [5, 0]]))
        cal = Automatic(by=app).fit(*made_up())
        shares = {m.kind: w for m, w in zip(cal.chosen.members, cal.chosen.weights, strict=True)}
        assert shares.get("constant", 0.0) < 0.05

    def test_many_classes(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 600)
        logs = log_softmax(3 * (rng.normal(size=(600, 3)) + 1.5 * np.eye(3)[y]), axis=1)
        app = Application(CostMatrix((1 - np.eye(3)) * [[1], [1], [30]]))
        cal = Automatic(by=app).fit(logs, y)
        cost = app.costs.values[y, bayes_decisions(cal.posteriors(logs), app)].mean()
        assert cost < app.costs.values[y, bayes_decisions(np.exp(logs), app)].mean()

    def test_named_candidates_are_the_only_ones(self):
        rng = np.random.default_rng(0)
        app = Application(CostMatrix([[0, 1], [100, 0]]))
        cal = Automatic([Affine()], by=app).fit(rng.normal(size=300), rng.integers(0, 2, 300))
        assert cal.chosen.kind == "affine"


class TestFewCases:
    """Fewer than 500: a single scale has a part in the curve that goes first."""

    @staticmethod
    def off_by_a_scale(n, seed):
        rng = np.random.default_rng(seed)
        odds = 1.5 * rng.normal(size=n) - 0.8
        return 2 * odds, (rng.random(n) < expit(odds)).astype(int)

    def test_not_behind_a_scale_where_a_scale_is_right(self):
        """Over eight draws, by no more than the standard error; the curve alone is by three."""
        scores, y = self.off_by_a_scale(20_000, seed=99)

        def loss(cal):
            return -cal.log_posteriors(scores)[np.arange(len(y)), y].mean()

        drawn = [self.off_by_a_scale(120, seed) for seed in range(8)]
        scale, found, curve = (
            np.array([loss(kind().fit(*cases)) for cases in drawn])
            for kind in (Temperature, Automatic, Smooth)
        )
        error = (found - scale).std(ddof=1) / np.sqrt(8)
        assert (found - scale).mean() <= error
        assert (curve - scale).mean() > 2 * (curve - scale).std(ddof=1) / np.sqrt(8)

    def test_weights_are_those_the_cases_make_likely(self):
        """Beside a search over all shares, with folds of its own."""
        scores, y = self.off_by_a_scale(150, seed=1)
        cal = Automatic().fit(scores, y)
        assert [member.kind for member in cal.chosen.members] == ["smooth", "temperature"]
        number = stratified_folds(y, 5, rng=0)
        own = [
            cross_fit(y, scores, calibrator=kind(), folds=number)[np.arange(len(y)), y]
            for kind in (Smooth, Temperature)
        ]
        shares = np.linspace(0.0005, 0.9995, 1000)
        likely = [np.log((1 - s) * own[0] + s * own[1]).sum() + np.log(s * (1 - s)) for s in shares]
        best = shares[int(np.argmax(likely))]
        assert cal.chosen.weights[1] == pytest.approx(best, abs=0.001)
        assert cal.why.startswith(f"Chose smooth ({100 * best:.0f} % temperature)")

    def test_hardly_used_where_it_is_wrong(self):
        """Log odds of another share: no scale mends them."""
        rng = np.random.default_rng(0)
        y = np.arange(400) % 2
        cal = Automatic().fit(40 + 3 * (2 * y - 1) + 2 * rng.normal(size=400), y)
        shares = dict(zip((m.kind for m in cal.chosen.members), cal.chosen.weights, strict=True))
        assert shares["temperature"] < 0.05

    def test_no_scale_where_scores_order_worse_than_chance(self):
        scores, y = self.off_by_a_scale(100, seed=0)
        cal = Automatic().fit(-scores, y)
        assert cal.frame()["candidate"][1] == "smooth"

    def test_beside_the_curve_by_stakes(self):
        scores, y = self.off_by_a_scale(200, seed=3)
        app = Application(CostMatrix([[0, 1], [8, 0]]))
        names = Automatic(by=app).fit(scores, y).frame()["candidate"].tolist()
        assert "% by stakes, " in names[1]
        assert names[1].endswith("% temperature)")

    @pytest.mark.parametrize(("n", "first"), [(200, "common-curve ("), (500, "average (")])
    def test_many_classes(self, n, first):
        rng = np.random.default_rng(0)
        y = np.arange(n) % 4
        logits = 2 * (1.5 * np.eye(4)[y] + rng.normal(size=(n, 4)))
        assert Automatic().fit(logits, y).frame()["candidate"][1].startswith(first)

    def test_weights_tell_how_many_cases_there_are(self):
        scores, y = self.off_by_a_scale(300, seed=0)
        found = [
            [each.kind for each in default_candidates(read_cases(scores, y, sample_weight=weights))]
            for weights in (None, np.full(300, 2.0))
        ]
        assert ["temperature" in kinds for kinds in found] == [True, False]


@pytest.mark.parametrize(
    ("size", "cases", "expected"),
    [
        (2, 499, {"smooth", "temperature", "rank", "venn-abers", "beta", "affine", "isotonic"}),
        (2, 500, {"smooth", "rank", "venn-abers", "beta", "affine", "isotonic"}),
        (4, 15, {"common-curve", "affine", "temperature", "isotonic"}),
        (4, 16, {"dirichlet", "common-curve", "affine", "temperature", "isotonic"}),
        (30, 900, {"dirichlet", "common-curve", "affine", "temperature", "isotonic"}),
        (31, 1000, {"structured-matrix", "common-curve", "affine", "temperature"}),
        (500, 1000, {"common-curve", "affine", "temperature"}),
        (31, 32, {"temperature"}),
    ],
)
def test_candidates_suit_the_size(size, cases, expected):
    read = read_cases(np.zeros((cases, size)), np.arange(cases) % size)
    assert {candidate.kind for candidate in default_candidates(read)} == expected


def test_as_is_is_told_under_the_target_priors():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    log_odds = rng.normal(size=400) + 2.0 * y - 1.0
    application = Application([[0, 1], [1, 0]], priors=[0.98, 0.02])
    cal = Automatic([Affine()], by=application).fit(log_odds, y)
    expected = calibration_gain(y, log_odds, by=application).before
    assert cal.frame()["loss"][0] == pytest.approx(expected)


class _Silent(Affine):
    kind = ""

    def _log_posteriors(self, scores):
        return np.full((len(scores), scores.size), np.nan)


def test_candidate_without_posteriors_is_left_out():
    y = [0, 1] * 20
    cal = Automatic([_Silent(), Affine()]).fit(np.arange(40.0), y)
    assert cal.chosen.kind == "affine"
    assert "no posteriors" in cal.report["failures"][0]


@pytest.mark.parametrize("seed", [1, 3])
def test_no_map_is_trusted_alone_where_few_cases_are_almost_told_apart(seed):
    rng = np.random.default_rng(seed)

    def drawn(n):
        y = (rng.random(n) < 0.2).astype(int)
        y[:2] = [0, 1]
        return 2 * rng.normal(size=n) + 4 * y - 2 + np.log(0.2 / 0.8), y  # calibrated log odds

    cal = Automatic().fit(*drawn(30))
    assert cal.chosen.kind == "average"
    assert "not chosen alone" in cal.why
    log_odds, y = drawn(20_000)
    own = cal.log_posteriors(log_odds)[np.arange(len(y)), y]
    as_is = np.log(expit(np.where(y == 1, log_odds, -log_odds)))
    assert -own.mean() < -as_is.mean() + 0.1


class TestHeldOut:
    """What is said of cases by fits without them is that of the choice itself."""

    @staticmethod
    def chosen_loss(cal):
        table = cal.frame()
        return float(table["loss"][table["chosen"]][0])

    @pytest.mark.parametrize("seed", range(3))
    def test_the_loss_of_an_average_is_that_of_the_members_it_has(self, seed):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 4, 3000)
        logits = 2 * (rng.normal(size=(3000, 4)) + 2 * np.eye(4)[y]) + [3, -3, 0, 1]
        cal = Automatic(bound=None).fit(logits, y)
        assert 1 < len(cal.chosen.members) < 5  # some have too small a weight
        again = calibration_gain(y, logits, calibrator=cal.chosen.unfitted())
        assert self.chosen_loss(cal) == pytest.approx(again.after, rel=1e-9)

    def test_is_kept_on_demand(self):
        scores, y = made_up(500)
        cal = Automatic()
        cal.keep_held_out = True
        cal.fit(scores, y)
        own = cal.held_out[np.arange(500), y]
        assert -own.mean() == pytest.approx(self.chosen_loss(cal), rel=1e-9)
        assert Automatic().fit(scores, y).held_out is None

    def test_progress_tells_candidates_folds_and_the_last_fit(self):
        told = []
        cal = Automatic([Affine(), Beta()], folds=3)
        cal.progress = lambda *words: told.append(words)
        cal.fold_progress = lambda *words: told.append(words)
        cal.fit(*made_up(500))
        folds = [(k, 3) for k in range(3)]
        assert told == [(0, 2, "affine"), *folds, (1, 2, "beta"), *folds, (2, 2, cal.chosen.kind)]


def test_standard_errors_know_of_groups():
    """Sixty cases, each twenty times, are sixty cases."""
    rng = np.random.default_rng(1)
    scores = 2 * rng.normal(size=60)
    y = (rng.random(60) < 1 / (1 + np.exp(-scores))).astype(int)
    groups = np.repeat(np.arange(60), 20)
    kinds = [Temperature(), Beta()]
    alone = Automatic(kinds, folds=3).fit(scores, y)
    together = Automatic(kinds, folds=3).fit(np.repeat(scores, 20), np.repeat(y, 20), groups=groups)
    once, often = (max(a.frame()["standard_error"][1:]) for a in (alone, together))
    assert often == pytest.approx(once, rel=0.5)  # fewer would be 1 / sqrt(20) of it


class TestBetaWeight:
    def test_is_compared_and_survives_saving(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 400)
        scores = 4 * (rng.normal(size=400) + 2 * y - 1)
        weight = BetaWeight(2.0, 5.0, 0.1, 0.8)
        cal = Automatic([Affine(), Isotonic()], by=weight).fit(scores, y)
        losses = weight.losses(scores)
        expected = np.where(y == 1, losses[1], losses[0]).mean()
        assert cal.frame()["loss"][0] == pytest.approx(expected)
        again = Calibrator.from_dict(cal.to_dict())
        assert again.options["by"] == weight
        assert isinstance(again.options["by"], BetaWeight)

    def test_is_for_two_classes(self):
        logits = np.random.default_rng(0).normal(size=(60, 3))
        with pytest.raises(DataError, match="two classes; there are 3"):
            Automatic(by=BetaWeight()).fit(logits, np.arange(60) % 3)
