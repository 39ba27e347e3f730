"""Columns of posteriors that carry names are found by name."""

from __future__ import annotations

import numpy as np
import pytest

import stakes
from stakes.exceptions import PosteriorError
from stakes.posteriors.posteriors import posterior_array

CLASSES = ("stay", "churn")
STAY, CHURN = np.array([0.95, 0.2]), np.array([0.05, 0.8])
COSTS = stakes.CostMatrix([[0, 1], [1, 0]], classes=CLASSES, decisions=("ignore", "call"))


@pytest.mark.parametrize(
    ("library", "make"),
    [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")],
)
def test_columns_of_a_frame_are_put_in_the_order_of_the_classes(library, make):
    module = pytest.importorskip(library, reason=f"reads a {library} table")
    turned = getattr(module, make)({"churn": CHURN, "stay": STAY})
    assert posterior_array(turned, CLASSES).tolist() == np.column_stack([STAY, CHURN]).tolist()
    assert stakes.bayes_decisions(turned, COSTS).tolist() == [0, 1]
    per_case = stakes.CaseCosts(np.stack([COSTS.values] * 2), classes=CLASSES)
    assert stakes.bayes_decisions(turned, per_case).tolist() == [0, 1]


def test_columns_with_other_names_are_taken_as_they_stand():
    pandas = pytest.importorskip("pandas", reason="reads a pandas table")
    frame = pandas.DataFrame({"p_a": STAY, "p_b": CHURN})
    assert stakes.bayes_decisions(frame, COSTS, classes=CLASSES).tolist() == [0, 1]


SORTED = stakes.CostMatrix([[0, 9], [1, 0]], classes=("Fraud", "Legit"))
FRAUD = np.array([0.05, 0.3])  # 0.95 < 9 * 0.3: the second case is decided to be Fraud, at 0


def frame_of(*names):
    """A data frame whose columns are Legit, Fraud, or the other way round, as their names say."""
    pandas = pytest.importorskip("pandas", reason="reads a pandas table")
    columns = [FRAUD, 1 - FRAUD] if "raud" in str(names[0]) else [1 - FRAUD, FRAUD]
    return pandas.DataFrame(np.column_stack(columns), columns=list(names))


class TestNamesOfColumns:
    @pytest.mark.parametrize(
        "names",
        [("legit", "fraud"), ("fraud", "legit"), ("Legit", "x"), ("p", "q"), (1, 0), (3, 7),
         ("0", "1"), ("P_LEGIT", "P_FRAUD")],
    )  # fmt: skip
    def test_other_names_are_refused_with_both_lists(self, names):
        shown = ", ".join(map(repr, names))
        with pytest.raises(PosteriorError, match=f"columns {shown}, .*'Fraud', 'Legit'") as found:
            stakes.bayes_decisions(frame_of(*names), SORTED)
        assert "rename the columns" in found.value.hint
        assert "classes=[...]" in found.value.hint

    @pytest.mark.parametrize("names", [("Fraud", "Fraud"), ("p", "p"), (0, 0)])
    @pytest.mark.parametrize("classes", [None, ("Fraud", "Legit")])
    def test_names_that_occur_twice_are_refused(self, names, classes):
        with pytest.raises(PosteriorError, match="columns of the same name"):
            stakes.bayes_decisions(frame_of(*names), SORTED, classes=classes)
        with pytest.raises(PosteriorError, match="columns of the same name"):
            stakes.Posteriors(frame_of(*names), classes=("Fraud", "Legit"))

    @pytest.mark.parametrize(
        "names", [("legit", "fraud"), ("Legit", "x"), ("p_Legit", "p_Fraud"), ("p", "q"), (3, 7)]
    )
    def test_the_order_that_is_said_is_followed(self, names):
        frame = frame_of(*names)
        assert stakes.bayes_decisions(frame, SORTED, classes=["Legit", "Fraud"]).tolist() == [1, 0]
        named = stakes.Posteriors(frame, classes=["Legit", "Fraud"])
        assert stakes.bayes_decisions(named, SORTED).tolist() == [1, 0]

    @pytest.mark.parametrize(
        "names", [("Legit", "Fraud"), ("legit", "fraud"), ("Legit", "x"), ("p_Legit", "p_Fraud")]
    )
    def test_names_against_the_order_that_is_said_are_refused(self, names):
        with pytest.raises(PosteriorError, match="but `classes` says that they are") as found:
            stakes.bayes_decisions(frame_of(*names), SORTED, classes=["Fraud", "Legit"])
        assert "rename the columns exactly like the classes" in found.value.hint

    def test_numbers_in_order_are_positions(self):
        pandas = pytest.importorskip("pandas", reason="reads a pandas table")
        polars = pytest.importorskip("polars", reason="reads a Polars table")
        rows = np.column_stack([FRAUD, 1 - FRAUD])
        for frame in (pandas.DataFrame(rows), polars.DataFrame(rows)):
            assert stakes.bayes_decisions(frame, SORTED).tolist() == [1, 0]


class TestSingleColumns:
    @pytest.mark.parametrize("library", ["pandas", "polars"])
    def test_a_frame_of_one_column_is_that_column(self, library):
        frames = pytest.importorskip(library, reason="reads a data frame")
        for name, values in (("Fraud", FRAUD), ("Legit", 1 - FRAUD)):
            frame = frames.DataFrame({name: values})
            assert stakes.bayes_decisions(frame, SORTED).tolist() == [1, 0]
            named = stakes.Posteriors(frame, classes=["Fraud", "Legit"])
            np.testing.assert_allclose(named.values[:, 0], FRAUD)
            column = stakes.Posteriors(frame[name], classes=["Fraud", "Legit"])
            np.testing.assert_array_equal(column.values, named.values)

    @pytest.mark.parametrize("name", ["Fraud", "fraud", "p_Fraud"])
    def test_a_name_against_positive_is_refused(self, name):
        pandas = pytest.importorskip("pandas", reason="reads a pandas column")
        column = pandas.Series(FRAUD, name=name)
        for said in (column, column.to_frame()):
            with pytest.raises(PosteriorError, match=f"is the column '{name}', but") as found:
                stakes.bayes_decisions(said, SORTED, positive="Legit")
            assert "positive='Fraud' if it is that of 'Fraud'" in found.value.hint
            assert stakes.bayes_decisions(said, SORTED, positive="Fraud").tolist() == [1, 0]

    def test_a_column_called_almost_like_the_other_class_is_refused(self):
        pandas = pytest.importorskip("pandas", reason="reads a pandas column")
        with pytest.raises(PosteriorError, match="read as the probability of 'Legit'"):
            stakes.bayes_decisions(pandas.Series(FRAUD, name="p_fraud"), SORTED)
        numbered = pandas.Series(FRAUD, name="model_0")  # no class, although one is called 0
        assert stakes.bayes_decisions(numbered, [[0, 1], [9, 0]]).tolist() == [0, 1]


def test_named_posteriors_in_another_order_are_found_by_name():
    turned = stakes.Posteriors(np.column_stack([CHURN, STAY]), classes=("churn", "stay"))
    per_case = stakes.CaseCosts(np.stack([COSTS.values] * 2), classes=CLASSES)
    for costs in (COSTS, per_case):
        assert stakes.bayes_decisions(turned, costs).tolist() == [0, 1]
    strange = stakes.Posteriors(turned.values, classes=("left", "stayed"))
    for costs in (COSTS, per_case):
        with pytest.raises(
            PosteriorError, match="'left', 'stayed'; the costs have 'stay', 'churn'"
        ):
            stakes.bayes_decisions(strange, costs)


def test_every_reader_finds_columns_by_name():
    pandas = pytest.importorskip("pandas", reason="reads a pandas table")
    turned = pandas.DataFrame({"churn": CHURN, "stay": STAY})
    named = stakes.Posteriors(turned, classes=CLASSES)
    assert np.allclose(named.values, np.column_stack([STAY, CHURN]))
    truth = ["stay", "churn"]
    both = stakes.summaries.one_vs_rest(truth, turned, classes=CLASSES)
    assert [stakes.metrics.auc(both[name]) for name in CLASSES] == [1.0, 1.0]
    path = stakes.curves.application_path(truth, turned, applications=[COSTS])
    assert path.cost.tolist() == [0.0]


class TestLogarithms:
    """Frames of logarithms are read by name too: the order of their columns says nothing."""

    @pytest.fixture
    def frame(self):
        pd = pytest.importorskip("pandas", reason="reads data frames")
        return pd.DataFrame({"churn": np.log(CHURN), "stay": np.log(STAY)})

    def test_of_every_class(self, frame):
        wanted = np.column_stack([STAY, CHURN])
        made = [
            stakes.Posteriors.from_logits(frame, classes=CLASSES),
            stakes.Posteriors.from_log_posteriors(frame, classes=CLASSES),
            stakes.Posteriors.from_llrs(frame, priors=[0.5, 0.5], classes=CLASSES),
        ]
        for each in made:
            np.testing.assert_allclose(each.values, wanted, rtol=1e-12)

    @pytest.mark.parametrize(("name", "sign"), [("churn", 1), ("stay", -1), (None, 1)])
    def test_of_one_class(self, frame, name, sign):
        odds = (np.log(CHURN) - np.log(STAY)) * sign
        column = type(frame["churn"])(odds, name=name)
        for made in (
            stakes.Posteriors.from_logits(column, classes=CLASSES),
            stakes.Posteriors.from_llrs(column, priors=[0.5, 0.5], classes=CLASSES),
        ):
            np.testing.assert_allclose(made.values[:, 1], CHURN, rtol=1e-12)
