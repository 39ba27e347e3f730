"""How fast calibrators are fitted, and how near to the optimum, beside the peers.

Affine against psrcal, temperature, prior-weighted logistic regression and isotonic regression
against scikit-learn, and isotonic also against one np.sort. Times are those of a whole `fit`,
checks included; the ratio of a peer says how many times longer it takes. `--large` goes to
N = 10^6 with ten classes and 10^7 with two.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax
from timing import compare, heading, table

from stakes.calibration import Affine, Isotonic, Logistic, Temperature


def made_up(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Over-confident log-posteriors with wrong priors."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    logits = rng.normal(size=(n, k))
    logits[np.arange(n), y] += 1.5
    return log_softmax(2 * logits + rng.normal(size=k), axis=1), y


def cifar100() -> tuple[np.ndarray, np.ndarray] | None:
    """Real scores, where the data folder is given."""
    folder = Path(os.environ.get("STAKES_DATA", "")) / "cifar100_vgg19_bn"
    if not (folder / "scores.npy").exists():
        return None
    logits = np.load(folder / "scores.npy").astype(np.float64)
    return log_softmax(logits, axis=1), np.load(folder / "targets.npy").astype(np.int64)


def cross_entropy(log_posteriors: np.ndarray, y: np.ndarray) -> float:
    """Mean, in nats."""
    return float(-log_posteriors[np.arange(len(y)), y].mean())


def scipy_affine(z: np.ndarray, y: np.ndarray) -> float:
    """The optimum as SciPy's BFGS finds it from the plain formula."""
    hot = np.bincount(y, minlength=z.shape[1]) / len(y)
    own = z[np.arange(len(y)), y].mean()

    def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
        logits = theta[0] * z + theta[1:]
        top = logits.max(axis=1, keepdims=True)
        p = np.exp(logits - top)
        total = p.sum(axis=1, keepdims=True)
        p /= total
        value = float((np.log(total) + top).mean() - theta[0] * own - theta[1:] @ hot)
        return value, np.append((p * z).sum(axis=1).mean() - own, p.mean(axis=0) - hot)

    start = np.append(1.0, np.zeros(z.shape[1]))
    found = minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-8})
    return float(found.fun)


def affine(name: str, z: np.ndarray, y: np.ndarray, bar: str, *, check: bool) -> None:
    """Affine against psrcal."""
    ours = Affine().fit(z, y)
    print(heading(f"affine, {name}: N = {len(y)}, K = {z.shape[1]}"))
    print(f"cross-entropy: stakes {ours.report['cross_entropy']:.10f}", end="")
    functions = {"stakes Affine.fit": lambda: Affine().fit(z, y)}
    if check:
        print(f", SciPy BFGS {scipy_affine(z, y):.10f}", end="")
    if importlib.util.find_spec("psrcal"):
        import torch
        from psrcal.calibration import AffineCalLogLoss

        scores, labels = torch.as_tensor(z), torch.as_tensor(y)

        def peer() -> AffineCalLogLoss:
            model = AffineCalLogLoss(scores, labels)
            model.train()
            return model

        theirs = peer().calibrate(scores).detach().numpy()
        print(f", psrcal {cross_entropy(theirs, y):.10f}", end="")
        functions["psrcal AffineCalLogLoss"] = peer
    print()
    rows = compare(
        functions, baseline="stakes Affine.fit", repeat=3, bars={"psrcal AffineCalLogLoss": bar}
    )
    print(table(rows))


def temperature(z: np.ndarray, y: np.ndarray) -> None:
    """Temperature against scikit-learn's public class around ready-made logits."""
    ours = Temperature().fit(z, y)
    print(heading(f"temperature: N = {len(y)}, K = {z.shape[1]}"))
    functions = {"stakes Temperature.fit": lambda: Temperature().fit(z, y)}
    text = f"cross-entropy: stakes {ours.report['cross_entropy']:.10f}"
    try:
        from sklearn.base import BaseEstimator, ClassifierMixin
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.frozen import FrozenEstimator
    except ImportError:
        print("scikit-learn with temperature scaling is not installed")
    else:

        class Ready(ClassifierMixin, BaseEstimator):
            """A classifier whose input are its logits."""

            def fit(self, x: np.ndarray, y: np.ndarray) -> Ready:
                self.classes_ = np.unique(y)
                return self

            def decision_function(self, x: np.ndarray) -> np.ndarray:
                return x

            def predict(self, x: np.ndarray) -> np.ndarray:
                return x.argmax(axis=1)

        ready = FrozenEstimator(Ready().fit(z, y))

        def peer() -> CalibratedClassifierCV:
            return CalibratedClassifierCV(ready, method="temperature").fit(z, y)

        theirs = np.log(peer().predict_proba(z))
        text += f", scikit-learn {cross_entropy(theirs, y):.10f}"
        functions["scikit-learn temperature"] = peer
    print(text)
    bars = {"scikit-learn temperature": ">= 4"}
    print(table(compare(functions, baseline="stakes Temperature.fit", repeat=3, bars=bars)))


def binary(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian LLRs, one target in ten, miscalibrated."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.1).astype(np.int8)
    return 1.7 * (2 * rng.normal(size=n) + np.where(y == 1, 2.0, -2.0)) - 1.0, y


def logistic(n: int) -> None:
    """Prior-weighted logistic regression at prior 1/2."""
    scores, y = binary(n)
    weights = np.where(y == 1, 0.5 / (y == 1).sum(), 0.5 / (y == 0).sum()) * n

    def loss(slope: float, intercept: float) -> float:
        sign = np.where(y == 1, 1.0, -1.0)
        return float(-(weights @ np.log(expit(sign * (slope * scores + intercept)))) / n)

    ours = Logistic(priors=[0.5, 0.5]).fit(scores, y)
    print(heading(f"prior-weighted logistic regression: N = {n}"))
    text = f"loss: stakes {loss(ours.slope, ours.intercept):.12f}"
    functions = {"stakes Logistic.fit": lambda: Logistic(priors=[0.5, 0.5]).fit(scores, y)}
    if importlib.util.find_spec("sklearn"):
        from sklearn.linear_model import LogisticRegression

        column = scores[:, None]

        def peer() -> LogisticRegression:
            return LogisticRegression(C=np.inf).fit(column, y, sample_weight=weights)

        model = peer()
        theirs = loss(float(model.coef_[0, 0]), float(model.intercept_[0]))
        text += f", scikit-learn {theirs:.12f}"
        functions["scikit-learn LogisticRegression"] = peer
    print(text)
    bars = {"scikit-learn LogisticRegression": ">= 4"}
    print(table(compare(functions, baseline="stakes Logistic.fit", repeat=3, bars=bars)))


def isotonic(n: int) -> None:
    """Isotonic regression, sorting included."""
    scores, y = binary(n)
    functions = {
        "np.sort": lambda: np.sort(scores),
        "stakes Isotonic.fit": lambda: Isotonic(misleading=0).fit(scores, y),
    }
    bars = {"stakes Isotonic.fit": "<= 4"}
    print(heading(f"isotonic, against one np.sort: N = {n}"))
    print(table(compare(functions, baseline="np.sort", repeat=3, bars=bars)))
    if importlib.util.find_spec("sklearn"):
        from sklearn.isotonic import IsotonicRegression

        del functions["np.sort"]
        functions["scikit-learn IsotonicRegression"] = lambda: IsotonicRegression().fit(scores, y)
        bars = {"scikit-learn IsotonicRegression": ">= 8"}
        print(heading(f"isotonic, against scikit-learn: N = {n}"))
        rows = compare(functions, baseline="stakes Isotonic.fit", repeat=2, bars=bars)
        print(table(rows))


def main() -> None:
    """Print the tables."""
    large = "--large" in sys.argv
    affine("made up", *made_up(10**6 if large else 10**5, 10), ">= 10", check=not large)
    real = cifar100()
    if real is not None:
        affine("CIFAR100 vgg19_bn", *real, ">= 5", check=False)
    temperature(*made_up(10**5, 10))
    temperature(*made_up(10**4, 100))
    logistic(10**7 if large else 10**6)
    isotonic(10**7 if large else 10**6)


if __name__ == "__main__":
    main()
