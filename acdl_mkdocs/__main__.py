"""`python -m acdl_mkdocs`: the command line."""

import sys

from acdl_mkdocs.frontends.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
