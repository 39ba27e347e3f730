"""Estimates for a file without labels, from a labelled file of the same columns."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from stakes._checks import of_kind
from stakes._names import as_positions
from stakes.application import Application
from stakes.cli.commands.estimate.sampled_rows import in_rows
from stakes.estimation import CostEstimate, DecidedCases, JudgedCost, LabelledCost, estimate_cost
from stakes.estimation.input_columns import Inputs
from stakes.exceptions import DataError
from stakes.inquiry.case_question import Asked, asked, at_place
from stakes.inquiry.column_roles import words_of
from stakes.inquiry.inquiry import Attended, Inquiry, plainly
from stakes.inquiry.model_decisions import rule_of, without_gaps
from stakes.inquiry.model_scores import Model, models_of
from stakes.inquiry.option_words import binary_case_costs
from stakes.inquiry.truth import NO_VALUE, Cases, texts
from stakes.messages.audience import speaking_of
from stakes.messages.quantities import grouped
from stakes.posteriors import Posteriors
from stakes.sources.table import Table
from stakes.sources.table_file import read_table
from stakes.typing import FloatArray


@dataclass(frozen=True, slots=True)
class FileEstimates:
    """The estimate of each model, and the files that it comes from."""

    estimates: dict[str, CostEstimate]
    application: Application
    source: str
    reference: str
    notes: tuple[Any, ...] = ()
    per_case: bool = False


def estimate_files(
    inquiry: Inquiry,
    *,
    reference: str | Table,
    inputs: Sequence[str] | str = (),
    change: str = "auto",
    attended: Attended = plainly,
) -> FileEstimates:
    """What decisions on the cases of a file cost that has no labels yet.

    Parameters
    ----------
    inquiry : Inquiry
        What is asked, as for an evaluation; its source is the file without labels.
    reference : str or Table
        The labelled file, with the same columns and the truth.
    inputs : str or sequence of str
        Columns that the model saw.
    change : {"auto", "none", "shares", "inputs"}
        As in `stakes.estimation.estimate_cost`.
    attended : callable, optional
        Shows the progress of an engine.

    Returns
    -------
    FileEstimates
        By model, with `.estimates`.
    """
    of_kind(inquiry, "inquiry", Inquiry)
    labelled, of_old = in_rows(inquiry.but(source=reference), attended)
    rows, of_new = in_rows(inquiry, attended)
    question = asked(labelled)
    fresh = table_in(rows)
    _refuse_labelled(inquiry, fresh, question)
    columns = words_of(inputs) if isinstance(inputs, str) else list(inputs)
    found, notes = {}, [*of_old, *of_new, *question.notes]
    old, said = _models(question, question.table, question.cases)
    new, more = _models(question, fresh, all_rows(question, fresh))
    notes += [*said, *more]
    for (model, cases), (other, others) in zip(old, new, strict=True):
        made = SameRule(question, cases, columns)
        known = made.cases(model, cases, question.table, labelled=True)
        unknown = made.cases(other, others, fresh, labelled=False)
        found[model.name] = estimate_cost(known, unknown, change=change, level=inquiry.level)
    sources = fresh.source, question.table.source
    per_case = question.words is not None
    return FileEstimates(found, question.application, *sources, tuple(notes), per_case)


def total_of(found: CostEstimate | LabelledCost | JudgedCost, app: Application) -> dict[str, Any]:
    """The cost of as many cases as the volume, with its interval; empty where none was given."""
    if app.volume is None:
        return {}
    ends = {name: getattr(found, name) * app.volume for name in ("value", "low", "high")}
    return {"total": {**ends, "volume": app.volume, "period": app.period}}


def _refuse_labelled(inquiry: Inquiry, fresh: Table, question: Asked) -> None:
    """Raise for a file with labels, which an estimate from another file would not use."""
    label, file = question.cases.label, inquiry.file or fresh.source
    known = int((fresh.labels(label).codes >= 0).sum()) if label in fresh.names else 0
    if not known:
        return
    words = f"{shlex.quote(file)} --label {shlex.quote(label)} ..."
    by_labels = f"the cost by its labels:  stakes eval {words}"
    if known < fresh.n_rows:
        by_labels = f"the cost of all rows from these labels:  stakes estimate {words}"
    other = question.inquiry.file
    if other and Path(other).resolve() == Path(file).resolve():
        raise DataError(f"{fresh.source} cannot be its own --reference.", hint=by_labels)
    rows = f"{grouped(known)} {'row' if known == 1 else 'rows'} of {fresh.source}"
    raise DataError(
        f"{rows} already {'has' if known == 1 else 'have'} a label in '{label}', which an "
        "estimate with --reference does not use.",
        hint=f"{by_labels}\nan estimate as if there were no labels:  leave '{label}' out of "
        f"{shlex.quote(file)}",
    )


def table_in(inquiry: Inquiry) -> Table:
    """The rows of the file that is asked about."""
    return inquiry.source if isinstance(inquiry.source, Table) else read_table(inquiry.file or "")


def all_rows(question: Asked, table: Table) -> Cases:
    """All rows of a file; their truth is not known, and never looked at."""
    name = question.inquiry.weight
    weights = None if name is None else table.numbers(name)
    rows, truth = np.arange(table.n_rows), np.zeros(table.n_rows, dtype=np.intp)
    return replace(question.cases, truth=truth, weights=weights, rows=rows, ids=None)


def _models(
    question: Asked, table: Table, cases: Cases
) -> tuple[list[tuple[Model, Cases]], list[Any]]:
    """Each model with the cases that it has a value for."""
    inquiry, decisions = question.inquiry, texts(question.application.decisions)
    refuse_unlikely(inquiry)
    with speaking_of(rows=cases.rows):
        read = models_of(table, cases, decisions, inquiry)
    kept = [without_gaps([model], cases, inquiry, for_decisions=False) for model in read]
    return [(m[0], c) for m, c, _ in kept], [note for _, _, note in kept if note is not None]


def refuse_unlikely(inquiry: Inquiry) -> None:
    """Raise for models that do not say how likely each outcome is."""
    if inquiry.decisions or inquiry.kind == "rank":
        raise DataError(
            "estimates need probabilities or log-odds: decisions and ranks do not say how likely "
            "each outcome is.",
            hint="--scores COLUMN, or --proba 'p_*'",
        )


@dataclass(frozen=True, slots=True)
class SameRule:
    """How cases of either file are made: the same rule and the same columns."""

    question: Asked
    reference: Cases
    inputs: list[str]

    def cases(
        self, model: Model, cases: Cases, table: Table, *, labelled: bool, moved: bool = True
    ) -> DecidedCases:
        """The cases of one model with its decisions.

        With `moved`, scores are decided at the shares of the place, from those of the reference,
        unless the model has decisions as well.
        """
        question, inquiry = self.question, self.question.inquiry
        app = question.application
        posteriors = self._posteriors(model)
        costs, decisions = None, model.decisions
        if question.words is not None:
            if inquiry.prevalence:
                raise DataError("--prevalence does not go with costs per case here.")
            costs = binary_case_costs(question.words, cases.classes, table, cases.rows)
        elif moved and decisions is None:
            place = at_place(app, self.reference.priors, inquiry).app
            rule = rule_of(place, self.reference, inquiry, None)
            if rule is None:
                raise DataError("--proba of log-likelihood ratios cannot be estimated from.")
            # of two columns, also of log odds, the rule is on the probability of the second
            scores = posteriors if rule.scores == "posterior" else model.scores
            decisions = as_positions(rule.positions(scores))
        return DecidedCases.from_scores(
            as_positions(cases.truth) if labelled else None,
            Posteriors(posteriors, classes=app.classes),
            application=app.with_priors(None),
            case_costs=costs,
            decisions=decisions,
            inputs=self._inputs(table, cases) if self.inputs else None,
            by=self.slices(table, cases),
            sample_weight=cases.weights,
        )

    def _posteriors(self, model: Model) -> FloatArray:
        """Scores as probabilities at the shares of the reference."""
        kind, classes = self.question.inquiry.kind, self.reference.classes
        if kind == "llr":
            return Posteriors.from_llrs(model.scores, self.reference.priors, classes).values
        made = Posteriors.from_logits if kind == "log_odds" else Posteriors
        return made(model.scores, classes).values

    def _inputs(self, table: Table, cases: Cases) -> Inputs:
        """Columns of numbers as numbers, others as text."""
        return Inputs({name: _column(table, name)[cases.rows] for name in self.inputs})

    def slices(self, table: Table, cases: Cases) -> Any:
        """The slice of each case, if slices were asked for."""
        name = self.question.inquiry.by
        return None if name is None else _texts(table, name, NO_VALUE)[cases.rows]


def _column(table: Table, name: str) -> Any:
    try:
        return table.numbers(name)
    except DataError:
        return _texts(table, name)


def _texts(table: Table, name: str, empty: str = "") -> Any:
    """A column as text, and what stands for cells without a value."""
    labels = table.labels(name)
    return np.array([*labels.names, empty])[labels.codes]
