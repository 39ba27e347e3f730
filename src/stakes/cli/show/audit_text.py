"""Audits on the terminal and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.audit import Audit
from stakes.audit.compliance_witnesses import short
from stakes.cli.show.fixed_width import Column, fitted, say_left_out
from stakes.cli.show.terminal import bold, page_width, print_aligned, print_json, print_wrapped
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix

#: Longer names of metrics stand on a line of their own.
_LONG_NAME = 19


def print_audit(found: Audit, costs_said: Sequence[str], tuned: Sequence[str]) -> None:
    """The verdict in a few sentences, and what stands behind it."""
    for line in costs_said:
        print_aligned(line)
    if costs_said:
        print()
    first, *rest = found.sentences
    print_wrapped(first, style=bold)
    for sentence in (*rest, *tuned):
        print_wrapped(sentence, first="- ", rest="  ")
    witness = found.compliance.witness
    if witness is not None:
        print()
        print_wrapped(
            "No cost matrix ranks these pairs of tables (rows are the truth) as "
            f"{found.metric} does:"
        )
        for pair in witness.pairs:
            better, worse = _table(pair.better.counts), _table(pair.worse.counts)
            print(f"  {better} at {pair.better_value:.4g}  over  {worse} at {pair.worse_value:.4g}")
    tie = found.compliance.tie
    if tie is not None:
        print()
        print(f"  {_table(tie.better.counts)} and {_table(tie.worse.counts)} look the same to it")


def print_audit_json(found: Audit, tuned: Sequence[str]) -> None:
    """Everything, as JSON."""
    law, opposite, implied = found.compliance, found.opposite, found.implied
    facts: dict[str, Any] = {
        **found.row(),
        "verdict": found.verdict,
        "sentences": [*found.sentences, *tuned],
        "agrees": found.agrees if found.application is not None else None,
        "slopes": law.slopes.rows(),
        "witness": None if law.witness is None else {
            "pairs": [{"better": p.better.counts.tolist(), "worse": p.worse.counts.tolist(),
                       "better_value": p.better_value, "worse_value": p.worse_value}
                      for p in law.witness.pairs],
            "weights": law.witness.weights.tolist(),
        },
        "opposite": None if opposite is None else {
            "preferred": opposite.preferred.counts.tolist(),
            "cheaper": opposite.cheaper.counts.tolist(),
            "values": list(opposite.values), "costs": list(opposite.costs),
        },
        "implied_costs": None if implied is None else implied.costs.values.tolist(),
        "misranking_draws": found.misranking.draws,
    }  # fmt: skip
    if found.candidates is not None:
        chosen = found.candidates
        facts["candidates"] = {
            "table": chosen.frame().rows(),
            "chosen": None if np.isnan(chosen.values).all() else chosen.chosen,
            "cheapest": chosen.cheapest,
            "misranked": [list(pair) for pair in chosen.misranked],
            "misranking_rate": chosen.misranking_rate,
            "rank_correlation": None  # of the metric and minus the cost
            if len(chosen.values) < 3
            else {kind: chosen.correlation(kind) for kind in ("spearman", "weighted")},
        }
    print_json(facts, infinite=True)


def print_table(
    table: Frame, app: Application | None, candidates: dict[str, ConfusionMatrix]
) -> None:
    """One line per metric."""
    names = [str(name) for name in table["metric"]]
    verdicts = [str(failure) or "yes" for failure in table["failure"].tolist()]
    short_names = [name if len(name) <= _LONG_NAME else "" for name in names]
    parts = [
        (Column("metric", short_names, right=False), ""),
        (Column("as a cost?", verdicts, right=False), ""),
    ]
    two = app is None or len(app.classes) == 2
    if two:
        ends = zip(table["miss_cost_low"].tolist(), table["miss_cost_high"].tolist(), strict=True)
        prices = Column("a miss is worth", [_range(*each) for each in ends], drop=2)
        worth = "'a miss is worth' so many false alarms, over good and bad systems"
        parts.append((prices, f"{worth} of every prevalence"))
    rates = Column("misranks", [f"{100 * rate:.1f} %" for rate in table["misranking"].tolist()])
    whose = "your costs" if app is not None else "utilities drawn at random"
    often = "'misranks' is how often the wrong one of two good classifiers is picked"
    parts.append((rates, f"{often}, for {whose}"))
    if candidates and two:
        values = table["implied_miss_cost"].tolist()
        here = Column("here", ["" if math.isnan(v) else short(v, 3) for v in values], drop=3)
        parts.append((here, "'here' is what a miss is worth at the cheapest of your candidates"))
    if len(candidates) > 1:
        regret = [f"{v:.4g}" if math.isfinite(v) else "" for v in table["regret"].tolist()]
        dear = "'regret/case' is what the candidate it chooses costs too much"
        parts.append((Column("regret/case", regret, drop=1), dear))
    text, left_out = fitted([column for column, _ in parts], page_width())
    head, rule, *rows = text.splitlines()
    print(f"{head}\n{rule}")
    for name, row in zip(names, rows, strict=True):
        print(row if len(name) <= _LONG_NAME else f"{name}\n{row}")  # a line of its own, never cut
    say_left_out(left_out)
    print()
    print_wrapped("; ".join(meaning for _, meaning in parts if meaning) + ".")


def _table(counts: Any) -> str:
    """A table on one line."""
    return " / ".join(" ".join(f"{value:.6g}" for value in row) for row in counts.tolist())


def _range(low: float, high: float) -> str:
    """The prices of a miss, from the smallest to the largest."""
    if math.isnan(low):
        return ""
    first, last = short(low, 2), short(high, 2)
    return first if first == last else f"{first} to {last}"
