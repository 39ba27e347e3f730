"""Calibrators as JSON: what is kept of one, and one made again from that."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from stakes._checks import as_priors
from stakes._files import write_whole
from stakes._sealed import Seal
from stakes.calibration.saved_form import (
    Shapes,
    check_bound,
    jsonable,
    need_all,
    need_exactly,
    numbers_again,
    parameter,
    plain_value,
)
from stakes.calibration.scores import read_scores
from stakes.calibration.sort_of_scores import known_sort, known_spread
from stakes.exceptions import DataError, FormatError, StakesError
from stakes.typing import FloatArray, Name

if TYPE_CHECKING:
    from stakes.calibration.calibrator import Calibrator

__all__ = ["SEAL", "Savable", "kinds", "sealed"]

FORMAT = "stakes-calibrator"
#: What marks a file of a calibrator.
SEAL = Seal(
    FORMAT,
    1,
    what="a saved calibrator",
    again="fit and save it again, or copy it again from where that was done",
    written="a calibration is written by  stakes calibrate data.csv ... -o FILE, or in Python by "
    "save(...)",
)
#: What every saved calibrator holds besides its format, version and kind.
PARTS = ("options", "classes", "priors", "bound", "parameters", "report")

#: Every calibrator by the name under which it is saved.
kinds: dict[str, type[Calibrator]] = {}


def sealed(saved: Mapping[str, Any]) -> bytes:
    """The file of what `to_dict` describes, with a checksum."""
    return SEAL.sealed({key: saved[key] for key in saved if key not in ("format", "sha256")})


class Savable:
    """The part of a calibrator that writes and reads files."""

    kind: ClassVar[str] = ""
    #: What is learnt and saved.
    _shapes: ClassVar[Shapes] = {}
    #: Options without which posteriors would be others.
    _applied: ClassVar[tuple[str, ...]] = ()
    #: What sort of scores `fit` was given, if known; see `sort_of_scores`.
    _sort: str | None = None
    #: Quantiles of the scores in `fit`, if known.
    _spread: tuple[float, ...] | None = None
    options: dict[str, Any]
    classes: tuple[Name, ...] | None
    priors: FloatArray | None
    report: dict[str, Any]
    _bound: float | None

    def to_dict(self) -> dict[str, Any]:
        """Everything needed to apply the calibrator, as JSON types."""
        self._need_fit()
        return {
            "format": FORMAT,
            "version": 1,
            "kind": self.kind,
            "options": jsonable({**self.options, **self._plain_priors()}),
            "classes": [plain_value(name) for name in self.classes or ()],
            "priors": jsonable(self.priors),
            "bound": self._bound,
            **({} if self._sort is None else {"scores": self._sort}),
            **({} if self._spread is None else {"spread": list(self._spread)}),
            "parameters": jsonable(self._parameters()),
            "report": jsonable(self.report),
        }

    def _plain_priors(self) -> dict[str, Any]:
        """The target priors in class order, whatever form they were given in."""
        return {"priors": None if self.options["priors"] is None else self.priors}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Calibrator:
        """The calibrator that `to_dict` described; raises unless every part of it is there."""
        given: Any = saved
        if not isinstance(given, Mapping):
            raise DataError(f"a calibrator is needed, as `to_dict` describes it; got {given!r}.")
        version = saved.get("version")
        if saved.get("format") != FORMAT or version != 1 or isinstance(version, bool):
            raise FormatError(
                f"not a saved calibrator: format {saved.get('format')!r}, version {version!r}."
            )
        kind = saved.get("kind")
        if not isinstance(kind, str) or kind not in kinds:
            raise FormatError(f"unknown calibrator {kind!r}; known: {', '.join(kinds)}.")
        try:
            made = kinds[kind]._rebuilt(saved)
        except FormatError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            said = error.message if isinstance(error, StakesError) else error
            raise FormatError(
                f"the saved {kind} calibrator is damaged ({type(error).__name__}: {said}).",
                hint="fit and save it again",
            ) from None
        return made

    @classmethod
    def _rebuilt(cls, saved: Mapping[str, Any]) -> Self:
        """The calibrator in a saved form, tried on a few cases."""
        need_all(saved, PARTS, f"saved {cls.kind} calibrator")
        need_all(saved["options"], cls._applied, f"options of the saved {cls.kind} calibrator")
        made = cls(**saved["options"])
        made.classes = tuple(saved["classes"])
        made.priors = as_priors(saved["priors"], made.classes)
        made.report = dict(numbers_again(saved["report"]))
        check_bound(made.options.get("bound"), saved["bound"])
        made._bound = saved["bound"]
        need_exactly(
            saved["parameters"], cls._shapes, f"parameters of the saved {cls.kind} calibrator"
        )
        made._restore(saved["parameters"])
        size = len(made.classes)
        with np.errstate(all="ignore"):
            tried = made.log_posteriors(
                read_scores(np.vstack([np.zeros(size), np.eye(size), -9 * np.eye(size)]))
            )
        if tried.shape != (2 * size + 1, size) or np.isnan(tried).any():
            raise ValueError("it gives no posteriors")
        made._sort = known_sort(saved.get("scores"))
        made._spread = known_spread(saved.get("spread"))
        return made

    def save(self, path: str | Path) -> None:
        """Write the calibrator as JSON text, with a checksum."""
        write_whole(Path(path), sealed(self.to_dict()))

    # ------------------------------------------------------------- for the kinds

    def log_posteriors(self, scores: Any) -> FloatArray:
        """Natural logarithms of the calibrated posteriors, (n, K)."""
        raise NotImplementedError

    def _parameters(self) -> dict[str, Any]:
        """What `_restore` needs."""
        raise NotImplementedError

    def _restore(self, parameters: Mapping[str, Any]) -> None:
        """Undo `_parameters`: lists become arrays, numbers stay, infinities are spelt out."""
        assert self.classes is not None
        sizes = {"classes": len(self.classes)}
        for name, shape in self._shapes.items():
            if shape is not None:
                setattr(self, name, parameter(name, parameters[name], shape, sizes))

    def _need_fit(self) -> None:
        """Raise before anything was learnt."""
        raise NotImplementedError
