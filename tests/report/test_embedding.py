import base64
import json

import numpy as np
import pytest

from stakes.report.markup import as_json, data_url, packed

TYPES = {"u1": np.uint8, "u2": np.dtype("<u2"), "u4": np.dtype("<u4"), "f8": np.dtype("<f8")}


@pytest.mark.parametrize(
    ("values", "kind"),
    [([0, 255], "u1"), ([256], "u2"), ([70_000], "u4"), ([2.0**33], "f8"), ([-1], "f8"),
     ([0.1], "f8"), ([np.nan, 1], "f8"), ([np.inf], "f8"), ([], "f8")],
)  # fmt: skip
def test_packed_comes_back_exactly(values, kind):
    made = packed(values)
    assert made["t"] == kind
    back = np.frombuffer(base64.b64decode(made["d"]), dtype=TYPES[kind])
    np.testing.assert_array_equal(back.astype(float), np.array(values, dtype=float))


def test_nothing_in_json_means_anything_in_html():
    value = {"</script>": "<!--&-->\u2028"}
    text = as_json(value)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == value


def test_nan_is_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json(float("nan"))


def test_data_url_holds_the_text():
    url = data_url("é", "text/csv")
    assert base64.b64decode(url.partition(",")[2]).decode() == "é"
