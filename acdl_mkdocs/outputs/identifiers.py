"""Names as ids of a page. Needs no figure, so that whoever only asks for an anchor imports none of that."""

import re

from acdl_mkdocs.foundation.text_width import visible


def identifier(text: str) -> str:
    """The text as an id: no blanks, nothing invisible."""
    return re.sub(r"\s+", "-", visible(text))
