"""A page without its drawings, for whoever needs only the words of it, and with them again.

Each drawing is replaced by its words between two comments that occur nowhere else. Knows nothing about ACDL.
"""

import re
from dataclasses import dataclass
from hashlib import blake2b

_DRAWING = re.compile(r'<svg class="acdl-.*?</desc>(.*?)</svg>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Lightened:
    """A page whose drawings are put aside."""

    html: str
    """The page with words in place of drawings, one statement a line, each word once."""
    whole: str
    drawings: tuple[str, ...]
    _key: str
    """Part of every mark; depends on the page, so that nothing in the page can be mistaken for a mark."""

    def restored(self, html: str) -> str:
        """A page with the drawings in their places.

        Parameters:
            html: The light page as it is by now. What has been changed stays changed, what has been removed removed.
        """
        if html == self.html:
            return self.whole
        marked = re.compile(rf"<!--{self._key}-(\d+)-->.*?<!--/{self._key}-\1-->", re.DOTALL)
        return marked.sub(lambda found: self.drawings[int(found[1])], html)


def lighten(html: str) -> Lightened:
    """Put the drawings of a page aside."""
    key = f"acdl-{blake2b(html.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
    drawings: list[str] = []

    def words(drawing: re.Match[str]) -> str:
        drawings.append(drawing[0])
        mark = f"{key}-{len(drawings) - 1}-->"
        return f"<!--{mark}{_TAG.sub('', drawing[1].replace('</text>', chr(10)))}<!--/{mark}"

    return Lightened(_DRAWING.sub(words, html), html, tuple(drawings), key)
