"""The conversation of `stakes ask`: systems, shares, questions on the terminal and their
answers.
"""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from stakes._names import as_positions
from stakes.cli.commands import inquiry_of
from stakes.cli.problems import warn
from stakes.cli.show.terminal import print_wrapped
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
from stakes.elicitation.answers_file import kept_prior
from stakes.exceptions import CostError, DataError, PriorError
from stakes.inquiry.case_question import Asked, asked
from stakes.inquiry.model_decisions import without_gaps
from stakes.inquiry.model_scores import Model, models_of
from stakes.inquiry.option_words import shares
from stakes.messages.audience import shown
from stakes.messages.quantities import grouped, percent
from stakes.summaries import ConfusionMatrix, ScoreCounts


def conversation(question: Asked | None, args: Any) -> tuple[Elicitation, list[str]]:
    """The conversation before the first answer, and what the reader should know."""
    kept = kept_prior(args.answers) if args.answers and not args.prevalence else None
    prior, classes = kept, ("negative", "positive")
    systems: dict[str, Any] = {}
    notes: list[str] = []
    read: list[str] = []
    if question is not None:
        classes, inquiry = (question.cases.classes[0], question.cases.classes[1]), question.inquiry
        models = models_of(question.table, question.cases, classes, inquiry)
        models, cases, gaps = without_gaps(models, question.cases, inquiry, for_decisions=False)
        systems = {model.name: _system(model, cases) for model in models}
        here = float(cases.priors[1])
        prior = here if kept is None else kept
        notes = [*question.notes, *([gaps] if gaps else [])]
        read = [
            f"read {question.table.source}: {grouped(len(cases))} cases, {percent(here)} "
            f"'{classes[1]}', {len(models)} model{'s' if len(models) > 1 else ''}"
        ]
    if args.prevalence:
        prior, said = _share(args, classes)
        notes += said
    notes += read
    otherwise = "where it will run{}; change it with --prevalence"
    if kept is not None:
        notes.append(f"{percent(kept)} positive {otherwise.format(f', as in {args.answers}')}")
    elif question is not None and not args.prevalence:
        notes.append(f"assuming the same share {otherwise.format('')}")
    if prior is None:
        raise DataError(
            "without a file I need to know the share of positives.",
            hint="stakes ask --prevalence 5%   or   stakes ask data.csv --label y --scores p",
        )
    asked = {"goal": args.goal, "tolerance": args.tolerance, "cases": args.cases}
    return Elicitation(systems, priors=prior, classes=classes, **asked), notes


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


def asked_about(args: Any) -> Asked | None:
    """The cases, if there is a file; until there are answers, all errors cost the same."""
    if args.file is None:
        return None
    free = {"gain": (), "costs": None, "posteriors_already_adjusted": False}
    return asked(inquiry_of(args).but(cost=("error=1",), **free))


def _system(model: Model, cases: Any) -> ConfusionMatrix | ScoreCounts:
    """What a model did, reduced."""
    if model.decisions is not None:
        return counted(model.decisions, cases)
    assert model.scores is not None
    scores = model.scores if model.scores.ndim == 1 else model.scores[:, 1] - model.scores[:, 0]
    return ScoreCounts.from_scores(
        cases.truth, scores, kind="rank", classes=(0, 1), sample_weight=cases.weights
    )


def counted(decisions: Any, cases: Any) -> ConfusionMatrix:
    """The cases by truth and decision."""
    return ConfusionMatrix.from_decisions(
        as_positions(cases.truth), as_positions(decisions), classes=cases.classes,
        decision_names=cases.classes, sample_weight=cases.weights,
    )  # fmt: skip


#: What a range says, by the option that it is given with.
_RANGES: dict[str, Callable[[float, float], Statement]] = {
    "miss_is_worth": ratio_between,
    "acts_at": ratio_from_threshold,
    "number_willing": ratio_from_number_willing,
}


def said_beforehand(talk: Elicitation, args: Any) -> Elicitation:
    """The conversation with everything that the options and the file of answers say."""
    found: list[Statement] = list(read_answers(args.answers)) if args.answers else []
    for option, stated in _RANGES.items():
        given = getattr(args, option)
        if given:
            found.append(stated(*_range(given, f"--{option.replace('_', '-')}")))
    if args.amounts:
        found.append(_amounts(args.amounts))
    if args.rank:
        order = [name.strip() for name in args.rank.split(",")]
        found += ratio_from_ranking(order, error_share=args.error_share, priors=talk.prior)
    system = next(iter(talk.systems.values()), None)
    for option in ("tuned", "sensitivity"):
        if getattr(args, option) and system is None:
            raise DataError(
                f"--{option} needs a file with a model:  stakes ask data.csv --label y ..."
            )
    if args.tuned:
        found.append(ratio_from_metric(args.tuned, system))
    if args.sensitivity:
        if not isinstance(system, ScoreCounts):
            raise DataError("--sensitivity needs a model with scores, not decisions.")
        share, upper = _range(args.sensitivity, "--sensitivity")
        if share != upper:
            said = f"--sensitivity {args.sensitivity} is a range; I need the least share."
            raise DataError(said, hint="--sensitivity 90%")
        found.append(ratio_from_sensitivity(system, share, priors=talk.prior))
    return talk.stated(*found)


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
    names = {"fn": "false_negative", "fp": "false_positive", "tp": "true_positive",
             "tn": "true_negative"}  # fmt: skip
    found: dict[str, tuple[float, float]] = {}
    hint = "--amounts fn=200..400 fp=10"
    for word in words:
        key, sign, text = word.partition("=")
        if not sign or key not in names or names[key] in found:
            raise CostError(f"'{word}' is not an amount.", hint=f"Say:  {hint}")
        found[names[key]] = _range(text, f"--amounts {key}=")
    for key in ("fn", "fp"):
        if names[key] not in found:
            raise CostError(f"the amount {key}= is missing.", hint=hint)
    return ratio_from_amounts(**found)


CHOICES = "   [a] A   [b] B   [=] cannot say   [?] why this question   [u] undo   [q] stop"
TAKE_BACK = "take one back: leave the option out, or edit the file of answers"


def fingerprint(talk: Elicitation, args: Any) -> Elicitation:
    """A few plain questions first, at a terminal: where it runs, what is counted, who pays."""
    scripted = args.answer is not None or args.no_questions or args.json or args.quick
    if scripted or not sys.stdin.isatty():
        return talk
    positive = shown(str(talk.classes[1]))
    print(
        "\nFirst, where will it be used? (Enter keeps the value in brackets; --quick skips this.)"
    )
    share = f"Share of '{positive}' where it will run [{percent(talk.prior)}]: "
    while not args.prevalence and (word := _typed(share)):
        try:
            talk = replace(talk, priors=shares(word, ("other", "positive"))[1])
            break
        except PriorError as error:
            tell(error.message)
    if args.amounts and not args.unit:
        args.unit = _typed("What are the amounts in? EUR, hours, ... []: ") or None
    args.payers = _typed(f"Who pays for a missed '{positive}', who for a false alarm? []: ")
    third = _typed("Is there a third decision, such as asking a person? [n]: ").lower()
    if third.startswith("y"):
        tell(
            "Then these questions are about the other two; add the third to the file of costs, "
            "with what it costs whatever the truth is."
        )
    return talk


def tell(text: str) -> None:
    """Print a paragraph between questions."""
    print_wrapped(text, first="   ", rest="   ")


def _typed(prompt: str) -> str:
    """A line from the terminal; nothing when it was closed."""
    try:
        return input(f"   {prompt}").strip()
    except EOFError:
        print()
        return ""


def talk_through(talk: Elicitation, args: Any) -> Elicitation:
    """Ask until the recommendation cannot change by more than is tolerated."""
    scripted = scripted_answers(args.answer)
    today = dt.datetime.now(dt.UTC).date().isoformat()
    before: list[Elicitation] = []
    while True:
        talk = _settled(talk, args)
        question = None if args.no_questions else talk.question
        if question is None:
            say_unused(scripted)
            return talk
        why = question.why[:1].upper() + question.why[1:] + "."
        if talk.contradictions:  # two answers to one question, which is asked afresh
            (warn if args.json else tell)(why)
        elif question.misses[0] < question.misses[1] and not args.json:  # asked to check an answer
            print()
            tell(why)
        answer = answer_to(question.text(len(before) + 1), why, scripted, args)
        if answer == "q":
            return talk.without(*{k for clash in talk.contradictions for k in clash.positions})
        if answer == "u":
            talk = before.pop() if before else talk
            continue
        before.append(talk)
        signed = {"name": args.name, "date": today}
        talk = talk.answered(answer, question=question, **signed)  # type: ignore[arg-type]


def scripted_answers(text: str | None) -> Iterator[str] | None:
    """Answers given in advance."""
    if text is None:
        return None
    words = [word.strip().lower() for word in text.split(",") if word.strip()]
    wrong = [word for word in words if word not in ("a", "b", "=")]
    if wrong:
        raise CostError(f"'{wrong[0]}' is not an answer.", hint="--answer a,b,=")
    return iter(words)


def say_unused(scripted: Iterator[str] | None) -> None:
    """Answers given in advance that no question was left for."""
    left = list(scripted or ())
    if left:
        many = "answers were" if len(left) > 1 else "answer was"
        warn(f"{len(left)} more {many} given than there were questions: {','.join(left)}.")


def answer_to(text: str, why: str, scripted: Iterator[str] | None, args: Any) -> str:
    """An answer from the options, else from the terminal; "q" when there are no more.

    `why` explains it on request.
    """
    if not args.json:
        print(f"\n{text}")
    if scripted is not None:
        answer = next(scripted, "q")
        if not args.json and answer != "q":
            print(f"   answer: {answer}")
        return answer
    if args.json and not sys.stdin.isatty():
        return "q"
    print(CHOICES)
    while True:
        try:
            word = input("   > ").strip().lower()
        except EOFError:
            print()
            return "q"
        if word == "?":
            tell(why)
        elif word in ("a", "b", "=", "u", "q"):
            return word
        else:
            print("   please type a, b, =, ?, u or q")


def _settled(talk: Elicitation, args: Any) -> Elicitation:
    """The conversation without contradictions: a person says which answer to keep."""
    while talk.contradictions and (args.no_questions or talk.question is None):
        clash = talk.contradictions[0]
        if args.answer is not None or args.no_questions or not sys.stdin.isatty():
            raise CostError(str(clash), hint=TAKE_BACK)
        print()
        print_wrapped(str(clash))
        drop = clash.positions[0]
        while len(clash.positions) == 2:
            try:
                word = input("   keep [1] the first or [2] the second > ").strip()
            except EOFError:
                print()
                raise CostError(str(clash), hint=TAKE_BACK) from None
            if word in ("1", "2"):
                drop = clash.positions[2 - int(word)]
                break
        tell(f"taken back: {talk.statements[drop].said}")
        talk = talk.without(drop)
    return talk
