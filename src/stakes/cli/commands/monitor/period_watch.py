"""The watch over periods, and what it refuses to watch."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.application.sentences import describe_costs
from stakes.exceptions import CostError, DataError
from stakes.inquiry.cost_words import refuse_beyond_squares
from stakes.inquiry.truth import quoted
from stakes.monitoring import Watch, watch
from stakes.summaries import ConfusionMatrix, CostTally, merge_summaries
from stakes.uncertainty.intervals.interval import whole


@dataclass(frozen=True, slots=True)
class Watched:
    """A watch with where it came from."""

    watch: Watch
    source: str
    model: str
    costs_said: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def chosen(models: list[str], given: str | None) -> str:
    """The model that is meant, when there are several."""
    if given is None and len(models) == 1:
        return models[0]
    if given is None:
        raise DataError(
            f"there are {len(models)} models: {', '.join(models)}.",
            hint=f"--model {shlex.quote(models[0])}",
        )
    if given not in models:
        raise DataError(f"--model speaks of '{given}'; the models are {', '.join(models)}.")
    return given


def watch_over(
    periods: dict[str, Any], app: Application, args: Any, scores: dict[str, Any] | None = None
) -> Watch:
    """The watch itself, with the first periods put together if that was asked."""
    if not 0 < args.level < 1:
        raise DataError(f"--level must lie between 0 and 1; got {args.level:g}.")
    _refuse_unwatched(periods, app, args)
    count = args.reference_first
    if count is None:
        return watch(
            periods, application=app, reference=args.reference, scores=scores, level=args.level
        )
    if args.reference is not None:
        raise DataError("--reference and --reference-first say the same thing; leave one out.")
    names = list(periods)
    if not 1 <= count < len(names):
        raise DataError(
            f"--reference-first must leave periods to watch; there are {len(names)}, got {count}."
        )
    called = names[0] if count == 1 else f"first {count}"

    def together(parts: dict[str, Any]) -> dict[str, Any]:
        first = merge_summaries([parts[name] for name in names[:count]])
        return {called: first, **{name: parts[name] for name in names[count:]}}

    scores = None if scores is None else together(scores)
    return watch(together(periods), application=app, scores=scores, level=args.level)


def _refuse_unwatched(periods: dict[str, Any], app: Application, args: Any) -> None:
    """Raise, with what to type, where nothing is left to watch or to judge."""
    names = list(periods)
    if args.reference is not None and args.reference not in names:
        raise DataError(
            f"--reference speaks of '{args.reference}'; there are {quoted(names[:12])}."
        )
    if len(names) == 1:
        shorter = "" if args.time is None else "; or take shorter ones:  --period day"
        raise DataError(
            f"there is only one period, '{names[0]}', and nothing to compare it with.",
            hint=f"bring an earlier or a later one{shorter}",
        )
    if args.reference == names[-1]:
        raise DataError(
            f"'{names[-1]}' is the last period, so none is left to compare with it.",
            hint=f"--reference {shlex.quote(names[0])}",
        )
    for name, summary in periods.items():
        if isinstance(summary, ConfusionMatrix) and not whole(np.asarray(summary.counts)):
            raise DataError(
                f"'{name}' holds sums of weights, which do not say how many cases there were.",
                hint="count cases for monitoring:  stakes eval ... --save FILE,  without --weight",
            )
    refuse_beyond_squares(app.costs)
    values = app.costs.values
    given = not any(isinstance(one, CostTally) for one in periods.values())
    if given and (values == values[:, :1]).all():
        raise CostError(
            "with these costs it makes no difference what is decided: there is nothing to watch.",
            hint="say what errors cost:  --cost fn=10 fp=1",
        )
    if app.priors is None:
        return
    for name, summary in periods.items():
        met = (summary.class_totals > 0) | (app.priors == 0)
        absent = [k for k, found in zip(app.classes, met.tolist(), strict=True) if not found]
        if absent:
            raise DataError(
                f"'{name}' has no case of {quoted(absent)}, so its cost at the given shares is "
                "unknown.",
                hint="take longer periods, or leave --prevalence out",
            )


def costs_said(app: Application) -> tuple[str, ...]:
    """The costs as sentences."""
    return tuple(describe_costs(app.costs, unit=app.unit).splitlines())
