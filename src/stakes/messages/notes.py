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

#: What was assumed or found.
_INFO = {
    # which shares of the classes count
    "shares-of-data": "class shares are those of the data",
    "shares-of-application": "class shares are those of the application, not of the data, which "
    "assumes that cases within each class look alike in both places",
    "shares-of-first": "all are judged at the class shares of {model}",
    "posteriors-moved": "posteriors were moved from the base rate of the data to that of the "
    "application, which assumes that cases within each class look alike in both places",
    # what was done with the models
    "several-cuts": "{rule}",
    "zeros-softened": "posteriors of exactly 0 ({models}) count as half the smallest other one "
    "when re-calibrating",
    "best-of-bin-edges": "the best threshold is the best of the edges of the bins",
    "priced-at-average": "a confusion matrix alone, priced at average costs, would put {model} at "
    "{cost} per case",
    "costs-by-expectation": "uncertain costs are judged by their expectation; evaluate() says what "
    "depends on them",
    "cheapest-shown": "this page shows the {shown} cheapest of {models} models; JSON holds all",
    # what to mind beside the verdict
    "range-regret": "Over the whole range {model} is {regret}.",
    "range-holds": "Over the whole range {model} {stays}.",
    "range-safest": "Safest is {model}: {regret}.",
    "rule-kept": "Kept at {rule} whatever the truth is, {model} is at most {regret} NEC above the "
    "best choice.",
    "robust": "Robust: {model}{as_is} {stays} {where}.",
    # which shares of the outcomes count, of a file
    "shares-of-file": "the share of each outcome is that of the file (--prevalence says otherwise)",
    "rates-weighed": "{shares} The rates of each outcome were weighed by the new shares. {alike}",
    "adjusted-already": "{shares} The probabilities were taken to hold for the new shares already.",
    "threshold-moved": "{shares} The threshold was set for the new shares. {alike}",
    "columns-moved": "{shares} Each probability was moved to the new base rate{example}. {alike} "
    "'act when' is on the numbers as they stand in the file.",
    "probabilities-moved": "{shares} Each probability was moved to the new base rate{example}. "
    "{alike}",
    "calibrated-for-shares": "{shares} The calibration is for the latter. {alike}",
    # how a file was read
    "truth-by-name": "the truth is in '{column}', by its name",
    "models-by-name": "models found by the names of their columns: {columns}",
    "model-is-array": "the model is the array '{name}', one column per outcome",
    "form-of-file": "{form}",
    "long-form": "long form: {models} models on {cases} cases, by '{key}'",
    "scores-are-llr": "scores are taken as log-likelihood ratios (--scores-are says otherwise)",
    "repeats-averaged": "repeats are averaged; whole rows are drawn for the intervals (row_id)",
    "confidences-certain": "every confidence is 0 or 1, so these are taken as decisions",
    "confidences-absent": "there are no confidences, so these are taken as decisions",
    "joined": "{file} was joined by '{key}'",
    "joined-in-part": "{file} was joined by '{key}'; {rows} rows have no partner there",
    "scores-without-trial": "{scores} scores of {file} belong to no trial",
    "rows-rounded": "probabilities of {model} are rounded to {digits} decimals in the file, so "
    "that {rows} add to {low}-{high}; each was divided by its sum",
    "spaces-left-out": "spaces around labels were left out ('{label}' is read as '{read}')",
    "truth-empty": "{rows} empty, and left out",
    # what was found about decisions
    "rule": "{rule}",
    "ranks-cross-fitted": "scores give an order only: each fifth is decided by the threshold of "
    "the rest",
    "outcome-absent": "no case of {outcomes} in the data",
    "beats-at-ratio": "{best} beats {other} as long as a miss costs {more} than {ratio} false "
    "{alarms}; choosing it means that to you it does",
    "extra-decision": "{model} decides '{decision}' in {share} of cases, which costs {cost} per "
    "case",
    "extra-decision-saves": "{model} decides '{decision}' in {share} of cases, which costs {cost} "
    "and saves {saves} per case",
    "slices-compared": "{model} by slice ({level} for all {slices} slices together): {verdict}",
    # where costs or shares are several
    "at-operating-point": "{preset}: judged where {share} % are targets",
    "best-elsewhere": "where {share} % are targets, {model} is best{nec}",
    "mean-of-points": "mean NEC over the {points} operating points: {means}",
    "middle-of-range": "judged in the middle of {where}, on the scale of factors",
}
#: What could not be done, or is not there, and why.
_ABSENT = {
    "not-recalibrated": "{model} could not be re-calibrated: {why}",
    "recalibration-needs-rows": "no model was re-calibrated: that needs the rows; take a sample of "
    "them to evaluate()",
    "recalibration-weighted": "{model} was not re-calibrated: weights in bins do not tell the "
    "number of cases; take a sample of the rows to evaluate()",
    "counts-only": "these are counts of decisions: no threshold can be moved",
    "cases-unshared": "counts do not tell which cases are shared: differences are as if none were",
    "not-compared": "models were not compared: {why}",
    "too-many-models": "models were not compared: there are more than {most}",
    "few-groups": "there are no intervals: {count} groups of cases that belong together are too "
    "few (`by` splits cases into slices)",
    "no-intervals": "there are no intervals: {why}",
    "not-judged-apart": "'{slice}' could not be judged apart: {why}",
    "one-threshold-needs-rows": "each case is decided by its own costs; one threshold for all "
    "needs the rows: evaluate()",
    "case-intervals-need-rows": "there are no intervals of normalised costs: "
    "stakes.uncertainty.interval gives that of the cost, from Reduction.tally()",
    "not-asked": "it was not asked for",
    "one-model": "there is only one model",
    "decisions-only": "the models gave decisions, not posteriors",
    "mixed-models": "some models gave decisions, others posteriors",
    "two-classes-only": "it is for two classes and two decisions",
    "costs-per-case": "each case has its own costs",
    "no-single-cut": "no single cut on the posterior decides",
    "class-without-cases": "a class has no cases, or no share",
    "nec-undefined": "the best constant decision costs nothing to improve on",
    "too-few-cases": "there are too few cases of a class",
    "weights-without-rows": "weights do not tell how many cases there were",
    "optimistic-needs-bins": "scores were not binned: bins=4096",
    "ranges-need-rows": "who wins at other costs needs the rows",
    "decisions-alone": "These are decisions, not scores, so I can compare them but not move a "
    "threshold.",
    "slices-not-compared": "slices were not compared: {why}",
    "recalibration-needs-memory": "no model was re-calibrated: that needs the rows in memory, such "
    "as a sample in one file",
}
#: What is odd.
_WARNING = {
    "few-carry": "{sentence}",
    "recalibration-worth": "{model} {confidence}. Re-calibrating is worth another {gain} ({low} to "
    "{high}).",
    "few-of-a-class": "only {count} {cases} of '{name}': the figures are rough",
    "other-shares": "{model} has other shares of the outcomes than {first}; all are judged at the "
    "shares of the first. --prevalence says otherwise",
    "folders-taken": "'{name}' is a column of the files and a name of folders ({name}=...); the "
    "folders were taken",
    "gaps-filled": "{gaps} They count as --missing {filler}.",
    "gaps-dropped": "{gaps} Compared on the {kept} rows every model has.",
    "gaps-left-out": "{gaps} Compared on the {kept} rows every model has. --missing "
    "abstain|naive|drop",
    "turned-round": "{seen}. {asked}  {option}",
    "rule-of-second": "the rule is on the probability of {second!r}, the second class of the "
    "costs; the columns given are of {positive!r}",
    "posteriors-certain": "every probability of {model} is exactly 0 or 1, as of a tree grown to "
    "the end: it decides alike whatever the costs are",
    "dominated": "{sentence}",
    "learnt-here": "{model} was calibrated by {file}, which was learnt on these very rows: its "
    "cost is optimistic. What calibrating is worth is said of {before}, where it is cross-fitted",
}
#: The words of every note, by its code: how much it matters, and the sentence.
_WORDS = {
    code: (severity, words.replace("{alike}", _ALIKE))
    for severity, notes in zip(SEVERITIES, (_INFO, _ABSENT, _WARNING), strict=True)
    for code, words in notes.items()
}


# Notes are data, worded here: docs/design/messages.md.
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

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.code,), self.values  # for copies and pickles

    def record(self) -> dict[str, str]:
        """As plain data, for JSON."""
        return {"code": self.code, "severity": self.severity, "text": str(self)}


def codes() -> tuple[str, ...]:
    """Every code there is."""
    return tuple(_WORDS)
