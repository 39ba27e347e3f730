"""Costs built from amounts: formulas over a few named quantities, known or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stakes._random import as_generator
from stakes.application.application import Application
from stakes.application.case_costs import case_costs
from stakes.application.cost_matrix import CostMatrix
from stakes.application.uncertain import UncertainApplication
from stakes.application.unknowns import Unknown
from stakes.exceptions import CostError
from stakes.typing import RandomSource


def costs_from_amounts(
    amounts: Mapping[Any, Mapping[Any, Any]],
    quantities: Mapping[str, Any] | None = None,
    *,
    gains: bool = False,
    decisions: Sequence[Any] | None = None,
    unit: str | None = None,
    n_samples: int = 2000,
    rng: RandomSource = 0,
) -> Application | UncertainApplication:
    """What is at stake, from formulas over named quantities such as rates and fees.

    For decisions whose outcomes can be said in money: write down what each decision earns or
    costs for each outcome, in terms of what is known. Quantities that are only known roughly
    make an uncertain application.

    Parameters
    ----------
    amounts : mapping of outcome to mapping of decision to amount
        An amount is a number or a formula over `quantities`; see `CostExpression`.
    quantities : mapping of name to number or unknown, optional
        The values of the names in the formulas.
    gains : bool
        The amounts are gains; costs are their negatives.
    decisions : sequence of names, optional
        Their order; that of the first outcome if absent.
    unit : str, optional
        What an amount of 1 is.
    n_samples : int
        Draws, when a quantity is unknown.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.

    Returns
    -------
    Application or UncertainApplication
        The latter when a quantity is unknown.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 2.2.

    Examples
    --------
    A loan that is denied, or approved at a high or a standard rate; gains per unit lent:

    >>> loan = costs_from_amounts(
    ...     {"repays": {"deny": 0, "high": "accepts*high_rate", "standard": "standard_rate"},
    ...      "defaults": {"deny": 0, "high": "paid*(1 + high_rate) - 1",
    ...                   "standard": "paid*(1 + standard_rate) - 1"}},
    ...     {"accepts": 0.5, "high_rate": 0.9, "standard_rate": 0.5, "paid": 0.4}, gains=True)
    >>> loan.costs.standardized().values.round(2)
    array([[0.5 , 0.05, 0.  ],
           [0.  , 0.24, 0.4 ]])
    """
    if not amounts:
        raise CostError("`amounts` must name at least one outcome.")
    names = tuple(next(iter(amounts.values()))) if decisions is None else tuple(decisions)
    known = dict(quantities or {})
    unknown = {name: value for name, value in known.items() if isinstance(value, Unknown)}
    generator = as_generator(rng)
    n = n_samples if unknown else 1
    columns = {
        name: value.sample(n, generator) if name in unknown else np.full(n, float(value))
        for name, value in known.items()
    }
    columns["0"] = np.zeros(n)  # one entry per draw, also where no formula names a quantity
    written = {
        truth: {decision: _per_draw(amount) for decision, amount in row.items()}
        for truth, row in amounts.items()
    }
    values = case_costs(columns, written, classes=tuple(amounts), decisions=names).values
    values = 0.0 - values if gains else values
    if unknown:
        return UncertainApplication.from_samples(
            values, classes=tuple(amounts), decisions=names, unit=unit
        )
    costs = CostMatrix(values[0], classes=tuple(amounts), decisions=names)
    return Application(costs, unit=unit)


def _per_draw(amount: Any) -> str:
    """An amount as a formula with one value per draw."""
    return f"({amount if isinstance(amount, str) else repr(float(amount))}) + `0`"
