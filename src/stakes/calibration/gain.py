"""What `calibration_gain` returns: a loss before and after, and the sentence about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stakes.results import Frame

__all__ = ["CalibrationGain"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationGain:
    """What calibrating would take off a loss, with an interval.

    What `calibration_gain` returns.

    Attributes
    ----------
    measure : str
        What was measured: "cross-entropy", "Brier score", "average cost" or "cost".
    before, after : float
        The loss of the scores as they are and after calibration.
    interval : pair of float
        For `gain`, at `level`; from the variation between cases (or groups), the fitted maps
        taken as given. For a cost it allows for errors that were not seen, see `calibration_gain`.
    fitting : str
        How the calibrator was fitted; "optimistic" if on the same cases.
    impossible : pair of int
        In how many cases the true class has a posterior of 0 (below 1e-300), as is and after
        calibration: they make a cross-entropy infinite, or absurd.
    rows : tuple of int
        The first ten of them.
    doubt : str
        Why nothing can be said, where the weights are so small that the calibrator learnt as from
        next to no cases; empty otherwise.
    """

    measure: str
    before: float
    after: float
    interval: tuple[float, float]
    level: float
    fitting: str
    calibrator: str
    unit: str | None = None
    impossible: tuple[int, int] = (0, 0)
    rows: tuple[int, ...] = ()
    doubt: str = ""

    @property
    def gain(self) -> float:
        """`before` - `after`; negative when calibrating makes things worse."""
        return self.before - self.after

    @property
    def relative(self) -> float:
        """`gain` as a share of `before`."""
        return self.gain / self.before if self.before else float("nan")

    @property
    def text(self) -> str:
        """One sentence for a report."""
        if self.doubt:
            return f"What calibrating would take off the {self.measure} is not known. {self.doubt}"
        unit = f" {self.unit}" if self.unit else ""
        low, high = self.interval
        verb = "would take" if self.gain >= 0 else "would add"
        side = "off" if self.gain >= 0 else "to"
        if self.gain < 0:
            low, high = -high, -low
        sure = f" ({low:.4g} to {high:.4g})" if np.isfinite(low) else ""
        share = f": {100 * abs(self.relative):.3g} %" if np.isfinite(self.relative) else ""
        return (
            f"Calibrating ({self.calibrator}, {self.fitting}) {verb} {abs(self.gain):.4g}{unit}"
            f"{sure} {side} {self._measured()} of {self.before:.4g}{unit}{share}."
            f"{self._about_doubt()}{self._about_impossible()}"
        )

    def _measured(self) -> str:
        """The measure with its article."""
        return f"{'an' if self.measure.startswith('a') else 'a'} {self.measure}"

    def _about_doubt(self) -> str:
        """That the interval holds 0."""
        low, high = self.interval
        return (
            " The cases do not tell whether it pays." if low <= 0.0 <= high and low < high else ""
        )

    def _about_impossible(self) -> str:
        """What makes a cross-entropy infinite or absurd, where, and what to type."""
        before, after = self.impossible
        if self.measure != "cross-entropy" or not self.rows:
            return ""
        plural = "" if before == 1 else "s"
        found = [f"{before} case{plural} as is"] * (before > 0)
        found += [f"{after} calibrated"] * (after > 0)
        hint = '; say how far such scores are to be trusted: bound="data" or bound=50'
        return (
            f" The true class has a posterior of 0 in {' and '.join(found)} (row {self.rows[0]} "
            f"first){hint if after else ''}."
        )

    def frame(self) -> Frame:
        """One row."""
        return Frame(
            {
                "measure": [self.measure],
                "before": [self.before],
                "after": [self.after],
                "gain": [self.gain],
                "low": [self.interval[0]],
                "high": [self.interval[1]],
                "relative": [self.relative],
                "fitting": [self.fitting],
                "calibrator": [self.calibrator],
                "impossible_before": [self.impossible[0]],
                "impossible_after": [self.impossible[1]],
            }
        )

    def __repr__(self) -> str:
        return (
            f"<CalibrationGain {self.measure} {self.before:.4g} -> {self.after:.4g}, "
            f"{100 * self.relative:.3g} %, {self.fitting}>"
        )
