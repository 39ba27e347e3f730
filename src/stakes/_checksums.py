"""Our JSON files: the name of the format, its version, and a checksum of the content."""

from __future__ import annotations

import hashlib
import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stakes.exceptions import FormatError
from stakes.messages.audience import either


def checksum(content: dict[str, Any]) -> str:
    """SHA-256 of the content, whatever the order of its fields and the spaces between them."""
    return hashlib.sha256(_canonical(content, ordered=True).encode("ascii")).hexdigest()


def _canonical(content: dict[str, Any], *, ordered: bool = False) -> str:
    """JSON without spaces; floats in the shortest form that reads back as the same number."""
    return json.dumps(content, sort_keys=ordered, separators=(",", ":"), allow_nan=False)


class SaidTwiceError(ValueError):
    """A JSON object holds a name twice."""


def is_sealed(path: str | Path, kind: str) -> bool:
    """Whether a file begins as one of this format does."""
    with Path(path).open("rb") as stream:
        return stream.read(64).lstrip().startswith(b'{"format":"' + kind.encode() + b'"')


def plain_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; raise for a repeated name, since either value could be meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise SaidTwiceError(f"it says '{twice}' twice")
    return found


#: What a file of each format is, and what reads it: a function, and a command.
_READ_BY = {
    "stakes-rule": ("a rule", "stakes.load_rule", "stakes rule FILE"),
    "stakes-calibrator": (
        "a calibration", "stakes.calibration.load",
        "stakes calibrate --apply FILE NEW.csv -o out.csv",
    ),
    "stakes summary": ("a summary", "stakes.summaries.load_summary", "stakes inspect FILE"),
}  # fmt: skip


@dataclass(frozen=True)
class Seal:
    """Format and version of one kind of file, and the words for errors about it."""

    format: str
    version: int
    #: With its article: "a summary".
    what: str
    #: Hints: what to do about a damaged file, and how such files are written.
    again: str
    written: str

    def sealed(self, content: dict[str, Any]) -> bytes:
        """The bytes of a file; `content` includes the version."""
        whole = {"format": self.format, "sha256": checksum(content), **content}
        return _canonical(whole).encode("ascii") + b"\n"

    def parsed(self, data: bytes, name: str) -> Any:
        """The JSON of a file."""
        if not data.strip():
            raise FormatError(f"{name} is empty.", hint=self.again)
        try:
            return json.loads(data.decode("utf-8"), object_pairs_hook=plain_object)
        except SaidTwiceError as error:
            raise FormatError(f"{name} was changed: {error}.", hint=self.again) from None
        except json.JSONDecodeError as error:
            if data.rstrip()[-1:] != b"}" and data.lstrip()[:1] == b"{":
                raise FormatError(
                    f"{name} ends in the middle, after {len(data)} bytes: it was cut off.",
                    hint=self.again,
                ) from None
            raise FormatError(
                f"{name} is not JSON: {error.msg} (line {error.lineno}, column {error.colno}).",
                hint=self.written,
            ) from None
        except (UnicodeDecodeError, ValueError, RecursionError):
            raise FormatError(
                f"{name} is not {self.what}: it cannot be read as text.", hint=self.written
            ) from None

    def opened(self, whole: Any, name: str, path: Any = None) -> dict[str, Any]:
        """The content of a file; raise unless format, version and checksum are right."""
        if not isinstance(whole, dict) or whole.get("format") != self.format:
            said = whole.get("format") if isinstance(whole, dict) else None
            if isinstance(said, str) and said in _READ_BY:
                what, call, command = _READ_BY[said]
                where = name if path is None else str(path)
                hint = either(f"{call}({where!r})", command.replace("FILE", shlex.quote(where)))
                raise FormatError(f"{name} is {what}, not {self.what}.", hint=hint)
            raise FormatError(
                f"{name} is not {self.what}: it does not say 'format': '{self.format}'.",
                hint=self.written,
            )
        version = whole.get("version")
        if type(version) is not int or version < 1:
            said = f"{name}: `version` must be a whole number; got {version!r}."
            raise FormatError(said, hint=self.again)
        if version != self.version:
            newer = version > self.version
            raise FormatError(
                f"{name} has version {version} of the format, from "
                f"{'a newer' if newer else 'an older'} stakes; "
                f"this one reads version {self.version}.",
                hint="pip install --upgrade stakes" if newer else f"make it again: {self.written}",
            )
        content = {key: part for key, part in whole.items() if key not in ("format", "sha256")}
        if "sha256" not in whole:
            raise FormatError(f"{name} has no checksum, `sha256`.", hint=self.again)
        if whole["sha256"] != _found(content):
            raise FormatError(
                f"{name} was changed or damaged after it was written: its checksum does not match.",
                hint=self.again,
            )
        return content


def _found(content: dict[str, Any]) -> str | None:
    """The checksum of the content; None if it holds NaN or the like, which we never write."""
    try:
        return checksum(content)
    except (ValueError, RecursionError):
        return None
