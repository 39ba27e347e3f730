"""What decisions cost when every case has its own costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_number, as_priors, as_whole, frozen, refuse_absent, same_length
from stakes._columns import as_floats
from stakes._names import encode
from stakes.application import CaseCosts
from stakes.exceptions import DataError, UndefinedError
from stakes.results import Frame
from stakes.summaries import CostTally
from stakes.typing import FloatArray, Name, Priors

#: Say so when one case in a hundred carries more than this share of the cost.
_HEAVY_TAIL = 0.1


@dataclass(frozen=True, eq=False, repr=False)
class CaseCost:
    """What decisions cost in total, and what that is made of; see `case_cost`.

    Parameters
    ----------
    tally : CostTally
        Cases and costs by truth and decision; `stakes.uncertainty.interval` takes it.
    parts : array of shape (n_cases,)
        What each case adds to the total.
    minimum : float
        Total if every case had its cheapest decision.
    by_average : float
        Total if every case cost what its class costs on average (eq 2 of [1]_).
    constant : array of shape (n_decisions,)
        Total of always taking each decision.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eqs 1, 2 and 20.
    """

    tally: CostTally
    parts: FloatArray
    minimum: float
    by_average: float
    constant: FloatArray

    @property
    def total(self) -> float:
        """Cost of all cases together (eq 1)."""
        return float(self.parts.sum())

    @property
    def per_case(self) -> float:
        """Average cost of a case."""
        return self.total / self.parts.size

    @property
    def fluctuation(self) -> float:
        """What averages do not see: total minus `by_average` (the last terms of eq 20)."""
        return self.total - self.by_average

    @property
    def naive_decision(self) -> Name:
        """The best decision that is the same for all cases; ties: the earlier."""
        return self.tally.decisions[int(np.argmin(self.constant))]

    @property
    def normalized(self) -> float:
        """Cost above the minimum, relative to that of the best naive decision."""
        room = float(self.constant.min()) - self.minimum
        if room <= 0:
            raise UndefinedError(
                f"always deciding {self.naive_decision!r} is already perfect, so there is "
                "nothing to normalise by."
            )
        return (self.total - self.minimum) / room

    def top_share(self, share: float = 0.01) -> float:
        """Part of the cost that the costliest `share` of the cases carries."""
        return top_share(self.parts, share)

    @property
    def warning(self) -> str | None:
        """A sentence when few cases carry much of the cost, else None."""
        carried = self.top_share()
        if carried <= _HEAVY_TAIL:
            return None
        return (
            f"1 % of the cases carry {carried:.0%} of the cost; the interval is wide because of "
            "them, and counts of errors say little"
        )

    def costliest(self, n: int = 10) -> Frame:
        """The `n` costliest cases: row, cost, share of the total size of all costs."""
        rows = np.argsort(-self.parts, kind="stable")[: as_whole(n, "n", least=0)]
        whole = float(np.abs(self.parts).sum())
        shares = self.parts[rows] / whole if whole else np.zeros(rows.size)
        return Frame({"row": rows, "cost": self.parts[rows], "share": shares})

    def __repr__(self) -> str:
        return (
            f"CaseCost(total {self.total:.6g}, {self.per_case:.6g} per case, 1 % of the cases "
            f"carry {self.top_share():.0%})"
        )


def case_cost(y_true: Any, decisions: Any, *, costs: Any, priors: Priors | None = None) -> CaseCost:
    r"""Total classification cost when each case has its own costs; lower is better.

    For amounts that differ from case to case, where a confusion matrix cannot tell which
    errors were the costly ones.

    .. math:: \sum_a c_a(y_a, d_a) = \underbrace{\sum_{ij} N_{ij} \bar c_{ij}}_{by\ average}
              + fluctuation

    Parameters
    ----------
    y_true, decisions : columns of the same length
        Names or positions, as in the costs.
    costs : CaseCosts or array-like of shape (n_cases, n_classes, n_decisions)
        One cost matrix for each case.
    priors : sequence or mapping, optional
        Shares of the classes where the system will run; each class then counts by its share
        and the number of cases stays. `None`: as in the data.

    Returns
    -------
    CaseCost
        `total`, `per_case`, `normalized` by the best naive decision, `fluctuation` against
        the averages, `top_share`. In the unit of the costs.

    Notes
    -----
    Averages are those of the cases of each true class, also for the decisions not taken.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eqs 1 and 20.

    Examples
    --------
    >>> costs = CaseCosts.binary(false_positive=10.0, false_negative=[100.0, 300.0, 200.0])
    >>> found = case_cost([0, 1, 1], [1, 0, 1], costs=costs)
    >>> found.total, found.by_average, found.fluctuation
    (310.0, 260.0, 50.0)
    >>> found.naive_decision, found.normalized
    (1, 31.0)
    """
    costs = costs if isinstance(costs, CaseCosts) else CaseCosts(costs)
    truth = encode(y_true, costs.classes, "y_true").astype(np.intp)
    same_length("y_true", truth.shape[0], "costs", len(costs))
    tally = CostTally.from_decisions(y_true, decisions, costs=costs)
    chosen = encode(decisions, costs.decisions, "decisions").astype(np.intp)
    scales = _scales(tally, priors)
    weights = scales[truth]
    rows = np.arange(truth.shape[0])
    own = costs.values[rows, truth]  # (n, decisions): the row of the truth
    sums = np.zeros(tally.counts.shape)
    np.add.at(sums, truth, own)
    totals = tally.class_totals[:, None]
    averages = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
    return CaseCost(
        tally=tally,
        parts=frozen(weights * own[rows, chosen]),
        minimum=float(weights @ own.min(axis=1)),
        by_average=float((scales[:, None] * tally.counts * averages).sum()),
        constant=frozen(np.asarray(weights @ own)),
    )


def top_share(amounts: Any, share: float = 0.01) -> float:
    """Part of all costs that the costliest cases carry.

    Near `share` when costs are even; near 1 when a few cases are everything. Then the
    count of errors says little and intervals are wide.

    Parameters
    ----------
    amounts : column of float
        What each case cost; gains count by their size.
    share : float
        Which share of the cases, rounded up to whole cases.

    Returns
    -------
    float
        Between 0 and 1; 0 if nothing costs anything.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, section 4.3.

    Examples
    --------
    >>> top_share([1.0] * 99 + [101.0])
    0.505
    """
    share = as_number(share, "share")
    if not 0 < share <= 1:
        raise DataError(f"`share` must lie above 0 and not above 1; got {share!r}.")
    sizes = np.abs(as_floats(amounts, "amounts").astype(np.float64))
    whole = float(sizes.sum())
    if not np.isfinite(whole):
        raise DataError(f"`amounts` must add to a finite number; they add to {whole:g}.")
    if whole == 0:
        return 0.0
    count = max(1, int(np.ceil(share * sizes.size - 1e-9)))
    top = np.partition(sizes, sizes.size - count)[sizes.size - count :]
    return float(top.sum()) / whole


def _scales(tally: CostTally, priors: Priors | None) -> FloatArray:
    """What a case of each class counts."""
    totals = tally.class_totals
    if priors is None:
        return np.ones(totals.size)
    shares = as_priors(priors, tally.classes)
    refuse_absent(tally.classes, shares, totals > 0)
    return np.divide(tally.total * shares, totals, out=np.zeros(totals.size), where=totals > 0)
