"""Run every benchmark of this folder, or those named: `python benchmarks/run.py imports`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NOT_BENCHMARKS = {"run", "timing"}


def benchmarks() -> dict[str, Path]:
    """Every script of this folder that measures something."""
    scripts = sorted(HERE.glob("*.py"))
    return {path.stem: path for path in scripts if path.stem not in NOT_BENCHMARKS}


def main(names: list[str]) -> int:
    known = benchmarks()
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"error: no benchmark {unknown}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    failed = []
    for name in names or known:
        print(f"\n== {name} {'=' * (76 - len(name))}", flush=True)
        if subprocess.run([sys.executable, str(known[name])], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nerror: these did not finish: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
