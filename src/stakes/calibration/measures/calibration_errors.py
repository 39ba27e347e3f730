"""Measures of miscalibration: binned and smooth errors, errors per decision, and the parts of a
loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_number, as_whole, frozen
from stakes._columns import refuse_other_order
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels.class_scores import weighted_sums
from stakes._names import place_of
from stakes.application.application import as_cost_matrix
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.calibrators.affine import Affine
from stakes.calibration.calibrators.isotonic import Isotonic
from stakes.calibration.cross_fit import OPTIMISTIC, refitted_posteriors
from stakes.calibration.labelled_scores import Aim, case_losses, loss_name, read_cases
from stakes.calibration.measures.gain import aimed_cases
from stakes.calibration.measures.reliability_table import equal_mass, event_of
from stakes.calibration.score_input import read_log_scores
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.posteriors.class_order import ClassOrder
from stakes.posteriors.posteriors import read_posteriors
from stakes.results import Frame
from stakes.typing import FloatArray, Name, RandomSource

_GRID = 4096


@answers_guesses
def binned_calibration_error(
    y_true: Any,
    posteriors: Any,
    *,
    bins: int = 15,
    spacing: str = "mass",
    power: float = 1.0,
    of: Name | None = None,
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> float:
    r"""Mean distance between forecast and frequency over bins ("ECE").

    Popular, but it depends on the bins, is not a proper score and is biased upwards: a calibrated
    classifier gets a positive error. Prefer `calibration_gain`. Lower is better.

    .. math:: \left(\sum_b \frac{n_b}{N}\,|\bar y_b - \bar p_b|^{r}\right)^{1/r}

    Parameters
    ----------
    y_true, posteriors, of, classes, sample_weight
        See `reliability_table`. For more than two classes the most probable class is looked at.
    bins : int
        Number of bins.
    spacing : "mass" or "width"
        Bins of equal (weighted) mass, or equally wide ones as in the original.
    power : float
        The exponent r; ``inf`` gives the largest distance.

    Returns
    -------
    float
        In probability, from 0 to 1.

    References
    ----------
    .. [1] Naeini, Cooper, Hauskrecht, *Obtaining well calibrated probabilities using Bayesian
       binning*, AAAI 2015.

    Examples
    --------
    >>> round(binned_calibration_error([0, 0, 1, 0], [0.2, 0.2, 0.8, 0.8], bins=2), 3)
    0.25
    """
    if place_of(spacing, ("mass", "width")) is None:
        raise DataError(f"`spacing` must be 'mass' or 'width'; got {spacing!r}.")
    bins, power = as_whole(bins, "bins"), as_number(power, "power")
    if not power > 0:
        raise DataError(f"`power` must be positive; got {power!r}.")
    said, happened, weights, _ = event_of(y_true, posteriors, of, classes, sample_weight)
    if spacing == "width":
        member = np.minimum((said * bins).astype(np.intp), bins - 1)
    else:
        kept = weights > 0.0
        said, happened, weights = said[kept], happened[kept], weights[kept]
        member = equal_mass(said, weights, bins)
    mass = np.bincount(member, weights=weights)
    gap = np.abs(np.bincount(member, weights=weights * (happened - said)))
    used = mass > 0
    distance = gap[used] / mass[used]
    if np.isinf(power):
        return float(distance.max())
    share = mass[used] / mass.sum()
    return float((share @ distance**power) ** (1.0 / power))


@answers_guesses
def smooth_calibration_error(
    y_true: Any,
    posteriors: Any,
    *,
    of: Name | None = None,
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> float:
    r"""Calibration error after smoothing the residuals over the forecasts, free of bins.

    The residuals y - p are smoothed by a normal kernel, reflected at 0 and 1, whose width equals
    the error that results; continuous in the forecasts, zero only for calibrated ones. Lower is
    better.

    .. math:: \int_0^1 \left| \frac1N \sum_n (y_n - p_n) K_\sigma(t, p_n) \right| dt = \sigma

    Parameters
    ----------
    y_true, posteriors, of, classes, sample_weight
        See `reliability_table`. For more than two classes the most probable class is looked at.

    Returns
    -------
    float
        In probability, from 0 to 1.

    Notes
    -----
    On a grid of 4096 cells, so accurate to about 1e-3.

    References
    ----------
    .. [1] Błasiok, Nakkiran, *Smooth ECE: principled reliability diagrams via kernel smoothing*,
       ICLR 2024.

    Examples
    --------
    >>> round(smooth_calibration_error([0, 1] * 200, [0.9] * 400), 2)
    0.4
    """
    said, happened, weights, _ = event_of(y_true, posteriors, of, classes, sample_weight)
    cell = np.minimum((said * _GRID).astype(np.intp), _GRID - 1)
    residual = weighted_sums(cell, weights * (happened - said), _GRID)
    residual /= weights.sum()
    low, high = 0.0, 1.0
    for _ in range(20):
        width = (low + high) / 2
        low, high = (width, high) if _smoothed(residual, width) > width else (low, width)
    return (low + high) / 2


def _smoothed(residual: FloatArray, width: float) -> float:
    """Total absolute residual after smoothing with a reflected normal kernel."""
    from scipy.ndimage import gaussian_filter1d

    if width * _GRID < 0.2:
        return float(np.abs(residual).sum())
    smooth = gaussian_filter1d(residual, width * _GRID, mode="reflect", truncate=5.0)
    return float(np.abs(smooth).sum())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecisionCalibration(AnswersGuesses):
    """Per decision: cases, promised cost, actual cost, and their difference.

    What `decision_calibration` returns.

    Attributes
    ----------
    decisions : tuple of names
        The decisions, in the order of the cost matrix.
    cases : ndarray
        (Weighted) number of cases that got each decision.
    promised, actual : ndarray
        Mean expected cost by the posteriors, and mean cost; nan for a decision never taken.
    standard_error : ndarray
        Of the difference; with two cases added that cost the least and the most a decision can,
        so that errors not yet seen do not count as impossible.
    """

    decisions: tuple[Name, ...]
    cases: FloatArray
    promised: FloatArray
    actual: FloatArray
    standard_error: FloatArray

    @property
    def difference(self) -> FloatArray:
        """`promised` - `actual`; negative where the posteriors are too hopeful."""
        return self.promised - self.actual

    @property
    def total(self) -> float:
        """Promised minus actual cost per case, over all decisions."""
        taken = self.cases > 0
        return float(self.cases[taken] @ self.difference[taken] / self.cases.sum())

    def frame(self) -> Frame:
        """One row per decision."""
        names = ("cases", "promised", "actual", "difference", "standard_error")
        columns = {name: getattr(self, name) for name in names}
        return Frame({"decision": list(self.decisions), **columns})

    def __repr__(self) -> str:
        return f"<DecisionCalibration: promised minus actual {self.total:.4g} per case>"


@answers_guesses
def decision_calibration(
    y_true: Any, posteriors: Any, *, costs: Any, sample_weight: Any = None
) -> DecisionCalibration:
    r"""Compare, decision by decision, the cost that the posteriors promise with the actual cost.

    A classifier whose differences are all 0 can be trusted for these costs, even if it is not
    calibrated in every other sense. Look at it before believing an expected cost.

    .. math:: \mathrm{E}[c(q, d)\,|\,d] - \mathrm{E}[c(Y, d)\,|\,d]

    Parameters
    ----------
    y_true : array-like of shape (n_cases,)
        True classes.
    posteriors : Posteriors or array-like of shape (n_cases, n_classes) or (n_cases,)
        Probabilities; decisions are the Bayes decisions.
    costs : CostMatrix, Application or array-like
        Costs of each decision. Priors of an application are not used: promises and costs are both
        taken over these cases.
    sample_weight : array-like of shape (n_cases,), optional
        Weights.

    Returns
    -------
    DecisionCalibration
        One row per decision, in the units of the costs.

    References
    ----------
    .. [1] Zhao, Kim, Sahoo, Ma, Ermon, *Calibrating predictions to decisions*, NeurIPS 2021.

    Examples
    --------
    >>> result = decision_calibration([0, 1, 1, 1], [0.5, 0.5, 0.75, 0.75], costs=[[0, 1], [1, 0]])
    >>> result.promised.tolist(), result.actual.tolist()
    ([0.5, 0.25], [0.5, 0.0])
    """
    matrix = as_cost_matrix(costs)
    refuse_other_order(y_true, {"posteriors": posteriors})
    read = read_posteriors(posteriors, matrix.classes, ClassOrder(labels=y_true))
    cases = read_cases(read, y_true, sample_weight=sample_weight, classes=matrix.classes)
    taken, promised = bayes_decisions(read, matrix, with_cost=True)
    actual = matrix.values[cases.codes, taken]
    size, weights = len(matrix.decisions), cases.weights
    mass = np.bincount(taken, weights=weights, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        said = np.bincount(taken, weights=weights * promised, minlength=size) / mass
        came = np.bincount(taken, weights=weights * actual, minlength=size) / mass
        parts = weights * (promised - actual - (said - came)[taken])
        seen = np.bincount(taken, weights=parts**2, minlength=size) / mass**2
        number = mass**2 / np.bincount(taken, weights=weights**2, minlength=size)
        ends = (came - matrix.values.min(axis=0)) ** 2 + (matrix.values.max(axis=0) - came) ** 2
        error = np.sqrt(number**2 * seen + ends) / (number + 2.0)  # with two more cases
    return DecisionCalibration(matrix.decisions, *map(frozen, (mass, said, came, error)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Decomposition(AnswersGuesses):
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


@answers_guesses
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
    log_scores = read_log_scores(scores, sample_weight=sample_weight)
    names, priors = cal.options["classes"], cal.options["priors"]
    cases = aimed_cases(y_true, log_scores, by, names, priors, sample_weight=sample_weight)
    cal._refuse_other_order(cases.classes)
    logs, fitting = refitted_posteriors(cal, cases, folds, rng)
    with np.errstate(divide="ignore"):
        flat = np.broadcast_to(np.log(cases.priors), logs.shape)
    weights = cases.prior_shares()
    counts = weights > 0.0  # a case of weight 0 adds nothing, not even an infinite loss
    total, calibrated, prior = (
        float(weights[counts] @ case_losses(np.asarray(x), cases.codes, by)[counts])
        for x in (cases.log_posteriors(), logs, flat)
    )
    return Decomposition(
        loss_name(by), total, total - calibrated, prior - calibrated, prior, cal.kind, fitting
    )


def _chosen(given: str | Calibrator) -> Calibrator:
    """A calibrator by name or as it is."""
    named = {"pav": Isotonic(misleading=0), "affine": Affine()}
    found = named.get(given) if isinstance(given, str) else given
    if not isinstance(found, Calibrator):
        raise DataError(f"`calibrator` must be 'pav', 'affine' or a Calibrator; got {given!r}.")
    return found
