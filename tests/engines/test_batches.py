"""Streams: batches add up to what one batch would have been, checkpoints to what was counted."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stakes import Application, CaseCosts, CostMatrix, Posteriors, ScoreCounts
from stakes.engines.stream import Stream
from stakes.exceptions import DataError, LabelError, MergeError, PriorError, StakesError
from stakes.summaries import load_summary, merge_summaries

APP = Application(
    CostMatrix([[0, 1, 0.4], [10, 0, 0.4]], classes=["no", "yes"], decisions=["wait", "act", "ask"])
)
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["no", "yes"]),
        # Ties at the thresholds of the rule are among them: 0.04 and 0.6.
        st.sampled_from([0.0, 0.04, 0.3, 0.6, 1.0]) | st.floats(0, 1),
        st.sampled_from(["wait", "act", "ask"]),
        st.integers(1, 5),
        st.sampled_from("uvw"),
    ),
    min_size=1,
    max_size=40,
)
CUTS = st.lists(st.integers(0, 40), max_size=5)


def _batches(rows, cuts):
    ends = sorted({0, len(rows), *(c for c in cuts if c < len(rows))})
    return [rows[a:b] for a, b in pairwise(ends)]


def _streamed(batches, *, weighted=False, grouped=False, costly=False, **options):
    stream = Stream(APP, **options)
    for batch in batches:
        y, p, d, w, g = (list(column) for column in zip(*batch, strict=True))
        costs = np.zeros((len(y), 2, 3))
        costs[:, 0, 1], costs[:, 1, 0], costs[:, :, 2] = 1.0, np.array(w) * 4.0, 0.5
        stream.update(
            y,
            {"gbm": np.array(p), "rules": d},
            sample_weight=w if weighted else None,
            groups=g if grouped else None,
            case_costs=CaseCosts(costs, APP.classes, APP.decisions) if costly else None,
        )
    return stream


def _same_bins(first, second):
    for name in ("edges", "counts", "lowest", "highest"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


class TestLaw:
    """However the rows are cut into batches, the summaries are those of one batch."""

    @given(ROWS, CUTS, st.booleans())
    def test_joint_counts(self, rows, cuts, weighted):
        parts = _streamed(_batches(rows, cuts), weighted=weighted)
        assert parts.joint == _streamed([rows], weighted=weighted).joint

    @given(ROWS, CUTS, st.booleans())
    def test_exact_scores(self, rows, cuts, weighted):
        options = {"weighted": weighted, "scores": "exact"}
        parts = _streamed(_batches(rows, cuts), **options)
        assert parts.scores["gbm"] == _streamed([rows], **options).scores["gbm"]

    @settings(max_examples=30)
    @given(ROWS, CUTS, st.booleans())
    def test_binned_scores(self, rows, cuts, weighted):
        options = {"weighted": weighted, "scores": "bins", "bins": 64}
        parts = _streamed(_batches(rows, cuts), **options)
        _same_bins(parts.scores["gbm"], _streamed([rows], **options).scores["gbm"])

    @given(ROWS, CUTS)
    def test_groups(self, rows, cuts):
        parts, whole = (_streamed(b, grouped=True) for b in (_batches(rows, cuts), [rows]))
        assert parts.joint.joint == whole.joint.joint
        for stream in (parts, whole):
            table = stream.joint.frame()
            found = dict(zip(table["group"].tolist(), table["cases"].tolist(), strict=True))
            assert found == {g: sum(r[4] == g for r in rows) for g in {r[4] for r in rows}}

    @given(ROWS, CUTS)
    def test_costs_per_case(self, rows, cuts):
        parts, whole = (_streamed(b, costly=True) for b in (_batches(rows, cuts), [rows]))
        for name in ("gbm", "rules"):
            for field in ("counts", "sums", "squares"):
                np.testing.assert_array_equal(
                    getattr(parts.tallies[name], field), getattr(whole.tallies[name], field)
                )

    @settings(max_examples=20)
    @given(rows=ROWS, cuts=CUTS)
    def test_checkpoints_of_parts(self, rows, cuts, tmp_path_factory):
        folder = tmp_path_factory.mktemp("shards")
        options = {"grouped": False, "scores": "exact"}
        resumed = Stream(APP, scores="exact")
        for k, batch in enumerate(_batches(rows, cuts)):
            _streamed([batch], **options).save(folder / f"{k}.json")
            resumed.resume(folder / f"{k}.json")
        whole = _streamed([rows], **options)
        assert resumed.joint == whole.joint
        assert resumed.scores["gbm"] == whole.scores["gbm"]
        merged = merge_summaries(load_summary(path) for path in sorted(folder.iterdir()))
        assert merged["joint"] == whole.joint


class TestAgreement:
    def test_with_evaluate(self):
        from stakes import evaluate

        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 500)
        p = rng.dirichlet([1, 1], 500)
        stream = Stream(APP).extend((y[k::7], {"m": p[k::7]}) for k in range(7))
        wanted = evaluate(y, {"m": p}, application=APP, rng=0, recalibrate=False)["m"].confusion
        assert stream.confusion() == wanted

    def test_moved_priors_with_evaluate(self):
        from stakes import evaluate

        rng = np.random.default_rng(1)
        y = rng.integers(0, 2, 400)
        p = rng.random(400)
        app = APP.with_priors([0.95, 0.05])
        stream = Stream(app, from_priors=[0.7, 0.3]).update(y, p)
        ev = evaluate(y, p, application=app, from_priors=[0.7, 0.3], rng=0, recalibrate=False)
        assert stream.confusion() == ev["model"].confusion

    def test_bins_are_exact_at_the_thresholds(self):
        rng = np.random.default_rng(2)
        y, p = rng.integers(0, 2, 300), np.round(rng.random(300), 2)
        stream = Stream(APP, scores="bins", bins=32).update(y, {"m": p})
        exact = ScoreCounts.from_scores(y, p, kind="posterior")
        for cut in (0.04, 0.6):  # ask from 0.4 / 10, act from 1 - 0.4
            np.testing.assert_array_equal(
                stream.scores["m"].counts_above(cut), exact.counts_above(cut)
            )

    def test_any_iterator_of_any_form(self):
        def forever():
            while True:
                yield ["no", "yes"], Posteriors([[0.9, 0.1], [0.2, 0.8]], classes=["no", "yes"])

        batches = (batch for _, batch in zip(range(3), forever(), strict=False))
        assert Stream(APP).extend(batches).confusion().total == 6

    def test_an_empty_batch_changes_nothing(self):
        stream = Stream(APP, scores="bins").update([0, 1], [0.1, 0.9])
        before = stream.joint
        stream.update([], np.array([]))
        assert stream.joint == before


class TestRefusals:
    def test_a_refused_batch_leaves_everything_as_it_was(self):
        stream = Stream(APP, scores="exact").update([0, 1], {"m": np.array([0.1, 0.9])})
        before = stream.joint, stream.scores["m"], stream.batches
        bad = [
            ([0, 2], {"m": np.array([0.1, 0.9])}),
            ([0, 1], {"m": np.array([0.1, 1.9])}),
            ([0, 1], {"m": np.array([0.1])}),
            ([0, 1], {"other": np.array([0.1, 0.9])}),
            ([0, 1], {"m": ["wait", "run"]}),
        ]
        for y, models in bad:
            with pytest.raises(StakesError):
                stream.update(y, models)
        assert (stream.joint, stream.scores["m"], stream.batches) == before

    def test_labels_by_name(self):
        with pytest.raises(LabelError, match="'maybe'"):
            Stream(APP).update(["maybe"], ["wait"])

    def test_priors_need_the_base_rate_of_the_posteriors(self):
        with pytest.raises(PriorError, match="base rate") as error:
            Stream(APP.with_priors([0.9, 0.1])).update([0], [0.3])
        assert "from_priors" in error.value.hint

    def test_groups_in_all_batches_or_none(self):
        stream = Stream(APP).update([0], ["wait"], groups=["a"])
        with pytest.raises(DataError, match="groups, or none"):
            stream.update([0], ["wait"])

    def test_costs_in_all_batches_or_none(self):
        costs = CaseCosts(np.ones((1, 2, 3)), APP.classes, APP.decisions)
        stream = Stream(APP).update([0], ["wait"], case_costs=costs)
        with pytest.raises(DataError, match="costs per case, or none"):
            stream.update([0], ["wait"])

    def test_scores_of_more_classes(self):
        with pytest.raises(DataError, match="two classes"):
            Stream(CostMatrix.zero_one(3), scores="bins")
        with pytest.raises(DataError, match="must be 'none'"):
            Stream(APP, scores="all")

    def test_nothing_counted_yet(self):
        with pytest.raises(DataError, match="nothing has been counted"):
            Stream(APP).save("never.json")
        assert repr(Stream(APP)) == "<Stream of 0 cases>"

    def test_checkpoints_of_another_application(self, tmp_path):
        Stream(CostMatrix.zero_one(2)).update([0, 1], [0, 1]).save(tmp_path / "a.json")
        with pytest.raises(MergeError, match=r"a\.json has classes 0, 1") as error:
            Stream(APP).resume(tmp_path / "a.json")
        assert "application that the checkpoint" in error.value.hint

    @pytest.mark.parametrize(
        ("other", "options", "what"),
        [
            (Application([[0, 1, 0.4], [20, 0, 0.4]], priors=[0.8, 0.2]), {}, "costs"),
            (Application(APP.costs, priors=[0.7, 0.3]), {}, "priors"),
            (Application(APP.costs, priors=[0.8, 0.2]), {"from_priors": [0.5, 0.5]}, "base"),
        ],
    )
    def test_posteriors_decided_otherwise(self, tmp_path, other, options, what):
        """At 0.03, acting costs 0.97 and waiting 10 or 20 times 0.03: another decision."""
        names = {"classes": APP.classes, "decisions": APP.decisions}
        costs = CostMatrix(other.costs.values, **names)
        app = Application(APP.costs, priors=[0.8, 0.2])
        Stream(app, from_priors=[0.6, 0.4]).update([0], np.array([0.03])).save(tmp_path / "a.json")
        options = {"from_priors": [0.6, 0.4], **options}
        stream = Stream(Application(costs, priors=other.priors), **options)
        with pytest.raises(MergeError, match=rf"a\.json: .* decided by different {what}") as error:
            stream.resume(tmp_path / "a.json")
        assert "application that the checkpoint" in error.value.hint
        assert stream.batches == 0
        stream.update([0], np.array([0.03])).save(tmp_path / "b.json")
        with pytest.raises(MergeError, match="were decided by different"):
            merge_summaries([load_summary(tmp_path / "a.json"), load_summary(tmp_path / "b.json")])

    def test_given_decisions_know_no_costs(self, tmp_path):
        Stream(APP).update([0, 1], ["wait", "act"]).save(tmp_path / "a.json")
        other = CostMatrix(2 * APP.costs.values, classes=APP.classes, decisions=APP.decisions)
        stream = Stream(other).resume(tmp_path / "a.json").update([1], np.array([0.9]))
        stream.save(tmp_path / "b.json")
        with pytest.raises(MergeError, match="different costs"):
            Stream(APP).resume(tmp_path / "b.json")

    def test_checkpoints_with_other_scores(self, tmp_path):
        Stream(APP, scores="exact").update([0, 1], [0.1, 0.9]).save(tmp_path / "a.json")
        with pytest.raises(MergeError, match="another kind") as error:
            Stream(APP, scores="bins").resume(tmp_path / "a.json")
        assert "scores='exact'" in error.value.hint

    def test_other_summaries_are_no_checkpoint(self, tmp_path):
        Stream(APP).update([0, 1], ["wait", "act"]).confusion().save(tmp_path / "a.json")
        with pytest.raises(MergeError, match="not a checkpoint"):
            Stream(APP).resume(tmp_path / "a.json")


def test_a_checkpoint_without_scores_does_not_become_part_of_some(tmp_path):
    Stream(APP).update([0, 1], {"m": np.array([0.1, 0.9])}).save(tmp_path / "plain.json")
    stream = Stream(APP, scores="exact").resume(tmp_path / "plain.json")
    with pytest.raises(DataError, match="either all batches must come with scores, or none"):
        stream.update([0], {"m": np.array([0.2])})
    assert stream.joint.class_totals.sum() == 2


def test_bins_that_are_none():
    with pytest.raises(DataError, match="`bins` must be at least 4; got -1"):
        Stream(APP, scores="bins", bins=-1)
