"""What calibration is worth: the part of a loss that a calibrator takes away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels.class_scores import log_softmax
from stakes._names import listed
from stakes.application import Application
from stakes.calibration.calibrator import Calibrator, as_calibrator
from stakes.calibration.calibrators.affine import Affine
from stakes.calibration.cross_fit import OPTIMISTIC, refitted_posteriors
from stakes.calibration.labelled_scores import (
    IMPOSSIBLE,
    Aim,
    Cases,
    case_losses,
    loss_name,
    read_cases,
)
from stakes.calibration.measures.gain_intervals import Change, cost_interval, gain_interval
from stakes.calibration.score_input import Scores, order_of_scores, read_log_scores
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.typing import FloatArray, RandomSource


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationGain(AnswersGuesses):
    """What calibrating would take off a loss, with an interval.

    What `calibration_gain` returns.

    Attributes
    ----------
    measure : str
        What was measured: "cross-entropy", "Brier score", "average cost" or "cost".
    before, after : float
        The loss of the scores as they are and after calibration.
    interval : pair of float
        For `gain`, at `level`; from the variation between cases (or groups), taking the fitted
        maps as given. For a cost it allows for errors that were not seen, see `calibration_gain`.
    fitting : str
        How the calibrator was fitted; "optimistic" if on the same cases.
    impossible : pair of int
        In how many cases the true class has a posterior of 0 (below 1e-300), as is and after
        calibration: they make a cross-entropy infinite, or absurd.
    rows : tuple of int
        The first ten of them.
    doubt : str
        Why the gain is not known, if the weights are so small that the calibrator learnt next to
        nothing; empty otherwise.
    """

    measure: str
    before: float
    after: float
    interval: tuple[float, float]
    level: float
    fitting: str
    calibrator: str
    unit: str | None = None
    impossible: tuple[int, int] = (0, 0)
    rows: tuple[int, ...] = ()
    doubt: str = ""

    @property
    def gain(self) -> float:
        """`before` - `after`; negative when calibrating makes things worse."""
        return self.before - self.after

    @property
    def relative(self) -> float:
        """`gain` as a share of `before`."""
        return self.gain / self.before if self.before else float("nan")

    @property
    def text(self) -> str:
        """One sentence for a report."""
        if self.doubt:
            return f"What calibrating would take off the {self.measure} is not known. {self.doubt}"
        unit = f" {self.unit}" if self.unit else ""
        low, high = self.interval
        verb, side = ("would take", "off") if self.gain >= 0 else ("would add", "to")
        untold = low <= 0.0 <= high and low < high
        doubtful = " The cases do not tell whether it pays." if untold else ""
        if self.gain < 0:
            low, high = -high, -low
        sure = f" ({low:.4g} to {high:.4g})" if np.isfinite(low) else ""
        share = f": {100 * abs(self.relative):.3g} %" if np.isfinite(self.relative) else ""
        article = "an" if self.measure.startswith("a") else "a"
        return (
            f"Calibrating ({self.calibrator}, {self.fitting}) {verb} {abs(self.gain):.4g}{unit}"
            f"{sure} {side} {article} {self.measure} of {self.before:.4g}{unit}{share}."
            f"{doubtful}{self._about_impossible()}"
        )

    def _about_impossible(self) -> str:
        """What makes a cross-entropy infinite or absurd, where, and what to type."""
        before, after = self.impossible
        if self.measure != "cross-entropy" or not self.rows:
            return ""
        plural = "" if before == 1 else "s"
        found = [f"{before} case{plural} as is"] * (before > 0)
        found += [f"{after} calibrated"] * (after > 0)
        hint = '; say how far such scores are to be trusted: bound="data" or bound=50'
        return (
            f" The true class has a posterior of 0 in {' and '.join(found)} (row {self.rows[0]} "
            f"first){hint if after else ''}."
        )

    def frame(self) -> Frame:
        """One row."""
        (low, high), (before, after) = self.interval, self.impossible
        columns = {name: [getattr(self, name)] for name in ("measure", "before", "after", "gain")}
        columns |= {"low": [low], "high": [high]}
        columns |= {name: [getattr(self, name)] for name in ("relative", "fitting", "calibrator")}
        return Frame({**columns, "impossible_before": [before], "impossible_after": [after]})

    def __repr__(self) -> str:
        return (
            f"<CalibrationGain {self.measure} {self.before:.4g} -> {self.after:.4g}, "
            f"{100 * self.relative:.3g} %, {self.fitting}>"
        )


#: Weights that add up to less than this share of the cases teach a calibrator next to nothing.
_LIGHT = 0.1
#: What to do with probabilities and a fitted calibrator, which reads the scale it was fitted on.
_FITTED = (
    "Posteriors(p), with a calibrator fitted on Posteriors(p) or their log odds; one fitted on p "
    "itself must first be fitted again:  calibrator.fit(Posteriors(p), y_true)"
)


@answers_guesses
def calibration_gain(
    y_true: Any,
    scores: Any,
    *,
    by: Aim = "cross_entropy",
    calibrator: Calibrator | None = None,
    folds: Any = 5,
    rng: RandomSource = 0,
    groups: Any = None,
    fitted: bool = False,
    optimistic: bool = False,
    sample_weight: Any = None,
    level: float = 0.95,
) -> CalibrationGain:
    r"""What calibrating the scores would take off a proper score or a cost.

    Says whether recalibration pays, in the unit that matters; lower `after` is better. By default
    the calibrator is cross-fitted, so the answer holds for new cases; it may be negative.

    .. math:: \frac{1}{N}\sum_n S(q_n, y_n) - \frac{1}{N}\sum_n S(g(q_n), y_n)

    Parameters
    ----------
    y_true : array-like of shape (n_cases,)
        True classes.
    scores : array-like of shape (n_cases, n_classes) or (n_cases,)
        Log-posteriors or logits; or log odds of the second of two classes. As they are they count
        as (unnormalised) log-posteriors.
    by : "cross_entropy", "brier", BetaWeight or Application
        A proper score, in nats, squared error, or averaged over the costs of two classes by
        `stakes.metrics.BetaWeight`; or the cost of Bayes decisions, under the application's priors.
    calibrator : Calibrator, optional
        Default: `Affine`.
    folds, rng, groups
        See `cross_fit`. With groups the interval is from the variation between groups.
    fitted : bool
        The calibrator has been fitted on other cases: use it as it is.
    optimistic : bool
        Fit on these very cases; the result says so. With `fitted`: it was fitted on them.
    sample_weight : array-like of shape (n_cases,), optional
        Weights of the cases.
    level : float
        Confidence of the interval.

    Returns
    -------
    CalibrationGain
        Before, after, difference with interval, and a sentence, which also tells of cases whose
        true class has a posterior of 0.

    Notes
    -----
    A costly error that occurred in no case may occur in the next. So the interval of a cost
    counts half an event more than was seen, for the change and the class where it weighs most.
    That half event is limited to what the calibrated posteriors expect among the cases whose
    decision changes that way, times 3 exp(60 / n) for n cases (groups) of the class: hundreds of
    cases tell what a change may cost even if none of them changed, three do not. In simulations
    with 3 to 600 costly cases out of 3000, and several kinds of costs, priors, groups and scores,
    nominal 95 % intervals covered 95 to 99 % on average and 86 to 93 % at worst. Intervals from
    the variation between cases alone covered 44 to 99 %; these are a tenth wider with 600 costly
    cases, and eight times as wide with 3.
    Classes without a case are left out.

    References
    ----------
    .. [1] Ferrer, Ramos, *Evaluating posterior probabilities*, TMLR 2025, arXiv:2408.02841.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 1000)
    >>> overconfident = 4 * (rng.normal(size=1000) + 2 * y - 1)
    >>> worth = calibration_gain(y, overconfident)
    >>> worth.measure, worth.fitting, worth.relative > 0.1
    ('cross-entropy', 'cross-fitted', True)
    """
    loss_name(by)
    cal = Affine() if calibrator is None else as_calibrator(calibrator)
    learnt = cal.classes if fitted else cal.options["classes"]
    if isinstance(by, Application) and fitted:
        order = order_of_scores(learnt, y_true)
        if order.classes is not None and order.places(by.classes) is not None:
            raise DataError(
                f"`by` has the classes {listed(by.classes)}, and the calibrator was fitted on "
                f"{listed(tuple(order.classes))}, in another order.",
                hint="name the costs in the order of the calibrator",
            )
    said = _FITTED if fitted else None
    log_scores = read_log_scores(scores, sample_weight=sample_weight, probabilities=said)
    given = {"sample_weight": sample_weight, "groups": groups}
    cases = aimed_cases(y_true, log_scores, by, learnt, cal.options["priors"], **given)
    if fitted and cal.classes is not None:
        cal._read_alike(scores)
    elif not fitted:
        cal._refuse_other_order(cases.classes)
    if fitted:
        logs = _held_out(cal, cases)
        fitting = OPTIMISTIC if optimistic else "held out"
    else:
        logs, fitting = refitted_posteriors(cal, cases, None if optimistic else folds, rng)
    doubt = "" if fitted else about_light_weights(cases)
    return gain_of(cases, logs, by, kind=cal.kind, fitting=fitting, level=level, doubt=doubt)


def aimed_cases(
    y_true: Any, scores: Scores, by: Aim, classes: Any, priors: Any, **given: Any
) -> Cases:
    """Cases with the names and priors of an application, or else those of a calibrator."""
    order = None
    if isinstance(by, Application):
        order = order_of_scores(classes, y_true)
        classes, priors = by.classes, by.priors
    return read_cases(scores, y_true, classes=classes, priors=priors, order=order, **given)


def gain_of(
    cases: Cases,
    logs: FloatArray,
    by: Aim,
    *,
    kind: str,
    fitting: str,
    level: float = 0.95,
    doubt: str = "",
) -> CalibrationGain:
    """What calibrated log-posteriors take off the loss of the scores as they are."""
    tables, weights = (cases.log_posteriors(), logs), cases.prior_shares()
    before, after = (case_losses(table, cases.codes, by) for table in tables)
    before[weights == 0.0] = after[weights == 0.0] = 0.0  # not even an infinite loss counts
    own = [table[np.arange(len(cases.codes)), cases.codes] for table in tables]
    none = [np.flatnonzero((each < -IMPOSSIBLE) & (cases.weights > 0.0)) for each in own]
    if isinstance(by, Application):
        first, second = (bayes_decisions(np.exp(table), by.costs.values) for table in tables)
        change = Change(first, second, by.costs.values, logs)
        interval = cost_interval(change, weights, cases, level)
    else:
        interval = gain_interval(before - after, weights, cases, level)
    return CalibrationGain(
        loss_name(by),
        float(weights @ before),
        float(weights @ after),
        interval,
        level,
        fitting,
        kind,
        by.unit if isinstance(by, Application) else None,
        (len(none[0]), len(none[1])),
        tuple(np.union1d(*none)[:10].tolist()),
        doubt,
    )


def about_light_weights(cases: Cases) -> str:
    """A sentence if the weights add to too few cases to learn from; otherwise empty.

    Cases of one group may share the weight of one case.
    """
    mass = float(cases.weights.sum())
    rows = len(np.unique(cases.unit_numbers()[cases.weights > 0.0]))
    if mass >= _LIGHT * rows:
        return ""
    return (
        f"The weights of {rows} cases add up to {mass:.3g}, and a calibrator learns as from "
        "that many cases: multiply them so that their mean is 1."
    )


def _held_out(cal: Calibrator, cases: Cases) -> FloatArray:
    """Log-posteriors of a calibrator that was fitted on other cases, at the priors of these."""
    if cal.priors is None:
        raise DataError("`fitted` needs a calibrator that has been fitted on other cases.")
    logs = cal._applied_to(cases.scores)
    if not cases.given:
        return logs
    unknown = [cases.classes[k] for k in np.flatnonzero(np.asarray(cal.priors) == 0.0)]
    if unknown:
        raise DataError(
            f"`calibrator` was fitted without a case of class {listed(unknown)}, so its "
            "posteriors cannot be moved to other priors.",
            hint="fit it on cases of every class, or leave out the priors",
        )
    return log_softmax(logs + (np.log(cases.priors) - np.log(cal.priors)))
