"""Answers kept with the costs as TOML, which can be read, edited by hand and replayed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from stakes._checks import is_number, of_kind
from stakes._files import as_path, write_whole
from stakes.application import Application, costs_to_toml
from stakes.application.cost_files import file_text
from stakes.application.toml_reader import toml_table
from stakes.application.toml_text import located, toml_value
from stakes.elicitation.agreement import Statement, alarm_in
from stakes.elicitation.matrix_session import MatrixElicitation, MatrixStatement
from stakes.elicitation.question import Answer, Question
from stakes.elicitation.routes import (
    ratio_between,
    ratio_from_amounts,
    ratio_from_number_willing,
    ratio_from_ranking,
    ratio_from_threshold,
)
from stakes.elicitation.session import Elicitation
from stakes.exceptions import FormatError, StakesError


@contextmanager
def reading_answer(at: str) -> Iterator[None]:
    """Name the answer in errors about one that is incomplete, refused or unreadable."""
    try:
        yield
    except KeyError as error:
        raise FormatError(f"{error.args[0]!r} is missing - at `{at}`.") from None
    except StakesError as error:
        raise FormatError(f"{error.message} - at `{at}`.", hint=error.hint) from error
    except (TypeError, ValueError) as error:
        raise FormatError(f"cannot be read: {error} - at `{at}`.") from error


def _from_preference(row: Mapping[str, Any]) -> Statement:
    """The statement of an answer to a question."""
    pairs = {}
    for key in ("misses", "alarms"):
        values = row[key] if isinstance(row[key], list) else []
        if len(values) != 2 or not all(is_number(n) and float(n).is_integer() for n in values):
            raise FormatError(
                f"`{key}` must be two whole numbers, of A and of B; got {row[key]!r}."
            )
        pairs[key] = (int(values[0]), int(values[1]))
    question = Question(int(row.get("cases", 0)), 0, pairs["misses"], pairs["alarms"])
    answer: Any = row["prefers"]
    if isinstance(answer, str):
        answer = cast(Answer, answer.lower())  # the question calls them A and B
    return question.statement(answer)


def _ends(row: Mapping[str, Any], key: str) -> list[float]:
    """A number, or the two ends of a range."""
    ends = row[key] if isinstance(row[key], list) else [row[key]]
    if len(ends) not in (1, 2) or not all(map(is_number, ends)):
        raise FormatError(f"`{key}` must be a number, or two ends of a range; got {row[key]!r}.")
    return ends


def _as_said(row: Mapping[str, Any]) -> Statement:
    """The statement of a ratio that was computed from data the file does not hold."""
    given, route = _ends(row, "ratio"), str(row["route"])
    low, high = float(given[0]), float(given[-1])
    return Statement(low, high, str(row.get("said", route)), route, {"ratio": [low, high]})


def _from_amounts(row: Mapping[str, Any]) -> Statement:
    """The statement of amounts in money."""
    right = {"true_positive": row.get("tp", 0.0), "true_negative": row.get("tn", 0.0)}
    return ratio_from_amounts(false_negative=row["fn"], false_positive=row["fp"], **right)


def _from_ranking(row: Mapping[str, Any]) -> tuple[Statement, ...]:
    """The statements of an order of the emblematic models."""
    settings = {"error_share": row["error_share"], "priors": row["prior"]}
    return ratio_from_ranking(row["ranking"], **settings)


_ROUTES: dict[str, Callable[[Mapping[str, Any]], Statement | tuple[Statement, ...]]] = {
    "ratio": lambda row: ratio_between(*_ends(row, "ratio")),
    "threshold": lambda row: ratio_from_threshold(*_ends(row, "threshold")),
    "number_willing": lambda row: ratio_from_number_willing(*_ends(row, "number")),
    "amounts": _from_amounts,
    "ranking": _from_ranking,
    "preference": _from_preference,
    "metric": _as_said,
    "sensitivity": _as_said,
}


_HEAD = """# One miss costs as much as `miss` false alarms, by the answers below. The costs above
# are the geometric middle of that range. Change an answer and replay the conversation:
#   stakes ask --answers THIS_FILE
"""


def answers_to_toml(talk: Elicitation, *, note: str = "", **settings: Any) -> str:
    """The costs and the answers they come from, as TOML that `stakes.application.read_costs` reads.

    Parameters
    ----------
    talk : Elicitation
        A conversation without contradictions.
    note : str
        Anything worth keeping with the answers, such as who pays for which error.
    **settings
        `unit` (of amounts that were stated), `volume` and `period` of the application.

    Returns
    -------
    str
        Costs at the geometric middle of the ratio, and a table ``[elicitation]`` with the
        range and every statement.

    Examples
    --------
    >>> from stakes.elicitation import ratio_from_threshold
    >>> talk = Elicitation(priors=0.1).stated(ratio_from_threshold(0.1).signed("Ada"))
    >>> print(answers_to_toml(talk).partition("[[elicitation.answer]]")[2])
    <BLANKLINE>
    route = "threshold"
    threshold = [0.1, 0.1]
    said = "you act at 10 %"
    name = "Ada"
    <BLANKLINE>
    """
    ratio = of_kind(talk, "talk", Elicitation).ratio
    lines = [costs_to_toml(talk.application(**settings)), "[elicitation]", _HEAD.rstrip()]
    lines += [f"miss = {toml_value([ratio.low, ratio.high])}", f"prior = {toml_value(talk.prior)}"]
    lines += [f"note = {toml_value(note)}"] if of_kind(note, "note", str) else []
    for each in talk.statements:
        signed = {key: getattr(each, key) for key in ("said", "name", "date") if getattr(each, key)}
        kept = {"route": each.route, **each.inputs, **signed}
        lines += ["", "[[elicitation.answer]]"]
        lines += [f"{key} = {toml_value(value)}" for key, value in kept.items()]
    return "\n".join(lines) + "\n"


def answers_from_toml(text: str, *, source: str = "answers") -> tuple[Statement, ...]:
    """The statements of a file of answers, computed again from the answers.

    An answer that was edited by hand counts as edited; contradictions are found when the
    statements are used.

    Parameters
    ----------
    text : str
        TOML as written by `answers_to_toml`, or by hand: one table ``[[elicitation.answer]]``
        (or ``[[answer]]``) for each statement, with its `route` and what it needs.
    source : str
        What error messages call the text.

    Returns
    -------
    tuple of Statement
        For `Elicitation.stated`.

    Examples
    --------
    >>> answers_from_toml('''
    ... [[answer]]
    ... route = "preference"
    ... misses = [12, 6]
    ... alarms = [40, 160]
    ... prefers = "b"
    ... ''')
    (Statement('you prefer 6 missed and 160 false alarms to 12 missed and 40 false alarms': ...),)
    """
    with located(source):
        table = toml_table(text)
        kept = table.get("elicitation", {})
        rows = table.get("answer", kept.get("answer", []) if isinstance(kept, Mapping) else None)
        if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
            raise FormatError("answers are tables [[answer]].")
        found: list[Statement] = []
        for k, row in enumerate(rows):
            route = row.get("route")
            if not isinstance(route, str) or route not in _ROUTES:
                hint = f"known: {', '.join(_ROUTES)}"
                raise FormatError(f"unknown route {route!r} - at `answer[{k}]`.", hint=hint)
            with reading_answer(f"answer[{k}]"):
                said = _ROUTES[route](row)
            signed = str(row.get("name", "")), str(row.get("date", ""))
            said = said if isinstance(said, tuple) else (said,)
            found += [each.signed(*signed) for each in said]
        return tuple(found)


def read_answers(path: str | os.PathLike[str]) -> tuple[Statement, ...]:
    """Read a file of answers; see `answers_from_toml`.

    Parameters
    ----------
    path : str or path
        A TOML file, UTF-8.

    Returns
    -------
    tuple of Statement
        The statements.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "costs.toml")
    ...     from stakes.elicitation import ratio_between
    ...     write_answers(Elicitation().stated(ratio_between(5, 20)), path)
    ...     read_answers(path)[0].high
    20.0
    """
    return answers_from_toml(file_text(path), source=str(path))


def kept_prior(path: str | os.PathLike[str]) -> float | None:
    """The share of positives that a file of answers was made for; None if it does not say.

    Parameters
    ----------
    path : str or path
        A TOML file, UTF-8, as written by `write_answers`.

    Returns
    -------
    float or None
        For `Elicitation`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "costs.toml")
    ...     write_answers(Elicitation(priors=0.1), path)
    ...     kept_prior(path)
    0.1
    """
    with located(str(path)):
        table = toml_table(file_text(path))
        kept = table.get("elicitation")
        prior = kept.get("prior") if isinstance(kept, Mapping) else None
        if prior is not None and not (is_number(prior) and 0 < prior < 1):
            raise FormatError(f"`prior` must lie between 0 and 1; got {prior!r}.")
        return None if prior is None else float(prior)


def write_answers(talk: Elicitation, path: str | os.PathLike[str], **settings: Any) -> None:
    """Write costs and answers to a file, whole or not at all; see `answers_to_toml`.

    Parameters
    ----------
    talk : Elicitation
        A conversation without contradictions.
    path : str or path
        The file to write.
    **settings
        `note`, and `unit`, `volume` and `period` of the application.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from stakes.application import read_costs
    >>> from stakes.elicitation import ratio_between
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "costs.toml")
    ...     write_answers(Elicitation(priors=0.1).stated(ratio_between(5, 20)), path)
    ...     read_costs(path).costs.values
    array([[ 0.,  1.],
           [10.,  0.]])
    """
    write_whole(as_path(path), answers_to_toml(talk, **settings).encode("utf-8"))


#: The keys of a statement; only these are written and read.
_KEYS = ("cell", "other", "at_least", "at_most", "better", "worse", "said")


def matrix_answers_to_toml(talk: MatrixElicitation, **settings: Any) -> str:
    """The geometric middle of the possible costs, and the answers they come from.

    Parameters
    ----------
    talk : MatrixElicitation
        A conversation without contradictions.
    **settings
        `priors`, `volume` and `period` of the application.

    Returns
    -------
    str
        TOML that `stakes.application.read_costs` and `matrix_answers_from_toml` read.

    Examples
    --------
    >>> talk = MatrixElicitation(["cat", "dog", "fox"])
    >>> talk = talk.ratio(("fox", "cat"), ("cat", "dog"), between=(5, 20))
    >>> text = matrix_answers_to_toml(talk)
    >>> matrix_answers_from_toml(text).bounds(("fox", "cat"))
    (5.0, 20.0)
    """
    if settings.get("unit") is not None:
        alarm_in(settings["unit"])  # refused
    of_kind(talk, "talk", MatrixElicitation)
    lines = [costs_to_toml(Application(talk.middle, **settings)), "[elicitation]"]
    lines += ["# The costs above are the geometric middle of what these answers leave possible."]
    lines += [f"unit = {toml_value(list(talk.unit or ()))}", f"limit = {toml_value(talk.limit)}"]
    for each in talk.statements:
        lines += ["", "[[elicitation.answer]]"]
        lines += [f"{key} = {toml_value(each.inputs[key])}" for key in _KEYS if key in each.inputs]
        lines += [f"said = {toml_value(each.said)}"]
    return "\n".join(lines) + "\n"


def matrix_answers_from_toml(text: str, *, source: str = "answers") -> MatrixElicitation:
    """The conversation of a file of answers, computed again from the answers.

    Parameters
    ----------
    text : str
        TOML as written by `matrix_answers_to_toml`, edited or not.
    source : str
        What error messages call the text.

    Returns
    -------
    MatrixElicitation
        With every statement; contradictions are found when it is used.

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
        unit, limit = kept.get("unit"), kept.get("limit", 1000.0)
        if unit is not None and not (isinstance(unit, list) and len(unit) == 2):
            raise FormatError(f"`unit` must be a pair [truth, decision]; got {unit!r}.")
        if not isinstance(limit, int | float):
            raise FormatError(f"`limit` must be a number; got {limit!r}.")
        given: Any = {"unit": None if unit is None else (unit[0], unit[1]), "limit": float(limit)}
        talk = MatrixElicitation(table["outcomes"], table.get("decisions"), **given)
        for k, row in enumerate(rows):
            talk = talk.stated(_statement(row, talk, f"elicitation.answer[{k}]"))
        return talk


def _statement(row: Mapping[str, Any], talk: MatrixElicitation, at: str) -> MatrixStatement:
    """One statement, made again by the method that made it."""
    unknown = [key for key in row if key not in _KEYS]
    if unknown:
        raise FormatError(f"unknown key `{unknown[0]}` - at `{at}`.", hint=f"known: {_KEYS}")
    with reading_answer(at):
        if "better" in row:
            said = str(row.get("said", ""))
            better, worse = np.asarray(row["better"]), np.asarray(row["worse"])
            return talk.preferred(better, worse, said=said).statements[-1]
        side, place = ("at_least", -2) if "at_least" in row else ("at_most", -1)
        cells, ratio = (tuple(row["cell"]), tuple(row["other"])), float(row[side])
        return talk.ratio(*cells, between=(ratio, ratio)).statements[place]
