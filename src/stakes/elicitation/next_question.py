"""What to ask next: only where the recommendation switches, and nothing that was declined."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stakes.elicitation.question import Question, posed
from stakes.elicitation.regret import Options

if TYPE_CHECKING:
    from stakes.elicitation.session import Elicitation

__all__ = ["next_question"]

#: A question is not repeated within this factor of one that was not answered.
APART = 1.5
#: Without systems to choose between, the ratio is narrowed down to this factor.
ENOUGH = 2.0


def next_question(talk: Elicitation) -> Question | None:
    """The next question, at a switch point of the recommendation; None when done."""
    if talk.contradictions:
        return None
    if not talk.systems:
        return _plain_question(talk)
    options = talk.options
    stretches = options.stretches(0, options.ratios.size - 1, talk.tolerance)
    count = len(stretches)
    for left in sorted(range(count - 1), key=lambda k: _depth(k + 1, count)):
        ratio = float(options.ratios[_switch(options, stretches, left, talk.tolerance)])
        if not _declined(talk, ratio):
            below, above = (options.names[stretches[k][1]] for k in (left, left + 1))
            why = f"below about {ratio:.3g} false alarms per miss {below!r} is the better "
            return _posed(talk, ratio, why + f"choice, above it {above!r}")
    return None


def _plain_question(talk: Elicitation) -> Question | None:
    """Halve the ratio while it is not known well enough."""
    if talk.ratio.factor <= ENOUGH or _declined(talk, talk.ratio.middle):
        return None
    return _posed(talk, talk.ratio.middle, "it halves what is still possible")


def _depth(left: int, total: int) -> tuple[int, int]:
    """Further questions in the worst case, and then how uneven the halves are."""
    right = total - left
    return math.ceil(math.log2(max(left, right))), abs(left - right)


def _switch(options: Options, stretches: list[tuple[int, int]], k: int, tolerance: float) -> int:
    """Where to part one stretch from the next: where they cost the same, if that will do."""
    start = stretches[k - 1][0] if k else 0
    (end, here), (_, there) = stretches[k], stretches[k + 1]
    gains = options.nec[there, start : end + 1] - options.nec[here, start : end + 1]
    not_yet = np.flatnonzero(gains >= 0)
    crossing = start + int(not_yet[-1]) if not_yet.size else end
    if crossing <= 0:
        return end
    more = len(options.stretches(crossing, options.ratios.size - 1, tolerance))
    return crossing if more <= len(stretches) - k - 1 else end


def _posed(talk: Elicitation, ratio: float, why: str) -> Question | None:
    """A question near the operating point that is best at this ratio.

    None if no numbers one can picture would tell the ratios apart that are left.
    """
    point = (0.5, 0.1)
    if talk.systems:
        pairs = np.concatenate([np.column_stack(each) for each in talk.options.points])
        best = int(np.argmin(pairs @ np.array([talk.prior * ratio, 1 - talk.prior])))
        point = (float(pairs[best, 0]), float(pairs[best, 1]))
    for within in (0.005, 0.00005):
        question = posed(
            ratio,
            prior=talk.prior,
            point=point,
            cases=talk.cases,
            within=within,
            why=why,
            classes=talk.classes,
        )
        if talk.ratio.low < question.ratio < talk.ratio.high:
            return question
    return None


def _declined(talk: Elicitation, ratio: float) -> bool:
    """Whether a question at about this ratio could not be answered."""
    for said in talk.statements:
        if said.route == "preference" and said.inputs.get("prefers") == "=":
            misses, alarms = said.inputs["misses"], said.inputs["alarms"]
            asked = (alarms[1] - alarms[0]) / (misses[0] - misses[1])
            if max(asked / ratio, ratio / asked) < APART:
                return True
    return False
