"""The forms of recordings have one list, which everything that names them reads."""

import re
from pathlib import Path

from acdl_mkdocs.frontends.cli.messages import FROM_HELP, RECORDINGS_HELP
from acdl_mkdocs.runs.read.forms import FORMS
from acdl_mkdocs.runs.read.readers import READERS

PAGE = Path(__file__).parent.parent.parent / "site_src" / "runs" / "recordings.md"


def test_every_reader_has_words() -> None:
    """A new reader is named wherever forms are listed."""
    assert list(FORMS) == list(READERS), "give each a line in `FORMS`"
    assert all(words in RECORDINGS_HELP for words in FORMS.values())
    assert all(name in FROM_HELP for name in FORMS)


def test_the_page_has_a_row_for_each() -> None:
    """So does the page about recordings."""
    table = PAGE.read_text("utf-8").partition("| `--from` |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE) == list(FORMS)
