"""From labels and models to a verdict: everything put together."""

from stakes.evaluation.doubt import Doubt
from stakes.evaluation.evaluating import evaluate
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.frames import evaluate_frame
from stakes.evaluation.parts import ModelEvaluation, Naive, Stretch

__all__ = [
    "Doubt",
    "Evaluation",
    "ModelEvaluation",
    "Naive",
    "Stretch",
    "evaluate",
    "evaluate_frame",
]
