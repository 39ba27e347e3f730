"""Problems with an answer that was kept in a file, with the place in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from stakes.exceptions import FormatError, StakesError

__all__ = ["reading_answer"]


@contextmanager
def reading_answer(at: str) -> Iterator[None]:
    """Say which answer it is in which something is missing, refused or cannot be read."""
    try:
        yield
    except KeyError as error:
        raise FormatError(f"{error.args[0]!r} is missing - at `{at}`.") from None
    except StakesError as error:
        raise FormatError(f"{error.message} - at `{at}`.", hint=error.hint) from error
    except (TypeError, ValueError) as error:
        raise FormatError(f"cannot be read: {error} - at `{at}`.") from error
