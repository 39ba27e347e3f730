"""A rule in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._columns import as_floats
from stakes.messages.quantities import cut_text, money

if TYPE_CHECKING:
    from stakes.rules.decision_rule import DecisionRule

#: The rule that decides each case by its own costs.
VARIES = "varies by case"
#: What a score is called in a comparison.
_LETTERS = {"posterior": "p", "log_odds": "log-odds", "llr": "llr", "rank": "score"}


def in_words(rule: DecisionRule) -> str:
    """When the second decision is taken, or the decision on each side of the cuts."""
    if rule.scores == "decision":
        return "decisions as given"
    after = "" if rule.calibrator is None else f" after {rule.calibrator.kind} calibration"
    if rule.per_case:
        return f"{VARIES}{after}{_prices_said(rule)}"
    if not rule.has_cuts:
        return f"the decision of least expected cost{after}{_prices_said(rule)}"
    names = [f"'{rule.decisions[j]}'" for j in rule.taken]
    if len(names) == 1:
        return f"always {names[0]}"
    letter = "p" if rule.calibrator is not None else _LETTERS[rule.scores]
    texts = rule.cut_texts or texts_for(rule)
    if rule.threshold is not None:
        signs = (">", ">=") if rule.taken[1] == 1 else ("<=", "<")
        return f"{letter} {signs[_begins_with_cut(rule, 0)]} {texts[0]}{after}"
    begins = [_begins_with_cut(rule, k) for k in range(len(texts))]
    ends = ["below" if begin else "up to" for begin in begins]
    until = [f"{end} {text}" for end, text in zip(ends, texts, strict=True)]
    said = [f"{until[0]} decide {names[0]}"]
    said += [f"then {each} {name}" for each, name in zip(until[1:], names[1:], strict=False)]
    last = "from there on" if begins[-1] else "above that"
    return f"{letter}{after} {', '.join(said)}, {last} {names[-1]}"


def model_in_words(rule: DecisionRule) -> str | None:
    """The name of the model, without ", per case" where the words of the rule say it again."""
    if rule.model is None or not rule.per_case:
        return rule.model
    return rule.model.removesuffix(", per case")


def in_words_short(rule: DecisionRule) -> str | None:
    """The same for a table, "see notes" if there are several cuts; None without cuts."""
    if rule.per_case:
        return VARIES
    if not rule.has_cuts:
        return None
    several = rule.threshold is None and len(rule.taken) > 1
    return "see notes" if several else in_words(rule)


def _prices_said(rule: DecisionRule) -> str:
    """The prices of decisions, if no cut shows them."""
    if rule.prices is None:
        return ""
    pairs, unit = zip(rule.decisions, rule.prices.tolist(), strict=True), rule.application.unit
    said = [
        f"'{name}' is {'charged' if price > 0 else 'credited'} {money(abs(price), unit)} extra"
        for name, price in pairs
        if price
    ]
    return f"; {' and '.join(said)} to keep to the limit{'s' if len(said) > 1 else ''}"


def texts_for(rule: DecisionRule, scores: Any = None) -> tuple[str, ...]:
    """Each cut with enough digits to decide these scores alike; three digits without scores."""
    numbers = None if scores is None else as_floats(scores, "scores")
    below = rule.threshold is not None and rule.taken[0] == 1
    said = partial(cut_text, above=not below)
    return tuple(
        said(cut, numbers, including=_begins_with_cut(rule, k) != below)
        for k, cut in enumerate(rule.thresholds)
    )


def said_alike(
    rules: Mapping[str, DecisionRule | None], scores: Mapping[str, Any]
) -> dict[str, DecisionRule | None]:
    """The same rules; equal cuts get equal digits, which decide the scores of all models alike."""
    found, together = dict(rules), dict[Any, list[str]]()
    for name, rule in rules.items():
        if rule is not None and rule.cut_texts is not None and scores.get(name) is not None:
            key = tuple(rule.thresholds), rule.scores, np.asarray(scores[name]).dtype
            together.setdefault(key, []).append(name)
    for names in together.values():
        if len({str(rules[name]) for name in names}) > 1:
            near = [_nearest(scores[name], rules[name]) for name in names]
            for name in names:
                texts = texts_for(rules[name], np.concatenate(near))  # type: ignore[arg-type]
                found[name] = replace(rules[name], cut_texts=texts)  # type: ignore[type-var]
    return found


def _nearest(scores: Any, rule: Any) -> NDArray[Any]:
    """The scores next to each cut; only these determine how many digits it needs."""
    ordered = np.unique(scores)
    places = np.add.outer(np.searchsorted(ordered, rule.thresholds), (-1, 0, 1)).ravel()
    return np.asarray(ordered[np.unique(places.clip(0, ordered.shape[0] - 1))])


def _begins_with_cut(rule: DecisionRule, k: int) -> bool:
    """Whether a score equal to a cut gets the decision above it, as the earlier of the two."""
    return rule.cut is None and rule.stretches[k + 1].included
