"""What `stakes ask` learnt: printed, as JSON, and kept in a file."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from stakes.application.cost_sentences import spoken
from stakes.cli.show.fixed_width import Column, print_columns
from stakes.cli.show.terminal import bold, print_json, print_wrapped
from stakes.elicitation import Elicitation, Statement, write_answers
from stakes.exceptions import DataError, FormatError
from stakes.inquiry.option_words import volume
from stakes.messages.audience import shown
from stakes.messages.quantities import cut_text, percent

MOST_CHOICES = 8
#: With a normalised cost above this a model is not worth telling from a constant decision.
USELESS = 0.99


def show(talk: Elicitation, args: Any) -> None:
    """Print the ratio, what it rests on, and what it means for the choice."""
    ends = getattr(args, "prior_ends", ())
    at_ends = [replace(talk, priors=end).recommendation for end in ends if talk.systems]
    if args.json:
        facts = _facts(talk)
        if ends:
            facts["prior_range"] = list(ends)
            facts["recommendation_at_ends"] = at_ends
        print_json(facts)
        return
    print()
    if not talk.statements:
        print("No question was answered, so nothing was learnt.")
        return
    print("What you said:")
    for said, times in Counter(f"{s.said}{_implied(s)}" for s in talk.statements).items():
        print_wrapped(said + " (asked twice)" * (times > 1), first="  ", rest="    ")
    print()
    sentence = talk.ratio.describe(talk.classes[1])
    print_wrapped(bold(sentence[:1].upper() + sentence[1:] + "."))
    low, high = (cut_text(1 / (1 + end)) for end in (talk.ratio.high, talk.ratio.low))
    cut = f"is {low}" if low == high else f"lies between {low} and {high}"
    print_wrapped(f"So the threshold {cut}, if the probabilities are calibrated.")
    if talk.systems:
        _show_choice(talk)
        if ends and set(at_ends) == {talk.recommendation}:  # over a range of shares
            print_wrapped(f"The same at both ends, {percent(ends[0])} and {percent(ends[1])}.")
        elif ends:
            first, last = map(percent, ends)
            print_wrapped(f"At {first} it would be {at_ends[0]}, at {last} {at_ends[1]}.")
    elif talk.question is not None:
        print_wrapped("More answers would narrow it down further.")


def _show_choice(talk: Elicitation) -> None:
    """Each choice over the range, who is best where, and what to take."""
    rows = talk.comparison().rows()[:MOST_CHOICES]
    print()
    numbers = {"NEC low end": "nec_low", "mean": "nec_mean", "high end": "nec_high",
               "worst regret": "worst_regret"}  # fmt: skip
    print_columns(
        Column("choice", [row["choice"] for row in rows], label=True),
        *(Column(title, [f"{row[key]:.3f}" for row in rows]) for title, key in numbers.items()),
    )
    print("(best threshold on this data for each ratio: optimistic)")
    print()
    for row in talk.winners().rows():
        where = f"from {_ratio(row['from_ratio'])} to {_ratio(row['to_ratio'])} false alarms a miss"
        useless = min(row["nec_from"], row["nec_to"]) >= USELESS
        best = "no model matters, a constant decision is as good" if useless else row["choice"]
        print_wrapped(f"{where}: {best}", first="  ", rest="    ")
    print()
    done = "" if talk.question is None else " More answers would make it surer."
    above = f"at most {talk.regret:.3f} above" if talk.regret >= 0.0005 else "less than 0.001 above"
    print_wrapped(
        f"Take {talk.recommendation}: whatever a miss costs in that range, its NEC is {above} that "
        f"of the best choice.{done}"
    )


def keep(talk: Elicitation, args: Any) -> None:
    """Write costs and answers to a file."""
    path = toml_path(args.output)
    number, period = volume(args.volume)
    write_answers(talk, path, note=args.payers, unit=args.unit, volume=number, period=period)
    say_kept(args)


def refuse_unanswered(talk: Any) -> None:
    """Raise rather than keep costs that come from no answer."""
    if not talk.statements:
        raise DataError(
            "no question was answered, so nothing was learnt and nothing was saved.",
            hint="answer one or more, or state the costs:  stakes eval FILE --cost fn=10 fp=1",
        )


def say_kept(args: Any) -> None:
    """Print where the answers are."""
    if not args.json:
        where = shown(args.output)
        print(f"\nkept in {where}; use it with:  stakes eval ... --costs {where}")


def toml_path(given: str) -> Path:
    """Where answers are kept."""
    path = Path(given)
    if path.suffix.lower() != ".toml":
        raise FormatError(f"answers are kept as TOML; got {path.name!r}.", hint="-o costs.toml")
    return path


def _facts(talk: Elicitation) -> dict[str, Any]:
    """The result for programs."""
    facts: dict[str, Any] = {
        "false_alarms_per_miss": [talk.ratio.low, talk.ratio.high],
        "middle": talk.ratio.middle,
        "prior": talk.prior,
        "done": talk.question is None,
        "answers": [
            {name: getattr(s, name) for name in ("said", "route", "low", "high")}
            for s in talk.statements
        ],
    }
    if talk.question is not None:
        names = ("cases", "misses", "alarms", "ratio")
        facts["next_question"] = {name: getattr(talk.question, name) for name in names}
    if talk.systems:
        facts |= {
            "recommendation": talk.recommendation,
            "regret": talk.regret,
            "winners": talk.winners().rows(),
        }
    return facts


def _implied(said: Statement) -> str:
    """What a statement implies, in few characters."""
    low, high = _ratio(said.low), _ratio(said.high)
    if said.high == math.inf:
        between = f"more than {low}"
    elif said.low == 0:
        between = f"less than {high}"
    else:
        between = low if low == high else f"{low} to {high}"
    return f"  -> {between} false alarms a miss" if said.low > 0 or said.high < math.inf else ""


def _ratio(value: float) -> str:
    """A ratio with three digits, never in powers of ten."""
    return spoken(float(f"{value:.3g}"))
