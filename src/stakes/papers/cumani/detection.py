"""One detection task as the slides show it, also on the scores of a real speaker verifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes import ScoreCounts, plots
from stakes.calibration import Gaussian, Isotonic, Logistic, cross_fit
from stakes.curves import bayes_error, det, roc
from stakes.metrics import at_equal_error, cllr, eer, min_cllr
from stakes.papers.figures import COLOURS, LEGEND, LINE, mark, panels, read_scores
from stakes.papers.items import Cell, Claim, Context, Item, Outcome
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_EFFECTIVE = (0.01, 0.1, 0.5, 0.9)
_PRIOR_OF_CALIBRATION = 0.5
#: At most so many points of a curve are kept.
_POINTS = 600


def detection(y: Any, scores: Any, *, task: str) -> Outcome:
    """Scores as they are, and calibrated in three ways with five folds; all read as LLRs."""
    systems = {"raw": scores, **_calibrated(y, scores)}
    counts = {name: ScoreCounts.from_scores(y, s, kind="llr") for name, s in systems.items()}
    grid = np.round(np.arange(-70, 71) / 10, 10)
    x = np.log(np.array(_EFFECTIVE) / (1 - np.array(_EFFECTIVE)))
    tables = {
        "histogram": _histogram(y, scores),
        "error-rates": _error_rates(counts["raw"]),
        "roc": _thinned(roc(counts["raw"]).frame()),
        "det": _thinned(det(counts["raw"]).frame()),
    }
    cells, gaps = [], {}
    for name, summary in counts.items():
        tables[f"bayes-error-{name}"] = bayes_error(summary, grid).frame()
        there = bayes_error(summary, x)
        gaps[name] = there.actual - there.minimum
        for k, prior in enumerate(_EFFECTIVE):
            cells += [
                Cell(f"{name} / actual DCF at {prior}", None, float(there.actual[k]), 5e-5),
                Cell(f"{name} / minimum at {prior}", None, float(there.minimum[k]), 5e-5),
            ]
        cells.append(Cell(f"{name} / Cllr", None, cllr(summary), 5e-5))
        cells.append(Cell(f"{name} / minimum Cllr", None, min_cllr(summary), 5e-5))
    raw = counts["raw"]
    cells += [
        Cell("equal error rate", None, eer(raw), 5e-6),
        Cell("threshold of equal error rates", None, at_equal_error(raw).threshold, 0.005),
    ]
    return Outcome(tuple(cells), tables, claims=(_calibration_claim(gaps, task),))


def _calibrated(y: Any, scores: Any) -> dict[str, Any]:
    """Scores as LLRs of calibrators that never saw their case, fitted at a prior of one half."""
    priors = [1 - _PRIOR_OF_CALIBRATION, _PRIOR_OF_CALIBRATION]
    made = {}
    for name, calibrator in (
        ("isotonic", Isotonic(priors=priors)),
        ("logistic", Logistic(priors=priors)),
        ("Gaussian", Gaussian(priors=priors)),
    ):
        posteriors = cross_fit(calibrator, scores, y, folds=5, rng=0)
        made[name] = np.log(posteriors[:, 1]) - np.log(posteriors[:, 0])
    return made


def _calibration_claim(gaps: Mapping[str, Any], task: str) -> Claim:
    """Calibration brings the actual cost towards the minimum."""
    worst = {name: float(gap.max()) for name, gap in gaps.items()}
    better = all(value < worst["raw"] for name, value in worst.items() if name != "raw")
    listed = ", ".join(f"{name} {value:.4f}" for name, value in worst.items())
    return Claim(
        "The gap between actual and minimum DCF is the loss by miscalibration, and isotonic, "
        f"prior-weighted logistic and Gaussian calibration reduce it ({task}).",
        better,
        f"Largest gap at effective priors of {', '.join(map(str, _EFFECTIVE))}: {listed}.",
    )


def _histogram(y: Any, scores: Any) -> Frame:
    """Densities of the scores of both classes."""
    edges = np.linspace(scores.min(), scores.max(), 81)
    columns = {
        name: np.histogram(scores[y == k], edges, density=True)[0]
        for k, name in enumerate(("H_F", "H_T"))
    }
    return Frame({"score": (edges[:-1] + edges[1:]) / 2, **columns})


def _error_rates(summary: ScoreCounts) -> Frame:
    """False positive and false negative rates against the threshold."""
    cuts = np.linspace(summary.scores[0], summary.scores[-1], 401)
    above = summary.counts_above_each(cuts) / summary.class_totals
    return Frame({"threshold": cuts, "FPR": above[:, 0], "FNR": 1 - above[:, 1]})


def _thinned(frame: Frame) -> Frame:
    """The corners of a stepped curve, and of very many corners those that can be told apart."""
    x = frame["false_positive_rate"]
    y = frame["true_positive_rate" if "true_positive_rate" in frame else "false_negative_rate"]
    corner = np.ones(len(x), dtype=bool)
    corner[1:-1] = (np.diff(x)[:-1] > 0) != (np.diff(x)[1:] > 0)
    corner[1:-1] |= (np.diff(y)[:-1] != 0) != (np.diff(y)[1:] != 0)
    kept = np.flatnonzero(corner)
    if len(kept) > _POINTS:
        steps = np.geomspace(1, len(kept), _POINTS // 2).astype(int) - 1
        kept = kept[np.unique(np.concatenate([steps, len(kept) - 1 - steps]))]
    return Frame({name: frame[name][kept] for name in frame.columns})


def draw_detection(outcome: Outcome, key: str, *, corner: bool = False) -> dict[str, Figure]:
    """Two figures: what the scores can do, and what they do when taken at their word.

    With `corner`, ROC and DET show the corner in which a very good system lives.
    """
    figure, axes = _draw_scores(outcome)
    plots.roc(_curve(outcome.tables["roc"]), ax=axes[2])
    plots.det(_curve(outcome.tables["det"]), ax=axes[3], limits=(1e-5, 0.3) if corner else None)
    if corner:
        axes[2].set(xlim=(0, 0.004), ylim=(0.98, 1.0005), aspect="auto")
        _finer_ticks(axes[3])
    return {f"{key}-scores": figure, f"{key}-bayes-error": _draw_bayes(outcome)}


def _finer_ticks(ax: Any) -> None:
    """Ticks of error rates below one in a thousand, on probit axes."""
    from scipy.special import ndtri

    rates = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.2)
    labels = [f"{100 * rate:g}" for rate in rates]
    ax.set_xticks(ndtri(rates), labels)
    ax.set_yticks(ndtri(rates), labels)


def _curve(frame: Frame) -> Any:
    """A table as the object that a drawing takes."""
    return SimpleNamespace(normalize=True, **{name: frame[name] for name in frame.columns})


def _draw_scores(outcome: Outcome) -> tuple[Figure, list[Any]]:
    """Histograms with a threshold and error rates against it; two axes stay empty."""
    figure, axes = panels(2, 2, width=5.2, height=3.9)
    found = {cell.name: cell.ours for cell in outcome.cells}
    threshold = found["threshold of equal error rates"]
    histogram, rates = outcome.tables["histogram"], outcome.tables["error-rates"]
    for color, name in zip(COLOURS, ("H_F", "H_T"), strict=False):
        axes[0].fill_between(histogram["score"], histogram[name], color=color, alpha=0.45,
                             step="mid", label=name, linewidth=0)  # fmt: skip
    for color, name in zip(COLOURS, ("FPR", "FNR"), strict=False):
        axes[1].plot(rates["threshold"], rates[name], color=color, linewidth=LINE, label=name)
    for ax, label in ((axes[0], "density"), (axes[1], "error rate")):
        mark(ax, threshold, "equal error rates")
        ax.set(xlabel="score, threshold", ylabel=label)
        ax.legend(**LEGEND)
    return figure, axes


def _draw_bayes(outcome: Outcome) -> Figure:
    """Actual cost solid, minimum dashed, of the raw and the calibrated scores."""
    figure, (ax,) = panels(1, 1, width=7.0, height=5.0)
    systems = {
        name.removeprefix("bayes-error-"): _curve(frame)
        for name, frame in outcome.tables.items()
        if name.startswith("bayes-error-")
    }
    plots.bayes_error(systems, ax=ax)
    return figure


def _compute(context: Context) -> Outcome:
    """114 072 trials; the difference of the two log-posteriors is the score."""
    if context.data is None:
        raise FileNotFoundError("the folder of scores")
    scores, y = read_scores(context.data / "fvcaus_plda")
    found = detection(y, scores[:, 1] - scores[:, 0], task="FVCAUS")
    remark = (
        "The slides draw these plots for scores of their own, without numbers; here they are drawn "
        f"for FVCAUS (x-vectors, PLDA): {len(y)} trials, {int(y.sum())} of the same speaker."
    )
    return replace(found, remarks=(remark,))


def _draw(outcome: Outcome) -> dict[str, Figure]:
    """Scores and Bayes errors."""
    return draw_detection(outcome, "fvcaus", corner=True)


FVCAUS = Item(
    "fvcaus", "Plots of the slides on real scores (FVCAUS)", _compute, _draw,
    needs=("fvcaus_plda",), seconds=5,
)  # fmt: skip
