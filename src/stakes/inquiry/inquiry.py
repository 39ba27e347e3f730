"""Inquiry: everything that was asked, in one frozen object that can be kept and asked again."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stakes._checks import as_level, of_kind
from stakes._columns import in_brief
from stakes._files import as_path
from stakes._names import place_of
from stakes.application import Application
from stakes.application.toml_text import toml_value
from stakes.application.written_amounts import plain_words
from stakes.exceptions import DataError, FormatError

if TYPE_CHECKING:
    from stakes.sources.source import Source

#: What the numbers of a model may be, as --scores-are says it.
KINDS = ("posterior", "log_odds", "llr", "rank")


#: Does some work while somebody watches it, such as `stakes.cli.show.progress.attended`.
Attended = Callable[..., Any]


def plainly(work: Callable[[], Any], said: str, **_: Any) -> Any:
    """Do some work without showing progress."""
    return work()


#: Where a page holds its inquiry.
_IN_PAGE = re.compile(r'<script type="application/json" id="inquiry">(.*?)</script>', re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Inquiry:
    """What is to be judged, where it lies, and by which costs; nothing is read to make one.

    It is made from the options of the command line, from keywords, or from a TOML file with the
    same words; every evaluation of files holds its own, so that it can be asked again.

    Parameters
    ----------
    source : str, sequence of str, or Source, optional
        A file, several with the same columns, a pattern, a folder or an address; ``-`` is
        standard input. Or what `stakes.sources.read` gives.
    label, positive : str, optional
        The column of the truth, and the outcome that is acted on.
    scores, proba, decisions : str or sequence of str, optional
        The columns of the models: p(positive), one probability for each outcome (the last star
        of a pattern is the outcome), or decisions.
    scores_are : {"posterior", "log_odds", "llr", "rank"}, optional
        What the scores are; probabilities if that is not said.
    narrow, renormalise : bool
        That logarithms between 0 and 1 are meant; that rows are rescaled to add to 1.
    flip : str or sequence of str
        Columns of scores where higher means less likely.
    weight, groups, by : str, optional
        Columns: how much each row weighs, which rows belong together, which are judged apart.
    id : str, optional
        The column that names the cases, in lists of cases and in errors.
    missing : {"drop", "naive", "abstain"}, optional
        What becomes of cases that a model says nothing about.
    confusion : str or sequence of str, optional
        Files of confusion matrices in place of cases.
    trials : str, optional
        A list of trials; `scores` then names files.
    more, join_on : str, optional
        Files with further columns, and the column by which they are joined.
    cost, gain : sequence of str
        Amounts such as ``fn=10``, ``fn=1.5k`` or ``fn=€500``, which states the unit; `gain` is
        empty where costs are meant, and ``("",)`` where the amounts of `cost` or `costs` are gains.
    costs : str or Application, optional
        A file of costs.
    prevalence : str, optional
        The share of the positive outcome where it will run, or the share of each.
    posteriors_already_adjusted : bool
        That probabilities hold for that prevalence already.
    unit, volume : str, optional
        What a cost of 1 is, and how many cases there are in a period.
    capacity : str or sequence of str, optional
        How often decisions may be taken: ``review=200/day``, ``review=5%``, ``review=50..200``.
    baseline, switching_cost : str, optional
        The model in use, and what it takes to replace it, paid once.
    preset : str, optional
        Costs and shares of an evaluation of NIST.
    engine, memory : str, optional
        Who counts what is too large to read ("duckdb", "polars", "spark"), or "memory" to read
        it all the same; and how much memory DuckDB may use. Chosen by the size of the files.
    time, period : str, optional
        The column of times and the length of a period, for monitoring.
    min_cases : int
        With fewer cases of an outcome there is no verdict.
    level : float
        Of the intervals.
    seed : int
        Of what is drawn.
    """

    source: str | Source | Sequence[str] | None = None
    label: str | None = None
    positive: str | None = None
    scores: str | None = None
    proba: str | None = None
    decisions: str | None = None
    scores_are: str | None = None
    narrow: bool = False
    renormalise: bool = False
    flip: str = ""
    weight: str | None = None
    groups: str | None = None
    by: str | None = None
    id: str | None = None
    missing: str | None = None
    confusion: str | None = None
    trials: str | None = None
    more: str | None = None
    join_on: str | None = None
    cost: tuple[str, ...] = ()
    gain: tuple[str, ...] = ()
    costs: str | Application | None = None
    prevalence: str | None = None
    posteriors_already_adjusted: bool = False
    unit: str | None = None
    volume: str | None = None
    capacity: str | None = None
    baseline: str | None = None
    switching_cost: str | None = None
    preset: str | None = None
    engine: str | None = None
    memory: str = "2GB"
    time: str | None = None
    period: str | None = None
    min_cases: int = 10
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.source, (list, tuple)):
            words = [of_kind(each, "source", str) for each in self.source]
            object.__setattr__(self, "source", shlex.join(words) if len(words) > 1 else words[0])
        for name in ("scores", "proba", "decisions", "flip", "confusion", "more", "capacity"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                words = [of_kind(each, name, str) for each in of_kind(value, name, Iterable)]
                object.__setattr__(self, name, ",".join(words))
        for name in ("cost", "gain"):
            plain, unit = plain_words(_words(getattr(self, name)), self.unit)
            object.__setattr__(self, name, plain)
            object.__setattr__(self, "unit", unit)
        if self.switching_cost is not None:  # a number in Python
            object.__setattr__(self, "switching_cost", str(self.switching_cost))
        object.__setattr__(self, "level", as_level(self.level))
        if self.scores_are is not None and place_of(self.scores_are, KINDS) is None:
            known = f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"
            raise DataError(f"scores are {known}; got {in_brief(self.scores_are)}.")

    @property
    def file(self) -> str | None:
        """The source as it was typed; None where it is not a name."""
        return self.source if isinstance(self.source, str) else None

    @property
    def kind(self) -> str:
        """What the scores are: probabilities if that was not said."""
        return self.scores_are or KINDS[0]

    @property
    def gives_costs(self) -> bool:
        """Whether anything was said about costs."""
        return bool(self.cost or self.gain or self.costs)

    @property
    def gains_alone(self) -> bool:
        """Whether it was said that the amounts are gains, and no more."""
        return self.gain == ("",)

    @property
    def models_given(self) -> tuple[str, ...]:
        """The ways in which models were named: decisions, scores, proba."""
        return tuple(kind for kind in ("decisions", "scores", "proba") if getattr(self, kind))

    @property
    def is_far(self) -> bool:
        """Whether the rows are counted where they lie, by an engine."""
        if not isinstance(self.source, str):
            return not self.confusion and bool(getattr(self.source, "is_far", False))
        from stakes.inquiry.road import takes_engine

        return takes_engine(self)

    def but(self, **changes: Any) -> Inquiry:
        """The same inquiry with some answers changed."""
        return replace(self, **changes)

    def after(self, kept: Inquiry) -> Inquiry:
        """The kept inquiry, overridden by what this one says."""
        of_kind(kept, "kept", Inquiry)
        if self.gives_costs:
            kept = replace(kept, cost=(), gain=(), costs=None)
        if self.models_given:
            kept = replace(kept, scores=None, proba=None, decisions=None)
        return replace(kept, **self.said)

    @property
    def said(self) -> dict[str, Any]:
        """What was said, by name; what was not is left out."""
        found = ((each, getattr(self, each.name)) for each in fields(self))
        return {each.name: value for each, value in found if value != each.default}

    @property
    def plain(self) -> dict[str, Any]:
        """What was said, as JSON holds it; what was made in Python has no name and is left out."""
        said = {n: list(v) if isinstance(v, tuple) else v for n, v in self.said.items()}
        made = ("source", "costs")  # of these, the name of a file is kept and no object
        return {name: v for name, v in said.items() if name not in made or isinstance(v, str)}

    def to_toml(self) -> str:
        """As TOML, to be kept and asked again: ``stakes eval --inquiry FILE``."""
        said = self.said
        for name in ("source", "costs"):
            if not isinstance(said.get(name, ""), str):
                raise DataError(f"`{name}` was made in Python, so no name of a file can be kept.")
        return "".join(f"{name} = {toml_value(value)}\n" for name, value in said.items())

    @classmethod
    def load(cls, path: str | Path) -> Inquiry:
        """An inquiry that was kept as TOML, or that a report (JSON or page) holds.

        Files in it are meant from the folder you are in, as when they are typed.
        """
        file = as_path(path)
        text = file.read_bytes().decode("utf-8-sig", errors="replace")
        report = file.suffix.lower() in (".json", ".html", ".htm")
        try:
            table = _held(text, file) if report else tomllib.loads(text)
        except FormatError:
            raise
        except (ValueError, RecursionError) as error:
            such = 'lines such as:  label = "churned"'
            raise FormatError(f"{file.name}: {error}.", hint=such) from None
        return cls.of(table, where=file.name)

    @classmethod
    def of(cls, table: Mapping[str, Any], where: str = "the inquiry") -> Inquiry:
        """An inquiry from words and values; unknown words are refused."""
        known = {each.name: each.default for each in fields(cls)}
        table = of_kind(table, "table", Mapping)
        given = {str(key).replace("-", "_"): value for key, value in table.items()}
        strange = [key for key in given if key not in known]
        if strange:
            hint = f"the words are those of the options: {', '.join(sorted(known))}"
            raise FormatError(f"{where} asks for '{strange[0]}', which I do not know.", hint=hint)
        for key in (key for key, value in given.items() if isinstance(value, Mapping)):
            if key not in ("cost", "gain"):
                said = f"{where} holds a table [{key}], as files of costs do."
                raise FormatError(said, hint=f"name such a file instead:  costs = '{where}'")
        for key, value in given.items():
            if not _is_fit(value, known[key], many=key in _SEVERAL):
                raise FormatError(f"{where}: `{key}` cannot be {str(value)[:60]!r}.")
        return cls(**given)


#: What may be said as a list or a table too.
_SEVERAL = ("scores", "proba", "decisions", "flip", "confusion", "more", "capacity", "cost", "gain")


def _is_fit(value: Any, usual: Any, *, many: bool) -> bool:
    """Whether a value is of the type of the usual one: text where that is nothing or several."""
    if isinstance(value, Mapping):
        return many and all(isinstance(each, (str, int, float)) for each in value.values())
    if isinstance(value, (list, tuple)):
        return many and all(isinstance(each, str) for each in value)
    if isinstance(usual, (bool, float, int)):
        return isinstance(value, (int, float)) and isinstance(value, bool) == isinstance(
            usual, bool
        )
    return value is None or isinstance(value, str) or not isinstance(value, (bool, int, float))


def judging_options(inquiry: Inquiry) -> dict[str, Any]:
    """The options of `stakes.evaluate` beside cases and costs, for rows, engines and counts."""
    settings = {"level": inquiry.level, "rng": inquiry.seed}
    return {**settings, "min_cases": max(1, inquiry.min_cases)}


def _held(text: str, file: Path) -> Mapping[str, Any]:
    """The inquiry inside a report."""
    if file.suffix.lower() != ".json":
        match = _IN_PAGE.search(text)
        text = f'{{"inquiry": {match[1]}}}' if match else "{}"
    found = json.loads(text)
    inside = found.get("inquiry") if isinstance(found, dict) else None
    if not isinstance(inside, dict):
        hint = "reports of files hold one:  stakes eval churn.csv ... --html report.html"
        raise FormatError(f"{file.name} holds no inquiry.", hint=hint)
    return inside


def _words(given: str | Iterable[str] | Mapping[str, Any]) -> tuple[str, ...]:
    """Amounts as words: ``fn=10``; a mapping from names to amounts is one way to say them."""
    if isinstance(given, Mapping):
        return tuple(f"{key}={value}" for key, value in given.items())
    return (given,) if isinstance(given, str) else tuple(of_kind(given, "cost", Iterable))


def from_options(options: Mapping[str, Any]) -> Inquiry:
    """An inquiry from the options of a command, of which some may not exist there."""
    given = {each.name: options[each.name] for each in fields(Inquiry) if each.name in options}
    given["source"] = options.get("file")
    given["cost"] = [*(options.get("cost") or ())]
    for name, short in (("miss", "fn"), ("false_alarm", "fp")):
        if options.get(name) is not None:
            given["cost"].append(f"{short}={options[name]}")
    gain = options.get("gain")
    given["gain"] = ("",) if gain == [] else tuple(gain or ())
    if "min_positives" in options:
        given["min_cases"] = options["min_positives"]
    given["flip"] = given.get("flip") or ""
    asked = Inquiry(**given)
    return asked.after(Inquiry.load(options["inquiry"])) if options.get("inquiry") else asked
