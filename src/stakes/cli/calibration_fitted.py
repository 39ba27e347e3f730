"""Fitting a calibrator, and what it says of cases that it was fitted without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application
from stakes.calibration import Automatic, CalibrationGain, Calibrator
from stakes.calibration.calibrator import kinds
from stakes.calibration.cases import Cases as ReadCases
from stakes.calibration.cases import read_cases, read_scores
from stakes.calibration.cross_fitting import cross_fit_cases, fold_numbers
from stakes.calibration.worth import gain_of
from stakes.cli.calibration_progress import Telling
from stakes.cli.cases import Cases
from stakes.exceptions import DataError, StakesError

__all__ = ["CHOSEN_BY", "Fitted", "fitted"]

#: What the automatic choice can be made by, as the library calls it; None for the costs.
CHOSEN_BY = {"cross-entropy": "cross_entropy", "brier": "brier", "cost": None}
#: Up to so many cases, and cases times classes, the choice is cross-fitted as well; beyond, that
#: would change the cross-entropy by 0.001 or less, and take long.
WHOLE_CASES, WHOLE_CELLS = 2000, 60_000


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A calibrator, and `logs`: log-posteriors of each case, under the target priors, without it.

    `without` says what each case had no part in: "fit", or "choice and fit".
    """

    calibrator: Calibrator
    read: ReadCases
    logs: NDArray[np.float64]
    without: str

    def gain(self, by: str | Application) -> CalibrationGain:
        """What calibrating takes off a loss."""
        cal = self.calibrator
        kind = cal.chosen.kind if isinstance(cal, Automatic) else cal.kind
        return gain_of(self.read, self.logs, by, kind=kind, fitting="cross-fitted")


def fitted(
    scores: NDArray[np.float64],
    cases: Cases,
    groups: NDArray[Any] | None,
    app: Application,
    args: Any,
    telling: Telling,
) -> Fitted:
    """Fit on all cases what was asked for, and without each fold in turn.

    `app` is over positions, with priors if they were given.
    """
    options: dict[str, Any] = {"bound": _bound(args.bound), "priors": app.priors}
    read = read_cases(
        read_scores(scores),
        cases.truth,
        sample_weight=cases.weights,
        priors=app.priors,
        groups=groups,
    )
    names = np.array(cases.classes)[cases.truth]
    if args.kind == "automatic":
        by = CHOSEN_BY[args.choose_by or "cross-entropy"]
        options |= {"by": app if by is None else by, "folds": args.folds, "rng": args.seed}
        choice = Automatic(classes=list(cases.classes), **options)
        return _automatic(choice, read, scores, names, telling)
    calibrator = kinds[args.kind](classes=list(cases.classes), **options)
    telling.say(f"fitting {args.kind} to all cases")
    calibrator.fit(scores, names, sample_weight=cases.weights)
    number = fold_numbers(read, args.folds, rng=args.seed)
    telling.say(f"cross-fitting {args.kind}")
    logs = cross_fit_cases(kinds[args.kind](**options), read, number, tell=telling.fold)
    return Fitted(calibrator, read, logs, "fit")


def _automatic(
    choice: Automatic,
    read: ReadCases,
    scores: NDArray[np.float64],
    names: NDArray[Any],
    telling: Telling,
) -> Fitted:
    """The automatic choice; where cases are few it is made anew without each fold."""
    choice.progress, choice.fold_progress = telling.candidate, telling.fold
    choice.keep_held_out = True
    choice.fit(scores, names, sample_weight=read.sample_weight, groups=read.groups)
    assert choice.held_out is not None
    logs, choice.held_out = choice.held_out, None
    size = int(np.count_nonzero(read.weights > 0.0))
    if size <= WHOLE_CASES and size * read.scores.size <= WHOLE_CELLS:
        number = fold_numbers(read, choice.options["folds"], rng=choice.options["rng"])
        telling.say("choosing again without each fold")
        try:
            whole = cross_fit_cases(choice, read, number, tell=telling.fold)
        except StakesError:  # a fold leaves too little to choose by
            pass
        else:
            return Fitted(choice, read, whole, "choice and fit")
    if len(logs) < len(read.codes):  # those of weight 0 had no part in anything
        every = choice.log_posteriors(scores)
        every[read.weights > 0.0] = logs
        logs = every
    return Fitted(choice, read, logs, "fit")


def _bound(text: str) -> float | str:
    """``data`` or a positive number."""
    if text == "data":
        return text
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise DataError(f"--bound must be a positive number or 'data'; got {text!r}.")
    return number
