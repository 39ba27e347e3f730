"""Evaluation: all models at one application, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._columns import in_brief
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._names import listed, place_of
from stakes.application import Application
from stakes.application.cost_sentences import describe_costs
from stakes.evaluation import verdict as verdicts
from stakes.evaluation.challenge import Challenge
from stakes.evaluation.model_evaluation import (
    ModelEvaluation,
    Naive,
    Stretch,
    costliest_cells,
    use_of_decisions,
)
from stakes.evaluation.model_table import as_text, model_frame
from stakes.evaluation.recalibration import CaseSources, Sources
from stakes.evaluation.unknown_costs import Doubt
from stakes.exceptions import DataError, LabelError
from stakes.messages.notes import Note
from stakes.resources import ModelCapacity
from stakes.results import Ends, Frame
from stakes.rules import DecisionRule
from stakes.summaries import PairedCounts
from stakes.typing import FloatArray, Name
from stakes.uncertainty import Comparison, Difference, threshold_range

if TYPE_CHECKING:
    from stakes.evaluation.evaluation_plots import Plots


class _NoModelError(LabelError, KeyError):
    """No model has this name; also a KeyError."""

    def __str__(self) -> str:
        return ValueError.__str__(self)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(AnswersGuesses):
    """All models side by side at one application; what `evaluate` returns.

    Index it by a model's name, iterate over names, print it for the table and the verdict.

    Parameters
    ----------
    application : Application
        Costs, unit and volume, with the priors that were used.
    models : tuple of ModelEvaluation
        In the order given.
    n_cases : float
        Number of cases; with weights, of rows of positive weight.
    data_priors : array
        Class shares in the data.
    comparison : Comparison or None
        Every pair of models as they are, on the same cases; None for a single model.
    switches : tuple of Stretch
        Where the choice changes within the range of costs, if costs are uncertain.
    ranges : tuple of Stretch
        Which model wins at each cost ratio, for two classes and two decisions.
    too_few : str
        Why no verdict is given; empty when there are enough cases.
    notes : tuple of Note
        What was assumed and what could not be done: texts, each with a `code`.
    slices : mapping of str to Evaluation
        An evaluation of each slice of the cases.
    after : Difference or None
        The best re-calibrated model against the best one as it is.
    sources : Sources or None
        The inputs, kept so that results can be shown at other costs too.
    worth : Difference or None
        The best model re-calibrated against itself as it is.
    naive : Naive or None
        The best decision that ignores the models; None for that of the application.
    level : float
        Confidence level of the intervals.
    doubt : Doubt or None
        The models over the whole range of unknown costs and shares; None if all are known.
    unpaired : tuple of Difference
        Every pair, if only confusion matrices were given, which do not tell shared cases.
    absent : mapping of str to str
        Figures that this kind of input or request cannot give, with the code of the reason, such
        as ``{"recalibrated_nec": "recalibration-needs-rows"}``.
    case_sources : CaseSources or None
        The inputs, if each case has its own costs.
    warnings : tuple of Note
        What looks wrong in the input.
    facts : mapping of str
        Where it comes from and how it was computed: "source", "label", "command", ...
    class_counts : array or None
        Number of rows of each class, unweighted; None if they were not counted.
    case_costs_said : tuple of str
        Costs that differ from case to case, in words.
    joint : PairedCounts or None
        Joint counts of all models' decisions, if they are known without the rows.
    counted : Counted or None
        The counts of files that an engine counted, to be saved.
    group_names : tuple of str or None
        Names of the groups, in the order of their codes.
    inquiry : Inquiry or None
        The request, so that it can be repeated; None for arrays, which have no file name.
    challenge : Challenge or None
        The cheapest challenger against the model in use, if there is a `baseline`.
    capacity : ModelCapacity or None
        What limits on decisions cost each model, if there are any.
    """

    application: Application
    models: tuple[ModelEvaluation, ...]
    n_cases: float
    data_priors: FloatArray
    comparison: Comparison | None = None
    switches: tuple[Stretch, ...] = ()
    ranges: tuple[Stretch, ...] = ()
    too_few: str = ""
    notes: tuple[Note, ...] = ()
    slices: dict[str, Evaluation] = field(default_factory=dict)
    after: Difference | None = None
    sources: Sources | None = None
    worth: Difference | None = None
    naive: Naive | None = None
    level: float = 0.95
    doubt: Doubt | None = None
    unpaired: tuple[Difference, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
    case_sources: CaseSources | None = None
    warnings: tuple[Note, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    class_counts: FloatArray | None = None
    case_costs_said: tuple[str, ...] = ()
    joint: PairedCounts | None = None
    group_names: tuple[str, ...] | None = None
    inquiry: Any = None
    challenge: Challenge | None = None
    counted: Any = None
    capacity: ModelCapacity | None = None

    @property
    def costs_said(self) -> tuple[str, ...]:
        """The costs as sentences."""
        app = self.application
        if self.case_costs_said:
            return self.case_costs_said
        ends = () if self.doubt is None else [end.costs for end in self.doubt.applications]
        head, *lines = describe_costs(app.costs, unit=app.unit, ends=ends).splitlines()
        if self.by_case:
            head = f"{head.removesuffix(':')}, averaged over the cases of each outcome:"
        return head, *lines

    @property
    def by_case(self) -> bool:
        """Whether each case has its own costs."""
        limits_alone = self.capacity is not None and self.absent.get("ranges") == "within-limits"
        return self.naive is not None and not limits_alone

    @property
    def kind(self) -> str:
        """What the models gave: "posteriors" if any model did, else "decisions"."""
        gave = {model.kind for model in self.models}
        return "posteriors" if "posteriors" in gave else "decisions"

    @property
    def positive(self) -> str | None:
        """The outcome that is acted on: the second of two; None if there are more."""
        classes = self.application.classes
        return str(classes[1]) if len(classes) == 2 else None

    @property
    def best_naive(self) -> Naive:
        """The best decision that ignores the models, and what it costs per case."""
        if self.naive is not None:
            return self.naive
        app = self.application
        standard = app.with_costs(app.costs.standardized())
        return Naive(app.naive_decision, app.naive_cost, standard.naive_cost)

    @property
    def naive_decision(self) -> Name:
        """The best decision that ignores the models."""
        return self.best_naive.decision

    @property
    def naive_cost(self) -> float:
        """Cost per case of the best naive decision, like `application.naive_cost`.

        The NEC divides by the part of it that can be avoided: ``best_naive.avoidable``.
        """
        return self.best_naive.cost

    @property
    def best(self) -> str:
        """The name of the model that costs least as it is; the first if several do."""
        return min(self.models, key=lambda model: model.cost).name

    @answers_guesses
    def rule(self, name: str | None = None, *, recalibrated: bool | None = None) -> DecisionRule:
        """The rule of a model to deploy: to decide with, save, or write as SQL.

        Parameters
        ----------
        name : str, optional
            The model; by default the one that the verdict deploys.
        recalibrated : bool, optional
            Whether the rule re-calibrates scores first, with the cross-fitted calibrator refitted
            on all cases. By default only if the verdict is to deploy after re-calibrating. A
            remark that re-calibrating would gain something does not change the default.

        Returns
        -------
        DecisionRule
            With costs, priors, names, unit, calibrator, the range of scores and a digest of the
            data.

        Raises
        ------
        DataError
            If the verdict deploys no model and none is named, or if the model gave decisions.
        """
        from stakes.evaluation.deployed_rule import deployed_rule

        return deployed_rule(self, name, recalibrated)

    @property
    def threshold(self) -> float | None:
        """The threshold of the best model for these costs; None if there is no single one."""
        return self[self.best].threshold

    @answers_guesses
    def decide(
        self, posteriors: Any, model: str | None = None, *, costs: Any = None
    ) -> NDArray[Any]:
        """Names of the decisions on new cases, by the rule of a model; see `DecisionRule.decide`.

        From a frame or mapping of models, the column of this model is taken. Without `model`, it is
        the best one.
        """
        from stakes.evaluation.deployed_rule import decided_by

        return decided_by(self, posteriors, model, costs)

    @property
    def best_recalibrated(self) -> ModelEvaluation | None:
        """The model that costs least after cross-fitted calibration."""
        fitted = [m for m in self.models if m.recalibrated_nec is not None]
        return min(fitted, key=lambda m: m.recalibrated_nec or 0.0, default=None)

    @property
    def surely_better(self) -> bool:
        """Whether the best re-calibrated model significantly beats the best uncalibrated one."""
        return self.after is not None and self.after.decided and self.after.value < 0

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Every pair of models, by NEC; empty if they cannot be compared."""
        return self.unpaired if self.comparison is None else self.comparison.differences

    @property
    def rival(self) -> Difference | None:
        """The difference to the nearest model that the data cannot tell from the best, or None."""
        close = [
            difference
            for difference in self.differences
            if self.best in (difference.first, difference.second) and not difference.decided
        ]
        return min(close, key=lambda difference: abs(difference.value), default=None)

    @property
    def verdict(self) -> str:
        """What to do, in a sentence or two."""
        return verdicts.sentence(self)

    @property
    def verdict_kind(self) -> str:
        """The kind of verdict, one of a closed set."""
        return verdicts.kind_of(self)

    @property
    def to_deploy(self) -> str | None:
        """The model to deploy as it is; None if the verdict is another."""
        kind = self.verdict_kind
        if self.challenge is not None and kind == verdicts.KEEP:
            return self.challenge.baseline
        return self.best if kind in verdicts.DEPLOYS else None

    @property
    def remarks(self) -> tuple[Note, ...]:
        """Remarks on calibration, on how robust the choice is, and on few cases."""
        return tuple(verdicts.remarks(self))

    def costliest(self, name: str, limit: int = 5) -> Frame:
        """Where the money goes: the cells of one model that cost most, with their share."""
        return costliest_cells(self, name, limit)

    def costliest_cases(self, n: int = 10) -> Frame:
        """With costs per case: the `n` cases that cost most under the cheapest rule.

        `row` is the position of a case in the input, from 0. There is a column `id` if the cases
        have ids.
        """
        from stakes.evaluation.case_account import costliest_cases

        found = costliest_cases(self, n)
        sources = self.case_sources
        ids = () if sources is None or sources.cases.ids is None else ("id",)
        names = (*ids, "row", "truth", "decision", "cost", "share")
        return Frame({name: [case[name] for case in found] for name in names})

    def use(self, name: str) -> Frame:
        """How often each decision is taken, what that costs, and what having it saves."""
        return use_of_decisions(self, name)

    def threshold_range(self, name: str, *, level: float = 0.95) -> Ends:
        """The interval of a model's best threshold on these data, over other samples.

        This is about `optimistic_threshold`; see `stakes.uncertainty.threshold_range`.
        """
        from stakes.evaluation.evaluation_plots import scores_of_models

        scores = scores_of_models(self)
        if self[name].name not in scores:
            raise DataError(f"{name!r} gave no posteriors of two classes, so it has no threshold.")
        app = Application(self.application.costs.values, priors=self.application.priors)
        return Ends(*threshold_range(scores[name], app, level=level))

    def difference(self, first: Name, second: Name) -> Difference:
        """NEC of `first` minus NEC of `second`, with its interval, on the same cases.

        If there are too many models to compare every pair, this pair is compared now, from the
        rows. Its p-value is then not adjusted for other pairs.
        """
        if len(self.models) == 1:
            raise DataError("there is only one model, so there is no difference.")
        many, rows = self.absent.get("comparison") == "too-many-models", self.sources
        if many and rows is not None and rows.cases is not None:
            from stakes.evaluation.model_intervals import difference_of

            if len({first, second} & set(self)) == 2:
                return difference_of(rows, str(first), str(second))
        elif not self.differences:
            raise DataError("the models were not compared pair by pair.", hint=_not_compared(self))
        for found in self.differences:
            at = place_of(first, pair := (found.first, found.second)), place_of(second, pair)
            if at in ((0, 1), (1, 0)):
                return found if at == (0, 1) else found.turned()
        raise DataError(
            f"no pair {in_brief(first)}, {in_brief(second)}; there are {listed(list(self))}."
        )

    def __getitem__(self, name: str) -> ModelEvaluation:
        at = place_of(name, self)
        if at is not None:
            return self.models[at]
        raise _NoModelError(f"no model {in_brief(name)}; there are {listed(list(self))}.")

    def __iter__(self) -> Iterator[str]:
        return (model.name for model in self.models)

    def __len__(self) -> int:
        return len(self.models)

    def frame(self) -> Frame:
        """One row per model, cheapest first."""
        return model_frame(self)

    def to_pandas(self) -> Any:
        """The table of models as a pandas DataFrame."""
        return self.frame().to_pandas()

    def to_polars(self) -> Any:
        """The table of models as a Polars DataFrame."""
        return self.frame().to_polars()

    @property
    def plot(self) -> Plots:
        """Plots: ``ev.plot()``, or by name ``ev.plot.bayes_error()``, ...; each returns Axes."""
        from stakes.evaluation.evaluation_plots import Plots

        return Plots(self)

    def record(
        self, facts: Mapping[str, Any] | None = None, *, costliest_cases: int = 0
    ) -> dict[str, Any]:
        """Everything as plain data; `stakes.report.schema()` describes it.

        `costliest_cases` is the number of cases to list, as in `to_html`.
        """
        from stakes.evaluation.evaluation_record import record_of

        return record_of(self, facts, costliest_cases)

    def to_json(
        self,
        path: Any = None,
        *,
        facts: Mapping[str, Any] | None = None,
        costliest_cases: int = 0,
    ) -> Any:
        """The record as JSON; with a path, write it there and return the path."""
        from stakes.report.evaluation_forms import as_json, written

        return written(as_json(self, facts, costliest_cases), path)

    def to_markdown(self, path: Any = None) -> Any:
        """The verdict and the table as Markdown; with a path, written there as by `to_json`."""
        from stakes.report.evaluation_forms import written
        from stakes.report.markdown_forms import as_markdown

        return written(as_markdown(self.record()), path)

    def to_html(
        self,
        path: Any = None,
        *,
        facts: Mapping[str, Any] | None = None,
        title: str = "",
        embed_posteriors: bool = False,
        forensic: bool = False,
        costliest_cases: int = 0,
    ) -> Any:
        """The page: one self-contained file with sliders, charts and the verdict.

        Parameters
        ----------
        path : path, optional
            Where to write it; the path is then returned.
        facts : mapping, optional
            Facts about the origin to show: "source", "command", "sha256", "seed".
        title : str
            The heading; by default the question that the page answers.
        embed_posteriors : bool
            With more than two classes or decisions: store the posteriors of the cases, or of a
            sample that fits into 1.5 MB, in the page. Models then decide anew when costs or
            shares are edited there; without posteriors, the same decisions get new costs.
        forensic : bool
            With posteriors of two classes: also draw Tippett plots (the strength of evidence) and
            the empirical cross-entropy.
        costliest_cases : int
            With costs per case: how many of the costliest cases of the cheapest rule to list, by
            their `ids` or rows. They are rows of the data, so by default none is listed.

        Returns
        -------
        str or Path
            The page, or the path to which it was written.
        """
        from stakes.report.evaluation_forms import as_page, written

        page = as_page(
            self,
            facts=facts,
            title=title,
            embed_posteriors=embed_posteriors,
            forensic=forensic,
            costliest_cases=costliest_cases,
        )
        return written(page, path)

    def to_pdf(self, path: Any, **options: Any) -> Path:
        """The page printed to PDF by Chromium; `options` are those of `to_html`."""
        from stakes.report.pdf import print_pdf

        print_pdf(self.to_html(**options), path)
        return Path(path)

    def _repr_html_(self) -> str:
        from stakes.report.evaluation_forms import display

        return display(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What a notebook can show: the page, the table as Markdown, the table as text."""
        return {
            "text/plain": str(self),
            "text/markdown": self.to_markdown(),
            "text/html": self._repr_html_(),
        }

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"<Evaluation of {len(self)} models on {self.n_cases:g} cases: {self.verdict_kind}>"


def _not_compared(ev: Evaluation) -> str:
    """Why there are no differences, and what to do."""
    if any(np.isnan(model.nec) for model in ev.models):
        return "the NEC is undefined: the best constant decision costs nothing to improve on"
    return "ask for fewer models at once; compare the costs of each: ev[name].cost, .interval"
