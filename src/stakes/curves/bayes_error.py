"""Cost against the application: over effective priors, cost ratios, and any path of
applications.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_priors, of_kind
from stakes._columns import as_reals, in_brief
from stakes._guesses import AnswersGuesses
from stakes._kernels.bayes_rule import in_type, moved_shares, moved_threshold
from stakes._kernels.roc_hull import cumulative
from stakes.application import Application, as_application
from stakes.decisions import bayes_decisions
from stakes.decisions.bayes import moved_decisions
from stakes.exceptions import DataError
from stakes.metrics.costs.expected_cost import expected_cost, normalized_expected_cost
from stakes.metrics.summary_input import of_scores
from stakes.posteriors import Posteriors
from stakes.posteriors.class_order import ClassOrder
from stakes.posteriors.posteriors import in_class_order, posterior_array, read_posteriors
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray, Priors


class Tabular(AnswersGuesses):
    """A frozen dataclass whose arrays of equal length are the columns of a table."""

    def frame(self) -> Frame:
        """One row per point, one column per array."""
        columns: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                columns[field.name] = value
        return Frame(columns)

    def __repr__(self) -> str:
        table = self.frame()
        return f"{type(self).__name__}({table.shape[0]} points: {', '.join(table.columns)})"


@dataclass(frozen=True, eq=False, repr=False)
class BayesErrorCurve(Tabular):
    """Actual and minimum cost for a range of applications."""

    log_odds: FloatArray
    actual: FloatArray
    minimum: FloatArray
    naive: FloatArray
    threshold: FloatArray
    best_threshold: FloatArray
    normalized: bool

    def __repr__(self) -> str:
        said = super().__repr__()
        if not self.actual.size or not np.isnan(self.actual).all():
            return said
        return f"{said[:-1]}; no actual cost: give kind='posterior', 'log_odds' or 'llr')"


@dataclass(frozen=True, eq=False, repr=False)
class CostCurve(Tabular):
    """The lower envelope of cost lines: best cost against the probability cost."""

    probability_cost: FloatArray
    cost: FloatArray
    naive: FloatArray
    threshold: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class BrierCurve(Tabular):
    """Twice the cost of taking the posteriors at their word, against the cost proportion."""

    cost_proportion: FloatArray
    actual: FloatArray
    minimum: FloatArray
    naive: FloatArray


def as_grid(values: Any, default: FloatArray, name: str) -> FloatArray:
    """A one-dimensional grid of numbers, or the default."""
    if values is None:
        return default
    grid = np.atleast_1d(as_reals(values, name))
    if grid.ndim != 1 or np.isnan(grid).any():
        raise DataError(f"`{name}` must be one-dimensional and without NaN.")
    return grid


def as_log_odds(scores: RankedScores, values: Any) -> FloatArray:
    """Scores as log odds or log-likelihood ratios: posteriors are converted, others kept."""
    wide: FloatArray = np.asarray(values, dtype=np.float64)
    if scores.kind != "posterior":
        return wide
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(wide) - np.log1p(-wide))


def block_llrs(scores: RankedScores) -> FloatArray:
    """Log-likelihood ratio of each block of the hull."""
    first, second = (part / part.sum() for part in scores.blocks())
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(second) - np.log(first))


def both_shares(log_odds: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Share of the second class, and of the first."""
    return 1 / (1 + np.exp(-log_odds)), 1 / (1 + np.exp(log_odds))


def best_rates(
    scores: RankedScores, log_odds: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """False positive rate, false negative rate and threshold of least cost at each prior."""
    first, second = scores.blocks()
    at = np.searchsorted(block_llrs(scores), -log_odds, side="right")
    above, below = cumulative(first[::-1])[::-1], cumulative(second)
    cuts = scores.cuts_at(scores.hull)
    return above[at] / above[0], below[at] / below[-1], cuts[at]


def _rates_at(scores: RankedScores, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
    """False positive and false negative rates above given thresholds."""
    counts = scores.counts_beside_each(thresholds)
    return counts[:, 0, 1] / scores.class_totals[0], counts[:, 1, 0] / scores.class_totals[1]


@of_scores
def bayes_error(
    scores: RankedScores, log_odds: Any = None, *, normalized: bool = True
) -> BayesErrorCurve:
    r"""Actual and minimum cost against the prior log odds of the application.

    One picture of all binary applications: costs and prevalence together only move along
    the abscissa. Where actual and minimum differ, calibration is at fault.

    .. math:: \frac{\tilde\pi\,\mathrm{FNR}(-x) + (1-\tilde\pi)\,\mathrm{FPR}(-x)}
              {\min(\tilde\pi, 1-\tilde\pi)}, \quad x = \log\frac{\tilde\pi}{1-\tilde\pi}

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of kind "llr", "log_odds" or "posterior"; with bins, every threshold must be an
        edge. With kind "rank", that of columns without a `kind`, the actual cost is `nan`; of
        probabilities: ``bayes_error(y_true, p, kind="posterior", positive="yes")``.
    log_odds : array-like, optional
        Effective prior log odds, natural logarithm; default, -7 to 7 in steps of 0.05.
    normalized : bool
        Divide by the cost of the best naive decision; otherwise compare with `naive`.

    Returns
    -------
    BayesErrorCurve
        Costs, Bayes thresholds and best thresholds, in the units of the scores.

    References
    ----------
    .. [1] S. Cumani, "Bayes decisions and Model evaluation": Bayes error plots.
    .. [2] N. Brummer and E. de Villiers, "The BOSARIS toolkit", 2011, arXiv:1304.2865.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [-2.0, 1.0, -0.5, 3.0], kind="llr")
    >>> print(bayes_error(sc, [-2.0, 0.0, 2.0]).frame())
    log_odds  actual  minimum  naive  threshold  best_threshold
    -2        0.5     0.5      1      2          2
    0         1       0.5      1      0          2
    2         0.5     0.5      1      -2         -1.25
    """
    require_both(scores, "bayes_error")
    x = as_grid(log_odds, np.round(np.arange(-140, 141) * 0.05, 10), "log_odds")
    if (np.abs(x) > 700).any():  # the smaller share would be 0, and the normalised cost 0 / 0
        raise DataError(f"`log_odds` must lie within 700 of 0; got {in_brief(log_odds)}.")
    prior, other = both_shares(x)
    fpr, fnr, cuts = best_rates(scores, x)
    minimum = prior * fnr + other * fpr
    if scores.kind == "rank":
        thresholds, actual = np.full_like(x, np.nan), np.full_like(x, np.nan)
    else:
        thresholds = scores.from_llrs(-x)
        fpr, fnr = _rates_at(scores, thresholds)
        actual = prior * fnr + other * fpr
    naive = np.minimum(prior, other)
    if normalized:
        with np.errstate(invalid="ignore"):  # at infinite odds nothing can be lost: nan
            actual, minimum, naive = actual / naive, minimum / naive, np.ones_like(naive)
    return BayesErrorCurve(x, actual, minimum, naive, thresholds, cuts, normalized)


@of_scores
def cost(scores: RankedScores, probability_cost: Any = None) -> CostCurve:
    r"""The cost curve of Drummond and Holte: best cost against the probability cost.

    Straight lines between its points; each threshold is a line, the curve their lower
    envelope. Costs are scaled so that the worst decisions cost 1.

    .. math:: \mathrm{PC} = \frac{P_1 C_{FN}}{P_1 C_{FN} + P_0 C_{FP}}, \quad
              \min_t \mathrm{FNR}(t)\,\mathrm{PC} + \mathrm{FPR}(t)\,(1 - \mathrm{PC})

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    probability_cost : array-like, optional
        Where to evaluate, between 0 and 1; default, 0, 1 and every corner, which is exact.

    Returns
    -------
    CostCurve
        With the best threshold at (to the right of) each point, and the naive cost
        min(PC, 1 - PC).

    References
    ----------
    .. [1] C. Drummond and R. C. Holte, "Cost curves: an improved method for visualizing
       classifier performance", Machine Learning 65, 2006, section 3.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [1.0, 3.0, 2.0, 4.0], kind="rank")
    >>> print(cost(sc).frame())
    probability_cost  cost  naive  threshold
    0                 0     0      3.5
    0.5               0.25  0.5    1.5
    1                 0     0      -inf
    """
    require_both(scores, "cost")
    first, second = (part / part.sum() for part in scores.blocks())
    corners = np.unique(np.concatenate(([0.0, 1.0], first / (first + second))))
    pc = as_grid(probability_cost, corners, "probability_cost")
    if (pc < 0).any() or (pc > 1).any():
        raise DataError("`probability_cost` must lie between 0 and 1.")
    below_first, below_second = (part[scores.hull] / part[-1] for part in scores.cumulated)
    # A block is acted on where its own corner lies at or below PC.
    at = np.searchsorted(-first / (first + second), -pc, side="left")
    value = below_second[at] * pc + (1 - below_first[at]) * (1 - pc)
    return CostCurve(pc, value, np.minimum(pc, 1 - pc), scores.cuts_at(scores.hull)[at])


@of_scores
def brier_curve(
    scores: RankedScores, cost_proportion: Any = None, *, priors: Priors | None = None
) -> BrierCurve:
    r"""Cost of taking posteriors at their word, against the cost proportion.

    Its area is the Brier score, so it shows which costs a Brier score comes from.

    .. math:: 2\,[c\, P_0\, \mathrm{FPR}(c) + (1 - c)\, P_1\, \mathrm{FNR}(c)]

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of kind "llr", "log_odds" or "posterior".
    cost_proportion : array-like, optional
        Share c of the false positive in the cost of both errors, which is the threshold on
        the posterior; default, 0.005 to 0.995 in steps of 0.005.
    priors : float or pair, optional
        Share of the second class, or of both; default, that of the data.

    Returns
    -------
    BrierCurve
        Actual, minimum and naive costs.

    References
    ----------
    .. [1] J. Hernandez-Orallo, P. Flach and C. Ferri, "Brier curves: a new cost-based
       visualisation of classifier performance", ICML 2011.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 1], [0.2, 0.7], kind="posterior")
    >>> brier_curve(sc, [0.1, 0.5, 0.8]).actual
    array([0.1, 0. , 0.2])
    """
    require_both(scores, "brier_curve")
    scores.require_scale("brier_curve")
    c = as_grid(cost_proportion, np.round(np.arange(1, 200) * 0.005, 10), "cost_proportion")
    if (c <= 0).any() or (c >= 1).any():
        raise DataError("`cost_proportion` must lie strictly between 0 and 1.")
    share = scores._share_of_second(priors)
    thresholds = posterior_thresholds(scores, c, share)
    fpr, fnr = _rates_at(scores, thresholds)
    first, second = 2 * c * (1 - share), 2 * (1 - c) * share
    best_fpr, best_fnr, _ = best_rates(scores, np.log(second) - np.log(first))
    return BrierCurve(
        c,
        first * fpr + second * fnr,
        first * best_fpr + second * best_fnr,
        np.minimum(first, second),
    )


def posterior_thresholds(scores: RankedScores, levels: FloatArray, share: float) -> FloatArray:
    """Thresholds in the units of the scores for posteriors `levels` at a prior."""
    if scores.kind != "posterior":
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(levels) - np.log1p(-levels) - scores.shift_to(share))
    if scores.from_priors is not None:
        factors = moved_shares((1 - share, share), scores.from_priors)
        levels = np.array([in_type(moved_threshold(level, factors)) for level in levels])
    return scores._rounded(levels)


@dataclass(frozen=True, eq=False, repr=False)
class ApplicationPath(Tabular):
    """Cost of Bayes decisions in each application of a path."""

    position: FloatArray
    cost: FloatArray
    normalized_cost: FloatArray
    naive_cost: FloatArray


def application_path(
    y_true: Any,
    posteriors: Any,
    *,
    applications: Sequence[Any],
    positions: Any = None,
    from_priors: Priors | None = None,
    sample_weight: Any = None,
) -> ApplicationPath:
    """Cost of Bayes decisions along a path of applications, for any number of classes.

    With two classes one axis holds all applications; with more, a path through them has to
    be chosen. Each cost is divided by that of the best constant decision of its own
    application.

    Parameters
    ----------
    y_true : column
        True classes.
    posteriors : Posteriors or array of shape (n_cases, n_classes)
        What the classifier says.
    applications : sequence of Application
        The path.
    positions : array-like, optional
        Abscissa of each application; default, 0, 1, 2, ...
    from_priors : priors, optional
        The class shares that the posteriors were made for. If given, they are moved to the
        priors of each application before deciding; otherwise they are used as they are.
    sample_weight : column, optional
        Weight of each case.

    Returns
    -------
    ApplicationPath
        Cost in the unit of the costs, normalised cost, and cost of the best constant
        decision.

    References
    ----------
    .. [1] S. Cumani, "Bayes decisions and Model evaluation": the multiclass case, with one
       dummy system per class.

    Examples
    --------
    >>> from stakes import Application, CostMatrix
    >>> q = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.4, 0.3, 0.3]]
    >>> path = [Application(CostMatrix([[0, 1, 1], [1, 0, 1], [c, c, 0]])) for c in (1, 2, 4)]
    >>> application_path([0, 1, 2], q, applications=path).normalized_cost
    array([0.5, 0. , 0. ])
    """
    apps = [as_application(app) for app in of_kind(applications, "applications", Iterable)]
    if not apps:
        raise DataError("`applications` must not be empty.")
    first = apps[0].classes
    given = read_posteriors(posteriors, first, ClassOrder(labels=y_true))
    said_at = None
    if from_priors is not None:
        shares = as_priors(from_priors, first, "from_priors").tolist()
        said_at = dict(zip(first, shares, strict=True))
    rows = []
    for app in apps:
        taken = _decided(in_class_order(given, app.classes), app, said_at)
        matrix = ConfusionMatrix.from_decisions(
            y_true,
            np.asarray(app.decisions, dtype=object)[taken],
            classes=app.classes,
            decision_names=app.decisions,
            sample_weight=sample_weight,
        )
        naive = float((app.resolved_priors(matrix.priors) @ app.costs.values).min())
        paid = expected_cost(matrix, application=app)
        rows.append([paid, normalized_expected_cost(matrix, application=app), naive])
    x = np.arange(len(apps), dtype=float) if positions is None else as_reals(positions, "positions")
    if x.shape != (len(apps),) or not np.isfinite(x).all():
        raise DataError(f"`positions` must be {len(apps)} finite numbers; got shape {x.shape}.")
    return ApplicationPath(x, *np.array(rows).T)


def _decided(given: Posteriors, app: Application, said_at: Any) -> NDArray[Any]:
    """Bayes decisions, on posteriors moved to the priors of the application if it has any."""
    if said_at is None or app.priors is None:
        return bayes_decisions(given, app)
    shares = as_priors(said_at, app.classes, name="from_priors")
    moved = given.with_priors(app.priors, from_priors=shares)
    if not ((app.priors > 0) & (shares > 0)).all():
        return bayes_decisions(moved, app)
    return moved_decisions(posterior_array(given, app.classes), app.costs, app.priors, shares)
