"""The automatic choice of a calibrator, with its reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from stakes._checks import as_priors
from stakes.application import Application
from stakes.calibration.blending import Average, Rank, mixed
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.cases import Cases, Scores
from stakes.calibration.choosing import chosen_place, class_stakes, likelihood_weights
from stakes.calibration.constant import Constant
from stakes.calibration.cross_fitting import cross_fit_cases, fold_numbers
from stakes.calibration.describing import aim_again, described, made, plain_aim
from stakes.calibration.isotonic import Isotonic
from stakes.calibration.logistic import Beta
from stakes.calibration.matrix import Dirichlet
from stakes.calibration.per_case import Aim, case_losses, loss_name
from stakes.calibration.saved_form import Shapes, need_all
from stakes.calibration.scaling import Affine, Temperature
from stakes.calibration.smooth import Smooth
from stakes.calibration.structured import CommonCurve, StructuredMatrix
from stakes.calibration.venn_abers import VennAbers
from stakes.calibration.worth import about_light_weights
from stakes.exceptions import DataError, FormatError, StakesError
from stakes.results import Frame
from stakes.typing import FloatArray, Priors, RandomSource

__all__ = ["Automatic"]

#: Beyond so many classes nothing is tried whose work or need of cases grows with their square.
MANY_CLASSES = 30
#: Beyond so many cases times classes squared no matrix is tried.
MUCH_WORK = 2e8
#: A member of the average with less weight is left out.
LEAST = 0.01


class Automatic(Calibrator):
    """Weigh or choose calibrators by cross-fitting, and say why.

    Without `candidates`, those that suit the number of classes and cases are cross-fitted and
    averaged, with the weights that make the cases most likely: no single map wins everywhere, and
    a choice among near-equals adds noise of its own. For two classes `Smooth`, itself an average
    over curves, goes first, and the average must be better by two standard errors. Where a single
    one has all the weight, it stands for the average, under its own name. With
    `candidates`, the first in the list whose loss is within one standard error of the best is taken
    (two for a cost), so a later one is chosen only when the data ask for it.

    Takes log-posteriors or logits (n, K) or log odds (n,); returns posteriors (n, K).

    Parameters
    ----------
    candidates : sequence of Calibrator, optional
        In order of preference; they are copied, not fitted, and their priors and classes are
        replaced. Default: an average of all that suit. Two classes: `Smooth`,
        `Rank`, `VennAbers`, `Beta`, `Affine`, `Isotonic`. More: `CommonCurve`, `Affine` and
        `Temperature`; up to 30 classes also `Isotonic`, and `Dirichlet` if there are at least
        K * K cases; beyond, `StructuredMatrix`. With a single case of a class, `Temperature` alone.
    by : "cross_entropy", "brier", BetaWeight or Application
        What is compared: a proper score (for two classes any `stakes.metrics.BetaWeight`), or the
        cost of the Bayes decisions of an application, whose priors, if it has any, are the target
        priors. For a cost, `Constant` is averaged too, the likelihood that weighs the average
        counts each case by what is at stake in its class, and since costs are noisy, errors not yet
        seen add to the standard error.
    folds : int
        Number of stratified folds.
    rng : int, Generator, RandomState or None
        Seed of the folds. Of a generator one is drawn at once and kept, so that fitting again gives
        the same folds; None draws new ones every time.
    priors, classes
        See `Calibrator`.
    bound : float or "data", optional
        As for `Calibrator`, but "data" by default, because some candidates need finite scores.

    Notes
    -----
    `Dirichlet` is left out for many classes because its K (K + 1) parameters need more cases than
    most people have, and `StructuredMatrix` where there are more than 2e8 / K**2 cases, because
    it would take minutes; name them among the `candidates` to try them.

    The scores as they are stand in the table but are not chosen. Where few cases are all told
    apart their loss is least, whatever their scale, and says nothing of the first error, which
    costs as much as they are sure: n cases without an error leave room for one in about n.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 400)
    >>> log_odds = 3 * (rng.normal(size=400) + 2 * y - 1)
    >>> from stakes.calibration import Isotonic
    >>> cal = Automatic([Affine(), Isotonic()]).fit(log_odds, y)
    >>> cal.chosen.kind
    'affine'
    >>> cal.frame()["candidate"].tolist()
    ['as is', 'affine', 'isotonic']
    """

    kind = "automatic"
    _shapes: ClassVar[Shapes] = {"chosen": None}
    #: Called before each candidate with how many are done, how many there are, and its kind; and
    #: when all are done, with the kind that is then fitted on all cases.
    progress: Callable[[int, int, str], None] | None = None
    #: Called before each fold of a candidate with how many are done and how many there are.
    fold_progress: Callable[[int, int], None] | None = None
    #: Whether `held_out` is kept: what the choice says of each case that counts, fitted without it.
    keep_held_out = False
    held_out: FloatArray | None = None

    def __init__(
        self,
        candidates: Sequence[Calibrator | Mapping[str, Any]] | None = None,
        *,
        by: Aim = "cross_entropy",
        folds: int = 5,
        rng: RandomSource | np.random.RandomState = 0,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = "data",
    ) -> None:
        by = aim_again(by)
        tried = None
        if candidates is not None:
            tried = [made(candidate).unfitted() for candidate in candidates]
        super().__init__(
            priors=priors,
            classes=classes,
            bound=bound,
            candidates=tried,
            by=by,
            folds=folds,
            rng=_seed(rng),
        )
        loss_name(by)
        if tried is not None and not tried:
            raise DataError("`candidates` must hold at least one calibrator; got none.")
        self._any_scale = tried is not None and all(each._any_scale for each in tried)
        self._level_counts = any(each._level_counts for each in tried or ())
        self.chosen: Calibrator = Affine()

    @property
    def why(self) -> str:
        """One sentence: what was chosen, against what, by how much."""
        self._need_fit()
        return str(self.report["why"])

    def frame(self) -> Frame:
        """The candidates with their cross-fitted losses."""
        self._need_fit()
        return Frame(self.report["table"])

    def fit(
        self, scores: Any, y_true: Any, *, sample_weight: Any = None, groups: Any = None
    ) -> Automatic:
        """Compare and learn; cases of one group stay in one fold of the comparison.

        Its standard errors are then from the variation between groups.

        Parameters
        ----------
        scores, y_true, sample_weight
            See `Calibrator.fit`.
        groups : array-like of shape (n_cases,), optional
            What cases have in common, such as a speaker, a patient or a pair of trials.
        """
        read = self._read(scores, sample_weight)
        self._fit_cases(read, y_true, sample_weight, groups)
        self._sort = self.chosen._sort = self._sort_of(scores, read, sample_weight)
        return self

    def _fit_cases(
        self, scores: Scores, y_true: Any, sample_weight: Any, groups: Any = None
    ) -> Automatic:
        by = self.options["by"]
        if isinstance(by, Application) and by.priors is not None and self.options["priors"] is None:
            self.options["priors"] = by.priors
        super()._fit_cases(scores, y_true, sample_weight, groups)
        return self

    def _fit(self, cases: Cases) -> None:
        loss_name(self.options["by"], size=cases.scores.size)
        given = self.options["candidates"]
        candidates = default_candidates(cases) if given is None else list(given)
        if given is None and isinstance(self.options["by"], Application) and len(candidates) > 1:
            candidates.append(Constant())
        kept, logs, failures = self._cross_fitted(candidates, cases)
        if not kept:
            raise DataError("no candidate could be fitted: " + " ".join(failures))
        names = [_label(candidate) for candidate in kept]
        among = None
        if given is None and len(kept) > 1:
            kept, logs, names, among = self._with_average(kept, logs, names, cases)
        by = self.options["by"]
        losses = [case_losses(table, cases.codes, by) for table in logs]
        leeway = 2 if given is None or isinstance(by, Application) else 1
        place, table, why = chosen_place(names, losses, cases, by, leeway=leeway, among=among)
        choice = kept[place]
        if light := about_light_weights(cases):
            why = f"{names[place]}, but the comparison tells nothing. {light}"
        if self.keep_held_out:
            self.held_out = logs[place]
        if self.progress is not None:
            self.progress(len(candidates), len(candidates), choice.kind)
        self.chosen = choice.unfitted()
        self.chosen.options |= {"priors": candidate_priors(cases), "classes": None}
        self.chosen._fit_cases(cases.scores, cases.codes, cases.sample_weight)
        self.report |= {"table": table, "why": why + _left_out(failures), "failures": failures}

    def _with_average(
        self, kept: list[Calibrator], logs: list[FloatArray], names: list[str], cases: Cases
    ) -> tuple[list[Calibrator], list[FloatArray], list[str], int]:
        """The candidates and their average, in front or after `Smooth`.

        Where one has all the weight, that one takes the place. Last, how many are to choose from.
        """
        by = self.options["by"]
        emphasis = class_stakes(by) if isinstance(by, Application) else None
        shares = _that_count(likelihood_weights(logs, cases, emphasis=emphasis))
        among, at = np.flatnonzero(shares), int(isinstance(kept[0], Smooth))
        if len(among) == 1:
            front = list(dict.fromkeys([*range(at), int(among[0])]))
            order = list(dict.fromkeys([*front, *range(len(kept))]))
            kept, logs = [kept[i] for i in order], [logs[i] for i in order]
            return kept, logs, [names[i] for i in order], len(front)
        average = _weighted(kept, shares, emphasis)
        table = mixed(
            [logs[i] for i in among], shares[among], None if emphasis is None else emphasis.tolist()
        )
        label = _shares_label(names, shares)
        return (
            [*kept[:at], average, *kept[at:]],
            [*logs[:at], table, *logs[at:]],
            [*names[:at], label, *names[at:]],
            1 + at,
        )

    def _cross_fitted(
        self, candidates: Sequence[Calibrator], cases: Cases
    ) -> tuple[list[Calibrator], list[FloatArray], list[str]]:
        """The candidates that could be fitted, their log-posteriors, and why others could not."""
        number = fold_numbers(cases, self.options["folds"], rng=self.options["rng"])
        kept: list[Calibrator] = []
        logs: list[FloatArray] = []
        failures: list[str] = []
        for done, given in enumerate(candidates):
            candidate = given.unfitted()
            if self.progress is not None:
                self.progress(done, len(candidates), candidate.kind)
            candidate.options["priors"] = cases.priors if cases.given else None
            candidate.options["classes"] = None
            try:
                table = cross_fit_cases(candidate, cases, number, tell=self.fold_progress)
            except StakesError as error:
                hint = f" Hint: {error.hint}" if error.hint else ""
                failures.append(f"{candidate.kind}: {error.message}{hint}")
                continue
            if np.isnan(table).any():
                failures.append(f"{candidate.kind}: it gives no posteriors for some scores.")
                continue
            kept.append(candidate)
            logs.append(table)
        return kept, logs, failures

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        return self.chosen._log_posteriors(self.chosen._bounded(scores, learn=False))

    def _parameters(self) -> dict[str, Any]:
        return {"chosen": self.chosen}

    def _restore(self, parameters: Mapping[str, Any]) -> None:
        need_all(self.report, ("why", "table"), "report of the saved automatic calibrator")
        self.chosen = Calibrator.from_dict(parameters["chosen"])
        if self.chosen.classes is None or len(self.chosen.classes) != len(self.classes or ()):
            raise FormatError("the calibrator that was chosen is for other classes.")

    def to_dict(self) -> dict[str, Any]:
        """Everything needed to apply the choice or to make it again, as JSON types."""
        kept, given = self.options, self.options["candidates"]
        candidates = None if given is None else [described(each) for each in given]
        try:
            self.options = {**kept, "candidates": candidates, "by": plain_aim(kept["by"])}
            return super().to_dict()
        finally:
            self.options = kept


def default_candidates(cases: Cases) -> list[Calibrator]:
    """What is tried when nothing is named: what the classes and cases can bear."""
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
        return [Smooth(), Rank(), VennAbers(), Beta(), Affine(), Isotonic()]
    if numbers.min() < 2:
        return [Temperature()]
    rows, shared = len(cases.codes), [CommonCurve(), Affine(), Temperature()]
    if size <= MANY_CLASSES:
        dirichlet = [Dirichlet()] if rows >= size * size else []
        return [*dirichlet, *shared, Isotonic()]
    return [*([StructuredMatrix()] if rows * size * size <= MUCH_WORK else []), *shared]


def candidate_priors(cases: Cases) -> FloatArray | None:
    """The target priors, if any were given."""
    return as_priors(cases.priors, cases.classes) if cases.given else None


def _seed(rng: Any) -> int | None:
    """A seed that can be kept, drawn from a generator where one is given."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**31))
    if isinstance(rng, np.random.RandomState):
        return int(rng.randint(2**31 - 1))
    if rng is None or (isinstance(rng, (int, np.integer)) and rng >= 0):
        return None if rng is None else int(rng)
    raise DataError(
        f"`rng` must be a whole number of 0 or more, a generator or None; got {rng!r}.",
        hint="rng=0",
    )


def _left_out(failures: list[str]) -> str:
    """Which candidates could not be fitted, and why the first of them could not."""
    if not failures:
        return ""
    names = ", ".join(failure.partition(": ")[0] for failure in failures)
    return f" Could not be fitted: {names} ({failures[0].partition(': ')[2].rstrip('.')})."


def _label(candidate: Calibrator) -> str:
    """The kind; for averages also the members."""
    if isinstance(candidate, Average):
        return "average of " + " and ".join(member.kind for member in candidate.members)
    return candidate.kind


def _that_count(shares: FloatArray) -> FloatArray:
    """The shares without those that are too small, which are 0."""
    kept = np.where(shares >= LEAST, shares, 0.0)
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
