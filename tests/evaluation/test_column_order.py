"""Columns of models meet the classes by name, wherever the rows live."""

from __future__ import annotations

import numpy as np
import pytest
from fraud_cases import CODES, COSTS, FRAUD, LOGITS, NAMES, RIGHT, SORTED, N, Y, cost

import stakes
from stakes import CaseCosts, Posteriors, evaluate
from stakes.engines import Request, Stream, reduce_frame
from stakes.exceptions import DataError, PosteriorError


def judged(said, **options):
    return evaluate(Y, {"m": said}, application=COSTS, recalibrate=False, rng=0, **options)["m"]


class TestEvaluate:
    def test_scikit_learns_columns_are_refused_with_what_to_type(self):
        with pytest.raises(PosteriorError, match=r"model 'm': .*'Legit', 'Fraud'") as found:
            judged(SORTED)
        assert 'evaluate(y_true, {"lr": clf}, X=X, ...)' in found.value.hint
        with pytest.raises(PosteriorError, match=r"model 'm': .*single column"):
            judged(FRAUD)

    def test_every_way_to_say_it_costs_the_same(self):
        pd = pytest.importorskip("pandas", reason="names columns")
        pl = pytest.importorskip("polars", reason="names columns")
        columns = {"Fraud": FRAUD, "Legit": 1 - FRAUD}
        found = [
            judged(SORTED, classes=["Fraud", "Legit"]),
            judged(FRAUD, positive="Fraud"),
            judged(1 - FRAUD, positive="Legit"),
            judged(pd.DataFrame(columns)),
            judged(pl.DataFrame(columns)),
            judged(pd.Series(1 - FRAUD, name="Legit")),
            judged(Posteriors(SORTED, classes=["Fraud", "Legit"])),
        ]
        assert [one.cost for one in found] == pytest.approx([cost(RIGHT)] * len(found))
        counts = found[0].confusion.counts
        assert all((one.confusion.counts == counts).all() for one in found)

    @pytest.mark.parametrize("labels", [CODES, CODES.astype(bool)])
    def test_labels_that_are_positions_bring_columns_by_position(self, labels):
        ev = evaluate(labels, {"m": SORTED[:, ::-1]}, application=COSTS, rng=0)
        assert ev["m"].cost == pytest.approx(cost(RIGHT))

    def test_parts_are_read_as_the_whole(self):
        part = np.where(np.arange(N) % 2, "odd", "even")
        ev = evaluate(Y, {"m": SORTED}, classes=["Fraud", "Legit"], application=COSTS,
                      recalibrate=False, by=part, rng=0)  # fmt: skip
        counts = sum(ev.slices[name]["m"].confusion.counts for name in ("odd", "even"))
        np.testing.assert_array_equal(counts, ev["m"].confusion.counts)

    def test_nothing_is_passed_over(self):
        table = stakes.ConfusionMatrix([[9, 1], [1, 9]], NAMES, COSTS.decisions)
        for option in ({"positive": "Fraud"}, {"classes": NAMES}, {"X": LOGITS}):
            with pytest.raises(DataError, match="cannot be used with confusion matrices"):
                evaluate(None, {"m": table}, application=COSTS, **option)

    def test_costs_per_case(self):
        each = CaseCosts.binary(false_negative=np.full(N, 20.0), false_positive=1.0,
                                classes=NAMES, decisions=COSTS.decisions)  # fmt: skip
        with pytest.raises(PosteriorError, match="columns without names"):
            evaluate(Y, {"m": SORTED}, application=each, rng=0)
        ev = evaluate(Y, {"m": SORTED}, application=each, classes=["Fraud", "Legit"], rng=0)
        assert ev["m, per case"].cost == pytest.approx(cost(RIGHT))


class TestNamesOfColumns:
    APP = stakes.CostMatrix(COSTS.values[::-1], classes=NAMES[::-1], decisions=COSTS.decisions)

    def judged(self, said, **options):
        return evaluate(Y, {"m": said}, application=self.APP, recalibrate=False, rng=0, **options)

    def test_other_names_need_the_order(self):
        pd = pytest.importorskip("pandas", reason="names columns")
        for names in (["p_Legit", "p_Fraud"], ["legit", "fraud"], ["Legit", "x"]):
            turned = pd.DataFrame(SORTED[:, ::-1], columns=names)
            with pytest.raises(PosteriorError, match=f"columns '{names[0]}', '{names[1]}'"):
                self.judged(turned)
            found = self.judged(turned, classes=["Legit", "Fraud"])["m"]
            assert found.cost == pytest.approx(cost(RIGHT))
            with pytest.raises(PosteriorError, match="but `classes` says"):
                self.judged(turned, classes=["Fraud", "Legit"])

    def test_single_columns(self):
        pd = pytest.importorskip("pandas", reason="names columns")
        found = self.judged(pd.DataFrame({"Fraud": FRAUD}))["m"]
        assert found.cost == pytest.approx(cost(RIGHT))
        with pytest.raises(PosteriorError, match=r"model 'm': .*the column 'Fraud'"):
            self.judged(pd.Series(FRAUD, name="Fraud"), positive="Legit")

    def test_columns_of_a_wider_frame(self, rows):
        def paid(posteriors, **options):
            ev = stakes.evaluate_frame(rows, label="y", posteriors={"m": posteriors},
                                       application=self.APP, **options)  # fmt: skip
            return ev["m"].cost

        said = paid(["p_Legit", "p_Fraud"], classes=["Legit", "Fraud"])
        assert said == pytest.approx(cost(RIGHT))
        assert paid("p_Fraud", positive="Fraud") == pytest.approx(cost(RIGHT))
        for posteriors, options in (
            (["p_Legit", "p_Fraud"], {"classes": ["Fraud", "Legit"]}),
            (["Fraud", "Legit"], {"classes": ["Legit", "Fraud"]}),
            ("Fraud", {"positive": "Legit"}),
            ("p_Fraud", {}),
        ):
            with pytest.raises(PosteriorError, match=r"posteriors of 'm'.*, but "):
                paid(posteriors, **options)


def test_streams():
    with pytest.raises(PosteriorError, match="columns without names"):
        Stream(COSTS).update(Y, {"m": SORTED})
    stream = Stream(COSTS, classes=["Fraud", "Legit"]).update(Y, {"m": SORTED})
    found = stakes.expected_cost(stream.confusion("m"), application=COSTS)
    assert found == pytest.approx(cost(RIGHT))


@pytest.fixture(scope="module")
def rows():
    polars = pytest.importorskip("polars", reason="reads frames")
    return polars.DataFrame({"y": Y, "a": FRAUD, "b": 1 - FRAUD, "k": CODES, "p_Fraud": FRAUD,
                             "p_Legit": 1 - FRAUD, "Fraud": FRAUD, "Legit": 1 - FRAUD})  # fmt: skip


class TestFrames:
    def paid(self, rows, posteriors, label="y", **options):
        ev = stakes.evaluate_frame(
            rows, label=label, posteriors={"m": posteriors}, application=COSTS, **options
        )
        return ev["m"].cost

    @pytest.mark.parametrize(
        ("posteriors", "options"),
        [
            (["a", "b"], {"classes": ["Fraud", "Legit"]}),
            (["b", "a"], {"classes": NAMES}),
            ({"Fraud": "a", "Legit": "b"}, {}),
            ("a", {"positive": "Fraud"}),
            ("b", {"positive": "Legit"}),
            (["Fraud", "Legit"], {}),
            (["p_Legit", "p_Fraud"], {}),
            ("Fraud", {}),
            ("Legit", {}),
            (["b", "a"], {"label": "k"}),
            ("a", {"label": "k"}),
        ],
    )
    def test_what_is_said_is_followed(self, rows, posteriors, options):
        assert self.paid(rows, posteriors, **options) == pytest.approx(cost(RIGHT))

    @pytest.mark.parametrize("posteriors", [["a", "b"], "a"])
    def test_columns_without_names_are_refused(self, rows, posteriors):
        with pytest.raises(PosteriorError, match=r"posteriors of 'm'.*'Fraud', 'Legit'"):
            self.paid(rows, posteriors)

    def test_bins_and_proper_scores_of_the_other_class(self, rows):
        options = {"applications": COSTS, "bins": 64, "proper_scores": True}
        one, other = (
            reduce_frame(rows, Request("y", {"m": column}, positive=name, **options))
            for column, name in (("a", "Fraud"), ("b", "Legit"))
        )
        np.testing.assert_array_equal(one.score_bins().counts, other.score_bins().counts)
        assert one.log_scores().cost() == pytest.approx(other.log_scores().cost())


def test_rows_of_float16_are_judged_by_their_own_rounding():
    half = SORTED.astype(np.float16)
    assert np.abs(half.sum(axis=1, dtype=np.float64) - 1).max() > 1e-5
    decided = np.where(20 * half[:, 0].astype(np.float64) > half[:, 1], 1, 0)
    for recalibrate in (False, True):
        ev = evaluate(Y, {"m": half}, application=COSTS, classes=["Fraud", "Legit"],
                      recalibrate=recalibrate, rng=0)  # fmt: skip
        assert ev["m"].cost == pytest.approx(cost(decided))
