"""Questions about costs that people can answer: about one ratio, or about a matrix."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from stakes._checks import as_number, as_whole, keep_numbers, of_kind, two_numbers
from stakes._columns import in_brief
from stakes._names import as_names, place_of
from stakes.application.cost_sentences import shown, spoken
from stakes.elicitation.agreement import Statement
from stakes.exceptions import DataError
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name

Answer = Literal["a", "b", "="]

#: At least this many cases of the rarer class, so that numbers are not all 0 and 1.
_FEWEST = 20
#: Greatest number of the rarer error in an exchange, at the usual precision `_FINE`.
_LARGEST_STEP = 12
_FINE = 0.005


@dataclass(frozen=True, slots=True)
class Question:
    """Two outcomes that differ in misses and in false alarms, in numbers one can picture.

    Outcome A has more misses, outcome B more false alarms, unless it is asked the other way round.
    Preferring fewer misses means that a miss is worth more than `ratio` false alarms.

    Parameters
    ----------
    cases, positives : int
        Number of cases, and of positives among them.
    misses, alarms : pair of int
        Missed positives and false alarms of A and of B.
    why : str
        Why this is asked.
    classes : pair of names
        The negative and the positive class.

    Examples
    --------
    >>> question = Question(1000, 78, (12, 6), (40, 160), classes=("stay", "churn"))
    >>> question.ratio
    20.0
    >>> print(question.text(1))
    Question 1.  Out of 1 000 cases (78 'churn'), which would you rather have?
       A  12 'churn' missed,  40 false alarms
       B   6 'churn' missed, 160 false alarms
    >>> question.statement("b").low
    20.0
    """

    cases: int
    positives: int
    misses: tuple[int, int]
    alarms: tuple[int, int]
    why: str = ""
    classes: tuple[Name, Name] = ("negative", "positive")

    def __post_init__(self) -> None:
        keep_numbers(self, "cases", "positives")
        for name in ("misses", "alarms"):
            numbers = two_numbers(given := getattr(self, name), name)
            plain = isinstance(given, tuple) and all(type(each) is int for each in given)
            object.__setattr__(self, name, given if plain else numbers)
        object.__setattr__(self, "classes", as_names(self.classes, "classes"))
        if len(self.classes) != 2:
            raise DataError(f"`classes` must be two names; got {in_brief(self.classes)}.")
        opposed = (self.misses[0] - self.misses[1]) * (self.alarms[1] - self.alarms[0]) > 0
        if not opposed or min(*self.misses, *self.alarms) < 0:
            raise DataError(
                "one outcome must have more misses and the other more false alarms; got misses "
                f"{self.misses} and false alarms {self.alarms}."
            )

    @property
    def ratio(self) -> float:
        """False alarms per miss at which both outcomes cost the same, from the numbers shown."""
        return (self.alarms[1] - self.alarms[0]) / (self.misses[0] - self.misses[1])

    def mirrored(self) -> Question:
        """The same question the other way round: A is called B, and B is called A."""
        return replace(self, misses=self.misses[::-1], alarms=self.alarms[::-1])

    def statement(self, answer: Answer) -> Statement:
        """What an answer implies: "a", "b", or "=" for cannot say."""
        if place_of(answer, ("a", "b", "=")) is None:
            raise DataError(f"an answer is 'a', 'b' or '='; got {in_brief(answer)}.")
        pairs = zip(self.misses, self.alarms, strict=True)
        first, second = (f"{miss} missed and {alarm} false alarms" for miss, alarm in pairs)
        below, above = (0.0, self.ratio), (self.ratio, math.inf)
        sides = (below, above) if self.misses[0] > self.misses[1] else (above, below)
        (low, high), said = {
            "a": (sides[0], f"you prefer {first} to {second}"),
            "b": (sides[1], f"you prefer {second} to {first}"),
            "=": ((0.0, math.inf), f"you cannot say whether {first} is better than {second}"),
        }[answer]
        inputs = {"cases": self.cases, "misses": list(self.misses), "alarms": list(self.alarms)}
        return Statement(low, high, said, "preference", {**inputs, "prefers": answer})

    def text(self, number: int | None = None) -> str:
        """The question in words, at most 80 columns for names of usual length."""
        positive = f"'{shown(self.classes[1])}'"
        head = "" if number is None else f"Question {number}.  "
        asked = f"{head}Out of {spoken(self.cases)} cases ({spoken(self.positives)} {positive}), "
        lines = textwrap.wrap(f"{asked}which would you rather have?", 80, subsequent_indent="   ")
        wide = [max(len(spoken(n)) for n in pair) for pair in (self.misses, self.alarms)]
        for letter, miss, alarm in zip("AB", self.misses, self.alarms, strict=True):
            lines.append(
                f"   {letter}  {spoken(miss):>{wide[0]}} {positive} missed, "
                f"{spoken(alarm):>{wide[1]}} false alarm{'' if alarm == 1 else 's'}"
            )
        return "\n".join(lines)


def compared(said: Statement) -> frozenset[tuple[int, int]] | None:
    """The two outcomes of an answer, without regard to order; None for other routes."""
    if said.route != "preference":
        return None
    return frozenset(zip(said.inputs["misses"], said.inputs["alarms"], strict=True))


def asked_before(said: Statement, *, prior: float, classes: tuple[Name, Name]) -> Question | None:
    """The question that was answered; None if its numbers of cases do not fit the prior."""
    misses, alarms = tuple(said.inputs["misses"]), tuple(said.inputs["alarms"])
    cases = said.inputs["cases"]
    positives = round(cases * prior)
    if max(misses) > positives or max(alarms) > cases - positives:
        return None
    return Question(cases, positives, misses, alarms, classes=classes)


def posed(
    ratio: float, *, prior: float, point: tuple[float, float], cases: int | None, within: float
) -> Question:
    """A question that trades at about `ratio`, near a feasible operating point.

    `point` is its (miss rate, false alarm rate). The numbers shown are whole, and an answer is
    about their ratio. It differs from `ratio` by at most `within`, relatively, unless that would
    need large numbers.
    """
    size, rarer = cases or 100, min(prior, 1 - prior)
    while cases is None and (  # a round number, with enough of both classes
        size * rarer < _FEWEST or size * (1 - prior) < ratio or size * prior < 1 / ratio
    ):
        size *= 10
    saved, extra = _whole(ratio, within)
    while True:
        positives = round(size * prior)
        negatives = size - positives
        misses, alarms = round(positives * point[0]), round(negatives * point[1])
        times = max(1, min(misses // (2 * saved), (negatives - alarms) // (2 * extra)))
        times = min(times, max(1, positives // (10 * saved)))
        fewer, more = saved * times, extra * times
        # An outcome without any miss, or without any false alarm, is hard to believe.
        first = misses if misses > fewer else 2 * fewer
        second = min(alarms or more, negatives - more)
        if first <= positives and second >= 0:
            return Question(size, positives, (first, first - fewer), (second, second + more))
        size *= 10  # too few cases for this exchange


def _whole(ratio: float, within: float) -> tuple[int, int]:
    """Small whole numbers of misses and false alarms in about this ratio."""
    fraction = Fraction(ratio if ratio >= 1 else 1 / ratio)
    most = math.ceil(_LARGEST_STEP * math.sqrt(_FINE / within))
    for largest in range(1, most + 1):
        close = fraction.limit_denominator(largest)
        if abs(close / fraction - 1) <= within:
            break
    many, few = close.numerator, close.denominator
    return (few, many) if ratio >= 1 else (many, few)


#: Only this many systems, those that are best most often, are compared in pairs.
_MOST_SYSTEMS = 30


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MatrixQuestion:
    """Two outcomes, in whole cases by truth and decision; see `MatrixElicitation`.

    Parameters
    ----------
    systems : pair of str
        The systems with these outcomes.
    outcomes : pair of arrays of int
        Cases by truth and decision.
    classes, decisions : tuple of names
        Rows and columns.
    share : float
        Share of the matrices still possible that prefer the first.
    why : str
        Why this is asked, if not to choose between the systems.
    """

    systems: tuple[str, str]
    outcomes: tuple[np.ndarray, np.ndarray]
    classes: tuple[Name, ...]
    decisions: tuple[Name, ...]
    share: float
    why: str = ""

    def text(self) -> str:
        """The question in words: the cells in which the outcomes differ."""
        first, second = self.outcomes
        lines = [f"Out of {int(first.sum())} cases, which outcome would you rather have?"]
        for letter, mine in zip("AB", (first, second), strict=True):
            lines.append(f"   {letter}")
            for i, j in np.argwhere((first != second) & (mine > 0)):
                if self.classes[i] != self.decisions[j]:
                    lines.append(
                        f"     {mine[i, j]:>5} '{shown(self.classes[i])}' decided as "
                        f"'{shown(self.decisions[j])}'"
                    )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"MatrixQuestion({self.systems[0]!r} or {self.systems[1]!r})"


def asked_about(
    systems: Mapping[str, ConfusionMatrix], samples: FloatArray, *, tolerance: float, cases: int
) -> MatrixQuestion | None:
    """The question whose answer leaves the least regret in the worse case; None if it is small."""
    names, tables = list(of_kind(systems, "systems", Mapping)), list(systems.values())
    tolerance, cases = as_number(tolerance, "tolerance"), as_whole(cases, "cases")
    for table in tables:
        of_kind(table, "systems", ConfusionMatrix)
    if not tables or any(t.counts.shape != samples.shape[1:] for t in tables):
        raise DataError("`systems` must be confusion matrices of the shape of the costs.")
    regrets = regrets_of(systems, samples)
    if float(regrets.max(axis=0).min()) <= tolerance:
        return None
    often = np.bincount(regrets.argmin(axis=1), minlength=len(names))
    near = np.argsort(-often, kind="stable")[:_MOST_SYSTEMS]
    rounded = [_in_cases(table.counts / table.total, cases) for table in tables]
    axes = tables[0].classes, tables[0].decisions
    best, found = (math.inf, math.inf), None
    for s, t in itertools.combinations(near.tolist(), 2):
        first = (samples * (rounded[s] - rounded[t])).sum(axis=(1, 2)) < 0
        if first.all() or not first.any():
            continue
        left = max(float(regrets[side].max(axis=0).min()) for side in (first, ~first))
        share = float(first.mean())
        if (left, abs(share - 0.5)) < best:
            best = (left, abs(share - 0.5))
            found = MatrixQuestion((names[s], names[t]), (rounded[s], rounded[t]), *axes, share)
    return found


def regrets_of(systems: Mapping[str, ConfusionMatrix], samples: FloatArray) -> FloatArray:
    """Cost of each system above the best, (n, S), as a share of the best naive decision's."""
    tables = list(systems.values())
    shares = np.stack([table.counts / table.total for table in tables])
    costs = samples.reshape(len(samples), -1) @ shares.reshape(len(tables), -1).T
    naive = np.einsum("i,sij->sj", tables[0].priors, samples).min(axis=1)
    return np.asarray((costs - costs.min(axis=1, keepdims=True)) / naive[:, None])


def _in_cases(shares: FloatArray, cases: int) -> np.ndarray:
    """Shares as whole cases that add to `cases`; each class keeps its number."""
    totals = _rounded(shares.sum(axis=1), cases)
    return np.stack([_rounded(row, total) for row, total in zip(shares, totals, strict=True)])


def _rounded(shares: FloatArray, total: int) -> np.ndarray:
    """Shares of a total as whole numbers that add up to it; the largest remainders round up."""
    if not shares.sum() > 0:
        return np.zeros(shares.shape, dtype=np.int64)
    exact = total * shares / shares.sum()
    whole: np.ndarray = np.floor(exact).astype(np.int64)
    short = int(total) - int(whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:short]] += 1
    return whole
