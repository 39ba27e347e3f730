"""Summary + application -> number."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.metrics.costs.case_cost import CaseCost as CaseCost
    from stakes.metrics.costs.case_cost import case_cost as case_cost
    from stakes.metrics.costs.case_cost import top_share as top_share
    from stakes.metrics.costs.constraints import ConstrainedOptimum as ConstrainedOptimum
    from stakes.metrics.costs.constraints import SensitivityCosts as SensitivityCosts
    from stakes.metrics.costs.constraints import constrained_optimum as constrained_optimum
    from stakes.metrics.costs.constraints import costs_of_sensitivity as costs_of_sensitivity
    from stakes.metrics.costs.cost_weighted import accuracy_cost_distance as accuracy_cost_distance
    from stakes.metrics.costs.cost_weighted import c_score as c_score
    from stakes.metrics.costs.cost_weighted import (
        weighted_class_accuracy as weighted_class_accuracy,
    )
    from stakes.metrics.costs.cost_weighted import (
        weighted_relative_accuracy as weighted_relative_accuracy,
    )
    from stakes.metrics.costs.expected_cost import CostShares as CostShares
    from stakes.metrics.costs.expected_cost import alpha_cost as alpha_cost
    from stakes.metrics.costs.expected_cost import cost_by_cell as cost_by_cell
    from stakes.metrics.costs.expected_cost import detection_cost as detection_cost
    from stakes.metrics.costs.expected_cost import expected_cost as expected_cost
    from stakes.metrics.costs.expected_cost import msu as msu
    from stakes.metrics.costs.expected_cost import (
        normalized_expected_cost as normalized_expected_cost,
    )
    from stakes.metrics.costs.expected_cost import savings as savings
    from stakes.metrics.costs.expected_cost import (
        total_classification_cost as total_classification_cost,
    )
    from stakes.metrics.costs.expected_cost import utility_yield as utility_yield
    from stakes.metrics.costs.profit import MaximumProfit as MaximumProfit
    from stakes.metrics.costs.profit import expected_max_profit_churn as expected_max_profit_churn
    from stakes.metrics.costs.profit import expected_max_profit_credit as expected_max_profit_credit
    from stakes.metrics.costs.uncertain_costs import UncertainComparison as UncertainComparison
    from stakes.metrics.costs.uncertain_costs import (
        compare_under_uncertainty as compare_under_uncertainty,
    )
    from stakes.metrics.costs.weighted_accuracy import (
        beta_averaged_accuracy as beta_averaged_accuracy,
    )
    from stakes.metrics.costs.weighted_accuracy import cost_weight as cost_weight
    from stakes.metrics.costs.weighted_accuracy import (
        expected_weighted_accuracy as expected_weighted_accuracy,
    )
    from stakes.metrics.costs.weighted_accuracy import matched_beta as matched_beta
    from stakes.metrics.costs.weighted_accuracy import (
        matched_beta_accuracy as matched_beta_accuracy,
    )
    from stakes.metrics.costs.weighted_accuracy import (
        mean_weighted_accuracy as mean_weighted_accuracy,
    )
    from stakes.metrics.costs.weighted_accuracy import weighted_accuracy as weighted_accuracy
    from stakes.metrics.counts.agreement_rates import accuracy as accuracy
    from stakes.metrics.counts.agreement_rates import balanced_accuracy as balanced_accuracy
    from stakes.metrics.counts.agreement_rates import balanced_error_rate as balanced_error_rate
    from stakes.metrics.counts.agreement_rates import (
        class_balance_accuracy as class_balance_accuracy,
    )
    from stakes.metrics.counts.agreement_rates import error_rate as error_rate
    from stakes.metrics.counts.agreement_rates import geometric_mean as geometric_mean
    from stakes.metrics.counts.agreement_rates import imbalance_accuracy as imbalance_accuracy
    from stakes.metrics.counts.agreement_rates import kappa as kappa
    from stakes.metrics.counts.agreement_rates import mcc as mcc
    from stakes.metrics.counts.agreement_rates import precision_recall_mean as precision_recall_mean
    from stakes.metrics.counts.binary_rates import diagnostic_odds_ratio as diagnostic_odds_ratio
    from stakes.metrics.counts.binary_rates import f1 as f1
    from stakes.metrics.counts.binary_rates import f_beta as f_beta
    from stakes.metrics.counts.binary_rates import false_discovery_rate as false_discovery_rate
    from stakes.metrics.counts.binary_rates import false_negative_rate as false_negative_rate
    from stakes.metrics.counts.binary_rates import false_omission_rate as false_omission_rate
    from stakes.metrics.counts.binary_rates import false_positive_rate as false_positive_rate
    from stakes.metrics.counts.binary_rates import fowlkes_mallows as fowlkes_mallows
    from stakes.metrics.counts.binary_rates import informedness as informedness
    from stakes.metrics.counts.binary_rates import jaccard as jaccard
    from stakes.metrics.counts.binary_rates import markedness as markedness
    from stakes.metrics.counts.binary_rates import (
        negative_likelihood_ratio as negative_likelihood_ratio,
    )
    from stakes.metrics.counts.binary_rates import (
        negative_predictive_value as negative_predictive_value,
    )
    from stakes.metrics.counts.binary_rates import net_benefit as net_benefit
    from stakes.metrics.counts.binary_rates import p4 as p4
    from stakes.metrics.counts.binary_rates import (
        positive_likelihood_ratio as positive_likelihood_ratio,
    )
    from stakes.metrics.counts.binary_rates import precision as precision
    from stakes.metrics.counts.binary_rates import recall as recall
    from stakes.metrics.counts.binary_rates import specificity as specificity
    from stakes.metrics.counts.class_averages import f1_of_averages as f1_of_averages
    from stakes.metrics.counts.class_averages import macro_f1 as macro_f1
    from stakes.metrics.counts.class_averages import macro_precision as macro_precision
    from stakes.metrics.counts.class_averages import macro_recall as macro_recall
    from stakes.metrics.counts.class_averages import micro_f1 as micro_f1
    from stakes.metrics.counts.class_averages import multiclass_f_beta as multiclass_f_beta
    from stakes.metrics.counts.class_averages import multiclass_precision as multiclass_precision
    from stakes.metrics.counts.class_averages import multiclass_recall as multiclass_recall
    from stakes.metrics.counts.class_averages import weighted_f1 as weighted_f1
    from stakes.metrics.counts.relations import f_beta_from_nec as f_beta_from_nec
    from stakes.metrics.counts.relations import (
        likelihood_ratio_from_nec as likelihood_ratio_from_nec,
    )
    from stakes.metrics.counts.relations import mcc_from_nec as mcc_from_nec
    from stakes.metrics.counts.relations import naive_f_beta as naive_f_beta
    from stakes.metrics.counts.relations import nec_from_f_beta as nec_from_f_beta
    from stakes.metrics.counts.relations import (
        nec_from_likelihood_ratio as nec_from_likelihood_ratio,
    )
    from stakes.metrics.counts.relations import nec_from_mcc as nec_from_mcc
    from stakes.metrics.counts.relations import nec_from_net_benefit as nec_from_net_benefit
    from stakes.metrics.counts.relations import net_benefit_from_nec as net_benefit_from_nec
    from stakes.metrics.counts.table_cells import BinaryCells as BinaryCells
    from stakes.metrics.counts.table_cells import binary_cells as binary_cells
    from stakes.metrics.metric import Metric as Metric
    from stakes.metrics.metric_catalogue import Catalogue as Catalogue
    from stakes.metrics.metric_catalogue import catalogue as catalogue
    from stakes.metrics.scores.detection_costs import DetectionCosts as DetectionCosts
    from stakes.metrics.scores.detection_costs import detection_costs as detection_costs
    from stakes.metrics.scores.detection_costs import nist_applications as nist_applications
    from stakes.metrics.scores.error_rate_points import eer as eer
    from stakes.metrics.scores.error_rate_points import (
        sensitivity_at_specificity as sensitivity_at_specificity,
    )
    from stakes.metrics.scores.error_rate_points import (
        specificity_at_sensitivity as specificity_at_sensitivity,
    )
    from stakes.metrics.scores.operating_points import OperatingPoint as OperatingPoint
    from stakes.metrics.scores.operating_points import at_bayes_threshold as at_bayes_threshold
    from stakes.metrics.scores.operating_points import at_equal_error as at_equal_error
    from stakes.metrics.scores.operating_points import at_min_cost as at_min_cost
    from stakes.metrics.scores.operating_points import at_sensitivity as at_sensitivity
    from stakes.metrics.scores.operating_points import at_specificity as at_specificity
    from stakes.metrics.scores.operating_points import at_threshold as at_threshold
    from stakes.metrics.scores.pareto_hull import HullPoints as HullPoints
    from stakes.metrics.scores.pareto_hull import ParetoFront as ParetoFront
    from stakes.metrics.scores.pareto_hull import ScoreBounds as ScoreBounds
    from stakes.metrics.scores.pareto_hull import hull_points as hull_points
    from stakes.metrics.scores.pareto_hull import pareto_front as pareto_front
    from stakes.metrics.scores.pareto_hull import score_bounds as score_bounds
    from stakes.metrics.scores.proper_scores import BetaWeight as BetaWeight
    from stakes.metrics.scores.proper_scores import ScoreDecomposition as ScoreDecomposition
    from stakes.metrics.scores.proper_scores import binary_brier_score as binary_brier_score
    from stakes.metrics.scores.proper_scores import binary_cross_entropy as binary_cross_entropy
    from stakes.metrics.scores.proper_scores import cllr as cllr
    from stakes.metrics.scores.proper_scores import cost_over_applications as cost_over_applications
    from stakes.metrics.scores.proper_scores import min_cllr as min_cllr
    from stakes.metrics.scores.proper_scores import score_decomposition as score_decomposition
    from stakes.metrics.scores.score_ranking import auc as auc
    from stakes.metrics.scores.score_ranking import average_precision as average_precision
    from stakes.metrics.scores.score_ranking import h_measure as h_measure
    from stakes.metrics.scores.score_ranking import partial_auc as partial_auc
    from stakes.metrics.scores.score_ranking import pr_auc as pr_auc
    from stakes.metrics.scores.threshold_costs import actual_cost as actual_cost
    from stakes.metrics.scores.threshold_costs import calibration_loss as calibration_loss
    from stakes.metrics.scores.threshold_costs import min_cost as min_cost
