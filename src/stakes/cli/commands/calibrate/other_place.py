"""The shares of a place where nothing is labelled, from calibrated scores alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.calibration import Calibrator
from stakes.exceptions import DataError, PriorError, UndefinedError
from stakes.inquiry.cost_words import shares
from stakes.messages.quantities import grouped, percent
from stakes.posteriors import Posteriors, PriorEstimate, estimate_priors

#: What `--prevalence` says when nobody knows.
ESTIMATE = "estimate"
#: A share below this is none.
LEAST = 1e-6
#: An interval wider than this says nothing.
WIDEST = 0.9


def refuse_without_apply(prevalence: str | None) -> None:
    """Raise when the shares of labelled cases are to be estimated."""
    if prevalence == ESTIMATE:
        raise DataError(
            "--prevalence estimate is for cases without the truth; here the shares of the file "
            "are known, and taken.",
            hint="leave it out; later:  stakes calibrate --apply cal.json new.csv "
            "--prevalence estimate -o out.csv",
        )


def moved(
    calibrator: Calibrator, scores: NDArray[np.float64], prevalence: str | None, source: str
) -> tuple[Calibrator, PriorEstimate | None]:
    """The calibrator for the place where it is used, and the estimate if there was one."""
    if not prevalence:
        return calibrator, None
    if prevalence == ESTIMATE:
        found = estimated(calibrator, scores, source)
        return calibrator.with_priors(found.priors), found
    assert calibrator.classes is not None
    names = tuple(str(name) for name in calibrator.classes)
    return calibrator.with_priors(shares(prevalence, names)), None


def estimated(calibrator: Calibrator, scores: NDArray[np.float64], source: str) -> PriorEstimate:
    """The shares of each outcome among the cases of a file."""
    assert calibrator.priors is not None
    assert calibrator.classes is not None
    posteriors = Posteriors(calibrator.posteriors(scores), classes=calibrator.classes)
    hint = "say it yourself:  --prevalence 2%"
    try:
        found = estimate_priors(posteriors, calibrator.priors)
    except (UndefinedError, PriorError) as error:
        raise DataError(
            f"the shares in {source} cannot be estimated: {error.message}", hint=hint
        ) from None
    if (found.high - found.low > WIDEST).any():
        raise DataError(
            f"{source} does not tell what the shares of the outcomes are, by the scores of "
            f"{grouped(len(posteriors))} case{'s' if len(posteriors) != 1 else ''}.",
            hint=f"more cases, or {hint}",
        )
    none = np.flatnonzero(found.priors < LEAST)
    if none.size:
        k = int(none[0])
        raise DataError(
            f"the scores in {source} look like no case of '{found.classes[k]}' at all (at most "
            f"{percent(float(found.high[k]))}), and then all probabilities of it would be 0.",
            hint="say its share yourself, such as that limit, with --prevalence",
        )
    return found


def said_of_shares(found: PriorEstimate, calibrator: Calibrator, source: str) -> list[str]:
    """The estimated share of each outcome, or of the second of two, with what it was before."""
    assert calibrator.priors is not None
    out = []
    for k, name in enumerate(found.classes):
        if len(found.classes) == 2 and k == 0:
            continue
        share, low, high = (
            percent(float(x)) for x in (found.priors[k], found.low[k], found.high[k])
        )
        said = f"{share} (95% interval {low.removesuffix(' %')} to {high})"
        if found.low[k] == 0:  # there may be none
            said = f"at most {high}, perhaps none at all (most likely {share})"
        learnt = percent(float(calibrator.priors[k]))
        out.append(f"share of {name} in {source}: {said}, calibrated for {learnt}")
    within = (found.low <= calibrator.priors) & (calibrator.priors <= found.high)
    if within.all():
        out.append("the difference is within chance")
    return out


def as_facts(found: PriorEstimate | None, before: Calibrator, after: Calibrator) -> dict[str, Any]:
    """The shares of each outcome, as plain values by name."""
    assert before.classes is not None
    names = [str(name) for name in before.classes]

    def named(values: Any) -> dict[str, float]:
        return dict(zip(names, np.asarray(values).tolist(), strict=True))

    return {
        "calibrated_for": named(before.priors),
        "priors": named(after.priors),
        "priors_low": None if found is None else named(found.low),
        "priors_high": None if found is None else named(found.high),
    }
