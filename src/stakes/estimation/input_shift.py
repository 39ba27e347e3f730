"""When the mix of inputs has changed: the reference weighed so that it looks like the new cases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import expit

from stakes._kernels.optimise.newton import minimise
from stakes.estimation.decided_cases import DecidedCases
from stakes.estimation.input_columns import BinnedInput
from stakes.exceptions import UndefinedError
from stakes.typing import FloatArray

#: Penalty of the squared coefficients of the classifier that tells old cases from new ones.
_RIDGE = 20.0
#: The weighted reference must be worth at least this many equal cases.
LEAST_EFFECTIVE = 100.0


# The reference is weighed by how likely its inputs are now: docs/design/estimation.md.
def density_ratios(
    old: FloatArray, new: FloatArray, old_mass: FloatArray, new_mass: FloatArray
) -> FloatArray:
    """How much more likely the inputs of each old case are among the new ones, on average 1.

    Odds of a logistic regression that tells the two apart, by Newton's method with a ridge.
    """
    table = np.vstack([old, new])
    table = np.column_stack([np.ones(len(table)), table])
    is_new = np.repeat([0.0, 1.0], [len(old), len(new)])
    mass = np.concatenate([old_mass / old_mass.mean(), new_mass / new_mass.mean()])
    total = mass.sum()
    penalty = np.append(0.0, np.full(table.shape[1] - 1, _RIDGE)) / total

    def objective(at: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        odds = table @ at
        p = expit(odds)
        value = float(mass @ (np.logaddexp(0.0, odds) - is_new * odds)) / total
        slope = table.T @ (mass * (p - is_new)) / total
        bent = (table * (mass * p * (1 - p))[:, None]).T @ table / total
        value += float(penalty @ at**2) / 2
        return value, slope + penalty * at, bent + np.diag(penalty)

    found = minimise(objective, np.zeros(table.shape[1]), tolerance=1e-9).parameters
    ratios = np.exp(table[: len(old)] @ found)
    return np.asarray(ratios * old_mass.sum() / (old_mass @ ratios))


def refuse_unlike(reference: DecidedCases, new: DecidedCases, inputs: list[BinnedInput]) -> None:
    """Raise where many new cases are like hardly any reference case.

    No weights of the reference can stand for these, and no test of the scores shows what they cost.
    """
    said = [found for each in inputs if (found := each.unlike(reference.counts, new.mass))]
    if said:
        raise UndefinedError(
            f"too few reference cases look like the new ones: {'; '.join(said[:3])}.",
            hint="bring labelled cases like these; or leave out inputs that tell old from new "
            "cases for reasons of their own, such as a date",
        )


def weighted_reference(
    reference: DecidedCases, new: DecidedCases, looked_at: tuple[FloatArray, FloatArray]
) -> DecidedCases:
    """The reference with weights, or an error where too little of it looks like the new cases."""
    ratios = density_ratios(*looked_at, reference.mass, new.mass)
    weighed = replace(
        reference, mass=reference.mass * ratios, squares=reference.squares * ratios**2
    )
    if weighed.effective < LEAST_EFFECTIVE:
        raise UndefinedError(
            f"too few reference cases look like the new ones: weighed by their inputs they are "
            f"worth {weighed.effective:.0f} equal cases, below {LEAST_EFFECTIVE:.0f}.",
            hint="bring labelled cases with inputs like those of the new ones, or leave out inputs "
            "that tell old from new cases for reasons of their own, such as a date",
        )
    return weighed
