"""`evaluate`: from labels and models to an Evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stakes._columns import refuse_masked
from stakes._random import as_seed
from stakes.application import Application, CaseCosts, UncertainApplication, as_application
from stakes.calibration import Calibrator
from stakes.evaluation.by_case import evaluated_by_case
from stakes.evaluation.doubting import is_cheap, with_doubt
from stakes.evaluation.estimators import said_of
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.from_counts import evaluated_counts
from stakes.evaluation.from_rows import Question, evaluated_rows, read_cases
from stakes.evaluation.models import refuse_other_order
from stakes.evaluation.possible import possible_of
from stakes.evaluation.slicing import sliced
from stakes.exceptions import CostError, DataError
from stakes.posteriors.class_order import asked_order
from stakes.summaries import ConfusionMatrix
from stakes.typing import Priors, RandomSource

__all__ = ["evaluate"]

#: What else can be typed where columns have no names.
ASKED = '; or the fitted estimator: evaluate(y_true, {"lr": clf}, X=X, ...)'


def evaluate(
    y_true: Any,
    models: Any,
    *,
    application: Any,
    X: Any = None,
    classes: Any = None,
    positive: Any = None,
    case_costs: CaseCosts | None = None,
    posterior_priors: Priors | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    by: Any = None,
    recalibrate: bool | Calibrator = True,
    folds: Any = 5,
    level: float = 0.95,
    min_cases: int = 10,
    rng: RandomSource = None,
) -> Evaluation:
    """Judge models by what their decisions cost, and say what to do.

    Each model is judged as it is (Bayes decisions from its posteriors taken at their word, or
    its decisions), after cross-fitted calibration, and at its best threshold on these data,
    which is optimistic. Lower is better.

    Parameters
    ----------
    y_true : column or None
        True classes: names of the application, or positions. None with confusion matrices.
    models : mapping of str to array, estimator or ConfusionMatrix
        (n, K) float posteriors, (n,) float posteriors of one of two classes, (n,) decisions
        (names or integer positions), or a fitted estimator, with `X`. `Posteriors` with names
        and data frames with a column for each class are matched by name. A single model may
        come without a mapping. Or confusion matrices, when nobody has the rows: on the same
        cases or each on its own.
    application : Application, CostMatrix, UncertainApplication or CaseCosts
        What is at stake. Uncertain costs and priors are judged by their expectation, and at
        all that they may be (`.doubt`); the verdict says when the choice depends on them.
    X : array or data frame, optional
        The cases, for models that are fitted estimators: `predict_proba(X)` is matched to the
        application by `classes_`. What decides by cost itself is asked for its decisions.
    classes : sequence of names, optional
        The order of the columns of arrays, such as ``clf.classes_``. Without it they are read
        in the order of the application, if that is the sorted order of the labels or the
        labels are positions; otherwise they are refused.
    positive : name, optional
        The class of which a single column is the probability: the second, if that is not said
        and the classes stand in sorted order.
    case_costs : CaseCosts, optional
        Costs that differ from case to case; the application then gives priors, unit and
        volume. Every model is judged by three rules: each case by its own costs, one
        threshold for all, and average costs.
    posterior_priors : shares, optional
        The base rate that the posteriors were made for; the class shares of the data if
        absent. When the application's priors differ from it, posteriors are moved to them.
    sample_weight : column, optional
        Weight of each case, as in surveys and sampling: a row is one case whatever it weighs,
        also where weights are whole numbers, and only their proportions matter. Rows of weight
        zero are left out of every count. A row that occurred three times must be given thrice.
    groups : column, optional
        Cases of one group (a customer, a speaker) are not independent: whole groups are
        drawn for intervals, and kept together in folds.
    by : column, optional
        Evaluate every part of the cases with one value of this column too (`.slices`).
    recalibrate : bool or Calibrator
        Which calibrator to cross-fit; True takes `Affine`, False none.
    folds : int or column of fold numbers
        For cross-fitting.
    level : float
        Of the intervals.
    min_cases : int
        With fewer cases of a class that matters, neither interval nor verdict is given.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.

    Returns
    -------
    Evaluation
        `.verdict`, `.best`, `.frame()`, `["name"]`, `.difference(a, b)`, `.doubt`.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 2, 3 and 7.

    Examples
    --------
    >>> from stakes import Application, CostMatrix
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.1
    >>> llr = {"sharp": rng.normal(4 * y - 2, 2), "blunt": rng.normal(y - 0.5, 1)}
    >>> models = {name: 1 / (1 + 9 * np.exp(-s)) for name, s in llr.items()}
    >>> app = Application(CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"],
    ...                              decisions=["ignore", "call"]))
    >>> ev = evaluate(y, models, application=app, rng=0)
    >>> ev.best, ev.verdict_kind
    ('sharp', 'deploy')
    >>> round(ev["sharp"].threshold, 4)
    0.0909
    """
    if isinstance(application, CaseCosts):
        case_costs, application = application, Application(application.average())
    uncertain = application if isinstance(application, UncertainApplication) else None
    given = as_application(application if uncertain is None else uncertain.expected)
    _refuse_settings(recalibrate, folds, min_cases, case_costs)
    options: dict[str, Any] = {"level": level, "rng": as_seed(rng), "min_cases": min_cases}
    tables = models if isinstance(models, Mapping) else {"model": models}
    if tables and all(isinstance(each, ConfusionMatrix) for each in tables.values()):
        if y_true is not None:
            raise DataError("confusion matrices hold the truth already.", hint="y_true=None")
        per_case = {"sample_weight": sample_weight, "groups": groups, "by": by, "X": X}
        _refuse_columns(per_case | {"classes": classes, "positive": positive}, "confusion matrices")
        return _doubted(evaluated_counts(tables, given, options), uncertain)
    if y_true is None:
        raise DataError("`y_true` may be None only for confusion matrices.")
    columns = {"sample_weight": sample_weight, "groups": groups}
    refuse_other_order(y_true, {**tables, **columns, "by": by})
    cases = read_cases(y_true, given, sample_weight, groups)
    models = said_of(models, X, given)
    order = asked_order(classes, positive, y_true, ASKED)
    question = Question(given, cases, posterior_priors, recalibrate, folds, options, order)
    if case_costs is not None:
        _refuse_columns({"by": by}, "costs per case")
        return evaluated_by_case(models, case_costs, question)
    found = _doubted(evaluated_rows(models, question), uncertain)
    if by is None:
        return found
    assert found.sources is not None
    # where shares are those of the data, a part is judged at its own, by the rule of the whole
    if posterior_priors is not None:
        kept_at: Any = posterior_priors
    else:
        kept_at = None if given.priors is None else found.sources.said_at
    kept = {
        **options,
        "application": application,
        "posterior_priors": kept_at,
        "recalibrate": recalibrate,
        "classes": given.classes,
    }
    return sliced(evaluate, found, (y_true, by), columns, kept)


def _refuse_settings(recalibrate: Any, folds: Any, min_cases: Any, case_costs: Any) -> None:
    """Raise for settings that cannot be meant."""
    if case_costs is not None and not isinstance(case_costs, CaseCosts):
        raise CostError(
            f"`case_costs` must be a CaseCosts; got {type(case_costs).__name__}.",
            hint="CaseCosts.binary(false_negative=amounts, false_positive=1.0); for costs that "
            "are the same in every case, application=CostMatrix.binary(...)",
        )
    whole = isinstance(min_cases, (int, np.integer)) and not isinstance(min_cases, bool)
    if not whole or min_cases < 0:
        raise DataError(f"`min_cases` must be a whole number from 0 on; got {min_cases!r}.")
    refuse_masked(folds, "folds")
    if np.ndim(folds) == 0 and not (isinstance(folds, (int, np.integer)) and folds >= 2):
        raise DataError(
            f"`folds` must be 2 or more, or a column of fold numbers; got {folds!r}.",
            hint="folds=5; recalibrate=False needs none",
        )
    if not isinstance(recalibrate, (bool, Calibrator)):
        raise DataError(
            f"`recalibrate` must be True, False or a calibrator; got {recalibrate!r}.",
            hint="recalibrate=stakes.calibration.Isotonic()",
        )


def _refuse_columns(columns: dict[str, Any], what: str) -> None:
    """Raise for columns that would be passed over in silence."""
    for name, column in columns.items():
        if column is not None:
            raise DataError(f"`{name}` cannot be used with {what}.", hint=f"leave out `{name}`")


def _doubted(found: Evaluation, uncertain: UncertainApplication | None) -> Evaluation:
    """The same at all that uncertain costs and shares may be."""
    if uncertain is None:
        return found
    possible = possible_of(uncertain, few=True)
    if is_cheap(found, possible):
        possible = possible_of(uncertain, few=False)
    return with_doubt(found, possible)
