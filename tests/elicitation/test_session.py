"""Conversations: simulated users, stopping by regret, taking answers back."""

import math

import numpy as np
import pytest

from stakes import ConfusionMatrix, ScoreCounts
from stakes.elicitation import (
    Elicitation,
    Question,
    ratio_between,
    ratio_from_amounts,
    ratio_from_threshold,
)
from stakes.exceptions import CostError, DataError, PriorError

SHARE = 0.1


def models(n=4000, seed=0):
    """Two models whose ROC curves cross, and one that the second dominates."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < SHARE).astype(np.int8)
    noise = rng.normal(size=(3, n))
    scores = {
        "sharp": np.where(y == 1, 2.2 * noise[0] + 2.2, noise[0]),
        "even": np.where(y == 1, 0.8 * noise[1] + 1.9, noise[1]),
        "weak": 0.3 * y + noise[2],
    }
    return {k: ScoreCounts.from_scores(y, s, kind="rank") for k, s in scores.items()}, y.mean()


SYSTEMS, PRIOR = models()
PAIR = {k: SYSTEMS[k] for k in ("sharp", "even")}
HIDDEN = np.exp(np.linspace(math.log(1.1e-3), math.log(0.9e3), 17))


def nec(scores, ratio, prior, threshold=None):
    """Normalised cost at a ratio: at the best threshold, or at a given one; by brute force."""
    cuts, below0, below1 = scores.finest
    n0, n1 = scores.class_totals
    misses, alarms = below1 / n1, 1 - below0 / n0
    costs = prior * ratio * misses + (1 - prior) * alarms
    naive = min(prior * ratio, 1 - prior)
    if threshold is None:
        return costs.min() / naive
    return float(costs[np.searchsorted(cuts, threshold)] / naive)


def truly(question, ratio):
    """What a user with this ratio answers, whichever way round the question is put."""
    fewer, more = ("b", "a") if question.misses[0] > question.misses[1] else ("a", "b")
    return fewer if ratio > question.ratio else more


def asked(talk, ratio):
    """A user with a hidden ratio answers to the end; the conversation and the questions."""
    count = 0
    while (question := talk.question) is not None:
        talk = talk.answered(truly(question, ratio))
        count += 1
        assert count < 30
    return talk, count


@pytest.mark.parametrize("ratio", HIDDEN)
def test_one_question_picks_between_two_crossing_models(ratio):
    talk, count = asked(Elicitation(PAIR, priors=PRIOR), ratio)
    assert count == 2  # the one that picks, and the same the other way round
    best = min(nec(each, ratio, PRIOR) for each in PAIR.values())
    if talk.recommendation in PAIR:
        assert nec(PAIR[talk.recommendation], ratio, PRIOR) - best <= 0.02 + 1e-9
    assert talk.ratio.low <= ratio <= talk.ratio.high


def test_no_question_when_one_model_dominates():
    talk = Elicitation({k: SYSTEMS[k] for k in ("even", "weak")}, priors=PRIOR)
    assert talk.is_done
    assert talk.recommendation == "even"
    assert talk.regret <= 0.02


@pytest.mark.parametrize(("tolerance", "most"), [(0.05, 5), (0.01, 7)])
def test_questions_to_pin_the_threshold(tolerance, most):
    start = Elicitation(PAIR, priors=PRIOR, goal="threshold", tolerance=tolerance)
    for ratio in HIDDEN:
        talk, count = asked(start, ratio)
        assert count <= most
        best = min(1.0, *(nec(each, ratio, PRIOR) for each in PAIR.values()))
        name = talk.recommendation.partition(" > ")[0]
        if name in PAIR:
            reached = nec(PAIR[name], ratio, PRIOR, threshold=talk.threshold)
        else:
            rates = (1.0, 0.0) if name == "never act" else (0.0, 1.0)
            cost = PRIOR * ratio * rates[0] + (1 - PRIOR) * rates[1]
            reached = cost / min(PRIOR * ratio, 1 - PRIOR)
        assert reached - best <= tolerance + 1e-6


def test_every_question_shrinks_the_remaining_regret():
    talk = Elicitation(PAIR, priors=PRIOR, goal="threshold", tolerance=0.01)
    regrets = [talk.regret]
    while talk.question is not None:
        talk = talk.answered(truly(talk.question, 1e6))
        regrets.append(talk.regret)
    assert regrets == sorted(regrets, reverse=True)
    assert regrets[-1] <= 0.01


def test_cannot_say_is_not_asked_again():
    talk = Elicitation(PAIR, priors=PRIOR)
    first = talk.question
    silent = talk.answered("=")
    assert silent.ratio == talk.ratio
    assert silent.question is None or silent.question.ratio != first.ratio
    assert silent.is_done  # the only switch point cannot be told
    assert silent.recommendation in talk.options.names


def test_contradictory_answers_are_shown_and_can_be_taken_back():
    talk = Elicitation(PAIR, priors=PRIOR).stated(ratio_between(5, 20), ratio_from_threshold(0.5))
    assert len(talk.contradictions) == 1
    assert talk.question is None
    with pytest.raises(CostError, match="these two answers contradict"):
        talk.ratio  # noqa: B018
    assert repr(talk) == "Elicitation(2 statements, 1 contradictions)"
    kept = talk.without(1)
    assert (kept.ratio.low, kept.ratio.high) == (5, 20)


def test_nothing_is_changed_in_place():
    talk = Elicitation(PAIR, priors=PRIOR)
    talk.answered("a")
    assert talk.statements == ()


def test_winners_leave_out_near_ties():
    talk = Elicitation(PAIR, priors=PRIOR)
    won = talk.winners()
    assert won["from_ratio"][0] == pytest.approx(1e-3)
    assert won["to_ratio"][-1] == pytest.approx(1e3)
    assert np.array_equal(won["from_ratio"][1:], won["to_ratio"][:-1])
    options = talk.options
    for row in won.rows():
        k = options.names.index(row["choice"])
        inside = (options.ratios >= row["from_ratio"]) & (options.ratios <= row["to_ratio"])
        assert options.regrets[k, inside].max() <= 0.01 + 1e-9


def test_hard_decisions_are_systems_too():
    """Bold costs .27 + .01 c, shy .09 + .04 c with 10 % positives: they switch at 6."""
    systems = {
        "bold": ConfusionMatrix([[70, 30], [1, 9]]),
        "shy": ConfusionMatrix([[90, 10], [4, 6]]),
    }
    talk = Elicitation(systems, priors=0.1, low=2, high=20)
    assert talk.question.ratio == pytest.approx(6, rel=0.01)
    assert talk.answered("b").recommendation == "bold"
    assert talk.answered("a").recommendation == "shy"


def test_without_systems_the_ratio_is_halved():
    talk, count = asked(Elicitation(priors=0.2), 7.0)
    assert talk.ratio.factor <= 2.0 * 1.05
    assert talk.ratio.low <= 7 <= talk.ratio.high
    assert count <= math.ceil(math.log2(math.log2(1e6))) + 1
    with pytest.raises(DataError, match="no systems"):
        talk.options  # noqa: B018


def test_the_application_is_at_the_geometric_middle():
    talk = Elicitation(priors=0.2, classes=("stay", "churn")).stated(ratio_between(4, 25))
    app = talk.application()
    assert app.costs.cost("churn", "stay") == pytest.approx(10)
    assert app.priors.tolist() == [0.8, 0.2]
    assert talk.frame()["said"].tolist() == ["one miss is worth 4 to 25 false alarms"]


def test_refusals():
    with pytest.raises(PriorError):
        Elicitation(priors=0)
    with pytest.raises(DataError, match="goal"):
        Elicitation(priors=0.1, goal="other")
    with pytest.raises(DataError, match="low < high"):
        Elicitation(priors=0.1, low=2, high=1)
    with pytest.raises(DataError, match="no question left"):
        Elicitation({"even": SYSTEMS["even"]}, priors=PRIOR).answered("a")
    with pytest.raises(DataError, match="must be a ConfusionMatrix"):
        Elicitation({"x": [1]}, priors=0.1).question  # noqa: B018
    with pytest.raises(DataError, match="tolerance"):
        Elicitation(priors=0.1, tolerance=0)
    with pytest.raises(DataError, match="tolerance"):
        Elicitation(priors=0.1, tolerance=float("nan"))


@pytest.mark.parametrize("position", [1, -1])
def test_only_what_was_said_can_be_taken_back(position):
    talk = Elicitation(priors=0.1).stated(ratio_between(5, 20))
    with pytest.raises(DataError, match="no statement at position"):
        talk.without(position)


@pytest.mark.parametrize("cases", [0, -5])
def test_questions_speak_of_at_least_one_case(cases):
    with pytest.raises(DataError, match="`cases` must be 1 or more"):
        Elicitation(priors=0.1, cases=cases)


def test_a_known_ratio_needs_no_question():
    talk = Elicitation(PAIR, priors=PRIOR, goal="threshold").stated(ratio_between(7))
    assert talk.is_done
    assert talk.regret <= 1e-3


def test_answers_to_other_questions_count_too():
    talk = Elicitation(PAIR, priors=PRIOR).answered("b", question=Question(100, 9, (3, 2), (4, 9)))
    assert talk.ratio.low == 5


def test_comparison_over_the_range():
    talk = Elicitation(PAIR, priors=PRIOR).stated(ratio_between(2, 50))
    rows = {row["choice"]: row for row in talk.comparison().rows()}
    assert next(iter(rows)) == talk.recommendation
    for name, scores in PAIR.items():
        assert rows[name]["nec_low"] == pytest.approx(min(1, nec(scores, 2, PRIOR)))
        assert rows[name]["nec_high"] == pytest.approx(min(1, nec(scores, 50, PRIOR)))
        at = np.exp(np.linspace(math.log(2), math.log(50), 4001))
        mean = np.mean([min(1, nec(scores, ratio, PRIOR)) for ratio in at])
        assert rows[name]["nec_mean"] == pytest.approx(mean, abs=1e-3)
    assert rows[talk.recommendation]["worst_regret"] == talk.regret


@pytest.mark.parametrize("ratio", [0.013, 1.0, 6.28, 333.3])
def test_it_ends_for_any_tolerance(ratio):
    talk, count = asked(Elicitation(PAIR, priors=PRIOR, goal="threshold", tolerance=1e-7), ratio)
    assert count < 20
    assert talk.ratio.low <= ratio <= talk.ratio.high


@pytest.mark.parametrize("answer", ["a", "b"])
def test_an_answer_that_alone_leads_to_an_end_is_asked_the_other_way_round(answer):
    talk = Elicitation(PAIR, priors=PRIOR)
    first, hasty = talk.question, talk.answered(answer)
    again = hasty.question
    assert (again.misses, again.alarms) == (first.misses[::-1], first.alarms[::-1])
    assert (again.ratio, again.cases, again.positives) == (
        first.ratio,
        first.cases,
        first.positives,
    )
    assert "the other way round" in again.why
    believed = hasty.answered("b" if answer == "a" else "a")
    assert believed.is_done
    assert believed.ratio == hasty.ratio


def test_who_prefers_both_is_asked_afresh():
    talk = Elicitation(PAIR, priors=PRIOR)
    first = talk.question
    torn = talk.answered("b").answered("b")  # once the one, once the other
    assert len(torn.contradictions) == 1
    with pytest.raises(CostError, match="these two answers contradict"):
        torn.ratio  # noqa: B018
    assert (torn.question.misses, torn.question.alarms) == (first.misses, first.alarms)
    assert "neither answer counts" in torn.question.why
    afresh = torn.answered("a")
    assert len(afresh.statements) == 1
    assert afresh.ratio.high == first.ratio


def test_who_cannot_say_the_other_way_round_has_said_nothing():
    talk = Elicitation(PAIR, priors=PRIOR)
    unsure = talk.answered("b").answered("=")
    assert unsure.ratio == talk.ratio
    assert len(unsure.statements) == 1


def test_what_was_said_about_both_sides_is_not_asked_again():
    wide = Elicitation(PAIR, priors=PRIOR, high=1e3).stated(ratio_between(1, 900))
    assert wide.answered("b").is_done


def test_a_unit_needs_amounts_in_it():
    """A false alarm of 10 to 40 is 20 in the middle, a miss of 200 ten times as much."""
    talk = Elicitation(priors=0.2, classes=("stay", "churn"))
    with pytest.raises(CostError, match="a ratio, not an amount: a cost of 1 would read as 1 EUR"):
        talk.stated(ratio_between(4, 25)).application(unit="EUR")
    said = ratio_from_amounts(false_negative=200, false_positive=(10, 40))
    app = talk.stated(said).application(unit="EUR")
    assert app.unit == "EUR"
    assert app.costs.cost("stay", "churn") == pytest.approx(20)
    assert app.costs.cost("churn", "stay") == pytest.approx(200)
