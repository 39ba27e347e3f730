"""What was read and understood, said back before anything is claimed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from stakes.application.sentences import describe_costs
from stakes.cli.calibration_learnt import Learnt
from stakes.cli.remarks import ALIKE, AS_IN_FILE, both_shares
from stakes.report.amounts import grouped, percent

__all__ = ["Echo", "echo"]

#: What the numbers of a column are, of which outcome.
HOLDS = {
    "prob": "the probability",
    "logit": "the log-odds",
    "llr": "the log-likelihood ratio",
    "rank": "a score whose order alone counts,",
}


class Echo(NamedTuple):
    """The cases, the columns, the costs and the shares, as sentences."""

    read: str
    notes: list[str]
    costs: list[str]
    shares: str


def echo(learnt: Learnt, args: Any) -> Echo:
    """What was understood."""
    app, cases = learnt.application, learnt.cases
    notes = [f"the truth is in '{cases.label}', {_model(learnt, args)}", *learnt.question.notes]
    costs = describe_costs(app.costs, unit=app.unit).splitlines()
    if args.costs_assumed:
        option = "--cost fn=10 fp=1" if len(cases.classes) == 2 else "--costs costs.toml"
        costs = [f"no costs were given, so every error costs 1 ({option} says otherwise)"]
    shares = AS_IN_FILE
    if not np.array_equal(app.priors, cases.priors):  # type: ignore[arg-type]
        shares = f"{both_shares(cases, app)} The calibration is for the latter. {ALIKE}"
    return Echo(_read(learnt), notes, costs, shares)


def _read(learnt: Learnt) -> str:
    """How many cases there are, and of what; weights only say what shares the outcomes have."""
    cases = learnt.cases
    counts = ", ".join(
        f"{grouped(n)} {name}" for n, name in zip(cases.counted, cases.classes, strict=True)
    )
    if cases.weights is not None:
        shares = zip(cases.priors.tolist(), cases.classes, strict=True)
        counts += "; by weight " + ", ".join(f"{percent(share)} {name}" for share, name in shares)
    size = grouped(int(cases.counted.sum()))
    return f"read {learnt.question.table.source}: {size} cases ({counts})"


def _model(learnt: Learnt, args: Any) -> str:
    """Which columns hold what."""
    what = HOLDS[args.scores_are]
    if "score" in learnt.columns:
        first, second = learnt.cases.classes
        if learnt.model in args.flip.split(","):
            return f"{what} of {first} in '{learnt.model}', turned by --flip"
        return f"{what} of {second} in '{learnt.model}'"
    if "matrix" in learnt.columns:
        return f"{what} of each outcome in '{learnt.columns['matrix']}'"
    columns = [f"'{learnt.columns[name]}'" for name in learnt.cases.classes]
    listed = ", ".join(columns[:4]) + (", ..." if len(columns) > 4 else "")
    return f"{what} of each outcome in {listed}"
