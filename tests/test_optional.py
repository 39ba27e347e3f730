"""Loading extras."""

import pytest

from stakes._optional import load
from stakes.exceptions import MissingExtraError


def test_missing_extra_says_what_to_install():
    with pytest.raises(MissingExtraError) as caught:
        load("a_library_nobody_has", extra="plots")
    assert caught.value.hint == "pip install 'stakes[plots]'"
    assert isinstance(caught.value, ImportError)


def test_present_module_is_returned():
    import json

    assert load("json", extra="plots") is json
