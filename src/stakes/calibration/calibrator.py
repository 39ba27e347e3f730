"""The shape that all calibrators share: fit, posteriors, save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from stakes._checks import as_priors, float_of, is_number, of_kind
from stakes._columns import as_column, in_brief
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels.class_scores import log_softmax, shift_log_priors
from stakes.calibration.calibrator_json import Savable, kinds
from stakes.calibration.labelled_scores import Cases, read_cases
from stakes.calibration.score_input import Scores, bounded, of_weight, read_log_scores, refuse_vast
from stakes.calibration.score_kind import read_alike, sort_of, spread_of
from stakes.exceptions import DataError, PriorError, StakesError
from stakes.posteriors import Posteriors
from stakes.typing import FloatArray, Priors

__all__ = ["Calibrator", "as_calibrator"]


class Calibrator(Savable, AnswersGuesses):
    """A map from scores to posteriors, learnt from cases whose class is known.

    Not used directly; see `Affine`, `Temperature`, `Isotonic` and the others. All of them take
    natural logarithms: log-posteriors or logits of shape (n, K), or, for two classes, log odds
    or log-likelihood ratios of the second class of shape (n,); a `Posteriors` object is read
    as its log-posteriors. A finite score is at most 1e100 in size, after `bound`. All return
    posteriors of shape (n, K) in float64.

    Scores to calibrate must mean the same as those given to `fit`. A calibrator remembers what
    these
    were, also in its file, and refuses scores of another sort. Fitted on `Posteriors` or on two
    columns, it takes one number per case only if told what it is: `Posteriors(p)` or
    `Posteriors.from_logits(s)`. Fitted on one column in [0, 1] as a scale of its own, it takes such
    columns alone.

    Where a score calls the true class impossible, by minus infinity or by a number as good as
    that, such as a mask of -1e9, calibrators that fit scales refuse and name the cases: a single
    one would outweigh all others. `bound` says how far to trust such scores.

    Infinite scores that are right stay certain. The scales that multiply them stay above 0, since
    any other scale would call the truth impossible. Where the finite scores alone would give a
    negative scale, it is 1e-300 instead, which ignores finite scores and keeps infinite ones. In
    cross-fitting this holds in every fold, even in those without infinite scores. A negative scale,
    learnt from finite scores alone, refuses infinite ones, unless scores are on a scale of their
    own.

    Parameters
    ----------
    priors : sequence or mapping of float, optional
        Class priors of the place where the posteriors will be used. Default: those of the data.
    classes : sequence of names, optional
        Names of the score columns. Default: positions, or the sorted labels.
    bound : float or "data", optional
        Largest distance of a score from the best score of its case. Scores beyond it, infinite
        ones included, are moved to it, in `fit` and in `posteriors`. "data" takes log 2 more
        than the largest finite distance seen in `fit`. Default: no bound.
    """

    #: Whether scores may be on a scale of their own; otherwise probabilities are refused by `fit`.
    _any_scale: bool = False
    #: Whether adding a number to all scores of a case makes a difference.
    _level_counts: bool = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.kind:
            kinds[cls.kind] = cls

    def __init__(
        self,
        *,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = None,
        **options: Any,
    ) -> None:
        if options and type(self).__init__ is Calibrator.__init__:
            raise TypeError(f"{type(self).__name__} has no option {', '.join(options)}.")
        data = isinstance(bound, str) and bound == "data"
        if not (bound is None or data or (is_number(bound) and 0 < float_of(bound) < np.inf)):
            raise DataError(f"`bound` must be a positive number or 'data'; got {in_brief(bound)}.")
        self.options = {"priors": priors, "classes": classes, "bound": bound, **options}
        self.classes, self.priors, self.report = None, None, {}
        self._bound = None

    # ------------------------------------------------------------- the three verbs

    @answers_guesses
    def fit(
        self, scores: Any, y_true: Any, *, sample_weight: Any = None, groups: Any = None
    ) -> Self:
        """Learn from scores and true classes; returns the calibrator itself.

        Parameters
        ----------
        scores : array-like of shape (n_cases, n_classes) or (n_cases,)
            Log-posteriors or logits; or log odds (LLRs) of the second of two classes. Values that
            look like probabilities are refused; one score per case only if the scale matters.
        y_true : array-like of shape (n_cases,)
            True classes, as names or positions.
        sample_weight : array-like of shape (n_cases,), optional
            A weight of 2 is the same as the case occurring twice. Weights that add to 1 therefore
            count as a single case; multiply them by the number of cases.
        groups : array-like of shape (n_cases,), optional
            What cases have in common, such as a speaker or a patient. `Automatic` keeps them
            together; calibrators that compare nothing ignore it.
        """
        _refuse_swapped(scores, y_true)
        read = self._read(scores, sample_weight)
        self._fit_cases(read, y_true, sample_weight, groups)
        counted = of_weight(read, sample_weight)
        self._remember(sort_of(scores, counted, level=self._level_counts))
        self._spread = spread_of(counted)
        return self

    def _refuse_other_order(self, classes: tuple[Any, ...]) -> None:
        """Raise when costs inside name the classes in another order than the cases."""

    def _remember(self, sort: str | None) -> None:
        """Keep what sort of scores this was fitted on."""
        self._sort = sort

    def _read_alike(self, scores: Any) -> Scores:
        """Check scores to calibrate: they must be of the sort that `fit` was given."""
        self._need_fit()
        assert self.classes is not None
        return read_alike(
            scores,
            self._sort,
            size=len(self.classes),
            level=self._level_counts,
            bounded=self.options.get("bound") is not None,
        )

    def _read(self, scores: Any, sample_weight: Any) -> Scores:
        """Check scores to learn from; a column of probabilities is not taken for log odds."""
        return read_log_scores(
            scores,
            sample_weight=sample_weight,
            any_scale=self._any_scale,
            fit_line=f'{type(self).__name__}(bound="data").fit(stakes.Posteriors(p), y_true)',
            instead="log odds all the same: Posteriors.from_logits(scores); scores on a scale of "
            "their own: Logistic(), Smooth() or Isotonic()",
        )

    def _fit_cases(
        self, scores: Scores, y_true: Any, sample_weight: Any, groups: Any = None
    ) -> Self:
        """Learn from scores already read."""
        cases = read_cases(
            scores,
            y_true,
            sample_weight=sample_weight,
            classes=self.options["classes"],
            priors=self.options["priors"],
            groups=groups,
        ).that_count()
        self._sort = self._spread = None
        self.report = {"cases": len(cases.codes)}
        self._fit(replace(cases, scores=self._bounded(cases.scores, learn=True)))
        self.classes, self.priors = cases.classes, cases.priors
        return self

    def _refitted(self, cases: Cases, priors: FloatArray | None) -> Self:
        """A fresh one, fitted on cases already read, whose codes are positions."""
        fresh = self.unfitted()
        fresh.options |= {"classes": None, "priors": priors}
        return fresh._fit_cases(cases.scores, cases.codes, cases.sample_weight, cases.groups)

    def _applied_to(self, scores: Scores) -> FloatArray:
        """Log-posteriors of scores already read."""
        return self._log_posteriors(self._bounded(scores, learn=False))

    @classmethod
    def load(cls, path: Any) -> Self:
        """Read a calibrator of this kind that `save` wrote; `stakes.calibration.load` reads any."""
        from stakes.calibration.calibrator_file import load

        found: Self = of_kind(load(path), "path", cls, hint="stakes.calibration.load(path)")
        return found

    def log_posteriors(self, scores: Any) -> FloatArray:
        """Natural logarithms of the calibrated posteriors, (n, K)."""
        read = self._read_alike(scores)
        assert self.classes is not None
        if read.size != len(self.classes):
            raise _other_columns(read, len(self.classes))
        return self._applied_to(read.in_order(self.classes))

    def posteriors(self, scores: Any) -> FloatArray:
        """Calibrated posteriors of each class, (n, K), under the target priors."""
        return np.exp(self.log_posteriors(scores))

    def calibrated(self, scores: Any) -> Posteriors:
        """The same posteriors with the names of their classes, so that costs find them by name.

        Fitted on integers without `classes`, the calibrator knows positions and no names.
        """
        logs = self.log_posteriors(scores)
        assert self.classes is not None
        named = self.classes != tuple(range(len(self.classes)))
        return Posteriors.from_log_posteriors(logs, self.classes if named else None)

    def llrs(self, scores: Any) -> FloatArray:
        """Calibrated log-likelihood ratios of the second of two classes, (n,)."""
        logs = self.log_posteriors(scores)
        if logs.shape[1] != 2 or self.priors is None:
            raise DataError(f"LLRs need two classes; there are {logs.shape[1]}.")
        return logs[:, 1] - logs[:, 0] - float(np.log(self.priors[1] / self.priors[0]))

    def with_priors(self, priors: Priors) -> Shifted:
        """The same calibrator for a place with other class priors; exact, nothing is refitted."""
        self._need_fit()
        return Shifted(self, priors)

    def unfitted(self) -> Self:
        """A fresh calibrator with the same options."""
        return type(self)(**self.options)

    def __repr__(self) -> str:
        shown = ", ".join(f"{k}={v!r}" for k, v in self.options.items() if v is not None)
        state = f" fitted on {self.report.get('cases', 0)} cases" if self.classes else " not fitted"
        return f"<{type(self).__name__}({shown}){state}>"

    # ------------------------------------------------------------- for the kinds

    def _fit(self, cases: Cases) -> None:
        """Learn the parameters."""
        raise NotImplementedError

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        """Apply the parameters."""
        raise NotImplementedError

    def _direction(self) -> int | None:
        """1 where the posterior of the second of two classes never falls as its score rises.

        -1 where it never rises, and None where neither is known.
        """
        return None

    @property
    def _needs_finite(self) -> bool:
        """Whether infinite scores are refused: no bound is set, and they cannot be calibrated."""
        return False

    def _need_fit(self) -> None:
        """Raise unless the calibrator is fitted."""
        if self.classes is None:
            raise DataError(
                f"{type(self).__name__} has not been fitted.", hint="call fit(scores, y_true) first"
            )

    def _bounded(self, scores: Scores, *, learn: bool) -> Scores:
        """Move scores to the bound, if there is one; none may be vast after that."""
        option = self.options.get("bound")
        if option is None:
            return refuse_vast(scores)
        known = None if learn else self._bound
        kept, self._bound = bounded(scores, option, known, level=self._level_counts)
        return refuse_vast(kept)


class Shifted(Calibrator):
    """A fitted calibrator whose posteriors are moved to other class priors."""

    kind = "shifted"
    _applied = ("inner", "priors")

    def __init__(
        self, inner: Calibrator | Mapping[str, Any], priors: Priors, classes: Any = None
    ) -> None:
        super().__init__()
        self.inner = inner if isinstance(inner, Calibrator) else Calibrator.from_dict(inner)
        assert self.inner.classes is not None
        self.classes = self.inner.classes
        self.priors = as_priors(priors, self.classes)
        lost = np.flatnonzero((self.inner.priors == 0) & (self.priors > 0))
        if lost.size:
            raise PriorError(
                f"`priors` must be 0 for {self.classes[lost[0]]!r}, whose prior was 0: nothing is "
                f"known of its posteriors; got {self.priors[lost[0]]:g}."
            )
        self.report = dict(self.inner.report)
        self._sort, self._spread = self.inner._sort, self.inner._spread
        self.options = {"inner": self.inner, "priors": self.priors, "classes": self.classes}

    def _read_alike(self, scores: Any) -> Scores:
        return self.inner._read_alike(scores)

    def _fit(self, cases: Cases) -> None:
        raise DataError("a shifted calibrator is already fitted.", hint="fit the one inside")

    def _direction(self) -> int | None:
        return self.inner._direction()

    @property
    def _needs_finite(self) -> bool:
        return self.inner._needs_finite

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        assert self.inner.priors is not None
        assert self.priors is not None
        inner = self.inner._applied_to(scores)
        return log_softmax(shift_log_priors(inner, self.inner.priors, self.priors))


def same_sign(slopes: FloatArray) -> int | None:
    """1 where no slope is negative, -1 where none is positive; None where both occur."""
    if (slopes >= 0.0).all():
        return 1
    return -1 if (slopes <= 0.0).all() else None


def run_of(values: FloatArray) -> int | None:
    """1 where values never fall along the last axis, -1 where they never rise; None otherwise."""
    before, after = values[..., :-1], values[..., 1:]
    if (after >= before).all():
        return 1
    return -1 if (after <= before).all() else None


def as_calibrator(value: Any) -> Calibrator:
    """The calibrator itself; names and types are refused."""
    if not isinstance(value, Calibrator):
        raise DataError(f"a calibrator is needed, such as Affine(); got {value!r}.")
    return value


def _refuse_swapped(scores: Any, y_true: Any) -> None:
    """Raise where scores and labels were swapped: the second argument holds fractions."""
    try:
        second = as_column(y_true, "y_true")
        if second.dtype.kind != "f" or not (second[np.isfinite(second)] % 1).any():
            return
        first = as_column(scores, "scores")
    except StakesError:
        return  # reported below
    if first.dtype.kind in "bOSTU" or len(np.unique(first)) <= 2:
        raise DataError(
            "`scores` holds labels and `y_true` fractions: they are swapped.",
            hint="fit(scores, y_true)",
        )


def _other_columns(scores: Scores, size: int) -> DataError:
    """The error for scores without one column per class."""
    wanted = f"`scores` must have {size} columns, as in `fit`"
    if not scores.is_column:
        return DataError(f"{wanted}; got {scores.size}.")
    return DataError(
        f"{wanted}; got {len(scores)} numbers, which are not in columns.",
        hint="a single case is a table of one row: scores[None, :], or [[...]]",
    )
