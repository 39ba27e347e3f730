"""Table 3: classes, cases and priors of every data set, and the real scores behind Tables 2 and
3.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes.papers.items import Cell, Context, Item, Outcome, data_of, published_rows, read_scores

Change = tuple[float, ...] | int | None


class System(NamedTuple):
    """A row of Table 2: the folder of its scores, and how they are changed.

    `change` is None, the class to detect against all others, or the priors to resample to.
    """

    data: str
    system: str
    folder: str
    change: Change = None


_RESNET = "cifar100_resnet-20"
SYSTEMS = (
    System("SST2", "GPT2-4sh", "sst2_gpt2_4shot"),
    System("SST2", "GPT2-0sh", "sst2_gpt2"),
    System("SST2-Res1", "GPT2-0sh", "sst2_gpt2", (0.7, 0.3)),
    System("SST2-Res2", "GPT2-0sh", "sst2_gpt2", (0.8, 0.2)),
    System("FVCAUS", "XvPLDA", "fvcaus_plda"),
    System("CIFAR-1vsO", "Resnet20", _RESNET, 1),
    System("CIFAR-2vsO", "Resnet20", _RESNET, 2),
    System("IEMOCAP", "W2V2", "iemocap_wav2vec_pt"),
    System("IEMOCAP-Res1", "W2V2", "iemocap_wav2vec_pt", (0.95 / 3, 0.95 / 3, 0.95 / 3, 0.05)),
    System("AGNEWS", "GPT2-0sh", "agnews_gpt2"),
    System("AGNEWS-Res1", "GPT2-0sh", "agnews_gpt2", (0.33, 0.33, 0.33, 0.01)),
    System("CIFAR10", "Resnet20", "cifar10_resnet-20"),
    System("CIFAR10", "Vgg19", "cifar10_vgg19_bn"),
    System("CIFAR10", "RepVgg-a2", "cifar10_repvgg_a2"),
    System("CIFAR100", "Resnet20", _RESNET),
    System("CIFAR100", "Vgg19", "cifar100_vgg19_bn"),
    System("CIFAR100", "RepVgg-a2", "cifar100_repvgg_a2"),
)
#: Data sets of the paper whose scores are not public.
_UNAVAILABLE = ("SITW", "SITW-Res1", "SITW-Res2")
NEEDS = tuple(dict.fromkeys(system.folder for system in SYSTEMS))


def read(folder: Path, system: System) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Log-posteriors and true classes of a row."""
    from scipy.special import log_softmax

    scores, y = read_scores(folder / system.folder)
    logs = log_softmax(scores, axis=1)
    if isinstance(system.change, int):
        return _one_against_the_rest(logs, y, system.change)
    return (logs, y) if system.change is None else _resampled(logs, y, system.change)


def _one_against_the_rest(logs: Any, y: Any, k: int) -> tuple[Any, Any]:
    """Two classes: the one to detect, second, and all others."""
    from scipy.special import logsumexp

    rest = logsumexp(np.delete(logs, k, axis=1), axis=1)
    return np.column_stack([rest, logs[:, k]]), (y == k).astype(np.intp)


def _resampled(logs: Any, y: Any, priors: tuple[float, ...]) -> tuple[Any, Any]:
    """Cases drawn without replacement, class by class with seed 0, so that the shares change."""
    random: Any = np.random.RandomState(0)
    counts = np.bincount(y)
    wanted = np.array(priors) * len(y)
    wanted = wanted / (wanted / counts).max()
    kept = np.concatenate(
        [
            random.choice(np.flatnonzero(y == k), int(wanted[k]), replace=False)
            for k in range(len(counts))
        ]
    )
    return logs[kept], y[kept]


def _compute(context: Context) -> Outcome:
    """Count each data set once."""
    systems = {system.data: system for system in reversed(SYSTEMS)}
    cells = []
    for row in published_rows("ferrer2025", "table_3.csv"):
        name, printed = row["data"], [float(prior) for prior in row["priors"].split()]
        there = name not in _UNAVAILABLE
        size, cases, shares = np.nan, np.nan, np.full(len(printed), np.nan)
        if there:
            logs, y = read(data_of(context), systems[name])
            size, cases, shares = logs.shape[1], len(y), np.bincount(y) / len(y)
        sizes = [
            (what, int(row[what]), n, 0.0) for what, n in (("classes", size), ("cases", cases))
        ]
        if len(printed) == 1:  # one prior stands for all: the one farthest from it counts
            far = shares[np.abs(shares - printed[0]).argmax()]
            priors = [("prior of each", printed[0], far, 0.005)]
        else:
            priors = [(f"prior {k + 1}", p, shares[k], 0.005) for k, p in enumerate(printed)]
        cells += [
            Cell(f"{name} / {what}", known, float(ours), within, available=there)
            for what, known, ours, within in (*sizes, *priors)
        ]
    return Outcome(tuple(cells), remarks=("SITW: the scores are not public.",))


TABLE_3 = Item(
    "table3", "Table 3: classes, cases and priors", _compute, needs=NEEDS, seconds=1
)  # fmt: skip
