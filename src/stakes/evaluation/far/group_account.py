"""Cases that belong together, where an engine counts them: by group as decided, in bins by fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import narwhals as nw
import numpy as np

from stakes._random import as_generator
from stakes.calibration.cross_fit import homes_of_groups
from stakes.engines import Reduction, Request, reduce_frame
from stakes.engines.frame_reduction import native
from stakes.engines.reduction import Panel, Part, Slice
from stakes.engines.request import System
from stakes.evaluation.far.score_bin_account import FOLDS, BinRows
from stakes.exceptions import DataError, UndefinedError
from stakes.messages.quantities import grouped as with_commas
from stakes.summaries import GroupedCounts, PairedCounts

#: The most groups whose counts are brought into memory.
MOST_GROUPS = 50_000


@dataclass(frozen=True, eq=False, repr=False)
class GroupedReduction(Reduction):
    """A reduction that also knows what each group did, and the bins of each fold of groups.

    The last column of `by` is the group in `by_group`, and the fold in `by_fold`, which is None
    where no score was binned.
    """

    by_group: Reduction
    by_fold: Reduction | None

    def __getitem__(self, key: Any) -> GroupedReduction:
        parts = super().__getitem__(key).parts
        return GroupedReduction(self.request, self.kinds, parts, self.by_group, self.by_fold)

    def counts(self, application: str, models: Iterable[str]) -> GroupedCounts:
        """What some models decided in each group, together."""
        names = tuple(models)
        wanted = tuple(System(model, application) for model in names)
        inside = self._of_slices(self.by_group)
        k = next((k for k, p in enumerate(self.whole.panels) if set(wanted) <= {*p.systems}), None)
        if k is None:
            raise UndefinedError("these models were counted apart.", hint="two models at a time")
        panels = [part.panels[k] for _, part in inside]
        columns = [0, *(1 + panels[0].systems.index(system) for system in wanted)]
        groups, member = _members([key for key, _ in inside], panels)
        held = np.concatenate([panel.cells[:, columns] for panel in panels])
        cells, at = np.unique(held, axis=0, return_inverse=True)
        values = np.concatenate([panel.counts for panel in panels])
        table = np.zeros((len(groups), len(cells)), dtype=values.dtype)
        np.add.at(table, (member, at.reshape(-1)), values)
        decisions = self.request.application_of(application).decisions
        joint = PairedCounts(cells, table.sum(axis=0), names, self.request.classes, decisions)
        return GroupedCounts((groups,), np.arange(len(groups))[:, None], table, joint)

    @property
    def n_groups(self) -> int:
        """How many groups have cases."""
        inside = self._of_slices(self.by_group)
        return len(_members([key for key, _ in inside], [part.panels[0] for _, part in inside])[0])

    def bin_rows(self, model: str) -> BinRows:
        """The bins of a score as rows, each in the fold of its groups."""
        assert self.by_fold is not None
        folds: dict[Any, list[Part]] = {}
        for fold, part in self._of_slices(self.by_fold):
            folds.setdefault(fold, []).append(part)
        found = []
        for number, parts in enumerate(folds.values()):
            whole = reduce(add, parts)
            if model in whole.bins:
                held = whole.bins[model], whole.numbers.get(model)
                found.append(BinRows.of(*held, fold=number))
        return BinRows.joined(found)

    def _of_slices(self, apart: Reduction) -> list[tuple[Any, Part]]:
        """The parts of these slices, each with its group or fold."""
        return [(key[-1], part) for key, part in apart.parts.items() if key[:-1] in self.parts]


def reduce_groups(
    frame: Any,
    request: Request,
    group: str,
    *,
    keep_missing: bool = False,
    named: Callable[[Reduction], Reduction] | None = None,
) -> GroupedReduction:
    """Count by group, and scores in bins by fold; groups are given to folds as in memory.

    `named` puts names for the values of slices and groups.
    """
    frame = native(frame)
    _refuse_groups(frame, group)
    apart = request._but(by=(*request.by, group), bins=0)
    raw = reduce_frame(frame, apart, keep_missing=keep_missing)
    by_group, by_fold = raw if named is None else named(raw), None
    if request.bins:
        rows: Any = nw.from_native(frame)
        fold, taken = "fold", set(rows.collect_schema().names())
        while fold in taken:
            fold += "_"
        rows = rows.with_columns(**{fold: _fold_of(group, _homes(raw))})
        folded = request._but(by=(*request.by, fold))
        by_fold = reduce_frame(rows.to_native(), folded, keep_missing=keep_missing)
        by_fold = by_fold if named is None else named(by_fold)
    parts = _together(by_group if by_fold is None else by_fold)
    return GroupedReduction(request, by_group.kinds, parts, by_group, by_fold)


def _refuse_groups(frame: Any, group: str) -> None:
    """Raise where rows have no group, or groups are too many to be brought into memory."""
    rows: Any = nw.from_native(frame)
    types = rows.collect_schema()
    if group not in types.names():
        raise DataError(f"there is no column {group!r} for `groups`.")
    value = nw.col(group)
    gap = value.is_null() | value.is_nan() if types[group].is_float() else value.is_null()
    wanted = {"stakes_gaps": gap.cast(nw.Int64).sum(), "stakes_groups": value.n_unique()}
    found = rows.select(**wanted)
    table = found.collect() if isinstance(found, nw.LazyFrame) else found
    gaps, many = (int(table[name].to_list()[0] or 0) for name in wanted)
    if gaps:
        message = f"'{group}', which says what belongs together, is empty in {gaps} rows."
        raise DataError(message, hint="give every case a group, if only its own")
    if many > MOST_GROUPS:
        raise DataError(
            f"'{group}' has {with_commas(many)} groups; an engine's counts are brought home for "
            f"at most {with_commas(MOST_GROUPS)}.",
            hint="take a sample of whole groups, or read the rows into memory (--engine memory; "
            "evaluate(..., groups=...) in Python)",
        )


def _homes(raw: Reduction) -> dict[Any, int]:
    """The fold of each group, from how many cases of each class it has."""
    panels = [part.panels[0] for part in raw.parts.values()]
    groups, member = _members([key[-1] for key in raw.parts], panels)
    table = np.zeros((len(groups), len(raw.request.classes)))
    truth = np.concatenate([panel.cells[:, 0] for panel in panels])
    np.add.at(table, (member, truth), np.concatenate([panel.rows for panel in panels]))
    if len(groups) < FOLDS:  # as in memory, nothing is re-calibrated then
        return dict.fromkeys(groups, 0)
    table = table[:, table.sum(axis=0) > 0]
    homes = homes_of_groups(table, FOLDS, as_generator(raw.request.seed))
    return dict(zip(groups, homes.tolist(), strict=True))


def _members(keys: list[Any], panels: list[Panel]) -> tuple[tuple[Any, ...], Any]:
    """The groups that have cases, in order, and that of each row of cells."""
    sizes = [len(panel.rows) for panel in panels]
    held = {key for key, size in zip(keys, sizes, strict=True) if size}
    try:
        names = sorted(held)
    except TypeError:
        names = sorted(held, key=repr)
    place = {name: k for k, name in enumerate(names)}
    at = np.array([place.get(key, 0) for key in keys], dtype=np.intp)
    return tuple(names), np.repeat(at, sizes)


def _fold_of(group: str, homes: Mapping[Any, int]) -> Any:
    """The fold of a row, as an expression; what has no case of its own goes to the first."""
    found: Any = nw.lit(0)
    for fold in range(1, FOLDS):
        members = [name for name, home in homes.items() if home == fold]
        if members:
            found = nw.when(nw.col(group).is_in(members)).then(nw.lit(fold)).otherwise(found)
    return found


def _together(apart: Reduction) -> dict[Slice, Part]:
    """The parts of each slice, groups or folds added."""
    slices: dict[Slice, list[Part]] = {}
    for key, part in apart.parts.items():
        slices.setdefault(key[:-1], []).append(part)
    if apart.request.bins:
        return {key: reduce(add, parts) for key, parts in slices.items()}
    return {key: Part(tuple(map(_joined, zip(*(p.panels for p in parts), strict=True))), {})
            for key, parts in slices.items()}  # fmt: skip


def _joined(panels: tuple[Panel, ...]) -> Panel:
    """Many panels of the same systems as one."""
    cells = np.concatenate([panel.cells for panel in panels])
    rows = np.concatenate([panel.rows for panel in panels])
    sums = {name: np.concatenate([p.sums[name] for p in panels]) for name in panels[0].sums}
    return Panel(panels[0].systems, cells, rows, sums).gathered()
