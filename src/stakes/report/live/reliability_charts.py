"""Reliability drawings of the page, with the gap that their captions name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from stakes.curves.posterior_curves import forecasts_of
from stakes.evaluation.evaluation_plots import reliability_by_name
from stakes.evaluation.model_rows import Cases, Model
from stakes.messages.quantities import percent
from stakes.plots.style import axes_of_size
from stakes.report.charts import Chart, finished
from stakes.summaries import ScoreCounts
from stakes.typing import FloatArray

#: Width and height of a drawing in inches.
_SIZE = (4.4, 4.1)
#: Above this many points a curve is drawn by some of them.
_DRAWN_POINTS = 300
#: How many groups of equal size the largest gap is looked for in.
_GROUPS = 20
_FIXED = "Does not depend on the costs."


def reliability_chart(
    scores: Mapping[str, ScoreCounts], best: str, *, key: str, label: str, name: str, event: str
) -> tuple[Chart, dict[str, Any]]:
    """The drawing of all models, the `best` called `name` with a band, and its curves.

    The models are called by their place: m0, m1 and so on. `event` is the outcome that is
    predicted.
    """
    from stakes import plots

    found = reliability_by_name(scores, best)
    last = max(int(place[1:]) for place in found)  # those without posteriors keep their colour
    ordered = {
        f"m{k}": _thin(found[f"m{k}"]) if f"m{k}" in found else None for k in range(last + 1)
    }
    ax = plots.reliability(ordered, band=next(iter(found)), note=False, ax=axes_of_size(*_SIZE))
    drawn = finished(ax, key, label, found, x="predicted probability", y="observed share")
    said = [_FIXED]
    if best in scores:
        level = percent(found[best].level, 0)
        says, happens = _largest_gap(scores[best])
        said = [
            f"Band: where a calibrated {name} would lie {level} of the time. Bars: how often "
            f"{name} predicts each probability.",
            f"Where {name} predicts {_percent(says)}, {_percent(happens)} are “{event}”: the "
            f"largest gap among {_GROUPS} groups of equal size.",
            _FIXED,
        ]
    return replace(drawn, caption=" ".join(said)), found


def scores_of(
    models: Mapping[int, tuple[Model, Cases]], row: int, said_at: FloatArray
) -> dict[str, ScoreCounts]:
    """What models with posteriors say of one class, by place."""
    return {
        f"m{k}": ScoreCounts.from_scores(
            cases.truth == row, model.posteriors[:, row], kind="posterior",
            from_priors=float(said_at[row]), sample_weight=cases.weights,
        )
        for k, (model, cases) in models.items()
        if model.posteriors is not None
    }  # fmt: skip


def _largest_gap(scores: ScoreCounts) -> tuple[float, float]:
    """Mean forecast and counted share of the group in which they differ most."""
    forecast, (_, negatives, positives) = forecasts_of(scores), scores.levels
    below = np.cumsum(np.stack([negatives + positives, (negatives + positives) * forecast,
                                positives], dtype=np.float64), axis=1)  # fmt: skip
    wanted = np.linspace(0, below[0, -1], _GROUPS + 1)[1:-1]
    ends = np.unique(np.append(np.searchsorted(below[0], wanted), len(forecast) - 1))
    mass, said, came = np.diff(below[:, ends], axis=1, prepend=0.0)
    kept = mass > 0
    says, happens = said[kept] / mass[kept], came[kept] / mass[kept]
    k = int(np.abs(says - happens).argmax())
    return float(says[k]), float(happens[k])


def _percent(share: float) -> str:
    """A percentage, with decimals near 0 and 1."""
    return percent(share, 0 if 0.01 <= share <= 0.99 else 1)


def _thin(curve: Any) -> Any:
    """A curve by the ends of its steps, and no more points than a drawing can tell apart."""
    size = len(curve.forecast)
    if size <= _DRAWN_POINTS:
        return curve
    turns = np.flatnonzero(np.diff(curve.observed) != 0)
    some = np.linspace(0, size - 1, _DRAWN_POINTS).astype(int)
    kept = np.unique(np.concatenate([turns, turns + 1, some]))
    parts = ("forecast", "observed", "weight", "band_low", "band_high")
    return replace(curve, **{name: np.asarray(getattr(curve, name))[kept] for name in parts})
