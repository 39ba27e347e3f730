"""What a calibration is worth: as a record, on the terminal, as JSON and as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.application.cost_sentences import describe_costs
from stakes.calibration import Automatic, Average, CalibrationGain, Calibrator, reliability_table
from stakes.calibration.measures.reliability_table import event_of
from stakes.cli.commands.calibrate.calibration_fit import CHOSEN_BY, Learnt
from stakes.cli.show.fixed_width import Column, print_columns
from stakes.cli.show.outputs import write_picture
from stakes.cli.show.terminal import dim, print_aligned, print_json, print_wrapped
from stakes.curves import reliability
from stakes.evaluation.evaluation_record import application_record
from stakes.inquiry.assumptions import both_shares
from stakes.messages.notes import Note
from stakes.messages.quantities import aligned, grouped, money, percent, plain
from stakes.summaries import ScoreCounts
from stakes.typing import FloatArray


def learnt_record(learnt: Learnt, args: Any) -> dict[str, Any]:
    """What is said on the terminal rests on."""
    cal, app, cases = learnt.calibrator, learnt.application, learnt.cases
    chosen = cal.chosen if isinstance(cal, Automatic) else cal
    cost, naive = _gain(learnt.cost, learnt), _naive(learnt)
    scaled = {key: cost[key] for key in ("before", "after", "gain", "low", "high")}
    scaled = {key: None if each is None else each / naive for key, each in scaled.items() if naive}
    return {
        "source": learnt.question.table.source,
        "sha256": learnt.question.table.digest,
        "cases": len(cases),
        "label": cases.label,
        "model": learnt.model,
        "columns": learnt.columns,
        "scores_are": learnt.question.inquiry.kind,
        "asked": args.kind,
        "kind": chosen.kind,
        "members": _members(chosen),
        "bound": cal.options["bound"],
        "folds": args.folds,
        "seed": args.seed,
        "groups": learnt.question.inquiry.groups,
        "application": application_record(app, cases.priors),
        "cost": cost,
        "nec": scaled or None,
        "cross_entropy": _gain(learnt.entropy, learnt),
        "compared": _gain(learnt.compared, learnt) if chosen is not cal else None,
        "candidates": cal.frame().rows() if isinstance(cal, Automatic) else [],
        "chosen_by": (args.choose_by or next(iter(CHOSEN_BY))) if chosen is not cal else None,
        "without": learnt.without,
        "failures": list(cal.report.get("failures", [])),
        "notes": list(learnt.question.notes),
        "warnings": list(learnt.warnings),
        "output": args.output,
        "plot": args.plot,
    }


def _members(chosen: Calibrator) -> list[dict[str, Any]]:
    """The calibrators that are averaged, with their weights; curves sought by stakes with these.

    Of averages among them, their members.
    """
    if not isinstance(chosen, Average):
        return []
    found = []
    for member, weight in zip(chosen.members, chosen.weights, strict=True):
        record = {"kind": member.kind, "weight": float(weight)}
        if isinstance(member, Average):
            record["members"] = _members(member)
        elif (emphasis := member.options.get("emphasis")) is not None:
            record["emphasis"] = emphasis
        found.append(record)
    return found


def _gain(gain: CalibrationGain, learnt: Learnt) -> dict[str, Any]:
    """Before, after, the difference and its interval; ranks are nothing before."""
    row = {**gain.frame().rows()[0], "level": gain.level}
    if learnt.before is None:
        row |= dict.fromkeys(("before", "gain", "low", "high", "relative"))
        row["impossible_before"] = 0
    return row


#: What the numbers of a column are, of which outcome.
HOLDS = {
    "posterior": "the probability",
    "log_odds": "the log-odds",
    "llr": "the log-likelihood ratio",
    "rank": "a score whose order alone counts,",
}


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


def _model(learnt: Learnt) -> str:
    """Which columns hold what."""
    inquiry, names = learnt.question.inquiry, learnt.cases.classes
    what = HOLDS[inquiry.kind]
    if "score" in learnt.columns:
        turned = learnt.model in inquiry.flip.split(",")
        of, how = (names[0], ", turned by --flip") if turned else (names[1], "")
        return f"{what} of {of} in '{learnt.model}'{how}"
    keys = ("matrix",) if "matrix" in learnt.columns else names
    columns = [f"'{learnt.columns[key]}'" for key in keys]
    listed = ", ".join(columns[:4]) + (", ..." if len(columns) > 4 else "")
    return f"{what} of each outcome in {listed}"


def show(learnt: Learnt, said: dict[str, Any], args: Any) -> None:
    """Print the findings: the cases, the columns, the costs and shares, and what it is worth."""
    if args.json:
        print_json({**learnt_record(learnt, args), **said})
        return
    app, cases = learnt.application, learnt.cases
    print_wrapped(_read(learnt), rest="  ")
    for note in (f"the truth is in '{cases.label}', {_model(learnt)}", *learnt.question.notes):
        print_wrapped(note, first="  ", rest="  ")
    if args.costs_assumed:
        option = "--cost fn=10 fp=1" if len(cases.classes) == 2 else "--costs costs.toml"
        print_aligned(f"No costs were given, so every error costs 1; change that with {option}")
    else:
        for line in describe_costs(app.costs, unit=app.unit).splitlines():
            print_aligned(line)
    shares = Note("shares-of-file")
    if not np.array_equal(app.priors, cases.priors):  # type: ignore[arg-type]
        shares = Note("calibrated-for-shares", **both_shares(cases, app))
    print_wrapped(shares, rest="  ")
    chose = isinstance(learnt.calibrator, Automatic)
    print_wrapped(said["why"] if chose else f"calibrator: {said['why']}", rest="  ")
    print()
    print_columns(*_columns(learnt))
    print_wrapped(f"({_WITHOUT[learnt.without if chose else '']})", rest=" ", style=dim)
    print()
    for sentence in said["sentences"]:
        print_wrapped(sentence)


#: What a case had no part in where it was calibrated.
_WITHOUT = {
    "": "calibrated on other cases",
    "fit": "calibrated on other cases; the calibrator itself was chosen on all cases",
    "choice and fit": "calibrator chosen and fitted on other cases; in the comparison above it was "
    "only fitted on other cases",
}


def _columns(learnt: Learnt) -> list[Column]:
    """The table: cost, NEC and cross-entropy, before and after."""
    unit = f", {learnt.application.unit}" if learnt.application.unit else ""
    naive, rows = _naive(learnt), []
    for title, gain, scale in [
        (f"cost per case{unit}", learnt.cost, 1.0),
        *([("NEC", learnt.cost, naive)] if naive > 0 else []),
        ("cross-entropy, nats", learnt.entropy, 1.0),
        *([("Brier score", learnt.compared, 1.0)] if learnt.compared.measure[0] == "B" else []),
    ]:
        low, high = gain.interval
        known = learnt.before is not None
        held = [gain.after, gain.before, -gain.gain, -high, -low][: 5 if known else 1]
        after, *more = _told([number / scale for number in held])
        before, change, least, most = more or ["-"] * 4
        sure = f"{least} to {most}"
        if not (known and np.isfinite(gain.gain)):
            change = sure = "-"
        rows.append((title, before, after, change, sure))
    titles, *numbers, intervals = zip(*rows, strict=True)
    heads = ("uncalibrated", "calibrated", "change")
    return [
        Column("", titles, label=True, right=False),
        *(Column(head, cells) for head, cells in zip(heads, numbers, strict=True)),
        Column("95% interval", intervals, drop=1),
    ]


def _told(numbers: list[float]) -> list[str]:
    """After, before and what changed, with equal decimals; without, if after or before lose digits.

    Nothing but its own decimals tells a loss of 0.46 from 0 beside one of 500 000.
    """
    texts, (after, *before) = aligned(numbers), numbers[:2]
    lost = (
        len(text.replace(".", "").replace(" ", "").lstrip("-0")) < 3
        for number, text in zip((after, *before), texts, strict=False)
        if number and np.isfinite(number)
    )
    if not any(lost):
        return texts
    return [plain(after), *map(plain, before), *aligned(numbers[2:])]


def _naive(learnt: Learnt) -> float:
    """What the best constant decision costs, on standardised costs."""
    costs, priors = learnt.application.costs.values, learnt.application.priors
    assert priors is not None
    if (costs.min(axis=1) != 0).any():
        return 0.0  # costs as given would not divide to a NEC
    return float((priors @ costs).min())


def why(learnt: Learnt, *, named: bool) -> str:
    """Which calibrator, and why; `named` says that somebody asked for it."""
    cal = learnt.calibrator
    if not isinstance(cal, Automatic):
        default = "as in an evaluation (--kind automatic tries others)"
        return f"{cal.kind}, {'as asked' if named else default}"
    if learnt.before is None:  # ranks say nothing as they are
        return cal._why(as_is="")
    compared, given = cal.frame()["loss"][0], learnt.compared.before
    bounded = not np.isclose(compared, given, rtol=1e-9)  # the bound has moved some scores
    return cal._why(
        as_is="Uncalibrated, with scores limited by --bound" if bounded else "Uncalibrated"
    )


def sentences(learnt: Learnt) -> list[str]:
    """How far the numbers can be trusted before and after, and what it is worth."""
    gain, app = learnt.cost, learnt.application
    here = app.priors is None or np.array_equal(app.priors, learnt.cases.priors)
    place = "" if here else " (at the shares of this file)"
    out = [f"Calibrated{place}: " + _reliable(learnt, learnt.after)]
    if learnt.before is None:
        return out
    out = ["Uncalibrated: " + _reliable(learnt, learnt.before), *out, *_about_impossible(learnt)]
    out += _about_falling(learnt)
    costs = app.costs.values
    if (costs == costs[:, :1]).all():
        out.append("With these costs every decision costs the same: nothing is at stake.")
    elif gain.interval[0] > 0:
        worth = f"Calibrating takes {money(gain.gain, app.unit)} off the cost of a case"
        if app.volume:
            period = f" a {app.period}" if app.period else ""
            worth = f"Calibrating is worth {money(gain.gain * app.volume, app.unit)}{period}"
        turned = ", turning the scores round included" if learnt.turned else ""
        out.append(f"{worth} (measured on held-out cases){turned}.")
    elif gain.interval[1] < 0:
        out.append("Calibrating would raise the cost: use the scores as they are.")
    else:
        out.append("For these costs the data cannot tell whether calibrating pays.")
    return out


def _about_impossible(learnt: Learnt) -> list[str]:
    """What makes the cross-entropy infinite or absurd, where, and what to type."""
    if not learnt.entropy.rows:
        return []
    before, after = learnt.entropy.impossible
    row = grouped(learnt.cases.rows[learnt.entropy.rows[0]] + 1)
    size = grouped(int(learnt.cases.counted.sum()))
    many = f"{grouped(after)} case{'' if after == 1 else 's'}"
    said = "probability 0, so its cross-entropy is infinite"
    if np.isfinite(learnt.entropy.before):
        said = "a probability below 1e-300, which counts much in its cross-entropy"
    out = []
    if before:
        out.append(
            f"In {grouped(before)} of {size} cases (first: row {row}) the model gave the true "
            f"outcome {said}."
        )
    if after:
        return [*out, f"After calibration it still does in {many}; --bound 50 limits such scores."]
    if before and _far_trusted(learnt):
        out.append("--bound 50 limits how far such scores are trusted.")
    return out


#: Scores this far from the best of their case say more than cases can show.
_SURE = 50


def _far_trusted(learnt: Learnt) -> bool:
    """Whether the calibrator was fitted to scores beyond what `--bound 50` would leave of them."""
    return (learnt.calibrator._bound or 0) > _SURE


def _about_falling(learnt: Learnt) -> list[str]:
    """That a higher score gets a lower probability, if the scores as a whole do not ask for it."""
    if learnt.turned or learnt.calibrator._direction() != -1:
        return []
    second = learnt.cases.classes[1]
    said = f"The calibration runs the wrong way: a higher score makes '{second}' less likely."
    extreme = "A few extreme scores can do that: limit them with --bound 50."
    return [f"{said} {extreme}" if _far_trusted(learnt) else said]


def _reliable(learnt: Learnt, posteriors: FloatArray) -> str:
    """One sentence about reliability."""
    cases = learnt.cases
    found = reliability_table(  # the sentence does without the band, which takes long
        np.array(cases.classes)[cases.truth], posteriors, classes=list(cases.classes),
        sample_weight=cases.weights, bins=20, draws=1,
    )  # fmt: skip
    return found.text[0].lower() + found.text[1:]


#: Of more cases probabilities are rounded for the picture: its band needs many isotonic fits.
MANY = 100_000


def draw(learnt: Learnt, path: str) -> bool:
    """Reliability before and after, each with its own band, as a picture file; whether it can be.

    Where the most probable class is always right there is nothing to draw.
    """
    from stakes import plots
    from stakes.plots.style import TITLE, panels

    cases, names = learnt.cases, list(learnt.cases.classes)
    truth = np.array(names)[cases.truth]
    pairs = {"uncalibrated": learnt.before, "calibrated, on other cases": learnt.after}
    known = [  # what was said and happened: of the second class, or of the most probable of many
        (title, *event_of(truth, posteriors, None, names, cases.weights))
        for title, posteriors in pairs.items()
        if posteriors is not None
    ]
    if any(happened.all() for _, _, happened, _, _ in known):
        return False
    figure, axes = panels(1, len(known), width=4.8, height=4.8)
    for ax, (title, said, happened, weights, event) in zip(axes, known, strict=True):
        drawn = said if len(said) <= MANY else np.round(said, 4)  # finer than the picture
        counts = ScoreCounts.from_scores(
            happened, drawn, kind="posterior", classes=[False, True], sample_weight=weights
        )
        plots.reliability(reliability(counts, rng=0), ax=ax)
        ax.set(xlabel=f"probability said for {event}", ylabel="how often it happens")
        ax.set_title(title, fontsize=TITLE)
    write_picture(figure, path)
    return True
