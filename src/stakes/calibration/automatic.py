"""The automatic choice of a calibrator, with its reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from stakes._checks import as_priors
from stakes.application import Application
from stakes.calibration.blending import Average
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.cases import Cases, Scores
from stakes.calibration.cross_fitting import cross_fit_cases, fold_numbers
from stakes.calibration.matrix import Dirichlet
from stakes.calibration.per_case import case_losses, loss_name
from stakes.calibration.scaling import Affine, Temperature
from stakes.exceptions import DataError, StakesError
from stakes.results import Frame
from stakes.typing import FloatArray, Priors

__all__ = ["Automatic"]


class Automatic(Calibrator):
    """Choose a calibrator by cross-fitting, prefer the trusted one, say why.

    Each candidate is cross-fitted; the first in the list whose loss is within one standard error
    of the best is taken and fitted on all cases. So a candidate further down the list is chosen
    only when the data clearly ask for it. For two classes the list starts with `Average`, which
    is rarely far from the best; for more with `Dirichlet`, whose penalties keep it near `Affine`.

    Takes log-posteriors or logits (n, K) or log odds (n,); returns posteriors (n, K).

    Parameters
    ----------
    candidates : sequence of Calibrator, optional
        In order of preference. Default for two classes: `Average`, then `Affine`; for more:
        `Dirichlet`, `Affine`, `Temperature`, or the last alone when a class has a single case.
    by : "cross_entropy", "brier" or Application
        What is compared: a proper score, or the cost of the Bayes decisions of an application.
        Its priors, if it has any, are the target priors.
    folds : int
        Number of stratified folds.
    rng : int
        Seed of the folds.
    priors, classes
        See `Calibrator`.
    bound : float or "data", optional
        As for `Calibrator`, but "data" by default, because some candidates need finite scores.

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
    #: Called before each candidate with how many are done, how many there are, and its kind.
    progress: Callable[[int, int, str], None] | None = None

    def __init__(
        self,
        candidates: Sequence[Calibrator | Mapping[str, Any]] | None = None,
        *,
        by: str | Application = "cross_entropy",
        folds: int = 5,
        rng: int = 0,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = "data",
    ) -> None:
        super().__init__(
            priors=priors,
            classes=classes,
            bound=bound,
            candidates=candidates,
            by=by,
            folds=folds,
            rng=rng,
        )
        loss_name(by)
        if candidates is not None and not list(candidates):
            raise DataError("`candidates` must hold at least one calibrator; got none.")
        self.chosen: Calibrator = Affine()

    def unfitted(self) -> Automatic:
        """A fresh automatic choice with the same options."""
        given = self.options["candidates"]
        fresh = None if given is None else [_made(c).unfitted() for c in given]
        return Automatic(**{**self.options, "candidates": fresh})

    @property
    def why(self) -> str:
        """One sentence: what was chosen, against what, by how much."""
        self._need_fit()
        return str(self.report["why"])

    def frame(self) -> Frame:
        """The candidates with their cross-fitted losses."""
        self._need_fit()
        return Frame(self.report["table"])

    def _fit_cases(self, scores: Scores, y_true: Any, sample_weight: Any) -> Automatic:
        by = self.options["by"]
        if isinstance(by, Application) and by.priors is not None and self.options["priors"] is None:
            self.options["priors"] = by.priors
        super()._fit_cases(scores, y_true, sample_weight)
        return self

    def _fit(self, cases: Cases) -> None:
        given = self.options["candidates"]
        candidates = default_candidates(cases) if given is None else [_made(c) for c in given]
        number = fold_numbers(cases, self.options["folds"], rng=self.options["rng"])
        names, losses, kept = [], [], []
        failures: list[str] = []
        for done, candidate in enumerate(candidates):
            candidate = candidate.unfitted()
            if self.progress is not None:
                self.progress(done, len(candidates), candidate.kind)
            candidate.options["priors"] = cases.priors if cases.given else None
            candidate.options["classes"] = None
            try:
                logs = cross_fit_cases(candidate, cases, number)
            except StakesError as error:
                failures.append(f"{candidate.kind}: {error.message}")
                continue
            losses.append(case_losses(logs, cases.codes, self.options["by"]))
            names.append(_label(candidate))
            kept.append(candidate)
        if not kept:
            raise DataError("no candidate could be fitted: " + " ".join(failures))
        place, report = _one_standard_error(names, losses, cases, self.options["by"])
        self.chosen = kept[place].unfitted()
        self.chosen.options |= {"priors": candidate_priors(cases), "classes": None}
        self.chosen._fit_cases(cases.scores, cases.codes, cases.sample_weight)
        self.report |= {**report, "failures": failures}

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        return self.chosen._log_posteriors(self.chosen._bounded(scores, learn=False))

    def _parameters(self) -> dict[str, Any]:
        return {"chosen": self.chosen}

    def _restore(self, parameters: Mapping[str, Any]) -> None:
        self.chosen = Calibrator.from_dict(parameters["chosen"])

    def to_dict(self) -> dict[str, Any]:
        """Everything needed to apply the choice, as JSON types; candidates are not kept."""
        by = self.options["by"]
        kept = self.options
        try:
            self.options = {
                **kept,
                "candidates": None,
                "by": by if isinstance(by, str) else "brier",
            }
            return super().to_dict()
        finally:
            self.options = kept


def default_candidates(cases: Cases) -> list[Calibrator]:
    """What is tried when nothing is named, in order of preference."""
    if cases.scores.size == 2:
        return [Average(), Affine()]
    if (cases.counts < 2).any():
        return [Temperature()]
    return [Dirichlet(), Affine(), Temperature()]


def candidate_priors(cases: Cases) -> FloatArray | None:
    """The target priors, if any were given."""
    return as_priors(cases.priors, cases.classes) if cases.given else None


def _made(candidate: Calibrator | Mapping[str, Any]) -> Calibrator:
    """A calibrator, from itself or from its saved form."""
    return candidate if isinstance(candidate, Calibrator) else Calibrator.from_dict(candidate)


def _label(candidate: Calibrator) -> str:
    """The kind; for averages also the members."""
    if isinstance(candidate, Average):
        return "average of " + " and ".join(member.kind for member in candidate.members)
    return candidate.kind


def _one_standard_error(
    names: list[str], losses: list[FloatArray], cases: Cases, by: str | Application
) -> tuple[int, dict[str, Any]]:
    """Position of the first candidate within one standard error of the best, and the record."""
    weights = cases.prior_weights() / cases.prior_weights().sum()
    raw = cases.scores.columns().astype(np.float64)
    raw = raw - np.logaddexp.reduce(raw, axis=1, keepdims=True)
    raw_loss = case_losses(raw, cases.codes, by)
    means = np.array([float(weights @ loss) for loss in losses])
    best = int(np.argmin(means))
    gaps, errors = np.zeros(len(names)), np.zeros(len(names))
    for i, loss in enumerate(losses):
        with np.errstate(invalid="ignore"):
            gap = loss - losses[best]
        gaps[i] = float(weights @ gap)
        spread = np.nan_to_num(gap - gaps[i], nan=0.0)
        errors[i] = float(np.sqrt(weights**2 @ spread**2)) if np.isfinite(gaps[i]) else 0.0
    place = int(np.flatnonzero((gaps <= errors) | (np.arange(len(names)) == best))[0])
    table = {
        "candidate": ["as is", *names],
        "loss": [float(weights @ raw_loss), *means.tolist()],
        "above_best": [float(weights @ raw_loss) - means[best], *gaps.tolist()],
        "standard_error": [float("nan"), *errors.tolist()],
        "chosen": [False, *(i == place for i in range(len(names)))],
    }
    measure = loss_name(by)
    why = f"{names[place]} has the least cross-fitted {measure} ({means[place]:.4g})."
    if place != best:
        why = (
            f"{names[place]}: its cross-fitted {measure} ({means[place]:.4g}) is within one "
            f"standard error ({errors[place]:.2g}) of the least ({means[best]:.4g}, {names[best]})."
        )
    return place, {"table": table, "why": why + f" As is: {float(weights @ raw_loss):.4g}."}
