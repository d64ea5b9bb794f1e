"""A page without its drawings, for whoever needs only the words of it, and with them again.

Each drawing is replaced by its words between two comments that occur nowhere else, a paragraph for each statement:
some searches show those that match. What has the same words again is
left out: other views of the drawing, galleries, and on the page of a spec the heading, which is the title of the page
too, and the sections behind the figure. Knows nothing about ACDL.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from html import unescape

_DRAWING = re.compile(
    r'<svg class="acdl-.*?</desc>(.*?)</svg>|<details class="acdl-[a-z]+" data-search-exclude.*?</details>'
    r'|<pre class="acdl-code"[^>]* data-search-exclude>.*?</pre>'
    r'|<a class="acdl-permalink"[^>]*>#</a>'
    r'|<p class="acdl-users" data-search-exclude>.*?</p>'
    r'|<div class="acdl-sent[^>]* data-search-exclude>.*?</section></div></div>'
    r'|<div class="acdl-gallery[^>]* data-search-exclude>.*?(?:</ul>|</dl>)</div>'
    r'|<h1[^>]*>(?:(?!</h1>).)*</h1>(?=\s*<div class="acdl-facts">)'
    r'|<h2[^>]*>(?:(?!</h2>).)*</h2>\s*<div class="acdl-(?:reads|entries|downloads)">.*\Z',
    re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")
BETWEEN_WORDS = r"[\s\-]+"
"""What searches take for the end of a word, if nobody tells them otherwise; they find words by their beginning."""
_PART = re.compile(r"[^\W\d]\w+")


@dataclass(frozen=True, slots=True)
class Lightened:
    """A page whose drawings are put aside."""

    html: str
    """The page with words in place of drawings; after a statement, the parts of its names that no search would find
    in it, such as `query` of `env.query[@T]`."""
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


def lighten(html: str, between: str = BETWEEN_WORDS) -> Lightened:
    """Put the drawings of a page aside.

    Parameters:
        html: The page.
        between: The regular expression by which the search of the site divides texts into words.
    """
    ends = _ends_of_words(between)
    key = f"acdl-{blake2b(html.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
    drawings: list[str] = []

    def words(drawing: re.Match[str]) -> str:
        drawings.append(drawing[0])
        mark = f"{key}-{len(drawings) - 1}-->"
        statements = _TAG.sub("", (drawing[1] or "").replace("</text>", "\0").replace("\n", " ")).split("\0")
        return f"<!--{mark}{''.join(_paragraphs(statements, ends))}<!--/{mark}"

    return Lightened(_DRAWING.sub(words, html), html, tuple(drawings), key)


def _ends_of_words(between: str) -> re.Pattern[str]:
    try:
        return re.compile(between)
    except re.error:  # it is written for a browser
        return re.compile(BETWEEN_WORDS)


def _paragraphs(statements: Sequence[str], ends: re.Pattern[str]) -> Iterator[str]:
    """The statements, HTML as before, with the names inside of longer words, each of which is said once."""
    words = [[word for word in ends.split(unescape(each)) if word] for each in statements]
    seen = {re.sub(r"^\W+|\W+$", "", word).lower() for line in words for word in line}
    for statement, line in zip(statements, words, strict=True):
        parts = []
        for part in _PART.findall(" ".join(line)):
            if part.lower() not in seen:
                seen.add(part.lower())
                parts.append(part)
        if statement.strip() and not statement.strip().isdigit():  # the number of a mark
            yield f"<p>{' '.join((' '.join(statement.split()), *parts))}</p>"
