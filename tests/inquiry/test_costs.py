from __future__ import annotations

import numpy as np
import pytest

from stakes.exceptions import CostError, PriorError
from stakes.inquiry.option_words import binary_costs, cost_words, shares, volume

CLASSES = ("no", "yes")


def matrix(*words, gain=()):
    return binary_costs(cost_words(words, gain), CLASSES).values.tolist()


class TestWords:
    def test_fn_and_fp(self):
        assert matrix("fn=40", "fp=4") == [[0, 4], [40, 0]]
        assert matrix("fn=40,fp=4") == [[0, 4], [40, 0]]

    def test_all_four(self):
        assert matrix("fn=335", "fp=35", "tp=-165", "tn=-15") == [[-15, 35], [335, -165]]

    def test_miss_and_false_alarm(self):
        assert matrix("miss=40", "false-alarm=4") == matrix("fn=40", "fp=4")

    def test_gain_changes_the_sign(self):
        assert matrix("fn=-335", "fp=-35", "tp=165", "tn=15", gain=("",)) == [
            [-15, 35],
            [335, -165],
        ]

    def test_error_is_the_cost_of_every_error(self):
        assert matrix("error=3") == [[0, 3], [3, 0]]

    def test_nothing_said(self):
        assert cost_words([], ()) is None

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["fn=10"], "the cost of a false alarm (fp) is missing."),
            (["fn=1,5", "fp=1"], "'fn=1,5' has a comma inside a number."),
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
            cost_words(words, ())
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


@pytest.mark.parametrize(("word", "meant"), [("fn=1,5", "fn=1.5"), ("fn=1,000", "fn=1000")])
def test_a_comma_inside_a_number(word, meant):
    with pytest.raises(CostError) as caught:
        cost_words([word, "fp=1"], ())
    assert caught.value.hint.endswith(f"nothing between thousands:  {meant}")


@pytest.fixture
def scored(write):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    p, q = (np.clip(0.3 + 0.4 * y + rng.normal(0, s, 120), 0.01, 0.99).round(3) for s in (0.2, 0.4))
    rows = [f"{a},{b},{c},{k // 3},{1 + k % 3},{'ns'[k // 5 % 2]}"
            for k, (a, b, c) in enumerate(zip(y, p, q, strict=True))]  # fmt: skip
    return write("t.csv", "\n".join(["y,p,q,who,w,g", *rows]) + "\n")


@pytest.mark.parametrize(
    "more", [(), ("--prevalence", "10%"), ("--groups", "who"), ("--weight", "w"), ("--by", "g")]
)
@pytest.mark.parametrize("unit", [2.0**1000, 2.0**-900])
def test_costs_in_any_unit_give_the_same_answer(run, scored, more, unit):
    words = ("eval", scored, "--label", "y", "--scores", "p,q", "--json", *more, "--cost")
    usual, other = (run(*words, f"fn={3 * c!r}", f"fp={c!r}") for c in (1.0, unit))
    assert other.code == 0, other.err
    for one, two in zip(usual.found["models"], other.found["models"], strict=True):
        for key in ("name", "nec", "interval", "probability_best", "threshold", "recalibrated_nec"):
            assert one.get(key) == two.get(key)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fn=1e31", "fp=1"), "costs may differ by a factor of 1e+30; got 1 and 1e+31."),
        (("fn=1e-301", "fp=1e-301"),
         "a cost must be 0, or 1e-300 at least; got 1e-301 (2 of 4 costs)."),
        (("fn=1e308", "fp=1", "tp=-1e308"),
         "costs must not lie further apart than 1e+300; got -1e+308 and 1e+308."),
        (("fn=1e305", "fp=1e305", "--volume", "250000/yr"),
         "what 250 000 cases cost is too large a number; the largest cost is 1e+305."),
        (("fn=w*1e299", "fp=1e299"),
         "the costs of 120 cases add up to a number that is too large; the largest is 3e+299."),
    ],
)  # fmt: skip
def test_costs_beyond_reckoning(run, scored, words, said, tmp_path):
    ran = run("eval", scored, "--label", "y", "--scores", "p,q", "--html", "r.html", "--cost",
              *words)  # fmt: skip
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {said}\n")
    assert not (tmp_path / "r.html").exists()


def test_periods_and_parts_need_squares_of_costs(run, scored):
    words = (scored, "--label", "y", "--scores", "p", "--cost", "fn=3e200", "fp=1e200")
    ran = run("monitor", *words, "--time", "g")
    assert ran.code == 2
    assert "the largest cost must lie between 1e-70 and 1e+70; got 3e+200." in ran.err
    ran = run("eval", *words, "--by", "g")
    assert ran.code == 0, ran.err
    assert "Slices were not compared: the largest cost must lie" in " ".join(ran.out.split())
