"""A page printed to PDF by Chromium, when there is one."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from stakes._files import refuse_unwritable, write_whole
from stakes.exceptions import DataError, MissingExtraError

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_SECONDS = 60


def print_pdf(page: str, path: Any, *, browser: str | None = None) -> None:
    """Print a page that loads nothing to a PDF file.

    Parameters
    ----------
    page : str
        The HTML.
    path : path
        Where to write the PDF.
    browser : str, optional
        The browser to use; by default the first Chromium, Chrome or Edge on the path.
    """
    browser = browser or next(filter(None, map(shutil.which, _NAMES)), None)
    if browser is None:
        raise MissingExtraError(
            "a PDF is printed by Chromium, Chrome or Edge, and none is on the path.",
            hint="apt-get install chromium, or open the page and print it from any browser",
        )
    target = Path(path)
    refuse_unwritable(target)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, made = Path(folder) / "page.html", Path(folder) / "page.pdf"
        source.write_text(page, encoding="utf-8")
        done = subprocess.run(
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--no-pdf-header-footer",
                f"--user-data-dir={folder}/profile",
                f"--print-to-pdf={made}",
                source.as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        if not made.exists():
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise DataError(f"{browser} printed no PDF: {last}")
        write_whole(target, made.read_bytes())
