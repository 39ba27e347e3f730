"""Metrics as states that add: the interface of torchmetrics, with or without torchmetrics.

Where torchmetrics is installed our metrics are subclasses of its `Metric`, so that Lightning,
Fabric and collections know what to do with them. Where it is not, `SummedStates` gives the same
methods.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
import torch
from torch import nn

__all__ = ["Metric", "SummedStates", "fingerprint", "synced"]

_MERGES = {"sum": torch.sum, "min": torch.amin, "max": torch.amax}
_OPERATIONS = {"sum": "SUM", "min": "MIN", "max": "MAX"}


class SummedStates(nn.Module):
    """A metric whose state merges by sum, minimum or maximum: over batches and over processes.

    Subclasses call `add_state` in their constructor and define `update` and `compute`.
    """

    def __init__(self, **_: Any) -> None:
        super().__init__()
        self._defaults: dict[str, Any] = {}
        self._merges: dict[str, str] = {}

    def add_state(self, name: str, default: Any, dist_reduce_fx: str) -> None:
        """A tensor that starts as `default` and merges by "sum", "min" or "max"."""
        self._defaults[name] = default.clone()
        self._merges[name] = dist_reduce_fx
        self.register_buffer(name, default.clone(), persistent=False)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Take a batch in."""
        raise NotImplementedError

    def compute(self) -> Any:
        """The metric of everything taken in; over all processes if there are several."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget everything."""
        for name, default in self._defaults.items():
            setattr(self, name, default.clone().to(getattr(self, name).device))

    def merge_state(self, other: SummedStates) -> None:
        """Take in what another metric of the same kind has seen."""
        for name, merge in self._merges.items():
            parts = torch.stack([getattr(self, name), getattr(other, name).to(self._device())])
            setattr(self, name, _MERGES[merge](parts, dim=0))

    @contextmanager
    def synced(self) -> Iterator[None]:
        """Within it, the states are those of all processes together; afterwards one's own again."""
        distributed = torch.distributed
        if not (distributed.is_available() and distributed.is_initialized()):
            yield
            return
        own = {name: getattr(self, name) for name in self._merges}
        for name, merge in self._merges.items():
            merged = own[name].clone()
            distributed.all_reduce(merged, op=getattr(distributed.ReduceOp, _OPERATIONS[merge]))
            setattr(self, name, merged)
        try:
            yield
        finally:
            for name, state in own.items():
                setattr(self, name, state)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Take a batch in and return the metric of this batch alone."""
        kept = {name: getattr(self, name) for name in self._merges}
        self.reset()
        self.update(*args, **kwargs)
        batch = self.compute()
        for name, merge in self._merges.items():
            both = torch.stack([kept[name], getattr(self, name)])
            setattr(self, name, _MERGES[merge](both, dim=0))
        return batch

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        """Follow the device of a model, but not its type: counts and sums stay exact in `half`."""
        return super()._apply(lambda state: state.to(fn(state.new_empty(0)).device), recurse)

    def _device(self) -> Any:
        """Where the states are."""
        return next(iter(self.buffers())).device


try:
    from torchmetrics import Metric
except ImportError:
    Metric = SummedStates


def fingerprint(*what: Any) -> Any:
    """A state that tells metrics apart which count differently, 32 bytes.

    A `torchmetrics.MetricCollection` lets metrics whose states are equal after the first batch
    share them from then on. Ours share only where they count by the same rule.
    """
    digest = hashlib.sha256(repr([np.asarray(part).tolist() for part in what]).encode())
    return torch.tensor(list(digest.digest()), dtype=torch.uint8)


def synced(metric: Any) -> AbstractContextManager[None]:
    """Merge over processes inside `compute`, which torchmetrics does by itself."""
    return metric.synced() if isinstance(metric, SummedStates) else nullcontext()
