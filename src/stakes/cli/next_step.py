"""The command that would re-calibrate a model, with all that was said of the file and the place."""

from __future__ import annotations

import re
import shlex
from typing import Any

from stakes.application import Application
from stakes.cli.asked import Asked
from stakes.cli.columns import class_columns
from stakes.evaluation import Evaluation
from stakes.evaluation.verdicts import AFTER
from stakes.exceptions import StakesError

__all__ = ["calibrating"]

#: Options that say what is at stake, in the order in which they are repeated.
PRICES = ("cost", "miss", "false_alarm", "gain", "costs", "unit", "volume")


def calibrating(ev: Evaluation, question: Asked, args: Any) -> str | None:
    """The command that re-calibrates the best model, or the one that is best after that.

    None where calibration is no matter, or where `stakes calibrate` cannot read the same cases.
    """
    after = ev.best_recalibrated if ev.verdict_kind == AFTER else None
    if (ev.worth is None and after is None) or args.file in (None, "-"):
        return None
    if getattr(args, "more", None):
        return None
    name = ev.best if after is None else after.name
    model = _model(name, question, args)
    if model is None:
        return None
    file = f"./{args.file}" if args.file.startswith("-") else args.file
    truth = [*_given("label", args), *_given("positive", args)]
    words = ["stakes", "calibrate", file, *truth, *model, *_rows(args)]
    words += [*_prices(ev, args), "-o", f"{_file_name(name)}_cal.json"]
    command = shlex.join(words)
    return command if command.isprintable() else None


def _option(name: str, value: Any) -> list[str]:
    """An option with its value, one word where the value looks like an option itself."""
    text = str(value)
    return [f"--{name}={text}"] if text.startswith("-") else [f"--{name}", text]


def _given(name: str, args: Any) -> list[str]:
    """An option as it was given; nothing if it was not."""
    value, option = getattr(args, name, None), name.replace("_", "-")
    if value is None or (value == [] and name != "gain"):
        return []
    if isinstance(value, list):
        return [f"--{option}", *value]
    return _option(option, value)


def _rows(args: Any) -> list[str]:
    """How rows count; gaps are filled by decisions, of which a calibration knows nothing."""
    words = [*_given("weight", args), *_given("group", args)]
    return words + (["--missing", "drop"] if args.missing == "drop" else [])


def _model(name: str, question: Asked, args: Any) -> list[str] | None:
    """Which model, and what its numbers mean; None where it cannot be named alone."""
    words = _option("scores-are", args.scores_are) if args.scores_are != "prob" else []
    words += ["--narrow"] if getattr(args, "narrow", False) else []
    words += ["--renormalise"] if args.renormalise else []
    if args.scores:
        turned = name in [word.strip() for word in (args.flip or "").split(",")]
        return [*words, *(_option("flip", name) if turned else []), *_option("model", name)]
    alone = _columns_of(name, question, args.proba)
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


def _prices(ev: Evaluation, args: Any) -> list[str]:
    """The costs and shares as they were given; costs of single cases lead to no calibration."""
    shares = _given("prevalence", args)
    if isinstance(args.costs, Application):  # the middle of the ranges of a file
        return [*_in_numbers(ev.application), *(shares or _shares(args.costs))]
    return [word for name in PRICES for word in _given(name, args)] + shares


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
