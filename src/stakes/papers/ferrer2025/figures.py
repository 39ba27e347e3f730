"""The figures and the worked examples of the paper."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stakes import Application, CostMatrix, bayes_decisions, decision_intervals
from stakes.curves import threshold_sweep
from stakes.papers.ferrer2025.table_1 import population_f1, simulated
from stakes.papers.items import (
    COLOURS,
    LEGEND,
    TITLE,
    Cell,
    Claim,
    Context,
    Item,
    Outcome,
    draw_lines,
    mark,
    panels,
)
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CASES = 100_000
#: The authors' code tries thresholds on a grid of step 0.1.
GRID = np.arange(-60, 61) / 10
_ON_GRID, _EVERY_CUT, _NO_SAMPLE = "threshold on the 0.1 grid", "every cut", "densities, no sample"


def nec(cost: float) -> Application:
    """Costs of 1 for a false alarm and `cost` for a miss, with the priors of the data."""
    return Application(CostMatrix([[0, 1], [cost, 0]]))


def _figure_1(_: Context) -> Outcome:
    """Thresholds from the grid of the authors, from every cut, and from the densities."""
    data = simulated(CASES, 2, 0.20)
    sweep = threshold_sweep(data.scores, GRID, metrics=["f1", "mcc", *map(nec, (1, 4, 16))])
    exact = threshold_sweep(data.scores, metrics=["f1", "mcc"])
    f1, mcc = sweep.best("f1"), sweep.best("mcc")
    cells = (
        Cell("F1, best threshold", -0.60, f1.threshold, 0.005, _ON_GRID),
        Cell("F1, equivalent c21", 1.8, f1.implied_cost, 0.05, _ON_GRID, "exp(0.6)"),
        *(Cell(name, known, ours, 0.005, _ON_GRID, source="authors")
          for name, known, ours in (("F1, equivalent c21, two decimals", 1.82, f1.implied_cost),
                                    ("MCC, best threshold", -0.30, mcc.threshold),
                                    ("MCC, equivalent c21", 1.35, mcc.implied_cost))),
        Cell("F1, equivalent c21", None, exact.best("f1").implied_cost, 0.005, _EVERY_CUT),
        Cell("MCC, equivalent c21", None, exact.best("mcc").implied_cost, 0.005, _EVERY_CUT),
        Cell("F1, equivalent c21", None, 2 / population_f1(0.20) - 1, 0.005, _NO_SAMPLE),
        *(Cell(f"Bayes threshold of NEC {c}", math.log(1 / c),
               nec(c).log_odds_threshold, 1e-9, "eq 29", "log(1/c)", source="equality")
          for c in (1, 4, 16)),
    )  # fmt: skip
    edges = np.arange(-100, 101) / 5
    shares = {
        name: np.histogram(data.log_odds[data.y == k], edges)[0] / data.y.size / np.diff(edges)
        for k, name in enumerate(("H1", "H2"))
    }
    columns = {"threshold": sweep.threshold, "share": sweep.acted_on}
    columns |= {"1 - F1": 1 - sweep.values["f1"], "1 - MCC": 1 - sweep.values["mcc"]}
    curves = Frame(columns | {f"NEC {c}": sweep.values[f"NEC({c})"] for c in (1, 4, 16)})
    tables = {"densities": Frame({"log_odds": (edges[:-1] + edges[1:]) / 2, **shares})}
    remark = (
        "The printed thresholds come from a grid of step 0.1 and one sample. Every cut of the same "
        "sample, and the densities themselves, put the cost that F1 implies elsewhere: where F1 is "
        "flat its best threshold is not sharp."
    )
    return Outcome(cells, {**tables, "curves": curves}, (remark,), _figure_1_claims(curves))


def _same_cost(curves: Frame, metric: str, cost: str) -> tuple[int, int]:
    """The best threshold of a metric, and the other one on the grid with nearly the same cost."""
    best = int(np.nanargmin(curves[metric]))
    lowest = int(np.argmin(curves[cost]))
    beyond = np.arange(GRID.size) > lowest if best < lowest else np.arange(GRID.size) < lowest
    gap = np.where(beyond, np.abs(curves[cost] - curves[cost][best]), np.inf)
    return best, int(np.argmin(gap))


def _figure_1_claims(curves: Frame) -> tuple[Claim, ...]:
    """What the text reads off the second and the third panel."""
    claims = []
    for metric, cost, what in (
        ("1 - F1", "NEC 1", "F1 prefers the one that decides for H2 more often"),
        ("1 - MCC", "NEC 4", "MCC prefers the one whose decisions are less balanced"),
    ):
        two = list(_same_cost(curves, metric, cost))
        paid, losses, shares = (curves[name][two] for name in (cost, metric, "share"))
        further = shares if metric == "1 - F1" else np.abs(shares - 0.5)
        claims.append(
            Claim(
                f"Of two thresholds with the same {cost}, {what}.",
                bool(losses[0] < losses[1] and further[0] > further[1]),
                f"At {GRID[two[0]]:.1f} and {GRID[two[1]]:.1f}: {cost} {paid[0]:.3f} and "
                f"{paid[1]:.3f}, {metric} {losses[0]:.3f} and {losses[1]:.3f}, share of H2 "
                f"{shares[0]:.3f} and {shares[1]:.3f}.",
            )
        )
    return tuple(claims)


def _draw_figure_1(outcome: Outcome) -> dict[str, Figure]:
    """The four panels."""
    curves = outcome.tables["curves"]
    figure, axes = panels(1, 4, width=3.4, height=3.4)
    draw_lines(axes[0], outcome.tables["densities"], "log_odds", ("H1", "H2"))
    axes[0].set(xlabel="log odds", xlim=(-8, 8))
    axes[0].set_title("density, scaled by the prior", fontsize=TITLE)
    shown = (
        ("1 - F1", "NEC 1", "share"),
        ("1 - MCC", "NEC 4", "share"),
        ("NEC 1", "NEC 4", "NEC 16"),
    )
    for ax, names in zip(axes[1:], shown, strict=True):
        draw_lines(ax, curves, "threshold", names, share="share of H2, R*2")
        for k in _same_cost(curves, *names[:2]) if "share" in names else ():
            mark(ax, curves["threshold"][k])
        ax.set(xlabel="threshold on the log odds", xlim=(-6, 6), ylim=(0, 1.5))
    for color, cost in zip(COLOURS, (1, 4, 16), strict=False):
        mark(axes[3], math.log(1 / cost), color=color)
    for ax in axes:
        ax.legend(**{**LEGEND, "handlelength": 1.6})
    return {"figure1": figure}


FIGURE_1 = Item(
    "figure1", "Figure 1: metrics of a two-class data set against the threshold",
    _figure_1, _draw_figure_1, seconds=2,
)  # fmt: skip


_READINGS = {
    0.20: "variance .20",
    0.06: "variance .06, as the text says",
    0.05: "variance .05, as appendix B says",
}


def _figure_2(_: Context) -> Outcome:
    """F1 and two costs for the harder data and for both readings of the easier ones."""
    implied, exact, tables, worse = {}, {}, {}, 0.0
    for variance in _READINGS:
        scores = simulated(CASES, 2, variance).scores
        sweep = threshold_sweep(scores, GRID, metrics=["f1", nec(1.0), nec(1.8)])
        implied[variance] = sweep.best("f1").implied_cost
        exact[variance] = 2 / population_f1(variance) - 1
        columns = {"threshold": sweep.threshold, "1 - F1": 1 - sweep.values["f1"]}
        for c in (1.0, 1.8):
            columns[f"NEC {c:.1f}"] = costs = sweep.values[f"NEC({c:g})"]
            bayes = costs[abs(GRID - nec(c).log_odds_threshold).argmin()]
            worse = max(worse, bayes - sweep.best(f"NEC({c:g})").value)
        tables[f"variance-{variance:.2f}"] = Frame(columns)
    smallest = float(tables["variance-0.20"]["NEC 1.0"].min())
    # If .20 were a standard deviation.
    scores = simulated(CASES, 2, 0.20**2).scores
    deviation = threshold_sweep(scores, GRID, metrics=[nec(1.0)]).best("NEC(1)").value
    name = "data: c21 that F1 implies"
    cells = (
        Cell(f"harder {name}", 1.8, implied[0.20], 0.05, _READINGS[0.20]),
        Cell(f"easier {name}", 1.0, implied[0.06], 0.05, _READINGS[0.06]),
        Cell(f"easier {name}", None, implied[0.05], 0.005, _READINGS[0.05],
             "prints as 0.9, so the figure was made with .06"),
        *(Cell(f"{words} {name}, two decimals", known, implied[v], 0.005, f"variance {v:.2f}",
               source="authors")
          for words, v, known in (("harder", 0.20, 1.82), ("easier", 0.06, 1.00))),
        *(Cell(f"variance {v:.2f}: c21 that F1 implies", None, found, 0.005, _NO_SAMPLE)
          for v, found in exact.items()),
        Cell("harder data: smallest NEC 1", None, smallest, 5e-4, "variance .20"),
        Cell("harder data: smallest NEC 1", None, deviation, 5e-4,
             ".20 read as a standard deviation"),
    )  # fmt: skip
    claims = (
        Claim(
            "F1 optimises a different trade-off between the errors for each system.",
            implied[0.20] > implied[0.06] and exact[0.20] > exact[0.06] + 0.1,
            f"On the grid its best threshold implies that a miss costs {implied[0.20]:.2f} false "
            f"alarms for the harder data and {implied[0.06]:.2f} for the easier; from the "
            f"densities alone, without grid and sample, {exact[0.20]:.2f} and {exact[0.06]:.2f}: "
            "the direction holds, the printed difference is larger than the exact one.",
        ),
        Claim(
            "For calibrated scores the Bayes threshold of each cost minimises that cost.",
            worse < 0.002,
            f"On the grid the Bayes threshold is at most {worse:.4f} NEC above the best one, which "
            "is sampling noise.",
        ),
        Claim(
            "The easier data have a variance of 0.06 (section 4.1.1), or 0.05 (appendix B).",
            None,
            f"The printed cost ratio is 1.0. A variance of .06 gives {implied[0.06]:.2f}, one of "
            f".05 {implied[0.05]:.2f}, which would print as 0.9. Read as a standard deviation, .20 "
            f"would give the harder data a smallest NEC 1 of {deviation:.3f}; Figure 1 shows "
            f"{smallest:.3f}.",
            erratum=2,
        ),
    )
    return Outcome(cells, tables, (), claims)


def _draw_figure_2(outcome: Outcome) -> dict[str, Figure]:
    """The harder data, the easier ones, and the other reading of the easier ones."""
    figure, axes = panels(1, 3, width=3.8, height=3.4)
    for ax, (variance, said), top in zip(axes, _READINGS.items(), (1.0, 0.3, 0.3), strict=True):
        table = outcome.tables[f"variance-{variance:.2f}"]
        names = ("1 - F1", "NEC 1.0", "NEC 1.8")
        draw_lines(ax, table, "threshold", names)
        for color, name in zip(COLOURS, names, strict=False):
            mark(ax, table["threshold"][table[name].argmin()], color=color)
        ax.set(xlabel="threshold on the log odds", xlim=(-4, 4), ylim=(0, top))
        ax.set_title(said, fontsize=TITLE)
    axes[0].legend(**{**LEGEND, "handlelength": 1.6})
    return {"figure2": figure}


FIGURE_2 = Item(
    "figure2", "Figure 2: F1 and two costs for two systems", _figure_2, _draw_figure_2, seconds=2
)  # fmt: skip


_ABSTENTION_CLASSES = tuple(f"H{k + 1}" for k in range(10))


def _abstention(_: Context) -> Outcome:
    """Eqs 30-33 on the ten-class data: Bayes decisions against the rule derived for them."""
    data = simulated(10_000, 10, 0.20)
    cells, same = [], True
    for alpha, naive in ((0.05, "abstain"), (0.30, "H1")):
        costs = CostMatrix.zero_one(_ABSTENTION_CLASSES).with_abstention(alpha)
        taken = bayes_decisions(data.posteriors, costs, classes=_ABSTENTION_CLASSES)
        by_rule = data.posteriors.max(axis=1) < 1 - alpha
        differing = int(((taken == len(_ABSTENTION_CLASSES)) != by_rule).sum())
        agrees = Application(costs, priors=data.priors).naive_decision == naive
        same &= differing == 0 and agrees
        cut = decision_intervals(CostMatrix.zero_one(2).with_abstention(alpha)).cuts[-1]
        cells += [
            Cell(f"alpha = {alpha:.2f} / largest posterior below which it abstains", 1 - alpha,
                 float(cut), 1e-9, "eq 32", source="equality"),
            Cell(f"alpha = {alpha:.2f} / cases where the rule and Bayes differ", 0.0,
                 float(differing), reading="eq 32", source="equality"),
            Cell(f"alpha = {alpha:.2f} / naive decision is '{naive}'", 1.0, float(agrees),
                 reading="1 yes, 0 no", source="equality"),
        ]  # fmt: skip
    claim = Claim(
        "With 0-1 costs and a cost of alpha for abstaining, Bayes decisions abstain when every "
        "posterior is below 1 - alpha (eq 32); the naive one abstains when every prior is (eq 33).",
        same,
        f"The same in all {len(data.y)} simulated cases for alpha = .05 and .30, where the naive "
        "decisions are to abstain and H1, as stated.",
    )
    return Outcome(tuple(cells), claims=(claim,))


ABSTENTION = Item("abstention", "Appendix A.3: abstention", _abstention, seconds=0.2)


# Half of the clients accept the higher rate; interest of .5 and .9 of the principal; those who
# default have paid .4 of what they owe.
BETA, STANDARD, HIGH, GAMMA = 0.5, 0.5, 0.9, 0.4
_LOAN_CLASSES = ("repays", "defaults")
_DECISIONS = ("deny", "higher rate", "standard rate")
_UTILITIES = ((0.0, 0.45, 0.50), (0.0, -0.24, -0.40))
_STANDARDISED = ((0.50, 0.05, 0.0), (0.0, 0.24, 0.40))


def _loan(_: Context) -> Outcome:
    """The utilities, the costs they become, and when each decision is best."""
    utilities = [
        [0.0, BETA * HIGH, STANDARD],
        [0.0, GAMMA * (1 + HIGH) - 1, GAMMA * (1 + STANDARD) - 1],
    ]
    costs = CostMatrix.from_utilities(utilities, classes=_LOAN_CLASSES, decisions=_DECISIONS)
    standard = costs.standardized()
    cells = [
        Cell(f"{name}, {what} / {decision}", printed[i][j], float(found[i, j]), 0.005)
        for what, printed, found in (
            ("utility", _UTILITIES, -costs.values),
            ("cost", _STANDARDISED, standard.values),
        )
        for i, name in enumerate(_LOAN_CLASSES)
        for j, decision in enumerate(_DECISIONS)
    ]
    rule = decision_intervals(standard)
    p = np.linspace(0, 1, 201)
    taken = [bayes_decisions(p, each, positive="defaults") for each in (costs, standard)]
    same = bool((taken[0] == taken[1]).all())
    lines = {
        decision: (1 - p) * standard.values[0, j] + p * standard.values[1, j]
        for j, decision in enumerate(_DECISIONS)
    }
    cells += [
        Cell(f"p(defaults) above which '{above}' is best", None, float(cut), 5e-5)
        for cut, above in zip(rule.cuts, rule.decisions[1:], strict=True)
    ]
    remark = (
        "Cells are in units of the principal, for interest of .5 and .9 of it, half of the clients "
        "accepting the higher rate, and .4 of the debt paid before default."
    )
    claim = Claim(
        "Shifting each row of a cost matrix by a constant does not change the Bayes decisions.",
        same,
        f"The same decision at each of {len(p)} probabilities of default, before and after the row "
        "minima were taken away.",
    )
    tables = {"expected-costs": Frame({"p_defaults": p, **lines})}
    return Outcome(tuple(cells), tables, (remark,), (claim,))


def _draw(outcome: Outcome) -> dict[str, Figure]:
    """The expected cost of each decision against the probability of default."""
    table = outcome.tables["expected-costs"]
    figure, (ax,) = panels(1, 1, width=5.6, height=3.6)
    draw_lines(ax, table, "p_defaults", _DECISIONS)
    for cell in outcome.cells[-2:]:
        mark(ax, cell.ours)
    ax.set(xlabel="probability of default", ylabel="expected cost (of the principal)")
    ax.legend(**LEGEND)
    return {"loan": figure}


LOAN = Item("loan", "Section 2.2: the loan", _loan, _draw, seconds=0.1)
