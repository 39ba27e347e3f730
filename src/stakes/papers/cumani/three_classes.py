"""A simulated task of three classes: Bayes decisions, costs, and the plots for one class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes import (
    Application,
    ConfusionMatrix,
    bayes_decisions,
    normalized_expected_cost,
)
from stakes.calibration import Affine, Isotonic, cross_fit
from stakes.papers.cumani.detection import detection, draw_detection
from stakes.papers.cumani.examples import COSTS, PRIORS
from stakes.papers.items import Cell, Claim, Context, Item, Outcome
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_CASES = (3000, 4000, 3000)
_MEANS = ((0.0, 0.0), (1.6, 0.4), (2.6, 2.0))
#: The simulated classifier is too sure of itself by this factor, and leans towards the first class.
TOO_SURE, LEANING = 2.5, (1.0, 0.0, -0.5)


def _compute(_: Context) -> Outcome:
    """Costs of the raw, the calibrated and the ideal classifier, then class 2 against the rest."""
    y, ideal, logs = _simulated()
    app = Application(COSTS, priors=PRIORS)
    systems = {
        "raw": np.exp(logs),
        "isotonic": cross_fit(Isotonic(priors=PRIORS), logs, y, folds=5, rng=0),
        "logistic": cross_fit(Affine(priors=PRIORS), logs, y, folds=5, rng=0),
        "ideal": np.exp(ideal),
    }
    cells, costs, tables = [], {}, {}
    for name, posteriors in systems.items():
        matrix = ConfusionMatrix.from_decisions(
            y, bayes_decisions(posteriors, app), classes=[0, 1, 2]
        )
        costs[name] = normalized_expected_cost(matrix, application=app)
        cells.append(
            Cell(f"{name} / normalised Bayes risk, three classes", None, costs[name], 5e-5)
        )
        tables[f"confusion-{name}"] = Frame(
            {f"decision {k + 1}": matrix.counts[:, k] for k in range(3)}
        )
    rest = np.logaddexp(logs[:, 0], logs[:, 2])
    prior_log_odds = np.log(PRIORS[1] / (1 - PRIORS[1]))
    is_second = (y == 1).astype(np.intp)
    found = detection(is_second, logs[:, 1] - rest - prior_log_odds, task="class 2 of three")
    claims = (
        Claim(
            "For several classes, too, calibration reduces the cost of Bayes decisions of a "
            "classifier that is too sure of itself.",
            max(costs["isotonic"], costs["logistic"]) < costs["raw"],
            ", ".join(f"{name} {cost:.4f}" for name, cost in costs.items())
            + " (normalised, costs and priors of the slides; ideal: the true posteriors).",
        ),
        *found.claims,
    )
    return replace(
        found,
        cells=(*cells, *found.cells),
        tables={**tables, **found.tables},
        remarks=_REMARKS,
        claims=claims,
    )


_REMARKS = (
    "Three normal classes in the plane, seed 0. The classifier knows their densities, multiplies "
    "its log-likelihoods by 2.5 and adds a bias. The first column has the costs and the priors of "
    "the slides' three-class example; the others, and the plots, are about class 2 against the "
    "other two, where all three calibrations apply.",
)


def _simulated() -> tuple[NDArray[np.intp], Any, Any]:
    """Labels, the true log-posteriors, and those of a classifier that is too sure of itself."""
    from scipy.special import log_softmax

    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), _CASES)
    points = np.asarray(_MEANS)[y] + rng.normal(size=(len(y), 2))
    distances = ((points[:, None, :] - np.asarray(_MEANS)) ** 2).sum(axis=2)
    likelihoods, priors = -distances / 2, np.log(PRIORS)
    ideal = log_softmax(likelihoods + priors, axis=1)
    return y, ideal, log_softmax(TOO_SURE * likelihoods + np.asarray(LEANING) + priors, axis=1)


def _draw(outcome: Outcome) -> dict[str, Figure]:
    """Scores and Bayes errors of class 2 against the others."""
    return draw_detection(outcome, "three-classes")


THREE_CLASSES = Item(
    "three-classes", "A simulated task of three classes", _compute, _draw, seconds=2
)  # fmt: skip
