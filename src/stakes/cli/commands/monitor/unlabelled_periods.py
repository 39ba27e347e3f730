"""Periods of a file whose labels have not arrived: which rows they are, and their estimates."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application, CaseCosts
from stakes.cli.commands.estimate.file_estimates import SameRule
from stakes.exceptions import DataError
from stakes.inquiry.case_question import Asked, asked
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.model_scores import Model, models_of
from stakes.inquiry.option_words import binary_case_costs
from stakes.inquiry.truth import Cases, quoted, rows_of, texts
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped
from stakes.monitoring import PeriodEstimates, estimate_periods


class Unlabelled(NamedTuple):
    """The rows without a label, what the model says of them, and what to say of rows left out.

    `names` are all periods; `known_at` and `at` are the places of labelled cases and of these.
    """

    cases: Cases
    model: Model
    names: list[str]
    known_at: NDArray[np.intp]
    at: NDArray[np.intp]
    notes: tuple[Note, ...]


def asked_with_gaps(inquiry: Inquiry) -> Asked:
    """The question; where scores can stand for labels, rows without one are no error yet."""
    if not _can_estimate(inquiry):
        return asked(inquiry)
    found = asked(inquiry.but(missing="drop"))
    return replace(found, inquiry=found.inquiry.but(missing=inquiry.missing))


def _can_estimate(inquiry: Inquiry) -> bool:
    """Whether scores can stand for labels."""
    scored = bool(inquiry.scores or inquiry.proba) and inquiry.kind != "rank"
    return scored and not inquiry.groups and inquiry.missing in (None, "drop")


def unlabelled_rows(
    question: Asked,
    model: Model,
    cases: Cases,
    placed: Callable[[NDArray[np.intp]], tuple[list[str], NDArray[np.intp]]],
    fitting: Callable[[NDArray[np.intp]], str],
) -> Unlabelled:
    """The rows of periods in which no row has a label.

    `placed` puts rows into periods, and `fitting` advises periods that have all labels or none, if
    there are such. Rows without a label in other periods are an error, unless they are to be
    dropped.
    """
    blank, other, notes = _without_labels(question, model)
    names, places = placed(np.concatenate([cases.rows, blank.rows]))
    known_at, at = places[: len(cases)], places[len(cases) :]
    mixed = np.isin(at, known_at)
    if not mixed.any():
        return Unlabelled(blank, other, names, known_at, at, notes)
    count, what = int(mixed.sum()), f"'{cases.label}', the truth,"
    if question.inquiry.missing != "drop":
        raise DataError(
            f"{rows_of(count, what)} empty in periods that have labels, such as "
            f"{names[at[mixed][0]]}.",
            hint=f"{fitting(blank.rows)}to leave these rows out:  --missing drop\n"
            "if the labelled rows of a period are a random sample, estimate that period in a file "
            "of its own:\n"
            f"stakes estimate PERIOD.csv --label {shlex.quote(cases.label)} ...",
        )
    said = Note("truth-empty", rows=rows_of(count, f"{what} in periods that have labels,"))
    rest = blank.kept(~mixed), other.kept(~mixed)
    return Unlabelled(*rest, names, known_at, at[~mixed], (*notes, said))


def _without_labels(question: Asked, model: Model) -> tuple[Cases, Model, tuple[Note, ...]]:
    """The rows without a label that can be estimated, and what the model says of them."""
    rows = np.flatnonzero(question.table.labels(question.cases.label).codes < 0)
    nothing = np.zeros(len(rows), dtype=np.intp)
    blank = replace(question.cases, truth=nothing, weights=None, rows=rows, ids=None)
    if not rows.size or not _can_estimate(question.inquiry):
        dropped = tuple(note for note in question.notes if note.code == "truth-empty")
        none = np.zeros(len(rows), dtype=bool)
        return blank.kept(none), model, dropped
    decisions = texts(question.application.decisions)
    read = models_of(question.table, blank, decisions, question.inquiry)
    other = next(each for each in read if each.name == model.name)
    if not other.missing.any():
        return blank, other, ()
    gaps, keep = int(other.missing.sum()), ~other.missing
    said = f"{rows_of(gaps, f'{model.name} without a label')} empty."
    note = Note("gaps-not-estimated", gaps=said, kept=grouped(len(rows) - gaps))
    return blank.kept(keep), other.kept(keep), (note,)


def fixed_mix(question: Asked, judged: Application, unlabelled: Unlabelled) -> bool:
    """Whether the class mix is stated, so that scores cannot tell what other periods cost.

    That is an error, unless rows without a label are to be dropped.
    """
    if judged.priors is None or question.inquiry.missing == "drop":
        return judged.priors is not None
    names = [unlabelled.names[k] for k in np.unique(unlabelled.at)]
    raise DataError(
        f"{quoted(names)} {'has' if len(names) == 1 else 'have'} no labels and cannot be estimated "
        "at a stated class mix, because all that their scores tell is how the mix has changed.",
        hint=f"to estimate at the class mix of the data:  leave out {_stated_by(question)}\n"
        "to watch the periods with labels alone:  --missing drop",
    )


def _stated_by(question: Asked) -> str:
    """What states the class mix: an option, the file of costs, or both."""
    option = ["--prevalence"] if question.inquiry.prevalence else []
    filed = question.application.priors is not None
    return " and ".join([*option, *([f"the priors in {question.inquiry.costs}"] if filed else [])])


def estimates_of(
    question: Asked,
    model: Model,
    cases: Cases,
    unlabelled: Unlabelled,
    reference: Sequence[str],
    level: float,
    decide: Callable[[Model, CaseCosts | None], NDArray[Any]],
) -> PeriodEstimates:
    """Estimates of every period outside the reference, labelled ones among them.

    `model` has its decisions on labelled cases as well; `decide` takes those on the others.
    """
    names, at = unlabelled.names, unlabelled.known_at
    other, costs = unlabelled.model, None
    if question.words is not None:
        rows = unlabelled.cases.rows
        costs = binary_case_costs(question.words, cases.classes, question.table, rows)
    other = replace(other, decisions=decide(other, costs))
    first = np.isin(at, [names.index(name) for name in reference])
    same = SameRule(question, cases.kept(first), [])
    known = same.cases(model.kept(first), cases.kept(first), question.table, labelled=True)
    later: dict[str, Any] = {}
    for k in [k for k, name in enumerate(names) if name not in reference]:
        has = bool((at == k).any())
        inside = at == k if has else unlabelled.at == k
        chosen, part = (model, cases) if has else (other, unlabelled.cases)
        part, chosen = part.kept(inside), chosen.kept(inside)
        later[names[k]] = same.cases(chosen, part, question.table, labelled=has)
    return estimate_periods(later, reference=known, level=level)
