"""Settings and fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

# Settings of Spark that suit small tables, wherever a test starts it.
os.environ.setdefault("SPARK_CONF_DIR", str(Path(__file__).parent / "spark"))

# Property tests draw the same cases on every machine; `STAKES_HYPOTHESIS=explore` draws new and
# more ones, for a long run by hand.
hypothesis.settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("STAKES_HYPOTHESIS", "ci"))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets that some reference tests read; skip where it is absent."""
    folder = os.environ.get("STAKES_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the public data sets: set STAKES_DATA to their folder")
    return Path(folder)
