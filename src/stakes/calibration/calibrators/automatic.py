"""The automatic choice of a calibrator, with its reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from stakes._checks import as_priors, of_kind
from stakes._columns import as_column
from stakes._names import listed, observed_names
from stakes._random import as_seed
from stakes.application import Application
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.calibrator_file import aim_again, described, made, plain_aim
from stakes.calibration.calibrator_json import Shapes, need_all
from stakes.calibration.calibrators.affine import Affine
from stakes.calibration.calibrators.automatic_choice import (
    chosen_place,
    default_candidates,
    leaders,
    with_average,
)
from stakes.calibration.calibrators.average import Average
from stakes.calibration.cross_fit import cross_fit_cases, fold_numbers
from stakes.calibration.labelled_scores import Aim, Cases, case_losses, loss_name
from stakes.calibration.measures.gain import about_light_weights
from stakes.calibration.score_input import Scores
from stakes.exceptions import DataError, FormatError, StakesError
from stakes.posteriors import Posteriors
from stakes.results import Frame
from stakes.typing import FloatArray, Priors, RandomSource


# What is tried, averaged and taken, and why: docs/design/calibration-choice.md.
class Automatic(Calibrator):
    """Weigh or choose calibrators by cross-fitting, and say why.

    Without `candidates`, those that suit the number of classes and cases are cross-fitted and
    averaged, with the weights that make the cases most likely: no single map wins everywhere, and
    a choice among near-equals adds noise of its own. For two classes `Smooth`, itself an average
    over curves, is preferred, unless the average is better by two standard errors. With fewer than
    500 cases the map of a single parameter, `Temperature`, is averaged with `Smooth`, for more
    classes with `CommonCurve`, and that mean is preferred. If a single one has all the weight, it
    replaces the average, under its own name. With `candidates`, the first in the list whose loss is
    within one standard error of the best is taken (two for a cost), so a later one is chosen only
    when the data ask for it.

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
        priors. For a cost, `Constant` is averaged too; the likelihood that sets the weights of the
        average counts each case by what is at stake in its class; and since costs are noisy, the
        standard error allows for errors not yet seen. For two classes the preferred curve is then a
        mean of `Smooth` and of a `Smooth` that weights each class by the root of what is at stake
        in it.
    folds : int
        Number of stratified folds.
    rng : None, int, numpy.random.Generator or RandomState
        Seed of the folds, 0 if None. From a generator one seed is drawn at once and kept, so that
        fitting again gives the same folds.
    priors, classes
        See `Calibrator`.
    bound : float or "data", optional
        As for `Calibrator`, but "data" by default, because some candidates need finite scores.

    Notes
    -----
    `Dirichlet` is left out for many classes because its K (K + 1) parameters need more cases than
    most people have, and `StructuredMatrix` where there are more than 2e8 / K**2 cases, because
    it would take minutes; name them among the `candidates` to try them.

    The scores as they are appear in the table but are never chosen. If the cases are few and all
    separated, the scores have the least loss whatever their scale. That says nothing about the
    first error, which costs more the surer they are: n cases without an error leave room for one
    error in about n cases.

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
    #: Whether to keep `held_out`: what the choice says of each case with a weight, fitted without
    #: it.
    keep_held_out = False
    held_out: FloatArray | None = None
    #: Why this one was chosen, the loss of the scores as they are, and which could not be fitted.
    _reasons = ("", "", "")

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
            tried = [
                made(candidate).unfitted()
                for candidate in of_kind(candidates, "candidates", Iterable)
            ]
        super().__init__(
            priors=priors,
            classes=classes,
            bound=bound,
            candidates=tried,
            by=by,
            folds=folds,
            rng=as_seed(rng.randint(2**31 - 1) if isinstance(rng, np.random.RandomState) else rng),
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
    ) -> Self:
        """Compare and learn; cases of one group stay in one fold of the comparison.

        Its standard errors are then from the variation between groups.

        Parameters
        ----------
        scores, y_true, sample_weight
            See `Calibrator.fit`.
        groups : array-like of shape (n_cases,), optional
            What cases have in common, such as a speaker, a patient or a pair of trials.
        """
        if isinstance(self.options["by"], Application):
            given = self.options["classes"]
            if given is None and isinstance(scores, Posteriors) and scores.named:
                given = scores.classes
            names = observed_names(as_column(y_true, "y_true")) if given is None else tuple(given)
            self._refuse_other_order(names)
        return super().fit(scores, y_true, sample_weight=sample_weight, groups=groups)

    def _refuse_other_order(self, classes: tuple[Any, ...]) -> None:
        by = self.options["by"]
        if not isinstance(by, Application) or by.classes == classes:
            return
        if len(by.classes) == len(classes) and set(by.classes) == set(classes):
            raise DataError(
                f"`by` has the classes {listed(by.classes)}, and the cases have {listed(classes)}, "
                "in another order, so costs would apply to the wrong class.",
                hint=f"classes={list(by.classes)!r}, which is then the order of the scores too; or "
                "name the costs in the order of the cases",
            )

    def _remember(self, sort: str | None) -> None:
        self._sort = self.chosen._sort = sort

    def _fit_cases(
        self, scores: Scores, y_true: Any, sample_weight: Any, groups: Any = None
    ) -> Automatic:
        by = self.options["by"]
        if isinstance(by, Application) and by.priors is not None and self.options["priors"] is None:
            self.options["priors"] = by.priors
        super()._fit_cases(scores, y_true, sample_weight, groups)
        return self

    def _fit(self, cases: Cases) -> None:
        by, given = self.options["by"], self.options["candidates"]
        loss_name(by, size=cases.scores.size)
        candidates = default_candidates(cases, by) if given is None else list(given)
        kept, logs, failures = self._cross_fitted(candidates, cases)
        if not kept:
            said = " ".join(f"{kind}: {why}" for kind, why in failures)
            raise DataError(f"no candidate could be fitted: {said}")
        names = [_label(candidate) for candidate in kept]
        among = None
        if given is None and len(kept) > 1:
            first = leaders(kept, cases)
            kept, logs, names, among = with_average(kept, logs, names, cases, by, first=first)
        losses = [case_losses(table, cases.codes, by) for table in logs]
        leeway = 2 if given is None or isinstance(by, Application) else 1
        place, table, why = chosen_place(names, losses, cases, by, leeway=leeway, among=among)
        choice, as_is = kept[place], f"{table['loss'][0]:.4g}"
        if light := about_light_weights(cases):
            why, as_is = f"{names[place]}, but the comparison tells nothing. {light}", ""
        if self.keep_held_out:
            self.held_out = logs[place]
        if self.progress is not None:
            self.progress(len(candidates), len(candidates), choice.kind)
        self.chosen = choice.unfitted()
        self.chosen.options |= {"priors": _candidate_priors(cases), "classes": None}
        self.chosen._fit_cases(cases.scores, cases.codes, cases.sample_weight, cases.groups)
        self._reasons = (why, as_is, _left_out(failures))
        self.report |= {
            "table": table,
            "why": self._why(),
            "failures": [f"{kind}: {said}" for kind, said in failures],
        }

    def _why(self, as_is: str = "Uncalibrated") -> str:
        """What was chosen and why; `as_is` introduces the loss of the scores, or leaves it out."""
        why, loss, left_out = self._reasons
        return f"{why} {as_is}: {loss}.{left_out}" if as_is and loss else why + left_out

    def _cross_fitted(
        self, candidates: Sequence[Calibrator], cases: Cases
    ) -> tuple[list[Calibrator], list[FloatArray], list[tuple[str, str]]]:
        """The candidates that could be fitted, their log-posteriors, and why others could not."""
        number = fold_numbers(cases, self.options["folds"], rng=self.options["rng"])
        kept: list[Calibrator] = []
        logs: list[FloatArray] = []
        failures: list[tuple[str, str]] = []
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
                failures.append((candidate.kind, f"{error.message}{hint}"))
                continue
            if np.isnan(table).any():
                failures.append((candidate.kind, "it gives no posteriors for some scores."))
                continue
            kept.append(candidate)
            logs.append(table)
        return kept, logs, failures

    @property
    def _needs_finite(self) -> bool:
        return self._bound is None and self.chosen._needs_finite

    def _direction(self) -> int | None:
        return self.chosen._direction()

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        return self.chosen._log_posteriors(self.chosen._bounded(scores, learn=False))

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


def _candidate_priors(cases: Cases) -> FloatArray | None:
    """The target priors, if any were given."""
    return as_priors(cases.priors, cases.classes) if cases.given else None


def _left_out(failures: list[tuple[str, str]]) -> str:
    """Which candidates could not be fitted, and why the first of them could not."""
    if not failures:
        return ""
    names = ", ".join(kind for kind, _ in failures)
    return f" Could not be fitted: {names} ({failures[0][1].rstrip('.')})."


def _label(candidate: Calibrator) -> str:
    """The kind; for averages also the members."""
    if isinstance(candidate, Average):
        return "average of " + " and ".join(member.kind for member in candidate.members)
    return candidate.kind
