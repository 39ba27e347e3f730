"""Write docs/catalogue.md from the registry of metrics: `python scripts/write_catalogue.py`."""

from __future__ import annotations

import sys
from pathlib import Path

from stakes.audit import compliance
from stakes.metrics import catalogue
from stakes.metrics.metric import Metric

PAGE = Path(__file__).parent.parent / "docs" / "catalogue.md"
HEAD = """# Catalogue of metrics

This page lists every metric that `stakes.metrics` computes from a table of decisions, and a few
that need scores, with their properties. It is written from the registry,
`stakes.metrics.catalogue`; the tests execute its formulas, naive values and identities.

- *Naive* is the value of the best system that ignores the input: a system that is no better is
  useless. P1 and P2 are the shares of the negative and of the positive (second) class, P is all of
  them.
- *Undefined* says when the metric is `nan`; nothing is silently counted as 0. If it says "error",
  an exception names what is missing.
- *As a cost* says whether the metric ranks systems like some cost matrix on all data
  (`stakes.audit.compliance`): **yes**, with how many false alarms a miss counts as; or the reason
  why not: level sets that are *curved*, that are straight but *not parallel*, or whose slope
  depends on the *prevalence*.
- In formulas TP, TN, FP, FN are counts of a two-class table, P and N its positives and negatives,
  n all cases. For any number of classes `diag` is the diagonal, `rows` the cases of each class,
  `cols` the decisions of each kind, C the costs.
"""
SECTIONS = {
    "Any number of classes": lambda m: m.of == "table" and m.classes == "any" and not m.needs,
    "Two classes": lambda m: m.of == "table" and m.classes == "two" and not m.needs,
    "With costs or parameters": lambda m: m.of == "table" and bool(m.needs),
    "Of scores": lambda m: m.of == "scores",
}
EXAMPLE = {
    "priors": 0.3,
    "beta": 2.0,
    "threshold": 0.2,
    "weight": 0.8,
    "alpha": 2.0,
    "shares": [0.2, 0.4],
}


def page() -> str:
    """The whole page as text."""
    parts = [HEAD]
    for title, belongs in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [entry(metric) for metric in catalogue.values() if belongs(metric)]
    return "\n".join(parts)


def entry(metric: Metric) -> str:
    """One metric."""
    direction = "higher" if metric.higher_is_better else "lower"
    needs = f"(cm, {', '.join(f'{name}=...' for name in metric.needs)})" if metric.needs else "(cm)"
    facts = [
        f"- formula: `{metric.formula}`",
        f"- {direction} is better; from {_number(metric.low)} to {_number(metric.high)}",
        f"- naive: `{metric.naive}`",
        f"- undefined: {metric.undefined}",
    ]
    if metric.of == "table":
        facts.append(f"- as a cost: {as_a_cost(metric)}")
    facts += [f"- identity: `{identity}`" for identity in metric.identities]
    facts.append(f"- {metric.reference}")
    call = f"{metric.name}{needs if metric.of == 'table' else needs.replace('cm', 'scores')}"
    return f"### {metric.name}\n\n{metric.question} `metrics.{call}`\n\n" + "\n".join(facts) + "\n"


def as_a_cost(metric: Metric) -> str:
    """Whether it ranks as a cost matrix does."""
    from stakes import Application

    app = Application([[0, 1], [4, 0]])
    ready = metric.with_application(app)
    ready = ready.fixed(**{name: EXAMPLE[name] for name in ready.missing})
    found = compliance(ready, application=app)
    if found.failure is not None:
        return f"no ({found.failure})"
    if metric.needs or metric.name == "beta_averaged_accuracy":
        return "yes, with the costs that the parameters say"
    return f"yes, {found.sentence.partition(': ')[2].rstrip('.')}"


def _number(value: float) -> str:
    """A bound, infinite ones as a sign."""
    return {float("inf"): "∞", -float("inf"): "−∞"}.get(value, f"{value:g}")


def main() -> int:
    """Write the page, or with --check say whether it is up to date."""
    text = page()
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.read_text(encoding="utf-8") == text else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
