"""Start-up: `import stakes` against `import numpy`, `stakes --help` against a bare interpreter."""

from __future__ import annotations

import subprocess
import sys

from timing import Row, best_of, compare, heading, table


def interpreter(program: str) -> None:
    """Run a program in an interpreter of its own."""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


HELP = """
import sys
from stakes.cli.entry import main
sys.argv = ["stakes", "--help"]
sys.exit(main())
"""


def main() -> None:
    print(heading("import, each in an interpreter of its own"))
    rows = compare(
        {
            "import numpy": lambda: interpreter("import numpy"),
            "import stakes": lambda: interpreter("import stakes"),
            "import stakes; the nouns": lambda: interpreter(
                "import stakes; stakes.Application(stakes.CostMatrix([[0, 1], [10, 0]]))"
            ),
        },
        baseline="import numpy",
        repeat=9,
        bars={"import stakes": "<= 1.3"},
    )
    print(table(rows))

    bare = best_of(lambda: interpreter("pass"), repeat=9)
    shown = best_of(lambda: interpreter(HELP), repeat=9)
    print(heading("the command line, against a bare interpreter"))
    print(table([Row("bare interpreter", bare, 1.0), Row("stakes --help", shown, shown / bare)]))
    print(f"stakes --help takes {shown - bare:.3f} s more than a bare interpreter (bar: 0.25 s)")


if __name__ == "__main__":
    main()
