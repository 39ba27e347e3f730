from __future__ import annotations

import numpy as np
import pytest

from stakes.cli.costs import binary_costs, cost_words, shares, volume
from stakes.exceptions import CostError, PriorError

CLASSES = ("no", "yes")


def matrix(*words, miss=None, false_alarm=None, gain=False):
    return binary_costs(cost_words(words, miss, false_alarm, gain), CLASSES).values.tolist()


class TestWords:
    def test_fn_and_fp(self):
        assert matrix("fn=40", "fp=4") == [[0, 4], [40, 0]]
        assert matrix("fn=40,fp=4") == [[0, 4], [40, 0]]

    def test_all_four(self):
        assert matrix("fn=335", "fp=35", "tp=-165", "tn=-15") == [[-15, 35], [335, -165]]

    def test_miss_and_false_alarm(self):
        assert matrix(miss="40", false_alarm="4") == matrix("fn=40", "fp=4")
        assert matrix("miss=40", "false-alarm=4") == matrix("fn=40", "fp=4")

    def test_gain_changes_the_sign(self):
        assert matrix("fn=-335", "fp=-35", "tp=165", "tn=15", gain=True) == [[-15, 35], [335, -165]]

    def test_error_is_the_cost_of_every_error(self):
        assert matrix("error=3") == [[0, 3], [3, 0]]

    def test_nothing_said(self):
        assert cost_words([], None, None, False) is None

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["fn=10"], "the cost of a false alarm (fp) is missing."),
            (["fp=10"], "the cost of a miss (fn) is missing."),
            (["ratio=10"], "'ratio=10' is not a cost."),
            (["churn.csv"], "'churn.csv' is not a cost."),
            (["fn=1", "fn=2"], "the cost 'fn' is given twice (1 and 2)."),
            (
                ["error=1", "fn=2"],
                "`error=` is the cost of every error; leave the others out.",
            ),
        ],
    )
    def test_refusals(self, words, said):
        with pytest.raises(CostError) as caught:
            cost_words(words, None, None, False)
        assert caught.value.message == said

    def test_a_column_needs_rows(self):
        with pytest.raises(CostError, match="'amount' is not a number"):
            matrix("fn=amount", "fp=1")


class TestVolume:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (None, (None, None)),
            ("250000/yr", (250_000, "year")),
            ("250_000 / year", (250_000, "year")),
            ("250k/month", (250_000, "month")),
            ("1.5M/wk", (1_500_000, "week")),
            ("800/d", (800, "day")),
            ("1000", (1000, None)),
        ],
    )
    def test_read(self, text, expected):
        assert volume(text) == expected

    @pytest.mark.parametrize("text", ["many", "0/yr", "-5/yr", "10/fortnight", "1.2.3"])
    def test_refused(self, text):
        with pytest.raises(CostError, match="I cannot read the volume"):
            volume(text)


class TestShares:
    @pytest.mark.parametrize("text", ["0.02", "2%", "yes=2%", "0.98,0.02", "no=0.98,yes=0.02"])
    def test_two_outcomes(self, text):
        assert np.allclose(shares(text, CLASSES), [0.98, 0.02], rtol=0, atol=1e-15)

    def test_the_last_named_share_is_what_is_left(self):
        assert np.allclose(shares("cat=.5,dog=.3", ("cat", "dog", "fox")), [0.5, 0.3, 0.2])

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("2%..5%", "'2%..5%' is a range; I need one number for each outcome."),
            (".5,.3,.2", "'.5,.3,.2' gives 3 shares for 2 outcomes."),
            ("maybe=.5", "'maybe' in 'maybe=.5' is not an outcome; there are 'no', 'yes'."),
            ("2", "I cannot read the share '2' in '2'."),
            ("x", "I cannot read the share 'x' in 'x'."),
        ],
    )
    def test_refusals(self, text, said):
        with pytest.raises(PriorError) as caught:
            shares(text, CLASSES)
        assert caught.value.message == said


@pytest.mark.parametrize("size", ["1e160", "1e308"])
def test_costs_near_the_largest_double_have_the_interval_of_others(run, write, size):
    rows = [f"{k % 2},{int(k % 3 > 0)}" for k in range(80)]
    name = write("t.csv", "\n".join(["y,d", *rows]) + "\n")
    words = ("eval", name, "--label", "y", "--decisions", "d", "--json", "--cost")
    large, usual = (run(*words, f"fn={c}", f"fp={c}") for c in (size, "1"))
    assert large.code == 0, large.err
    assert large.err == usual.err
    for key in ("nec", "interval"):
        one, other = (ran.found["models"][0][key] for ran in (large, usual))
        assert one == pytest.approx(other, rel=1e-9)
