from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix
from stakes.report import Findings, judge, page

HOSTILE = ["<script>alert(1)</script>", "a\"b'&c", "猫 naïve", "\x1b[31m\u202e"]
VOID = {"meta", "link", "br", "img", "hr"}


def findings(names, *, intervals=False, notes=(), warnings=()):
    k = len(names)
    app = Application(CostMatrix.zero_one(names), priors=np.full(k, 1 / k), unit="<EUR>",
                      volume=1000, period="year")  # fmt: skip
    counts = np.full((k, k), 1) + 8 * np.eye(k, dtype=int)
    table = ConfusionMatrix(counts, app.classes, app.decisions)
    models = [judge(table, app, name=names[0]), judge(table, app, name="other", rule="p > 0.5")]
    if intervals:
        from dataclasses import replace

        models = [replace(model, interval=(0.1, 0.2)) for model in models]
    return Findings(
        "<file>.csv", 100.0, app, app.priors, names[0], app.naive_cost, tuple(models),
        table.class_totals, kind="scores", costs_said=("costs <i>",), notes=tuple(notes),
        warnings=tuple(warnings), facts={"command": "stakes eval '<x>' && rm", "sha256": "00"},
    )  # fmt: skip


class Outline(HTMLParser):
    """Tags in order, whether they close, and what they ask for."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.attributes, self.text = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def hostile():
    return page(findings(HOSTILE, notes=["<b>note</b>"], warnings=["<b>careful</b>"]))


def test_every_tag_closes(hostile):
    assert Outline(hostile).open == []


def test_nothing_runs_and_nothing_is_loaded(hostile):
    outline = Outline(hostile)
    assert not {"script", "iframe", "object", "embed", "link", "img", "form"} & set(outline.tags)
    names = {name for _, name, _ in outline.attributes}
    assert not {"src", "href", "srcset", "style", "action"} & names
    assert not any(name.startswith("on") for name in names)
    assert "url(" not in hostile
    assert "@import" not in hostile


def test_names_from_the_data_are_text(hostile):
    outline = Outline(hostile)
    assert "i" not in outline.tags
    assert "b" not in outline.tags
    text = "".join(outline.text)
    for name in (*HOSTILE[:3], "<file>.csv", "costs <i>", "<b>note</b>", "<b>careful</b>"):
        assert name in text


def test_control_characters_are_spelt_out(hostile):
    assert "\x1b" not in hostile
    assert "\u202e" not in hostile
    assert "\\x1b[31m" in hostile


def test_the_policy_allows_this_style_sheet_only(hostile):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', hostile)[1]
    style = re.search(r"<style>(.*?)</style>", hostile, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def test_sections_stand_in_order_under_one_main(hostile):
    outline = Outline(hostile)
    assert outline.tags.count("main") == outline.tags.count("h1") == 1
    heads = re.findall(r"<h2>(\d)", hostile)
    assert heads == ["1", "2", "3", "4", "5"]
    assert '<html lang="en">' in hostile


def test_every_table_has_a_caption_and_headings(hostile):
    outline = Outline(hostile)
    for part in ("figure", "figcaption", "thead", "tbody"):
        assert outline.tags.count(part) == outline.tags.count("table")
    scopes = [value for tag, name, value in outline.attributes if (tag, name) == ("th", "scope")]
    assert len(scopes) == outline.tags.count("th")


def test_numbers_do_not_break(hostile):
    assert re.search(r"\d\u00a0%", hostile)


def test_interval_column_appears_with_intervals_only():
    names = ["no", "yes"]
    without, with_them = page(findings(names)), page(findings(names, intervals=True))
    assert "95 % interval" not in without.replace("\u00a0", " ")
    assert "No interval was computed" in without
    assert "0.100 – 0.200" in with_them
    assert "No interval was computed" not in with_them


def test_the_page_is_small_and_readable_everywhere(hostile):
    assert len(hostile.encode()) < 600_000
    for query in ("prefers-color-scheme: dark", "@media print", "max-width: 40rem"):
        assert query in hostile
    assert 'name="viewport"' in hostile


def test_large_tables_are_left_out():
    assert "Not shown: 13 outcomes by 13 decisions." in page(findings([f"c{k}" for k in range(13)]))
