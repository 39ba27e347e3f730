"""Calibration errors for those who ask: binned and smooth, with their choices spelled out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stakes._kernels.class_scores import weighted_sums
from stakes.calibration.measures.reliability_table import equal_mass, event_of
from stakes.exceptions import DataError
from stakes.typing import FloatArray, Name

_GRID = 4096


def binned_calibration_error(
    y_true: Any,
    posteriors: Any,
    *,
    bins: int = 15,
    spacing: str = "mass",
    power: float = 1.0,
    of: Name | None = None,
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> float:
    r"""Mean distance between forecast and frequency over bins ("ECE").

    Popular, but it depends on the bins, is not a proper score and is biased upwards: a calibrated
    classifier gets a positive error. Prefer `calibration_gain`. Lower is better.

    .. math:: \left(\sum_b \frac{n_b}{N}\,|\bar y_b - \bar p_b|^{r}\right)^{1/r}

    Parameters
    ----------
    y_true, posteriors, of, classes, sample_weight
        See `reliability_table`. For more than two classes the most probable class is looked at.
    bins : int
        Number of bins.
    spacing : "mass" or "width"
        Bins of equal (weighted) mass, or equally wide ones as in the original.
    power : float
        The exponent r; ``inf`` gives the largest distance.

    Returns
    -------
    float
        In probability, from 0 to 1.

    References
    ----------
    .. [1] Naeini, Cooper, Hauskrecht, *Obtaining well calibrated probabilities using Bayesian
       binning*, AAAI 2015.

    Examples
    --------
    >>> round(binned_calibration_error([0, 0, 1, 0], [0.2, 0.2, 0.8, 0.8], bins=2), 3)
    0.25
    """
    if spacing not in ("mass", "width"):
        raise DataError(f"`spacing` must be 'mass' or 'width'; got {spacing!r}.")
    if bins < 1 or bins != int(bins):
        raise DataError(f"`bins` must be a whole number, at least 1; got {bins!r}.")
    if not power > 0:
        raise DataError(f"`power` must be positive; got {power!r}.")
    said, happened, weights, _ = event_of(y_true, posteriors, of, classes, sample_weight)
    if spacing == "width":
        member = np.minimum((said * bins).astype(np.intp), bins - 1)
    else:
        kept = weights > 0.0
        said, happened, weights = said[kept], happened[kept], weights[kept]
        member = equal_mass(said, weights, int(bins))
    mass = np.bincount(member, weights=weights)
    gap = np.abs(np.bincount(member, weights=weights * (happened - said)))
    used = mass > 0
    distance = gap[used] / mass[used]
    if np.isinf(power):
        return float(distance.max())
    share = mass[used] / mass.sum()
    return float((share @ distance**power) ** (1.0 / power))


def smooth_calibration_error(
    y_true: Any,
    posteriors: Any,
    *,
    of: Name | None = None,
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> float:
    r"""Calibration error after smoothing the residuals over the forecasts, free of bins.

    The residuals y - p are smoothed by a normal kernel, reflected at 0 and 1, whose width equals
    the error that results; continuous in the forecasts, zero only for calibrated ones. Lower is
    better.

    .. math:: \int_0^1 \left| \frac1N \sum_n (y_n - p_n) K_\sigma(t, p_n) \right| dt = \sigma

    Parameters
    ----------
    y_true, posteriors, of, classes, sample_weight
        See `reliability_table`. For more than two classes the most probable class is looked at.

    Returns
    -------
    float
        In probability, from 0 to 1.

    Notes
    -----
    On a grid of 4096 cells, so accurate to about 1e-3.

    References
    ----------
    .. [1] Błasiok, Nakkiran, *Smooth ECE: principled reliability diagrams via kernel smoothing*,
       ICLR 2024.

    Examples
    --------
    >>> round(smooth_calibration_error([0, 1] * 200, [0.9] * 400), 2)
    0.4
    """
    said, happened, weights, _ = event_of(y_true, posteriors, of, classes, sample_weight)
    cell = np.minimum((said * _GRID).astype(np.intp), _GRID - 1)
    residual = weighted_sums(cell, weights * (happened - said), _GRID)
    residual /= weights.sum()
    low, high = 0.0, 1.0
    for _ in range(20):
        width = (low + high) / 2
        low, high = (width, high) if _smoothed(residual, width) > width else (low, width)
    return (low + high) / 2


def _smoothed(residual: FloatArray, width: float) -> float:
    """Total absolute residual after smoothing with a reflected normal kernel."""
    from scipy.ndimage import gaussian_filter1d

    if width * _GRID < 0.2:
        return float(np.abs(residual).sum())
    smooth = gaussian_filter1d(residual, width * _GRID, mode="reflect", truncate=5.0)
    return float(np.abs(smooth).sum())
