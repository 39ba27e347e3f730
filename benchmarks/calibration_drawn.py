"""How good calibration is on sets drawn anew, beside the peers.

Halves of one set share their cases: where a handful of them decides, as with errors 100 times as
dear, all halves repeat the luck of that set, and no number of them tells whether one method is
better. Here a public set of two classes (STAKES_DATA) is smoothed to a distribution of scores in
each class, sets of half its size are drawn from that, independently, and what a method fitted on
them will cost is computed exactly, as the distribution is known. In brackets: how far above
`Automatic`, in standard errors of the difference over the draws.

The columns are those of `calibration_quality.py`, whose peers are taken where they are installed.
A normal kernel is used with a width of 0.9 standard deviations by the number of cases to the power
-1/5, and with half of that, which lets the ragged ends of the set be rarer still. `--draws N`
(40), `--first N` (seed), `--sets` (FVCAUS).
"""

from __future__ import annotations

import argparse
import os
import warnings
from typing import NamedTuple

import numpy as np
from calibration_quality import (
    BY_COST,
    HEADER,
    Method,
    application,
    fitting_once,
    line,
    netcal_methods,
    ours,
    probmetrics_methods,
    psrcal_methods,
    read,
    sklearn_methods,
    summed_up,
)

from stakes.calibration import Automatic

CELLS = 16_000
WIDTHS = (0.5, 1.0)
#: Which class is dear, and how much.
APPLICATIONS = ((0, 10.0), (1, 10.0), (0, 100.0), (1, 100.0))


class Scores(NamedTuple):
    """Log odds, how likely each is in the two classes, and cases of each class to draw."""

    odds: np.ndarray
    chances: tuple[np.ndarray, np.ndarray]
    numbers: tuple[int, int]


def smoothed(odds: np.ndarray, y: np.ndarray, width: float) -> Scores:
    """The distribution of the scores of each class under a normal kernel, in equal cells."""
    from scipy.ndimage import gaussian_filter1d

    parts = [odds[y == k] for k in (0, 1)]
    spread = [width * 0.9 * part.std() * len(part) ** -0.2 for part in parts]
    edges = np.linspace(odds.min() - 5 * max(spread), odds.max() + 5 * max(spread), CELLS + 1)
    step = edges[1] - edges[0]
    counts = [np.histogram(part, edges)[0].astype(float) for part in parts]
    smooth = [
        gaussian_filter1d(n, h / step, mode="constant", truncate=6.0)
        for n, h in zip(counts, spread, strict=True)
    ]
    chances = tuple(part / part.sum() for part in smooth)
    return Scores(edges[:-1] + step / 2, chances, tuple(len(part) // 2 for part in parts))


def drawn(scores: Scores, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Log odds and labels of one set."""
    rng = np.random.default_rng(seed)
    pairs = zip(scores.chances, scores.numbers, strict=True)
    odds = [rng.choice(scores.odds, number, p=chances) for chances, number in pairs]
    return np.concatenate(odds), np.repeat([0, 1], scores.numbers)


def expected(posteriors: np.ndarray, scores: Scores) -> tuple[float, ...]:
    """Cross-entropy, and NEC of the Bayes decisions, of cases without end."""
    with np.errstate(divide="ignore"):
        logs = np.log(posteriors / posteriors.sum(axis=1, keepdims=True))
    entropy = sum(
        share * float(chances[chances > 0] @ -logs[chances > 0, k])
        for k, (share, chances) in enumerate(zip(shares(scores), scores.chances, strict=True))
    )
    cells = {(k, factor): nec(posteriors, scores, k, factor) for k, factor in APPLICATIONS}
    return entropy, *summed_up(cells, 2)


def by_cost(odds: np.ndarray, y: np.ndarray, scores: Scores) -> tuple[float, ...]:
    """As `expected`, of automatic choices by what is judged."""
    learnt, grid = two_columns(odds), two_columns(scores.odds)
    with fitting_once():
        cells = {
            (k, factor): nec(
                Automatic(by=application(2, k, factor)).fit(learnt, y).posteriors(grid),
                scores, k, factor,
            )
            for k, factor in APPLICATIONS
        }  # fmt: skip
    return float("nan"), *summed_up(cells, 2)


def nec(posteriors: np.ndarray, scores: Scores, dear: int, factor: float) -> float:
    """NEC of the Bayes decisions when errors on one class cost `factor` times as much."""
    costs = np.where(np.arange(2) == dear, factor, 1.0)
    act = costs[1] * posteriors[:, 1] > costs[0] * posteriors[:, 0]
    wrong = np.array([scores.chances[0][act].sum(), scores.chances[1][~act].sum()])
    return float((costs * shares(scores) * wrong).sum() / (costs * shares(scores)).min())


def shares(scores: Scores) -> np.ndarray:
    """Class shares."""
    return np.array(scores.numbers) / sum(scores.numbers)


def two_columns(odds: np.ndarray) -> np.ndarray:
    """Log-posteriors."""
    return np.column_stack([-np.logaddexp(0.0, odds), -np.logaddexp(0.0, -odds)])


def table(scores: Scores, methods: dict[str, Method | None], seeds: range) -> None:
    """Print what each method costs, over the draws."""
    grid, first = two_columns(scores.odds), None
    print(HEADER, flush=True)
    for name, method in methods.items():
        rows = []
        for seed in seeds:
            odds, y = drawn(scores, seed)
            if method is None:
                rows.append(by_cost(odds, y, scores))
                continue
            found = np.asarray(method(two_columns(odds), y, grid), dtype=np.float64)
            rows.append(expected(found, scores))
        cells = np.array(rows)
        first = cells if first is None else first
        print(line(name, cells.mean(axis=0), cells - first), flush=True)


def main() -> None:
    """Print a table for each set and width."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--sets", nargs="*", default=["fvcaus_plda"], help="of two classes")
    options, _ = parser.parse_known_args()
    if not os.environ.get("STAKES_DATA"):
        print("calibration_drawn: set STAKES_DATA to the folder of public data sets")
        return
    warnings.simplefilter("ignore")
    first, *others = ours().items()
    methods = dict([first, (BY_COST, None), *others])
    for more in (sklearn_methods, psrcal_methods, netcal_methods, probmetrics_methods):
        try:
            methods |= more()
        except ImportError as error:
            print(f"left out: {more.__name__.removesuffix('_methods')} ({error.name})")
    seeds = range(options.first, options.first + options.draws)
    for where in options.sets:
        logs, y = read(where)
        for width in WIDTHS:
            scores = smoothed(logs[:, 1] - logs[:, 0], y, width)
            print(f"\n{where}: {sum(scores.numbers)} cases, width {width}, {len(seeds)} draws")
            table(scores, methods, seeds)


if __name__ == "__main__":
    main()
