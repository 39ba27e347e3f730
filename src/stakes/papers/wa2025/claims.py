"""Numbers as published, and what the paper concludes from its figures, checked on them."""

from __future__ import annotations

import numpy as np

from stakes.papers.items import Claim
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


def realised_claims(costs: Frame) -> tuple[Claim, ...]:
    """Whether the credit costs have the ratio that they were made for."""
    gap = np.abs(costs["realised"] - costs["nominal"])
    far = int((gap > 0.01).sum())
    at = {
        share: float(
            costs["realised"][(costs["positives"] == share) & (costs["nominal"] == 0.5)][0]
        )
        for share in (0.01, 0.2, 0.5)
    }
    return (
        Claim(
            "The loss given default is tuned so that the cost ratio has the value on the axis.",
            far == 0,
            "The formula leaves out that negative costs of a false alarm are set to 0. At a "
            f"nominal 0.5 the realised ratio is {at[0.01]:.3f} for r+ = 0.01, {at[0.2]:.3f} for "
            f"0.2 and {at[0.5]:.3f} for 0.5; {far} of {gap.size} cells are off by more than 0.01.",
            erratum=7,
        ),
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
    "accuracy": (0, 591, 7, 0),
    "CBA": (795, 565, 7, 0),
    "IAM": (795, 565, 7, 0),
    "H": (0, 591, 7, 0),
    "WCA": (0, 1, 253, 0),
    "kappa": (0, 591, 253, 3155),
    "informedness": (0, 591, 253, 3155),
    "ROC-AUC": (0, 591, 253, 3155),
    "WRA": (0, 591, 253, 3155),
    "MCC": (0, 591, 253, 3155),
    "markedness": (3842, 17, 253, 3155),
    "precision": (3916, 1, 253, 3155),
    "NPV": (0, 591, 253, 3155),
    "P4": (2778, 292, 253, 3155),
    "G-mean": (2778, 292, 154, 1853),
    "Jaccard": (3916, 1, 253, 3155),
    "F1": (3916, 1, 253, 3155),
    "recall": (3916, 1, 253, 3155),
    "B-ROC": (3916, 1, 253, 3155),
    "specificity": (0, 591, 7, 0),
    "ACD": (0, 110, 7, 0),
    "WA": (0, 1, 7, 0),
    "H informed": (0, 1, 7, 0),
    "EWA": (0, 1, 7, 0),
}


#: Mean over the churn grid, and least cell, of the plain correlation: an independent recomputation
#: of figure 1.
GRID_MEANS: dict[str, tuple[float, float | None]] = {
    "WA": (0.980, 0.806),
    "H informed": (0.922, 0.020),
    "EWA": (0.902, -0.184),
    "ACD": (0.861, -0.332),
    "WCA": (0.594, -0.800),
    "accuracy": (0.548, -0.943),
    "H": (0.548, -0.943),
    "CBA": (0.494, -0.896),
    "IAM": (0.494, -0.896),
    "informedness": (0.185, -0.068),
    "ROC-AUC": (0.185, -0.068),
    "WRA": (0.185, -0.068),
    "MCC": (0.172, None),
    "kappa": (0.158, None),
    "F1": (0.157, -0.965),
    "Jaccard": (0.157, -0.965),
    "markedness": (0.138, None),
    "precision": (0.132, None),
    "NPV": (0.132, None),
    "B-ROC": (0.093, None),
    "P4": (0.077, None),
    "G-mean": (0.068, None),
    "specificity": (0.060, None),
    "recall": (0.051, -0.980),
}

#: Cost of a retention measure at each cost ratio of the grid: an independent run.
RETENTION_COSTS = (
    24.847,
    18.364,
    14.994,
    12.408,
    10.243,
    8.283,
    6.461,
    4.772,
    3.181,
    1.591,
    0.1591,
)
#: Realised cost ratio of the credit use case at a nominal .5, by share of positives: likewise.
CREDIT_REALISED = {0.01: 0.042, 0.2: 0.408}


def _panel(text: str) -> FloatArray:
    """A panel in thousandths: a line per share of positives; turned to rows of cost ratios."""
    rows = [[float(cell) / 1000 for cell in line.split()] for line in text.strip().splitlines()]
    full = [row + [np.nan] * (len(rows) - len(row)) for row in rows]
    return np.array(full).T


#: Figure 1, WA: plain correlation with TCC, churn.
CHURN_WA = _panel("""
1000 1000 1000 1000 1000 1000 1000 1000 1000  999  825
1000 1000 1000 1000 1000  999  999  997  989  826  987
1000 1000 1000  999  999  998  995  979  833  979  994
1000 1000 1000  999  998  994  975  816  972  992  996
1000 1000  999  998  993  972  815  964  989  995  997
1000  999  998  994  974  822  962  986  994  996  997
1000  999  996  978  832  961  986  992  996  997  998
1000  998  984  845  965  986  992  995  997  998  998
1000  992  854  970  988  993  995  996  997  998  998
 999  884  978  990  994  995  996  997  998  998  999
 958  987  993  995  996  997  997  998  998  999  999
""")

#: Figure 1, EWA: plain correlation with TCC, churn.
CHURN_EWA = _panel("""
1000 1000 1000 1000 1000 1000 1000  999  999  998  837
1000 1000 1000 1000 1000  999  998  996  989  757  987
1000 1000 1000  999  999  998  995  977  646  975  994
1000 1000 1000  999  997  993  967  517  935  991  996
1000 1000  999  997  992  956  399  625  983  995  997
1000  999  998  993  956  355   67  942  992  996  997
1000  999  995  962  316  -97  858  980  995  997  998
1000  998  973  340 -176  833  967  990  996  998  998
1000  989  362 -159  846  968  987  994  997  998  998
 998  504  201  901  977  989  993  996  998  998  999
 958  898  971  988  994  996  997  997  998  999  999
""")

#: Figure 2, WA: plain correlation with TCC, credit; a line ends where no costs exist.
CREDIT_WA = _panel("""
992 992 993 992 992 992 992 992 991 988 832
993 992 992 992 992 992 991 988 975 820
993 993 992 992 991 990 986 970 818
993 993 992 991 989 984 962 819
993 992 991 989 982 961 832 975
993 992 989 983 963 816 976
992 990 985 966 828 977 993
992 988 966 824 978 993
990 975 819 982 995 997
983 831 989 996 997 998
836 997 998 998 999 999
""")

#: Figure 3, G-mean: weighted correlation with TCC, churn.
CHURN_GMEAN_WEIGHTED = _panel("""
486 486 486 487 484 486 486 486 477 452 782
546 545 547 547 550 545 537 515 384  98 802
571 568 571 570 563 556 510 323 -74 642 715
595 595 591 593 577 530 309 -136 499 661 671
612 613 612 595 549 329 -151 395 603 643 650
622 630 619 587 399 -156 335 560 607 628 628
642 650 621 408 -161 320 532 588 608 617 607
673 669 507 -166 300 516 566 577 593 594 598
723 660 -57 288 492 544 558 561 568 571 566
802  95 336 493 528 537 542 545 543 547 547
923 399 434 454 464 465 470 484 484 484 483
""")
