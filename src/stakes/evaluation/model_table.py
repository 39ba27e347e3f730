"""The table of the models: every column once, and each form of the table made from that.

A new figure of a model is a field of `ModelEvaluation` and a `Column` here. The JSON record and
its schema, `Evaluation.frame()`, CSV, Markdown, the notebook, the page and the terminal follow.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.messages.audience import either, shown
from stakes.messages.notes import flagged
from stakes.messages.quantities import aligned, amount, between, normalized, percent
from stakes.results import Frame
from stakes.rules.rule_words import VARIES

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation
    from stakes.evaluation.model_evaluation import ModelEvaluation

#: Savings below this share of the naive cost are rounding.
_ROUNDING = 1e-12
#: Texts and pages show this many models, the cheapest; frames and JSON hold all.
MOST_SHOWN = 20
#: On a terminal, names longer than this get the place of the column of costs.
_LONG_NAME = 12

_TEXT = {"type": "string"}
_NUMBER = {"type": "number"}
_PAIR = {"type": "array", "items": {"type": ["number", "null"]}, "minItems": 2, "maxItems": 2}
_MATRIX = {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}


@dataclass(frozen=True, slots=True)
class Narrow:
    """A column where room is scarce: on a terminal.

    When it is too narrow, columns with `drop` above 0 leave, the highest first. `text` are other
    cells than elsewhere; `when` says for which rows the column is there at all.
    """

    title: str
    drop: int = 0
    right: bool = True
    text: Callable[[Sequence[Any], Mapping[str, str]], list[str]] | None = None
    when: Callable[[Sequence[Mapping[str, Any]]], bool] = lambda _: True


@dataclass(frozen=True, slots=True)
class Column:
    """One figure of a model: what it is, and how it reads.

    Parameters
    ----------
    name : str
        Its key in the JSON record, and the id of its cells in the page.
    meaning : str
        What it is, for the schema and, where `explained`, under the table of the page.
    value : callable
        The figure, from a model and its evaluation; None where there is none.
    kind : mapping
        The JSON schema of a figure.
    absent : str
        When there is none, in words; empty for a column that every model has.
    columns : tuple of str
        What it is called in frames and CSV, where one cell holds one value; empty to leave it out.
    title, text : str and callable
        The heading and the cells of tables that people read; no title leaves it out. Words in
        braces are filled in: {level}, {unit}, {per}.
    aligned : bool
        Its cells are numbers with equal decimals, in place of `text`.
    narrow : Narrow or None
        The same on a terminal; None to leave it out.
    only : callable
        For which applications, as plain data, people read it.
    blank : str
        The cell of a model that has no such figure; where all cells are empty, it is left out.
    """

    name: str
    meaning: str
    value: Callable[[ModelEvaluation, Evaluation], Any]
    kind: Mapping[str, Any]
    absent: str = ""
    columns: tuple[str, ...] = ()
    title: str = ""
    text: Callable[[Any], str] = str
    aligned: bool = False
    narrow: Narrow | None = None
    only: Callable[[Mapping[str, Any]], bool] = lambda _: True
    blank: str = ""
    explained: bool = False


def saving(model: ModelEvaluation, ev: Evaluation) -> float:
    """What a model saves per case against the best naive decision; 0 where that is rounding."""
    return 0.0 if abs(model.saving) <= _ROUNDING * abs(ev.best_naive.cost) else model.saving


def _total_saving(model: ModelEvaluation, ev: Evaluation) -> float | None:
    """The saving over the volume, if that is known."""
    volume = ev.application.volume
    return None if volume is None else saving(model, ev) * volume


def _dash(values: Sequence[Any], _: Mapping[str, str]) -> list[str]:
    """Intervals with a hyphen, which every terminal has."""
    return [between(value).replace("–", "-") for value in values]


def _short_rule(values: Sequence[Any], _: Mapping[str, str]) -> list[str]:
    """Rules, with less room for those that have no threshold than names of models need."""
    return ["" if rule is None else "varies" if rule == VARIES else rule for rule in values]


def _with_unit(values: Sequence[Any], words: Mapping[str, str]) -> list[str]:
    """Short amounts with their unit."""
    return ["" if value is None else f"{amount(value)}{words['short_unit']}" for value in values]


def _room_for_cost(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a terminal has room for costs beside the other columns."""
    again = any(row["recalibrated_nec"] is not None for row in rows)
    return not again and max(len(row["name"]) for row in rows) <= _LONG_NAME


#: Every column, in the order in which they are read.
COLUMNS: tuple[Column, ...] = (
    Column(
        "name", "what the model is called", lambda m, _: m.name, _TEXT,
        columns=("model",), title="model", narrow=Narrow("model", right=False),
    ),
    Column(
        "kind", "what the model gave", lambda m, _: m.kind, {"enum": ["posteriors", "decisions"]},
    ),
    Column(
        "nec", "expected cost above that of perfect decisions, divided by the same for the best "
        "decision that ignores the model; 0 is perfect, 1 is useless, lower is better",
        lambda m, _: m.nec, _NUMBER,
        absent="a constant decision is already perfect", columns=("nec",), title="NEC",
        text=normalized, narrow=Narrow("NEC"), blank=normalized(None), explained=True,
    ),
    Column(
        "interval", "of the NEC, at `level`", lambda m, _: m.interval, _PAIR,
        absent="there are too few cases", columns=("low", "high"), title="{level} interval",
        text=between, narrow=Narrow("{short_level} interval", drop=1, text=_dash),
    ),
    Column(
        "recalibrated_nec", "NEC after calibration fitted on other cases",
        lambda m, _: m.recalibrated_nec, _NUMBER, absent="the model was not re-calibrated",
        columns=("recalibrated_nec",), title="NEC if calibrated", text="{:.3f}".format,
        narrow=Narrow("NEC if\ncalibrated", drop=4), explained=True,
    ),
    Column(
        "recalibrated_interval", "of that NEC, the fitted maps taken as given",
        lambda m, _: m.recalibrated_interval, _PAIR, absent="there is none",
    ),
    Column(
        "rule", "when to act, in words", lambda m, _: m.act_when, _TEXT,
        absent="there is no threshold", columns=("rule",), title="act when",
        narrow=Narrow("act when", drop=2, right=False, text=_short_rule),
    ),
    Column(
        "threshold", "act when the posterior of the second class is above it",
        lambda m, _: m.threshold, _NUMBER, absent="there is no threshold, or no finite one",
        columns=("threshold",),
    ),
    Column(
        "cost", "per case, as the costs were given", lambda m, _: m.cost, _NUMBER,
        columns=("cost",), narrow=Narrow(
            "cost/case{unit_below}", drop=4, text=lambda v, _: aligned(v), when=_room_for_cost
        ),
    ),
    Column(
        "saving", "per case, against the best constant decision", saving, _NUMBER,
        columns=("saving",), title="saves per case{unit}", aligned=True,
        narrow=Narrow("saves/case{unit_below}", drop=3, text=lambda v, _: aligned(v)),
        only=lambda app: app["volume"] is None,
    ),
    Column(
        "total_saving", "the same over the volume", _total_saving, _NUMBER,
        absent="no volume was given", columns=("total_saving",), title="saves{per}{unit}",
        text=amount, narrow=Narrow("saves{short_per}", drop=3, text=_with_unit),
    ),
    Column(
        "probability_best", "how often the model would cost least if the cases were drawn again",
        lambda m, _: m.probability_best, _NUMBER, absent="models were not compared",
        columns=("probability_best",), title="chance of being best",
        text=lambda share: percent(share, 0), narrow=Narrow("chance of\nbeing best", drop=5),
        explained=True,
    ),
    Column(
        "optimistic_nec", "at the best threshold on these very cases",
        lambda m, _: m.optimistic_nec, _NUMBER, absent="it was not looked for",
        columns=("optimistic_nec",),
    ),
    Column(
        "optimistic_threshold", "that best threshold", lambda m, _: m.optimistic_threshold,
        _NUMBER, absent="there is no finite one",
    ),
    Column(
        "counts", "cases by true class (rows) and decision (columns)",
        lambda m, _: m.confusion.counts, _MATRIX,
    ),
    Column(
        "cost_by_cell", "the parts of `cost`, by true class and decision", lambda m, _: m.cells,
        _MATRIX, absent="they are not known",
    ),
)  # fmt: skip


def rows_of(ev: Evaluation, *, flat: bool = False) -> list[dict[str, Any]]:
    """The figures of every model as plain data, cheapest first; what is not finite is None.

    Where they are `flat`, without the tables by class and decision.
    """
    ranked = sorted(ev.models, key=lambda model: model.cost)
    columns = [column for column in COLUMNS if not (flat and column.kind is _MATRIX)]
    return [
        {column.name: plain_value(column.value(model, ev)) for column in columns}
        for model in ranked
    ]


def unshown_models(count: int) -> str:
    """Where the models are that a text leaves out; empty where it shows all."""
    if count <= MOST_SHOWN:
        return ""
    others = either("ev.frame() and ev.to_json(path) hold", "--json and --csv print")
    return f"({count - MOST_SHOWN} costlier models are not shown; {others} all {count})"


def plain_value(value: Any) -> Any:
    """A value that JSON can hold; None for what is not finite."""
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, tuple):
        return [plain_value(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def model_schema() -> dict[str, Any]:
    """The JSON schema of one model of the record."""
    properties = {}
    for column in COLUMNS:
        said = column.meaning[0].upper() + column.meaning[1:]
        kind = dict(column.kind)
        if column.absent:
            said += f"; null where {column.absent}"
            kind["type"] = [kind["type"], "null"]
        properties[column.name] = {"description": f"{said}.", **kind}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def flat_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The columns of frames and CSV, one value in each cell; None where there is none."""
    made: dict[str, list[Any]] = {}
    for column in COLUMNS:
        if column.kind is _MATRIX:
            continue
        values = [row[column.name] for row in rows]
        if column.kind is _PAIR:
            values = [pair or (None, None) for pair in values]
            made.update((name, [v[k] for v in values]) for k, name in enumerate(column.columns))
        else:
            made.update((name, values) for name in column.columns)
    return made


def model_frame(ev: Evaluation) -> Frame:
    """One row per model, cheapest first; nan or an empty text where there is no figure."""
    return _frame(flat_columns(rows_of(ev, flat=True)))


def _frame(columns: Mapping[str, list[Any]]) -> Frame:
    """Columns as a frame."""
    texts = {name for column in COLUMNS if column.kind is _TEXT for name in column.columns}
    filled = {}
    for name, values in columns.items():
        absent = "" if name in texts else np.nan
        filled[name] = [absent if value is None else value for value in values]
    return Frame(filled)


def as_csv(columns: Mapping[str, Sequence[Any]]) -> str:
    """Columns as CSV; what is not known is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return stream.getvalue()


@dataclass(frozen=True, slots=True)
class Shown:
    """A column of a table that people read: its heading and its cells."""

    column: Column
    title: str
    cells: list[str]


def shown_columns(record: Mapping[str, Any], *, narrow: bool = False) -> list[Shown]:
    """The columns that have something to say, from the record of an evaluation."""
    rows, words = record["models"], _words(record)
    made = []
    for column in COLUMNS:
        form = column.narrow if narrow else column
        if form is None or not form.title or not column.only(record["application"]):
            continue
        if isinstance(form, Narrow) and not form.when(rows):
            continue
        values = [row[column.name] for row in rows]
        if isinstance(form, Narrow) and form.text is not None:
            cells = form.text(values, words)
        else:
            known = [value for value in values if value is not None]
            texts = iter(aligned(known) if column.aligned else map(column.text, known))
            cells = [column.blank if value is None else next(texts) for value in values]
        if any(cells):
            made.append(Shown(column, form.title.format(**words), cells))
    return made


def _words(record: Mapping[str, Any]) -> dict[str, str]:
    """What fills headings: the level, the unit, the period."""
    app, level = record["application"], record["level"]
    unit, period = app["unit"], app["period"]
    short = {"year": "yr", "month": "mo", "week": "wk"}.get(period or "", period)
    return {
        "level": percent(level),
        "short_level": percent(level).replace(" ", ""),
        "unit": f" ({unit})" if unit else "",
        "short_unit": f" {unit}" if unit else "",
        "unit_below": f"\n{unit}" if unit else "",
        "per": f" per {period}" if period else "",
        "short_per": f"/{short}" if short else "",
    }


def as_text(ev: Evaluation) -> str:
    """The table, the verdict, remarks and notes."""
    known = {
        name: values
        for name, values in flat_columns(rows_of(ev, flat=True)[:MOST_SHOWN]).items()
        if any(value is not None for value in values)
    }
    rest = unshown_models(len(ev))
    table = [str(_frame(known)), *([rest] if rest else []), ""]
    if ev.doubt is not None:
        table += [f"unknown: {ev.doubt.words}", str(ev.doubt.frame()), ""]
    lines = [*table, ev.verdict, *map(flagged, (*ev.warnings, *ev.remarks))]
    lines += [f"- {note}" for note in ev.notes]
    lines += [f"{name}: {part.verdict}" for name, part in list(ev.slices.items())[:MOST_SHOWN]]
    left = len(ev.slices) - MOST_SHOWN
    lines += [f"... and {left} more in ev.slices"] if left > 0 else []
    return shown("\n".join(lines))
