"""How good the automatic calibration is on held-out cases, beside the peers.

Public score sets (STAKES_DATA) are split into two halves, stratified, several times; each method
is fitted on one half and judged on the other: cross-entropy in nats, and NEC of the Bayes decisions
when errors on one class cost 10 or 100 times as much, averaged over the classes (the first ten), or
when errors on the last class cost 100 times as much, which a handful of cases decide. The last
lines have the means over sets and splits, and the standard error over splits. "By cost" is the
automatic choice made once for each of these applications, by its cost; the row above it is one
choice by cross-entropy. Peers that are not installed are left out: scikit-learn (temperature,
sigmoid, isotonic), netcal, probmetrics and psrcal. `--splits N` (4); `--large` takes CIFAR100
(three networks) and FVCAUS instead, with netcal on CIFAR100 for the first split only, as it takes
minutes; `--sets` names single sets. In brackets, on large sets: how far above `Automatic`, in
standard errors of the difference over the splits; these share cases, so the figures are too large.

`--few` instead fits on 100, 150 and 200 cases of each of some forty sets (`few_cases.py`), beside
maps of a single parameter, a scale or a shift, and judges on up to 1 500 others. Sets on which the
rule for few cases was chosen and sets that chose nothing are told apart: the means over each, and
in brackets how far above `Automatic`, in standard errors over the splits.

FVCAUS holds every trial twice, up to rounding: one voice against another, and the other way
round. Halves drawn at random would have the twin of every second test case among those fitted,
which rewards learning by heart, so one of each pair is kept.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import log_softmax

from stakes import Application, bayes_decisions, normalized_expected_cost
from stakes.calibration import (
    Affine,
    Automatic,
    Average,
    Calibrator,
    Temperature,
    stratified_folds,
)

SETS = ("sst2_gpt2", "sst2_gpt2_4shot", "iemocap_wav2vec_pt", "agnews_gpt2", "cifar10_resnet-20",
        "cifar10_vgg19_bn", "cifar10_repvgg_a2")  # fmt: skip
LARGE = ("fvcaus_plda", "cifar100_vgg19_bn", "cifar100_resnet-20", "cifar100_repvgg_a2")
TITLES = ("cross-entropy", "NEC, x 10", "NEC, x 100", "last x 100")
HEADER = f"{'':<24}" + "".join(f"{t:>15} " for t in TITLES)
BY_COST = "stakes Automatic by cost"
FEW = (100, 150, 200)
Method = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def read(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Log-posteriors and labels."""
    folder = Path(os.environ["STAKES_DATA"]) / name
    logs = log_softmax(np.load(folder / "scores.npy").astype(np.float64), axis=1)
    y = np.load(folder / "targets.npy").astype(np.int64)
    if name == "fvcaus_plda":
        keep = one_of_each_pair(logs[:, 1] - logs[:, 0], y)
        logs, y = logs[keep], y[keep]
    return logs, y


def one_of_each_pair(scores: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Every second row of a class in the order of scores, where rows come in pairs of equals."""
    kept = []
    for k in np.unique(y):
        rows = np.flatnonzero(y == k)
        kept.append(rows[np.argsort(scores[rows], kind="stable")][::2])
    return np.sort(np.concatenate(kept))


def ours() -> dict[str, Method]:
    """What this library offers without a choice by the user, and two of its single maps."""
    made = {"stakes Automatic": Automatic, "stakes Affine": Affine, "stakes Temp.": Temperature}
    return {name: lambda z, y, t, k=k: k().fit(z, y).posteriors(t) for name, k in made.items()}


@contextlib.contextmanager
def fitting_once() -> Iterator[None]:
    """Within, equal calibrators of the same cases are fitted once, for choices by many costs."""
    fit, kept = Calibrator._fit_cases, {}

    def fitted(
        self: Calibrator, scores: Any, y: Any, weight: Any, groups: Any = None
    ) -> Calibrator:
        if isinstance(self, Automatic | Average):
            return fit(self, scores, y, weight, groups)
        key = (self.kind, str(self.options), len(scores), np.asarray(y).tobytes())
        if key not in kept:
            kept[key] = dict(fit(self, scores, y, weight).__dict__)
        self.__dict__.update(kept[key])
        return self

    Calibrator._fit_cases = fitted
    try:
        yield
    finally:
        Calibrator._fit_cases = fit


def by_cost(z: np.ndarray, y: np.ndarray, t: np.ndarray, y_test: np.ndarray) -> tuple[float, ...]:
    """As `judged`, of automatic choices by what is judged."""

    def chosen(by: str | Application) -> np.ndarray:
        return Automatic(by=by).fit(z, y).posteriors(t)

    size = z.shape[1]
    with fitting_once():
        cells = {
            (k, factor): nec(chosen(application(size, k, factor)), y_test, k, factor)
            for k in sorted({*range(min(size, 10)), size - 1})
            for factor in (10.0, 100.0)
        }
        return judged(chosen("cross_entropy"), y_test)[0], *summed_up(cells, size)


def sklearn_methods() -> dict[str, Method]:
    """CalibratedClassifierCV around ready-made logits."""
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator

    class Ready(ClassifierMixin, BaseEstimator):
        def fit(self, x: np.ndarray, y: np.ndarray) -> Ready:
            self.classes_ = np.unique(y)
            return self

        def decision_function(self, x: np.ndarray) -> np.ndarray:
            return x[:, 1] - x[:, 0] if x.shape[1] == 2 else x

        def predict(self, x: np.ndarray) -> np.ndarray:
            return x.argmax(axis=1)

    def fitted(z: np.ndarray, y: np.ndarray, t: np.ndarray, method: str) -> np.ndarray:
        ready = FrozenEstimator(Ready().fit(z, y))
        return CalibratedClassifierCV(ready, method=method).fit(z, y).predict_proba(t)

    return {
        f"sklearn {name}": lambda z, y, t, name=name: fitted(z, y, t, name)
        for name in ("temperature", "sigmoid", "isotonic")
    }


def psrcal_methods() -> dict[str, Method]:
    """Affine by L-BFGS."""
    import torch
    from psrcal.calibration import AffineCalLogLoss

    def affine(z: np.ndarray, y: np.ndarray, t: np.ndarray) -> np.ndarray:
        model = AffineCalLogLoss(torch.as_tensor(z), torch.as_tensor(y))
        model.train()
        return np.exp(model.calibrate(torch.as_tensor(t)).detach().numpy())

    return {"psrcal affine": affine}


def netcal_methods() -> dict[str, Method]:
    """Scaling methods on probabilities."""
    from netcal.scaling import LogisticCalibration, TemperatureScaling

    def fitted(z: np.ndarray, y: np.ndarray, t: np.ndarray, kind: type) -> np.ndarray:
        binary = z.shape[1] == 2
        inputs = [np.exp(x)[:, 1] if binary else np.exp(x) for x in (z, t)]
        model = kind()
        model.fit(inputs[0], y)
        found = np.asarray(model.transform(inputs[1]), dtype=np.float64)
        if binary:
            found = found.reshape(-1)
            return np.column_stack([1 - found, found])
        return found

    kinds = {"temperature": TemperatureScaling, "logistic": LogisticCalibration}
    return {
        f"netcal {name}": lambda z, y, t, k=kind: fitted(z, y, t, k) for name, kind in kinds.items()
    }


def probmetrics_methods() -> dict[str, Method]:
    """Temperature with mixture, structured vector and structured matrix scaling."""
    from probmetrics.calibrators import get_calibrator

    def fitted(z: np.ndarray, y: np.ndarray, t: np.ndarray, name: str) -> np.ndarray:
        cal = get_calibrator(name)
        cal.fit(np.exp(z), y)
        return cal.predict_proba(np.exp(t))

    return {
        f"probmetrics {name}": lambda z, y, t, name=name: fitted(z, y, t, name)
        for name in ("ts-mix", "svs", "sms")
    }


def shifted(z: np.ndarray, y: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Posteriors times a number per class, those that make the cases most likely."""
    from scipy.optimize import minimize

    size, rows = z.shape[1], np.arange(len(y))
    z, t = (np.maximum(each, -1e3) for each in (z, t))

    def loss(bias: np.ndarray) -> tuple[float, np.ndarray]:
        logs = log_softmax(z + bias, axis=1)
        slope = (np.exp(logs) - np.eye(size)[y]).sum(axis=0)
        return -logs[rows, y].sum() + 0.005 * bias @ bias, slope + 0.01 * bias

    found = minimize(loss, np.zeros(size), jac=True, method="L-BFGS-B").x
    return np.exp(log_softmax(t + found, axis=1))


def few_methods() -> dict[str, Method]:
    """The automatic choice, maps of one parameter, and of two."""
    return {
        "stakes Automatic": lambda z, y, t: Automatic().fit(z, y).posteriors(t),
        "a scale": lambda z, y, t: Temperature(bound="data").fit(z, y).posteriors(t),
        "a shift": shifted,
        "stakes Affine": lambda z, y, t: Affine(bound="data").fit(z, y).posteriors(t),
        "sklearn sigmoid": sklearn_methods()["sklearn sigmoid"],
        "as they are": lambda z, y, t: np.exp(np.maximum(t, -1e3)),
    }


def few_cells(
    methods: dict[str, Method], logs: np.ndarray, y: np.ndarray, size: int, seed: list[int]
) -> np.ndarray | None:
    """Columns of each method, learnt from so many cases; None where a class has a single one."""
    rows = np.random.default_rng(seed).permutation(len(y))
    fit, test = rows[:size], rows[size : size + 1500]
    if np.bincount(y[fit], minlength=logs.shape[1]).min() < 2:
        return None
    found = [judged(method(logs[fit], y[fit], logs[test]), y[test]) for method in methods.values()]
    return np.array(found)


def few(splits: int, only: list[str] | None) -> None:
    """Print means over the sets that chose the rule and over the others, for each size."""
    import few_cases

    methods = few_methods()
    groups = {
        "sets that chose nothing": few_cases.apart(read, SETS),
        "sets on which the rule was chosen": few_cases.choosing(read),
    }
    for title, sets in groups.items():
        sets = {name: each for name, each in sets.items() if not only or name in only}
        for classes in ("two classes", "more classes"):
            chosen = [n for n in sets if (sets[n][0].shape[1] == 2) == (classes == "two classes")]
            for size in FEW if chosen else ():
                cells = [
                    [
                        few_cells(methods, *sets[n], size, [k, size, split])
                        for split in range(splits)
                    ]
                    for k, n in enumerate(chosen)
                ]
                whole = [rows for rows in cells if all(row is not None for row in rows)]
                mean = np.mean(np.array(whole, dtype=np.float64), axis=0)
                print(f"\n{title}, {classes}, {size} cases, {len(whole)} sets, {splits} splits")
                print(HEADER)
                for k, name in enumerate(methods):
                    print(line(name, mean[:, k].mean(axis=0), mean[:, k] - mean[:, 0]), flush=True)


def judged(posteriors: np.ndarray, y: np.ndarray) -> tuple[float, ...]:
    """Cross-entropy; mean NEC with each class in turn dear, and very dear; with the last one."""
    posteriors = posteriors / posteriors.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        entropy = float(-np.log(posteriors[np.arange(len(y)), y]).mean())
    size = posteriors.shape[1]
    cells = {
        (k, factor): nec(posteriors, y, k, factor)
        for k in sorted({*range(min(size, 10)), size - 1})
        for factor in (10.0, 100.0)
    }
    return entropy, *summed_up(cells, size)


def summed_up(cells: dict[tuple[int, float], float], size: int) -> tuple[float, ...]:
    """The three columns about NEC."""
    first = range(min(size, 10))
    means = [float(np.mean([cells[k, factor] for k in first])) for factor in (10.0, 100.0)]
    return *means, cells[size - 1, 100.0]


def application(
    size: int, dear: int, factor: float, priors: np.ndarray | None = None
) -> Application:
    """Errors cost 1, on one class `factor` times as much."""
    costs = 1.0 - np.eye(size)
    costs[dear] *= factor
    return Application(costs, priors=priors)


def nec(posteriors: np.ndarray, y: np.ndarray, dear: int, factor: float) -> float:
    """NEC of Bayes decisions when errors on one class cost `factor` times as much."""
    size = posteriors.shape[1]
    app = application(size, dear, factor, np.bincount(y, minlength=size) / len(y))
    decided = bayes_decisions(posteriors, app)
    return float(normalized_expected_cost(y, decided, application=app))


def main() -> None:
    """Print a table for each set, and the means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--large", action="store_true", help="CIFAR100 and FVCAUS")
    parser.add_argument("--few", action="store_true", help="100 to 200 cases")
    parser.add_argument("--sets", nargs="*", help="only these")
    options, _ = parser.parse_known_args()
    if not os.environ.get("STAKES_DATA"):
        print("calibration_quality: set STAKES_DATA to the folder of public data sets")
        return
    warnings.simplefilter("ignore")
    if options.few:
        few(options.splits, options.sets)
        return
    methods = ours()
    for more in (sklearn_methods, psrcal_methods, netcal_methods, probmetrics_methods):
        try:
            methods |= more()
        except ImportError as error:
            print(f"left out: {more.__name__.removesuffix('_methods')} ({error.name})")
    first, *others = methods
    names = [first, BY_COST, *others]
    sets = options.sets or (LARGE if options.large else SETS)
    tables = {where: one_set(where, names, methods, options.splits) for where in sets}
    if not options.large and not options.sets:
        summary(names, tables, options.splits)


def one_set(where: str, names: list[str], methods: dict[str, Method], splits: int) -> dict:
    """Print the table of one set; returns the cells of each method, (splits, columns)."""
    logs, y = read(where)
    size = logs.shape[1]
    print(f"\n{where}: {(len(y) + 1) // 2} cases, {size} classes, {splits} splits")
    print(HEADER, flush=True)
    found: dict[str, np.ndarray] = {}
    for name in names:
        few = 1 if name.startswith("netcal") and size > 30 else splits
        cells = [one_split(methods.get(name), logs, y, split) for split in range(few)]
        found[name] = np.array(cells)
        above = found[name] - found[names[0]][:few]
        print(line(name, found[name].mean(axis=0), above if where in LARGE else None), flush=True)
    return found


def summary(names: list[str], tables: dict[str, dict], splits: int) -> None:
    """Print the means over sets, and how they vary from split to split."""
    print(f"\nmean over {len(tables)} sets and {splits} splits\n{HEADER}")
    means = {name: np.mean([table[name] for table in tables.values()], axis=0) for name in names}
    for name in names:
        print(line(name, means[name].mean(axis=0)))
    print(f"\nstandard error of it, from split to split\n{HEADER}")
    for name in names:
        spread = means[name].std(axis=0, ddof=1) if splits > 1 else np.full(4, np.nan)
        print(line(name, spread / np.sqrt(splits)))


def line(name: str, cells: np.ndarray, above: np.ndarray | None = None) -> str:
    """A row of the table; with `above`, differences (splits, columns) in standard errors."""
    if above is None or len(above) < 2:
        return f"{name:<24}" + "".join(f"{cell:>15.4f} " for cell in cells)
    with np.errstate(all="ignore"):
        errors = above.std(axis=0, ddof=1) / np.sqrt(len(above))
        ratios = np.where(errors > 0, above.mean(axis=0) / errors, 0.0)
    parts = [f"{cell:.4f} ({ratio:+.1f})" for cell, ratio in zip(cells, ratios, strict=True)]
    return f"{name:<24}" + "".join(f"{part:>16}" for part in parts)


def one_split(
    method: Method | None, logs: np.ndarray, y: np.ndarray, split: int
) -> tuple[float, ...]:
    """Fit on one half, judge on the other; a peer that fails is shown as nan."""
    half = stratified_folds(y, 2, rng=split) == 0
    if method is None:
        return by_cost(logs[half], y[half], logs[~half], y[~half])
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            found = method(logs[half], y[half], logs[~half])
    except Exception:
        return (np.nan,) * len(TITLES)
    return judged(np.asarray(found, dtype=np.float64), y[~half])


if __name__ == "__main__":
    main()
