"""Systems compared when costs or priors are only known roughly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._guesses import AnswersGuesses
from stakes.application import UncertainApplication
from stakes.application.uncertain import Draws
from stakes.exceptions import CostError, DataError
from stakes.metrics.scores.pareto_hull import expanded_systems
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, RandomSource


@dataclass(frozen=True, eq=False, repr=False)
class UncertainComparison(AnswersGuesses):
    """Costs of several systems under doubt; see `compare_under_uncertainty`.

    Parameters
    ----------
    names : tuple of str
        The systems.
    expected : array
        Expected cost of each, exact.
    worst_regret : array
        The most that each can cost above the best system, over all that is possible.
    probability_best : array
        How probable it is that each is the cheapest; ties are shared.
    value_of_knowing : float
        What it would be worth, per case, to learn costs and priors before choosing.
    """

    names: tuple[str, ...]
    expected: FloatArray
    worst_regret: FloatArray
    probability_best: FloatArray
    value_of_knowing: float

    @property
    def best(self) -> str:
        """The system of least expected cost; ties: the earlier."""
        return self.names[int(np.argmin(self.expected))]

    @property
    def minimax(self) -> str:
        """The system of least worst regret; ties: the earlier."""
        return self.names[int(np.argmin(self.worst_regret))]

    def frame(self) -> Frame:
        """One row per system: system, expected_cost, worst_regret, probability_best."""
        return Frame(
            {
                "system": list(self.names),
                "expected_cost": self.expected,
                "worst_regret": self.worst_regret,
                "probability_best": self.probability_best,
            }
        )

    def __repr__(self) -> str:
        return (
            f"UncertainComparison(best on average {self.best!r}, safest {self.minimax!r}, "
            f"knowing more is worth {self.value_of_knowing:.4g} per case)"
        )


def compare_under_uncertainty(
    systems: Mapping[str, Any],
    application: UncertainApplication,
    *,
    draws: int = 10_000,
    rng: RandomSource = 0,
) -> UncertainComparison:
    """Compare systems when costs or priors are ranges, alternatives or distributions.

    Expected costs decide; the worst regret is for those who want no distribution; the value
    of knowing says whether it pays to find out more first.

    Parameters
    ----------
    systems : mapping of name to ConfusionMatrix or ScoreCounts
        A system with scores enters with every threshold that is worth considering, as
        ``name > threshold``.
    application : UncertainApplication
        What may be at stake.
    draws : int
        Draws for the probabilities and the value of knowing; alternatives and given samples
        are used as they are, exactly.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.

    Returns
    -------
    UncertainComparison
        Costs and regrets per case, in the unit of the costs.

    Notes
    -----
    Expected costs come from the expected matrix, without sampling. Regrets are convex in
    costs and in priors, so the worst case is looked for at the corners only: exact too. It
    speaks of what is possible, however improbable; give ranges with `Between` for it.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, eqs 18-19.
    .. [2] H. Raiffa, R. Schlaifer, "Applied Statistical Decision Theory", 1961: the expected
       value of perfect information.

    Examples
    --------
    >>> from stakes.application import Between
    >>> app = UncertainApplication([[0, 1], [Between(2, 12), 0]], priors=[0.9, 0.1])
    >>> bold, shy = ConfusionMatrix([[70, 30], [1, 9]]), ConfusionMatrix([[90, 10], [4, 6]])
    >>> found = compare_under_uncertainty({"bold": bold, "shy": shy}, app)
    >>> found.best, found.minimax, found.worst_regret.round(3)
    ('shy', 'bold', array([0.12, 0.18]))
    """
    if not isinstance(application, UncertainApplication):
        raise CostError(
            f"`application` must be an UncertainApplication; got {type(application).__name__}.",
            hint="UncertainApplication([[0, 1], [Between(5, 20), 0]])",
        )
    tables = expanded_systems(systems)
    rates, data_priors = _rates(tables, application)
    expected = application.expected
    shares = expected.resolved_priors(data_priors)
    averages = np.einsum("i,sij,ij->s", shares, rates, expected.costs.values)
    corners = _costs(application.corners(), rates, data_priors)
    worst = (corners - corners.min(axis=1, keepdims=True)).max(axis=0)
    drawn = application.given
    known = application.priors is None or isinstance(application.priors, np.ndarray)
    if drawn is None or not (known or drawn.priors is not None):
        drawn = application.sample(draws, rng=rng)
    costs = _costs(drawn, rates, data_priors)
    cheapest = costs.min(axis=1)
    is_best = np.isclose(costs, cheapest[:, None], rtol=1e-12, atol=0.0)
    chances = drawn.weights @ (is_best / is_best.sum(axis=1, keepdims=True))
    chosen = int(np.argmin(drawn.weights @ costs))
    knowing = float(drawn.weights @ (costs[:, chosen] - cheapest))
    return UncertainComparison(tuple(tables), averages, worst, chances, knowing)


def _rates(
    tables: Mapping[str, ConfusionMatrix], application: UncertainApplication
) -> tuple[FloatArray, FloatArray]:
    """Rates of each system, and the priors that the data have in common."""
    first = next(iter(tables.values()))
    by_name = (first.classes, first.decisions) == (application.classes, application.decisions)
    plain = application.classes == tuple(range(len(application.classes)))
    if not by_name and not (plain and first.counts.shape == application.base.shape):
        raise DataError(
            f"the systems have classes {first.classes} and decisions {first.decisions}; the "
            f"application has {application.classes} and {application.decisions}."
        )
    priors = np.stack([table.priors for table in tables.values()])
    if application.expected_priors is None and not np.allclose(priors, priors[0], rtol=1e-6):
        raise DataError(
            "the systems were tested on data with different class shares, so their costs cannot "
            "be compared.",
            hint="say the shares where it will run: UncertainApplication(..., priors=[...])",
        )
    return np.stack([table.rates for table in tables.values()]), priors[0]


def _costs(draws: Draws, rates: FloatArray, data_priors: FloatArray) -> FloatArray:
    """Expected cost of each system in each draw."""
    priors = draws.resolved_priors(data_priors)
    weighted = priors[:, :, None] * draws.costs
    n_systems = rates.shape[0]
    return np.asarray(weighted.reshape(len(draws), -1) @ rates.reshape(n_systems, -1).T)
