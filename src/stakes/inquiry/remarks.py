"""What was assumed, in sentences, and the command to type next."""

from __future__ import annotations

import re
import shlex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application
from stakes.evaluation import Evaluation
from stakes.evaluation.verdict import AFTER
from stakes.exceptions import StakesError
from stakes.inquiry.case_question import Asked
from stakes.inquiry.column_roles import class_columns
from stakes.inquiry.inquiry_form import Inquiry
from stakes.inquiry.truth import Cases, quoted
from stakes.messages.quantities import per_case, percent, plain
from stakes.posteriors import Posteriors

#: The probability that shows how far a base rate moves the others.
_EXAMPLE = 0.3
AS_IN_FILE = "the share of each outcome is that of the file (--prevalence says otherwise)"
ALIKE = "This assumes cases *within* each outcome look alike in both places."


def about_base_rate(cases: Cases, app: Application, inquiry: Inquiry) -> list[str]:
    """How shares that differ from those of the data were taken into account."""
    assert app.priors is not None
    if np.array_equal(app.priors, cases.priors):
        return [AS_IN_FILE]
    said, alike = both_shares(cases, app), ALIKE
    if inquiry.decisions:
        return [f"{said} The rates of each outcome were weighed by the new shares. {alike}"]
    if inquiry.posteriors_already_adjusted:
        return [f"{said} The probabilities were taken to hold for the new shares already."]
    if inquiry.kind in ("llr", "rank"):
        return [f"{said} The threshold was set for the new shares. {alike}"]
    moved = f"Each probability was moved to the new base rate{_example(cases, app)}."
    act = "'act when' is on the numbers as they stand in the file." if inquiry.scores else ""
    return [f"{said} {moved} {alike} {act}".rstrip()]


def both_shares(cases: Cases, app: Application) -> str:
    """The shares of the file and those that were given."""
    assert app.priors is not None
    if len(cases.classes) == 2:
        here, there = percent(cases.priors[1]), percent(app.priors[1])
        return f"your test set has {here} '{cases.classes[1]}'; you said {there}."
    return (
        f"your test set has {_spread(cases.classes, cases.priors)}; you said "
        f"{_spread(cases.classes, app.priors)}."
    )


def _example(cases: Cases, app: Application) -> str:
    """One probability before and after the move."""
    if len(cases.classes) != 2 or (cases.priors == 0).any():
        return ""
    assert app.priors is not None
    moved = Posteriors([_EXAMPLE]).with_priors(app.priors, old=cases.priors)
    after = f"{float(moved.values[0, 1]):.2g}"
    return f" ({_EXAMPLE:.2f} -> {after})"


def _spread(classes: tuple[str, ...], shares: NDArray[Any]) -> str:
    """Shares by name, e.g. cat 50 %, dog 30 %."""
    pairs = [f"{name} {percent(share)}" for name, share in zip(classes, shares, strict=True)]
    return ", ".join(pairs[:6]) + (f" and {len(pairs) - 6} more" if len(pairs) > 6 else "")


def about_numbers(kind: str, cases: Cases, inquiry: Inquiry) -> list[str]:
    """What decisions cannot tell, what ranks need, and which outcome does not occur."""
    said = []
    if kind == "decisions":
        said.append(
            "These are decisions, not scores, so I can compare them but not move a threshold."
        )
    elif inquiry.kind == "rank":
        said.append("scores give an order only: each fifth is decided by the threshold of the rest")
    absent = [n for n, total in zip(cases.classes, cases.totals, strict=True) if total == 0]
    if absent:
        said.append(f"no case of {quoted(absent)} in the data")
    return said


def about_switches(ev: Evaluation) -> list[str]:
    """For which costs the best of several deciders stops being it; two outcomes, two decisions."""
    app = ev.application
    if app.costs.shape != (2, 2) or len(ev) < 2:
        return []
    assert app.priors is not None
    best = ev[ev.best]
    said = []
    for other in ev.models:
        misses = app.priors[1] * (other.confusion.rates[1, 0] - best.confusion.rates[1, 0])
        alarms = app.priors[0] * (other.confusion.rates[0, 1] - best.confusion.rates[0, 1])
        if misses * alarms >= 0:
            continue  # one is never worse than the other
        ratio = plain(float(-alarms / misses), 3)
        more = "more" if misses > 0 else "less"
        said.append(
            f"{best.name} beats {other.name} as long as a miss costs {more} than {ratio} false "
            f"alarm{'' if ratio == '1' else 's'}; choosing it means that to you it does"
        )
    return said


def about_extra_decisions(ev: Evaluation) -> list[str]:
    """How often a decision that is not an outcome is taken, what it costs and what it saves."""
    app = ev.application
    extra = [j for j, name in enumerate(app.decisions) if name not in app.classes]
    if not extra or len(extra) == len(app.decisions) or len(app.decisions) < 3:
        return []
    used = ev.use(ev.best)
    said = []
    for j in extra:
        text = f"{ev.best} decides '{app.decisions[j]}' in {percent(used['share'][j], 0)} of cases"
        text += f", which costs {per_case(float(used['cost'][j]))}"
        if not np.isnan(used["saves"][j]):
            text += f" and saves {per_case(float(used['saves'][j]))}"
        said.append(text + " per case")
    return said


#: Options that say what is at stake, in the order in which they are repeated.
_PRICES = ("cost", "gain", "costs", "unit", "volume")


def calibrating(ev: Evaluation, question: Asked, inquiry: Inquiry) -> str | None:
    """The command that re-calibrates the best model, or the one that is best after that.

    None where calibration is no matter, or where `stakes calibrate` cannot read the same cases.
    """
    after = ev.best_recalibrated if ev.verdict_kind == AFTER else None
    if (ev.worth is None and after is None) or inquiry.file in (None, "-"):
        return None
    if inquiry.more:
        return None
    name = ev.best if after is None else after.name
    model = _model(name, question, inquiry)
    if model is None:
        return None
    file = f"./{inquiry.file}" if inquiry.file.startswith("-") else inquiry.file
    truth = [*_given("label", inquiry), *_given("positive", inquiry)]
    words = ["stakes", "calibrate", file, *truth, *model, *_rows(inquiry)]
    words += [*_prices(ev, inquiry), "-o", f"{_file_name(name)}_cal.json"]
    command = shlex.join(words)
    return command if command.isprintable() else None


def _option(name: str, value: Any) -> list[str]:
    """An option with its value, one word where the value looks like an option itself."""
    text = str(value)
    return [f"--{name}={text}"] if text.startswith("-") else [f"--{name}", text]


def _given(name: str, inquiry: Inquiry) -> list[str]:
    """An option as it was given; nothing if it was not."""
    value, option = getattr(inquiry, name), name.replace("_", "-")
    if value is None or value == ():
        return []
    if isinstance(value, tuple):
        return [f"--{option}", *filter(None, value)]
    return _option(option, value)


def _rows(inquiry: Inquiry) -> list[str]:
    """How rows count; gaps are filled by decisions, of which a calibration knows nothing."""
    words = [*_given("weight", inquiry), *_given("groups", inquiry)]
    return words + (["--missing", "drop"] if inquiry.missing == "drop" else [])


def _model(name: str, question: Asked, inquiry: Inquiry) -> list[str] | None:
    """Which model, and what its numbers mean; None where it cannot be named alone."""
    words = _option("scores-are", inquiry.kind) if inquiry.kind != "posterior" else []
    words += ["--narrow"] if inquiry.narrow else []
    words += ["--renormalise"] if inquiry.renormalise else []
    if inquiry.scores:
        turned = name in [word.strip() for word in (inquiry.flip or "").split(",")]
        return [*words, *(_option("flip", name) if turned else []), *_option("model", name)]
    alone = _columns_of(name, question, inquiry.proba or "")
    return None if alone is None else [*words, *_option("proba", alone)]


def _columns_of(name: str, question: Asked, proba: str) -> str | None:
    """What to give to --proba for one of its models."""
    table = question.table
    wanted = {found.model: found for found in class_columns(table, proba)}
    if len(wanted) == 1:
        return proba
    mine = wanted[name]
    starred = proba.replace("*", name, 1) if proba.count("*") > 1 else f"{name}.{proba}"
    for given in (mine.matrix or starred, ",".join(mine.by_class.values())):
        try:
            found = class_columns(table, given)
        except StakesError:
            continue
        if [(each.matrix, each.by_class) for each in found] == [(mine.matrix, mine.by_class)]:
            return given
    return None


def _prices(ev: Evaluation, inquiry: Inquiry) -> list[str]:
    """The costs and shares as they were given; costs of single cases lead to no calibration."""
    shares = _given("prevalence", inquiry)
    if isinstance(inquiry.costs, Application):  # the middle of the ranges of a file
        return [*_in_numbers(ev.application), *(shares or _shares(inquiry.costs))]
    return [word for name in _PRICES for word in _given(name, inquiry)] + shares


def _in_numbers(app: Application) -> list[str]:
    """Costs of two outcomes as words; none for more, which need a file."""
    if app.costs.shape != (2, 2):
        return []
    (tn, fp), (fn, tp) = app.costs.values.tolist()
    cells = {"fn": fn, "fp": fp, "tp": tp, "tn": tn}
    if min(cells.values()) < 0:
        words = ["--gain", *(f"{name}={0 - cost:.15g}" for name, cost in cells.items())]
    else:
        words = [
            "--cost",
            *(f"{k}={cost:.15g}" for k, cost in cells.items() if cost or k[0] == "f"),
        ]
    words += [] if app.unit is None else _option("unit", app.unit)
    return words


def _shares(app: Application) -> list[str]:
    """Shares that a file of costs says."""
    if app.priors is None:
        return []
    named = (f"{name}={share:.15g}" for name, share in zip(app.classes, app.priors, strict=True))
    return ["--prevalence", ",".join(named)]


def _file_name(model: str) -> str:
    """A model's name as that of a file in this folder."""
    return re.sub(r"[^\w.-]+", "_", model).lstrip("-") or "model"
