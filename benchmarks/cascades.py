"""Cascades of classifiers: ours beside the best confidence thresholds, single stages, an oracle.

    STAKES_DATA=... python benchmarks/cascades.py

Stages are trained on one half of each set and judged on the other: credit (20,000 rows of each;
logistic regression on four columns, on all, boosting on all), telco (contract and tenure; then
all) and scikit-learn's digits (logistic regression on 4x4 pixels, on 8x8; a support vector
machine). Every error costs 1, each further stage the price stated. "minus confidence" is our cost
less that of confidence thresholds tuned on the same folds, with its paired 95 % interval; "way" is
the share of the way from the best single stage to an oracle that knows whom to ask. Needs
scikit-learn and pandas.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np

from stakes.resources import evaluate_cascade

PRICES = (0.002, 0.01, 0.05, 0.2)


def linear(*columns):
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

    number = make_pipeline(
        SimpleImputer(strategy="median"), FunctionTransformer(np.log1p), StandardScaler()
    )
    numeric, names = columns
    parts = [(number, numeric), (OneHotEncoder(handle_unknown="ignore"), names)]
    return make_pipeline(make_column_transformer(*parts), LogisticRegression(max_iter=2000))


def halves(size: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng(0).permutation(size)
    return order[: min(size // 2, most)], order[size // 2 : size // 2 + most]


def credit():
    import pandas as pd
    from sklearn.ensemble import HistGradientBoostingClassifier

    folder = Path(os.environ["STAKES_DATA"]) / "give_me_some_credit"
    rows = pd.read_csv(folder / "creditscoring1.csv.gz").drop(columns="id")
    truth = rows.pop("SeriousDlqin2yrs").to_numpy().astype(int)
    few = ["age", "MonthlyIncome", "NumberOfDependents", "DebtRatio"]
    models = {
        "four columns": linear(few, []),
        "all columns": linear(list(rows), []),
        "boosting": HistGradientBoostingClassifier(random_state=0),
    }
    return trained(models, rows, truth, 20_000)


def telco():
    import pandas as pd

    file = next((Path(os.environ["STAKES_DATA"]) / "telco_churn").glob("*.csv"))
    rows = pd.read_csv(file).drop(columns="customerID")
    truth = (rows.pop("Churn") == "Yes").to_numpy().astype(int)
    rows["TotalCharges"] = pd.to_numeric(rows["TotalCharges"], errors="coerce")
    numeric = [c for c in rows if rows[c].dtype.kind in "fi"]
    others = [c for c in rows if c not in numeric]
    models = {"contract": linear(["tenure"], ["Contract"]), "all columns": linear(numeric, others)}
    return trained(models, rows, truth, len(truth))


def digits():
    import pandas as pd
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.datasets import load_digits
    from sklearn.svm import SVC

    pixels, truth = load_digits(return_X_y=True)
    small = pixels.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(len(pixels), -1)
    rows = pd.DataFrame(np.hstack([small, pixels])).rename(columns=str)
    first, all_pixels = [str(c) for c in range(16)], [str(c) for c in range(16, 80)]
    models = {
        "4x4 pixels": linear(first, []),
        "8x8 pixels": linear(all_pixels, []),
        "support vectors": CalibratedClassifierCV(SVC(), ensemble=False),
    }
    return trained(models, rows, truth, len(truth))


def trained(models, rows, truth, most):
    learnt, kept = halves(len(truth), most)
    stages = {}
    for name, model in models.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(rows.iloc[learnt], truth[learnt])
            stages[name] = model.predict_proba(rows.iloc[kept])
    return truth[kept], stages


def main() -> None:
    if not os.environ.get("STAKES_DATA"):
        print("cascades: set STAKES_DATA to the folder of public data sets")
        return
    titles = ("cascade", "best stage", "confidence", "oracle")
    head = f"{'set':<7} {'price':>6}" + "".join(f" {title:>10}" for title in titles)
    print(f"{head}   {'minus confidence':<28} {'way':>5}")
    for make in (credit, telco, digits):
        truth, stages = make()
        costs = 1.0 - np.eye(next(iter(stages.values())).shape[1])
        for price in PRICES:
            prices = {name: price * (k > 0) for k, name in enumerate(stages)}
            found = evaluate_cascade(truth, stages, prices=prices, costs=costs)
            rows = ("cascade", found.best_stage, "confidence thresholds", "oracle")
            cells = "".join(f" {found.cost(name):>10.5f}" for name in rows)
            saved, low, high = found.saving("confidence thresholds")
            less = f"{-saved:+.5f} ({-high:+.5f} to {-low:+.5f})"
            way = f"{found.way_to_oracle:>5.0%}{'  worse' if high < 0 else ''}"
            print(f"{make.__name__:<7} {price:>6g}{cells}   {less:<28} {way}")


if __name__ == "__main__":
    main()
