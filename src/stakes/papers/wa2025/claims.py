"""Numbers as published, and what the paper concludes from its figures, checked on them."""

from __future__ import annotations

import numpy as np

from stakes.papers.items import Claim, published_rows
from stakes.papers.wa2025.case_costs import GRID
from stakes.papers.wa2025.grid import Weighing, panel
from stakes.results import Frame
from stakes.typing import FloatArray

#: Cells on the line r_C = 1 - r+, where a balanced sample and the costs agree (eq 15).
_DIAGONAL = np.eye(len(GRID), dtype=bool)[::-1]
_STRONG = 0.8


def _where(values: FloatArray) -> str:
    """The least cell in words."""
    i, j = np.unravel_index(int(np.nanargmin(values)), values.shape)
    return f"least {np.nanmin(values):.2f} at r+ = {GRID[j]:g}, r_C = {GRID[i]:g}"


def _summary(grid: Frame, metric: str) -> str:
    """Mean and least of a heat map in words."""
    values = panel(grid, metric)
    return f"mean {np.nanmean(values):.3f}, {_where(values)}"


def robust_claims(grid: Frame, use_case: str) -> tuple[Claim, ...]:
    """Which metrics follow the total cost everywhere."""
    least = {
        metric: float(np.nanmin(panel(grid, metric)))
        for metric in ("WA", "H informed", "EWA", "EWA as coded")
    }
    return (
        Claim(
            f"Weighted accuracy keeps a strong rank correlation with the total cost ({use_case}).",
            least["WA"] > _STRONG,
            f"WA: {_summary(grid, 'WA')}.",
        ),
        Claim(
            "H informed and EWA are robust across all tested scenarios, as weighted accuracy is "
            f"({use_case}).",
            min(least["H informed"], least["EWA as coded"]) > _STRONG,
            f"Both fail in some cells. H informed: {_summary(grid, 'H informed as coded')}. EWA: "
            f"{_summary(grid, 'EWA as coded')}; integrated exactly: {_summary(grid, 'EWA')}.",
        ),
    )


def plain_claims(grid: Frame, use_case: str) -> tuple[Claim, ...]:
    """What rebalancing metrics and accuracy do."""
    mcc, informedness = panel(grid, "MCC"), panel(grid, "informedness")
    on, off = (float(np.nanmean(informedness[cells])) for cells in (_DIAGONAL, ~_DIAGONAL))
    accuracy = panel(grid, "accuracy")
    ratio, share = np.meshgrid(GRID, GRID, indexing="ij")
    alike = (ratio - 0.5) * (share - 0.5) > 0  # both small or both large
    unlike = (ratio - 0.5) * (share - 0.5) < 0
    return (
        Claim(
            "Metrics that make up for class imbalance agree with the total cost only near "
            f"r_C = 1 - r+ ({use_case}).",
            on > _STRONG > 0.5 > off,
            f"Informedness: mean correlation {on:.2f} on that line, {off:.2f} elsewhere; MCC "
            f"{np.nanmean(mcc[_DIAGONAL]):.2f} and {np.nanmean(mcc[~_DIAGONAL]):.2f}.",
        ),
        Claim(
            "Accuracy agrees with the total cost where the larger class also has the larger "
            f"cost of an error ({use_case}).",
            float(np.nanmin(accuracy[alike])) > _STRONG,
            f"Mean correlation {np.nanmean(accuracy[alike]):.2f} there, least "
            f"{np.nanmin(accuracy[alike]):.2f}; {np.nanmean(accuracy[unlike]):.2f} where it is "
            "the smaller class.",
        ),
    )


def realised_claim(costs: Frame) -> Claim:
    """Whether the credit costs have the ratio that they were made for."""
    gap = np.abs(costs["realised"] - costs["nominal"])
    far = int((gap > 0.01).sum())
    half = costs["nominal"] == 0.5
    at = dict(zip(costs["positives"][half], costs["realised"][half], strict=True))
    return Claim(
        "The loss given default is tuned so that the cost ratio has the value on the axis.",
        far == 0,
        "The formula leaves out that negative costs of a false alarm are set to 0. At a nominal "
        f"0.5 the realised ratio is {at[0.01]:.3f} for r+ = 0.01, {at[0.2]:.3f} for 0.2 and "
        f"{at[0.5]:.3f} for 0.5; {far} of {gap.size} cells are off by more than 0.01.",
        erratum=7,
    )


def weighted_claims(
    grid: Frame, use_case: str, printed: FloatArray | None = None
) -> tuple[Claim, ...]:
    """Where the weight lies, and what depends on it."""
    claims = []
    if printed is not None:
        off = {w: float(np.nanmean(np.abs(panel(grid, "G-mean", w) - printed))) for w in _BOTH}
        claims.append(
            Claim(
                "The weighted correlation gives more weight to the best outcomes.",
                off["best"] < off["worst"],
                "The printed panel of G-mean is matched with the weight on the worst outcomes "
                f"(mean difference {off['worst']:.3f}), not with the weight on the best "
                f"({off['best']:.3f}).",
                erratum=4,
            )
        )
    for metric in ("G-mean", "P4"):
        claims.append(_reversed_pattern(grid, metric, use_case))
    least = {w: panel(grid, "WA", w) for w in _BOTH}
    claims.append(
        Claim(
            f"Weighted accuracy also follows the total cost under weighted ranks ({use_case}).",
            min(float(np.nanmin(values)) for values in least.values()) > _STRONG,
            f"Weight on the worst: {_where(least['worst'])}; on the best: {_where(least['best'])}.",
        )
    )
    return tuple(claims)


_BOTH: tuple[Weighing, ...] = ("worst", "best")


def _reversed_pattern(grid: Frame, metric: str, use_case: str) -> Claim:
    """Low on the line r_C = 1 - r+ and higher elsewhere?"""
    means = {
        w: tuple(float(np.nanmean(panel(grid, metric, w)[c])) for c in (_DIAGONAL, ~_DIAGONAL))
        for w in _BOTH
    }
    return Claim(
        f"With weighted ranks {metric} agrees least with the total cost near r_C = 1 - r+, and "
        f"better elsewhere ({use_case}).",
        means["best"][0] < means["best"][1],
        f"Weight on the worst outcomes (as printed): {means['worst'][0]:.2f} on that line, "
        f"{means['worst'][1]:.2f} elsewhere; on the best (as the text says): "
        f"{means['best'][0]:.2f} and {means['best'][1]:.2f}.",
    )


#: Table 3: mean cost above the best candidate in the four scenarios.
TABLE_3 = {
    row.pop("metric"): tuple(map(int, row.values()))
    for row in published_rows("wa2025", "table_3.csv")
}


def _panels() -> dict[str, FloatArray]:
    """The authors' heat maps by use case and metric; `nan` where no costs exist."""
    found: dict[str, list[list[float]]] = {}
    for row in published_rows("wa2025", "heat_maps.csv"):  # one for each share of positives
        column = [float(row[f"{ratio:g}"] or "nan") / 1000 for ratio in GRID]
        found.setdefault(row["panel"], []).append(column)
    return {name: np.array(columns).T for name, columns in found.items()}


#: Plain correlation with TCC of figures 1 and 2, and weighted correlation of figure 3.
PANELS = _panels()
