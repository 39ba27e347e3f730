"""The verdict: one sentence out of a closed set, then what it is worth."""

from __future__ import annotations

from stakes.report.amounts import money, percent
from stakes.report.findings import Findings, ModelFinding

__all__ = ["baseline", "verdict"]

#: Models whose costs differ by less than this share of the naive cost are called equal.
SAME_COST = 1e-12


def verdict(findings: Findings) -> str:
    """Say which model to deploy and what that saves, or that none is worth it.

    The sentence is one of: deploy X; X or Y, which cost the same; none; nothing to decide.

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
    equals = _equals(findings)
    if len(equals) > 1:
        names = " or ".join(model.name for model in equals)
        return f"{names}: they cost the same on these cases. {_worth(findings, best, 'Either')}"
    at = f" at {best.rule}" if best.threshold is not None else ""
    return f"Deploy {best.name}{at}. {_worth(findings, best, 'It')}"


def baseline(findings: Findings) -> str:
    """The best decision that ignores the model, in words."""
    return f"always deciding '{findings.naive_decision}'"


def _equals(findings: Findings) -> list[ModelFinding]:
    """The models that cost as much as the best one."""
    margin = SAME_COST * max(abs(findings.naive_cost), abs(findings.best.cost))
    return [m for m in findings.models if m.cost - findings.best.cost <= margin]


def _worth(findings: Findings, model: ModelFinding, subject: str) -> str:
    """What the model avoids, as a share and as an amount."""
    assert model.nec is not None
    return (
        f"{subject} avoids {percent(1 - model.nec, 0)} of the {_cost(findings)} of "
        f"{baseline(findings)}: "
        f"{worth(findings, findings.saving(model))}."
    )


def _cost(findings: Findings) -> str:
    """With gains, or costs that cannot be avoided, the share is of what can be avoided."""
    lowest = findings.application.costs.values.min(axis=1)
    return "cost" if (lowest == 0).all() else "avoidable cost"


def worth(findings: Findings, saving: float) -> str:
    """A saving per case as an amount: per period when the volume is known."""
    application = findings.application
    if application.volume is None:
        return f"{money(saving, application.unit)} per case"
    total = money(saving * application.volume, application.unit)
    if application.period:
        return f"{total} a {application.period}"
    return f"{total} on {application.volume:,.0f} cases".replace(",", " ")
