"""The report page: one static file that loads nothing, runs nothing and holds no rows."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from stakes.report.amounts import grouped, percent
from stakes.report.findings import Findings
from stakes.report.markup import Html, element, joined, text
from stakes.report.sections import (
    computed_section,
    confusion_section,
    models_section,
    money_section,
    told_section,
)

__all__ = ["page"]


def page(findings: Findings) -> str:
    """The findings as one self-contained HTML page.

    Nothing is loaded and no script runs, which the page's own content-security policy
    enforces; names from the data are escaped. It holds counts and costs, never rows.

    Parameters
    ----------
    findings : Findings
        All models at one application.

    Returns
    -------
    str
        A complete HTML document, to be written as UTF-8.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> from stakes.report import Findings, judge
    >>> app = Application([[0, 1], [10, 0]], priors=[0.95, 0.05])
    >>> cm = ConfusionMatrix([[90, 5], [1, 4]])
    >>> made = page(Findings("<b>.csv", 100, app, cm.priors, "0", 0.5,
    ...                      (judge(cm, app, name="gbm"),), cm.class_totals))
    >>> "<b>.csv" in made, "&lt;b&gt;.csv" in made
    (False, True)
    """
    style = files("stakes.report").joinpath("page.css").read_text(encoding="utf-8")
    body = joined(
        element("h1", _question(findings)),
        element("p", _from(findings), class_="from"),
        element("p", findings.verdict, class_="verdict", role="status"),
        *(element("p", warning, class_="warning") for warning in findings.warnings),
        told_section(findings),
        models_section(findings),
        money_section(findings),
        confusion_section(findings),
        computed_section(findings),
        element("footer", element("p", _footer(), class_="soft")),
    )
    head = joined(
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer">'),
        element("title", f"{_question(findings)} {findings.source}"),
        Html(f"<style>{style}</style>"),
    )
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en">\n<head>\n{head}\n</head>\n'
        f"<body>\n{element('main', body)}\n</body>\n</html>\n"
    )


def _policy(style: str) -> str:
    """Nothing may be loaded or run; only this very style sheet applies."""
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _question(findings: Findings) -> str:
    """What the page answers."""
    if findings.kind == "scores":
        return "Which model should we deploy, and at which threshold?"
    return "Which model should we deploy?" if len(findings.models) > 1 else "What does it cost?"


def _from(findings: Findings) -> Html:
    """Where the figures come from, in one line."""
    count = len(findings.models)
    parts = [findings.source, f"{grouped(findings.n_cases)} cases"]
    if findings.positive is not None:
        share = percent(findings.data_priors[1])
        label = findings.facts.get("label", "truth")
        parts.append(f"{grouped(findings.class_counts[1])} {label} = {findings.positive} ({share})")
    parts.append(f"{count} model{'s' if count != 1 else ''}")
    if "made" in findings.facts:
        parts.append(f"made {findings.facts['made']}")
    return Html(" · ".join(text(part) for part in parts))


def _footer() -> str:
    """What the page does not hold."""
    return (
        "This page holds counts and costs only: no rows, no identifiers. It loads nothing from "
        "anywhere and runs no script."
    )
