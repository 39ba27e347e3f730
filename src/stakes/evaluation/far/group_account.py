"""Cases that belong together, where an engine counts them: by group as decided, in bins by fold,
and by group as decided after re-calibrating.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
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
from stakes.engines.row_sample import RowSample
from stakes.evaluation.builder import shares_of
from stakes.evaluation.far.fold_cuts import (
    FoldCuts,
    cuts_by_fold,
    decided_by,
    decided_in,
    score_of,
)
from stakes.evaluation.far.score_bin_account import FOLDS, BinRows, refitted
from stakes.evaluation.slices import placed
from stakes.exceptions import DataError, StakesError, UndefinedError
from stakes.messages.quantities import grouped as with_commas
from stakes.summaries import GroupedCounts, PairedCounts

#: The rules by which re-calibrated models decide: fitted to all cases, or to a slice alone.
_AFTER, _APART = "(re-calibrated)", "(re-calibrated in its slice)"
#: The most groups whose counts are brought into memory.
MOST_GROUPS = 50_000


@dataclass(frozen=True, eq=False, repr=False)
class GroupedReduction(Reduction):
    """A reduction that also knows what each group did, and the bins of each fold of groups.

    The last column of `by` is the group in `by_group`, and the fold in `by_fold`, which is None
    where no score was binned. `after` has by application what each group did re-calibrated too;
    a slice, re-calibrated by itself, decides otherwise than as a part of the whole.
    """

    by_group: Reduction
    by_fold: Reduction | None
    after: Mapping[str, Reduction] = field(default_factory=dict)
    is_slice: bool = False

    def __getitem__(self, key: Any) -> GroupedReduction:
        return replace(self, parts=super().__getitem__(key).parts, is_slice=True)

    def counts(self, application: str, models: Iterable[str]) -> GroupedCounts:
        """What some models decided in each group, together."""
        wanted = {model: System(model, application) for model in models}
        return self._counted(self.by_group, application, wanted)

    def counts_after(
        self, application: str, model: str, before: str | None = None
    ) -> GroupedCounts:
        """What a model decided re-calibrated, with one (`before`) as it is, where that is given."""
        rule = _APART if self.is_slice else _AFTER
        wanted = {"re-calibrated": System(model, rule)}
        wanted |= {} if before is None else {"as is": System(before, application)}
        return self._counted(self.after[application], application, wanted)

    def _counted(
        self, apart: Reduction, application: str, systems: Mapping[str, System]
    ) -> GroupedCounts:
        """What some systems decided in each group, together, by names for them."""
        names, wanted = tuple(systems), tuple(systems.values())
        inside = self._of_slices(apart)
        held = enumerate(inside[0][1].panels)
        k = next((k for k, panel in held if set(wanted) <= {*panel.systems}), None)
        if k is None:
            raise UndefinedError("these models were counted apart.", hint="two models at a time")
        panels = [part.panels[k] for _, part in inside]
        columns = [0, *(1 + panels[0].systems.index(system) for system in wanted)]
        groups, member = _members([key for key, _ in inside], panels)
        every = np.concatenate([panel.cells[:, columns] for panel in panels])
        cells, at = np.unique(every, axis=0, return_inverse=True)
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
        for fold, parts in folds.items():
            whole = reduce(add, parts)
            if model in whole.bins:
                held = whole.bins[model], whole.numbers.get(model)
                found.append(BinRows.of(*held, fold=int(fold)))
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

    A third pass counts by group what re-calibrated models decide. `named` puts names for the
    values of slices and groups.
    """
    frame = native(frame)
    _refuse_groups(frame, group)
    named = named or (lambda found: found)
    apart = request._but(by=(*request.by, group), bins=0)
    raw = reduce_frame(frame, apart, keep_missing=keep_missing)
    by_group = named(raw)
    if not request.bins:
        return GroupedReduction(request, raw.kinds, _together(by_group), by_group, None)
    rows: Any = nw.from_native(frame)
    fold = _free("fold", rows)
    rows = rows.with_columns(**{fold: _fold_of(group, _homes(raw))})
    folded = request._but(by=(*request.by, fold))
    by_fold = named(reduce_frame(rows.to_native(), folded, keep_missing=keep_missing))
    held = GroupedReduction(request, raw.kinds, _together(by_fold), by_group, by_fold)
    after = {}
    for name in request.applications:
        made, rules = _decided_again(rows, fold, held, name, _values_of(raw, named))
        if made:
            only = {name: request.applications[name]}
            asked = apart._but(applications=only, case_rules=rules)
            again = rows.with_columns(**made).to_native()
            after[name] = named(reduce_frame(again, asked, keep_missing=keep_missing))
    return replace(held, after=after)


def _values_of(
    raw: Reduction, named: Callable[[Reduction], Reduction]
) -> dict[Slice, tuple[Slice, ...]]:
    """The values of `by` in the frame, by the name of their slice."""
    keys: Any = {key: (key[:-1],) for key in raw.parts}  # which add up as parts do
    found: dict[Slice, dict[Slice, None]] = {}
    for key, values in named(Reduction(raw.request, raw.kinds, keys)).parts.items():
        found.setdefault(key[:-1], {}).update(dict.fromkeys(values))  # type: ignore[call-overload]
    return {key: tuple(values) for key, values in found.items()}


def _decided_again(
    rows: Any,
    fold: str,
    held: GroupedReduction,
    name: str,
    values: Mapping[Slice, Sequence[Slice]],
) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """What re-calibrated models decide at an application: new columns, and rules that take them."""
    request, made, rules = held.request, dict[str, Any](), dict[str, dict[str, str]]()
    whole, types = _cuts_of(held, name), rows.collect_schema()
    by = {column: types[column] for column in request.by}
    slices = {key: _cuts_of(held[key], name) for key in held.slices} if request.by else {}
    for number, model in enumerate(held.whole.bins):
        score = score_of(rows.to_native(), request, model)
        apart = [(values[key], cuts[model]) for key, cuts in slices.items() if model in cuts]
        if model in whole:
            made[_free(f"after{number}", rows)] = decided_by(score, fold, whole[model])
            rules.setdefault(model, {})[_AFTER] = list(made)[-1]
        if apart:
            made[_free(f"apart{number}", rows)] = decided_in(score, fold, by, apart)
            rules.setdefault(model, {})[_APART] = list(made)[-1]
    return made, rules


def _cuts_of(part: GroupedReduction, name: str) -> dict[str, FoldCuts]:
    """What each re-calibrated model decides, by fold; models that cannot be are left out."""
    given, found = part.request.applications[name], dict[str, FoldCuts]()
    app = given.with_priors(given.resolved_priors(shares_of(part)))
    for model, bins in part.whole.bins.items():
        rows = part.bin_rows(model)
        with suppress(StakesError):
            fitted, rule = refitted(model, bins, app, rows)
            found[model] = cuts_by_fold(rows, rule.positions(fitted))
    return found


def _free(name: str, rows: Any) -> str:
    """A name that no column has."""
    taken = set(rows.collect_schema().names())
    while name in taken:
        name += "_"
    return name


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
    names = sorted(held, key=lambda name: placed(str(name)))
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
    samples = _sampled(apart)
    return {
        key: Part(
            tuple(map(_joined, zip(*(p.panels for p in parts), strict=True))),
            {},
            sample=RowSample.joined(samples[key]) if samples[key] else None,
        )
        for key, parts in slices.items()
    }


def _sampled(apart: Reduction) -> dict[Slice, list[RowSample]]:
    """The rows that were sampled in each slice, with the number of their group."""
    found: dict[Slice, list[RowSample]] = {key[:-1]: [] for key in apart.parts}
    panels = [part.panels[0] for part in apart.parts.values()]
    names, _ = _members([key[-1] for key in apart.parts], panels)
    place = {name: k for k, name in enumerate(names)}
    for key, part in apart.parts.items():
        if part.sample is not None:
            size = part.sample.truth.shape[0]
            groups = np.full(size, place[key[-1]] if size else 0)
            found[key[:-1]].append(replace(part.sample, groups=groups))
    return found


def _joined(panels: tuple[Panel, ...]) -> Panel:
    """Many panels of the same systems as one."""
    cells = np.concatenate([panel.cells for panel in panels])
    rows = np.concatenate([panel.rows for panel in panels])
    sums = {name: np.concatenate([p.sums[name] for p in panels]) for name in panels[0].sums}
    return Panel(panels[0].systems, cells, rows, sums).gathered()
