"""The same cases in memory, in an engine and as saved counts: the same answer, or a reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stakes import Application, CostMatrix
from stakes.demonstration import example_path
from stakes.engines import Request, reduce_frame
from stakes.evaluation import Evaluation, evaluate, evaluate_frame
from stakes.evaluation.reduction_account import evaluated_reduction
from stakes.exceptions import DataError
from stakes.inquiry import Inquiry, answer
from stakes.inquiry.count_answer import keep
from stakes.summaries import GroupedCounts, load_summary

pl = pytest.importorskip("polars", reason="writes Parquet")

EXAMPLES = ("churn.csv", "pets.csv", "pets-costs.toml", "loans.csv")
#: What only an engine says: scores were binned.
ONLY_FAR = {"best-of-bin-edges"}
#: What only rows in memory have, by question: the code of the reason.
ABSENT = {key: {"sliders": "case-sliders-need-rows"}
          for key in ("loans", "loans elsewhere", "slices by case", "decisions by case")
}  # fmt: skip
#: What saved counts do not have besides.
NOT_SAVED = {
    "churn": {},
    "slices": {},
    "pets": {"recalibrated_nec": "recalibration-needs-rows"},
}
#: Figures that follow from the folds drawn, or from scores that bins have rounded.
NEARLY = {
    "recalibrated_nec": 0.02,
    "optimistic_nec": 0.002,
    "probability_best": 0.04,
    "mean_nec": 0.002,
    "mean_cost": 0.02,
    "worst_regret": 0.005,
    "kept_regret": 0.005,
}
#: Figures of a model that must not differ at all.
EXACTLY = ("name", "kind", "counts", "cost", "nec", "interval", "threshold", "rule", "saving",
           "cost_by_cell")  # fmt: skip


def drawn(seed: int, n: int = 6_000) -> str:
    """Cases of two classes in slices; one model is too sure, one is right, one is coarse."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.15
    odds = np.log(0.15 / 0.85)
    sure, right = (rng.normal(3 * y - 1.5, 1.73) + odds for _ in range(2))
    coarse = np.round(rng.normal(2 * y - 1, 1.41) + odds)
    said = [1 / (1 + np.exp(-s)) for s in (2 * sure, right, coarse)]
    lines = ["y,sure,right,coarse,part,who,number,acts"]
    lines += [
        f"{int(t)},{a:.7f},{b:.7f},{c:.7f},{k % 11 // 3},g{k * k % 997},{k * k % 997},"
        f"{int(b > 0.2)}"
        for k, (t, a, b, c) in enumerate(zip(y, *said, strict=True))
    ]
    return "\n".join(lines) + "\n"


CHURN = {"source": "churn.csv", "label": "churned", "positive": "yes",
         "scores": "gbm_p,logreg_p,rules_p"}  # fmt: skip
DRAWN = {"source": "drawn.csv", "label": "y", "positive": "1", "scores": "sure,right,coarse"}
COST = ("fn=10", "fp=1")
QUESTIONS: dict[str, dict[str, Any]] = {
    "churn": {**CHURN, "cost": ("fn=40", "fp=4"), "unit": "EUR", "volume": "250000/yr"},
    "pets": {
        "source": "pets.csv",
        "label": "species",
        "proba": "*.p_*",
        "costs": "pets-costs.toml",
    },
    "loans": {
        "source": "loans.csv",
        "label": "default",
        "scores": "bank_p,bureau_p",
        "cost": ("fn=0.75*amount", "fp=0.02*amount+150"),
        "unit": "EUR",
    },
    "loans elsewhere": {
        "source": "loans.csv",
        "label": "default",
        "scores": "bank_p,bureau_p",
        "cost": ("fn=0.75*amount", "fp=200"),
        "prevalence": "10%",
    },
    "slices": {**DRAWN, "cost": COST, "by": "part"},
    "other shares": {**DRAWN, "cost": COST, "prevalence": "3%"},
    "slices by case": {
        **DRAWN,
        "scores": "sure,right",
        "cost": ("fn=3+part", "fp=1"),
        "by": "part",
    },
    "decisions by case": {
        **DRAWN,
        "scores": None,
        "decisions": "acts",
        "cost": ("fn=3+part", "fp=1"),
    },
    "a range": {**DRAWN, "cost": ("fn=3..30", "fp=1")},
    "groups": {**DRAWN, "cost": COST, "groups": "who", "by": "part"},
    "groups elsewhere": {
        **DRAWN,
        "scores": "sure",
        "cost": COST,
        "groups": "who",
        "prevalence": "3%",
    },
    "two operating points": {**DRAWN, "preset": "sre16"},
    "one model": {**DRAWN, "scores": "sure", "cost": ("fn=7", "fp=1")},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every file as text and as Parquet."""
    found = tmp_path_factory.mktemp("near and far")
    texts = {name: example_path(name).read_text("utf-8") for name in EXAMPLES}
    for name, text in {**texts, "drawn.csv": drawn(7)}.items():
        (found / name).write_text(text, "utf-8")
        if name.endswith(".csv"):
            pl.read_csv(found / name).write_parquet(found / name.replace(".csv", ".parquet"))
    return found


@pytest.fixture(scope="module")
def near(folder: Path) -> Callable[[str], Evaluation]:
    """What memory answers, asked once."""
    return cache(lambda question: asked(folder, question))


def asked(folder: Path, question: str, engine: str | None = None) -> Evaluation:
    """The answer from the text file or, with an engine, from Parquet."""
    options = dict(QUESTIONS[question])
    source = str(folder / options.pop("source"))
    if engine is not None:
        source, options["engine"] = source.replace(".csv", ".parquet"), engine
    if "costs" in options:
        options["costs"] = str(folder / options["costs"])
    return answer(Inquiry(source=source, **options))


def codes(notes: list[dict[str, str]]) -> list[str]:
    return [note["code"] for note in notes]


def alike(one: Any, other: Any) -> bool:
    """Whether two records are the same, up to the order in which an engine adds."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float):
        return bool(other == pytest.approx(one, rel=1e-9, abs=1e-12))
    return bool(one == other)


def nearly(name: str, one: Any, other: Any) -> None:
    assert (one is None) == (other is None), name
    if one is not None:
        assert other == pytest.approx(one, abs=NEARLY[name], rel=0.02), name


def compare(near: Any, far: Any, near_limit: set[str] | None = None) -> None:
    """Everything that is the same, and what is nearly so.

    Remarks on re-calibration that other folds may give or take are `near_limit`.
    """
    for name in ("best", "cases", "naive", "application", "level", "too_few", "positive"):
        assert alike(near[name], far[name]), name
    assert far["verdict"]["kind"] == near["verdict"]["kind"]
    remarks = [
        [code for code in codes(each["verdict"]["remarks"]) if code not in (near_limit or ())]
        for each in (near, far)
    ]
    assert remarks[0] == remarks[1]
    assert [c for c in codes(far["notes"]) if c not in ONLY_FAR] == codes(near["notes"])
    assert codes(far["warnings"]) == codes(near["warnings"])
    for one, other in zip(near["models"], far["models"], strict=True):
        for name in EXACTLY:
            assert alike(one[name], other[name]), name
        for name in ("recalibrated_nec", "optimistic_nec", "probability_best"):
            nearly(name, one[name], other[name])
    assert alike(near["differences"], far["differences"])
    winners = [[s["winner"] for s in each["switches"]] for each in (near, far)]
    assert winners[0] == winners[1]
    assert list(far["slices"]) == list(near["slices"])
    for name, part in near["slices"].items():
        compare(part, far["slices"][name], near_limit)
    if near["doubt"] is not None:
        assert [p["winner"] for p in far["doubt"]["places"]] == [
            p["winner"] for p in near["doubt"]["places"]
        ]
        for one, other in zip(near["doubt"]["models"], far["doubt"]["models"], strict=True):
            for name in ("mean_nec", "mean_cost", "worst_regret", "kept_regret"):
                nearly(name, one[name], other[name])


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_engine_answers_as_memory_does(
    near: Any, folder: Path, engine: tuple[str, str], question: str
) -> None:
    if engine[1] == "spark" and question not in ("churn", "pets", "loans", "groups elsewhere"):
        pytest.skip("Spark is slow; it counts the others as DuckDB does")
    here, there = near(question).record(), asked(folder, question, engine[1]).record()
    assert there["absent"] == {**here["absent"], **ABSENT.get(question, {})}
    compare(here, there)


@pytest.mark.parametrize("kind", ["polars", "duckdb"])
def test_several_applications_at_once_are_judged_as_one_by_one(kind: str) -> None:
    """Of two classes and of three: one request counts all, memory judges each by itself."""
    rng = np.random.default_rng(11)
    for size in (2, 3):
        y, slices = rng.integers(0, size, 3_000), rng.integers(0, 2, 3_000)
        odds = rng.normal(0, 1, (2, 3_000, size)) + 1.8 * np.eye(size)[y]
        said = np.exp(1.7 * odds) / np.exp(1.7 * odds).sum(axis=2, keepdims=True)
        shares = np.bincount(y, minlength=size) / 3_000
        costs = CostMatrix((1.0 + rng.integers(0, 9, (size, size))) * (1 - np.eye(size)))
        apps = {
            "stated": Application(costs),
            "elsewhere": Application(CostMatrix.zero_one(size), rng.dirichlet(np.full(size, 9))),
            "asks": Application(costs.with_abstention(0.4)),
        }
        frame = pl.DataFrame({"y": y, "part": slices}).with_columns(
            **{f"{m}{k}": said[i, :, k] for i, m in enumerate("ab") for k in range(size)}
        )
        models = {m: [f"{m}{k}" for k in range(size)] for m in "ab"}
        binned = {"bins": 4096} if size == 2 else {"sample": 20_000}
        request = Request("y", models, applications=apps, by="part", from_priors=shares, **binned)
        rows: Any = frame.lazy()
        if kind == "duckdb":
            rows = pytest.importorskip("duckdb", reason="an engine").from_arrow(frame.to_arrow())
        found = reduce_frame(rows, request)
        for name, app in apps.items():
            options = {"level": 0.95, "rng": 0, "min_cases": 20}
            there = evaluated_reduction(found, name, options=options)
            here = evaluate(y, dict(zip("ab", said, strict=True)), application=app, by=slices,
                            min_cases=20)  # fmt: skip
            assert there.absent == here.absent
            compare(here.record(), there.record(), {"recalibration-worth"})


@pytest.mark.parametrize("prevalence", [None, "10%"])
def test_bins_of_single_scores_lose_nothing_in_slices(tmp_path: Path, prevalence: Any) -> None:
    """Which model wins where, and the best threshold, at the shares of each slice."""
    pytest.importorskip("duckdb", reason="one of the engines")
    rng = np.random.default_rng(5)
    part = rng.integers(0, 3, 2_000)
    y = (rng.random(2_000) < 0.15 + 0.2 * part).astype(int)
    odds = rng.normal(2.0 * y - 1.6, 1.4, (2, 2_000))
    said = {name: np.round(1 / (1 + np.exp(-o)), 2) for name, o in zip("ab", odds, strict=True)}
    rows = pl.DataFrame({"y": y, "part": part, **said})
    rows.write_csv(tmp_path / "rows.csv")
    rows.write_parquet(tmp_path / "rows.parquet")
    asked_of = {"rows.csv": "memory", "rows.parquet": "duckdb"}
    near, far = (
        answer(
            Inquiry(source=str(tmp_path / name), label="y", positive="1", scores="a,b", by="part",
                    cost=COST, prevalence=prevalence, engine=engine)
        )
        for name, engine in asked_of.items()
    )  # fmt: skip
    for one, other in (
        (near, far),
        *((near.slices[name], far.slices[name]) for name in far.slices),
    ):
        for figure in ("ranges", "switches"):
            assert alike(one.record()[figure], other.record()[figure])
        for name in one:
            assert other[name].optimistic_nec == pytest.approx(one[name].optimistic_nec, abs=1e-12)


def test_weights_are_compared_as_in_memory_up_to_the_draws(folder: Path) -> None:
    """Rows are drawn in memory, and sums over cells in an engine."""
    pytest.importorskip("duckdb", reason="one of the engines")
    options = {**DRAWN, "cost": COST, "weight": "number"}
    source = str(folder / options.pop("source"))
    here = answer(Inquiry(source=source, **options)).record()
    source = source.replace(".csv", ".parquet")
    there = answer(Inquiry(source=source, engine="duckdb", **options)).record()
    for one, other in zip(here["models"], there["models"], strict=True):
        for name in ("cost", "nec", "interval", "threshold", "saving", "cost_by_cell"):
            assert alike(one[name], other[name]), name
    for one, other in zip(here["differences"], there["differences"], strict=True):
        wide = one["high"] - one["low"]
        assert other["value"] == pytest.approx(one["value"], rel=1e-9)
        ends = one["low"], one["high"]
        assert (other["low"], other["high"]) == pytest.approx(ends, abs=0.05 * wide)
        assert other["decided"] == one["decided"]


def test_too_few_cases_of_a_number_are_said_alike(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="one of the engines")
    rows = pl.DataFrame({"y": [0] * 40 + [1] * 4, "p": [0.1] * 40 + [0.3] * 4})
    rows.write_csv(tmp_path / "few.csv")
    rows.write_parquet(tmp_path / "few.parquet")
    asked_of = {"few.csv": "memory", "few.parquet": "duckdb"}
    found = [
        answer(Inquiry(source=str(tmp_path / name), label="y", positive="1", scores="p", cost=COST,
                       engine=engine)).verdict
        for name, engine in asked_of.items()
    ]  # fmt: skip
    assert found == ["Cannot say: only 4 cases of '1'."] * 2


def test_groups_stay_together_in_an_engine(near: Any, folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="one of the engines")
    here, there = near("groups"), asked(folder, "groups", "duckdb")
    plain = asked(folder, "slices", "duckdb")
    for name in here:
        assert there[name].interval == here[name].interval
        assert there[name].interval != plain[name].interval
        # the same groups are in each fold as in memory, so that bins alone tell them apart
        assert there[name].recalibrated_nec == pytest.approx(here[name].recalibrated_nec, abs=2e-3)
        one, other = here[name].recalibrated_interval, there[name].recalibrated_interval
        assert other == pytest.approx(one, abs=4e-3)
    for here_gain, there_gain in ((here.after, there.after), (here.worth, there.worth)):
        assert (here_gain.first, here_gain.second) == (there_gain.first, there_gain.second)
        ends = [(gain.value, gain.low, gain.high) for gain in (here_gain, there_gain)]
        assert ends[1] == pytest.approx(ends[0], abs=4e-3)
    saved = [str(tmp_path / name) for name in ("near.json", "far.json")]
    for ev, file in zip((here, there), saved, strict=True):
        keep(ev, file)
    assert load_summary(saved[0])["asked_for"].asked == load_summary(saved[1])["asked_for"].asked
    counts = [load_summary(file)["joint"] for file in saved]
    assert all(isinstance(each, GroupedCounts) for each in counts)
    tables = [
        {name: row.tolist() for name, row in zip(each.groups[0], each.counts, strict=True)}
        for each in counts
    ]
    assert tables[0] == tables[1]
    assert counts[0].joint == counts[1].joint


@pytest.mark.parametrize(
    ("engine", "weight"), [("memory", None), ("duckdb", None), ("duckdb", "part")]
)
def test_saved_groups_have_the_intervals_that_they_were_saved_with(
    folder: Path, tmp_path: Path, engine: str, weight: str | None
) -> None:
    pytest.importorskip("duckdb", reason="one of the engines")
    pytest.importorskip("pyarrow", reason="reads Parquet")
    file = str(tmp_path / "counts.json")
    options = {**DRAWN, "source": str(folder / "drawn.parquet"), "scores": "sure,right"}
    asked_of = Inquiry(**options, cost=COST, groups="who", weight=weight, engine=engine)
    before = answer(asked_of)
    keep(before, file)
    again, plain = (
        answer(Inquiry(source=file, cost=COST, positive="1")),
        answer(asked_of.but(groups=None)),
    )
    for name in before:
        assert again[name].interval == pytest.approx(before[name].interval, abs=1e-9)
        assert plain[name].interval != before[name].interval
    (one,), (other,) = (ev.record()["differences"] for ev in (before, again))
    for end in ("value", "low", "high"):
        assert other[end] == pytest.approx(one[end], abs=1e-9)
    assert "comparison" not in again.absent


def test_weighted_groups_have_the_same_counts_and_like_intervals(folder: Path) -> None:
    pytest.importorskip("duckdb", reason="one of the engines")
    options = {**DRAWN, "cost": COST, "groups": "who", "weight": "part"}
    source = str(folder / options.pop("source"))
    here = answer(Inquiry(source=source, **options))
    there = answer(Inquiry(source=source.replace(".csv", ".parquet"), engine="duckdb", **options))
    for name in here:
        assert there[name].nec == pytest.approx(here[name].nec, rel=1e-12)
        wide = here[name].interval[1] - here[name].interval[0]
        assert there[name].interval == pytest.approx(here[name].interval, abs=0.05 * wide)


@pytest.mark.parametrize("by", [None, "part"])
def test_groups_that_are_numbers_have_one_order_in_all_files(folder: Path, by: str | None) -> None:
    """Text files know digits, Parquet numbers; which groups are drawn must not depend on it."""
    pytest.importorskip("duckdb", reason="one of the engines")
    options = {**DRAWN, "scores": "sure", "cost": COST, "groups": "number", "by": by}
    text = str(folder / options.pop("source"))
    table = text.replace("csv", "parquet")
    asked_of = [(text, None), (table, "duckdb")]
    asked_of += [(text, "duckdb"), (table, "memory")] if by is None else []
    found = [answer(Inquiry(source=file, engine=engine, **options)) for file, engine in asked_of]
    for ev in found[1:]:
        assert ev["sure"].interval == found[0]["sure"].interval
        for name, part in found[0].slices.items():
            assert ev.slices[name]["sure"].interval == part["sure"].interval


def test_groups_that_an_engine_cannot_count_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("duckdb", reason="one of the engines")
    monkeypatch.setattr("stakes.evaluation.far.group_account.MOST_GROUPS", 100)
    with pytest.raises(DataError, match="groups; an engine's counts") as many:
        asked(folder, "groups", "duckdb")
    assert "--engine memory" in str(many.value.hint)
    frame = pl.DataFrame({"y": [0, 1] * 20, "p": [0.1, 0.6] * 20, "who": ["a", None] * 20})
    with pytest.raises(DataError, match="is empty in 20 rows"):
        evaluate_frame(frame, label="y", scores="p", costs={"fn": 10, "fp": 1}, groups="who")
    paid = {"fn": "p", "fp": 1}
    with pytest.raises(DataError, match="costs per case needs the rows"):
        evaluate_frame(frame, label="y", scores="p", case_costs=paid, costs=[[0, 1], [1, 0]],
                       groups="who")  # fmt: skip


@pytest.mark.parametrize("size", [3, 8, 40])
def test_frames_count_groups_as_arrays_do(size: int) -> None:
    pd = pytest.importorskip("pandas", reason="one of the frames")
    rng = np.random.default_rng(size)
    y = rng.integers(0, 2, 800)
    p = np.clip(0.3 + 0.3 * y + rng.normal(0, 0.2, 800), 0.01, 0.99)
    who = rng.integers(0, size, 800)
    rows = {"y": y, "p": p, "who": who, "fold": who}
    costs = {"fn": 4, "fp": 1}
    here = evaluate(y, {"p": p}, costs=costs, groups=who)
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows), pl.LazyFrame(rows)):
        there = evaluate_frame(frame, label="y", scores="p", costs=costs, groups="who")
        assert there["p"].interval == here["p"].interval
        assert there.absent == here.absent
        one, other = (ev["p"].recalibrated_nec for ev in (here, there))
        assert (one is None) == (other is None) == (size < 5)
        assert one is None or other == pytest.approx(one, abs=2e-3)


@pytest.mark.parametrize("question", ["churn", "a range", "pets"])
def test_the_page_has_the_same_sections_and_sliders(near: Any, folder: Path, question: str) -> None:
    pytest.importorskip("duckdb", reason="one of the engines")
    bodies = [
        ev.to_html().partition("<script")[0]
        for ev in (near(question), asked(folder, question, "duckdb"))
    ]
    for pattern in ("<h2>.*?</h2>", '<input type="range"[^>]*>', "<svg"):
        found = [re.findall(pattern, body) for body in bodies]
        assert found[0]
        assert found[0] == found[1]


def test_a_page_without_sliders_says_why(folder: Path) -> None:
    pytest.importorskip("duckdb", reason="one of the engines")
    page = asked(folder, "loans", "duckdb").to_html()
    assert "sums over them do not tell what is decided at other costs" in page
    assert '<input type="range"' not in page


@pytest.mark.parametrize("question", NOT_SAVED)
def test_saved_counts_answer_as_memory_does(
    near: Any, folder: Path, tmp_path: Path, question: str
) -> None:
    pytest.importorskip("duckdb", reason="one of the engines")
    here, file = near(question).record(), str(tmp_path / "counts.json")
    keep(asked(folder, question, "duckdb"), file)
    told = {name: QUESTIONS[question].get(name) for name in ("cost", "unit", "volume", "costs")}
    told = {name: value for name, value in told.items() if value is not None}
    if "costs" in told:
        told["costs"] = str(folder / told["costs"])
    there = answer(Inquiry(source=file, **told)).record()
    missing = NOT_SAVED[question]
    assert there["absent"] == {**here["absent"], **missing}
    if not missing:
        compare(here, there)
    for one, other in zip(here["models"], there["models"], strict=True):
        assert alike([one[n] for n in EXACTLY], [other[n] for n in EXACTLY])


def test_saved_weights_are_recalibrated_as_they_were(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="one of the engines")
    options = {**DRAWN, "cost": COST, "weight": "part", "engine": "duckdb"}
    source = str(folder / options.pop("source")).replace(".csv", ".parquet")
    far, file = answer(Inquiry(source=source, **options)), str(tmp_path / "counts.json")
    keep(far, file)
    again = answer(Inquiry(source=file, cost=COST))
    for name in far:
        assert again[name].nec == pytest.approx(far[name].nec, rel=1e-12)
        assert again[name].interval == pytest.approx(far[name].interval, rel=1e-9)
        assert again[name].recalibrated_nec == pytest.approx(far[name].recalibrated_nec, rel=1e-9)
    assert again.absent == far.absent


def test_saved_costs_per_case_are_decisions_alone(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="one of the engines")
    far, file = asked(folder, "loans", "duckdb"), str(tmp_path / "counts.json")
    keep(far, file)
    again = answer(Inquiry(source=file, cost=COST))
    assert list(again) == list(far)
    for name in far:
        assert again[name].confusion.counts.tolist() == far[name].confusion.counts.tolist()
    assert again.absent["threshold"] == again.absent["recalibrated_nec"] == "counts-only"
