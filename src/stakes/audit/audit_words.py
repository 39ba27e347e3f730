"""Audits in words: names of metrics, prices of a miss, tables and choices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stakes._guesses import AnswersGuesses
from stakes.application import Application
from stakes.audit.candidates import CandidateAudit
from stakes.messages.quantities import grouped
from stakes.metrics.metric_catalogue import catalogue, spoken

if TYPE_CHECKING:
    from stakes.audit.compliance_witnesses import Compliance

#: Relative difference of prices of a miss below which they count as the same.
_SAME_PRICE = 1e-3


def opening(metric: str) -> str:
    """The name of a metric at the beginning of a sentence."""
    name = spoken(metric)
    return name[0].upper() + name[1:] if metric.partition("(")[0] in catalogue else name


def errors_in(counts: Any) -> str:
    """What went wrong in a table: in words for two classes, as its rows for more."""
    table = np.asarray(counts)
    if table.shape != (2, 2):
        return str(table.tolist())
    (tn, fp), (fn, tp) = table.tolist()
    alarms = f"{grouped(fp)} false alarm{'' if fp == 1 else 's'}"
    others = f"the other {grouped(tn + fp)}"
    return f"{grouped(fn)} of {grouped(fn + tp)} missed and {alarms} in {others}"


def errors_alone(counts: Any) -> str:
    """The same without how many cases there were."""
    table = np.asarray(counts)
    if table.shape != (2, 2):
        return str(table.tolist())
    names = ("miss", "misses"), ("false alarm", "false alarms")
    counts = float(table[1, 0]), float(table[0, 1])
    return " and ".join(
        f"{grouped(count) if count else 'no'} {several if count > 1 else one}"
        for count, (one, several) in zip(counts, names, strict=True)
    )


def short(number: float, digits: int) -> str:
    """A number to a few significant digits, without powers of ten for everyday sizes."""
    text = f"{number:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text and abs(number) < 1e9 else text


def false_alarms(number: float, digits: int) -> str:
    """A number of false alarms, in words."""
    counted = short(number, digits)
    return f"{counted} false alarm{'' if counted == '1' else 's'}"


def _meant(app: Application | None) -> float:
    """The price of a miss, in false alarms, that the costs state; `nan` where they state none."""
    if app is None or app.costs.shape != (2, 2):
        return math.nan
    (tn, fp), (fn, tp) = app.costs.values.tolist()
    return (fn - tp) / (fp - tn) if fp != tn else math.nan


def against(sentence: str, price: float, app: Application | None) -> str:
    """A sentence about the price of a miss, next to the one that the costs state."""
    meant = _meant(app)
    if math.isnan(meant):
        return sentence
    if abs(price - meant) <= _SAME_PRICE * abs(meant):
        return f"{sentence[:-1]}, as your costs do."
    if not math.isfinite(price):
        return f"{sentence[:-1]}; by your costs a miss is worth {false_alarms(meant, 3)}."
    return f"{sentence[:-1]}; your costs say {short(meant, 3)}."


def choice(found: CandidateAudit, app: Application | None) -> str:
    """The choice among candidates in words."""
    name = spoken(found.metric)
    if np.isnan(found.values).all():
        return f"Among your models {name} chooses none: it is undefined for each of them."
    if found.chosen == found.cheapest or found.regret == 0:
        return f"Among your models {name} chooses {found.chosen}, which is the cheapest."
    unit = f" {app.unit}" if app is not None and app.unit else ""
    return (
        f"Among your models {name} chooses {found.chosen}, although {found.cheapest} costs "
        f"{found.regret:.4g}{unit} a case less."
    )


class Proof(NamedTuple):
    """Preferences of a metric that no fixed costs share: what is claimed, the tables, and why."""

    claim: str
    table: tuple[tuple[str, ...], ...]
    reason: str


_NO_PRICE = "Each preference limits what an error may cost, and no costs keep to all of them."


def proof_of(found: Compliance) -> Proof | None:
    """The proof that a metric matches no fixed costs; None where there is none, or it has
    more than two classes.

    Examples
    --------
    >>> from stakes.audit import compliance
    >>> proof_of(compliance("f1")).table[1]
    ('A, preferred to', '110', '10', '0.9294')
    """
    if found.witness is None or found.witness.pairs[0].better.counts.shape != (2, 2):
        return None
    name, pairs = spoken(found.metric), found.witness.pairs
    claim = f"No fixed costs agree with all of these preferences of {name}:"
    rows = [("", "missed", "false alarms", name)]
    letters = iter("ABCDEF")
    for pair in pairs:
        for table, value, mark in ((pair.better, pair.better_value, ", preferred to"),
                                   (pair.worse, pair.worse_value, "")):  # fmt: skip
            (_, fp), (fn, _) = table.counts.tolist()
            rows.append((next(letters) + mark, grouped(fn), grouped(fp), f"{value:.4f}"))
    return Proof(claim, tuple(rows), _same_step(name, found) or _NO_PRICE)


def _same_step(name: str, found: Compliance) -> str:
    """Why two preferences contradict each other, if both are about the same change."""
    assert found.witness is not None
    steps = [pair.better.counts - pair.worse.counts for pair in found.witness.pairs]
    if len(steps) != 2 or not np.allclose(steps[0], -steps[1]):
        return ""
    (_, fp), (fn, _) = steps[0].tolist()
    said = [
        f"{grouped(abs(n))} {'more' if n > 0 else 'fewer'} {what}"
        for n, what in ((fn, "misses"), (fp, "false alarms"))
        if n
    ]
    return (
        f"A has {' and '.join(said)} than B. D differs from C in the same way, yet {name} "
        "prefers C."
    )


class AuditPage(AnswersGuesses):
    """An audit that can be written as a page."""

    __slots__ = ()

    def to_html(
        self, path: Any = None, *, title: str = "", facts: Any = None, more: Sequence[str] = ()
    ) -> Any:
        """The page in the style of the report: one file that loads nothing.

        Parameters
        ----------
        path : path, optional
            Where to write it; the path is then returned.
        title : str
            The heading; by default the question that the page answers.
        facts : mapping, optional
            What to say about where it comes from: "source".
        more : sequence of str
            Further reasons, after those of the audit.

        Returns
        -------
        str or Path
            The page; or where it was written.
        """
        from stakes.report.answer_pages import audit_page
        from stakes.report.evaluation_forms import written

        found: Any = self  # one of the two audits
        return written(audit_page(found, title=title, facts=facts, more=more), path)
