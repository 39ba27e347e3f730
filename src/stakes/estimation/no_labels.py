"""`estimate_cost`: what decisions on unlabelled cases cost, by the simplest change that the scores
do not reject.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._checks import as_level, of_kind
from stakes._columns import in_brief
from stakes._guesses import answers_guesses, line_to_type
from stakes._kernels.interval_ends import normal_quantile
from stakes._names import listed, place_of
from stakes.calibration.calibrator import Calibrator, as_calibrator
from stakes.calibration.calibrators.affine import default_calibrator
from stakes.estimation.compared_cases import refuse_other_costs
from stakes.estimation.cost_estimate import CostEstimate
from stakes.estimation.decided_cases import DecidedCases
from stakes.estimation.input_columns import binned_inputs, features
from stakes.estimation.input_shift import refuse_unlike, weighted_reference
from stakes.estimation.mixture_test import (
    mean_chance,
    mixture_chance,
    score_features,
    shares_chance,
)
from stakes.estimation.share_shift import (
    Calibrated,
    ClassMeans,
    Estimated,
    ShareFit,
    fit_shares,
    prior_estimate,
    shifted_cost,
    unchanged_cost,
    weighed,
)
from stakes.exceptions import DataError, UndefinedError
from stakes.messages.audience import either
from stakes.typing import FloatArray

_CHANGES = ("auto", "none", "shares", "inputs")
#: Posteriors below this one are taken for it where logarithms are needed.
_LEAST_POSTERIOR = 1e-12
#: What chance would do less often than this rejects that nothing, or the shares alone, changed.
_REJECTED = 0.01
#: Weights by the inputs count if they move the estimate, squared, by more than so many variances:
#: what chance does in 5 % of cases.
_VISIBLE = 3.84
#: A class with fewer labelled cases than this is too little known.
_LEAST = 10
_ALIKE = "reference.alike(new_posteriors) has the costs of the reference"


@answers_guesses
def estimate_cost(
    reference: DecidedCases,
    new: Any,
    *,
    change: str = "auto",
    calibrator: Calibrator | None = None,
    level: float = 0.95,
) -> CostEstimate:
    r"""What decisions on cases without labels cost, from the scores of labelled ones.

    .. math:: \frac1m \sum_{i=1}^m \sum_k P'(k \mid s_i)\, C_{k d_i}
              + \sum_k P'_k\, \overline{(C_{kd} - \textstyle\sum_l P'(l \mid s) C_{ld})}_k

    The first term is what calibrated posteriors expect of the new cases; the second is what they
    miss in the reference, class by class, so that it need not be taken on trust that posteriors
    are calibrated. :math:`P'` are the class shares of the new cases.

    Parameters
    ----------
    reference : DecidedCases
        Labelled cases of the same model: ``DecidedCases.from_scores(y_true, p, costs=...)``.
    new : DecidedCases, or posteriors
        The cases without labels: ``reference.alike(p_new)``, or the posteriors alone.
    change : {"auto", "none", "shares", "inputs"}
        What has changed since the reference. "auto" takes the simplest that the scores (and inputs,
        if both have them) do not reject: nothing, the class shares, or else the mix of inputs.
    calibrator : Calibrator, optional
        What posteriors are calibrated with on the reference; `Affine` by default.
    level : float
        Of the interval.

    Returns
    -------
    CostEstimate
        Cost per case with its interval, what it assumes, and the tests.

    Raises
    ------
    UndefinedError
        If the scores reject all three changes, or if more than 5 % of the new cases have values of
        an input that fewer than 10 reference cases have.
    CostError
        If the new cases have other costs than the reference.

    Notes
    -----
    What cannot be seen without labels: that the relation of inputs and truth has changed. If the
    same scores now go with other classes, every estimate of this kind is wrong, and no interval
    reflects it. Nor can class shares be seen that have changed very little: then nothing is taken
    to have changed, and intervals with a level of .95 contain the cost in 88 to 92 % of cases.

    References
    ----------
    .. [1] Saerens, Latinne, Decaestecker, *Adjusting the outputs of a classifier to new a priori
       probabilities*, Neural Computation 14 (2002), eq. 2.9.
    .. [2] Garg, Wu, Balakrishnan, Lipton, *A unified view of label shift estimation*, NeurIPS 2020.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> def drawn(n, share):
    ...     y = rng.random(n) < share
    ...     return y, 1 / (1 + 9 * np.exp(-rng.normal(3 * y - 1.5, 1.7)))
    >>> y, p = drawn(2000, 0.1)
    >>> reference = DecidedCases.from_scores(y, p, costs={"fn": 10, "fp": 1})
    >>> y_new, p_new = drawn(2000, 0.3)
    >>> found = estimate_cost(reference, p_new)
    >>> found.change, reference.alike(p_new, y_true=y_new).cost in found
    ('shares', True)
    """
    level = as_level(level)
    reference, new = checked(reference, new, change)
    if new.by is not None and reference.by is None:
        raise DataError(
            "the reference must have `by` as well: each slice is estimated from its own labels.",
            hint="DecidedCases.from_scores(..., by=...), or leave out `by` of the new cases",
        )
    found = _of_all(reference, new, change, calibrator, level)
    if reference.by is None or new.by is None:
        return found
    slices = {}
    for name in dict.fromkeys(new.by.tolist()):
        parts = [each.part(each.by == name) for each in (reference, new)]
        try:
            _refuse_few(parts[0])
            slices[name] = _of_all(parts[0], parts[1], change, calibrator, level)
        except (DataError, UndefinedError) as error:
            found = replace(found, notes=(*found.notes, f"slice {name!s}: {error.message}"))
    return replace(found, slices=slices)


@dataclass(frozen=True, eq=False)
class Fitted:
    """Both sides calibrated, what is taken to have changed, and the tests that said so."""

    before: Calibrated
    after: Calibrated
    means: ClassMeans
    shares: ShareFit
    change: str
    tests: dict[str, float]
    unweighted: tuple[Calibrated, Calibrated] | None = None

    @property
    def shares_now(self) -> FloatArray:
        """Class shares of the new cases."""
        if self.change == "shares":
            return self.shares.shares
        return self.before.cases.shares

    @property
    def factors(self) -> FloatArray:
        """By how much the odds of each class were multiplied."""
        if self.change == "shares":
            return self.shares.shares / self.shares.old
        return np.ones(len(self.shares.old))

    @property
    def estimated(self) -> Estimated:
        """The cost of the new cases; if nothing is taken to have changed, in doubt also by what the
        scores hint at without proof. Weights by the inputs count as far as they matter.
        """
        if self.unweighted is not None:
            plain, heavier = self.unweighted, (self.before, self.after)
            return weighed(unchanged_cost(*plain), unchanged_cost(*heavier), held=_VISIBLE)
        moved = shifted_cost(self.before, self.after, self.means, self.shares)
        if self.change == "shares":
            return moved
        still = unchanged_cost(self.before, self.after)
        return replace(still, variance=still.variance + (moved.cost - still.cost) ** 2)


def _of_all(
    reference: DecidedCases, new: DecidedCases, change: str, calibrator: Any, level: float
) -> CostEstimate:
    """The estimate for all cases together."""
    fitted = fitted_to(reference, new, change, calibrator)
    found, kind = fitted.estimated, fitted.change
    low, high = _ends(found, new, level)
    priors = None
    shares = new.mean(fitted.after.posteriors)
    if kind != "inputs":
        priors = prior_estimate(fitted.shares, fitted.after, fitted.means, level)
        shares = fitted.shares.shares if kind == "shares" else fitted.shares.old
    return CostEstimate(
        value=found.cost,
        low=low,
        high=high,
        level=level,
        spread=float(np.sqrt(found.variance)),
        change=kind,
        cases=new.number,
        reference_cases=reference.number,
        naive=_naive(new, shares),
        priors=priors,
        tests=fitted.tests,
        effective_cases=fitted.before.cases.effective,
        unit=reference.application.unit,
        notes=_notes(fitted.tests),
    )


def _notes(tests: dict[str, float]) -> tuple[str, ...]:
    """What weighting by the inputs left unexplained."""
    if tests.get("weighted", 1.0) >= _REJECTED:
        return ()
    return (
        "also after weighting by these inputs the scores differ from the reference (chance "
        f"{tests['weighted']:.1g}): inputs that are not given may have changed too",
    )


def fitted_to(reference: DecidedCases, new: DecidedCases, change: str, calibrator: Any) -> Fitted:
    """What has changed, and both sides calibrated accordingly."""
    before, after = calibrated_on(reference, new, calibrator)
    means = ClassMeans(before)
    shares = fit_shares(before, after, means)
    looked_at, inputs = score_features(before, after), _inputs_of(reference, new, change)
    both, tests = looked_at, {"shares": shares_chance(before, after)}
    if inputs is not None:
        both = tuple(np.column_stack(pair) for pair in zip(looked_at, inputs, strict=True))  # type: ignore[assignment]
        tests["inputs"] = mean_chance(before, after, inputs)
    unmoved = mean_chance(before, after, both)  # of the mixtures, where shares are hard to tell
    tests["mixture"] = max(mixture_chance(after, means, shares, both), unmoved)
    kind = change
    if change == "auto":
        kind = "none" if min(tests["shares"], tests.get("inputs", 1.0)) >= _REJECTED else "shares"
        if tests["mixture"] < _REJECTED:
            kind = "inputs"
    if kind != "inputs":
        return Fitted(before, after, means, shares, kind, tests)
    if inputs is None:
        raise UndefinedError(
            "the new scores are no mixture of what each class scored in the reference (chance "
            f"{tests['mixture']:.1g}), so more than the class shares has changed and the cost "
            "cannot be estimated from scores.",
            hint=either(
                "give the inputs of both, label some of the new cases, or take it on trust: "
                'change="shares"',
                "inputs of both files:  --inputs A,B   or take it on trust:  --change shares",
            ),
        )
    heavier, plain = weighted_reference(reference, new, inputs), (before, after)
    before, after = calibrated_on(heavier, new, calibrator)
    tests["weighted"] = mean_chance(before, after, score_features(before, after))
    return Fitted(before, after, ClassMeans(before), shares, "inputs", tests, plain)


def _inputs_of(
    reference: DecidedCases, new: DecidedCases, change: str
) -> tuple[FloatArray, FloatArray] | None:
    """Bins of the inputs of both, where both have them."""
    if reference.inputs is not None and new.inputs is not None:
        binned = binned_inputs(reference.inputs, new.inputs)
        if change in ("auto", "inputs"):
            refuse_unlike(reference, new, binned)
        return features(binned)
    if change == "inputs" or (reference.inputs is None) != (new.inputs is None):
        without = "reference" if reference.inputs is None else "new cases"
        raise DataError(
            f"the {without} must have `inputs`, because they are weighed by them.",
            hint=either(
                "DecidedCases.from_scores(..., inputs=X), reference.alike(..., inputs=X_new)",
                "columns of both files:  --inputs A,B",
            ),
        )
    return None


def checked(
    reference: Any, new: Any, change: Any, name: str = "new"
) -> tuple[DecidedCases, DecidedCases]:
    """The reference and the new cases, if both can be meant; without cases of no weight."""
    of_kind(
        reference,
        "reference",
        DecidedCases,
        hint=line_to_type("estimate_cost"),
    )
    if place_of(change, _CHANGES) is None:
        raise DataError(f"`change` must be one of {listed(_CHANGES)}; got {in_brief(change)}.")
    _refuse_few(reference)
    cases = new if isinstance(new, DecidedCases) else reference.alike(new)
    refuse_other_costs(reference, cases, ("reference", name), hint=_ALIKE)
    return reference.part(reference.mass > 0), cases.part(cases.mass > 0)


def _refuse_few(reference: DecidedCases) -> None:
    """Raise where a class has too few labelled cases."""
    counts = np.bincount(
        reference.labels, weights=reference.counts, minlength=len(reference.classes)
    )
    if counts.min() < _LEAST:
        name = reference.classes[int(np.argmin(counts))]
        raise DataError(
            f"the reference has {counts.min():.0f} cases of {name!r}; {_LEAST} are needed to know "
            "how a class scores.",
            hint="bring more labelled cases",
        )


def calibrated_on(
    reference: DecidedCases, new: DecidedCases, calibrator: Calibrator | None
) -> tuple[Calibrated, Calibrated]:
    """Both with posteriors calibrated on the reference, for its class shares.

    The default calibrator counts as far as the reference shows that it is needed.
    """
    fresh = default_calibrator() if calibrator is None else as_calibrator(calibrator).unfitted()
    with np.errstate(divide="ignore"):  # the default bounds what is infinite
        logs = [np.log(each.posteriors) for each in (reference, new)]
    fresh.fit(logs[0], reference.labels, sample_weight=reference.mass)
    fitted = [fresh.posteriors(each) for each in logs]
    part = _needed(reference, fitted[0]) if calibrator is None else 1.0
    if part < 1:
        pairs = zip((reference, new), fitted, strict=True)
        fitted = [_between(each.posteriors, made, part) for each, made in pairs]
    before, after = fitted
    return Calibrated(reference, before), Calibrated(new, after)


def _needed(reference: DecidedCases, fitted: FloatArray) -> float:
    """How far to go from posteriors as they are to fitted ones, after James and Stein.

    Twice the gain in log-likelihood is compared with what chance gives: one for each parameter.
    """
    rows = np.arange(len(reference.labels))
    given = reference.posteriors[rows, reference.labels]
    gains = np.log(fitted[rows, reference.labels] / np.maximum(given, _LEAST_POSTERIOR))
    alike = reference.squares.sum() / reference.mass.sum()
    gain = 2 * float(reference.mass @ gains) / alike
    return max(0.0, 1 - len(reference.classes) / gain) if gain > 0 else 0.0


def _between(given: FloatArray, fitted: FloatArray, part: float) -> FloatArray:
    """Posteriors part of the way from the given to the fitted ones, in logarithms."""
    raw, made = (np.log(np.maximum(each, _LEAST_POSTERIOR)) for each in (given, fitted))
    moved = raw + part * (made - raw)
    moved = np.exp(moved - moved.max(axis=1, keepdims=True))
    return np.asarray(moved / moved.sum(axis=1, keepdims=True))


def _ends(found: Estimated, new: DecidedCases, level: float) -> tuple[float, float]:
    """Ends of the interval, which no labels of these cases could lie beyond."""
    reach = normal_quantile(level) * float(np.sqrt(found.variance))
    least, most = (new.mean(edge) for edge in (new.paid.min(axis=1), new.paid.max(axis=1)))
    return max(found.cost - reach, float(least)), min(found.cost + reach, float(most))


def _naive(new: DecidedCases, shares: FloatArray) -> float:
    """Cost of the best decision that ignores the scores, at these shares; nan with costs per case,
    of which only those of the decisions taken are known here.
    """
    if new.rule.per_case:
        return float("nan")
    return float((shares @ new.application.costs.values).min())
