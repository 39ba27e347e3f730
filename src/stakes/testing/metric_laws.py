"""Laws of metrics, each a function; a metric is checked by a report or by an assertion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_whole, of_kind
from stakes._guesses import AnswersGuesses
from stakes._names import one_of
from stakes._random import as_generator
from stakes.audit.compliance import compliance
from stakes.audit.count_metric import CountMetric, as_count_metric
from stakes.results import Frame, frame_of
from stakes.typing import FloatArray

#: Values that differ by less than this share of the metric's spread count as equal.
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class LawResult:
    """Whether a metric kept one law; part of what `check_laws` returns.

    Parameters
    ----------
    law : str
        Its name.
    meaning : str
        What it demands, in a sentence.
    kept : bool
        Whether no table that was tried breaks it.
    tried : int
        Number of cases with a value of the metric, on which the law was tried.
    witness : str
        The first case that breaks it, with the values; empty when it is kept.
    """

    law: str
    meaning: str
    kept: bool
    tried: int
    witness: str = ""


def _defined(metric: CountMetric, tables: FloatArray) -> tuple[int, str]:
    """Every table with cases of each class has a value."""
    values = metric.values(tables)
    bad = np.flatnonzero(~np.isfinite(values))
    words = f"{_table(tables[bad[0]])} has the value {values[bad[0]]:g}" if bad.size else ""
    return tables.shape[0], words


def _scale(metric: CountMetric, tables: FloatArray) -> tuple[int, str]:
    """Twice the same data give the same value."""
    return _same_value(metric, tables, 2 * tables, ", but {} when every case counts twice")


def _improvement(metric: CountMetric, tables: FloatArray) -> tuple[int, str]:
    """A case moved from an error to its right decision never makes the value worse."""
    before, after = [], []
    for truth, decision in np.ndindex(tables.shape[1:]):
        if decision != truth:
            before.append(tables[tables[:, truth, decision] >= 1])
            after.append(before[-1].copy())
            after[-1][:, truth, [decision, truth]] += -1, 1
    old, new = np.concatenate(before), np.concatenate(after)
    first, second = metric.scores(old), metric.scores(new)
    with np.errstate(invalid="ignore"):
        bad = second < first - _margin(first)
    return _first(bad, first + second, lambda i: (
        f"{_table(new[i])} is worse than {_table(old[i])}, which has one error more: "
        f"{_said(metric, second[i])} against {_said(metric, first[i])}"))  # fmt: skip


def _parts(metric: CountMetric, tables: FloatArray) -> tuple[int, str]:
    """A system that is better on both halves of the data is better on all of them."""
    # Systems A and B on one half of the data, and on another with other class totals.
    a1, a2 = tables[::2], tables[1::2]
    b1, b2 = _decided_anew(a1, 1), _decided_anew(a2, 2)
    gains = [metric.scores(a) - metric.scores(b) for a, b in ((a1, b1), (a2, b2))]
    whole = metric.scores(a1 + a2) - metric.scores(b1 + b2)
    gap = _margin(metric.scores(tables))
    with np.errstate(invalid="ignore"):
        sign = np.sign(gains[0])
        agree = (sign * gains[0] > gap) & (sign * gains[1] > gap)
        bad = agree & (sign * whole < -gap)
    return _first(bad, np.where(agree, whole, np.nan), lambda i: (
        f"on the halves {_table(a1[i])} and {_table(a2[i])} are both "
        f"{'better' if sign[i] > 0 else 'worse'} than {_table(b1[i])} and {_table(b2[i])}; "
        "on all cases together it is the other way round"))  # fmt: skip


def _relabelling(metric: CountMetric, tables: FloatArray) -> tuple[int, str]:
    """Naming the classes in another order changes nothing: no class is preferred."""
    return _same_value(
        metric, tables, tables[:, ::-1, ::-1], ", and {} with the classes in reverse"
    )


def _same_value(
    metric: CountMetric, tables: FloatArray, changed: FloatArray, words: str
) -> tuple[int, str]:
    """Whether tables keep their value under a change that should not matter."""
    once, other = metric.values(tables), metric.values(changed)
    with np.errstate(invalid="ignore"):
        bad = np.abs(once - other) > _margin(once)
    return _first(
        bad,
        once + other,
        lambda i: f"{_table(tables[i])} has {once[i]:.6g}" + words.format(f"{other[i]:.6g}"),
    )


#: The function that tries each law. `cost` is tried by `stakes.audit.compliance`.
_LAWS: dict[str, Callable[[CountMetric, FloatArray], tuple[int, str]]] = {
    "defined": _defined,
    "scale": _scale,
    "improvement": _improvement,
    "parts": _parts,
    "relabelling": _relabelling,
}


def _margin(values: FloatArray) -> float:
    """The least difference that counts between values of this spread."""
    finite = values[np.isfinite(values)]
    return _CLOSE * max(float(np.ptp(finite)), 1e-300) if finite.size else 0.0


def _first(bad: Any, values: FloatArray, say: Callable[[int], str]) -> tuple[int, str]:
    """Number of cases with values, and a sentence about the first bad one."""
    tried = int(np.isfinite(values).sum())
    if not tried:
        return 0, "no table that was tried has a value"
    return tried, say(int(np.argmax(bad))) if bad.any() else ""


def _decided_anew(tables: FloatArray, seed: int) -> FloatArray:
    """Other tables with the same class totals; the decisions of each class are drawn anew."""
    rng = np.random.default_rng(seed)
    totals = tables.sum(axis=2).astype(np.int64)
    shares = rng.dirichlet(np.ones(tables.shape[2]), size=totals.shape)
    return rng.multinomial(totals, shares).astype(np.float64)


def _said(metric: CountMetric, score: float) -> str:
    return f"{score if metric.higher_is_better else -score:.6g}"


def _table(counts: FloatArray) -> str:
    return str(counts.astype(np.int64).tolist())


#: Tables of counts that each law is tried on.
_TABLES = 2000
_EVERY = (*_LAWS, "cost")


@dataclass(frozen=True, slots=True)
class LawReport(AnswersGuesses):
    """Which laws a metric kept; made by `check_laws`.

    Parameters
    ----------
    metric : str
        Its name.
    results : tuple of LawResult
        One for each law that was tried.
    """

    metric: str
    results: tuple[LawResult, ...]

    @property
    def broken(self) -> tuple[LawResult, ...]:
        """The laws that it breaks."""
        return tuple(result for result in self.results if not result.kept)

    def frame(self) -> Frame:
        """One row for each law."""
        rows = [(each.law, each.kept, each.tried, each.witness) for each in self.results]
        return frame_of(("law", "kept", "tried", "witness"), rows)

    def __str__(self) -> str:
        lines = [
            f"{'kept  ' if result.kept else 'BROKEN'}  {result.law}: {result.meaning}"
            + ("" if result.kept else f"\n        {result.witness}.")
            for result in self.results
        ]
        return "\n".join([f"{self.metric}, {len(self.results)} laws:", *lines])


def check_laws(
    metric: Any, *, laws: Sequence[str] | None = None, n_classes: int = 2,
    higher_is_better: bool | None = None, application: Any = None, rng: Any = 0,
) -> LawReport:  # fmt: skip
    """Try a metric on random tables of counts and report which laws it keeps.

    Use it for a metric of your own, to see what it does to a ranking before you rely on it.

    Parameters
    ----------
    metric : str, Metric or callable
        A name in the catalogue, or a function of a (K, K) array of counts, rows true classes,
        that returns a number.
    laws : sequence of str, optional
        Which ones; all by default. "defined": every table has a value. "scale": twice the same
        data give the same value. "improvement": an error put right never makes it worse.
        "parts": a system better on both halves of the data is better on all. "relabelling": no
        class is preferred. "cost": it ranks as an expected cost does, so that some cost matrix
        explains it (`stakes.audit.compliance`).
    n_classes : int
        Number of classes of the tables.
    higher_is_better : bool, optional
        Direction of a function of your own; default, True.
    application : Application, optional
        Costs for catalogued metrics that need some.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.

    Returns
    -------
    LawReport
        With the first case that breaks each broken law.

    Notes
    -----
    A law counts as kept if none of 2 000 tables breaks it; this is a search, not a proof.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, eq 17, for the law "cost".

    Examples
    --------
    >>> def profit(counts):
    ...     return 40 * counts[1, 1] - 4 * counts[:, 1].sum()
    >>> [result.law for result in check_laws(profit).broken]
    ['scale', 'relabelling']
    >>> print(check_laws("f1", laws=["improvement", "cost"]).results[1].kept)
    False
    """
    asked = _EVERY if laws is None else of_kind(laws, "laws", Iterable)
    wanted = tuple(one_of(law, "laws", _EVERY) for law in asked)
    counted = as_count_metric(metric, higher_is_better=higher_is_better, application=application)
    tables = _tables(as_whole(n_classes, "n_classes", least=2, most=100), as_generator(rng))
    results = []
    for law in wanted:
        if law == "cost":
            found = compliance(metric, n_classes=n_classes, higher_is_better=higher_is_better,
                               application=application)  # fmt: skip
            tried, witness = _TABLES, "" if found.compliant else found.sentence.rstrip(".")
            meaning = "it ranks as an expected cost does"
        else:
            tried, witness = _LAWS[law](counted, tables)
            meaning = (_LAWS[law].__doc__ or "").rstrip(".")
        results.append(LawResult(law, meaning, not witness, tried, witness))
    return LawReport(counted.name, tuple(results))


def assert_laws(metric: Any, **options: Any) -> None:
    """Fail if a metric breaks a law, and show the case; for a test suite.

    Parameters
    ----------
    metric : str, Metric or callable
        As in `check_laws`.
    **options
        The other parameters of `check_laws`; name the laws that the metric is meant to keep.

    Raises
    ------
    AssertionError
        When a law is broken.

    Examples
    --------
    >>> def hits(counts):
    ...     return counts[1, 1] / counts[1].sum()
    >>> assert_laws(hits, laws=["scale", "improvement"])
    >>> assert_laws(hits, laws=["relabelling"])
    Traceback (most recent call last):
    AssertionError: hits, 1 laws:
    BROKEN  relabelling: ...
    """
    report = check_laws(metric, **options)
    if report.broken:
        raise AssertionError(str(report))


def _tables(n_classes: int, rng: np.random.Generator) -> FloatArray:
    """Tables of whole cases with every class present, from balanced to rare."""
    shares = rng.dirichlet(np.ones(n_classes), size=_TABLES)
    totals = np.maximum(rng.multinomial(rng.integers(20, 2000, _TABLES), shares), 2)
    rates = rng.dirichlet(np.ones(n_classes), size=totals.shape)
    tables = rng.multinomial(totals, rates).astype(np.float64)
    for decision in range(n_classes):  # systems with a constant decision
        tables[decision] = 0
        tables[decision, :, decision] = totals[decision]
    return tables
