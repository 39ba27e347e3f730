"""Challenge: whether a challenger saves enough to replace the model in use."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from stakes._checks import as_number
from stakes._names import listed, place_of
from stakes.application.written_amounts import one_unit, plain_amount
from stakes.exceptions import CostError, DataError
from stakes.messages.audience import either
from stakes.messages.notes import Note
from stakes.results import Ends

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


@dataclass(frozen=True, slots=True)
class Challenge:
    """The cheapest challenger against the model in use; part of `Evaluation`.

    Parameters
    ----------
    baseline, challenger : str
        The model in use, and the cheapest of the others.
    challengers : int
        How many others there are; the interval holds for all of them together.
    switching_cost : float
        What replacing the model in use costs, once.
    volume : float
        Number of cases in one period, over which the switching cost must be saved.
    saving : float
        What the challenger saves per case; negative where it costs more.
    interval : pair of float or None
        Interval of that saving, on the same cases; None if the models could not be compared.
    """

    baseline: str
    challenger: str
    challengers: int
    switching_cost: float
    volume: float
    saving: float
    interval: Ends | None

    @property
    def needed(self) -> float:
        """The saving per case that pays for switching."""
        return self.switching_cost / self.volume

    @property
    def switches(self) -> bool:
        """Whether even the lower end of the saving exceeds the switching cost."""
        return self.interval is not None and self.interval[0] > self.needed

    def more_cases(self, n_cases: float) -> float:
        """About how many more cases would confirm a saving of this size; inf if none would."""
        lead = self.saving - self.needed
        if self.interval is None or lead <= 0:
            return math.inf
        half = (self.interval[1] - self.interval[0]) / 2
        return n_cases * ((half / lead) ** 2 - 1)

    def record(self) -> dict[str, Any]:
        """The challenge as plain data, with savings per case."""
        return {
            "baseline": self.baseline,
            "challenger": self.challenger,
            "challengers": self.challengers,
            "switching_cost": self.switching_cost,
            "saving": self.saving,
            "interval": None if self.interval is None else list(self.interval),
            "switches": self.switches,
        }


# When a challenger replaces the model in use: docs/design/verdict.md.
def challenged(ev: Evaluation, baseline: Any, switching_cost: Any = None) -> Evaluation:
    """The evaluation with a verdict about replacing `baseline`; unchanged if that is None.

    Slices ignore the switching cost, because it is paid once for all of them.
    """
    if baseline is None:
        if switching_cost is not None:
            such = either("baseline='current'", "--baseline current")
            raise DataError("a switching cost needs a model to switch from.", hint=such)
        return ev
    cost, volume = _switching_cost(switching_cost, ev), ev.application.volume
    if cost > 0 and volume is None:
        raise DataError(
            "a switching cost is paid once, so I must know over how many cases it is to be saved.",
            hint=either('volume="250000/yr"', "--volume 250000/yr"),
        )
    name = _in_use(baseline, ev)
    found = replace(ev, challenge=_challenge(ev, name, cost, volume or 1.0))
    slices = {key: replace(part, challenge=_challenge(part, name, 0.0, 1.0))
              for key, part in ev.slices.items()}  # fmt: skip
    if slices and cost > 0:
        found = replace(found, notes=(*found.notes, Note("slices-switch-free")))
    if ev.inquiry is not None:
        said = None if switching_cost is None else str(switching_cost)
        asked = ev.inquiry.but(baseline=name, switching_cost=said)
        found = replace(found, inquiry=asked)
    return replace(found, slices=slices)


def _switching_cost(given: Any, ev: Evaluation) -> float:
    """A number, or an amount such as "20k" or "€20000" in the unit of the costs."""
    if given is None:
        return 0.0
    number = given
    if isinstance(given, str):
        text, unit = plain_amount(given)
        one_unit([unit] if unit else [], "the switching cost", ev.application.unit)
        try:
            number = float(text)
        except ValueError:
            number = math.nan
    cost = as_number(number, "switching_cost", CostError)
    if not 0 <= cost < math.inf:
        raise CostError(
            f"the switching cost must be a number from 0 on; got {given!r}.",
            hint=either("switching_cost=20000", "--switching-cost 20000"),
        )
    return cost


def _in_use(baseline: Any, ev: Evaluation) -> str:
    """The name of the model in use; raise if it was not evaluated."""
    at = place_of(baseline, ev)
    if at is None:
        rules = [name for name in ev if name.startswith(f"{baseline}, ")]
        which = f"one of its rules: {listed(rules)}" if rules else f"one of {listed(list(ev))}"
        raise DataError(f"the baseline '{baseline}' is no model here.", hint=f"say {which}")
    if len(ev) == 1:
        raise DataError(
            f"there is no challenger: '{baseline}' is the only model.",
            hint=either("give a second model", "name a second column, as in --scores current,new"),
        )
    return ev.models[at].name


def _challenge(ev: Evaluation, baseline: str, cost: float, volume: float) -> Challenge:
    """The cheapest other model, and what it saves."""
    others = [model for model in ev.models if model.name != baseline]
    best = min(others, key=lambda model: model.cost)
    saving = float(ev[baseline].cost - best.cost)
    limits = _limits(ev, baseline, best.name, len(others))
    told = baseline, best.name, len(others), cost, volume, saving, limits
    return Challenge(*told)


def _limits(ev: Evaluation, baseline: str, challenger: str, challengers: int) -> Ends | None:
    """The interval of the saving, widened to hold for every challenger (Bonferroni)."""
    try:
        gap = ev.difference(baseline, challenger)
    except DataError:
        return None
    if ev.too_few or not (math.isfinite(gap.low) and math.isfinite(gap.high)):
        return None
    normal = NormalDist()
    reach, usual = (normal.inv_cdf(1 - (1 - ev.level) / (2 * count)) for count in (challengers, 1))
    scale, unit = reach / usual, ev.best_naive.avoidable
    low = gap.value - (gap.value - gap.low) * scale
    high = gap.value + (gap.high - gap.value) * scale
    return Ends(unit * low, unit * high)
