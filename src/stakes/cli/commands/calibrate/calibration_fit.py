"""Learning a calibration from a file: read, fit, and measure what it is worth."""

from __future__ import annotations

import math
import shlex
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.calibration import Automatic, CalibrationGain, Calibrator
from stakes.calibration.calibrator_json import every_kind
from stakes.calibration.calibrators.affine import default_calibrator
from stakes.calibration.cross_fit import cross_fit_cases, fold_numbers
from stakes.calibration.labelled_scores import Cases as ReadCases
from stakes.calibration.labelled_scores import read_cases
from stakes.calibration.measures.gain import gain_of
from stakes.calibration.score_input import Scores, of_weight, read_scores
from stakes.calibration.score_kind import COLUMN, POSTERIORS, sort_of
from stakes.cli.show.progress import Telling
from stakes.exceptions import DataError, StakesError
from stakes.inquiry.case_question import Asked, Placed, asked, at_place
from stakes.inquiry.column_roles import class_columns
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.model_decisions import turned_round, without_gaps
from stakes.inquiry.model_scores import Model, models_of
from stakes.inquiry.truth import Cases, texts
from stakes.messages.audience import speaking_of
from stakes.posteriors import Posteriors, shift_priors
from stakes.typing import FloatArray

#: What the automatic choice can be made by, as the library calls it; None for the costs.
CHOSEN_BY = {"cross-entropy": "cross_entropy", "brier": "brier", "cost": None}
#: Up to so many cases, and cases times classes, the choice is cross-fitted as well; beyond, that
#: would change the cross-entropy by 0.001 or less, and take long.
WHOLE_CASES, WHOLE_CELLS = 2000, 60_000


#: With fewer cases of an outcome the costs after calibration are mostly chance.
FEW = 100
#: Calibrators that rise with the score, or stay; of scores that are turned round nothing is left.
RISING = {"beta", "venn-abers", "rank", "average", "isotonic", "smooth"}


@dataclass(frozen=True, slots=True)
class Learnt:
    """A fitted calibrator with what it is worth.

    `before` is None when scores only rank; `after` is at the shares of the file, as `before` is.
    `compared` is the gain in what an automatic choice was made by; `without` says what each case
    had no part in where it was calibrated, and `turned` that higher scores mean less likely.
    """

    calibrator: Calibrator
    model: str
    columns: dict[str, str]
    question: Asked
    cases: Cases
    application: Application
    before: FloatArray | None
    after: FloatArray
    cost: CalibrationGain
    entropy: CalibrationGain
    compared: CalibrationGain
    without: str
    turned: bool = False
    warnings: tuple[str, ...] = ()


def learn(inquiry: Inquiry, args: Any, telling: Telling) -> Learnt:
    """Fit the calibrator that was asked for and cross-fit it for the costs."""
    telling.say(f"reading {inquiry.file}")
    question = asked(inquiry)
    inquiry = question.inquiry
    if question.words is not None:
        raise DataError(
            "calibration needs the same costs for every case.", hint="--cost fn=10 fp=1"
        )
    at_place(question.application, question.cases.priors, inquiry)
    decisions = texts(question.application.decisions)
    models = models_of(question.table, question.cases, decisions, inquiry)
    if len(models) != 1 or models[0].scores is None:
        raise DataError(
            f"one model with scores is calibrated at a time; got {len(models)}: "
            f"{', '.join(model.name for model in models)}.",
            hint=f"--model {shlex.quote(models[0].name)}",
        )
    models, cases, gaps = without_gaps(models, question.cases, inquiry, for_decisions=False)
    if cases.weights is not None and cases.weights.any():  # so that as many cases count as rows
        cases = replace(cases, weights=cases.weights / cases.weights[cases.weights > 0].mean())
    place = at_place(question.application, cases.priors, inquiry)
    _refuse_single_case(cases, args.kind)
    turned = turned_round(models, cases, inquiry)
    if turned and args.kind in RISING:
        first = turned[0].values
        raise DataError(
            f"{first['seen']}, and {args.kind} can only rise with the scores, so it would learn "
            "nothing.",
            hint=f"{first['asked']}  {first['option']}\n"
            "If it is not, a calibrator that can fall:  --kind affine",
        )
    said = tuple(filter(None, [gaps, models[0].note, *turned, _about_few(cases)]))
    with speaking_of(rows=cases.rows, y_true=f"'{cases.label}'"):
        found = _learnt(replace(question, cases=cases), models[0], place, args, telling)
    return replace(found, turned=bool(turned), warnings=said)


def _learnt(question: Asked, model: Model, place: Placed, args: Any, telling: Telling) -> Learnt:
    """Fit, and compare what is said of cases that had no part in it."""
    cases, kind = question.cases, question.inquiry.kind
    scores = log_scores(model, cases.priors, kind)
    app = place.judged  # over positions
    there = Application(app.costs.values, app.priors, app.unit, app.volume, app.period)
    by = CHOSEN_BY[args.choose_by or "cross-entropy"] or there
    groups = question.inquiry.groups
    read = read_cases(
        read_scores(scores),
        cases.truth,
        sample_weight=cases.weights,
        priors=there.priors,
        groups=None if groups is None else question.table.cells(groups)[cases.rows],
    )
    options: dict[str, Any] = {"bound": _bound(args.bound), "priors": there.priors}
    if args.kind == "automatic":
        options |= {"by": by, "folds": args.folds, "rng": args.seed}
    calibrator = every_kind()[args.kind](classes=list(cases.classes), **options)
    logs, without = _fitted(calibrator, scores, read, args, telling)
    _remember(calibrator, model, cases.weights, kind)
    telling.say("judging")
    after = np.exp(logs)
    if there.priors is not None:  # what is said of these cases is compared with these cases
        after = shift_priors(after, cases.priors, from_priors=there.priors)
    chosen = calibrator.chosen if isinstance(calibrator, Automatic) else calibrator
    gain = partial(gain_of, read, logs, kind=chosen.kind, fitting="cross-fitted")
    cost, entropy = gain(there), gain("cross_entropy")
    return Learnt(
        calibrator=calibrator,
        model=model.name,
        columns=_columns(question, model),
        question=question,
        cases=cases,
        application=place.app,
        before=None if kind == "rank" else Posteriors.from_logits(scores).values,
        after=after,
        cost=cost,
        entropy=entropy,
        compared=cost if by is there else entropy if by == "cross_entropy" else gain(by),
        without=without,
    )


def _fitted(
    calibrator: Calibrator, scores: FloatArray, read: ReadCases, args: Any, telling: Telling
) -> tuple[FloatArray, str]:
    """Fit on all cases, and without each fold in turn; an automatic choice of few cases too.

    Returns log-posteriors of each case, under the target priors, without it, and what it had no
    part in: "fit", or "choice and fit".
    """
    names, weights = np.array(calibrator.options["classes"])[read.codes], read.sample_weight
    if not isinstance(calibrator, Automatic):
        telling.say(f"fitting {args.kind} to all cases")
        calibrator.fit(scores, names, sample_weight=weights)
        number = fold_numbers(read, args.folds, rng=args.seed)
        telling.say(f"cross-fitting {args.kind}")
        return cross_fit_cases(calibrator, read, number, tell=telling.fold), "fit"
    calibrator.progress, calibrator.fold_progress = telling.candidate, telling.fold
    calibrator.keep_held_out = True
    calibrator.fit(scores, names, sample_weight=weights, groups=read.groups)
    assert calibrator.held_out is not None
    logs, calibrator.held_out = calibrator.held_out, None
    counts = read.weights > 0.0
    size = int(np.count_nonzero(counts))
    if size <= WHOLE_CASES and size * read.scores.size <= WHOLE_CELLS:
        number = fold_numbers(read, args.folds, rng=args.seed)
        telling.say("choosing again without each fold")
        with suppress(StakesError):  # a fold leaves too little to choose by
            return cross_fit_cases(calibrator, read, number, tell=telling.fold), "choice and fit"
    if len(logs) < len(read.codes):  # those of weight 0 had no part in anything
        every = calibrator.log_posteriors(scores)
        every[counts] = logs
        logs = every
    return logs, "fit"


def _bound(text: str) -> float | str:
    """``data`` or a positive number."""
    if text == "data":
        return text
    with suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise DataError(f"--bound must be a positive number or 'data'; got {text!r}.")


def _remember(calibrator: Calibrator, model: Model, weights: FloatArray | None, kind: str) -> None:
    """Let the file say what Python is to give: the column itself, or posteriors."""
    scores = model.scores
    assert scores is not None
    if kind in ("posterior", "llr"):
        calibrator._remember(POSTERIORS)
    elif scores.ndim == 1 and not calibrator._level_counts:
        narrow = kind == "log_odds"  # said to be log odds, so no column in [0, 1] is in doubt
        read = of_weight(Scores(scores), weights)
        calibrator._remember(COLUMN if narrow else sort_of(scores, read, level=False))


def log_scores(model: Model, priors: FloatArray, kind: str) -> FloatArray:
    """What calibrators take: log-posteriors or log odds, whatever the file holds."""
    assert model.scores is not None
    if kind == "posterior":
        return Posteriors(model.scores).log_values
    if kind == "llr":
        return Posteriors.from_llrs(model.scores, priors).log_values
    if model.scores.ndim == 1:  # said to be log odds, so no column in [0, 1] is in doubt
        return np.column_stack([-model.scores / 2, model.scores / 2])
    return model.scores


def _columns(question: Asked, model: Model) -> dict[str, str]:
    """Which column holds what: by class, or the one score."""
    if question.inquiry.scores:
        return {"score": model.name}
    proba, label = question.inquiry.proba or "", question.cases.label
    found = class_columns(question.table, proba, label)[0]
    return dict(found.by_class) if found.matrix is None else {"matrix": found.matrix}


def _about_few(cases: Cases) -> str | None:
    """A warning when an outcome is rare in the data."""
    counts = cases.counted
    least = int(counts.argmin())
    if counts[least] >= FEW:
        return None
    return (
        f"only {counts[least]:.0f} cases of '{cases.classes[least]}': the figures after "
        "calibration are uncertain."
    )


def _refuse_single_case(cases: Cases, kind: str) -> None:
    """Raise where a fold would leave the default nothing to learn of an outcome."""
    single = np.flatnonzero(cases.counted == 1)
    if kind == default_calibrator().kind and single.size:
        raise DataError(
            f"'{cases.label}' has a single case of class {cases.classes[single[0]]}; two of each "
            "class are needed to fit a map without it.",
            hint="add cases of that class, or fit one parameter:  --kind temperature",
        )
