"""Audits on the terminal and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.audit import Audit, CandidateAudit, ScoreAudit
from stakes.audit.audit_words import errors_in, proof_of, short
from stakes.cli.show.fixed_width import Column, print_columns
from stakes.cli.show.terminal import bold, json_text, print_aligned, print_wrapped
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix

#: Whether a metric ranks as fixed costs do, by what is wrong: nothing, or the class mix decides.
_AS_COSTS = {"": "yes", "prevalence": "by class mix"}


def print_audit(found: Audit | ScoreAudit, costs_said: Sequence[str], tuned: Sequence[str]) -> None:
    """The answer in one sentence, then what stands behind it, then the costs it was held to."""
    first, *rest = found.sentences
    print_wrapped(first, style=bold)
    for sentence in (*rest, *tuned):
        print_wrapped(sentence, first="- ", rest="  ")
    if isinstance(found, Audit):
        _print_proof(found)
    if costs_said:
        print()
    for line in costs_said:
        print_aligned(line)


def _print_proof(found: Audit) -> None:
    """Tables that no fixed costs rank as the metric does."""
    proof = proof_of(found.compliance)
    if proof is not None:
        print()
        print_wrapped(proof.claim)
        titles = zip(*proof.table, strict=True)
        print_columns(*(Column(title, cells, right=bool(title)) for title, *cells in titles))
        print_wrapped(proof.reason)
    tie = found.compliance.tie
    if tie is not None:
        print()
        better, worse = (errors_in(table.counts) for table in (tie.better, tie.worse))
        print_wrapped(f"It gives the same value to {better} and to {worse}.")


def audit_json(found: Audit | ScoreAudit, tuned: Sequence[str]) -> str:
    """Everything, as JSON."""
    facts: dict[str, Any] = {
        **found.row(), "headline": found.headline, "verdict": found.verdict,
        "sentences": [*found.sentences, *tuned],
    }  # fmt: skip
    if isinstance(found, Audit):
        facts |= _decided_by(found)
    if found.candidates is not None:
        facts["candidates"] = _candidates(found.candidates)
    return json_text(facts, infinite=True)


def _decided_by(found: Audit) -> dict[str, Any]:
    """What stands behind the audit of a metric of decisions."""
    law, opposite, implied = found.compliance, found.opposite, found.implied
    return {
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


def _candidates(chosen: CandidateAudit) -> dict[str, Any]:
    """What the metric makes of real models."""
    return {
        "table": chosen.frame().rows(),
        "chosen": None if np.isnan(chosen.values).all() else chosen.chosen,
        "cheapest": chosen.cheapest,
        "misranked": [list(pair) for pair in chosen.misranked],
        "misranking_rate": chosen.misranking_rate,
        "rank_correlation": None  # of the metric and minus the cost
        if len(chosen.values) < 3
        else {kind: chosen.correlation(kind) for kind in ("spearman", "weighted")},
    }


def print_table(
    table: Frame, app: Application | None, candidates: dict[str, ConfusionMatrix]
) -> None:
    """One line per metric."""
    names = [str(name) for name in table["metric"]]
    verdicts = [_AS_COSTS.get(str(failure), "no") for failure in table["failure"].tolist()]
    said = "'fixed costs?' is 'yes' if it ranks models as some fixed costs do"
    if "by class mix" in verdicts:
        said += ", 'by class mix' if these costs change with the class mix"
    said += ", 'no' if no costs do" * ("no" in verdicts)
    parts = [
        (Column("metric", names, label=True), ""),
        (Column("fixed costs?", verdicts, right=False), said),
    ]
    two = app is None or len(app.classes) == 2
    if two:
        ends = zip(table["miss_cost_low"].tolist(), table["miss_cost_high"].tolist(), strict=True)
        prices = Column("a miss is worth", [_range(*each) for each in ends], drop=2)
        worth = "'a miss is worth' counts false alarms, from the lowest to the highest over many"
        parts.append((prices, f"{worth} models"))
    rates = Column("misranks", [f"{100 * rate:.1f} %" for rate in table["misranking"].tolist()])
    whose = "that costs you more" if app is not None else "that is worse, over costs of every kind,"
    often = "'misranks' is how often it picks the one of two good models"
    parts.append((rates, f"{often} {whose}".rstrip(",")))
    if candidates and two:
        values = table["implied_miss_cost"].tolist()
        here = Column("here", ["" if math.isnan(v) else short(v, 3) for v in values], drop=3)
        which = "cheapest of your models" if app is not None else "model with fewest errors"
        parts.append((here, f"'here' is what a miss is worth at the {which}"))
    if len(candidates) > 1 and app is not None:
        regret = [f"{v:.4g}" if math.isfinite(v) else "" for v in table["regret"].tolist()]
        lost = "'regret/case' is how much more the model that it chooses costs than the cheapest"
        parts.append((Column("regret/case", regret, drop=1), lost))
    print_columns(*(column for column, _ in parts))
    print()
    print_wrapped("; ".join(meaning for _, meaning in parts if meaning) + ".")


def _range(low: float, high: float) -> str:
    """The prices of a miss, from the smallest to the largest."""
    if math.isnan(low):
        return ""
    first, last = short(low, 2), short(high, 2)
    return first if first == last else f"{first} to {last}"
