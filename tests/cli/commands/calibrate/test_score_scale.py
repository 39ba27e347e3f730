"""A calibration applied to scores of another sort: never read as something that they are not."""

from __future__ import annotations

import csv
import io
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import expit

from stakes import Posteriors
from stakes.calibration import Affine, Automatic, Isotonic, Logistic, Matrix, load
from stakes.calibration.calibrator_json import sealed

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 400)
ODDS = 1.3 * (RNG.normal(size=400) + 2 * Y - 1) - 0.5
NEW = 2 * RNG.normal(size=30)
SORTS = {"posterior": expit, "log_odds": lambda odds: odds, "raw": lambda odds: 500 + 100 * odds}
SAID = [None, "posterior", "log_odds", "llr", "rank"]
LOGS = np.log(np.column_stack([1 - expit(ODDS), expit(ODDS)]))

#: Files saved in Python: the calibrator, what it was fitted on, and the right scores to give it.
IN_PYTHON = {
    "affine, log-odds": (Affine(), ODDS, NEW),
    "isotonic, log-odds": (Isotonic(), ODDS, NEW),
    "choice, log-odds": (Automatic([Affine(), Logistic()]), ODDS, NEW),
    "affine, 0 to 1000": (Affine(), SORTS["raw"](ODDS), SORTS["raw"](NEW)),
    "logistic, 0 to 1000": (Logistic(), SORTS["raw"](ODDS), SORTS["raw"](NEW)),
    "logistic, column in [0, 1]": (Logistic(), expit(ODDS), expit(NEW)),
    "affine, posteriors": (Affine(), Posteriors(expit(ODDS)), Posteriors(expit(NEW))),
    "affine, two columns": (Affine(), LOGS, Posteriors(expit(NEW))),
    "matrix, two columns": (Matrix(), LOGS, Posteriors(expit(NEW))),
}
#: What gives the right answer, by the sort of new scores and what is said; all else is refused.
AS_IS = {("log_odds", said) for said in ("log_odds", "llr", "rank")}
RIGHT = {
    "log-odds": AS_IS | {("posterior", "posterior")},
    "0 to 1000": {("raw", said) for said in ("log_odds", "llr", "rank")},
    "column in [0, 1]": {("posterior", None), ("posterior", "rank")},
    "posteriors": {("posterior", None), ("posterior", "posterior"), ("log_odds", "log_odds")},
    "two columns": {("posterior", "posterior"), ("log_odds", "log_odds")},
}


@pytest.fixture
def files(write):
    """New scores of each sort."""
    for sort, form in SORTS.items():
        lines = "".join(f"{i},{x!r}\n" for i, x in enumerate(form(NEW).tolist()))
        write(f"{sort}.csv", f"id,score\n{lines}")


def applied(run, sort, said, *words):
    """What the command says of new scores of a sort."""
    options = [] if said is None else ["--scores-are", said]
    return run("calibrate", "--apply", "cal.json", f"{sort}.csv", *words, *options)


def posteriors(ran):
    """Those of the positive outcome."""
    return [float(row[-1]) for row in list(csv.reader(io.StringIO(ran.out)))[1:]]


@pytest.mark.parametrize("name", IN_PYTHON)
def test_fitted_in_python(run, files, name):
    cal, fitted_on, meant = IN_PYTHON[name]
    cal = cal.unfitted().fit(fitted_on, Y)
    cal.save("cal.json")
    right = RIGHT[name.partition(", ")[2]]
    for sort in SORTS:
        for said in SAID:
            ran = applied(run, sort, said, "--scores", "score")
            if (sort, said) in right:
                assert ran.code == 0, (sort, said, ran.err)
                assert posteriors(ran) == pytest.approx(cal.posteriors(meant)[:, 1], abs=1e-9)
                assert ran.err == ""
            else:
                assert (ran.code, ran.out) == (2, ""), (sort, said)
                assert len(ran.err.splitlines()) > 1, "it says what to type"


@pytest.mark.parametrize(
    ("sort", "form", "kind"),
    [
        ("posterior", "posterior", "affine"),
        ("log_odds", "log_odds", "affine"),
        ("llr", "log_odds", "affine"),
        ("rank", "posterior", "logistic"),
        ("rank", "raw", "isotonic"),
    ],
)
def test_learnt_by_the_command(run, write, files, sort, form, kind):
    rows = "".join(f"{y},{x!r}\n" for y, x in zip(Y, SORTS[form](ODDS).tolist(), strict=True))
    write("train.csv", f"y,score\n{rows}")
    ran = run("calibrate", "train.csv", "--label", "y", "--positive", "1", "--model", "score",
              "--scores-are", sort, "--kind", kind, "-o", "cal.json")  # fmt: skip
    assert ran.code == 0, ran.err
    given = SORTS[form](NEW)
    if sort == "posterior":
        given = Posteriors(given)
    elif sort == "llr":
        given = Posteriors.from_llrs(given, np.bincount(Y) / len(Y))
    expected = load("cal.json").posteriors(given)[:, 1]
    for new in SORTS:
        for said in SAID:
            ran = applied(run, new, said)
            if new == form and said in (None, sort):
                assert posteriors(ran) == pytest.approx(expected, abs=1e-8)
            else:
                assert (ran.code, ran.out) == (2, ""), (new, said)
                assert len(ran.err.splitlines()) > 1


class TestOfPython:
    @pytest.mark.parametrize("said", ["llr", "rank"])
    def test_of_numbers_of_each_outcome_one_column_is_no_ratio(self, run, files, said):
        for kind, given in ((Affine, Posteriors(expit(ODDS))), (Matrix, LOGS)):
            kind().fit(given, Y).save("cal.json")
            ran = applied(run, "log_odds", said, "--scores", "score")
            assert ran.code == 2
            assert "was fitted in Python on numbers of each outcome" in " ".join(ran.err.split())
            assert "log-odds: --scores-are log_odds" in ran.err

    def test_logits_at_their_level_are_no_column(self, run, files):
        Matrix().fit(LOGS + np.arange(400)[:, None] % 5, Y).save("cal.json")
        for said in SAID:
            ran = applied(run, "log_odds", said, "--scores", "score")
            assert ran.code == 2
            assert "at their level, which one column does not have" in " ".join(ran.err.split())

    @pytest.mark.parametrize("rows", [1, 5, 30])
    def test_a_column_must_be_named_however_few_its_rows(self, run, write, rows):
        Affine().fit(ODDS, Y).save("cal.json")
        write("new.csv", "score\n" + "0.4\n" * rows)
        ran = applied(run, "new", None, "--scores", "score")
        assert ran.code == 2
        assert "cal.json was fitted in Python." in ran.err
        for word in ("log_odds", "rank", "posterior"):
            assert f"--scores-are {word}" in ran.err


class TestFilesFromBefore:
    """Those that have no word for what `fit` was given, or do not say how scores were spread."""

    @pytest.fixture
    def older(self, tmp_path):
        def saved(cal, *parts):
            facts = {name: part for name, part in cal.to_dict().items() if name not in parts}
            (tmp_path / "cal.json").write_bytes(sealed(facts))

        return saved

    def test_without_the_word_it_is_asked(self, run, files, older):
        cal = Affine().fit(ODDS, Y)
        older(cal, "scores", "spread")
        for sort in ("posterior", "log_odds"):
            ran = applied(run, sort, None, "--scores", "score")
            assert ran.code == 2
            assert "--scores-are log_odds" in ran.err
            ran = applied(run, sort, sort, "--scores", "score")
            assert posteriors(ran) == pytest.approx(cal.posteriors(NEW)[:, 1], abs=1e-9)
            assert ran.err == ""

    def test_without_the_spread_it_is_said_that_scores_look_otherwise(self, run, files, older):
        cal = Affine().fit(ODDS, Y)
        older(cal, "spread")
        ran = applied(run, "posterior", "log_odds", "--scores", "score")
        assert posteriors(ran) == pytest.approx(cal.posteriors(expit(NEW))[:, 1], abs=1e-9)
        assert "lie between 0 and 1, like probabilities, and are not read as such" in ran.err
        ran = applied(run, "posterior", "log_odds", "--scores", "score", "--narrow")
        assert (ran.code, ran.err) == (0, "")


class TestMeantAllTheSame:
    @pytest.fixture
    def narrow(self, write):
        def written(values):
            write("new.csv", "score\n" + "".join(f"{x!r}\n" for x in values.tolist()))
            return values

        return written

    @pytest.mark.parametrize(
        ("values", "scale", "code"),
        [
            (np.linspace(0.1, 0.9, 40), "log_odds", 2),
            (np.linspace(-5, 5, 40), "raw", 2),
            (np.linspace(-100, -99, 40), "raw", 0),  # too small for log-odds
            (expit(np.linspace(-6, -5.9, 40)), "posterior", 0),
        ],
    )
    def test_a_narrow_range(self, run, narrow, values, scale, code):
        narrow(values)
        fitted_on = SORTS["raw"](ODDS) if scale == "raw" else ODDS
        cal = Logistic().fit(fitted_on, Y)
        cal.save("cal.json")
        said = {"raw": "rank"}.get(scale, scale)
        given = np.log(values / (1 - values)) if scale == "posterior" else values
        ran = applied(run, "new", said, "--scores", "score")
        assert ran.code == code
        wanted = "on that scale all the same: --narrow" if code else "--narrow says so"
        assert wanted in " ".join(ran.err.split())
        meant = applied(run, "new", said, "--scores", "score", "--narrow")
        assert meant.err == ""
        for each in (meant,) if code else (meant, ran):
            assert posteriors(each) == pytest.approx(cal.posteriors(given)[:, 1], abs=1e-9)

    @pytest.mark.parametrize(
        ("fitted_on", "values"),
        {
            "the low end of points that are never negative": (
                np.arange(400) / 100.0, np.linspace(0.05, 0.95, 30)),
            "a class that was rare": (
                np.r_[np.linspace(-9, -4, 390), np.linspace(5, 9, 10)], np.linspace(6, 7, 30)),
            "a band to be reviewed": (
                np.r_[np.linspace(-9, -3, 210), np.linspace(4, 9, 190)],
                np.linspace(-0.5, 0.5, 30)),
            "a band of a few points": (
                np.r_[np.linspace(300, 790, 390), np.linspace(800, 850, 10)],
                np.linspace(820, 823, 30)),
        }.values(),
    )  # fmt: skip
    def test_a_part_of_the_cases_is_not_refused_but_spoken_of(self, run, narrow, fitted_on, values):
        cal = Logistic().fit(fitted_on, np.arange(400) % 3 == 0)
        cal.save("cal.json")
        narrow(values)
        ran = applied(run, "new", "rank", "--scores", "score")
        assert ran.code == 0
        assert "--narrow says so" in " ".join(ran.err.split())
        assert posteriors(ran) == pytest.approx(cal.posteriors(values)[:, 1], abs=1e-9)

    def test_what_was_narrow_when_it_was_learnt_needs_no_word(self, run, narrow):
        odds = 0.5 + 0.1 * ODDS  # most of them, but not all, between 0 and 1
        cal = Logistic().fit(odds, Y)
        cal.save("cal.json")
        values = narrow(np.linspace(0.1, 0.9, 40))
        ran = applied(run, "new", "log_odds", "--scores", "score")
        assert posteriors(ran) == pytest.approx(cal.posteriors(values)[:, 1], abs=1e-9)

    def test_scores_far_beyond(self, run, narrow):
        cal = Logistic().fit(ODDS, Y)
        cal.save("cal.json")
        values = narrow(np.linspace(20, 30, 40))
        ran = applied(run, "new", "log_odds", "--scores", "score")
        assert ran.code == 2
        assert f"those were from {ODDS.min():.3g} to {ODDS.max():.3g}" in " ".join(ran.err.split())
        ran = applied(run, "new", "log_odds", "--scores", "score", "--narrow")
        assert posteriors(ran) == pytest.approx(cal.posteriors(values)[:, 1], abs=1e-9)

    def test_the_highest_scores_by_themselves(self, run, narrow):
        cal = Logistic().fit(ODDS, Y)
        cal.save("cal.json")
        highest = narrow(np.sort(ODDS)[-20:])
        ran = applied(run, "new", "log_odds", "--scores", "score")
        assert posteriors(ran) == pytest.approx(cal.posteriors(highest)[:, 1], abs=1e-9)

    @pytest.mark.parametrize("values", [np.full(40, 950.0), np.array([1.0, 2.0, 950.0])])
    def test_few_scores_tell_nothing(self, run, narrow, values):
        cal = Logistic().fit(ODDS, Y)
        cal.save("cal.json")
        narrow(values)
        assert applied(run, "new", "log_odds", "--scores", "score").code == 0

    def test_new_cases_of_the_same_sort_are_hardly_ever_refused(self, run, narrow):
        # As many as are looked at, by a calibration of as few cases as tell where scores lie: 11 of
        # 20 beyond 50 happen about 12 (20 / 70) ** 11 = 1e-5 of the time.
        rng = np.random.default_rng(3)
        for _ in range(60):
            odds = rng.standard_t(3, size=50)
            truth = rng.random(50) < expit(odds)
            Affine().fit(odds, truth).save("cal.json")
            narrow(rng.standard_t(3, size=20))
            ran = applied(run, "new", "log_odds", "--scores", "score")
            assert (ran.code, ran.err) == (0, "")

    @pytest.mark.parametrize("said", ["log_odds", "llr", "rank"])
    def test_what_it_was_learnt_on_is_taken_also_when_rounded(self, run, write, said):
        odds = np.maximum(ODDS, np.quantile(ODDS, 0.7)) / 3  # most have the least score there is
        for name, digits in (("train", 17), ("new", 3)):
            rows = [f"{y},{x:.{digits}g}" for y, x in zip(Y, odds.tolist(), strict=True)]
            write(f"{name}.csv", "\n".join(["y,score", *rows]) + "\n")
        narrow = [] if said == "rank" else ["--narrow"]
        ran = run("calibrate", "train.csv", "--label", "y", "--positive", "1", "--model", "score",
                  "--scores-are", said, *narrow, "--kind", "affine", "-o", "cal.json")  # fmt: skip
        assert ran.code == 0, ran.err
        for name in ("train", "new"):
            ran = applied(run, name, None)
            assert ran.code == 0
            assert ("learnt on these very rows" in ran.err) == (name == "train")
            assert ran.err.count("warning") == (name == "train")

    def test_turned_scores_are_looked_at_as_they_stand(self, run, write, narrow):
        rows = "".join(f"{y},{-x - 3!r}\n" for y, x in zip(Y, ODDS.tolist(), strict=True))
        write("train.csv", f"y,score\n{rows}")
        ran = run("calibrate", "train.csv", "--label", "y", "--positive", "1", "--model", "score",
                  "--scores-are", "llr", "--flip", "score", "--kind", "affine",
                  "-o", "cal.json")  # fmt: skip
        assert ran.code == 0, ran.err
        narrow(-NEW - 3)
        assert applied(run, "new", None).code == 0
        narrow(100 + NEW)
        ran = applied(run, "new", None)
        low, high = min(-ODDS - 3), max(-ODDS - 3)
        assert f"those were from {low:.3g} to {high:.3g}." in " ".join(ran.err.split())

    @pytest.mark.parametrize("said", ["posterior", None])
    def test_narrow_says_nothing_of_probabilities(self, run, files, said):
        Affine().fit(Posteriors(expit(ODDS)), Y).save("cal.json")
        ran = applied(run, "posterior", said, "--scores", "score", "--narrow")
        assert ran.code == 2
        assert "--narrow does nothing here" in ran.err

    def test_shares_of_0_in_a_file_are_no_traceback(self, run, write, files, tmp_path):
        saved = Affine().fit(Posteriors(expit(ODDS)), Y).to_dict()
        saved["input"] = {"columns": {"score": "score"}, "scores_are": "llr", "priors": [0.0, 1.0]}
        (tmp_path / "cal.json").write_bytes(sealed(saved))
        assert set(posteriors(applied(run, "log_odds", None))) == {1.0}


class TestOneColumnPerOutcome:
    LOGITS = RNG.normal(size=(300, 3))
    FORMS = {
        "log_odds": LOGITS,
        "posterior": np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True),
        "raw": 500 + 100 * LOGITS,
    }

    @pytest.fixture
    def learnt(self, run, write):
        """A calibration of three outcomes, of two if the third is left out, and new cases."""

        def of(size):
            truth = np.array(list("abc"))[np.argmax(self.LOGITS[:, :size], axis=1)]
            truth[::7] = "a"
            header = ",".join(f"p_{name}" for name in "abc"[:size])
            for name, table in self.FORMS.items():
                part = table[:, :size]
                part = part / part.sum(axis=1, keepdims=True) if name == "posterior" else part
                lines = [
                    ",".join([y, *map(repr, row)])
                    for y, row in zip(truth, part.tolist(), strict=True)
                ]
                write(f"{name}.csv", "\n".join([f"y,{header}", *lines]) + "\n")
            ran = run("calibrate", "log_odds.csv", "--label", "y", "--proba", "p_*", "--scores-are",
                      "log_odds", "--kind", "temperature", "-o", "cal.json")  # fmt: skip
            assert ran.code == 0, ran.err

        return of

    @pytest.mark.parametrize("size", [2, 3])
    def test_of_the_command(self, run, learnt, size):
        learnt(size)
        assert applied(run, "log_odds", None).code == 0
        ran = applied(run, "posterior", None)
        assert ran.code == 2
        assert "so they are probabilities" in " ".join(ran.err.split())
        assert "pass the column" in ran.err
        ran = applied(run, "raw", None)
        assert ran.code == 2
        assert "lie far outside of those that the calibration was learnt on" in " ".join(
            ran.err.split()
        )

    def test_a_narrow_range_may_be_meant(self, run, write, learnt):
        learnt(2)
        rows = "".join(f"{x!r},2.0\n" for x in np.linspace(-0.5, -0.49, 30).tolist())
        write("new.csv", f"p_a,p_b\n{rows}")
        seen = load("cal.json").to_dict()["spread"]
        assert seen[18] < 2.49 < 2.5 < seen[20], "where few of them were"
        low, high = 2.49, 2.5
        gap = next(b - a for a, b in pairwise(seen) if a < low < high < b)
        assert high - low < gap / 4
        ran = applied(run, "new", None)
        assert (ran.code, "--narrow says so" in " ".join(ran.err.split())) == (0, True)
        meant = applied(run, "new", None, "--narrow")
        assert (meant.code, meant.err, meant.out) == (0, "", ran.out)

    def test_of_python_it_is_told_that_one_column_is_not_enough(self, run, learnt):
        learnt(3)
        load("cal.json").save("cal.json")
        ran = applied(run, "log_odds", None, "--scores", "p_a")
        assert ran.code == 2
        assert "'p_a' is one column, but the calibration is of 3 outcomes" in ran.err
