"""Five emblematic models: putting them in order says what a miss is worth."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from stakes._names import listed
from stakes.elicitation.statements import Statement
from stakes.exceptions import DataError, PriorError


class EmblematicModel(NamedTuple):
    """A simple model by its two error rates; see `emblematic_models`.

    Parameters
    ----------
    miss_rate, alarm_rate : float
        Share of positives missed, and of negatives that raise an alarm.
    words : str
        What it does.
    """

    miss_rate: float
    alarm_rate: float
    words: str


#: The names of the five models.
EMBLEMATIC_MODELS = ("always", "never", "errs", "errs_negatives", "errs_positives")


def emblematic_models(error_share: float) -> dict[str, EmblematicModel]:
    """The five emblematic models for a share of errors.

    Parameters
    ----------
    error_share : float
        Share of the cases that the erring models get wrong; 0.5 to 0.75 tells most.

    Returns
    -------
    dict of EmblematicModel
        ``always`` and ``never`` act on all and on nobody; ``errs`` is wrong for that share of
        both classes, ``errs_negatives`` and ``errs_positives`` of one class only.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 4.

    Examples
    --------
    >>> emblematic_models(0.6)["errs_negatives"].words
    'acts on 60 % of the negatives, misses nobody'
    """
    if not 0 < error_share < 1:
        raise DataError(f"`error_share` must lie between 0 and 1; got {error_share!r}.")
    share = f"{100 * error_share:.4g} %"
    return {
        "always": EmblematicModel(0.0, 1.0, "acts on everybody"),
        "never": EmblematicModel(1.0, 0.0, "acts on nobody"),
        "errs": EmblematicModel(error_share, error_share, f"is wrong for {share} of either"),
        "errs_negatives": EmblematicModel(
            0.0, error_share, f"acts on {share} of the negatives, misses nobody"
        ),
        "errs_positives": EmblematicModel(
            error_share, 0.0, f"misses {share} of the positives, raises no false alarm"
        ),
    }


def ratio_from_ranking(
    ranking: Sequence[str], *, error_share: float, prior: float
) -> tuple[Statement, ...]:
    """What an order of the emblematic models implies, from the worst to the best.

    Each step of the order bounds the ratio from one side. Four of the ten pairs say nothing,
    because one model is never worse than the other; put in the wrong order they contradict
    themselves, which is a good check of the answers.

    Parameters
    ----------
    ranking : sequence of str
        Two or more of ``always``, ``never``, ``errs``, ``errs_negatives``,
        ``errs_positives``, the worst first.
    error_share : float
        As in `emblematic_models`.
    prior : float
        Share of positives where it will run.

    Returns
    -------
    tuple of Statement
        One for each pair of neighbours.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, appendix A.2, eqs 21-22.

    Examples
    --------
    >>> from stakes.elicitation import agreed_ratio
    >>> order = ["always", "errs", "never", "errs_negatives", "errs_positives"]
    >>> said = ratio_from_ranking(order, error_share=0.6, prior=0.05)
    >>> [round(end, 3) for end in agreed_ratio(said).weights]
    [0.919, 0.927]
    """
    models = emblematic_models(error_share)
    unknown = [name for name in ranking if name not in models]
    if unknown or len(set(ranking)) != len(ranking) or len(ranking) < 2:
        raise DataError(
            f"`ranking` must order two or more of {listed(EMBLEMATIC_MODELS)}, each once; got "
            f"{listed(list(ranking))}."
        )
    if not 0 < prior < 1:
        raise PriorError(f"`prior` must lie between 0 and 1; got {prior!r}.")
    inputs = {"error_share": error_share, "prior": prior}
    found = []
    for worse, better in itertools.pairwise(ranking):
        low, high = _bounds(models[worse], models[better], prior)
        said = f"'{models[better].words}' is no worse than '{models[worse].words}'"
        found.append(Statement(low, high, said, "ranking", {**inputs, "ranking": [worse, better]}))
    return tuple(found)


def _bounds(worse: EmblematicModel, better: EmblematicModel, prior: float) -> tuple[float, float]:
    """The ratios for which the one model costs at least as much as the other."""
    misses = prior * (worse.miss_rate - better.miss_rate)
    alarms = (1 - prior) * (worse.alarm_rate - better.alarm_rate)
    if misses >= 0 and alarms >= 0:  # worse at any costs: nothing new
        return 0.0, math.inf
    if misses <= 0 and alarms <= 0:  # better at any costs: impossible
        return math.inf, 0.0
    ratio = -alarms / misses
    return (ratio, math.inf) if misses > 0 else (0.0, ratio)
