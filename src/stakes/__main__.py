"""`python -m stakes` is the command line."""

import sys

from stakes.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
