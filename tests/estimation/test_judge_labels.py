"""Costs from a judge's labels: against exact proportions, a formula of two classes, and draws."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import CaseCosts, ConfusionMatrix
from stakes.estimation import cost_from_judge
from stakes.estimation.judge_errors import JudgedRows
from stakes.estimation.judge_labels import _posteriors
from stakes.exceptions import DataError, StakesError, UndefinedError

RATES = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]])
COSTS = [[0, 1, 4], [2, 0, 3], [9, 5, 0]]


def in_proportion() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cases of which the judge errs in exactly its rates, whatever was decided."""
    shares = np.array([[30, 10, 10], [0, 20, 10], [10, 0, 10]])
    rows = [
        (k, j, label)
        for k in range(3)
        for j in range(3)
        for label in range(3)
        for _ in range(round(shares[k, j] * 10 * RATES[k, label]))
    ]
    truth, decided, judge = np.array(rows).T
    return truth, decided, judge


def test_exact_rates_give_the_true_cost() -> None:
    truth, decided, judge = in_proportion()
    found = cost_from_judge(None, judge, decisions=decided, costs=COSTS, errors=RATES * 1000)
    assert found.value == pytest.approx(np.asarray(COSTS)[truth, decided].mean())
    assert found.as_judged == pytest.approx(np.asarray(COSTS)[judge, decided].mean())
    assert found.as_judged != pytest.approx(found.value, rel=0.01)


def test_costs_per_case_weights_and_slices() -> None:
    truth, decided, judge = in_proportion()
    size = len(truth)
    per_case = CaseCosts(np.broadcast_to(np.asarray(COSTS, dtype=float), (size, 3, 3)) * 2)
    where = np.where(decided == 0, "first", "other")
    found = cost_from_judge(
        None, judge, decisions=decided, costs=per_case, errors=RATES * 1000, by=where,
        sample_weight=np.where(decided == 0, 3.0, 1.0),
    )  # fmt: skip
    real = 2 * np.asarray(COSTS)[truth, decided]
    assert found.value == pytest.approx(np.average(real, weights=np.where(decided == 0, 3, 1)))
    for name in ("first", "other"):
        assert found.slices[name].value == pytest.approx(real[where == name].mean())


def test_two_classes_equal_rogan_and_gladen() -> None:
    sensitivity, specificity = 0.85, 0.9
    errors = ConfusionMatrix([[180, 20], [30, 170]])
    judge = np.array([1] * 280 + [0] * 720)  # all were decided 0: the cost is the share of 1
    found = cost_from_judge(
        None, judge, decisions=np.zeros(1000, int), costs={"fn": 1, "fp": 1}, errors=errors,
    )  # fmt: skip
    assert found.value == pytest.approx((0.28 + specificity - 1) / (sensitivity + specificity - 1))


def test_known_truth_counts_as_it_is() -> None:
    truth, decided, judge = in_proportion()
    found = cost_from_judge(truth, judge, decisions=decided, costs=COSTS)
    assert found.value == pytest.approx(np.asarray(COSTS)[truth, decided].mean())
    assert (found.low, found.high) == pytest.approx((found.value, found.value))


@pytest.mark.parametrize(("accuracy", "fn"), [(0.7, 1), (0.85, 10), (0.95, 1)])
def test_interval_holds_the_cost_of_all_labels(accuracy: float, fn: int) -> None:
    rng = np.random.default_rng(round(1000 * accuracy))
    held = 0
    for _ in range(150):
        truth = rng.random(2300) < 0.3
        judge = np.where(rng.random(2300) < accuracy, truth, ~truth)
        decided = rng.normal(2.0 * truth, 1) > 1
        known = np.where(np.arange(2300) < 300, truth, np.nan)
        found = cost_from_judge(
            known, judge.astype(int), decisions=decided.astype(int), costs={"fn": fn, "fp": 1},
        )  # fmt: skip
        held += np.where(truth, fn * ~decided, decided).mean() in found
    assert 134 <= held <= 149  # 95 %, within three standard errors of 150 draws


def test_interval_is_where_the_test_rejects() -> None:
    """Fieller's limits by a search over costs instead of the root of a quadratic."""
    counts = np.array([[70.0, 30.0], [20.0, 60.0]])
    judge = np.array([1] * 400 + [0] * 600)
    found = cost_from_judge(
        None, judge, decisions=np.zeros(1000, int), costs={"fn": 1, "fp": 1}, errors=counts,
    )  # fmt: skip
    z2 = 1.959963984540054**2
    rate = [(30 + z2 / 2) / (100 + z2), (60 + z2 / 2) / (80 + z2)]  # of label 1, shrunk
    quality = 0.75 - 0.3

    def statistic(share: float) -> float:
        # P(label 1) - [fp rate + share (sensitivity - fp rate)], in units of the quality
        gap = (0.4 - 0.3) / quality - share
        inside = found.value * rate[1] * (1 - rate[1]) + (1 - found.value) * rate[0] * (1 - rate[0])
        spread = inside / 1000 / quality**2
        spread += (1 - share) ** 2 * rate[0] * (1 - rate[0]) / (100 + z2) / quality**2
        spread += share**2 * rate[1] * (1 - rate[1]) / (80 + z2) / quality**2
        return gap**2 / spread

    grid = np.linspace(-0.5, 1.5, 200_001)
    kept = grid[[statistic(share) <= z2 for share in grid]]
    assert (found.low, found.high) == pytest.approx((kept.min(), kept.max()), abs=2e-5)


def test_a_judge_no_better_than_chance_is_refused() -> None:
    told = {"decisions": [0] * 100, "costs": {"fn": 1, "fp": 1}}
    for errors in ([[50, 50], [50, 50]], [[10, 8], [7, 9]]):
        with pytest.raises(UndefinedError, match="ignores the case"):
            cost_from_judge(None, [0, 1] * 50, errors=errors, **told)
    with pytest.raises(UndefinedError, match="`errors` has no case of class 1"):
        cost_from_judge(None, [0, 1] * 50, errors=[[9, 1], [0, 0]], **told)
    with pytest.raises(UndefinedError, match="ignores the case"):  # one class says nothing
        cost_from_judge([0] * 30 + [None] * 70, [0, 1] * 50, **told)
    with pytest.raises(UndefinedError, match="0 of 100 cases are labelled"):
        cost_from_judge(None, [0, 1] * 50, **told)


def test_errors_are_read_by_the_names_of_their_classes() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(500) < 0.2
    judge = np.where(truth, rng.random(500) < 0.7, rng.random(500) < 0.02)
    said, done = np.where(judge, "yes", "no"), np.where(rng.random(500) < 0.8, truth, ~truth)
    told = {"decisions": np.where(done, "yes", "no"), "costs": {"fn": 10, "fp": 1}}
    told |= {"positive": "yes"}
    names, counts = ["no", "yes"], np.array([[784, 16], [60, 140]])
    plain = cost_from_judge(None, said, errors=counts, **told)
    turned = ConfusionMatrix(counts[::-1, ::-1], names[::-1], names[::-1])
    for errors in (ConfusionMatrix(counts, names), turned, ConfusionMatrix(counts)):
        found = cost_from_judge(None, said, errors=errors, **told)
        assert (found.value, found.low) == (plain.value, plain.low)
        assert found.errors.counts.tolist() == counts.tolist()
    with pytest.raises(DataError, match=r"`errors` has the names 'spam', 'ham', and the classes"):
        cost_from_judge(None, said, errors=ConfusionMatrix(counts, ["spam", "ham"]), **told)


def test_errors_in_a_data_frame_with_names_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    counts, told = [[90, 10], [10, 90]], {"decisions": [0] * 100, "costs": {"fn": 1, "fp": 1}}
    named = pd.DataFrame(counts, index=["yes", "no"], columns=["yes", "no"])
    with pytest.raises(DataError, match="whose names would be lost"):
        cost_from_judge(None, [0, 1] * 50, errors=named, **told)
    found = cost_from_judge(None, [0, 1] * 50, errors=pd.DataFrame(counts), **told)
    assert found.value == cost_from_judge(None, [0, 1] * 50, errors=counts, **told).value


def test_errors_that_depend_on_the_decision_are_noted() -> None:
    rng = np.random.default_rng(4)
    truth, decided = rng.random(1000) < 0.4, rng.random(1000) < 0.5
    right = rng.random(1000) < np.where(decided, 0.95, 0.6)  # the judge follows the decision
    judge = np.where(right, truth, ~truth).astype(int)
    told = {"decisions": decided.astype(int), "costs": {"fn": 1, "fp": 1}}
    told |= {"errors": [[80, 20], [20, 80]]}
    assert "after some decisions" in cost_from_judge(truth, judge, **told).notes[0]
    fair = np.where(rng.random(1000) < 0.8, truth, ~truth).astype(int)
    assert not cost_from_judge(truth, fair, **told).notes


def test_from_a_random_part_errors_may_depend_on_the_decision() -> None:
    """Errors that follow the decision leave the mean of estimates at the cost."""
    rng = np.random.default_rng(8)
    truth, decided = rng.random(4000) < 0.4, rng.random(4000) < 0.5
    right = rng.random(4000) < np.where(decided, 0.95, 0.65)
    judge = np.where(right, truth, ~truth).astype(int)
    told = {"decisions": decided.astype(int), "costs": {"fn": 1, "fp": 1}}
    off, widths = [], []
    for _ in range(40):
        known = np.where(rng.permutation(4000) < 300, truth, np.nan)
        found = cost_from_judge(known, judge, **told)
        off.append(found.value - (truth != decided).mean())
        widths.append(found.high - found.low)
    error = np.mean(widths) / 3.92
    assert abs(np.mean(off)) < 4 * error / np.sqrt(40)
    counts = np.array([[(judge[truth == k] == label).sum() for label in (0, 1)] for k in (0, 1)])
    turned = cost_from_judge(None, judge, errors=counts, **told).value
    assert abs(turned - (truth != decided).mean()) > 4 * error / np.sqrt(40)  # assumed away


def test_posteriors_are_those_of_the_other_cases() -> None:
    """Bayes' rule written out for one case, with the case itself left out of the counts."""
    rng = np.random.default_rng(9)
    truth, decided = rng.integers(0, 3, 200), rng.integers(0, 3, 200)
    labels = np.where(rng.random(200) < 0.7, truth, rng.integers(0, 3, 200))
    known = rng.random(200) < 0.3
    rows = JudgedRows(np.zeros((200, 3)), decided, labels, truth, known, np.ones(200))
    found = _posteriors(rows, (3, 3))
    i = int(np.flatnonzero(known)[0])
    others = [r for r in np.flatnonzero(known) if r != i]
    every = np.flatnonzero(known)
    right = (sum(truth[r] == labels[r] for r in every) + 1) / (len(every) + 2)
    odds = []
    for k in range(3):
        mine = [r for r in others if truth[r] == k]
        label_share = ((labels == labels[i]).sum() + 1) / 203
        usual = right * (k == labels[i]) + (1 - right) * label_share
        said = (sum(labels[r] == labels[i] for r in mine) + 2 * usual) / (len(mine) + 2)
        share = ((decided == decided[i]).sum() + 1) / 203
        done = (sum(decided[r] == decided[i] for r in mine) + 2 * share) / (len(mine) + 2)
        odds.append((len(mine) + 1 / 3) * said * done)
    np.testing.assert_allclose(found[i], np.array(odds) / sum(odds))


def test_ten_classes_of_thirty_cases_each() -> None:
    """Intervals hold where rates of thirty cases could not be turned around."""
    rng, held = np.random.default_rng(11), 0
    for _ in range(150):
        truth = rng.integers(0, 10, 2000)
        judge, decided = (
            np.where(rng.random(2000) < share, truth, rng.integers(0, 10, 2000))
            for share in (0.7, 0.8)
        )
        known = np.where(rng.permutation(2000) < 300, truth, np.nan)
        found = cost_from_judge(known, judge, decisions=decided, costs=1.0 - np.eye(10))
        held += (truth != decided).mean() in found
    assert 134 <= held <= 149  # 95 %, within three standard errors of 150 draws


def test_chances_and_slices_with_few_truths() -> None:
    rng = np.random.default_rng(12)
    truth = rng.random(3000) < 0.3
    judge, decided = (np.where(rng.random(3000) < 0.85, truth, ~truth).astype(int) for _ in "ab")
    chances = np.where(judge == decided, 0.05, 0.4)
    known = np.where(rng.random(3000) < chances, truth, np.nan)
    told = {"decisions": decided, "costs": {"fn": 1, "fp": 1}}
    side = np.where(np.arange(3000) < 20, "few", "many")
    found = cost_from_judge(known, judge, chances=chances, by=side, **told)
    assert (truth != decided).mean() in found
    assert list(found.slices) == ["many"]
    assert "slice few: " in found.notes[0]
    with pytest.raises(DataError, match="not a random part"):
        cost_from_judge(known, judge, **told)
    slice_of = np.where(chances > 0.1, "apart", "alike")
    kept = np.where(rng.random(3000) < np.where(slice_of == "apart", 0.4, 0.1), truth, np.nan)
    with pytest.raises(DataError, match=r"slice \w+ has \d+ labels"):
        cost_from_judge(kept, truth.astype(int), by=slice_of, **told)
    with pytest.raises(UndefinedError, match="0 of 3000 cases") as caught:
        cost_from_judge(None, judge, **told)
    assert "errors=COUNTS" in caught.value.hint
    with pytest.raises(DataError, match="leave one out"):
        cost_from_judge(known, judge, chances=chances, errors=[[9, 1], [1, 9]], **told)


@pytest.mark.parametrize(
    "told",
    [
        {"errors": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]},
        {"errors": "good"},
        {"decisions": [0, 1]},
        {"decisions": [5] * 100},
        {"level": 2},
        {"sample_weight": [-1] * 100},
        {"by": ["a"]},
        {"costs": None},
    ],
)
def test_odd_input(told: dict[str, object]) -> None:
    usual = {"decisions": [0] * 100, "costs": {"fn": 1, "fp": 1}, "errors": [[90, 10], [10, 90]]}
    with pytest.raises(StakesError):
        cost_from_judge(None, [0, 1] * 50, **{**usual, **told})
    with pytest.raises(DataError):
        cost_from_judge(None, [[0, 1], [1, 0]], **usual)


def test_rates_are_refused_and_costs_stay_possible() -> None:
    """Costs cannot be negative, however little is known of the judge."""
    rng = np.random.default_rng(0)
    truth = rng.random(2000) < 0.1
    judge = np.where(rng.random(2000) < 0.9, truth, ~truth).astype(int)
    told = {"decisions": truth.astype(int), "costs": {"fn": 10, "fp": 1}}
    with pytest.raises(DataError, match="holds rates, as each row adds to 1; counts of cases"):
        cost_from_judge(None, judge, errors=[[0.9, 0.1], [0.1, 0.9]], **told)
    with pytest.raises(DataError, match="holds rates, as all cells add to 1; counts of cases"):
        cost_from_judge(None, judge, errors=[[0.81, 0.09], [0.01, 0.09]], **told)
    found = cost_from_judge(None, judge, errors=[[90, 10], [10, 90]], **told)
    assert 0.0 == found.low <= found.value < found.high <= 10.0


def test_many_classes_need_many_cases_of_each() -> None:
    """Of ten classes with 30 cases each, intervals for a judge right in 70 % held in 81 %."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 10, 3000)
    judge = np.where(rng.random(3000) < 0.7, truth, (truth + rng.integers(1, 10, 3000)) % 10)
    told = {"decisions": truth, "costs": 1 - np.eye(10)}
    rates = np.full((10, 10), 0.3 / 9) + np.eye(10) * (0.7 - 0.3 / 9)
    with pytest.raises(UndefinedError, match="as few as 30 cases of a class, too few") as refused:
        cost_from_judge(None, judge, errors=30 * rates, **told)
    assert "on about 107 cases of each class" in str(refused.value)
    cost_from_judge(None, judge, errors=107 * rates, **told)


def test_a_strange_label_of_the_judge_is_the_judges() -> None:
    judge = [0, 1, 2] * 30
    with pytest.raises(StakesError, match="`judge` holds 0, 1"):
        cost_from_judge(None, judge, decisions=[0] * 90, costs={"fn": 1, "fp": 1}, errors=np.eye(2))


def test_rows_of_no_weight_count_for_nothing() -> None:
    rng = np.random.default_rng(4)
    truth = (rng.random(2000) < 0.3).astype(int)
    judge = np.where(rng.random(2000) < 0.9, truth, 1 - truth)
    known = np.where(rng.random(2000) < 0.2, truth, np.nan)
    taken, weights = 1 - truth * (rng.random(2000) < 0.8), np.arange(2000) % 2
    options = {"costs": {"fn": 10, "fp": 1}}
    found = cost_from_judge(known, judge, decisions=taken, sample_weight=weights, **options)
    alone = cost_from_judge(known[1::2], judge[1::2], decisions=taken[1::2], **options)
    assert found.record() == alone.record()


def test_a_cost_below_what_is_possible_is_none() -> None:
    """Thirty true labels may correct a judge too far."""
    rng = np.random.default_rng(9)
    for _ in range(40):
        truth = (rng.random(1500) < 0.1).astype(int)
        judge = np.where(rng.random(1500) < 0.8, truth, 1 - truth)
        known = np.where(rng.permutation(1500) < 30, truth, np.nan)
        try:
            found = cost_from_judge(
                known, judge, decisions=np.zeros(1500, dtype=int), costs={"fn": 10, "fp": 1}
            )
        except UndefinedError:
            continue
        assert 0 <= found.low <= found.value <= found.high
