"""`python -m acdl_mkdocs`: the command line."""

import sys

from acdl_mkdocs.cli.main import main

sys.exit(main())
