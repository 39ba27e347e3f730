"""What a sample of the rows tells of models that an engine counted: more than two classes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes.engines.row_sample import RowSample
from stakes.evaluation.model_intervals import compared, joint_rows, of_calibration, row_limits
from stakes.evaluation.model_rows import Cases, Model, Rows
from stakes.evaluation.recalibration import Judged, Sources, Variant, decided, priced, recalibrated
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """Models on a sample of their rows; `rows` are those, `whole` how many cases there were."""

    rows: Rows
    whole: float
    options: dict[str, Any]

    @classmethod
    def of(
        cls, sample: RowSample, given: Any, said_at: Any, whole: float, options: dict[str, Any]
    ) -> Sampled:
        """The rows as those of memory."""
        models = tuple(
            Model(name, *((said, None) if said.ndim == 2 else (None, said)))
            for name, said in sample.said.items()
        )
        cases = Cases.of(sample.truth, given, sample.weights, sample.groups)
        return cls(Rows(given, cases, models, said_at, recalibrate=True, folds=5), whole, options)

    @property
    def complete(self) -> bool:
        """Whether the sample holds all cases."""
        return bool(self.rows.cases.truth.shape[0] >= self.whole)

    def judged(self, variants: Mapping[str, Variant]) -> tuple[dict[str, Judged], list[Note]]:
        """Each model re-calibrated on the sample, and what there is to say of it."""
        found, notes, softened = {}, [], []
        for model in self.rows.models:
            codes = decided(model, self.rows.application, self.rows.said_at)
            as_is = replace(variants[model.name], codes=codes)
            after = recalibrated(model, self.rows, self.options["rng"])
            if isinstance(after, Note):
                notes.append(after)
            variant, fitted = after if isinstance(after, tuple) else (None, None)
            if fitted is not None and np.any(model.posteriors == 0):
                softened.append(model.name)
            if variant is not None and not self.complete:
                variant = self._brought_to_all(variant, as_is)
            found[model.name] = Judged(model, as_is, variant, fitted)
        if softened:
            notes.append(Note("zeros-softened", models=", ".join(softened)))
        if any(one.recalibrated is not None for one in found.values()) and not self.complete:
            size = self.rows.cases.truth.shape[0]
            told = {"rows": grouped(size), "whole": grouped(self.whole)}
            notes.append(Note("recalibrated-on-sample", **told))
        return found, notes

    def _brought_to_all(self, after: Variant, as_is: Variant) -> Variant:
        """The cost of all cases as they are, and the gain that the sample shows."""
        app = self.rows.application
        before = priced(self.rows.cases.count(np.asarray(as_is.codes), app), app, None, None)
        nec = as_is.nec + after.nec - before.nec
        return replace(after, cost=as_is.cost + after.cost - before.cost, nec=nec)

    def interval(self, one: Judged, ends: tuple[float, float] | None) -> tuple[float, float] | None:
        """Of the re-calibrated NEC: that of the sample, or of all cases and of the gain.

        `ends` is the interval of the model as it is, from all cases.
        """
        after, given = one.recalibrated, self.rows.given
        assert after is not None
        if math.isnan(after.nec):
            return None
        if self.complete:
            return row_limits(after, self.rows.cases, given, self.options)
        codes: dict[str, Any] = {"re-calibrated": after.codes, "as is": one.as_is.codes}
        if ends is None or np.array_equal(*codes.values()):
            return ends
        found = compared(joint_rows(codes, self.rows.cases, given), given, self.options)
        if found.too_few:
            return None
        gain, nec = found.difference(*codes), one.as_is.nec
        low = after.nec - math.hypot(nec - ends[0], gain.value - gain.low)
        return max(low, 0.0), after.nec + math.hypot(ends[1] - nec, gain.high - gain.value)

    def told(self, judged: Mapping[str, Judged]) -> dict[str, Any]:
        """What to show at other costs, and what re-calibrating is worth."""
        rows, each = self.rows, tuple(judged.values())
        sources = Sources(
            rows.given, rows.cases, each, rows.said_at, self.options, rows.cases.plain
        )
        after, worth = of_calibration(sources)
        return {"sources": sources, "after": after, "worth": worth}
