"""Configuration of Sphinx; `make docs` runs it."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.highlighting import lexers

import stakes

project = "stakes"
author = "The stakes developers"
copyright = "The stakes developers"  # noqa: A001 - the name Sphinx reads
version = release = stakes.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
myst_enable_extensions = ["deflist", "dollarmath"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build"]
default_role = "literal"
html_theme = "furo"
html_title = "stakes"
autodoc_member_order = "alphabetical"
autodoc_typehints = "none"  # the numpydoc sections already say it, in words
numpydoc_show_class_members = False  # autodoc lists them
suppress_warnings = ["ref.footnote"]  # a docstring cites its source without a mark in the text

lexers["csv"] = TextLexer()  # shown as it is; the tests write such blocks to files

HERE = Path(__file__).parent


def public_rooms() -> list[str]:
    """The package's rooms that show public names; the command line documents itself."""
    package = Path(stakes.__file__).parent
    folders = sorted(path.parent for path in package.glob("[a-z]*/__init__.py"))
    rooms = [f"stakes.{folder.name}" for folder in folders if folder.name != "cli"]
    for library in ("sklearn", "torch"):  # documented where the library is installed
        if importlib.util.find_spec(library) is not None:
            rooms.append(f"stakes.integrations.{library}")
    return [room for room in rooms if getattr(importlib.import_module(room), "__all__", None)]


def page_of(room: str) -> str:
    """The reference page of one room, in reStructuredText."""
    module = importlib.import_module(room)
    lines = [room, "=" * len(room), "", f".. automodule:: {room}", "   :no-members:", ""]
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isclass(thing):
            lines += [f".. autoclass:: {room}.{name}", "   :members:", ""]
        elif inspect.isroutine(thing):
            lines += [f".. autofunction:: {room}.{name}", ""]
        elif not inspect.ismodule(thing):
            lines += [f".. autodata:: {room}.{name}", "   :no-value:", ""]
    return "\n".join(lines)


def write_reference() -> None:
    """Write one page per room, so that a new room documents itself."""
    folder = HERE / "reference" / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {f"{room}.rst": page_of(room) for room in [*public_rooms(), "stakes.exceptions"]}
    for path in folder.glob("*.rst"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def leave_to_sklearn(_app: object, _kind: str, name: str, *_: object) -> bool | None:
    """Leave out the methods that scikit-learn adds, whose texts point into its own pages."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def setup(app: Sphinx) -> None:
    """What Sphinx calls first."""
    app.connect("autodoc-skip-member", leave_to_sklearn)


write_reference()
