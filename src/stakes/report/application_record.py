"""An application as plain data, for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.application import Application

__all__ = ["application_record"]


def application_record(application: Application, data_priors: Any) -> dict[str, Any]:
    """Costs by name, priors, the class shares of the data, and what a cost of 1 is."""
    priors = application.priors
    return {
        "classes": [str(name) for name in application.classes],
        "decisions": [str(name) for name in application.decisions],
        "costs": application.costs.values.tolist(),
        "priors": None if priors is None else priors.tolist(),
        "data_priors": np.asarray(data_priors).tolist(),
        "unit": application.unit,
        "volume": application.volume,
        "period": application.period,
    }
