"""The calibrator that learns nothing from scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from stakes.calibration.calibrator import Calibrator
from stakes.calibration.labelled_scores import Cases
from stakes.calibration.persistence import Shapes
from stakes.calibration.score_input import Scores
from stakes.exceptions import FormatError
from stakes.typing import FloatArray


class Constant(Calibrator):
    """The class priors as the posteriors of every case, whatever its scores.

    What is left when scores are of no use: its Bayes decision is the best naive one, the same for
    all cases. `Automatic` averages it with the rest when it is asked for a cost.

    Takes log-posteriors or logits (n, K) or log odds (n,); returns posteriors (n, K).

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.

    Examples
    --------
    >>> Constant().fit([-1.0, 2.0, 0.5, 1.0], [0, 1, 1, 1]).posteriors([-9.0]).tolist()
    [[0.25, 0.75]]
    """

    kind = "constant"
    _any_scale = True
    _shapes: ClassVar[Shapes] = {"shares": ("classes",)}

    def _fit(self, cases: Cases) -> None:
        cases.need_all_classes("add cases of that class, or drop its column")
        self.shares = np.array(cases.priors, dtype=np.float64)

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        logs: FloatArray = np.tile(np.log(self.shares), (len(scores), 1))
        return logs

    def _parameters(self) -> dict[str, Any]:
        return {"shares": self.shares}

    def _restore(self, parameters: Mapping[str, Any]) -> None:
        super()._restore(parameters)
        if abs(self.shares.sum() - 1.0) > 1e-6:
            raise FormatError(f"the saved shares must add to 1; got {self.shares.sum():g}.")
