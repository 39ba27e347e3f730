"""The page as text: closed to the outside, escaped, whole without matplotlib."""

import base64
import hashlib
import json
import re

import numpy as np
import pytest

from stakes import Application, CostMatrix, evaluate
from stakes.report.live.any_matrix import matrix_numbers
from stakes.report.live.two_classes import live_numbers

COSTS = CostMatrix([[0, 4], [40, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])


def drawn(n=600, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    return y, 1 / (1 + np.exp(-(rng.normal(3 * y - 1.5, 1.7) - np.log(4))))


@pytest.fixture(scope="module")
def ev():
    y, p = drawn()
    app = Application(COSTS, unit="EUR", volume=1000, period="year")
    return evaluate(y, {"gbm": p, "half": p**2 / (p**2 + (1 - p) ** 2)}, application=app, rng=0)


@pytest.fixture(scope="module")
def text(ev):
    return ev.to_html(facts={"source": "churn.csv", "command": "stakes eval churn.csv"})


class TestPolicy:
    def test_only_this_style_and_this_script_apply(self, text):
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
        for tag in ("style", "script"):
            inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, flags=re.DOTALL)[1]
            digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy
        assert policy.startswith("default-src 'none'")

    def test_no_style_attribute_no_handler_no_address(self, text):
        outside = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
        assert not re.search(r"<[^>]*\sstyle=", outside)
        assert not re.search(r"<[^>]*\son\w+=", outside)
        assert not re.search(r'(?:src|href)="(?!#|data:)', outside)


def test_names_of_ids_are_unique(text):
    outside = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    names = re.findall(r'\sid="([^"]+)"', outside)
    assert len(names) == len(set(names))


def test_commands_are_broken_between_words_only(text):
    words = re.search(r"<pre>(<span.*?)</pre>", text)[1]
    assert re.findall(r'<span class="word">([^<]*)</span>', words) == [
        "stakes",
        "eval",
        "churn.csv",
    ]


def test_the_diagonal_is_in_the_key(text):
    pytest.importorskip("matplotlib", reason="needs matplotlib: pip install 'stakes[plots]'")
    figure = re.search(r'id="figure-reliability">(.*?)<svg[^>]*id="chart', text, re.DOTALL)[1]
    assert "perfectly calibrated" in figure


def test_sections_are_numbered_in_order(text):
    places = [int(n) for n in re.findall(r"<h2>(\d+) · ", text)]
    assert places == list(range(1, len(places) + 1))


def test_the_verdict_stands_in_the_page(ev, text):
    plain = re.sub(r"<[^>]+>", " ", text).replace("\u00a0", " ")
    shown = ev.verdict.replace("&", "&amp;").replace("'", "&#x27;").replace(">", "&gt;")
    assert shown in re.sub(r"\s+", " ", plain)


def test_names_that_end_the_script_do_not(ev):
    y, p = drawn()
    name = "</script><b>"
    made = evaluate(y, {name: p}, application=Application(COSTS), rng=0).to_html()
    inside = re.search(r'id="numbers">(.*?)</script>', made, flags=re.DOTALL)[1]
    assert json.loads(inside)["names"] == [name]
    assert "<b>" not in made


def test_without_matplotlib_the_page_says_what_to_install(ev, monkeypatch):
    import stakes.report.live.page_charts as room
    from stakes.exceptions import MissingExtraError

    def absent(module, *, extra):
        raise MissingExtraError("no", hint=f"pip install 'stakes[{extra}]'")

    monkeypatch.setattr(room, "load", absent)
    made = ev.to_html()
    assert "pip install &#x27;stakes[plots]&#x27;" in made
    assert "<svg xmlns" not in made
    assert 'id="ratio"' in made


def test_labels_in_one_byte_are_counted_right():
    y, p = drawn()
    options = {"recalibrate": False, "rng": 0}

    def numbers(labels):
        two = evaluate(labels, {"gbm": p, "half": p / 2}, application=COSTS, **options)
        found = live_numbers(two)
        found.pop("bands")
        return found

    assert numbers(y.astype(bool)) == numbers(y)
    many, z = CostMatrix.zero_one(20).with_abstention(0.4), np.arange(400) % 20
    q = np.random.default_rng(0).dirichlet(np.ones(20), size=400)
    wide, small = (
        matrix_numbers(evaluate(labels, {"net": q}, application=many, **options), embed=False)
        for labels in (z, z.astype(np.uint8))
    )
    assert small["paths"] == wide["paths"]
    assert len(wide["paths"]) > 1


def test_slices_and_notes_are_shown():
    y, p = drawn()
    by = np.where(np.arange(len(y)) % 2, "north", "<south>")
    made = evaluate(y, {"gbm": p}, application=Application(COSTS), by=by, rng=0).to_html()
    assert "Slices of the cases" in made
    assert "&lt;south&gt;" in made


def test_units_of_several_classes_may_hold_anything():
    pytest.importorskip("matplotlib", reason="the unit stands in a drawing; needs matplotlib")
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 3, 60), rng.dirichlet([1, 1, 1], 60)
    costs = CostMatrix.zero_one(3).with_abstention(0.2)
    app = Application(costs, unit="\x07<b>$\\frac{1}{2}$ & a unit that is far too long")
    made = evaluate(y, {"net": p}, application=app, recalibrate=False, rng=0).to_html()
    assert "<b>" not in made
    assert "cost of abstaining, &lt;b&gt;$\\frac{1}{2}$" in made


def test_drawings_of_one_class_are_called_by_it():
    pytest.importorskip("matplotlib", reason="drawings need matplotlib")
    rng = np.random.default_rng(0)
    names = ["cat", "dog", "fox"]
    y, p = np.array(names)[rng.integers(0, 3, 60)], rng.dirichlet([1, 1, 1], 60)
    costs = CostMatrix.zero_one(names)
    made = evaluate(y, {"net": p}, costs=costs, recalibrate=False, rng=0).to_html()
    assert ">share-fox.svg</button>" in made
    assert "share of “fox” in deployment" in made
    assert "Bars: how often net predicts each probability." in made


def test_written_to_a_path(ev, tmp_path):
    path = ev.to_html(tmp_path / "page.html")
    assert path == tmp_path / "page.html"
    assert path.read_text(encoding="utf-8") == ev.to_html()


def test_many_models_share_a_page_of_bounded_size():
    pytest.importorskip("matplotlib", reason="the page is drawn: pip install 'stakes[plots]'")
    rng = np.random.default_rng(0)
    y = (rng.random(1500) < 0.15).astype(int)
    scores = {f"model {k:02d}": rng.normal((1 + 0.1 * k) * (2 * y - 1), 1.3) for k in range(20)}
    models = {name: 1 / (1 + 5.7 * np.exp(-s)) for name, s in scores.items()}
    ev = evaluate(y, models, costs={"fn": 10, "fp": 1}, recalibrate=False, rng=0)
    page = ev.to_html()
    assert len(page.encode()) < 600_000
    assert page.count("12 costlier models not drawn") == 4
    assert all(name in page for name in models)
    few = evaluate(y, dict(list(models.items())[:8]), costs={"fn": 10, "fp": 1}, rng=0)
    assert "not drawn" not in few.to_html()
