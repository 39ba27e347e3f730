"""Periods of a file whose labels have not arrived: which rows they are, and their estimates."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.cli.commands.estimate.file_estimates import SameRule
from stakes.exceptions import DataError
from stakes.inquiry.case_question import Asked, asked
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.model_scores import Model, models_of
from stakes.inquiry.truth import Cases, rows_of, texts
from stakes.monitoring import PeriodEstimates, estimate_periods


def asked_with_gaps(inquiry: Inquiry) -> Asked:
    """The question; where scores can stand for labels, rows without one are no error yet."""
    scored = bool(inquiry.scores or inquiry.proba) and inquiry.kind != "rank"
    if inquiry.missing is not None or not scored or inquiry.groups:
        return asked(inquiry)
    found = asked(inquiry.but(missing="drop"))
    return replace(found, inquiry=found.inquiry.but(missing=None))


def rows_without_label(question: Asked) -> NDArray[np.intp]:
    """The rows of the file that have no label and were not left out on purpose."""
    if question.inquiry.missing is not None:
        return np.zeros(0, dtype=np.intp)
    return np.flatnonzero(question.table.labels(question.cases.label).codes < 0)


def estimates_of(
    question: Asked,
    model: Model,
    cases: Cases,
    periods: tuple[Sequence[str], NDArray[np.intp]],
    reference: Sequence[str],
    level: float,
) -> PeriodEstimates:
    """Estimates of every period outside the reference, labelled ones among them.

    `periods` are the names of all, and the place of each labelled case and then of each row without
    a label.
    """
    names, places = list(periods[0]), periods[1]
    at, blank_at = places[: len(cases)], places[len(cases) :]
    mixed = np.isin(blank_at, at)
    if mixed.any():
        said = rows_of(int(mixed.sum()), f"'{cases.label}', the truth,")
        raise DataError(
            f"{said} empty in periods that have labels, such as {names[blank_at[mixed][0]]}.",
            hint="to leave them out:  --missing drop\n"
            "if the labelled rows of a period are a random sample, estimate that period in a file "
            "of its own:\n"
            f"stakes estimate PERIOD.csv --label {shlex.quote(cases.label)} ...",
        )
    blank, other = _without_labels(question, model, cases)
    first = np.isin(at, [names.index(name) for name in reference])
    same = SameRule(question, cases.kept(first), [])
    known = same.cases(model.kept(first), cases.kept(first), question.table, labelled=True)
    later: dict[str, Any] = {}
    for k in [k for k, name in enumerate(names) if name not in reference]:
        has = bool((at == k).any())
        inside = at == k if has else blank_at == k
        chosen, part = (model, cases) if has else (other, blank)
        part, chosen = part.kept(inside), chosen.kept(inside)
        later[names[k]] = same.cases(chosen, part, question.table, labelled=has)
    return estimate_periods(later, reference=known, level=level)


def _without_labels(question: Asked, model: Model, cases: Cases) -> tuple[Cases, Model]:
    """The rows without labels, and what the model says of them."""
    rows = rows_without_label(question)
    nothing = np.zeros(len(rows), dtype=np.intp)
    blank = replace(cases, truth=nothing, weights=None, rows=rows, ids=None)
    decisions = texts(question.application.decisions)
    read = models_of(question.table, blank, decisions, question.inquiry)
    other = next(each for each in read if each.name == model.name)
    if other.missing.any():
        raise DataError(
            f"'{model.name}' is empty in {int(other.missing.sum())} rows without a label.",
            hint="To leave rows without a label out: --missing drop",
        )
    return blank, other
