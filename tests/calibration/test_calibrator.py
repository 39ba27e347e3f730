"""Laws that every calibrator keeps."""

import json
from functools import partial

import numpy as np
import pytest
from scipy.special import log_softmax

from stakes import Posteriors
from stakes.calibration import (
    Affine,
    Automatic,
    Average,
    Beta,
    Calibrator,
    CommonCurve,
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
    calibration_gain,
    cross_fit,
    load,
)
from stakes.exceptions import DataError, FormatError, LabelError, PosteriorError, PriorError

MANY = [
    Temperature,
    Affine,
    Vector,
    Matrix,
    Dirichlet,
    Isotonic,
    CommonCurve,
    StructuredMatrix,
]
TWO = [Logistic, Beta, Gaussian, VennAbers, Histogram, Rank, Smooth, Average]
ALL = [*MANY, *TWO, Automatic]
BIASED = [kind for kind in ALL if kind not in (Temperature, CommonCurve)]


@pytest.fixture(scope="module")
def binary():
    rng = np.random.default_rng(1)
    y = (rng.random(300) < 0.4).astype(int)
    return (2.5 * rng.normal(size=300) + np.where(y == 1, 2.0, -2.0) - 1.0).round(3), y


@pytest.fixture(scope="module")
def ternary():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 300)
    logits = 2 * rng.normal(size=(300, 3)) + 2 * np.eye(3)[y] + [0.0, 1.0, 0.0]
    return log_softmax(logits, axis=1), y


@pytest.fixture(params=["binary", "ternary"])
def data(request):
    return request.getfixturevalue(request.param)


def fits(kind, data):
    """Whether a kind takes these scores."""
    return data[0].ndim == 1 or kind not in TWO


@pytest.mark.parametrize("kind", ALL)
class TestEveryKind:
    def test_posteriors_are_probabilities(self, kind, data):
        if not fits(kind, data):
            with pytest.raises(DataError, match="two classes"):
                kind().fit(*data)
            return
        found = kind().fit(*data).posteriors(data[0])
        assert found.shape == (300, 2 if data[0].ndim == 1 else 3)
        assert found.dtype == np.float64
        assert found.min() >= 0
        np.testing.assert_allclose(found.sum(axis=1), 1)

    def test_json_round_trip(self, kind, data, tmp_path):
        if not fits(kind, data):
            return
        cal = kind().fit(*data)
        cal.save(tmp_path / "cal.json")
        json.loads((tmp_path / "cal.json").read_text(), parse_constant=pytest.fail)
        again = load(tmp_path / "cal.json")
        assert type(again) is kind
        np.testing.assert_array_equal(again.posteriors(data[0]), cal.posteriors(data[0]))
        assert again.classes == cal.classes

    def test_integer_weights_are_repeated_rows(self, kind, binary):
        scores, y = binary
        counts = 1 + np.arange(300) % 3
        if kind is Automatic:
            return  # its folds are drawn per row
        weighted = kind().fit(scores, y, sample_weight=counts.astype(float))
        repeated = kind().fit(np.repeat(scores, counts), np.repeat(y, counts))
        np.testing.assert_allclose(
            weighted.posteriors(scores), repeated.posteriors(scores), atol=1e-6
        )

    def test_float32_is_fitted_in_float64(self, kind, data):
        if not fits(kind, data):
            return
        single = data[0].astype(np.float32)
        np.testing.assert_allclose(
            kind().fit(single, data[1]).posteriors(single),
            kind().fit(single.astype(np.float64), data[1]).posteriors(single),
            atol=1e-6,
        )

    def test_inputs_are_not_touched(self, kind, data):
        if not fits(kind, data):
            return
        scores, y = data[0].copy(), data[1].copy()
        scores.flags.writeable = y.flags.writeable = False
        kind().fit(scores, y).posteriors(scores)
        np.testing.assert_array_equal(scores, data[0])

    def test_target_priors_of_the_data_change_nothing(self, kind, binary):
        scores, y = binary
        priors = np.bincount(y) / len(y)
        np.testing.assert_allclose(
            kind(priors=priors).fit(scores, y).posteriors(scores),
            kind().fit(scores, y).posteriors(scores),
            # weights of an average come from folds, whose shares are not quite those of all
            atol=1e-3 if kind is Automatic else 1e-7,
        )

    def test_target_priors_are_used(self, kind, binary):
        scores, y = binary
        cal = kind(priors={0: 0.99, 1: 0.01}).fit(scores, y)
        assert cal.posteriors(scores)[y == 0, 1].mean() < 0.05
        np.testing.assert_allclose(cal.priors, [0.99, 0.01])

    def test_names_are_kept_and_used(self, kind, binary):
        scores, y = binary
        named = np.where(y == 1, "yes", "no")
        cal = kind(classes=["no", "yes"]).fit(scores, named)
        assert cal.classes == ("no", "yes")
        np.testing.assert_allclose(cal.posteriors(scores), kind().fit(scores, y).posteriors(scores))

    def test_both_binary_forms_agree(self, kind, binary):
        scores, y = binary
        table = Posteriors.from_logits(scores)
        if kind is Matrix:
            return  # takes the columns as they are
        np.testing.assert_allclose(
            kind().fit(table, y).posteriors(table),
            kind().fit(scores, y).posteriors(scores),
            atol=1e-7,
        )

    def test_used_before_fit_raises(self, kind):
        with pytest.raises(DataError, match="has not been fitted"):
            kind().posteriors([0.0])

    def test_nan_raises(self, kind, binary):
        scores, y = binary
        with pytest.raises(DataError, match="missing"):
            kind().fit(np.append(scores[1:], np.nan), y)

    def test_wrong_length_raises(self, kind, binary):
        with pytest.raises(DataError, match="rows"):
            kind().fit(binary[0], binary[1][1:])

    def test_empty_raises(self, kind):
        with pytest.raises(DataError, match="at least one"):
            kind().fit(np.empty(0), np.empty(0, dtype=int))

    def test_priors_of_zero_raise(self, kind, binary):
        with pytest.raises(PriorError, match="positive"):
            kind(priors=[1.0, 0.0]).fit(*binary)

    def test_separable_data_give_finite_posteriors(self, kind):
        scores = np.concatenate([np.linspace(-3, -1, 15), np.linspace(1, 3, 15)])
        found = kind().fit(scores, np.repeat([0, 1], 15)).log_posteriors(scores)
        assert np.isfinite(found).all()

    def test_unfitted_keeps_options(self, kind, binary):
        fresh = kind(priors=[0.3, 0.7]).fit(*binary).unfitted()
        assert fresh.classes is None
        np.testing.assert_allclose(fresh.options["priors"], [0.3, 0.7])


@pytest.mark.parametrize("kind", BIASED)
def test_single_class_raises(kind, binary):
    scores, y = binary
    with pytest.raises(DataError, match="no case of class 1"):
        kind().fit(scores[y == 0], y[y == 0])


@pytest.mark.parametrize("kind", [kind for kind in BIASED if kind not in TWO])
def test_missing_class_raises(kind, ternary):
    scores, y = ternary
    if kind is Automatic:
        assert kind().fit(scores[y < 2], y[y < 2]).chosen.kind == "temperature"
        return
    with pytest.raises(DataError, match="no case of class 2"):
        kind().fit(scores[y < 2], y[y < 2])


class TestInfiniteScores:
    scores = np.array([-np.inf, -1.0, 0.5, -0.5, 1.0, np.inf])
    right = np.array([0, 0, 0, 1, 1, 1])

    @pytest.mark.parametrize(
        "kind", [Affine, Logistic, Temperature, Beta, Isotonic, VennAbers, Rank, Smooth]
    )
    def test_on_the_right_side(self, kind):
        found = kind().fit(self.scores, self.right).posteriors(self.scores)
        assert not np.isnan(found).any()
        assert found[0, 1] <= found[1, 1]
        assert found[5, 1] >= found[4, 1]

    @pytest.mark.parametrize("kind", [Affine, Logistic, Temperature, Vector, Beta])
    def test_on_the_wrong_side_raises(self, kind):
        with pytest.raises(DataError, match="posterior of 0") as caught:
            kind().fit(self.scores, self.right[::-1])
        assert caught.value.rows == (0, 5)
        assert "bound" in caught.value.hint

    @pytest.mark.parametrize(
        "kind", [Affine, Logistic, Temperature, Vector, Beta, Gaussian, Matrix]
    )
    def test_bound_makes_them_finite(self, kind):
        cal = kind(bound="data").fit(self.scores, self.right[::-1])
        assert np.isfinite(cal.log_posteriors(self.scores)).all()

    def test_data_bound_is_log_2_beyond_the_largest(self):
        cal = Affine(bound="data").fit(self.scores, self.right)
        assert cal.to_dict()["bound"] == pytest.approx(1.0 + np.log(2))

    def test_bound_must_be_positive(self):
        with pytest.raises(DataError, match="`bound`"):
            Affine(bound=-1.0)

    @pytest.mark.parametrize("kind", [Gaussian, Matrix, Dirichlet])
    def test_refused_where_they_mean_nothing(self, kind):
        with pytest.raises(DataError, match="finite"):
            kind().fit(self.scores, self.right)


class TestReading:
    def test_probabilities_are_refused(self, ternary):
        scores, y = ternary
        with pytest.raises(PosteriorError, match="logarithms"):
            Affine().fit(np.exp(scores), y)

    def test_posteriors_object_is_read_as_logs(self, ternary):
        scores, y = ternary
        given = Posteriors(np.exp(scores))
        np.testing.assert_allclose(
            Affine().fit(given, y).posteriors(given), Affine().fit(scores, y).posteriors(scores)
        )

    def test_row_that_says_nothing_raises(self):
        with pytest.raises(DataError, match="row 1"):
            Affine().fit([[0.0, 1.0], [-np.inf, -np.inf]], [0, 1])

    def test_plus_infinity_is_certainty(self):
        cal = Temperature().fit([[2.0, 0.0], [0.0, 2.0], [2.0, 0.0]], [0, 1, 1])
        np.testing.assert_allclose(cal.posteriors([[np.inf, 0.0]]), [[1.0, 0.0]])

    def test_columns_must_match_the_fit(self, ternary):
        cal = Affine().fit(*ternary)
        with pytest.raises(DataError, match="3 columns"):
            cal.posteriors([0.0])

    def test_too_many_labels_raise(self, binary):
        with pytest.raises(LabelError, match="2 score columns"):
            Affine().fit(binary[0], np.array(list("abc") * 100))


class TestWithPriors:
    def test_moves_the_posteriors_exactly(self, binary):
        scores, y = binary
        cal = Isotonic(priors=[0.5, 0.5]).fit(scores, y)
        moved = cal.with_priors([0.9, 0.1])
        np.testing.assert_allclose(moved.llrs(scores), cal.llrs(scores))
        np.testing.assert_allclose(moved.priors, [0.9, 0.1])

    def test_saves_and_loads(self, binary, tmp_path):
        moved = Affine().fit(*binary).with_priors([0.9, 0.1])
        moved.save(tmp_path / "cal.json")
        np.testing.assert_allclose(
            load(tmp_path / "cal.json").posteriors(binary[0]), moved.posteriors(binary[0])
        )


class TestLoad:
    def test_other_json_raises(self, tmp_path):
        (tmp_path / "x.json").write_text('{"format": "something"}')
        with pytest.raises(FormatError, match="not a saved calibrator"):
            load(tmp_path / "x.json")

    def test_other_text_raises(self, tmp_path):
        (tmp_path / "x.json").write_text("nothing")
        with pytest.raises(FormatError, match="not JSON"):
            load(tmp_path / "x.json")

    def test_unknown_kind_raises(self, binary):
        saved = Affine().fit(*binary).to_dict() | {"kind": "magic"}
        with pytest.raises(FormatError, match="magic"):
            Calibrator.from_dict(saved)

    def test_infinite_parameters_survive(self, tmp_path):
        cal = Isotonic(misleading=0).fit([-1.0, 1.0], [0, 1])
        cal.save(tmp_path / "cal.json")
        assert load(tmp_path / "cal.json").posteriors([2.0]).tolist() == [[0.0, 1.0]]


def test_llrs_leave_the_priors_out(binary):
    scores, y = binary
    cal = Affine(priors=[0.5, 0.5]).fit(scores, y)
    logs = cal.log_posteriors(scores)
    np.testing.assert_allclose(cal.llrs(scores), logs[:, 1] - logs[:, 0])


def test_llrs_need_two_classes(ternary):
    with pytest.raises(DataError, match="two classes"):
        Affine().fit(*ternary).llrs(ternary[0])


def test_repr_says_whether_fitted(binary):
    assert "not fitted" in repr(Affine())
    assert "fitted on 300 cases" in repr(Affine().fit(*binary))


RARE = [Affine, Logistic, Temperature, Vector, Matrix, Dirichlet, Beta, Rank, CommonCurve]


@pytest.mark.parametrize("kind", [*RARE, StructuredMatrix])
@pytest.mark.parametrize("share", [1e-4, 1e-8])
def test_rare_target_classes_keep_their_likelihood_ratios(kind, share):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    scores = 2.0 * rng.normal(size=2000) + 2.0 * y - 1.0  # the LLR is score / 2
    cal = kind(priors=[1.0 - share, share]).fit(scores, y)
    np.testing.assert_allclose(cal.llrs([-3.0, 0.0, 3.0]), [-1.5, 0.0, 1.5], atol=0.8)


@pytest.mark.parametrize("kind", [Affine, Logistic, Beta, Rank])
@pytest.mark.parametrize("score", [0.3, 1e-5, -7.7])
def test_equal_scores_give_the_priors_everywhere(kind, score):
    y = [0] * 26 + [1] * 34
    cal = kind().fit([score] * 60, y)
    np.testing.assert_allclose(cal.posteriors([-9.0, score, 9.0])[:, 1], 34 / 60, atol=1e-7)
    moved = kind(priors=[0.9, 0.1]).fit([score] * 60, y)
    np.testing.assert_allclose(moved.posteriors([-9.0, score, 9.0])[:, 1], 0.1, atol=1e-7)


@pytest.mark.parametrize("kind", [Affine, Temperature, Vector])
@pytest.mark.parametrize("mask", [-1e4, -1e9, -3.4e38])
def test_finite_masks_are_as_good_as_infinite_ones(kind, mask, ternary):
    logs, y = ternary
    barred = np.random.default_rng(0).random(logs.shape) < 0.2
    barred[np.arange(len(y)), y] = False
    exact = kind().fit(np.where(barred, -np.inf, logs), y).report["cross_entropy"]
    found = kind().fit(np.where(barred, mask, logs), y).report
    assert not found["smoothed"]
    assert found["cross_entropy"] == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize("kind", [Affine, Temperature])
@pytest.mark.parametrize("unit", [1e-6, 1e6, 1e90])
def test_unit_of_logits_does_not_matter(kind, unit, ternary):
    logs, y = ternary
    expected = kind().fit(logs, y).posteriors(logs)
    np.testing.assert_allclose(kind().fit(unit * logs, y).posteriors(unit * logs), expected, 1e-5)


@pytest.mark.parametrize("kind", [Temperature, CommonCurve])
def test_target_priors_of_a_class_without_cases_raise(kind, ternary):
    logs, y = ternary
    with pytest.raises(DataError, match="no case of class 2"):
        kind(priors=[0.5, 0.3, 0.2]).fit(logs[y < 2], y[y < 2])


@pytest.mark.parametrize("kind", ALL)
def test_vast_scores_are_refused_by_all(kind, binary):
    scores, y = binary
    with pytest.raises(
        DataError, match=r"at most 1e\+100 in size, or infinite: .* in row 2 and in 1 of"
    ) as e:
        kind().fit(np.where(np.arange(len(y)) == 2, -1e101, scores), y)
    assert e.value.rows == (2,)
    assert "bound=50" in e.value.hint
    fitted = kind().fit(scores, y)
    if kind is Automatic:  # which has a bound, learnt from the scores
        assert np.isfinite(fitted.log_posteriors([0.0, 1e200])).all()
        return
    with pytest.raises(DataError, match="in row 1 and in 1 of"):
        fitted.posteriors([0.0, 1e200])


@pytest.mark.parametrize("kind", [Affine, Temperature, Vector, Matrix, Dirichlet, Automatic])
def test_vast_scores_of_a_class_are_moved_to_the_bound(kind, ternary):
    logs, y = ternary
    masked = np.where((logs < -8.0) & (np.eye(3)[y] == 0), np.finfo(float).min, logs)
    assert (masked < -1e300).any()
    with pytest.raises(DataError, match="at most 1e"):
        kind().fit(masked, y)
    cal = kind(bound=50.0).fit(masked, y)
    assert np.isfinite(cal.log_posteriors(masked)).all()


@pytest.mark.parametrize("kind", ALL)
def test_scores_just_below_the_limit_are_fitted(kind, binary):
    scores, y = binary
    found = kind().fit(1e98 * scores, y).log_posteriors(1e98 * scores)
    assert -found[np.arange(len(y)), y].mean() < 0.75


@pytest.mark.parametrize("kind", [Affine, Logistic, Vector, Matrix, CommonCurve, Gaussian])
def test_rows_in_messages_are_those_of_the_caller(kind, binary):
    """Cases of weight 0 before the offending one are counted."""
    scores, y = binary
    wrong = int(np.flatnonzero(y == 1)[9])
    scores = np.where(np.arange(len(y)) == wrong, -np.inf, scores)
    weights = np.where(np.arange(len(y)) < wrong - 3, 0.0, 1.0)
    weights[np.flatnonzero(y == 0)[:2]] = 1.0
    for fit in (
        lambda: kind().fit(scores, y, sample_weight=weights),
        lambda: cross_fit(y, scores, calibrator=kind(), sample_weight=weights, folds=2),
    ):
        with pytest.raises(DataError, match=rf"row {wrong}\b") as error:
            fit()
        assert error.value.rows == (wrong,)


def _edited(saved, **changes):
    return {k: v for k, v in {**saved, **changes}.items() if v is not ...}


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": ...},
        {"kind": ["affine"]},
        {"options": ...},
        {"options": []},
        {"options": {"unheard_of": 1}},
        {"parameters": ...},
        {"parameters": {}},
        {"parameters": {"scales": ["x", "y"], "biases": [0.0, 0.0]}},
        {"parameters": {"scales": ["nan", "nan"], "biases": [0.0, 0.0]}},
        {"parameters": {"_log_posteriors": "x"}},
        {"classes": None},
        {"classes": ["a", "b", "c"]},
        {"priors": [-1.0, 2.0]},
        {"options": {"bound": "data"}, "bound": None},
    ],
    ids=str,
)
def test_damaged_form_is_refused(changes, binary):
    saved = Affine().fit(*binary).to_dict()
    with pytest.raises(FormatError):
        Calibrator.from_dict(_edited(saved, **changes))


def test_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "cal.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match="not a saved calibrator"):
        load(tmp_path / "cal.json")


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind is not Automatic])
def test_cases_of_weight_0_are_as_good_as_absent(kind, binary):
    scores, y = binary
    weights = np.arange(len(y)) % 3
    given = kind().fit(scores, y, sample_weight=weights)
    repeated = kind().fit(np.repeat(scores, weights), np.repeat(y, weights))
    places = np.linspace(-12.0, 12.0, 25)
    np.testing.assert_allclose(
        given.log_posteriors(places), repeated.log_posteriors(places), atol=1e-4
    )


def _wild(scores, y, weights):
    """The same cases, but what has weight 0 is far, infinite or vast, and wrong."""
    scores, y = scores.copy(), y.copy()
    for number, row in enumerate(np.flatnonzero(weights == 0)):
        y[row] = number % (2 if scores.ndim == 1 else 3)
        mark = [1e6, np.inf, 1e200][number % 3]
        if scores.ndim == 1:
            scores[row] = -mark if y[row] else mark
        else:
            scores[row, y[row]] = -mark
    return scores, y


@pytest.mark.parametrize("kind", [*ALL, partial(Gaussian, tails="t")])
@pytest.mark.parametrize("bound", [None, "data"])
def test_nothing_is_learnt_from_cases_of_weight_0(kind, bound, data):
    """Neither the parameters nor the bound nor the number of cases, and nothing is refused."""
    if not fits(getattr(kind, "func", kind), data):
        return
    weights = np.arange(300) % 4 / 2
    wild, y = _wild(*data, weights)
    cal = kind(bound=bound).fit(wild, y, sample_weight=weights)
    kept = weights > 0
    fewer = kind(bound=bound).fit(data[0][kept], data[1][kept], sample_weight=weights[kept])
    np.testing.assert_array_equal(cal.posteriors(data[0]), fewer.posteriors(data[0]))
    assert cal.to_dict()["bound"] == fewer.to_dict()["bound"]
    assert cal.report["cases"] == 225


KINDS_BY_WEIGHT = [kind for kind in ALL if kind is not Automatic]  # its folds are drawn per row


@pytest.mark.parametrize("kind", [*KINDS_BY_WEIGHT, partial(Gaussian, tails="t")])
@pytest.mark.parametrize("bound", [None, "data", 3.0])
@pytest.mark.parametrize("seed", range(4))
def test_weights_from_0_to_3_are_repetitions(kind, bound, seed):
    rng = np.random.default_rng(seed)
    size = 3 if seed % 2 and getattr(kind, "func", kind) in MANY else 2
    y = np.arange(90) % size
    scores = rng.normal(size=(90, size)) * [1.0, 4.0][seed // 2] + 2.0 * np.eye(size)[y]
    weights = rng.integers(0, 4, 90)
    priors = [None, np.arange(1, size + 1) / np.arange(1, size + 1).sum()][seed // 2]
    options = {"bound": bound, "priors": priors}
    wild, labels = _wild(scores, y, weights) if size == 3 else (scores.copy(), y)
    wild[np.flatnonzero(weights == 0)[0]] *= 1e5
    given = kind(**options).fit(wild, labels, sample_weight=weights)
    repeated = kind(**options).fit(np.repeat(scores, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(given.posteriors(scores), repeated.posteriors(scores), atol=1e-8)


@pytest.mark.parametrize("kind", [Temperature, Affine, Vector, Logistic, Beta, Rank])
@pytest.mark.parametrize("apart", [False, True])
def test_weights_of_few_different_scores(kind, apart):
    """Two scores leave three parameters undetermined, and weights must not decide on them."""
    rng = np.random.default_rng(0)
    scores = rng.choice([-3.0, 3.0], 60)
    y = (scores > 0 if apart else rng.random(60) < np.where(scores > 0, 0.8, 0.3)).astype(int)
    weights = rng.integers(0, 4, 60)
    given = kind().fit(scores, y, sample_weight=weights)
    repeated = kind().fit(np.repeat(scores, weights), np.repeat(y, weights))
    places = np.linspace(-9.0, 9.0, 13)
    np.testing.assert_allclose(given.posteriors(places), repeated.posteriors(places), atol=3e-5)
    if kind in (Vector, Beta):
        affine = Affine().fit(scores, y, sample_weight=weights).posteriors(places)
        np.testing.assert_allclose(given.posteriors(places), affine, atol=3e-5)


@pytest.mark.parametrize("kind", [*MANY, partial(Isotonic, misleading=0)])
@pytest.mark.parametrize("bound", [20.0, "data"])
def test_float32_is_bounded_in_float64(kind, bound, ternary):
    single = ternary[0].astype(np.float32)
    given = kind(bound=bound).fit(single, ternary[1])
    double = kind(bound=bound).fit(single.astype(np.float64), ternary[1])
    np.testing.assert_array_equal(given.posteriors(single), double.posteriors(single))
    assert given.to_dict()["bound"] == double.to_dict()["bound"]


def test_shifted_calibrator_is_judged_like_any_other(binary):
    scores, y = binary
    cal = Affine(classes=["no", "yes"]).fit(scores, np.array(["no", "yes"])[y])
    moved = cal.with_priors([0.9, 0.1])
    there = calibration_gain(np.array(["no", "yes"])[y], scores, calibrator=moved, fitted=True)
    refit = Affine(priors=[0.9, 0.1], classes=["no", "yes"])
    expected = calibration_gain(np.array(["no", "yes"])[y], scores, calibrator=refit).before
    assert there.before == pytest.approx(expected)
    with pytest.raises(DataError, match="already fitted"):
        moved.fit(scores, y)


def test_class_of_prior_0_does_not_come_back(binary):
    gone = Affine().fit(*binary).with_priors([1.0, 0.0])
    assert gone.posteriors([3.0]).tolist() == [[1.0, 0.0]]
    with pytest.raises(PriorError, match="whose prior was 0"):
        gone.with_priors([0.5, 0.5])


@pytest.mark.parametrize("given", ["affine", Affine])
def test_names_and_types_are_no_calibrators(given, binary):
    with pytest.raises(DataError, match=r"such as Affine\(\)"):
        Automatic([given]).fit(*binary)
    with pytest.raises(DataError, match=r"such as Affine\(\)"):
        Average([given])
