"""When deciding itself has a price: decisions use up resources, and a resource has a price."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.resources.capacity import CapacityOptimum as CapacityOptimum
    from stakes.resources.capacity import LimitPrice as LimitPrice
    from stakes.resources.capacity import capacity_optimum as capacity_optimum
    from stakes.resources.capacity_curve import CapacityCurve as CapacityCurve
    from stakes.resources.capacity_curve import capacity_curve as capacity_curve
    from stakes.resources.cascade_evaluation import CascadeEvaluation as CascadeEvaluation
    from stakes.resources.cascade_evaluation import evaluate_cascade as evaluate_cascade
    from stakes.resources.limit import Limit as Limit
    from stakes.resources.limit import read_limits as read_limits
    from stakes.resources.model_capacity import ModelCapacity as ModelCapacity
    from stakes.resources.price_stream import CapacityStream as CapacityStream
    from stakes.resources.price_stream import capacity_stream as capacity_stream
    from stakes.resources.review_planning import ReviewPlan as ReviewPlan
    from stakes.resources.review_planning import review_plan as review_plan
    from stakes.resources.reviewer import Reviewer as Reviewer
    from stakes.resources.slice_constraints import ConstrainedSlices as ConstrainedSlices
    from stakes.resources.slice_constraints import constrained_slices as constrained_slices
    from stakes.resources.slice_rules import SliceRates as SliceRates
    from stakes.resources.slice_rules import SliceRule as SliceRule
    from stakes.resources.stage_cascade import Cascade as Cascade
    from stakes.resources.stage_cascade import fit_cascade as fit_cascade
