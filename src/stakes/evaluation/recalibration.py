"""One model at one application: what it decides and what that costs, as it is, re-calibrated, and
at its best on these data.
"""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import frozen
from stakes.application import Application, CaseCosts
from stakes.calibration import Calibrator, cross_fit
from stakes.calibration.calibrators.affine import default_calibrator
from stakes.engines import Reduction
from stakes.evaluation.model_rows import Cases, Model, Rows
from stakes.exceptions import DataError, StakesError, UndefinedError
from stakes.messages.audience import either
from stakes.messages.notes import Note
from stakes.metrics import at_min_cost, auc, cost_by_cell, normalized_expected_cost
from stakes.posteriors.posteriors import are_certain
from stakes.rules import DecisionRule
from stakes.summaries import ConfusionMatrix, ScoreBins, ScoreCounts
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import FloatArray, Name


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One way to use a model: what was decided, what it cost, and where it acts."""

    confusion: ConfusionMatrix
    codes: NDArray[Any] | None
    cost: float
    nec: float
    rule: DecisionRule | None = None
    cells: FloatArray | None = None

    @property
    def threshold(self) -> float | None:
        """Where it acts; None where there is no one cut."""
        return None if self.rule is None else self.rule.threshold


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A model in its variants; absent ones are None.

    Where it was counted in bins, `cases` are rows of its own that stand for several cases, and
    `number` says for how many.
    """

    model: Model
    as_is: Variant
    recalibrated: Variant | None = None
    fitted: NDArray[Any] | None = None
    scores: ScoreCounts | None = None
    cases: Cases | None = None
    number: FloatArray | None = None

    @property
    def slope(self) -> float | None:
        """By which factor calibration stretches the log posteriors; None where it was not done."""
        if self.fitted is None or self.model.posteriors is None:
            return None
        return stretch(self.model.posteriors, self.fitted, self.number)


def stretch(
    posteriors: NDArray[Any], fitted: NDArray[Any], cases: FloatArray | None = None
) -> float | None:
    """By which factor log posteriors were stretched; rows may stand for several cases."""
    with np.errstate(divide="ignore", invalid="ignore"):
        said, meant = (_free_logs(each) for each in (posteriors, fitted))
    kept = np.isfinite(said).all(axis=1) & np.isfinite(meant).all(axis=1)
    if not kept.any():
        return None  # every posterior is 0 or 1
    if not kept.all():
        said, meant = said[kept], meant[kept]
        cases = None if cases is None else cases[kept]
    said = said - np.average(said, axis=0, weights=cases)
    scaled = said if cases is None else said * cases[:, None]
    spread = float(np.vdot(scaled, said))
    return float(np.vdot(scaled, meant)) / spread if spread > 0 else None


def _free_logs(posteriors: NDArray[Any]) -> NDArray[Any]:
    """Log posteriors without what their sum fixes: log odds of two classes, else centred rows."""
    if posteriors.shape[1] == 2:
        return np.asarray(np.log(posteriors[:, 1:] / posteriors[:, :1]))
    logs = np.log(posteriors)
    logs -= logs.mean(axis=1)[:, None]  # in place: very many classes fill memory
    return np.asarray(logs)


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What an evaluation was made from, to show it at other costs; never shown itself.

    `cases` are those of all models; None where each has rows of its own, which stand for bins.
    `plain` says that cases count once each and are independent; `binned_groups` that bins do not
    tell which of them belong together.
    """

    given: Application
    cases: Cases | None
    judged: tuple[Judged, ...]
    said_at: FloatArray
    options: dict[str, Any]
    plain: bool
    binned_groups: bool = False
    cost_range: tuple[float, float] | None = None
    calibrator: Calibrator | None = None

    def cases_of(self, one: Judged) -> Cases:
        """The cases on which a model was judged."""
        found = self.cases if one.cases is None else one.cases
        assert found is not None
        return found


@dataclass(frozen=True, slots=True, eq=False)
class CaseRule:
    """One way to use one model: "per case", "one threshold", "average costs" or "decisions"."""

    name: str
    kind: str
    model: Model
    codes: NDArray[Any]
    rule: DecisionRule | None

    @property
    def threshold(self) -> float | None:
        """Where it acts; None where there is no one cut, or no finite one."""
        return None if self.rule is None else self.rule.threshold


@dataclass(frozen=True, slots=True, eq=False)
class CaseSources:
    """What an evaluation by case was made from, to show it at other costs."""

    costs: CaseCosts
    cases: Cases
    rules: tuple[CaseRule, ...]
    priors: FloatArray
    said_at: FloatArray

    @property
    def gaps(self) -> tuple[FloatArray, FloatArray]:
        """What acting costs more when the truth is the first class, and waiting when the second."""
        values = self.costs.values
        return values[:, 0, 1] - values[:, 0, 0], values[:, 1, 0] - values[:, 1, 1]

    @property
    def amounts(self) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]:
        """What a false alarm, and a miss, adds: weight, cost above the other decision, its cost."""
        values, (wrong, lost) = self.costs.values, self.gaps
        first, second = (self.cases.weight * (self.cases.truth == k) for k in (0, 1))
        return (
            (first, first * wrong, first * values[:, 0, 0]),
            (second, second * lost, second * values[:, 1, 1]),
        )


def refuse_absent(shares: FloatArray, app: Application) -> None:
    """Raise when a class that the application expects, and that matters, has no case."""
    if app.priors is None:
        return
    matters = (app.costs.values != app.costs.values[:, :1]).any(axis=1)
    absent = np.flatnonzero((shares == 0) & (app.priors > 0) & matters)
    if absent.size:
        k = int(absent[0])
        raise DataError(
            f"no case of {app.classes[k]!r} in the data, but its prior is {app.priors[k]:g}, so "
            "the cost is unknown.",
            hint="bring cases of it, or set its prior to 0",
        )


def decided(model: Model, app: Application, said_at: FloatArray) -> NDArray[Any]:
    """Decisions as given, or the Bayes decisions of posteriors made for the shares `said_at`."""
    if model.decisions is not None:
        return model.decisions
    return rule_on(model, app, said_at).positions(model.posteriors)


def rule_on(model: Model, app: Application, said_at: FloatArray) -> DecisionRule:
    """How posteriors that were made for the shares `said_at` are decided."""
    assert model.posteriors is not None
    kind = model.posteriors.dtype.name
    return DecisionRule(app, from_priors=said_at, score_type=kind, model=model.name)


def recalibrated(model: Model, rows: Rows, rng: Any) -> tuple[Variant, NDArray[Any]] | Note | None:
    """The Bayes decisions after cross-fitted calibration, and its posteriors; or why not.

    None for decisions, which cannot be re-calibrated.
    """
    if model.posteriors is None:
        return None
    cases, app, calibrator = rows.cases, rows.application, rows.recalibrate
    said = model.posteriors.astype(np.float64, copy=False)
    if isinstance(calibrator, Calibrator):
        said = without_zeros(said)
    else:  # at the shares of the data, so that a page can move it to others without fitting again
        calibrator = default_calibrator()
    try:
        with np.errstate(divide="ignore"):  # the default bounds what is infinite
            logs = np.log(said)
        fitted = cross_fit(
            cases.truth,
            logs,
            calibrator=calibrator,
            folds=rows.folds,
            rng=rng,
            groups=cases.groups,
            sample_weight=cases.weights,
        )
    except StakesError as error:
        return Note("not-recalibrated", model=model.name, why=error.message)
    rule = rule_on(Model(model.name, fitted, None), app, cases.priors)
    codes = rule.positions(fitted)
    return priced(cases.count(codes, app), app, codes, rule), fitted


def without_zeros(posteriors: NDArray[Any]) -> NDArray[Any]:
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
        from_priors=float(said_at[1]) if 0 < said_at[1] < 1 else None,
        sample_weight=cases.weights,
    )


def about_scores(model: Model, scores: ScoreCounts | None, rows: Rows) -> list[Note]:
    """What is odd about the posteriors of a model: that they run the wrong way, or never doubt."""
    cases, classes = rows.cases, rows.given.classes
    said = turned_round(model.name, scores, cases.truth, cases.weights, classes)
    if model.posteriors is not None and are_certain(model.posteriors):
        said.append(Note("posteriors-certain", model=model.name))
    return said


def turned_round(
    model: str, scores: RankedScores | None, truth: Any, weights: Any, classes: tuple[Name, ...]
) -> list[Note]:
    """That scores of two classes are, beyond chance, higher where the second is rarer."""
    if scores is None or (scores.class_totals == 0).any():
        return []
    number = scores.class_totals
    if weights is not None:
        number = np.array([_as_many(weights[truth == k]) for k in range(2)])
    return _turned_area(model, scores, number, classes)


def _turned_area(
    model: str, scores: RankedScores, number: FloatArray, classes: tuple[Name, ...]
) -> list[Note]:
    """That the area under the curve is below a half beyond chance, for so many cases by class."""
    negative, positive = number
    chance = np.sqrt((negative + positive + 1) / (12 * negative * positive))
    area = auc(scores)
    if area >= 0.5 - 3 * chance:
        return []
    return [turned_note(model, f"(AUC {area:.2f})", classes)]


def turned_far(model: str, found: Reduction) -> list[Note]:
    """The same of an engine's bins; without, of the mean scores of the classes."""
    sums = found._looks(model)[1]
    totals, panel = found.class_totals, found.whole.panels[0]
    if sums is None or (totals == 0).any():
        return []
    number = found.rows_by_class.astype(np.float64)
    if "squares" in panel.sums:
        number = totals**2 / panel.added(panel.sums["squares"], (2,), 0)
    if model in found.whole.bins:
        return _turned_area(model, found.whole.bins[model], number, found.request.classes)
    (low, high), (wide, wider) = sums[0] / totals, sums[1] / totals - (sums[0] / totals) ** 2
    chance = math.sqrt(max(wide, 0.0) / number[0] + max(wider, 0.0) / number[1])
    if high >= low - 3 * chance:
        return []
    return [turned_note(model, f"(mean {high:.2f} against {low:.2f})", found.request.classes)]


def turned_note(model: str, seen: str, classes: tuple[Name, ...]) -> Note:
    """What to ask and to type about scores that run the wrong way."""
    return Note(
        "turned-round",
        model=model,
        seen=f"higher {model} goes with *fewer* '{classes[1]}' {seen}",
        asked=f"Is the column the probability of '{classes[0]}'?",
        option=either("If so, give 1 - p", f"--flip {shlex.quote(model)}"),
        positive=classes[1],
    )


def _as_many(weights: FloatArray) -> float:
    """How many cases of equal weight vary as much: Kish's effective sample size."""
    shares = weights / weights.max()
    return float(shares.sum() ** 2 / (shares @ shares))


def best_on_data(
    scores: ScoreCounts | ScoreBins | None, app: Application
) -> tuple[float | None, float | None]:
    """NEC and threshold where these very cases cost least: optimistic; two classes only."""
    if scores is None or app.costs.shape != (2, 2) or (scores.class_totals == 0).any():
        return None, None
    unnamed = Application(app.costs.values, priors=app.priors)
    point = at_min_cost(scores, unnamed)
    try:
        return point.cost(unnamed, normalized=True), point.threshold
    except UndefinedError:
        return math.nan, point.threshold


def priced(
    table: ConfusionMatrix, app: Application, codes: Any, rule: DecisionRule | None
) -> Variant:
    """Counts with their cost; the NEC is nan where the naive decision is already perfect."""
    cells = cost_by_cell(table, app)
    try:
        nec = normalized_expected_cost(table, application=app)
    except UndefinedError:
        nec = math.nan
    chosen = None if codes is None else frozen(codes)
    return Variant(table, chosen, cells.total, nec, rule, cells.costs.reshape(app.costs.shape))
