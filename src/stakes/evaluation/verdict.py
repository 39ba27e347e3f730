"""The verdict: one sentence of a closed set, then what it is worth, what to mind, and what is
unknown.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stakes.messages.notes import Note
from stakes.messages.quantities import digits_apart, grouped, money, normalized, percent, plain

if TYPE_CHECKING:
    from stakes.evaluation.challenge import Challenge
    from stakes.evaluation.evaluation import Evaluation
    from stakes.evaluation.model_evaluation import ModelEvaluation


def _depends(ev: Evaluation) -> bool:
    """Whether the choice depends on where in their range costs and shares are."""
    if len(ev.switches) > 1:
        return True
    along = ev.application.costs.shape == (2, 2) and ev.sources is not None and bool(ev.ranges)
    return not along and ev.doubt is not None and ev.doubt.depends


def _on_what(ev: Evaluation) -> str:
    """Which model wins in which part of the range, and which to take if that stays unknown."""
    said, safe = _by_ratio(ev) if len(ev.switches) > 1 else _by_place(ev), ""
    if ev.doubt is not None:
        name = ev.doubt.safest
        worst = _at_most(ev.doubt.worst(name))
        safe = f" If that stays unknown, {quoted_name(name)} is safest: {worst}."
    return f"It depends: {said}.{safe}"


def _by_ratio(ev: Evaluation) -> str:
    """Winners along the one scale of two classes."""
    unknown = "costs" if ev.doubt is None else ev.doubt.unknown
    prior, second = _shares(ev)[1], ev.application.classes[1]
    names = [_winner(each.winner) for each in ev.switches]
    ratios = [each.low for each in ev.switches[1:]]
    borders = [plain(ratio, digits_apart(each.low for each in ev.ranges)) for ratio in ratios]
    above = f"a miss costs more than {borders[-1]} false alarms"
    if unknown == "shares":
        (tn, fp), (fn, tp) = ev.application.costs.values
        odds = [ratio * (fp - tn) / (fn - tp) * prior / (1 - prior) for ratio in ratios]
        borders = [percent(each / (1 + each)) for each in odds]
        above = f"more than {borders[-1]} are '{second}'"
    parts = [f"{names[-1]} if {above}"]
    for k in range(len(names) - 2, 0, -1):
        parts.append(f"{names[k]} from {borders[k - 1]} to {borders[k]}")
    where = f" (where {percent(prior)} are '{second}')" if unknown == "both" else ""
    return f"{', '.join(parts)}, else {names[0]}{where}"


def _by_place(ev: Evaluation) -> str:
    """Winners at the ends, each with one end at which it wins."""
    assert ev.doubt is not None
    pairs = list(zip(ev.doubt.winners, ev.doubt.places, strict=True))
    parts = []
    for winner in dict.fromkeys(name for name, _ in pairs if name != "tie"):
        first, *others = [place for name, place in pairs if name == winner]
        more = f" and {len(others)} other end{'s' if len(others) > 1 else ''}" if others else ""
        parts.append(f"{_winner(winner)} at {first}{more}")
    return f"{'; '.join(parts)} ({ev.doubt.words})"


def _winner(name: str) -> str:
    """The model that wins somewhere, in a sentence."""
    return "no model" if name == "none" else quoted_name(name)


def _shares(ev: Evaluation) -> list[float]:
    """The share of each outcome where the models will run."""
    return [float(p) for p in ev.application.resolved_priors(ev.data_priors)]


def _at_most(regret: float) -> str:
    """A worst regret in words."""
    if regret < 0.0005:
        return "no other choice costs less anywhere in the range"
    return f"at most {regret:.3f} NEC above the best choice"


def _over_the_range(ev: Evaluation) -> list[Note]:
    """How the best model does over the whole range, its decisions following or kept."""
    if ev.doubt is None:
        return []
    best, worst, said = quoted_name(ev.best), ev.doubt.worst(ev.best), []
    if not _depends(ev):
        if worst < 0.0005:
            stays = "costs least" if len(ev) > 1 else "pays off"
            said.append(Note("range-holds", model=best, stays=stays))
        else:
            said.append(Note("range-regret", model=best, regret=_at_most(worst)))
            if (safe := ev.doubt.safest) != ev.best:
                regret = _at_most(ev.doubt.worst(safe))
                said.append(Note("range-safest", model=quoted_name(safe), regret=regret))
    kept, rule = ev.doubt.kept(ev.best), ev[ev.best].act_when
    if rule is not None and kept > worst + 0.0005:
        said.append(Note("rule-kept", rule=rule, model=best, regret=f"{kept:.3f}"))
    return said


#: The verdict by which calibration makes a model best, or useful.
AFTER = "deploy after re-calibrating"
#: The verdict by which the model in use stays.
KEEP = "keep"
#: The closed set of verdicts.
KINDS = ("deploy", AFTER, "cannot tell apart", "it depends", "none", "cannot say", "switch", KEEP)
#: What some of them are called where there is no room for the sentence.
BRIEF = {"cannot tell apart": "either will do", "none": "use no model", "cannot say": "unclear"}
#: The verdicts by which the cheapest model may be deployed as it is.
DEPLOYS = ("deploy", "cannot tell apart", "switch")
#: The cost ratio in use is close to an end of the range that is within this factor of it.
NARROW = 1.5
#: A gain from re-calibrating below this much NEC is not worth a word.
WORTH_SAYING = 0.005
#: Models whose costs differ by less than this share of the naive cost are called equal.
SAME_COST = 1e-12
#: From this chance of being best on, a reader asks why the verdict cannot tell.
_PROBABLY = 0.8
#: Of more models than this that cannot be told apart, not all are named.
_MOST_NAMED = 4
#: With fewer cases of a class than this, figures are called rough.
_FEW = 100
#: How far the slope of the calibration must be from 1 to be called a lack or excess of confidence.
_SLOPE = 0.05


def kind_of(ev: Evaluation) -> str:
    """Which of the verdicts holds."""
    best = ev[ev.best]
    if ev.too_few:
        return "cannot say"
    if _depends(ev):
        return "it depends"
    if ev.challenge is None and _better_after(ev, best):
        return AFTER
    if math.isnan(best.nec) or best.nec >= 1:
        return "none"
    if ev.challenge is not None:
        known = "switch" if ev.challenge.switches else KEEP
        return "cannot say" if ev.challenge.interval is None else known
    if best.interval is not None and best.interval[1] >= 1:
        return "cannot say"
    return "deploy" if len(_equals(ev)) == 1 and ev.rival is None else "cannot tell apart"


def _better_after(ev: Evaluation, best: ModelEvaluation) -> bool:
    """Whether re-calibrating makes another model best, or a useless one useful."""
    after = ev.best_recalibrated
    if after is None or after.recalibrated_nec is None or not ev.surely_better:
        return False
    changes = after.name != best.name or best.nec >= 1
    return changes and after.recalibrated_nec < min(1.0, best.nec - WORTH_SAYING)


def _equals(ev: Evaluation) -> list[str]:
    """The models that cost as much as the best one."""
    least = ev[ev.best].cost
    margin = SAME_COST * max(abs(ev.best_naive.avoidable), abs(least))
    return [model.name for model in ev.models if model.cost - least <= margin]


def sentence(ev: Evaluation) -> str:
    """The verdict in words."""
    kind, best, equals = kind_of(ev), ev[ev.best], _equals(ev)
    if kind == "none":
        return _none(ev, best)
    if kind == "cannot say":
        return _cannot_say(ev, best)
    if kind == "it depends":
        until = (
            f" Until that is known, keep {quoted_name(ev.challenge.baseline)}."
            if ev.challenge
            else ""
        )
        return _on_what(ev) + until
    if ev.challenge is not None:
        return _switched(ev, ev.challenge)
    at = "" if best.threshold is None else f" at {best.rule}"
    said, subject, share, doubt = f"Deploy {quoted_name(best.name)}{at}.", "It", 1 - best.nec, ""
    saving, interval = best.saving, best.interval
    if kind == AFTER:
        after = ev.best_recalibrated
        assert after is not None
        assert after.recalibrated_nec is not None
        said, subject = f"Deploy {quoted_name(after.name)} after re-calibrating.", "It then"
        share, interval = 1 - after.recalibrated_nec, after.recalibrated_interval
        saving = ev.best_naive.avoidable * share
    elif kind == "cannot tell apart":
        which, doubt = _same(equals) if len(equals) > 1 else _apart(ev, best)
        which = "Either" if len(ev) == 2 else which
        said = f"{which} will do; use {quoted_name(best.name)}{at}."
    ends = ""
    if interval is not None:
        volume = ev.application.volume or 1.0
        low, high = (
            money(ev.best_naive.avoidable * (1 - nec) * volume, None) for nec in reversed(interval)
        )
        ends = f" ({low} to {high})"
    return (
        f"{said} {subject} saves {_amount(ev, saving)}{ends}, {percent(share, 0)} of the "
        f"{_cost(ev)} of {_baseline(ev)}.{doubt}"
    )


def _switched(ev: Evaluation, found: Challenge) -> str:
    """Whether to switch to the cheapest challenger, and what that saves."""
    old, name = quoted_name(found.baseline), quoted_name(found.challenger)
    price = money(found.switching_cost, ev.application.unit)
    assert found.interval is not None
    if found.saving <= 0:
        more = f"costs {_amount(ev, -found.saving)} more" if found.saving < 0 else "costs as much"
        return f"Keep {old}. No challenger costs less (the nearest, {name}, {more})."
    volume = ev.application.volume or 1.0
    low, high = (money(each * volume, None) for each in found.interval)
    together = f"; {found.challengers} challengers compared" if found.challengers > 1 else ""
    saves = f"saves {_amount(ev, found.saving)} ({low} to {high}{together})"
    if found.switches:
        model = ev[found.challenger]
        at = "" if model.threshold is None else f" at {model.rule}"
        beyond = f", more than the {price} that switching costs" if found.switching_cost else ""
        return f"Switch from {old} to {name}{at}. It {saves}{beyond}."
    how = "less than" if found.interval[1] <= found.needed else "not surely more than"
    short = f", {how} the {price} that switching costs" if found.switching_cost else ""
    more_cases = found.more_cases(ev.n_cases)
    if math.isfinite(more_cases) and more_cases > 0:
        short += f"; about {grouped(rounded_up(more_cases))} more cases would be needed to be sure"
    elif not short:
        short = ", which may be chance"
    return f"Keep {old}. {name} {saves}{short}."


def _baseline(ev: Evaluation) -> str:
    """The best decision that ignores the models, in words."""
    return ev.best_naive.doing


def _none(ev: Evaluation, best: ModelEvaluation) -> str:
    """That no model is worth having."""
    if math.isnan(best.nec):
        return (
            f"Nothing to decide: {_baseline(ev)} is already perfect under these costs and shares."
        )
    nearest = quoted_name(best.name)
    return (
        f"Use no model: keep {_baseline(ev)}. No model here costs less "
        f"(the nearest, {nearest}, has an NEC of {normalized(best.nec)})."
    )


def _same(equals: list[str]) -> tuple[str, str]:
    """Models that cost the same, as what to choose from and why."""
    both = "Both" if len(equals) == 2 else f"These {len(equals)} models"
    return _one_of([quoted_name(each) for each in equals]), f" {both} cost the same on these cases."


def _apart(ev: Evaluation, best: ModelEvaluation) -> tuple[str, str]:
    """Models that cannot be told apart: which, by how much, and what it would take."""
    close = [
        found if found.second == best.name else found.turned()
        for found in ev.differences
        if best.name in (found.first, found.second) and not found.decided
    ]
    close.sort(key=lambda found: abs(found.value))  # the nearest is `ev.rival`
    near, names = close[0], [quoted_name(found.first) for found in close]
    how = difference_words(near.value, near.low, near.high, near.cases_needed - ev.n_cases)
    others = f", nor from {_one_of(names[1:])}" if names[1:] else ""
    return _one_of([quoted_name(best.name), *names]), (
        f" The data cannot tell it from {names[0]} ({how}){others}."
    )


def _one_of(names: list[str]) -> str:
    """Names as a choice; of many the first and how many others."""
    if len(names) > _MOST_NAMED:
        return f"{names[0]} or any of {len(names) - 1} others"
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def difference_words(value: float, low: float, high: float, more: float) -> str:
    """How much more NEC a model has than the best, with the interval and the cases it takes."""
    if value < 0:
        value, low, high = -value, -high, -low
    said = f"NEC difference {value:.3f}"
    if not math.isnan(low + high):
        said += f", {normalized(low)} to {normalized(high)}"
    if math.isfinite(more) and more > 0:
        said += f"; about {grouped(rounded_up(more))} more cases would be needed"
    return said


def quoted_name(name: object) -> str:
    """A name in a sentence: one with a comma, such as 'bank, per case', in quotation marks."""
    return f"'{name}'" if "," in str(name) else str(name)


def rounded_up(number: float) -> int:
    """A number of cases in two digits, upwards."""
    unit: int = 10 ** max(0, math.floor(math.log10(max(number, 1))) - 1)
    return math.ceil(number / unit) * unit


def _cannot_say(ev: Evaluation, best: ModelEvaluation) -> str:
    """Too few cases, or an interval that reaches past the naive decision."""
    if ev.too_few:
        return f"Cannot say: {ev.too_few}."
    if ev.challenge is not None:
        base, other = quoted_name(ev.challenge.baseline), quoted_name(ev.challenge.challenger)
        return (
            f"Cannot say whether {other} should replace {base}: they could not be "
            f"compared on the same cases. Keep {base} until they are."
        )
    assert best.interval is not None
    low, high = best.interval
    return (
        f"Cannot say: {quoted_name(best.name)} may be no better than {_baseline(ev)} "
        f"(NEC {best.nec:.3f}, {percent(ev.level)} interval {low:.3f} to {high:.3f})."
    )


def remarks(ev: Evaluation) -> list[Note]:
    """What to mind besides: calibration worth having, how far the choice holds, few cases."""
    if ev.too_few:
        return []
    return [
        *_short_of_sure(ev),
        *_recalibrated_rival(ev),
        *_calibration(ev),
        *_over_the_range(ev),
        *_robust(ev),
        *_few(ev),
    ]


def _short_of_sure(ev: Evaluation) -> list[Note]:
    """Why a model that is probably best is not called so."""
    best = ev[ev.best]
    if ev.rival is None or kind_of(ev) != "cannot tell apart":
        return []
    if best.probability_best is None or best.probability_best < _PROBABLY:
        return []
    chance, bar = percent(best.probability_best, 0), percent((1 + ev.level) / 2)
    return [Note("short-of-sure", model=quoted_name(best.name), chance=chance, bar=bar)]


def _recalibrated_rival(ev: Evaluation) -> list[Note]:
    """That calibration would make another model best, where models in use are kept or switched."""
    after = ev.best_recalibrated
    if ev.challenge is None or after is None or not _better_after(ev, ev[ev.best]):
        return []
    name = quoted_name(after.name)
    return [Note("recalibrate-first", model=name, nec=f"{after.recalibrated_nec:.3f}")]


def _calibration(ev: Evaluation) -> list[Note]:
    """What re-calibrating the best model is worth, when that is sure."""
    best, worth = ev[ev.best], ev.worth
    loss, slope = best.calibration_loss, best.calibration_slope
    if worth is None or loss is None or not loss > WORTH_SAYING or not worth.decided:
        return []
    if kind_of(ev) == AFTER:
        return []
    low, high = (
        ev.best_naive.avoidable * (ev.application.volume or 1) * -x for x in (worth.high, worth.low)
    )
    confidence = "gives probabilities that are too high or too low"
    if slope is not None and abs(slope - 1) > _SLOPE:
        confidence = f"is {'over' if slope < 1 else 'under'}-confident"
    ends = {"low": money(low, None), "high": money(high, None)}
    gain, name = _amount(ev, ev.best_naive.avoidable * loss), quoted_name(best.name)
    return [Note("recalibration-worth", model=name, confidence=confidence, gain=gain, **ends)]


# What counts as close: docs/design/verdict.md.
def _robust(ev: Evaluation) -> list[Note]:
    """For which costs and shares the best model stays best, and whether an end is close."""
    if ev.application.costs.shape != (2, 2) or kind_of(ev) not in DEPLOYS:
        return []
    (tn, fp), (fn, tp) = ev.application.costs.standardized().values.tolist()
    if fp <= tn or fn <= tp:
        return []
    ratio, name = (fn - tp) / (fp - tn), ev.application.classes[1]
    here = [s for s in ev.ranges if s.low <= ratio <= s.high and s.winner == ev.best]
    if not here:
        return []
    low, high = here[0].low, here[-1].high
    moved, stated = _shares(ev) != ev.data_priors.tolist(), plain(ratio, 3)
    yours = stated if ev.doubt is not None else f"your {stated}"
    near = _near(ratio, low, high, "both are" if moved else f"{yours} is")
    wins = "is cheapest" if len(ev) > 1 else "pays off"
    where = f"whatever a missed '{name}' costs"
    if low > 0 or not math.isinf(high):
        digits = digits_apart([ratio, *(each.low for each in ev.ranges)])
        alarms = _between(plain(low, digits), plain(high, digits), low, high)
        said = "you said" if ev.doubt is None else "evaluated at"
        when = "only while" if near else "whenever"
        where = f"{when} one missed '{name}' costs {alarms} false alarms"
        where += f" ({said} {stated})" if moved or not near.startswith(";") else ""
        if moved:
            shares = _shares(ev)
            odds = shares[1] / shares[0] / ratio
            first, last = (percent(1 - 1 / (1 + end * odds)) for end in (low, high))
            where += f" and, at these costs, {when} {_between(first, last, low, high)} of cases "
            where += f"are '{name}' ({said} {percent(shares[1])})"
    model, values = quoted_name(ev.best), {"wins": wins, "where": where}
    return [Note("sensitive" if near else "robust", model=model, near=near, **values)]


def _near(ratio: float, low: float, high: float, said: str) -> str:
    """To which end of the range the cost ratio in use is close, in words, or nothing."""
    ends = [low * NARROW > ratio, high < ratio * NARROW]
    if all(ends):
        return ": a narrow range"
    if not any(ends):
        return ""
    end = "limit" if low == 0 or math.isinf(high) else "lower end" if ends[0] else "upper end"
    return f"; {said} close to the {end}"


def _between(first: str, last: str, low: float, high: float) -> str:
    """From one number to another, or only up or down to one of them."""
    if low == 0:
        return f"at most {last}"
    return f"at least {first}" if math.isinf(high) else f"{first.removesuffix(' %')}-{last}"


def _few(ev: Evaluation) -> list[Note]:
    """A warning when one of the classes has few cases."""
    totals = ev.models[0].confusion.class_totals
    rare = int(np.argmin(np.where(totals > 0, totals, np.inf)))
    if totals[rare] >= _FEW:
        return []
    cases = "case" if totals[rare] == 1 else "cases"
    name = ev.application.classes[rare]
    return [Note("few-of-a-class", count=grouped(totals[rare]), cases=cases, name=name)]


def _cost(ev: Evaluation) -> str:
    """With gains, or costs that cannot be avoided, the share is of what can be avoided."""
    lowest = ev.application.costs.values.min(axis=1)
    return "cost" if (lowest == 0).all() else "avoidable cost"


def _amount(ev: Evaluation, saving: float) -> str:
    """A saving per case as an amount: per period when the volume is known."""
    app = ev.application
    if app.volume is None:
        return f"{money(saving, app.unit)} per case"
    total = money(saving * app.volume, app.unit)
    return f"{total} a {app.period}" if app.period else f"{total} on {grouped(app.volume)} cases"
