"""Files that are there whole or not at all, with the permissions they had."""

import stat

import pytest

from stakes._files import write_whole
from stakes.exceptions import FormatError


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_overwriting_keeps_the_permissions(mode, tmp_path):
    path = tmp_path / "costs.toml"
    path.write_text("secret")
    path.chmod(mode)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_link_that_leads_to_itself_is_refused(tmp_path):
    path = tmp_path / "loop"
    path.symlink_to(path)
    with pytest.raises(FormatError, match="leads back to itself"):
        write_whole(path, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["loop"]
