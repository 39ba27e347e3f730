"""Answers about several classes kept with the costs, as TOML, and replayed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stakes.application import Application, costs_to_toml
from stakes.application.toml_reader import toml_table
from stakes.application.toml_text import located, toml_value
from stakes.elicitation.answers_file import reading_answer
from stakes.elicitation.matrix_set import MatrixElicitation, MatrixStatement
from stakes.exceptions import FormatError

#: What a statement is made from; only these are written and read.
_KEYS = ("cell", "other", "at_least", "at_most", "better", "worse", "said")


def matrix_answers_to_toml(talk: MatrixElicitation, **settings: Any) -> str:
    """The costs in the middle of what is possible, and the answers they come from.

    Parameters
    ----------
    talk : MatrixElicitation
        A conversation without contradictions.
    **settings
        `priors`, `unit`, `volume` and `period` of the application.

    Returns
    -------
    str
        TOML that `stakes.application.read_costs` and `matrix_answers_from_toml` read.

    Examples
    --------
    >>> talk = MatrixElicitation(["cat", "dog", "fox"])
    >>> talk = talk.ratio(("fox", "cat"), ("cat", "dog"), between=(5, 20))
    >>> text = matrix_answers_to_toml(talk, unit="EUR")
    >>> matrix_answers_from_toml(text).bounds(("fox", "cat"))
    (5.0, 20.0)
    """
    lines = [costs_to_toml(Application(talk.middle, **settings)), "[elicitation]"]
    lines += ["# The costs above are the geometric middle of what these answers leave possible."]
    lines += [f"unit = {toml_value(list(talk.unit or ()))}", f"limit = {toml_value(talk.limit)}"]
    for each in talk.statements:
        lines += ["", "[[elicitation.answer]]"]
        lines += [f"{key} = {toml_value(each.inputs[key])}" for key in _KEYS if key in each.inputs]
        lines += [f"said = {toml_value(each.said)}"]
    return "\n".join(lines) + "\n"


def matrix_answers_from_toml(text: str, *, source: str = "answers") -> MatrixElicitation:
    """The conversation of a file of answers, worked out again from what was said.

    Parameters
    ----------
    text : str
        TOML as written by `matrix_answers_to_toml`, edited or not.
    source : str
        What error messages call the text.

    Returns
    -------
    MatrixElicitation
        With every statement; contradictions come to light when it is used.

    Examples
    --------
    >>> talk = matrix_answers_from_toml('''
    ... outcomes = ["cat", "dog"]
    ... [elicitation]
    ... unit = ["cat", "dog"]
    ... [[elicitation.answer]]
    ... cell = ["dog", "cat"]
    ... other = ["cat", "dog"]
    ... at_least = 3.0
    ... ''')
    >>> talk.bounds(("dog", "cat"))
    (3.0, 1000.0)
    """
    with located(source):
        table = toml_table(text)
        kept = table.get("elicitation", {})
        if not isinstance(table.get("outcomes"), list) or not isinstance(kept, Mapping):
            raise FormatError("`outcomes`, a list, and a table [elicitation] are needed.")
        rows = kept.get("answer", [])
        if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
            raise FormatError("answers are tables [[elicitation.answer]].")
        talk = _begun(table, kept)
        for k, row in enumerate(rows):
            talk = talk.stated(_statement(row, talk, f"elicitation.answer[{k}]"))
        return talk


def _begun(table: Mapping[str, Any], kept: Mapping[str, Any]) -> MatrixElicitation:
    """The conversation before anything was said."""
    unit, limit = kept.get("unit"), kept.get("limit", 1000.0)
    if unit is not None and not (isinstance(unit, list) and len(unit) == 2):
        raise FormatError(f"`unit` must be a pair [truth, decision]; got {unit!r}.")
    if not isinstance(limit, int | float):
        raise FormatError(f"`limit` must be a number; got {limit!r}.")
    pair = None if unit is None else (unit[0], unit[1])
    return MatrixElicitation(
        table["outcomes"], table.get("decisions"), unit=pair, limit=float(limit)
    )


def _statement(row: Mapping[str, Any], talk: MatrixElicitation, at: str) -> MatrixStatement:
    """One statement, by the same ways in which it was made."""
    unknown = [key for key in row if key not in _KEYS]
    if unknown:
        raise FormatError(f"unknown key `{unknown[0]}` - at `{at}`.", hint=f"known: {_KEYS}")
    with reading_answer(at):
        if "better" in row:
            said = str(row.get("said", ""))
            better, worse = np.asarray(row["better"]), np.asarray(row["worse"])
            return talk.preferred(better, worse, said=said).statements[-1]
        cells = tuple(row["cell"]), tuple(row["other"])
        side = "at_least" if "at_least" in row else "at_most"
        ratio = float(row[side])
        pair = talk.ratio(*cells, between=(ratio, ratio)).statements
        return pair[-2] if side == "at_least" else pair[-1]
