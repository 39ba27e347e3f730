"""`ev.plot`: every drawing that an evaluation allows, by the functions of `stakes.plots`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes import curves
from stakes.exceptions import UndefinedError
from stakes.summaries import ScoreCounts
from stakes.summaries.ranked_scores import RankedScores

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


#: Above this many distinct scores, those of a reliability curve are rounded to four digits.
_MANY_SCORES = 50_000
#: What can be drawn.
_DRAWINGS = (
    "bayes_error", "confusion", "costs", "decision_curve", "det", "empirical_cross_entropy",
    "reliability", "roc", "tippett",
)  # fmt: skip
#: Above this many points, a DET curve is thinned.
_MANY_POINTS = 1_000


class Plots:
    """Drawings of one evaluation; each returns matplotlib Axes. Needs the extra `plots`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import CostMatrix, evaluate
    >>> y, p = [0, 0, 1, 1] * 20, [0.1, 0.4, 0.3, 0.9] * 20
    >>> ev = evaluate(y, {"gbm": p}, application=CostMatrix([[0, 1], [10, 0]]), rng=0)
    >>> ev.plot.roc(ax=Figure().subplots()).get_xlabel()
    'false positive rate'
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self._ev = evaluation

    def __repr__(self) -> str:
        return f"<plots of {self._ev!r}: {', '.join(_DRAWINGS)}>"

    # ------------------------------------------------------------- curves, by model

    def scores(self) -> dict[str, ScoreCounts]:
        """The counted scores of every model that gave posteriors of two classes."""
        sources = self._ev.sources
        found = {} if sources is None else {
            one.model.name: one.scores for one in sources.judged if one.scores is not None
        }  # fmt: skip
        if not found:
            raise UndefinedError(
                "this drawing needs posteriors of two classes; no model gave any.",
                hint="ev.plot.costs() and ev.plot.confusion() need none",
            )
        return found

    def reliability_curves(self, rng: Any = 0) -> dict[str, Any]:
        """Reliability of every model; the band is that of the best."""
        best, found = self._ev.best, {}
        for name, scores in self.scores().items():
            draws = 100 if name == best else 0
            found[name] = curves.reliability(coarser(scores), draws=draws, rng=rng)
        return {best: found.pop(best), **found} if best in found else found

    def det_curves(self) -> dict[str, Any]:
        """DET curves without points that a drawing cannot tell apart."""
        return {name: _thinned(scores) for name, scores in self.scores().items()}

    # ------------------------------------------------------------- drawings

    def bayes_error(self, *, ax: Any = None, bands: Any = None) -> Any:
        """Normalised cost of every model over all applications; see `stakes.plots.bayes_error`."""
        from stakes import plots

        found = {name: curves.bayes_error(scores) for name, scores in self.scores().items()}
        share = self._ev.application.priors
        priors = None if share is None or not 0 < share[1] < 1 else float(share[1])
        return plots.bayes_error(found, priors=priors, span=self.span(), bands=bands, ax=ax)

    def decision_curve(self, *, ax: Any = None, thresholds: Any = None) -> Any:
        """Net benefit of every model; see `stakes.plots.decision`."""
        from stakes import plots

        share = self._ev.application.priors
        priors = None if share is None or not 0 < share[1] < 1 else float(share[1])
        found = {
            name: curves.decision(scores, thresholds, priors=priors)
            for name, scores in self.scores().items()
        }
        return plots.decision(found, ax=ax)

    def reliability(self, *, ax: Any = None) -> Any:
        """What the posteriors say against what happens; see `stakes.plots.reliability`."""
        from stakes import plots

        return plots.reliability(self.reliability_curves(), ax=ax)

    def det(self, *, ax: Any = None) -> Any:
        """Both error rates on probit axes; see `stakes.plots.det`."""
        from stakes import plots

        return plots.det(self.det_curves(), ax=ax)

    def roc(self, *, ax: Any = None) -> Any:
        """True against false positives, with the line of equal cost; see `stakes.plots.roc`."""
        from stakes import plots

        found = {name: curves.roc(scores) for name, scores in self.scores().items()}
        return plots.roc(found, ax=ax)

    def tippett(self, *, ax: Any = None) -> Any:
        """How often evidence is how strong, for either class; see `stakes.plots.tippett`."""
        from stakes import plots

        found = {name: _evident(scores) for name, scores in self.scores().items()}
        return plots.tippett(found, ax=ax)

    def empirical_cross_entropy(self, *, ax: Any = None) -> Any:
        """What the posteriors leave unknown at any prior odds; see the function of `plots`."""
        from stakes import plots

        found = {name: curves.empirical_cross_entropy(s) for name, s in self.scores().items()}
        return plots.empirical_cross_entropy(found, ax=ax)

    def confusion(self, model: str | None = None, *, ax: Any = None) -> Any:
        """What one model (default, the best) decided, shaded by cost; see `plots.confusion`."""
        from stakes import plots

        shown = self._ev[self._ev.best if model is None else model]
        return plots.confusion(shown.confusion, self._ev.application, ax=ax)

    def costs(self, *, ax: Any = None) -> Any:
        """The NEC of every model with its interval; see `stakes.plots.model_costs`."""
        from stakes import plots

        models = self._ev.models
        intervals = {m.name: m.interval for m in models if m.interval is not None}
        return plots.model_costs({m.name: m.nec for m in models}, intervals=intervals, ax=ax)

    def span(self) -> tuple[float, float] | None:
        """The range of uncertain costs as effective prior log odds; None when there is none."""
        ratios = None if self._ev.sources is None else self._ev.sources.cost_range
        share = self._ev.application.priors
        if ratios is None or share is None:
            return None
        odds = float(np.log(share[1] / share[0]))
        return float(np.log(ratios[0])) + odds, float(np.log(ratios[1])) + odds


def renamed(found: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """The same curves under other names."""
    return {keys[name]: curve for name, curve in found.items()}


def coarser(scores: ScoreCounts) -> ScoreCounts:
    """The same scores in fewer distinct values, when there are very many."""
    values, negatives, positives = scores.levels
    if values.shape[0] <= _MANY_SCORES:
        return scores
    steps = np.rint(values * 10_000).astype(np.intp)
    counts = [np.bincount(steps, weights=part, minlength=10_001) for part in (negatives, positives)]
    occurring = [np.flatnonzero(part) for part in counts]
    return ScoreCounts.from_scores(
        np.repeat([0, 1], [part.shape[0] for part in occurring]),
        np.concatenate(occurring) / 10_000,
        kind="posterior",
        from_priors=scores.from_priors,
        sample_weight=np.concatenate([c[at] for c, at in zip(counts, occurring, strict=True)]),
    )


def _evident(scores: ScoreCounts) -> Any:
    """A Tippett curve of points that a drawing can tell apart."""
    whole = curves.tippett(scores)
    finite = whole.log10_lr[np.isfinite(whole.log10_lr)]
    if finite.size <= _MANY_POINTS:
        return whole
    return curves.tippett(scores, np.linspace(finite.min(), finite.max(), _MANY_POINTS))


def _thinned(scores: ScoreCounts) -> Any:
    """A DET curve of points that a drawing can tell apart: about a hundred per decade of errors."""
    below = scores.cumulated
    if below[0].shape[0] <= _MANY_POINTS:
        return curves.det(scores)
    false, missed = below[0][-1] - below[0], below[1]
    first = np.searchsorted(-false, -_decades(false[0]), side="left")
    second = np.searchsorted(missed, _decades(missed[-1]), side="left")
    kept = np.unique(np.concatenate([[0, below[0].shape[0] - 1], first, second]))
    return curves.det(_Kept(scores, kept))


def _decades(total: Any) -> Any:
    """Numbers of errors, evenly spread on a logarithmic scale."""
    return np.geomspace(1, float(total), 100 * max(1, math.ceil(math.log10(float(total)))))


class _Kept(RankedScores):
    """Some of the cuts of scores, which is all that a DET curve reads."""

    def __init__(self, scores: ScoreCounts, kept: Any) -> None:
        self.classes, self.kind, self.from_priors = scores.classes, scores.kind, scores.from_priors
        self.class_totals = scores.class_totals
        self.cuts = scores.cuts_at(kept)
        self.cumulated = scores.cumulated[0][kept], scores.cumulated[1][kept]
