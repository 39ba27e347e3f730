"""A rule as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stakes._columns import as_floats
from stakes.messages.quantities import cut_text

if TYPE_CHECKING:
    from stakes.rules.decision_rule import DecisionRule

#: What a score is called in a comparison.
_LETTERS = {"posterior": "p", "log_odds": "log-odds", "llr": "llr", "rank": "score"}


def in_words(rule: DecisionRule) -> str:
    """When the second decision is taken, or what is decided on each side of the cuts."""
    if rule.scores == "decision":
        return "decisions as given"
    after = "" if rule.calibrator is None else f" after {rule.calibrator.kind} calibration"
    if rule.per_case:
        return f"per case{after}"
    if not rule.has_cuts:
        return f"the decision of least expected cost{after}"
    names = [f"'{rule.decisions[j]}'" for j in rule.taken]
    if len(names) == 1:
        return f"always {names[0]}"
    letter = "p" if rule.calibrator is not None else _LETTERS[rule.scores]
    texts = rule.cut_texts or texts_for(rule)
    if rule.threshold is not None:
        return f"{letter} {_sign(rule)} {texts[0]}{after}"
    said = [f"{_until(rule, 0)} {texts[0]} decide {names[0]}"]
    for k in range(1, len(texts)):
        said.append(f"then {_until(rule, k)} {texts[k]} {names[k]}")
    last = "above that" if not _begins_with_cut(rule, len(texts) - 1) else "from there on"
    return f"{letter}{after} {', '.join(said)}, {last} {names[-1]}"


def in_words_short(rule: DecisionRule) -> str | None:
    """The same for a table, where several cuts are told elsewhere; None without cuts."""
    if rule.per_case:
        return "per case"
    if not rule.has_cuts:
        return None
    several = rule.threshold is None and len(rule.taken) > 1
    return "see notes" if several else in_words(rule)


def texts_for(rule: DecisionRule, scores: Any = None) -> tuple[str, ...]:
    """Each cut with the digits that decide these scores alike; three without scores."""
    numbers = None if scores is None else as_floats(scores, "scores")
    everyday = rule.scores == "posterior" or rule.calibrator is not None
    below = rule.threshold is not None and rule.taken[0] == 1
    return tuple(
        cut_text(
            cut,
            numbers,
            everyday=everyday,
            above=not below,
            including=_begins_with_cut(rule, k) != below,
        )
        for k, cut in enumerate(rule.thresholds)
    )


def _begins_with_cut(rule: DecisionRule, k: int) -> bool:
    """Whether the decision above a cut is also taken at it: it is the earlier of the two."""
    return rule.cut is None and rule.stretches[k + 1].included


def _until(rule: DecisionRule, k: int) -> str:
    """Where the decision below a cut ends."""
    return "below" if _begins_with_cut(rule, k) else "up to"


def _sign(rule: DecisionRule) -> str:
    """How the second decision lies to the one cut."""
    if rule.taken[1] == 1:
        return ">=" if _begins_with_cut(rule, 0) else ">"
    return "<" if _begins_with_cut(rule, 0) else "<="
