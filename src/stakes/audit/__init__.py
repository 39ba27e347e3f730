"""What a metric rewards: its implied costs, the laws it breaks, what it misranks."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.audit.candidates import CandidateAudit as CandidateAudit
    from stakes.audit.candidates import audit_candidates as audit_candidates
    from stakes.audit.candidates import choice_regret as choice_regret
    from stakes.audit.candidates import rank_correlation as rank_correlation
    from stakes.audit.candidates import rank_correlations as rank_correlations
    from stakes.audit.candidates import weighted_spearman as weighted_spearman
    from stakes.audit.compliance import compliance as compliance
    from stakes.audit.compliance_witnesses import Compliance as Compliance
    from stakes.audit.compliance_witnesses import RankedPair as RankedPair
    from stakes.audit.compliance_witnesses import Witness as Witness
    from stakes.audit.implied_costs import BestThreshold as BestThreshold
    from stakes.audit.implied_costs import ImpliedCosts as ImpliedCosts
    from stakes.audit.implied_costs import best_threshold as best_threshold
    from stakes.audit.implied_costs import implied_costs as implied_costs
    from stakes.audit.indifference import LevelSets as LevelSets
    from stakes.audit.indifference import level_sets as level_sets
    from stakes.audit.indifference import metric_cloud as metric_cloud
    from stakes.audit.metric_audit import Audit as Audit
    from stakes.audit.metric_audit import audit as audit
    from stakes.audit.metric_audit import audit_all as audit_all
    from stakes.audit.misranking import ErrorCurve as ErrorCurve
    from stakes.audit.misranking import MisrankingRate as MisrankingRate
    from stakes.audit.misranking import MisrankingTable as MisrankingTable
    from stakes.audit.misranking import misranking_by_error as misranking_by_error
    from stakes.audit.misranking import misranking_rate as misranking_rate
    from stakes.audit.misranking import misranking_rates as misranking_rates
    from stakes.audit.opposite_rankings import OppositePair as OppositePair
    from stakes.audit.opposite_rankings import opposite_pair as opposite_pair
    from stakes.audit.ranking_metric import ScoreAudit as ScoreAudit
