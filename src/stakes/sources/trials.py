"""Lists of trials of speech research, joined with files of scores by the names of recordings."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import of_kind
from stakes.exceptions import DataError, FormatError
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped
from stakes.sources.formats import HDF5
from stakes.sources.hdf5 import hdf5_list
from stakes.sources.table import Table, table_of_columns
from stakes.sources.table_file import read_bytes, unzipped
from stakes.sources.trial_lists import List, first_names, joined_scores, read_list

_PLACES = "--trials takes the list that says target or nontarget, --scores the files of scores"


def read_trials(keys: str, scores: Sequence[str]) -> tuple[Table, list[Note]]:
    """A list of trials with the scores of each model, joined by the names of the recordings.

    Parameters
    ----------
    keys : str
        The file that says which trials are targets (Kaldi, VoxCeleb, VOiCES, ASVspoof, NIST).
    scores : sequence of str
        One file of scores per model, which is named after the file.

    Returns
    -------
    Table and list of Note
        The column `truth` and one column per model, and notes on how they were made.
    """
    paths = [of_kind(path, "scores", str) for path in of_kind(scores, "scores", Iterable)]
    for path in paths:
        if paths.count(path) > 1:
            raise DataError(f"'{path}' is named twice.", hint="leave one of them out")
    trials = _read(keys, keys=True)
    if not paths:
        raise _without_scores(trials, keys)
    if trials.keys is None:
        raise _without_keys(trials, keys)
    if not trials.ids:
        hint = "lines such as:  speaker recording target"
        raise FormatError(f"{trials.source} holds keys without the names of recordings.", hint=hint)
    names = [Path(path).stem for path in paths]
    if len({"truth", *names}) <= len(names):
        names = [path if path != "truth" else "./truth" for path in paths]
    notes = [Note("form-of-file", form=trials.said)]
    columns: dict[str, NDArray[Any]] = {"truth": trials.keys}
    for name, path in zip(names, paths, strict=True):
        found = _read(path)
        _refuse_keys_for_scores(found, path, keys)
        columns[name], spare = joined_scores(trials, found)
        if np.isnan(columns[name]).all():
            first, other = (" ".join(first_names(each)[0]) for each in (trials, found))
            raise DataError(
                f"no trial of {trials.source} has a score in {found.source}; the first trial is "
                f"{first}, the first score is for {other}.",
                hint="write the names alike in both files: their order, folders and endings",
            )
        if spare:
            notes.append(Note("scores-without-trial", scores=grouped(spare), file=found.source))
    return table_of_columns(trials.source, columns, "list of trials, joined by names"), notes


def trials_command(trials: str, scores: str) -> str:
    """The command to type."""
    return f"stakes eval --trials {shlex.quote(trials)} --scores {shlex.quote(scores)}"


def _read(path: str, *, keys: bool = False) -> List:
    """One list from a file; with `keys`, every other column is a name."""
    data, name = read_bytes(path)
    data = unzipped(data, name) if data[:2] == b"\x1f\x8b" else data
    if HDF5.fits(data, name):
        found = hdf5_list(data, name)
        if found is None:
            raise FormatError(
                f"{name} holds neither trials nor scores over named recordings.",
                hint="it needs trial_mask or scores, with ID/row_ids and ID/column_ids",
            )
        return found
    if not data.strip():
        raise FormatError(f"{name} is empty.", hint=_PLACES)
    return read_list(data, name, keys=keys)


def _without_scores(trials: List, keys: str) -> DataError:
    """The error if no file of scores was named."""
    said, hint = "the scores of each model", trials_command(keys, "A.txt,B.txt")
    if trials.keys is not None and _read(keys).scores is not None:
        said = f"files of scores; {trials.source} itself holds keys and scores"
        hint = f"stakes eval {shlex.quote(keys)}"
    elif trials.keys is None and trials.scores is not None:
        said = f"the keys; {trials.source} holds scores and no keys"
        hint = trials_command("TRIALS.txt", keys)
    return DataError(f"--trials needs {said}.", hint=hint)


def _without_keys(trials: List, keys: str) -> FormatError:
    """The error if the list does not say which trials are targets."""
    said = f"{trials.source}: no column says which trials are targets"
    if trials.scores is not None:
        hint = f"{_PLACES}:\n{trials_command('TRIALS.txt', keys)}"
        return FormatError(f"{said}; it holds scores.", hint=hint)
    return FormatError(
        f"{said}.",
        hint="one column must hold two words such as target and nontarget, tgt and imp, "
        "bonafide and spoof, or 1 and 0",
    )


def _refuse_keys_for_scores(scores: List, path: str, keys: str) -> None:
    """Raise if a file of scores holds none."""
    if scores.scores is not None and scores.ids:
        return
    if scores.scores is not None:
        both = f"paste -d ' ' {shlex.quote(keys)} {shlex.quote(path)} > both.txt"
        raise FormatError(
            f"{scores.source} holds scores without the names of recordings, so they belong to no "
            "trial in particular.",
            hint="if the lines stand in the order of the trials, put them side by side:  "
            f"{both};  stakes eval both.txt",
        )
    what = "holds no column of scores beside the names"
    what += "" if scores.keys is None else ", but keys"
    what = "is the list of trials itself" if path == keys else what
    such = f"{_PLACES}, lines such as:  speaker recording 2.31"
    raise FormatError(f"{scores.source} {what}.", hint=such)
