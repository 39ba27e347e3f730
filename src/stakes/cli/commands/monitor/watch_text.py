"""The periods of a watch on the terminal, as JSON and as a picture."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.application.cost_sentences import describe_costs
from stakes.cli.show.fixed_width import Column, print_columns
from stakes.cli.show.outputs import write_picture
from stakes.cli.show.terminal import bold, dim, json_text, print_aligned, print_wrapped
from stakes.evaluation.model_table import as_csv
from stakes.exceptions import CostError, DataError
from stakes.inquiry.option_words import refuse_beyond_squares
from stakes.inquiry.truth import quoted
from stakes.messages.audience import shown
from stakes.messages.quantities import aligned, grouped, signed
from stakes.monitoring import PeriodEstimates, Watch, watch
from stakes.monitoring.change_advice import parts_of
from stakes.monitoring.period_estimates import (
    BRIEFLY,
    combined_advice,
    needless_alarms,
    timeline,
)
from stakes.results import Frame
from stakes.summaries import CostTally, merge_summaries

#: The next longer period.
_LONGER = {"day": "week", "week": "month", "month": "quarter", "quarter": "year"}
#: More periods than this are not all shown on a terminal.
_MOST_ROWS = 40


@dataclass(frozen=True, slots=True)
class Watched:
    """A watch with where it came from."""

    watch: Watch
    source: str
    model: str
    costs_said: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    period: str | None = None  # the length of periods that dates were put into
    chosen: bool = False  # by us
    estimates: PeriodEstimates | None = None  # where labels have not arrived

    @property
    def alarms_without_labels(self) -> tuple[Any, ...]:
        """Periods without labels whose estimates rang."""
        return () if self.estimates is None else self.estimates.alarms_without_labels

    @property
    def alarms(self) -> list[str]:
        """All periods with an alarm: those by labels, then those of estimates."""
        return [str(name) for name in (*self.watch.alarms, *self.alarms_without_labels)]


def chosen(models: list[str], given: str | None) -> str:
    """The model that is meant, when there are several."""
    if given is None and len(models) == 1:
        return models[0]
    if given is None:
        raise DataError(
            f"there are {len(models)} models: {', '.join(models)}.",
            hint=f"--model {shlex.quote(models[0])}",
        )
    if given not in models:
        raise DataError(f"--model names '{given}', but the models are {', '.join(models)}.")
    return given


def watch_over(
    periods: dict[str, Any],
    app: Application,
    args: Any,
    scores: dict[str, Any] | None = None,
    unlabelled: Sequence[str] = (),
) -> Watch:
    """The watch itself, with the first periods put together if that was asked."""
    if not 0 < args.level < 1:
        raise DataError(f"--level must lie between 0 and 1; got {args.level:g}.")
    _refuse_unwatched(periods, app, args, unlabelled)
    count, names, reference = args.reference_first, list(periods), args.reference
    if count is None:
        return watch(periods, application=app, reference=reference, scores=scores, level=args.level)
    if reference is not None:
        raise DataError("--reference and --reference-first say the same thing; leave one out.")
    if not 1 <= count < len(names):
        none = f" with labels ({len(unlabelled)} {_have(unlabelled)} none)" if unlabelled else ""
        there = f"there are {len(names)}{none}"
        raise DataError(
            f"--reference-first must leave periods to watch; {there}, got {count}.",
            hint=f"--reference-first {min(max(count, 1), len(names) - 1)}",
        )
    called = names[0] if count == 1 else f"the first {count}"

    def together(parts: dict[str, Any]) -> dict[str, Any]:
        first = merge_summaries([parts[name] for name in names[:count]])
        return {called: first, **{name: parts[name] for name in names[count:]}}

    scores = None if scores is None else together(scores)
    return watch(together(periods), application=app, scores=scores, level=args.level)


def _refuse_unwatched(
    periods: dict[str, Any], app: Application, args: Any, unlabelled: Sequence[str]
) -> None:
    """Raise, with what to type, where nothing is left to watch or to judge."""
    names = list(periods)
    if len(names) == 1:
        shorter = "" if args.time is None else "; or take shorter ones:  --period day"
        if unlabelled:
            raise DataError(
                f"only '{names[0]}' has labels; {quoted(unlabelled)} {_have(unlabelled)} none.",
                hint="for cases without labels, in a file of their own:  stakes estimate "
                f"UNLABELLED.csv --reference LABELLED.csv ...{shorter}",
            )
        raise DataError(
            f"there is only one period, '{names[0]}', and nothing to compare it with.",
            hint=f"bring an earlier or a later one{shorter}",
        )
    if args.reference in unlabelled:
        raise DataError(
            f"--reference names '{args.reference}', which has no labels; those with labels are "
            f"{quoted(names)}.",
            hint=f"--reference {shlex.quote(names[0])}",
        )
    if args.reference is not None and args.reference not in names:
        raise DataError(f"--reference names '{args.reference}', but there are {quoted(names)}.")
    if args.reference == names[-1]:
        last = "the last period with labels" if unlabelled else "the last period"
        raise DataError(
            f"'{names[-1]}' is {last}, so none is left to compare with it.",
            hint=f"--reference {shlex.quote(names[0])}",
        )
    refuse_beyond_squares(app.costs)
    values = app.costs.values
    given = not any(isinstance(one, CostTally) for one in periods.values())
    if given and (values == values[:, :1]).all():
        raise CostError(
            "with these costs it makes no difference what is decided: there is nothing to watch.",
            hint="say what errors cost:  --cost fn=10 fp=1",
        )


def _have(names: Sequence[str]) -> str:
    """The verb for periods."""
    return "has" if len(names) == 1 else "have"


def costs_said(app: Application) -> tuple[str, ...]:
    """The costs as sentences."""
    return tuple(describe_costs(app.costs, unit=app.unit).splitlines())


def json_of(found: Watched) -> str:
    """Everything, as JSON."""
    return json_text(record(found))


def table_of(found: Watched) -> str:
    """The table of all periods, as CSV."""
    table = timeline(found.watch, found.estimates)
    return as_csv({name: [_cell(row[name]) for row in table.rows()] for name in table.columns})


def show(found: Watched, args: Any) -> None:
    """Print the watch in the form that was asked for."""
    if args.json:
        print(json_of(found), end="")
    elif args.csv:
        print(table_of(found), end="")
    elif args.quiet:
        for name in found.alarms:
            print(shown(name))
    else:
        _print(found)


def _print(found: Watched) -> None:
    """What was read, the table, what moved, and what to do."""
    watch = found.watch
    table = watch.frame()
    of = f" of {found.model}" if found.model else ""
    cases = grouped(float(table["cases"].sum()))
    length, later = found.period or "period", len(watch.periods) - 1
    print_wrapped(f"read {found.source}: {cases} cases{of}; {later} {length}{'s' * (later != 1)} "
                  f"compared with {watch.reference!s}", rest="  ")  # fmt: skip
    for line in found.costs_said:
        print_aligned(line)
    print()
    shown_rows = _rows_shown(watch)
    print_columns(*_columns(found, shown_rows), between=", ")
    if hidden := len(watch.periods) - len(shown_rows):
        print_wrapped(f"({grouped(hidden)} more {length}s without an alarm; --csv has all)")
    told = (
        "change = part from the class mix + part from the error rates; chance: probability of such "
        "a change if nothing had changed"
    )
    print_wrapped(f"({told})", style=dim)
    print()
    if watch.first_alarm is not None:
        print_wrapped(f"Alarm at {watch.alarms[0]!s}. {watch.first_alarm.advice}", style=bold)
        for part, moved in parts_of(watch.first_alarm).items():
            print(f"  {part + ':':<21} {moved}")
    more = "" if found.estimates is None else found.estimates.advice
    if more or watch.first_alarm is None:
        print_wrapped(more or watch.advice, style=bold)
    if found.estimates is not None:
        _print_estimates(found.estimates, length)
    if found.period is not None and found.chosen:
        few = np.isnan(table["low"]).mean() > 0.5
        said = (
            f"Periods are {length}s, the shortest that mostly have enough cases; change with "
            "--period."
        )
        if few:
            longer = _LONGER.get(length)
            said = f"Most {length}s have too few cases for an interval"
            said += f"; try --period {longer}." if longer else "."
        print_wrapped(said, first="- ", rest="  ")
    print_wrapped(needless_alarms(watch, found.estimates), first="- ", rest="  ")


def _print_estimates(found: PeriodEstimates, length: str) -> None:
    """Periods without labels as estimates, marked; how good those of other periods were."""
    table = found.frame()
    print()
    print("Estimated without labels:")
    rows = [k for k, cost in enumerate(table["cost"].tolist()) if math.isnan(cost)]
    values = aligned(table["estimate"][rows].tolist())
    both = aligned([*table["low"][rows].tolist(), *table["high"][rows].tolist()])
    lows, highs = both[: len(rows)], both[len(rows) :]
    print_columns(
        Column(length, [str(found.periods[k]) for k in rows], label=True),
        Column("estimate", [f"~{v}" if v.strip() != "nan" else "none" for v in values]),
        Column(f"{100 * found.level:g}% interval", [
            "" if math.isnan(table["low"][k]) else f"{a} - {b}"
            for k, a, b in zip(rows, lows, highs, strict=True)]),
        Column("assuming", [BRIEFLY[table["change"][k]] for k in rows], right=False),
        Column("chance", [_chance(table["chance"][k]) for k in rows], drop=1),
        Column("", ["ALARM" if table["alarm"][k] else "" for k in rows], right=False),
        between=", ",
    )  # fmt: skip
    print_wrapped(found.text, first="- ", rest="  ")


def _rows_shown(watch: Watch) -> list[int]:
    """Which periods the terminal shows: all, or of many the reference, alarms and the last."""
    count = len(watch.periods)
    if count <= _MOST_ROWS:
        return list(range(count))
    rung = [k for k, name in enumerate(watch.periods) if name in watch.alarms]
    return sorted({0, *rung[: _MOST_ROWS // 2], *range(count - _MOST_ROWS // 3, count)})


def _columns(found: Watched, rows: list[int]) -> list[Column]:
    """The table of periods; columns to the right leave first."""
    watch = found.watch
    table = Frame({name: column[rows] for name, column in watch.frame().items()})
    unit = f" {watch.application.unit}" if watch.application.unit else ""
    marks = ["ALARM" if rung else "" for rung in table["alarm"].tolist()]
    costs = aligned(table["cost"].tolist())
    both = aligned([*table["low"].tolist(), *table["high"].tolist()], 3)
    n = len(rows)
    ends = zip(both[:n], both[n:], table["low"], strict=True)
    limits = ["too few" if math.isnan(low) else f"{a} - {b}" for a, b, low in ends]
    title = "week of" if found.period == "week" else found.period or "period"
    columns = ("change", "from_shares", "from_errors")
    changes = signed([value for name in columns for value in table[name].tolist()])
    return [
        Column(title, [str(name) for name in table["period"]], label=True),
        Column("cases", [grouped(n) for n in table["cases"].tolist()], drop=3),
        Column(f"cost/case{unit}", costs),
        Column(f"{100 * watch.level:g}% interval", limits, drop=1),
        Column("change", changes[:n]),
        Column("class mix", changes[n : 2 * n], drop=2),
        Column("errors", changes[2 * n :], drop=2),
        Column("chance", [_chance(p) for p in table["p_value"].tolist()], drop=1),
        Column("", marks, right=False),
    ]


def _chance(p: float) -> str:
    """A probability to two digits."""
    if math.isnan(p):
        return ""
    return f"{p:.2f}" if p >= 0.095 else f"{p:.1g}"


def record(found: Watched) -> dict[str, Any]:
    """Everything as plain data."""
    watch = found.watch
    rows = watch.frame().rows()
    for row, change in zip(rows[1:], watch.changes, strict=True):
        row["p_values"] = dict(change.p_values)
        row["moved"] = list(change.moved)
    first = watch.first_alarm
    return {
        "source": found.source,
        "model": found.model or None,
        "period": found.period,
        "reference": str(watch.reference),
        "level": watch.level,
        "alarm": bool(found.alarms),
        "alarms": found.alarms,
        "advice": combined_advice(watch, watch.advice, found.estimates),
        "unit": watch.application.unit,
        "periods": rows,
        "estimates": None if found.estimates is None else _plain(found.estimates),
        "first_alarm": None
        if first is None
        else {
            "moved": list(first.moved),
            "cost": first.cost._asdict(),
            "from_shares": first.prior_part._asdict(),
            "from_errors": first.rate_part._asdict(),
            "by_class": first.frame().rows(),
        },
    }


def _plain(found: PeriodEstimates) -> dict[str, Any]:
    """Estimates as plain data."""
    rows = [{k: _cell(v) for k, v in row.items()} for row in found.frame().rows()]
    held, known = found.held
    return {
        "periods": rows,
        "alarms": [str(n) for n in found.alarms],
        "alarms_without_labels": [str(n) for n in found.alarms_without_labels],
        "held": held,
        "of": known,
    }


def _cell(value: Any) -> Any:
    """A cell: nothing where there is no number, whole numbers without a point."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() else value


def draw(found: Watched, path: str) -> None:
    """The costs over the periods as a picture, whole or not at all."""
    from stakes.plots import cost_over_periods
    from stakes.plots.style import axes_of_size

    drawn = cost_over_periods(found.watch, estimates=found.estimates, ax=axes_of_size(6.4, 3.4))
    write_picture(drawn.figure, path)
