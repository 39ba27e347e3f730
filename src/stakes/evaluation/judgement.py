"""One model at one application: what it says, as it is, re-calibrated, and at its best on these
data.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import frozen
from stakes._kernels.bayes_rule import moved_shares, pieces, thresholds
from stakes._names import as_positions
from stakes.application import Application
from stakes.calibration import Calibrator, cross_fit
from stakes.decisions import bayes_decisions
from stakes.decisions.bayes import moved_decisions
from stakes.engines.stream import read_model
from stakes.exceptions import DataError, StakesError, UndefinedError
from stakes.messages.notes import Note
from stakes.metrics import at_min_cost, cost_by_cell, normalized_expected_cost
from stakes.posteriors import Posteriors
from stakes.posteriors.class_order import ClassOrder
from stakes.summaries import ConfusionMatrix, ScoreCounts
from stakes.typing import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """One model: (n, K) posteriors, or (n,) positions of decisions."""

    name: str
    posteriors: NDArray[Any] | None
    decisions: NDArray[Any] | None

    def at(self, priors: FloatArray, said_at: FloatArray) -> NDArray[Any] | None:
        """The posteriors moved from the base rate they were made for to another."""
        if self.posteriors is None or np.array_equal(priors, said_at):
            return self.posteriors
        return Posteriors(self.posteriors).with_priors(priors, old=said_at).values


def read_models(
    models: Any, app: Application, n_cases: int, order: ClassOrder
) -> tuple[Model, ...]:
    """Every model of a mapping; a single one may come without a name."""
    if not isinstance(models, Mapping):
        return (_read_alone(models, app, n_cases, order),)
    if not models:
        raise DataError("`models` is empty.", hint='evaluate(y_true, {"gbm": p}, ...)')
    refuse_same_names(models)
    return tuple(_read(str(name), said, app, n_cases, order) for name, said in models.items())


def _read_alone(said: Any, app: Application, n_cases: int, order: ClassOrder) -> Model:
    """A model without a name; where it cannot be one, how to pass several."""
    try:
        return _read("model", said, app, n_cases, order)
    except StakesError as error:
        if (passed := _passed_apart(said)) is None:
            raise
        hint = f"if these are several models: evaluate(y_true, {{{passed}}}, ...)"
        both = hint if error.hint is None else f"{error.hint}\n{hint}"
        raise type(error)(error.message, hint=both, rows=error.rows) from None


def _passed_apart(said: Any) -> str | None:
    """How columns of a frame or an array would be passed as models; None where there are none."""
    if hasattr(said, "columns"):
        names = [str(name) for name in said.columns]
        parts = [f'"{name}": frame["{name}"]' for name in names]
    elif np.ndim(said) == 2 and isinstance(said, (list, tuple)):
        parts = [f'"{chr(97 + k)}": models[{k}]' for k in range(min(len(said), 3))]
    elif np.ndim(said) == 2:
        parts = [f'"{chr(97 + k)}": models[:, {k}]' for k in range(min(np.shape(said)[1], 3))]
    else:
        return None
    return ", ".join([*parts[:2], *(["..."] if len(parts) > 2 else [])])


def refuse_same_names(models: Mapping[Any, Any]) -> None:
    """Raise when two models are called alike in text, such as 1 and "1"."""
    if (twice := alike_in_text(models)) is not None:
        raise DataError(f"two models are called {twice!r}.", hint="give each a name of its own")


def alike_in_text(values: Iterable[Any]) -> str | None:
    """The first text that two different values share, such as 1 and "1"; None without any."""
    seen = set()
    for text in map(str, values):
        if text in seen:
            return text
        seen.add(text)
    return None


def refuse_other_order(y_true: Any, columns: Mapping[str, Any]) -> None:
    """Raise when a pandas column has the same row labels as `y_true` in another order.

    Columns are taken by position, so that rows of such a column would meet the wrong truth.
    """
    labels: Any = getattr(y_true, "index", None)
    if not hasattr(labels, "sort_values"):
        return
    for name, column in columns.items():
        other: Any = getattr(column, "index", None)
        if not hasattr(other, "sort_values") or len(other) != len(labels) or labels.equals(other):
            continue
        if (told := _sorted(labels)) is not None and told == _sorted(other):
            raise DataError(
                f"`{name}` has the row labels of `y_true` in another order.",
                hint=f"{name}.reindex(y_true.index) if the labels say which rows belong together; "
                ".to_numpy() on both if the order does",
            )


def _sorted(labels: Any) -> list[Any] | None:
    """Row labels in order; None where they have none, or name several rows alike."""
    try:
        return list(labels.sort_values()) if labels.is_unique else None
    except TypeError:
        return None


def _read(name: str, said: Any, app: Application, n_cases: int, order: ClassOrder) -> Model:
    """One model; floats are posteriors, everything else decisions."""
    array = read_model(said, name, app, n_cases, order)
    return Model(name, array, None) if array.ndim == 2 else Model(name, None, array)


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """The truth, as positions, with the weights and groups of the cases."""

    truth: NDArray[Any]
    weights: FloatArray | None
    groups: NDArray[Any] | None
    priors: FloatArray

    @property
    def counted(self) -> NDArray[Any]:
        """Number of cases of each class: rows of positive weight, whatever they weigh."""
        truth = self.truth if self.weights is None else self.truth[self.weights > 0]
        return np.bincount(truth, minlength=self.priors.shape[0])

    def count(self, codes: NDArray[Any], app: Application) -> ConfusionMatrix:
        """Cases by truth and decision."""
        return ConfusionMatrix.from_decisions(
            self.truth,
            as_positions(codes),
            classes=app.classes,
            decision_names=app.decisions,
            sample_weight=self.weights,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One way to use a model: what was decided, what it cost, and where it acts."""

    confusion: ConfusionMatrix
    codes: NDArray[Any] | None
    cost: float
    nec: float
    threshold: float | None = None
    cells: FloatArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A model in its variants; absent ones are None."""

    model: Model
    as_is: Variant
    recalibrated: Variant | None
    at_its_best: Variant | None
    fitted: NDArray[Any] | None = None
    scores: ScoreCounts | None = None

    @property
    def slope(self) -> float | None:
        """By which factor calibration stretches the log posteriors; None where it was not done."""
        if self.fitted is None or self.model.posteriors is None:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            said, meant = (_free_logs(each) for each in (self.model.posteriors, self.fitted))
        kept = np.isfinite(said).all(axis=1) & np.isfinite(meant).all(axis=1)
        if not kept.any():
            return None  # every posterior is 0 or 1
        if not kept.all():
            said, meant = said[kept], meant[kept]
        said = said - said.mean(axis=0)
        spread = float(np.vdot(said, said))
        return float(np.vdot(said, meant)) / spread if spread > 0 else None


def _free_logs(posteriors: NDArray[Any]) -> NDArray[Any]:
    """Log posteriors without what their sum fixes: log odds of two classes, else centred rows."""
    if posteriors.shape[1] == 2:
        return np.asarray(np.log(posteriors[:, 1:] / posteriors[:, :1]))
    logs = np.log(posteriors)
    return np.asarray(logs - logs.mean(axis=1)[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What an evaluation was made from, for whoever shows it at other costs; never shown itself."""

    given: Application
    cases: Cases
    judged: tuple[Judged, ...]
    said_at: FloatArray
    options: dict[str, Any]
    cost_range: tuple[float, float] | None = None

    @property
    def plain(self) -> bool:
        """Whether cases count once each and are independent."""
        return self.cases.weights is None and self.cases.groups is None


def as_is(model: Model, cases: Cases, app: Application, said_at: FloatArray) -> Variant:
    """Decisions as given, or the Bayes decisions of the posteriors taken at their word."""
    assert app.priors is not None
    if model.decisions is not None:
        return _priced(model.decisions, cases, app)
    assert model.posteriors is not None
    cut = cut_on(app, app.priors, said_at, model.posteriors.dtype.name)
    return _priced(decided(model, app, said_at), cases, app, cut)


def decided(model: Model, app: Application, said_at: FloatArray) -> NDArray[Any]:
    """The Bayes decisions of posteriors that were made for the shares `said_at`."""
    assert app.priors is not None
    assert model.posteriors is not None
    if not (app.priors > 0).all() or not (said_at > 0).all():
        return bayes_decisions(model.at(app.priors, said_at), app.costs, classes=app.classes)
    return moved_decisions(model.posteriors, app.costs, app.priors, said_at)


def recalibrated(
    model: Model, cases: Cases, app: Application, calibrator: Calibrator, folds: Any, rng: Any
) -> tuple[Variant, NDArray[Any]] | Note | None:
    """The Bayes decisions after cross-fitted calibration, and its posteriors; or why not.

    None for decisions, which cannot be re-calibrated.
    """
    if model.posteriors is None:
        return None
    assert app.priors is not None
    logs = np.log(_softened(model.posteriors.astype(np.float64)))
    try:
        fitted = cross_fit(
            calibrator,
            logs,
            cases.truth,
            folds=folds,
            rng=rng,
            groups=cases.groups,
            sample_weight=cases.weights,
        )
    except StakesError as error:
        return Note("not-recalibrated", model=model.name, why=error.message)
    codes = decided(Model(model.name, fitted, None), app, cases.priors)
    cut = cut_on(app, app.priors, cases.priors, fitted.dtype.name)
    return _priced(codes, cases, app, cut), fitted


def _softened(posteriors: NDArray[Any]) -> NDArray[Any]:
    """Posteriors without zeros: they become half the smallest one, as if they had been rounded.

    Only for calibration, which cannot move a certainty; rows that hold none stay as they are.
    """
    zero = posteriors == 0
    if not zero.any():
        return posteriors
    filled = np.where(zero, posteriors[~zero].min() / 2, posteriors)
    return np.asarray(filled / filled.sum(axis=1, keepdims=True))


def scores_of(model: Model, cases: Cases, said_at: FloatArray) -> ScoreCounts | None:
    """The posteriors of two classes, counted; None for decisions and for more classes."""
    if model.posteriors is None or len(said_at) != 2:
        return None
    return ScoreCounts.from_scores(
        cases.truth,
        model.posteriors[:, 1],
        kind="posterior",
        prior=float(said_at[1]) if 0 < said_at[1] < 1 else None,
        sample_weight=cases.weights,
    )


def at_its_best(scores: ScoreCounts | None, cases: Cases, app: Application) -> Variant | None:
    """The threshold that costs least on these very cases: optimistic; two classes only."""
    if scores is None or app.costs.shape != (2, 2) or (scores.class_totals == 0).any():
        return None
    unnamed = Application(app.costs.values, priors=app.priors)
    point = at_min_cost(scores, unnamed)
    cost = point.cost(unnamed)
    try:
        nec = point.cost(unnamed, normalize=True)
    except UndefinedError:
        nec = math.nan
    rates = np.array(
        [
            [1 - point.false_positive_rate, point.false_positive_rate],
            [point.false_negative_rate, 1 - point.false_negative_rate],
        ]
    )
    totals = np.bincount(cases.truth, weights=cases.weights, minlength=2)
    table = ConfusionMatrix(rates * totals[:, None], app.classes, app.decisions)
    return Variant(table, None, cost, nec, point.threshold)


def _priced(
    codes: NDArray[Any], cases: Cases, app: Application, threshold: float | None = None
) -> Variant:
    """Decisions with their cost."""
    return priced(cases.count(codes, app), app, frozen(codes), threshold)


def priced(
    table: ConfusionMatrix,
    app: Application,
    codes: NDArray[Any] | None = None,
    threshold: float | None = None,
) -> Variant:
    """Counts with their cost; the NEC is nan where the naive decision is already perfect."""
    cells = cost_by_cell(table, app)
    try:
        nec = normalized_expected_cost(table, application=app)
    except UndefinedError:
        nec = math.nan
    return Variant(table, codes, cells.total, nec, threshold, cells.costs.reshape(app.costs.shape))


def cut_on(
    app: Application, priors: FloatArray, said_at: FloatArray, kind: str = "float64"
) -> float | None:
    """The one cut of a two-class rule, on posteriors of a type as the model gives them."""
    if app.costs.shape != (2, 2):
        return None
    rule = pieces(app.costs.values)
    if [piece.decision for piece in rule] != [0, 1]:
        return None
    if rule[1].start in (0, 1) or np.array_equal(priors, said_at):
        return thresholds(rule, kind)[0]
    if not (priors > 0).all() or not (said_at > 0).all():
        return None
    return thresholds(pieces(app.costs.values, moved_shares(priors, said_at)), kind)[0]
