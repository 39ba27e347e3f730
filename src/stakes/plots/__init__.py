"""Result -> matplotlib Axes; no arithmetic. Needs the extra `plots`."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.plots.cost_plots import confusion as confusion
    from stakes.plots.cost_plots import cost_by_slice as cost_by_slice
    from stakes.plots.cost_plots import cost_over_periods as cost_over_periods
    from stakes.plots.cost_plots import level_sets as level_sets
    from stakes.plots.cost_plots import model_costs as model_costs
    from stakes.plots.cost_ratio_plots import application_path as application_path
    from stakes.plots.cost_ratio_plots import bayes_error as bayes_error
    from stakes.plots.cost_ratio_plots import brier_curve as brier_curve
    from stakes.plots.cost_ratio_plots import cost as cost
    from stakes.plots.cost_ratio_plots import empirical_cross_entropy as empirical_cross_entropy
    from stakes.plots.cost_ratio_plots import switch_points as switch_points
    from stakes.plots.cost_ratio_plots import tippett as tippett
    from stakes.plots.threshold_plots import abstention as abstention
    from stakes.plots.threshold_plots import decision as decision
    from stakes.plots.threshold_plots import det as det
    from stakes.plots.threshold_plots import precision_recall as precision_recall
    from stakes.plots.threshold_plots import reliability as reliability
    from stakes.plots.threshold_plots import roc as roc
    from stakes.plots.threshold_plots import threshold_sweep as threshold_sweep
