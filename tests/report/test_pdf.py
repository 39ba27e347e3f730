import pytest

from stakes.exceptions import MissingExtraError
from stakes.report import pdf


def test_without_a_browser_the_line_to_type(monkeypatch, tmp_path):
    monkeypatch.setattr(pdf.shutil, "which", lambda name: None)
    with pytest.raises(MissingExtraError, match="apt-get install chromium"):
        pdf.print_pdf("<p>", tmp_path / "t.pdf")
    assert not (tmp_path / "t.pdf").exists()
