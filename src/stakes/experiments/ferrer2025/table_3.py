"""Table 3: classes, cases and priors of every data set."""

from __future__ import annotations

import numpy as np

from stakes.experiments.ferrer2025.scores import NEEDS, SYSTEMS, UNAVAILABLE, read
from stakes.experiments.items import Cell, Context, Item, Outcome

__all__ = ["TABLE_3"]

# classes, cases, priors; where all classes have one prior it is printed once
PRINTED: dict[str, tuple[int, int, tuple[float, ...]]] = {
    "SST2": (2, 1821, (0.50, 0.50)),
    "SST2-Res1": (2, 1301, (0.70, 0.30)),
    "SST2-Res2": (2, 1140, (0.80, 0.20)),
    "SITW": (2, 721788, (0.99, 0.01)),
    "SITW-Res1": (2, 36580, (0.90, 0.10)),
    "SITW-Res2": (2, 18290, (0.80, 0.20)),
    "FVCAUS": (2, 114072, (0.98, 0.02)),
    "CIFAR-1vsO": (2, 10000, (0.99, 0.01)),
    "CIFAR-2vsO": (2, 10000, (0.99, 0.01)),
    "IEMOCAP": (4, 5473, (0.20, 0.29, 0.31, 0.20)),
    "IEMOCAP-Res1": (4, 3483, (0.32, 0.32, 0.32, 0.05)),
    "AGNEWS": (4, 7600, (0.25, 0.25, 0.25, 0.25)),
    "AGNEWS-Res1": (4, 5757, (0.33, 0.33, 0.33, 0.01)),
    "CIFAR10": (10, 10000, (0.10,)),
    "CIFAR100": (100, 10000, (0.01,)),
}


def compute(context: Context) -> Outcome:
    """Count each data set once; where one prior stands for all, the one farthest from it counts."""
    if context.data is None:
        raise FileNotFoundError("the folder of scores")
    systems = {system.data: system for system in reversed(SYSTEMS)}
    cells = []
    for name, (classes, cases, priors) in PRINTED.items():
        counted = None
        if name not in UNAVAILABLE:
            logs, y = read(context.data, systems[name])
            counted = (logs.shape[1], len(y), np.bincount(y, minlength=logs.shape[1]) / len(y))
        cells += _row(name, classes, cases, priors, counted)
    return Outcome(tuple(cells), remarks=("SITW: the scores are not public.",))


def _row(
    name: str, classes: int, cases: int, priors: tuple[float, ...],
    counted: tuple[int, int, np.ndarray] | None,
) -> list[Cell]:  # fmt: skip
    """The cells of a data set."""
    there = counted is not None
    size, number, shares = counted if counted is not None else (np.nan, np.nan, np.array([]))
    cells = [
        Cell(f"{name} / classes", classes, float(size), available=there),
        Cell(f"{name} / cases", cases, float(number), available=there),
    ]
    if len(priors) == 1:
        far = float(shares[np.abs(shares - priors[0]).argmax()]) if there else np.nan
        return [*cells, Cell(f"{name} / prior of each", priors[0], far, 0.005, available=there)]
    return cells + [
        Cell(f"{name} / prior {k + 1}", prior, float(shares[k]) if there else np.nan, 0.005,
             available=there)
        for k, prior in enumerate(priors)
    ]  # fmt: skip


TABLE_3 = Item(
    "table3", "Table 3: classes, cases and priors", compute, needs=NEEDS, seconds=1
)  # fmt: skip
