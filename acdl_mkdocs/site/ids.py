"""The ids of markup, which have to be unique on a page."""

import re
from html import unescape

_ID = re.compile(r"""<[A-Za-z][^<>]*?\sid=(?:"([^"<>]*)"|'([^'<>]*)')""")


def ids_in(markup: str) -> set[str]:
    """Every id that an element has; text that looks like one is none."""
    return {unescape(double or single) for double, single in _ID.findall(markup)}
