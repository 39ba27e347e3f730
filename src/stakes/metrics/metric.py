"""Metric: what is known of a metric, and what decisions that ignore the input score by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature
from numbers import Number
from typing import Any, Literal

import numpy as np

from stakes._checks import as_priors, is_number
from stakes._columns import as_reals, in_brief
from stakes._names import place_of
from stakes.application import Application, as_application
from stakes.exceptions import DataError, PriorError, UndefinedError
from stakes.typing import FloatArray

#: A metric of arrays of (..., K, M) counts.
Batch = Callable[..., FloatArray]


def best_naive_value(values: Batch, priors: FloatArray, n_decisions: int, higher: bool) -> float:
    """The best value over all probabilities of the decisions, always the same one included.

    `values` takes expected tables, (..., K, M): the class shares times these probabilities.
    `nan` when it is undefined for all that are tried.
    """
    sign = 1.0 if higher else -1.0

    def worth(chances: FloatArray) -> FloatArray:
        return sign * values(priors[:, None] * chances[..., None, :])

    tried = [*np.eye(n_decisions), np.full(n_decisions, 1 / n_decisions)]
    if n_decisions == priors.size:
        tried.append(priors / priors.sum())
    tried += [_climbed(worth, start) for start in tried[n_decisions:]]
    found = worth(np.array(tried))
    return sign * float(np.nanmax(found)) if not np.isnan(found).all() else float("nan")


def _climbed(worth: Batch, start: FloatArray) -> FloatArray:
    """Probabilities from which no small change is an improvement."""
    from scipy.optimize import LinearConstraint, minimize

    if not np.isfinite(worth(start)):
        return start
    floor = 1e-12  # where a decision is never taken a metric may be undefined
    found = minimize(
        lambda chances: -float(worth(chances)),
        start,
        method="SLSQP",
        bounds=[(floor, 1.0)] * start.size,
        constraints=LinearConstraint(np.ones(start.size), 1.0, 1.0),
        options={"ftol": 1e-14, "maxiter": 200},
    )
    chances = np.maximum(found.x, 0.0)
    chances = chances / chances.sum()
    return chances if worth(chances) >= worth(start) else start


@dataclass(frozen=True, eq=False, repr=False)
class Metric:
    """A metric and what is known about it.

    Entries of `stakes.metrics.catalogue` are of this type. Call one like its function.

    Parameters
    ----------
    name : str
        Its name in the catalogue, and that of `function` in `stakes.metrics`.
    function : callable
        The function of a confusion matrix.
    batch : callable
        The same for arrays of (..., K, M) counts, without checks; takes `positive` as a
        position.
    question : str
        What it answers, in a sentence.
    formula : str
        In TP, TN, FP, FN, P, N, n; or for any number of classes in `diag`, `rows` (cases
        of each class), `cols` (decisions of each kind), `total`, `K`. It is executable.
    higher_is_better : bool
        The direction.
    low, high : float
        The range.
    naive : str
        Value of the best system that ignores the input and takes each decision with a fixed
        probability, 0 and 1 included, in the class shares P1, P2 (or P) and the parameters;
        executable. Of the table to be expected: chance moves single samples both ways.
    classes : {"two", "any"}
        How many classes it takes.
    undefined : str
        When it is `nan`.
    reference : str
        Where it is defined, with equation.
    identities : tuple of str
        Exact relations to other metrics; executable.
    needs : tuple of str
        Parameters without which it cannot be computed.
    settings : mapping
        Parameters that `fixed` has set.
    of : {"table", "scores"}
        What it is computed from: a confusion matrix, or scores before any threshold.

    Examples
    --------
    >>> from stakes.metrics import catalogue
    >>> f2 = catalogue["f_beta"].fixed(beta=2)
    >>> round(f2([[90, 5], [1, 4]]), 4)
    0.6897
    >>> f2.values([[[90, 5], [1, 4]], [[95, 0], [5, 0]]]).round(4)
    array([0.6897, 0.    ])
    """

    name: str
    function: Callable[..., float]
    batch: Callable[..., FloatArray]
    question: str
    formula: str
    higher_is_better: bool
    low: float
    high: float
    naive: str
    classes: Literal["two", "any"]
    undefined: str
    reference: str
    identities: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    of: Literal["table", "scores"] = "table"

    def __call__(self, *given: Any, **parameters: Any) -> float:
        """The value at one confusion matrix, of decisions or of scores; see `function`."""
        return self.function(*given, **{**self.settings, **parameters})

    def fixed(self, **parameters: Any) -> Metric:
        """The same metric with some parameters set, e.g. ``fixed(beta=2)``."""
        known = [name for name in signature(self.function).parameters if name != "positive"][1:]
        for name, value in parameters.items():
            if name not in known:
                takes = ", ".join(known) or "none"
                raise DataError(f"`{self.name}` has no parameter {name!r}; it takes {takes}.")
            if isinstance(value, Number) and not np.isfinite(as_reals(value, name)):
                raise DataError(f"`{name}` must be finite; got {value!r}.")
        return replace(self, settings={**self.settings, **parameters})

    def with_application(self, application: Any, *, positive: int = 1) -> Metric:
        """The same metric with what it needs, and an application can tell, filled in.

        `positive` is the position of the positive class.
        """
        app = as_application(application)
        known: dict[str, Any] = {"application": app, "costs": app.costs}
        found = {name: known[name] for name in self.missing if name in known}
        if app.costs.shape == (2, 2) and {"weight", "threshold"} & set(self.missing):
            shares = app.posterior_threshold, 1 - app.posterior_threshold
            known_shares = {"threshold": shares[1 - positive], "weight": shares[positive]}
            found |= {name: known_shares[name] for name in self.missing if name in known_shares}
        return self.fixed(**found)

    @property
    def missing(self) -> tuple[str, ...]:
        """Parameters that still have to be given."""
        return tuple(name for name in self.needs if name not in self.settings)

    @property
    def label(self) -> str:
        """The name with the parameters that were set, for people."""
        shown = [f"{k}={v:g}" for k, v in self.settings.items() if isinstance(v, (int, float))]
        return f"{self.name}({', '.join(shown)})" if shown else self.name

    def values(self, counts: Any, *, positive: int = 1) -> FloatArray:
        """The value at each of many tables at once, (..., K, M) counts, which are not checked."""
        if self.missing:
            first = self.missing[0]
            hint = f'"{self.name}:{first}=...", or catalogue[{self.name!r}].fixed({first}=...)'
            if first == "application":
                hint = (
                    "say what is at stake: application=..., on the command line --cost fn=10 fp=1"
                )
            raise UndefinedError(f"`{self.name}` needs {', '.join(self.missing)}.", hint=hint)
        if self.of == "scores":
            raise DataError(
                f"`{self.name}` is a number of scores, not of a table of decisions.",
                hint=f"stakes.metrics.{self.name}(ScoreCounts.from_scores(y_true, scores, ...))",
            )
        if not is_number(positive) or place_of(positive, (0, 1)) is None:
            raise DataError(f"`positive` must be 0 or 1, a position; got {in_brief(positive)}.")
        positive = int(positive)
        table = as_reals(counts, "counts")
        shape, two = table.shape[-2:], self.classes == "two"
        square = len(shape) == 2 and shape[0] == shape[1]
        if shape != (2, 2) if two else "application" not in self.needs and not square:
            wanted = "two classes and two decisions" if two else "decisions that are the classes"
            raise DataError(f"`{self.name}` needs {wanted}; got tables of shape {shape}.")
        settings = {**self.settings, "positive": positive} if two else self.settings
        return self.batch(table, **settings)

    def naive_value(self, priors: Any, *, positive: int = 1) -> float:
        """The best value of a system that ignores the input, at these priors.

        It takes each decision with a fixed probability: always the same one, or at random. The
        value is that of the table to be expected; `nan` when it is undefined for all of them.
        """
        shares = np.asarray(as_priors(priors, range(as_reals(priors, "priors", PriorError).size)))
        app: Application | None = self.settings.get("application")
        size = shares.size if app is None else len(app.decisions)
        values = partial(self.values, positive=positive)
        return best_naive_value(values, shares, size, self.higher_is_better)

    def __repr__(self) -> str:
        arrow = "higher" if self.higher_is_better else "lower"
        return f"Metric({self.label}: {arrow} is better, {self.low:g} to {self.high:g})"


def has_positive(metric: Metric) -> bool:
    """Whether a metric takes one of two classes as the positive one."""
    return "positive" in signature(metric.function).parameters


#: What an entry is unless it says otherwise.
_USUAL: dict[str, Any] = {"low": 0.0, "high": 1.0, "classes": "two"}
_WORDS = ("question", "formula", "naive", "undefined", "reference")


def entry(
    function: Callable[..., float], batch: Batch, *words: str, higher: bool = True, **facts: Any
) -> Metric:
    """One row of the catalogue, called like its function; `words` are those of `_WORDS`."""
    facts = {**_USUAL, **dict(zip(_WORDS, words, strict=True)), **facts}
    return Metric(function.__name__, function, batch, higher_is_better=higher, **facts)
