"""Which columns are the truth, the models and their classes; recognised by name, always said."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from stakes.exceptions import DataError
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.truth import quoted
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped
from stakes.sources.table import Table

LABEL_NAMES = (
    "y", "y_true", "label", "labels", "target", "targets", "truth", "correct", "actual",
)  # fmt: skip
ID_NAMES = ("id", "row_id", "index")
#: How other tools call the probability of a class: p_cat, prob.cat, .pred_cat, confidence.cat
CLASS_COLUMN = re.compile(
    r"^(?:(?P<model>.+)\.)?(?:p_|prob_|proba_|probability_|prob\.|\.pred_|confidence\.)(?P<name>.+)$"
)
#: The decision of tidymodels, beside its probabilities .pred_no and .pred_yes.
_DECISION_COLUMN = re.compile(r"^(?:.+\.)?\.pred_class$")
#: H2O calls the probabilities of the outcomes 0, 1, ... so, beside its decision in `predict`.
_H2O_COLUMN = re.compile(r"^p(?P<name>\d+)$")


@dataclass(frozen=True, slots=True)
class ClassColumns:
    """The columns of one model: which column holds the probability of which class.

    `matrix` is set instead when the model is an array of two dimensions, whose columns have
    no names.
    """

    model: str
    by_class: dict[str, str]
    matrix: str | None = None


def find_label(table: Table, given: str | None) -> tuple[str, Note | None]:
    """The column that holds the truth, and what to say when it was found by its name."""
    if given is not None:
        table.position(given)
        return given, None
    found = [name for name in table.names if name.lower() in LABEL_NAMES]
    if len(found) == 1:
        return found[0], Note("truth-by-name", column=found[0])
    if found:
        message = f"{table.source}: {' and '.join(map(repr, found))} could each be the truth."
        raise DataError(message, hint=f"Say: --label {shlex.quote(found[0])}", code="no-label")
    raise DataError(
        f"{table.source}: I cannot tell which column holds the truth. "
        f"It has: {', '.join(table.names[:12])}.",
        hint="Say: --label COLUMN",
        code="no-label",
    )


def _holds_numbers(table: Table, name: str) -> bool:
    """Whether a column can be read as numbers."""
    try:
        table.numbers(name)
    except DataError:
        return False
    return True


def refuse_several(table: Table, scores: Sequence[str], label: str, classes: Sequence[str]) -> None:
    """Raise for scores of one outcome where there are more than two, with the columns to give."""
    if len(classes) == 2:
        return
    columns = "'p_*'"
    for names in (classes, scores):
        if all(name in table.names for name in names):
            found = class_columns(table, ",".join(names))
            if len(found) == 1 and set(found[0].by_class) == set(classes):
                columns = shlex.quote(",".join(names))
    has = f"'{label}' has {len(classes)}: {quoted(classes)}"
    hint = f"give one probability per outcome:  --proba {columns}"
    raise DataError(f"--scores needs two outcomes; {has}.", hint=hint)


def words_of(text: str | None) -> list[str]:
    """The words of a list with commas."""
    return [word for word in map(str.strip, (text or "").split(",")) if word]


def named_columns(
    table: Table, given: str, truth: str | None = None, name: str | None = None
) -> list[str]:
    """The columns of a list with commas; a star stands for any letters; every one must exist.

    The column of the `truth` is no model: it is refused. Stars skip it, and the column that
    holds the `name` of each case.
    """
    names: list[str] = []
    words = [given] if given in table.names else words_of(given)  # a name may hold a comma
    if not words:
        raise DataError(f"'{given}' names no column.", hint="columns are listed with commas:  a,b")
    for k, part in enumerate(words):
        if part in words[:k]:
            raise DataError(f"'{part}' is named twice.", hint="leave one of them out")
        if part == truth:
            hint = "name the column that holds what the model says, or another one:  --label"
            raise DataError(f"'{part}' is the truth, so it cannot be a model.", hint=hint)
        if part in table.names or part in table.matrices:
            names.append(part)
        elif "*" in part:
            apart = (truth, name)
            matched = [each for each in table.names if _stars(part, each) and each not in apart]
            if not matched:
                raise _no_match(table, part)
            names.extend(matched)
        else:
            table.position(part)  # raises, with a suggestion
    return list(dict.fromkeys(names))


def flipped(names: Sequence[str], inquiry: Inquiry) -> set[str]:
    """The score columns where higher means less likely; anything else in --flip is refused."""
    words = words_of(inquiry.flip)
    strangers = [word for word in words if word not in names]
    if strangers:
        among, hint = "there are no --scores", "it is for columns of --scores"
        if names:
            among, hint = f"the scores are {', '.join(names)}", f"--flip {shlex.quote(names[0])}"
        raise DataError(f"--flip {strangers[0]} does nothing: {among}.", hint=hint)
    return set(words)


def class_columns(
    table: Table, given: str, truth: str | None = None, name: str | None = None
) -> list[ClassColumns]:
    """The models behind `--proba`: one column per class each.

    In a pattern the last star is the class; a star before it is the model. A pattern with one
    star also finds ``model.`` in front of it. Patterns skip the column of the `truth` and the one
    that holds the `name` of each case. Columns named one by one follow `CLASS_COLUMN`, or are
    called like the classes.
    """
    models: dict[str, ClassColumns] = {}
    for part in words_of(given):
        if part in table.matrices:
            models[part] = ClassColumns(part, {}, matrix=part)
            continue
        found = _starred(table, part, (truth, name)) if "*" in part else _spelt(table, part)
        for model, outcome, column in found:
            known = models.setdefault(model, ClassColumns(model, {})).by_class
            if known.setdefault(outcome, column) != column:
                raise DataError(
                    f"{table.source}: '{known[outcome]}' and '{column}' both hold class "
                    f"'{outcome}'.",
                    hint="name the columns one by one in --proba",
                )
    return list(models.values())


def _starred(table: Table, part: str, apart: tuple[str | None, ...]) -> list[tuple[str, str, str]]:
    """Model, class and column for each column that a pattern finds, but those set `apart`."""
    # with one star the model is what stands before the last point, or a star before the pattern
    before = part.split("*", maxsplit=1)[0].rstrip("._:").rpartition(".")[0] or "model"
    for pattern in (part, "*." + part) if part.count("*") == 1 else (part,):
        columns = [name for name in table.names if name not in apart]
        if pattern == "*" and table.getters:
            columns = [name for name in columns if _holds_numbers(table, name)]
        matches = [(column, _stars(pattern, column)) for column in columns]
        found = [
            (match[0] if len(match) > 1 else before, match[-1], column)
            for column, match in matches
            if match and not _DECISION_COLUMN.match(column)
        ]
        if found:
            return found
    raise _no_match(table, part)


def _spelt(table: Table, part: str) -> list[tuple[str, str, str]]:
    """Model, class and column for a column that was named in full."""
    table.position(part)
    if "predict" in table.names and _H2O_COLUMN.match(part):
        return [("model", part[1:], part)]
    match = CLASS_COLUMN.match(part)
    if match is None:
        return [("model", part, part)]
    return [(match["model"] or "model", match["name"], part)]


def in_class_order(columns: ClassColumns, classes: Sequence[str]) -> list[str]:
    """The columns of a model in the order of the classes; every class has one, and nothing else."""
    absent = [name for name in classes if name not in columns.by_class]
    if absent:
        found = ", ".join(list(columns.by_class.values())[:8])
        unknown = "name the columns p_<class>, or give a pattern:  --proba 'score_*'"
        hint = unknown if len(absent) == len(classes) else None
        raise DataError(f"{found} found but {quoted(absent)} has no column.", hint=hint)
    strangers = [name for name in columns.by_class if name not in classes]
    if strangers:
        found = quoted([columns.by_class[name] for name in strangers])
        among = f"{quoted(strangers)} is not among the outcomes {quoted(classes)}"
        exactly = shlex.quote(",".join(columns.by_class[name] for name in classes))
        hint = f"only these:  --proba {exactly}   or add the outcome to the costs file"
        raise DataError(f"{found} found but {among}.", hint=hint)
    return [columns.by_class[name] for name in classes]


def recognised(table: Table, label: str | None = None) -> list[ClassColumns]:
    """The models that the column names give away, by the conventions of other tools."""
    models: dict[str, ClassColumns] = {}
    for column in table.names:
        match = CLASS_COLUMN.match(column)
        if match is None and "predict" in table.names:
            match = _H2O_COLUMN.match(column)
        if match and column != label and not _DECISION_COLUMN.match(column):
            model = match.groupdict().get("model") or "model"
            models.setdefault(model, ClassColumns(model, {})).by_class[match["name"]] = column
    return [model for model in models.values() if len(model.by_class) > 1]


def _stars(pattern: str, name: str) -> list[str]:
    """What stands for each star of a pattern in a name, the first as long as can be; or nothing.

    Pieces are placed from the right, each once, so that no pattern takes long.
    """
    first, *pieces, last = pattern.split("*")
    end = len(name) - len(last)
    if not name.startswith(first) or not name.endswith(last):
        return []
    found: list[str] = []
    for piece in reversed(pieces):
        start = name.rfind(piece, len(first), max(end - 1, 0))
        if start < 0:
            return []
        found.append(name[start + len(piece) : end])
        end = start
    rest = name[len(first) : end]
    return [rest, *reversed(found)] if rest else []


def _no_match(table: Table, part: str) -> DataError:
    """What to say when a pattern finds nothing."""
    return DataError(
        f"{table.source}: no column fits '{part}' "
        f"({grouped(len(table.names))} columns: {', '.join(table.names[:12])}).",
        hint="put the pattern in quotes so that the shell leaves the star alone:  --proba 'p_*'",
    )
