"""Periods from the dates of the rows of one file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._names import as_positions
from stakes.application import Application, CaseCosts
from stakes.cli.asked import asked
from stakes.cli.costs import binary_case_costs
from stakes.cli.deciding import decided, posteriors_of, said_by, without_gaps
from stakes.cli.models import Model, models_of
from stakes.cli.monitored_watch import Watched, chosen, costs_said, watch_over
from stakes.cli.place import at_place, groups_of, judged_at, texts
from stakes.cli.timing import period_of
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.summaries import ConfusionMatrix, CostTally, GroupedCounts, ScoreCounts

__all__ = ["from_rows"]


def from_rows(args: Any) -> Watched:
    """Rows of one file, put into periods by a column."""
    question = asked(args)
    app = at_place(question.application, question.cases.priors, args)
    models = models_of(question.table, question.cases, texts(app.decisions), args)
    name = chosen([model.name for model in models], args.model)
    models = [model for model in models if model.name == name]
    models, cases, gaps = without_gaps(models, question.cases, args)
    app = at_place(question.application, cases.priors, args)
    case_costs = None
    if question.words is not None:
        case_costs = binary_case_costs(question.words, cases.classes, question.table, cases.rows)
    codes = _decided(models[0], cases, app, args, case_costs)
    names, places = period_of(question.table.labels(args.time), cases.rows, args)
    groups = groups_of(question.table, cases, args.group)
    if groups is not None:
        groups = np.array(question.table.labels(args.group).names, dtype=object)[groups]
    periods = {
        label: _counted(cases.truth, codes, groups, places == k, app, case_costs)
        for k, label in enumerate(names)
    }
    scores = _scores(models[0], cases, names, places)
    found = watch_over(periods, judged_at(app, args), args, scores)
    said = costs_said(app) if case_costs is None else ("costs differ from case to case",)
    return Watched(found, question.table.source, name, said, (gaps,) if gaps else ())


def _scores(
    model: Model, cases: Any, names: list[str], places: NDArray[np.intp]
) -> dict[str, ScoreCounts] | None:
    """The ranking of cases in each period, where scores of two outcomes tell it."""
    if model.scores is None or len(cases.classes) != 2 or model.missing.any():
        return None
    second = model.scores if model.scores.ndim == 1 else model.scores[:, 1]
    return {
        name: ScoreCounts.from_scores(
            cases.truth[places == k], second[places == k], kind="rank", classes=[0, 1]
        )
        for k, name in enumerate(names)
    }


def _decided(
    model: Model, cases: Any, app: Application, args: Any, case_costs: CaseCosts | None
) -> NDArray[Any]:
    """What the model decided in each case."""
    if model.decisions is None and not model.missing.any():
        if case_costs is None:
            codes = decided(model, cases, app, args)
        else:
            posteriors = posteriors_of(model, cases, app, args)
            if posteriors is None:
                codes = None
            else:
                codes = bayes_decisions(posteriors, case_costs, classes=case_costs.classes)
        if codes is not None:
            return codes
    if case_costs is not None and model.decisions is None:
        raise DataError("costs per case need probabilities in every row.", hint="--missing drop")
    return said_by(model, cases, app, args)[0]


def _counted(
    truth: NDArray[Any],
    codes: NDArray[Any],
    groups: NDArray[Any] | None,
    inside: NDArray[np.bool_],
    app: Application,
    case_costs: CaseCosts | None,
) -> ConfusionMatrix | GroupedCounts | CostTally:
    """The counts of one period."""
    truth, codes = as_positions(truth), as_positions(codes)
    if groups is not None:
        if case_costs is not None:
            raise DataError("--group does not go with costs per case here.")
        return GroupedCounts.from_decisions(
            truth[inside],
            codes[inside],
            groups=groups[inside],
            classes=app.classes,
            decision_names=app.decisions,
        )
    if case_costs is None:
        return ConfusionMatrix.from_decisions(
            truth[inside], codes[inside], classes=app.classes, decision_names=app.decisions
        )
    costs = CaseCosts(case_costs.values[inside], case_costs.classes, case_costs.decisions)
    return CostTally.from_decisions(truth[inside], codes[inside], costs=costs)
