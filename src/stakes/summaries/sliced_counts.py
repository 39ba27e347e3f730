"""SlicedCounts: all counts of one pass over rows, with the question, so that days add up."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import of_kind
from stakes._kernels.cell_counts import add_cells
from stakes._names import as_names
from stakes.exceptions import DataError, MergeError, UndefinedError
from stakes.summaries.asked_for import AskedFor, read_json, refuse_other_question
from stakes.summaries.joint_counts import PairedCounts
from stakes.summaries.storable import Storable
from stakes.typing import FloatArray, Name


@dataclass(frozen=True, eq=False, repr=False)
class CountTable:
    """Counts, sums and the extreme scores of each cell that occurs.

    Parameters
    ----------
    systems : tuple of names
        The models that were counted.
    names : tuple of names
        The columns of `sums`.
    cells : array of int, (n, k)
        The slice, and then the true class and what each model decided; or the bin of a score.
    counts : array, (n, c)
        Whole numbers, or weights.
    sums : array of float, (n, s)
        Sums over the rows of a cell.
    ends : array of float, (n, 2), optional
        The least and the greatest score of a bin.
    edges : array of float, optional
        Edges of the bins.
    """

    systems: tuple[Name, ...]
    names: tuple[Name, ...]
    cells: NDArray[np.int64]
    counts: NDArray[Any]
    sums: FloatArray
    ends: FloatArray | None = None
    edges: FloatArray | None = None

    def __post_init__(self) -> None:
        n = self.cells.shape[0]
        heights = {each.shape[:1] for each in (self.counts, self.sums)}
        flat = any(each.ndim != 2 for each in (self.cells, self.counts, self.sums))
        if flat or heights != {(n,)} or self.sums.shape[1] != len(self.names):
            raise DataError("the columns of a table of counts do not fit each other.")
        if (self.ends is None) != (self.edges is None):
            raise DataError("bins need edges and extremes.")
        if self.ends is not None and self.ends.shape != (n, 2):
            raise DataError(f"`ends` must have the shape {(n, 2)}; got {self.ends.shape}.")
        if n and (self.cells.min() < 0 or self.counts.min() < 0):
            raise DataError("cells and counts must not be negative.")

    @property
    def is_binned(self) -> bool:
        """Whether cells are bins of a score."""
        return self.edges is not None

    def __add__(self, other: CountTable) -> CountTable:
        if (self.systems, self.names) != (other.systems, other.names):
            raise MergeError("tables of counts must be of the same models to be added.")
        if not _same(self.edges, other.edges):
            raise MergeError("binned scores must have the same edges to be added.")
        cells, place = np.unique(
            np.concatenate([self.cells, other.cells]), axis=0, return_inverse=True
        )
        place = place.reshape(-1)
        counts = np.concatenate([self.counts, other.counts])
        sums = np.concatenate([self.sums, other.sums])
        added = [np.zeros((len(cells), each.shape[1]), each.dtype) for each in (counts, sums)]
        for total, each in zip(added, (counts, sums), strict=True):
            np.add.at(total, place, each)
        ends = None
        if self.ends is not None and other.ends is not None:
            ends = np.full((len(cells), 2), [np.inf, -np.inf])
            both = np.concatenate([self.ends, other.ends])
            np.minimum.at(ends[:, 0], place, both[:, 0])
            np.maximum.at(ends[:, 1], place, both[:, 1])
        return replace(self, cells=cells, counts=added[0], sums=added[1], ends=ends)


def _same(first: FloatArray | None, second: FloatArray | None) -> bool:
    """Whether two arrays are equal, or both absent."""
    return (first is None and second is None) or np.array_equal(first, second)  # type: ignore[arg-type]


# docs/design/saved-summaries.md says when days add up.
@dataclass(frozen=True, eq=False, repr=False)
class SlicedCounts(Storable):
    """All counts of rows, slice by slice, and the question that they answer.

    Written by ``stakes eval ... --save FILE`` for files that an engine counts, and read by
    `load_summary`. Two of them add if their questions are the same; the sum is what both sets of
    rows give together.

    Parameters
    ----------
    asked : str
        The question, as JSON.
    told : str
        Remarks about the rows, as a JSON list of codes with their values.
    classes, decisions : tuple of names
        In the order of the costs.
    slices : tuple of names
        The values that divide the rows; a single one without a name if nothing does.
    parts : tuple of CountTable
        Joint cells of the models, and bins of their scores.
    """

    asked: str
    told: str
    classes: tuple[Name, ...]
    decisions: tuple[Name, ...]
    slices: tuple[Name, ...]
    parts: tuple[CountTable, ...]

    def __post_init__(self) -> None:
        read_json(self.asked, "asked", dict)
        read_json(self.told, "told", list)
        for name in ("classes", "decisions"):
            object.__setattr__(self, name, as_names(getattr(self, name), name))
        if not of_kind(self.parts, "parts", tuple):
            raise DataError("`parts` must be a tuple of tables of counts.")
        for part in self.parts:
            of_kind(part, "parts", CountTable)
        of_kind(self.slices, "slices", tuple)
        limits = (len(self.slices), len(self.classes), len(self.decisions))
        for part in self.parts:
            most = [limits[min(k, 2)] for k in range(part.cells.shape[1])]
            if part.is_binned:
                most = [limits[0], len(part.edges) + 1]  # type: ignore[arg-type]
            elif part.cells.shape[1] != len(part.systems) + 2:
                raise DataError("a table of counts has other columns than its models.")
            if (part.cells >= np.array(most)).any():
                raise DataError("a cell lies outside of the slices, classes or decisions.")
        if not {"models", "words"} <= self.question.keys():
            raise DataError("`asked` must hold the models and words of a question.")

    @property
    def question(self) -> dict[str, Any]:
        """The question as a mapping."""
        found: dict[str, Any] = read_json(self.asked, "asked", dict)
        return found

    @property
    def _counted_by(self) -> dict[str, Any]:
        """The parts of the question that must be equal for counts to add: all but its wording."""
        held = self.question
        words = {f"--{name.replace('_', '-')}": value for name, value in held["words"].items()}
        return {**{k: v for k, v in held.items() if k not in ("said", "words")}, **words}

    @property
    def class_totals(self) -> FloatArray:
        """Number (or weight) of the cases of each class."""
        part = self.parts[0]
        found = np.bincount(part.cells[:, 1], _weights(part), len(self.classes))
        return found.astype(np.float64)

    @property
    def joint(self) -> PairedCounts:
        """The joint decisions of all models, in all slices together."""
        models = tuple(self.question["models"])
        for part in self.parts:
            if part.systems == models and not part.is_binned:
                cells, counts = add_cells(part.cells[:, 1:].astype(np.intp), _weights(part))
                return PairedCounts(cells, counts, models, self.classes, self.decisions)
        raise UndefinedError("these models were not counted together.")

    @property
    def asked_for(self) -> AskedFor | None:
        """What decided; None if all decisions were given."""
        held = self.question
        if "posteriors" not in held["models"].values():
            return None
        if held["words"].get("scores_are") == "llr":  # cut where the shares put it
            return AskedFor.of(held["costs"], None, None, shares=held["priors"] or held["made_for"])
        return AskedFor.of(held["costs"], held["priors"], held["made_for"])

    def __add__(self, other: object) -> SlicedCounts:
        if not isinstance(other, SlicedCounts):
            return NotImplemented
        mine, theirs = self._counted_by, other._counted_by
        refuse_other_question(mine, theirs)
        slices = tuple(dict.fromkeys((*self.slices, *other.slices)))
        where = np.array([slices.index(name) for name in other.slices])
        parts = []
        for first, second in zip(self.parts, other.parts, strict=True):
            cells = second.cells.copy()
            cells[:, 0] = where[cells[:, 0]]
            _refuse_other_types(first, second)
            parts.append(first + replace(second, cells=cells))
        noticed = json.loads(self.told)
        noticed += [each for each in json.loads(other.told) if each not in noticed]
        return replace(self, told=json.dumps(noticed), slices=slices, parts=tuple(parts))

    def __repr__(self) -> str:
        models, total = len(self.question["models"]), float(self.class_totals.sum())
        return f"<SlicedCounts of {total:g} cases: models {models}, slices {len(self.slices)}>"


def _refuse_other_types(first: CountTable, second: CountTable) -> None:
    """Raise for bins of 32-bit scores beside bins of 64-bit ones, whose cuts are other numbers."""
    if _same(first.edges, second.edges) or first.systems != second.systems:
        return
    before, after = _bits(first), _bits(second)
    if before != after:
        raise MergeError(
            f"its scores '{first.systems[0]}' are {after}-bit numbers, the others {before}-bit "
            "ones, and their bins differ.",
            hint="count the rows of both in one run, or store these scores as one type in all "
            "files",
        )


def _bits(part: CountTable) -> int:
    """How many bits hold every score that a table of bins names."""
    return 32 if np.array_equal(part.ends, np.float32(part.ends)) else 64  # type: ignore[arg-type]


def _weights(part: CountTable) -> NDArray[Any]:
    """The weight of each joint cell; without weights, its number of rows."""
    if "weight" in part.names:
        return np.asarray(part.sums[:, part.names.index("weight")])
    return np.asarray(part.counts[:, 0])
