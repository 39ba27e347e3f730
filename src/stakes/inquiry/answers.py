"""Answers: from what was asked to an evaluation, with ranges and presets, and for sources in
Python.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.application import Application, CostMatrix, as_application
from stakes.evaluation import Evaluation
from stakes.exceptions import CostError, DataError, PriorError, StakesError
from stakes.inquiry.inquiry import Attended, Inquiry, plainly
from stakes.inquiry.near_answer import near_answer
from stakes.inquiry.ranges import (
    MOST_RANGES,
    Written,
    doubted,
    middle_of,
    put_values,
    ranged_costs,
    written_ranges,
)
from stakes.messages.audience import command_line
from stakes.messages.notes import Note
from stakes.metrics import nist_applications
from stakes.sources.table import Table
from stakes.summaries.stored_file import is_summary

if TYPE_CHECKING:
    from stakes.sources.source import Source


def answer(inquiry: Inquiry, attended: Attended = plainly) -> Evaluation:
    r"""Read what was asked about, judge it, and say what to do; what ``stakes eval`` prints.

    Costs and shares that are ranges are judged in the middle, and at all that they hold.

    Parameters
    ----------
    inquiry : Inquiry
        What was asked.
    attended : callable, optional
        Does long work while somebody watches it.

    Returns
    -------
    Evaluation
        As from `stakes.evaluate`; `.inquiry` is what was asked.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> rows = ["truth,p", *["no,0.05"] * 45, *["yes,0.7"] * 12, *["no,0.6"] * 3]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "day.csv")
    ...     _ = file.write_text("\n".join(rows))
    ...     asked = Inquiry(source=str(file), label="truth", positive="yes", scores="p",
    ...                     cost={"fn": 10, "fp": 1})
    ...     ev = answer(asked)
    >>> round(ev["p"].cost, 3), ev.verdict_kind
    (0.05, 'deploy')
    """
    with command_line():  # an inquiry is in the words of the options, whoever asks
        return replace(_answered(inquiry, attended), inquiry=inquiry)


def _answered(inquiry: Inquiry, attended: Attended) -> Evaluation:
    """See `answer_at`; with ranges, at their middle, and with all that they hold."""
    if inquiry.preset:
        return _at_preset(inquiry, attended)
    spread = ranged_costs(inquiry.costs) if isinstance(inquiry.costs, str) else None
    written = written_ranges(inquiry)
    if not written and spread is None:
        return answer_at(inquiry, recalibrate=True, attended=attended)
    if len(written) > MOST_RANGES:
        raise CostError(f"at most {MOST_RANGES} ranges at a time; got {len(written)}.")
    middle = middle_of(written, spread)
    with _about_shares(written):
        at = put_values(inquiry, middle, len(written), spread)
        found = answer_at(at, recalibrate=True, attended=attended)
    ev = doubted(found, written, spread, inquiry, partial(answer_at, attended=attended))
    where = ", ".join(each.text for each in written) if spread is None else "the range"
    return replace(ev, notes=(*ev.notes, Note("middle-of-range", where=where)))


def answer_at(
    inquiry: Inquiry, *, recalibrate: bool = False, attended: Attended = plainly
) -> Evaluation:
    """The evaluation of an inquiry without ranges: from counts, from an engine, or from rows."""
    file = inquiry.file
    if inquiry.confusion:
        from stakes.inquiry.count_answer import confusion_answer

        return confusion_answer(inquiry)
    if file is not None and (is_summary(file) or file.endswith(".json")):
        from stakes.inquiry.count_answer import kept_answer

        return kept_answer(inquiry)
    if inquiry.is_far:
        from stakes.inquiry.far_answer import far_answer

        return far_answer(inquiry, attended)
    return near_answer(inquiry, recalibrate=recalibrate)


def _at_preset(inquiry: Inquiry, attended: Attended) -> Evaluation:
    """The evaluation at the first operating point of a preset, with a note about the others."""
    if inquiry.gives_costs or inquiry.prevalence:
        raise CostError("--preset says the costs and the shares; leave the others out.")
    try:
        applications = nist_applications(inquiry.preset or "")
    except StakesError as error:
        raise CostError(error.message, hint="--preset sre16") from None
    points = [
        (float(app.priors[1]), app.costs.values)
        for app in applications.values()
        if app.priors is not None
    ]
    found: list[tuple[float, Evaluation]] = []
    for share, costs in points:
        amounts = (f"fn={costs[1, 0]:.12g}", f"fp={costs[0, 1]:.12g}")
        at = inquiry.but(cost=amounts, prevalence=f"{share:.12g}", preset=None)
        found.append((share, answer_at(at, recalibrate=not found, attended=attended)))
    main = found[0][1]
    notes = [Note("at-operating-point", preset=inquiry.preset, share=f"{100 * points[0][0]:g}")]
    for share, other in found[1:]:
        best = other[other.best]
        nec = "" if math.isnan(best.nec) else f" (NEC {best.nec:.3f})"
        notes.append(Note("best-elsewhere", share=f"{100 * share:g}", model=best.name, nec=nec))
    if len(found) > 1:
        means = {
            name: float(np.mean([np.nan_to_num(f[name].nec) for _, f in found])) for name in main
        }
        said = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
        notes.append(Note("mean-of-points", points=len(found), means=said))
    return replace(main, notes=(*main.notes, *notes))


@contextmanager
def _about_shares(written: list[Written]) -> Iterator[None]:
    """Say how to write a range of shares, where shares do not add to 1 within it."""
    try:
        yield
    except PriorError as error:
        if not any(each.is_share for each in written) or error.code != "shares-sum":
            raise
        raise PriorError(
            error.message,
            hint="leave one outcome out, which takes what is left:  --prevalence "
            "cat=30%..40%,dog=.3",
        ) from None


def evaluate_source(
    source: Source,
    *,
    label: str,
    application: Any,
    posteriors: Any = None,
    decisions: Any = None,
    positive: Any = None,
    by: Any = None,
    case_costs: Mapping[str, Any] | None = None,
    sample_weight: str | None = None,
    min_cases: int = 10,
) -> Evaluation:
    """Judge the models in the rows of a source; see `stakes.evaluate_frame`."""
    if not isinstance(application, (Application, CostMatrix)):
        raise CostError(
            f"rows of a source are judged at an Application or a CostMatrix; got "
            f"{type(application).__name__}.",
            hint='costs per case are formulas: case_costs={"fn": "amount", "fp": "10"}',
        )
    app = as_application(application)
    source, scores = _named(source, posteriors)
    source, taken = _named(source, decisions)
    asked: dict[str, Any] = {"costs": app}
    if case_costs is not None:
        asked = {"cost": dict(case_costs), "unit": app.unit, "volume": _volume(app)}
        asked["prevalence"] = _shares(app)
    single = len(app.classes) == 2 and not _by_class(scores, app)
    return answer(
        Inquiry(
            source=source,
            label=label,
            positive=None if positive is None else str(positive),
            scores=",".join(scores) if single else None,
            proba=None if single else ",".join(scores),
            decisions=",".join(taken),
            weight=sample_weight,
            by=_only(by),
            min_cases=min_cases,
            **asked,
        )
    )


def _named(source: Source, models: Any) -> tuple[Source, tuple[str, ...]]:
    """The columns of the models; in memory, columns may get the names that models have."""
    if models is None:
        return source, ()
    if not isinstance(models, Mapping):
        return source, (models,) if isinstance(models, str) else tuple(models)
    if not all(isinstance(column, str) for column in models.values()):
        raise DataError("a model of a source is one column.", hint='posteriors={"gbm": "gbm_p"}')
    new = {name: column for name, column in models.items() if name != column}
    if new and not isinstance(source, Table):
        raise DataError(
            "models in files that stay where they are are called after their columns.",
            hint=f"posteriors={list(models.values())!r}",
        )
    if isinstance(source, Table):
        getters = [source.getters[source.position(column)] for column in new.values()]
        names = (*source.names, *new)
        source = replace(source, names=names, getters=(*source.getters, *getters))
    return source, tuple(models)


def _by_class(columns: Sequence[str], app: Application) -> bool:
    """Whether columns are one for each class rather than one for each model."""
    names = [str(name) for name in app.classes]
    return len(columns) == len(names) and all(
        any(column.endswith(name) for column in columns) for name in names
    )


def _only(by: Any) -> str | None:
    """The one column whose values make slices."""
    if by is None or isinstance(by, str):
        return by
    if len(by) != 1:
        raise DataError(f"rows of a source are parted by one column; got {len(by)}.")
    return str(by[0])


def _volume(app: Application) -> str | None:
    """Cases in a period, as they are typed."""
    if app.volume is None:
        return None
    return f"{app.volume:.15g}" + (f"/{app.period}" if app.period else "")


def _shares(app: Application) -> str | None:
    """The share of each class, as they are typed."""
    if app.priors is None:
        return None
    pairs = zip(app.classes, app.priors.tolist(), strict=True)
    return ",".join(f"{name}={share!r}" for name, share in pairs)
