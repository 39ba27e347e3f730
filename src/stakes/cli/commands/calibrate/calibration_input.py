"""What the scores of a calibration are: kept where it is learnt, read where it is applied."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.calibration import Calibrator
from stakes.calibration.persistence import sealed
from stakes.calibration.score_kind import COLUMN, LOG_POSTERIORS, POSTERIORS, UNIT_COLUMN
from stakes.cli.commands.calibrate.calibration_fit import Learnt, log_scores
from stakes.cli.commands.calibrate.score_scale import OTHER_COLUMN, prior_odds, settled
from stakes.cli.show.outputs import write_whole
from stakes.exceptions import DataError, FormatError, PosteriorError
from stakes.inquiry.column_roles import flipped
from stakes.inquiry.model_columns import Model, sums_checked
from stakes.messages.quantities import grouped
from stakes.posteriors import Posteriors
from stakes.sources.cells import as_labels
from stakes.sources.table import Table

MEANT = {
    "posterior": "probabilities",
    "log_odds": "log-odds",
    "llr": "log-likelihood ratios",
    "rank": "scores whose order alone means something",
}


@dataclass(frozen=True, slots=True)
class Input:
    """Where scores stand in a file and what they mean; None where a file does not say.

    `order` is that of the columns of an array without names.
    """

    model: str
    columns: dict[str, str]
    scores_are: str | None
    flip: bool | None
    renormalise: bool
    order: tuple[str, ...]
    priors: tuple[float, ...]


def _kept(learnt: Learnt) -> dict[str, Any]:
    """The same as JSON types, for the file of a calibration."""
    cases, inquiry = learnt.cases, learnt.question.inquiry
    order = cases.found if len(cases.found) == len(cases.classes) else cases.classes
    return {
        "model": learnt.model,
        "columns": learnt.columns,
        "scores_are": inquiry.kind,
        "priors": cases.priors.tolist(),
        "flip": learnt.model in flipped([learnt.model], inquiry),
        "renormalise": inquiry.renormalise,
        "order": list(order),
        "source": learnt.question.table.source,
        "sha256": learnt.question.table.digest,
    }


def save(learnt: Learnt, args: Any) -> list[str]:
    """Write the calibrator with what its scores are; returns what to say of it."""
    saved = learnt.calibrator.to_dict()
    saved["input"] = _kept(learnt)
    size = write_whole(Path(args.output), sealed(saved).decode("ascii"))
    return [
        f"calibration: {args.output} ({max(1, round(size / 1000))} kB)",
        f"apply it:    stakes calibrate --apply {args.output} new.csv -o out.csv",
    ]


def input_of(saved: dict[str, Any], classes: tuple[Any, ...], path: str) -> Input:
    """What a saved calibration says of its scores; one that was saved from Python says little."""
    given = saved.get("input", {})
    own_scale = "rank" if saved.get("scores") == UNIT_COLUMN else None
    names = tuple(str(name) for name in classes)
    if not isinstance(given, dict) or not _fits(given, names):
        raise FormatError(f"{path} is damaged: it does not say where its scores come from.")
    return Input(
        given.get("model", "score"),
        given.get("columns", {}),
        given.get("scores_are", own_scale),
        given.get("flip"),
        given.get("renormalise", False),
        tuple(given.get("order", as_labels(np.array(names)).names)),
        tuple(given.get("priors", [1 / len(names)] * len(names))),
    )


def _fits(given: dict[str, Any], names: tuple[str, ...]) -> bool:
    """Whether each part that is there is what it should be."""
    columns, order = given.get("columns", {}), given.get("order", list(names))
    priors = given.get("priors", [0.0] * len(names))
    return (
        isinstance(columns, dict)
        and all(isinstance(word, str) for word in (*columns.values(), given.get("model", "")))
        and given.get("scores_are") in (None, *MEANT)
        and all(given.get(name) in (None, True, False) for name in ("flip", "renormalise"))
        and isinstance(order, list)
        and set(map(str, order)) == set(names)
        and isinstance(priors, list)
        and len(priors) == len(names)
        and all(isinstance(share, (int, float)) and 0 <= share <= 1 for share in priors)
    )


def agreed(kept: Input, learnt: Calibrator, args: Any) -> Input:
    """The input with what the options add to it; what contradicts it is refused."""
    found = replace(kept, columns={"score": args.scores}) if args.scores else kept
    said = args.scores_are
    if said is not None and kept.scores_are not in (None, said):
        raise DataError(
            f"--scores-are {said}, but the calibration was learnt on {MEANT[kept.scores_are]} "
            f"({kept.scores_are}).",
            hint=f"leave it out: {args.apply} knows what its scores are",
        )
    if args.flip:
        _refuse_other_flip(kept, found, args)
    kind, single = kept.scores_are or said or "posterior", "score" in found.columns
    if kept.scores_are is None and single and len(kept.order) == 2:
        kind = settled(learnt, said, args.apply)
        shares = prior_odds(learnt, args.apply) if kind == "llr" else None
        found = found if shares is None else replace(found, priors=shares)
    _refuse_idle(args, kind, single=single, column=learnt._sort == COLUMN)
    return replace(
        found,
        scores_are=kind,
        flip=bool(kept.flip or args.flip),
        renormalise=kept.renormalise or args.renormalise,
    )


def _refuse_idle(args: Any, kind: str, *, single: bool, column: bool) -> None:
    """Raise for options that are of scores of another sort."""
    if args.renormalise and (kind != "posterior" or single):
        raise DataError(
            "--renormalise does nothing here: it is for one probability per outcome.",
            hint="leave it out",
        )
    if args.narrow and kind == "posterior" and not (single and column):
        raise DataError(
            "--narrow does nothing here: it is for scores that are no probabilities.",
            hint="leave it out",
        )


def _refuse_other_flip(kept: Input, found: Input, args: Any) -> None:
    """Raise when --flip says something else than was learnt."""
    column = found.columns.get("score")
    if args.flip != column:
        what = "one column per outcome" if column is None else f"'{column}'"
        raise DataError(
            f"--flip {args.flip}, but the scores that are calibrated are {what}.",
            hint="leave it out",
        )
    if kept.flip is False:
        raise DataError(
            f"--flip {args.flip}, but the calibration was learnt on '{kept.model}' as it is.",
            hint="leave it out; if higher means less likely, learn the calibration with --flip",
        )


def values_from(
    table: Table, source: Input, learnt: Calibrator, *, whence: str = ""
) -> NDArray[np.float64]:
    """The numbers of a file: one score per case, or one per outcome.

    `whence` says why they are taken as probabilities, where the calibration was not learnt so.
    """
    classes = learnt.classes or ()
    values = _values(table, source, tuple(str(name) for name in classes))
    missing = np.isnan(values.reshape(len(values), -1)).any(axis=1)
    if missing.any():
        raise DataError(
            f"{table.source}: row {grouped(int(missing.argmax()) + 1)} has no score "
            f"({grouped(int(missing.sum()))} of {grouped(len(values))} rows).",
            hint="leave such rows out of the file",
        )
    kind = source.scores_are
    if kind == "posterior" and (values.min(initial=0) < 0 or values.max(initial=1) > 1):
        other = "any other scale: --scores-are rank"
        if learnt._sort not in (None, COLUMN):
            other = "log-likelihood ratios: --scores-are llr"
        raise _no_probabilities(values, table.source, whence, other)
    if kind == "posterior" and values.ndim == 2:
        rows = np.arange(len(values))
        values = sums_checked(values, source.model, rows, source.renormalise)
    if values.ndim == 2 and "score" in source.columns:  # an array in place of a column
        values = values[:, 1] if kind == "posterior" else values[:, 1] - values[:, 0]
    return values


def as_taken(values: NDArray[np.float64], source: Input, sort: str | None) -> NDArray[np.float64]:
    """Scores as a calibrator takes them that was fitted on that sort of scores."""
    kind = source.scores_are or "posterior"
    if source.flip:
        values = 1 - values if kind == "posterior" else -values
    if values.ndim == 1 and kind in ("log_odds", "rank"):
        if sort in (COLUMN, UNIT_COLUMN):
            return values
        if sort in (POSTERIORS, LOG_POSTERIORS):
            return Posteriors.from_logits(values).log_values
    model = Model("", np.zeros(len(values), dtype=bool), scores=values)
    return log_scores(model, np.array(source.priors, dtype=np.float64), kind)


def _no_probabilities(
    values: NDArray[np.float64], source: str, whence: str, other: str
) -> PosteriorError:
    """That scores are none, and what to say if the calibration does not."""
    found = f"{source} has values from {values.min():.3g} to {values.max():.3g}"
    if not whence:
        return PosteriorError(
            f"the calibration was learnt on probabilities, but {found}.", hint=OTHER_COLUMN
        )
    return PosteriorError(f"{whence}; {found}.", hint=f"log-odds: --scores-are log_odds; {other}")


def _values(table: Table, source: Input, classes: tuple[str, ...]) -> NDArray[np.float64]:
    """The numbers of the file: of the one score, or of each outcome in order."""
    columns = source.columns
    name = columns.get("matrix", columns.get("score"))
    if "matrix" in columns and name not in table.matrices:
        if len(table.matrices) != 1:
            known = ", ".join(table.matrices) or "none"
            raise DataError(
                f"{table.source} has no array '{name}', which holds the scores; arrays: {known}."
            )
        name = next(iter(table.matrices))
    if name in table.matrices and ("matrix" in columns or name not in table.names):
        matrix = table.matrices[name]
        if matrix.dtype.kind not in "fiub" or matrix.shape[1] != len(classes):
            raise DataError(
                f"{table.source}: '{name}' must hold {len(classes)} columns of numbers; it holds "
                f"{matrix.shape[1]} of {matrix.dtype}."
            )
        return matrix.astype(np.float64)[:, [source.order.index(each) for each in classes]]
    if name is not None:
        if len(classes) != 2:
            raise DataError(
                f"'{name}' is one column, but the calibration is of {len(classes)} outcomes.",
                hint="leave --scores out: the columns are those that it was learnt on",
            )
        return table.numbers(name)
    absent = [each for each in classes if each not in columns]
    if absent:
        raise FormatError(
            f"the calibration does not say where the scores of {absent} are.",
            hint="--scores COLUMN" if len(classes) == 2 else None,
        )
    return np.column_stack([table.numbers(columns[each]) for each in classes])
