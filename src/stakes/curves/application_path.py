"""More than two classes: normalised cost along a path of applications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_priors
from stakes._columns import as_reals
from stakes.application import Application, as_application
from stakes.curves.tabular import Tabular
from stakes.decisions import bayes_decisions
from stakes.decisions.bayes import moved_decisions
from stakes.exceptions import DataError
from stakes.metrics.costs.expected_cost import expected_cost, normalized_expected_cost
from stakes.posteriors import Posteriors
from stakes.posteriors.class_order import ClassOrder
from stakes.posteriors.posteriors import in_class_order, posterior_array, read_posteriors
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Priors


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
    posterior_priors: Priors | None = None,
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
    posterior_priors : priors, optional
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
    apps = [as_application(app) for app in applications]
    if not apps:
        raise DataError("`applications` must not be empty.")
    first = apps[0].classes
    given = read_posteriors(posteriors, first, ClassOrder(labels=y_true))
    said_at = None
    if posterior_priors is not None:
        shares = as_priors(posterior_priors, first, "posterior_priors").tolist()
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
    shares = as_priors(said_at, app.classes, name="posterior_priors")
    moved = given.with_priors(app.priors, old=shares)
    if not ((app.priors > 0) & (shares > 0)).all():
        return bayes_decisions(moved, app)
    return moved_decisions(posterior_array(given, app.classes), app.costs, app.priors, shares)
