import time

import pytest

from stakes.exceptions import DataError, MissingExtraError
from stakes.report import pdf


def test_without_a_browser_the_line_to_type(monkeypatch, tmp_path):
    monkeypatch.setattr(pdf.shutil, "which", lambda name: None)
    with pytest.raises(MissingExtraError, match="apt-get install chromium"):
        pdf.print_pdf("<p>", tmp_path / "t.pdf")
    assert not (tmp_path / "t.pdf").exists()


@pytest.fixture
def browser(tmp_path):
    """A browser that notes its options and does what a script says, where the PDF is $made."""

    def made(script):
        path = tmp_path / "browser"
        path.write_text(
            f"""#!/bin/sh
echo "$@" >> {tmp_path}/options
for word in "$@"; do case $word in --print-to-pdf=*) made=${{word#*=}};; esac; done
{script}
"""
        )
        path.chmod(0o755)
        return str(path)

    return made


def options(tmp_path):
    return (tmp_path / "options").read_text().splitlines()


@pytest.mark.parametrize(("user", "boxed"), [(1000, True), (0, False)])
def test_the_browser_keeps_its_sandbox_where_it_has_one(
    user, boxed, browser, monkeypatch, tmp_path
):
    monkeypatch.setattr(pdf.os, "geteuid", lambda: user)
    pdf.print_pdf("<p>", tmp_path / "t.pdf", browser=browser("echo pdf > $made"))
    assert (tmp_path / "t.pdf").read_text() == "pdf\n"
    assert ["--no-sandbox" not in line for line in options(tmp_path)] == [boxed]


def test_where_the_sandbox_fails_it_goes_without(browser, monkeypatch, tmp_path):
    monkeypatch.setattr(pdf.os, "geteuid", lambda: 1000)
    script = (
        'case "$*" in *--no-sandbox*) echo pdf > $made;; *) echo "no sandbox!" >&2; exit 1;; esac'
    )
    pdf.print_pdf("<p>", tmp_path / "t.pdf", browser=browser(script))
    assert ["--no-sandbox" in line for line in options(tmp_path)] == [False, True]
    with pytest.raises(DataError, match="printed no PDF: never"):
        pdf.print_pdf("<p>", tmp_path / "t.pdf", browser=browser("echo never >&2"))


def test_a_slow_browser_ends_in_one_line(browser, monkeypatch, tmp_path):
    """Also where what it started goes on and holds its output open."""
    monkeypatch.setattr(pdf, "_SECONDS", 0.5)
    start = time.monotonic()
    with pytest.raises(DataError, match=r"printed no PDF within 0\.5 seconds") as caught:
        pdf.print_pdf("<p>", tmp_path / "t.pdf", browser=browser("sleep 60 & sleep 60"))
    assert time.monotonic() - start < 20
    assert "--html" in caught.value.hint
    assert not (tmp_path / "t.pdf").exists()


def test_a_browser_that_cannot_be_started(tmp_path):
    (tmp_path / "browser").write_text("")
    with pytest.raises(DataError, match="cannot be started: Permission denied"):
        pdf.print_pdf("<p>", tmp_path / "t.pdf", browser=str(tmp_path / "browser"))
