"""What each model says about each case: a hard decision, or a probability of each outcome."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError, LabelError, PosteriorError
from stakes.inquiry.column_roles import (
    ClassColumns,
    class_columns,
    flipped,
    in_class_order,
    named_columns,
    refuse_several,
)
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.truth import Cases, quoted
from stakes.messages.audience import row, speaking_of
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped
from stakes.posteriors.posteriors import are_certain, refuse_decisions
from stakes.sources.cells import are_numbers, without_point
from stakes.sources.table import Table

#: What scores are called that are logarithms, by the word of --scores-are.
LOGARITHMS = {"log_odds": "log-odds", "llr": "log-likelihood ratios"}


def refuse_probabilities_called_logs(
    scores: NDArray[np.float64],
    name: str,
    inquiry: Inquiry,
    weights: NDArray[np.float64] | None = None,
    looked_at: str = "",
) -> None:
    """Raise when scores are declared to be logarithms but look like probabilities.

    Rows without a score or without weight are not looked at; `looked_at` says if others are not.
    One score per case passes when --narrow says that it is meant; ranks need rows that are not far.
    """
    if inquiry.kind not in LOGARITHMS or (scores.ndim == 1 and inquiry.narrow):
        return
    from stakes.calibration.score_input import refuse_probabilities, refuse_probability_rows

    counts = ~np.isnan(scores.reshape(len(scores), -1)).any(axis=1)
    if weights is not None:
        counts &= weights > 0
    kept, said = scores[counts], LOGARITHMS[inquiry.kind]
    # one of several models is read by itself: the others may well be logarithms
    given = str(inquiry.scores or "").split(",")
    several = len(given) > 1 and name in given and not inquiry.trials
    apart = f"--scores {shlex.quote(name)} " if several else ""
    lines = {"If they are probabilities": f"{apart}--scores-are posterior"}
    if kept.ndim == 1 and not inquiry.is_far:
        lines["If only the order means something"] = "--scores-are rank"
    if kept.ndim == 1:
        lines[f"If they are {said} all the same"] = "--narrow"
    width = max(map(len, lines)) + 3
    hint = "\n".join(f"{question + ':':{width}}{option}" for question, option in lines.items())
    with speaking_of(scores=f"the scores of '{name}'{looked_at}"):
        if kept.ndim == 1:
            refuse_probabilities(kept, "scores", hint, wanted=said)
        else:
            refuse_probability_rows(kept, "scores", hint)


def refuse_useless_narrow(inquiry: Inquiry) -> None:
    """Raise when --narrow is given for anything but one logarithm per case."""
    if inquiry.narrow and not (inquiry.scores and inquiry.kind in LOGARITHMS):
        meant = "--scores that are log-odds or log-likelihood ratios"
        raise DataError(f"--narrow does nothing here: it is for {meant}.", hint="leave it out")


#: How far probabilities of a row may be from adding to 1 before it counts as a mistake.
ROUNDING = 1e-6
#: Decimals that may have been printed, and how near a float is to the decimals it was read from.
DECIMALS, EXACT = range(2, 10), 1e-12
#: Rows further from 1 are wrong rather than rounded.
_MOST_ROUNDING = 0.02


@dataclass(frozen=True, slots=True)
class Model:
    """One model: `decisions` (positions) or `scores`, (n,) for the positive or (n, K).

    `missing` marks the rows it says nothing about; `note` says what was done to its scores;
    `columns` hold them as they are.
    """

    name: str
    missing: NDArray[np.bool_]
    decisions: NDArray[np.intp] | None = None
    scores: NDArray[np.float64] | None = None
    note: Note | None = None
    columns: tuple[str, ...] | None = None

    @property
    def second(self) -> NDArray[np.float64] | None:
        """What it says for the second outcome, where it says anything."""
        if self.scores is None:
            return None
        known = self.scores[~self.missing]
        return known if known.ndim == 1 else known[:, 1]

    def kept(self, keep: NDArray[np.bool_]) -> Model:
        """Only the rows that are wanted."""
        decisions = None if self.decisions is None else self.decisions[keep]
        scores = None if self.scores is None else self.scores[keep]
        return Model(self.name, self.missing[keep], decisions, scores, columns=self.columns)


def models_of(
    table: Table, cases: Cases, decisions: tuple[str, ...], inquiry: Inquiry
) -> list[Model]:
    """The models that the options name, on the rows of the cases."""
    refuse_useless_narrow(inquiry)
    apart = (cases.label, inquiry.id)
    names = named_columns(table, inquiry.scores, *apart) if inquiry.scores else []
    turned = flipped(names, inquiry)
    if inquiry.decisions:
        names = named_columns(table, inquiry.decisions, *apart)
        return [_decided(table, name, cases, decisions) for name in names]
    if inquiry.scores:
        refuse_several(table, names, cases.label, cases.classes)
        return [_scored(table, name, cases, inquiry, name in turned) for name in names]
    models = class_columns(table, inquiry.proba or "", *apart)
    return [_classed(table, each, cases, inquiry) for each in models]


def _decided(table: Table, name: str, cases: Cases, decisions: tuple[str, ...]) -> Model:
    """A column of hard decisions."""
    labels = table.labels(name)
    position = {without_point(decision): i for i, decision in enumerate(decisions)}
    position |= {decision: i for i, decision in enumerate(decisions)}
    meant = [position.get(each, position.get(without_point(each), -1)) for each in labels.names]
    places = np.array([*meant, -1], dtype=np.intp)
    strangers = [each for each, place in zip(labels.names, meant, strict=True) if place < 0]
    if strangers:
        count = int(labels.counts[places[:-1] < 0].sum())
        scores = f"\nif these are scores:  --scores {shlex.quote(name)}"
        raise LabelError(
            f"column '{name}' decides {quoted(strangers)} in {grouped(count)} rows, but the "
            f"decisions are {quoted(decisions)}.",
            hint="decisions must be spelt as in the truth or in the costs file"
            + (scores if are_numbers(strangers) else ""),
        )
    codes = places[labels.codes][cases.rows]
    return Model(name, codes < 0, decisions=codes)


def _scored(table: Table, name: str, cases: Cases, inquiry: Inquiry, turned: bool) -> Model:
    """A column with the score of the positive outcome."""
    if name in table.matrices:
        values = _matrix(table, name, cases)
        refuse_probabilities_called_logs(values, name, inquiry, cases.weights)
        if inquiry.kind == "posterior":
            scores = sums_checked(values, name, cases.rows, inquiry.renormalise)[:, 1]
        else:
            scores = values[:, 1] - values[:, 0]
    else:
        scores = table.numbers(name)[cases.rows]
        refuse_probabilities_called_logs(scores, name, inquiry, cases.weights)
    missing = np.isnan(scores)
    if inquiry.kind == "posterior":
        _refuse_outside(scores[~missing], name, cases)
        _refuse_certain(scores[~missing], name, inquiry)
    if turned:
        scores = 1 - scores if inquiry.kind == "posterior" else -scores
    as_it_is = None if turned or name in table.matrices else (name,)
    return Model(name, missing, scores=scores, columns=as_it_is)


def _classed(table: Table, columns: ClassColumns, cases: Cases, inquiry: Inquiry) -> Model:
    """One score per outcome, in the order of the classes."""
    names = list[str]()
    if columns.matrix is not None:
        scores = _matrix(table, columns.matrix, cases)
    else:
        names = in_class_order(columns, cases.classes)
        scores = np.empty((len(cases.rows), len(names)))
        for place, name in enumerate(names):
            scores[:, place] = table.numbers(name)[cases.rows]
    if inquiry.kind == "rank":
        raise DataError(
            "--scores-are rank needs two outcomes and one score column:  --scores COLUMN."
        )
    missing: NDArray[np.bool_] = np.asarray(np.isnan(scores).any(axis=1))
    note: Note | None = None
    if inquiry.kind == "posterior":
        for j, outcome in enumerate(cases.classes):
            _refuse_outside(scores[~missing, j], columns.by_class.get(outcome, columns.model))
        if not inquiry.renormalise:
            scores, note = rows_unrounded(scores, columns.model, table)
        scores = sums_checked(scores, columns.model, cases.rows, inquiry.renormalise)
        _refuse_certain(scores[~missing], columns.model, inquiry)
    refuse_probabilities_called_logs(scores, columns.model, inquiry, cases.weights)
    return Model(columns.model, missing, scores=scores, note=note, columns=tuple(names) or None)


def _refuse_certain(scores: NDArray[np.float64], name: str, inquiry: Inquiry) -> None:
    """Raise for probabilities that all are 0 or 1, unless somebody said that they are some."""
    if inquiry.scores_are is None and are_certain(scores):
        certain_refused(name, inquiry)


def certain_refused(name: str, inquiry: Inquiry) -> NoReturn:
    """Raise for a model whose probabilities all are 0 or 1."""
    column = shlex.quote(name) if inquiry.scores else "COLUMN   (one column with their names)"
    refuse_decisions(name, f"--decisions {column}", "--scores-are posterior")


def _matrix(table: Table, name: str, cases: Cases) -> NDArray[np.float64]:
    """An array whose columns are the sorted outcomes, in the order of the classes."""
    matrix = table.matrices[name]
    if matrix.dtype.kind not in "fiub":
        raise DataError(f"{table.source}: '{name}' must hold numbers; it holds {matrix.dtype}.")
    order = cases.found if len(cases.found) == len(cases.classes) else cases.classes
    if matrix.shape[1] != len(order):
        has = f"{table.source}: '{name}' has {matrix.shape[1]} columns"
        raise DataError(f"{has}, but there are {len(order)} outcomes: {quoted(order)}.")
    places = [order.index(outcome) for outcome in cases.classes]
    return matrix[cases.rows].astype(np.float64)[:, places]


def _refuse_outside(scores: NDArray[np.float64], name: str, cases: Cases | None = None) -> None:
    """Raise when numbers that should be probabilities are not."""
    if not scores.size:
        return
    low, high = float(scores.min()), float(scores.max())
    if low < 0 or high > 1:
        cent = "If they are per cent:                     divide them by 100 in the file\n"
        raise PosteriorError(
            f"column '{name}' has values from {_rounded(low)} to {_rounded(high)}, so these are "
            "not probabilities.",
            hint=(cent if low >= 0 and 10 < high <= 100 else "")
            + "If they are log-odds (logits):            --scores-are log_odds\n"
            "If they are log-likelihood ratios:        --scores-are llr\n"
            "If only the order means something (SVM):  --scores-are rank   "
            "(costs then need a threshold found by cross-fitting)",
        )
    if cases is not None and name.lower() == "prediction_score" and low >= 0.5:
        looks = f"'{name}' looks like the probability of the *predicted* class"
        raise PosteriorError(f"{looks} (minimum {low:.2f}). I need p({cases.classes[1]}).")


def _rounded(value: float) -> str:
    """Few digits, but never so few that a value outside 0 to 1 looks inside."""
    short = f"{value:.2g}" if abs(value) < 100 or not np.isfinite(value) else f"{value:.0f}"
    return short if (0 <= float(short) <= 1) == (0 <= value <= 1) else repr(value)


def rounded_digits(values: NDArray[np.float64]) -> int | None:
    """The number of decimals that all probabilities have; None for one or none, or very many."""
    known = values[np.isfinite(values)]
    exact = (d for d in DECIMALS if (np.abs(known - np.round(known, d)) <= EXACT).all())
    return next(exact, None)


def rounding_passes(digits: int | None, columns: int) -> float:
    """How far rows may be from 1 that were rounded before they were written.

    Each number is off by half a digit at most. Rows of very many numbers could be off by much
    more than they are, hence the limit.
    """
    if digits is None:
        return ROUNDING
    return max(ROUNDING, min(columns * 0.5 * 10.0**-digits, _MOST_ROUNDING) + EXACT)


def rounding_note(model: str, digits: int | None, rows: int, low: float, high: float) -> Note:
    """A note about rows that were rounded."""
    many = f"{grouped(rows)} row{'' if rows == 1 else 's'}"
    shown = [f"{end:.{digits}f}" for end in (low, high)]
    return Note("rows-rounded", model=model, digits=digits, rows=many, low=shown[0], high=shown[1])


def rows_unrounded(
    scores: NDArray[np.float64], model: str, table: Table
) -> tuple[NDArray[np.float64], Note | None]:
    """Rows of a file that miss 1 by the digits they are written in, divided by their sum.

    Rows in memory were not written, so nothing passes there but the last digits of a float.
    """
    sums = scores.sum(axis=1)
    off = np.abs(sums - 1) > ROUNDING
    if not table.digest or not off.any():
        return scores, None
    digits = rounded_digits(scores)
    if (np.abs(sums[off] - 1) > rounding_passes(digits, scores.shape[1])).any():
        return scores, None
    note = rounding_note(model, digits, int(off.sum()), np.nanmin(sums), np.nanmax(sums))
    return np.asarray(scores / sums[:, None]), note


def sums_checked(
    scores: NDArray[np.float64], name: str, rows: NDArray[np.intp], renormalise: bool
) -> NDArray[np.float64]:
    """Rows that add to 1, rescaled when that was asked for; `rows` are those of the file."""
    sums = scores.sum(axis=1)
    if renormalise:
        if (sums <= 0).any():
            with speaking_of(rows=rows):
                where = row(int(np.flatnonzero(sums <= 0)[0]))
            raise PosteriorError(f"probabilities of {where} of '{name}' are all 0.")
        return np.asarray(scores / sums[:, None])
    off = np.abs(sums - 1) > ROUNDING
    if off.any():
        worst = int(np.nanargmax(np.abs(sums - 1)))
        with speaking_of(rows=rows):
            where = f"(worst {sums[worst]:.7g}, {row(worst)})"
        message = f"probabilities of {grouped(int(off.sum()))} rows do not add to 1 {where}."
        if off.sum() == 1:
            message = f"the probabilities of 1 row do not add to 1 {where}."
        hint = "To rescale each row: --renormalise   (differences below 1e-6 are rounding and pass)"
        raise PosteriorError(message, hint=hint, rows=rows[off][:10].tolist())
    return scores
