"""Application: what is at stake where the classifier will run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from stakes._checks import as_priors, frozen, is_number, of_kind
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels.bayes_rule import as_written, in_type, log_ratio, row_modes, shares
from stakes._names import listed, usual_order
from stakes.application.cost_matrix import CostMatrix, named_line
from stakes.application.written_amounts import volume_and_period
from stakes.exceptions import CostError, PriorError
from stakes.messages.audience import either
from stakes.typing import FloatArray, Name, Priors


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Application(AnswersGuesses):
    """Costs, and the class priors of the place where the system will run.

    Parameters
    ----------
    costs : CostMatrix, nested list, mapping, data frame or path
        What each decision costs for each true class (rows); see `as_application`.
    priors : sequence, array, or mapping by class name, optional
        Share of each class in use, adding to 1. `None`: those of the data at hand.
    unit : str, optional
        What a cost of 1 is, e.g. ``"EUR"``.
    volume : float, optional
        Number of cases per `period`, to turn a cost per case into a total.
    period : str, optional
        e.g. ``"year"``.

    Notes
    -----
    For two classes and two decisions everything that matters is one number, the
    effective prior (`cumani`), or equivalently a threshold on the posterior of the second
    class (`ferrer2025` eq 28), on its log odds (eq 29) or on the log-likelihood ratio.

    Examples
    --------
    >>> costs = CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"],
    ...                    decisions=["ignore", "call"])
    >>> app = Application(costs, priors=[0.98, 0.02], unit="EUR", volume=250_000, period="year")
    >>> app.naive_decision, round(app.naive_cost, 3)
    ('ignore', 0.2)
    >>> round(app.posterior_threshold, 4), round(app.llr_threshold, 3)
    (0.0909, 1.589)
    """

    costs: CostMatrix
    priors: FloatArray | None
    unit: str | None
    volume: float | None
    period: str | None

    @answers_guesses
    def __init__(
        self,
        costs: Any,
        priors: Priors | None = None,
        unit: str | None = None,
        volume: float | str | None = None,
        period: str | None = None,
    ) -> None:
        if isinstance(costs, Application):
            raise CostError(
                "`costs` is an Application already.", hint="app.with_priors([...]), or app.costs"
            )
        matrix = as_cost_matrix(costs)
        cases, period = volume_and_period(volume, period)
        if cases is not None and not (is_number(cases) and 0 < cases < math.inf):
            raise CostError(f"`volume` must be a positive number of cases; got {volume!r}.")
        for name, words in (("unit", unit), ("period", period)):
            if words is not None:
                of_kind(words, name, str, error=CostError)
        shares = None if priors is None else frozen(_shares(priors, matrix))
        vars(self).update(costs=matrix, priors=shares, unit=unit, volume=cases, period=period)

    # ------------------------------------------------------------- names and priors

    @property
    def classes(self) -> tuple[Name, ...]:
        """The class names, in the order of the rows."""
        return self.costs.classes

    @property
    def decisions(self) -> tuple[Name, ...]:
        """The decision names, in the order of the columns."""
        return self.costs.decisions

    def with_priors(self, priors: Priors | None) -> Application:
        """The same costs with other priors."""
        return Application(self.costs, priors, self.unit, self.volume, self.period)

    def with_costs(self, costs: CostMatrix) -> Application:
        """Other costs with the same priors, unit and volume."""
        priors, costs = self.priors, as_cost_matrix(costs)
        if priors is not None and costs.classes != self.classes:
            raise CostError(f"`costs` must have the classes {listed(self.classes)}.")
        return Application(costs, priors, self.unit, self.volume, self.period)

    def resolved_priors(self, priors: FloatArray) -> FloatArray:
        """The priors that count: the application's own, or else those of the data."""
        return priors if self.priors is None else self.priors

    # ------------------------------------------------------------- the best naive decision

    @property
    def naive_costs(self) -> FloatArray:
        """Expected cost of always taking each decision, under the priors."""
        return np.asarray(self._known_priors("naive_costs") @ self.costs.values)

    @property
    def naive_decision(self) -> Name:
        """The best decision that ignores the input (`ferrer2025` eqs 3, 33); the first if tied."""
        priors = self._known_priors("naive_decision")
        modes = row_modes(self.costs.values)  # without them, equal priors give equal costs
        return self.decisions[int(np.argmin(priors @ (self.costs.values - modes[:, None])))]

    @property
    def naive_cost(self) -> float:
        """What the best decision that ignores the input costs per case, as given."""
        return float((self._known_priors("naive_cost") @ self.costs.values).min())

    # ------------------------------------------------------------- one number for two classes

    @property
    def effective_prior(self) -> float:
        """Prior of the second class that gives the same decisions with equal costs (`cumani`)."""
        acting, waiting = self._weighed_error_costs("effective_prior")
        if acting + waiting == 0:
            raise CostError("no error can cost anything under these priors and costs.")
        return float(waiting / (acting + waiting))

    @property
    def posterior_threshold(self) -> float:
        """Take the second decision when the posterior of the second class is above this (eq 28).

        Exact for the costs as written, rounded once; float32 posteriors are compared with it
        in their own type.
        """
        wrongly_acting, wrongly_waiting = self._error_costs()
        return in_type(wrongly_acting / (wrongly_acting + wrongly_waiting))

    @property
    def log_odds_threshold(self) -> float:
        """The same on the posterior log odds, natural logarithm (`ferrer2025` eq 29)."""
        wrongly_acting, wrongly_waiting = self._error_costs()
        return _log_ratio(wrongly_acting, wrongly_waiting)

    @property
    def llr_threshold(self) -> float:
        """The same on the log-likelihood ratio: minus the log odds of the effective prior."""
        return _log_ratio(*self._weighed_error_costs("llr_threshold"))

    # ------------------------------------------------------------- in words

    def describe(self) -> str:
        """Costs, shares and volume in words; see `CostMatrix.describe`.

        Examples
        --------
        >>> print(Application([[0, 4], [40, 0]], priors=[0.98, 0.02], volume=250_000,
        ...                   period="year").describe())
        Costs used:
          truth 1,  decision 0  -> 40   (missed '1')
          truth 0,  decision 1  ->  4   (false alarm)
          correct decisions     ->  0
        one missed '1' costs as much as 10 false alarms
        class mix where it will run: '0' 98 %, '1' 2 %
        250 000 cases a year
        """
        from stakes.application.cost_sentences import describe_application

        return describe_application(self)

    # ------------------------------------------------------------- privates

    def _known_priors(self, what: str) -> FloatArray:
        """The priors, or an error that says who needs them."""
        if self.priors is None:
            raise PriorError(
                f"`{what}` needs the priors; this application takes those of the data.",
                hint="app.with_priors([...]), e.g. app.with_priors(confusion_matrix.priors)",
            )
        return self.priors

    def _weighed_error_costs(self, what: str) -> tuple[Fraction, Fraction]:
        """The costs of `_error_costs`, each times the prior of its class."""
        known = self._known_priors(what)
        acting, waiting = self._error_costs()
        first, second = shares(known)
        return acting * first, waiting * second

    def _error_costs(self) -> tuple[Fraction, Fraction]:
        """Extra cost of the second decision for the first class, and the other way round."""
        if self.costs.shape != (2, 2):
            rows, columns = self.costs.shape
            raise CostError(
                f"one threshold exists for 2 classes and 2 decisions; got {rows} x {columns}.",
                hint="use stakes.bayes_decisions, or stakes.decision_intervals for two classes",
            )
        (c11, c12), (c21, c22) = (map(as_written, row) for row in self.costs.values.tolist())
        wrongly_acting, wrongly_waiting = c12 - c11, c21 - c22
        if wrongly_acting < 0 or wrongly_waiting < 0 or wrongly_acting + wrongly_waiting == 0:
            waiting, acting = (repr(name) for name in self.decisions)
            raise CostError(
                f"no threshold: taking {acting} instead of {waiting} costs "
                f"{float(wrongly_acting):g} more when the truth is {self.classes[0]!r} and "
                f"{float(-wrongly_waiting):g} more when "
                f"it is {self.classes[1]!r}.",
                hint="check the orientation: rows are true classes, columns are decisions; "
                "stakes.bayes_decisions decides rightly for any costs",
            )
        return wrongly_acting, wrongly_waiting

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Application):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[Any, ...]:
        """What makes two applications the same."""
        shares = None if self.priors is None else tuple(self.priors.tolist())
        return self.costs, shares, self.unit, self.volume, self.period

    def __repr__(self) -> str:
        rows, columns = self.costs.shape
        shares = "of the data" if self.priors is None else np.round(self.priors, 6).tolist()
        extras = f", unit={self.unit!r}" if self.unit else ""
        if self.volume:
            extras += f", volume={self.volume:g}" + (f" a {self.period}" if self.period else "")
        return f"Application({rows} classes x {columns} decisions, priors {shares}{extras})"


def _shares(priors: Priors, costs: CostMatrix) -> FloatArray:
    """The priors; an error about names says how to give the costs these names."""
    try:
        return as_priors(priors, costs.classes)
    except PriorError as error:
        names = usual_order(tuple(priors)) if isinstance(priors, Mapping) else ()
        if error.hint is None and (line := named_line(costs, names)) is not None:
            raise PriorError(error.message, hint=f"name the classes: costs={line}") from None
        raise


def as_application(application: Any) -> Application:
    """What is at stake, from any form in which costs are given; for functions that accept all.

    Parameters
    ----------
    application : Application, CostMatrix, nested list, mapping, data frame or path
        Costs alone become an application with the priors of the data. A mapping gives amounts by
        ``fn`` and ``fp``, or by truth and decision; a path is read by `read_costs`.

    Returns
    -------
    Application
        What is at stake.

    Examples
    --------
    >>> as_application(CostMatrix.zero_one(2))
    Application(2 classes x 2 decisions, priors of the data)
    >>> as_application({"fn": 10, "fp": 1}).posterior_threshold
    0.09090909090909091
    """
    if isinstance(application, Application):
        return application
    from stakes.application.cost_input import read_any_costs

    found = read_any_costs(application, "application")
    if isinstance(found, Application):
        return found
    raise CostError(
        f"`application` must be an Application or a CostMatrix; got {type(found).__name__}.",
        hint="of an UncertainApplication its .expected; for costs that differ from case to case "
        "stakes.metrics.case_cost(y_true, decisions, costs=costs).per_case, or "
        "stakes.evaluate(y_true, models, costs=costs)",
    )


def right_decisions(classes: Sequence[Name], decisions: Sequence[Name]) -> list[int] | None:
    """The right decision for each class; None unless decisions have the names of the classes."""
    if sorted(map(str, classes)) != sorted(map(str, decisions)):
        return None
    return [list(map(str, decisions)).index(str(name)) for name in classes]


def refuse_paid_errors(app: Application) -> None:
    """Raise when an error costs less than nothing, and less than the right decision.

    Checked only if decisions have the names of the classes, so that the right one is known. Such
    costs are gains with the wrong sign, and would turn every verdict round.
    """
    classes, values = app.classes, app.costs.values
    if (places := right_decisions(classes, app.decisions)) is None:
        return
    right = values[np.arange(len(classes)), places]
    paid = np.argwhere((values < 0) & (values < right[:, None]))
    if not paid.size:
        return
    i, j = paid[0]
    truth, decided, cost = classes[i], app.decisions[j], values[i, j]
    more = f", and so in {len(paid) - 1} more cells" if len(paid) > 1 else ""
    raise CostError(
        f"truth {truth!r}, decision {decided!r} costs {cost:g}, less than the right decision "
        f"({right[i]:g}){more}: errors cannot be gains.",
        hint=f"If it is what the error costs:        {-cost:g}, a positive number\n"
        "If right decisions earn something:    negative costs, for these alone\n"
        "If the numbers are gains, not costs:  "
        + either("CostMatrix.from_utilities(...)", "--gain in place of --cost"),
    )


def as_cost_matrix(costs: Any) -> CostMatrix:
    """The cost matrix of an application, or of costs in any other form."""
    return costs if isinstance(costs, CostMatrix) else as_application(costs).costs


def _log_ratio(numerator: Fraction, denominator: Fraction) -> float:
    """Natural log of a ratio of non-negative numbers; infinite where one of them is zero."""
    if numerator == 0 and denominator == 0:
        raise CostError("no error can cost anything under these priors and costs.")
    return log_ratio(numerator, denominator)
