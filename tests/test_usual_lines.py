"""Every line to type, typed as it stands, in the words of the README: labels are "no" and "yes"."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes
from stakes import _usual_words as usual

#: Not ours: a file of the reader, an engine of pandas, and names that stand for others.
LEFT_OUT = (
    'stakes.sources.read("data.csv")',
    "to_excel",
    "load_rule(path)",
    'load_summary("counts.json")',
    "ev.frame(), ev.to_pandas() or",
    "evaluate(..., by=column)",
    "(p > t).astype(int)",
    "Affine().fit(scores, y_true)",  # scores are log odds there, and p the probabilities here
)


@pytest.fixture(scope="module")
def world() -> dict[str, Any]:
    """What lines speak of, by the names that they use."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    pytest.importorskip("torch")
    import dataclasses

    rng = np.random.default_rng(0)
    yes = rng.random(400) < 0.2
    y = np.where(yes, "yes", "no")
    p, q = (1 / (1 + 4 * np.exp(-rng.normal(k * yes - k / 2, k**0.5))) for k in (4, 1))
    costs = stakes.CostMatrix.binary(fn=40, fp=4, classes=["no", "yes"])
    models = pd.DataFrame({"a": p, "b": q})
    ev = stakes.evaluate(y, models, costs=costs, volume=1000)
    taken = ev.decide(models)
    told = {"classes": ["no", "yes"]}
    matrix = stakes.ConfusionMatrix.from_decisions(y, taken, **told)
    counts = stakes.ScoreCounts.from_scores(y, p, kind="posterior", **told)
    change = stakes.monitoring.compare_periods(matrix, matrix, application=costs)
    known = {
        "np": np, "pd": pd, "stakes": stakes, "dataclasses": dataclasses, "y_true": y, "p": p,
        "q": q, "p1": p, "p2": q, "p_new": p[::2], "scores": p, "posteriors": p, "models": models,
        "decisions": taken, "d1": taken, "d2": taken, "judge": taken, "costs": costs, "ev": ev,
        "app": stakes.Application(costs), "model": "a", "matrix": matrix, "before": matrix,
        "after": matrix, "pilot": matrix, "counts": counts, "rule": ev.rule(), "change": change,
        "column": np.arange(400) % 2, "path": "kept.json", "frame": pd.DataFrame({"p": p}),
        "case_costs": stakes.CaseCosts.binary(fn=np.arange(400), fp=4, classes=["no", "yes"]),
        "points": stakes.curves.switch_points({"a": counts}),
        "calibrator": stakes.calibration.Affine(**told).fit(stakes.Posteriors(p), y),
        "reference": stakes.estimation.DecidedCases.from_scores(y, p, costs=costs),
        "session": stakes.elicitation.Elicitation(priors=0.1), "Affine": stakes.calibration.Affine,
        "df": pd.DataFrame({"y": y, "a": p, "b": q, "gbm_p": p, "amount": p}),
    }  # fmt: skip
    for room in (stakes, *map(stakes.__getattribute__, [*usual.ROOMS, "estimation", "resources"])):
        named = {name: getattr(room, name) for name in room.__all__ if name not in known}
        known |= {name: thing for name, thing in named.items() if callable(thing)}
    return known


def _estimate(world: dict[str, Any]) -> Any:
    return stakes.estimation.estimate_cost(world["reference"], world["p_new"])


def _cascade(world: dict[str, Any]) -> Any:
    stages, prices = {"small": world["q"], "large": world["p"]}, {"small": 0, "large": 0.1}
    y, costs = world["y_true"], world["costs"]
    return stakes.resources.evaluate_cascade(y, stages, prices=prices, costs=costs)


def code_of(line: str) -> str | None:
    """The first part of a line that is code, without the prose around it; None if none is."""
    for part in (
        line,
        *re.split(r"; |, or |, where | or of | or |, of |, with |, which |: ", line),
    ):
        try:
            compile(part, "a line", "eval")
        except SyntaxError:
            continue
        return part if "(" in part or "." in part else None
    return None


def every_line() -> list[str]:
    """The code of every line that is shown, each once."""
    parts = [usual.ATTRIBUTES, usual.OPTIONS, usual.CALLED]
    said = [line for part in parts for lines in part.values() for line in lines.values()]
    found = [code_of(line) for line in [*said, *usual.LINES.values()]]
    return [code for code in dict.fromkeys(found) if code and not any(x in code for x in LEFT_OUT)]


def test_most_lines_hold_code() -> None:
    assert len(every_line()) > 120


@pytest.mark.parametrize("code", every_line())
def test_can_be_typed(
    code: str, world: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    curve = re.match(r"stakes\.plots\.(\w+)\(curve\)", code)
    if curve:  # the curve that was asked to draw itself
        made = getattr(stakes.curves, curve[1])
        if curve[1] in ("abstention", "application_path"):
            pytest.skip("curves of more than labels and scores")
        world = world | {"curve": made(world["counts"])}
    if "result." in code:
        world = world | {"result": (_estimate if "naive" in code else _cascade)(world)}
    elif "cascade." in code:
        world = world | {"cascade": _cascade(world).cascade}
    eval(code, dict(world))
    pyplot.close("all")
