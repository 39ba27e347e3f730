"""Elicitation: from a conversation to an Application, with as few questions as possible."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from stakes._checks import as_number, keep_numbers, of_kind, positive_share
from stakes._columns import in_brief
from stakes._guesses import AnswersGuesses
from stakes._names import as_names, place_of
from stakes.application import Application
from stakes.elicitation.agreement import (
    Contradiction,
    RatioInterval,
    Statement,
    agreed_ratio,
    alarm_in,
    as_statements,
    contradictions,
    without_some,
)
from stakes.elicitation.next_question import Goal, Options, next_question, options_of
from stakes.elicitation.question import Answer, Question, compared
from stakes.exceptions import DataError
from stakes.results import Frame, frame_of
from stakes.typing import Name, Priors

#: Smaller differences in normalised cost count as ties.
_NEAR_TIE = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class Elicitation(AnswersGuesses):
    """A conversation about costs that stops as soon as the recommendation cannot change.

    Every statement narrows the number of false alarms that one miss is worth. Questions are
    asked only at ratios where the recommendation changes, and only while the remaining doubt can
    cost more than `tolerance`. Nothing is changed in place: each step returns a new object, so
    that answers can be taken back, edited and replayed.

    Parameters
    ----------
    systems : mapping of name to ScoreCounts or ConfusionMatrix, optional
        The systems to choose between. Without systems the ratio itself is narrowed down.
    priors : float or pair
        Share of positives, or of both classes, where it will run.
    goal : {"model", "threshold"}
        Whether to choose a model, or also its threshold.
    tolerance : float
        Normalised expected cost that may be lost by stopping.
    cases : int, optional
        Number of cases in a question; default, a round number.
    low, high : float
        The ratios that are considered.
    statements : tuple of Statement
        The statements so far.
    classes : pair of names
        The negative and the positive class.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> y = [0] * 6 + [1] * 4
    >>> careful = ScoreCounts.from_scores(y, [1, 1, 1, 1, 2, 2, 1, 1, 3, 3], kind="rank")
    >>> eager = ScoreCounts.from_scores(y, [1, 1, 3, 3, 3, 3, 3, 3, 3, 3], kind="rank")
    >>> talk = Elicitation({"careful": careful, "eager": eager}, priors=0.4)
    >>> talk.question.ratio
    2.0
    >>> talk = talk.answered("b")
    >>> talk.question.why  # so extreme an answer is asked again, the other way round
    'one answer alone rules out everything below about 2 false alarms per miss, so the same ...'
    >>> talk = talk.answered("a")
    >>> talk.question is None, talk.recommendation
    (True, 'eager')
    >>> print(talk.ratio.describe("ill"))
    one missed 'ill' costs as much as 2 to 1 000 false alarms
    """

    systems: Mapping[str, Any] = field(default_factory=dict)
    priors: Priors = 0.5
    goal: Goal = "model"
    tolerance: float = 0.02
    cases: int | None = None
    low: float = 1e-3
    high: float = 1e3
    statements: tuple[Statement, ...] = ()
    classes: tuple[Name, Name] = ("negative", "positive")

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", as_names(self.classes, "classes"))
        if len(self.classes) != 2:
            raise DataError(f"`classes` must be two names; got {in_brief(self.classes)}.")
        of_kind(self.systems, "systems", Mapping)
        keep_numbers(self, "low", "high", "tolerance", *(() if self.cases is None else ("cases",)))
        object.__setattr__(self, "statements", as_statements(self.statements))
        share = positive_share(self.priors, classes=self.classes, inside=True)
        object.__setattr__(self, "priors", (1 - share, share))
        if place_of(self.goal, ("model", "threshold")) is None:
            raise DataError(f"`goal` must be 'model' or 'threshold'; got {in_brief(self.goal)}.")
        if not 0 < self.low < self.high < math.inf:
            raise DataError(f"needs 0 < low < high; got {self.low!r} and {self.high!r}.")
        if self.cases is not None and not 1 <= self.cases < math.inf:
            raise DataError(f"`cases` must be 1 or more; got {self.cases!r}.")
        if not 0 < self.tolerance < math.inf:
            raise DataError(f"`tolerance` must be positive; got {self.tolerance!r}.")

    # ------------------------------------------------------------- saying something

    def stated(self, *statements: Statement) -> Elicitation:
        """The conversation with more statements, e.g. from `ratio_from_threshold`."""
        return replace(self, statements=(*self.statements, *statements))

    def answered(
        self, answer: Answer, *, question: Question | None = None, name: str = "", date: str = ""
    ) -> Elicitation:
        """The conversation with an answer: "a", "b", or "=" for cannot say.

        Earlier answers about the same two outcomes are removed if there is a contradiction or
        this one is "=".
        """
        asked = self.question if question is None else question
        if asked is None:
            raise DataError("there is no question left to answer.")
        of_kind(asked, "question", Question)
        said = asked.statement(answer).signed(name, date)
        earlier = [k for k, s in enumerate(self.statements) if compared(s) == compared(said)]
        back = earlier if answer == "=" or self.contradictions else []
        return self.without(*back).stated(said)

    def without(self, *positions: int) -> Elicitation:
        """The conversation without the statements at these positions."""
        return replace(self, statements=without_some(self.statements, positions))

    # ------------------------------------------------------------- what is known

    @property
    def prior(self) -> float:
        """Share of positives where it will run."""
        return positive_share(self.priors, classes=self.classes)

    @property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Statements that cannot all be true."""
        return contradictions(self.statements)

    @cached_property
    def ratio(self) -> RatioInterval:
        """The number of false alarms that one miss is worth, as far as it is known."""
        return agreed_ratio(self.statements, low=self.low, high=self.high)

    @cached_property
    def options(self) -> Options:
        """The options to choose between, over the ratios that are still possible."""
        if not self.systems:
            raise DataError(
                "there are no systems to choose between.", hint="Elicitation({'gbm': scores}, ...)"
            )
        apart = 1.0001 if self.ratio.low == self.ratio.high else 1.0
        ends = {"low": self.ratio.low / apart, "high": self.ratio.high * apart}
        return options_of(self.systems, prior=self.prior, goal=self.goal, **ends)

    @cached_property
    def regret(self) -> float:
        """The most that the recommendation can lose, in normalised expected cost."""
        return float(self._worst.min())

    @property
    def recommendation(self) -> str:
        """The choice with the least worst-case regret over the possible ratios.

        With the goal "threshold", among the thresholds that are best for some ratio.
        """
        return self.options.names[int(np.argmin(self._worst))]

    @property
    def threshold(self) -> float | None:
        """The threshold of the recommendation, if that is the goal and there are scores."""
        return self.options.thresholds[int(np.argmin(self._worst))]

    @property
    def _worst(self) -> np.ndarray:
        """Worst regret of each option."""
        return np.asarray(self.options.regrets.max(axis=1))

    @property
    def is_done(self) -> bool:
        """Whether no question is left that matters by more than `tolerance`."""
        return self.question is None

    # ------------------------------------------------------------- what to ask

    @cached_property
    def question(self) -> Question | None:
        """The next question, at a ratio where the recommendation changes; None when done."""
        return next_question(self)

    # ------------------------------------------------------------- what it means

    def winners(self, *, tolerance: float = _NEAR_TIE) -> Frame:
        """The best choice over ranges of the ratio, with its normalised cost at both ends.

        Columns: choice, from_ratio, to_ratio, nec_from, nec_to. A choice is kept while it loses no
        more than `tolerance` against the best one, so near ties do not change the list.
        """
        options, start = self.options, 0
        rows = []
        for end, choice in options.stretches(0, as_number(tolerance, "tolerance")):
            ends = [start, end]
            rows.append((options.names[choice], *options.ratios[ends], *options.nec[choice, ends]))
            start = end
        return frame_of(("choice", "from_ratio", "to_ratio", "nec_from", "nec_to"), rows)

    def comparison(self) -> Frame:
        """Every choice over the ratios still possible, the least worst-case regret first.

        Columns: choice, nec_low and nec_high (at both ends), nec_mean (over ratios that are
        uniform on a logarithmic scale), worst_regret.
        """
        options, worst = self.options, self._worst
        steps = np.diff(np.log(options.ratios))
        means = ((options.nec[:, 1:] + options.nec[:, :-1]) / 2 @ steps) / steps.sum()
        order = np.argsort(worst, kind="stable")
        return Frame(
            {
                "choice": [options.names[k] for k in order],
                "nec_low": options.nec[order, 0],
                "nec_mean": means[order],
                "nec_high": options.nec[order, -1],
                "worst_regret": worst[order],
            }
        )

    def application(self, **settings: Any) -> Application:
        """The application at the geometric middle of the ratio; a false alarm costs 1.

        With a `unit`, amounts must have been stated in it, and a false alarm costs the one stated.
        """
        given = {"classes": self.classes, "priors": self.priors, **settings}
        if given.get("unit") is not None:
            given["false_alarm"] = alarm_in(given["unit"], self.statements)
        return self.ratio.middle_application(**given)

    def frame(self) -> Frame:
        """One row per statement: said, low, high, route, name, date."""
        parts = ("said", "low", "high", "route", "name", "date")
        return Frame({part: [getattr(s, part) for s in self.statements] for part in parts})

    def __repr__(self) -> str:
        said = f"{len(self.statements)} statements"
        if self.contradictions:
            return f"Elicitation({said}, {len(self.contradictions)} contradictions)"
        return f"Elicitation({said}, ratio {self.ratio.low:.4g} to {self.ratio.high:.4g})"
