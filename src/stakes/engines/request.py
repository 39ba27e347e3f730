"""Request: which columns are to be reduced, and what for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stakes._checks import as_priors, as_whole, column_name, of_kind
from stakes._names import listed
from stakes.application import Application, CostExpression, as_application
from stakes.application.case_costs import cost_cells
from stakes.exceptions import CostError, DataError
from stakes.posteriors.class_order import ClassOrder, asked_order, column_place, told_places
from stakes.rules import DecisionRule
from stakes.typing import FloatArray, Name

#: The rule that decides each case by its own costs, in place of an application.
PER_CASE = "per case"

#: What else a user can type if columns are not named like the classes.
_BY_CLASS = '; or a column for each class: {"gbm": {"yes": "p1", "no": "p0"}}'

#: The most bins of a score; their numbers fit into two bytes.
_MOST_BINS = 2**16
#: Enough for a calibrator; see docs/design/engines.md.
USUAL_BINS = 4096


@dataclass(frozen=True, slots=True)
class System:
    """One model at one application: what is decided, and so counted."""

    model: str
    application: str


@dataclass(frozen=True, eq=False, repr=False)
class Request:
    """What to count in a frame; `reduce_frame` does it in one pass.

    Parameters
    ----------
    label : str
        Column of true classes: names of the application, or positions.
    models : mapping of str to str, sequence of str or mapping
        Columns of each model: one column of posteriors per class, as a mapping from classes to
        columns or as a list (columns that are named like the classes are found by name); one
        float column with the posterior of one of two classes; or one column of decisions.
    applications : mapping of str to Application
        What is at stake, by name; all with the same classes. A single one may come without a
        name. Posteriors become the Bayes decisions of each.
    sample_weight : str, optional
        Column of weights.
    by : sequence of str
        Columns whose values divide the rows into slices.
    case_costs : mapping, optional
        Costs that differ from case to case, as formulas over columns: see
        `stakes.application.case_costs`. Every case is then decided by its own costs, and what
        was paid is added up; the application gives the names, and priors if it has any.
    naive : bool
        With costs per case: also add up the least that each case could have cost.
    bins : int
        Also count the posterior of the second of two classes in this many bins, with the
        thresholds of all applications as exact edges. At most 65536.
    proper_scores : bool
        Also add up log scores and Brier scores, with their squares.
    from_priors : shares, optional
        The base rate that the posteriors were made for. Needed when an application has priors:
        posteriors are moved from the one to the other.
    classes : sequence of names, optional
        The order of the columns in lists that are not named like the classes. Needed when the
        classes stand in another order than the sorted one and labels are not positions.
    positive : name, optional
        The class of which a single column is the probability; needed in the same case.
    sample : int
        Also read about this many rows into memory (all, if there are fewer), for what counts
        cannot tell about more than two classes.
    seed : int
        Decides which rows these are.

    Examples
    --------
    >>> app = Application([[0, 1], [10, 0]])
    >>> Request("y", {"gbm": "p"}, applications=app, by=["region"])
    <Request: 'y' against 1 model at 1 application, by 'region'>
    """

    label: str
    models: Mapping[str, Any]
    applications: Mapping[str, Application]
    sample_weight: str | None
    by: tuple[str, ...]
    case_costs: Mapping[tuple[int, int], CostExpression] | None
    naive: bool
    bins: int
    proper_scores: bool
    from_priors: FloatArray | None
    sample: int
    seed: int
    case_rules: Mapping[str, Mapping[str, Any]]
    order: ClassOrder
    settled: frozenset[str]

    def __init__(
        self,
        label: str,
        models: Mapping[str, Any],
        *,
        applications: Any,
        sample_weight: str | None = None,
        by: Sequence[str] | str | None = None,
        case_costs: Mapping[Any, Any] | None = None,
        naive: bool = False,
        bins: int = 0,
        proper_scores: bool = False,
        from_priors: Any = None,
        classes: Any = None,
        positive: Any = None,
        sample: int = 0,
        seed: int = 0,
    ) -> None:
        named = applications if isinstance(applications, Mapping) else {"": applications}
        apps = {str(name): as_application(app) for name, app in named.items()}
        if not apps:
            raise DataError("`applications` is empty.")
        first = next(iter(apps.values()))
        for name, app in apps.items():
            if app.classes != first.classes:
                raise DataError(
                    f"applications must have the same classes, in the same order; {name!r} has "
                    f"{listed(app.classes)}, the first has {listed(first.classes)}."
                )
        if not isinstance(models, Mapping):
            raise DataError(
                "`models` must map names to columns.", hint='models={"gbm": ["p_no", "p_yes"]}'
            )
        column_name(label, "label")
        if sample_weight is not None:
            column_name(sample_weight, "sample_weight")
        order = asked_order(classes, positive, also=_BY_CLASS)
        given = {str(name): said for name, said in of_kind(models, "models", Mapping).items()}
        columns = {name: _columns(said, name, first) for name, said in given.items()}
        places = {name: _places(given[name], name, columns[name], first, order) for name in given}
        columns |= {name: tuple(columns[name][k] for k in at) for name, at in places.items() if at}
        bins = as_whole(bins, "bins", least=0)
        if not 0 <= bins <= _MOST_BINS or bins in (1, 2, 3):
            raise DataError(f"`bins` must be 0, or 4 to {_MOST_BINS}; got {bins!r}.")
        if bins and len(first.classes) != 2:
            raise DataError(f"scores are binned for two classes; got {len(first.classes)}.")
        paid = {} if case_costs is None else cost_cells(case_costs, first.classes, first.decisions)
        cells = {at: CostExpression(_formula(amount, at, first)) for at, amount in paid.items()}
        if from_priors is not None:
            from_priors = as_priors(from_priors, first.classes, "from_priors")
        vars(self).update(
            label=label,
            models=columns,
            applications=apps,
            sample_weight=sample_weight,
            by=_names_of("by", by),
            case_costs=cells or None,
            naive=bool(naive and cells),
            bins=int(bins),
            proper_scores=bool(proper_scores),
            from_priors=from_priors,
            sample=as_whole(sample, "sample", least=0),
            seed=as_whole(seed, "seed", least=0),
            case_rules={},
            order=order,
            settled=frozenset(name for name, at in places.items() if at is not None),
        )

    @property
    def classes(self) -> tuple[Name, ...]:
        """The true classes, in the order of the applications."""
        return next(iter(self.applications.values())).classes

    def turned(self, model: str, labels: Any) -> bool:
        """Whether the single column of a model is the posterior of the first class.

        `labels` has the type of the labels: see `ColumnTypes.labels`. Raise if the order of the
        classes is unknown.
        """
        columns, what = self.models[model], f"posteriors of {model!r}"
        order = replace(self.order, labels=labels)
        if len(columns) > 1:
            if model not in self.settled:
                order.places(self.classes, what)
            return False
        return column_place(_Columns(columns), self.classes, order, what) == 0

    @property
    def systems(self) -> tuple[System, ...]:
        """Every model at every application; with costs per case, every model at those costs."""
        rules = (PER_CASE,) if self.case_costs else tuple(self.applications)
        return tuple(
            System(model, rule)
            for model in self.models
            for rule in (*rules, *self.case_rules.get(model, ()))
        )

    @property
    def finds_cut(self) -> bool:
        """Whether bins give the best single cut for costs per case: two classes and decisions."""
        shape = next(iter(self.applications.values())).costs.shape
        return self.naive and self.bins > 0 and shape == (2, 2)

    def with_case_rules(self, rules: Mapping[str, Mapping[str, Any]]) -> Request:
        """The same request with further rules for each model, beside the costs of each case.

        A rule is a cut on the posterior of the second class, a DecisionRule, or a column with the
        positions of decisions. Scores are not binned again.
        """
        return self._but(case_rules=rules, bins=0)

    def _but(self, **changes: Any) -> Request:
        """The same request with some fields replaced, without checking them again."""
        made = object.__new__(Request)
        vars(made).update({**vars(self), **changes})
        return made

    def decisions_of(self, system: System) -> tuple[Name, ...]:
        """What a system may decide."""
        return self.application_of(system.application).decisions

    def application_of(self, rule: str) -> Application:
        """The application of that name; the first one for the rule that decides per case."""
        return self.applications.get(rule) or next(iter(self.applications.values()))

    def _rule(self, application: Application, score_type: str = "float64") -> DecisionRule:
        """The rule that decides posteriors of some float type at an application."""
        return DecisionRule(application, from_priors=self.from_priors, score_type=score_type)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is read, each once."""
        found = [self.label, *(c for said in self.models.values() for c in said), *self.by]
        found += [] if self.sample_weight is None else [self.sample_weight]
        for formula in (self.case_costs or {}).values():
            found += formula.columns
        for rules in self.case_rules.values():
            found += [rule for rule in rules.values() if isinstance(rule, str)]
        return tuple(dict.fromkeys(found))

    @property
    def identity(self) -> tuple[Any, ...]:
        """What two requests must share for their reductions to be added."""
        apps = tuple(
            (name, app.costs.values.tobytes(), app.decisions, str(app.priors))
            for name, app in self.applications.items()
        )
        cells = {at: formula.text for at, formula in (self.case_costs or {}).items()}
        asked = (self.label, tuple(self.models.items()), self.sample_weight, self.by, str(cells))
        also = (self.naive, self.bins, self.proper_scores, str(self.from_priors), self.sample)
        ruled = str(
            [
                (model, name, rule, getattr(rule, "cut", None))
                for model, rules in self.case_rules.items()
                for name, rule in rules.items()
            ]
        )
        order = (str(self.order.positive), str(self.order.classes))
        return (*asked, *also, ruled, *order, apps, self.classes)

    def __repr__(self) -> str:
        n, m = len(self.models), len(self.applications)
        by = f", by {listed(self.by)}" if self.by else ""
        return (
            f"<Request: {self.label!r} against {n} model{'s' * (n > 1)} at {m} "
            f"application{'s' * (m > 1)}{by}>"
        )


def _names_of(what: str, said: Any) -> tuple[str, ...]:
    """Names of columns: one, several, or none."""
    each = (
        [] if said is None else [said] if isinstance(said, str) else of_kind(said, what, Iterable)
    )
    return tuple(column_name(name, what) for name in each)


def _columns(said: Any, name: str, app: Application) -> tuple[str, ...]:
    """The columns of one model: one, or one for each class in their order."""
    if isinstance(said, str):
        return (said,)
    columns = _names_of(f"models[{name!r}]", said.values() if isinstance(said, Mapping) else said)
    if len(columns) == 1:
        return columns
    if len(columns) != len(app.classes) or len(set(columns)) != len(columns):
        raise DataError(
            f"model {name!r} must have one column for each of the {len(app.classes)} classes "
            f"{listed(app.classes)}, or a single column; got {listed(columns)}."
        )
    return columns


def _places(
    said: Any, name: str, columns: tuple[str, ...], app: Application, order: ClassOrder
) -> list[int] | None:
    """The position of each class among the columns of a model; None if names do not show it."""
    if isinstance(said, Mapping):
        return replace(order, classes=list(said)).places(app.classes) or list(range(len(columns)))
    if len(columns) == 1:
        return None
    found = told_places(_Columns(columns), app.classes, order, f"posteriors of {name!r}")
    if found is not None or order.classes is None:
        return found
    return order.places(app.classes) or list(range(len(columns)))


@dataclass(frozen=True, slots=True)
class _Columns:
    """Names of columns, with the attribute of a data frame."""

    columns: tuple[str, ...]


def _formula(amount: Any, cell: tuple[int, int], app: Application) -> str:
    """An amount as a formula over columns."""
    if isinstance(amount, str):
        return amount
    try:
        number = float(amount)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        truth, decision = app.classes[cell[0]], app.decisions[cell[1]]
        got = repr(amount) if isinstance(amount, (int, float)) else f"a {type(amount).__name__}"
        raise CostError(
            f"`case_costs`: truth {truth!r}, decision {decision!r} must be a finite number or a "
            f"formula over columns; got {got}.",
            hint="fn=5.0, fn='amount' or fn='0.75*amount'",
        )
    return repr(number)
