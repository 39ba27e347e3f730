"""The numbers behind a page whose sliders move: everything the script needs, and no rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.evaluation.live_stops import Live
from stakes.evaluation.stop_sureness import Place
from stakes.evaluation.stops import RATIO_STOPS, STEP, grid_of
from stakes.evaluation.verdicts import KINDS
from stakes.report.embedding import packed

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

__all__ = ["live_numbers", "sureness"]


def live_numbers(ev: Evaluation) -> dict[str, Any] | None:
    """What the script needs to follow the sliders; None where there are none."""
    grid = grid_of(ev.application)
    if grid is None or ev.naive is not None or not (ev.data_priors > 0).all():
        return None
    live = Live(ev, grid)
    (correct, wrong), _ = ev.application.costs.values.tolist()
    share = float((ev.data_priors if ev.sources is None else ev.sources.said_at)[1])
    tables = {k: _stated(live, k, place) for k, place in live.places().items()}
    fixed = tables["fixed"]
    return {
        "bands": (grid.x, fixed["nec"], fixed["low"], fixed["high"]),
        "step": STEP,
        "logRatio": grid.log_ratio,
        "logOdds": grid.log_odds,
        "ratioStops": RATIO_STOPS,
        "lower": grid.lower_shares,
        "upper": grid.upper_shares,
        "unitCost": wrong - correct,
        "saidLogOdds": math.log(share / (1 - share)),
        "kinds": list(KINDS),
        "sure": live.sure,
        "apart": live.told_apart and live.joint is not None,
        "sureness": sureness(live),
        "models": [_model(live, k) for k in range(len(live.systems))],
        "tables": {k: _packed(table) for k, table in tables.items()},
    }


def sureness(live: Live) -> str:
    """How sure figures are away from the stated costs, in words."""
    said = "Away from the stated costs intervals are computed in the same way"
    if live.joint is None:
        return f"{said}; models are not compared there."
    if live.draws:
        often = f"comes from {live.draws} draws of the cases"
    else:
        often = "takes differences of costs as normal"
    return f"{said}; models are told apart by the score test, and how often one is best {often}."


def _stated(live: Live, key: str, place: Place) -> dict[str, Any]:
    """The table of some stops, with what the evaluation itself found at its own place."""
    table, ev = live.table(place), live.ev
    if (key == "free") != live.free:
        return table
    at = RATIO_STOPS if key == "free" else live.grid.start
    for k, model in enumerate(ev.models):
        if table["low"] is not None and model.interval is not None:
            table["low"][k, at], table["high"][k, at] = model.interval
        if table["chance"] is not None and model.probability_best is not None:
            table["chance"][k, at] = model.probability_best
    rival = ev.rival
    table["rival"][at] = -1
    if rival is not None:
        other = rival.second if rival.first == ev.best else rival.first
        table["rival"][at] = [m.name for m in ev.models].index(str(other))
        table["value"][at] = abs(rival.value)
        table["half"][at] = (rival.high - rival.low) / 2
        table["needed"][at] = rival.cases_needed
    table["kind"][at] = KINDS.index(ev.verdict_kind)
    after = ev.best_recalibrated
    if table["after_low"] is not None and after is not None and after.recalibrated_interval:
        table["after_low"][at], table["after_high"][at] = after.recalibrated_interval
    return table


def _packed(table: dict[str, Any]) -> dict[str, Any]:
    """The table for JSON; models apart, positions shifted so that 0 is nobody."""
    found: dict[str, Any] = {"kind": packed(table["kind"]), "rival": packed(table["rival"] + 1)}
    for name in ("low", "high", "chance"):
        short = name != "chance"  # limits are roots, found to seven digits
        rows = table[name]
        found[name] = None if rows is None else [packed(row, short=short) for row in rows]
    for name in ("value", "half", "needed", "after_low", "after_high"):
        some = table[name] is not None and np.isfinite(table[name]).any()
        found[name] = packed(table[name], short=True) if some else None
    return found


def _model(live: Live, k: int) -> dict[str, Any]:
    """One model at all stops."""
    as_is, fitted = live.pairs[k]
    scores = None if live.sources is None else live.sources.judged[k].scores
    found: dict[str, Any] = {
        "totals": live.totals[k].tolist(),
        "alarms": packed(as_is.false_alarms),
        "misses": packed(as_is.misses),
        "fitted": None,
        "hull": None,
    }
    if fitted is not None:
        found["fitted"] = {"alarms": packed(fitted.false_alarms), "misses": packed(fitted.misses)}
    if scores is not None:
        below = [part[scores.hull] for part in scores.cumulated]
        found["hull"] = {
            "alarms": packed(below[0][-1] - below[0]),
            "misses": packed(below[1]),
            "cuts": packed(scores.cuts_at(scores.hull)),
        }
    return found
