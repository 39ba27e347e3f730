"""The conversation itself: questions on the terminal, answers from it or from the options."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from stakes.cli.costs import shares
from stakes.cli.output import print_wrapped, shown
from stakes.cli.problems import warn
from stakes.elicitation import Elicitation
from stakes.elicitation.question import Question
from stakes.exceptions import CostError, PriorError
from stakes.report.amounts import percent

__all__ = ["fingerprint", "say_unused", "scripted_answers", "talk_through", "typed_answer"]

CHOICES = "   [a] A   [b] B   [=] cannot say   [?] why this question   [u] undo   [q] stop"
TAKE_BACK = "take one back: leave the option out, or edit the file of answers"


def fingerprint(talk: Elicitation, args: Any) -> Elicitation:
    """A few plain questions first, at a terminal: where it runs, what is counted, who pays."""
    scripted = args.answer is not None or args.no_questions or args.json or args.quick
    if scripted or not sys.stdin.isatty():
        return talk
    positive = shown(str(talk.classes[1]))
    print("\nFirst, the place (enter keeps what stands in brackets, --quick skips this):")
    if not args.prevalence:
        talk = _place(talk, positive)
    if not args.unit:
        args.unit = _typed("What is a cost of 1? EUR, hours, ... []: ") or None
    args.payers = _typed(f"Who pays for a missed '{positive}', who for a false alarm? []: ")
    third = _typed("Is there a third decision, such as asking a person? [n]: ").lower()
    if third.startswith("y"):
        print_wrapped(
            "Then these questions are about the other two; add the third to the file of costs, "
            "with what it costs whatever the truth is.",
            first="   ",
            rest="   ",
        )
    return talk


def _typed(prompt: str) -> str:
    """A line from the terminal; nothing when it was closed."""
    try:
        return input(f"   {prompt}").strip()
    except EOFError:
        print()
        return ""


def _place(talk: Elicitation, positive: str) -> Elicitation:
    """The share of positives where it will run."""
    while True:
        word = _typed(f"Share of '{positive}' where it will run [{percent(talk.prior)}]: ")
        if not word:
            return talk
        try:
            return replace(talk, prior=shares(word, ("other", "positive"))[1])
        except PriorError as error:
            print_wrapped(error.message, first="   ", rest="   ")


def talk_through(talk: Elicitation, args: Any) -> Elicitation:
    """Ask until the recommendation cannot change by more than is tolerated."""
    scripted = scripted_answers(args.answer)
    today = dt.datetime.now(dt.UTC).date().isoformat()
    number = 1
    start = len(talk.statements)
    while True:
        talk = _settled(talk, args)
        question = None if args.no_questions else talk.question
        if question is None:
            say_unused(scripted)
            return talk
        answer = _answer(question, number, scripted, args)
        if answer == "q":
            return talk
        if answer == "u":
            if len(talk.statements) > start:
                talk, number = talk.without(len(talk.statements) - 1), number - 1
            continue
        talk = talk.stated(question.statement(answer).signed(args.name, today))  # type: ignore[arg-type]
        number += 1


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


def _answer(question: Question, number: int, scripted: Iterator[str] | None, args: Any) -> str:
    """One answer: from the options, else from the terminal; "q" when there are no more."""
    if not args.json:
        print()
        print(question.text(number))
    if scripted is not None:
        answer = next(scripted, "q")
        if not args.json and answer != "q":
            print(f"   answer: {answer}")
        return answer
    why = question.why[:1].upper() + question.why[1:] + "."
    return typed_answer(why, args)


def typed_answer(why: str, args: Any) -> str:
    """An answer from the terminal, and why it was asked for whoever wants to know."""
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
            print_wrapped(why, first="   ", rest="   ")
        elif word in ("a", "b", "=", "u", "q"):
            return word
        else:
            print("   please type a, b, =, ?, u or q")


def _settled(talk: Elicitation, args: Any) -> Elicitation:
    """The conversation without contradictions: a person says which answer to keep."""
    while talk.contradictions:
        clash = talk.contradictions[0]
        if args.answer is not None or args.no_questions or not sys.stdin.isatty():
            raise CostError(str(clash), hint=TAKE_BACK)
        print()
        print_wrapped(str(clash))
        drop = clash.positions[0]
        if len(clash.positions) == 2:
            word = ""
            while word not in ("1", "2"):
                try:
                    word = input("   keep [1] the first or [2] the second > ").strip()
                except EOFError:
                    print()
                    raise CostError(str(clash), hint=TAKE_BACK) from None
            drop = clash.positions[1] if word == "1" else clash.positions[0]
        print_wrapped(f"taken back: {talk.statements[drop].said}", first="   ", rest="   ")
        talk = talk.without(drop)
    return talk
