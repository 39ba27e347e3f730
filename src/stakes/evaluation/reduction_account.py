"""Models judged by one cost matrix, from rows in memory, an engine's counts or confusion tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.calibration import Calibrator
from stakes.engines import Reduction
from stakes.engines.array_reduction import MOST_COMPARED, reduce_arrays, reduce_confusions
from stakes.evaluation.builder import build, shares_of
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.far.group_account import GroupedReduction
from stakes.evaluation.far.row_sample_account import Sampled
from stakes.evaluation.far.score_bin_account import (
    BinRows,
    joint_decisions,
    judged_bins,
    reaches_zero,
    weighed_cells,
    worth_of_bins,
)
from stakes.evaluation.model_evaluation import Figures
from stakes.evaluation.model_intervals import (
    compared,
    joint_rows,
    limits,
    of_calibration,
    ranges,
    row_limits,
    unpaired,
)
from stakes.evaluation.model_rows import Model, Rows, refuse_same_names
from stakes.evaluation.recalibration import (
    Judged,
    Sources,
    Variant,
    about_scores,
    best_on_data,
    decided,
    priced,
    recalibrated,
    refuse_absent,
    scores_of,
    turned_far,
)
from stakes.evaluation.slices import with_slices
from stakes.exceptions import DataError, StakesError, UndefinedError
from stakes.messages.notes import Note
from stakes.messages.steps import steps
from stakes.results import as_ends
from stakes.rules import DecisionRule
from stakes.rules.rule_words import said_alike
from stakes.summaries import ConfusionMatrix, ScoreBins
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
    return _Judge(found, "", options, rows, codes).evaluation()


def evaluated_reduction(
    found: Reduction, application: str | None = None, *, options: dict[str, Any]
) -> Evaluation:
    """Judge the models of a reduction at one of its applications, whole and by slice."""

    def judge(part: Reduction) -> Evaluation:
        if found.request.case_costs:
            from stakes.evaluation.far.case_sum_account import evaluated_case_sums

            return evaluated_case_sums(part, options)
        name = next(iter(found.request.applications)) if application is None else application
        return _Judge(part, name, options).evaluation()

    slices = found.slices if found.request.by else ()
    return with_slices(judge(found), slices, lambda key: judge(found[key]))


def evaluated_counts(
    tables: Mapping[Any, ConfusionMatrix], given: Application, options: dict[str, Any]
) -> Evaluation:
    """Judge tables of counts at the priors of the application, or else of the first of them."""
    refuse_same_names(tables)
    ordered = {str(name): _ordered(table, given, str(name)) for name, table in tables.items()}
    return _Judge(reduce_confusions(ordered, given), "", options, shared=False).evaluation()


def _ordered(table: ConfusionMatrix, app: Application, name: str) -> ConfusionMatrix:
    """The counts in the order of the application; decisions that never occur are added."""
    if set(table.classes) != set(app.classes) or not set(table.decisions) <= set(app.decisions):
        raise DataError(
            f"{name!r} counts {list(table.classes)} by {list(table.decisions)}; the application "
            f"has {list(app.classes)} by {list(app.decisions)}."
        )
    counts = np.zeros(app.costs.shape, dtype=table.counts.dtype)
    rows = [table.classes.index(outcome) for outcome in app.classes]
    columns = [app.decisions.index(decision) for decision in table.decisions]
    counts[:, columns] = table.counts[rows]
    return ConfusionMatrix(counts, app.classes, app.decisions)


@dataclass(eq=False)
class _Judge:
    """What one reduction tells, with the rows beside it where they are in memory.

    `name` is the application of the reduction, `codes` what each model decided on the rows;
    `shared` is False where models may have been counted on different cases. Notes and
    reasons for what is absent are gathered on the way.
    """

    found: Reduction
    name: str
    options: dict[str, Any]
    rows: Rows | None = None
    codes: Mapping[str, Any] = field(default_factory=dict)
    shared: bool = True

    def __post_init__(self) -> None:
        self.notes: list[Note] = []
        self.warnings: list[Note] = []
        self.reasons: dict[str, str] = {}
        self.bin_rows: dict[str, BinRows] = {}
        self.sampled: Sampled | None = None
        self.groups = self.found if isinstance(self.found, GroupedReduction) else None
        self.given = self.found.request.applications[self.name]
        self.shares = shares_of(self.found)
        self.application = self.given.with_priors(self.given.resolved_priors(self.shares))
        self.variants = {model: self._as_is(model) for model in self.found.request.models}
        self.bins = self._own_bins()
        # All intervals are at the same shares.
        self.at_shares = self.given
        if not self.shared and self.given.priors is None:
            tables = [variant.confusion for variant in self.variants.values()]
            alike = all(np.allclose(table.priors, self.shares) for table in tables)
            self.at_shares = self.given if alike else self.application

    def evaluation(self) -> Evaluation:
        """Everything that can be told."""
        self._say_first()
        judged, told = self._judged(), dict[str, Any]()
        models = steps("judging models", self.variants)
        figures = [self._figures(model, judged.get(model)) for model in models]
        near = {model: self._near(model, judged.get(model)) for model in models}
        rules = said_alike({each.name: each.rule for each in figures}, near)
        figures = [replace(each, rule=rules[each.name]) for each in figures]
        comparison = self._comparison()
        if self.bins:
            self.notes.append(Note("best-of-bin-edges"))
        tables = {model: variant.confusion for model, variant in self.variants.items()}
        scored = {model: one.scores for model, one in judged.items() if one.scores is not None}
        counted = self.found.rows_by_class
        n_cases = float(counted.sum())
        if not self.shared:
            counted = np.min([table.class_totals for table in tables.values()], axis=0)
            told["unpaired"] = tuple(unpaired(figures, n_cases, self.options["level"]))
        elif self.rows is not None:
            each, rows = tuple(judged.values()), self.rows
            own = rows.recalibrate if isinstance(rows.recalibrate, Calibrator) else None
            parts = (rows.given, rows.cases, each, rows.said_at, self.options, rows.cases.plain)
            sources = Sources(*parts, calibrator=own)
            after, worth = of_calibration(sources)
            told |= {"after": after, "worth": worth, "sources": sources}
        elif self.sampled is not None:
            told |= self.sampled.told(judged)
        elif judged:
            told |= self._of_bins(judged)
        return build(
            figures,
            self.options,
            class_cases=counted,
            reasons=self.reasons,
            notes=self.notes,
            warnings=tuple(self.warnings),
            application=self.application,
            n_cases=n_cases,
            data_priors=self.shares,
            comparison=comparison,
            ranges=ranges(self.application, tables, scored, fixed=not self._said),
            **told,
        )

    def _of_bins(self, judged: Mapping[str, Judged]) -> dict[str, Any]:
        """What to show at other costs, and what re-calibrating is worth."""
        said_at = self.found.request.from_priors
        plain = self.found.request.sample_weight is None and self.groups is None
        sources = Sources(
            self.given,
            None,
            tuple(judged.values()),
            self.shares if said_at is None else said_at,
            self.options,
            plain,
            binned_groups=self.groups is not None,
        )

        def joint(model: str, best: str) -> Any:
            """A model re-calibrated and the best as it is, together; None if not so counted."""
            if self.groups is not None:
                return self._counts_after(model, judged[model].recalibrated, best)
            return joint_decisions(judged[model], self.given) if plain and model == best else None

        worth = worth_of_bins(judged, self.given, self.options, self._interval, joint)
        return {"sources": sources, **worth}

    def _own_bins(self) -> dict[str, ScoreBins]:
        """The bins of each model, made for the shares of these cases if for no others."""
        found, share = dict(self.found.whole.bins), float(self.shares[-1])
        if self.found.request.from_priors is not None or not 0 < share < 1:
            return found
        return {model: replace(bins, from_priors=share) for model, bins in found.items()}

    @property
    def _said(self) -> bool:
        """Whether any model gave posteriors."""
        return "posteriors" in self.found.kinds.values()

    def _as_is(self, model: str) -> Variant:
        """What a model decided, by which rule, and what that cost."""
        rule, app = None, self.application
        if self.found.kinds[model] == "posteriors":
            before, kind = self.found.request.from_priors, "float64"
            if self.rows is not None:
                before, kind = self.rows.said_at, str(self.rows[model].posteriors.dtype)  # type: ignore[union-attr]
            elif before is None or self.given.priors is None:
                before = app.priors
            rule = DecisionRule(app, from_priors=before, score_type=kind, model=model)
            rule = rule if self.rows is not None else self._of_columns(rule, model)
        table = self.found.confusion(model, self.name)
        return priced(table, app, self.codes.get(model), rule)

    def _of_columns(self, rule: DecisionRule, model: str) -> DecisionRule:
        """The rule with the columns of its scores, unless one speaks of the first class."""
        request = self.found.request
        with suppress(StakesError):  # which class a column speaks of may depend on the labels
            if not request.turned(model, None):
                return replace(rule, columns=request.models[model])
        return rule

    def _say_first(self) -> None:
        """What was assumed of the shares, and what this kind of input cannot tell."""
        said_at = self.found.request.from_priors
        if not self.shared:
            self.notes.append(Note("counts-only"))
            self.reasons |= _COUNTS_ONLY
        if self.at_shares is not self.given:
            self.notes.append(Note("shares-of-first", model=next(iter(self.variants))))
        elif self.given.priors is None:
            self.notes.append(Note("shares-of-data"))
        elif not np.array_equal(self.given.priors, self.shares if said_at is None else said_at):
            self.notes.append(Note("posteriors-moved" if self._said else "shares-of-application"))
        if not self.shared and len(self.variants) > 1:
            self.notes.append(Note("cases-unshared"))
        counted = self.rows is None and not self.bins
        if self._said and counted and self.found.whole.sample is None:
            self.notes.append(Note("recalibration-needs-rows"))
            self.reasons |= _WITHOUT_ROWS

    def _judged_sample(self) -> dict[str, Judged]:
        """Each model with what a sample of the rows tells; empty without one."""
        sample = self.found.whole.sample
        if sample is None or not self._said or not sample.truth.size:
            return {}
        whole, said_at = float(self.found.n_rows), self.found.request.from_priors
        self.sampled = Sampled.of(sample, self.given, said_at, whole, self.options)
        found, notes = self.sampled.judged(self.variants)
        self.notes += notes
        self.reasons["recalibrated_nec"] = "not-recalibrated"
        return found

    def _judged_bins(self) -> dict[str, Judged]:
        """Each model with what the bins of its score tell; empty without bins."""
        binned, numbers = self.bins, self.found.whole.numbers
        if not binned:
            return {}
        found, softened = {}, []
        for model, as_is in self.variants.items():
            if model not in binned:
                found[model] = Judged(Model(model, None, None), as_is)
                continue
            if self.groups is None:
                rows = BinRows.of(binned[model], numbers.get(model), self.options["rng"])
            else:
                rows = self.groups.bin_rows(model)
            found[model], note = judged_bins(model, binned[model], as_is, self.application, rows)
            self.bin_rows[model] = rows
            self.notes += [] if note is None else [note]
            if note is None and reaches_zero(binned[model]):
                softened.append(model)
        if softened:
            self.notes.append(Note("zeros-softened", models=", ".join(softened)))
        self.reasons["recalibrated_nec"] = "not-recalibrated"
        self.reasons["ranges"] = "mixed-models"
        return found

    def _judged(self) -> dict[str, Any]:
        """Each model with what its rows, or the bins of its score, tell; empty without either."""
        if self.rows is None:
            self.warnings += [
                note for model in self.variants for note in turned_far(model, self.found)
            ]
            return self._judged_sample() or self._judged_bins()
        rows, wanted, found, softened = self.rows, self.rows.recalibrate, {}, []
        for model in rows.models:
            after = None if wanted is False else recalibrated(model, rows, self.options["rng"])
            if isinstance(after, Note):
                self.notes.append(after)
            variant, fitted = after if isinstance(after, tuple) else (None, None)
            if fitted is not None and np.any(model.posteriors == 0):
                softened.append(model.name)
            scores = scores_of(model, rows.cases, rows.said_at)
            self.warnings += about_scores(model, scores, rows)
            found[model.name] = Judged(model, self.variants[model.name], variant, fitted, scores)
        if softened:
            self.notes.append(Note("zeros-softened", models=", ".join(softened)))
        if self._said:
            code = "not-asked" if wanted is False else "not-recalibrated"
            self.reasons["recalibrated_nec"] = code
        if len(set(self.found.kinds.values())) > 1:
            self.reasons["ranges"] = "mixed-models"
        return found

    def _near(self, model: str, one: Judged | None) -> Any:
        """The scores of a model, or those at the ends of its bins; None without either."""
        if one is not None and one.cases is None:
            return one.model.second
        return self.found._score_ends(model)

    def _figures(self, model: str, one: Judged | None) -> Figures:
        """One model with everything that is known about it."""
        variant, after = self.variants[model], None if one is None else one.recalibrated
        scores: Any = self.bins.get(model)
        if one is not None and one.cases is None:
            scores = one.scores
        rule, near = variant.rule, self._near(model, one)
        if rule is not None and near is not None:
            rule = rule._learnt_on(near)
        lowest, cut = best_on_data(scores, self.application)
        ends = self._interval(model, variant)
        return Figures(
            name=model,
            kind=self.found.kinds[model],
            confusion=variant.confusion,
            cost=variant.cost,
            nec=variant.nec,
            cells=variant.cells,
            interval=as_ends(ends),
            rule=rule,
            recalibrated_nec=None if after is None else after.nec,
            recalibrated_interval=as_ends(self._interval_after(model, one, ends)),
            optimistic_nec=lowest,
            optimistic_threshold=cut,
            calibration_slope=None if one is None else one.slope,
        )

    def _interval_after(self, model: str, one: Judged | None, ends: Any) -> Any:
        """The interval of the NEC after re-calibrating."""
        if one is None or one.recalibrated is None:
            return None
        if self.sampled is not None:
            return self.sampled.interval(one, ends)
        return self._interval(model, one.recalibrated)

    def _interval(self, model: str, variant: Variant) -> tuple[float, float] | None:
        """The interval of the NEC; None for too few or an unknown number of cases."""
        if math.isnan(variant.nec):
            return None
        if self.rows is not None:
            cases = self.rows.cases
            found = row_limits(variant, cases, self.given, self.options)
            if found is None and cases.groups is not None:
                self._say_few(np.unique(cases.groups).size)
            return found
        if self.groups is not None:
            if variant is self.variants[model]:
                counts = self.groups.counts(self.name, [model])
            elif (after := self._counts_after(model, variant)) is None:
                return None
            else:
                counts = after
            found = limits(counts, self.given, self.options)
            if found is None:
                self._say_few(self.groups.n_groups)
            return found
        summary: Any = variant.confusion
        if self.found.request.sample_weight is not None:
            try:
                if variant is self.variants[model]:
                    summary = self.found.weighted(self.name, model=model)
                else:  # re-calibrated
                    summary = weighed_cells(self.bin_rows[model], variant.codes, self.given)
            except UndefinedError as error:
                if "interval" not in self.reasons:
                    self.notes.append(Note("no-intervals", why=error.message))
                self.reasons["interval"] = "no-intervals"
                return None
        elif (np.rint(variant.confusion.counts) != variant.confusion.counts).any():
            self.reasons["interval"] = "weights-without-rows"
            return None
        return limits(summary, self.at_shares, self.options)

    def _counts_after(self, model: str, after: Variant | None, best: str | None = None) -> Any:
        """By group, a re-calibrated model and one as it is; None where bins were told otherwise."""
        assert self.groups is not None
        assert after is not None
        try:
            found = self.groups.counts_after(self.name, model, best)
        except UndefinedError:  # counted apart
            return None
        table = found.joint.confusion("re-calibrated").counts
        return found if np.allclose(table, after.confusion.counts) else None

    def _say_few(self, groups: int) -> None:
        """Say once that there are too few groups for an interval, if that is so."""
        if groups < self.options["min_cases"] and "interval" not in self.reasons:
            self.notes.append(Note("few-groups", count=groups))
            self.reasons["interval"] = "few-groups"

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
            if self.rows is not None and not self.rows.cases.plain:
                joint = joint_rows(self.codes, self.rows.cases, self.given)
            elif self.groups is not None:
                joint = self.groups.counts(self.name, self.variants)
            elif self.found.request.sample_weight is not None:
                joint = self.found.weighted(self.name)
            else:
                joint = self.found.paired(self.name)
        except UndefinedError as error:
            if "interval" not in self.reasons:
                self.notes.append(Note("not-compared", why=error.message))
            self.reasons["comparison"] = "not-compared"
            return None
        return None if math.isnan(necs[0]) else compared(joint, self.given, self.options)
