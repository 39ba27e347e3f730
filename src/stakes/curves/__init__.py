"""Summary -> the data of a curve, never a drawing."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.curves.bayes_error import application_path as application_path
    from stakes.curves.bayes_error import bayes_error as bayes_error
    from stakes.curves.bayes_error import brier_curve as brier_curve
    from stakes.curves.bayes_error import cost as cost
    from stakes.curves.best_system import curve_dominance as curve_dominance
    from stakes.curves.best_system import switch_points as switch_points
    from stakes.curves.evidence import empirical_cross_entropy as empirical_cross_entropy
    from stakes.curves.evidence import tippett as tippett
    from stakes.curves.posterior_curves import abstention as abstention
    from stakes.curves.posterior_curves import reliability as reliability
    from stakes.curves.threshold_curves import decision as decision
    from stakes.curves.threshold_curves import det as det
    from stakes.curves.threshold_curves import iso_cost_tangent as iso_cost_tangent
    from stakes.curves.threshold_curves import precision_recall as precision_recall
    from stakes.curves.threshold_curves import roc as roc
    from stakes.curves.threshold_curves import threshold_sweep as threshold_sweep
