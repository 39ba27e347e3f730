from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from stakes.engines.row_values import Bins, place, scale, steps


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

    def test_edges_of_the_grid_are_fourth_powers(self) -> None:
        below = 0.5 * (np.arange(1, 5) / 4) ** 4
        expected = np.concatenate([below, 1 - below[-2::-1]])
        np.testing.assert_allclose(Bins.fitting(8, []).edges, expected, rtol=1e-12)

    def test_half_belongs_to_the_lower_side(self) -> None:
        for half in (1, 2, 3, 7, 50, 1000):
            assert Bins(half, ()).edges[half - 1] == 0.5

    def test_scale_is_the_largest_that_keeps_a_half_below(self) -> None:
        root = np.sqrt(np.sqrt(0.5))
        for half in range(1, 200):
            assert root * scale(half) < half <= root * np.nextafter(scale(half), np.inf)

    def test_thresholds_take_the_place_of_bins(self) -> None:
        bins = Bins.fitting(11, [0.5, 0.25, 0.5, 0.0, 2.0])
        assert bins.thresholds == (0.0, 0.25, 0.5)
        assert (bins.half, bins.count) == (4, 11)
        assert Bins.fitting(12, [0.0, 0.25, 0.5]).half == 4

    def test_codes_of_edges_that_are_alike_are_one_bin(self) -> None:
        bins = Bins(1, (0.5,))  # an edge of the grid, and a threshold on it
        assert bins.edges.tolist() == [0.5]
        assert bins.position(np.arange(3)).tolist() == [0, 1, 1]
        bins = Bins(1, (0.0, 0.7))
        assert bins.edges.tolist() == [0.0, 0.5, 0.7]
        assert bins.position(np.arange(4)).tolist() == [0, 1, 2, 3]

    def test_engines_count_as_the_edges_do(self) -> None:
        dialect = SimpleNamespace(
            literal=float, size=np.abs, root=np.sqrt, floor=np.floor,
            indicator=lambda holds: np.asarray(holds, dtype=float),
        )  # fmt: skip
        edges = Bins(5, ()).edges
        p = np.sort(
            np.concatenate(
                [[0.0, 1.0], edges, np.nextafter(edges, 1), (edges[1:] + edges[:-1]) / 2]
            )
        )
        found = place(dialect, p, steps(dialect, p, 5), 5)
        assert found.tolist() == np.searchsorted(edges, p, side="left").tolist()
