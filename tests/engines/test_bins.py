from __future__ import annotations

import numpy as np
import pytest

from stakes.engines.bins import Bins, scale


class TestBins:
    def test_edges_ascend_and_hold_the_thresholds(self) -> None:
        bins = Bins.fitting(256, [0.3, 0.5, 1 / 6])
        assert (np.diff(bins.edges) > 0).all()
        assert {0.3, 0.5, 1 / 6} <= set(bins.edges.tolist())
        assert len(bins.edges) + 1 <= bins.count <= 256

    def test_an_edge_is_the_last_float_of_its_bin(self) -> None:
        bins = Bins.fitting(64, [])
        edges = bins.edges
        for p in (edges, np.nextafter(edges, 1.0)):
            near = 0.5 - np.abs(p - 0.5)
            taken = np.floor(np.sqrt(np.sqrt(near)) * scale(bins.half))
            code = np.where(p > 0.5, 2 * bins.half - 1 - taken, taken).astype(int)
            place = bins.position(code)
            shift = 0 if p is edges else 1
            assert np.array_equal(place, np.arange(len(edges)) + shift)

    def test_rare_classes_get_narrow_bins(self) -> None:
        edges = Bins.fitting(2**16, []).edges
        k = int(np.searchsorted(edges, 1e-4))
        assert (edges[k] - edges[k - 1]) / edges[k] == pytest.approx(4 / (0.1 * scale(2**15)), 0.01)

    def test_thresholds_outside_are_no_edges(self) -> None:
        assert Bins.fitting(64, [-1e-300, 1.0]).thresholds == ()
