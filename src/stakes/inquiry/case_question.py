"""The cases, the costs and the place that an inquiry is about, before anything is judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes.application import (
    Application,
    CostMatrix,
    dominated_decisions,
    read_costs,
)
from stakes.application.application import refuse_paid_errors
from stakes.evaluation.slices import placed
from stakes.exceptions import CostError, DataError, LabelError, PriorError
from stakes.inquiry.case_table import table_of
from stakes.inquiry.column_roles import find_label, recognised
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.option_words import (
    CostWords,
    binary_costs,
    cost_words,
    refuse_beyond_reckoning,
    refuse_beyond_volume,
    shares,
    volume,
)
from stakes.inquiry.proposal import proposal, proposing
from stakes.inquiry.truth import (
    Cases,
    binary_order,
    cases_of,
    counted,
    quoted,
    refuse_single,
    spelt_alike,
    texts,
    with_outcomes,
)
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped, percent
from stakes.sources.array_files import read_array
from stakes.sources.cells import Labels
from stakes.sources.patterns import several_words
from stakes.sources.table import Table
from stakes.sources.table_file import read_table


@dataclass(frozen=True, slots=True)
class Asked:
    """The question as read from the options: costs with names, cases, notes so far.

    `inquiry` is what was asked, with what the file made plain filled in.
    `words` is set when costs differ from case to case; `application` then holds the names only.
    """

    table: Table
    cases: Cases
    application: Application
    notes: tuple[Note, ...]
    inquiry: Inquiry
    words: CostWords | None = None


def asked(inquiry: Inquiry, unseen: Sequence[str] = ()) -> Asked:
    """Read the file and understand what was asked; what is plain from the file is filled in.

    `unseen` are outcomes that no label of the file need show.
    """
    filed, words = costs_given(inquiry)
    if inquiry.source is None and not inquiry.trials:
        raise DataError(
            "there is no file to read.",
            hint="stakes eval data.csv --label y --scores model_a --cost fn=10 fp=1\n"
            "stakes eval --confusion table.csv --cost fn=10 fp=1",
        )
    table, inquiry, notes = table_of(inquiry)
    with proposing(lambda: proposal(table, inquiry), inquiry):
        table, label, said = _with_label(table, inquiry)
        inquiry, found = fill_in_models(table, label, inquiry)
        labels = with_outcomes(table.labels(label), unseen)
        refuse_single(labels, label)
        with _naming_files(inquiry.file, labels):
            app = application_over(filed, words, labels, label, inquiry)
    cases, more = cases_of(table, labels, label, texts(app.classes), inquiry)
    notes += [*([said] if said else ()), *found, *more]
    per_case = words if words is not None and words.columns else None
    return Asked(table, cases, app, tuple(notes), inquiry, per_case)


@contextmanager
def _naming_files(file: str | None, labels: Labels) -> Iterator[None]:
    """Say which files spell outcomes in another way where labels are refused."""
    try:
        yield
    except LabelError as error:
        hint = f"{_spelt_by_file(file, labels)}{error.hint or ''}"
        raise LabelError(error.message, hint=hint, code=error.code) from None


def _spelt_by_file(file: str | None, labels: Labels) -> str:
    """A line about several files of two outcomes that are not the same; else empty."""
    words = several_words(file)
    ends = np.cumsum([read_table(word).n_rows for word in words])
    if not words or ends[-1] != len(labels.codes):  # rows were joined, or put side by side
        return ""
    parts = np.split(labels.codes, ends[:-1])
    held = [tuple(labels.names[k] for k in np.unique(part[part >= 0])) for part in parts]
    if len(set(held)) < 2 or max(map(len, held)) > 2:
        return ""
    first = dict(zip(reversed(held), reversed(words), strict=True))  # of each spelling one file
    said = [f"{Path(word).name} holds {quoted(names)}" for names, word in first.items()][::-1]
    more = f" and {len(said) - 4} more files" if len(said) > 4 else ""
    return f"{'; '.join(said[:4])}{more}: spell each outcome alike in all files\n"


def outcomes_in(inquiry: Inquiry) -> tuple[str, tuple[str, ...]]:
    """The column of the truth of a file, and its outcomes; of two, the one acted on last."""
    table, _, _ = table_of(inquiry)
    # neither models nor costs are needed, so that none are proposed
    known = inquiry.but(decisions="-", cost=("error=1",))
    with proposing(lambda: proposal(table, known), known):
        table, label, _ = _with_label(table, inquiry)
        labels = table.labels(label)
        refuse_single(labels, label)
        if len(labels.names) > 2:
            return label, labels.names
        return label, binary_order(labels, inquiry.positive, label)


def _with_label(table: Table, inquiry: Inquiry) -> tuple[Table, str, Note | None]:
    """The table with the column of the truth, which may come from a .npy file of its own."""
    given = inquiry.label
    if given is None or not given.endswith(".npy") or given in table.names:
        return table, *find_label(table, given)
    truth = read_array(given)
    name = Path(given).stem
    if truth.ndim != 1 or truth.shape[0] != table.n_rows:
        scores = next(iter(table.matrices.values()), None)
        shape = (table.n_rows,) if scores is None else scores.shape
        sizes = (", ".join(map(grouped, each)) for each in (truth.shape, shape))
        got, has = (f"({size})" if "," in size else size for size in sizes)
        raise DataError(
            f"{name} has {got} rows but {table.source} has {has}. Same file, same order?"
        )
    getters = (*table.getters, lambda: truth)
    return replace(table, names=(*table.names, name), getters=getters), name, None


def fill_in_models(table: Table, label: str, inquiry: Inquiry) -> tuple[Inquiry, list[Note]]:
    """Refuse two kinds of models; without any, take the class columns that the names give away."""
    given = inquiry.models_given
    if len(given) > 1:
        hint = "give one of --decisions, --scores, --proba"
        raise DataError(f"--{given[0]} and --{given[1]} cannot be compared in one run.", hint=hint)
    if given:
        return inquiry, []
    found = recognised(table, label)
    if found:
        columns = [column for model in found for column in model.by_class.values()]
        said = Note("models-by-name", columns=", ".join(columns[:8]))
        return inquiry.but(proba=",".join(columns)), [said]
    if len(table.matrices) == 1:
        name = next(iter(table.matrices))
        return inquiry.but(proba=name), [Note("model-is-array", name=name)]
    others = [name for name in [*table.names, *table.matrices] if name != label]
    raise DataError(
        f"I cannot tell which columns hold the models. {table.source} has: "
        f"{', '.join(others[:12])}.",
        hint="probabilities of the outcome you act on:   --scores A,B\n"
        "one probability per outcome:               --proba 'p_*'\n"
        "decisions:                                 --decisions A,B",
        code="no-models",
    )


def costs_given(inquiry: Inquiry) -> tuple[Application | None, CostWords | None]:
    """The costs from a file or from the short form, or neither; both are refused."""
    words = cost_words(inquiry.cost, inquiry.gain)
    if words is not None and inquiry.costs is not None:
        raise CostError("costs are given twice: --costs and --cost.", hint="leave one of them out")
    if inquiry.costs is None:
        return None, words
    given = inquiry.costs  # an application once the ends of a range have been put in
    filed = given if isinstance(given, Application) else read_costs(given)
    made = CostMatrix.from_utilities if inquiry.gains_alone else CostMatrix
    costs = made(filed.costs.values, texts(filed.classes), texts(filed.decisions))
    refuse_beyond_reckoning(costs)
    return Application(costs, filed.priors, filed.unit, filed.volume, filed.period), None


def application_over(
    filed: Application | None, words: CostWords | None, labels: Labels, label: str, inquiry: Inquiry
) -> Application:
    """Costs over the outcomes of the data, with unit and volume; without any there is no answer."""
    if filed is None and words is None:
        raise CostError(
            "I need to know what the decisions cost.",
            hint="two outcomes:               --cost fn=10 fp=1   (a miss 10, a false alarm 1)\n"
            "more outcomes or decisions: --costs costs.toml\n"
            "every error costs the same: --cost error=1",
            code="no-costs",
        )
    number, period = volume(inquiry.volume)
    if filed is not None:
        costs, shares = filed.costs, filed.priors
        if costs.classes == ("0", "1") and set(labels.names) != {"0", "1"}:  # without names
            if len(labels.names) > 2:
                named = ", ".join(f'"{name}"' for name in labels.names[:4])
                named += ", ..." if labels.names[4:] else ""
                hint = f"name them in the file:  outcomes = [{named}]"
                raise CostError(
                    f"the costs file speaks of two outcomes, without names; '{label}' holds "
                    f"{counted(labels)}.",
                    hint=f"{spelt_alike(labels)}{hint}   and a table [cost.<truth>] for each",
                )
            order = binary_order(labels, inquiry.positive, label)
            decisions = None if costs.shape == (2, 2) else costs.decisions
            costs = CostMatrix(costs.values, order, decisions)
        elif inquiry.positive is not None and costs.classes[-1] != inquiry.positive:
            last = f"lists '{costs.classes[-1]}' last, as the outcome that is acted on"
            hint = "leave --positive out, or change the order in the file"
            raise CostError(f"--positive {inquiry.positive}, but the costs file {last}.", hint=hint)
        number = filed.volume if number is None else number
        period = filed.period if period is None else period
        return Application(costs, shares, inquiry.unit or filed.unit, number, period)
    assert words is not None
    several = len(labels.names) > 2
    if words.same_for_all_errors and several and inquiry.positive is not None:
        hint = "leave it out: every error costs the same, whichever outcome it is about"
        message = f"--positive is for two outcomes; '{label}' holds {len(labels.names)}."
        raise CostError(message, hint=spelt_alike(labels) + hint)
    if words.same_for_all_errors and (several or not (inquiry.scores or inquiry.positive)):
        costs = binary_costs(words, labels.names)
    else:
        order = binary_order(labels, inquiry.positive, label)
        costs = CostMatrix.zero_one(order) if words.columns else binary_costs(words, order)
    return Application(costs, None, inquiry.unit, number, period)


class Placed(NamedTuple):
    """An application with its shares filled in, and the one to judge at.

    The latter has shares only if they were given: those of the data vary with the data.
    """

    app: Application
    judged: Application


def at_place(app: Application, data_priors: NDArray[Any], inquiry: Inquiry) -> Placed:
    """The application with its shares filled in: those given, or else those of the data."""
    refuse_beyond_volume(app)
    refuse_paid_errors(app)
    given = bool(inquiry.prevalence) or app.priors is not None
    classes = texts(app.classes)
    if inquiry.prevalence:
        app = app.with_priors(shares(inquiry.prevalence, classes))
    there = app.resolved_priors(data_priors)
    for name, here, share in zip(classes, data_priors, there, strict=True):
        if share == 1 and given:
            raise PriorError(
                f"you said that every case is '{name}', so there is nothing to decide."
            )
        if share == 1:
            message = f"every case here is '{name}', so nothing can be said about the others."
            raise DataError(message, hint="bring cases of every outcome")
        if here == 0 and share > 0:
            said = f"you said that {percent(share)} of the cases are '{name}'"
            none = "there is none in the data, so its cost is unknown"
            hint = f"bring cases of '{name}', or set its share to 0"
            raise DataError(f"{said}, but {none}.", hint=hint)
    found = app.with_priors(there)
    return Placed(found, found if given else app.with_priors(None))


def refuse_or_name_dominated(costs: CostMatrix) -> list[Note]:
    """Raise when one decision is never worse than all others; name the other wasted ones."""
    found = dominated_decisions(costs)
    if found and len(found) == len(costs.decisions) - 1:
        raise CostError(str(found[0]), hint="check the costs: rows are the truth")
    return [Note("dominated", sentence=str(each)) for each in found]


def group_labels(table: Table, name: str) -> Labels:
    """The groups in the order that engines count them in, whatever the file: numbers by size."""
    labels = table.labels(name)
    order = sorted(range(len(labels.names)), key=lambda k: placed(labels.names[k]))
    place = np.full(len(order) + 1, -1, dtype=np.intp)  # the last is for rows without a group
    place[order] = np.arange(len(order))
    names = tuple(labels.names[k] for k in order)
    return replace(labels, names=names, codes=place[labels.codes])


def groups_of(table: Table, cases: Cases, name: str | None) -> NDArray[Any] | None:
    """Which cases belong together, as numbers; None when each stands for itself."""
    if name is None:
        return None
    codes = group_labels(table, name).codes[cases.rows]
    if (codes < 0).any():
        row = int(cases.rows[int((codes < 0).argmax())]) + 1
        message = f"'{name}', which says what belongs together, is empty in row {row}."
        raise DataError(message, hint="give every case a group, if only its own")
    return codes
