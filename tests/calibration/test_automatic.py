import numpy as np
import pytest
from scipy.special import expit, log_softmax

from stakes import Application, CostMatrix
from stakes.calibration import Affine, Automatic, Average, Gaussian, Isotonic, Temperature, load
from stakes.calibration.automatic import default_candidates
from stakes.calibration.cases import read_cases
from stakes.exceptions import DataError


def made_up(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return 3 * (rng.normal(size=n) + np.where(y == 1, 1.0, -1.0)), y


def bent(n=4000, seed=0):
    """Posteriors that no line can mend: a step."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(-3, 3, n)
    return scores, (rng.random(n) < np.where(scores > 1, 0.9, 0.1)).astype(int)


class TestChoice:
    def test_earlier_candidate_wins_within_one_standard_error(self):
        scores, y = made_up()
        for candidates in ([Affine(), Isotonic()], [Gaussian(), Affine()]):
            cal = Automatic(candidates).fit(scores, y)
            table = cal.frame()
            first = table["candidate"].tolist().index(candidates[0].kind)
            assert table["above_best"][first] <= table["standard_error"][first] + 1e-12
            assert cal.chosen.kind == candidates[0].kind

    def test_later_candidate_wins_when_clearly_better(self):
        cal = Automatic([Affine(), Isotonic()]).fit(*bent())
        assert cal.chosen.kind == "isotonic"
        assert "isotonic has the least cross-fitted cross-entropy" in cal.why

    def test_says_within_how_much(self):
        """Of two like candidates, each is taken when named first; only one is the best."""
        both = [
            Automatic(order).fit(*made_up())
            for order in ([Gaussian(), Affine()], [Affine(), Gaussian()])
        ]
        assert [cal.chosen.kind for cal in both] == ["gaussian", "affine"]
        assert sum("within one standard error" in cal.why for cal in both) == 1

    def test_by_cost_of_an_application(self):
        scores, y = bent()
        app = Application(CostMatrix([[0, 1], [5, 0]]))
        cal = Automatic([Temperature(), Isotonic()], by=app).fit(scores, y)
        assert "cost" in cal.why
        table = cal.frame()
        decisions = (expit(scores) > 1 / 6).astype(int)
        assert table["loss"][0] == pytest.approx(app.costs.values[y, decisions].mean())

    def test_priors_of_the_application_are_the_target(self):
        app = Application(CostMatrix([[0, 1], [5, 0]]), priors=[0.9, 0.1])
        cal = Automatic([Affine()], by=app).fit(*made_up())
        np.testing.assert_allclose(cal.priors, [0.9, 0.1])

    def test_failing_candidate_is_left_out_and_named(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 90)
        logits = rng.normal(size=(90, 3)) + np.eye(3)[y]
        cal = Automatic([Gaussian(), Affine()]).fit(logits, y)
        assert cal.chosen.kind == "affine"
        assert "gaussian" in cal.report["failures"][0]

    def test_all_failing_raises(self):
        with pytest.raises(DataError, match="no candidate"):
            Automatic([Gaussian()]).fit(np.eye(3)[[0, 1, 2] * 9] * 2, [0, 1, 2] * 9)

    def test_unknown_measure_raises(self):
        with pytest.raises(DataError, match="`by`"):
            Automatic(by="accuracy")

    def test_infinite_scores_are_bounded(self):
        scores, y = made_up()
        scores[0], y[0] = np.inf, 0
        assert np.isfinite(Automatic().fit(scores, y).log_posteriors(scores)).all()

    def test_default_for_many_classes(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 4, 800)
        logs = log_softmax(3 * (rng.normal(size=(800, 4)) + 1.5 * np.eye(4)[y]), axis=1)
        cal = Automatic().fit(logs, y)
        value = -cal.log_posteriors(logs)[np.arange(800), y].mean()
        assert value < -logs[np.arange(800), y].mean() - 0.1

    def test_the_default_is_an_average_by_likelihood(self):
        cal = Automatic().fit(*made_up())
        assert isinstance(cal.chosen, Average)
        assert cal.chosen.weights.sum() == pytest.approx(1)
        assert "average (rank" in cal.why
        least = cal.frame()["loss"][2:].min()  # one case beforehand for each of five
        assert cal.frame()["loss"][1] <= least + (4 * np.log(2000) + 5) / 2000

    def test_saved_average_applies(self, tmp_path):
        scores, y = made_up()
        cal = Automatic().fit(scores, y)
        cal.save(tmp_path / "cal.json")
        again = load(tmp_path / "cal.json")
        np.testing.assert_array_equal(again.posteriors(scores), cal.posteriors(scores))

    def test_saved_choice_applies_without_candidates(self, tmp_path):
        scores, y = bent()
        cal = Automatic([Affine(), Isotonic()]).fit(scores, y)
        cal.save(tmp_path / "cal.json")
        again = load(tmp_path / "cal.json")
        assert again.why == cal.why
        assert again.chosen.kind == "isotonic"


class TestByCost:
    def test_constant_when_scores_do_not_help(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 300)
        app = Application(CostMatrix([[0, 1], [100, 0]]))
        cal = Automatic(by=app).fit(rng.normal(size=300), y)
        assert cal.chosen.kind == "constant"
        assert "one decision for all cases costs" in cal.why
        np.testing.assert_allclose(cal.posteriors([5.0])[0], np.bincount(y) / 300)
        assert cal.frame()["chosen"].tolist().count(True) == 1
        assert cal.frame()["loss"][-1] == pytest.approx((y == 0).mean())

    def test_not_constant_when_they_do(self):
        app = Application(CostMatrix([[0, 1], [5, 0]]))
        cal = Automatic(by=app).fit(*made_up())
        assert cal.chosen.kind != "constant"
        assert cal.frame()["candidate"][-1] == "constant"

    def test_named_candidates_are_the_only_ones(self):
        rng = np.random.default_rng(0)
        app = Application(CostMatrix([[0, 1], [100, 0]]))
        cal = Automatic([Affine()], by=app).fit(rng.normal(size=300), rng.integers(0, 2, 300))
        assert cal.chosen.kind == "affine"


@pytest.mark.parametrize(
    ("size", "cases", "expected"),
    [
        (2, 20, {"rank", "venn-abers", "beta", "affine", "isotonic"}),
        (4, 15, {"affine", "temperature", "isotonic"}),
        (4, 16, {"dirichlet", "affine", "temperature", "isotonic"}),
        (30, 900, {"dirichlet", "affine", "temperature", "isotonic"}),
        (31, 1000, {"affine", "temperature"}),
        (31, 32, {"temperature"}),
    ],
)
def test_candidates_suit_the_size(size, cases, expected):
    read = read_cases(np.zeros((cases, size)), np.arange(cases) % size)
    assert {candidate.kind for candidate in default_candidates(read)} == expected
