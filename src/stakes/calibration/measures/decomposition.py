"""Splitting a loss into miscalibration, discrimination and uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.calibrators.affine import Affine
from stakes.calibration.calibrators.isotonic import Isotonic
from stakes.calibration.cross_fit import OPTIMISTIC, cross_fit_cases, fold_numbers
from stakes.calibration.labelled_scores import Aim, case_losses, loss_name, read_cases
from stakes.calibration.score_input import order_of_scores, read_log_scores
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.typing import RandomSource


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Decomposition:
    """total = miscalibration - discrimination + uncertainty, and what each means.

    What `decompose` returns.

    Attributes
    ----------
    total : float
        The loss of the scores as they are.
    miscalibration : float
        What calibrating takes away; 0 is best. Never negative with "pav" fitted on the same cases
        of two classes; with others it may be, most of all for a cost.
    discrimination : float
        What the calibrated scores save over the priors alone; more is better.
    uncertainty : float
        The loss of the priors alone.
    fitting : str
        How the calibrator was fitted: "cross-fitted", or "optimistic: fitted on the same cases",
        which overstates miscalibration and discrimination, the more so the fewer the cases.
    """

    measure: str
    total: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    by: str
    fitting: str

    @property
    def optimistic(self) -> bool:
        """Whether the calibrator was judged by the cases it learnt from."""
        return self.fitting == OPTIMISTIC

    @property
    def text(self) -> str:
        """One sentence for a report."""
        return (
            f"Of a {self.measure} of {self.total:.4g} calibrating ({self.by}, {self.fitting}) "
            f"{'takes' if self.miscalibration >= 0 else 'adds'} {abs(self.miscalibration):.4g}; "
            f"the scores then {'save' if self.discrimination >= 0 else 'lose'} "
            f"{abs(self.discrimination):.4g} of the {self.uncertainty:.4g} of the priors alone."
        )

    def frame(self) -> Frame:
        """One row per part."""
        parts = ("total", "miscalibration", "discrimination", "uncertainty")
        return Frame(
            {
                "part": list(parts),
                self.measure: [getattr(self, part) for part in parts],
                "fitting": [self.fitting] * len(parts),
            }
        )

    def __repr__(self) -> str:
        return (
            f"<Decomposition of {self.measure} by {self.by}, {self.fitting}: {self.total:.4g} = "
            f"{self.miscalibration:.4g} - {self.discrimination:.4g} + {self.uncertainty:.4g}>"
        )


def decompose(
    y_true: Any,
    scores: Any,
    *,
    by: Aim = "cross_entropy",
    calibrator: str | Calibrator = "pav",
    folds: Any = None,
    rng: RandomSource = 0,
    sample_weight: Any = None,
) -> Decomposition:
    r"""Split a proper score, or a cost, into miscalibration, discrimination and uncertainty.

    Tells whether to calibrate (first part) or to build a better classifier (second).

    .. math:: S = \underbrace{S - S_{cal}}_{MCB} - \underbrace{(S_{prior} - S_{cal})}_{DSC}
       + \underbrace{S_{prior}}_{UNC}

    Parameters
    ----------
    y_true, scores, by, sample_weight
        See `calibration_gain`.
    calibrator : "pav", "affine" or Calibrator
        What defines "calibrated". Pooling adjacent violators suits two classes, where it makes
        every part non-negative for every proper score and cost; affine suits any number of
        classes.
    folds : int or array-like, optional
        Cross-fit the calibrator. Default: fit on the same cases, as is usual for decompositions,
        which is optimistic, and the result says so: with few cases miscalibration and
        discrimination are overstated.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.

    Returns
    -------
    Decomposition
        The parts, in nats, squared error or the unit of the costs, and how they were found.

    References
    ----------
    .. [1] Dimitriadis, Gneiting, Jordan, *Stable reliability diagrams for probabilistic
       classifiers*, PNAS 2021.

    Examples
    --------
    >>> parts = decompose([0, 1, 0, 1], [-2.0, -1.0, 1.0, 2.0], by="brier")
    >>> parts.discrimination, parts.uncertainty  # calibrated: 0, 1/2, 1/2, 1
    (0.25, 0.5)
    >>> parts.fitting
    'optimistic: fitted on the same cases'
    """
    cal = _chosen(calibrator)
    priors = by.priors if isinstance(by, Application) else cal.options["priors"]
    names, order = cal.options["classes"], None
    if isinstance(by, Application):
        names, order = by.classes, order_of_scores(names, y_true)
    cases = read_cases(
        read_log_scores(scores, sample_weight=sample_weight),
        y_true,
        sample_weight=sample_weight,
        classes=names,
        priors=priors,
        order=order,
    )
    cal._refuse_other_order(cases.classes)
    fresh = cal.unfitted()
    fresh.options |= {"priors": cases.priors if cases.given else None, "classes": None}
    if folds is None:
        fresh._fit_cases(cases.scores, cases.codes, cases.sample_weight)
        logs = fresh._log_posteriors(fresh._bounded(cases.scores, learn=False))
    else:
        logs = cross_fit_cases(fresh, cases, fold_numbers(cases, folds, rng=rng))
    raw = cases.scores.columns().astype(np.float64) + cases.prior_offsets()
    raw = raw - np.logaddexp.reduce(raw, axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        flat = np.broadcast_to(np.log(cases.priors), logs.shape)
    weights = cases.prior_weights() / cases.prior_weights().sum()
    counts = weights > 0.0  # without weight, not even an infinite loss is one
    total, calibrated, prior = (
        float(weights[counts] @ case_losses(np.asarray(x), cases.codes, by)[counts])
        for x in (raw, logs, flat)
    )
    return Decomposition(
        loss_name(by),
        total,
        total - calibrated,
        prior - calibrated,
        prior,
        cal.kind,
        OPTIMISTIC if folds is None else "cross-fitted",
    )


def _chosen(calibrator: str | Calibrator) -> Calibrator:
    """A calibrator by name or as it is."""
    if isinstance(calibrator, Calibrator):
        return calibrator
    named = {"pav": Isotonic(misleading=0), "affine": Affine()}
    given: Any = calibrator
    if not isinstance(given, str) or given not in named:
        raise DataError(
            f"`calibrator` must be 'pav', 'affine' or a Calibrator; got {calibrator!r}."
        )
    return named[given]
