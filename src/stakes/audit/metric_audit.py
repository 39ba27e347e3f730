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
from stakes.audit.audit_words import (
    AuditPage,
    against,
    choice,
    errors_in,
    false_alarms,
    opening,
    short,
)
from stakes.audit.candidates import CandidateAudit, audit_candidates
from stakes.audit.compliance import compliance
from stakes.audit.compliance_witnesses import Compliance
from stakes.audit.count_metric import catalogued
from stakes.audit.implied_costs import ImpliedCosts, implied_costs
from stakes.audit.misranking import MisrankingRate, misranking_rate
from stakes.audit.opposite_rankings import OppositePair, opposite_pair
from stakes.audit.ranking_metric import ScoreAudit, audit_ranking
from stakes.exceptions import CostError, DataError, UndefinedError
from stakes.messages.audience import either
from stakes.messages.steps import steps
from stakes.metrics.counts.table_cells import as_table
from stakes.metrics.metric_catalogue import catalogue, spoken
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.typing import RandomSource


def _miss_price(implied: ImpliedCosts) -> float:
    """The implied price of a miss; `nan` for more than two classes."""
    return implied.miss_cost if implied.costs.shape == (2, 2) else math.nan


def _misranked(name: str, rate: MisrankingRate, app: Application | None) -> str:
    """The misranking rate in words."""
    share = f"{100 * rate.rate:.1f} % of pairs (standard error {100 * rate.standard_error:.1f} %)"
    if app is None:
        return (
            f"Of two good models drawn at random {name} picks the worse one in {share}, averaged "
            "over costs of every kind."
        )
    return f"Of two good models drawn at random {name} picks the one that costs more in {share}."


@dataclass(frozen=True, slots=True)
class Audit(AuditPage):
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
    point : str
        What the operating point is, if that is known: ", by gbm at p > 0.04".
    """

    metric: str
    application: Application | None
    compliance: Compliance
    opposite: OppositePair | None
    implied: ImpliedCosts | None
    misranking: MisrankingRate
    candidates: CandidateAudit | None
    remark: str = ""
    point: str = ""

    @property
    def compliant(self) -> bool:
        """Whether it ranks as some cost matrix does."""
        return self.compliance.compliant

    @property
    def agrees(self) -> bool:
        """Whether it ranks as the costs of the application do, wherever it was tried."""
        return self.compliant and self.application is not None and self.opposite is None

    @property
    def headline(self) -> str:
        """The answer in one sentence: how it treats a miss, and how your costs do."""
        if self.implied is not None:
            return against(self.implied.sentence, _miss_price(self.implied), self.application)
        low, high = _price_range(self.compliance)
        if math.isnan(low) or low < 0:
            return self.compliance.sentence
        name = opening(self.metric)
        if low == high and not (low and math.isfinite(low)):
            only = "misses" if low else "false alarms"
            return against(f"{name} counts only {only}.", math.inf, self.application)
        stated = false_alarms(high, 2)
        if low == high:
            return against(f"{name} treats a miss as {stated}.", low, self.application)
        depending = "depending on the model and on how rare the classes are"
        varying = f"{name} treats a miss as {short(low, 2)} to {stated}, {depending}."
        return against(varying, math.inf, self.application)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict in words: the answer, then the reasons."""
        lines = [self.headline]
        if self.implied is not None and self.implied.costs.shape == (2, 2):
            lines.append(f"Here: {errors_in(self.implied.matrix.counts)}{self.point}.")
        elif self.remark:
            lines.append(self.remark)
        if self.agrees:
            lines.append("It ranks models as your costs do: choosing by it is choosing by cost.")
        elif self.compliant and self.application is not None:
            lines.append("It ranks models as some fixed costs do, but not as yours do.")
        elif self.compliance.sentence != lines[0]:
            lines.append(self.compliance.sentence)
        if self.opposite is not None:
            lines.append(self.opposite.sentence)
        lines.append(_misranked(spoken(self.metric), self.misranking, self.application))
        if self.candidates is not None:
            lines.append(choice(self.candidates, self.application))
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
    """Smallest and largest price of a miss, in false alarms, over everything tried."""
    low, high = found.slopes["miss_cost_low"], found.slopes["miss_cost_high"]
    if found.compliant and len(low):
        return found.miss_cost, found.miss_cost
    return float(min(low, default=math.nan)), float(max(high, default=math.nan))


@answers_guesses
def audit(
    metric: Any, *, application: Any = None, matrix: Any = None,
    candidates: Mapping[str, ConfusionMatrix] | None = None, draws: int = 100_000,
    rng: RandomSource = 0, higher_is_better: bool | None = None,
) -> Audit | ScoreAudit:  # fmt: skip
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
        Real systems to choose from; for a metric of scores such as AUC, their `ScoreCounts`.
    draws : int
        Number of random pairs for the misranking rate.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    higher_is_better : bool, optional
        Direction of a function of one's own; yes by default.

    Returns
    -------
    Audit or ScoreAudit
        Verdict, implied costs, a pair that it ranks against the costs, misranking rate and
        regret; print it for the sentences. For a metric of scores, what it stands for.

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
    >>> print(found.headline)
    F1 treats a miss as 1.9 false alarms here; your costs say 10.
    """
    application = _in_any_form(application)
    entry = catalogued(metric)
    if entry is not None and entry.of == "scores":
        return audit_ranking(entry, application, matrix, candidates)
    found, app = _judged(metric, application, matrix, candidates, draws, rng, higher_is_better)
    if app is None:
        return found
    opposite = opposite_pair(metric, application=app, higher_is_better=higher_is_better)
    return replace(found, opposite=opposite)


def _in_any_form(costs: Any) -> Any:
    """Costs in any form; objects of this room are passed on, so that their own checks apply."""
    return read_any_costs(costs) if isinstance(costs, (Mapping, str)) else costs


def _judged(
    metric: Any, application: Any, matrix: Any, candidates: Any, draws: int, rng: Any,
    higher_is_better: bool | None = None,
) -> tuple[Audit, Application | None]:  # fmt: skip
    """Everything but the search for an opposite pair; and the application that decides."""
    app = None if application is None else settled(application)
    _require_costs(app, matrix, candidates)
    judged = None if app is None else app.with_priors(None)
    size = len(app.classes) if app is not None else 2 if matrix is None else _size(matrix)
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
        utilities=_any_utilities(size) if app is None else application,
        draws=draws,
        rng=rng,
        higher_is_better=higher_is_better,
    )
    return Audit(found.metric, app, found, None, implied, rate, among, remark), app


def audit_all(
    metrics: Iterable[Any] | None = None, *, application: Any = None, matrix: Any = None,
    candidates: Mapping[str, ConfusionMatrix] | None = None, draws: int = 100_000,
    rng: RandomSource = 0,
) -> Frame:  # fmt: skip
    """One row of facts for every metric of the catalogue that can be computed.

    Parameters
    ----------
    metrics : iterable, optional
        Which metrics; by default all of the catalogue whose parameters are known.
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
        _judged(metric, application, matrix, candidates, draws, rng)[0].row()
        for metric in steps("auditing metrics", several)
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
                hint=either(
                    "audit.implied_costs takes any decisions",
                    "give costs of the outcomes alone:  --cost fn=10 fp=1",
                ),
            )
        return
    if candidates is not None:
        raise CostError("to judge `candidates` an audit needs to know what decisions cost.",
                        hint="application=Application([[0, 1], [10, 0]])")  # fmt: skip


def _size(matrix: Any) -> int:
    """How many classes an operating point has; its decisions must be these."""
    rows, columns = as_table(matrix).counts.shape
    if rows != columns:
        raise CostError(
            f"without costs an audit needs decisions that are the classes; `matrix` has the "
            f"shape {(rows, columns)}.",
            hint=either(
                "give application=..., or ask audit.implied_costs alone",
                "say what errors cost:  --cost error=1",
            ),
        )
    return int(rows)


def _any_utilities(size: int) -> Any:
    """Random costs: the published distribution for two classes, uniform error costs for more."""
    if size == 2:
        return "uniform"
    return lambda rng, n: rng.random((n, size, size)) * (1 - np.eye(size))


def _computable(app: Application | None) -> list[Any]:
    """Entries of the catalogue whose parameters are all known."""
    if app is None:
        return [metric for metric in catalogue.tables() if not metric.missing]
    known = app.with_priors(None)
    two = len(app.classes) == 2
    ready = [m.with_application(known) for m in catalogue.tables() if two or m.classes != "two"]
    return [metric for metric in ready if not metric.missing]
