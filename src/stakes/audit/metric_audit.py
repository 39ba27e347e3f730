"""Auditing metrics: one, with everything that it rewards, or the whole catalogue at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from stakes.application import Application, UncertainApplication, as_application
from stakes.audit.audit_verdict import Audit
from stakes.audit.candidates import audit_candidates
from stakes.audit.compliance import compliance
from stakes.audit.implied_costs import implied_costs
from stakes.audit.misranking import misranking_rate
from stakes.audit.opposition import opposite_pair
from stakes.exceptions import CostError, DataError, UndefinedError
from stakes.metrics.counts.table_cells import as_table
from stakes.metrics.facts.metric_catalogue import catalogue
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.typing import RandomSource


def audit(
    metric: Any, *, application: Any = None, matrix: Any = None,
    candidates: Mapping[str, ConfusionMatrix] | None = None, n: int = 100_000,
    rng: RandomSource = 0, higher_is_better: bool | None = None,
) -> Audit:  # fmt: skip
    """What a metric rewards, which costs it implies, and how often it picks the wrong classifier.

    Parameters
    ----------
    metric : str, Metric or callable
        A name in the catalogue (``"f_beta:beta=2"`` with parameters), or a function of a
        (K, M) array of counts, rows true classes.
    application : Application, UncertainApplication or CostMatrix, optional
        What is at stake; an uncertain one is judged at its expectation, and drawn from for
        the misranking rate. Without it, the metric is judged on utilities of every kind.
    matrix : ConfusionMatrix, optional
        An operating point, for the costs that the metric implies there.
    candidates : mapping of str to ConfusionMatrix, optional
        Real systems to choose from.
    n : int
        Number of random pairs for the misranking rate.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    higher_is_better : bool, optional
        Direction of a function of one's own; yes by default.

    Returns
    -------
    Audit
        Verdict, implied costs, a pair that it ranks against the costs, misranking rate and
        regret; print it for the sentences.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, sections 3.3 and 4.2.
    .. [2] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.

    Examples
    --------
    >>> from stakes import Application
    >>> app = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
    >>> found = audit("f1", application=app, matrix=[[850, 50], [20, 80]], n=1000)
    >>> found.compliant, found.compliance.failure
    (False, 'not parallel')
    >>> print(found.sentences[1])
    At this operating point f1 treats a miss as 1.9 false alarms; your costs say 10.
    """
    app = _expected(application)
    _require_costs(app, matrix, candidates)
    stakes = "uniform" if app is None else application
    found = _judged(metric, app, stakes, matrix, candidates, n, rng, higher_is_better)
    if app is None:
        return found
    opposite = opposite_pair(metric, application=app, higher_is_better=higher_is_better)
    return replace(found, opposite=opposite)


def _judged(
    metric: Any, app: Application | None, stakes: Any, matrix: Any, candidates: Any, n: int,
    rng: Any, higher_is_better: bool | None,
) -> Audit:  # fmt: skip
    """Everything but the search for an opposite pair."""
    size = 2 if app is None else len(app.classes)
    judged = None if app is None else app.with_priors(None)
    if app is not None and len(app.decisions) != size:
        raise CostError(
            f"an audit needs decisions that are the classes; got {app.decisions}.",
            hint="audit.implied_costs takes any decisions",
        )
    found = compliance(
        metric, n_classes=size, higher_is_better=higher_is_better, application=judged
    )
    implied = among = None
    remark = ""
    if matrix is not None:
        try:
            implied = implied_costs(
                metric, matrix, application=judged, higher_is_better=higher_is_better
            )
        except UndefinedError as error:
            remark = f"{error.message[0].upper()}{error.message[1:]}"
    if candidates is not None and app is not None:
        among = audit_candidates(
            metric, candidates, application=app, higher_is_better=higher_is_better
        )
    rate = misranking_rate(
        metric, utilities=stakes, n=n, rng=rng, higher_is_better=higher_is_better
    )
    return Audit(found.metric, app, found, None, implied, rate, among, remark)


def audit_all(
    metrics: Iterable[Any] | None = None, *, application: Any = None, matrix: Any = None,
    candidates: Mapping[str, ConfusionMatrix] | None = None, n: int = 20_000,
    rng: RandomSource = 0,
) -> Frame:  # fmt: skip
    """One row of facts for every metric of the catalogue that can be computed.

    Parameters
    ----------
    metrics : iterable, optional
        Which; by default the whole catalogue, less those whose parameters are unknown.
    application, matrix, candidates, n, rng
        As for `audit`.

    Returns
    -------
    Frame
        Columns: metric, compliant, failure, cost of a miss in false alarms (smallest and
        largest over systems and prevalences; for two classes), misranking rate with its
        standard error, implied cost of a miss at `matrix`, regret among `candidates`.

    Examples
    --------
    >>> table = audit_all(["accuracy", "f1"], n=1000)
    >>> table["compliant"].tolist()
    [True, False]
    """
    app = _expected(application)
    _require_costs(app, matrix, candidates)
    stakes = "uniform" if app is None else application
    if isinstance(metrics, str):
        metrics = [metrics]
    rows = []
    for metric in _computable(app) if metrics is None else metrics:
        rows.append(_judged(metric, app, stakes, matrix, candidates, n, rng, None).row())
    if not rows:
        raise DataError("`metrics` must name at least one metric; got none.")
    return Frame({name: [row[name] for row in rows] for name in rows[0]})


def _require_costs(app: Application | None, matrix: Any, candidates: Any) -> None:
    """Candidates, and tables of more than two classes, cannot be judged without costs."""
    if app is not None:
        if not np.ptp(app.costs.values, axis=1).any():
            raise CostError("every decision costs the same, so there is nothing to choose.")
        return
    if candidates is not None:
        raise CostError("to judge `candidates` an audit needs to know what decisions cost.",
                        hint="application=Application([[0, 1], [10, 0]])")  # fmt: skip
    if matrix is not None and as_table(matrix).counts.shape != (2, 2):
        raise CostError(
            "without costs an audit is about two classes; `matrix` has the shape "
            f"{as_table(matrix).counts.shape}.",
            hint="give application=..., or ask audit.implied_costs alone",
        )


def _expected(application: Any) -> Application | None:
    """The application that decides: of an uncertain one, its expectation."""
    if application is None:
        return None
    if isinstance(application, UncertainApplication):
        return application.expected
    return as_application(application)


def _computable(app: Application | None) -> list[Any]:
    """Entries of the catalogue that need no parameter that nobody gave."""
    found = []
    for metric in catalogue.tables():
        ready = metric if app is None else metric.with_application(app.with_priors(None))
        many = app is not None and len(app.classes) > 2
        if not ready.missing and not (many and metric.classes == "two"):
            found.append(ready)
    return found
