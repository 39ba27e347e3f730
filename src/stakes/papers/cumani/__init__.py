"""S. Cumani, "Bayes decisions and Model evaluation": worked examples and plots of the lecture."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes import (
    Application,
    ConfusionMatrix,
    CostMatrix,
    ScoreCounts,
    bayes_decisions,
    normalized_expected_cost,
    plots,
)
from stakes.calibration import Gaussian, Isotonic, Logistic, cross_fit
from stakes.curves import bayes_error, det, roc
from stakes.metrics import (
    accuracy,
    at_equal_error,
    cllr,
    cost_by_cell,
    detection_cost,
    eer,
    error_rate,
    min_cllr,
)
from stakes.papers.items import (
    COLOURS,
    LEGEND,
    Cell,
    Claim,
    Context,
    Item,
    Outcome,
    Paper,
    as_curve,
    data_of,
    draw_lines,
    mark,
    panels,
    read_scores,
)
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PAPER"]


_EFFECTIVE = (0.01, 0.1, 0.5, 0.9)
#: The most points of a curve that are kept.
_POINTS = 600


def detection(y: Any, scores: Any) -> Outcome:
    """Scores as they are, and calibrated in three ways with five folds; all read as LLRs."""
    systems = {"raw": scores, **_calibrated(y, scores)}
    counts = {name: ScoreCounts.from_scores(y, s, kind="llr") for name, s in systems.items()}
    raw = counts["raw"]
    grid = np.round(np.arange(-70, 71) / 10, 10)
    x = np.log(np.array(_EFFECTIVE) / (1 - np.array(_EFFECTIVE)))
    edges = np.linspace(scores.min(), scores.max(), 81)
    densities = {
        name: np.histogram(scores[y == k], edges, density=True)[0]
        for k, name in enumerate(("H_F", "H_T"))
    }
    cuts = np.linspace(raw.scores[0], raw.scores[-1], 401)
    above = raw.counts_above_each(cuts) / raw.class_totals
    tables = {
        "histogram": Frame({"score": (edges[:-1] + edges[1:]) / 2, **densities}),
        "error-rates": Frame({"threshold": cuts, "FPR": above[:, 0], "FNR": 1 - above[:, 1]}),
        "roc": _thinned(roc(raw).frame()),
        "det": _thinned(det(raw).frame()),
    }
    cells, gaps = [], {}
    for name, summary in counts.items():
        tables[f"bayes-error-{name}"] = bayes_error(summary, grid).frame()
        there = bayes_error(summary, x)
        gaps[name] = float((there.actual - there.minimum).max())
        for k, prior in enumerate(_EFFECTIVE):
            cells += [
                Cell(f"{name} / actual DCF at {prior}", None, float(there.actual[k]), 5e-5),
                Cell(f"{name} / minimum at {prior}", None, float(there.minimum[k]), 5e-5),
            ]
        cells.append(Cell(f"{name} / Cllr", None, cllr(summary), 5e-5))
        cells.append(Cell(f"{name} / minimum Cllr", None, min_cllr(summary), 5e-5))
    cells += [
        Cell("equal error rate", None, eer(raw), 5e-6),
        Cell("threshold of equal error rates", None, at_equal_error(raw).threshold, 0.005),
    ]
    listed = ", ".join(f"{name} {gap:.4f}" for name, gap in gaps.items())
    claim = Claim(
        "The gap between actual and minimum DCF is the loss by miscalibration, and isotonic, "
        "prior-weighted logistic and Gaussian calibration reduce it (FVCAUS).",
        all(gap < gaps["raw"] for name, gap in gaps.items() if name != "raw"),
        f"Largest gap at effective priors of {', '.join(map(str, _EFFECTIVE))}: {listed}.",
    )
    remark = (
        "The slides draw these plots for scores of their own, without numbers; here they are drawn "
        f"for FVCAUS (x-vectors, PLDA): {len(y)} trials, {int(y.sum())} of the same speaker."
    )
    return Outcome(tuple(cells), tables, (remark,), (claim,))


def _calibrated(y: Any, scores: Any) -> dict[str, Any]:
    """Scores as LLRs of calibrators that never saw their case, fitted at a prior of one half."""
    made = {}
    for name, kind in (("isotonic", Isotonic), ("logistic", Logistic), ("Gaussian", Gaussian)):
        posteriors = cross_fit(y, scores, calibrator=kind(priors=[0.5, 0.5]), folds=5, rng=0)
        made[name] = np.log(posteriors[:, 1]) - np.log(posteriors[:, 0])
    return made


def _thinned(frame: Frame) -> Frame:
    """Of very many rows those that can be told apart: most of them near both ends."""
    rows = frame.shape[0]
    steps = np.geomspace(1, rows, _POINTS // 2).astype(int) - 1
    kept = np.unique(np.concatenate([steps, rows - 1 - steps]))
    return Frame({name: frame[name][kept] for name in frame.columns})


def draw_detection(outcome: Outcome) -> dict[str, Figure]:
    """Two figures: what the scores can do, and what they do when taken at their word.

    ROC and DET show the corner in which a very good system lives.
    """
    from scipy.special import ndtri

    scores, axes = panels(2, 2, width=5.2, height=3.9)
    threshold = next(c.ours for c in outcome.cells if c.name == "threshold of equal error rates")
    histogram, rates = outcome.tables["histogram"], outcome.tables["error-rates"]
    for color, name in zip(COLOURS, ("H_F", "H_T"), strict=False):
        axes[0].fill_between(histogram["score"], histogram[name], color=color, alpha=0.45,
                             step="mid", label=name, linewidth=0)  # fmt: skip
    draw_lines(axes[1], rates, "threshold", ("FPR", "FNR"))
    for ax, label in ((axes[0], "density"), (axes[1], "error rate")):
        mark(ax, threshold, "equal error rates")
        ax.set(xlabel="score, threshold", ylabel=label)
        ax.legend(**LEGEND)
    plots.roc(as_curve(outcome.tables["roc"]), ax=axes[2])
    axes[2].set(xlim=(0, 0.004), ylim=(0.98, 1.0005), aspect="auto")
    plots.det(as_curve(outcome.tables["det"]), ax=axes[3], limits=(1e-5, 0.3))
    ticks = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.2)
    for put in (axes[3].set_xticks, axes[3].set_yticks):
        put(ndtri(ticks), [f"{100 * rate:g}" for rate in ticks])
    costs, (ax,) = panels(1, 1, width=7.0, height=5.0)
    systems = {
        name.removeprefix("bayes-error-"): as_curve(frame)
        for name, frame in outcome.tables.items()
        if name.startswith("bayes-error-")
    }
    plots.bayes_error(systems, ax=ax)
    return {"fvcaus-scores": scores, "fvcaus-bayes-error": costs}


def _fvcaus(context: Context) -> Outcome:
    """114 072 trials; the difference of the two log-posteriors is the score."""
    scores, y = read_scores(data_of(context) / "fvcaus_plda")
    return detection(y, scores[:, 1] - scores[:, 0])


FVCAUS = Item(
    "fvcaus", "Plots of the slides on real scores (FVCAUS)", _fvcaus, draw_detection,
    needs=("fvcaus_plda",), seconds=5,
)  # fmt: skip


# The slides put predictions in rows; transposed here, rows are true classes.
_RAIN = ConfusionMatrix(
    np.array([[15, 30], [20, 300]]).T, classes=["rain", "clear"], decisions=["rain", "clear"]
)
_DRY = ConfusionMatrix([[0, 35], [0, 330]], classes=["rain", "clear"])
COSTS = CostMatrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
PRIORS = (0.3, 0.4, 0.3)
_POSTERIORS = ((0.40, 0.25, 0.35),)
_OUTCOMES = ConfusionMatrix(np.array([[205, 111, 56], [145, 199, 121], [50, 92, 225]]).T)
_WORKING_POINTS = ((0.05, 10, 1), (0.01, 1, 1), (0.5, 1, 10), (0.9, 2, 5))


def _examples(_: Context) -> Outcome:
    """Every number of the slides, and the identities they derive."""
    miss, false_alarm = _RAIN.rates[0, 1], _RAIN.rates[1, 0]
    cells = [
        Cell("rain: accuracy", 0.86, accuracy(_RAIN), 0.005, note="315 of 365 days"),
        Cell("rain: accuracy times 365", 315, 365 * accuracy(_RAIN), 1e-9, source="again"),
        Cell("rain: accuracy of always predicting clear", 0.90, accuracy(_DRY), 0.005),
        Cell("rain: false negative rate", None, float(miss), 5e-4, note="20 of 35"),
        Cell("rain: false positive rate", None, float(false_alarm), 5e-4, note="30 of 330"),
        *_three_classes(),
    ]
    largest, off, naive = _binary()
    identities = (
        ("normalised DCF: application against its effective prior, largest difference", largest),
        ("threshold against minus the log odds of the effective prior, largest difference", off),
        ("normalised DCF of the better dummy system, minus 1", naive),
        ("rain: error rate minus DCF of (N_T/N, 1, 1)",
         error_rate(_RAIN) - detection_cost(_RAIN, priors=35 / 365, positive="rain")),
        ("rain: mean of the two error rates minus DCF of (1/2, 1, 1)",
         (20 / 35 + 30 / 330) / 2 - detection_cost(_RAIN, priors=0.5, positive="rain")),
    )  # fmt: skip
    cells += [
        Cell(name, 0.0, float(value), 1e-12, "identity", source="equality")
        for name, value in identities
    ]
    claims = (
        Claim(
            "An application (prior, cost of a miss, cost of a false alarm) and (effective prior, "
            "1, 1) have the same decisions and the same normalised DCF.",
            max(abs(largest), abs(off)) < 1e-12,
            f"Largest difference at {len(_WORKING_POINTS)} working points: {largest:.1e}.",
        ),
        Claim(
            "Accuracy can mislead: a model that always predicts clear beats the rain forecast.",
            accuracy(_DRY) > accuracy(_RAIN),
            f"Accuracies {accuracy(_DRY):.4f} and {accuracy(_RAIN):.4f}; when misses and false "
            "alarms weigh alike by rates (prior 1/2), normalised costs "
            f"{detection_cost(_DRY, priors=0.5, positive='rain', normalized=True):.3f} and "
            f"{detection_cost(_RAIN, priors=0.5, positive='rain', normalized=True):.3f}.",
        ),
    )
    return Outcome(tuple(cells), claims=claims)


def _three_classes() -> list[Cell]:
    """The Bayes decision for one case, and the empirical Bayes risk of many."""
    expected = np.asarray(_POSTERIORS) @ COSTS.values
    decision, cost = bayes_decisions(_POSTERIORS, COSTS, with_cost=True)
    app = Application(COSTS, priors=PRIORS)
    shares = cost_by_cell(_OUTCOMES, app)
    by_class = shares.costs.reshape(3, 3).sum(axis=1)
    cells = [
        Cell(f"three classes: expected cost of predicting {k + 1}", printed, float(ours), 0.005)
        for k, (printed, ours) in enumerate(zip((0.95, 0.75, 1.05), expected[0], strict=True))
    ]
    cells += [
        Cell("three classes: Bayes decision", 2, float(decision[0] + 1)),
        Cell("three classes: its expected cost", 0.75, float(cost[0]), 0.005, source="again"),
    ]
    cells += [
        Cell(f"empirical Bayes risk: part of class {k + 1}", printed, float(ours), 5e-6)
        for k, (printed, ours) in enumerate(zip((0.18375, 0.20199, 0.17388), by_class, strict=True))
    ]
    normalised = normalized_expected_cost(_OUTCOMES, application=app)
    cells += [
        Cell("empirical Bayes risk", 0.55962, shares.total, 5e-6),
        Cell("empirical Bayes risk, normalised by the best dummy system", None, normalised, 5e-5),
    ]
    return cells


def _binary() -> tuple[float, float, float]:
    """Largest departures from the identities of binary working points."""
    matrix, reject = ConfusionMatrix([[80, 20], [5, 45]]), ConfusionMatrix([[100, 0], [50, 0]])
    accept = ConfusionMatrix([[0, 100], [0, 50]])
    costs, thresholds, dummies = [], [], []
    for prior, miss, false_alarm in _WORKING_POINTS:
        app = Application(
            CostMatrix.binary(false_positive=false_alarm, false_negative=miss),
            priors=[1 - prior, prior],
        )
        effective = app.effective_prior
        cost = partial(
            detection_cost, priors=prior, miss=miss, false_alarm=false_alarm, normalized=True
        )
        costs.append(cost(matrix) - detection_cost(matrix, priors=effective, normalized=True))
        thresholds.append(app.llr_threshold + np.log(effective / (1 - effective)))
        dummies.append(min(cost(accept), cost(reject)) - 1)
    return tuple(float(max(values, key=abs)) for values in (costs, thresholds, dummies))  # type: ignore[return-value]


EXAMPLES = Item("examples", "Worked examples of the slides", _examples, seconds=0.1)


PAPER = Paper(
    key="cumani",
    citation='S. Cumani, "Bayes decisions and Model evaluation", lecture slides, Turin.',
    items=(EXAMPLES, FVCAUS),
)
