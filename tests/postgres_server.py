"""A PostgreSQL server of Debian's package, started for the tests in a folder of its own."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

INSTALL = "needs a PostgreSQL server: apt-get install postgresql"


def _programs() -> Path | None:
    """Where initdb and pg_ctl lie: Debian keeps them out of the way, by version."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found and shutil.which("psql") else None


class Server:
    """A running server, asked through psql."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        root = os.geteuid() == 0  # the server refuses to run as root
        self.before = ["runuser", "-u", "postgres", "--"] if root else []
        self.user = "postgres" if root else getpass.getuser()

    def run(self, *words: str, text: str | None = None) -> str:
        done = subprocess.run(
            [*self.before, *words],
            input=text, capture_output=True, text=True, check=False, timeout=120, cwd=self.folder,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def rows(self, script: str) -> list[list[str | None]]:
        """The answer to the last statement; nulls are None."""
        to = ["-h", str(self.folder), "-d", "postgres", "-v", "ON_ERROR_STOP=1"]
        null = "\\N"
        told = self.run(
            "psql", "-X", "-q", "-A", "-t", "-F", "\t", "-P", f"null={null}", *to, text=script
        )
        return [[None if cell == null else cell for cell in line.split("\t")]
                for line in told.splitlines()]  # fmt: skip

    def load(self, table: str, columns: dict[str, str], rows: Sequence[Sequence[object]]) -> None:
        """Make a table of these columns, by name and type, and fill it."""
        names = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
        lines = ["\t".join("\\N" if x is None else repr(x) for x in row) for row in rows]
        copied = f"COPY {table} FROM STDIN;\n" + "\n".join(lines) + "\n\\.\n"
        self.rows(f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({names});\n{copied}")


@contextmanager
def running() -> Iterator[Server]:
    """A server that listens on a socket alone, until it is no longer needed."""
    programs = _programs()
    assert programs is not None, INSTALL
    with tempfile.TemporaryDirectory(prefix="pg-") as name:  # a socket needs a short path
        folder = Path(name)
        server = Server(folder)
        if server.before:
            shutil.chown(folder, "postgres")
        data = str(folder / "data")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        server.run(str(programs / "initdb"), "-D", data, "-A", "trust", "-E", "UTF8", "--no-sync")
        control = [str(programs / "pg_ctl"), "-D", data, "-w"]
        server.run(*control, "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield server
        finally:
            server.run(*control, "-m", "immediate", "stop")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server for all tests of a process."""
    if _programs() is None:
        pytest.skip(INSTALL)
    with running() as server:
        yield server
