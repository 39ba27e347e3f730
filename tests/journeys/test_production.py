"""The page about production: its three commands, up to the view in a running database."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from postgres_server import postgres  # noqa: F401

import stakes
from stakes.demonstration import example_path

PAGE = Path(__file__).parents[2] / "docs" / "production.md"


def test_three_commands_lead_to_a_view(postgres, tmp_path):  # noqa: F811
    block = re.search(r"^```console\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)[1]
    commands = re.findall(r"^\$ (.*)$", block, re.MULTILINE)[1:]  # the first leaves the files
    assert len(commands) == 3
    (tmp_path / "stakes-demo").mkdir()
    rows = example_path("churn.csv").read_text(encoding="utf-8")
    (tmp_path / "stakes-demo" / "churn.csv").write_text(rows, encoding="utf-8")
    script = tmp_path / "bin" / "stakes"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stakes "$@"\n')
    script.chmod(0o755)
    cells = [line.split(",") for line in rows.splitlines()[1:]]
    postgres.load("customers", {"id": "int", "gbm_p": "double precision"},
                  [(int(row[0]), float(row[2])) for row in cells])  # fmt: skip
    around = os.environ | {
        "PATH": f"{script.parent}:{os.environ['PATH']}",
        "PGHOST": str(postgres.folder), "PGUSER": postgres.user, "PGDATABASE": "postgres",
    }  # fmt: skip
    for command in commands:
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=around, capture_output=True, text=True,
            check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    rule = stakes.load_rule(tmp_path / "rule.json")
    found = postgres.rows("SELECT decision FROM decided ORDER BY id;")
    wanted = rule.decide([float(row[2]) for row in cells])
    assert [row[0] for row in found] == wanted.tolist()
    postgres.rows("DROP VIEW decided; DROP TABLE customers;")
