"""Calibration by rank, by the class shares alone, and by the average of several calibrators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from stakes._checks import of_kind
from stakes._columns import as_reals
from stakes._kernels.class_scores import binary_log_posteriors
from stakes.calibration.calibrator import Calibrator, same_sign
from stakes.calibration.calibrator_file import made
from stakes.calibration.calibrator_json import Shapes
from stakes.calibration.calibrators.isotonic import VennAbers
from stakes.calibration.calibrators.logistic import Beta, fit_increasing
from stakes.calibration.calibrators.smooth import mid_ranks
from stakes.calibration.labelled_scores import Cases
from stakes.calibration.score_input import Scores
from stakes.exceptions import DataError
from stakes.typing import FloatArray, Priors


class Rank(Calibrator):
    r"""A smooth increasing map of the rank of a score, whatever its scale.

    For two classes whose scores order well but are distorted or saturated beyond a line: naive
    Bayes, forests, margins. Two slopes, one for each end of the ranking, as in `Beta`, so it is
    steadier than `Isotonic` when cases are few.

    .. math:: \mathrm{logit}\,p = a \log r - b \log(1-r) + c, \qquad a, b \ge 0

    Takes log odds or any increasing score (n,), or log-posteriors (n, 2); returns posteriors
    (n, 2). Infinite scores simply rank first or last.

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.

    Notes
    -----
    r is the mid-rank among the fitted scores plus one half, over their number plus one. Ranks are
    kept at up to 2049 scores and interpolated between them.

    Examples
    --------
    >>> cal = Rank().fit([-9.0, -1.0, 2.0, 1.0, 300.0, -2.0], [0, 0, 0, 1, 1, 1])
    >>> cal.posteriors([0.0]).shape
    (1, 2)
    """

    kind = "rank"
    _any_scale = True
    _shapes: ClassVar[Shapes] = {
        "places": ("n",),
        "ranks": ("n",),
        "coefficients": (2,),
        "intercept": (),
    }

    def _fit(self, cases: Cases) -> None:
        odds = cases.two_class_odds()
        self.places, self.ranks = mid_ranks(odds, cases.weights)
        self.coefficients, self.intercept = fit_increasing(
            self._features(odds), cases.codes, cases.prior_weights(), cases.counts, None
        )

    def _features(self, odds: FloatArray) -> list[FloatArray]:
        """Logarithms of the rank from below and from above."""
        rank = np.interp(odds, self.places, self.ranks)
        return [np.log(rank), -np.log1p(-rank)]

    def _direction(self) -> int | None:
        return same_sign(self.coefficients)

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        first, second = self._features(scores.log_odds())
        a, b = self.coefficients
        return binary_log_posteriors(a * first + b * second + self.intercept)


_KEPT = ("weights", "emphasis", "priors", "classes", "bound")


class Average(Calibrator):
    """The weighted mean posterior of several calibrators.

    Their errors partly cancel, so the average is rarely far from the best of them. The default
    members for two classes, a smooth map of the rank, Venn-Abers and beta, assume little and
    fail differently.

    Takes what its members take; returns posteriors (n, K).

    Parameters
    ----------
    members : sequence of Calibrator, optional
        Calibrators of which copies are fitted and averaged. Default: `Rank`, `VennAbers` and
        `Beta`, with weights 3, 3 and 1.
    weights : sequence of float, optional
        One positive weight per member, on any scale. Default: all the same.
    emphasis : sequence of float, optional
        One positive number per class, such as what an error on it costs. The mean is taken of
        posteriors multiplied by them and normalised, and then moved back, so that it is most
        precise where decisions change, not at one half. Default: none.
    priors, classes
        See `Calibrator`; they replace those of the members.
    bound
        See `Calibrator`; scores are moved to it before a member moves them to its own.

    Examples
    --------
    >>> cal = Average().fit([-3.0, -1.0, 2.0, 1.0, 3.0, -2.0], [0, 0, 0, 1, 1, 1])
    >>> [member.kind for member in cal.members]
    ['rank', 'venn-abers', 'beta']
    """

    kind = "average"
    _applied = ("members", "weights", "emphasis")

    def __init__(
        self,
        members: Sequence[Calibrator | Mapping[str, Any]] | None = None,
        *,
        weights: Sequence[float] | None = None,
        emphasis: Sequence[float] | None = None,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = None,
    ) -> None:
        if members is None:
            members, weights = [Rank(), VennAbers(), Beta()], [3.0, 3.0, 1.0]
        of_kind(members, "members", Iterable)
        own = [m.unfitted() if isinstance(m, Calibrator) else made(m) for m in members]
        shares = (
            np.ones(len(own)) if weights is None else np.atleast_1d(as_reals(weights, "weights"))
        )
        parts = None if emphasis is None else np.ravel(as_reals(emphasis, "emphasis")).tolist()
        own_options = {"members": own, "weights": shares.tolist(), "emphasis": parts}
        super().__init__(priors=priors, classes=classes, bound=bound, **own_options)
        self.members = own
        self._any_scale = all(member._any_scale for member in own)
        self._level_counts = any(member._level_counts for member in own)
        if not self.members:
            raise DataError("`members` must hold at least one calibrator; got none.")
        if shares.shape != (len(own),) or not (shares > 0).all():
            raise DataError(f"`weights` must be {len(own)} positive numbers; got {weights!r}.")
        if parts is not None and not (np.array(parts) > 0).all():
            raise DataError(f"`emphasis` must be positive; got {parts}.")
        self.weights: FloatArray = shares / shares.sum()

    def unfitted(self) -> Average:
        """A fresh average of fresh members."""
        return Average(self.members, **{key: self.options[key] for key in _KEPT})

    def _fit(self, cases: Cases) -> None:
        given = self.options["emphasis"]
        if given is not None and len(given) != cases.scores.size:
            raise DataError(f"`emphasis` must be {cases.scores.size} numbers; got {given}.")
        for member in self.members:
            member.options["priors"] = cases.priors if cases.given else None
            member.options["classes"] = None
            member._fit_cases(cases.scores, cases.codes, cases.sample_weight, cases.groups)

    @property
    def _needs_finite(self) -> bool:
        return self._bound is None and any(each._needs_finite for each in self.members)

    def _direction(self) -> int | None:
        found = {member._direction() for member in self.members}
        return found.pop() if len(found) == 1 else None

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        logs = [member._applied_to(scores) for member in self.members]
        return mixed(logs, self.weights, self.options["emphasis"])


def mixed(
    logs: Sequence[FloatArray], shares: FloatArray, emphasis: Sequence[float] | None = None
) -> FloatArray:
    """Log-posteriors of the weighted mean posterior, taken under an emphasis of the classes."""
    out: FloatArray | None = None
    for table, share in zip(logs, shares, strict=True):
        part = emphasised(table, emphasis) + np.log(share)
        out = part if out is None else np.logaddexp(out, part)
    assert out is not None
    return out if emphasis is None else emphasised(out, 1.0 / np.array(emphasis))


def emphasised(logs: FloatArray, emphasis: Sequence[float] | FloatArray | None) -> FloatArray:
    """Log-posteriors multiplied by a number per class and normalised."""
    if emphasis is None:
        return logs
    moved = logs + np.log(emphasis)
    return np.asarray(moved - np.logaddexp.reduce(moved, axis=1, keepdims=True))


class Constant(Calibrator):
    """The class priors as the posteriors of every case, whatever its scores.

    What is left when scores are of no use: its Bayes decision is the best naive one, the same for
    all cases. `Automatic` averages it with the rest when it is asked for a cost.

    Takes log-posteriors or logits (n, K) or log odds (n,); returns posteriors (n, K).

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.

    Examples
    --------
    >>> Constant().fit([-1.0, 2.0, 0.5, 1.0], [0, 1, 1, 1]).posteriors([-9.0]).tolist()
    [[0.25, 0.75]]
    """

    kind = "constant"
    _any_scale = True
    _shapes: ClassVar[Shapes] = {"shares": ("classes",)}

    def _fit(self, cases: Cases) -> None:
        cases.need_all_classes("add cases of that class, or drop its column")
        self.shares = np.array(cases.priors, dtype=np.float64)

    def _direction(self) -> int | None:
        return 1

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        logs: FloatArray = np.tile(np.log(self.shares), (len(scores), 1))
        return logs
