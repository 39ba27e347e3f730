"""Calibrators as JSON: what is saved, what a saved one must hold, and how it is restored."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from stakes._checks import as_priors, is_number
from stakes._checksums import Seal
from stakes._files import as_path, write_whole
from stakes.calibration.score_input import read_scores
from stakes.calibration.score_kind import known_sort, known_spread
from stakes.exceptions import DataError, FormatError, StakesError
from stakes.typing import FloatArray, Name

if TYPE_CHECKING:
    from stakes.calibration.calibrator import Calibrator


#: Lengths of an array; a word is a length found in the file.
Shape = tuple[int | str, ...]
#: Names and shapes of parameters; None for those that a calibrator reads by itself.
Shapes = Mapping[str, Shape | None]

_AGAIN = "fit and save it again"
#: Parameters of every calibrator that may be infinite, that are shares, and that are not negative.
_INFINITE = {"places", "edges", "maps", "log_shares"}
_SHARES = {"ranks", "lower", "upper", "shares"}
_NOT_NEGATIVE = _SHARES | {"spreads", "degrees", "positives", "totals"}


def need_all(saved: Any, names: Iterable[str], what: str, *, only: bool = False) -> None:
    """Raise unless a part of a saved form is a mapping that holds all names, and only these."""
    if not isinstance(saved, Mapping):
        raise FormatError(f"the {what} must be named values; got a {type(saved).__name__}.")
    known = [repr(name) for name in names]
    missing = [name for name in known if name not in map(repr, saved)]
    if missing:
        raise FormatError(f"there is no {', '.join(missing)} in the {what}.", hint=_AGAIN)
    strange = [name for name in map(repr, saved) if only and name not in known]
    if strange:
        raise FormatError(f"{', '.join(strange)} in the {what} is not known; known: {known}.")


def as_parameter(
    name: str, value: Any, shape: Shape, sizes: dict[int | str, int] | None = None
) -> Any:
    """One parameter as a number or an array of its shape; `sizes` is filled in on the way."""
    plain = isinstance(value, list) if shape else is_number(value) or isinstance(value, str)
    array = np.array(value if plain else np.nan, dtype=np.float64)
    known = {} if sizes is None else sizes
    for word, length in zip(shape, array.shape, strict=False):
        known.setdefault(word, length if isinstance(word, str) else word)
    wanted = tuple(known.get(word, word) for word in shape)
    if array.shape != wanted:
        said = "(" + ", ".join(map(str, wanted)) + ")"
        raise FormatError(
            f"the saved parameter {name!r} must have shape {said}; got {value!r:.50}."
        )
    if (
        np.isnan(array).any()
        or (name not in _INFINITE and np.isinf(array).any())
        or (name in _NOT_NEGATIVE and (array < 0.0).any())
        or (name in _SHARES and (array > 1.0).any())
    ):
        raise FormatError(f"the saved {name!r} cannot hold {value!r:.50}.", hint=_AGAIN)
    return array if shape else float(array)


def _plain_value(value: Any) -> Any:
    """A value that JSON knows, as it is; anything else cannot be saved."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise FormatError(
        f"{value!r} is a {type(value).__name__}, which a JSON file cannot hold.",
        hint="fit with labels and options that are text or numbers, such as y_true.astype(str)",
    )


def _numbers_again(value: Any) -> Any:
    """A saved report with its infinities and undefined numbers, which JSON holds as text."""
    if isinstance(value, Mapping):
        return {key: _numbers_again(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers_again(item) for item in value]
    return float(value) if value in ("nan", "inf", "-inf") else value


def jsonable(value: Any) -> Any:
    """JSON types; an infinity becomes the text 'inf' or '-inf', which NumPy reads back."""
    if hasattr(value, "to_dict"):  # a calibrator inside another
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    return _plain_value(value)


_FORMAT = "stakes-calibrator"
#: What marks a file of a calibrator.
SEAL = Seal(
    _FORMAT,
    1,
    what="a saved calibrator",
    again="fit and save it again, or copy it again from where that was done",
    written="a calibration is written by  stakes calibrate data.csv ... -o FILE, or in Python by "
    "save(...)",
)
#: What every saved calibrator holds besides its format, version and kind.
_PARTS = ("options", "classes", "priors", "bound", "parameters", "report")

#: Calibrators whose module is loaded, by the name under which they are saved.
kinds: dict[str, type[Calibrator]] = {}


def every_kind() -> dict[str, type[Calibrator]]:
    """Every calibrator by the name under which it is saved."""
    families = importlib.import_module("stakes.calibration.calibrators")
    for found in pkgutil.iter_modules(families.__path__, families.__name__ + "."):
        importlib.import_module(found.name)
    return kinds


def sealed(saved: Mapping[str, Any]) -> bytes:
    """The file of what `to_dict` describes, with a checksum."""
    return SEAL.sealed({key: saved[key] for key in saved if key not in ("format", "sha256")})


class Savable:
    """The part of a calibrator that writes and reads files."""

    kind: ClassVar[str] = ""
    #: What is learnt and saved.
    _shapes: ClassVar[Shapes] = {}
    #: Options that the posteriors depend on.
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
        asked = None if self.options["priors"] is None else self.priors
        return {
            "format": _FORMAT,
            "version": 1,
            "kind": self.kind,
            "options": jsonable({**self.options, "priors": asked}),
            "classes": [_plain_value(name) for name in self.classes or ()],
            "priors": jsonable(self.priors),
            "bound": self._bound,
            **({} if self._sort is None else {"scores": self._sort}),
            **({} if self._spread is None else {"spread": list(self._spread)}),
            "parameters": jsonable(self._parameters()),
            "report": jsonable(self.report),
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Calibrator:
        """The calibrator that `to_dict` described; raises unless every part of it is there."""
        given: Any = saved
        if not isinstance(given, Mapping):
            raise DataError(f"a calibrator is needed, as `to_dict` describes it; got {given!r}.")
        version = saved.get("version")
        if saved.get("format") != _FORMAT or version != 1 or isinstance(version, bool):
            raise FormatError(
                f"not a saved calibrator: {saved.get('format')!r}, version {version!r}."
            )
        kind = saved.get("kind")
        known = every_kind()
        if not isinstance(kind, str) or kind not in known:
            raise FormatError(f"unknown calibrator {kind!r}; known: {', '.join(known)}.")
        try:
            made = known[kind]._rebuilt(saved)
        except FormatError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            said = error.message if isinstance(error, StakesError) else error
            raise FormatError(
                f"the saved {kind} calibrator is damaged ({type(error).__name__}: {said}).",
                hint=_AGAIN,
            ) from None
        return made

    @classmethod
    def _rebuilt(cls, saved: Mapping[str, Any]) -> Self:
        """The calibrator in a saved form, tried on a few cases."""
        need_all(saved, _PARTS, f"saved {cls.kind} calibrator")
        need_all(saved["options"], cls._applied, f"options of the saved {cls.kind} calibrator")
        made = cls(**saved["options"])
        made.classes = tuple(saved["classes"])
        made.priors = as_priors(saved["priors"], made.classes)
        made.report = dict(_numbers_again(saved["report"]))
        option, made._bound = made.options.get("bound"), saved["bound"]
        positive = is_number(saved["bound"]) and saved["bound"] > 0
        if not (positive if option is not None else saved["bound"] is None):
            raise FormatError(
                "the saved bound must be a positive number if the option `bound` is set, and "
                f"only then; got {saved['bound']!r} with bound={option!r}.",
                hint=_AGAIN,
            )
        what = f"parameters of the saved {cls.kind} calibrator"
        need_all(saved["parameters"], cls._shapes, what, only=True)
        made._restore(saved["parameters"])
        size = len(made.classes)
        with np.errstate(all="ignore"):
            tried = made.log_posteriors(
                read_scores(np.vstack([np.zeros(size), np.eye(size), -9 * np.eye(size)]))
            )
        if tried.shape != (2 * size + 1, size) or not np.allclose(np.exp(tried).sum(axis=1), 1.0):
            raise ValueError("it gives no posteriors")
        made._sort = known_sort(saved.get("scores"))
        made._spread = known_spread(saved.get("spread"))
        return made

    def save(self, path: str | Path) -> None:
        """Write the calibrator as JSON text, with a checksum."""
        write_whole(as_path(path), sealed(self.to_dict()))

    # ------------------------------------------------------------- for the kinds

    def log_posteriors(self, scores: Any) -> FloatArray:
        """Natural logarithms of the calibrated posteriors, (n, K)."""
        raise NotImplementedError

    def _parameters(self) -> dict[str, Any]:
        """What `_restore` needs: what `_shapes` names."""
        return {name: getattr(self, name) for name in self._shapes}

    def _restore(self, parameters: Mapping[str, Any]) -> None:
        """Undo `_parameters`: lists become arrays, numbers stay, infinities are spelt out."""
        assert self.classes is not None
        sizes: dict[int | str, int] = {"classes": len(self.classes)}
        for name, shape in self._shapes.items():
            if shape is not None:
                setattr(self, name, as_parameter(name, parameters[name], shape, sizes))

    def _need_fit(self) -> None:
        """Raise unless the calibrator is fitted."""
        raise NotImplementedError
