"""What a checkpoint of a stream holds, if it can be added to what is counted here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stakes._names import listed
from stakes.application import Application
from stakes.exceptions import MergeError
from stakes.summaries import GroupedCounts, PairedCounts, ScoreBins, ScoreCounts, load_summary
from stakes.summaries.decided_by import DecidedBy

__all__ = ["read_checkpoint"]

SAME = "go on with the application that the checkpoint was counted with"


def read_checkpoint(
    path: Path, rule: DecidedBy, app: Application, how: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The summaries of a checkpoint, and its scores apart from them.

    `rule` and `app` say how it is decided here, `how` in which form scores are kept.
    """
    found = load_summary(path)
    joint = found.get("joint") if isinstance(found, dict) else None
    if not isinstance(joint, (PairedCounts, GroupedCounts)):
        raise MergeError(f"{path.name} is not a checkpoint of a stream.")
    inner = joint.joint if isinstance(joint, GroupedCounts) else joint
    if (inner.classes, inner.decisions) != (app.classes, app.decisions):
        raise MergeError(
            f"{path.name} has classes {listed(inner.classes)} and decisions "
            f"{listed(inner.decisions)}; the application has {listed(app.classes)} and "
            f"{listed(app.decisions)}.",
            hint=SAME,
        )
    if "decided_by" in found:
        try:
            found["decided_by"] + rule
        except MergeError as error:
            raise MergeError(f"{path.name}: {error.message}", hint=SAME) from None
    scores = found.pop("scores", {})
    kinds = {type(one) for one in scores.values()}
    wanted = {"none": set(), "bins": {ScoreBins}, "exact": {ScoreCounts}}[how]
    if scores and kinds != wanted:
        kept = "exact" if kinds == {ScoreCounts} else "bins"
        raise MergeError(
            f"{path.name} holds scores of another kind.",
            hint=f"Stream(application, scores={kept!r})",
        )
    return found, scores
