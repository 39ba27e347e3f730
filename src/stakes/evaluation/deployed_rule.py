"""The rule of a model to deploy: as it was evaluated, or re-calibrated on all cases."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_switch
from stakes.calibration import Calibrator
from stakes.calibration.calibrators.affine import default_calibrator
from stakes.evaluation import verdict as verdicts
from stakes.evaluation.model_rows import Model
from stakes.evaluation.recalibration import without_zeros
from stakes.exceptions import DataError
from stakes.messages.audience import either
from stakes.posteriors import Posteriors
from stakes.rules import DecisionRule

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


# Which rule the verdict deploys: docs/design/rules.md.
def deployed_rule(ev: Evaluation, name: str | None, recalibrated: bool | None) -> DecisionRule:
    """See `Evaluation.rule`."""
    kind, after = ev.verdict_kind, None
    if kind == verdicts.AFTER and ev.best_recalibrated is not None:
        after = ev.best_recalibrated.name
    if name is None and (name := after or ev.to_deploy) is None:
        raise DataError(
            f"the verdict deploys no model ({kind}), so it has no rule.",
            hint="name a model: "
            + either(f'ev.rule("{ev.best}")', f"--rule-of {shlex.quote(ev.best)}"),
        )
    chosen = ev[name]
    if recalibrated is None:
        recalibrated = chosen.name == after
    if chosen.rule is None:
        raise DataError(f"{chosen.name!r} gave decisions, or no single score, so it has no rule.")
    rule = replace(chosen.rule, model=chosen.name, digest=_digest(ev, chosen.name))
    read = ev.inquiry is not None and ev.inquiry.source is not None  # a file, with its columns
    if rule.columns is None and len(rule.classes) == 2 and chosen.name != "model" and not read:
        rule = replace(rule, columns=(column_of(ev, chosen.name),))
    model = _rows_of(ev, chosen.name)
    posteriors = None if model is None else model.posteriors
    if rule.score_range is None and posteriors is not None and rule.scores == "posterior":
        said = posteriors if len(rule.classes) > 2 else posteriors[:, 1]
        rule = replace(rule, score_range=(float(said.min()), float(said.max())))
    if not as_switch(recalibrated, "recalibrated"):
        return rule
    fitted = _refitted(ev, rule, model)
    again = replace(rule, calibrator=fitted, from_priors=None, cut_texts=None)
    if posteriors is None or not again.has_cuts:
        return again
    told = Posteriors(without_zeros(posteriors), classes=rule.classes)
    return again.rounded_for(fitted.calibrated(told).values[:, 1])


def decided_by(ev: Evaluation, posteriors: Any, chosen: str | None, costs: Any) -> NDArray[Any]:
    """See `Evaluation.decide`."""
    name = ev.best if chosen is None else chosen
    rule = ev[name].rule
    if rule is None:
        raise DataError(f"{name!r} gave decisions, so there is no rule to decide by.")
    column = column_of(ev, name)
    columns = posteriors if isinstance(posteriors, Mapping) else getattr(posteriors, "columns", ())
    named = [] if callable(columns) else list(columns)
    others = {column_of(ev, each) for each in ev} - {column}
    if column in named:  # a frame or mapping of models
        if ev.inquiry is not None and column in map(str.strip, ev.inquiry.flip.split(",")):
            raise DataError(
                f"the evaluation turned the scores of {column!r} around (flip), and these are not.",
                hint=f"turn them first, and leave out the frame:  ev.decide(p, model={name!r})",
            )
        posteriors = posteriors[column]
    elif chosen is None and (wrong := _of_another(posteriors, named, others)) is not None:
        raise DataError(
            f"these are scores of {wrong!r}, and the best model is {name!r}.",
            hint=f"ev.decide(frame), with a column {column!r}; or by the rule of the other model: "
            f"ev.decide(p, model={wrong!r})",
        )
    return rule.decide(posteriors, costs=costs)


def _of_another(posteriors: Any, named: list[Any], others: set[str]) -> str | None:
    """The other model whose column was given, by its name."""
    found = named or [getattr(posteriors, "name", None)]
    return next((each for each in found if isinstance(each, str) and each in others), None)


def column_of(ev: Evaluation, name: str) -> str:
    """The column that a model is probably called after; its rule per case comes after a comma."""
    return name.partition(", ")[0] if ev.by_case else name


def _rows_of(ev: Evaluation, name: str) -> Model | None:
    """A model's outputs for each case; None if the rows are not in memory."""
    if ev.sources is not None:
        return next((one.model for one in ev.sources.judged if one.model.name == name), None)
    if ev.case_sources is not None:
        return next((one.model for one in ev.case_sources.rules if one.name == name), None)
    return None


def _refitted(ev: Evaluation, rule: DecisionRule, model: Model | None) -> Calibrator:
    """The cross-fitted calibrator, refitted on all cases or on bins of them."""
    if rule.per_case or rule.cut is not None or rule.scores == "decision":
        raise DataError(f"the rule of {rule.model!r} ({rule}) is not re-calibrated.")
    if ev.capacity is not None:  # its prices are those of the scores as they are
        python = "leave out `capacity`, and give it to  rule.decide_frame(frame, capacity=...)"
        typed = "leave out --capacity, and give it to  stakes decide ... --capacity"
        raise DataError(
            f"{rule.model!r} was judged within limits, and a rule within limits is not "
            "re-calibrated.",
            hint=either(python, typed),
        )
    calibrator, groups = default_calibrator(), None
    if ev.sources is not None and model is not None and model.posteriors is not None:
        one = next(each for each in ev.sources.judged if each.model is model)
        cases = ev.sources.cases_of(one)
        truth, weights, groups = cases.truth, cases.weights, cases.groups
        said: NDArray[Any] = model.posteriors.astype(np.float64)
        if ev.sources.calibrator is not None:
            calibrator, said = ev.sources.calibrator.unfitted(), without_zeros(said)
    else:
        raise DataError(
            f"{rule.model!r} cannot be re-calibrated: its posteriors are not here.",
            hint="evaluate rows, or files of two outcomes with probabilities",
        )
    if calibrator.options["classes"] is None:
        calibrator.options["classes"] = list(rule.classes)
    names = np.array(rule.classes, dtype=object)[np.asarray(truth, dtype=np.intp)]
    told = Posteriors(said, classes=rule.classes)
    return calibrator.fit(told, names, sample_weight=weights, groups=groups)


def _digest(ev: Evaluation, name: str) -> str | None:
    """SHA-256 of the file or arrays that were evaluated; None if they were not read into memory."""
    if ev.facts.get("sha256"):
        return str(ev.facts["sha256"])
    sources, model = ev.sources or ev.case_sources, _rows_of(ev, name)
    if sources is None or model is None or sources.cases is None:
        return None
    found = hashlib.sha256(np.ascontiguousarray(sources.cases.truth, dtype=np.int64).tobytes())
    for part in (model.posteriors, sources.cases.weights):
        if part is not None:
            found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()
