"""The verdict: one sentence out of a closed set, then what it is worth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from stakes.report.amounts import grouped, money, percent
from stakes.report.findings import Findings, ModelFinding

if TYPE_CHECKING:
    from stakes.uncertainty import Difference

__all__ = ["baseline", "verdict"]

#: Models whose costs differ by less than this share of the naive cost are called equal.
SAME_COST = 1e-12


def verdict(findings: Findings) -> str:
    """Say which model to deploy and what that saves, or that none is worth it.

    The sentence is one of: deploy X; X or Y, which cost the same; X or Y, which the data
    cannot tell apart; none; cannot say; nothing to decide.

    Parameters
    ----------
    findings : Findings
        All models at one application.

    Returns
    -------
    str
        One or two sentences.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> from stakes.report import Findings, judge
    >>> app = Application([[0, 1], [10, 0]], priors=[0.95, 0.05])
    >>> cm = ConfusionMatrix([[90, 5], [1, 4]])
    >>> print(verdict(Findings("t.csv", 100, app, cm.priors, "0", 0.5,
    ...                        (judge(cm, app, name="gbm"),), cm.class_totals)))
    Deploy gbm. It avoids 70 % of the cost of always deciding '0': 0.35 per case.
    """
    best = findings.best
    if best.nec is None:
        return (
            f"Nothing to decide: {baseline(findings)} is already perfect under these costs "
            "and shares."
        )
    if best.nec >= 1:
        return (
            f"None: keep {baseline(findings)}. No model here costs less "
            f"(the nearest, {best.name}, costs {percent(best.nec, 0)} of it)."
        )
    if best.interval is not None and best.interval[1] >= 1:
        low, high = best.interval
        return (
            f"Cannot say: {best.name} may be no better than {baseline(findings)} "
            f"(NEC {best.nec:.3f}, 95 % interval {low:.3f} to {high:.3f})."
        )
    equals = _equals(findings)
    if len(equals) > 1:
        names = " or ".join(model.name for model in equals)
        return f"{names}: they cost the same on these cases. {_worth(findings, best, 'Either')}"
    if findings.rival is not None:
        return f"{_apart(findings.rival, best)} {_worth(findings, best, best.name)}"
    at = f" at {best.rule}" if best.threshold is not None else ""
    return f"Deploy {best.name}{at}. {_worth(findings, best, 'It')}"


def baseline(findings: Findings) -> str:
    """The best decision that ignores the model, in words."""
    return f"always deciding '{findings.naive_decision}'"


def _apart(rival: Difference, best: ModelFinding) -> str:
    """That two models cannot be told apart, by how much, and what it would take."""
    other = rival.second if rival.first == best.name else rival.first
    half = (rival.high - rival.low) / 2
    text = (
        f"{best.name} or {other}: the data cannot tell them apart "
        f"(difference {abs(rival.value):.3f} ± {half:.3f}"
    )
    if math.isfinite(rival.cases_needed):
        digits = max(0, math.floor(math.log10(max(rival.cases_needed, 1))) - 1)
        needed = math.ceil(rival.cases_needed / 10**digits) * 10**digits
        text += f"; about {grouped(needed)} cases needed"
    return text + ")."


def _equals(findings: Findings) -> list[ModelFinding]:
    """The models that cost as much as the best one."""
    margin = SAME_COST * max(abs(findings.naive_cost), abs(findings.best.cost))
    return [m for m in findings.models if m.cost - findings.best.cost <= margin]


def _worth(findings: Findings, model: ModelFinding, subject: str) -> str:
    """What the model avoids, as a share and as an amount, with its interval."""
    assert model.nec is not None
    text = (
        f"{subject} avoids {percent(1 - model.nec, 0)} of the {_cost(findings)} of "
        f"{baseline(findings)}: "
    )
    saving = findings.saving(model)
    text += _amount(findings, saving)
    if model.interval is not None:
        unit = findings.application.volume or 1.0
        naive = saving / (1 - model.nec)
        low, high = (money(naive * (1 - nec) * unit, None) for nec in reversed(model.interval))
        text += f" ({low} to {high})"
    return text + "."


def _cost(findings: Findings) -> str:
    """With gains, or costs that cannot be avoided, the share is of what can be avoided."""
    lowest = findings.application.costs.values.min(axis=1)
    return "cost" if (lowest == 0).all() else "avoidable cost"


def _amount(findings: Findings, saving: float) -> str:
    """A saving per case as an amount: per period when the volume is known."""
    application = findings.application
    if application.volume is None:
        return f"{money(saving, application.unit)} per case"
    total = money(saving * application.volume, application.unit)
    if application.period:
        return f"{total} a {application.period}"
    return f"{total} on {grouped(application.volume)} cases"
