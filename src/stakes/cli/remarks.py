"""What was assumed, in sentences: base rates, absent cases, decisions that are no outcomes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application
from stakes.cli.cases import Cases, quoted
from stakes.evaluation import Evaluation
from stakes.posteriors import Posteriors
from stakes.report.amounts import per_case, percent, plain

__all__ = [
    "ALIKE",
    "AS_IN_FILE",
    "about_base_rate",
    "about_extra_decisions",
    "about_numbers",
    "about_switches",
    "both_shares",
]

#: The probability that shows how far a base rate moves the others.
EXAMPLE = 0.3
AS_IN_FILE = "the share of each outcome is that of the file (--prevalence says otherwise)"
ALIKE = "This assumes cases *within* each outcome look alike in both places."


def about_base_rate(cases: Cases, app: Application, args: Any) -> list[str]:
    """How shares that differ from those of the data were taken into account."""
    assert app.priors is not None
    if np.array_equal(app.priors, cases.priors):
        return [AS_IN_FILE]
    said, alike = both_shares(cases, app), ALIKE
    if args.decisions:
        return [f"{said} The rates of each outcome were weighed by the new shares. {alike}"]
    if args.posteriors_already_adjusted:
        return [f"{said} The probabilities were taken to hold for the new shares already."]
    if args.scores_are in ("llr", "rank"):
        return [f"{said} The threshold was set for the new shares. {alike}"]
    moved = f"Each probability was moved to the new base rate{_example(cases, app)}."
    act = "'act when' is on the numbers as they stand in the file." if args.scores else ""
    return [f"{said} {moved} {alike} {act}".rstrip()]


def both_shares(cases: Cases, app: Application) -> str:
    """The shares of the file and those that were given."""
    assert app.priors is not None
    if len(cases.classes) == 2:
        here, there = percent(cases.priors[1]), percent(app.priors[1])
        return f"your test set has {here} '{cases.classes[1]}'; you said {there}."
    return (
        f"your test set has {_spread(cases.classes, cases.priors)}; you said "
        f"{_spread(cases.classes, app.priors)}."
    )


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


def about_numbers(kind: str, cases: Cases, args: Any) -> list[str]:
    """What decisions cannot tell, what ranks need, and which outcome does not occur."""
    said = []
    if kind == "decisions":
        said.append(
            "These are decisions, not scores, so I can compare them but not move a threshold."
        )
    elif args.scores_are == "rank":
        said.append("scores give an order only: each fifth is decided by the threshold of the rest")
    absent = [n for n, total in zip(cases.classes, cases.totals, strict=True) if total == 0]
    if absent:
        said.append(f"no case of {quoted(absent)} in the data")
    return said


def about_switches(ev: Evaluation) -> list[str]:
    """For which costs the best of several deciders stops being it; two outcomes, two decisions."""
    app = ev.application
    if app.costs.shape != (2, 2) or len(ev) < 2:
        return []
    assert app.priors is not None
    best = ev[ev.best]
    said = []
    for other in ev.models:
        misses = app.priors[1] * (other.confusion.rates[1, 0] - best.confusion.rates[1, 0])
        alarms = app.priors[0] * (other.confusion.rates[0, 1] - best.confusion.rates[0, 1])
        if misses * alarms >= 0:
            continue  # one is never worse than the other
        ratio = plain(float(-alarms / misses), 3)
        more = "more" if misses > 0 else "less"
        said.append(
            f"{best.name} beats {other.name} as long as a miss costs {more} than {ratio} false "
            f"alarm{'' if ratio == '1' else 's'}; choosing it means that to you it does"
        )
    return said


def about_extra_decisions(ev: Evaluation) -> list[str]:
    """How often a decision that is not an outcome is taken, what it costs and what it saves."""
    app = ev.application
    extra = [j for j, name in enumerate(app.decisions) if name not in app.classes]
    if not extra or len(extra) == len(app.decisions) or len(app.decisions) < 3:
        return []
    used = ev.use(ev.best)
    said = []
    for j in extra:
        text = f"{ev.best} decides '{app.decisions[j]}' in {percent(used['share'][j], 0)} of cases"
        text += f", which costs {per_case(float(used['cost'][j]))}"
        if not np.isnan(used["saves"][j]):
            text += f" and saves {per_case(float(used['saves'][j]))}"
        said.append(text + " per case")
    return said
