"""Record what users have today, or compare it with what was recorded.

python tests/unchanged/record.py                  write all records but `reproduce.json`
python tests/unchanged/record.py --check          compare; exit code 1 where something differs
python tests/unchanged/record.py eval-trials      only these; they stay as they are otherwise
python tests/unchanged/record.py --reproduce      write `reproduce.json` (minutes; STAKES_DATA)
python tests/unchanged/record.py --reproduce --check
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path


def main() -> int:
    sys.path.insert(0, str(Path(__file__).parent.parent))  # where `unchanged` is found
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from unchanged.present import RECORDS, compared, derived, path_of, records, reproduced

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="records such as eval-trials; default, all")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--reproduce", action="store_true", help="`stakes reproduce --all`")
    args = parser.parse_args()
    made = {"reproduce.json": reproduced} if args.reproduce else records() | derived()
    if args.names:
        made = {name: make for name, make in made.items() if Path(name).name in args.names}
    differing = 0
    for name, make in made.items():
        if args.check:
            found = compared(name, make)
            differing += bool(found)
            sys.stdout.write(f"== {name}\n{found}\n" if found else "")
            continue
        path_of(name).parent.mkdir(parents=True, exist_ok=True)
        path_of(name).write_text(make() + "\n", encoding="utf-8")
    if not (args.check or args.names or args.reproduce):
        for path in RECORDS.rglob("*.txt"):  # of cases that are no more
            if path.relative_to(RECORDS).with_suffix("").as_posix() not in made:
                path.unlink()
    done = f"{differing} of {len(made)} differ" if args.check else f"recorded {len(made)}"
    sys.stdout.write(f"{done}\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
