"""Auditing metrics, one or the whole catalogue: what each rewards, and the verdict in a few
sentences.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._checks import of_kind
from stakes._guesses import answers_guesses
from stakes.application import Application
from stakes.application.cost_input import read_any_costs
from stakes.application.uncertain import settled
from stakes.audit.candidates import CandidateAudit, audit_candidates
from stakes.audit.compliance import compliance
from stakes.audit.compliance_witnesses import Compliance, short
from stakes.audit.implied_costs import ImpliedCosts, implied_costs
from stakes.audit.misranking import MisrankingRate, misranking_rate
from stakes.audit.opposite_rankings import OppositePair, opposite_pair
from stakes.exceptions import CostError, DataError, UndefinedError
from stakes.metrics.counts.table_cells import as_table
from stakes.metrics.metric_catalogue import catalogue
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.typing import RandomSource

#: Relative difference of prices of a miss below which they count as the same.
_SAME_PRICE = 1e-3


def _miss_price(implied: ImpliedCosts) -> float:
    """The implied price of a miss; `nan` for more than two classes."""
    return implied.miss_cost if implied.costs.shape == (2, 2) else math.nan


def _against(implied: ImpliedCosts, app: Application | None) -> str:
    """The implied price next to the one that is meant."""
    if app is None or app.costs.shape != (2, 2) or not math.isfinite(_miss_price(implied)):
        return implied.sentence
    (tn, fp), (fn, tp) = app.costs.values.tolist()
    if fp == tn:
        return implied.sentence
    meant = (fn - tp) / (fp - tn)
    if abs(implied.miss_cost - meant) <= _SAME_PRICE * abs(meant):
        return f"{implied.sentence[:-1]}, as your costs do."
    return f"{implied.sentence[:-1]}; your costs say {short(meant, 3)}."


def _misranked(rate: MisrankingRate, app: Application | None) -> str:
    """The misranking rate in words."""
    whose = "your costs" if app is not None else "a utility matrix drawn at random"
    return (
        f"Of two good classifiers it picks the wrong one for {whose} in "
        f"{100 * rate.rate:.1f} % of cases (± {100 * rate.standard_error:.1f})."
    )


def _choice(found: CandidateAudit, app: Application | None) -> str:
    """The choice among candidates in words."""
    if np.isnan(found.values).all():
        return "Among your candidates it chooses none: it is undefined for each of them."
    if found.chosen == found.cheapest or found.regret == 0:
        return f"Among your candidates it chooses {found.chosen}, which is the cheapest."
    unit = f" {app.unit}" if app is not None and app.unit else ""
    return (
        f"Among your candidates it chooses {found.chosen}; {found.cheapest} would cost "
        f"{found.regret:.4g}{unit} a case less."
    )


@dataclass(frozen=True, slots=True)
class Audit:
    """What a metric rewards, next to what is at stake; made by `audit`.

    Parameters
    ----------
    metric : str
        Its name.
    application : Application or None
        What is at stake.
    compliance : Compliance
        Whether it ranks as any cost matrix does.
    opposite : OppositePair or None
        Two tables that it ranks opposite to the costs.
    implied : ImpliedCosts or None
        The costs that it implies at the given operating point; None where it implies none.
    misranking : MisrankingRate
        How often it ranks two good classifiers against the costs.
    candidates : CandidateAudit or None
        What it makes of the given candidates.
    remark : str
        Why it implies no costs at the given operating point, if so.
    """

    metric: str
    application: Application | None
    compliance: Compliance
    opposite: OppositePair | None
    implied: ImpliedCosts | None
    misranking: MisrankingRate
    candidates: CandidateAudit | None
    remark: str = ""

    @property
    def compliant(self) -> bool:
        """Whether it ranks as some cost matrix does."""
        return self.compliance.compliant

    @property
    def agrees(self) -> bool:
        """Whether it ranks as the costs of the application do, wherever it was tried."""
        return self.compliant and self.application is not None and self.opposite is None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict in words."""
        lines = [self.compliance.sentence]
        if self.agrees:
            lines.append("Those are your costs: choosing by it is choosing by cost.")
        elif self.compliant and self.application is not None:
            lines.append("Those are not your costs.")
        if self.implied is not None:
            lines.append(_against(self.implied, self.application))
        elif self.remark:
            lines.append(self.remark)
        if self.opposite is not None:
            lines.append(self.opposite.sentence)
        lines.append(_misranked(self.misranking, self.application))
        if self.candidates is not None:
            lines.append(_choice(self.candidates, self.application))
        return tuple(lines)

    @property
    def verdict(self) -> str:
        """The sentences as one text."""
        return " ".join(self.sentences)

    def frame(self) -> Frame:
        """One row of facts, as in the table of `audit_all`."""
        return Frame({name: [value] for name, value in self.row().items()})

    def row(self) -> dict[str, Any]:
        """The facts by name."""
        low, high = _price_range(self.compliance)
        among = self.candidates
        return {
            "metric": self.metric,
            "compliant": self.compliant,
            "failure": self.compliance.failure or "",
            "miss_cost_low": low,
            "miss_cost_high": high,
            "misranking": self.misranking.rate,
            "standard_error": self.misranking.standard_error,
            "implied_miss_cost": math.nan if self.implied is None else _miss_price(self.implied),
            "regret": math.nan if among is None or np.isnan(among.values).all() else among.regret,
        }

    def __repr__(self) -> str:
        kind = "compliant" if self.compliant else str(self.compliance.failure)
        return f"Audit({self.metric}: {kind}, misranks {100 * self.misranking.rate:.3g} %)"

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def _price_range(found: Compliance) -> tuple[float, float]:
    """Smallest and largest price of a miss in false alarms over all that was tried."""
    low, high = found.slopes["miss_cost_low"], found.slopes["miss_cost_high"]
    if found.compliant and len(low):
        return found.miss_cost, found.miss_cost
    return float(min(low, default=math.nan)), float(max(high, default=math.nan))


@answers_guesses
def audit(
    metric: Any, *, application: Any = None, matrix: Any = None,
    candidates: Mapping[str, ConfusionMatrix] | None = None, draws: int = 100_000,
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
    draws : int
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
    >>> found = audit("f1", application=app, matrix=[[850, 50], [20, 80]], draws=1000)
    >>> found.compliant, found.compliance.failure
    (False, 'not parallel')
    >>> print(found.sentences[1])
    At this operating point f1 treats a miss as 1.9 false alarms; your costs say 10.
    """
    application = _in_any_form(application)
    found, app = _judged(metric, application, matrix, candidates, draws, rng, higher_is_better)
    if app is None:
        return found
    opposite = opposite_pair(metric, application=app, higher_is_better=higher_is_better)
    return replace(found, opposite=opposite)


def _in_any_form(costs: Any) -> Any:
    """Costs as everywhere; those of this room as they are, so that refusals stay theirs."""
    return read_any_costs(costs) if isinstance(costs, (Mapping, str)) else costs


def _judged(
    metric: Any, application: Any, matrix: Any, candidates: Any, draws: int, rng: Any,
    higher_is_better: bool | None = None,
) -> tuple[Audit, Application | None]:  # fmt: skip
    """Everything but the search for an opposite pair; and the application that decides."""
    app = None if application is None else settled(application)
    _require_costs(app, matrix, candidates)
    judged = None if app is None else app.with_priors(None)
    size = 2 if app is None else len(app.classes)
    known: dict[str, Any] = {"application": judged, "higher_is_better": higher_is_better}
    found = compliance(metric, n_classes=size, **known)
    implied = among = None
    remark = ""
    if matrix is not None:
        try:
            implied = implied_costs(metric, matrix, **known)
        except UndefinedError as error:
            remark = f"{error.message[0].upper()}{error.message[1:]}"
    if candidates is not None:
        among = audit_candidates(metric, candidates, **{**known, "application": app})
    rate = misranking_rate(
        metric,
        utilities="uniform" if app is None else application,
        draws=draws,
        rng=rng,
        higher_is_better=higher_is_better,
    )
    return Audit(found.metric, app, found, None, implied, rate, among, remark), app


def audit_all(
    metrics: Iterable[Any] | None = None, *, application: Any = None, matrix: Any = None,
    candidates: Mapping[str, ConfusionMatrix] | None = None, draws: int = 20_000,
    rng: RandomSource = 0,
) -> Frame:  # fmt: skip
    """One row of facts for every metric of the catalogue that can be computed.

    Parameters
    ----------
    metrics : iterable, optional
        Which; by default the whole catalogue, less those whose parameters are unknown.
    application, matrix, candidates, draws, rng
        As for `audit`.

    Returns
    -------
    Frame
        Columns: metric, compliant, failure, cost of a miss in false alarms (smallest and
        largest over systems and prevalences; for two classes), misranking rate with its
        standard error, implied cost of a miss at `matrix`, regret among `candidates`.

    Examples
    --------
    >>> table = audit_all(["accuracy", "f1"], draws=1000)
    >>> table["compliant"].tolist()
    [True, False]
    """
    if metrics is None:
        metrics = _computable(None if application is None else settled(application))
    several = [metrics] if isinstance(metrics, str) else of_kind(metrics, "metrics", Iterable)
    rows = [
        _judged(metric, application, matrix, candidates, draws, rng)[0].row() for metric in several
    ]
    if not rows:
        raise DataError("`metrics` must name at least one metric; got none.")
    return Frame({name: [row[name] for row in rows] for name in rows[0]})


def _require_costs(app: Application | None, matrix: Any, candidates: Any) -> None:
    """Candidates, and tables of more than two classes, cannot be judged without costs."""
    if app is not None:
        if not np.ptp(app.costs.values, axis=1).any():
            raise CostError("every decision costs the same, so there is nothing to choose.")
        if len(app.decisions) != len(app.classes):
            raise CostError(
                f"an audit needs decisions that are the classes; got {app.decisions}.",
                hint="audit.implied_costs takes any decisions",
            )
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


def _computable(app: Application | None) -> list[Any]:
    """Entries of the catalogue that need no parameter that nobody gave."""
    if app is None:
        return [metric for metric in catalogue.tables() if not metric.missing]
    known = app.with_priors(None)
    two = len(app.classes) == 2
    ready = [m.with_application(known) for m in catalogue.tables() if two or m.classes != "two"]
    return [metric for metric in ready if not metric.missing]
