"""A page printed to PDF by Chromium, when there is one."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from stakes._files import as_path, refuse_unwritable, write_whole
from stakes.exceptions import DataError, MissingExtraError

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_SECONDS = 60
_BY_HAND = "write the page with --html, open it and print it from any browser"


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
    target = as_path(path)
    refuse_unwritable(target)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, made = Path(folder) / "page.html", Path(folder) / "page.pdf"
        source.write_text(page, encoding="utf-8")
        words = [
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={made}",
            source.as_uri(),
        ]
        is_root = getattr(os, "geteuid", lambda: 1)() == 0  # for whom there is no sandbox
        said = "" if is_root else _run([browser, *words])
        if not made.exists():  # or where it does not work, as in some containers
            said = _run([browser, "--no-sandbox", *words])
        if not made.exists():
            last = (said.strip().splitlines() or ["no message"])[-1]
            raise DataError(f"{browser} printed no PDF: {last}", hint=_BY_HAND)
        write_whole(target, made.read_bytes())


def _run(words: list[str]) -> str:
    """Run a browser, with all that it starts, for a limited time; what it says on stderr."""
    nowhere, pipe = subprocess.DEVNULL, subprocess.PIPE
    try:
        browser = subprocess.Popen(
            words, stdout=nowhere, stderr=pipe, text=True, errors="replace", start_new_session=True
        )
    except OSError as error:
        raise DataError(f"{words[0]} cannot be started: {error.strerror or error}.") from None
    with browser:
        try:
            return browser.communicate(timeout=_SECONDS)[1]
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError, AttributeError):  # what it started ends with it
                os.killpg(browser.pid, signal.SIGKILL)
            browser.kill()
            message = f"{words[0]} printed no PDF within {_SECONDS} seconds."
            raise DataError(message, hint=_BY_HAND) from None
