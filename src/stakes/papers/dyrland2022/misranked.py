"""Figures 6 and 7: how many pairs of classifiers each metric ranks wrongly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stakes.audit import misranking_by_error, misranking_rates
from stakes.metrics import catalogue
from stakes.papers.dyrland2022.clouds import Kind, disturbed, draw_pairs
from stakes.papers.dyrland2022.stories import WORDS
from stakes.papers.items import (
    COLOURS,
    LINE,
    TITLE,
    Cell,
    Claim,
    Context,
    Item,
    Outcome,
    panels,
    published_rows,
)
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Percent of pairs ranked wrongly: uniform and gaussian true utilities (figures 6 and 7).
_PRINTED = {
    row["metric"]: {"uniform": float(row["uniform"]), "gaussian": float(row["gaussian"])}
    for row in published_rows("dyrland2022", "figures_6_7.csv")
}
_METRICS = [metric for metric in _PRINTED if metric in WORDS]
_WORDS = {**WORDS, "wrong utilities": "utilities with an error"}
#: Where utilities with errors become as bad as accuracy, read off figure 7.
_CROSSINGS: dict[Kind, float] = {"uniform": 0.26, "gaussian": 0.19}
#: Standard deviation before the errors are cut off, in the figure labelled 0.1; and of figure 7.
_LABELLED = 0.11
_ERRORS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
_SEED = 149
_PAIRS = 10**6
#: Points of percent: about five standard errors of the authors' million pairs.
_TOLERANCE = 0.2
_SHOWN = 1500


def _cells(kind: Kind, n: int, tolerance: float) -> tuple[list[Cell], dict[str, float], float]:
    """Percentages of a population beside the printed ones, and the realised error."""
    table = misranking_rates(_METRICS, utilities=kind, draws=n, rng=_SEED)
    wrong = misranking_by_error([_LABELLED], utilities=kind, draws=n, rng=_SEED)
    rates = {metric: 100 * float(table[metric]) for metric in _METRICS}
    rates["wrong utilities"] = 100 * float(wrong.rates[0])
    notes = {"wrong utilities": f"nominal sd {_LABELLED}"}
    if kind == "gaussian":
        notes["f1"] = "6.5 in figure 7"
    cells = [
        Cell(f"{_WORDS[metric]} / {kind}", _PRINTED[metric][kind], rate, tolerance,
             "% of pairs ranked wrongly", notes.get(metric, ""))
        for metric, rate in rates.items()
    ]  # fmt: skip
    return cells, rates, float(wrong.realised[0])


def _figure_6(_: Context, n: int = _PAIRS, tolerance: float = _TOLERANCE) -> Outcome:
    """Uniform utilities: percentages from a million pairs, and a few pairs to look at."""
    cells, rates, realised = _cells("uniform", n, tolerance)
    cells.append(
        Cell("error labelled 0.1, realised sd", 0.1, realised, 0.05,
             note=f"drawn with a standard deviation of {_LABELLED} before it is cut off")
    )  # fmt: skip
    best = min(_METRICS, key=lambda metric: rates[metric])
    claims = (
        Claim(
            "Accuracy ranks fewest pairs wrongly among the metrics, and utilities with an error "
            "of 0.1 rank fewer still.",
            best == "accuracy" and rates["wrong utilities"] < rates["accuracy"],
            f"Accuracy {rates['accuracy']:.2f} %, utilities with an error "
            f"{rates['wrong utilities']:.2f} %.",
        ),
        Claim(
            "The error in figure 6 has a standard deviation of 0.1.",
            None,
            f"The authors' program draws it with {_LABELLED}; after the cut {realised:.4f} is "
            "left, which rounds to 0.1.",
        ),
    )
    return Outcome(tuple(cells), {"pairs": _pairs()}, claims=claims)


def _pairs() -> Frame:
    """Differences of the true yield, of the metrics, and of the wrong yield, pair by pair."""
    rng = np.random.default_rng(_SEED)
    utilities, first, second = draw_pairs(rng, _SHOWN, "uniform")
    wrong = disturbed(rng, utilities, _LABELLED)
    columns = {"true": ((second - first) * utilities).sum(axis=(1, 2))}
    for metric in _METRICS:
        values = catalogue[metric].values
        columns[metric] = values(1000 * second) - values(1000 * first)
    columns["wrong utilities"] = ((second - first) * wrong).sum(axis=(1, 2))
    return Frame(columns)


def _figure_7(context: Context, n: int = _PAIRS, tolerance: float = _TOLERANCE) -> Outcome:
    """Both populations: percentages by the error that is left after the cut."""
    cells: list[Cell] = []
    frames: dict[str, Frame] = {}
    crossings: dict[tuple[str, str], float] = {}
    for kind, printed in _CROSSINGS.items():
        found, rates, _ = _cells(kind, n, tolerance)
        if kind == "uniform":  # as in figure 6
            found = [replace(cell, source="again") for cell in found]
        curve = misranking_by_error(_ERRORS, utilities=kind, draws=n, rng=_SEED)
        for metric in ("accuracy", "f1"):
            crossings[metric, kind] = curve.crossing(rates[metric] / 100)
        cells += [
            *found,
            Cell(f"error as bad as accuracy / {kind}", printed, crossings["accuracy", kind], 0.01,
                 "realised sd at the crossing", "read off the figure"),
            Cell(f"error as bad as F1 / {kind}", None, crossings["f1", kind], 5e-4,
                 "realised sd at the crossing"),
        ]  # fmt: skip
        frames[kind] = curve.frame()
        percent = [rates[metric] for metric in _METRICS]
        frames[f"{kind}_metrics"] = Frame({"metric": _METRICS, "percent": percent})
        context.progress(len(frames) / 4)
    return Outcome(tuple(cells), frames, _REMARKS, _error_claims(crossings))


_REMARKS = (
    "The abscissa is the standard deviation of the errors that are left after the cut, not the one "
    "they are drawn with: 0.3 leaves about 0.25.",
)


def _error_claims(crossings: dict[tuple[str, str], float]) -> tuple[Claim, ...]:
    """How large an error may be."""
    accuracy, f1 = ([crossings[m, kind] for kind in _CROSSINGS] for m in ("accuracy", "f1"))
    return (
        Claim(
            "Utilities with errors up to 0.15, or even 0.25, rank better than any of the metrics.",
            min(accuracy) > 0.15 and max(accuracy) > 0.25,
            f"They become as bad as accuracy at {accuracy[0]:.2f} (uniform utilities) and "
            f"{accuracy[1]:.2f} (gaussian).",
        ),
        Claim(
            "Errors of 20 % of the largest utility still rank better than precision, balanced "
            "accuracy, MCC, Fowlkes-Mallows and F1.",
            min(f1) > 0.2,
            f"They become as bad as F1, the best of these, at {f1[0]:.2f} and {f1[1]:.2f}.",
        ),
    )


def _draw_figure_6(outcome: Outcome) -> dict[str, Figure]:
    """A panel per metric, worst first; pairs in the second and fourth quadrant are wrong."""
    table = outcome.tables["pairs"]
    percent = {cell.name.split(" / ")[0]: cell.ours for cell in outcome.cells}
    figure, axes = panels(2, 4, width=3.0, height=2.7)
    for ax, column in zip(axes, _PRINTED, strict=True):
        words = _WORDS[column]
        wrong = table["true"] * table[column] <= 0
        for mine, marker, color in ((~wrong, "o", COLOURS[0]), (wrong, "^", COLOURS[1])):
            ax.plot(table["true"][mine], table[column][mine], marker, color=color, markersize=2.2,
                    alpha=0.5, rasterized=True)  # fmt: skip
        ax.axhline(0, color="#767676", linewidth=0.8)
        ax.axvline(0, color="#767676", linewidth=0.8)
        ax.set_title(f"{words}: {percent[words]:.1f} % wrong", loc="left", fontsize=9)
        ax.set(xlim=(-0.5, 0.5))
    figure.supxlabel("difference of true yields", fontsize=TITLE)
    figure.supylabel("difference of scores", fontsize=TITLE)
    return {"figure6": figure}


def _draw_figure_7(outcome: Outcome) -> dict[str, Figure]:
    """Two panels, one per population."""
    figure, axes = panels(1, 2, width=5.0, height=4.6, sharey=True)
    for ax, kind in zip(axes, _CROSSINGS, strict=True):
        curve, lines = outcome.tables[kind], outcome.tables[f"{kind}_metrics"]
        ax.plot(curve["realised"], 100 * curve["rate"], "o-", color=COLOURS[0], linewidth=LINE)
        for metric, percent in zip(lines["metric"], lines["percent"], strict=True):
            ax.axhline(percent, color="#767676", linewidth=0.9, linestyle=(0, (4, 3)))
            place = 0.11 if metric == "fowlkes_mallows" else 0.005  # between two close neighbours
            ax.annotate(f"{WORDS[metric]} {percent:.1f} %", (place, percent), fontsize=8,
                        xytext=(0, 2), textcoords="offset points")  # fmt: skip
        beside = curve["realised"][2], 100 * curve["rate"][2]
        ax.annotate("utilities with an error", beside, xytext=(8, -12),
                    textcoords="offset points", fontsize=8.5, color=COLOURS[0])  # fmt: skip
        ax.set(xlabel="standard deviation of the error on the utilities", xlim=(0, 0.34),
               ylim=(0, 27))  # fmt: skip
        ax.set_title(f"{kind} true utilities", loc="left", fontsize=TITLE)
    axes[0].set_ylabel("% of pairs ranked wrongly")
    return {"figure7": figure}


FIGURE_6 = Item(
    "figure6", "Figure 6: pairs ranked wrongly, uniform utilities", _figure_6, _draw_figure_6,
    seconds=6.0,
)  # fmt: skip
FIGURE_7 = Item(
    "figure7", "Figure 7: pairs ranked wrongly against the error on the utilities",
    _figure_7, _draw_figure_7, seconds=20.0,
)  # fmt: skip
