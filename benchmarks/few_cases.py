"""Score sets for calibration with few cases: those that chose how, and those that chose nothing.

Used by `calibration_quality.py --few`. What `Automatic` does with fewer than 500 cases was settled
on the sets of `choosing`; those of `apart` were looked at afterwards, and nothing was changed for
them. Needs scikit-learn and the data (STAKES_DATA).
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from calibration_choice import plain
from calibration_choice import read as read_credit
from scipy.special import logsumexp

Scored = tuple[np.ndarray, np.ndarray]


def in_groups(logs: np.ndarray, y: np.ndarray, group: np.ndarray) -> Scored:
    """Classes taken together: log-posteriors and labels of their groups."""
    parts = [logsumexp(logs[:, group == g], axis=1) for g in range(group.max() + 1)]
    return np.column_stack(parts), group[y]


def a_fifth(logs: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Scored:
    """All of the second class, and four times as many of the first."""
    second, first = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    rows = np.concatenate([second, rng.choice(first, 4 * len(second), replace=False)])
    return logs[rows], y[rows]


def held_out(models: dict, x: np.ndarray, y: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Log-posteriors of each classifier, from five stratified folds; infinite ones are bounded."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    for name, model in models.items():
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        with np.errstate(divide="ignore"):
            logs = np.log(cross_val_predict(model, x, y, cv=folds, method="predict_proba"))
        yield name, np.maximum(logs, logs[np.isfinite(logs)].min() - np.log(2))


def churn() -> Scored:
    """Telco customers: numbers as they are, words as columns of 0 and 1."""
    folder = Path(os.environ["STAKES_DATA"]) / "telco_churn"
    with (folder / "WA_Fn-UseC_-Telco-Customer-Churn.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = []
    for name in [name for name in rows[0] if name not in ("customerID", "Churn")]:
        values = [row[name].strip() for row in rows]
        try:
            columns.append([float(value or "nan") for value in values])
        except ValueError:
            columns += [[float(v == word) for v in values] for word in sorted(set(values))[1:]]
    return np.array(columns).T, np.array([row["Churn"] == "Yes" for row in rows], dtype=int)


def choosing(read) -> dict[str, Scored]:
    """CIFAR100 with its classes in groups, FVCAUS thinned, credit and churn by four classifiers."""
    rng = np.random.default_rng(5)
    found: dict[str, Scored] = {}
    for net in ("vgg19_bn", "resnet-20", "repvgg_a2"):
        logs, y = read(f"cifar100_{net}")
        place = rng.permutation(100)
        groups = {"in 4": place % 4, "in 10": place % 10, "halves": place % 2}
        groups["a tenth"] = (place % 10 == 0).astype(int)
        for how, group in groups.items():
            found[f"cifar100 {net}, {how}"] = in_groups(logs, y, group)
    found["fvcaus, a fifth"] = a_fifth(*read("fvcaus_plda"), rng)
    x, y = read_credit()
    x, y = a_fifth(x[:12_000], y[:12_000], rng)
    found |= {f"credit, {name}": (logs, y) for name, logs in held_out(plain(), x, y)}
    x, y = churn()
    return found | {f"churn, {name}": (logs, y) for name, logs in held_out(plain(), x, y)}


def apart(read, sets: tuple[str, ...]) -> dict[str, Scored]:
    """The sets of the larger table, three of them one class against the rest, and two of digits."""
    from sklearn.datasets import load_breast_cancer, load_digits
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    found: dict[str, Scored] = {name: read(name) for name in sets}
    for name in ("iemocap_wav2vec_pt", "agnews_gpt2", "cifar10_resnet-20"):
        logs, y = found[name]
        group = (np.arange(logs.shape[1]) == 0).astype(int)
        found[f"{name}, the first"] = in_groups(logs, y, group)
    models = {
        "bayes": GaussianNB(),
        "forest": RandomForestClassifier(100, random_state=0),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
    }
    x, y = load_breast_cancer(return_X_y=True)
    found |= {f"cancer, {name}": (logs, y) for name, logs in held_out(models, x, y)}
    x, y = load_digits(return_X_y=True)
    found |= {f"digits, {name}": (logs, y) for name, logs in held_out(models, x, y)}
    large = (y > 4).astype(int)
    return found | {
        f"digits above 4, {name}": (logs, large) for name, logs in held_out(models, x, large)
    }
