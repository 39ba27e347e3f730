"""What is printed and written: an evaluation in the form asked for, and files that are there
whole or not at all.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import glob
import io
import os
import platform
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from stakes import __version__, _files
from stakes._files import real_path, refuse_unwritable
from stakes._optional import load
from stakes.cli.show.evaluation_text import print_evaluation, print_quiet, read_line
from stakes.evaluation import Evaluation
from stakes.evaluation.model_table import MOST_SHOWN, as_csv, flat_columns, rows_of
from stakes.exceptions import DataError, FormatError
from stakes.inquiry.inquiry import Inquiry
from stakes.messages.audience import shown
from stakes.messages.quantities import grouped
from stakes.report.charts import svg_of
from stakes.results import Frame
from stakes.sources.patterns import fitting, several_words
from stakes.summaries import ConfusionMatrix


def show(ev: Evaluation, form: str, *, counts_only: bool = False, listed: int = 0) -> None:
    """Print the evaluation as "json", as "csv", "quiet", or in full.

    `listed` is the number of costliest cases to list.
    """
    if form == "json":
        print(ev.to_json(costliest_cases=listed), end="")
    elif form == "csv":
        print(table_text(ev), end="")
    elif not counts_only and form == "quiet":
        print_quiet(ev)
    elif not counts_only:
        print_evaluation(ev, listed)
    elif form != "quiet":  # no figure that would suggest more is known
        print(read_line(ev))
        for model in ev.models[:MOST_SHOWN]:
            print(f"\n{model.name}\n{_counted(model.confusion)}")
        if len(ev) > MOST_SHOWN:
            print(f"\n({len(ev) - MOST_SHOWN} more models: --json prints all)")


def write_answer(
    path: str | None, everything: Callable[[], str], table: Callable[[], str] | None = None
) -> list[str]:
    """Write everything as JSON, or the table as CSV, by the ending; a line about it."""
    if not path:
        return []
    as_table = table is not None and Path(path).suffix.lower() == ".csv"
    write_whole(Path(path), table() if table is not None and as_table else everything())
    return [f"{'table' if as_table else 'answer'}: {path}"]


def say_written(lines: Sequence[str]) -> None:
    """Print what was written, below the answer."""
    if lines:
        print("\n" + shown("\n".join(lines)))


def table_text(ev: Evaluation) -> str:
    """The table of the models as CSV."""
    return as_csv(_columns(ev))


def _counted(table: ConfusionMatrix) -> str:
    """The counts; of very many classes or decisions only those that are largest."""
    if max(table.counts.shape) <= MOST_SHOWN:
        return str(table)
    counts = table.counts.ravel()
    largest = np.argsort(-counts, kind="stable")[:MOST_SHOWN]
    rows, columns = np.unravel_index(largest, table.counts.shape)
    frame = Frame({
        "truth": [str(table.classes[i]) for i in rows],
        "decision": [str(table.decisions[j]) for j in columns],
        "cases": counts[largest],
    })  # fmt: skip
    more = int((counts > 0).sum()) - len(largest)
    return f"{frame}\n({more} more cells with cases: --json prints all)" if more > 0 else str(frame)


def too_few(ev: Evaluation, least: int) -> tuple[float, str] | None:
    """The count of an outcome that is too rare for a verdict, and in words; None if none is."""
    assert ev.class_counts is not None
    count = float(ev.class_counts[ev.class_counts > 0].min())
    if count >= least:
        return None
    place = int(np.flatnonzero(ev.class_counts == count)[0])
    what, of = "case", f" of '{ev.application.classes[place]}'"
    if ev.positive is not None and place == 1:
        what, of = "positive", ""
    return count, f"{grouped(count)} {what}{'' if count == 1 else 's'}{of}"


def with_facts(ev: Evaluation, command: Sequence[str]) -> Evaluation:
    """The evaluation with how it was computed."""
    now = dt.datetime.now(dt.UTC)
    stamp = os.environ.get("SOURCE_DATE_EPOCH")  # for pages that must come out the same
    if stamp is not None and stamp.isdigit():
        now = dt.datetime.fromtimestamp(int(stamp), dt.UTC)
    facts = {
        "command": "stakes " + " ".join(shlex.quote(word) for word in command),
        "made": now.strftime("%Y-%m-%d"),
        "stakes": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    return replace(ev, facts={**ev.facts, **facts})


def _columns(ev: Evaluation) -> dict[str, list[Any]]:
    """The table of the models, and how they do over what is unknown."""
    columns, doubt = flat_columns(rows_of(ev)), ev.doubt
    if doubt is not None:
        places = [doubt.models.index(name) for name in columns["model"]]
        for k, place in enumerate(doubt.places):
            columns[f"nec at {place}"] = [doubt.nec[m, k] for m in places]
        columns["mean_nec"] = [doubt.mean_nec[m] for m in places]
        columns["worst_regret"] = [doubt.worst_regret[m] for m in places]
    return columns


def page_in(path: str | None, name: str) -> str | None:
    """Where a page goes: a folder (``reports/``) gets a file of this name, and an index."""
    if path is None or not (path.endswith("/") or Path(path).is_dir()):
        return path
    from stakes.report.page_index import refuse_foreign_index

    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    refuse_foreign_index(folder)
    stem = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "report"
    return str(folder / f"{'report' if stem == 'index' else stem}.html")


def list_page(given: str | None, written: str | None) -> None:
    """Write the index of the folder that was given for a page, or that has one of ours."""
    if written is None:
        return
    from stakes.report.page_index import has_index, write_index

    folder = Path(written).parent
    if given != written or has_index(folder):
        write_index(folder)


def files_read(inquiry: Inquiry, *others: str | None) -> list[str]:
    """The files, patterns and folders that an inquiry reads, and others that its command does."""
    words = [inquiry.file, inquiry.costs, inquiry.trials, *others]
    label = inquiry.label or ""
    words += [label] if label.endswith(".npy") else []  # else it is a column
    lists = [inquiry.confusion, inquiry.more, inquiry.scores if inquiry.trials else None]
    words += [word for each in lists if each is not None for word in each.split(",")]
    given = [word for word in words if isinstance(word, str) and word]
    return [each for word in given for each in several_words(word) or [word]]


def refuse_unfit(outputs: Mapping[str, str | None], inquiry: Inquiry, *others: str | None) -> None:
    """Raise, before any work, where an option could not write, or would write over what is read."""
    refuse_overwriting(outputs, files_read(inquiry, *others))
    for option, endings in _ENDINGS.items():
        refuse_ending(option, outputs.get(option), endings)
    for option, path in outputs.items():
        if path and option == "--plot":
            refuse_undrawable(path)
        elif path:
            refuse_unwritable(Path(path))


#: What options write, by the endings that fit it.
PAGE = (".html", ".htm")
_ENDINGS = {"--html": PAGE, "--pdf": (".pdf",)}


def refuse_ending(option: str, path: str | None, endings: Sequence[str]) -> None:
    """Raise where the ending of a file says that something else than what is written is wanted."""
    ending = Path(path or "").suffix.lower()
    if path and ending and ending not in endings:
        known = ", ".join(endings)
        raise DataError(
            f"{option} writes {known} here, and '{path}' ends in {ending}.",
            hint=f"{option} {_with_ending(Path(path), endings)}",
        )


def _with_ending(path: Path, endings: Sequence[str]) -> Path:
    """The path with an ending that fits: of new.csv.gz that of new.csv."""
    inner = path.with_suffix("")
    return inner if inner.suffix.lower() in endings else path.with_suffix(endings[0])


def refuse_overwriting(outputs: Mapping[str, str | None], inputs: Iterable[str | None]) -> None:
    """Raise where an option would write over a file that is read, or over another option's.

    Links are followed, ``-`` is the file that standard input comes from, and a pattern stands for
    the files that it fits. Nothing is written into a folder that is read.
    """
    taken = {name: f"which is read ({name})" for name in inputs if name}
    for option, path in outputs.items():
        if not path or (Path(path).exists() and not Path(path).is_file()):
            continue  # pipes and terminals are not replaced
        for name, what in taken.items():
            if _inside(Path(path), Path(name)):
                raise DataError(
                    f"{option} {path} lies in a folder {what}, where the next run would meet it.",
                    hint=f"write to another folder:  {option} {Path(path).name}",
                )
            if _same(name, Path(path)):
                new = Path(path).with_name(f"{Path(path).stem}_new{Path(path).suffix}")
                raise DataError(
                    f"{option} {path} would overwrite a file {what}.",
                    hint=f"write to another one:  {option} {new}",
                )
        taken[path] = f"that {option} writes"


def _inside(path: Path, folder: Path) -> bool:
    """Whether a file lies, or would lie, in a folder that is there."""
    with contextlib.suppress(OSError, ValueError):
        return folder.is_dir() and real_path(path).is_relative_to(real_path(folder))
    return False


def _same(name: str, path: Path) -> bool:
    """Whether two names lead to one file, whether it is there or not."""
    with contextlib.suppress(OSError, ValueError):
        if name == "-":
            return os.path.samestat(os.fstat(sys.stdin.fileno()), path.stat())
        if real_path(name) == real_path(path) or (Path(name).exists() and path.samefile(name)):
            return True
        fits = fitting(name) if glob.has_magic(name) else ()
        return path.is_file() and any(path.samefile(each) for each in fits)
    return False


def write_whole(path: Path, text: str) -> int:
    """Write a text file through a temporary one in the same folder; return its size in bytes."""
    return _files.write_whole(path, text.encode("utf-8"))


def refuse_undrawable(path: str) -> None:
    """Raise before any work where a picture could not be written."""
    kinds = load("matplotlib.backend_bases", extra="plots").FigureCanvasBase.filetypes
    if _kind(path) not in kinds:
        stem = Path(path).stem or "picture"
        raise FormatError(
            f"I cannot draw into '{path}'.", hint=f"{stem}.svg, {stem}.png or {stem}.pdf"
        )
    refuse_unwritable(Path(path))


def write_picture(figure: Any, path: str) -> None:
    """The figure in a file of the kind that its name says; in SVG, text stays text."""
    if _kind(path) == "svg":
        write_whole(Path(path), svg_of(figure))
        return
    stream = io.BytesIO()
    figure.savefig(stream, format=_kind(path), bbox_inches="tight")
    _files.write_whole(Path(path), stream.getvalue())


def _kind(path: str) -> str:
    """The ending, which says the kind of picture."""
    return Path(path).suffix.removeprefix(".").lower()
