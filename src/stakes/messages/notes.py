"""Notes as data: a code, how much it matters and the values it is about; the words are here.

Whoever makes a note names its code and its values. Nothing in the package looks at the words:
what must be told apart is told apart by the code.
"""

from __future__ import annotations

from typing import Any

#: How much a note matters: an assumption, something that could not be done, something odd.
SEVERITIES = ("info", "absent", "warning")

#: What moving to other shares rests on.
_ALIKE = "This assumes cases *within* each outcome look alike in both places."

#: The words of every note, by its code: how much it matters, and the sentence.
_WORDS: dict[str, tuple[str, str]] = {
    # which shares of the classes count
    "shares-of-data": ("info", "class shares are those of the data"),
    "shares-of-application": (
        "info",
        "class shares are those of the application, not of the data, which assumes that cases "
        "within each class look alike in both places",
    ),
    "shares-of-first": ("info", "all are judged at the class shares of {model}"),
    "posteriors-moved": (
        "info",
        "posteriors were moved from the base rate of the data to that of the application, "
        "which assumes that cases within each class look alike in both places",
    ),
    # what was done with the models
    "several-cuts": ("info", "{rule}"),
    "zeros-softened": (
        "info",
        "posteriors of exactly 0 ({models}) count as half the smallest other one when "
        "re-calibrating",
    ),
    "best-of-bin-edges": ("info", "the best threshold is the best of the edges of the bins"),
    "priced-at-average": (
        "info",
        "a confusion matrix alone, priced at average costs, would put {model} at {cost} per case",
    ),
    "costs-by-expectation": (
        "info",
        "uncertain costs are judged by their expectation; evaluate() says what depends on them",
    ),
    "few-carry": ("warning", "{sentence}"),
    # what to mind beside the verdict
    "recalibration-worth": (
        "warning",
        "{model} {confidence}. Re-calibrating is worth another {gain} ({low} to {high}).",
    ),
    "range-regret": ("info", "Over the whole range {model} is {regret}."),
    "range-holds": ("info", "Over the whole range {model} {stays}."),
    "range-safest": ("info", "Safest is {model}: {regret}."),
    "rule-kept": (
        "info",
        "Kept at {rule} whatever the truth is, {model} is at most {regret} NEC above the best "
        "choice.",
    ),
    "robust": ("info", "Robust: {model}{as_is} {stays} {where}."),
    "few-of-a-class": ("warning", "only {count} {cases} of '{name}': the figures are rough"),
    # what could not be done, and why
    "not-recalibrated": ("absent", "{model} could not be re-calibrated: {why}"),
    "recalibration-needs-rows": (
        "absent",
        "no model was re-calibrated: that needs the rows; take a sample of them to evaluate()",
    ),
    "counts-only": ("absent", "these are counts of decisions: no threshold can be moved"),
    "cases-unshared": (
        "absent",
        "counts do not tell which cases are shared: differences are as if none were",
    ),
    "not-compared": ("absent", "models were not compared: {why}"),
    "too-many-models": ("absent", "models were not compared: there are more than {most}"),
    "no-intervals": ("absent", "there are no intervals: {why}"),
    "not-judged-apart": ("absent", "'{slice}' could not be judged apart: {why}"),
    "one-threshold-needs-rows": (
        "absent",
        "each case is decided by its own costs; one threshold for all needs the rows: evaluate()",
    ),
    "case-intervals-need-rows": (
        "absent",
        "there are no intervals of normalised costs: stakes.uncertainty.interval gives that of the "
        "cost, from Reduction.tally()",
    ),
    # why a figure is not there; most are plain to whoever asked, and are not said
    "not-asked": ("absent", "it was not asked for"),
    "one-model": ("absent", "there is only one model"),
    "decisions-only": ("absent", "the models gave decisions, not posteriors"),
    "mixed-models": ("absent", "some models gave decisions, others posteriors"),
    "two-classes-only": ("absent", "it is for two classes and two decisions"),
    "costs-per-case": ("absent", "each case has its own costs"),
    "no-single-cut": ("absent", "no single cut on the posterior decides"),
    "class-without-cases": ("absent", "a class has no cases, or no share"),
    "nec-undefined": ("absent", "the best constant decision costs nothing to improve on"),
    "too-few-cases": ("absent", "there are too few cases of a class"),
    "weights-without-rows": ("absent", "weights do not tell how many cases there were"),
    "optimistic-needs-bins": ("absent", "scores were not binned: bins=4096"),
    "ranges-need-rows": ("absent", "who wins at other costs needs the rows"),
    # which shares of the outcomes count, of a file
    "shares-of-file": (
        "info",
        "the share of each outcome is that of the file (--prevalence says otherwise)",
    ),
    "rates-weighed": (
        "info",
        "{shares} The rates of each outcome were weighed by the new shares. " + _ALIKE,
    ),
    "adjusted-already": (
        "info",
        "{shares} The probabilities were taken to hold for the new shares already.",
    ),
    "threshold-moved": (
        "info",
        "{shares} The threshold was set for the new shares. " + _ALIKE,
    ),
    "columns-moved": (
        "info",
        "{shares} Each probability was moved to the new base rate{example}. "
        + _ALIKE
        + " 'act when' is on the numbers as they stand in the file.",
    ),
    "probabilities-moved": (
        "info",
        "{shares} Each probability was moved to the new base rate{example}. " + _ALIKE,
    ),
    "calibrated-for-shares": ("info", "{shares} The calibration is for the latter. " + _ALIKE),
    "other-shares": (
        "warning",
        "{model} has other shares of the outcomes than {first}; all are judged at the shares of "
        "the first. --prevalence says otherwise",
    ),
    # how a file was read
    "truth-by-name": ("info", "the truth is in '{column}', by its name"),
    "models-by-name": ("info", "models found by the names of their columns: {columns}"),
    "model-is-array": ("info", "the model is the array '{name}', one column per outcome"),
    "form-of-file": ("info", "{form}"),
    "long-form": ("info", "long form: {models} models on {cases} cases, by '{key}'"),
    "scores-are-llr": (
        "info",
        "scores are taken as log-likelihood ratios (--scores-are says otherwise)",
    ),
    "repeats-averaged": (
        "info",
        "repeats are averaged; whole rows are drawn for the intervals (row_id)",
    ),
    "confidences-certain": (
        "info",
        "every confidence is 0 or 1, so these are taken as decisions",
    ),
    "confidences-absent": (
        "info",
        "there are no confidences, so these are taken as decisions",
    ),
    "joined": ("info", "{file} was joined by '{key}'"),
    "joined-in-part": (
        "info",
        "{file} was joined by '{key}'; {rows} rows have no partner there",
    ),
    "scores-without-trial": ("info", "{scores} scores of {file} belong to no trial"),
    "spaces-left-out": (
        "info",
        "spaces around labels were left out ('{label}' is read as '{read}')",
    ),
    "truth-empty": ("info", "{rows} empty, and left out"),
    "folders-taken": (
        "warning",
        "'{name}' is a column of the files and a name of folders ({name}=...); the folders were "
        "taken",
    ),
    # rows without a value, and columns that seem wrong
    "gaps-filled": ("warning", "{gaps} They count as --missing {filler}."),
    "gaps-dropped": ("warning", "{gaps} Compared on the {kept} rows every model has."),
    "gaps-left-out": (
        "warning",
        "{gaps} Compared on the {kept} rows every model has. --missing abstain|naive|drop",
    ),
    "turned-round": ("warning", "{seen}. {asked}  {option}"),
    "dominated": ("warning", "{sentence}"),
    # what was found about decisions
    "rule": ("info", "{rule}"),
    "decisions-alone": (
        "absent",
        "These are decisions, not scores, so I can compare them but not move a threshold.",
    ),
    "ranks-cross-fitted": (
        "info",
        "scores give an order only: each fifth is decided by the threshold of the rest",
    ),
    "outcome-absent": ("info", "no case of {outcomes} in the data"),
    "beats-at-ratio": (
        "info",
        "{best} beats {other} as long as a miss costs {more} than {ratio} false {alarms}; choosing "
        "it means that to you it does",
    ),
    "extra-decision": (
        "info",
        "{model} decides '{decision}' in {share} of cases, which costs {cost} per case",
    ),
    "extra-decision-saves": (
        "info",
        "{model} decides '{decision}' in {share} of cases, which costs {cost} and saves {saves} "
        "per case",
    ),
    "slices-compared": (
        "info",
        "{model} by slice ({level} for all {slices} slices together): {verdict}",
    ),
    "slices-not-compared": ("absent", "slices were not compared: {why}"),
    "recalibration-needs-memory": (
        "absent",
        "no model was re-calibrated: that needs the rows in memory, such as a sample in one file",
    ),
    # where costs or shares are several
    "at-operating-point": ("info", "{preset}: judged where {share} % are targets"),
    "best-elsewhere": ("info", "where {share} % are targets, {model} is best{nec}"),
    "mean-of-points": ("info", "mean NEC over the {points} operating points: {means}"),
    "middle-of-range": (
        "info",
        "judged in the middle of {where}, on the scale of factors",
    ),
}


class Note(str):
    """A sentence with its code, how much it matters, and the values it is about.

    It is a `str`, so that it prints as what it says.
    """

    __slots__ = ("code", "severity", "values")

    code: str
    severity: str
    values: dict[str, Any]

    def __new__(cls, code: str, **values: Any) -> Note:
        """The note of a code, its sentence filled with values."""
        severity, words = _WORDS[code]
        made = super().__new__(cls, words.format(**values))
        made.code, made.severity, made.values = code, severity, values
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.code, self.values)

    def record(self) -> dict[str, str]:
        """As plain data, for JSON."""
        return {"code": self.code, "severity": self.severity, "text": str(self)}


def _again(code: str, values: dict[str, Any]) -> Note:
    """A note that was pickled or copied."""
    return Note(code, **values)


def codes() -> tuple[str, ...]:
    """Every code there is."""
    return tuple(_WORDS)
