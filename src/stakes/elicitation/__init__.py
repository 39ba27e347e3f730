"""From a conversation to an Application: questions that people can answer about costs."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.elicitation.agreement import Contradiction as Contradiction
    from stakes.elicitation.agreement import RatioInterval as RatioInterval
    from stakes.elicitation.agreement import Statement as Statement
    from stakes.elicitation.agreement import agreed_ratio as agreed_ratio
    from stakes.elicitation.agreement import contradictions as contradictions
    from stakes.elicitation.answers_file import answers_from_toml as answers_from_toml
    from stakes.elicitation.answers_file import answers_to_toml as answers_to_toml
    from stakes.elicitation.answers_file import matrix_answers_from_toml as matrix_answers_from_toml
    from stakes.elicitation.answers_file import matrix_answers_to_toml as matrix_answers_to_toml
    from stakes.elicitation.answers_file import read_answers as read_answers
    from stakes.elicitation.answers_file import write_answers as write_answers
    from stakes.elicitation.matrix_session import MatrixElicitation as MatrixElicitation
    from stakes.elicitation.matrix_session import MatrixStatement as MatrixStatement
    from stakes.elicitation.question import MatrixQuestion as MatrixQuestion
    from stakes.elicitation.question import Question as Question
    from stakes.elicitation.routes import EMBLEMATIC_MODELS as EMBLEMATIC_MODELS
    from stakes.elicitation.routes import EmblematicModel as EmblematicModel
    from stakes.elicitation.routes import emblematic_models as emblematic_models
    from stakes.elicitation.routes import ratio_between as ratio_between
    from stakes.elicitation.routes import ratio_from_amounts as ratio_from_amounts
    from stakes.elicitation.routes import ratio_from_metric as ratio_from_metric
    from stakes.elicitation.routes import ratio_from_number_willing as ratio_from_number_willing
    from stakes.elicitation.routes import ratio_from_ranking as ratio_from_ranking
    from stakes.elicitation.routes import ratio_from_sensitivity as ratio_from_sensitivity
    from stakes.elicitation.routes import ratio_from_threshold as ratio_from_threshold
    from stakes.elicitation.session import Elicitation as Elicitation
