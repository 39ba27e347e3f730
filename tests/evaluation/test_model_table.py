"""The table of the models: one specification, and every form of it."""

import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix, evaluate
from stakes.evaluation import model_table
from stakes.evaluation.model_table import (
    COLUMNS,
    Column,
    Narrow,
    as_csv,
    flat_columns,
    rows_of,
    shown_columns,
)
from stakes.report import schema

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"])


def made(**more):
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.3).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.4)))
    q = 1 / (1 + np.exp(-rng.normal(y - 0.5, 1)))
    return evaluate(y, {"blunt": q, "sharp": p}, application=Application(COSTS, **more), rng=0)


def counted(counts, priors=None):
    table = ConfusionMatrix(counts, ["no", "yes"])
    return evaluate(None, {"m": table}, application=Application(COSTS, priors), min_cases=0, rng=0)


def test_names_are_used_once():
    names = [column.name for column in COLUMNS]
    flat = [name for column in COLUMNS for name in column.columns]
    assert len(set(names)) == len(names)
    assert len(set(flat)) == len(flat)


def test_rows_are_ranked_and_follow_the_schema():
    rows = rows_of(made())
    assert [row["name"] for row in rows] == ["sharp", "blunt"]
    described = schema()["$defs"]["model"]
    assert list(rows[0]) == list(described["properties"]) == described["required"]


def test_a_column_without_a_reason_to_be_absent_is_never_absent():
    for ev in (made(), counted([[9, 1], [2, 8]]), counted([[9, 1], [0, 0]], [1.0, 0.0])):
        for column in COLUMNS:
            present = [row[column.name] is not None for row in rows_of(ev)]
            assert column.absent or all(present), column.name


def test_frame_and_csv_hold_the_record():
    ev = made(volume=1000)
    rows, frame = rows_of(ev), ev.frame()
    read = list(csv.DictReader(io.StringIO(as_csv(flat_columns(rows)))))
    assert tuple(read[0]) == frame.columns
    for k, row in enumerate(rows):
        low, high = row["interval"]
        whole = {**row, "model": row["name"], "low": low, "high": high}
        for name in frame.columns:
            assert frame[name][k] == whole[name]
            assert read[k][name] == str(whole[name])


def test_what_is_absent_is_nan_in_frames_and_empty_in_csv():
    ev = counted([[9, 1], [2, 8]])
    frame, text = ev.frame(), as_csv(flat_columns(rows_of(ev)))
    assert np.isnan(frame["threshold"][0])
    assert frame["rule"][0] == ""
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["threshold"] == row["rule"] == row["total_saving"] == ""


def test_an_undefined_nec_is_said():
    ev = counted([[9, 1], [0, 0]], [1.0, 0.0])
    for narrow in (True, False):
        shown = {each.column.name: each.cells for each in shown_columns(ev.record(), narrow=narrow)}
        assert shown["nec"] == ["undefined"]
    assert np.isnan(ev.frame()["nec"][0])


def test_columns_with_nothing_to_say_are_left_out():
    titles = [each.title for each in shown_columns(counted([[9, 1], [2, 8]]).record())]
    assert titles[:3] == ["model", "NEC", "95 % interval"]
    assert "saves per case" in titles
    assert not {"NEC if calibrated", "act when", "chance of being best"} & {*titles}


def test_headings_say_unit_period_and_level():
    record = made(volume=1000, period="year", unit="EUR").record()
    titles = [each.title for each in shown_columns(record)]
    assert titles[2] == "95 % interval"
    assert "saves per year (EUR)" in titles
    narrow = [each.title for each in shown_columns(record, narrow=True)]
    assert narrow[2] == "95% interval"
    assert "saves/yr" in narrow
    assert [each.title for each in shown_columns({**record, "level": 0.999})][2] == (
        "99.9 % interval"
    )


def test_savings_that_are_rounding_are_none():
    ev = counted([[0, 90], [0, 10]])  # always yes, the naive decision
    model = replace(ev["m"], saving=1e-17)
    assert rows_of(replace(ev, models=(model,)))[0]["saving"] == 0.0


def test_thresholds_read_alike_in_every_form():
    ev = made()
    rule = str(ev["sharp"].rule)
    html, escaped = rule.replace(">", "&gt;"), rule.replace(">", "\\>")
    assert f"<td>{html}</td>" in ev._repr_html_().partition("<iframe")[0]
    assert re.search(f'<td [^>]*id="rule-1"[^>]*>{re.escape(html)}</td>', ev.to_html())
    assert f"| {escaped} |" in ev.to_markdown()
    assert rule in str(ev)


@pytest.fixture
def with_a_recall(monkeypatch):
    column = Column(
        "recall", "share of the second class that is acted on",
        lambda m, _: m.confusion.rates[1, 1], {"type": "number"}, absent="it has no case",
        columns=("recall",), title="recall", text="{:.5f}".format,
        narrow=Narrow("rec", drop=6),
    )  # fmt: skip
    monkeypatch.setattr(model_table, "COLUMNS", (*COLUMNS, column))


@pytest.mark.usefixtures("with_a_recall")
def test_a_new_column_is_in_every_form():
    ev = made()
    value = float(ev["sharp"].confusion.rates[1, 1])
    cell = f"{value:.5f}"
    assert ev.record()["models"][0]["recall"] == value
    assert "recall" in schema()["$defs"]["model"]["properties"]
    assert ev.frame()["recall"][0] == value
    assert "recall" in str(ev)
    assert f"| {cell} |" in ev.to_markdown()
    page = ev.to_html()
    assert re.search(f'<td [^>]*id="recall-1"[^>]*>{re.escape(cell)}</td>', page)
    kept = re.search(r'"kept":(\[.*?\])', page)
    assert kept is not None
    assert {"interval", "rule", "recall"} <= {*json.loads(kept[1])}
    assert not {"name", "nec", "saving"} & {*json.loads(kept[1])}
    assert f"<td>{cell}</td>" in ev._repr_html_()
    assert shown_columns(ev.record(), narrow=True)[-1].title == "rec"
