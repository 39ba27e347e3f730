"""Result -> page: what an evaluation found, as a page, Markdown, PDF and a record."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.report.markdown_forms import schema as schema
