"""Metrics of a summary that also take the two columns behind it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

import numpy as np

from stakes._columns import as_column
from stakes._guesses import CallError, answers_guesses, in_our_words
from stakes._names import as_name, encode, listed, observed_names, unclear_second, which_positive
from stakes.application import as_application
from stakes.application.cost_input import application_of, refuse_other_positive
from stakes.exceptions import DataError, LabelError
from stakes.summaries import ConfusionMatrix, ScoreCounts
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import Name

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
#: What a summary is counted with, beside its two columns.
_COUNTED = ("sample_weight", "counts", "classes")
_SCORED = (*_COUNTED, "kind", "from_priors", "positive")


class FromColumns(Protocol[P, R_co]):
    """A metric of a summary, or of the true labels and what was said of each case."""

    @overload
    def __call__(self, summary: Any, /, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(self, y_true: Any, said: Any, /, *args: Any, **kwargs: Any) -> R_co: ...


def of_decisions(function: Callable[Concatenate[Any, P], R]) -> FromColumns[P, R]:
    """Let a metric of a confusion matrix take ``(y_true, decisions)`` in its place.

    `sample_weight`, `counts` and `classes` may then be given too; costs name the classes, or
    `positive` is given beside them.
    """
    costs = "application" in inspect.signature(function).parameters
    extra = (*_COUNTED, "positive") if costs else _COUNTED
    found: FromColumns[P, R] = _either(function, ConfusionMatrix, "decisions", extra, _table)
    return found


def of_scores(function: Callable[Concatenate[Any, P], R]) -> FromColumns[P, R]:
    """Let a metric of counted scores take ``(y_true, scores)`` in their place.

    `kind`, `positive` and what else `ScoreCounts.from_scores` asks for may then be given too.
    """
    found: FromColumns[P, R] = _either(function, RankedScores, "scores", _SCORED, _scores)
    return found


def _either(
    function: Callable[..., Any], summary: type, second: str, extra: tuple[str, ...], counted: Any
) -> Any:
    """The function with a second way to call it."""
    signature = inspect.signature(function)
    first, *others = signature.parameters
    own = [name for name in extra if name not in others]
    known = frozenset((*signature.parameters, *extra, "y_true", second))
    inner, name = answers_guesses(function), function.__name__
    also = ["y_true", second, *(n for n in others if _is_positional(signature.parameters[n]))]
    line = f"{name}({', '.join(also)})"

    def call(*given: Any, **options: Any) -> Any:
        if not options.keys() <= known:
            options = in_our_words(name, options, known)
        if "y_true" in options:
            given = (options.pop("y_true"), options.pop(second, None), *given)
        elif len(given) == 1 and second in options and second != first:
            given = (*given, options.pop(second))
        if len(given) < 2 or isinstance(given[0], summary) or not _is_column(given[0]):
            return inner(*given, **options)
        several = _holds_several(given[1])
        if several or isinstance(given[1], Mapping):
            more = _typed(given, options, scored=summary is RankedScores)
            place = f"stakes.{function.__module__.split('.')[1]}.{name}"
            each = f"{{model: {place}(y_true, p{more}) for model, p in models.items()}}"
            if several:
                each = (
                    f"{{model: {place}(y_true, models[model]{more}) for model in models.columns}}"
                )
            if place.startswith("stakes.curves."):
                each += f"; to draw them  {place.replace('curves', 'plots')}({{...}}) of these"
            raise CallError(f"{name}() takes one model at a time.", hint=each)
        told = {name: options.pop(name) for name in own if name in options}
        try:
            bound = signature.bind_partial(None, *given[2:], **options)
        except TypeError as wrong:
            raise CallError(f"{name}() is called with {wrong}.", hint=line) from None
        bound.apply_defaults()
        asked = bound.arguments
        found = counted(given[0], given[1], asked, told)
        return inner(found, **{name: asked[name] for name in others if name in asked})

    return _in_its_place(call, function, f"Also of columns: ``{line}``.")


def _typed(given: Sequence[Any], options: Mapping[str, Any], *, scored: bool) -> str:
    """The arguments after the columns as they were typed, and those that would be asked for."""
    plain = {k: v for k, v in options.items() if isinstance(v, (str, int, float, dict))}
    said = [f"{k}={v!r}" if k in plain else f"{k}=..." for k, v in options.items()]
    said = [*("..." for _ in given[2:]), *said]
    if scored and "classes" not in options:
        names = observed_names(as_column(given[0], "y_true"))
        if "positive" not in options and len(names) == 2 and isinstance(names[0], str):
            said.append(which_positive(names).partition(" or ")[0])
        if "kind" not in options and _all_probabilities(given[1]):
            said.append("kind='posterior'")
    return "".join(f", {each}" for each in said)


def _all_probabilities(models: Any) -> bool:
    """Whether several columns of scores all lie from 0 to 1."""
    columns = (
        models.values() if isinstance(models, Mapping) else (models[n] for n in models.columns)
    )
    try:
        return all(
            bool(((p := np.asarray(each)) >= 0).all() and (p <= 1).all()) for each in columns
        )
    except TypeError:
        return False


def _in_its_place(call: Callable[..., Any], function: Callable[..., Any], also: str) -> Any:
    """A function that stands for another, with one more sentence in its docstring.

    It has the globals of the other, by which doctest knows the functions of a file.
    """

    def metric(*given: Any, **options: Any) -> Any:
        return call(*given, **options)

    space: Any = getattr(function, "__globals__")  # noqa: B009
    found = FunctionType(metric.__code__, space, function.__name__, None, metric.__closure__)
    functools.update_wrapper(found, function)
    head, gap, tail = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
    found.__doc__ = f"{head}\n\n{also}{gap}{tail}"
    return found


def _is_positional(parameter: inspect.Parameter) -> bool:
    """Whether a parameter is positional and required."""
    return (
        parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is parameter.empty
    )


def _holds_several(given: Any) -> bool:
    """Whether a data frame of several models was given."""
    return (
        hasattr(given, "columns") and len(getattr(given, "shape", ())) == 2 and given.shape[1] > 1
    )


def _is_column(given: Any) -> bool:
    """Whether labels were given: one for each case."""
    if isinstance(given, (list, tuple)):
        return not any(isinstance(each, (list, tuple, np.ndarray)) for each in given[:1])
    shape = getattr(given, "shape", None)
    return isinstance(shape, tuple) and len(shape) == 1


def _ask_which(names: tuple[Name, ...], positive: Any) -> None:
    """Raise where nothing says which of two words is the positive class."""
    if positive is None and unclear_second(names):
        raise LabelError(
            f"`y_true` holds {listed(names)}: which one is the positive class?",
            hint=" or ".join(f"positive={name!r}" for name in reversed(names)),
        )


def refuse_probabilities(decisions: Any, labels: Any, application: Any, positive: Any) -> None:
    """Raise for probabilities in place of decisions, before anything else is asked."""
    chosen = as_column(decisions, "decisions")
    if chosen.dtype.kind != "f" or not ((chosen >= 0) & (chosen <= 1)).all():
        return
    app = as_application(application)
    if any(isinstance(name, float) for name in app.decisions):  # such as discounts
        return
    truth = as_column(labels, "y_true")
    if truth.dtype.kind == "f" or np.isin(chosen, [0.0, 1.0]).all():
        return
    names = observed_names(truth)
    more = f", with positive={positive!r}" if positive is not None else ""
    if not more and app.classes == (0, 1) and len(names) == 2 and isinstance(names[0], str):
        more = f", with {which_positive(names)}"
    raise LabelError(
        f"`decisions` holds probabilities, from {chosen.min():g} to {chosen.max():g}.",
        hint=f"decide first: stakes.bayes_decisions(p, costs) in place of p{more}",
    )


def _table(
    y_true: Any, decisions: Any, asked: dict[str, Any], told: dict[str, Any]
) -> ConfusionMatrix:
    """The confusion matrix over the names of the costs, if there are any, or of the labels."""
    names: dict[str, Any] = {}
    if asked.get("application") is not None:
        positive = told.pop("positive", None)
        which = asked.get("positive", positive)
        refuse_probabilities(decisions, y_true, asked["application"], which)
        app = application_of(asked["application"], y_true, which, told.get("classes"))
        asked["application"] = app
        refuse_other_positive(app, positive)
        names = {"classes": app.classes, "decision_names": app.decisions}
    elif "classes" not in told:
        truth, chosen = as_column(y_true, "y_true"), as_column(decisions, "decisions")
        known = observed_names(truth)
        if chosen.dtype.kind == "f" and not np.isin(chosen, [0.0, 1.0]).all():
            encode(chosen, known, "decisions")  # probabilities are none, and it says so
        names = {"classes": observed_names(truth, chosen)}
        if "positive" in asked:
            _ask_which(names["classes"], asked["positive"])
    return ConfusionMatrix.from_decisions(y_true, decisions, **(names | told))


def _scores(y_true: Any, scores: Any, asked: dict[str, Any], told: dict[str, Any]) -> ScoreCounts:
    """The counted scores; `positive` is the class that high ones speak for."""
    positive = as_name(told.pop("positive", None), "positive")
    if asked.get("application") is not None:
        app = asked["application"] = as_application(asked["application"])
        if len(app.classes) == 2 and tuple(app.classes) != (0, 1):
            told.setdefault("classes", app.classes)
    if positive is not None and told.get("classes") is None:
        names = observed_names(as_column(y_true, "y_true"))
        others = [name for name in names if name != positive]
        if len(others) != 1:
            raise LabelError(f"`positive` must be one of two classes; got {positive!r} beside "
                             f"{listed(others)}.")  # fmt: skip
        told["classes"] = (others[0], positive)
    elif told.get("classes") is None:
        _ask_which(observed_names(as_column(y_true, "y_true")), None)
    elif positive is not None and positive != tuple(told["classes"])[1]:
        raise DataError(f"high scores speak for the second of {listed(tuple(told['classes']))}; "
                        f"`positive` is {positive!r}.")  # fmt: skip
    return ScoreCounts.from_scores(y_true, scores, **told)
