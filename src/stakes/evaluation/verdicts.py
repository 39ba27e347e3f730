"""The verdict: one sentence of a closed set, then what it is worth and what to mind."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from stakes.report.amounts import grouped, money, percent, plain

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation, ModelEvaluation

__all__ = ["KINDS", "kind_of", "remarks", "sentence"]

#: The closed set of verdicts.
KINDS = (
    "deploy",
    "deploy after re-calibrating",
    "cannot tell apart",
    "it depends",
    "none",
    "cannot say",
)
#: A gain from re-calibrating below this much NEC is not worth a word.
WORTH_SAYING = 0.005


def kind_of(ev: Evaluation) -> str:
    """Which of the verdicts holds."""
    best = ev[ev.best]
    if ev.too_few:
        return "cannot say"
    if len(ev.switches) > 1:
        return "it depends"
    if _better_after(ev, best):
        return "deploy after re-calibrating"
    if best.nec >= 1:
        return "none"
    if best.interval is not None and best.interval[1] >= 1:
        return "cannot say"
    return "cannot tell apart" if ev.rival is not None else "deploy"


def _better_after(ev: Evaluation, best: ModelEvaluation) -> bool:
    """Whether re-calibrating makes another model best, or a useless one useful."""
    after = ev.best_recalibrated
    if after is None or after.recalibrated_nec is None or not ev.surely_better:
        return False
    changes = after.name != best.name or best.nec >= 1
    return changes and after.recalibrated_nec < min(1.0, best.nec - WORTH_SAYING)


def sentence(ev: Evaluation) -> str:
    """The verdict in words."""
    kind, best = kind_of(ev), ev[ev.best]
    baseline = f"always deciding {_quoted(ev.application.naive_decision)}"
    if kind == "none":
        return (
            f"None: keep {baseline}. No model here costs less "
            f"(the nearest, {best.name}, costs {percent(best.nec, 0)} of it)."
        )
    if kind == "cannot say":
        return _cannot_say(ev, best, baseline)
    if kind == "it depends":
        return _depends(ev)
    if kind == "deploy after re-calibrating":
        after = ev.best_recalibrated
        assert after is not None
        assert after.recalibrated_nec is not None
        saved = ev.naive_cost * (1 - after.recalibrated_nec)
        return (
            f"Deploy {after.name} after re-calibrating. It then avoids "
            f"{percent(1 - after.recalibrated_nec, 0)} of the cost of {baseline}: "
            f"{_amount(ev, saved)}."
        )
    worth = (
        f"avoids {percent(1 - best.nec, 0)} of the cost of {baseline}: {_amount(ev, best.saving)}"
        f"{_saving_range(ev, best)}."
    )
    if kind == "cannot tell apart":
        return f"{_apart(ev, best)} {best.name} {worth}"
    at = f" at p > {best.threshold:.3g}" if best.threshold is not None else ""
    return f"Deploy {best.name}{at}. It {worth}"


def remarks(ev: Evaluation) -> list[str]:
    """What to mind besides: calibration worth having, and how far the choice holds."""
    said = []
    for model in ev.models:
        after = model.recalibrated_nec
        if model.name == ev.best and after is not None and model.nec - after > WORTH_SAYING:
            gain = _amount(ev, ev.naive_cost * (model.nec - after))
            said.append(f"{model.name}: re-calibrating is worth another {gain}")
    return said


def _apart(ev: Evaluation, best: ModelEvaluation) -> str:
    """That two models cannot be told apart, by how much, and what it would take."""
    rival = ev.rival
    assert rival is not None
    other = rival.second if rival.first == best.name else rival.first
    half = (rival.high - rival.low) / 2
    text = (
        f"{best.name} or {other}: the data cannot tell them apart "
        f"(difference {abs(rival.value):.3f} ± {half:.3f}"
    )
    more = rival.cases_needed - ev.n_cases
    if math.isfinite(more) and more > 0:
        digits = max(0, math.floor(math.log10(max(more, 1))) - 1)
        text += f"; about {grouped(math.ceil(more / 10**digits) * 10**digits)} more cases needed"
    return text + ")."


def _cannot_say(ev: Evaluation, best: ModelEvaluation, baseline: str) -> str:
    """Too few cases, or an interval that reaches past the naive decision."""
    if ev.too_few:
        return f"Cannot say: {ev.too_few}."
    assert best.interval is not None
    low, high = best.interval
    return (
        f"Cannot say: {best.name} may be no better than {baseline} "
        f"(NEC {best.nec:.3f}, interval {low:.3f} to {high:.3f})."
    )


def _depends(ev: Evaluation) -> str:
    """Which model wins in which part of the range of costs."""
    parts = []
    for switch in ev.switches:
        name = "no model" if switch.winner == "none" else switch.winner
        if math.isinf(switch.high):
            parts.append(f"{name} if a miss costs more than {plain(switch.low, 2)} false alarms")
        elif switch is ev.switches[0]:
            parts.append(f"{name} if a miss costs up to {plain(switch.high, 2)} false alarms")
        else:
            parts.append(f"{name} from {plain(switch.low, 2)} to {plain(switch.high, 2)}")
    return f"It depends: {', '.join(parts)}."


def _amount(ev: Evaluation, saving: float) -> str:
    """A saving per case as an amount: per period when the volume is known."""
    app = ev.application
    if app.volume is None:
        return f"{money(saving, app.unit)} per case"
    total = money(saving * app.volume, app.unit)
    return f"{total} a {app.period}" if app.period else f"{total} on {grouped(app.volume)} cases"


def _saving_range(ev: Evaluation, model: ModelEvaluation) -> str:
    """The interval of the saving, in brackets."""
    if model.interval is None:
        return ""
    volume = ev.application.volume or 1.0
    low, high = (
        money(ev.naive_cost * (1 - nec) * volume, None) for nec in reversed(model.interval)
    )
    return f" ({low} to {high})"


def _quoted(name: object) -> str:
    """A name as it stands in a sentence."""
    return f"'{name}'"
