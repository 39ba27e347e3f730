"""What unknown costs and shares mean for the choice, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes.report.amounts import percent, plain

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

__all__ = ["depends", "on_what", "over_the_range"]


def depends(ev: Evaluation) -> bool:
    """Whether the choice depends on where in their range costs and shares are."""
    if len(ev.switches) > 1:
        return True
    along = ev.application.costs.shape == (2, 2) and ev.sources is not None and bool(ev.ranges)
    return not along and ev.doubt is not None and ev.doubt.depends


def on_what(ev: Evaluation) -> str:
    """Which model wins in which part of the range, and which to take if that stays unknown."""
    said = _by_ratio(ev) if len(ev.switches) > 1 else _by_place(ev)
    return f"It depends: {said}.{_safest(ev)}"


def _by_ratio(ev: Evaluation) -> str:
    """Winners along the one scale of two classes."""
    names = [_named(stretch.winner) for stretch in ev.switches]
    borders = [_border(ev, stretch.low) for stretch in ev.switches[1:]]
    parts = [f"{names[-1]} if {_more(ev, borders[-1])}"]
    for k in range(len(names) - 2, 0, -1):
        parts.append(f"{names[k]} from {borders[k - 1]} to {borders[k]}")
    where = ""
    if ev.doubt is not None and ev.doubt.unknown == "both":
        where = f" (where {percent(_prior(ev))} are '{_second(ev)}')"
    return f"{', '.join(parts)}, else {names[0]}{where}"


def _by_place(ev: Evaluation) -> str:
    """Winners at the ends, each with one end at which it wins."""
    assert ev.doubt is not None
    pairs = list(zip(ev.doubt.winners, ev.doubt.places, strict=True))
    parts = []
    for winner in dict.fromkeys(name for name, _ in pairs if name != "tie"):
        first, *others = [place for name, place in pairs if name == winner]
        more = f" and {len(others)} other end{'s' if len(others) > 1 else ''}" if others else ""
        parts.append(f"{_named(winner)} at {first}{more}")
    return f"{'; '.join(parts)} ({ev.doubt.words})"


def _named(winner: str) -> str:
    """A model, or none."""
    return "no model" if winner == "none" else winner


def _more(ev: Evaluation, border: str) -> str:
    """On the far side of a border."""
    if ev.doubt is not None and ev.doubt.unknown == "shares":
        return f"more than {border} are '{_second(ev)}'"
    return f"a miss costs more than {border} false alarms"


def _border(ev: Evaluation, ratio: float) -> str:
    """A border as a share, when it is the share that is unknown, or else in false alarms."""
    if ev.doubt is None or ev.doubt.unknown != "shares":
        return plain(ratio, 2)
    (tn, fp), (fn, tp) = ev.application.costs.values
    odds = ratio * (fp - tn) / (fn - tp) * _prior(ev) / (1 - _prior(ev))
    return percent(odds / (1 + odds))


def _prior(ev: Evaluation) -> float:
    """The share of the outcome that is acted on."""
    assert ev.application.priors is not None
    return float(ev.application.priors[1])


def _second(ev: Evaluation) -> str:
    """The outcome that is acted on."""
    return str(ev.application.classes[1])


def _safest(ev: Evaluation) -> str:
    """The model of least worst regret."""
    if ev.doubt is None:
        return ""
    name = ev.doubt.safest
    return f" If that stays unknown, {name} is safest: {_at_most(ev.doubt.worst(name))}."


def _at_most(regret: float) -> str:
    """A worst regret in words."""
    if regret < 0.0005:
        return "no other choice costs less anywhere in the range"
    return f"at most {regret:.3f} NEC above the best choice"


def over_the_range(ev: Evaluation) -> list[str]:
    """How the best model does over the whole range, its decisions following or kept."""
    if ev.doubt is None:
        return []
    best, said = ev.best, []
    if not depends(ev):
        said.append(f"Over the whole range {best} is {_at_most(ev.doubt.worst(best))}.")
        if ev.doubt.worst(best) < 0.0005:
            stays = "costs least" if len(ev) > 1 else "is worth having"
            said = [f"Over the whole range {best} {stays}."]
        elif ev.doubt.safest != best:
            safe = ev.doubt.safest
            said.append(f"Safest is {safe}: {_at_most(ev.doubt.worst(safe))}.")
    kept = ev.doubt.kept(best)
    if ev[best].rule is not None and kept > ev.doubt.worst(best) + 0.0005:
        said.append(
            f"Kept at {ev[best].rule} whatever the truth is, {best} is at most {kept:.3f} NEC "
            "above the best choice."
        )
    return said
