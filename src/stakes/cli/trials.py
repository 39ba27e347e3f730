"""`--trials`: a list of trials and one file of scores per model, joined by names."""

from __future__ import annotations

import shlex
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.cli.hdf5 import hdf5_list, is_hdf5
from stakes.cli.lists import List, first_names, joined_scores, read_list
from stakes.cli.reading import read_bytes, unzipped
from stakes.exceptions import DataError, FormatError
from stakes.report.amounts import grouped

__all__ = ["trials_of"]

PLACES = "--trials takes the list that says target or nontarget, --scores the files of scores"


def trials_of(args: Any) -> tuple[str, dict[str, NDArray[Any]], list[str]]:
    """What the list is called, its truth and the scores of each model, and what to say."""
    _refuse_two_places(args)
    paths = [path for path in (part.strip() for part in (args.scores or "").split(",")) if path]
    for k, path in enumerate(paths):
        if path in paths[:k]:
            raise DataError(f"'{path}' is named twice.", hint="leave one of them out")
    trials = _read(args.trials, keys=True)
    if not paths:
        raise _without_scores(trials, args)
    if trials.keys is None:
        raise _without_keys(trials, paths, args)
    if not trials.ids:
        raise FormatError(
            f"{trials.source} holds keys without the names of recordings.",
            hint="lines such as:  speaker recording target",
        )
    names = [Path(path).stem for path in paths]
    if len({"truth", *names}) <= len(names):
        names = [path if path != "truth" else "./truth" for path in paths]
    notes = [trials.said]
    columns: dict[str, NDArray[Any]] = {"truth": trials.keys}
    for name, path in zip(names, paths, strict=True):
        scores = _read(path)
        _refuse_keys_for_scores(scores, path, args)
        columns[name], spare = joined_scores(trials, scores)
        if np.isnan(columns[name]).all():
            raise _without_a_match(trials, scores)
        if spare:
            notes.append(f"{grouped(spare)} scores of {scores.source} belong to no trial")
    return trials.source, columns, notes


def _command(trials: str, scores: str) -> str:
    """What to type."""
    return f"stakes eval --trials {shlex.quote(trials)} --scores {shlex.quote(scores)}"


def _read(path: str, *, keys: bool = False) -> List:
    """One list from a file; with `keys` everything beside the keys is a name."""
    data, name = read_bytes(path)
    data = unzipped(data, name) if data[:2] == b"\x1f\x8b" else data
    if is_hdf5(data):
        found = hdf5_list(data, name)
        if found is None:
            raise FormatError(
                f"{name} holds neither trials nor scores over named recordings.",
                hint="it needs trial_mask or scores, with ID/row_ids and ID/column_ids",
            )
        return found
    if not data.strip():
        raise FormatError(f"{name} is empty.", hint=PLACES)
    return read_list(data, name, keys=keys)


def _refuse_two_places(args: Any) -> None:
    """Raise when there is a file of cases besides."""
    if args.file is None:
        return
    scores = args.scores or args.file
    lone = not args.scores and args.file != args.trials
    raise DataError(
        f"--trials takes the place of the file of cases; got {args.file} and --trials "
        f"{args.trials}.",
        hint=(f"if {args.file} holds scores:  " if lone else "leave the file out:  ")
        + _command(args.trials, scores if lone or args.scores else "SCORES.txt"),
    )


def _without_scores(trials: List, args: Any) -> DataError:
    """What to say when no file of scores was named."""
    if trials.keys is not None and _read(args.trials).scores is not None:
        return DataError(
            f"--trials needs files of scores; {trials.source} itself holds keys and scores.",
            hint=f"stakes eval {shlex.quote(args.trials)}",
        )
    if trials.keys is None and trials.scores is not None:
        return DataError(
            f"--trials needs the keys; {trials.source} holds scores and no keys.",
            hint=_command("TRIALS.txt", args.trials),
        )
    return DataError(
        "--trials needs the scores of each model.", hint=_command(args.trials, "A.txt,B.txt")
    )


def _without_keys(trials: List, paths: list[str], args: Any) -> FormatError:
    """What to say when the list of trials does not say which are targets."""
    said = f"{trials.source}: no column says which trials are targets"
    keyed = [
        path for path in paths if path != args.trials and _read(path, keys=True).keys is not None
    ]
    if trials.scores is not None and len(keyed) == 1:
        others = [args.trials, *(path for path in paths if path not in (keyed[0], args.trials))]
        return FormatError(
            f"{said}, but it holds scores, and {keyed[0]} holds keys.",
            hint=f"the other way round:  {_command(keyed[0], ','.join(others))}",
        )
    if trials.scores is not None:
        return FormatError(
            f"{said}; it holds scores.", hint=f"{PLACES}:\n{_command('TRIALS.txt', args.trials)}"
        )
    return FormatError(
        f"{said}.",
        hint="one column must hold two words such as target and nontarget, tgt and imp, "
        "bonafide and spoof, or 1 and 0",
    )


def _refuse_keys_for_scores(scores: List, path: str, args: Any) -> None:
    """Raise when a file of scores has none."""
    if scores.scores is not None and scores.ids:
        return
    if scores.scores is not None:
        raise FormatError(
            f"{scores.source} holds scores without the names of recordings, so they belong to no "
            "trial in particular.",
            hint=f"if the lines stand in the order of the trials, put them side by side:  "
            f"paste -d ' ' {shlex.quote(args.trials)} {shlex.quote(path)} > both.txt;  "
            "stakes eval both.txt",
        )
    same = path == args.trials
    what = "is the list of trials itself" if same else "holds no column of scores beside the names"
    raise FormatError(
        f"{scores.source} {what}{'' if scores.keys is None or same else ', but keys'}.",
        hint=f"{PLACES}, lines such as:  speaker recording 2.31",
    )


def _without_a_match(trials: List, scores: List) -> DataError:
    """What to say when no trial has a score, and why that seems to be."""
    wanted, given = (first_names(each) for each in (trials, scores))
    hint = "do the names in both files have the same form (folders, endings)?"
    if set(wanted) & {name[::-1] for name in given}:
        hint = f"the two names of a line stand the other way round in {scores.source}: swap them"
    elif {_bare(name) for name in wanted} & {_bare(name) for name in given}:
        hint = "the names agree without their folders and endings: write them alike in both files"
    return DataError(
        f"no trial of {trials.source} has a score in {scores.source}; the first trial is "
        f"{' '.join(wanted[0])}, the first score is for {' '.join(given[0])}.",
        hint=hint,
    )


def _bare(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names without folders and endings."""
    return tuple(PurePosixPath(name).stem for name in names)
