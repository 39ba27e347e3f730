"""Drawings of the strength of evidence, which a page holds on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes.evaluation.page_charts import without_legend
from stakes.plots.style import axes_of_size
from stakes.report.charts import Chart, inline

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

__all__ = ["evidence_charts"]


def evidence_charts(ev: Evaluation) -> list[Chart]:
    """Tippett plots and empirical cross-entropy of every model with posteriors of two classes."""
    names = {f"m{k}": model.name for k, model in enumerate(ev.models)}
    above = ev.plot.tippett(ax=axes_of_size(6.4, 4.1))
    entropy = ev.plot.empirical_cross_entropy(ax=axes_of_size(4.4, 4.1))
    entropy.set_ylabel("cross-entropy in bits")
    return [
        inline(without_legend(above, names), "tippett", "How often evidence is stronger than that"),
        inline(without_legend(entropy, names), "entropy", "Cross-entropy against the prior odds"),
    ]
