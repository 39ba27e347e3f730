"""A watch on the terminal, as JSON or CSV, and as a drawing."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from typing import Any

from stakes.cli.commands.monitor.period_watch import Watched
from stakes.cli.show.findings_text import print_bold
from stakes.cli.show.fixed_width import Column, fitted
from stakes.cli.show.output_files import write_picture
from stakes.cli.show.terminal import dim, page_width, print_aligned, print_wrapped, shown
from stakes.messages.quantities import aligned, grouped, percent
from stakes.monitoring import Part, PeriodChange, Watch


def show(found: Watched, args: Any) -> None:
    """Print the watch in the form that was asked for."""
    if args.json:
        print(json.dumps(record(found), indent=2, ensure_ascii=False, allow_nan=False))
    elif args.csv:
        _print_csv(found.watch)
    elif args.quiet:
        for name in found.watch.alarms:
            print(shown(str(name)))
    else:
        _print(found)


def _print(found: Watched) -> None:
    """What was read, the table, what moved, and what to do."""
    watch = found.watch
    table = watch.frame()
    of = f" of {found.model}" if found.model else ""
    cases = grouped(float(table["cases"].sum()))
    print_wrapped(f"read {found.source}: {cases} cases{of} in {len(watch.periods)} periods, "
                  f"compared with {watch.reference!s}", rest="  ")  # fmt: skip
    for line in found.costs_said:
        print_aligned(line)
    print()
    text, left_out = fitted(_columns(watch), page_width())
    print(text)
    if left_out:
        print_wrapped(f"(too narrow for: {', '.join(left_out)}; --json has everything)")
    told = "change = from shares of outcomes + from errors; chance: if nothing had changed"
    print(dim(shown(f"({told})")))
    print()
    if watch.first_alarm is not None:
        print_bold(f"Alarm at {watch.alarms[0]!s}. {watch.first_alarm.advice}")
        _print_change(watch.first_alarm)
    else:
        print_bold(watch.advice)
    many = percent(1 - watch.level)
    print_wrapped(
        f"alarms are this rare: if nothing ever changes, there is one in {many} of all runs, "
        "however long",
        first="- ",
        rest="  ",
    )


def _columns(watch: Watch) -> list[Column]:
    """The table of periods; columns to the right leave first."""
    table = watch.frame()
    unit = f" {watch.application.unit}" if watch.application.unit else ""
    alarms = set(watch.alarms)
    marks = ["" if name not in alarms else "ALARM" for name in watch.periods]
    costs = aligned(table["cost"].tolist())
    ends = zip(
        aligned(table["low"].tolist(), 3), aligned(table["high"].tolist(), 3), table["low"],
        strict=True,
    )  # fmt: skip
    limits = ["too few" if math.isnan(low) else f"{a} - {b}" for a, b, low in ends]
    n = len(watch.periods)
    columns = ("change", "from_shares", "from_errors")
    changes = _signed([value for name in columns for value in table[name].tolist()])
    return [
        Column("period", [str(name) for name in watch.periods], label=True),
        Column("cases", [grouped(n) for n in table["cases"].tolist()], drop=3),
        Column(f"cost/case{unit}", costs),
        Column(f"{100 * watch.level:g}% interval", limits, drop=1),
        Column("change", changes[:n]),
        Column("shares", changes[n : 2 * n], drop=2),
        Column("errors", changes[2 * n :], drop=2),
        Column("chance", [_chance(p) for p in table["p_value"].tolist()], drop=1),
        Column("", marks, right=False),
    ]


def _signed(values: list[float]) -> list[str]:
    """Changes with their sign; nothing for the reference."""
    texts = aligned([0.0 if math.isnan(v) else v for v in values], 3)
    texts = [t.lstrip("-") if not t.strip("-0.") else t for t in texts]  # zero without a sign
    return [
        "" if math.isnan(v) else t if t.startswith("-") or not t.strip("0.") else f"+{t}"
        for v, t in zip(values, texts, strict=True)
    ]


def _chance(p: float) -> str:
    """A probability to two digits."""
    if math.isnan(p):
        return ""
    return f"{p:.2f}" if p >= 0.095 else f"{p:.1g}"


def _print_change(change: PeriodChange) -> None:
    """Where the change came from."""
    parts = (("cost per case", change.cost), ("from the shares of outcomes", change.prior_part),
             ("from the errors", change.rate_part))  # fmt: skip
    for name, part in parts:
        print(f"  {name + ':':<29}{part}")


def record(found: Watched) -> dict[str, Any]:
    """Everything as plain data."""
    watch = found.watch
    rows = [{key: _plain(value) for key, value in row.items()} for row in watch.frame().rows()]
    for row, change in zip(rows[1:], watch.changes, strict=True):
        row["p_values"] = {name: _plain(p) for name, p in change.p_values.items()}
        row["moved"] = list(change.moved)
    first = watch.first_alarm
    return {
        "source": found.source,
        "model": found.model or None,
        "reference": str(watch.reference),
        "level": watch.level,
        "alarm": watch.alarm,
        "alarms": [str(name) for name in watch.alarms],
        "advice": watch.advice,
        "unit": watch.application.unit,
        "periods": rows,
        "first_alarm": None if first is None else _change(first),
    }


def _change(change: PeriodChange) -> dict[str, Any]:
    """One comparison as plain data."""
    return {
        "moved": list(change.moved),
        "cost": _part(change.cost),
        "from_shares": _part(change.prior_part),
        "from_errors": _part(change.rate_part),
        "by_class": [{k: _plain(v) for k, v in row.items()} for row in change.frame().rows()],
    }


def _part(part: Part) -> dict[str, Any]:
    """A part with its interval."""
    return {name: _plain(value) for name, value in part._asdict().items()}


def _plain(value: Any) -> Any:
    """A value that JSON can hold."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _print_csv(watch: Watch) -> None:
    """The table as CSV."""
    table = watch.frame()
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_cell(value) for value in row.values()] for row in table.rows())
    sys.stdout.write(stream.getvalue())


def _cell(value: Any) -> Any:
    """A cell: nothing where there is no number, whole numbers without a point."""
    value = _plain(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def draw(found: Watched, path: str) -> None:
    """The costs over the periods as a picture, whole or not at all."""
    from stakes.plots import cost_over_periods
    from stakes.plots.style import axes_of_size

    write_picture(cost_over_periods(found.watch, ax=axes_of_size(6.4, 3.4)).figure, path)
