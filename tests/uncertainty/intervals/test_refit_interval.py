from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from stakes import Application, CostMatrix, Posteriors
from stakes.calibration import Affine, Isotonic
from stakes.exceptions import DataError, PosteriorError
from stakes.uncertainty import refitted_interval


def cases(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    return y.astype(int), rng.normal(2.0 * y)


def test_small_calibration_sets_widen_the_interval() -> None:
    app = Application([[0, 1], [5, 0]], priors=[0.7, 0.3])
    y, s = cases(3000, 0)
    widths = []
    for n in (40, 4000):
        found = refitted_interval(
            y,
            s,
            calibrator=Affine(),
            calibration=cases(n, 1),
            application=app,
            draws=120,
            rng=0,
        )
        assert found.low < found.high
        widths.append(found.high - found.low)
    assert widths[0] > 1.2 * widths[1]


def test_the_calibrator_given_is_left_alone() -> None:
    calibrator = Affine()
    y, s = cases(200, 0)
    found = refitted_interval(
        y,
        s,
        calibrator=calibrator,
        calibration=cases(100, 1),
        application=Application([[0, 1], [5, 0]]),
        normalized=False,
        draws=20,
        rng=0,
    )
    assert calibrator.classes is None
    assert found.metric == "expected_cost"
    assert found.limits == pytest.approx((found.low, found.high))


def test_weights_of_both_sets_against_repeated_and_absent_rows() -> None:
    app = Application([[0, 1], [5, 0]], priors=[0.7, 0.3])
    (y, s), (z, t) = cases(300, 0), cases(200, 1)
    twice, half = np.arange(300) % 2, np.arange(200) % 4 != 0
    options = {"calibrator": Affine(), "application": app, "draws": 40, "rng": 0}
    weighted = refitted_interval(y, s, calibration=(z, t, half), sample_weight=twice + 1, **options)
    rows = np.repeat(np.arange(300), twice + 1)
    plain = refitted_interval(y[rows], s[rows], calibration=(z[half], t[half]), **options)
    assert weighted.value == pytest.approx(plain.value, rel=1e-6)
    assert np.ptp(weighted.limits) > 0


def test_equal_weights_change_nothing() -> None:
    (y, s), (z, t) = cases(300, 0), cases(200, 1)
    options = {
        "calibrator": Affine(),
        "application": Application([[0, 1], [5, 0]]),
        "draws": 40,
        "rng": 0,
    }
    plain = refitted_interval(y, s, calibration=(z, t), **options)
    weighted = refitted_interval(
        y, s, calibration=(z, t, np.ones(200)), sample_weight=np.full(300, 2.5), **options
    )
    assert weighted.limits == pytest.approx(plain.limits, rel=1e-6)


def test_replicates_that_happen_to_look_like_probabilities() -> None:
    """One calibration case of 40 has log odds outside of [0, 1]; a third of the draws miss it."""
    rng = np.random.default_rng(0)
    z, t = np.arange(40) % 2, rng.random(40)
    t[0] = -1.0
    y, s = cases(300, 0)
    app = Application([[0, 1], [5, 0]])
    options = {"calibrator": Affine(), "application": app, "draws": 40, "rng": 0}
    found = refitted_interval(y, s, calibration=(z, t), **options)
    logits = Posteriors.from_logits
    said = refitted_interval(y, logits(s), calibration=(z, logits(t)), **options)
    assert found.limits == pytest.approx(said.limits, rel=1e-6)


def test_probabilities_are_asked_for_once_and_taken_when_said() -> None:
    app = Application([[0, 1], [5, 0]], priors=[0.7, 0.3])
    (y, s), (z, t) = cases(300, 0), cases(200, 1)
    options = {"calibrator": Affine(), "application": app, "draws": 40, "rng": 0}
    with pytest.raises(DataError, match="must be log odds; all 200"):
        refitted_interval(y, s, calibration=(z, expit(t)), **options)
    plain = refitted_interval(y, s, calibration=(z, t), **options)
    said = refitted_interval(
        y, Posteriors(expit(s)), calibration=(z, Posteriors(expit(t))), **options
    )
    assert said.value == pytest.approx(plain.value)
    assert said.limits == pytest.approx(plain.limits)


def test_scores_for_each_case() -> None:
    (y, s), calibration = cases(300, 0), cases(200, 1)
    with pytest.raises(DataError, match="`scores`"):
        refitted_interval(
            y,
            s[:-1],
            calibrator=Affine(),
            calibration=calibration,
            application=Application([[0, 1], [5, 0]]),
        )


def test_classes_in_the_order_of_the_application() -> None:
    """Names decide nothing: ("z", "b") is ("a", "b") under another name."""
    (y, s), (z, t) = cases(300, 0), cases(200, 1)
    options = {"draws": 6, "rng": 0}
    found = []
    for names in (("a", "b"), ("z", "b")):
        app = Application(CostMatrix([[0, 1], [5, 0]], classes=names), priors=[0.7, 0.3])
        truth, known = np.array(names)[y], np.array(names)[z]
        found += [
            refitted_interval(
                truth, s, calibrator=cal, calibration=(known, t), application=app, **options
            ).limits
            for cal in ((Affine(),) if names[0] == "a" else ()) + (Affine(classes=names),)
        ]
    assert found == [found[0]] * 3
    with pytest.raises(PosteriorError, match="single column, and the classes 'z', 'b' are not"):
        refitted_interval(
            truth, s, calibrator=Affine(), calibration=(known, t), application=app, **options
        )
    turned = [Posteriors.from_logits(-each, classes=("b", "z")) for each in (s, t)]
    by_name = refitted_interval(
        truth,
        turned[0],
        calibrator=Affine(),
        calibration=(known, turned[1]),
        application=app,
        **options,
    )
    assert by_name.limits == pytest.approx(found[0], abs=1e-9)
    with pytest.raises(DataError, match="in this order"):
        refitted_interval(
            truth,
            s,
            calibrator=Affine(classes=["b", "z"]),
            calibration=(known, t),
            application=app,
        )


def test_scores_of_another_sort_than_those_of_the_calibration_are_refused() -> None:
    y, s = cases(60, 0)
    with pytest.raises(DataError, match=r"took a column in \[0, 1\]"):
        refitted_interval(
            y,
            Posteriors(expit(s)),
            calibrator=Isotonic(),
            calibration=(y, expit(s)),
            application=Application([[0, 1], [5, 0]]),
            draws=100,
            rng=0,
        )
