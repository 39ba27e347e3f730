"""Evaluation: all models at one application, and what to conclude."""

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
from stakes.results import Frame
from stakes.rules import DecisionRule
from stakes.summaries import PairedCounts
from stakes.typing import FloatArray, Name
from stakes.uncertainty import Comparison, Difference, threshold_range

if TYPE_CHECKING:
    from stakes.evaluation.evaluation_plots import Plots


class _NoModelError(LabelError, KeyError):
    """A name that no model has: wrong words, and a key that is absent."""

    def __str__(self) -> str:
        return ValueError.__str__(self)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(AnswersGuesses):
    """All models side by side at one application; what `evaluate` returns.

    Index it by a model's name, iterate over names, print it for the table and the verdict.

    Parameters
    ----------
    application : Application
        What was at stake, with the priors that counted filled in.
    models : tuple of ModelEvaluation
        In the order given.
    n_cases : float
        Number of cases; where they weigh differently, of rows of positive weight.
    data_priors : array
        Class shares in the data.
    comparison : Comparison or None
        Every pair of models as they are, on the same cases; None for a single one.
    switches : tuple of Stretch
        Where the choice changes within the range of costs, if costs are uncertain.
    ranges : tuple of Stretch
        Who wins over the whole range of cost ratios, for two classes and two decisions.
    too_few : str
        Why no verdict is given; empty when there are enough cases.
    notes : tuple of Note
        What was assumed and what could not be done: texts, each with a `code`.
    slices : mapping of str to Evaluation
        The same for slices of the cases.
    after : Difference or None
        The best re-calibrated model against the best one as it is.
    sources : Sources or None
        What it was made from, so that it can be shown at other costs too.
    worth : Difference or None
        The best model re-calibrated against itself as it is.
    naive : Naive or None
        The best decision that ignores the models; None to take that of the application.
    level : float
        Of the intervals.
    doubt : Doubt or None
        The models at all that unknown costs and shares may be; None where all is known.
    unpaired : tuple of Difference
        Every pair, where it is unknown which cases they share: confusion matrices alone.
    absent : mapping of str to str
        Figures that this kind of input, or what was asked, does not tell: the code of the reason,
        such as ``{"recalibrated_nec": "recalibration-needs-rows"}``.
    case_sources : CaseSources or None
        What it was made from where each case has its own costs.
    warnings : tuple of Note
        What looks wrong in what was given.
    facts : mapping of str
        Where it comes from and how it was computed: "source", "label", "command", ...
    class_counts : array or None
        Number of rows of each class, unweighted; None where they were not counted.
    case_costs_said : tuple of str
        Costs that differ from case to case, in words.
    joint : PairedCounts or None
        What all models decided together, where that is known without the rows.
    counted : Counted or None
        What the files came to that were counted where they are, to be saved.
    group_names : tuple of str or None
        What the groups are called, in the order of their codes.
    inquiry : Inquiry or None
        What was asked, so that it can be asked again; None for arrays, which have no name.
    challenge : Challenge or None
        The cheapest challenger against the model in use, where one was named (`baseline`).
    capacity : ModelCapacity or None
        What limits on decisions cost each model, where there are any.
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
        head, *lines = describe_costs(app.costs, unit=app.unit).splitlines()
        if self.naive is not None:  # each case has its own costs
            head = f"{head.removesuffix(':')}, averaged over the cases of each outcome:"
        return head, *lines

    @property
    def kind(self) -> str:
        """What the models gave: "posteriors" where any of them did, else "decisions"."""
        gave = {model.kind for model in self.models}
        return "posteriors" if "posteriors" in gave else "decisions"

    @property
    def positive(self) -> str | None:
        """The outcome that is acted on: the second of two; None where there are more."""
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
        """What the best naive decision costs per case, as `application.naive_cost` says it.

        The NEC divides by what of it can be avoided: ``best_naive.avoidable``.
        """
        return self.best_naive.cost

    @property
    def best(self) -> str:
        """The name of the model that costs least as it is; between equals the first."""
        return min(self.models, key=lambda model: model.cost).name

    @answers_guesses
    def rule(self, name: str | None = None, *, recalibrated: bool | None = None) -> DecisionRule:
        """The rule of a model to deploy: to decide with, save, or write as SQL.

        Parameters
        ----------
        name : str, optional
            The model; by default the one that the verdict deploys.
        recalibrated : bool, optional
            Whether its scores are re-calibrated first, by the calibrator that was cross-fitted,
            now learnt from all cases. By default only where the verdict is to deploy it after
            re-calibrating; a remark that re-calibrating would gain something is left to you.

        Returns
        -------
        DecisionRule
            With costs, priors, names, unit, calibrator, the range of scores and a digest of the
            data.

        Raises
        ------
        DataError
            Where the verdict deploys no model and none is named, or the model gave decisions.
        """
        from stakes.evaluation.deployed_rule import deployed_rule

        return deployed_rule(self, name, recalibrated)

    @property
    def threshold(self) -> float | None:
        """Where the best model is cut for these costs; None where there is no single cut."""
        return self[self.best].threshold

    def decide(self, posteriors: Any, *, costs: Any = None) -> NDArray[Any]:
        """What to do with new cases of the best model, by its rule; see `DecisionRule.decide`."""
        rule = self[self.best].rule
        if rule is None:
            raise DataError(f"{self.best!r} gave decisions, so there is no rule to decide by.")
        return rule.decide(posteriors, costs=costs)

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
        """Every pair of models, by NEC; empty where they cannot be compared."""
        return self.unpaired if self.comparison is None else self.comparison.differences

    @property
    def rival(self) -> Difference | None:
        """The nearest model that the data cannot tell from the best; None when there is none."""
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
        """Which of the closed set of verdicts it is."""
        return verdicts.kind_of(self)

    @property
    def to_deploy(self) -> str | None:
        """The model to deploy as it is; None where the verdict names none, or not as it is."""
        kind = self.verdict_kind
        if self.challenge is not None and kind == verdicts.KEEP:
            return self.challenge.baseline
        return self.best if kind in verdicts.DEPLOYS else None

    @property
    def remarks(self) -> tuple[Note, ...]:
        """What to mind besides: calibration worth having, how far the choice holds, few cases."""
        return tuple(verdicts.remarks(self))

    def costliest(self, name: str, limit: int = 5) -> Frame:
        """Where the money goes: the cells of one model that cost most, with their share."""
        return costliest_cells(self, name, limit)

    def costliest_cases(self, n: int = 10) -> Frame:
        """With costs per case: the `n` cases that cost most under the cheapest rule.

        `row` is the place of a case in what was given, from 0; there is a column `id` if the
        cases have ids.
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

    def threshold_range(self, name: str, *, level: float = 0.95) -> tuple[float, float]:
        """How far the best threshold of a model on these data would move on other draws of them.

        That of `optimistic_threshold`; see `stakes.uncertainty.threshold_range`.
        """
        from stakes.evaluation.evaluation_plots import scores_of_models

        scores = scores_of_models(self)
        if self[name].name not in scores:
            raise DataError(f"{name!r} gave no posteriors of two classes, so it has no threshold.")
        app = Application(self.application.costs.values, priors=self.application.priors)
        return threshold_range(scores[name], app, level=level)

    def difference(self, first: Name, second: Name) -> Difference:
        """NEC of `first` minus NEC of `second`, with its interval, on the same cases.

        Where models are too many to compare every pair, this one is compared now, from the rows;
        its p-value is then adjusted for no other.
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
        """Drawings: ``ev.plot()``, or by name ``ev.plot.bayes_error()``, ...; each gives Axes."""
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
        """The record as JSON; with a path it is written there, and the path returned."""
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
        """The page: one file with sliders, drawings and the verdict, which loads nothing.

        Parameters
        ----------
        path : path, optional
            Where to write it; the path is then returned.
        facts : mapping, optional
            What to say about where it comes from: "source", "command", "sha256", "seed".
        title : str
            The heading; by default the question that the page answers.
        embed_posteriors : bool
            With more than two classes or decisions: put the posteriors of the cases, or of a
            sample that fits into 1.5 MB, into the page, so that models decide anew when its
            costs or shares are edited. Without, their decisions are priced anew.
        forensic : bool
            With posteriors of two classes: also draw how strong evidence is (Tippett plots) and
            the empirical cross-entropy.
        costliest_cases : int
            With costs per case: how many of the costliest cases of the cheapest rule to list, by
            their `ids` or rows. They are rows of the data, so by default none is listed.

        Returns
        -------
        str or Path
            The page; or where it was written.
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
        """What a notebook may show: the page, the table as Markdown, the table as text."""
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
