"""Learning a calibration from a file: read, fit, and measure what it is worth."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application
from stakes.calibration import Automatic, CalibrationGain, Calibrator, calibration_gain, cross_fit
from stakes.calibration.calibrator import kinds
from stakes.cli.asked import Asked, asked
from stakes.cli.cases import Cases
from stakes.cli.columns import class_columns
from stakes.cli.deciding import without_gaps
from stakes.cli.models import Model, models_of
from stakes.cli.place import at_place, texts
from stakes.exceptions import DataError
from stakes.posteriors import Posteriors, shift_priors
from stakes.report.amounts import grouped

__all__ = ["Learnt", "in_file", "learn", "log_scores"]

#: With fewer cases of an outcome the costs after calibration are mostly chance.
FEW = 100


@dataclass(frozen=True, slots=True)
class Learnt:
    """A fitted calibrator with what it is worth.

    `before` is None when scores only rank; `after` is at the shares of the file, as `before` is.
    """

    calibrator: Calibrator
    model: str
    columns: dict[str, str]
    question: Asked
    cases: Cases
    application: Application
    before: NDArray[np.float64] | None
    after: NDArray[np.float64]
    cost: CalibrationGain
    entropy: CalibrationGain
    warnings: tuple[str, ...]


def learn(args: Any) -> Learnt:
    """Fit the calibrator that was asked for and cross-fit it for the costs."""
    question = asked(args)
    if question.words is not None:
        raise DataError(
            "calibration needs the same costs for every case.", hint="--cost fn=10 fp=1"
        )
    app = at_place(question.application, question.cases.priors, args)
    models = models_of(question.table, question.cases, texts(app.decisions), args)
    if len(models) != 1 or models[0].scores is None:
        raise DataError(
            f"one model with scores is calibrated at a time; got {len(models)}: "
            f"{', '.join(model.name for model in models)}.",
            hint=f"--model {models[0].name}",
        )
    models, cases, gaps = without_gaps(models, question.cases, args)
    cases = replace(cases, weights=_of_mean_one(cases.weights))
    app = at_place(question.application, cases.priors, args)
    said = tuple(filter(None, [gaps, _about_few(cases)]))
    try:
        return _learnt(replace(question, cases=cases), models[0], app, said, args)
    except DataError as error:
        hint = None if error.hint is None else in_file(error.hint, cases)
        raise DataError(in_file(error.message, cases), hint=hint) from None


def _learnt(
    question: Asked, model: Model, app: Application, warnings: tuple[str, ...], args: Any
) -> Learnt:
    """Fit, and cross-fit for the costs."""
    cases = question.cases
    scores = log_scores(model, cases.priors, args.scores_are)
    groups = _groups(question, cases, args)
    calibrator, chosen = _fitted(scores, cases, groups, app, args)
    cross = {"folds": args.folds, "rng": args.seed, "groups": groups}
    common = {"calibrator": chosen, "sample_weight": cases.weights, **cross}
    after = cross_fit(chosen, scores, cases.truth, sample_weight=cases.weights, **cross)
    if (
        args.shares_given and app.priors is not None
    ):  # what is said of these cases is compared with these cases
        after = shift_priors(after, cases.priors, old=app.priors)
    ranked = args.scores_are == "rank"
    return Learnt(
        calibrator,
        model.name,
        _columns(question, model, args),
        question,
        cases,
        app,
        None if ranked else Posteriors.from_logits(scores).values,
        after,
        calibration_gain(cases.truth, scores, by=_positions(app, args), **common),
        calibration_gain(cases.truth, scores, **common),
        warnings,
    )


def _of_mean_one(weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Weights in the same proportions, under which the rows that count are as many cases."""
    if weights is None or not weights.any():
        return weights
    return np.asarray(weights / weights[weights > 0].mean())


def log_scores(model: Model, priors: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
    """What calibrators take: log-posteriors or log odds, whatever the file holds."""
    assert model.scores is not None
    if kind == "prob":
        said = Posteriors(model.scores)
        return said.log_values
    if kind == "llr":
        return Posteriors.from_llrs(model.scores, priors).log_values
    if model.scores.ndim == 1:  # said to be log odds, so no column in [0, 1] is in doubt
        return np.column_stack([-model.scores / 2, model.scores / 2])
    return model.scores


def _positions(app: Application, args: Any) -> Application:
    """The application over positions, with priors only if they were given."""
    priors = app.priors if args.shares_given else None
    return Application(app.costs.values, priors, app.unit, app.volume, app.period)


def _fitted(
    scores: NDArray[np.float64],
    cases: Cases,
    groups: NDArray[Any] | None,
    app: Application,
    args: Any,
) -> tuple[Calibrator, Calibrator]:
    """The calibrator fitted on all cases, and a fresh one of the kind that was chosen."""
    bound = _bound(args.bound)
    options: dict[str, Any] = {"classes": list(cases.classes), "bound": bound}
    if args.shares_given:
        options["priors"] = app.priors
    names, weights = np.array(cases.classes)[cases.truth], cases.weights
    if args.kind == "automatic":
        choice = Automatic(folds=args.folds, rng=args.seed, **options)
        if sys.stderr.isatty():
            choice.progress = _progress
        calibrator: Calibrator = choice.fit(scores, names, sample_weight=weights, groups=groups)
        chosen = choice.chosen.unfitted()
    else:
        calibrator = kinds[args.kind](**options).fit(scores, names, sample_weight=weights)
        chosen = calibrator.unfitted()
    chosen.options |= {"priors": options.get("priors"), "classes": None, "bound": bound}
    return calibrator, chosen


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


def in_file(text: str, cases: Cases) -> str:
    """What a calibrator says, with the rows of the file, counted from 1, and the options."""
    text = re.sub(r"\brow (\d+)\b", lambda m: f"row {grouped(cases.rows[int(m[1])] + 1)}", text)
    text = text.replace('bound="data", or a number', "--bound 50")
    return text.replace("bound=", "--bound ").replace("`scores`", "the scores")


def _progress(done: int, total: int, kind: str) -> None:
    """One line that is overwritten, on terminals only."""
    print(f"\rtrying {kind} ({done + 1} of {total})    ", end="", file=sys.stderr, flush=True)
    if done + 1 == total:
        print(file=sys.stderr)


def _groups(question: Asked, cases: Cases, args: Any) -> NDArray[Any] | None:
    """The column that keeps rows together."""
    if args.group is None:
        return None
    return question.table.cells(args.group)[cases.rows]


def _columns(question: Asked, model: Model, args: Any) -> dict[str, str]:
    """Which column holds what: by class, or the one score."""
    if args.scores:
        return {"score": model.name}
    found = class_columns(question.table, args.proba)[0]
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
