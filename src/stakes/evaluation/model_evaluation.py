"""The parts of an evaluation: what one model costs and where, who wins, the best naive decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes._checks import as_whole
from stakes._guesses import AnswersGuesses
from stakes._names import as_positions
from stakes.application import Application, CostMatrix
from stakes.evaluation.recalibration import decided
from stakes.metrics import expected_cost
from stakes.results import Ends, Frame
from stakes.rules import DecisionRule
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


@dataclass(frozen=True, slots=True, eq=False)
class Figures(AnswersGuesses):
    """What one model came to, before models are set side by side."""

    name: str
    kind: str
    confusion: ConfusionMatrix
    cost: float
    nec: float
    cells: FloatArray | None = None
    interval: Ends | None = None
    rule: DecisionRule | None = None
    recalibrated_nec: float | None = None
    recalibrated_interval: Ends | None = None
    optimistic_nec: float | None = None
    optimistic_threshold: float | None = None
    calibration_slope: float | None = None

    @property
    def threshold(self) -> float | None:
        """The one cut of the rule, in the terms of the scores; None where there is none."""
        return None if self.rule is None else self.rule.threshold


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelEvaluation(Figures):
    """What one model costs; part of what `evaluate` returns.

    Parameters
    ----------
    name : str
        The model.
    kind : {"posteriors", "decisions"}
        What it gave.
    confusion : ConfusionMatrix
        What was decided as it is, over the names of the application.
    cost, nec : float
        Per case as given, and normalised by the best naive decision.
    saving : float
        What it saves per case against that decision.
    total_saving : float or None
        The same over the volume of the application; None if that has no volume.
    interval : pair of float or None
        Of the NEC, with `.low` and `.high`; None when there were too few cases.
    probability_best : float or None
        Probability that it is the cheapest of the models as they are.
    recalibrated_nec : float or None
        After cross-fitted calibration.
    recalibrated_interval : pair of float or None
        Of that NEC, the fitted maps taken as given.
    optimistic_nec, optimistic_threshold : float or None
        At the best threshold on these very data: optimistic.
    cells : array of shape (n_classes, n_decisions) or None
        Cost per case by true class and decision, at the priors that count; `cost` is its sum.
    rule : DecisionRule or None
        How what the model says is decided; prints as "p > 0.0909". None for decisions.
    calibration_slope : float or None
        By which factor calibration stretches the log odds: below 1 the model is over-confident.
    """

    saving: float = 0.0
    probability_best: float | None = None
    total_saving: float | None = None

    @property
    def act_when(self) -> str | None:
        """The rule as a table shows it; None where there are no cuts."""
        return None if self.rule is None else self.rule.act_when

    @property
    def calibration_loss(self) -> float | None:
        """NEC that cross-fitted calibration would take away; negative when it would add some."""
        return None if self.recalibrated_nec is None else self.nec - self.recalibrated_nec

    def __repr__(self) -> str:
        shown = "" if self.interval is None else " ({:.3f} to {:.3f})".format(*self.interval)
        return f"<{self.name}: NEC {self.nec:.3f}{shown}>"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A range of cost ratios with one winner; part of `Evaluation.switches`.

    Parameters
    ----------
    winner : str
        A model, "tie", or "none" where a constant decision does as well.
    low, high : float
        How many wrong second decisions one wrong first decision costs as much as.
    """

    winner: str
    low: float
    high: float


#: What the best naive rule does if limits allow no decision in every case, or require one.
AT_RANDOM = "deciding at random within the limits"


@dataclass(frozen=True, slots=True)
class Naive:
    """The best decision that ignores the model; part of `Evaluation`.

    Parameters
    ----------
    decision : name
        Always taken; with `shares`, the one that is taken most.
    cost : float
        Per case, as given.
    avoidable : float
        The same above the cheapest decision of each case: what the NEC divides by.
    shares : tuple of pairs of name and float
        In what share of the cases, drawn at random, each decision is taken, if limits allow none
        in every case, or require one; empty if one is always taken.
    """

    decision: Name
    cost: float
    avoidable: float
    shares: tuple[tuple[Name, float], ...] = ()

    @property
    def doing(self) -> str:
        """What is done, for a sentence: "always deciding 'no'"."""
        return AT_RANDOM if self.shares else f"always deciding '{self.decision}'"


def costliest_cells(ev: Evaluation, name: str, limit: int) -> Frame:
    """One row per cell: truth, decision, cost per case, share of the total; costliest first."""
    app, cells = ev.application, np.asarray(ev[name].cells)
    limit = as_whole(limit, "limit", least=0)
    order = np.argsort(-np.abs(cells), axis=None, kind="stable")
    rows, columns = np.unravel_index(order[cells.flat[order] != 0][:limit], cells.shape)
    paid = cells[rows, columns]
    return Frame(
        {
            "truth": [str(app.classes[i]) for i in rows],
            "decision": [str(app.decisions[j]) for j in columns],
            "cost": paid,
            "share": np.abs(paid) / np.abs(cells).sum(),
        }
    )


def use_of_decisions(ev: Evaluation, name: str) -> Frame:
    """One row per decision: its share of the cases, its cost, and the saving from having it.

    The saving is nan where it is not known: for models that gave decisions.
    """
    app = ev.application
    rates = np.nan_to_num(ev[name].confusion.rates, nan=0.0)
    return Frame(
        {
            "decision": [str(decision) for decision in app.decisions],
            "share": np.asarray(app.resolved_priors(ev.data_priors) @ rates),
            "cost": np.asarray(ev[name].cells).sum(axis=0),
            "saves": np.array([_saved(ev, name, j) for j in range(len(app.decisions))]),
        }
    )


def _saved(ev: Evaluation, name: str, j: int) -> float:
    """What the model would cost more per case if decision `j` did not exist."""
    app, sources = ev.application, ev.sources
    if sources is None or len(app.decisions) < 2 or ev[name].kind == "decisions":
        return float("nan")
    one = next(each for each in sources.judged if each.model.name == name)
    costs = np.delete(app.costs.values, j, axis=1)
    fewer, cases = Application(CostMatrix(costs), app.priors), sources.cases_of(one)
    codes = decided(one.model, fewer, sources.said_at)
    told: Any = {"sample_weight": cases.weights}
    cost = ev[name].cost
    if one.as_is.codes is not None:  # on the same cases, which may be a sample
        taken = as_positions(one.as_is.codes)
        cost = expected_cost(as_positions(cases.truth), taken, application=app, **told)
    return expected_cost(cases.truth, codes, application=fewer, **told) - cost
