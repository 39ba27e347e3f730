"""What the automatic choice tries, and the average of what it tried."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stakes.application import Application
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.calibrators.affine import Affine, Temperature
from stakes.calibration.calibrators.average import Average, Rank, mixed
from stakes.calibration.calibrators.choice import class_stakes, likelihood_weights
from stakes.calibration.calibrators.constant import Constant
from stakes.calibration.calibrators.isotonic import Isotonic
from stakes.calibration.calibrators.logistic import Beta
from stakes.calibration.calibrators.matrix import Dirichlet
from stakes.calibration.calibrators.smooth import Smooth
from stakes.calibration.calibrators.structured import CommonCurve, StructuredMatrix
from stakes.calibration.calibrators.venn_abers import VennAbers
from stakes.calibration.labelled_scores import Aim, Cases
from stakes.exceptions import DataError, StakesError
from stakes.typing import FloatArray, IntArray

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
    """The candidates and their average, in front or after the average of the `first` so many.

    Where one has all the weight, that one takes the place. Last, how many are to choose from.
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
    """The curve that goes first, and in brackets what else has a part in it."""
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
    """The candidates and their average, at a place."""
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
    """The shares without those that are too small, which are 0."""
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


#: Beyond so many classes nothing is tried whose work or need of cases grows with their square.
_MANY_CLASSES = 30
#: With fewer cases a map of one parameter is averaged with the curve that goes first.
_MANY_CASES = 500.0
#: A class that counts less is to count for so many cases at least.
_FEW_CASES = 5.0
#: Beyond so many cases times classes squared no matrix is tried.
_MUCH_WORK = 2e8


def default_candidates(cases: Cases, by: Aim = "cross_entropy") -> list[Calibrator]:
    """What is tried when nothing is named: what the classes and cases can bear.

    For a cost also the priors alone, and for two classes a curve that is sought with each class
    counted by the root of what is at stake in it, unless too little would be left of one. Those
    that go first together (`leaders`) are at the beginning.
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
    """How many at the beginning are averaged first, before all: curves, with few cases a scale."""
    kinds = (Smooth, CommonCurve, Temperature) if _few(cases) else (Smooth,)
    others = (k for k, each in enumerate(candidates) if not isinstance(each, kinds))
    return next(others, len(candidates))


def _few(cases: Cases) -> bool:
    """Whether a single parameter is often all that the cases can bear."""
    return float(cases.counts.sum()) < _MANY_CASES


def _falls(cases: Cases) -> bool:
    """Whether the best scale is negative; beside a curve that rises it would mend nothing."""
    scale = Temperature()
    try:
        scale._fit(cases)
    except StakesError:
        return False  # tried all the same, so that it is said why it fails
    return bool(scale.scales[0] < 0.0)


def _for_any_aim(cases: Cases) -> list[Calibrator]:
    """What is tried for proper scores."""
    size = cases.scores.size
    numbers = np.bincount(cases.codes, minlength=size)
    if size == 2:
        cases.need_all_classes("add cases of that class")
        if numbers.min() < 2:
            raise DataError(
                f"`y_true` has a single case of class {cases.classes[int(numbers.argmin())]}; two "
                f"of each class are needed to compare calibrators ({len(cases.codes)} cases).",
                hint="add cases of that class, or fit one calibrator: Affine()",
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
