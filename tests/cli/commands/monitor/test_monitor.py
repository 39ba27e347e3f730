"""`stakes monitor`: periods from files and from dates, alarms, conditions, forms."""

from __future__ import annotations

import json
from datetime import date, timedelta

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostTally, PairedCounts
from stakes.engines import Stream
from stakes.monitoring import watch
from stakes.summaries import load_summary, merge_summaries

GOOD, BAD = [[860, 90], [10, 40]], [[850, 100], [30, 20]]
COST = ("--positive", "yes", "--cost", "fn=10", "fp=1")


@pytest.fixture
def saved(run, tmp_path):
    """Three weeks of counts, the last of them bad."""
    for name, counts in (("w1", GOOD), ("w2", GOOD), ("w3", BAD)):
        ConfusionMatrix(counts, ["no", "yes"]).save(tmp_path / f"{name}.json")
    return run


def _rows(share=0.3, later=0.3, n=300, days=("2026-01-01", "2026-01-20", "2026-02-10")):
    rng = np.random.default_rng(0)
    lines = ["day,y,p,d"]
    for k, day in enumerate(days):
        y = rng.random(n) < (share if k < len(days) - 1 else later)
        p = 1 / (1 + np.exp(-rng.normal(3 * y - 1.5, 1.2)))
        lines += [
            f"{day},{'yes' if a else 'no'},{b:.4f},{'yes' if b > 1 / 11 else 'no'}"
            for a, b in zip(y, p, strict=True)
        ]
    return "\n".join(lines) + "\n"


class TestFiles:
    def test_numbers_are_those_of_the_library(self, saved):
        ran = saved("monitor", "w1.json", "w2.json", "w3.json", *COST, "--json")
        wanted = watch(
            {f"w{k + 1}": ConfusionMatrix(c) for k, c in enumerate((GOOD, GOOD, BAD))},
            application=Application([[0, 1], [10, 0]]),
        )
        assert ran.found["alarms"] == ["w3"]
        for row, cost, p in zip(
            ran.found["periods"][1:], wanted.costs[1:], wanted.p_values, strict=True
        ):
            assert row["cost"] == pytest.approx(cost.value)
            assert row["low"] == pytest.approx(cost.low)
            assert row["p_value"] == pytest.approx(p)
        assert ran.found["periods"][2]["moved"] == list(wanted.changes[1].moved)
        assert ran.found["first_alarm"]["from_errors"]["value"] == pytest.approx(0.21)

    @pytest.mark.parametrize("words", ["fn=0 fp=0", "fn=1 fp=1 tp=1 tn=1", "fn=5 tp=5 fp=1 tn=1"])
    def test_costs_that_are_the_same_whatever_is_decided(self, saved, words):
        ran = saved("monitor", "w*.json", "--positive", "yes", "--cost", *words.split())
        assert (ran.code, ran.out) == (2, "")
        assert "makes no difference what is decided" in ran.err
        assert saved("monitor", "w*.json", "--positive", "yes", "--cost", "fn=1", "fp=0").code == 0

    def test_text(self, saved):
        ran = saved("monitor", "w*.json", *COST)
        assert ran.code == 0
        assert "cases; 2 periods compared with w1" in " ".join(ran.out.split())
        assert "ALARM" in ran.out
        assert "Alarm at w3. Cost per 'yes' rose from 2 to 6" in ran.out
        assert all(len(line) <= 80 for line in ran.out.splitlines())

    def test_without_alarm(self, saved):
        ran = saved("monitor", "w1.json", "w2.json", *COST)
        assert "Nothing moved more than chance: keep deciding as you do." in ran.out
        assert "ALARM" not in ran.out

    def test_files_may_stand_after_the_costs(self, saved):
        ran = saved("monitor", "--positive", "yes", "--cost", "fn=10", "fp=1", "w1.json", "w3.json",
                    "--json")  # fmt: skip
        assert [row["period"] for row in ran.found["periods"]] == ["w1", "w3"]

    def test_quiet_and_csv(self, saved):
        assert saved("monitor", "w*.json", *COST, "--quiet").out == "w3\n"
        lines = saved("monitor", "w*.json", *COST, "--csv").out.splitlines()
        assert lines[0].startswith("period,cases,cost,low,high,change")
        assert len(lines) == 4

    def test_a_reference_and_several_together(self, saved):
        ran = saved("monitor", "w*.json", *COST, "--reference", "w2", "--json")
        assert ran.found["reference"] == "w2"
        ran = saved("monitor", "w*.json", *COST, "--reference-first", "2", "--json")
        assert ran.found["reference"] == "the first 2"
        assert ran.found["periods"][0]["cases"] == 2000
        ran = saved("monitor", "w*.json", *COST, "--reference-first", "2")
        assert "cases; 1 period compared with the first 2" in " ".join(ran.out.split())

    def test_given_shares(self, saved):
        ran = saved("monitor", "w*.json", *COST, "--prevalence", "10%", "--json")
        wanted = 0.9 * 90 / 950 + 0.1 * 10 * 10 / 50
        assert ran.found["periods"][0]["cost"] == pytest.approx(wanted)

    def test_one_of_several_models(self, run, tmp_path):
        for k in range(2):
            joint = PairedCounts.from_decisions(
                [0, 1] * 200, {"a": [0, 1] * 200, "b": [k, 1] * 200}
            )
            joint.save(tmp_path / f"w{k}.json")
        ran = run("monitor", "w0.json", "w1.json", "--cost", "fn=10", "fp=1")
        assert ran.code == 2
        assert "--model a" in ran.err
        ran = run("monitor", "w0.json", "w1.json", "--cost", "fn=10", "fp=1", "--model", "b",
                  "--json")  # fmt: skip
        assert ran.found["model"] == "b"
        assert ran.found["alarms"] == ["w1"]


def test_checkpoints_with_scores_tell_whether_to_retrain(run, tmp_path):
    rng = np.random.default_rng(0)
    app = Application([[0, 1], [10, 0]])
    for k, size in enumerate((2.5, 2.5, 0.8)):
        y = rng.random(3000) < 0.1
        p = 1 / (1 + 9 * np.exp(-rng.normal(size * (y - 0.5), 1.4)))
        stream = Stream(app, scores="bins", bins=256).update(y.astype(int), {"gbm": p})
        stream.save(tmp_path / f"w{k}.json")
    ran = run("monitor", "w*.json", "--cost", "fn=10", "fp=1")
    assert "calibration cannot fix: retrain" in " ".join(ran.out.split())


class TestConditions:
    @pytest.mark.parametrize(
        ("condition", "code"),
        [("alarm", 1), ("cost>0.3", 1), ("cost>0.5", 0), ("change>0.2", 1), ("change<0", 0)],
    )
    def test_exit_codes(self, saved, condition, code):
        ran = saved("monitor", "w*.json", *COST, "--fail-if", condition)
        assert ran.code == code
        assert ("failed: " in ran.err) == bool(code)

    def test_no_alarm_no_failure(self, saved):
        assert saved("monitor", "w1.json", "w2.json", *COST, "--fail-if", "alarm").code == 0

    def test_what_cannot_be_read(self, saved):
        ran = saved("monitor", "w*.json", *COST, "--fail-if", "nec>1")
        assert ran.code == 2
        assert "--fail-if alarm" in ran.err


class TestRows:
    WORDS = ("--label", "y", "--positive", "yes", "--cost", "fn=10", "fp=1")

    def test_dates_in_months(self, run, write):
        write("data.csv", _rows(later=0.5))
        ran = run("monitor", "data.csv", "--time", "day", "--period", "month", "--scores", "p",
                  *self.WORDS, "--json")  # fmt: skip
        assert ran.code == 0, ran.err
        assert [(r["period"], r["cases"]) for r in ran.found["periods"]] == [
            ("2026-01", 600), ("2026-02", 300)
        ]  # fmt: skip
        assert ran.found["periods"][1]["moved"] == ["cost", "priors"]
        assert "act above" in ran.found["advice"]

    def test_scores_decide_as_decisions_do(self, run, write):
        write("data.csv", _rows())
        found = [
            run("monitor", "data.csv", "--time", "day", *how, *self.WORDS, "--json").found[
                "periods"
            ]
            for how in (("--scores", "p"), ("--decisions", "d"))
        ]
        assert found[0] == found[1]

    @pytest.mark.parametrize(
        ("period", "names"),
        [
            ("day", ["2026-01-01", "2026-01-20", "2026-02-10"]),
            ("week", ["2025-12-29", "2026-01-19", "2026-02-09"]),
            ("quarter", ["2026-Q1"]),
            ("year", ["2026"]),
        ],
    )
    def test_names_of_periods(self, run, write, period, names):
        write("data.csv", _rows())
        ran = run("monitor", "data.csv", "--time", "day", "--period", period, "--decisions", "d",
                  *self.WORDS, "--json")  # fmt: skip
        if len(names) == 1:
            assert ran.code == 2
            assert f"there is only one period, '{names[0]}'" in ran.err
        else:
            assert [row["period"] for row in ran.found["periods"]] == names

    def test_costs_per_case(self, run, write):
        rng = np.random.default_rng(1)
        rows = [
            f"{week},{y},{d},{rng.gamma(2):.3f}"
            for week in (1, 2, 10)
            for y, d in rng.choice(["yes", "no"], (100, 2))
        ]
        write("loans.csv", "week,y,d,amount\n" + "\n".join(rows) + "\n")
        ran = run("monitor", "loans.csv", "--time", "week", "--label", "y", "--positive", "yes",
                  "--decisions", "d", "--cost", "fn=amount", "fp=0.1*amount", "--json")  # fmt: skip
        assert ran.code == 0, ran.err
        assert [row["period"] for row in ran.found["periods"]] == ["1", "2", "10"]  # as numbers
        paid = [
            float(a)
            if (y, d) == ("yes", "no")
            else 0.1 * float(a)
            if (y, d) == ("no", "yes")
            else 0
            for _, y, d, a in (row.split(",") for row in rows[:100])
        ]
        assert ran.found["periods"][0]["cost"] == pytest.approx(np.mean(paid))

    @staticmethod
    def dated(days: int, each_day: int, form: str = "%Y-%m-%d") -> str:
        """Rows of so many days, a fifth of each day's cases positive."""
        first = date(2025, 1, 6)
        rows = [
            f"{(first + timedelta(days=day)).strftime(form)},{'yes' if k % 5 == 0 else 'no'},"
            f"{'yes' if k % 4 == 0 else 'no'}"
            for day in range(days)
            for k in range(each_day)
        ]
        return "day,y,d\n" + "\n".join(rows) + "\n"

    @pytest.mark.parametrize(
        ("days", "each_day", "form", "length", "count"),
        [
            (30, 60, "%Y-%m-%d", "day", 30),  # 12 positives a day
            (30, 60, "%Y-%m-%dT08:30:00", "day", 30),
            (150, 10, "%Y-%m-%d", "week", 22),  # 2 a day are 14 a week
            (150, 10, "%Y%m%d", "week", 22),
            (300, 60, "%Y-%m-%d", "week", 43),  # enough a day, but 300 rows
            (150, 5, "%Y-%m-%d", "month", 6),  # 1 a day
            (12, 5, "%Y-%m-%d", "week", 2),  # too few for any, so the longest of two
            (150, 5, "%Y-%m", "month", 6),
            (20, 60, "day %j", None, 20),  # no dates: as they are
            (20, 60, "%j", None, 20),
        ],
    )
    def test_the_length_of_periods_is_chosen(self, run, write, days, each_day, form, length, count):
        write("data.csv", self.dated(days, each_day, form))
        words = ("monitor", "data.csv", "--time", "day", "--decisions", "d", *self.WORDS)
        found = run(*words, "--json").found
        assert found["period"] == length
        assert len(found["periods"]) == count
        printed = run(*words)
        assert ("--period" in " ".join(printed.out.split())) == (length is not None)
        assert len(printed.out.splitlines()) < 70

    def test_many_periods_are_not_all_printed(self, run, write):
        write("data.csv", self.dated(150, 5))
        ran = run("monitor", "data.csv", "--time", "day", "--decisions", "d", *self.WORDS,
                  "--period", "day")  # fmt: skip
        assert ran.out.count("too few") <= 14
        assert "(136 more days without an alarm; --csv has all)" in ran.out
        assert "2025-01-06" in ran.out  # the reference
        assert "2025-06-04" in ran.out  # the last

    def test_a_plot(self, run, write, tmp_path):
        pytest.importorskip("matplotlib", reason="drawings need matplotlib")
        write("data.csv", _rows())
        ran = run("monitor", "data.csv", "--time", "day", "--decisions", "d", *self.WORDS,
                  "--plot", "costs.svg")  # fmt: skip
        assert "plot: costs.svg" in ran.out
        assert "cost per case" in (tmp_path / "costs.svg").read_text(encoding="utf-8")
        ran = run("monitor", "data.csv", "--time", "day", "--decisions", "d", *self.WORDS,
                  "--plot", "costs.docx")  # fmt: skip
        assert ran.code == 2
        assert "costs.svg" in ran.err


class TestRefusals:
    @pytest.mark.parametrize(
        ("words", "said"),
        [
            ((), "a reference and at least one later period"),
            (("w1.json",), "stakes monitor last_month.json this_month.json"),
            (("w1.json", "gone.json"), "there is no file 'gone.json'"),
            (("w1.json", "rows.csv"), "  stakes eval rows.csv --label "),
            (("w1.json", "tally.json"), "holds a CostTally, not counts of decisions"),
            (("w1.json", "w2.json", "--level", "95"), "between 0 and 1"),
            (("w1.json", "w2.json", "--reference", "w9"), "--reference names 'w9'"),
            (("w1.json", "w2.json", "--reference-first", "2"), "must leave periods to watch"),
        ],
    )
    def test_words_that_cannot_be_meant(self, saved, tmp_path, words, said):
        (tmp_path / "rows.csv").write_text(_rows())
        CostTally.from_costs([0, 1], [1.0, 2.0]).save(tmp_path / "tally.json")
        ran = saved("monitor", *words, *COST)
        assert ran.code == 2
        assert said in ran.err

    def test_costs_are_needed(self, saved):
        ran = saved("monitor", "w1.json", "w2.json")
        assert ran.code == 2
        assert "--cost fn=10 fp=1" in ran.err

    def test_dates_that_are_none(self, run, write):
        write("data.csv", _rows(days=("monday", "tuesday")))
        ran = run("monitor", "data.csv", "--time", "day", "--period", "week", "--decisions", "d",
                  *TestRows.WORDS)  # fmt: skip
        assert ran.code == 2
        assert "'monday' in 'day' is not a date" in ran.err

    def test_a_time_that_is_empty(self, run, write):
        write("data.csv", _rows().replace("2026-01-20", "", 1))
        ran = run("monitor", "data.csv", "--time", "day", "--decisions", "d", *TestRows.WORDS)
        assert ran.code == 2
        assert "'day', the time, is empty in row 301" in ran.err


def test_json_holds_no_nan(saved):
    ran = saved("monitor", "w*.json", *COST, "--json")
    assert json.loads(ran.out)["periods"][0]["change"] is None


class TestFilesCountedApart:
    """Rows in many files: the same watch as from one file in memory."""

    WORDS = (*TestRows.WORDS, "--scores", "p", "--json")

    @pytest.fixture
    def stamped(self, run, write, tmp_path):
        pytest.importorskip("duckdb", reason="files are counted by DuckDB")
        pa = pytest.importorskip("pyarrow", reason="these files are written by pyarrow")
        text = _rows(later=0.5)
        write("data.csv", text)
        rows = [line.split(",") for line in text.splitlines()[1:]]
        times = np.array([row[0] for row in rows], dtype="datetime64[s]")
        times = times + np.arange(len(rows)) % 86_400  # each row at a second of its own
        table = pa.table(
            {"day": times, "y": [row[1] for row in rows], "p": [float(row[2]) for row in rows]}
        )
        (tmp_path / "parts").mkdir()
        import pyarrow.parquet

        for k in range(3):
            part = table.slice(k * 300, 300)
            pyarrow.parquet.write_table(part, tmp_path / "parts" / f"{k}.parquet")
        return run

    @pytest.mark.parametrize("engine", ["duckdb", "polars"])
    @pytest.mark.parametrize("period", ["day", "week", "month"])
    def test_agrees_with_rows_in_memory(self, stamped, engine, period):
        if engine == "polars":
            pytest.importorskip("polars", reason="one of the engines")
        words = ("--time", "day", "--period", period, *self.WORDS)
        wanted = stamped("monitor", "data.csv", *words).found
        ran = stamped("monitor", "parts/*.parquet", *words, "--engine", engine)
        assert ran.code == 0, ran.err
        assert ran.found["periods"] == wanted["periods"]
        assert ran.found["alarms"] == wanted["alarms"]

    def test_too_many_times(self, stamped, monkeypatch):
        monkeypatch.setattr("stakes.cli.commands.monitor.period_input.MOST", 10)
        words = ("parts/*.parquet", "--time", "day", *self.WORDS)
        ran = stamped("monitor", *words, "--period", "hour")
        assert ran.code == 0, ran.err
        monkeypatch.setattr("stakes.cli.commands.monitor.period_input.MOST", 2)
        ran = stamped("monitor", *words, "--period", "hour")
        assert ran.code == 2
        assert "--period day" in ran.err

    def test_the_length_is_chosen_alike(self, stamped):
        words = ("--time", "day", *self.WORDS)
        wanted = stamped("monitor", "data.csv", *words).found
        found = stamped("monitor", "parts/*.parquet", *words).found
        assert found["period"] == wanted["period"] == "day"
        assert found["periods"] == wanted["periods"]


class TestGroups:
    """Customers with ten like cases each: rows, and counts that were saved by group."""

    WORDS = ("--label", "y", "--positive", "yes", "--decisions", "d", "--cost", "fn=10", "fp=1")

    @pytest.fixture
    def customers(self, run, write):
        rng = np.random.default_rng(2)
        lines = []
        for week in (1, 2):
            for customer in range(60):
                y, wrong = rng.random() < 0.4, rng.random() < 0.2
                said = "yes" if y != wrong else "no"
                lines += [f"{week},c{week}-{customer},{'yes' if y else 'no'},{said}"] * 10
            header = "week,customer,y,d\n"
            write(f"w{week}.csv", header + "\n".join(lines[-600:]) + "\n")
        write("all.csv", header + "\n".join(lines) + "\n")
        return run

    def test_whole_customers_vary(self, customers):
        words = ("monitor", "all.csv", "--time", "week", *self.WORDS, "--json")
        alone = customers(*words).found["periods"][1]
        grouped = customers(*words, "--groups", "customer").found["periods"][1]
        assert grouped["cost"] == pytest.approx(alone["cost"])
        assert grouped["high"] - grouped["low"] > 2 * (alone["high"] - alone["low"])
        assert grouped["p_value"] > alone["p_value"]

    def test_groups_are_saved_merged_and_watched(self, customers):
        for week in (1, 2):
            ran = customers("eval", f"w{week}.csv", *self.WORDS, "--groups", "customer",
                            "--save", f"w{week}.json", "--quiet")  # fmt: skip
            assert ran.code == 0, ran.err
        both = merge_summaries([load_summary(f"w{week}.json") for week in (1, 2)])
        assert both.n_groups == (120,)
        saved = customers("monitor", "w1.json", "w2.json", "--positive", "yes", "--cost", "fn=10",
                          "fp=1", "--json").found["periods"][1]  # fmt: skip
        rows = customers("monitor", "all.csv", "--time", "week", *self.WORDS, "--groups",
                         "customer", "--json").found["periods"][1]  # fmt: skip
        assert saved["p_values"] == pytest.approx(rows["p_values"])


class TestClocks:
    WORDS = ("--time", "day", "--label", "y", "--scores", "p", *COST, "--json")

    def _names(self, run, *words):
        ran = run("monitor", *words, *self.WORDS)
        assert ran.code == 0, ran.err
        return [(row["period"], row["cases"]) for row in ran.found["periods"]]

    @pytest.mark.parametrize("engine", [None, "duckdb", "polars"])
    def test_texts_keep_the_clock_they_are_written_in(self, run, write, engine):
        if engine is not None:
            pytest.importorskip(engine, reason="the engine is an extra")
        days = ("2026-01-01T00:30:00+02:00", "2026-01-31 23:30:00Z", "2026-02-28T23:59:59-05:00")
        name = write("c.csv", _rows(days=days))
        words = (name, "--period", "month", *(("--engine", engine) if engine else ()))
        assert self._names(run, *words) == [("2026-01", 600), ("2026-02", 300)]

    @pytest.mark.parametrize("engine", [None, "duckdb", "polars"])
    def test_instants_with_a_zone_are_taken_in_utc(self, run, tmp_path, engine):
        pa = pytest.importorskip("pyarrow", reason="Parquet is an extra")
        if engine is not None:
            pytest.importorskip(engine, reason="the engine is an extra")
        import pyarrow.parquet

        at = ["2026-01-01T00:30", "2026-02-01T00:30"]  # both still the month before in New York
        stamps = pa.array(np.repeat(np.array(at, "datetime64[us]"), 60))
        rows = {"day": stamps.cast(pa.timestamp("us", "America/New_York")),
                "y": ["no", "no", "yes"] * 40, "p": [0.05, 0.3, 0.6] * 40}  # fmt: skip
        pyarrow.parquet.write_table(pa.table(rows), tmp_path / "t.parquet")
        words = ("t.parquet", "--period", "month", *(("--engine", engine) if engine else ()))
        assert self._names(run, *words) == [("2026-01", 60), ("2026-02", 60)]

    def test_dates_without_dashes(self, run, write):
        name = write("c.csv", _rows(days=("20260101", "20260215")))
        assert self._names(run, name, "--period", "month") == [("2026-01", 300), ("2026-02", 300)]

    @pytest.mark.parametrize("day", ["1767225600", "7", "2026-13-01", "2026-02-30"])
    def test_numbers_and_days_that_are_no_dates(self, run, write, day):
        ran = run("monitor", write("c.csv", _rows(days=(day, "2026-02-01"))), "--period", "month",
                  *self.WORDS)  # fmt: skip
        assert ran.code == 2
        assert f"'{day}' in 'day' is not a date that I can read" in ran.err


class TestNothingToCompare:
    def test_one_period(self, run, write):
        ran = run("monitor", write("c.csv", _rows(days=("2026-01-01", "2026-01-02"))), "--period",
                  "month", *TestClocks.WORDS)  # fmt: skip
        assert ran.code == 2
        assert "there is only one period, '2026-01'" in ran.err

    def test_the_last_as_reference(self, saved):
        ran = saved("monitor", "w*.json", *COST, "--reference", "w3")
        assert ran.code == 2
        assert "'w3' is the last period" in ran.err

    def test_a_reference_that_is_not_there(self, saved):
        ran = saved("monitor", "w*.json", *COST, "--reference", "w9")
        assert ran.code == 2
        assert "--reference names 'w9', but there are 'w1', 'w2', 'w3'" in ran.err

    def test_all_periods_are_counted_where_not_all_are_named(self, run, write):
        days = [f"2026-01-{k + 1:02}" for k in range(20)]
        ran = run("monitor", write("c.csv", _rows(n=20, days=days)), "--period", "day",
                  "--reference", "2026-02-01", *TestClocks.WORDS)  # fmt: skip
        assert "'2026-01-09', '2026-01-10' and 10 more." in ran.err

    def test_a_class_that_is_absent_at_given_shares(self, saved, tmp_path):
        ConfusionMatrix([[900, 50], [0, 0]], ["no", "yes"]).save(tmp_path / "w4.json")
        ran = saved("monitor", "w*.json", *COST, "--prevalence", "5%")
        assert ran.code == 2
        assert "leave --prevalence out" in ran.err
        again = saved("monitor", "w1.json", "w4.json", *COST)
        assert "its labels may not have come" in " ".join(again.out.split())


def test_csv_leaves_cells_without_a_number_empty(saved):
    rows = saved("monitor", "w*.json", *COST, "--csv").out.splitlines()
    assert rows[1].startswith("w1,1000,")
    assert rows[1].endswith(",,,,,,False,labels")


def test_no_change_has_no_sign(saved):
    (row,) = [x for x in saved("monitor", "w1.json", "w2.json", *COST).out.splitlines()
              if x.startswith("w2 ")]  # fmt: skip
    assert row.split()[-4:] == ["0", "0", "0", "1.00"]


@pytest.mark.parametrize(
    ("name", "said"),
    [("away/costs.png", "there is no folder 'away'"), ("costs.docx", "I cannot draw into")],
)
def test_a_plot_that_cannot_be_written_is_refused_before_any_work(saved, name, said):
    pytest.importorskip("matplotlib", reason="plots are an extra")
    ran = saved("monitor", "w*.json", *COST, "--plot", name)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


@pytest.mark.parametrize("words", [(), ("--engine", "duckdb"), ("--engine", "polars")])
def test_weights_are_not_taken_for_cases(run, write, words):
    for module in words[1:]:
        pytest.importorskip(module, reason="one of the engines")
    lines = _rows().splitlines()
    name = write("d.csv", "\n".join([lines[0] + ",w", *(f"{line},2" for line in lines[1:])]) + "\n")
    ran = run("monitor", name, "--label", "y", "--scores", "p", *COST, "--time", "day",
              "--weight", "w", *words)  # fmt: skip
    assert ran.code == 2
    assert "--weight is not for monitoring" in ran.err


def test_counts_of_weighted_rows_are_refused_in_words_of_the_command_line(saved, tmp_path):
    weighted = ConfusionMatrix(np.array(GOOD) * 0.7301, ["no", "yes"])
    weighted.save(tmp_path / "w0.json")
    ran = saved("monitor", "w0.json", "w1.json", *COST)
    assert ran.code == 2
    assert "'w0': the confusion matrix holds weights, not numbers of cases" in ran.err
    assert "count cases for monitoring:  stakes eval ... --save FILE,  without --weight" in ran.err
    assert "without --weight" in ran.err
    assert "compare_across" not in ran.err
