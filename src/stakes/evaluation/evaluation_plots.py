"""`ev.plot`: the plots of an evaluation, by the functions of `stakes.plots`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes import curves
from stakes.exceptions import DataError, UndefinedError
from stakes.summaries import ScoreCounts

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


#: Reliability curves with more distinct scores than this round them to four digits.
_MANY_SCORES = 50_000
#: Names of the plots.
_DRAWINGS = (
    "bayes_error", "confusion", "costs", "decision_curve", "det", "empirical_cross_entropy",
    "reliability", "roc", "tippett",
)  # fmt: skip
#: DET curves with more points than this are thinned.
_MANY_POINTS = 1_000


class Plots:
    """Plots of one evaluation; each returns matplotlib Axes. Needs the extra `plots`.

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

    def __call__(self, kind: str | None = None, *, ax: Any = None) -> Any:
        """A plot by its name; by default the NEC of every model.

        With posteriors of two classes the NEC is drawn over all cost ratios, otherwise at these
        costs with intervals.
        """
        if kind is not None:
            if kind not in _DRAWINGS:
                raise DataError(
                    f"there is no drawing {kind!r}.", hint=f"one of {', '.join(_DRAWINGS)}"
                )
            return getattr(self, kind)(ax=ax)
        return self.bayes_error(ax=ax) if scores_of_models(self._ev) else self.costs(ax=ax)

    def __repr__(self) -> str:
        return f"<plots of {self._ev!r}: {', '.join(_DRAWINGS)}>"

    def scores(self) -> dict[str, ScoreCounts]:
        """The counted scores of every model that gave posteriors of two classes."""
        found = scores_of_models(self._ev)
        if not found:
            raise UndefinedError(
                "this drawing needs posteriors of two classes; no model gave any.",
                hint="ev.plot.costs() and ev.plot.confusion() need none",
            )
        return found

    def _drawn(self, drawing: str, curve: Callable[[ScoreCounts], Any], **options: Any) -> Any:
        """Draw a curve of every model with the function of `stakes.plots` of that name."""
        from stakes import plots

        found = {name: curve(scores) for name, scores in self.scores().items()}
        return getattr(plots, drawing)(found, **options)

    @property
    def _share(self) -> float | None:
        """The share of the second class, if both classes have one."""
        priors = self._ev.application.priors
        return None if priors is None or not 0 < priors[1] < 1 else float(priors[1])

    def bayes_error(self, *, ax: Any = None, bands: Any = None) -> Any:
        """Normalised cost of every model over all applications; see `stakes.plots.bayes_error`."""
        options = {"priors": self._share, "span": self.span(), "bands": bands}
        return self._drawn("bayes_error", curves.bayes_error, **options, ax=ax)

    def decision_curve(self, *, ax: Any = None, thresholds: Any = None) -> Any:
        """Net benefit of every model; see `stakes.plots.decision`."""
        curve = partial(curves.decision, thresholds=thresholds, priors=self._share)
        return self._drawn("decision", curve, ax=ax)

    def reliability(self, *, ax: Any = None) -> Any:
        """Posteriors against observed shares; see `stakes.plots.reliability`."""
        from stakes import plots

        return plots.reliability(reliability_by_name(self.scores(), self._ev.best), ax=ax)

    def det(self, *, ax: Any = None) -> Any:
        """Both error rates on probit axes; see `stakes.plots.det`."""
        return self._drawn("det", det_curve, ax=ax)

    def roc(self, *, ax: Any = None) -> Any:
        """True against false positives, with the line of equal cost; see `stakes.plots.roc`."""
        return self._drawn("roc", curves.roc, ax=ax)

    def tippett(self, *, ax: Any = None) -> Any:
        """The strength of evidence for either class; see `stakes.plots.tippett`."""
        return self._drawn("tippett", tippett_curve, ax=ax)

    def empirical_cross_entropy(self, *, ax: Any = None) -> Any:
        """What the posteriors leave unknown at any prior odds; see the function of `plots`."""
        return self._drawn("empirical_cross_entropy", curves.empirical_cross_entropy, ax=ax)

    def confusion(self, model: str | None = None, *, ax: Any = None) -> Any:
        """The decisions of one model (default: the best), shaded by cost; see `plots.confusion`."""
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
        """The range of uncertain costs as effective prior log odds; None if costs are certain."""
        ratios = None if self._ev.sources is None else self._ev.sources.cost_range
        share = self._ev.application.priors
        if ratios is None or share is None:
            return None
        odds = float(np.log(share[1] / share[0]))
        return float(np.log(ratios[0])) + odds, float(np.log(ratios[1])) + odds


def scores_of_models(ev: Evaluation) -> dict[str, ScoreCounts]:
    """The counted scores of every model that gave posteriors of two classes."""
    judged = () if ev.sources is None else ev.sources.judged
    return {one.model.name: one.scores for one in judged if one.scores is not None}


def reliability_by_name(scores: Mapping[str, ScoreCounts], best: str) -> dict[str, Any]:
    """Reliability of every model; the best comes first and has a band."""
    found = {
        name: curves.reliability(_coarser(one), draws=100 if name == best else 0, rng=0)
        for name, one in scores.items()
    }
    return {best: found.pop(best), **found} if best in found else found


def _coarser(scores: ScoreCounts) -> ScoreCounts:
    """The scores rounded to fewer distinct values, if there are very many."""
    values, negatives, positives = scores.levels
    if values.shape[0] <= _MANY_SCORES:
        return scores
    steps = np.rint(values * 10_000).astype(np.intp)
    counts = [np.bincount(steps, weights=part, minlength=10_001) for part in (negatives, positives)]
    truth, occurring = np.nonzero(counts)
    return ScoreCounts.from_scores(
        truth,
        occurring / 10_000,
        kind="posterior",
        from_priors=scores.from_priors,
        sample_weight=np.stack(counts)[truth, occurring],
    )


def tippett_curve(scores: ScoreCounts) -> Any:
    """A Tippett curve without points too close to distinguish."""
    whole = curves.tippett(scores)
    finite = whole.log10_lr[np.isfinite(whole.log10_lr)]
    if finite.size <= _MANY_POINTS:
        return whole
    return curves.tippett(scores, np.linspace(finite.min(), finite.max(), _MANY_POINTS))


def det_curve(scores: ScoreCounts) -> Any:
    """A DET curve thinned to about a hundred points per decade of errors."""
    whole = curves.det(scores)
    size = whole.threshold.shape[0]
    if size <= _MANY_POINTS:
        return whole
    kept = [[0, size - 1]]
    for errors in (whole.false_positives, -whole.false_negatives):  # both rise along the curve
        most = float(np.abs(errors).max())
        counts = np.geomspace(1, most, 100 * max(1, math.ceil(math.log10(most))))
        kept.append(np.searchsorted(errors, np.sign(errors.sum()) * counts, side="right") - 1)
    places = np.unique(np.concatenate(kept))
    return replace(whole, **{name: values[places] for name, values in vars(whole).items()})
