"""From the options of `stakes ask` to a conversation: systems, shares, and what was said."""

from __future__ import annotations

import math
from typing import Any

from stakes._names import as_positions
from stakes.cli.asked import Asked, asked
from stakes.cli.costs import shares
from stakes.cli.deciding import without_gaps
from stakes.cli.models import Model, models_of
from stakes.elicitation import (
    Elicitation,
    Statement,
    ratio_between,
    ratio_from_amounts,
    ratio_from_metric,
    ratio_from_number_willing,
    ratio_from_ranking,
    ratio_from_sensitivity,
    ratio_from_threshold,
    read_answers,
)
from stakes.elicitation.record import kept_prior
from stakes.exceptions import CostError, DataError, PriorError
from stakes.report.amounts import grouped, percent
from stakes.summaries import ConfusionMatrix, ScoreCounts

__all__ = ["conversation", "more_than_two", "said_beforehand"]


def conversation(args: Any) -> tuple[Elicitation, list[str]]:
    """The conversation before anything is said, and what the reader should know."""
    kept = kept_prior(args.answers) if args.answers and not args.prevalence else None
    if args.file is None:
        names = ("negative", "positive")
        if kept is not None:
            return _talk({}, kept, names, args), [_as_kept(kept, args.answers)]
        if not args.prevalence:
            raise DataError(
                "without a file I need to know the share of positives.",
                hint="stakes ask --prevalence 5%   or   stakes ask data.csv --label y --scores p",
            )
        prior, said = _share(args, names)
        return _talk({}, prior, names, args), said
    question = _asked(args)
    classes = question.cases.classes
    models = models_of(question.table, question.cases, classes, args)
    models, cases, gaps = without_gaps(models, question.cases, args)
    systems = {model.name: _system(model, cases) for model in models}
    here = float(cases.priors[1])
    prior = here if kept is None else kept
    notes = [*question.notes, *([gaps] if gaps else [])]
    if args.prevalence:
        prior, said = _share(args, (classes[0], classes[1]))
        notes += said
    notes.append(
        f"read {question.table.source}: {grouped(len(cases))} cases, {percent(here)} "
        f"'{classes[1]}', {len(models)} model{'s' if len(models) > 1 else ''}"
    )
    if kept is not None:
        notes.append(_as_kept(kept, args.answers))
    elif not args.prevalence:
        notes.append("assuming the same share where it will run; --prevalence says otherwise")
    return _talk(systems, prior, (classes[0], classes[1]), args), notes


def _share(args: Any, classes: tuple[str, str]) -> tuple[float, list[str]]:
    """The share of positives where it will run; the middle of a range, with a word about it."""
    if ".." not in args.prevalence:
        return shares(args.prevalence, classes)[1], []
    low, high = _range(args.prevalence, "--prevalence")
    if not 0 < low < high < 1:
        raise PriorError(
            f"'{args.prevalence}' is not a range of shares.",
            hint="the lower end first, both above 0 and below 1 (100 %):  --prevalence 2%..5%",
        )
    args.prior_ends = (low, high)
    middle = math.sqrt(low * high)
    where = f"{percent(low)} to {percent(high)} '{classes[1]}'"
    return middle, [f"asked where {percent(middle)} are '{classes[1]}', the middle of {where}"]


def _as_kept(prior: float, source: str) -> str:
    """Where the share of positives comes from."""
    return (
        f"{percent(prior)} positive where it will run, as in {source}; --prevalence says otherwise"
    )


def more_than_two(args: Any) -> Asked | None:
    """What was asked, when the file holds more than two outcomes."""
    if args.file is None:
        return None
    question = _asked(args)
    return question if len(question.cases.classes) > 2 else None


def _asked(args: Any) -> Asked:
    """The cases; all errors cost the same as long as nobody knows better."""
    args.cost, args.miss, args.false_alarm = ["error=1"], None, None
    args.gain, args.costs, args.posteriors_already_adjusted = False, None, False
    if getattr(args, "read_before", None) is None:
        args.read_before = asked(args)  # read once: the file may be standard input
    found: Asked = args.read_before
    return found


def _talk(
    systems: dict[str, Any], prior: float, classes: tuple[str, str], args: Any
) -> Elicitation:
    """A conversation with these systems."""
    return Elicitation(
        systems,
        prior=prior,
        goal=args.goal,
        tolerance=args.tolerance,
        cases=args.cases,
        classes=classes,
    )


def _system(model: Model, cases: Any) -> ConfusionMatrix | ScoreCounts:
    """What a model did, reduced."""
    if model.decisions is not None:
        return ConfusionMatrix.from_decisions(
            as_positions(cases.truth),
            as_positions(model.decisions),
            classes=cases.classes,
            decision_names=cases.classes,
            sample_weight=cases.weights,
        )
    assert model.scores is not None
    scores = model.scores if model.scores.ndim == 1 else model.scores[:, 1] - model.scores[:, 0]
    return ScoreCounts.from_scores(
        cases.truth, scores, kind="rank", classes=(0, 1), sample_weight=cases.weights
    )


def said_beforehand(talk: Elicitation, args: Any) -> Elicitation:
    """The conversation with everything that the options and the file of answers say."""
    found: list[Statement] = list(read_answers(args.answers)) if args.answers else []
    if args.miss_is_worth:
        found.append(ratio_between(*_range(args.miss_is_worth, "--miss-is-worth")))
    if args.acts_at:
        found.append(ratio_from_threshold(*_range(args.acts_at, "--acts-at")))
    if args.number_willing:
        found.append(ratio_from_number_willing(*_range(args.number_willing, "--number-willing")))
    if args.amounts:
        found.append(_amounts(args.amounts))
    if args.rank:
        order = [name.strip() for name in args.rank.split(",")]
        found += ratio_from_ranking(order, error_share=args.error_share, prior=talk.prior)
    if args.tuned:
        found.append(ratio_from_metric(args.tuned, _first(talk, "--tuned")))
    if args.sensitivity:
        system = _first(talk, "--sensitivity")
        if not isinstance(system, ScoreCounts):
            raise DataError("--sensitivity needs a model with scores, not decisions.")
        share, upper = _range(args.sensitivity, "--sensitivity")
        if share != upper:
            raise DataError(
                f"--sensitivity {args.sensitivity} is a range; I need the least share.",
                hint="--sensitivity 90%",
            )
        found.append(ratio_from_sensitivity(system, share, prior=talk.prior))
    return talk.stated(*found)


def _first(talk: Elicitation, option: str) -> Any:
    """The first system."""
    if not talk.systems:
        raise DataError(f"{option} needs a file with a model:  stakes ask data.csv --label y ...")
    return next(iter(talk.systems.values()))


def _range(text: str, option: str) -> tuple[float, float]:
    """``5``, ``5..20``, ``30%`` or ``20%..40%`` as two ends."""
    parts = [part.strip() for part in text.split("..")]
    try:
        both = len(parts) == 2 and parts[1].endswith("%")  # 2..5% means per cent on both sides
        ends = [float(p.removesuffix("%")) / (100 if both or p.endswith("%") else 1) for p in parts]
    except ValueError:
        ends = []
    if len(ends) not in (1, 2) or not all(map(math.isfinite, ends)) or ends[0] > ends[-1]:
        raise CostError(
            f"I cannot read {option} {text}.", hint=f"a number or a range:  {option} 5..20"
        )
    return ends[0], ends[-1]


def _amounts(words: list[str]) -> Statement:
    """``fn=200..400 fp=10`` as a statement."""
    names = {"fn": "false_negative", "fp": "false_positive", "tp": "true_positive"}
    names |= {"tn": "true_negative"}
    found: dict[str, tuple[float, float]] = {}
    for word in words:
        key, sign, text = word.partition("=")
        if not sign or key not in names or names[key] in found:
            raise CostError(f"'{word}' is not an amount.", hint="Say:  --amounts fn=200..400 fp=10")
        found[names[key]] = _range(text, f"--amounts {key}=")
    for key in ("fn", "fp"):
        if names[key] not in found:
            raise CostError(f"the amount {key}= is missing.", hint="--amounts fn=200..400 fp=10")
    return ratio_from_amounts(**found)
