"""The whole command for a file of which something was not said: what to add, found in the file."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stakes.exceptions import StakesError
from stakes.inquiry.column_contents import Described, described, truth_in
from stakes.inquiry.column_roles import class_columns
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.truth import KNOWN_PAIRS
from stakes.messages.audience import typed_words
from stakes.sources.cells import Labels
from stakes.sources.patterns import several_words
from stakes.sources.table import Table

#: The codes of errors that a proposal answers; each says by itself what is missing.
_ANSWERED = ("no-label", "no-models", "no-positive", "no-costs")
#: What other commands are told of the cases.
_OF_CASES = (
    "label", "positive", "scores", "proba", "decisions", "scores_are", "narrow", "flip",
    "renormalise", "weight", "missing",
)  # fmt: skip
_FIRST, _ALL = slice(1), slice(None)
_TWO, _ALIKE = ("--cost", "fn=10", "fp=1"), ("--cost", "error=1")
YOUR_OWN = "replace 10 and 1 by your costs of a miss and a false alarm"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What to add to a command, as fields of an inquiry, and what was assumed.

    `several` says that there are more than two outcomes, `models` that models are known, and
    `counts` that there are no rows to ask about.
    """

    added: dict[str, str] = field(default_factory=dict)
    several: bool = False
    models: bool = True
    counts: bool = False
    assumed: str = ""


def proposal(table: Table, inquiry: Inquiry) -> Proposal | None:
    """What a file makes likely of that which was not said; None where its truth is not found.

    To calibrate, one model is proposed.
    """
    label = inquiry.label
    if label is not None and label not in table.names:
        label = Path(label).stem  # an array in a file of its own
        if label not in table.names:
            return None
    columns = described(table, label)
    truth = truth_in(columns)
    if truth is None or truth.labels is None or len(truth.labels.names) < 2:
        return None
    names, two = truth.labels.names, len(truth.labels.names) == 2
    added = {} if inquiry.label else {"label": truth.name}
    added |= _positive(truth.labels, inquiry)
    if inquiry.models_given:
        return Proposal(added, not two)
    one = typed_words()[:1] == ("calibrate",)
    models, assumed = _models(table, columns, names, _FIRST if one else _ALL)
    return Proposal({**added, **models}, not two, bool(models), assumed=assumed)


def of_outcomes(labels: Labels, inquiry: Inquiry) -> Proposal:
    """The same for counts, whose outcomes are all that there is."""
    return Proposal(_positive(labels, inquiry), len(labels.names) > 2, counts=True)


def _positive(labels: Labels, inquiry: Inquiry) -> dict[str, str]:
    """The outcome that is acted on, where that has to be said: the rarer of two."""
    names, counts = labels.names, labels.counts
    known = {name.lower() for name in names} in map(set, KNOWN_PAIRS)
    if len(names) != 2 or inquiry.positive in names or (known and inquiry.positive is None):
        return {}
    return {"positive": names[int(counts[1] <= counts[0])]}


def _models(
    table: Table, columns: Sequence[Described], outcomes: tuple[str, ...], which: slice
) -> tuple[dict[str, str], str]:
    """The option that names the models, and what was assumed of them; empty without any."""

    def called(role: str) -> list[str]:
        return [each.name for each in columns if each.role == role][which]

    model = next((each.model for each in columns if each.role == "class"), "")
    ours = [each for each in columns if which == _ALL or each.model == model]
    classes, two = [each.name for each in ours if each.role == "class"], len(outcomes) == 2
    if classes:
        return {"proba": _pattern(table, columns, classes)}, ""
    arrays = [name for name in called("array") if table.matrices[name].shape[1] == len(outcomes)]
    if arrays:
        return {"proba": ",".join(arrays)}, ""
    if two and called("scores"):
        return {"scores": ",".join(called("scores"))}, ""
    decided = [each for each in columns if each.role == "decisions" and each.labels is not None]
    fitting = [each.name for each in decided if {*each.labels.names} <= {*outcomes}]  # type: ignore[union-attr]
    if fitting:
        return {"decisions": ",".join(fitting)}, ""
    for role, kind in (("log-odds", "log_odds"), ("numbers", "rank")):
        if two and called(role):
            what = "log-odds" if kind == "log_odds" else "scores of which only the order counts"
            other = "--scores-are llr" if kind == "log_odds" else "--scores-are log_odds"
            said = f"{', '.join(called(role))} taken as {what}; if they are not: {other}"
            return {"scores": ",".join(called(role)), "scores_are": kind}, said
    return {}, ""


def _pattern(table: Table, columns: Sequence[Described], classes: list[str]) -> str:
    """A pattern that finds the columns of one probability per outcome, or all of them by name."""
    first = next(each for each in columns if each.role == "class")
    stem = first.name.removesuffix(first.outcome)
    several = {each.model for each in columns if each.name in classes} != {first.model}
    stem = "*" + stem.removeprefix(first.model) if several else stem
    truth = truth_in(columns)
    with suppress(StakesError):
        found = class_columns(table, f"{stem}*", truth.name if truth is not None else None)
        if stem and sorted(c for m in found for c in m.by_class.values()) == sorted(classes):
            return f"{stem}*"
    return ",".join(classes)


def option(name: str, value: Any) -> list[str]:
    """An option with its value, one word where the value looks like an option itself."""
    name, text = f"--{name.replace('_', '-')}", str(value)
    return [f"{name}={text}"] if text.startswith("-") else [name, text]


def given(inquiry: Inquiry, *names: str) -> list[str]:
    """Options as they were given; nothing for those that were not."""
    words: list[str] = []
    said = inquiry.said
    for name, value in ((name, said[name]) for name in names if name in said):
        if isinstance(value, bool):
            words.append(f"--{name.replace('_', '-')}")
        elif isinstance(value, tuple):
            words += [f"--{name}", *filter(None, value)]
        else:
            words += option(name, value)
    return words


def file_words(file: str) -> list[str]:
    """A file as it is typed, or several; one that looks like an option gets its folder."""
    words = several_words(file) or [file]
    return [f"./{word}" if word.startswith("-") and word != "-" else word for word in words]


def command(name: str, inquiry: Inquiry, *more: str) -> str:
    """A command about the cases of an inquiry, as it is typed."""
    words = ["stakes", name, *(file_words(inquiry.file) if inquiry.file else ())]
    return shlex.join([*words, *given(inquiry, *_OF_CASES), *more])


def lines(found: Proposal, inquiry: Inquiry, *, typed: Sequence[str] = ()) -> list[str]:
    """What to type, for a hint: the whole command, and where costs were not given how to get them.

    `typed` is what was typed, to which only what is missing is added.
    """
    whole = inquiry.but(**found.added)

    def said(*costs: str) -> str:
        if not typed:
            return command("eval", whole, *costs)
        return shlex.join(["stakes", *completed_words(typed, found.added), *costs])

    if inquiry.gives_costs or inquiry.preset:
        return [said()]
    if found.counts and found.several:
        wanted = [said(*_ALIKE), "  (every error costs 1)"]
    elif not found.several:
        wanted = [said(*_TWO), f"  ({YOUR_OWN})"]
    else:
        template = command("costs", whole.but(**dict.fromkeys(("scores", "proba", "decisions"))))
        template = template.replace("stakes costs", "stakes costs --template", 1)
        wanted = [
            said(*_ALIKE),
            "  (every error costs 1; for your own costs, write this file, fill it in, and give it "
            "as --costs costs.toml)",
            f"  {template} -o costs.toml",
        ]
    if inquiry.file not in (None, "-") and not inquiry.is_far and not found.counts:
        ask = command("ask", whole, "-o", "costs.toml")
        wanted += ["If you do not know what errors cost, answer a few questions:", f"  {ask}"]
    return wanted


def completed_words(typed: Sequence[str], added: dict[str, str]) -> list[str]:
    """What was typed with the options that were missing; those that were wrong are replaced."""
    words = list(typed)
    for name, value in added.items():
        new = option(name, value)
        if f"--{name}" in words:
            at = words.index(f"--{name}")
            words[at : at + 2] = new
        else:
            words += new
    return words


@contextmanager
def proposing(made: Callable[[], Proposal | None], inquiry: Inquiry) -> Iterator[None]:
    """Answer an error about something that was not said with the whole command for the file."""
    try:
        yield
    except StakesError as error:
        if error.code not in _ANSWERED:
            raise
        found = made()
        if found is None or not found.models:
            raise
        words = typed_words()
        if words:
            wanted = [*lines(found, inquiry, typed=words), found.assumed]
        else:
            wanted = [shlex.join([w for n, v in found.added.items() for w in option(n, v)])]
            wanted += [] if inquiry.gives_costs else [error.hint or ""]
        wanted[0] = f"Say:  {wanted[0]}"
        hint = "\n".join(filter(None, wanted))
        raise type(error)(error.message, hint=hint, code=error.code) from None
