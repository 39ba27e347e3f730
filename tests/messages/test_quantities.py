from __future__ import annotations

import numpy as np
import pytest

from stakes.messages import quantities as amounts
from stakes.messages.quantities import (
    aligned,
    amount,
    grouped,
    money,
    per_case,
    percent,
    plain,
    signed,
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (20000, "20 000"),
        (1567.0, "1 567"),
        (2.5, "2.5"),
        (2e18, "2.00e+18"),
    ],
)
def test_grouped(number, text):
    assert grouped(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (509_123, "509 k"),
        (50_912, "50.9 k"),
        (9_999.6, "10.0 k"),
        (3202.4, "3 202"),
        (1_234_567, "1.23 M"),
        (2.5e9, "2.50 G"),
        (1.234e12, "1.23 T"),
        (-3e13, "-30.0 T"),
        (9.996e14, "1.00e+15"),
        (4e22, "4.00e+22"),
        (12.345, "12.3"),
        (-73_100, "-73.1 k"),
        (0, "0"),
    ],
)
def test_amount(number, text):
    assert amount(number) == text


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (508_912, "EUR", "509 000 EUR"),
        (0.3061, "EUR", "0.306 EUR"),
        (17.5, None, "17.5"),
        (1.2345e12, "EUR", "1 230 000 000 000 EUR"),
        (-1.2345e300, "EUR", "-1.23e+300 EUR"),
    ],
)
def test_money_has_three_digits_and_its_unit(number, unit, text):
    assert money(number, unit) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.078, "7.8 %"), (0.02, "2 %"), (1, "100 %"), (0.0004, "0.04 %"), (0, "0 %")],
)
def test_percent(share, text):
    assert percent(share) == text


def test_plain_and_per_case():
    assert plain(0.0909090, 3) == "0.0909"
    assert plain(float("inf")) == "inf"
    assert plain(7208.4) == "7 208"
    assert plain(1e-7) == "1e-07"
    assert per_case(3.1) == "3.1"
    assert per_case(123456.7) == "123 457"


def test_aligned_numbers_share_their_decimals():
    assert aligned([1.13, 1.4928, 0.5]) == ["1.130", "1.493", "0.500"]
    assert aligned([130.3, 2070.7]) == ["130", "2 071"]
    assert aligned([0.0, 0.0]) == ["0", "0"]
    assert aligned([]) == []


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_money_that_nobody_knows(number):
    assert money(number, "EUR") == "an unknown amount"


def test_a_nec_just_below_zero_has_no_sign():
    assert amounts.normalized(-1e-9) == "0.000"
    assert amounts.normalized(-0.0006) == "-0.001"
    assert amounts.between((-1e-9, 0.25)) == "0.000 – 0.250"


def test_an_interval_that_is_not_known_is_empty():
    assert amounts.between(None) == amounts.between([None, 0.2]) == ""


@pytest.mark.parametrize(
    ("cut", "scores", "text"),
    [
        (1 / 3, [1 / 3, 0.4], "0.334"),  # the nearest, 0.333, would act on a third
        (1 / 11, [0.02, 0.5], "0.0909"),
        (1 / 11, [0.090905, 0.5], "0.091"),  # 0.0909 would act on the first
        (1 / 11, [0.090905, 0.09095], "0.09091"),  # and 0.091 would not act on the second
        (0.1, [0.1, 0.1000001], "0.1"),
        (0.25, [0.2, 0.3], "0.25"),
        (0.00123456, [0.0012, 0.0013], "0.00123"),
    ],
)
def test_shortest_threshold_that_decides_all_scores_alike(cut, scores, text):
    found = np.array(scores)
    assert amounts.cut_text(cut, found) == text
    assert ((found > float(text)) == (found > cut)).all()


def test_changes_have_a_sign_and_equal_decimals():
    changes = signed([0.4454, -0.1668, -0.00001, float("nan")])
    assert changes == ["+0.445", "-0.167", "0.000", ""]
