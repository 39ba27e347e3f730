"""What a rule compares: prior factors, cuts on scores, or expected costs of several classes."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._guesses import AnswersGuesses
from stakes._kernels.bayes_rule import (
    TYPES,
    Compared,
    Piece,
    code_type,
    compared,
    cuts,
    moved_pieces,
    moved_shares,
    pieces,
    thresholds,
)
from stakes._names import one_of
from stakes.application import Application, CostMatrix
from stakes.exceptions import CostError
from stakes.rules.raw_cuts import (
    SCORE_TYPES,
    cuts_before_calibration,
    last_rounded_to,
    run_of_scores,
)
from stakes.typing import FloatArray, Name

if TYPE_CHECKING:
    from stakes.calibration import Calibrator


class CutPoints(AnswersGuesses):
    """Quantities derived from the parts of a `DecisionRule`."""

    application: Application
    scores: str
    from_priors: FloatArray | None
    calibrator: Calibrator | None
    cut: float | None
    per_case: bool
    prices: FloatArray | None
    score_type: str

    @property
    def priors(self) -> FloatArray | None:
        """Share of each class where the rule will run; None if unknown."""
        return self.application.priors

    @property
    def classes(self) -> tuple[Name, ...]:
        """The class names, in the order of the columns of posteriors."""
        return self.application.classes

    @property
    def decisions(self) -> tuple[Name, ...]:
        """The decision names, by position."""
        return self.application.decisions

    @property
    def has_cuts(self) -> bool:
        """Whether a single number per case is compared with cuts."""
        if self.per_case or self.scores == "decision":
            return False
        return self.cut is not None or len(self.classes) == 2

    @property
    def said_at(self) -> FloatArray | None:
        """The priors to which scores refer; log-likelihood ratios are log odds at equal priors."""
        if self.scores == "llr" and self.calibrator is None:
            return np.full(len(self.classes), 1 / len(self.classes))
        return self.from_priors

    @cached_property
    def priced_costs(self) -> CostMatrix:
        """The costs to compare: those of the application plus the price of each decision.

        Posteriors sum to one, so a price can be added to the costs of every class.
        """
        costs = self.application.costs
        if self.prices is None:
            return costs
        return CostMatrix(costs.values + self.prices, costs.classes, costs.decisions)

    @cached_property
    def factors(self) -> tuple[Fraction, ...]:
        """The factor of each class's posterior that moves it to the rule's priors."""
        before = self.said_at
        if before is None or self.priors is None or np.array_equal(before, self.priors):
            return (Fraction(1),) * len(self.classes)
        return tuple(moved_shares(self.priors, before))

    @cached_property
    def stretches(self) -> tuple[Piece, ...]:
        """For two classes, the decisions in order of the posterior, before it is moved."""
        found = pieces(self.priced_costs.values)
        return tuple(found if self.stays else moved_pieces(found, self.factors))

    def cuts(self, score_type: str | None = None) -> tuple[list[float], list[int]]:
        """Cuts on the scores, ascending, and positions of decisions: `k + 1` above cut `k`."""
        if not self.has_cuts:
            raise CostError(
                f"cuts exist for two classes and one rule for all cases; this rule is {self}."
            )
        if self.cut is not None:
            return [self.cut], [0, 1]
        asked = self.score_type if score_type is None else score_type
        kind = one_of(asked, "score_type", TYPES)
        if kind not in self._cuts:
            self._cuts[kind] = tuple(cuts(self.stretches, kind, log_odds=self._on_log_odds))
        return list(self._cuts[kind]), list(self.taken)

    @property
    def has_raw_cuts(self) -> bool:
        """Whether raw scores are compared with cuts, calibrated or not."""
        if self.calibrator is None:
            return self.has_cuts
        return self.has_cuts and self._run is not None

    @cached_property
    def _run(self) -> int | None:
        """1 if calibrated posteriors rise with the score, -1 if they fall, None if either."""
        return run_of_scores(self)

    def raw_cuts(self, score_type: str | None = None) -> tuple[list[float], list[int]]:
        """Cuts on raw scores, ascending; moved back through the calibrator if there is one.

        Decision `k + 1` is taken if ``score > cut[k]``. This holds for scores of this type only:
        the cut is the last such number below the change. If a step of the calibrator begins at a
        score, the cut is the number just before it. Decisions that no score leads to are left out.
        Scores of a wider type than that of the rule are decided as if rounded to it.

        Parameters
        ----------
        score_type : {"float64", "float32", "float16"}, optional
            The type of the scores; that of the rule if absent.

        Returns
        -------
        cuts : list of float
        taken : list of int
            Positions of decisions: one more than there are cuts.

        Examples
        --------
        >>> from stakes import Application, DecisionRule
        >>> DecisionRule(Application([[0, 1], [3, 0]])).raw_cuts()
        ([0.25], [0, 1])
        """
        kind = self.score_type if score_type is None else score_type
        if not self.has_cuts:
            return self.cuts(kind)  # says why there are none
        kind = one_of(kind, "score_type", SCORE_TYPES)
        if kind not in self._raw_cuts:
            self._raw_cuts[kind] = self._raw_cuts_in(kind)
        at, taken = self._raw_cuts[kind]
        return list(at), list(taken)

    def _raw_cuts_in(self, kind: str) -> tuple[list[float], list[int]]:
        """See `raw_cuts`."""
        if np.dtype(kind).itemsize > np.dtype(self.score_type).itemsize:
            at, taken = self.raw_cuts()
            return [last_rounded_to(cut, self.score_type, kind) for cut in at], taken
        if self.cut is not None:
            return [float(np.dtype(kind).type(self.cut))], [0, 1]
        return self.cuts(kind) if self.calibrator is None else cuts_before_calibration(self, kind)

    @cached_property
    def _raw_cuts_known(self) -> tuple[list[float], list[int]]:
        """The raw cuts as Python floats, to decide one case at a time."""
        return self.raw_cuts("float64")

    def _cut_arrays(self, score_type: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """The raw cuts in the type of the scores, and the codes between them, as arrays."""
        if score_type not in self._arrays_of_cuts:
            at, taken = self.raw_cuts(score_type)
            codes = np.array(taken, dtype=code_type(len(self.decisions)))
            self._arrays_of_cuts[score_type] = np.array(at, dtype=score_type), codes
        return self._arrays_of_cuts[score_type]

    @cached_property
    def _arrays_of_cuts(self) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
        """See `_cut_arrays`; cached, since making arrays takes longer than deciding one case."""
        return {}

    @cached_property
    def _raw_cuts(self) -> dict[str, tuple[list[float], list[int]]]:
        """Cuts on raw scores by score type, cached."""
        return {}

    @cached_property
    def _cuts(self) -> dict[str, tuple[float, ...]]:
        """Cuts by score type, cached, which makes single cases fast."""
        return {}

    @cached_property
    def thresholds(self) -> tuple[float, ...]:
        """Where the decision changes, on the scale of the scores; empty without cuts."""
        if not self.has_cuts:
            return ()
        if self.cut is not None:
            return (self.cut,)
        return tuple(thresholds(self.stretches, self.score_type, log_odds=self._on_log_odds))

    @property
    def threshold(self) -> float | None:
        """The one cut above which the second decision is taken; None if there is no such cut.

        On the scale of the scores, or of calibrated posteriors.
        """
        return self.thresholds[0] if len(self.thresholds) == 1 and 1 in self.taken else None

    @property
    def taken(self) -> tuple[int, ...]:
        """Positions of the decisions in order of the score, if there are cuts."""
        if not self.has_cuts:
            return ()
        if self.cut is not None:
            return (0, 1)
        return tuple(piece.decision for piece in self.stretches)

    @property
    def _on_log_odds(self) -> bool:
        """Whether cuts are on log odds."""
        return self.scores in ("log_odds", "llr") and self.calibrator is None

    @cached_property
    def stays(self) -> bool:
        """Whether posteriors are used without moving them to other priors."""
        return all(factor == self.factors[0] for factor in self.factors)

    @cached_property
    def _possible(self) -> list[int]:
        """Positions of the classes that can occur, if scores may leave only others possible.

        Empty if every class can occur. Of two classes the other one is certain then, except beside
        posteriors as they are.
        """
        asked = self.scores == "posterior" and self.calibrator is None
        if 0 not in self.factors or self.cut is not None or self.scores == "decision":
            return []
        if len(self.classes) == 2 and not asked:
            return []
        return [k for k, factor in enumerate(self.factors) if factor > 0]

    @property
    def _compared(self) -> Compared:
        """The sums that decide several classes, for posteriors in the type of the scores."""
        return self._compared_in(self.score_type)

    def _compared_in(self, score_type: str) -> Compared:
        """The sums that decide several classes; scales the costs of a class, not its posteriors."""
        if score_type not in self._sums:
            ratios = np.array([float(factor / max(self.factors)) for factor in self.factors])
            costs = self.priced_costs.values * ratios[:, None]
            self._sums[score_type] = compared(costs, score_type)
        return self._sums[score_type]

    @cached_property
    def _sums(self) -> dict[str, Compared]:
        """See `_compared_in`; cached."""
        return {}

    @cached_property
    def _decides_plain_numbers(self) -> bool:
        """Whether a row of numbers is decided by comparing them or their sums, without checks.

        False if rows must be calibrated first, or may belong only to classes with prior 0.
        """
        if self.per_case or self.scores == "decision" or 0 in self.factors:
            return False
        return self.has_raw_cuts or (self.calibrator is None and self.scores == "posterior")

    @property
    def _terms(self) -> int:
        """How many products the expression for one row's decision has; 0 with cuts."""
        return 0 if self.has_cuts else int(np.count_nonzero(self._compared.values))
