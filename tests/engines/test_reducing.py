from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix, bayes_decisions
from stakes.engines import Request, reduce_frame

pl = pytest.importorskip("polars", reason="pip install polars")

APP = Application(CostMatrix.zero_one(["a", "b", "c"]).with_abstention(0.4))


def rows(n: int = 200) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), n)
    y = rng.choice(["a", "b", "c"], n)
    return {
        "y": y.tolist(),
        "a": p[:, 0],
        "b": p[:, 1],
        "c": p[:, 2],
        "w": rng.random(n),
        "g": rng.choice(["u", "v"], n).tolist(),
    }


class TestReduceFrame:
    def test_counts_are_those_of_the_rows(self) -> None:
        data = rows()
        decided = bayes_decisions(np.column_stack([data["a"], data["b"], data["c"]]), APP)
        names = {"classes": APP.classes, "decision_names": APP.decisions}
        expected = ConfusionMatrix.from_decisions(data["y"], decided, **names)
        request = Request("y", {"m": ["a", "b", "c"]}, applications=APP)
        assert reduce_frame(pl.DataFrame(data), request).confusion() == expected
        assert reduce_frame(pl.LazyFrame(data), request).confusion() == expected

    def test_parts_add_to_the_whole(self) -> None:
        data = pl.DataFrame(rows())
        request = Request("y", {"m": ["a", "b", "c"]}, applications=APP, by=["g"])
        parts = [reduce_frame(data[:50], request), reduce_frame(data[50:], request)]
        whole = reduce_frame(data, request)
        assert sum(parts).confusion() == whole.confusion()
        assert sum(parts)["u"].confusion() == whole["u"].confusion()
