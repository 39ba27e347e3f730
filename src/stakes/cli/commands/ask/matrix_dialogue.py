"""`stakes ask` for more than two outcomes: preferences between the outcomes of the models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._checks import as_priors
from stakes.application.cost_files import file_text
from stakes.cli.commands.ask.dialogue import answer_to, counted, say_unused, scripted_answers, tell
from stakes.cli.commands.ask.learnt_costs import refuse_unanswered, say_kept, toml_path
from stakes.cli.problems import warn
from stakes.cli.show.fixed_width import Column, print_columns
from stakes.cli.show.outputs import write_whole
from stakes.cli.show.terminal import print_json, print_wrapped
from stakes.decisions import bayes_decisions
from stakes.elicitation import (
    MatrixElicitation,
    MatrixQuestion,
    matrix_answers_from_toml,
    matrix_answers_to_toml,
)
from stakes.elicitation.agreement import alarm_in
from stakes.elicitation.question import regrets_of
from stakes.exceptions import CostError, DataError
from stakes.inquiry.case_question import Asked
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.model_decisions import without_gaps
from stakes.inquiry.model_scores import Model, models_of
from stakes.inquiry.option_words import shares, volume
from stakes.inquiry.ranges import spread_out
from stakes.inquiry.truth import Cases
from stakes.messages.quantities import percent, plain
from stakes.posteriors import Posteriors
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray

SAMPLES = 300
MOST_QUESTIONS = 25
#: Said where both answers to one question were taken back.
TWICE = "Asked both ways round, you preferred each of the two once, so neither answer counts."
#: Options that say something of one miss and one false alarm.
TWO_CLASS = (
    "miss_is_worth", "acts_at", "number_willing", "tuned", "sensitivity", "amounts", "rank",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Models:
    """Models, and the cases that they were given."""

    models: list[Model]
    cases: Cases

    def place(self, inquiry: Inquiry) -> FloatArray:
        """The share of each outcome where it will run."""
        names = self.cases.classes
        if not inquiry.prevalence:
            return np.asarray(self.cases.priors)
        return as_priors(shares(inquiry.prevalence, names), names, name="--prevalence")

    def systems(self, talk: MatrixElicitation, priors: FloatArray) -> dict[str, ConfusionMatrix]:
        """What each model does, deciding by the middle of the costs that are still possible."""
        found, names, here = {}, self.cases.classes, np.asarray(self.cases.priors)
        scale = np.divide(priors, here, out=np.zeros(here.size), where=here > 0)
        for model in self.models:
            codes = model.decisions
            if codes is None:
                assert model.scores is not None
                posteriors = Posteriors(model.scores, names)
                if not np.array_equal(priors, here):
                    posteriors = posteriors.with_priors(priors, from_priors=here)
                codes = bayes_decisions(posteriors, talk.middle)
            counts = counted(codes, self.cases).counts * scale[:, None]
            found[model.name] = ConfusionMatrix(counts, names, names)
        return found

    def best(self, talk: MatrixElicitation, priors: FloatArray) -> tuple[str, float]:
        """The model that can lose least, and how much of the cost of the best constant decision."""
        systems = self.systems(talk, priors)
        worst = regrets_of(systems, talk.samples).max(axis=0)
        return list(systems)[int(worst.argmin())], float(worst.min())


def ask_about_matrix(question: Asked, args: Any) -> int:
    """Talk, print what was learnt, keep it, and return the exit code."""
    cases, inquiry = question.cases, question.inquiry
    for name in TWO_CLASS:
        if getattr(args, name):
            raise DataError(
                f"--{name.replace('_', '-')} is about two outcomes; '{args.label or 'the truth'}' "
                f"has {len(cases.classes)}.",
                hint="leave it out and answer the questions",
            )
    if args.unit:
        alarm_in(args.unit)  # refused
    models = models_of(question.table, cases, cases.classes, inquiry)
    models, cases, gaps = without_gaps(models, cases, inquiry, for_decisions=False)
    those = _Models(models, cases)
    middle, ends = spread_out(inquiry.but(source=None))  # the rows are here already
    priors = those.place(middle)
    if len(models) < 2:
        raise DataError(
            "with more than two outcomes I ask which model's outcome you prefer; there is one.",
            hint="name two or more models:  --decisions A,B   or   --proba '*.p_*'",
        )
    notes: list[str] = [*question.notes, *([gaps] if gaps else [])]
    if ends:
        said = ", ".join(f"{percent(p)} {c!r}" for p, c in zip(priors, cases.classes, strict=True))
        notes.append(f"asked in the middle of the range, where there are {said}")
    for note in notes:
        if not args.json:
            print_wrapped(note)
    talk = _talked(_start(cases, args), those, priors, args)
    if args.output:
        refuse_unanswered(talk)
    at_ends = {where: those.best(talk, those.place(end))[0] for where, end in ends}
    _show(talk, those.best(talk, priors), at_ends, args)
    if args.output:
        number, period = volume(args.volume)
        text = matrix_answers_to_toml(talk, priors=priors, volume=number, period=period)
        write_whole(toml_path(args.output), text)
        say_kept(args)
    return 0


def _start(cases: Cases, args: Any) -> MatrixElicitation:
    """The conversation so far: nothing, or the answers kept in a file."""
    if not args.answers:
        return MatrixElicitation(list(cases.classes), draws=SAMPLES)
    talk = matrix_answers_from_toml(file_text(args.answers), source=args.answers)
    if tuple(talk.classes) != cases.classes:
        raise CostError(
            f"{args.answers} is about the outcomes {', '.join(map(str, talk.classes))}."
        )
    return replace(talk, decisions=None, draws=SAMPLES)


def _talked(
    talk: MatrixElicitation, models: _Models, priors: FloatArray, args: Any
) -> MatrixElicitation:
    """Ask until one model loses little whatever the costs are."""
    given = scripted_answers(args.answer)
    cases = args.cases or 1000
    before: list[MatrixElicitation] = []
    while len(before) < MOST_QUESTIONS:
        if args.no_questions:
            break
        systems = models.systems(talk, priors)
        question = talk.question(systems, tolerance=args.tolerance, cases=cases)
        if question is None:
            break
        if question.why and not args.json:  # asked to check an answer
            print()
            tell(_why(question))
        text = f"Question {len(before) + 1}.  {question.text()}"
        answer = answer_to(text, _why(question), given, args)
        if answer == "q":
            return talk
        if answer == "=":
            return talk.answered(question, prefers=answer)
        if answer == "u":
            talk = before.pop() if before else talk
            continue
        before.append(talk)
        talk = talk.answered(question, prefers=answer)
        if len(talk.statements) < len(before[-1].statements):
            (warn if args.json else print_wrapped)(TWICE)
    say_unused(given)
    return talk


def _why(question: MatrixQuestion) -> str:
    """What hangs on the answer."""
    first, second = question.systems
    if question.why:
        return f"{question.why[:1].upper()}{question.why[1:]}."
    return (
        f"A is what {first} does, B what {second} does. {percent(question.share, 0)} of the cost "
        f"matrices that are still possible prefer A, {percent(1 - question.share, 0)} prefer B: "
        "this is the question whose answer leaves the least to regret. Who cannot say stops here, "
        "with everything said so far."
    )


def _show(
    talk: MatrixElicitation, chosen: tuple[str, float], at_ends: dict[str, str], args: Any
) -> None:
    """Print what is known of each cost, and the model that can lose least."""
    best, regret = chosen
    rows, middle = talk.frame().rows(), talk.middle
    if args.json:
        facts = {"recommendation": best, "regret": regret, "cells": rows,
                 "answers": [each.said for each in talk.statements]}  # fmt: skip
        if at_ends:
            facts["recommendation_at_ends"] = at_ends
        print_json(facts)
        return
    truth, decision = ([row[key] for row in rows] for key in ("truth", "decision"))
    pairs = zip(truth, decision, strict=True)
    print()
    print_columns(
        Column("truth", truth, label=True),
        Column("decision", decision, label=True),
        Column("least", [plain(row["least"], 3) for row in rows]),
        Column("middle", [plain(middle.cost(*pair), 3) for pair in pairs]),
        Column("most", [plain(row["most"], 3) for row in rows]),
    )
    unit = talk.unit or ("", "")
    print(f"(in units of '{unit[0]}' decided as '{unit[1]}')\n")
    print_wrapped(
        f"Take {best}: for every matrix drawn from what is still possible, it loses at most "
        f"{regret:.3f} of the cost of the best constant decision."
    )
    if at_ends and set(at_ends.values()) == {best}:
        print_wrapped(f"The same at every end: {'; '.join(at_ends)}.")
    elif at_ends:
        said = "; ".join(f"at {where} it would be {name}" for where, name in at_ends.items())
        print_wrapped(f"{said[:1].upper()}{said[1:]}.")
