"""Amounts as people write them, in Python and on the command line alike."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import stakes
from stakes import Application, CostMatrix, Inquiry
from stakes.application import UncertainApplication
from stakes.application.application import as_application
from stakes.application.written_amounts import plain_amount, read_volume
from stakes.exceptions import CostError

Y = np.arange(60) % 3 == 0
P = {"m": np.where(Y, 0.7, 0.2)}
COSTS = CostMatrix([[0, 1], [10, 0]])


@pytest.mark.parametrize(
    ("text", "plain", "unit"),
    [
        ("500", "500", None),
        ("€500", "500", "€"),
        ("500EUR", "500", "EUR"),
        ("EUR 500", "500", "EUR"),
        ("-€4", "-4", "€"),
        ("1.5k", "1500", None),
        ("$1.2345k", "1234.5", "$"),
        ("2M", "2000000", None),
        ("0.5kEUR", "0500", "EUR"),
        ("€5..20", "5..20", "€"),
        ("5k..20k", "5000..20000", None),
    ],
)
def test_amounts(text, plain, unit):
    assert plain_amount(text) == (plain, unit)


@pytest.mark.parametrize(
    "text", ["0.75*amount", "2amount", "2LTV", "amount", "1e5", "EURO", "500kg", "€amount", ".."]
)
def test_other_text_is_left_to_others(text):
    assert plain_amount(text) == (text, None)


@pytest.mark.parametrize("text", ["5..20", "€5..20", "5..20EUR"])
def test_a_range_as_text_is_refused_with_the_line_for_ranges(text):
    with pytest.raises(
        CostError, match=r"(?s)is a range; here a cost must be known.*Between\(5, 20"
    ):
        as_application({"fn": text, "fp": 1})
    with pytest.raises(CostError, match="formula over columns"):
        as_application({"fn": "1.2.3", "fp": 1})


def test_a_range_has_one_scale():
    with pytest.raises(CostError, match="k or M at one end only"):
        plain_amount("500..20k")


@pytest.mark.parametrize(
    ("costs", "unit", "found"),
    [
        ({"FN": "€1.5k", "FP": "€20"}, None, "€"),
        ({"fn": "500EUR", "fp": 4}, None, "EUR"),
        ({"fn": "500EUR", "fp": "€4"}, None, "EUR"),
        ({"fn": "€500", "fp": 4}, "EUR", "EUR"),
        ({"FN": 500, "FP": 4}, "EUR", "EUR"),
    ],
)
def test_in_python(costs, unit, found):
    app = stakes.evaluate(Y, P, costs=costs, unit=unit).application
    assert app.unit == found
    assert app.costs.values[1, 0] == (1500 if costs.get("FN") == "€1.5k" else 500)


@pytest.mark.parametrize(
    ("costs", "unit"),
    [({"fn": "500EUR", "fp": "$4"}, None), ({"fn": "500EUR", "fp": 4}, "USD")],
)
def test_two_units_are_refused(costs, unit):
    with pytest.raises(CostError, match=r"is in EUR, and another|`unit` is given twice"):
        stakes.evaluate(Y, P, costs=costs, unit=unit)
    with pytest.raises(CostError, match="is in EUR, and another amount or the unit is in"):
        Inquiry(cost=costs, unit=unit)


def test_an_inquiry_keeps_plain_words():
    asked = Inquiry(cost=["fn=€1.5k,fp=€4"])
    assert (asked.cost, asked.unit) == (("fn=1500,fp=4",), "€")
    assert Inquiry(gain=["tp=$40", "fp=-4"]).unit == "$"
    assert Inquiry(cost=["fn=0.75*amount", "fp=2k"]).cost == ("fn=0.75*amount", "fp=2000")


def test_beside_formulas_over_columns():
    pd = pytest.importorskip("pandas", reason="a frame to take columns from")
    frame = pd.DataFrame({"y": Y.astype(int), "p": P["m"], "amount": np.arange(60) + 1.0})
    given = {"label": "y", "posteriors": "p"}
    ev = stakes.evaluate_frame(frame, costs={"fn": "amount", "fp": "€2k"}, **given)
    plain = stakes.evaluate_frame(frame, costs={"fn": "amount", "fp": "2000"}, **given)
    assert [model.cost for model in ev.models] == [model.cost for model in plain.models]
    assert ev.application.unit == "€"


@pytest.mark.parametrize("kind", [Application, UncertainApplication])
def test_a_volume_says_its_period(kind):
    make = partial(kind, COSTS.values)
    app = make(volume="10k/month")
    assert (app.volume, app.period) == (10_000, "month")
    assert make(volume="2_500", period="day").volume == 2500
    with pytest.raises(CostError, match="`volume` is per month, and `period` is 'year'"):
        make(volume="10000/month", period="year")


def test_evaluate_takes_such_a_volume():
    app = stakes.evaluate(Y, P, costs={"fn": 10, "fp": 1}, volume="10000/month").application
    assert (app.volume, app.period) == (10_000, "month")
    uncertain = {"fn": stakes.application.Between(5, 20), "fp": 1}
    ev = stakes.evaluate(Y, P, costs=uncertain, volume="10000/month")
    assert (ev.application.volume, ev.application.period) == (10_000, "month")


def test_a_volume_that_is_none():
    with pytest.raises(CostError, match="I cannot read the volume 'many'") as caught:
        read_volume("many")
    assert 'volume="250000/yr"' in caught.value.hint
