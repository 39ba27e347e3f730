"""Does training by expected cost beat cross-entropy followed by Bayes decisions?

Linear models on simulated data, trained three ways: by cross-entropy; by the smooth expected cost
(`ExpectedCostLoss`), started from the cross-entropy solution, its temperature falling; and by
cross-entropy reweighted by cost (`ReweightedLoss`, argmax decisions; only where one weight per
class can hold the costs). Decisions are the Bayes rule on the model's posteriors. "Recalibrated"
mends the cross-entropy model on as many other rows, which cost training never sees, by the
automatic choice of a calibrator. Test cost as NEC, mean and standard error over seeds, and the
paired t statistic of cost training against the better of the two cross-entropy columns: negative
means that cost training is cheaper.

* "bent": a curved boundary; the line that is best depends on which errors are dear.
* "tails": far out, labels that are half wrong flatten the line that cross-entropy fits.
* "three": three classes, a quadratic truth, an abstain column.
* "linear": the model is right: cross-entropy is efficient and should not be beaten.
* "small": the model is right and rows are few: cost training has less to hold on to.

Needs PyTorch. `--seeds N` (default 10).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent))
from timing import machine

import stakes
from stakes.calibration import Automatic
from stakes.integrations.torch import ExpectedCostLoss, ReweightedLoss, annealed_temperature

Rows = tuple[np.ndarray, np.ndarray]


def tails(n: int, rng: np.random.Generator) -> Rows:
    """Mostly two overlapping normals; far out, labels that are half wrong flatten the fit."""
    y = (rng.random(n) < 0.3).astype(int)
    x = rng.normal(size=(n, 2)) + np.outer(y, [2.0, 0.0])
    far = rng.random(n) < 0.15
    x[far] = rng.normal(size=(int(far.sum()), 2)) + np.array([6.0, 0.0])
    return x, y


def bent(n: int, rng: np.random.Generator) -> Rows:
    """A boundary that is bent: the line that is best depends on which errors are dear."""
    x = rng.normal(size=(n, 2)) * [1.5, 1.0]
    log_odds = 3 * (x[:, 1] - 0.8 * x[:, 0] ** 2 + 0.5)
    return x, (rng.random(n) < 1 / (1 + np.exp(-log_odds))).astype(int)


def three(n: int, rng: np.random.Generator) -> Rows:
    """Three classes whose log odds are quadratic: different spreads around near centres."""
    y = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    spread = np.array([[1.0, 0.4], [0.5, 1.6], [1.8, 0.6]])[y]
    centre = np.array([[0.0, 0.0], [1.2, 0.6], [-0.6, 1.4]])[y]
    return rng.normal(size=(n, 2)) * spread + centre, y


def linear(n: int, rng: np.random.Generator) -> Rows:
    """Two normals of the same spread: a linear model holds the truth."""
    y = (rng.random(n) < 0.3).astype(int)
    return rng.normal(size=(n, 2)) + np.outer(y, [1.2, 0.8]), y


BINARY = stakes.Application([[0, 1], [5, 0]])
ABSTAIN = stakes.Application([[0, 1, 2, 0.4], [3, 0, 1, 0.4], [6, 3, 0, 0.4]])
SETTINGS: dict[str, tuple[Callable[[int, np.random.Generator], Rows], stakes.Application, int]] = {
    "bent": (bent, BINARY, 2000),
    "tails": (tails, BINARY, 2000),
    "three": (three, ABSTAIN, 2000),
    "linear": (linear, BINARY, 2000),
    "small": (linear, BINARY, 60),
}


def tensors(rows: Rows) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor(rows[0]), torch.tensor(rows[1])


def fit(
    model: torch.nn.Module,
    loss: torch.nn.Module,
    rows: Rows,
    *,
    steps: int = 300,
    rate: float = 0.05,
    annealed: tuple[float, float] | None = None,
) -> torch.nn.Module:
    """Full-batch Adam."""
    x, y = tensors(rows)
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    for step in range(steps):
        if annealed is not None:
            start, stop = annealed
            loss.temperature = annealed_temperature(step, steps, start=start, stop=stop)
        optimiser.zero_grad()
        loss(model(x), y).backward()
        optimiser.step()
    return model


def copy_of(model: torch.nn.Module) -> torch.nn.Module:
    fresh = torch.nn.Linear(model.in_features, model.out_features).double()
    fresh.load_state_dict(model.state_dict())
    return fresh


def posteriors(model: torch.nn.Module, x: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        return model(torch.tensor(x)).softmax(dim=1).numpy()


def one_seed(name: str, seed: int) -> list[float]:
    """Test NEC: cross-entropy, the same recalibrated, expected cost, reweighted."""
    make, app, n = SETTINGS[name]
    rng = np.random.default_rng(seed)
    train, (x, y) = make(n, rng), make(20_000, rng)
    torch.manual_seed(seed)
    start = torch.nn.Linear(2, len(app.classes)).double()
    plain = fit(copy_of(start), torch.nn.CrossEntropyLoss(), train)
    costly = fit(
        copy_of(plain), ExpectedCostLoss(app), train, steps=400, rate=0.02, annealed=(1.0, 0.1)
    )
    held = make(n, rng)
    logs, test_logs = (np.log(posteriors(plain, part)) for part in (held[0], x))
    calibrated = Automatic().fit(logs, held[1]).posteriors(test_logs)

    def nec(decisions: np.ndarray) -> float:
        return stakes.normalized_expected_cost(y, decisions, application=app)

    found = [
        nec(stakes.bayes_decisions(posteriors(plain, x), app)),
        nec(stakes.bayes_decisions(calibrated, app)),
        nec(stakes.bayes_decisions(posteriors(costly, x), app)),
    ]
    if app.costs.shape != (2, 2):
        return [*found, np.nan]
    shares = np.bincount(train[1]) / len(train[1])
    weighted = fit(copy_of(start), ReweightedLoss("cross_entropy", app, from_priors=shares), train)
    return [*found, nec(posteriors(weighted, x).argmax(axis=1))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", choices=SETTINGS, help="one kind of data")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(
        f"test NEC of linear models, {options.seeds} seeds; torch {torch.__version__}; {machine()}"
    )
    heads = ("cross-entropy", "recalibrated", "expected cost", "reweighted")
    print(f"{'data':<8}" + "".join(f"{head:>19}" for head in heads) + f"{'paired t':>10}")
    for name in [options.only] if options.only else SETTINGS:
        rows = np.array([one_seed(name, seed) for seed in range(options.seeds)])
        means = rows.mean(axis=0)
        errors = rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
        gap = rows[:, 2] - rows[:, int(np.argmin(means[:2]))]
        t = gap.mean() / max(gap.std(ddof=1) / np.sqrt(len(gap)), 1e-12)
        cells = "".join(f"{f'{m:.4f} ({e:.4f})':>19}" for m, e in zip(means, errors, strict=True))
        print(f"{name:<8}{cells}{t:>10.1f}")


if __name__ == "__main__":
    main()
