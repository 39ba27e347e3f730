"""What is asked next, where the switches are known by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from stakes import ConfusionMatrix
from stakes.elicitation import Elicitation, Question
from stakes.elicitation.next_question import _APART, _declined, _depth, _switch


def point(miss, alarm):
    """A system of a thousand cases of each class."""
    return ConfusionMatrix([[1000 - 1000 * alarm, 1000 * alarm], [1000 * miss, 1000 - 1000 * miss]])


#: At equal shares a system costs ratio * miss + alarm, so that they cost the same at 0.1, 0.5, 4.
FOUR = {"A": point(0.5, 0), "B": point(0.3, 0.02), "C": point(0.1, 0.12), "D": point(0, 0.52)}


def asked(talk):
    """The ratio of the question, and between which two systems it decides."""
    found = talk.question
    _, below, _, above, _ = found.why.split("'")
    return found.ratio, below, above


class TestSwitches:
    def test_the_middle_one_is_asked_first(self):
        ratio, *systems = asked(Elicitation(FOUR, tolerance=1e-6))
        assert ratio == pytest.approx(0.5, rel=0.01)
        assert systems == ["B", "C"]

    def test_of_two_alike_the_likelier_one(self):
        """A miss rarely costs less than a false alarm, so 4 comes before 0.5."""
        three = {name: FOUR[name] for name in "BCD"}
        ratio, *systems = asked(Elicitation(three, tolerance=1e-6, low=0.2))
        assert ratio == pytest.approx(4, rel=0.01)
        assert systems == ["C", "D"]

    def test_outcomes_are_believable(self):
        """A question near acting on nobody shows neither 1000 misses nor no false alarm."""
        talk = Elicitation({"A": point(0.995, 0), "B": point(0.5, 0.01)}, tolerance=1e-6)
        seen = []
        while talk.question is not None and len(seen) < 9:
            seen.append(talk.question)
            talk = talk.answered("=")
        assert seen
        for found in seen:
            assert max(found.misses) <= 0.8 * found.positives
            assert min(*found.misses, *found.alarms) > 0

    def test_what_was_declined_is_passed_over(self):
        talk = Elicitation(FOUR, tolerance=1e-6).answered("=")
        ratio, *systems = asked(talk)
        assert ratio == pytest.approx(4, rel=0.01)
        assert systems == ["C", "D"]
        ratio, *systems = asked(talk.answered("="))
        assert ratio == pytest.approx(0.1, rel=0.01)
        assert systems == ["A", "B"]
        assert talk.answered("=").answered("=").question is None

    def test_nothing_where_one_system_is_best_throughout(self):
        assert Elicitation(FOUR, tolerance=1e-6, low=0.6, high=3.9).question is None

    def test_a_contradiction_ends_it(self):
        talk = Elicitation(FOUR, tolerance=1e-6)
        one, other = (
            Question(1000, 500, (20, 10), (10, 110)),
            Question(1000, 500, (20, 10), (10, 20)),
        )
        talk = talk.stated(one.statement("b"), other.statement("a"))
        assert talk.contradictions
        assert talk.question is None

    def test_numbers_are_near_the_best_operating_point(self):
        """One outcome is what the best system does, of two alike the first."""
        found = Elicitation(FOUR, tolerance=1e-6, cases=2000).question
        assert (found.cases, found.positives) == (2000, 1000)
        assert (found.misses[0], found.alarms[0]) == (1000 * 0.3, 1000 * 0.02)
        # with a tenth of positives, B and C cost the same at 0.1 * r * 0.2 = 0.9 * 0.1
        found = Elicitation(FOUR, tolerance=1e-6, cases=20_000, priors=0.1).question
        assert found.ratio == pytest.approx(4.5, rel=0.01)
        assert (found.misses[0], found.alarms[0]) == (2000 * 0.3, 18_000 * 0.02)


class TestWithoutSystems:
    def test_the_middle_of_the_factors(self):
        assert Elicitation(low=1, high=100).question.ratio == pytest.approx(10, rel=0.01)

    @pytest.mark.parametrize(("high", "done"), [(6.0, True), (6.1, False)])
    def test_until_it_is_known_to_a_factor_of_two(self, high, done):
        assert (Elicitation(low=3, high=high).question is None) == done

    def test_until_the_middle_is_declined(self):
        assert Elicitation(low=1, high=100).answered("=").question is None


@pytest.mark.parametrize(
    ("left", "total", "found"),
    [
        (1, 2, (0, 0)),
        (1, 3, (1, 1)),
        (2, 4, (1, 0)),
        (1, 4, (2, 2)),
        (3, 8, (3, 2)),
        (5, 9, (3, 1)),
    ],
)
def test_depth_is_that_of_halving_the_larger_part(left, total, found):
    assert _depth(left, total) == found


class TestDeclined:
    question = Question(1000, 78, (12, 6), (40, 160))  # 120 false alarms for 6 misses

    @pytest.mark.parametrize(
        ("ratio", "near"),
        [(20, True), (30, False), (20 * _APART * 0.999, True), (20 * _APART * 1.001, False),
         (20 / _APART / 0.999, True), (20 / _APART / 1.001, False)],
    )  # fmt: skip
    def test_within_a_factor_and_a_half(self, ratio, near):
        assert _APART == 1.5
        assert _declined(Elicitation().stated(self.question.statement("=")), ratio) == near

    def test_not_by_an_answer(self):
        assert not _declined(Elicitation().stated(self.question.statement("b")), 20)

    def test_by_any_of_several(self):
        other = Question(1000, 78, (12, 6), (40, 46))
        talk = Elicitation().stated(self.question.statement("="), other.statement("="))
        assert _declined(talk, 1)
        assert _declined(talk, 20)


class TestSwitch:
    """`here` costs 0 to 5 at the points 0 to 5, `there` costs 3: alike at point 3."""

    nec = np.array([[0.0, 1, 2, 3, 4, 5], [3.0] * 6])

    def options(self, needed, nec=None):
        """Options that need so many stretches from any point on; the points asked about."""
        self.asked = []

        def stretches(start, tolerance):
            self.asked.append((start, tolerance))
            return [None] * needed

        return SimpleNamespace(
            nec=self.nec if nec is None else nec, ratios=np.arange(6.0), stretches=stretches
        )

    def test_where_both_cost_the_same(self):
        assert _switch(self.options(1), [(4, 0), (5, 1)], 0, 0.1) == 3
        assert self.asked == [(3, 0.1)]

    def test_at_the_end_if_that_would_need_another_stretch(self):
        assert _switch(self.options(2), [(4, 0), (5, 1)], 0, 0.1) == 4

    def test_later_stretches_start_where_the_one_before_ends(self):
        nec = np.array([[9.0] * 6, [0, 1, 2, 3, 4, 5], [1.5] * 6])
        assert _switch(self.options(1, nec), [(2, 0), (4, 1), (5, 2)], 1, 0.1) == 4
        nec = np.array([[9.0] * 6, [0, 1, 2, 3, 4, 5], [2.5] * 6])
        assert _switch(self.options(1, nec), [(1, 0), (4, 1), (5, 2)], 1, 0.1) == 2
        assert self.asked == [(2, 0.1)]

    def test_what_is_left_of_the_stretches_counts(self):
        nec = np.array([[9.0] * 6, [0, 1, 2, 3, 4, 5], [2.5] * 6])
        assert _switch(self.options(2, nec), [(1, 0), (4, 1), (5, 2)], 1, 0.1) == 4

    def test_soon_after_the_beginning(self):
        nec = np.array([[0.0, 3, 3, 3, 3, 3], [2.0, 3, 2, 2, 2, 2]])
        assert _switch(self.options(1, nec), [(4, 0), (5, 1)], 0, 0.1) == 1

    def test_never_at_the_very_beginning(self):
        nec = np.array([[3.0] * 6, [3.0, 2, 2, 2, 2, 2]])
        assert _switch(self.options(1, nec), [(4, 0), (5, 1)], 0, 0.1) == 4
