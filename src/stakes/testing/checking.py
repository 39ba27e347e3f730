"""Run the laws on one metric: a report to read, or an assertion for a test suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._random import as_generator
from stakes.audit import compliance
from stakes.audit.count_metric import as_count_metric
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.testing.laws import LAWS, LawResult
from stakes.typing import FloatArray

__all__ = ["LawReport", "assert_laws", "check_laws"]

#: Tables of counts that each law is tried on.
TABLES = 2000
EVERY = (*LAWS, "cost")


@dataclass(frozen=True, slots=True)
class LawReport:
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
        return Frame(
            {
                "law": [result.law for result in self.results],
                "kept": [result.kept for result in self.results],
                "tried": [result.tried for result in self.results],
                "witness": [result.witness for result in self.results],
            }
        )

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

    For people who write a metric of their own and want to know what it will do to a ranking
    before anybody relies on it.

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
        Direction of a function of one's own; yes by default.
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
    A law is kept when none of 2 000 tables breaks it; this is a search, no proof.

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
    wanted = EVERY if laws is None else tuple(laws)
    unknown = [law for law in wanted if law not in EVERY]
    if unknown:
        raise DataError(f"`laws` must be among {', '.join(EVERY)}; got {', '.join(unknown)}.")
    counted = as_count_metric(metric, higher_is_better=higher_is_better, application=application)
    tables = _tables(n_classes, as_generator(rng))
    results = []
    for law in wanted:
        if law == "cost":
            found = compliance(metric, n_classes=n_classes, higher_is_better=higher_is_better,
                               application=application)  # fmt: skip
            witness = "" if found.compliant else found.sentence.rstrip(".")
            meaning = "it ranks as an expected cost does"
            results.append(LawResult(law, meaning, found.compliant, TABLES, witness))
        else:
            tried, witness = LAWS[law](counted, tables)
            meaning = (LAWS[law].__doc__ or "").rstrip(".")
            results.append(LawResult(law, meaning, not witness, tried, witness))
    return LawReport(counted.name, tuple(results))


def assert_laws(metric: Any, **options: Any) -> None:
    """Fail, with the case that shows it, when a metric breaks a law; for a test suite.

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
    shares = rng.dirichlet(np.ones(n_classes), size=TABLES)
    totals = np.maximum(rng.multinomial(rng.integers(20, 2000, TABLES), shares), 2)
    rates = rng.dirichlet(np.ones(n_classes), size=totals.shape)
    tables = rng.multinomial(totals, rates).astype(np.float64)
    for decision in range(n_classes):  # systems that always decide alike
        tables[decision] = 0
        tables[decision, :, decision] = totals[decision]
    return tables
