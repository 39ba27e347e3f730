"""Summaries of rows that come in batches, from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from stakes._checks import (
    as_pair,
    as_posterior_array,
    as_priors,
    of_kind,
    refuse_bad_posteriors,
    same_length,
)
from stakes._columns import as_array, as_column
from stakes._files import as_path
from stakes._kernels.bayes_rule import cuts, thresholds
from stakes._names import as_positions, encode, listed, place_of
from stakes.application import Application, CaseCosts, as_application
from stakes.engines.column_types import refuse_lone_column
from stakes.engines.row_values import Bins
from stakes.exceptions import DataError, MergeError, PosteriorError, PriorError
from stakes.posteriors import Posteriors
from stakes.posteriors.class_order import ClassOrder, asked_order, column_place
from stakes.posteriors.posteriors import posterior_array
from stakes.rules import DecisionRule
from stakes.summaries import (
    ConfusionMatrix,
    CostTally,
    GroupedCounts,
    PairedCounts,
    ScoreBins,
    ScoreCounts,
    load_summary,
    merge_summaries,
    save_summary,
)
from stakes.summaries.storable import DecidedBy
from stakes.typing import FloatArray, Priors


def read_model(
    said: Any, name: str, app: Application, n_cases: int, order: ClassOrder
) -> NDArray[Any]:
    """Read floats as (n, K) posteriors, and anything else as (n,) codes of decisions."""
    array = said.values if isinstance(said, Posteriors) else as_array(said, name)
    if array.dtype == object and array.ndim == 1 and array.size and isinstance(array[0], float):
        array = as_column(said, name)  # floats in a column that could hold anything
    found: NDArray[Any]
    if array.ndim == 2 and array.shape[1] > 1:
        with _of(name):
            if not isinstance(said, Posteriors):  # bad values are reported before an unknown order
                refuse_bad_posteriors(as_posterior_array(said, len(app.classes)))
            found = posterior_array(said, app.classes, order)
    elif array.dtype.kind == "f":
        refuse_lone_column(name, len(app.classes))
        with _of(name):
            second = as_posterior_array(as_column(said, name), 2)
            refuse_bad_posteriors(second)
            if column_place(said, app.classes, order) == 0:
                second = 1 - second
        found = np.empty((second.shape[0], 2), dtype=second.dtype)
        found[:, 1] = second
        np.subtract(1, second, out=found[:, 0])
    else:
        found = encode(said, app.decisions, name)
    same_length("y_true", n_cases, name, found.shape[0])
    return found


def decisions_of(
    said: NDArray[Any], app: Application, said_at: FloatArray | None, case_costs: CaseCosts | None
) -> NDArray[Any]:
    """Decisions as given, or the Bayes decisions of posteriors that were made for `said_at`."""
    if said.ndim == 1:
        return as_positions(said)
    if app.priors is not None and said_at is None:
        raise PriorError(
            "the application has priors, so I need to know the base rate that the "
            "posteriors were made for.",
            hint="Stream(app, from_priors=[...]); app.priors when they already hold there",
        )
    rule = DecisionRule(app, from_priors=said_at, per_case=case_costs is not None)
    return as_positions(rule.positions(said, costs=case_costs))


@contextmanager
def _of(name: str) -> Iterator[None]:
    """Name the model whose posteriors are refused."""
    try:
        yield
    except PosteriorError as error:
        message = f"model {name!r}: {error.message}"
        raise PosteriorError(message, hint=error.hint, rows=error.rows) from None


def score_edges_of(app: Application, said_at: FloatArray | None, bins: int) -> FloatArray:
    """Edges of fine bins of a posterior, including the Bayes cuts for float32 and float64."""
    positive = said_at is None or (said_at > 0).all()
    rule = DecisionRule(application=app, from_priors=said_at if positive else None)
    found, kinds = rule.stretches, ("float64", "float32")
    every = [*(thresholds(found, kind) for kind in kinds), *(cuts(found, kind) for kind in kinds)]
    return Bins.fitting(bins, [cut for at in every for cut in at]).edges


_SAME = "go on with the application that the checkpoint was counted with"


_LEAST_BINS = 4


class Stream:
    """Summaries of models on batches of cases, as if all had been one batch.

    For rows that come in pieces: chunks of a file, messages of a queue, days. Each `update`
    counts one batch and forgets its rows. Save it as a checkpoint and go on from there.

    Parameters
    ----------
    application : Application or CostMatrix
        Names of classes and decisions, and the costs by which posteriors become decisions.
    from_priors : shares, optional
        The base rate that posteriors were made for. Needed when the application has priors:
        posteriors are moved from the one to the other, and a stream does not know the class
        shares of what is still to come.
    scores : {"none", "bins", "exact"}
        Also keep the posteriors of the second of two classes: in bins of fixed size with exact
        edges at the Bayes thresholds, or each distinct value, which may grow with the data.
    bins : int
        About how many bins.
    classes, positive : optional
        The order of the columns of arrays, and the class of a single one, as in
        `stakes.evaluate`.

    Examples
    --------
    >>> import numpy as np
    >>> from stakes import Application
    >>> stream = Stream(Application([[0, 1], [10, 0]]), scores="bins")
    >>> for y, p in [([0, 1], [0.02, 0.7]), ([0, 0, 1], [0.3, 0.01, 0.05])]:
    ...     _ = stream.update(y, {"gbm": np.array(p)})
    >>> stream
    <Stream of 5 cases in 2 batches: 'gbm'>
    >>> stream.confusion("gbm").counts
    array([[2, 1],
           [1, 1]])
    >>> stream.scores["gbm"].total
    5.0
    """

    def __init__(
        self,
        application: Any,
        *,
        from_priors: Priors | None = None,
        scores: str = "none",
        bins: int = 2**14,
        classes: Any = None,
        positive: Any = None,
    ) -> None:
        self.application: Application = as_application(application)
        self._order = asked_order(classes, positive)
        if place_of(scores, ("none", "bins", "exact")) is None:
            raise DataError(f"`scores` must be 'none', 'bins' or 'exact'; got {scores!r}.")
        if scores != "none" and len(self.application.classes) != 2:
            raise DataError(f"scores are kept for two classes; got {self.application.classes}.")
        if scores == "bins" and bins < _LEAST_BINS:
            raise DataError(f"`bins` must be at least {_LEAST_BINS}; got {bins!r}.")
        app, self._how = self.application, scores
        self._said_at = None if from_priors is None else as_priors(from_priors, app.classes)
        self._edges = score_edges_of(app, self._said_at, bins) if scores == "bins" else None
        self._rule = DecidedBy(app.costs.values, app.priors, self._said_at)
        self._kept: dict[str, Any] = {}
        self._piles: dict[str, list[ScoreCounts]] = {}
        self.batches = 0

    # ------------------------------------------------------------- counting

    def update(
        self,
        y_true: Any,
        models: Any,
        *,
        sample_weight: Any = None,
        groups: Any = None,
        case_costs: CaseCosts | None = None,
    ) -> Self:
        """Count one batch; a batch that is refused leaves everything as it was.

        Parameters
        ----------
        y_true : column
            True classes of the batch: names of the application, or positions.
        models : mapping from names to arrays, or one array
            As in `stakes.evaluate`: posteriors (n, K), posteriors of the second class (n,), or
            decisions (n,). Every batch must name the same models.
        sample_weight : column, optional
            Weight of each case.
        groups : column, optional
            Which customer, speaker or other group each case belongs to; in all batches or none.
        case_costs : CaseCosts, optional
            Costs of each case of the batch, in all batches or none: posteriors are then decided
            by them, and what was paid is tallied.

        Returns
        -------
        Stream
            This one, counted further.
        """
        app = self.application
        truth = as_positions(encode(y_true, app.classes, "y_true"))
        if len(truth) == 0:
            return self
        given = models if isinstance(models, Mapping) else {"model": models}
        given = {str(name): one for name, one in given.items()}
        if not given:
            raise DataError("`models` is empty.", hint='update(y_true, {"gbm": p})')
        order = replace(self._order, labels=y_true)
        said = {n: read_model(one, n, app, len(truth), order) for n, one in given.items()}
        at = self._said_at
        decided = {n: decisions_of(one, app, at, case_costs) for n, one in said.items()}
        counted: Any = PairedCounts.from_decisions
        if groups is not None:
            counted = partial(GroupedCounts.from_decisions, groups=groups)
        names = {"classes": app.classes, "decision_names": app.decisions}
        joint = counted(truth, decided, sample_weight=sample_weight, **names)
        found: dict[str, Any] = {"joint": joint}
        if case_costs is not None:
            if sample_weight is not None:
                raise DataError("costs per case cannot be weighted; multiply them by the weights.")
            found["tallies"] = {
                name: CostTally.from_decisions(truth, codes, costs=case_costs)
                for name, codes in decided.items()
            }
        elif any(one.ndim == 2 for one in said.values()):
            found["decided_by"] = self._rule
        fresh = self._scored(truth, said, sample_weight)
        if self._edges is not None and fresh:
            found["scores"] = {name: one.binned(self._edges) for name, one in fresh.items()}
        self._keep(found, fresh if self._how == "exact" else {})
        return self

    def extend(self, batches: Iterable[tuple[Any, Any]]) -> Self:
        """Count batches of (y_true, models) from any iterator, one after the other."""
        for batch in of_kind(batches, "batches", Iterable):
            self.update(*as_pair(batch, "batches", "pairs of (y_true, models)"))
        return self

    def _scored(
        self, truth: NDArray[Any], said: Mapping[str, NDArray[Any]], weights: Any
    ) -> dict[str, ScoreCounts]:
        """The posteriors of the second class of each model that gave some."""
        if self._how == "none":
            return {}
        share = 0.0 if self._said_at is None else float(self._said_at[1])
        options: dict[str, Any] = {"kind": "posterior", "classes": self.application.classes}
        options |= {"from_priors": share if 0 < share < 1 else None, "sample_weight": weights}
        both = {name: one for name, one in said.items() if one.ndim == 2}
        return {n: ScoreCounts.from_scores(truth, p[:, 1], **options) for n, p in both.items()}

    def _keep(self, found: dict[str, Any], fresh: dict[str, ScoreCounts]) -> None:
        """Add a batch to the summaries; nothing changes if it is refused."""
        if self.batches and set(fresh) != set(self._piles):
            raise DataError("either all batches must come with scores, or none.")
        self._kept = _merged(self._kept, found) if self.batches else found
        self.batches += 1
        for name, one in fresh.items():
            pile = self._piles.setdefault(name, [])
            pile.append(one)
            while len(pile) > 1 and pile[-1].total >= pile[-2].total:  # few, growing parts
                last = pile.pop()
                pile[-1] = pile[-1] + last

    # ------------------------------------------------------------- reading it

    @property
    def joint(self) -> PairedCounts | GroupedCounts:
        """What all models decided on the same cases."""
        if not self.batches:
            raise DataError("nothing has been counted yet.", hint="stream.update(y_true, models)")
        found: PairedCounts | GroupedCounts = self._kept["joint"]
        return found

    @property
    def models(self) -> tuple[Any, ...]:
        """The models that are counted."""
        return self.joint.systems if self.batches else ()

    def confusion(self, model: str | None = None) -> ConfusionMatrix:
        """The confusion matrix of one model; of the only one by default."""
        if model is None and len(self.models) != 1:
            raise DataError(f"say which model: {listed(self.models)}.")
        return self.joint.confusion(self.models[0] if model is None else model)

    @property
    def scores(self) -> dict[str, ScoreBins | ScoreCounts]:
        """The posteriors of the second class, by model; empty unless they are kept."""
        if self._how == "exact":
            return {name: merge_summaries(reversed(pile)) for name, pile in self._piles.items()}
        return dict(self._kept.get("scores", {}))

    @property
    def tallies(self) -> dict[str, CostTally]:
        """What was paid, by model, when cases had costs of their own."""
        return dict(self._kept.get("tallies", {}))

    def summaries(self) -> dict[str, Any]:
        """Everything that was counted, by name, as it is saved."""
        found: dict[str, Any] = {"joint": self.joint, "scores": self.scores}
        found |= {"tallies": self.tallies, "decided_by": self._kept.get("decided_by")}
        return {name: part for name, part in found.items() if part}

    # ------------------------------------------------------------- checkpoints

    def save(self, path: str | Path) -> None:
        """Write a checkpoint, whole or not at all; `stakes merge` adds such files."""
        save_summary(self.summaries(), path)

    def resume(self, path: str | Path) -> Self:
        """Add what a checkpoint holds to what has been counted here."""
        found = self._checkpoint(as_path(path))
        self._keep(found, found.pop("scores", {}) if self._how == "exact" else {})
        return self

    def _checkpoint(self, path: Path) -> dict[str, Any]:
        """The summaries of a checkpoint; raise unless it was counted in the same way."""
        found, app = load_summary(path), self.application
        joint = found.get("joint") if isinstance(found, dict) else None
        if not isinstance(joint, (PairedCounts, GroupedCounts)):
            raise MergeError(f"{path.name} is not a checkpoint of a stream.")
        inner = joint.joint if isinstance(joint, GroupedCounts) else joint
        if (inner.classes, inner.decisions) != (app.classes, app.decisions):
            there = f"classes {listed(inner.classes)} and decisions {listed(inner.decisions)}"
            here = f"the application has {listed(app.classes)} and {listed(app.decisions)}"
            raise MergeError(f"{path.name} has {there}; {here}.", hint=_SAME)
        if "decided_by" in found:
            try:
                found["decided_by"] + self._rule
            except MergeError as error:
                raise MergeError(f"{path.name}: {error.message}", hint=_SAME) from None
        kinds = {type(one) for one in found.get("scores", {}).values()}
        kept = {"exact" if kind is ScoreCounts else "bins" for kind in kinds}
        if kept and kept != {self._how}:
            hint = f"Stream(application, scores={'exact' if kept == {'exact'} else 'bins'!r})"
            raise MergeError(f"{path.name} holds scores of another kind.", hint=hint)
        return dict(found)

    def __repr__(self) -> str:
        if not self.batches:
            return "<Stream of 0 cases>"
        total = float(self.joint.class_totals.sum())
        said = listed(self.models, 4)
        many = f"{self.batches} batch{'es' * (self.batches != 1)}"
        return f"<Stream of {total:g} cases in {many}: {said}>"


def _merged(kept: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Merge two sets of summaries, which must hold the same kinds apart from the rule."""
    rules = {k: v for part in (kept, found) for k, v in part.items() if k == "decided_by"}
    kept, found = ({k: v for k, v in part.items() if k not in rules} for part in (kept, found))
    for name, what in (("tallies", "costs per case"), ("scores", "scores")):
        if (name in kept) != (name in found):
            raise DataError(f"either all batches must come with {what}, or none.")
    if type(kept["joint"]) is not type(found["joint"]):
        raise DataError("either all batches must come with groups, or none.")
    return {**merge_summaries([kept, found]), **rules}
