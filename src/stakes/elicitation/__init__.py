"""From a conversation to an Application: what a miss is worth, said in ways people can answer."""

from stakes.elicitation.answers_file import (
    answers_from_toml,
    answers_to_toml,
    matrix_answers_from_toml,
    matrix_answers_to_toml,
    read_answers,
    write_answers,
)
from stakes.elicitation.matrix_set import MatrixElicitation, MatrixStatement
from stakes.elicitation.question import MatrixQuestion, Question
from stakes.elicitation.routes import (
    EMBLEMATIC_MODELS,
    EmblematicModel,
    emblematic_models,
    ratio_between,
    ratio_from_amounts,
    ratio_from_metric,
    ratio_from_number_willing,
    ratio_from_ranking,
    ratio_from_sensitivity,
    ratio_from_threshold,
)
from stakes.elicitation.session import Elicitation
from stakes.elicitation.statements import (
    Contradiction,
    RatioInterval,
    Statement,
    agreed_ratio,
    contradictions,
)

__all__ = [
    "EMBLEMATIC_MODELS",
    "Contradiction",
    "Elicitation",
    "EmblematicModel",
    "MatrixElicitation",
    "MatrixQuestion",
    "MatrixStatement",
    "Question",
    "RatioInterval",
    "Statement",
    "agreed_ratio",
    "answers_from_toml",
    "answers_to_toml",
    "contradictions",
    "emblematic_models",
    "matrix_answers_from_toml",
    "matrix_answers_to_toml",
    "ratio_between",
    "ratio_from_amounts",
    "ratio_from_metric",
    "ratio_from_number_willing",
    "ratio_from_ranking",
    "ratio_from_sensitivity",
    "ratio_from_threshold",
    "read_answers",
    "write_answers",
]
