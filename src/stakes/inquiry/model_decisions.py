"""From what a model says to what it decides: priors moved, thresholds named, scores ranked, gaps
filled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._names import as_positions
from stakes.application import Application
from stakes.engines import Reduction
from stakes.evaluation import recalibration as directions
from stakes.exceptions import CostError, DataError
from stakes.inquiry.column_roles import words_of
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.model_scores import Model
from stakes.inquiry.truth import Cases, quoted, rows_of
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped
from stakes.posteriors import Posteriors
from stakes.posteriors.posteriors import are_certain
from stakes.rules import DecisionRule
from stakes.rules.rule_parts import converted
from stakes.summaries import ScoreCounts
from stakes.typing import FloatArray

_FOLDS = 5
_SEED = 0


def _cross_fitted(
    scores: NDArray[np.float64], cases: Cases, app: Application
) -> tuple[NDArray[np.intp], float]:
    """Decide each fifth of the cases by the best threshold of the others.

    Also returns the best threshold on all cases. Cases are dealt to the folds within each
    class, in an order that depends on their number alone.
    """
    assert app.priors is not None
    weights = np.ones(len(cases)) if cases.weights is None else cases.weights
    scale = np.divide(app.priors, cases.priors, out=np.zeros(2), where=cases.priors > 0)
    stakes = app.costs.values[:, 0] - app.costs.values[:, 1]  # what acting saves, by true class
    saved = weights * scale[cases.truth] * stakes[cases.truth]
    fold = _folds(cases.truth)
    decisions = np.zeros(len(cases), dtype=np.intp)
    for k in range(_FOLDS):
        threshold = _best_threshold(scores[fold != k], saved[fold != k])
        decisions[fold == k] = scores[fold == k] > threshold
    return decisions, _best_threshold(scores, saved)


def turned_round(models: Sequence[Model], cases: Cases, inquiry: Inquiry) -> list[Note]:
    """The columns of scores that, beyond chance, are higher where the outcome is rarer."""
    if not inquiry.scores or len(cases.classes) != 2:
        return []
    every, found = np.ones(len(cases)) if cases.weights is None else cases.weights, list[Note]()
    for model in models:
        if model.scores is None:
            continue
        counts = ~model.missing & (every > 0)
        truth, weights = cases.truth[counts], every[counts]
        ranked = ScoreCounts.from_scores(
            truth, model.scores[counts], kind="rank", classes=(0, 1), sample_weight=weights
        )
        found += directions.turned_round(model.name, ranked, truth, weights, cases.classes)
    return retold(found, inquiry)


def retold(notes: Sequence[Note], inquiry: Inquiry) -> list[Note]:
    """Notes on scores that run the wrong way, in the words of the options they came by."""
    turned, said = words_of(inquiry.flip), []
    for note in notes:
        values = dict(note.values)
        if inquiry.proba:
            values["asked"] = "Are its columns called the wrong way round?"
            values["option"] = "then rename them"
        elif values["model"] in turned:
            values["seen"] = f"turned by --flip, {values['seen']}"
            asked = f"Is the column the probability of '{values['positive']}' as it is?"
            values |= {"asked": asked, "option": f"leave out {values['option']}"}
        said.append(Note("turned-round", **values))
    return said


def _folds(truth: NDArray[np.intp]) -> NDArray[np.intp]:
    """A fold for each case, as even as possible within each class."""
    rng = np.random.default_rng(_SEED)
    fold = np.empty(truth.shape[0], dtype=np.intp)
    for outcome in range(2):
        rows = rng.permutation(np.flatnonzero(truth == outcome))
        fold[rows] = np.arange(rows.size) % _FOLDS
    return fold


def _best_threshold(scores: NDArray[np.float64], saved: NDArray[np.float64]) -> float:
    """The cut between distinct scores above which acting saves most; ties: act on fewer."""
    if not scores.size:
        return float("inf")
    order = np.argsort(-scores, kind="stable")
    ranked, gains = scores[order], np.cumsum(saved[order])
    last = np.flatnonzero(np.append(np.diff(ranked) != 0, True))  # last case of each tie
    totals = np.concatenate([[0.0], gains[last]])
    best = int(np.argmax(totals))
    if best == 0:
        return float(ranked[0])  # act on no case
    if best == last.size:
        return float(np.nextafter(ranked[-1], -np.inf))  # act on everybody
    upper, lower = ranked[last[best - 1]], ranked[last[best - 1] + 1]
    middle = float((upper + lower) / 2)
    return middle if lower <= middle < upper else float(lower)


def posteriors_of(
    model: Model, cases: Cases, app: Application, inquiry: Inquiry
) -> NDArray[np.float64] | None:
    """Probabilities at the base rate of the application; None for decisions and ranks."""
    if model.scores is None or inquiry.kind == "rank":
        return None
    assert app.priors is not None
    scores = _filled(model, cases)
    if inquiry.kind == "llr":
        return Posteriors.from_llrs(scores, app.priors, cases.classes).values
    stays = inquiry.posteriors_already_adjusted or np.array_equal(app.priors, cases.priors)
    if stays and inquiry.kind == "posterior":
        return scores
    made = Posteriors.from_logits if inquiry.kind == "log_odds" else Posteriors
    said = made(scores, cases.classes)
    if stays:
        return said.values
    _refuse_unmovable(cases, app, inquiry)
    return said.with_priors(app.priors, from_priors=cases.priors).values


def _filled(model: Model, cases: Cases) -> NDArray[np.float64]:
    """Scores with any valid row in place of gaps: those decisions are replaced later."""
    assert model.scores is not None
    if not model.missing.any():
        return model.scores
    scores = model.scores.copy()
    scores[model.missing] = 1 / len(cases.classes)
    return scores


def decided(model: Model, cases: Cases, app: Application, inquiry: Inquiry) -> NDArray[Any] | None:
    """The Bayes decisions where it will run; None for decisions and ranks."""
    if model.scores is None or inquiry.kind == "rank":
        return None
    _refuse_unmovable(cases, app, inquiry)
    return _rule(app, cases, inquiry, inquiry.kind).positions(_filled(model, cases))


def _refuse_unmovable(cases: Cases, app: Application, inquiry: Inquiry) -> None:
    """Raise where a probability would have to be moved from a share of nothing."""
    stays = inquiry.kind == "llr" or inquiry.posteriors_already_adjusted
    if stays or np.array_equal(app.priors, cases.priors) or (cases.priors > 0).all():  # type: ignore[arg-type]
        return
    absent = [c for c, share in zip(cases.classes, cases.priors, strict=True) if share == 0]
    raise DataError(
        f"there is no case of {quoted(absent)} in the data, so its probability cannot be moved "
        "to a new base rate.",
        hint="if the probabilities already hold where it will run:  --posteriors-already-adjusted",
    )


def said_by(
    model: Model, cases: Cases, app: Application, inquiry: Inquiry
) -> tuple[Any, float | None]:
    """What a model says, for `evaluate`: posteriors at the base rate of the data, or decisions.

    Ranks become decisions, with their threshold on all the data; so do models with gaps that
    are to be filled.
    """
    codes, threshold = model.decisions, None
    if model.scores is not None and inquiry.kind == "rank":
        if app.costs.shape != (2, 2):
            raise CostError("--scores-are rank needs two outcomes and two decisions.")
        filled = np.where(model.missing, -np.inf, model.scores)
        codes, threshold = _cross_fitted(filled, cases, app)
    elif model.scores is not None:
        _refuse_unmovable(cases, app, inquiry)
        if not model.missing.any():
            said = model.scores
            if inquiry.kind == "llr":
                said = Posteriors.from_llrs(said, cases.priors, cases.classes).values
            elif inquiry.kind == "log_odds":
                said = Posteriors.from_logits(said, cases.classes).values
            # certain ones passed where they were read, as somebody said what they are
            return Posteriors(said) if are_certain(said) else said, None
        codes = decided(model, cases, app, inquiry)
    assert codes is not None
    return as_positions(_fill_gaps(codes, model.missing, app, inquiry)), threshold


def _rule(app: Application, cases: Cases, inquiry: Inquiry, kind: str) -> DecisionRule:
    """How scores of a kind are decided where they will be used."""
    before = None if inquiry.posteriors_already_adjusted else cases.priors
    return DecisionRule(app, scores=kind, from_priors=before)


def rule_kind(inquiry: Inquiry) -> str:
    """What the scores are that a cut of two outcomes is on; of two columns, the probability."""
    return "posterior" if inquiry.proba else inquiry.kind


def rule_of(
    app: Application,
    cases: Cases,
    inquiry: Inquiry,
    ranked_at: float | None,
    scores: Any = None,
    prices: FloatArray | None = None,
) -> DecisionRule | None:
    """The rule in the terms of the scores in the file, with digits that decide all alike."""
    kind, both = inquiry.kind, bool(inquiry.proba) and len(cases.classes) == 2
    if inquiry.decisions or (kind == "rank" and ranked_at is None) or (kind == "llr" and both):
        return None
    if ranked_at is not None:
        rule = DecisionRule(app, scores="rank", cut=ranked_at)
    else:
        said = rule_kind(inquiry) if both else kind
        rule = replace(_rule(app, cases, inquiry, said), prices=prices)
    return rule if scores is None else rule._learnt_on(scores)


def ends_in_files(found: Reduction, cases: Cases, inquiry: Inquiry) -> dict[str, Any]:
    """The ends of the bins of each model's scores, as its rule reads them from the files."""
    kind = rule_kind(inquiry)
    ends = {model: found._score_ends(model) for model in found.request.models}
    for model, said in ends.items():
        if said is not None and kind != "posterior":  # the bins are of posteriors
            there = converted(said, "posterior", kind, cases.priors)
            ends[model] = there[np.isfinite(there)]
    return ends


def on_columns(rule: DecisionRule | None, columns: tuple[str, ...] | None) -> DecisionRule | None:
    """The rule, which knows the columns of the file that it reads."""
    return rule if rule is None or columns is None else replace(rule, columns=columns)


def about_cuts(app: Application, cases: Cases, inquiry: Inquiry) -> list[Note]:
    """What is decided on each side of the cuts, when one rule for acting does not say it."""
    rule = rule_of(app, cases, inquiry, None)
    if rule is None or rule.act_when in (None, str(rule)):
        return []
    return [Note("rule", rule=str(rule))]


def without_gaps(
    models: Sequence[Model], cases: Cases, inquiry: Inquiry, *, for_decisions: bool = True
) -> tuple[list[Model], Cases, Note | None]:
    """Only the rows every model has, unless gaps are to be filled; and what to say about it.

    Gaps are filled with decisions, which is of no use unless it is decisions that are wanted.
    """
    gaps = {model.name: int(model.missing.sum()) for model in models}
    if inquiry.missing in ("naive", "abstain"):
        empty = _empty_said(gaps)
        if empty and not for_decisions:
            needed = "what the model itself says is needed"
            message = f"{empty} --missing {inquiry.missing} decides them, and {needed}."
            raise DataError(message, hint="To leave them out: --missing drop")
        filled = None if empty is None else Note("gaps-filled", gaps=empty, filler=inquiry.missing)
        return list(models), cases, filled
    keep = ~np.logical_or.reduce([model.missing for model in models])
    said = gaps_said(gaps, int(keep.sum()), inquiry)
    if said is None:
        return list(models), cases, None
    if not for_decisions:
        said = Note("gaps-not-estimated", **said.values)
    return [model.kept(keep) for model in models], cases.kept(keep), said


def gaps_said(gaps: Mapping[str, int], kept: int, inquiry: Inquiry) -> Note | None:
    """What to say when only rows are compared that every model has; None without gaps."""
    said = _empty_said(gaps)
    if said is None:
        return None
    if not kept:
        raise DataError(f"{said} No row has a value for every model, so nothing can be compared.")
    code = "gaps-left-out" if inquiry.missing is None else "gaps-dropped"
    return Note(code, gaps=said, kept=grouped(kept))


def _empty_said(gaps: Mapping[str, int]) -> str | None:
    """In how many rows each model says nothing; None where each always does."""
    parts = [rows_of(count, name) for name, count in gaps.items() if count]
    return " empty and ".join(parts) + " empty." if parts else None


def _fill_gaps(
    codes: NDArray[Any], missing: NDArray[np.bool_], app: Application, inquiry: Inquiry
) -> NDArray[Any]:
    """The decisions with something to do for the rows a model says nothing about."""
    if not missing.any():
        return codes
    others = [name for name in app.decisions if name not in app.classes]
    if inquiry.missing == "naive":
        others = [app.naive_decision]
    if len(others) != 1:
        raise DataError(
            "--missing abstain needs exactly one decision that is not an outcome; the decisions "
            f"are {quoted(app.decisions)}.",
            hint="add one to the costs file, e.g. 'ask a person', or use --missing naive",
        )
    return np.where(missing, app.decisions.index(others[0]), codes)
