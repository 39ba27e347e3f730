"""Pages of watches and audits: the answer first, in the style of the report, loading nothing."""

from __future__ import annotations

import re

import pytest

from stakes import Application, ConfusionMatrix
from stakes.audit import audit
from stakes.exceptions import DataError
from stakes.monitoring import watch

APP = Application([[0, 1], [10, 0]], priors=[0.9, 0.1], unit="EUR")
WEEK = ConfusionMatrix([[860, 90], [10, 40]])
WORSE = ConfusionMatrix([[850, 100], [30, 20]])


def _pages():
    found = watch({"w1": WEEK, "<w2>": WEEK, "w3": WORSE}, application=APP)
    both = {
        "a": ConfusionMatrix([[850, 50], [20, 80]]),
        "b": ConfusionMatrix([[880, 20], [40, 60]]),
    }
    return {
        "watch": found,
        "audit": audit("f1", application=APP, matrix=both["a"], candidates=both, draws=500),
        "own": audit(lambda c: c[1, 1], draws=500),
        "scores": audit("auc", application=APP),
        "many": audit("macro_f1", matrix=[[5, 1, 2], [1, 8, 2], [0, 0, 9]], draws=500),
    }


@pytest.mark.parametrize("name", ["watch", "audit", "own", "scores", "many"])
def test_the_page_is_closed_and_opens_with_the_answer(name, tmp_path):
    found = _pages()[name]
    path = tmp_path / "page.html"
    assert found.to_html(path) == path
    page = path.read_text(encoding="utf-8")
    assert "default-src 'none'; style-src 'sha256-" in page
    assert "script-src 'none'" in page
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!#)', page)
    said = re.search(r'id="verdict">(.*?)</p>', page, flags=re.DOTALL)
    assert said is not None
    words = found.advice if name == "watch" else found.headline
    shown = " ".join(re.sub("<.*?>", "", said[1]).replace("\u00a0", " ").split())
    assert words.split()[-1] in shown
    assert page.index("verdict") < page.index("<h2>")


def test_names_are_escaped_and_every_period_is_listed():
    with pytest.raises(DataError, match="`estimates` must be"):
        _pages()["watch"].to_html(estimates=[0.5])
    page = _pages()["watch"].to_html(title="Costs & so on")
    assert "<w2>" not in page
    assert page.count('scope="row"') >= 3
    assert "Costs &amp; so on" in page
    assert "ALARM" in page
