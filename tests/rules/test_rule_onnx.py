"""A rule in ONNX decides as it does in Python: run by onnxruntime, joined to a converted model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stakes import Application, CostMatrix, DecisionRule, Posteriors
from stakes.calibration import (
    Affine,
    Automatic,
    Average,
    Beta,
    CommonCurve,
    Constant,
    Dirichlet,
    Gaussian,
    Histogram,
    Isotonic,
    Logistic,
    Matrix,
    Rank,
    Smooth,
    StructuredMatrix,
    Temperature,
    Vector,
    VennAbers,
)
from stakes.exceptions import CostError, DataError

pytest.importorskip("onnx", reason="needs ONNX: pip install 'stakes[onnx]'")
runtime = pytest.importorskip("onnxruntime", reason="needs a runtime: pip install onnxruntime")

RNG = np.random.default_rng(3)
N = 4000
Y = (RNG.random(N) < 0.3).astype(int)
P = np.clip(RNG.normal(0.3 + 0.3 * Y, 0.2), 0.01, 0.99)
LOG_ODDS = np.log(P / (1 - P))
K3 = RNG.dirichlet([1, 1, 1], N)
Y3 = np.array([RNG.choice(3, p=p) for p in K3])
TWO = Application([[0, 1], [3, 0]], priors=[0.9, 0.1])
THREE = Application(CostMatrix([[0, 1, 5], [2, 0, 1], [9, 3, 0]]).with_abstention(0.7))
MAPS = [Affine, Temperature, Logistic, Isotonic, Smooth, VennAbers, Histogram]


def run(model, scores):
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"scores": scores}), strict=True))


def tables(p):
    return np.column_stack([1 - p, p])


def around(rule, kind, scores):
    """Scores, the cuts themselves, and their neighbours on both sides."""
    cuts = np.array(rule.raw_cuts(kind)[0], dtype=kind)
    ways = [cuts, np.nextafter(cuts, kind_of(kind)(-9)), np.nextafter(cuts, kind_of(kind)(9))]
    return np.concatenate([scores.astype(kind), *ways])


def kind_of(name):
    return np.dtype(name).type


def on_posteriors(cls):
    return DecisionRule(TWO, calibrator=cls().fit(Posteriors(tables(P)), Y))


def on_log_odds(cls):
    return DecisionRule(TWO, calibrator=cls().fit(LOG_ODDS, Y), scores="log_odds")


def expected(rule, posteriors):
    weights = posteriors * np.array([float(factor) for factor in rule.factors])
    return weights / weights.sum(axis=1, keepdims=True) @ rule.priced_costs.values


@pytest.mark.parametrize("kind", ["float32", "float64"])
class TestOneCut:
    @pytest.mark.parametrize("cost", [3, 10, 0.1, 1 / 3])
    def test_uncalibrated(self, cost, kind):
        rule = DecisionRule(Application([[0, 1], [cost, 0]]))
        scores = around(rule, kind, RNG.random(N))
        found = run(rule.to_onnx(score_type=kind, single=True), scores)
        assert (found["decision"] == rule.positions(scores)).all()
        wide = scores.astype(np.float64)
        costs = np.column_stack([cost * wide, 1 - wide])
        assert np.allclose(found["expected_costs"], costs, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("cls", MAPS)
    def test_calibrated_posteriors(self, cls, kind):
        rule = on_posteriors(cls)
        scores = around(rule, kind, RNG.random(N))
        model = rule.to_onnx(score_type=kind, single=True)
        found = run(model, scores)
        assert (found["decision"] == rule.positions(scores)).all()
        said = {each.key: each.value for each in model.metadata_props}
        error = 1e-9 + float(said.get("posterior_error", 0))
        truly = rule.calibrator.posteriors(Posteriors(tables(scores.astype(np.float64))))
        assert np.abs(found["expected_costs"] - expected(rule, truly)).max() <= 1.2 * 3 * error

    @pytest.mark.parametrize("cls", MAPS)
    def test_calibrated_log_odds(self, cls, kind):
        rule = on_log_odds(cls)
        scores = around(rule, kind, RNG.normal(0, 4, N))
        model = rule.to_onnx(score_type=kind)
        found = run(model, scores)
        assert (found["decision"] == rule.positions(scores)).all()
        said = {each.key: each.value for each in model.metadata_props}
        error = 1e-9 + float(said.get("posterior_error", 0))
        truly = rule.calibrator.posteriors(scores.astype(np.float64))
        assert np.abs(found["expected_costs"] - expected(rule, truly)).max() <= 1.2 * 3 * error

    def test_columns_of_both_classes(self, kind):
        rule = on_posteriors(Affine)
        scores = tables(RNG.random(N)).astype(kind)
        found = run(rule.to_onnx(score_type=kind), scores)
        assert (found["decision"] == rule.positions(scores)).all()

    def test_a_decision_in_the_middle_and_names(self, kind):
        costs = CostMatrix([[0, 10, 2], [10, 0, 2]], classes=["no", "yes"],
                           decisions=["no", "yes", "ask"])  # fmt: skip
        rule = DecisionRule(Application(costs))
        scores = around(rule, kind, RNG.random(N))
        found = run(rule.to_onnx(score_type=kind, single=True), scores)
        taken = rule.positions(scores)
        assert (found["decision"] == taken).all()
        assert found["name"].tolist() == [rule.decisions[j] for j in taken]

    def test_torch_decides_alike(self, kind):
        torch = pytest.importorskip("torch", reason="needs PyTorch: pip install torch")
        from stakes.integrations.torch import bayes_decisions

        rule = DecisionRule(Application([[0, 1], [10, 0]]))
        scores = around(rule, kind, RNG.random(N))
        found = run(rule.to_onnx(score_type=kind, single=True), scores)["decision"]
        tensors = bayes_decisions(torch.tensor(scores), rule.application.costs)
        assert (tensors.numpy() == found).all()
        moved = on_posteriors(Isotonic)
        scores = around(moved, kind, RNG.random(N))
        found = run(moved.to_onnx(score_type=kind, single=True), scores)["decision"]
        at, taken = moved.raw_cuts(kind)
        above = torch.tensor(scores)[:, None] > torch.tensor(at, dtype=getattr(torch, kind))
        assert (np.array(taken)[above.sum(dim=1).numpy()] == found).all()


class TestMoreClasses:
    @pytest.mark.parametrize("cls", [None, Affine, Temperature, Vector])
    @pytest.mark.parametrize(("kind", "share"), [("float64", 1e-9), ("float32", 1e-6)])
    def test_differs_only_within_rounding(self, cls, kind, share):
        fitted = None if cls is None else cls().fit(Posteriors(K3), Y3)
        rule = DecisionRule(THREE, calibrator=fitted, score_type=kind)
        scores = RNG.dirichlet([0.7, 0.7, 0.7], N).astype(kind)
        found, taken = run(rule.to_onnx(), scores), rule.positions(scores)
        wide = scores.astype(np.float64)
        truly = wide if cls is None else fitted.posteriors(Posteriors(scores))
        costs = expected(rule, truly)
        slack = share * (truly @ np.abs(rule.priced_costs.values)).max(axis=1)
        each = np.arange(N)
        apart = np.abs(costs[each, found["decision"]] - costs[each, taken])
        assert (apart <= slack).all()
        assert np.abs(found["expected_costs"] - costs).max() <= (
            1e-12 if kind == "float64" else 1e-6
        )
        assert (found["decision"] == taken).mean() > 0.999

    def test_ties_in_decimals_go_to_the_earlier_decision(self):
        rule = DecisionRule(THREE)
        parts = np.sort(np.random.default_rng(4).integers(0, 21, (N, 2)), axis=1)
        rows = np.diff(parts, axis=1, prepend=0, append=20) / 20
        assert (run(rule.to_onnx(), rows)["decision"] == rule.positions(rows)).all()

    def test_factors_next_to_one_are_kept(self):
        rule = DecisionRule(Application([[0, 1 + 3e-8, 5], [2, 0, 1 - 2e-8], [9, 3, 0]]))
        found = run(rule.to_onnx(), np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
        np.testing.assert_allclose(found["expected_costs"][0, 1], 1 + 3e-8, rtol=1e-15)
        np.testing.assert_allclose(found["expected_costs"][1, 2], 1 - 2e-8, rtol=1e-15)

    def test_log_posteriors_and_other_priors(self):
        app = replace(THREE, priors=np.array([0.2, 0.5, 0.3]))
        rule = DecisionRule(app, scores="log_odds", from_priors=[0.4, 0.3, 0.3])
        scores = RNG.normal(0, 3, (N, 3))
        found = run(rule.to_onnx(), scores)
        assert (found["decision"] == rule.positions(scores)).all()
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        truly = odds / odds.sum(axis=1, keepdims=True)
        assert np.allclose(found["expected_costs"], expected(rule, truly), rtol=1e-12)


def test_likelihood_ratios():
    rule = DecisionRule(TWO, scores="llr")
    scores = around(rule, "float64", RNG.normal(0, 4, N))
    found = run(rule.to_onnx(), scores)
    assert (found["decision"] == rule.positions(scores)).all()
    p = 1 / (1 + 9 * np.exp(-scores))
    assert np.allclose(found["expected_costs"], np.column_stack([3 * p, 1 - p]), atol=1e-12)


def test_ranks_have_no_expected_costs():
    rule = DecisionRule(TWO, scores="rank", cut=7.5)
    found = run(rule.to_onnx(), np.array([7.0, 7.5, 8.0, np.nan]))
    assert list(found) == ["decision", "name"]
    assert found["decision"].tolist() == [0, 0, 1, -1]


@pytest.mark.parametrize("cls", [Affine, Smooth])
def test_rows_that_are_no_probabilities_are_not_decided(cls):
    found = run(on_posteriors(cls).to_onnx(single=True), np.array([np.nan, -0.1, 1.1, 0.0, 1.0]))
    assert (found["decision"][:3] == -1).all()
    assert (found["decision"][3:] >= 0).all()
    assert found["name"].tolist()[:3] == ["", "", ""]
    assert np.isnan(found["expected_costs"]).all(axis=1).tolist() == [True] * 3 + [False] * 2
    wrong = run(DecisionRule(THREE).to_onnx(), np.array([[0.5, 0.5, 0.5], [0.2, 0.3, 0.5]]))
    assert wrong["decision"][0] == -1 < wrong["decision"][1]


@pytest.mark.parametrize("cls", [Affine, Smooth])
def test_infinite_log_odds(cls):
    rule = on_log_odds(cls)
    scores = np.array([-np.inf, np.inf, 1e300])
    found = run(rule.to_onnx(), scores)
    assert found["decision"].tolist() == [0, 1, 1]
    assert np.isfinite(found["expected_costs"]).all()


def test_joined_to_a_converted_classifier(tmp_path):
    pytest.importorskip("sklearn", reason="needs scikit-learn: pip install scikit-learn")
    skl2onnx = pytest.importorskip("skl2onnx", reason="needs skl2onnx: pip install skl2onnx")
    import onnx
    from sklearn.datasets import make_classification
    from sklearn.linear_model import LogisticRegression

    X, y = make_classification(600, 5, random_state=0)
    X = X.astype(np.float32)
    model = LogisticRegression().fit(X, y)
    rule = DecisionRule(Application([[0, 1], [10, 0]]), score_type="float32")
    rule.to_onnx(tmp_path / "rule.onnx", opset=17)
    converted = skl2onnx.to_onnx(model, X[:1], options={"zipmap": False}, target_opset=17)
    converted.ir_version = 8
    joined = onnx.compose.merge_models(
        converted, onnx.load(tmp_path / "rule.onnx"), io_map=[("probabilities", "scores")]
    )
    session = runtime.InferenceSession(
        joined.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    found = session.run(["decision"], {session.get_inputs()[0].name: X})[0]
    p = model.predict_proba(X)[:, 1]
    sure = np.abs(p - 1 / 11) > 1e-5  # the runtime rounds probabilities otherwise
    assert sure.mean() > 0.99
    assert (found == (p > 1 / 11))[sure].all()


class TestRefused:
    def test_costs_per_case(self):
        with pytest.raises(CostError, match="per case"):
            DecisionRule(TWO, per_case=True).to_onnx()

    def test_no_formula(self):
        fitted = Isotonic().fit(Posteriors(K3), Y3)
        with pytest.raises(CostError, match="no formula"):
            DecisionRule(THREE, calibrator=fitted).to_onnx()

    @pytest.mark.parametrize(
        "options",
        [{"score_type": "float16"}, *({"opset": odd} for odd in (9, 999, "x")), {"single": "yes"}],
    )
    def test_odd_options(self, options):
        with pytest.raises(DataError):
            DecisionRule(TWO).to_onnx(**options)

    def test_a_single_score_of_three_classes(self):
        with pytest.raises(DataError, match="single score"):
            DecisionRule(THREE).to_onnx(single=True)

    def test_two_columns_of_log_odds(self):
        with pytest.raises(DataError, match="one score"):
            DecisionRule(TWO, scores="llr").to_onnx(single=False)


def test_an_opset_of_any_whole_type() -> None:
    rule = DecisionRule(Application([[0, 1], [10, 0]]))
    assert rule.to_onnx(opset=np.float64(17)) == rule.to_onnx(opset=17)


def test_a_table_for_a_class_with_prior_0():
    rule = DecisionRule(
        Application([[0, 1], [3, 0]], priors=[1, 0]), calibrator=Beta().fit(Posteriors(P), Y)
    )
    found = run(rule.to_onnx(single=True), np.array([0.0, 0.5, 1.0]))
    assert found["decision"].tolist() == [0, 0, 0]
    assert found["expected_costs"].tolist() == [[0, 1]] * 3


#: Maps of two classes that are exported, and those that may reverse the order of scores.
EXPORTED = [Affine, Temperature, Vector, Logistic, Beta, Rank, Isotonic, VennAbers, Smooth]
EXPORTED += [Constant, Gaussian, Average, lambda: Average([Affine(), Gaussian()])]
EXPORTED += [lambda: Automatic([Gaussian()], bound=None), lambda: Histogram(bins=2)]
REFUSED = [Matrix, Dirichlet, CommonCurve, StructuredMatrix, lambda: Gaussian(tails="t")]
REFUSED += [lambda: Gaussian(variances="unequal"), lambda: Average([Affine(), Matrix()])]


@pytest.mark.parametrize("made", EXPORTED)
def test_maps_of_two_classes_that_keep_the_order_are_exported(made):
    calibrator = made().fit(Posteriors(P), Y)
    rule = DecisionRule(TWO, calibrator=calibrator)
    model = rule.to_onnx()
    inner = np.concatenate([P, [1e-9, 1e-4, 1 - 1e-9]])
    ends = np.array([0.0, 5e-324, 1 - 2.0**-53, 1.0])  # those in the middle are like the others
    scores = np.concatenate([inner, ends])
    found = run(model, tables(scores))
    assert (found["decision"] == rule.positions(scores)).all()
    posterior = calibrator.posteriors(Posteriors(np.append(inner, ends[[1, 1, 2, 2]])))
    moved = posterior * TWO.priors / calibrator.priors
    expected = moved / moved.sum(axis=1, keepdims=True) @ TWO.costs.values
    assert found["expected_costs"] == pytest.approx(expected, abs=1e-3)
    error = {each.key: each.value for each in model.metadata_props}.get("posterior_error", "0")
    assert float(error) <= 2e-5


@pytest.mark.parametrize("made", REFUSED)
def test_maps_of_two_classes_that_may_reverse_the_order_are_refused(made):
    rule = DecisionRule(TWO, calibrator=made().fit(Posteriors(P), Y))
    with pytest.raises(CostError, match="of 2 classes has no formula that ONNX can say"):
        rule.to_onnx()
