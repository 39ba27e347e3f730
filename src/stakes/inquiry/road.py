"""The road that rows take, into memory or through an engine, chosen by their size and by what was
asked.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stakes._optional import load
from stakes.exceptions import DataError, FormatError
from stakes.messages.notes import Note
from stakes.sources.delimited import text_header
from stakes.sources.patterns import form_of, several_words
from stakes.sources.source import MEMORY, has_duckdb, is_far, size_words

if TYPE_CHECKING:
    from stakes.inquiry.inquiry import Inquiry


# In memory, or where they are: docs/design/files.md.
def takes_engine(inquiry: Inquiry) -> bool:
    """Whether the files of an inquiry are counted by an engine."""
    file = inquiry.file
    if inquiry.confusion or inquiry.trials or file is None:
        return False
    # groups are counted one by one in an engine, which takes longer than reading them
    needed = inquiry.engine is None and bool(inquiry.groups or why_rows(inquiry))
    return is_far(file, inquiry.engine, rows_needed=needed)


def said_of_road(inquiry: Inquiry) -> list[Note]:
    """How large files were read, and why, where the user did not choose."""
    file = inquiry.file
    if file is None or file == "-" or inquiry.engine or inquiry.confusion or inquiry.trials:
        return []
    size = size_words(file)
    if not size:
        return []
    title = " + ".join(Path(word).name for word in several_words(file) or [file])
    if takes_engine(inquiry):
        return [Note("counted-in-place", file=title, size=size)]
    why = why_rows(inquiry) or ("groups are counted sooner in memory." if inquiry.groups else "")
    if why:
        return [Note("read-into-memory", file=title, size=size, why=why)]
    return [] if has_duckdb() else [Note("engine-not-installed", file=title, size=size)]


def in_memory(inquiry: Inquiry, option: str) -> tuple[Inquiry, list[Note]]:
    """The inquiry with its rows in memory, because of an option that needs them."""
    told = said_of_road(inquiry)
    if not any(note.code == "counted-in-place" for note in told):
        return inquiry, []
    values = {**told[0].values, "why": f"{option} needs the rows in memory."}
    return inquiry.but(engine=MEMORY), [Note("read-into-memory", **values)]


def why_rows(inquiry: Inquiry) -> str:
    """Why an engine would refuse what was asked, so that rows are needed; else empty."""
    from stakes.inquiry.far_answer import refuse_what_needs_rows

    try:
        refuse_what_needs_rows(inquiry)
        _refuse_other_forms(inquiry)
    except DataError as error:
        return error.message
    return ""


def _refuse_other_forms(inquiry: Inquiry) -> None:
    """Raise for rows that are put together in memory before they are judged."""
    label = inquiry.label or ""
    if label.endswith(".npy"):
        raise DataError("the truth in a file of its own needs the rows in memory.")
    names = _names_in((several_words(inquiry.file) or [inquiry.file or ""])[0])
    if "model" in names and "model" not in label.split(","):
        raise DataError("one row for each model and case needs the rows in memory.")
    if {"correct", "prediction"} <= names and not label:
        raise DataError("predictions in this form need the rows in memory.")


def _names_in(file: str) -> set[str]:
    """The columns of a large file, from its head."""
    if not Path(file).is_file() or not size_words(file):
        return set()
    if form_of(file) == "parquet":
        return set(load("pyarrow.parquet", extra="parquet").read_schema(file).names)
    try:
        header = text_header(file)
    except FormatError as error:  # such as UTF-16, which is read in memory
        raise DataError(error.message) from None
    return set() if header is None else set(header.names)
