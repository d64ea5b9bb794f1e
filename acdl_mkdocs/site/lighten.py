"""A page without its drawings, for whoever needs only the words of it, and with them again.

Each drawing is replaced by its words between two comments that occur nowhere else. What has the same words again is
left out: other views of the drawing, galleries, and on the page of a spec the heading, which is the title of the page
too, and the sections behind the figure. Knows nothing about ACDL.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from html import unescape

_DRAWING = re.compile(
    r'<svg class="acdl-.*?</desc>(.*?)</svg>|<details class="acdl-[a-z]+" data-search-exclude.*?</details>'
    r'|<pre class="acdl-code"[^>]* data-search-exclude>.*?</pre>'
    r'|<p class="acdl-users" data-search-exclude>.*?</p>'
    r'|<div class="acdl-gallery[^>]* data-search-exclude>.*?(?:</ul>|</dl>)</div>'
    r'|<h1[^>]*>(?:(?!</h1>).)*</h1>(?=\s*<div class="acdl-facts">)'
    r'|<h2[^>]*>(?:(?!</h2>).)*</h2>\s*<div class="acdl-(?:reads|entries|downloads)">.*\Z',
    re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")
_TOKEN = re.compile(r"[^\s-]+")
"""What search engines take for one word, and find by its beginning only."""
_PART = re.compile(r"[^\W\d]\w+")


@dataclass(frozen=True, slots=True)
class Lightened:
    """A page whose drawings are put aside."""

    html: str
    """The page with words in place of drawings: one statement a line, then the parts of names like `env.query[@T]`."""
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
        said = _TAG.sub("", (drawing[1] or "").replace("</text>", "\n"))
        return f"<!--{mark}{said}{' '.join(_parts(unescape(said)))}<!--/{mark}"

    return Lightened(_DRAWING.sub(words, html), html, tuple(drawings), key)


def _parts(words: str) -> Iterator[str]:
    """The names inside of longer words, each once: `sys` and `tool_result` of `sys.tool_result[@T.i]`."""
    tokens = _TOKEN.findall(words)
    seen = {re.sub(r"^\W+|\W+$", "", token).lower() for token in tokens}
    for token in tokens:
        for part in _PART.findall(token):
            if part.lower() not in seen:
                seen.add(part.lower())
                yield part
