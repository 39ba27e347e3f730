"""The one place that makes an Evaluation, from what any kind of input came to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from numpy.typing import NDArray

from stakes.application import Application
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.model_evaluation import ModelEvaluation, Naive, Stretch
from stakes.evaluation.model_variants import CaseSources, Sources
from stakes.exceptions import DataError
from stakes.messages.notes import Note
from stakes.rules import DecisionRule
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray
from stakes.uncertainty import Comparison, Difference


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """What one model came to; a `ModelEvaluation` before models are set side by side."""

    name: str
    kind: str
    confusion: ConfusionMatrix
    cost: float
    nec: float
    cells: FloatArray | None
    interval: tuple[float, float] | None = None
    rule: DecisionRule | None = None
    recalibrated_nec: float | None = None
    recalibrated_interval: tuple[float, float] | None = None
    optimistic_nec: float | None = None
    optimistic_threshold: float | None = None
    calibration_slope: float | None = None

    @property
    def threshold(self) -> float | None:
        """The one cut of the rule; None where there is none."""
        return None if self.rule is None else self.rule.threshold


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """What rows, counts or sums came to, whichever it was.

    `application` has the priors that count, `class_cases` is the number of cases of each class,
    and `reasons` are codes of notes, by the name of a figure that this kind of input cannot tell.
    """

    application: Application
    models: tuple[Figures, ...]
    n_cases: float
    class_cases: NDArray[Any]
    data_priors: FloatArray
    comparison: Comparison | None = None
    unpaired: tuple[Difference, ...] = ()
    ranges: tuple[Stretch, ...] = ()
    notes: tuple[Note, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)
    naive: Naive | None = None
    after: Difference | None = None
    worth: Difference | None = None
    sources: Sources | None = None
    case_sources: CaseSources | None = None


#: What an account has and an evaluation has not.
_OF_ACCOUNTS = ("class_cases", "reasons")
#: What only posteriors have.
_OF_POSTERIORS = ("threshold", "recalibrated_nec", "optimistic_nec")


def build(found: Account, options: Mapping[str, Any]) -> Evaluation:
    """The Evaluation of an account: savings, chances to be best, shortages and what is absent."""
    comparison = found.comparison
    chances: dict[Any, float] = {}
    refused = ""
    if comparison is not None:
        best = comparison.probability_best.tolist()
        chances = dict(zip(comparison.systems, best, strict=True))
        refused = comparison.notes[0] if comparison.too_few else ""
    models = tuple(
        ModelEvaluation(
            saving=_saving(each, found), probability_best=chances.get(each.name), **_parts(each)
        )
        for each in found.models
    )
    told = {name: part for name, part in _parts(found).items() if name not in _OF_ACCOUNTS}
    short = shortage_of(found.class_cases, found.application, options["min_cases"])
    told |= {"models": models, "notes": (*found.notes, *_several_cuts(models))}
    return Evaluation(
        too_few=short or refused, absent=_absent(found), level=options["level"], **told
    )


def _parts(record: Any) -> dict[str, Any]:
    """The fields of a dataclass by name, as they are."""
    return {part.name: getattr(record, part.name) for part in fields(record)}


def with_rules(ev: Evaluation, rules: Mapping[str, DecisionRule | None]) -> Evaluation:
    """The same evaluation with rules in other terms, such as those of the scores in a file."""
    models = tuple(replace(model, rule=rules[model.name]) for model in ev.models)
    notes = [note for note in ev.notes if note.code != "several-cuts"]
    slices = {name: with_rules(part, rules) for name, part in ev.slices.items()}
    return replace(ev, models=models, notes=(*notes, *_several_cuts(models)), slices=slices)


def _several_cuts(models: Iterable[ModelEvaluation]) -> list[Note]:
    """What is decided on each side of the cuts, where a table cannot say it."""
    rules = [model.rule for model in models if model.rule is not None]
    said = [str(rule) for rule in rules if rule.act_when not in (None, str(rule))]
    return [Note("several-cuts", rule=rule) for rule in dict.fromkeys(said)]


def _saving(model: Figures, found: Account) -> float:
    """What a model saves per case against the best naive decision; 0 where none can be saved."""
    if found.naive is not None:
        return found.naive.cost - model.cost
    if math.isnan(model.nec):
        return 0.0
    app = found.application
    return app.with_costs(app.costs.standardized()).naive_cost * (1 - model.nec)


def _absent(found: Account) -> dict[str, str]:
    """The figures that are not there, with the code of the reason."""
    there = {
        name: any(getattr(model, name) is not None for model in found.models)
        for name in ("interval", *_OF_POSTERIORS)
    }
    there["comparison"] = found.comparison is not None
    there["ranges"] = bool(found.ranges)
    return {name: _reason(name, found) for name, known in there.items() if not known}


#: Why a figure is not there that input of this kind has otherwise.
_OTHERWISE = {
    "interval": "too-few-cases",
    "comparison": "too-few-cases",
    "threshold": "no-single-cut",
    "optimistic_nec": "class-without-cases",
    "ranges": "class-without-cases",
}


def _reason(figure: str, found: Account) -> str:
    """Why no model has a figure: what was asked, then the kind of input, then the cases."""
    if figure == "comparison" and len(found.models) == 1:
        return "one-model"
    if figure in ("interval", "comparison") and math.isnan(found.models[0].nec):
        return "nec-undefined"
    two = found.application.costs.shape == (2, 2)
    if figure in ("threshold", "optimistic_nec", "ranges") and not two:
        return "two-classes-only"
    if figure in found.reasons:
        return found.reasons[figure]
    decisions = all(model.kind == "decisions" for model in found.models)
    return "decisions-only" if decisions and figure in _OF_POSTERIORS else _OTHERWISE[figure]


def shortage_of(counts: Any, app: Application, min_cases: int) -> str:
    """Which class that matters has too few cases; empty when none has."""
    if not min_cases >= 0:
        raise DataError(f"`min_cases` must be a number of cases, 0 or more; got {min_cases!r}.")
    costly = (app.costs.values != app.costs.values[:, :1]).any(axis=1)
    short = [
        (float(count), name)
        for count, name, matters in zip(counts, app.classes, costly, strict=True)
        if matters and count < min_cases
    ]
    if not short:
        return ""
    count, name = min(short, key=lambda pair: pair[0])
    return f"only {count:g} {'case' if count == 1 else 'cases'} of {name!r}"
