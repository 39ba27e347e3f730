"""The frame of every page: the style sheet of the report, a closed policy, no script."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from stakes.report.markup import Html, element, joined

__all__ = ["framed"]


def framed(title: str, body: Html) -> str:
    """A page of its own that loads nothing and runs nothing."""
    style = files("stakes.report").joinpath("page.css").read_text(encoding="utf-8")
    own = files("stakes.experiments.pages").joinpath("reproduction.css")
    style += own.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    head = joined(
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer">'),
        element("title", title),
        Html(f"<style>{style}</style>"),
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n'
        f"<body>\n{element('main', body)}\n</body>\n</html>\n"
    )
