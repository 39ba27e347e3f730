"""What the slider of a limit needs: cost, use and price of every model at each of its stops.

A stop is a limit as it was said (per day, in percent), so that each is a question that the library
and the command line can be asked.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.application import Application
from stakes.evaluation.model_evaluation import AT_RANDOM, Naive
from stakes.exceptions import UndefinedError
from stakes.report.markup import packed
from stakes.resources.capacity import LimitPrice, batch_ends, count_alike
from stakes.resources.limit import Limit
from stakes.resources.model_capacity import ModelCapacity
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

#: The most stops of the slider, and how many programmes may be solved for it beside other limits.
_STOPS, _PROGRAMMES = 100, 24
#: The fewest stops that are worth a slider, and the most cases for which programmes are solved.
_FEWEST, _MOST_CASES = 5, 200_000


def capacity_numbers(ev: Evaluation) -> dict[str, Any] | None:
    """What the script reads; None where no upper limit is there, or too much is to be solved."""
    held = ev.capacity
    assert held is not None
    names = [name for name in ev if name in held.optima]
    found = held.optima[names[0]] if names else None
    moving = next((e for e in found.limits if e.limit.at_most < math.inf), None) if found else None
    if found is None or moving is None:
        return None
    weighted = held.weights is not None and not count_alike(held.weights)
    alone = len(found.limits) == 1 and not moving.low and not weighted
    most = _STOPS if alone else _PROGRAMMES // len(names)
    if most < _FEWEST or (not alone and found.n_cases > _MOST_CASES):
        return None
    try:
        return _numbers(ev, held, names, moving, most)
    except UndefinedError:  # weighted cases that are not split may miss a limit next to an end
        return None


def _numbers(
    ev: Evaluation, held: ModelCapacity, names: list[str], moving: LimitPrice, most: int
) -> dict[str, Any]:
    limit, app, found = moving.limit, ev.application, held.optima[names[0]]
    factor = limit_factor(limit, found.n_cases, app)
    widest = max(_free_use(held, name, limit) for name in names) / factor
    stops = _stops(limit, _least(held, names[0], moving) / factor, widest, most)
    cases = np.array(
        [_cases(limit, at, found.n_cases, app, whole=held.weights is None) for at in stops]
    )
    kept, places = np.unique(cases, return_inverse=True)
    curves = [held.curve(name, limit.decision, stops=kept) for name in names]
    naive = [_naive(ev, held, limit, float(most)) for most in kept]
    naive = [naive[place] for place in places]
    order = tuple(ev)
    return {
        "decision": str(limit.decision),
        "stops": packed(stops * (100 if limit.share else 1)),
        "start": int(np.flatnonzero(stops == limit.at_most)[0]),
        "models": [order.index(name) for name in names],
        "cost": [packed(each.cost[places]) for each in curves if each.cost is not None],
        "used": [packed(each.used[places]) for each in curves],
        "price": [packed(each.price[places]) for each in curves],
        "naive": packed(np.array([each.cost for each in naive])),
        "unguided": [
            AT_RANDOM if each.shares else f"always deciding “{each.decision}”" for each in naive
        ],
        "per": _per(limit),
        "others": [str(each) for each in held.limits if each is not limit],
        "option": _option(held.limits, limit),
    }


def _naive(ev: Evaluation, held: ModelCapacity, limit: Limit, most: float) -> Naive:
    """The best naive rule if one decision may be taken in at most so many cases."""
    weights = np.ones(len(held.paid)) if held.weights is None else held.weights
    constant = weights @ held.paid / weights.sum()
    names = ev.application.decisions
    shares = held.naive_shares(constant, {limit.decision: most})
    at = int(shares.argmax())
    mixed = [(name, float(share)) for name, share in zip(names, shares, strict=True) if share > 0]
    parts = tuple(mixed) if shares[at] < 1 else ()
    return Naive(names[at], float(constant @ shares), 0.0, parts)


def limit_factor(limit: Limit, total: float, app: Application) -> float:
    """How many cases of the batch belong to a limit of one."""
    return replace(limit, at_most=1.0, at_least=0.0).ends(total, app.volume, app.period)[1]


def _cases(limit: Limit, at: float, total: float, app: Application, *, whole: bool) -> float:
    """The cases of the batch that a stop allows, as an optimum counts them."""
    ((_, high),) = batch_ends((replace(limit, at_most=at),), total, app, whole=whole)
    return float(min(high, total))


def _free_use(held: ModelCapacity, model: str, limit: Limit) -> float:
    """In how many cases a model would take the decision without this limit."""
    total = held.optima[model].n_cases
    return float(held.curve(model, limit.decision, stops=[total]).used[0])


def _least(held: ModelCapacity, model: str, moving: LimitPrice) -> float:
    """The least capacity at which all cases can still be decided, and lower limits kept."""
    found = held.optima[model]
    highs = {each.limit.decision: each.high for each in found.limits if each is not moving}
    others = sum(highs.get(name, math.inf) for name in found.names if name != moving.limit.decision)
    return max(moving.low, found.n_cases - others, 0.0)


def _stops(limit: Limit, least: float, widest: float, most: int) -> FloatArray:
    """From the least to all that pays in round steps, with the limit as it was said."""
    end = min(max(widest, limit.at_most), 1.0) if limit.share else max(widest, limit.at_most)
    unit = 0.01 if limit.share else 1.0
    step = _round_up((end - least) / unit / max(most - 2, 1))
    step = unit * (step if limit.share else max(step, 1.0))
    grid = step * np.arange(math.ceil(least / step - 1e-9), math.ceil(end / step - 1e-9) + 1)
    grid = np.round(grid, 12)
    ends = [limit.at_most, *([least] if limit.share else [math.ceil(least - 1e-9)])]
    found = np.unique(np.concatenate([grid, ends]))
    return found[found <= 1.0] if limit.share else found


def _round_up(number: float) -> float:
    """The next of 1, 2, 5, 10, ... times a power of ten."""
    if number <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(number))
    return next(f * power for f in (1, 2, 5, 10) if f * power >= number * (1 - 1e-9))


def _per(limit: Limit) -> str:
    """What a limit is per, after its number."""
    if limit.share:
        return "% of cases"
    return f"times per {limit.period}" if limit.period else "times in these cases"


def _option(limits: tuple[Limit, ...], moving: Limit) -> tuple[str, str]:
    """What stands before and after the number in an option that asks for a stop."""
    before, after = [], []
    for limit in limits:
        low, high = (each * (100 if limit.share else 1) for each in (limit.at_least, limit.at_most))
        tail = "%" if limit.share else f"/{limit.period}" if limit.period else ""
        head = f"{limit.decision}={f'{low:g}..' if low else ''}"
        if limit is moving:
            before.append(head)
            after.append(tail)
        else:
            upper = f"{high:g}" if math.isfinite(high) else ""
            (after if after else before).append(f"{head}{upper}{tail}")
    quoted = [",".join(part).replace("'", "'\\''") for part in (before, after)]
    return f"--capacity '{quoted[0]}", f"{quoted[1]}'"
