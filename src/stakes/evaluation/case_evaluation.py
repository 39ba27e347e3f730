"""Evaluation when each case has its own costs, such as a loan's amount, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from stakes._checks import same_length
from stakes._kernels.fast_loops import ordinary_scale
from stakes._kernels.interval_ends import MATTERS, skewed_limits, skewed_p_value, too_unequal
from stakes.application import Application, CaseCosts
from stakes.decisions.case_rules import moved_case_rules
from stakes.evaluation.case_stops import CaseRule, CaseSources
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.judgement import Cases, Model, cut_on, read_models
from stakes.evaluation.model_evaluation import ModelEvaluation, Naive
from stakes.evaluation.row_builder import Question, few_cases, rule_text
from stakes.exceptions import CostError
from stakes.messages.notes import Note
from stakes.messages.quantities import plain
from stakes.typing import FloatArray
from stakes.uncertainty import Comparison, Difference
from stakes.uncertainty.comparison import shares_best
from stakes.uncertainty.differences import adjusted
from stakes.uncertainty.intervals.interval import Replicates, few_carry

#: Draws for few cases, and the amount of work at which they become fewer.
MOST_DRAWS, LEAST_DRAWS, WORK = 2000, 500, 3e7
#: More systems than this are not compared pair by pair.
_MOST_COMPARED = 20


@dataclass(frozen=True, slots=True, eq=False)
class CaseDraws:
    """How sure the NECs of systems are: draws of them, and what each case moves them by.

    `replicates` are draws (n_draws, n_systems), `moves` (n_units, n_systems) what each case, or
    group, adds to an estimate; `strata` tells which units are drawn apart, None if none are.
    """

    replicates: Replicates
    nec: FloatArray
    moves: FloatArray
    strata: Any
    level: float

    def interval(self, place: int) -> tuple[float, float]:
        """The interval of one system's NEC."""
        error, skewness, freedom = self.spread(self.moves[:, place])
        low, high = skewed_limits(float(self.nec[place]), error, skewness, self.level, freedom)
        return max(float(low), 0.0), float(high)

    def spread(self, moves: FloatArray) -> tuple[float, float, float]:
        """Standard error and skewness of an estimate, and degrees of freedom (Welch's)."""
        strata = np.zeros(moves.shape[0], dtype=np.intp) if self.strata is None else self.strata
        size = float(np.abs(moves).max(initial=0.0))
        if size <= 0:
            return 0.0, 0.0, np.inf
        scaled = moves / size
        units = np.bincount(strata)
        left = np.maximum(units - 1.0, 1.0)
        parts = np.bincount(strata, scaled**2) * units / left
        total = float(parts.sum())
        skewness = float((scaled**3).sum()) / float((scaled**2).sum()) ** 1.5
        return size * float(np.sqrt(total)), skewness, total**2 / float((parts**2 / left).sum())


def _nec_draws(excess: FloatArray, constant: FloatArray, question: Any) -> CaseDraws | None:
    """How sure NECs are; None when there are too few cases of a class.

    `excess` is what each system costs above the cheapest decision of each case, `constant`
    what each constant decision costs above it.
    """
    cases, options = question.cases, question.options
    priors = question.given.priors
    counts = cases.counted
    if counts[counts > 0].min() < options["min_cases"]:
        return None
    if cases.weights is not None and (kept := cases.weights > 0).sum() < kept.size:
        groups = None if cases.groups is None else cases.groups[kept]
        cases = Cases(cases.truth[kept], cases.weights[kept], groups, cases.priors)
        excess, constant = excess[kept], constant[kept]
    sums, units = _by_unit(excess, constant, cases, len(counts))
    apart = None if cases.groups is not None or priors is None else cases.truth
    size = int(np.clip(WORK / sums.shape[0], LEAST_DRAWS, MOST_DRAWS))
    shape = (len(counts), 1 + excess.shape[1] + constant.shape[1])

    def statistic(totals: FloatArray) -> FloatArray:
        parts = totals.reshape(-1, *shape)
        weights = parts[:, :, :1]
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(weights > 0, parts[:, :, 1:] / weights, 0.0)
        shares = weights[:, :, 0] / weights.sum(axis=1) if priors is None else priors[None]
        costs = np.einsum("rk,rks->rs", np.broadcast_to(shares, weights.shape[:2]), means)
        naive = costs[:, excess.shape[1] :].min(axis=1)
        return np.asarray(costs[:, : excess.shape[1]] / naive[:, None])

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        found = []
        for start in range(0, size, 50):
            weights = generator.standard_exponential((min(50, size - start), units))
            if apart is not None:  # every class keeps its number of cases
                for k in np.unique(apart):
                    inside = apart == k
                    weights[:, inside] /= weights[:, inside].mean(axis=1)[:, None]
            found.append(weights @ sums)
        return statistic(np.concatenate(found))

    drawn = Replicates.drawn(draw, size, options["rng"])
    nec = statistic(sums.sum(axis=0)[None])[0]
    moves = _moves(sums.reshape(-1, *shape), priors, nec)
    return CaseDraws(drawn, nec, moves, apart, options["level"])


def _moves(parts: FloatArray, priors: FloatArray | None, nec: FloatArray) -> FloatArray:
    """What each unit adds to the NEC of each system, to first order, the naive decision fixed.

    `parts` (n_units, n_classes, 1 + figures) holds weights, then costs of the systems, then of the
    constant decisions. With priors, means are taken class by class.
    """
    sums = parts if priors is not None else parts.sum(axis=1, keepdims=True)
    weights, totals = sums[:, :, 0], sums.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(totals[:, :1] > 0, totals[:, 1:] / totals[:, :1], 0.0)
        scale = np.where(totals[:, 0] > 0, 1 / totals[:, 0], 0.0)
    shares = np.ones(1) if priors is None else priors
    around = np.zeros((sums.shape[0], means.shape[1]))
    for k, factor in enumerate((shares * scale).tolist()):  # no second table of all classes
        around += factor * (sums[:, k, 1:] - weights[:, k, None] * means[k])
    costs = shares @ means
    naive = nec.shape[0] + int(np.argmin(costs[nec.shape[0] :]))
    own = around[:, : nec.shape[0]] - around[:, naive : naive + 1] * nec
    return np.asarray(own / costs[naive])


def _by_unit(
    excess: FloatArray, constant: FloatArray, cases: Cases, n_classes: int
) -> tuple[FloatArray, int]:
    """Weights and costs by class, summed over each case or group: (n_units, classes x figures)."""
    n_cases = cases.truth.shape[0]
    weights = np.ones(n_cases) if cases.weights is None else cases.weights
    figures = np.column_stack([np.ones(n_cases), excess, constant]) * weights[:, None]
    table = np.zeros((n_cases, n_classes, figures.shape[1]))
    table[np.arange(n_cases), cases.truth] = figures
    flat = table.reshape(n_cases, -1)
    if cases.groups is None:
        return flat, n_cases
    names, place = np.unique(cases.groups, return_inverse=True)
    sums = np.zeros((names.shape[0], flat.shape[1]))
    np.add.at(sums, place.reshape(-1), flat)
    return sums, names.shape[0]


def _compared_by_case(
    names: list[str], draws: CaseDraws | None, question: Any
) -> Comparison | None:
    """Every pair of systems on the same cases, by NEC."""
    if draws is None or not 2 <= len(names) <= _MOST_COMPARED:
        return None
    values = draws.replicates.values
    pairs = [
        tuple(sorted(pair, key=lambda k: draws.nec[k]))
        for pair in combinations(range(len(names)), 2)
    ]
    n_cases = int(question.cases.counted.sum())
    found = [_difference(names, a, b, draws, n_cases) for a, b in pairs]
    return Comparison(
        tuple(names), draws.nec, shares_best(values), tuple(adjusted(found)), (), False,
        draws.replicates,
    )  # fmt: skip


def _difference(names: list[str], a: int, b: int, draws: CaseDraws, n_cases: int) -> Difference:
    """One pair, with the interval of its difference."""
    value = float(draws.nec[a] - draws.nec[b])
    error, skewness, freedom = draws.spread(draws.moves[:, a] - draws.moves[:, b])
    low, high = skewed_limits(value, error, skewness, draws.level, freedom)
    p_value = skewed_p_value(value, error, skewness, freedom)
    needed = np.inf if value == 0 else n_cases * ((high - low) / 2 / value) ** 2
    return Difference(
        names[a], names[b], value, low, high, p_value, p_value, False, draws.level, None, needed
    )


@dataclass(frozen=True, eq=False, repr=False)
class CaseEvaluation(Evaluation):
    """An evaluation in which each case has its own costs; what `evaluate` returns for them.

    Parameters
    ----------
    case_sources : CaseSources or None
        What it was made from, so that its page can show it at other costs too.
    """

    case_sources: CaseSources | None = None

    def to_html(
        self,
        path: Any = None,
        *,
        facts: Mapping[str, Any] | None = None,
        title: str = "",
        embed_posteriors: bool = False,
        forensic: bool = False,
        costliest_cases: int = 0,
    ) -> str:
        """The page; see `Evaluation.to_html`.

        Parameters
        ----------
        path, facts, title, embed_posteriors, forensic
            As for any evaluation; there is no matrix to edit, and no evidence to draw.
        costliest_cases : int
            How many of the costliest cases of the cheapest rule to list, by their row. They
            are rows of the data, so none are unless you ask.

        Returns
        -------
        str
            The page.
        """
        from stakes.report.faces import as_page, written

        page = as_page(
            self,
            facts=facts,
            title=title,
            embed_posteriors=embed_posteriors,
            forensic=forensic,
            costliest_cases=costliest_cases,
        )
        return written(page, path)


def evaluated_by_case(models: Any, costs: CaseCosts, question: Question) -> Evaluation:
    """Judge every model by three rules: per case, one threshold, and average costs."""
    cases, options = question.cases, question.options
    same_length("y_true", cases.truth.shape[0], "case_costs", len(costs))
    app, weights = question.application, _weights(cases, question.application)
    average = app.with_costs(costs.average(weights))
    paid = costs.values[np.arange(len(costs)), cases.truth]  # (n, decisions): the true row
    least = paid.min(axis=1)
    constant = weights @ paid
    chosen = int(np.argmin(constant))
    naive = Naive(app.decisions[chosen], float(constant[chosen]), 0.0)
    naive = Naive(naive.decision, naive.cost, naive.cost - float(weights @ least))
    perfect = (paid[:, chosen] == least)[weights > 0].all()  # whatever rounding leaves of it
    if perfect or naive.avoidable <= 0:
        raise CostError(f"always deciding '{naive.decision}' is already perfect here.")
    rules = [
        rule
        for model in read_models(models, app, len(costs), question.order)
        for rule in _rules(model, costs, average, weights, question)
    ]
    rows = np.arange(len(costs))
    excess = np.column_stack([paid[rows, rule.codes] - least for rule in rules])
    draws = _nec_draws(excess, paid - least[:, None], question)
    comparison = _compared_by_case([r.name for r in rules], draws, question)
    found = tuple(
        _summed(rule, paid, weights, naive, k, draws, comparison, question)
        for k, rule in enumerate(rules)
    )
    naive_excess = paid[:, chosen] - least
    notes = []
    if draws is not None:
        influence = excess - naive_excess[:, None] * draws.nec
        at_stake = weights * (paid.max(axis=1) - least)
        notes += _heavy_tail(weights[:, None] * influence, at_stake, cases, app)
    notes += _by_averages(rules, found, average)
    assert average.priors is not None
    return CaseEvaluation(
        application=average,
        models=found,
        n_cases=float(cases.counted.sum()),
        data_priors=cases.priors,
        comparison=comparison,
        too_few=few_cases(cases, average, options["min_cases"]),
        notes=tuple(notes),
        naive=naive,
        level=options["level"],
        case_sources=CaseSources(costs, cases, tuple(rules), average.priors, question.said_at),
    )


def _rules(
    model: Model, costs: CaseCosts, average: Application, weights: FloatArray, question: Question
) -> list[CaseRule]:
    """Each way to use a model; decisions can be used in one way only."""
    if model.decisions is not None:
        return [CaseRule(model.name, "decisions", model, model.decisions, None)]
    assert average.priors is not None
    assert model.posteriors is not None
    priors, said_at = average.priors, question.said_at
    array, meant = model.posteriors, priors
    if not (priors > 0).all() or not (said_at > 0).all():
        array, meant = np.asarray(model.at(priors, said_at)), said_at
    found = moved_case_rules(array, costs, meant, said_at, weights)
    cut = found.threshold if np.isfinite(found.threshold) and meant is priors else None
    cuts = {
        "per case": None,
        "one threshold": cut,
        "average costs": cut_on(average, priors, said_at, array.dtype.name),
    }
    return [
        CaseRule(f"{model.name}, {kind}", kind, model, codes, cuts[kind])
        for kind, codes in found.items()
    ]


def _in_words(rule: CaseRule) -> str | None:
    """When a rule acts."""
    if rule.kind == "per case":
        return "per case"
    return None if rule.threshold is None else rule_text(rule.threshold)


def _weights(cases: Cases, app: Application) -> FloatArray:
    """What each case counts for, adding to 1, at the shares of the application."""
    assert app.priors is not None
    weights = np.ones(cases.truth.shape[0]) if cases.weights is None else cases.weights
    totals = np.bincount(cases.truth, weights=weights, minlength=len(app.classes))
    scale = np.divide(app.priors, totals, out=np.zeros(len(totals)), where=totals > 0)
    return np.asarray(weights * scale[cases.truth])


def _summed(
    rule: CaseRule,
    paid: FloatArray,
    weights: FloatArray,
    naive: Naive,
    place: int,
    draws: Any,
    comparison: Any,
    question: Question,
) -> ModelEvaluation:
    """One rule with its cost, its parts and its interval."""
    cases, app = question.cases, question.application
    shape = (len(app.classes), len(app.decisions))
    parts = weights * paid[np.arange(paid.shape[0]), rule.codes]
    places = cases.truth.astype(np.intp) * shape[1] + rule.codes
    sums = np.bincount(places, weights=parts, minlength=shape[0] * shape[1])
    cells = np.asarray(sums, dtype=np.float64).reshape(shape)
    cost = float(parts.sum())
    saving = naive.cost - cost
    return ModelEvaluation(
        name=rule.name,
        kind="decisions" if rule.model.posteriors is None else "posteriors",
        confusion=cases.count(rule.codes, app),
        cost=cost,
        nec=1 - saving / naive.avoidable,
        saving=saving,
        interval=None if draws is None else draws.interval(place),
        probability_best=None if comparison is None else float(comparison.probability_best[place]),
        threshold=rule.threshold,
        cells=cells,
        rule=_in_words(rule),
    )


def _heavy_tail(
    influence: FloatArray, at_stake: FloatArray, cases: Cases, app: Application
) -> list[Note]:
    """A remark when the amounts of a class are so unequal that intervals are too short.

    Samples whose interval misses did not see the large cases, so what each rule happened to pay
    tells little; what was at stake in all cases of the class tells more.
    """
    at_stake = at_stake / ordinary_scale(at_stake)  # squares of huge costs must fit
    positive = at_stake > 0
    counts, sums, squares = (
        np.bincount(cases.truth, at_stake**power * positive, len(app.classes)).astype(np.float64)
        for power in (0, 1, 2)
    )
    influence = influence / ordinary_scale(influence)
    parts = np.array([(influence[cases.truth == k] ** 2).sum(axis=0) for k in range(len(counts))])
    matters = (parts > MATTERS * parts.sum(axis=0)).any(axis=1)
    unequal = np.flatnonzero(matters & too_unequal(counts, sums, squares))
    if not unequal.size:
        return []
    return [Note("few-carry", sentence=few_carry([app.classes[k] for k in unequal]))]


def _by_averages(
    rules: list[CaseRule], found: tuple[ModelEvaluation, ...], average: Application
) -> list[Note]:
    """What the same decisions seem to cost when every case is priced at the average."""
    said = []
    for rule, model in zip(rules, found, strict=True):
        if rule.kind == "average costs":
            assert average.priors is not None
            rates = np.nan_to_num(model.confusion.rates, nan=0.0)
            seeming = float((average.priors[:, None] * rates * average.costs.values).sum())
            cost = plain(seeming, 4)
            said.append(Note("priced-at-average", model=rule.model.name, cost=cost))
    return said
