"""What a calibrator was fitted on is what it is applied to, or else it says so."""

import json

import numpy as np
import pytest
from scipy.special import expit, log_softmax

from stakes import Posteriors
from stakes.calibration import (
    Affine,
    Automatic,
    Average,
    Calibrator,
    Dirichlet,
    Gaussian,
    Histogram,
    Isotonic,
    Logistic,
    Matrix,
    Rank,
    Smooth,
    Temperature,
    VennAbers,
    calibration_gain,
    load,
)
from stakes.exceptions import DataError, FormatError, PosteriorError

RNG = np.random.default_rng(0)
Y = (RNG.random(200) < 0.4).astype(int)
S = 3 * (RNG.normal(size=200) + 2 * Y - 1)
P = expit(S)
#: The same scores in each form that a calibrator takes; levels of the logits differ by case.
LOGS = np.log(np.column_stack([1 - P, P]))
LOGITS = LOGS + RNG.normal(size=(200, 1))
#: Kinds that take a scale of their own.
OWN = [Logistic, Isotonic, Smooth, Rank, VennAbers, Histogram, Gaussian]


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.kind)
class TestAfterAColumnInTheUnitInterval:
    @pytest.mark.parametrize(
        "given",
        [Posteriors(P), LOGS, LOGITS, np.column_stack([1 - P, P]), LOGS[:1], Posteriors(P[:1])],
        ids=["Posteriors", "log-posteriors", "logits", "probabilities", "a row", "a posterior"],
    )
    def test_log_odds_in_any_form_are_refused(self, kind, given):
        cal = kind().fit(P, Y)
        with pytest.raises(DataError, match=r"took a column in \[0, 1\]") as caught:
            cal.posteriors(given)
        assert "calibrator.fit(Posteriors(p), y_true)" in str(caught.value)

    def test_many_scores_beyond_are_refused(self, kind):
        with pytest.raises(DataError, match=r"most of the 200 lie outside, from -"):
            kind().fit(P, Y).posteriors(S)

    def test_the_column_is_taken_and_single_scores_beyond_it(self, kind):
        cal = kind().fit(P, Y)
        assert cal.posteriors(P).shape == (200, 2)
        assert cal.posteriors([-0.1, 1.2]).shape == (2, 2)

    def test_what_the_hint_says_gives_the_posteriors_of_log_odds(self, kind):
        cal = kind().fit(P, Y).fit(Posteriors(P), Y)
        expected = kind().fit(S, Y).posteriors(S)
        assert cal.posteriors(Posteriors(P)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", [Affine, Temperature, Dirichlet, Automatic, *OWN])
@pytest.mark.parametrize("fitted_on", [Posteriors(P), LOGS], ids=["Posteriors", "table"])
class TestAfterPosteriorsOrATable:
    def test_one_number_per_case_must_say_what_it_is(self, kind, fitted_on):
        cal = kind().fit(fitted_on, Y)
        for column in (P, S, P[:1], S[:1]):
            with pytest.raises(DataError, match="may be a probability or log odds") as caught:
                cal.posteriors(column)
            assert "Posteriors(p)" in str(caught.value)
            assert "Posteriors.from_logits(scores)" in str(caught.value)

    def test_said_in_any_way_the_posteriors_are_the_same(self, kind, fitted_on):
        if kind is VennAbers:
            pytest.skip("it jumps at the scores themselves, and logarithms are rounded")
        cal = kind().fit(fitted_on, Y)
        expected = cal.posteriors(fitted_on)
        for said in (Posteriors(P), Posteriors.from_logits(S), LOGS, LOGITS):
            assert cal.posteriors(said) == pytest.approx(expected, abs=1e-6)


class TestAfterOtherColumns:
    def test_log_odds_are_read_in_every_form(self):
        cal = Logistic().fit(S, Y)
        for given in (Posteriors(P), LOGS, LOGITS):
            assert cal.posteriors(given) == pytest.approx(cal.posteriors(S), abs=1e-9)

    def test_few_cases_in_the_unit_interval_may_be_log_odds(self):
        cal = Logistic().fit([0.1, 0.6, 0.4, 0.9], [0, 0, 1, 1])
        assert cal.posteriors(Posteriors([0.3])).shape == (1, 2)

    def test_cases_of_weight_0_are_not_looked_at(self):
        scores, weights = np.append(P, -5.0), np.append(np.ones(200), 0.0)
        cal = Logistic().fit(scores, np.append(Y, 0), sample_weight=weights)
        with pytest.raises(DataError, match=r"took a column in \[0, 1\]"):
            cal.posteriors(Posteriors(P))

    @pytest.mark.parametrize("fitted_on", [S, LOGS, Posteriors(P)])
    def test_rounded_probabilities_are_refused_from_five_rows_on(self, fitted_on):
        cal = Affine().fit(fitted_on, Y)
        rounded = np.column_stack([1 - P, P]).astype(np.float16)
        with pytest.raises(PosteriorError, match="so they are probabilities"):
            cal.posteriors(rounded)
        assert cal.posteriors([[0.35, 0.66]]).shape == (1, 2)


class TestMatrix:
    """It reads scores as they are: with another level they are other scores."""

    @pytest.mark.parametrize("size", [2, 3])
    @pytest.mark.parametrize("wrap", [Matrix, lambda: Average([Matrix(), Affine()])])
    def test_level(self, wrap, size):
        rng = np.random.default_rng(1)
        y = rng.integers(0, size, 300)
        logits = rng.normal(size=(300, size)) + 2 * np.eye(size)[y] + rng.normal(size=(300, 1))
        logs = log_softmax(logits, axis=1)
        raw, normal = wrap().fit(logits, y), wrap().fit(logs, y)
        for given in (logs, Posteriors.from_logits(logits), logs[:1]):
            with pytest.raises(DataError, match="must be logits at their level, as in `fit`"):
                raw.posteriors(given)
        for given in (logits, logits[:9]):
            with pytest.raises(DataError, match="must be log-posteriors, as in `fit`") as caught:
                normal.posteriors(given)
            assert "Posteriors.from_logits(scores)" in str(caught.value)
        expected = normal.posteriors(logs)
        assert normal.posteriors(Posteriors.from_logits(logits)) == pytest.approx(expected)
        assert normal.posteriors(logs.astype(np.float32)) == pytest.approx(expected, abs=1e-5)
        assert raw.posteriors(logits).shape == (300, size)

    @pytest.mark.parametrize(
        "level",
        [
            lambda logits: logits - logits.max(axis=1, keepdims=True),
            lambda logits: log_softmax(logits, axis=1).round(1),
            lambda logits: log_softmax(logits, axis=1).round(2),
            lambda logits: log_softmax(logits, axis=1).astype(np.float16),
        ],
        ids=["greatest at 0", "one decimal", "two decimals", "half precision"],
    )
    def test_what_it_was_fitted_on_is_taken_case_by_case(self, level):
        rng = np.random.default_rng(2)
        y = rng.integers(0, 3, 200)
        given = level(6 * rng.normal(size=(200, 3)) + 15 * np.eye(3)[y])
        cal = Matrix().fit(given, y)
        one_by_one = np.vstack([cal.posteriors(given[[i]]) for i in range(200)])
        assert one_by_one == pytest.approx(cal.posteriors(given))

    def test_one_number_after_logits_is_not_sent_to_what_is_refused(self):
        with pytest.raises(DataError, match=r"at their level.* got one number per") as caught:
            Matrix().fit(LOGITS, Y).posteriors(S)
        assert "from_logits" not in str(caught.value)

    def test_bounded_tables_have_no_level(self):
        cal = Matrix(bound=9).fit(LOGITS, Y)
        assert cal.posteriors(Posteriors(P)) == pytest.approx(cal.posteriors(LOGITS))

    def test_a_bounded_column_is_not_a_bounded_table(self):
        with pytest.raises(DataError, match="must be one column, as in `fit`"):
            Matrix(bound=9).fit(S, Y).posteriors(Posteriors(P))


class TestASingleCase:
    """Its scores without the brackets of the row are as many cases, of one number each."""

    def test_of_three_classes(self):
        logits = np.random.default_rng(3).normal(size=(60, 3))
        cal = Affine().fit(logits, np.arange(60) % 3)
        with pytest.raises(DataError, match=r"must have 3 columns.* got 3 numbers, whi") as caught:
            cal.posteriors(logits[0])
        assert "scores[None, :]" in str(caught.value)
        assert cal.posteriors(logits[0][None, :]) == pytest.approx(cal.posteriors(logits)[:1])
        with pytest.raises(DataError, match=r"must have 3 columns, as in `fit`; got 2\.$"):
            cal.posteriors(logits[:, :2])

    def test_of_two_classes(self):
        with pytest.raises(DataError, match="may be a probability or log odds") as caught:
            Affine().fit(LOGS, Y).posteriors(LOGS[0])
        assert "two numbers of a single case: [[a, b]]" in str(caught.value)


class TestWhereItIsAsked:
    @pytest.mark.parametrize("fitted_on", [S, Posteriors(P), LOGS, LOGITS])
    @pytest.mark.parametrize("kind", [Logistic, Matrix])
    def test_no_case_is_of_every_sort(self, kind, fitted_on):
        cal = kind().fit(fitted_on, Y)
        assert cal.posteriors([]).shape == (0, 2)
        assert cal.posteriors(np.empty((0, 2))).shape == (0, 2)

    def test_priors_elsewhere_change_no_sort(self):
        cal = Logistic().fit(P, Y).with_priors([0.9, 0.1])
        assert cal.posteriors(P).shape == (200, 2)
        with pytest.raises(DataError, match="took a column"):
            cal.posteriors(Posteriors(P))
        with pytest.raises(DataError, match="took a column"):
            Calibrator.from_dict(cal.to_dict()).posteriors(Posteriors(P))

    @pytest.mark.parametrize("kind", [VennAbers, Histogram])
    def test_bounds(self, kind):
        with pytest.raises(DataError, match="took a column"):
            kind().fit(P, Y).bounds(Posteriors(P))

    def test_the_choice_of_an_automatic_one(self):
        cal = Automatic([Isotonic(), Logistic()]).fit(P, Y)
        for each in (cal, cal.chosen):
            with pytest.raises(DataError, match="took a column"):
                each.posteriors(Posteriors(P))

    def test_what_a_fitted_calibrator_is_worth(self):
        with pytest.raises(DataError, match="took a column"):
            calibration_gain(Y, Posteriors(P), calibrator=Logistic().fit(P, Y), fitted=True)

    def test_fitting_again_forgets(self):
        cal = Logistic().fit(P, Y).fit(S, Y)
        assert cal.posteriors(Posteriors(P)) == pytest.approx(cal.posteriors(S))
        with pytest.raises(DataError, match="has not been fitted"):
            cal.unfitted().posteriors(S)


class TestFiles:
    @pytest.mark.parametrize(
        ("fitted_on", "word"),
        [(P, "column in [0, 1]"), (S, "column"), (Posteriors(P), "posteriors"), (LOGS, "table")],
    )
    def test_the_word_is_saved_and_read(self, fitted_on, word, tmp_path):
        Logistic().fit(fitted_on, Y).save(tmp_path / "cal.json")
        assert json.loads((tmp_path / "cal.json").read_text())["scores"] == word
        assert load(tmp_path / "cal.json").to_dict()["scores"] == word

    def test_a_loaded_one_refuses_too(self, tmp_path):
        Isotonic().fit(P, Y).save(tmp_path / "cal.json")
        with pytest.raises(DataError, match=r"took a column in \[0, 1\]"):
            load(tmp_path / "cal.json").posteriors(Posteriors(P))

    @pytest.mark.parametrize("given", [P, S, Posteriors(P), LOGS, P[:1]])
    def test_one_without_the_word_is_applied_to_all(self, given):
        saved = Logistic().fit(P, Y).to_dict()
        del saved["scores"]
        assert Calibrator.from_dict(saved).posteriors(given).shape == (len(given), 2)

    def test_an_unknown_word_is_refused(self):
        saved = Logistic().fit(P, Y).to_dict() | {"scores": "ranks"}
        with pytest.raises(FormatError, match=r"must be among .*'column', .*got 'ranks'"):
            Calibrator.from_dict(saved)
        with pytest.raises(FormatError, match="must be among"):
            Calibrator.from_dict(saved | {"scores": ["column"]})

    @pytest.mark.parametrize("fitted_on", [S, Posteriors(P), LOGITS])
    def test_quantiles_of_the_log_odds_are_saved_and_read(self, fitted_on, tmp_path):
        cal = Affine().fit(fitted_on, Y)
        for each in (cal, cal.with_priors([0.5, 0.5]), Automatic([Affine()]).fit(fitted_on, Y)):
            each.save(tmp_path / "cal.json")
            spread = load(tmp_path / "cal.json").to_dict()["spread"]
            assert spread == pytest.approx(np.quantile(S, np.arange(21) / 20), abs=1e-9)

    def test_cases_that_do_not_count_and_certain_ones_have_no_part_in_them(self):
        odds, truth = np.r_[S, 1e6, np.inf], np.r_[Y, 1, 1]
        weights = np.r_[np.ones(200), 0, 1]
        saved = Isotonic().fit(odds, truth, sample_weight=weights).to_dict()
        assert (saved["spread"][0], saved["spread"][-1]) == (S.min(), S.max())

    def test_of_very_many_cases_the_ends_are_exact(self):
        odds = np.random.default_rng(1).normal(size=250_000)
        saved = Affine().fit(odds, odds > 0.1).to_dict()
        assert (saved["spread"][0], saved["spread"][-1]) == (odds.min(), odds.max())
        assert saved["spread"][10] == pytest.approx(0.0, abs=0.05)

    def test_few_cases_have_none(self):
        assert "spread" not in Affine().fit(S[:49], Y[:49]).to_dict()
        assert "spread" in Affine().fit(S[:50], Y[:50]).to_dict()

    def test_of_three_classes_they_are_of_the_distance_from_least_to_greatest(self):
        table = np.column_stack([LOGITS, S])
        saved = Temperature().fit(table, np.arange(200) % 3).to_dict()
        expected = np.quantile(np.ptp(table, axis=1), np.arange(21) / 20)
        assert saved["spread"] == pytest.approx(expected)

    @pytest.mark.parametrize("spread", [3, [0.0] * 20, [0.0] * 20 + ["1"], [1.0] + [0.0] * 20])
    def test_others_are_refused(self, spread):
        saved = Affine().fit(S, Y).to_dict()
        with pytest.raises(FormatError, match="21 numbers in order"):
            Calibrator.from_dict(saved | {"spread": spread})

    def test_one_without_them_is_read(self):
        saved = Affine().fit(S, Y).to_dict()
        del saved["spread"]
        assert "spread" not in Calibrator.from_dict(saved).to_dict()
