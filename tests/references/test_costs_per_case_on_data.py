"""Deciding case by case on public data: loans and customers with amounts of their own.

For calibrated posteriors the decision per case cannot be expected to cost more than the best
single threshold, nor that more than the rule by average costs. Checked twice: in expectation under
the posteriors, and in what was really paid on held-out cases, up to sampling noise.
"""

import numpy as np
import pytest

from stakes.application import case_costs
from stakes.calibration import Isotonic
from stakes.decisions import case_rules
from stakes.metrics import case_cost

pandas = pytest.importorskip("pandas", reason="reads the data")
linear = pytest.importorskip("sklearn.linear_model", reason="makes the posteriors")
pipeline = pytest.importorskip("sklearn.pipeline", reason="makes the posteriors")
preprocessing = pytest.importorskip("sklearn.preprocessing", reason="makes the posteriors")


def posteriors(features, y, train):
    """Held-out posteriors: logistic regression, then isotonic regression on a third part."""
    fit, calibrate = train[: train.size // 2], train[train.size // 2 :]
    model = pipeline.make_pipeline(
        preprocessing.StandardScaler(), linear.LogisticRegression(max_iter=500)
    ).fit(features[fit], y[fit])
    log_odds = model.decision_function(features)
    calibrator = Isotonic().fit(log_odds[calibrate], y[calibrate])
    return np.asarray(calibrator.posteriors(log_odds))[:, 1]


@pytest.fixture(scope="module")
def credit(data_folder):
    path = data_folder / "give_me_some_credit" / "creditscoring1.csv.gz"
    if not path.exists():
        pytest.skip("needs the Give Me Some Credit data")
    frame = pandas.read_csv(path).dropna()
    frame = frame[frame["MonthlyIncome"] > 0].sample(30_000, random_state=0)
    y = frame["SeriousDlqin2yrs"].to_numpy()
    features = np.log1p(frame.drop(columns=["id", "SeriousDlqin2yrs"]).to_numpy(float).clip(0))
    line = np.minimum(3 * frame["MonthlyIncome"].to_numpy(float), 25_000)
    costs = {"fn": "0.75*line", "fp": "0.02*line + 300"}
    return features, y, {"line": line}, costs


@pytest.fixture(scope="module")
def churn(data_folder):
    path = data_folder / "telco_churn" / "WA_Fn-UseC_-Telco-Customer-Churn.csv"
    if not path.exists():
        pytest.skip("needs the Telco churn data")
    frame = pandas.read_csv(path)
    y = (frame["Churn"] == "Yes").to_numpy().astype(int)
    wide = pandas.get_dummies(frame[["Contract", "InternetService", "PaymentMethod"]])
    numbers = frame[["tenure", "MonthlyCharges", "SeniorCitizen"]].to_numpy(float)
    features = np.column_stack([numbers, wide.to_numpy(float)])
    charges = {"charges": frame["MonthlyCharges"].to_numpy(float)}
    return features, y, charges, {"fn": "0.25*12*charges", "fp": "30", "tp": "30"}


@pytest.mark.parametrize("name", ["credit", "churn"])
def test_per_case_decisions_never_cost_more(name, request):
    features, y, columns, formulas = request.getfixturevalue(name)
    order = np.random.default_rng(0).permutation(y.size)
    train, test = order[: y.size // 2], order[y.size // 2 :]
    p = posteriors(features, y, train)[test]
    costs = case_costs({k: v[test] for k, v in columns.items()}, formulas)
    rules = case_rules(p, costs)
    each, one, average = rules.expected
    assert each <= one * (1 + 1e-12)
    assert one <= average * (1 + 1e-12)
    assert each < one  # amounts differ, so it is worth something
    found = {rule: case_cost(y[test], codes, costs=costs) for rule, codes in rules.items()}
    paid = np.array([found[rule].parts for rule in ("per case", "one threshold")])
    gap = paid[0] - paid[1]
    assert gap.mean() <= 2 * gap.std() / np.sqrt(gap.size)
    assert found["per case"].normalized < 1
    # calibrated: what the posteriors expect is what is paid, up to noise
    noise = paid[0].std() / np.sqrt(paid[0].size)
    assert each == pytest.approx(found["per case"].per_case, abs=4 * noise)
