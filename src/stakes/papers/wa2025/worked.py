"""The worked examples, and the identities behind Table 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stakes import ConfusionMatrix, CostMatrix, metrics
from stakes.application import rebalancing_is_consistent, sample_weights, target_weight
from stakes.elicitation import RatioInterval, agreed_ratio, ratio_from_ranking
from stakes.metrics import catalogue, expected_weighted_accuracy, matched_beta
from stakes.papers.items import (
    Cell,
    Claim,
    Context,
    Item,
    Outcome,
    data_of,
)
from stakes.papers.wa2025.case_costs import (
    beta_density_mass,
    churn_costs,
    costed_scores,
    free_scores,
    revenues,
    trapezoid_h,
)
from stakes.papers.wa2025.grid import outcomes_at
from stakes.results import frame_of

if TYPE_CHECKING:
    pass


#: The two classifiers of section 3.1 on 80 negatives and 20 positives.
_ALWAYS_NEGATIVE = ConfusionMatrix([[80, 0], [20, 0]])
_SECOND = ConfusionMatrix([[50, 30], [5, 15]])
#: The order of section A.2.2, from the worst.
_ORDER = ("always", "errs", "never", "errs_negatives", "errs_positives")


def _accuracies(_: Context) -> Outcome:
    """Section 3.1: accuracy and weighted accuracy of two classifiers, and eqs 6, 15 and 18."""
    costs = CostMatrix.binary(false_positive=1, false_negative=9)
    weight = metrics.cost_weight(costs)
    truth = np.repeat([0, 0, 1, 1], [50, 30, 5, 15])
    taken = np.repeat([0, 1, 0, 1], [50, 30, 5, 15])
    by_weights = np.average(truth == taken, weights=sample_weights(truth, costs))
    tcc = metrics.total_classification_cost(_SECOND, costs)
    # Eq 19: the share of positives in the data for which plain accuracy serves a share of 0.2.
    share = 0.2 * 0.9 / (1 - 0.2 - 0.9 + 2 * 0.2 * 0.9)
    first, second = metrics.accuracy(_ALWAYS_NEGATIVE), metrics.accuracy(_SECOND)
    wa = [metrics.weighted_accuracy(each, weight) for each in (_ALWAYS_NEGATIVE, _SECOND)]
    cells = (
        Cell("M1 / accuracy", 0.80, first, 0.005),
        Cell("M2 / accuracy", 0.65, second, 0.005),
        Cell("M1 / WA", 0.3077, wa[0], 5e-5),
        Cell("M2 / WA", 0.7115, wa[1], 5e-5),
        Cell("M2 / 1 - TCC over TCC_max (eq 6)", 0.7115, 1 - tcc / (9 * 20 + 1 * 80), 5e-5,
             source="again"),
        Cell("M2 / accuracy with cost weights (eq 14)", 0.7115, float(by_weights), 5e-5,
             source="again"),
        Cell("M2 / weight from eq 18 at the same prior", 0.9, target_weight(0.9, 0.2), 5e-13,
             source="equality"),
        Cell("weight from eq 18 at the share of positives of eq 19", 0.5,
             target_weight(0.9, share, priors=0.2), 5e-13, source="equality"),
    )  # fmt: skip
    prefers = first > second and wa[0] < wa[1]
    balanced = rebalancing_is_consistent(CostMatrix([[0, 1], [4, 0]]), [0.8, 0.2])
    uneven = rebalancing_is_consistent(costs, [0.8, 0.2])
    return Outcome(cells, claims=(
        Claim("Accuracy prefers the classifier that never says positive, weighted accuracy the "
              "other one.", prefers, "Accuracy 0.80 against 0.65, weighted accuracy 0.3077 against "
              "0.7115, at r_C = 0.9 and 20 % positives."),
        Claim("Rebalancing agrees with the total cost only if r_C = 1 - r+ (eq 15).",
              bool(balanced) and not uneven,
              f"With 20 % positives it treats a miss as {uneven.implied_ratio:.3g} false alarms: "
              "right at r_C = 0.8, not at 0.9."),
    ))  # fmt: skip


def _elicitation(_: Context) -> Outcome:
    """Appendix A: weights from a ratio, and from the order of five emblematic models."""
    low, high = agreed_ratio(ratio_from_ranking(_ORDER, error_share=0.6, priors=0.05)).weights
    auditors = RatioInterval(10, 50).weights
    shares = np.round(np.arange(0.5, 0.7501, 0.01), 2)
    ranges = [_ends(float(a), 0.05) for a in shares]
    widest = float(shares[[low <= high for low, high in ranges]].max())
    cells = (
        Cell("bankruptcy, ratio 35 / weight", 0.97, RatioInterval(35, 35).weights[0], 0.005),
        Cell("bankruptcy, ratio 10 / weight", 0.91, auditors[0], 0.005),
        Cell("bankruptcy, ratio 50 / weight", 0.98, auditors[1], 0.005),
        Cell("emblematic models, a = 0.6, r+ = 0.05, lower end / weight", 0.919, low, 5e-4),
        Cell("emblematic models, a = 0.6, r+ = 0.05, upper end / weight", 0.927, high, 5e-4),
    )
    rows = [(share, *ends) for share, ends in zip(shares, ranges, strict=True)]
    table = frame_of(("error_share", "low", "high"), rows)
    claims = (
        Claim(
            "Ranking five emblematic models narrows the weight to 0.919 - 0.927 (eq 22).",
            abs(low - 0.919) < 5e-4 and abs(high - 0.927) < 5e-4,
            f"From {low:.4f} to {high:.4f}: one miss is worth {low / (1 - low):.1f} to "
            f"{high / (1 - high):.1f} false alarms.",
        ),
        Claim(
            "Shares of errors a from 0.5 to 0.75 give meaningful constraints.",
            None,
            f"With the order of eq 21 they do up to a = {widest:g}. Beyond (sqrt(5) - 1) / 2 = "
            "0.618 the lower end of eq 22 lies above the upper one, whatever the share of "
            "positives, so no weight agrees with that order.",
        ),
    )
    return Outcome(cells, {"weights": table}, claims=claims)


def _ends(error_share: float, prior: float) -> tuple[float, float]:
    """Both ends of eq 22 as weights; the lower one may lie above the upper."""
    said = ratio_from_ranking(_ORDER, error_share=error_share, priors=prior)
    low, high = max(each.low for each in said), min(each.high for each in said)
    return low / (1 + low), high / (1 + high)


def _identities(context: Context) -> Outcome:
    """Table 2: metrics that are others in disguise, and what the trapezoid rule loses."""
    income = revenues(data_of(context))
    tables = outcomes_at(0.2).tables.reshape(-1, 2, 2)
    half = churn_costs(income, 0.5)
    rated = {**free_scores(tables), **costed_scores(tables, half, 0.5)}
    by_definition = trapezoid_h(tables, 2.0, 2.0)
    f1 = rated["F1"]
    pairs = {
        "H with Beta(2, 2) by its integrals, and accuracy": (by_definition, rated["accuracy"]),
        "H informed, and WA at 1 - E[c]": (
            rated["H informed"],
            catalogue["weighted_accuracy"].fixed(weight=1 - half.shares.mean()).values(tables),
        ),
        "IAM, and 2 CBA - 1": (rated["IAM"], 2 * rated["CBA"] - 1),
        "ROC-AUC, and (informedness + 1) / 2": (rated["ROC-AUC"], (rated["informedness"] + 1) / 2),
        "Jaccard, and F1 / (2 - F1)": (rated["Jaccard"], f1 / (2 - f1)),
        "WA, and MSU": (rated["WA"], catalogue["msu"].fixed(
            application=CostMatrix.zero_one(2)).values(tables)),
    }  # fmt: skip
    cells = tuple(
        Cell(name.replace(" / ", " over "), 0.0, float(np.abs(a - b).max()), 1e-11,
             "largest difference over 20,100 outcomes", source="equality")
        for name, (a, b) in pairs.items()
    )  # fmt: skip
    # EWA of one classifier, right for half of the 40 positives and 120 of the 160 negatives.
    one, costs = np.array([[[120.0, 40.0], [20.0, 20.0]]]), churn_costs(income, 0.01)
    alpha, beta = matched_beta(costs.shares)
    coded = float(costed_scores(one, costs, 0.01)["EWA as coded"][0])
    exact = expected_weighted_accuracy(ConfusionMatrix(one[0]), alpha=beta, beta=alpha)
    gap = float(np.abs(by_definition - rated["accuracy"]).max())
    claims = (
        Claim(
            "H, with Beta(2, 2), is a cost-sensitive metric other than accuracy, Hand's H-measure.",
            gap > 1e-9,
            "Averaged over costs without choosing a threshold, it equals accuracy: largest "
            f"difference {gap:.0e} over 20,100 outcomes. H informed is weighted accuracy at "
            "1 - E[c]. Hand's measure minimises over thresholds first.",
            erratum=5,
        ),
        Claim(
            "EWA can be integrated by the trapezoid rule on 998 points.",
            abs(coded - exact) < 0.01,
            f"For Beta({alpha:.1f}, {beta:.3f}), matched to the churn costs at r_C = 0.01, the "
            f"rule sees {beta_density_mass(alpha, beta):.3f} of the mass; EWA of the example is "
            f"{coded:.3f} instead of {exact:.3f}.",
            erratum=6,
        ),
    )
    return Outcome(cells, claims=claims)


ACCURACIES = Item("weighted-accuracy", "Sections 3.1 and 3.4: two classifiers", _accuracies)
IDENTITIES = Item(
    "table2",
    "Table 2: metrics in disguise, and what the trapezoid rule loses",
    _identities,
    needs=("telco_churn",),
    seconds=3.0,
)
ELICITATION = Item("appendix-a", "Appendix A: the weight from a conversation", _elicitation)
