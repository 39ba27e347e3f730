"""Notes as data: a code, a severity and values. The words are here.

Code that makes a note gives its code and values. The package never parses the words; it tells
notes apart by their code.
"""

from __future__ import annotations

from typing import Any

#: Severities: an assumption, something that could not be done, something odd.
SEVERITIES = ("info", "absent", "warning")

#: What moving to other shares assumes.
_ALIKE = "This assumes that cases within each outcome look alike in both places."

#: The shares of the outcomes in the file, and those that were given.
_BOTH = "Your test set has {here}; you {gave} {there}."

#: What was assumed or found.
_INFO = {
    # which shares of the classes count
    "shares-of-data": "Assuming the same class mix as these data; change it with `priors`.",
    "shares-of-application": "Using the class mix of the application, not of the data. This "
    "assumes that cases within each class look alike in both places.",
    "shares-of-first": "All models are evaluated at the class mix of {model}.",
    "posteriors-moved": "Probabilities were moved from the base rate of the data to that of the "
    "application. This assumes that cases within each class look alike in both places.",
    # what was done with the models
    "several-cuts": "{rule}",
    "zeros-softened": "Zero probabilities ({models}) were replaced by half the smallest non-zero "
    "one before re-calibrating.",
    "best-of-bin-edges": "The best threshold was searched among the edges of the bins.",
    "priced-at-average": "Priced at average costs, '{model}, average costs' seems to cost {cost} "
    "per case; at each case's own costs it costs {paid} per case.",
    "costs-by-expectation": "Uncertain costs are replaced by their expectation; evaluate() tells "
    "what depends on them.",
    "cheapest-shown": "This page shows the {shown} cheapest of {models} models; the JSON has all.",
    # what to mind beside the verdict
    "short-of-sure": "The chance that {model} is best is {chance}; to prefer it with confidence, "
    "{bar} is needed.",
    "range-regret": "Over the whole range {model} is {regret}.",
    "range-holds": "Over the whole range {model} {stays}.",
    "range-safest": "The safest model is {model}: {regret}.",
    "rule-kept": "If the threshold stays at {rule} over the whole range, {model} is at most "
    "{regret} NEC above the best choice.",
    "robust": "{model} {wins} {where}.",
    "recalibrate-first": "After re-calibrating, {model} would cost least (NEC {nec}). To let it "
    "challenge the model in use, calibrate it and evaluate the result as a model of its own.",
    "slices-switch-free": "In slices, models are compared without the switching cost, which is "
    "paid once for all of them.",
    # what limits on decisions cost
    "capacity-price": "{sentence}",
    "capacity-cost": "Without limits, {model} would be expected to cost {amount} less per case.",
    # which shares of the outcomes count, of a file
    "shares-of-file": "Assuming the same class mix as this file; change it with --prevalence.",
    "rates-weighed": "{both} The error rates of each outcome were re-weighted to the new shares. "
    "{alike}",
    "adjusted-already": "{both} The probabilities were used as they are, already adjusted to the "
    "new shares.",
    "threshold-moved": "{both} The threshold was moved to the new shares. {alike}",
    "columns-moved": "{both} Each probability was moved to the new base rate{example}. {alike} "
    "Thresholds apply to the scores in your file.",
    "probabilities-moved": "{both} Each probability was moved to the new base rate{example}. "
    "{alike}",
    "calibrated-then-moved": "'NEC if calibrated' was fitted at the class mix of this file and "
    "then adjusted; stakes calibrate fits at yours, so the two can differ.",
    "calibrated-for-shares": "{both} The calibration is fitted at the class mix you gave; 'NEC if "
    "calibrated' of stakes eval was fitted at that of the file and then adjusted, so the two can "
    "differ. {alike}",
    # how a file was read
    "truth-by-name": "The truth is read from '{column}', recognised by its name.",
    "models-by-name": "Models were recognised by the names of their columns: {columns}.",
    "model-is-array": "The model is the array '{name}', with one column per outcome.",
    "form-of-file": "{form}",
    "long-form": "Read in long form: {models} models on {cases} cases, matched by '{key}'.",
    "scores-are-llr": "Scores are read as log-likelihood ratios; change that with --scores-are.",
    "repeats-averaged": "Repeated predictions of a row are averaged; intervals resample whole rows "
    "(row_id).",
    "confidences-certain": "Every confidence is 0 or 1, so these are read as decisions.",
    "confidences-absent": "There are no confidences, so these are read as decisions.",
    "joined": "{file} was joined by '{key}'.",
    "joined-in-part": "{file} was joined by '{key}'; {rows} rows have no match there.",
    "scores-without-trial": "{scores} scores of {file} belong to no trial.",
    "rows-rounded": "Probabilities of {model} are rounded to {digits} decimals in the file, so "
    "that {rows} add to {low}-{high}; each was divided by its sum.",
    "spaces-left-out": "Spaces around labels were ignored ('{label}' is read as '{read}').",
    "truth-empty": "{rows} empty and left out.",
    # whether rows were in memory
    "counted-in-place": "{file} has {size}, so DuckDB counted it where it is; --engine memory "
    "reads it into memory.",
    "read-into-memory": "{file} ({size}) was read into memory: {why}",
    "engine-not-installed": "{file} ({size}) was read into memory; DuckDB would count it in less "
    "time: pip install 'stakes[duckdb]'.",
    # what was found about decisions
    "rule": "{rule}",
    "ranks-cross-fitted": "These scores only rank cases: each fifth of the cases is decided by a "
    "threshold found on the other four.",
    "outcome-absent": "The data have no case of {outcomes}.",
    "beats-at-ratio": "{best} is cheaper than {other} as long as a miss costs {more} than {ratio} "
    "false {alarms}.",
    "extra-decision-never": "{model} never decides '{decision}'.",
    "extra-decision": "{model} decides '{decision}' in {share} of cases, which costs {cost} per "
    "case.",
    "extra-decision-saves": "{model} decides '{decision}' in {share} of cases. That costs {cost} "
    "per case; without this decision the total would be {saves} per case higher.",
    "slices-compared": "{model} by slice ({level} confidence for all {slices} together): {verdict}",
    "recalibrated-on-sample": "Models were re-calibrated on a sample of {rows} of the {whole} "
    "cases; costs as they are come from all.",
    "rows-sampled": "The estimate uses {rows} of the {whole} rows of {file}, spread evenly.",
    # where costs or shares are several
    "at-operating-point": "{preset}: evaluated where {share} % are targets.",
    "best-elsewhere": "Where {share} % are targets, {model} is cheapest{nec}.",
    "mean-of-points": "Mean NEC over the {points} operating points: {means}.",
    "middle-of-range": "Evaluated at {where}.",
}
#: What could not be done, or is not there, and why.
_ABSENT = {
    "not-recalibrated": "{model} could not be re-calibrated: {why}",
    "recalibration-needs-rows": "No model was re-calibrated, because that needs the rows; give a "
    "sample of them to evaluate().",
    "counts-only": "These are counts of decisions, so no threshold can be moved.",
    "cases-unshared": "Counts do not tell which cases two models share; differences are computed "
    "as if they shared none.",
    "not-compared": "Models were not compared: {why}",
    "too-many-models": "Models were not compared, because there are more than {most}.",
    "few-groups": "There are no intervals: {count} groups of cases that belong together are too "
    "few. For a result of each group, give that column as `by`, not as `groups`.",
    "no-intervals": "There are no intervals: {why}",
    "not-judged-apart": "'{slice}' could not be evaluated by itself: {why}",
    "one-threshold-needs-rows": "Each case is decided by its own costs. One threshold for all "
    "cases needs the rows: evaluate().",
    "case-intervals-need-rows": "There are no intervals of normalised costs; "
    "stakes.uncertainty.interval(Reduction.tally()) gives one of the cost.",
    "case-sliders-need-rows": "This page has no sliders and no curves: the cases stayed where "
    "they are, and sums over them do not tell what is decided at other costs.",
    "sliders-within-limits": "This page has no sliders for other costs or shares: under limits, "
    "other cases would be acted on there.",
    "not-asked": "it was not asked for",
    "one-model": "there is only one model",
    "decisions-only": "the models gave decisions, not posteriors",
    "mixed-models": "some models gave decisions, others posteriors",
    "two-classes-only": "it is for two classes and two decisions",
    "costs-per-case": "each case has its own costs",
    "within-limits": "at other costs, other cases would be acted on within the limits",
    "no-single-cut": "no single cut on the posterior decides",
    "class-without-cases": "a class has no cases, or no share",
    "nec-undefined": "the best constant decision costs nothing to improve on",
    "too-few-cases": "there are too few cases of a class",
    "weights-without-rows": "weights do not tell how many cases there were",
    "optimistic-needs-bins": "scores were not binned: bins=4096",
    "ranges-need-rows": "who wins at other costs needs the rows",
    "decisions-alone": "These are decisions, not scores, so I can compare them but not move a "
    "threshold.",
    "slices-not-compared": "Slices were not compared: {why}",
    "recalibration-needs-memory": "No model was re-calibrated, because that needs the rows in "
    "memory; take a sample of them in one file.",
}
#: What is odd.
_WARNING = {
    "few-carry": "{sentence}",
    "errors-earn": "In {cases} cases an error costs less than nothing, and less than the right "
    "decision. Look for refunds, or amounts with the wrong sign.",
    "recalibration-worth": "{model} {confidence}. Re-calibrating is worth another {gain} ({low} to "
    "{high}).",
    "sensitive": "{model} {wins} {where}{near}.",
    "few-of-a-class": "Only {count} {cases} of '{name}': the figures are rough.",
    "other-shares": "{model} has other shares of the outcomes than {first}. All models are "
    "evaluated at the shares of {first}; change that with --prevalence.",
    "counted-twice": "{said}.",
    "decided-before": "The saved decisions were taken for {asked}, and keep their thresholds at "
    "other costs or another class mix. To decide for those, count the rows again:  stakes eval "
    "ROWS ... --save FILE",
    "folders-taken": "'{name}' is both a column of the files and a name of folders ({name}=...); "
    "the folders were used.",
    "gaps-filled": "{gaps} They are filled as --missing {filler} says.",
    "gaps-dropped": "{gaps} Models are compared on the {kept} rows that every model has.",
    "gaps-left-out": "{gaps} Models are compared on the {kept} rows that every model has; "
    "change that with --missing abstain|naive|drop.",
    "gaps-not-estimated": "{gaps} Only the other {kept} rows are used.",
    "turned-round": "{seen}. {asked}  {option}",
    "rule-of-second": "The rule applies to the probability of {second!r}, the second class of the "
    "costs, but the columns given hold that of {positive!r}.",
    "posteriors-certain": "Every probability of {model} is exactly 0 or 1, as from a fully grown "
    "tree: it makes the same decisions whatever the costs are.",
    "dominated": "{sentence}",
    "learnt-here": "{model} was calibrated with {file}, which was fitted on these very rows, so "
    "its cost is optimistic. The honest figure is the 'NEC if calibrated' of {before}.",
}
#: The words of every note, by its code: how much it matters, and the sentence.
_WORDS = {
    code: (severity, words.replace("{both}", _BOTH).replace("{alike}", _ALIKE))
    for severity, notes in zip(SEVERITIES, (_INFO, _ABSENT, _WARNING), strict=True)
    for code, words in notes.items()
}


# Notes are data, worded here: docs/design/messages.md.
class Note(str):
    """A sentence with its code, severity and values; a `str`, so it prints as its sentence."""

    __slots__ = ("code", "severity", "values")

    code: str
    severity: str
    values: dict[str, Any]

    def __new__(cls, code: str, **values: Any) -> Note:
        """The note of a code, with values filled into its sentence."""
        severity, words = _WORDS[code]
        made = super().__new__(cls, words.format(**values))
        made.code, made.severity, made.values = code, severity, values
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.code,), self.values  # for copies and pickles

    def record(self) -> dict[str, str]:
        """As plain data, for JSON."""
        return {"code": self.code, "severity": self.severity, "text": str(self)}


def flagged(note: Note) -> str:
    """A note for a text; warnings begin with a mark."""
    return f"! {note}" if note.severity == "warning" else str(note)


def codes() -> tuple[str, ...]:
    """All codes."""
    return tuple(_WORDS)
