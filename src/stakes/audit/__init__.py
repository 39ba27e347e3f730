"""What a metric rewards: its implied costs, the laws it breaks, what it misranks."""

from stakes.audit.candidates import (
    CandidateAudit,
    audit_candidates,
    choice_regret,
    rank_correlation,
    rank_correlations,
    weighted_spearman,
)
from stakes.audit.compliance import compliance
from stakes.audit.compliance_result import Compliance, RankedPair, Witness
from stakes.audit.implied_costs import BestThreshold, ImpliedCosts, best_threshold, implied_costs
from stakes.audit.indifference import LevelSets, level_sets, metric_cloud
from stakes.audit.metric_audit import Audit, audit, audit_all
from stakes.audit.misranking import (
    ErrorCurve,
    MisrankingRate,
    MisrankingTable,
    misranking_by_error,
    misranking_rate,
    misranking_rates,
)
from stakes.audit.opposition import OppositePair, opposite_pair

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
