"""The automatic choice: which calibrators are tried, how they are weighted and compared on
unseen cases, and their average.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stakes._kernels.class_scores import weighted_sums
from stakes._kernels.fast_loops import ordinary_scale
from stakes.application import Application
from stakes.application.dominance import useful_decisions
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.calibrators.affine import Affine, Temperature
from stakes.calibration.calibrators.average import Average, Constant, Rank, emphasised, mixed
from stakes.calibration.calibrators.isotonic import Isotonic, VennAbers
from stakes.calibration.calibrators.logistic import Beta
from stakes.calibration.calibrators.matrix import CommonCurve, Dirichlet, StructuredMatrix
from stakes.calibration.calibrators.smooth import Smooth
from stakes.calibration.labelled_scores import Aim, Cases, case_losses, group_numbers, loss_name
from stakes.exceptions import DataError, StakesError
from stakes.messages.audience import calibrators, either, named
from stakes.typing import FloatArray, IntArray

_ROUNDS = 100
#: Newton ends when the log-likelihood can rise by half of this at most.
_CLOSE = 1e-9
_LEAST_STAKE = 1e-3


def likelihood_weights(
    logs: Sequence[FloatArray],
    cases: Cases,
    *,
    pseudo: float = 1.0,
    emphasis: FloatArray | None = None,
) -> FloatArray:
    """Shares of a mixture under which the cross-fitted cases are most likely.

    Every candidate starts with `pseudo` cases, so that none is left out by chance. With
    `emphasis`, each case counts as much as its class does, and posteriors are moved to the priors
    that this implies.
    """
    index = np.arange(len(cases.codes))
    own = np.array([emphasised(table, emphasis)[index, cases.codes] for table in logs])
    top = own.max(axis=0)
    seen = np.isfinite(top)
    mass = cases.prior_weights()
    if emphasis is not None:
        heavy = mass * emphasis[cases.codes]
        mass = heavy * (mass.sum() / heavy.sum())
    return _likeliest_shares(np.exp(own[:, seen] - top[seen]), mass[seen], pseudo)


def _likeliest_shares(ratios: FloatArray, mass: FloatArray, pseudo: float) -> FloatArray:
    """Shares s of the most likely mixture of `ratios` (candidates, cases), by Newton's method.

    Minimises (sum(mass) + J pseudo) sum(s) - mass log(s ratios) - pseudo sum(log s); the optimum
    sums to 1. If only few of many cases distinguish the candidates, EM would be slow.
    """
    count = len(ratios)
    pull = float(mass.sum()) + pseudo * count
    hold = max(pseudo, 1e-9)  # solvable even if all candidates are alike

    def value(shares: FloatArray) -> float:
        inner = float(mass @ np.log(shares @ ratios)) + pseudo * float(np.log(shares).sum())
        return pull * float(shares.sum()) - inner

    shares = np.full(count, 1.0 / count)
    for _ in range(_ROUNDS):
        parts = ratios / (shares @ ratios)
        slope = pull - parts @ mass - pseudo / shares
        step = -np.linalg.solve((parts * mass) @ parts.T + np.diag(hold / shares**2), slope)
        gain = -float(slope @ step)
        length = min(1.0, 0.99 / max(float((-step / shares).max()), 1e-300))
        if gain < _CLOSE:  # the last step is too short to check, and the most exact
            shares = shares + length * step
            break
        now = value(shares)
        while length > 1e-12 and value(shares + length * step) > now - 1e-4 * length * gain:
            length /= 2.0
        shares = shares + length * step
    return np.asarray(shares / shares.sum())


def class_stakes(application: Application) -> FloatArray:
    """What is at stake in a case of each class: its costliest decision minus its cheapest.

    With two classes, posteriors multiplied by it are equal where the decision changes. No class
    has less than a thousandth of the largest, and decisions that are never the best do not count.
    """
    ranges = _ranges(application)
    if not ranges.any():
        return np.ones(len(ranges))
    return np.asarray(np.maximum(ranges / ranges.max(), _LEAST_STAKE))


class Verdict(NamedTuple):
    """Position of the choice, and the record of the comparison."""

    place: int
    table: dict[str, list[Any]]
    why: str


def chosen_place(
    names: list[str],
    losses: list[FloatArray],
    cases: Cases,
    by: Aim,
    *,
    leeway: int,
    among: int | None = None,
) -> Verdict:
    """The first candidate within `leeway` standard errors of the best.

    With `among`, only the first `among` candidates are considered; if none of them is that good,
    the best of them is chosen. With groups, standard errors come from the variation between groups.
    """
    weights = cases.prior_weights() / cases.prior_weights().sum()
    raw = cases.scores.columns().astype(np.float64) + cases.prior_offsets()
    raw = raw - np.logaddexp.reduce(raw, axis=1, keepdims=True)
    as_is = float(weights @ case_losses(raw, cases.codes, by))
    means = np.array([float(weights @ loss) for loss in losses])
    best = int(np.argmin(means))
    unit = np.arange(len(weights)) if cases.groups is None else group_numbers(cases.groups)
    gaps, errors = _doubts(losses, best, cases, by, weights, unit)
    allowed = leeway * errors
    near = np.flatnonzero(((gaps <= allowed) | (np.arange(len(names)) == best))[:among])
    place = int(near[0]) if near.size else int(np.argmin(means[:among]))
    table = {
        "candidate": ["as is", *names],
        "loss": [as_is, *means.tolist()],
        "above_best": [as_is - means[best], *gaps.tolist()],
        "standard_error": [float("nan"), *errors.tolist()],
        "chosen": [False, *(i == place for i in range(len(names)))],
    }
    measure = loss_name(by)
    loss, other = f"{means[place]:.4g}", f"{_in_brief(names[best])} ({means[best]:.4g})"
    why = f"Chose {names[place]}, with a cross-fitted {measure} of {loss}: "
    if not near.size:
        named = either("", " by --kind")
        why += f"{other} has less, but is not chosen alone unless named{named}."
    elif place != best:
        why += f"the best candidate, {other}, is not clearly better."
    else:
        why = f"Chose {names[place]}: the least cross-fitted {measure} ({loss})."
    return Verdict(place, table, why)


def _in_brief(name: str) -> str:
    """A candidate in a sentence, an average by how many it is of."""
    return (
        f"an average of {name.count(',') + 1} calibrators" if name.startswith("average (") else name
    )


def _doubts(
    losses: list[FloatArray],
    best: int,
    cases: Cases,
    by: Aim,
    weights: FloatArray,
    unit: IntArray,
) -> tuple[FloatArray, FloatArray]:
    """Mean loss of each candidate above the best, and its standard error; costs of any size."""
    if not isinstance(by, Application):
        return _above(losses, losses[best], weights, unit)
    scale = ordinary_scale(by.costs.values)
    gaps, errors = _above([each / scale for each in losses], losses[best] / scale, weights, unit)
    errors = np.hypot(errors, _unseen(cases, by, unit))
    errors[best] = 0.0
    return gaps * scale, errors * scale


def _above(
    losses: list[FloatArray], least: FloatArray, weights: FloatArray, unit: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Mean loss of each candidate above the best, and its standard error between units."""
    gaps, errors = np.zeros(len(losses)), np.zeros(len(losses))
    for i, loss in enumerate(losses):
        with np.errstate(invalid="ignore"):
            gap = loss - least
        gaps[i] = float(weights @ gap)
        if np.isfinite(gaps[i]):
            parts = weighted_sums(unit, weights * np.nan_to_num(gap - gaps[i], nan=0.0))
            errors[i] = float(np.sqrt(parts @ parts))
    return gaps, errors


def _unseen(cases: Cases, application: Application, unit: IntArray) -> float:
    """Standard error if one more unit of each class paid the most that a choice can cost.

    With groups, the number of units is their effective number (Kish). The result is divided by the
    `ordinary_scale` of the costs.
    """
    ranges = _ranges(application)
    number, size = cases.counts, len(cases.counts)
    if cases.groups is not None:
        pairs, place = np.unique(unit * size + cases.codes, return_inverse=True)
        held = np.bincount(place.reshape(-1), weights=cases.weights)
        squares = np.bincount(pairs % size, weights=held**2, minlength=size)
        number = np.divide(number**2, squares, out=np.zeros(size), where=squares > 0.0)
    return float(np.linalg.norm(cases.priors * ranges / (number + 1.0)))


def _ranges(application: Application) -> FloatArray:
    """Costliest minus cheapest decision of each class, among those best for some posterior.

    Among all decisions if a single one is always best. The result is divided by the
    `ordinary_scale` of the costs.
    """
    values = application.costs.values
    values = values / ordinary_scale(values)
    useful = useful_decisions(values)
    values = values[:, useful] if useful.sum() > 1 else values
    return np.asarray(values.max(axis=1) - values.min(axis=1))


#: A member of the average with less weight is left out.
_LEAST = 0.01


def with_average(
    kept: list[Calibrator],
    logs: list[FloatArray],
    names: list[str],
    cases: Cases,
    by: Aim,
    *,
    first: int,
) -> tuple[list[Calibrator], list[FloatArray], list[str], int]:
    """The candidates and their average: in front, or after the average of the `first` ones.

    An average in which one candidate has all the weight is replaced by that candidate. The last
    item returned is how many there are to choose from.
    """
    emphasis = class_stakes(by) if isinstance(by, Application) else None
    if first > 1:
        shares = _that_count(likelihood_weights(logs[:first], cases, emphasis=emphasis))
        among = np.flatnonzero(shares)
        lead, name = _weighted(kept[:first], shares, emphasis), _lead_label(kept[:first], shares)
        table = _mean(logs, among, shares, emphasis)
        if len(among) == 1:
            lead = kept[among[0]]
        kept, logs = [lead, *kept[first:]], [table, *logs[first:]]
        names = [name, *names[first:]]
    return _with_average(kept, logs, names, cases, emphasis, at=min(first, 1))


def _mean(
    logs: Sequence[FloatArray],
    among: IntArray,
    shares: FloatArray,
    emphasis: FloatArray | None,
) -> FloatArray:
    """Log-posteriors of the average of some."""
    parts = None if emphasis is None else emphasis.tolist()
    return mixed([logs[i] for i in among], shares[among], parts)


def _lead_label(members: Sequence[Calibrator], shares: FloatArray) -> str:
    """Name of the leading curve, with the other members in brackets."""
    pairs = [(_word(m), 100 * s) for m, s in zip(members, shares, strict=True) if s > 0.0]
    if len(pairs) == 1 and pairs[0][0] != "by stakes":
        return pairs[0][0]
    others = [f"{share:.0f} % {word}" for word, share in pairs if word != members[0].kind]
    return f"{members[0].kind} ({', '.join(others)})"


def _word(member: Calibrator) -> str:
    """A member in a few words."""
    return "by stakes" if member.options.get("emphasis") else member.kind


def _with_average(
    kept: list[Calibrator],
    logs: list[FloatArray],
    names: list[str],
    cases: Cases,
    emphasis: FloatArray | None,
    *,
    at: int,
) -> tuple[list[Calibrator], list[FloatArray], list[str], int]:
    """The candidates with their average inserted at position `at`."""
    shares = _that_count(likelihood_weights(logs, cases, emphasis=emphasis))
    among = np.flatnonzero(shares)
    if len(among) == 1:
        front = list(dict.fromkeys([*range(at), int(among[0])]))
        order = list(dict.fromkeys([*front, *range(len(kept))]))
        kept, logs = [kept[i] for i in order], [logs[i] for i in order]
        return kept, logs, [names[i] for i in order], len(front)
    average = _weighted(kept, shares, emphasis)
    table = _mean(logs, among, shares, emphasis)
    label = _shares_label(names, shares)
    return (
        [*kept[:at], average, *kept[at:]],
        [*logs[:at], table, *logs[at:]],
        [*names[:at], label, *names[at:]],
        1 + at,
    )


def _that_count(shares: FloatArray) -> FloatArray:
    """The shares with those below `_LEAST` set to 0, rescaled to sum to 1."""
    kept = np.where(shares >= _LEAST, shares, 0.0)
    return np.asarray(kept / kept.sum())


def _shares_label(names: list[str], shares: FloatArray) -> str:
    """The average with its members and their weights in percent."""
    parts = [f"{name} {100 * s:.0f} %" for name, s in zip(names, shares, strict=True) if s > 0.0]
    return "average (" + ", ".join(parts) + ")"


def _weighted(
    members: Sequence[Calibrator], shares: FloatArray, emphasis: FloatArray | None
) -> Average:
    """The average of the members that count."""
    pairs = [(m, float(s)) for m, s in zip(members, shares, strict=True) if s > 0.0]
    return Average(
        [m.unfitted() for m, _ in pairs],
        weights=[s for _, s in pairs],
        emphasis=None if emphasis is None else emphasis.tolist(),
    )


#: With more classes, methods whose work or need of cases grows quadratically are skipped.
_MANY_CLASSES = 30
#: With fewer cases a map of one parameter is averaged with the leading curve.
_MANY_CASES = 500.0
#: A class that is weighted down must still count for this many cases.
_FEW_CASES = 5.0
#: The most cases times classes squared for which a matrix is tried.
_MUCH_WORK = 2e8


def default_candidates(cases: Cases, by: Aim = "cross_entropy") -> list[Calibrator]:
    """The candidates if none are named, as the numbers of classes and cases allow.

    For a cost also the priors alone, and for two classes a curve that weights each class by the
    root of what is at stake in it, unless one would be left with too few cases. Those that are
    averaged first (`leaders`) are at the beginning.
    """
    candidates = _for_any_aim(cases)
    if not isinstance(by, Application) or len(candidates) == 1:
        return candidates
    emphasis = np.sqrt(class_stakes(by))
    enough = bool((cases.counts * emphasis >= _FEW_CASES * emphasis.max()).all())
    if isinstance(candidates[0], Smooth) and emphasis[0] != emphasis[1] and enough:
        candidates.insert(1, Smooth(emphasis=emphasis.tolist()))
    return [*candidates, Constant()]


def leaders(candidates: Sequence[Calibrator], cases: Cases) -> int:
    """How many of the first candidates are averaged: curves, and a scale where cases are few."""
    kinds = (Smooth, CommonCurve, Temperature) if _few(cases) else (Smooth,)
    others = (k for k, each in enumerate(candidates) if not isinstance(each, kinds))
    return next(others, len(candidates))


def _few(cases: Cases) -> bool:
    """Whether there are too few cases for more than a single parameter."""
    return float(cases.counts.sum()) < _MANY_CASES


def _falls(cases: Cases) -> bool:
    """Whether the best scale is negative; a rising curve would not help then."""
    scale = Temperature()
    try:
        scale._fit(cases)
    except StakesError:
        return False  # tried anyway, so that the failure is reported
    return bool(scale.scales[0] < 0.0)


def _for_any_aim(cases: Cases) -> list[Calibrator]:
    """The candidates for proper scores."""
    size = cases.scores.size
    numbers = np.bincount(cases.codes, minlength=size)
    if size == 2:
        cases.need_all_classes("add cases of that class")
        if numbers.min() < 2:
            raise DataError(
                f"{named('y_true')} has a single case of class "
                f"{cases.classes[int(numbers.argmin())]}; two "
                f"of each class are needed to compare calibrators ({len(cases.codes)} cases).",
                hint="add cases of that class, or fit one calibrator: "
                + calibrators("affine", called=True),
            )
        scale = [Temperature()] if _few(cases) and not _falls(cases) else []
        return [Smooth(), *scale, Rank(), VennAbers(), Beta(), Affine(), Isotonic()]
    if numbers.min() < 2:
        return [Temperature()]
    rows, matrix, last = len(cases.codes), list[Calibrator](), list[Calibrator]()
    if size <= _MANY_CLASSES:
        matrix, last = [Dirichlet()] if rows >= size * size else [], [Isotonic()]
    elif rows * size * size <= _MUCH_WORK:
        matrix = [StructuredMatrix()]
    if _few(cases):
        return [CommonCurve(), Temperature(), *matrix, Affine(), *last]
    return [*matrix, CommonCurve(), Affine(), Temperature(), *last]
