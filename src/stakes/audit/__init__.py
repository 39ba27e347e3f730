"""What a metric rewards: its implied costs, the laws it breaks, what it misranks."""

from stakes.audit.auditing import audit, audit_all
from stakes.audit.candidates import CandidateAudit, audit_candidates, choice_regret
from stakes.audit.complying import compliance
from stakes.audit.erroneous import ErrorCurve, misranking_by_error
from stakes.audit.implied import ImpliedCosts, implied_costs
from stakes.audit.laws import Compliance
from stakes.audit.misranking import (
    MisrankingRate,
    MisrankingTable,
    misranking_rate,
    misranking_rates,
)
from stakes.audit.opposition import OppositePair, opposite_pair
from stakes.audit.rank_agreement import rank_correlation, rank_correlations, weighted_spearman
from stakes.audit.rate_plane import LevelSets, level_sets, metric_cloud
from stakes.audit.tuned import BestThreshold, best_threshold
from stakes.audit.verdict import Audit
from stakes.audit.witness import RankedPair, Witness

__all__ = [
    "Audit",
    "BestThreshold",
    "CandidateAudit",
    "Compliance",
    "ErrorCurve",
    "ImpliedCosts",
    "LevelSets",
    "MisrankingRate",
    "MisrankingTable",
    "OppositePair",
    "RankedPair",
    "Witness",
    "audit",
    "audit_all",
    "audit_candidates",
    "best_threshold",
    "choice_regret",
    "compliance",
    "implied_costs",
    "level_sets",
    "metric_cloud",
    "misranking_by_error",
    "misranking_rate",
    "misranking_rates",
    "opposite_pair",
    "rank_correlation",
    "rank_correlations",
    "weighted_spearman",
]
