"""Doubt: what the models cost over all possible values of unknown costs or shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._columns import in_brief
from stakes._guesses import AnswersGuesses
from stakes._names import listed, place_of
from stakes.application import Application
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.typing import FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Doubt(AnswersGuesses):
    """Models over everything that unknown costs and shares may be; part of an `Evaluation`.

    At each cost or share, posteriors are decided again; given decisions stay. Regret is NEC above
    the best choice there: the cheapest model, or the best constant decision.

    Parameters
    ----------
    words : str
        What is unknown, and from where to where.
    unknown : {"costs", "shares", "both"}
        The same in one word.
    models : tuple of str
        In the order of the evaluation.
    places : tuple of str
        The ends, by the values of the unknowns there.
    applications : tuple of Application
        The same ends.
    nec, cost : array of shape (n_models, n_places)
        At the ends.
    middle_nec, middle_cost : array of shape (n_models,)
        Where the evaluation judges: in the middle, or by expected costs.
    mean_nec, mean_cost : array of shape (n_models,)
        Over the whole range, which counts as uniform on a logarithmic scale.
    worst_regret : array of shape (n_models,)
        The most NEC above the best choice, when decisions follow the costs.
    kept_regret : array of shape (n_models,)
        The same when the decisions of the middle are kept whatever the truth is.
    winners : tuple of str
        The cheapest model at each end; "tie" where the data cannot tell the models that win at
        some end apart, "none" where a constant decision does as well.
    """

    words: str
    unknown: str
    models: tuple[str, ...]
    places: tuple[str, ...]
    applications: tuple[Application, ...]
    nec: FloatArray
    cost: FloatArray
    middle_nec: FloatArray
    middle_cost: FloatArray
    mean_nec: FloatArray
    mean_cost: FloatArray
    worst_regret: FloatArray
    kept_regret: FloatArray
    winners: tuple[str, ...]

    @property
    def safest(self) -> str:
        """The model of least worst regret (minimax regret); between equals the first."""
        return self.models[int(np.argmin(self.worst_regret))]

    @property
    def best_on_average(self) -> str:
        """The model of least mean NEC; between equals the first."""
        return self.models[int(np.argmin(self.mean_nec))]

    @property
    def depends(self) -> bool:
        """Whether what is best differs between the ends, beyond chance."""
        return len(set(self.winners) - {"tie"}) > 1

    def worst(self, model: str) -> float:
        """The worst regret of one model."""
        return float(self.worst_regret[self._place(model)])

    def kept(self, model: str) -> float:
        """The worst regret of one model whose decisions are kept."""
        return float(self.kept_regret[self._place(model)])

    def _place(self, model: Any) -> int:
        """Where a model stands among the models."""
        at = place_of(model, self.models)
        if at is None:
            raise DataError(f"no model {in_brief(model)}; there are {listed(self.models)}.")
        return at

    def frame(self) -> Frame:
        """One row per model: NEC at each end, in the middle and on average, and its regrets."""
        columns: dict[str, Any] = {"model": list(self.models)}
        columns |= {f"at {place}": self.nec[:, k] for k, place in enumerate(self.places)}
        columns |= {
            "middle": self.middle_nec,
            "mean": self.mean_nec,
            "worst_regret": self.worst_regret,
            "kept_regret": self.kept_regret,
        }
        return Frame(columns)

    def __repr__(self) -> str:
        return f"<Doubt about {self.words}: safest {self.safest}>"
