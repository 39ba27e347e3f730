"""`--preset sre16`: costs and shares of an evaluation of NIST, at all its operating points."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

from stakes.cli.judging import findings_of
from stakes.exceptions import CostError, StakesError
from stakes.metrics import nist_applications
from stakes.report import Findings

__all__ = ["findings_at_preset"]


def findings_at_preset(args: Any) -> Findings:
    """Findings at the first operating point of a preset, with a note about the others."""
    if args.cost or args.gain or args.costs or args.miss or args.false_alarm or args.prevalence:
        raise CostError("--preset says the costs and the shares; leave the others out.")
    try:
        applications = nist_applications(args.preset)
    except StakesError as error:
        message = error.message.replace("`evaluation`", "--preset")
        raise CostError(message, hint="--preset sre16") from None
    points = [
        (float(app.priors[1]), app.costs.values)
        for app in applications.values()
        if app.priors is not None
    ]
    found: list[tuple[float, Findings]] = []
    for share, costs in points:
        at = copy.copy(args)
        at.cost = [f"fn={costs[1, 0]:.12g}", f"fp={costs[0, 1]:.12g}"]
        at.prevalence, at.preset = f"{share:.12g}", None
        found.append((share, findings_of(at, recalibrate=not found)))
    main = found[0][1]
    notes = [f"{args.preset}: judged where {100 * points[0][0]:g} % are targets"]
    for share, other in found[1:]:
        best = other.best
        nec = "" if best.nec is None else f" (NEC {best.nec:.3f})"
        notes.append(f"where {100 * share:g} % are targets, {best.name} is best{nec}")
    if len(found) > 1:
        names = [model.name for model in main.models]
        means = {
            name: sum(m.nec or 0.0 for _, f in found for m in f.models if m.name == name)
            / len(found)
            for name in names
        }
        said = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
        notes.append(f"mean NEC over the {len(found)} operating points: {said}")
    return replace(main, notes=(*main.notes, *notes))
