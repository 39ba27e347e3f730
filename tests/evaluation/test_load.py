"""Many classes and many models: memory grows as the input does, and pages stay small."""

import json
import tracemalloc
from html import escape

import numpy as np
import pytest

from stakes import Application, CostMatrix, ScoreCounts, evaluate
from stakes.curves import best_system, switch_points
from stakes.exceptions import DataError, PosteriorError
from stakes.report.page_inputs import LARGE
from stakes.summaries import PairedCounts
from stakes.uncertainty import compare
from stakes.uncertainty.intervals import linear_costs


def of_classes(size, n=2000):
    rng = np.random.default_rng(size)
    y = np.arange(n) % size
    logits = rng.normal(size=(n, size))
    logits[np.arange(n), y] += 4
    said = np.exp(logits)
    costs = rng.uniform(1, 10, (size, size)) * (1 - np.eye(size))
    return y, {"model": said / said.sum(axis=1, keepdims=True)}, Application(costs)


def of_models(size, n=1000):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(int)
    spread = rng.uniform(0.5, 2, size)
    llr = {f"m{k}": rng.normal((2 * y - 1) * s * s / 2, s) for k, s in enumerate(spread)}
    models = {name: 1 / (1 + 7 / 3 * np.exp(-each)) for name, each in llr.items()}
    return y, models, Application(CostMatrix([[0, 4], [10, 0]]))


def judged(made):
    y, models, app = made
    return evaluate(y, models, application=app, recalibrate=False, rng=0)


def peak(made):
    tracemalloc.start()
    judged(made)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


@pytest.mark.parametrize(("drawn", "few"), [(of_classes, 60), (of_models, 25)])
def test_twice_as_much_takes_about_twice_the_memory(drawn, few):
    judged(drawn(few))  # modules are loaded
    assert peak(drawn(2 * few)) < 2.6 * peak(drawn(few))


def test_limits_are_the_same_in_turn_and_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    for shape, uniform in (((9, 9), True), ((7, 8), False)):
        costs = rng.uniform(1, 9, shape)
        costs[np.diag_indices(shape[0])] = 0
        costs = np.where(costs > 0, 1.0, 0.0) if uniform else costs
        counts = rng.poisson(0.4, shape) + np.eye(*shape) * 12
        stakes = linear_costs.as_stakes(Application(costs))
        at_once = linear_costs.cost_sum(counts, stakes, normalized=True)
        expected = at_once.limits(0.95)
        monkeypatch.setattr(linear_costs, "_AT_ONCE", 0)
        in_turn = linear_costs.cost_sum(counts, stakes, normalized=True)
        assert in_turn.counts.size < at_once.counts.size
        assert in_turn.value == pytest.approx(at_once.value, rel=1e-12)
        assert in_turn.error == pytest.approx(at_once.error, rel=1e-12)
        assert in_turn.limits(0.95) == pytest.approx(expected, rel=1e-9)
        assert in_turn.prior.sum() == pytest.approx(1)
        monkeypatch.undo()


@pytest.mark.parametrize("actual", [True, False])
def test_switch_points_are_the_same_in_any_blocks(monkeypatch, actual):
    y, models, _ = of_models(12, n=400)
    scores = {
        name: ScoreCounts.from_scores(y, p, kind="posterior", from_priors=0.3)
        for name, p in models.items()
    }
    expected = switch_points(scores, actual=actual)
    assert len(set(expected.winner)) > 2
    for block in (7, 64):
        monkeypatch.setattr(best_system, "_BLOCK", block)
        found = switch_points(scores, actual=actual)
        assert found.winner == expected.winner
        np.testing.assert_array_equal(found.start, expected.start)


def test_a_page_of_many_classes_is_small_and_says_what_it_lacks():
    pytest.importorskip("matplotlib")
    ev = judged(of_classes(170))
    page = ev.to_html()
    assert len(page) < 500_000
    assert LARGE in page
    assert "The costliest of 170 outcomes by 170 decisions" in page
    assert 'id="inquiry"' not in page
    assert len(json.loads(ev.to_json())["models"][0]["counts"]) == 170


def test_a_page_of_many_models_shows_the_cheapest():
    pytest.importorskip("matplotlib")
    ev = judged(of_models(40))
    page = ev.to_html()
    assert "This page shows the 20 cheapest of 40 models" in page
    ranked = list(ev.frame()["model"])
    assert len(ranked) == 40
    numbers = json.loads(page.split('id="numbers">')[1].split("</script>")[0])
    assert set(numbers["names"]) == set(ranked[:20])
    assert escape(ev.verdict.partition(". ")[0]) in page


def test_a_text_of_many_models_says_where_the_rest_is():
    ev = judged(of_models(23))
    said = str(ev)
    assert "(3 costlier models are not shown; ev.frame() and ev.to_json(path) hold all 23)" in said
    ranked = list(ev.frame()["model"])
    assert ranked[19] in said.split()
    assert not set(ranked[20:]) & set(said.split())


def test_any_pair_of_many_models_is_compared_when_asked():
    y, models, app = of_models(22)
    ev = judged((y, models, app))
    found, turned = ev.difference("m3", "m7"), ev.difference("m7", "m3")
    codes = {name: (models[name] > 4 / 14).astype(int) for name in ("m3", "m7")}
    names = {"classes": [0, 1], "decision_names": [0, 1]}
    joint = PairedCounts.from_decisions(y, codes, **names)
    expected = compare(joint, app, normalized=True, rng=0).difference("m3", "m7")
    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    assert turned.value == -found.value
    with pytest.raises(DataError, match="no pair 'm3', 'other'"):
        ev.difference("m3", "other")


def test_hundreds_of_unordered_classes_are_not_written_out_in_a_hint():
    names = [f"c{k}" for k in range(60)]
    y, said = np.arange(120) % 60, np.full((120, 60), 1 / 60)
    costs = CostMatrix(1 - np.eye(60), classes=names, decisions=names)
    with pytest.raises(PosteriorError) as refused:
        evaluate(np.array(names)[y], {"m": said}, application=costs)
    assert "classes=sorted(costs.classes) if they are sorted" in refused.value.hint
    assert len(refused.value.hint) < 400
