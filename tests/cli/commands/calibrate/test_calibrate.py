from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest

from stakes import Posteriors
from stakes.calibration import Affine, load
from stakes.calibration.calibrator_json import every_kind, sealed
from stakes.cli.commands.calibrate import KINDS
from stakes.demonstration import example_path
from stakes.posteriors import estimate_priors

CHURN = ("--label", "churned", "--positive", "yes", "--model", "gbm_p", "--cost", "fn=40", "fp=4")


@pytest.fixture
def churn():
    return str(example_path("churn.csv"))


def rows_of(path):
    with open(path, newline="") as file:  # noqa: PTH123
        return list(csv.DictReader(file))


class TestLearn:
    def test_prints_before_and_after_and_saves(self, run, churn):
        ran = run("calibrate", churn, *CHURN, "--unit", "EUR", "-o", "cal.json")
        assert ran.code == 0, ran.err
        assert "uncalibrated  calibrated" in ran.out
        assert "cost per case, EUR" in ran.out
        assert "stakes calibrate --apply cal.json" in ran.out
        assert load("cal.json").classes == ("no", "yes")

    def test_json_holds_everything(self, run, churn):
        found = run("calibrate", churn, *CHURN, "--json", "--kind", "automatic").found
        assert found["cost"]["after"] < found["cost"]["before"]
        assert found["cost"]["low"] < found["cost"]["gain"] < found["cost"]["high"]
        assert found["cost"]["fitting"] == "cross-fitted"
        assert found["candidates"][0]["candidate"] == "as is"

    def test_json_is_strict_and_has_these_keys(self, run, churn):
        ran = run("calibrate", churn, *CHURN, "--unit", "EUR", "--prevalence", "5%", "--json",
                  "--kind", "affine", "-o", "cal.json")  # fmt: skip
        found = json.loads(ran.out, parse_constant=pytest.fail)
        assert sorted(found) == sorted(
            [
                "source",
                "sha256",
                "cases",
                "label",
                "model",
                "columns",
                "scores_are",
                "asked",
                "kind",
                "members",
                "why",
                "bound",
                "folds",
                "seed",
                "groups",
                "application",
                "cost",
                "nec",
                "cross_entropy",
                "compared",
                "candidates",
                "chosen_by",
                "without",
                "failures",
                "sentences",
                "notes",
                "warnings",
                "output",
                "plot",
            ]
        )
        assert sorted(found["cost"]) == sorted(
            [
                "measure",
                "before",
                "after",
                "gain",
                "low",
                "high",
                "relative",
                "fitting",
                "calibrator",
                "level",
                "impossible_before",
                "impossible_after",
            ]
        )
        assert (found["source"], found["cases"], found["output"]) == ("churn.csv", 5000, "cal.json")
        assert (found["asked"], found["kind"]) == ("affine", "affine")
        assert (found["chosen_by"], found["compared"], found["without"]) == (None, None, "fit")
        assert (found["label"], found["columns"]) == ("churned", {"score": "gbm_p"})
        app = found["application"]
        assert (app["classes"], app["unit"]) == (["no", "yes"], "EUR")
        assert app["priors"] == pytest.approx([0.95, 0.05])
        assert app["data_priors"] == pytest.approx([4612 / 5000, 388 / 5000])
        assert app["costs"] == [[0, 4], [40, 0]]
        naive = min(0.05 * 40, 0.95 * 4)
        assert found["nec"]["after"] == pytest.approx(found["cost"]["after"] / naive)
        assert found["cross_entropy"]["before"] is None  # infinite
        assert found["cross_entropy"]["impossible_before"] > 0
        again = run("calibrate", churn, *CHURN, "--unit", "EUR", "--prevalence", "5%", "--json",
                    "--kind", "affine", "-o", "cal.json")  # fmt: skip
        assert again.out == ran.out

    def test_json_of_an_average_names_its_members(self, run, churn):
        found = run("calibrate", churn, *CHURN, "--kind", "average", "--json").found
        assert [member["kind"] for member in found["members"]] == ["rank", "venn-abers", "beta"]
        assert sum(member["weight"] for member in found["members"]) == pytest.approx(1)

    def test_json_of_curves_for_a_cost_tells_which_is_which(self, run, write):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 300)
        rows = "".join(f"{a},{b:.4f}\n" for a, b in zip(y, rng.normal(size=300) + y, strict=True))
        found = run("calibrate", write("t.csv", f"y,s\n{rows}"), "--label", "y", "--model", "s",
                    "--scores-are", "log_odds", "--cost", "fn=9", "fp=1", "--choose-by", "cost",
                    "--json").found  # fmt: skip
        plain, weighed, scale = found["members"]
        assert plain["kind"] == weighed["kind"] == "smooth"
        assert scale["kind"] == "temperature"
        assert "emphasis" not in plain
        assert weighed["emphasis"] == pytest.approx([1 / 3, 1])

    def test_json_of_ranks_has_nothing_before(self, run, write):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 300)
        rows = "".join(f"{a},{b:.4f}\n" for a, b in zip(y, rng.normal(size=300) + y, strict=True))
        found = run("calibrate", write("t.csv", f"y,s\n{rows}"), "--label", "y", "--model", "s",
                    "--scores-are", "rank", "--json").found  # fmt: skip
        for part in (found["cost"], found["nec"], found["cross_entropy"]):
            assert part["before"] is part["low"] is part["gain"] is None
            assert part["after"] > 0
        assert "Uncalibrated" not in found["why"]

    def test_the_kind_asked_for_is_fitted_as_in_python(self, run, churn):
        run("calibrate", churn, *CHURN, "--kind", "affine", "-o", "cal.json")
        table = rows_of(churn)
        p = np.array([float(row["gbm_p"]) for row in table])
        y = np.array([row["churned"] for row in table])
        with np.errstate(divide="ignore"):
            odds = np.log(p) - np.log1p(-p)
        ours = Affine(bound="data", classes=["no", "yes"]).fit(odds, y)
        given = Posteriors.from_logits(odds)
        np.testing.assert_allclose(load("cal.json").posteriors(given), ours.posteriors(given))

    def test_without_costs_every_error_costs_one(self, run, churn):
        ran = run("calibrate", churn, *CHURN[:6])
        assert ran.code == 0, ran.err
        assert "cost per case " in ran.out

    def test_prevalence_is_the_target(self, run, churn):
        run("calibrate", churn, *CHURN, "--prevalence", "2%", "-o", "cal.json")
        np.testing.assert_allclose(load("cal.json").priors, [0.98, 0.02])

    def test_prevalence_does_not_make_reliable_forecasts_look_wrong(self, run, write):
        rng = np.random.default_rng(0)
        y = rng.random(1500) < 0.3
        p = 1 / (1 + np.exp(-(rng.normal(size=1500) + 2 * y - 1 + np.log(0.3 / 0.7))))
        write("p.csv", "y,p\n" + "".join(f"{int(a)},{b:.9f}\n" for a, b in zip(y, p, strict=True)))
        words = ("--label", "y", "--positive", "1", "--model", "p", "--kind", "affine")
        found = run("calibrate", "p.csv", *words, "--prevalence", "1%", "--json").found
        assert found["sentences"][1] == (
            "Calibrated (at the shares of this file): "
            "the probability of '1' is right, within chance."
        )

    @pytest.mark.parametrize("words", [("--seed", "-1"), ("--posteriors-already-adjusted",)])
    def test_options_that_cannot_be_meant_are_refused(self, run, churn, words):
        ran = run("calibrate", churn, *CHURN, *words)
        assert ran.code == 2
        assert words[0] in ran.err

    def test_every_calibrator_can_be_asked_for(self):
        assert set(KINDS.split(", ")) == set(every_kind()) - {"shifted", "constant"}

    def test_many_classes(self, run):
        pets = str(example_path("pets.csv"))
        ran = run("calibrate", pets, "--label", "species", "--proba", "large.p_*", "--json",
                  "--kind", "temperature")  # fmt: skip
        assert ran.code == 0, ran.err
        assert ran.found["kind"] == "temperature"

    def test_two_models_are_refused(self, run, churn):
        ran = run("calibrate", churn, *CHURN[:4], "--scores", "gbm_p,logreg_p")
        assert ran.code == 2
        assert "one model" in ran.err
        assert "--model gbm_p" in ran.err

    def test_few_cases_are_said(self, run, write):
        rows = "".join(f"{k % 2},{0.3 + 0.4 * (k % 2 == (k % 3 > 0))}\n" for k in range(60))
        ran = run("calibrate", write("few.csv", f"y,p\n{rows}"), "--model", "p")
        assert ran.code == 0, ran.err
        assert "only 30 cases" in ran.err

    def test_groups_and_ranks(self, run, write):
        rng = np.random.default_rng(0)
        lines = "".join(
            f"{y},{s:.3f},{k // 5}\n"
            for k, (y, s) in enumerate(
                (y, rng.normal() + 3 * y) for y in rng.integers(0, 2, 400).tolist()
            )
        )
        name = write("t.csv", f"y,s,who\n{lines}")
        ran = run("calibrate", name, "--label", "y", "--model", "s", "--scores-are", "rank",
                  "--groups", "who", "-o", "cal.json")  # fmt: skip
        assert ran.code == 0, ran.err
        assert "Calibrated:" in ran.out
        assert "Uncalibrated" not in ran.out

    def test_plot_shows_both_with_their_bands(self, run, churn, tmp_path):
        pytest.importorskip("matplotlib", reason="drawing needs matplotlib")
        assert run("calibrate", churn, *CHURN, "--kind", "affine", "--plot", "r.svg").code == 0
        drawn = (tmp_path / "r.svg").read_text()
        assert drawn.count('id="band"') == 2
        assert ">uncalibrated<" in drawn
        assert ">probability said for yes<" in drawn

    def test_plot_of_many_classes_is_of_the_most_probable(self, run, tmp_path):
        pytest.importorskip("matplotlib", reason="drawing needs matplotlib")
        pets = str(example_path("pets.csv"))
        ran = run("calibrate", pets, "--label", "species", "--proba", "large.p_*",
                  "--kind", "temperature", "--plot", "r.svg")  # fmt: skip
        assert ran.code == 0, ran.err
        assert "its most probable class" in (tmp_path / "r.svg").read_text()

    def test_plot_when_the_most_probable_class_is_always_right(self, run, write, tmp_path):
        pytest.importorskip("matplotlib", reason="drawing needs matplotlib")
        rows = "".join(
            f"{'abc'[k % 3]}," + ",".join(f"{0.8 if k % 3 == j else 0.1}" for j in range(3)) + "\n"
            for k in range(90)
        )
        ran = run("calibrate", write("t.csv", f"y,p_a,p_b,p_c\n{rows}"), "--label", "y",
                  "--proba", "p_*", "--kind", "temperature", "--plot", "r.svg")  # fmt: skip
        assert ran.code == 0, ran.err
        assert "always right" in ran.err
        assert not (tmp_path / "r.svg").exists()


@pytest.mark.parametrize("costs", [("fn=0", "fp=0"), ("fn=4", "fp=4")])
def test_costs_of_0_put_nothing_at_stake(run, churn, costs):
    ran = run("calibrate", churn, *CHURN[:6], "--kind", "affine", "--cost", *costs)
    assert ran.code == 0, ran.err
    said = " ".join(ran.out.split())
    assert ("nothing is at stake" in said) == (costs[0] == "fn=0")
    assert costs[0] != "fn=0" or "cannot tell" not in said


class TestImpossibleTruth:
    """Row 12 of the file was called impossible, by a finite number."""

    @pytest.fixture
    def marked(self, write):
        rng = np.random.default_rng(0)
        y = (rng.random(400) < 0.5).astype(int)
        s = rng.normal(size=400) + 2 * y - 1
        s[11] = -1e9 if y[11] else 1e9
        rows = "".join(f"{a},{b:.6g}\n" for a, b in zip(y, s, strict=True))
        return (write("t.csv", f"y,s\n{rows}"), "--label", "y", "--model", "s",
                "--scores-are", "log_odds")  # fmt: skip

    def test_is_named_with_what_to_type(self, run, marked):
        ran = run("calibrate", *marked, "--kind", "affine")
        assert (ran.code, ran.out) == (2, "")
        said = " ".join(ran.err.split())
        assert "in row 12 and in 1 of 400 rows" in said
        bound = said.rpartition("--bound ")[2]
        again = run("calibrate", *marked, "--kind", "affine", "--bound", bound, "--json")
        assert again.code == 0, again.err
        assert again.found["cross_entropy"]["after"] < 0.6
        assert again.found["cross_entropy"]["impossible_before"] == 1
        assert any("(first: row 12)" in sentence for sentence in again.found["sentences"])

    def test_the_automatic_choice_says_what_it_left_out(self, run, marked):
        ran = run("calibrate", *marked, "--kind", "automatic")
        assert ran.code == 0, ran.err
        said = " ".join(ran.out.split())
        assert "Could not be fitted: temperature, beta, affine (the scores put the true" in said
        assert (
            "In 1 of 400 cases (first: row 12) the model gave the true outcome a probability below "
            "1e-300, which" in said
        )

    @pytest.mark.parametrize("bound", ["0", "-3", "inf", "much"])
    def test_bound_is_a_number(self, run, marked, bound):
        ran = run("calibrate", *marked, f"--bound={bound}")
        assert ran.code == 2
        assert "--bound must be a positive number or 'data'" in ran.err


class TestApply:
    def test_adds_a_column_and_keeps_the_others(self, run, churn):
        run("calibrate", churn, *CHURN, "-o", "cal.json")
        ran = run("calibrate", "--apply", "cal.json", churn, "-o", "out.csv")
        assert ran.code == 0, ran.err
        before, after = rows_of(churn), rows_of("out.csv")
        assert [{k: row[k] for k in before[0]} for row in after] == before
        p = np.array([float(row["gbm_p"]) for row in before])
        with np.errstate(divide="ignore"):
            odds = np.log(p) - np.log1p(-p)
        found = [float(row["gbm_p_calibrated"]) for row in after]
        expected = load("cal.json").posteriors(Posteriors.from_logits(odds))[:, 1]
        np.testing.assert_allclose(found, expected, rtol=1e-8)

    def test_prevalence_moves_the_probabilities(self, run, churn):
        run("calibrate", churn, *CHURN, "--kind", "affine", "-o", "cal.json")
        run("calibrate", "--apply", "cal.json", churn, "--prevalence", "2%", "-o", "out.csv")
        cal, rows = load("cal.json"), rows_of("out.csv")[:20]
        said = np.array([float(row["gbm_p"]) for row in rows])
        expected = cal.with_priors([0.98, 0.02]).posteriors(Posteriors(said))[:, 1]
        found = [float(row["gbm_p_calibrated"]) for row in rows]
        np.testing.assert_allclose(found, expected, rtol=1e-7)

    @pytest.mark.parametrize(
        "words", [("--kind", "affine"), ("--cost", "fn=2"), ("--json",), ("-o", "out.xlsx")]
    )
    def test_what_does_nothing_is_refused(self, run, churn, words):
        run("calibrate", churn, *CHURN, "--kind", "affine", "-o", "cal.json")
        ran = run("calibrate", "--apply", "cal.json", churn, *words)
        assert ran.code == 2
        assert "--apply" in ran.err

    def test_damaged_source_is_refused(self, run, churn, write):
        saved = Affine().fit([-1.0, 1.0, 0.0, 0.5], [0, 0, 1, 1]).to_dict()
        write("cal.json", sealed({**saved, "input": []}).decode())
        ran = run("calibrate", "--apply", "cal.json", churn)
        assert ran.code == 2
        assert "is damaged" in ran.err

    def test_without_output_prints_the_table(self, run, churn):
        run("calibrate", churn, *CHURN, "--kind", "affine", "-o", "cal.json")
        ran = run("calibrate", "--apply", "cal.json", churn)
        assert ran.out.splitlines()[0].endswith(",gbm_p_calibrated")

    def test_class_columns(self, run):
        pets = str(example_path("pets.csv"))
        run("calibrate", pets, "--label", "species", "--proba", "large.p_*", "--kind", "affine",
            "-o", "cal.json")  # fmt: skip
        run("calibrate", "--apply", "cal.json", pets, "-o", "out.csv")
        row = rows_of("out.csv")[0]
        total = sum(float(v) for k, v in row.items() if k.startswith("calibrated.p_"))
        assert total == pytest.approx(1)

    def test_twice_is_refused(self, run, churn):
        run("calibrate", churn, *CHURN, "--kind", "affine", "-o", "cal.json")
        run("calibrate", "--apply", "cal.json", churn, "-o", "out.csv")
        ran = run("calibrate", "--apply", "cal.json", "out.csv", "-o", "again.csv")
        assert ran.code == 2
        assert "already has a column" in ran.err

    def test_other_files_are_refused(self, run, churn, write):
        ran = run("calibrate", "--apply", write("x.json", "{}"), churn)
        assert ran.code == 2
        assert "not a saved calibrator" in ran.err

    def test_no_file_says_what_to_type(self, run, write):
        ran = run("calibrate", "--apply", write("x.json", "{}"))
        assert ran.code == 2
        assert "--apply cal.json new.csv" in ran.err

    def test_other_scale_is_refused(self, run, churn, write):
        run("calibrate", churn, *CHURN, "--kind", "affine", "-o", "cal.json")
        name = write("new.csv", "gbm_p\n0.2\n3.7\n")
        ran = run("calibrate", "--apply", "cal.json", name)
        assert ran.code == 2
        assert "probabilities" in ran.err

    def test_missing_score_names_the_row(self, run, churn, write):
        run("calibrate", churn, *CHURN, "--kind", "affine", "-o", "cal.json")
        ran = run("calibrate", "--apply", "cal.json", write("new.csv", "id,gbm_p\n1,0.2\n2,\n"))
        assert ran.code == 2
        assert "row 2" in ran.err

    def test_saved_file_is_plain_json(self, run, churn, tmp_path):
        run("calibrate", churn, *CHURN, "-o", "cal.json")
        saved = json.loads((tmp_path / "cal.json").read_text(), parse_constant=pytest.fail)
        assert saved["input"]["model"] == "gbm_p"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "away/cal.json"), "there is no folder 'away' to write cal.json into"),
        (("--plot", "picture.docx"), "I cannot draw into 'picture.docx'"),
        (("--plot", "away/r.svg"), "there is no folder 'away' to write r.svg into"),
        (("--apply", "cal.json", "--plot", "r.svg"), "--plot needs the truth"),
    ],
)
def test_what_could_not_be_written_is_refused_before_any_work(run, churn, words, said):
    pytest.importorskip("matplotlib", reason="draws")
    ran = run("calibrate", churn, *CHURN, *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


class TestEstimatedShares:
    @staticmethod
    def scored(rng, n, share):
        """Log odds that are right where the share is 30 %."""
        y = (rng.random(n) < share).astype(int)
        return 2 * rng.normal(size=n) + 4 * y - 2 + np.log(0.3 / 0.7), y

    @pytest.fixture
    def learnt(self, run, write):
        rng = np.random.default_rng(0)
        odds, y = self.scored(rng, 3000, 0.3)
        rows = "".join(f"{'ny'[a]},{b:.6f}\n" for a, b in zip(y, odds, strict=True))
        ran = run("calibrate", write("old.csv", f"y,s\n{rows}"), "--label", "y", "--positive", "y",
                  "--model", "s", "--scores-are", "log_odds", "--kind", "affine",
                  "-o", "cal.json")  # fmt: skip
        assert ran.code == 0, ran.err
        odds, y = self.scored(rng, 4000, 0.05)
        write("new.csv", "s\n" + "".join(f"{value:.6f}\n" for value in odds))
        return odds, y

    def test_are_said_with_an_interval_and_applied(self, run, learnt):
        odds, y = learnt
        words = ("--apply", "cal.json", "new.csv", "--prevalence", "estimate", "-o", "out.csv")
        ran = run("calibrate", *words)
        assert ran.code == 0, ran.err
        match = re.match(
            r"Estimated share of 'y' in new\.csv: (\S+) % \((\S+) to (\S+)\), used for "
            r"calibration; (\S+) % when learnt\. calibrated 4 000 rows of new\.csv: out\.csv$",
            " ".join(ran.out.split()),
        )
        share, low, high, old = (float(value) / 100 for value in match.groups())
        assert low < share < high
        assert low < y.mean() < high
        assert old == pytest.approx(load("cal.json").priors[1], abs=0.001)
        cal = load("cal.json")
        given = Posteriors.from_logits(np.round(odds, 6))
        there = estimate_priors(cal.posteriors(given), cal.priors)
        assert share == pytest.approx(there.priors[1], abs=0.001)
        expected = cal.with_priors(there.priors).posteriors(given)[:, 1]
        found = [float(row["s_calibrated"]) for row in rows_of("out.csv")]
        np.testing.assert_allclose(found, expected, rtol=1e-6)

    def test_as_json(self, run, learnt):
        words = ("--apply", "cal.json", "new.csv", "--prevalence", "estimate", "-o", "out.csv")
        found = run("calibrate", *words, "--json").found
        assert (found["rows"], found["columns"]) == (4000, ["s_calibrated"])
        low, at, high = (found[k]["y"] for k in ("priors_low", "priors", "priors_high"))
        assert low < at < high < found["calibrated_for"]["y"]
        given = run("calibrate", *words[:4], "2%", *words[5:], "--json").found
        assert given["priors"] == pytest.approx({"n": 0.98, "y": 0.02})
        assert given["priors_low"] is None

    def test_the_table_alone_goes_to_stdout(self, run, learnt):
        ran = run("calibrate", "--apply", "cal.json", "new.csv", "--prevalence", "estimate")
        assert ran.out.startswith("s,s_calibrated\n")
        assert ran.err.startswith("Estimated share of 'y' in new.csv: ")

    def test_no_change_is_said(self, run, learnt):
        ran = run("calibrate", "--apply", "cal.json", "old.csv", "--prevalence", "estimate",
                  "-o", "out.csv")  # fmt: skip
        assert "a difference within chance" in ran.out

    def test_many_outcomes(self, run):
        pets = str(example_path("pets.csv"))
        run("calibrate", pets, "--label", "species", "--proba", "large.p_*", "--kind", "affine",
            "-o", "cal.json")  # fmt: skip
        ran = run("calibrate", "--apply", "cal.json", pets, "--prevalence", "estimate",
                  "-o", "out.csv")  # fmt: skip
        assert ran.code == 0, ran.err
        assert [line.split(" in ")[0] for line in ran.out.splitlines() if "share" in line] == [
            f"Estimated share of '{name}'" for name in load("cal.json").classes
        ]

    def test_are_refused_where_the_truth_is(self, run, learnt):
        ran = run("calibrate", "old.csv", "--label", "y", "--model", "s", "--prevalence",
                  "estimate")  # fmt: skip
        assert (ran.code, ran.out) == (2, "")
        assert "--apply cal.json new.csv" in ran.err

    def test_are_refused_where_scores_tell_nothing(self, run, learnt, write):
        write("new.csv", "s\n-0.5\n")
        ran = run("calibrate", "--apply", "cal.json", "new.csv", "--prevalence", "estimate")
        assert (ran.code, ran.out) == (2, "")
        assert "by the scores of 1 case." in ran.err
        assert "--prevalence 2%" in ran.err

    def test_are_refused_where_an_outcome_would_vanish(self, run, learnt, write):
        write("new.csv", "s\n" + "-9\n" * 3000)
        ran = run("calibrate", "--apply", "cal.json", "new.csv", "--prevalence", "estimate")
        assert (ran.code, ran.out) == (2, "")
        assert "no case of 'y' at all" in ran.err

    @pytest.mark.parametrize("seed", range(6))
    def test_say_at_most_where_there_may_be_none(self, run, learnt, write, seed):
        odds, _ = self.scored(np.random.default_rng(seed), 1000, 0.0)
        write("new.csv", "s\n" + "".join(f"{value:.6f}\n" for value in odds))
        ran = run("calibrate", "--apply", "cal.json", "new.csv", "--prevalence", "estimate",
                  "-o", "out.csv")  # fmt: skip
        said = " ".join((ran.out + ran.err).split())
        most = re.search(r"at most (\S+) %", said)
        assert float(most[1]) < 3
        assert ("perhaps none" if ran.code == 0 else "no case of 'y' at all") in said

    def test_help_tells(self, run):
        assert "--prevalence estimate -o out.csv" in run("calibrate", "--help-all").out


class TestOwnInput:
    def test_apply_refuses_to_write_over_what_it_reads(self, run, churn, write, tmp_path):
        run("calibrate", churn, *CHURN, "--kind", "affine", "-o", "cal.json")
        new = write("new.csv", "gbm_p\n0.2\n0.7\n")
        (tmp_path / "link.csv").symlink_to(tmp_path / "new.csv")
        (tmp_path / "there").mkdir()
        for read, written in [
            (new, "new.csv"),
            (new, "./there/../new.csv"),
            (new, str(tmp_path / "new.csv")),
            (new, "link.csv"),
            ("link.csv", "new.csv"),
        ]:
            ran = run("calibrate", "--apply", "cal.json", read, "-o", written)
            assert (ran.code, ran.out) == (2, "")
            assert f"-o {written} would overwrite a file which is read ({read})" in ran.err
            assert (tmp_path / "new.csv").read_text() == "gbm_p\n0.2\n0.7\n"
        assert "-o new_new.csv" in ran.err

    def test_before_any_work(self, run, write):
        ran = run("calibrate", "--apply", "absent.json", "absent.csv", "-o", "absent.csv")
        assert "would overwrite" in ran.err

    def test_the_calibration_itself_is_not_overwritten(self, run, churn, write):
        run("calibrate", churn, *CHURN, "--kind", "affine", "-o", "cal")
        ran = run("calibrate", "--apply", "cal", churn, "-o", "cal")
        assert "would overwrite a file which is read (cal)" in ran.err

    @pytest.mark.parametrize("option", ["-o", "--plot"])
    def test_learning_refuses_as_well(self, run, write, option):
        data = write("data.svg", "y,p\n0,0.2\n1,0.7\n")
        ran = run("calibrate", data, "--label", "y", "--model", "p", option, "./data.svg")
        assert (ran.code, ran.out) == (2, "")
        assert f"{option} ./data.svg would overwrite a file which is read (data.svg)" in ran.err

    def test_two_results_need_two_files(self, run, churn):
        ran = run("calibrate", churn, *CHURN, "-o", "r.svg", "--plot", "./r.svg")
        assert "--plot ./r.svg would overwrite a file that -o writes" in ran.err

    def test_standard_input_may_be_the_file(self, run, churn, write, monkeypatch, tmp_path):
        write("new.csv", "gbm_p\n0.2\n0.7\n")
        with (tmp_path / "new.csv").open() as stream:
            monkeypatch.setattr("sys.stdin", stream)
            ran = run("calibrate", "--apply", "cal.json", "-", "-o", "new.csv")
        assert "would overwrite a file which is read (-)" in ran.err

    def test_a_pipe_is_no_input(self, run, churn):
        ran = run("calibrate", churn, *CHURN, "--kind", "affine", "-o", "/dev/null")
        assert ran.code == 0, ran.err


class TestWhatTheScoresAre:
    """What they are where a calibration is applied is what they were where it was learnt."""

    @pytest.fixture
    def learn(self, run, write):
        """Learn on 200 cases of a column `s` of log odds, written as each option says."""
        rng = np.random.default_rng(0)
        y = np.arange(200) % 2
        self.odds = rng.normal(size=200) + 2 * y - 1

        def learnt(values, *words):
            rows = "".join(f"{a},{b:.9g}\n" for a, b in zip(y, values, strict=True))
            write("t.csv", f"y,s\n{rows}")
            ran = run("calibrate", "t.csv", "--label", "y", "--positive", "1", "--model", "s",
                      "--kind", "affine", "-o", "cal.json", *words)  # fmt: skip
            assert ran.code == 0, ran.err

        return learnt

    @staticmethod
    def calibrated():
        return np.array([float(row["s_calibrated"]) for row in rows_of("out.csv")])

    @pytest.mark.parametrize("said", [False, True])
    def test_is_known_to_the_file(self, run, learn, said):
        learn(self.odds, "--scores-are", "log_odds")
        assert run("calibrate", "--apply", "cal.json", "t.csv", "-o", "out.csv").code == 0
        plain = self.calibrated()
        learn(-self.odds, "--scores-are", "log_odds", "--flip", "s")
        words = ("--scores-are", "log_odds") if said else ()
        ran = run("calibrate", "--apply", "cal.json", "t.csv", "-o", "out.csv", *words)
        assert ran.code == 0, ran.err
        np.testing.assert_allclose(self.calibrated(), plain, rtol=1e-6)

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("--scores-are", "posterior"), "was learnt on log-odds (log_odds)"),
            (("--scores-are=llr",), "was learnt on log-odds (log_odds)"),
            (("--flip", "s"), "--flip does nothing with --apply"),
            (("--renormalise",), "--renormalise does nothing here"),
        ],
    )
    def test_contradiction_is_refused(self, run, learn, words, said):
        learn(self.odds, "--scores-are", "log_odds")
        ran = run("calibrate", "--apply", "cal.json", "t.csv", "-o", "out.csv", *words)
        assert (ran.code, ran.out) == (2, "")
        assert said in " ".join(ran.err.split())
        assert "leave it out" in ran.err

    def test_older_files_are_read(self, run, learn, tmp_path):
        learn(self.odds, "--scores-are", "log_odds")
        run("calibrate", "--apply", "cal.json", "t.csv", "-o", "out.csv")
        new = self.calibrated()
        saved = json.loads((tmp_path / "cal.json").read_text())
        del saved["input"]["renormalise"], saved["input"]["order"]
        (tmp_path / "cal.json").write_bytes(sealed(saved))
        run("calibrate", "--apply", "cal.json", "t.csv", "-o", "out.csv")
        np.testing.assert_array_equal(self.calibrated(), new)

    def test_of_a_calibrator_saved_from_python_it_is_asked(self, run, learn):
        learn(self.odds, "--scores-are", "log_odds")  # for its table
        cal = Affine().fit(self.odds, np.arange(200) % 2)
        cal.save("cal.json")
        odds = np.array([float(row["s"]) for row in rows_of("t.csv")])
        expected = cal.posteriors(odds)
        words = ("--scores", "s", "--scores-are", "log_odds")
        ran = run("calibrate", "--apply", "cal.json", "t.csv", "-o", "out.csv", *words)
        assert ran.code == 0, ran.err
        found = [float(row["calibrated.p_1"]) for row in rows_of("out.csv")]
        np.testing.assert_allclose(found, expected[:, 1], rtol=1e-7)

    def test_what_was_changed_is_refused(self, run, learn, tmp_path):
        learn(self.odds, "--scores-are", "log_odds")
        file = tmp_path / "cal.json"
        file.write_text(file.read_text().replace('"log_odds"', '"llr"'))
        ran = run("calibrate", "--apply", "cal.json", "t.csv")
        assert (ran.code, ran.out) == (2, "")
        assert "cal.json" in ran.err


class TestRenormalise:
    @pytest.fixture
    def tables(self, write):
        rng = np.random.default_rng(0)
        y = np.arange(300) % 3
        p = rng.dirichlet(np.ones(3), 300) + 0.7 * np.eye(3)[y]
        p /= p.sum(axis=1, keepdims=True)
        for name, scale in (("whole.csv", np.ones(300)), ("k.csv", rng.uniform(0.5, 0.99, 300))):
            rows = "".join(
                f"{'abc'[k]}," + ",".join(f"{v:.12g}" for v in row * f) + "\n"
                for k, row, f in zip(y, p, scale, strict=True)
            )
            write(name, f"y,p_a,p_b,p_c\n{rows}")

    @staticmethod
    def found():
        return np.array([[float(r[f"calibrated.p_{c}"]) for c in "abc"] for r in rows_of("o.csv")])

    words = ("--label", "y", "--proba", "p_*", "--kind", "temperature", "-o", "cal.json")

    def test_is_honoured(self, run, tables):
        run("calibrate", "whole.csv", *self.words)
        assert run("calibrate", "--apply", "cal.json", "whole.csv", "-o", "o.csv").code == 0
        expected = self.found()
        refused = run("calibrate", "--apply", "cal.json", "k.csv", "-o", "o.csv")
        assert refused.code == 2
        assert "do not add to 1" in refused.err
        assert "--renormalise" in refused.err
        ran = run("calibrate", "--apply", "cal.json", "k.csv", "--renormalise", "-o", "o.csv")
        assert ran.code == 0, ran.err
        np.testing.assert_allclose(self.found(), expected, rtol=1e-6)

    def test_is_kept_where_it_was_learnt_with(self, run, tables):
        run("calibrate", "k.csv", *self.words, "--renormalise")
        ran = run("calibrate", "--apply", "cal.json", "k.csv", "-o", "o.csv")
        assert ran.code == 0, ran.err
        expected = self.found()
        run("calibrate", "whole.csv", *self.words)
        run("calibrate", "--apply", "cal.json", "whole.csv", "-o", "o.csv")
        np.testing.assert_allclose(self.found(), expected, rtol=1e-6)


class TestArrays:
    """Columns of an array are the sorted outcomes, whichever of them is acted on."""

    @pytest.mark.parametrize("positive", ["no", "yes"])
    @pytest.mark.parametrize("words", [("--proba", "p"), ("--scores", "p")])
    def test_keep_their_order(self, run, positive, words):
        rng = np.random.default_rng(0)
        y = np.arange(400) % 2
        p = 1 / (1 + np.exp(-(rng.normal(size=400) + 2 * y - 1)))
        np.savez("d.npz", y=np.array(["no", "yes"])[y], p=np.column_stack([1 - p, p]))
        ran = run("calibrate", "d.npz", "--label", "y", "--positive", positive, *words,
                  "--kind", "affine", "-o", "cal.json")  # fmt: skip
        assert ran.code == 0, ran.err
        ran = run("calibrate", "--apply", "cal.json", "d.npz", "-o", "out.csv")
        assert ran.code == 0, ran.err
        name = f"calibrated.p_{positive}" if words[0] == "--proba" else "p_calibrated"
        found = np.array([float(row[name]) for row in rows_of("out.csv")])
        right = p if positive == "yes" else 1 - p
        assert np.corrcoef(found, right)[0, 1] > 0.9

    def test_another_name_is_taken_when_it_is_the_only_one(self, run):
        p = np.linspace(0.1, 0.9, 60)
        y = np.array(["no", "yes"])[np.arange(60) % 2]
        np.savez("d.npz", y=y, p=np.column_stack([1 - p, p]))
        words = ("--label", "y", "--positive", "yes", "--kind", "affine", "-o", "cal.json")
        assert run("calibrate", "d.npz", *words).code == 0
        np.savez("e.npz", id=np.arange(60), q=np.column_stack([1 - p, p]))
        assert run("calibrate", "--apply", "cal.json", "e.npz", "-o", "out.csv").code == 0
        np.savez("f.npz", q=np.column_stack([1 - p, p]), r=np.column_stack([p, 1 - p]))
        ran = run("calibrate", "--apply", "cal.json", "f.npz", "-o", "out.csv")
        assert (ran.code, "arrays: q, r" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ("--missing", "drop"),
        ("--folds", "3"),
        ("--folds", "5"),
        ("--label", "churned"),
        ("--positive", "yes"),
        ("--seed", "1"),
        ("--weight", "w"),
        ("--groups", "g"),
        ("--unit", "EUR"),
        ("--volume", "100/yr"),
        ("--decisions", "d"),
        ("--bound", "3"),
        ("--choose-by", "cost"),
        ("--posteriors-already-adjusted",),
    ],
)
def test_options_that_apply_cannot_honour_are_refused(run, churn, words):
    ran = run("calibrate", "--apply", "cal.json", churn, *words, "-o", "out.csv")
    assert (ran.code, ran.out) == (2, "")
    assert f"{words[0]} does nothing with --apply" in ran.err


class TestWeights:
    @pytest.fixture
    def weighted(self, churn, write):
        rows = rows_of(churn)
        weights = {"one": 1.0, "thrice": 3.0, "shares": 1 / len(rows)}
        lines = [
            ",".join([row["churned"], row["gbm_p"], *(f"{w:.12g}" for w in weights.values())])
            for row in rows
        ]
        path = write("w.csv", "\n".join(["churned,gbm_p," + ",".join(weights), *lines]) + "\n")
        return lambda run, *words: run("calibrate", path, *CHURN, "--kind", "smooth", *words)

    @pytest.mark.parametrize("name", ["one", "thrice", "shares"])
    def test_only_their_proportions_matter(self, run, weighted, name):
        plain = weighted(run, "--json").found
        found = weighted(run, "--weight", name, "--json").found
        assert found["cost"]["after"] == pytest.approx(plain["cost"]["after"])
        assert found["cost"]["low"] == pytest.approx(plain["cost"]["low"])
        assert found["sentences"] == plain["sentences"]  # cases are rows

    def test_are_told_from_rows(self, run, weighted):
        ran = weighted(run, "--weight", "thrice")
        said = " ".join(ran.out.split())
        assert "5 000 cases (4 612 no, 388 yes; by weight 92.2 % no, 7.8 % yes)" in said

    def test_rows_of_weight_0_are_not_counted(self, run, write):
        rng = np.random.default_rng(0)
        y = np.arange(400) % 2
        rows = [
            f"{a},{b:.4f},{2 * (i < 300)}\n"
            for i, (a, b) in enumerate(zip(y, rng.normal(y), strict=True))
        ]
        path = write("w.csv", "y,s,w\n" + "".join(rows))
        ran = run("calibrate", path, "--label", "y", "--positive", "1", "--model", "s",
                  "--scores-are", "log_odds", "--kind", "affine", "--weight", "w")  # fmt: skip
        assert "300 cases (150 0, 150 1; by weight 50 % 0, 50 % 1)" in ran.out


@pytest.mark.parametrize(("far", "bound", "within"), [
    ("-inf", "data", True),  # moved a little beyond the others
    ("-2000", "data", False),  # finite: the bound lies beyond it
    ("-2000", "50", True),
])  # fmt: skip
def test_the_bound_is_named_only_where_it_moved_a_score(run, write, far, bound, within):
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    rows = [f"{a},{b:.6f}\n" for a, b in zip(y, 3 * rng.standard_cauchy(600) + 6 * y, strict=True)]
    rows[1] = f"1,{far}\n"
    ran = run("calibrate", write("f.csv", "y,s\n" + "".join(rows)), "--label", "y", "--positive",
              "1", "--model", "s", "--scores-are", "log_odds", "--bound", bound,
              "--kind", "automatic")  # fmt: skip
    assert ran.code == 0, ran.err
    said = " ".join(ran.out.split())
    assert ("the true outcome probability 0, so" in said) == (far == "-inf")
    assert ("the true outcome a probability below 1e-300" in said) == (far == "-2000")
    assert ("Uncalibrated, with scores limited by --bound: " in said) == within
    assert (". Uncalibrated: " in said.split("uncalibrated calibrated")[0]) == (not within)


@pytest.mark.parametrize("said", [("log_odds", "--narrow"), ("llr", "--narrow"), ("rank",)])
def test_scores_that_lie_between_0_and_1_and_are_no_probabilities(run, write, said):
    rng = np.random.default_rng(0)
    scores = rng.random(200)
    truth = (rng.random(200) < 1 / (1 + np.exp(-scores))).astype(int)
    lines = [f"{y},{s}" for y, s in zip(truth, scores, strict=True)]
    path = write("narrow.csv", "\n".join(["truth,s", *lines]) + "\n")
    words = ("--label", "truth", "--scores", "s", "--scores-are", *said, "--cost", "fn=5", "fp=1")
    ran = run("calibrate", path, *words)
    assert ran.code == 0, ran.err
