"""Replace figures by their text while search plugins index the page, then restore them.

Each drawing is replaced by its words between two comments that occur nowhere else, in paragraphs of a few statements:
some searches show those that match. A drawing with the same words becomes one comment, since a search takes as long for
each as for a hundred words: other views of the drawing, galleries, and on the page of a spec the heading, which is the
title of the page too, and the sections after the figure. Knows nothing about ACDL.
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.possessive import repeat_possessively
from acdl_mkdocs.workspace.remembered import cache_across_builds


def _pattern_between(opening: str, closing: str) -> str:
    """Return a pattern for the text between two tags, five times faster than `.*?`.

    Our elements contain none that begins in the same way: an element that an author never closed is searched
    only up to the next beginning, not from each of them to the end of the page.
    """
    return repeat_possessively(rf"[^<]++|<(?!{opening}|{closing})")


def _pattern_of_element(opening: str, closing: str) -> str:
    return rf"<{opening}{_pattern_between(opening, closing)}<{closing}"


_SAID_BEFORE = "|".join(
    (
        _pattern_of_element('details class="acdl-[a-z]+" data-search-exclude', "/details>"),
        _pattern_of_element('pre class="acdl-code"[^<>]* data-search-exclude>', "/pre>"),
        r'<a class="acdl-permalink"[^<>]*>#</a>',
        _pattern_of_element('p class="acdl-users" data-search-exclude>', "/p>"),
        _pattern_of_element('div class="acdl-sent[^<>]* data-search-exclude>', "/section></div></div>"),
        _pattern_of_element('div class="acdl-gallery[^<>]* data-search-exclude>', "/(?:ul|dl)></div>"),
        _pattern_of_element("h1[^<>]*>", "/h1>") + r'(?=\s*<div class="acdl-facts">)',
        _pattern_of_element("h2[^<>]*>", "/h2>") + r'\s*+<div class="acdl-(?:reads|entries|downloads)">.*\Z',
    )
)
_REPETITION = re.compile(rf"(?>(?:{_SAID_BEFORE})+)", re.DOTALL)
_SVG = '<svg class="acdl-'
_NARROW = re.compile(rf"\s*+{_SVG}narrow")
_BEGINNING = re.compile(rf'{_SVG}|<(?:h[12]|(?:details|pre|a|p|div) class="acdl-)')
BETWEEN_WORDS = r"[\s\-]+"
"""The default word separator of searches, which find words by their beginning."""
_PART = re.compile(r"[^\W\d]\w+")
_CORE = re.compile(r"\w(?:[^\0]*\w)?")
"""A word in a text with `\0` between words, without punctuation at its ends."""
_N_REMEMBERED = 1024
"""Size of the cache of drawings in a process."""
_LONGEST_PARAGRAPH = 100
"""The most characters of statements in one paragraph, unless one is longer.

A search shows about as many of a match, and takes as long to read an element as to read a hundred words.
"""


@dataclass(frozen=True, slots=True)
class SearchablePage:
    """A page whose drawings were taken out."""

    html: str
    """The page with words in place of drawings; after statements, the parts of their names that no search would find
    in them, such as `query` of `env.query[@T]`."""
    whole: str
    drawings: tuple[str, ...]
    _key: str
    """Part of every mark; the page contains no comment that begins with it."""

    def restore_drawings(self, html: str) -> str:
        """Return a page with the drawings in their places.

        Parameters:
            html: The current version of the page; changes and removals by others stay.
        """
        if html == self.html:
            return self.whole
        marked = re.compile(rf"<!--{self._key}-(\d+)(?:/-->|-->.*?<!--/{self._key}-\1-->)", re.DOTALL)
        return marked.sub(lambda match: self.drawings[int(match[1])], html)


def hide_drawings(html: str, between: str = BETWEEN_WORDS) -> SearchablePage:
    """Replace the drawings of a page by their words.

    Parameters:
        html: The page.
        between: The regular expression by which the site's search splits texts into words.
    """
    ends = _ends_of_words(between)
    key = "acdl-drawing"
    while f"<!--{key}" in html:
        key += "-"
    drawings: list[str] = []
    parts: list[str] = []
    at = 0
    for start, end, drawing in _find_drawings(html):
        mark = f"{key}-{len(drawings)}"
        words = f"<!--{mark}-->{_words_of_drawing(drawing, ends)}<!--/{mark}-->" if drawing else f"<!--{mark}/-->"
        parts += html[at:start], words
        drawings.append(html[start:end])
        at = end
    return SearchablePage("".join([*parts, html[at:]]), html, tuple(drawings), key)


def _find_drawings(html: str) -> Iterator[tuple[int, int, str]]:
    """Yield start and end of each drawing and of what repeats its words, with the contents of a drawing."""
    at = 0
    while beginning := _BEGINNING.search(html, at):
        start = beginning.start()
        end, contents = -1, ""
        if beginning[0] == _SVG:
            end, contents = _read_drawing(html, start)
        elif repetition := _REPETITION.match(html, start):
            end = repetition.end()
        if end >= 0:
            yield start, end, contents
        at = end if end >= 0 else beginning.end()


def _read_drawing(html: str, start: int) -> tuple[int, str]:
    """Return the end of a drawing with its narrow version, and what follows its description; -1 if it has no end.

    Ends are found without a pattern, which would take twenty times as long: drawings are most of a page.
    """
    after = _find_next_drawing(html, start + 1)
    described = html.find("</desc>", start, after)
    end = html.find("</svg>", described, after) if described >= 0 else -1
    if end < 0:
        return -1, ""
    contents = html[described + len("</desc>") : end]
    end += len("</svg>")
    if narrow := _NARROW.match(html, end):
        narrow_end = html.find("</svg>", narrow.end(), _find_next_drawing(html, narrow.end()))
        end = narrow_end + len("</svg>") if narrow_end >= 0 else end
    return end, contents


def _find_next_drawing(html: str, at: int) -> int:
    """Return where the next drawing begins, or the end of the page: one that an author never closed ends there."""
    found = html.find(_SVG, at)
    return found if found >= 0 else len(html)


def _ends_of_words(between: str) -> re.Pattern[str]:
    try:
        return re.compile(between)
    except re.error:  # it is written for a browser
        return re.compile(BETWEEN_WORDS)


@cache_across_builds(_N_REMEMBERED)
def _words_of_drawing(drawing: str, ends: re.Pattern[str]) -> str:
    """Return the words of a drawing; cached, because a preview needs them at each of its builds."""
    tags = drawing.replace("</text>", "<>\0").replace("\n", " ").split("<")
    statements = "".join([tag.partition(">")[2] for tag in tags]).split("\0")
    return "".join(_list_paragraphs(statements, ends))


def _list_paragraphs(statements: Iterable[str], ends: re.Pattern[str]) -> Iterator[str]:
    """Yield the statements, still HTML, with the names inside of longer words, each once."""
    texts = list(_join_statements(statements))
    words = [[word for word in ends.split(unescape(text)) if word] for text in texts]
    seen = set(map(str.lower, _CORE.findall("\0".join(word for line in words for word in line))))
    for text, line in zip(texts, words, strict=True):
        parts = [text]
        for part in _PART.findall(" ".join(line)):
            if part.lower() not in seen:
                seen.add(part.lower())
                parts.append(part)
        yield f"<p>{' '.join(parts)}</p>"


def _join_statements(statements: Iterable[str]) -> Iterator[str]:
    """Join the statements, without the numbers of marks, up to the length that a search shows."""
    text = ""
    for statement in statements:
        words = " ".join(statement.split())
        if not words or words.isdigit():
            continue
        if text and len(text) + len(words) >= _LONGEST_PARAGRAPH:
            yield text
            text = words
        else:
            text = f"{text} {words}" if text else words
    if text:
        yield text
