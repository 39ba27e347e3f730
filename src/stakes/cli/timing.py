"""Periods from a column of dates, or of anything that has an order."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.cli.cells import Labels
from stakes.exceptions import DataError
from stakes.report.amounts import grouped

__all__ = ["period_of"]

#: More periods than this are probably not meant.
MOST = 1000
UNITS = {"hour": "h", "day": "D", "month": "M", "year": "Y"}
LONGER = {"hour": "day", "day": "week", "week": "month", "month": "year"}
#: A date, perhaps with a time and an offset, such as 2026-11-15T08:30:00+02:00 or 20261115.
DATE = re.compile(
    r"(\d{4})-?(?:(\d\d)(?:-?(\d\d))?)?"
    r"(?:[T ](\d\d)(?::(\d\d))?(?::(\d\d)(?:[.,]\d+)?)?)?\s*(?:Z|UTC|[+-]\d\d:?(?:\d\d)?)?"
)


def period_of(
    labels: Labels, rows: NDArray[np.intp], args: Any
) -> tuple[list[str], NDArray[np.intp]]:
    """The names of the periods in order of time, and which of them each case belongs to."""
    codes = labels.codes[rows]
    if (codes < 0).any():
        row = int(rows[int((codes < 0).argmax())]) + 1
        raise DataError(f"'{args.time}', the time, is empty in row {grouped(row)}.")
    if args.period is None:
        order = _sorted_values(labels.names)
        if len(order) > MOST:
            raise DataError(
                f"'{args.time}' holds {grouped(len(order))} different times.",
                hint="put them together:  --period week",
            )
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        return _used([labels.names[k] for k in order], place[codes])
    dates = _dates(labels.names, args.time)
    names, place = np.unique(_named(dates, args.period), return_inverse=True)
    if len(names) > MOST:
        longer = LONGER.get(args.period, "year")
        raise DataError(
            f"there are {grouped(len(names))} periods.",
            hint=f"take longer ones:  --period {longer}",
        )
    return _used(names.tolist(), place.reshape(-1)[codes])


def _used(names: list[str], places: NDArray[np.intp]) -> tuple[list[str], NDArray[np.intp]]:
    """Only the periods in which there is a case."""
    kept, again = np.unique(places, return_inverse=True)
    return [names[k] for k in kept], again.reshape(-1).astype(np.intp)


def _sorted_values(names: tuple[str, ...]) -> NDArray[np.intp]:
    """The order of values: as numbers where all are numbers, else as text."""
    try:
        return np.argsort(np.array([float(name) for name in names]), kind="stable")
    except ValueError:
        return np.argsort(np.array(names), kind="stable")


def _dates(names: tuple[str, ...], column: str) -> NDArray[np.datetime64]:
    """Dates from text, by the clock as it is written: offsets such as +02:00 move nothing."""
    found = np.empty(len(names), dtype="datetime64[s]")
    for k, name in enumerate(names):
        match = DATE.fullmatch(name.strip())
        try:
            if match is None:
                raise ValueError(name)
            year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
            date = datetime(year, month or 1, day or 1, hour, minute, min(second, 59))
            found[k] = np.datetime64(date, "s")
        except ValueError:
            raise DataError(
                f"'{name}' in '{column}' is not a date that I can read.",
                hint="write dates as 2026-11-15 or 2026-11-15T08:30:00; or leave --period out, "
                "so that each value is a period",
            ) from None
    return found


def _named(dates: NDArray[np.datetime64], period: str) -> NDArray[Any]:
    """The name of the period of each date; names sort in order of time."""
    if period == "week":  # from Monday on
        days = dates.astype("datetime64[D]")
        monday = days - ((days.astype(np.int64) + 3) % 7).astype("timedelta64[D]")
        return np.array([str(day) for day in monday])
    if period == "quarter":
        months = dates.astype("datetime64[M]").astype(np.int64)
        return np.array([f"{1970 + m // 12}-Q{m % 12 // 3 + 1}" for m in months.tolist()])
    return np.array([str(each) for each in dates.astype(f"datetime64[{UNITS[period]}]")])
