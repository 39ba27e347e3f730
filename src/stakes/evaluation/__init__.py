"""From labels and models to a verdict: everything put together."""

from stakes.evaluation.doubt import Doubt
from stakes.evaluation.evaluate_function import evaluate, evaluate_frame
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.model_evaluation import ModelEvaluation, Naive, Stretch

__all__ = [
    "Doubt",
    "Evaluation",
    "ModelEvaluation",
    "Naive",
    "Stretch",
    "evaluate",
    "evaluate_frame",
]
