"""How sure the figures are: an interval for each model, and whether the best is the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from stakes.application import Application
from stakes.cli.cases import Cases
from stakes.report import ModelFinding
from stakes.summaries import PairedCounts
from stakes.uncertainty import Comparison, compare, interval

__all__ = ["compared", "with_intervals"]

#: More models than this are not compared pair by pair.
MOST_MODELS = 20
#: Seed of the draws behind "best in".
SEED = 0


def with_intervals(
    found: Sequence[ModelFinding], app: Application, args: Any
) -> list[ModelFinding]:
    """Each finding with the interval of its NEC, where it has one."""
    return [
        model if model.nec is None else replace(model, interval=_interval(model, app, args))
        for model in found
    ]


def _interval(model: ModelFinding, app: Application, args: Any) -> tuple[float, float] | None:
    """The interval of one NEC; None when cases are too few."""
    sure = interval(
        model.confusion,
        "normalized_expected_cost",
        application=_sampled(app, args),
        min_cases=max(1, args.min_positives),
    )
    return None if sure.too_few else (sure.low, sure.high)


def compared(
    decided: Mapping[str, NDArray[Any]], cases: Cases, app: Application, args: Any
) -> Comparison | None:
    """The models compared on the same cases, by NEC; None when there is nothing to compare."""
    if not 2 <= len(decided) <= MOST_MODELS:
        return None
    joint = PairedCounts.from_decisions(
        cases.truth, dict(decided), classes=app.classes, decision_names=app.decisions
    )
    return compare(
        joint, _sampled(app, args), normalize=True, rng=SEED, min_cases=max(1, args.min_positives)
    )


def _sampled(app: Application, args: Any) -> Application:
    """With shares only if they were given: those of the data vary with the data."""
    return app if args.prevalence or args.shares_given else app.with_priors(None)
