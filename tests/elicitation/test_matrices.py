"""Sets of cost matrices for several classes."""

import numpy as np
import pytest

from stakes import ConfusionMatrix, bayes_decisions
from stakes.elicitation import (
    MatrixElicitation,
    matrix_answers_from_toml,
    matrix_answers_to_toml,
)
from stakes.elicitation.matrix_session import _drawn, _inner_point, _least_and_most
from stakes.exceptions import CostError, DataError

PETS = ["cat", "dog", "fox"]


def start(**settings):
    return MatrixElicitation(PETS, limit=100, draws=80, **settings)


def test_bounds_of_chained_ratios():
    """fox->cat is 5 to 20 units and fox->dog 2 to 3 times that: 10 to 60 units."""
    talk = start().ratio(("fox", "cat"), ("cat", "dog"), between=(5, 20))
    talk = talk.ratio(("fox", "dog"), ("fox", "cat"), between=(2, 3))
    assert talk.bounds(("fox", "dog")) == (10, 60)
    assert talk.bounds(("cat", "dog")) == (1, 1)
    assert talk.bounds(("cat", "cat")) == (0, 0)


def test_samples_keep_every_statement():
    talk = start().ratio(("fox", "cat"), ("cat", "dog"), between=(5, 20))
    talk = talk.ratio(("fox", "dog"), ("fox", "cat"), between=(1, 1))
    costs = talk.samples
    assert (np.diagonal(costs, axis1=1, axis2=2) == 0).all()
    assert (costs[:, 0, 1] == 1).all()
    assert ((costs[:, 2, 0] >= 5 - 1e-4) & (costs[:, 2, 0] <= 20 + 1e-4)).all()
    assert np.allclose(costs[:, 2, 1], costs[:, 2, 0], rtol=1e-5)
    assert costs[:, 2, 0].max() > 2 * costs[:, 2, 0].min()  # they do move


def test_preferences_between_outcomes_hold_for_every_sample():
    a = np.array([[5, 2, 0], [0, 5, 0], [1, 0, 5]])
    b = np.array([[7, 0, 0], [0, 5, 0], [0, 3, 3]])
    talk = start().preferred(ConfusionMatrix(a, PETS), b)
    assert ((talk.samples * (b - a)).sum(axis=(1, 2)) >= -1e-3).all()
    assert "you prefer" in repr(talk.statements[0])


def test_contradictions_are_as_few_statements_as_possible():
    talk = start().ratio(("fox", "cat"), ("cat", "dog"), between=(5, 20))
    talk = talk.ratio(("dog", "cat"), ("cat", "dog"), between=(1, 2))
    talk = talk.ratio(("fox", "cat"), ("cat", "dog"), between=(50, 60))
    assert talk.contradictions == (1, 4)  # at most 20 times, and at least 50 times
    with pytest.raises(CostError, match=r"at most 20 times .* at least 50 times"):
        talk.samples  # noqa: B018
    assert talk.without(4, 5).contradictions == ()


def test_a_hidden_matrix_is_found_well_enough_to_choose():
    rng = np.random.default_rng(0)
    n = 3000
    y = rng.integers(0, 3, n)
    logits = 1.2 * rng.normal(size=(n, 3))
    logits[np.arange(n), y] += 1.5
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True)
    systems = {}
    for k in range(6):
        costs = np.exp(rng.uniform(-2, 2, (3, 3)))
        np.fill_diagonal(costs, 0)
        decisions = bayes_decisions(p, costs)
        systems[f"s{k}"] = ConfusionMatrix.from_decisions(y, decisions, classes=[0, 1, 2])
    hidden = np.exp(rng.uniform(-2, 2, (3, 3)))
    np.fill_diagonal(hidden, 0)
    hidden /= hidden[0, 1]
    talk = MatrixElicitation([0, 1, 2], limit=30, draws=80)
    count = 0
    while (question := talk.question(systems, tolerance=0.05)) is not None and count < 15:
        a, b = ((outcome * hidden).sum() for outcome in question.outcomes)
        talk = talk.answered(question, prefers="a" if a < b else "b")
        count += 1
    assert count < 15
    costs = {k: (m.counts * hidden).sum() / m.total for k, m in systems.items()}
    rows = np.concatenate([s.coefficients[None] for s in talk.statements])
    assert ((rows * hidden).sum(axis=(1, 2)) >= 0).all()  # the truth is never ruled out
    shares = np.stack([m.counts / m.total for m in systems.values()])
    sampled = np.einsum("nij,sij->ns", talk.samples, shares)
    chosen = list(systems)[int(np.argmin((sampled - sampled.min(axis=1, keepdims=True)).max(0)))]
    naive = (hidden * np.bincount(y, minlength=3)[:, None] / n).sum(axis=0).min()
    assert (costs[chosen] - min(costs.values())) / naive <= 0.10


def test_question_in_words_and_cannot_say():
    systems = {
        "a": ConfusionMatrix([[40, 10, 0], [0, 50, 0], [30, 0, 20]], PETS),
        "b": ConfusionMatrix([[10, 40, 0], [0, 50, 0], [0, 0, 50]], PETS),
    }
    talk = start()
    question = talk.question(systems, cases=150)
    assert question.systems == ("a", "b")
    assert "   40 'cat' decided as 'dog'" in question.text()
    assert talk.answered(question, prefers="=") is talk
    with pytest.raises(DataError, match="'a', 'b' or '='"):
        talk.answered(question, prefers="c")


@pytest.mark.parametrize("first", ["a", "b"])
def test_the_only_answer_is_asked_the_other_way_round(first):
    systems = {
        "careful": ConfusionMatrix([[40, 10, 0], [0, 50, 0], [30, 0, 20]], PETS),
        "eager": ConfusionMatrix([[10, 40, 0], [0, 50, 0], [0, 0, 50]], PETS),
    }
    other = {"a": "b", "b": "a"}[first]
    question = start().question(systems, cases=150)
    assert not question.why
    talk = start().answered(question, prefers=first)
    again = talk.question(systems, cases=150)
    assert "the other way round" in again.why
    assert again.systems == question.systems[::-1]
    for here, there in zip(again.outcomes, question.outcomes[::-1], strict=True):
        assert here.tolist() == there.tolist()
    sure = talk.answered(again, prefers=other)  # the same outcome, by its other letter
    assert [s.said for s in sure.statements] == [talk.statements[0].said] * 2
    assert sure.question(systems, cases=150) is None
    for unsure in (first, "="):
        assert talk.answered(again, prefers=unsure).statements == ()
    read = matrix_answers_from_toml(matrix_answers_to_toml(talk))
    kept = read.question(systems, cases=150)
    assert sorted(map(np.ndarray.tolist, kept.outcomes)) == sorted(
        map(np.ndarray.tolist, question.outcomes)
    )


def test_statements_of_ratios_are_not_asked_again():
    systems = {"a": ConfusionMatrix(np.eye(3) * 50, PETS)}
    talk = start().ratio(("fox", "cat"), ("cat", "dog"), between=(4, 4))
    assert talk.question(systems) is None
    assert start().question(systems) is None


def test_application_and_middle():
    talk = start().ratio(("fox", "cat"), ("cat", "dog"), between=(4, 4))
    with pytest.raises(CostError, match="a ratio, not an amount"):
        talk.application(unit="EUR")
    app = talk.application([0.5, 0.3, 0.2])
    assert app.expected.costs.cost("fox", "cat") == pytest.approx(4)
    assert talk.middle.cost("fox", "cat") == pytest.approx(4)
    assert talk.frame().shape == (6, 4)


def test_other_decisions_and_units():
    talk = MatrixElicitation(["no", "yes"], ["no", "yes", "ask"], unit=("yes", "no"), draws=5)
    assert talk.bounds(("yes", "no")) == (1, 1)
    assert talk.samples.shape == (5, 2, 3)


@pytest.mark.parametrize(
    "make",
    [
        lambda: MatrixElicitation(["a"], ["a"]),
        lambda: MatrixElicitation(["a", "b"], unit=("a", "a")),
        lambda: MatrixElicitation(["a", "b"], unit=("a", "x")),
        lambda: start().ratio(("cat", "owl"), ("cat", "dog"), between=(1, 2)),
        lambda: start().preferred(np.eye(2), np.eye(2)),
        lambda: start().question({}),
    ],
)
def test_refusals(make):
    with pytest.raises(DataError):
        make()


class TestCones:
    ROWS = np.array([[1.0, -2.0, 0.0]])  # x0 >= 2 x1
    LOW, HIGH = np.array([1.0, 0.1, 0.1]), np.array([1.0, 10.0, 10.0])

    def test_extremes_by_hand(self):
        assert _least_and_most(self.ROWS, self.LOW, self.HIGH, 1) == (0.1, 0.5)
        assert _least_and_most(self.ROWS, self.LOW, self.HIGH, 2) == (0.1, 10)

    def test_empty_sets_have_no_point(self):
        assert _inner_point(-self.ROWS * 0.01 + [[-1, 0, 0]], self.LOW, self.HIGH) is None
        assert _inner_point(np.zeros((0, 3)), self.LOW, self.HIGH) is not None

    def test_draws_are_uniform_on_the_scale_of_factors(self):
        """log x1 is uniform on [log .1, log .5], log x2 on [log .1, log 10]."""
        values = np.log10(_drawn(self.ROWS, self.LOW, self.HIGH, 2000, np.random.default_rng(0)))
        assert values[:, 1].mean() == pytest.approx((np.log10(0.1) + np.log10(0.5)) / 2, abs=0.03)
        assert values[:, 2].mean() == pytest.approx(0, abs=0.06)
        assert values[:, 2].std() == pytest.approx(2 / np.sqrt(12), abs=0.04)


def test_questions_are_about_as_many_cases_of_each_class_whatever_is_decided():
    """Shares of thirds and sevenths cannot be rounded one by one to 1 000 cases."""
    systems = {
        "a": ConfusionMatrix([[2, 1, 0], [0, 5, 2], [1, 1, 1]], PETS),
        "b": ConfusionMatrix([[1, 1, 1], [1, 3, 3], [0, 0, 3]], PETS),
    }
    question = start().question(systems, tolerance=0.0, cases=1000)
    first, second = question.outcomes
    assert first.sum() == second.sum() == 1000
    assert (first.sum(axis=1) == second.sum(axis=1)).all()
    for system, outcome in zip(question.systems, question.outcomes, strict=True):
        table = systems[system]
        assert (np.abs(outcome - 1000 * table.counts / table.total) < 2).all()
