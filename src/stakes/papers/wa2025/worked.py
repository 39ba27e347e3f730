"""The worked examples, the identities behind Table 2, and the constants of the rank correlation."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from stakes import ConfusionMatrix, CostMatrix, metrics
from stakes.application import rebalancing_is_consistent, sample_weights, target_weight
from stakes.audit import rank_correlation, rank_correlations
from stakes.elicitation import RatioInterval, agreed_ratio, ratio_from_ranking
from stakes.metrics import catalogue, expected_weighted_accuracy, matched_beta
from stakes.papers.items import (
    COLOURS,
    LEGEND,
    LINE,
    TITLE,
    Cell,
    Claim,
    Context,
    Item,
    Outcome,
    Source,
    data_of,
    panels,
)
from stakes.papers.wa2025.case_costs import (
    GRID,
    POINTS,
    beta_density_mass,
    churn_costs,
    costed_scores,
    free_scores,
    revenues,
    trapezoid_h,
)
from stakes.papers.wa2025.grid import outcomes_at
from stakes.results import Frame, frame_of
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    share = _plain_accuracy_share(0.9, 0.2)
    numbers: tuple[tuple[str, float, float, float, Source], ...] = (
        ("M1 / accuracy", 0.80, metrics.accuracy(_ALWAYS_NEGATIVE), 0.005, "print"),
        ("M2 / accuracy", 0.65, metrics.accuracy(_SECOND), 0.005, "print"),
        ("M1 / WA", 0.3077, metrics.weighted_accuracy(_ALWAYS_NEGATIVE, weight), 5e-5, "print"),
        ("M2 / WA", 0.7115, metrics.weighted_accuracy(_SECOND, weight), 5e-5, "print"),
        ("M2 / 1 - TCC over TCC_max (eq 6)", 0.7115, 1 - tcc / (9 * 20 + 1 * 80), 5e-5, "again"),
        ("M2 / accuracy with cost weights (eq 14)", 0.7115, float(by_weights), 5e-5, "again"),
        ("M2 / weight from eq 18 at the same prior", 0.9, target_weight(0.9, 0.2), 5e-13,
         "equality"),
        ("weight from eq 18 at the share of positives of eq 19", 0.5,
         target_weight(0.9, share, priors=0.2), 5e-13, "equality"),
    )  # fmt: skip
    cells = tuple(
        Cell(name, printed, ours, within, source=source)
        for name, printed, ours, within, source in numbers
    )
    prefers = cells[0].ours > cells[1].ours and cells[2].ours < cells[3].ours
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


def _plain_accuracy_share(ratio: float, target: float) -> float:
    """Eq 19: the share of positives in the data for which plain accuracy serves the target."""
    return target * ratio / (1 - target - ratio + 2 * target * ratio)


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
    table = Frame({"error_share": shares, "low": [r[0] for r in ranges],
                   "high": [r[1] for r in ranges]})  # fmt: skip
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
    cells = [
        Cell(name.replace(" / ", " over "), 0.0, float(np.abs(a - b).max()), 1e-11,
             "largest difference over 20,100 outcomes", source="equality")
        for name, (a, b) in pairs.items()
    ]  # fmt: skip
    cells += _same_order(tables, rated)
    lost = _quadrature(income)
    first = {name: float(lost[name][0]) for name in lost}
    cells += [
        Cell(f"r_C {ratio:g} / mass seen by the trapezoid rule", 0.348 if ratio == 0.01 else None,
             float(mass), 5e-4, "Beta matched to the churn costs", source="independent")
        for ratio, mass in zip(GRID, lost["mass"], strict=True)
    ]  # fmt: skip
    cells += [
        Cell(f"r_C 0.01 / {name} of the Beta distribution", known, first[name], within,
             "Beta matched to the churn costs", source="independent")
        for name, known, within in (("alpha", 11.2, 0.05), ("beta", 0.104, 5e-4))
    ]  # fmt: skip
    claims = (
        Claim(
            "H, with Beta(2, 2), is a cost-sensitive metric other than accuracy, Hand's H-measure.",
            bool(np.abs(by_definition - rated["accuracy"]).max() > 1e-9),
            f"Averaged over costs without choosing a threshold, it equals accuracy: largest "
            f"difference {np.abs(by_definition - rated['accuracy']).max():.0e} over 20,100 "
            "outcomes. H informed is weighted accuracy at 1 - E[c]. Hand's measure minimises over "
            "thresholds first.",
            erratum=5,
        ),
        Claim(
            "EWA can be integrated by the trapezoid rule on 998 points.",
            abs(first["trapezoid"] - first["exact"]) < 0.01,
            f"For Beta({first['alpha']:.1f}, {first['beta']:.3f}), matched to the churn costs at "
            f"r_C = 0.01, the rule sees {first['mass']:.3f} of the mass; EWA of the example is "
            f"{first['trapezoid']:.3f} instead of {first['exact']:.3f}.",
            erratum=6,
        ),
    )
    return Outcome(tuple(cells), {"quadrature": lost}, (), claims)


def _same_order(tables: FloatArray, rated: dict[str, FloatArray]) -> list[Cell]:
    """Metrics that are not equal and yet put all outcomes into one order, at r_C = 0.8."""
    costs = CostMatrix.binary(false_positive=1, false_negative=4)
    found = {
        name: catalogue[key].fixed(**settings).values(tables).round(9)
        for name, key, settings in (
            ("WA", "weighted_accuracy", {"weight": 0.8}),
            ("MSU", "msu", {"application": costs}),
            ("minus C-score", "c_score", {"application": costs}),
        )
    }
    found["minus C-score"] = -found["minus C-score"]
    return [
        Cell(f"order of {name}, and of {other}", 1.0, float(rank_correlation(a, b)), 1e-9,
             "rank correlation over 20,100 outcomes", source="equality")
        for (name, a), (other, b) in (
            (("WA", found["WA"]), ("MSU", found["MSU"])),
            (("WA", found["WA"]), ("minus C-score", found["minus C-score"])),
            (("WRA", rated["WRA"]), ("informedness", rated["informedness"])),
        )
    ]  # fmt: skip


def _quadrature(income: FloatArray) -> Frame:
    """EWA of one classifier, right for half of the 40 positives and 120 of 160 negatives."""
    table = np.array([[[120.0, 40.0], [20.0, 20.0]]])
    rows = []
    for ratio in GRID:
        costs = churn_costs(income, ratio)
        alpha, beta = matched_beta(costs.shares)
        coded = float(costed_scores(table, costs, ratio)["EWA as coded"][0])
        exact = expected_weighted_accuracy(ConfusionMatrix(table[0]), alpha=beta, beta=alpha)
        rows.append((ratio, alpha, beta, beta_density_mass(alpha, beta), coded, exact))
    names = ("cost_ratio", "alpha", "beta", "mass", "trapezoid", "exact")
    return frame_of(names, rows)


def _draw_identities(outcome: Outcome) -> dict[str, Figure]:
    """The mass that is seen, and EWA with and without it."""
    table = outcome.tables["quadrature"]
    figure, axes = panels(1, 2, width=4.2, height=3.2)
    x = table["cost_ratio"]
    axes[0].plot(x, table["mass"], "o-", color=COLOURS[0], linewidth=LINE)
    axes[0].set(xlabel="cost ratio r_C", ylabel=f"mass seen on {POINTS.size} points",
                ylim=(0, 1.05))  # fmt: skip
    axes[1].plot(x, table["exact"], "o-", color=COLOURS[0], linewidth=LINE, label="exact")
    axes[1].plot(x, table["trapezoid"], "^--", color=COLOURS[1], linewidth=LINE,
                 label="trapezoid rule")  # fmt: skip
    axes[1].set(xlabel="cost ratio r_C", ylabel="EWA of one classifier", ylim=(0, 1.05))
    axes[1].legend(**LEGEND)
    return {"table2-quadrature": figure}


def _draw_elicitation(outcome: Outcome) -> dict[str, Figure]:
    """The weights that agree with the order, by the share of errors of the erring models."""
    table = outcome.tables["weights"]
    figure, (ax,) = panels(1, 1, width=4.8, height=3.2)
    agree = table["low"] <= table["high"]
    x, low, high = table["error_share"], table["low"], table["high"]
    shade = {"color": COLOURS[0], "alpha": 0.2, "linewidth": 0, "label": "weights that agree"}
    ax.fill_between(x, low, high, where=agree, **shade)
    ax.plot(x, low, color=COLOURS[0], linewidth=LINE, label="lower end")
    ax.plot(x, high, "--", color=COLOURS[1], linewidth=LINE, label="upper end")
    ax.set(xlabel="share of errors a of the erring models", ylabel="weight w of the positives")
    ax.set_title("5 % positives, order of eq 21", loc="left", fontsize=TITLE)
    ax.legend(**LEGEND)
    return {"appendix-a": figure}


ACCURACIES = Item("weighted-accuracy", "Sections 3.1 and 3.4: two classifiers", _accuracies)
IDENTITIES = Item(
    "table2", "Table 2: metrics in disguise, and what the trapezoid rule loses",
    _identities, _draw_identities, ("telco_churn",), 3.0,
)  # fmt: skip
ELICITATION = Item(
    "appendix-a", "Appendix A: the weight from a conversation", _elicitation, _draw_elicitation
)


#: Outcomes of a sample, and the constants of the standardised correlation for so many.
_OUTCOMES = 201
_CONSTANTS = {"m": -0.5459591, "g0": 0.00103809, "g1": 1.2923523, "g2": -2.0094641,
             "h2": -0.4179775}  # fmt: skip
#: Mean of the correlation that is not standardised over all orders of n things.
_MEANS = {3: -0.030276, 4: -0.054204, 5: -0.075843, 6: -0.095826, 7: -0.114362, 8: -0.131585}
#: Variance and left variance of random orders, as polynomials in 1/n, lowest power first.
_VARIANCE = (0.00813132, 1.88346539, -8.19607344, 36.22199888)
_LEFT = (0.00383928, 0.54098273, 25.32238315, -1056.9999828, 15679.72016182, -77089.49412102)
_SPREADS = {"V": (_VARIANCE, 0.0173034), "V left": (_LEFT, 0.0070367)}


def _weighted_pearson(first: FloatArray, second: FloatArray) -> FloatArray:
    """The correlation of ranks before it is standardised; rank 1 weighs most."""
    weight = 1 / (first + 2) ** 2 + 1 / (second + 2) ** 2
    weight /= weight.sum(axis=-1, keepdims=True)
    a = first - (weight * first).sum(axis=-1, keepdims=True)
    b = second - (weight * second).sum(axis=-1, keepdims=True)
    product, *squares = ((weight * x * y).sum(axis=-1) for x, y in ((a, b), (a, a), (b, b)))
    return np.asarray(product / np.sqrt(squares[0] * squares[1]))


def _constants_at(n: int, rng: int = 142) -> dict[str, float]:
    """Mean and coefficients of the two parabolas that standardise the correlation of n things.

    Fitted to pairs of rankings from opposite to equal: they meet at the mean, where their slopes
    are the same.
    """
    generator = np.random.default_rng(rng)
    first = np.arange(1.0, n + 1)
    noise = generator.normal(size=(400, n)) * np.geomspace(1, 3 * n, 400)[:, None]
    towards = np.where(np.arange(400) % 2, 1, -1)[:, None] * first + noise
    second = towards.argsort(axis=1).argsort(axis=1) + 1.0
    plain = _weighted_pearson(first, second)
    standard = rank_correlations(first, second, kind="weighted", top="low")
    below, above = (
        np.polynomial.polynomial.polyfit(plain[side], standard[side], 2)
        for side in (plain < _CONSTANTS["m"] - 0.02, plain > _CONSTANTS["m"] + 0.02)
    )
    mean = float((above[1] - below[1]) / (2 * (below[2] - above[2])))
    return {
        "m": mean,
        "g0": float(np.polynomial.polynomial.polyval(mean, below)),
        "g1": float(below[1] + 2 * below[2] * mean),
        "g2": float(below[2]),
        "h2": float(above[2]),
    }


def _compute(_: Context) -> Outcome:
    """Constants for 201 outcomes, and what all orders of few things average to."""
    found = _constants_at(_OUTCOMES)
    spread = {name: float(np.polynomial.polynomial.polyval(1 / _OUTCOMES, np.array(powers)))
              for name, (powers, _) in _SPREADS.items()}  # fmt: skip
    chance = found["g0"] + found["g2"] * spread["V left"]
    chance += found["h2"] * (spread["V"] - spread["V left"])
    cells = [
        Cell(f"{_OUTCOMES} outcomes / {name}", known, found[name], 5e-8 if name != "g0" else 5e-9,
             "from values of the standardised correlation", source="independent")
        for name, known in _CONSTANTS.items()
    ]  # fmt: skip
    cells += [
        Cell(f"{_OUTCOMES} outcomes / {name}", known, spread[name], 5e-8,
             "from the authors' polynomials", source="independent")
        for name, (_, known) in _SPREADS.items()
    ]  # fmt: skip
    cells.append(Cell(f"{_OUTCOMES} outcomes / mean of chance", None, chance, 5e-5, _STANDARDISED))
    for n, known in _MEANS.items():
        orders = np.array(list(permutations(range(1, n + 1))), dtype=np.float64)
        first = np.arange(1.0, n + 1)
        plain = float(_weighted_pearson(first, orders).mean())
        standard = rank_correlations(first, orders, kind="weighted", top="low")
        cells += [
            Cell(f"all orders of {n} / m", known, plain, 5e-7, "not standardised",
                 source="independent"),
            Cell(f"all orders of {n} / mean of chance", None, float(standard.mean()), 5e-5,
                 _STANDARDISED),
        ]  # fmt: skip
    return Outcome(tuple(cells), remarks=(*_REMARKS, _left_over(chance)))


def _left_over(chance: float) -> str:
    """That chance does not come to 0, and why."""
    return (
        f"Standardised, random orders of {_OUTCOMES} things have a mean of {chance:.3f} by these "
        "constants, not 0. A mean of 0 asks for the term (1 + m)^2 V where the authors' code has "
        "(1 - m^2) V; the numbers here follow their code, as the figures do."
    )


_STANDARDISED = "standardised"
_REMARKS = (
    "Figures 3 and 4 use the standardised weighted Spearman correlation of arXiv:2504.08428, with "
    "weights 1/(a + 2)^2 + 1/(b + 2)^2. The paper prints no constants; those compared with here "
    "were computed independently from the authors' polynomials.",
)

WEIGHTED_RANKS = Item(
    "weighted-ranks",
    "Section 4.1: constants of the weighted rank correlation",
    _compute,
    seconds=0.5,
)
