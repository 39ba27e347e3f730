"""Evaluate models: from labels and scores to a verdict."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.evaluation.evaluate_function import evaluate as evaluate
    from stakes.evaluation.evaluation import Evaluation as Evaluation
    from stakes.evaluation.frame_function import evaluate_frame as evaluate_frame
    from stakes.evaluation.model_evaluation import ModelEvaluation as ModelEvaluation
    from stakes.evaluation.model_evaluation import Naive as Naive
    from stakes.evaluation.model_evaluation import Stretch as Stretch
    from stakes.evaluation.unknown_costs import Doubt as Doubt
