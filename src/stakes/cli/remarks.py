"""What was assumed, in sentences: base rates, few cases, decisions that are no outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application, CostMatrix
from stakes.cli.cases import Cases, quoted
from stakes.decisions import bayes_decisions
from stakes.metrics import expected_cost
from stakes.posteriors import Posteriors
from stakes.report import ModelFinding
from stakes.report.amounts import grouped, per_case, percent, plain

__all__ = ["about_base_rate", "about_extra_decisions", "about_numbers", "about_switches"]

#: With fewer cases of an outcome than this, figures are called rough.
FEW = 100
#: The probability that shows how far a base rate moves the others.
EXAMPLE = 0.3


def about_base_rate(cases: Cases, app: Application, args: Any) -> list[str]:
    """How shares that differ from those of the data were taken into account."""
    assert app.priors is not None
    if np.array_equal(app.priors, cases.priors):
        return ["the share of each outcome is that of the file (--prevalence says otherwise)"]
    where = cases.classes[1] if len(cases.classes) == 2 else None
    if where is not None:
        here, there = percent(cases.priors[1]), percent(app.priors[1])
        said = f"your test set has {here} '{where}'; you said {there}."
    else:
        said = f"your test set has {_spread(cases.classes, cases.priors)}; you said "
        said += f"{_spread(cases.classes, app.priors)}."
    alike = "This assumes cases *within* each outcome look alike in both places."
    if args.decisions:
        return [f"{said} The rates of each outcome were weighed by the new shares. {alike}"]
    if args.posteriors_already_adjusted:
        return [f"{said} The probabilities were taken to hold for the new shares already."]
    if args.scores_are in ("llr", "rank"):
        return [f"{said} The threshold was set for the new shares. {alike}"]
    moved = f"Each probability was moved to the new base rate{_example(cases, app)}."
    act = "'act when' is on the numbers as they stand in the file." if args.scores else ""
    return [f"{said} {moved} {alike} {act}".rstrip()]


def _example(cases: Cases, app: Application) -> str:
    """One probability before and after the move."""
    if len(cases.classes) != 2 or (cases.priors == 0).any():
        return ""
    assert app.priors is not None
    moved = Posteriors([EXAMPLE]).with_priors(app.priors, old=cases.priors)
    after = f"{float(moved.values[0, 1]):.2g}"
    return f" ({EXAMPLE:.2f} -> {after})"


def _spread(classes: tuple[str, ...], shares: NDArray[Any]) -> str:
    """Shares by name, e.g. cat 50 %, dog 30 %."""
    pairs = [f"{name} {percent(share)}" for name, share in zip(classes, shares, strict=True)]
    return ", ".join(pairs[:6]) + (f" and {len(pairs) - 6} more" if len(pairs) > 6 else "")


def about_numbers(
    kind: str, totals: NDArray[Any], classes: tuple[str, ...], args: Any
) -> list[str]:
    """What decisions cannot tell, what ranks need, and where cases are few."""
    said = []
    if kind == "decisions":
        said.append(
            "These are decisions, not scores, so I can compare them but not move a threshold."
        )
    elif args.scores_are == "rank":
        said.append("scores give an order only: each fifth is decided by the threshold of the rest")
    absent = [name for name, total in zip(classes, totals, strict=True) if total == 0]
    if absent:
        said.append(f"no case of {quoted(absent)} in the data")
    rare = int(np.argmin(np.where(totals > 0, totals, np.inf)))
    if totals[rare] < FEW:
        count = grouped(totals[rare])
        cases = "case" if totals[rare] == 1 else "cases"
        said.append(f"only {count} {cases} of '{classes[rare]}': the figures are rough")
    return said


def about_switches(models: Sequence[ModelFinding], app: Application) -> list[str]:
    """For which costs the best of several deciders stops being it; two outcomes, two decisions."""
    if app.costs.shape != (2, 2) or len(models) < 2:
        return []
    assert app.priors is not None
    best = min(models, key=lambda model: model.cost)
    said = []
    for other in models:
        misses = app.priors[1] * (other.confusion.rates[1, 0] - best.confusion.rates[1, 0])
        alarms = app.priors[0] * (other.confusion.rates[0, 1] - best.confusion.rates[0, 1])
        if misses * alarms >= 0:
            continue  # one is never worse than the other
        ratio = plain(float(-alarms / misses), 3)
        more = "more" if misses > 0 else "less"
        said.append(
            f"{best.name} beats {other.name} as long as a miss costs {more} than {ratio} false "
            f"alarm{'' if ratio == '1' else 's'}"
        )
    return said


def about_extra_decisions(
    finding: ModelFinding,
    posteriors: NDArray[np.float64] | None,
    cases: Cases,
    app: Application,
) -> list[str]:
    """How often a decision that is not an outcome is taken, what it costs and what it saves."""
    extra = [j for j, name in enumerate(app.decisions) if name not in app.classes]
    if not extra or len(extra) == len(app.decisions) or len(app.decisions) < 3:
        return []
    assert app.priors is not None
    rates = np.nan_to_num(finding.confusion.rates, nan=0.0)
    used = app.priors @ rates
    said = []
    for j in extra:
        text = f"{finding.name} decides '{app.decisions[j]}' in {percent(used[j], 0)} of cases"
        cost = float(finding.cells[:, j].sum())
        text += f", which costs {per_case(cost)}"
        if posteriors is not None:
            saved = _cost_without(j, posteriors, cases, app) - finding.cost
            text += f" and saves {per_case(saved)}"
        said.append(text + " per case")
    return said


def _cost_without(j: int, posteriors: NDArray[np.float64], cases: Cases, app: Application) -> float:
    """What the model would cost per case if decision `j` did not exist."""
    keep = [k for k in range(len(app.decisions)) if k != j]
    names = [app.decisions[k] for k in keep]
    costs = CostMatrix(app.costs.values[:, keep], app.classes, names)
    return expected_cost(
        cases.truth,
        bayes_decisions(posteriors, costs),
        application=app.with_costs(costs),
        sample_weight=cases.weights,
    )
