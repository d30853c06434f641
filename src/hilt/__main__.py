"""`python -m hilt`: the same as the `hilt` command."""

import sys

from hilt.cli import main

if __name__ == "__main__":
    sys.exit(main())
