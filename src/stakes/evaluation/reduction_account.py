"""What a reduction comes to: rows in memory, rows that stay in their engine, confusion matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.calibration import Affine, Calibrator
from stakes.engines import Reduction
from stakes.engines.array_reduction import MOST_COMPARED, reduce_arrays, reduce_confusions
from stakes.evaluation.builder import Account, Figures, build
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.model_intervals import (
    compared,
    joint_rows,
    limits,
    of_calibration,
    ranges,
    row_limits,
    unpaired,
)
from stakes.evaluation.model_rows import Rows, refuse_same_names
from stakes.evaluation.model_variants import (
    Judged,
    Sources,
    Variant,
    best_on_data,
    decided,
    priced,
    recalibrated,
    refuse_absent,
    scores_of,
)
from stakes.evaluation.slices import with_slices
from stakes.exceptions import DataError, UndefinedError
from stakes.messages.notes import Note
from stakes.rules import DecisionRule
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray
from stakes.uncertainty import Comparison

#: What rows that stayed in their engine cannot tell.
_WITHOUT_ROWS = {
    "recalibrated_nec": "recalibration-needs-rows",
    "optimistic_nec": "optimistic-needs-bins",
    "ranges": "ranges-need-rows",
}
#: What confusion matrices cannot tell.
_COUNTS_ONLY = {
    "threshold": "counts-only",
    "recalibrated_nec": "counts-only",
    "optimistic_nec": "counts-only",
    "comparison": "cases-unshared",
}


def evaluated_rows(rows: Rows, options: dict[str, Any]) -> Evaluation:
    """Judge every model as it is, re-calibrated and at its best, and compare them."""
    app, cases = rows.application, rows.cases
    refuse_absent(cases.priors, app)  # before posteriors are moved from a share of 0
    codes = {model.name: decided(model, app, rows.said_at) for model in rows.models}
    found = reduce_arrays(
        cases.truth,
        codes,
        rows.given,
        kinds={model.name: model.kind for model in rows.models},
        sample_weight=cases.weights,
        from_priors=rows.said_at,
    )
    return build(_Reckoning(found, "", options, rows, codes).account(), options)


def evaluated_reduction(
    found: Reduction, application: str | None = None, *, options: dict[str, Any]
) -> Evaluation:
    """Judge the models of a reduction at one of its applications, whole and by slice."""

    def judge(part: Reduction) -> Evaluation:
        if found.request.case_costs:
            from stakes.evaluation.case_account import case_sums_account

            return build(case_sums_account(part), options)
        name = next(iter(found.request.applications)) if application is None else application
        return build(_Reckoning(part, name, options).account(), options)

    slices = found.slices if found.request.by else ()
    return with_slices(judge(found), slices, lambda key: judge(found[key]))


def evaluated_counts(
    tables: Mapping[Any, ConfusionMatrix], given: Application, options: dict[str, Any]
) -> Evaluation:
    """Judge tables of counts at the priors of the application, or else of the first of them."""
    refuse_same_names(tables)
    ordered = {str(name): _ordered(table, given, str(name)) for name, table in tables.items()}
    found = reduce_confusions(ordered, given)
    return build(_Reckoning(found, "", options, shared=False).account(), options)


def _ordered(table: ConfusionMatrix, app: Application, name: str) -> ConfusionMatrix:
    """The counts in the order of the application; decisions that never occur are added."""
    if set(table.classes) != set(app.classes) or not set(table.decisions) <= set(app.decisions):
        raise DataError(
            f"{name!r} counts {list(table.classes)} by {list(table.decisions)}; the application "
            f"has {list(app.classes)} by {list(app.decisions)}."
        )
    counts = np.zeros(app.costs.shape, dtype=table.counts.dtype)
    rows = [table.classes.index(outcome) for outcome in app.classes]
    for j, decision in enumerate(app.decisions):
        if decision in table.decisions:
            counts[:, j] = table.counts[rows, table.decisions.index(decision)]
    return ConfusionMatrix(counts, app.classes, app.decisions)


@dataclass(eq=False)
class _Reckoning:
    """One reduction on its way to an account, with the rows beside it where they are in memory.

    `codes` is what each model decided on the rows; `shared` is False where nobody knows whether
    models were counted on the same cases.
    """

    found: Reduction
    name: str
    options: dict[str, Any]
    rows: Rows | None = None
    codes: Mapping[str, Any] = field(default_factory=dict)
    shared: bool = True
    notes: list[Note] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    @cached_property
    def given(self) -> Application:
        """The application as it was given."""
        return self.found.request.applications[self.name]

    @cached_property
    def shares(self) -> FloatArray:
        """The share of each class; that of the first model where each has its own cases."""
        totals = self.found.class_totals
        if not totals.sum() > 0:
            raise DataError("the cases have no weight.")
        return np.asarray(totals / totals.sum())

    @cached_property
    def application(self) -> Application:
        """With the priors that count filled in."""
        return self.given.with_priors(self.given.resolved_priors(self.shares))

    @cached_property
    def variants(self) -> dict[str, Variant]:
        """Every model as it is."""
        return {model: self._variant(model) for model in self.found.request.models}

    @cached_property
    def sampled(self) -> Application:
        """The application of the intervals: at the same shares for all, whoever's they are."""
        if self.shared or self.given.priors is not None:
            return self.given
        tables = [variant.confusion for variant in self.variants.values()]
        alike = all(np.allclose(table.priors, self.shares) for table in tables)
        return self.given if alike else self.application

    def account(self) -> Account:
        """Everything that can be told."""
        tables = {model: variant.confusion for model, variant in self.variants.items()}
        self._say_first()
        judged = self._judged()
        models = tuple(self._figures(model, judged.get(model)) for model in self.variants)
        comparison = self._comparison()
        if self.found.whole.bins:
            self.notes.append(Note("best-of-bin-edges"))
        counted = self.found.rows_by_class
        account = Account(
            application=self.application,
            models=models,
            n_cases=float(counted.sum()),
            class_cases=np.min([table.class_totals for table in tables.values()], axis=0)
            if not self.shared
            else counted,
            data_priors=self.shares,
            comparison=comparison,
            ranges=ranges(
                self.application,
                tables,
                {model: one.scores for model, one in judged.items() if one.scores is not None},
                fixed="posteriors" not in self.found.kinds.values(),
            ),
            notes=tuple(self.notes),
            reasons=self.reasons,
        )
        if not self.shared:
            pairs = unpaired(models, account.n_cases, self.options["level"])
            return replace(account, unpaired=tuple(pairs))
        return account if self.rows is None else self._beside(account, self.rows, judged)

    def _beside(self, account: Account, rows: Rows, judged: Mapping[str, Judged]) -> Account:
        """With what the rows tell: what calibration is worth, and all at other costs."""
        each = tuple(judged.values())
        sources = Sources(rows.given, rows.cases, each, rows.said_at, self.options)
        after, worth = of_calibration(each, rows.cases, rows.given, self.options)
        return replace(account, after=after, worth=worth, sources=sources)

    def _variant(self, model: str) -> Variant:
        """What a model decided, and what that cost."""
        table = self.found.confusion(model, self.name)
        return priced(table, self.application, self.codes.get(model), self._rule(model))

    def _rule(self, model: str) -> DecisionRule | None:
        """How a model's posteriors were decided; None for decisions."""
        if self.found.kinds[model] != "posteriors":
            return None
        before, kind = self._said_by(model)
        return DecisionRule(self.application, from_priors=before, score_type=kind, model=model)

    def _said_by(self, model: str) -> tuple[FloatArray, str]:
        """The base rate that posteriors were made for, and their type."""
        if self.rows is not None:
            return self.rows.said_at, str(self.rows[model].posteriors.dtype)  # type: ignore[union-attr]
        said_at, here = self.found.request.from_priors, self.application.priors
        assert here is not None
        return here if said_at is None or self.given.priors is None else said_at, "float64"

    def _say_first(self) -> None:
        """What was assumed of the shares, and what this kind of input cannot tell."""
        posteriors = "posteriors" in self.found.kinds.values()
        said_at = self.found.request.from_priors
        if not self.shared:
            self.notes.append(Note("counts-only"))
            self.reasons |= _COUNTS_ONLY
        if self.sampled is not self.given:
            self.notes.append(Note("shares-of-first", model=next(iter(self.variants))))
        elif self.given.priors is None:
            self.notes.append(Note("shares-of-data"))
        elif not np.array_equal(self.given.priors, self.shares if said_at is None else said_at):
            self.notes.append(Note("posteriors-moved" if posteriors else "shares-of-application"))
        if not self.shared and len(self.variants) > 1:
            self.notes.append(Note("cases-unshared"))
        if posteriors and self.rows is None:
            self.notes.append(Note("recalibration-needs-rows"))
            self.reasons |= _WITHOUT_ROWS

    def _judged(self) -> dict[str, Judged]:
        """Each model with what its rows tell; empty without rows."""
        if self.rows is None:
            return {}
        rows, wanted = self.rows, self.rows.recalibrate
        calibrator = wanted if isinstance(wanted, Calibrator) else Affine()
        seed, found, softened = self.options["rng"], {}, []
        for model in rows.models:
            after = None
            if wanted is not False:
                after = recalibrated(
                    model, rows.cases, self.application, calibrator, rows.folds, seed
                )
            if isinstance(after, Note):
                self.notes.append(after)
            variant, fitted = after if isinstance(after, tuple) else (None, None)
            if fitted is not None and np.any(model.posteriors == 0):
                softened.append(model.name)
            scores = scores_of(model, rows.cases, rows.said_at)
            found[model.name] = Judged(model, self.variants[model.name], variant, fitted, scores)
        if softened:
            self.notes.append(Note("zeros-softened", models=", ".join(softened)))
        kinds = {model.kind for model in rows.models}
        if "posteriors" in kinds:
            code = "not-asked" if wanted is False else "not-recalibrated"
            self.reasons["recalibrated_nec"] = code
        if len(kinds) > 1:
            self.reasons["ranges"] = "mixed-models"
        return found

    def _figures(self, model: str, one: Judged | None) -> Figures:
        """One model with everything that is known about it."""
        variant, after = self.variants[model], None if one is None else one.recalibrated
        if one is None:
            scores: Any = self.found.whole.bins.get(model)
            near = self.found._score_ends(model)
        else:
            scores, near = one.scores, one.model.second
        rule = variant.rule
        if rule is not None and near is not None:
            rule = rule.rounded_for(near)
        lowest, cut = best_on_data(scores, self.application)
        return Figures(
            name=model,
            kind=self.found.kinds[model],
            confusion=variant.confusion,
            cost=variant.cost,
            nec=variant.nec,
            cells=variant.cells,
            interval=self._interval(model, variant),
            rule=rule,
            recalibrated_nec=None if after is None else after.nec,
            recalibrated_interval=None if after is None else self._interval(model, after),
            optimistic_nec=lowest,
            optimistic_threshold=cut,
            calibration_slope=None if one is None else one.slope,
        )

    def _interval(self, model: str, variant: Variant) -> tuple[float, float] | None:
        """The interval of the NEC; None for too few cases, and where nobody knows how many."""
        if math.isnan(variant.nec):
            return None
        if self.rows is not None:
            return row_limits(variant, self.rows.cases, self.given, self.options)
        summary: Any = variant.confusion
        if self.found.request.sample_weight is not None:
            try:
                summary = self.found.weighted(self.name, model=model)
            except UndefinedError as error:
                if "interval" not in self.reasons:
                    self.notes.append(Note("no-intervals", why=error.message))
                self.reasons["interval"] = "no-intervals"
                return None
        elif (np.rint(variant.confusion.counts) != variant.confusion.counts).any():
            self.reasons["interval"] = "weights-without-rows"
            return None
        return limits(summary, self.sampled, self.options)

    def _comparison(self) -> Comparison | None:
        """Every pair of models on the same rows, by NEC; None where that was not counted."""
        necs = [variant.nec for variant in self.variants.values()]
        if len(necs) < 2 or not self.shared:
            return None
        if len(necs) > MOST_COMPARED:
            self.notes.append(Note("too-many-models", most=MOST_COMPARED))
            self.reasons["comparison"] = "too-many-models"
            return None
        try:
            joint = self._joint()
        except UndefinedError as error:
            if "interval" not in self.reasons:
                self.notes.append(Note("not-compared", why=error.message))
            self.reasons["comparison"] = "not-compared"
            return None
        return None if math.isnan(necs[0]) else compared(joint, self.given, self.options)

    def _joint(self) -> Any:
        """What all models decided on the same rows; with weights, what they tell of it."""
        if self.rows is not None and not self.rows.cases.plain:
            return joint_rows(self.codes, self.rows.cases, self.given)
        weighted = self.found.request.sample_weight is not None
        return self.found.weighted(self.name) if weighted else self.found.paired(self.name)
