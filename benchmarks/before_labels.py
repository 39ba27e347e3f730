"""Costs before labels arrive: our estimates and CBPE's, against the costs that labels give.

    STAKES_DATA=... python benchmarks/before_labels.py [shares] [inputs] [relation] [--draws 200]

Errors are in units of the true cost of the best naive decision. Parts:

- shares: the odds of one class are multiplied by 1/4 to 4, and nothing else changes. A miss of this
  class costs 1 and 10 times any other error.
- inputs: the mix of one input is changed by weights of at most 10.
- relation: the relation of inputs and truth is changed, which scores alone cannot show; with 200
  random labels it is tested, beside the best test there can be of them.

CBPE is NannyML's (0.13), written here with arrays: isotonic calibration of each class where it
lowers the calibration error in cross-validation, rows then divided by their sum. With

    python benchmarks/before_labels.py --check /path/to/python/with/nannyml

it is compared with NannyML itself on a few draws. Classifiers of the two tables are trained on a
third of the rows, which are not used again. Reference and new cases are drawn from the others,
disjoint and without replacement. Needs scikit-learn and pandas.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit

from stakes import CostMatrix
from stakes.calibration import Affine
from stakes.estimation import DecidedCases, check_labels, estimate_cost
from stakes.exceptions import UndefinedError

FACTORS = (1.0, 0.25, 0.5, 2.0, 4.0)
LEVEL = 0.9
#: Labels by which a changed relation is to be seen.
CHECKED = 200
#: Rows of the reference and at most this many new ones, by set.
SIZES = {
    "credit": (5000, 10000),
    "telco": (2000, 2600),
    "fvcaus_plda": (20000, 10000),
    "sst2_gpt2": (900, 900),
    "agnews_gpt2": (2500, 5000),
    "iemocap_wav2vec_pt": (2000, 3400),
    "cifar10_resnet-20": (5000, 5000),
}


# ----------------------------------------------------------------- data


def score_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Posteriors and labels of one of the published sets of scores."""
    folder = Path(os.environ["STAKES_DATA"]) / name
    logits = np.load(folder / "scores.npy").astype(np.float64)
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True), np.load(folder / "targets.npy").astype(int)


@functools.cache
def table_set(name: str):
    """Posteriors, labels and inputs of the rows that a classifier was not trained on."""
    import pandas as pd
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

    folder = Path(os.environ["STAKES_DATA"])
    if name == "credit":
        rows = pd.read_csv(folder / "give_me_some_credit" / "creditscoring1.csv.gz").drop(
            columns="id"
        )
        labels = rows.pop("SeriousDlqin2yrs").to_numpy().astype(int)
    else:
        rows = pd.read_csv(next((folder / "telco_churn").glob("*.csv"))).drop(columns="customerID")
        labels = (rows.pop("Churn") == "Yes").to_numpy().astype(int)
        rows["TotalCharges"] = pd.to_numeric(rows["TotalCharges"], errors="coerce")
    numeric = [c for c in rows if rows[c].dtype.kind in "fi"]
    others = [c for c in rows if c not in numeric]
    model = make_pipeline(
        make_column_transformer(
            (
                make_pipeline(
                    SimpleImputer(strategy="median"),
                    FunctionTransformer(np.log1p),  # amounts and counts with heavy tails
                    StandardScaler(),
                ),
                numeric,
            ),
            (OneHotEncoder(handle_unknown="ignore"), others),
        ),
        LogisticRegression(max_iter=1000),
    )
    order = np.random.default_rng(0).permutation(len(rows))
    learnt, kept = order[: len(rows) // 3], order[len(rows) // 3 :]
    model.fit(rows.iloc[learnt], labels[learnt])
    return model.predict_proba(rows.iloc[kept]), labels[kept], rows.iloc[kept]


def any_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    return table_set(name)[:2] if name in ("credit", "telco") else score_set(name)


# ----------------------------------------------------------------- CBPE


def _binned_error(labels: np.ndarray, scores: np.ndarray, bins: int = 10) -> float:
    order = np.argsort(scores)
    width = len(scores) // bins
    edges = np.arange(0, len(scores) + 1, width)
    edges[-1] = len(scores)
    return sum(
        (b - a) / len(scores) * abs(scores[order[a:b]].mean() - labels[order[a:b]].mean())
        for a, b in itertools.pairwise(edges)
    )


def _needs_calibration(labels: np.ndarray, scores: np.ndarray) -> bool:
    if len(np.unique(labels)) == 1 or roc_auc_score(labels, scores) > 0.999:
        return False
    folds = StratifiedShuffleSplit(n_splits=10, test_size=0.1, random_state=42)
    truth, before, after = [], [], []
    for train, test in folds.split(scores, labels):
        fitted = IsotonicRegression(out_of_bounds="clip").fit(scores[train], labels[train])
        truth.append(labels[test])
        before.append(scores[test])
        after.append(fitted.predict(scores[test]))
    y, raw, calibrated = (np.concatenate(each) for each in (truth, before, after))
    return _binned_error(y, raw) > _binned_error(y, calibrated)


class Cbpe:
    """NannyML's calibration, class by class."""

    def __init__(self, labels: np.ndarray, posteriors: np.ndarray) -> None:
        self.maps: list[IsotonicRegression | None] = []
        size = posteriors.shape[1]
        for k in range(1, 2) if size == 2 else range(size):
            own, scores = (labels == k).astype(float), posteriors[:, k]
            needed = _needs_calibration(own, scores)
            made = IsotonicRegression(out_of_bounds="clip").fit(scores, own) if needed else None
            self.maps.append(made)

    def __call__(self, posteriors: np.ndarray) -> np.ndarray:
        if posteriors.shape[1] == 2:
            second = posteriors[:, 1]
            second = second if self.maps[0] is None else self.maps[0].predict(second)
            return np.column_stack([1 - second, second])
        moved = np.column_stack(
            [p if m is None else m.predict(p) for p, m in zip(posteriors.T, self.maps, strict=True)]
        )
        total = moved.sum(axis=1, keepdims=True)
        return np.divide(moved, total, out=np.full_like(moved, 1 / len(self.maps)), where=total > 0)


# ----------------------------------------------------------------- shares changed


def costs_for(size: int, costly: int, times: float) -> np.ndarray:
    """Every error costs 1; to miss one class costs `times` as much."""
    costs = 1.0 - np.eye(size)
    costs[costly] *= times
    return costs


def with_odds(rng, labels, pool, k, factor, most):
    """Some of a pool, so that the odds of class k are multiplied by a factor."""
    kept = np.where(labels[pool] == k, factor, 1.0)
    return pool[rng.random(len(pool)) < kept / kept.max()][:most]


def naive_cost(labels: np.ndarray, costs: np.ndarray) -> float:
    shares = np.bincount(labels, minlength=len(costs)) / len(labels)
    return float((shares @ costs).min())


class Tally:
    """Errors of both methods, and whether intervals held the cost."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, float, bool, str]] = []

    def add(self, reference, new, calibrated, naive: float, **options) -> None:
        true = new.cost
        refused = ""
        try:
            found = estimate_cost(reference, new, level=LEVEL, **options)
        except UndefinedError:
            refused, found = "refused", None
        said = float((calibrated * new.paid).sum(axis=1).mean())
        ours = np.nan if found is None else abs(found.value - true) / naive
        kind = refused or found.change
        held = found is not None and true in found
        self.rows.append((ours, abs(said - true) / naive, held, kind))

    def summary(self) -> dict[str, float]:
        answered = [row for row in self.rows if row[3] != "refused"]
        ours, theirs, held = (np.array([row[i] for row in answered]) for i in range(3))
        kinds = [row[3] for row in self.rows]
        return {
            "repeats": len(self.rows),
            "refused": kinds.count("refused") / len(kinds),
            "ours": float(ours.mean()),
            "cbpe": float(theirs.mean()),
            "ratio": float(ours.mean() / theirs.mean()),
            "cover": float(held.mean()),
            **{
                f"as {kind}": kinds.count(kind) / len(kinds)
                for kind in ("none", "shares", "inputs")
            },
        }


def shares_changed(name: str, draws: int, times: float, seed: int = 0) -> dict:
    posteriors, labels = any_set(name)
    rng = np.random.default_rng(seed)
    n, most = SIZES[name]
    size = posteriors.shape[1]
    tallies = {factor: Tally() for factor in FACTORS}
    for _ in range(draws):
        order = rng.permutation(len(labels))
        old, pool = order[:n], order[n:]
        k = 1 if size == 2 else int(rng.integers(size))
        costs = costs_for(size, k, times)
        reference = DecidedCases.from_scores(
            labels[old], posteriors[old], application=CostMatrix(costs)
        )
        cbpe = Cbpe(labels[old], posteriors[old])
        for factor, tally in tallies.items():
            rows = with_odds(rng, labels, pool, k, factor, most)
            new = reference.alike(posteriors[rows], y_true=labels[rows])
            tally.add(reference, new, cbpe(posteriors[rows]), naive_cost(labels[rows], costs))
    return {factor: tally.summary() for factor, tally in tallies.items()}


def show_shares(draws: int, sets: list[str]) -> None:
    print(f"Odds of one class multiplied; {draws} references, each with {len(FACTORS)} factors")
    head = f"{'set':20} {'miss':>4} {'odds':>5} {'ours':>7} {'CBPE':>7} {'ratio':>5} {'cover':>6}"
    print(f"{head} {'none':>5} {'shares':>6} {'refused':>7}")
    for name in sets:
        for times in (1.0, 10.0):
            began = time.perf_counter()
            found = shares_changed(name, draws, times)
            for factor, one in found.items():
                print(
                    f"{name:20} {times:4g} {factor:5g} {one['ours']:7.4f} {one['cbpe']:7.4f} "
                    f"{one['ratio']:5.2f} {one['cover']:6.3f} {one['as none']:5.2f} "
                    f"{one['as shares']:6.2f} {one['refused']:7.3f}"
                )
            moved = [one for factor, one in found.items() if factor != 1]
            ours, theirs = (np.mean([one[who] for one in moved]) for who in ("ours", "cbpe"))
            cover = np.mean([one["cover"] for one in found.values()])
            print(
                f"{name:20} {times:4g}  mean {ours:7.4f} {theirs:7.4f} {ours / theirs:5.2f} "
                f"{cover:6.3f}   ({time.perf_counter() - began:.0f} s)",
                flush=True,
            )


# ----------------------------------------------------------------- inputs changed


FAMILIES = (
    ("credit", "age"),
    ("credit", "NumberOfOpenCreditLinesAndLoans"),
    ("telco", "Contract"),
)


def tilts(column) -> list[np.ndarray]:
    """Weights from 1 to 10 along the values of an input, and the other way round."""
    rank = column.rank(pct=True) if column.dtype.kind in "if" else column.rank(method="dense")
    place = ((rank - rank.min()) / (rank.max() - rank.min())).to_numpy()
    return [10**place, 10 ** (1 - place)]


def inputs_changed(name: str, column: str, draws: int, times: float, seed: int = 0) -> Tally:
    posteriors, labels, rows = table_set(name)
    rng = np.random.default_rng(seed)
    n, most = SIZES[name]
    costs, tally = costs_for(2, 1, times), Tally()
    for weights in tilts(rows[column]):
        for _ in range(draws):
            order = rng.permutation(len(labels))
            old, pool = order[:n], order[n:]
            new = pool[rng.random(len(pool)) < weights[pool] / 10][:most]
            reference = DecidedCases.from_scores(
                labels[old], posteriors[old], application=CostMatrix(costs), inputs=rows.iloc[old]
            )
            cases = reference.alike(posteriors[new], y_true=labels[new], inputs=rows.iloc[new])
            cbpe = Cbpe(labels[old], posteriors[old])
            tally.add(reference, cases, cbpe(posteriors[new]), naive_cost(labels[new], costs))
    return tally


def show_inputs(draws: int) -> None:
    print(f"Mix of an input changed by weights of 1 to 10, {draws} draws in each direction")
    print(
        f"{'input':32} {'miss':>4} {'ours':>7} {'CBPE':>7} {'ratio':>5} {'cover':>6} {'inputs':>6}"
    )
    for name, column in FAMILIES:
        both = []
        for times in (1.0, 10.0):
            one = inputs_changed(name, column, draws, times).summary()
            both.append(one)
            print(
                f"{column:32} {times:4g} {one['ours']:7.4f} {one['cbpe']:7.4f} {one['ratio']:5.2f} "
                f"{one['cover']:6.3f} {one['as inputs']:6.2f}",
                flush=True,
            )
        ours, theirs = (np.mean([one[who] for one in both]) for who in ("ours", "cbpe"))
        print(f"{column:32} mean {ours:7.4f} {theirs:7.4f} {ours / theirs:5.2f}", flush=True)


# ----------------------------------------------------------------- the relation changed


def relation_changed(name: str, draws: int, moved: float, seed: int = 0) -> tuple[float, ...]:
    """How often 200 labels show a change, and how wrong the estimate without labels is.

    In some of the new cases the label is drawn anew, whatever the score, so that the cost rises by
    `moved` naive costs on average (in all cases, if that is not enough). Every error costs 1.
    Labels are drawn at random; and as many for each class, by its posteriors, with weights.
    """
    posteriors, labels = any_set(name)
    rng = np.random.default_rng(seed)
    n, most = SIZES[name]
    size = posteriors.shape[1]
    costs = costs_for(size, 0, 1.0)
    seen, by_class, off = [], [], []
    for _ in range(draws):
        order = rng.permutation(len(labels))
        old, new = order[:n], order[n : n + most]
        reference = DecidedCases.from_scores(
            labels[old], posteriors[old], application=CostMatrix(costs)
        )
        before = reference.alike(posteriors[new], y_true=labels[new])
        naive = naive_cost(labels[new], costs)
        drawn = rng.permutation(labels[new])
        rise = reference.alike(posteriors[new], y_true=drawn).cost - before.cost
        truth = np.where(rng.random(len(new)) < moved * naive / rise, drawn, labels[new])
        cases = reference.alike(posteriors[new], y_true=truth)
        some = rng.choice(len(new), CHECKED, replace=False)
        seen.append(not check_labels(reference, cases.part(some), change="none").agrees)
        chances = chances_by_class(posteriors[new])
        some = np.flatnonzero(rng.random(len(new)) < chances)
        part = reference.alike(
            posteriors[new][some], y_true=truth[some], sample_weight=1 / chances[some]
        )
        by_class.append(not check_labels(reference, part, change="none").agrees)
        found = estimate_cost(reference, posteriors[new], change="none")
        off.append((cases.cost - found.value) / naive)
    return float(np.mean(seen)), float(np.mean(by_class)), float(np.mean(off))


def chances_by_class(posteriors: np.ndarray) -> np.ndarray:
    """Chances that give each class the same number of labels, as far as posteriors tell."""
    shares = posteriors / posteriors.sum(axis=0)
    return np.minimum(CHECKED * shares.mean(axis=1), 1.0)


def best_test(name: str, moved: float, seed: int = 0, repeats: int = 4000) -> float:
    """Power of the best test of 200 random labels, which knows the change (Neyman and Pearson).

    Labels follow calibrated posteriors, or these mixed with the class shares.
    """
    posteriors, labels = any_set(name)
    rng = np.random.default_rng(seed)
    n, most = SIZES[name]
    order = rng.permutation(len(labels))
    old, new = order[:n], order[n : n + most]
    costs = costs_for(posteriors.shape[1], 0, 1.0)
    fitted = Affine().fit(np.log(np.maximum(posteriors[old], 1e-30)), labels[old])
    said = np.clip(fitted.posteriors(np.log(np.maximum(posteriors[new], 1e-30))), 1e-7, 1.0)
    said /= said.sum(axis=1, keepdims=True)
    shares = np.bincount(labels[new], minlength=len(costs)) / len(new)
    cases = DecidedCases.from_scores(None, posteriors[new], application=CostMatrix(costs))
    rise = (cases.paid @ shares).mean() - (cases.paid * said).sum(axis=1).mean()
    part = min(moved * (shares @ costs).min() / rise, 1.0)
    changed = (1 - part) * said + part * shares
    ratio, found = np.log(changed / said), []
    for table in (said, changed):
        sums = []
        for _ in range(repeats):
            some = rng.choice(len(new), CHECKED, replace=False)
            y = (rng.random((CHECKED, 1)) > table[some].cumsum(axis=1)).sum(axis=1)
            sums.append(ratio[some, y.clip(max=len(costs) - 1)].sum())
        found.append(np.array(sums))
    return float((found[1] > np.quantile(found[0], 0.95)).mean())


def show_relation(draws: int, sets: list[str]) -> None:
    print(f"The relation changed, {draws} draws, seen by {CHECKED} labels at level .05")
    head = f"{'set':20} {'off':>6} {'seen':>6} {'best':>6} {'by class':>8}"
    print(f"{head}   unchanged: {'seen':>6} {'by class':>8}")
    for name in sets:
        seen, by_class, off = relation_changed(name, draws, 0.25)
        false = relation_changed(name, draws, 0.0)
        best = best_test(name, 0.25)
        print(
            f"{name:20} {off:6.2f} {seen:6.3f} {best:6.3f} {by_class:8.3f} "
            f"{false[0]:18.3f} {false[1]:8.3f}",
            flush=True,
        )


# ----------------------------------------------------------------- NannyML itself


def check(python: str) -> None:
    """Compare the arrays above with NannyML on a few draws."""
    cases, ours = [], []
    for name, k in (("sst2_gpt2", 1), ("iemocap_wav2vec_pt", 2), ("telco", 1)):
        posteriors, labels = any_set(name)
        for seed in range(3):
            order = np.random.default_rng(seed).permutation(len(labels))
            old, new = order[:800], order[800:1600]
            costs = costs_for(posteriors.shape[1], k, 10.0)
            reference = DecidedCases.from_scores(
                labels[old], posteriors[old], application=CostMatrix(costs)
            )
            cbpe = Cbpe(labels[old], posteriors[old])
            taken = [reference.rule.positions(posteriors[rows]).tolist() for rows in (old, new)]
            paid = reference.alike(posteriors[new]).paid
            ours.append(float((cbpe(posteriors[new]) * paid).sum()))
            parts = {"p": posteriors[old].tolist(), "y": labels[old].tolist(), "d": taken[0]}
            parts |= {"q": posteriors[new].tolist(), "e": taken[1], "costs": costs.tolist()}
            cases.append(parts)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cases.json").write_text(json.dumps(cases))
        beside = Path(__file__).with_name("before_labels_nannyml.py")
        done = subprocess.run(
            [python, str(beside), str(Path(folder) / "cases.json")],
            capture_output=True, text=True, check=False,
            env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        )  # fmt: skip
        if done.returncode:
            sys.exit(done.stderr[-2000:])
        theirs = json.loads(done.stdout.splitlines()[-1])
    for a, b in zip(ours, theirs, strict=True):
        print(f"CBPE here {a:.10g}, NannyML {b:.10g}, difference {abs(a - b):.1e}")


def main() -> None:
    if not os.environ.get("STAKES_DATA"):
        print("before_labels: set STAKES_DATA to the folder of public data sets")
        return
    options = argparse.ArgumentParser()
    options.add_argument("parts", nargs="*", default=["shares", "inputs", "relation"])
    options.add_argument("--draws", type=int, default=200)
    options.add_argument("--sets", default=",".join(SIZES))
    options.add_argument("--check")
    args = options.parse_args()
    warnings.simplefilter("ignore")
    if args.check:
        check(args.check)
        return
    if "shares" in args.parts:
        show_shares(args.draws, args.sets.split(","))
    if "inputs" in args.parts:
        show_inputs(args.draws)
    if "relation" in args.parts:
        show_relation(args.draws, args.sets.split(","))


if __name__ == "__main__":
    main()
