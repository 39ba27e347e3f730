"""What a calibration is worth, on the terminal, as JSON and as a picture."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._optional import load
from stakes.calibration import Automatic, reliability_table
from stakes.calibration.reliability_table import event_of
from stakes.cli.calibration_learnt import Learnt, in_file
from stakes.cli.calibration_record import as_json, learnt_record
from stakes.cli.output import page_width, print_wrapped
from stakes.cli.pictures import write_picture
from stakes.cli.problems import warn
from stakes.cli.tables import Column, fitted
from stakes.curves import reliability
from stakes.report.amounts import grouped, money, percent, plain
from stakes.summaries import ScoreCounts

__all__ = ["draw", "show"]


def show(learnt: Learnt, args: Any) -> None:
    """Print the findings."""
    why, sentences = _why(learnt), _sentences(learnt)
    if args.json:
        print(as_json(learnt_record(learnt, why, sentences, _naive(learnt), args)))
        return
    print_wrapped(_read(learnt))
    for note in learnt.question.notes:
        print_wrapped(note, first="  ", rest="  ")
    print_wrapped(f"calibrator: {why}", rest="  ")
    print()
    print(fitted(_columns(learnt), page_width())[0])
    print()
    for sentence in sentences:
        print_wrapped(sentence)


def _read(learnt: Learnt) -> str:
    """How many cases there are, and of what; weights only say what shares the outcomes have."""
    cases = learnt.cases
    counts = ", ".join(
        f"{grouped(n)} {name}" for n, name in zip(cases.counted, cases.classes, strict=True)
    )
    if cases.weights is not None:
        shares = zip(cases.priors.tolist(), cases.classes, strict=True)
        counts += "; by weight " + ", ".join(f"{percent(share)} {name}" for share, name in shares)
    size = grouped(int(cases.counted.sum()))
    return f"read {learnt.question.table.source}: {size} cases ({counts})"


def _columns(learnt: Learnt) -> list[Column]:
    """The table: cost, NEC and cross-entropy, as is and after."""
    unit = f", {learnt.application.unit}" if learnt.application.unit else ""
    naive = _naive(learnt)
    titles, before, after, change, sure = [], [], [], [], []
    for title, gain, scale in [
        (f"cost per case{unit}", learnt.cost, 1.0),
        *([("NEC", learnt.cost, naive)] if naive > 0 else []),
        ("cross-entropy, nats", learnt.entropy, 1.0),
    ]:
        titles.append(title)
        low, high = gain.interval
        known = learnt.before is not None
        before.append(plain(gain.before / scale, 4) if known else "-")
        after.append(plain(gain.after / scale, 4))
        known = known and bool(np.isfinite(gain.gain))
        change.append(plain(-gain.gain / scale, 3) if known else "-")
        sure.append(f"{plain(-high / scale, 3)} to {plain(-low / scale, 3)}" if known else "-")
    return [
        Column("", titles, label=True, right=False),
        Column("as is", before),
        Column("calibrated", after),
        Column("change", change),
        Column("95% interval", sure, drop=1),
    ]


def _naive(learnt: Learnt) -> float:
    """What the best constant decision costs, on standardised costs."""
    costs, priors = learnt.application.costs.values, learnt.application.priors
    assert priors is not None
    if (costs.min(axis=1) != 0).any():
        return 0.0  # costs as given would not divide to a NEC
    return float((priors @ costs).min())


def _why(learnt: Learnt) -> str:
    """Which calibrator, and why."""
    cal = learnt.calibrator
    if not isinstance(cal, Automatic):
        return f"{cal.kind}, as asked"
    why = in_file(cal.why, learnt.cases)
    if learnt.before is None:  # ranks say nothing as they are
        return re.sub(r" As is: \S+\.(?= |$)", "", why)
    compared, given = cal.frame()["loss"][0], learnt.entropy.before
    if not np.isclose(compared, given, rtol=1e-9):  # the bound has moved some scores
        why = why.replace(" As is: ", " As is, within the bound: ")
    return why


def _sentences(learnt: Learnt) -> list[str]:
    """How far the numbers can be trusted before and after, and what it is worth."""
    out = []
    if learnt.before is not None:
        out.append("As is: " + _reliable(learnt, learnt.before))
    there = learnt.application.priors
    here = there is None or np.array_equal(there, learnt.cases.priors)
    place = "" if here else " (at the shares of this file)"
    out.append(f"Calibrated{place}: " + _reliable(learnt, learnt.after))
    gain, app = learnt.cost, learnt.application
    if learnt.before is None:
        return out
    out += _about_impossible(learnt)
    if gain.interval[0] > 0:
        worth = f"Calibrating takes {money(gain.gain, app.unit)} off the cost of a case"
        if app.volume:
            period = f" a {app.period}" if app.period else ""
            worth = f"Calibrating is worth {money(gain.gain * app.volume, app.unit)}{period}"
        out.append(f"{worth} (cross-fitted).")
    elif gain.interval[1] < 0:
        out.append("Calibrating would raise the cost: use the scores as they are.")
    else:
        out.append("For these costs the data cannot tell whether calibrating pays.")
    return out


def _about_impossible(learnt: Learnt) -> list[str]:
    """What makes the cross-entropy infinite or absurd, where, and what to type."""
    before, after = learnt.entropy.impossible
    if not learnt.entropy.rows:
        return []
    row = grouped(learnt.cases.rows[learnt.entropy.rows[0]] + 1)
    size = grouped(int(learnt.cases.counted.sum()))
    out = []
    if before:
        out.append(
            f"As is, what happened had a probability of 0 in {grouped(before)} of {size} cases "
            f"(row {row} first): such a cross-entropy is infinite or as good as that."
        )
    if after:
        out.append(
            f"So it has after calibration in {grouped(after)} "
            f"case{'' if after == 1 else 's'}; --bound 50 says how far such "
            "scores are to be trusted."
        )
    return out


def _reliable(learnt: Learnt, posteriors: NDArray[np.float64]) -> str:
    """One sentence about reliability."""
    names = list(learnt.cases.classes)
    truth = np.array(names)[learnt.cases.truth]
    found = reliability_table(
        truth, posteriors, classes=names, sample_weight=learnt.cases.weights, groups=20
    )
    return found.text[0].lower() + found.text[1:]


def draw(learnt: Learnt, path: str) -> None:
    """Reliability before and after, each with its own band, as a picture file."""
    from stakes import plots
    from stakes.plots.style import style

    module = load("matplotlib.figure", extra="plots")
    pairs = [("as is", learnt.before), ("calibrated, cross-fitted", learnt.after)]
    known = [(title, *_event(learnt, p)) for title, p in pairs if p is not None]
    if any(happened.all() for _, _, happened, _, _ in known):
        warn(f"{path} was not drawn: the most probable class is always right.")
        return
    with style():
        figure = module.Figure(figsize=(4.8 * len(known), 4.8), layout="constrained")
        axes = figure.subplots(1, len(known), squeeze=False)[0]
        for ax, (title, said, happened, weights, event) in zip(axes, known, strict=True):
            counts = ScoreCounts.from_scores(
                happened, said, kind="posterior", classes=[False, True], sample_weight=weights
            )
            plots.reliability(reliability(counts, rng=0), ax=ax)
            ax.set(
                title=title, xlabel=f"probability said for {event}", ylabel="how often it happens"
            )
        write_picture(figure, path)


def _event(
    learnt: Learnt, posteriors: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64], str]:
    """What was said and happened: of the second class, or of the most probable of many."""
    names = list(learnt.cases.classes)
    truth = np.array(names)[learnt.cases.truth]
    return event_of(truth, posteriors, None, names, learnt.cases.weights)
