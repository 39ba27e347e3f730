"""Conditions for continuous integration: `--fail-if 'nec>0.5'` and `--require MODEL`."""

from __future__ import annotations

from collections.abc import Sequence

from stakes.cli.conditions import read_condition
from stakes.exceptions import DataError
from stakes.report import Findings, ModelFinding

__all__ = ["Gate", "failures"]


class Gate:
    """One condition that must not hold."""

    def __init__(self, text: str) -> None:
        condition = read_condition(text, "nec", "cost", "saving")
        if condition is None:
            raise DataError(
                f"I cannot read the condition '{text}'.",
                hint="Say:  --fail-if 'nec>0.5'   (nec, cost or saving; > >= < <=; for a model "
                "that is not the best:  'gbm:nec>0.5')",
            )
        self.text, self.condition = text, condition

    def holds(self, findings: Findings) -> bool:
        """Whether the condition, which should not, holds; an undefined NEC counts as holding."""
        value = _figure(findings, self._chosen(findings), self.condition.figure)
        return value is None or self.condition.holds(value)

    def _chosen(self, findings: Findings) -> ModelFinding:
        """The model that is meant: the one named, or else the best."""
        named = self.condition.about
        if named is None:
            return findings.best
        for model in findings.models:
            if model.name == named:
                return model
        raise DataError(
            f"--fail-if speaks of '{named}'; the models are "
            f"{', '.join(model.name for model in findings.models)}."
        )

    def said(self, findings: Findings) -> str:
        """What to print when it holds."""
        model, figure = self._chosen(findings), self.condition.figure
        value = _figure(findings, model, figure)
        got = "undefined" if value is None else f"{value:.4g}"
        return f"failed: {self.text} ({figure} of {model.name} is {got})"


def failures(gates: Sequence[Gate], required: str | None, findings: Findings) -> list[str]:
    """What to print for each condition that was not met."""
    said = [each.said(findings) for each in gates if each.holds(findings)]
    if required is not None:
        if required not in {model.name for model in findings.models}:
            names = ", ".join(model.name for model in findings.models)
            raise DataError(f"--require speaks of '{required}'; the models are {names}.")
        if findings.best.name != required:
            said.append(f"failed: --require {required} (the best is {findings.best.name})")
        elif findings.evaluation.to_deploy is None:
            said.append(f"failed: --require {required} ({findings.verdict})")
    return said


def _figure(findings: Findings, model: ModelFinding, figure: str) -> float | None:
    """One figure of a model."""
    if figure == "nec":
        return model.nec
    return model.cost if figure == "cost" else findings.saving(model)
