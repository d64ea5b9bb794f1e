"""The text of a bullet as HTML, and the differences of two texts, word by word."""

import re

from acdl_mkdocs.foundation.safe_text import escape_html, make_visible
from acdl_mkdocs.foundation.word_diff import WORD, word_diff

_INLINE = re.compile(
    r"(?P<sign>\\[\\`*_\[\]()<>#])"
    r"|(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|\[(?P<words>[^\[\]]+)\]\((?P<href>(?:[^\s()<>]|\([^\s()<>]*\))+)\)"
    r"|<(?P<mail>[\w.+-]+@[\w-]+\.[\w.-]+)>"
    r"|(?P<address>https?://[^\s<>\"`]+)"
    r"|\*\*(?P<strong>(?=\S)[^*]+(?<=\S))\*\*"
    r"|\*(?P<em>(?=\S)[^*]+(?<=\S))\*"
    r"|(?<!\w)_(?P<underlined>(?=\S)[^_]+(?<=\S))_(?!\w)"
)
_FENCE = re.compile(
    r"(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]*)[^\n]*\n(?P<code>.*?)\n?[ \t]*(?P=mark)[`~]*\s*", re.DOTALL
)
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ENTITY = re.compile(r"&#?\w+;")
_SCHEMES = ("http:", "https:", "mailto:")
_ENDS = ".,;:!?'*_"


def clean_text(text: str) -> str:
    """Return text on one line as safe HTML, between tags or in an attribute, on any page of any tool."""
    return escape_html(make_visible(text))


def render_content(content: str) -> str:
    """Render the text of a bullet as a paragraph, or as a block of code."""
    found = _FENCE.fullmatch(content)
    if not found:
        return f"<p>{render_inline(content)}</p>"
    code = "&#10;".join(map(clean_text, found["code"].split("\n")))
    return f'<pre tabindex="0"><code>{code}</code></pre>'


def render_inline(text: str) -> str:
    """Render text on one line with code, emphasis and links."""
    return _inline(" ".join(make_visible(text).split()), has_links=True)


def render_content_line(content: str) -> str:
    """Render the text of a bullet on one line; of a block of code, its content."""
    return f"<code>{clean_text(strip_markup(content))}</code>" if _FENCE.fullmatch(content) else render_inline(content)


def strip_markup(content: str) -> str:
    """Return the text of a bullet on one line without markup, for titles and feeds."""
    found = _FENCE.fullmatch(content)
    return " ".join(make_visible(found["code"] if found else content).split())


def is_safe_link(href: str) -> bool:
    """Return whether a link target is allowed: the web, mail, or the same site."""
    if _ENTITY.search(href):
        return False
    scheme = _SCHEME.match(href)
    if scheme:
        return scheme[0].lower() in _SCHEMES
    return not href.startswith(("//", "\\", "/\\", ":")) and ":" not in re.split(r"[/?#]", href, maxsplit=1)[0]


def _inline(text: str, *, has_links: bool) -> str:
    parts, at = [], 0
    for found in _INLINE.finditer(text):
        made, end = _markup(found, has_links=has_links)
        parts += [escape_html(text[at : found.start()]), made]
        at = end
    return "".join([*parts, escape_html(text[at:])])


def _markup(found: re.Match[str], *, has_links: bool) -> tuple[str, int]:
    """Return the HTML of a part of the text, and the offset of its end."""
    if found["sign"]:
        return escape_html(found["sign"][1:]), found.end()
    if found["code"]:
        return f"<code>{escape_html(found['code'].strip())}</code>", found.end()
    if found["strong"]:
        return f"<strong>{_inline(found['strong'], has_links=has_links)}</strong>", found.end()
    if emphasised := found["em"] or found["underlined"]:
        return f"<em>{_inline(emphasised, has_links=has_links)}</em>", found.end()
    return _link(found) if has_links else (escape_html(found[0]), found.end())


def _link(found: re.Match[str]) -> tuple[str, int]:
    if found["mail"]:
        return _anchor(f"mailto:{found['mail']}", escape_html(found["mail"])), found.end()
    if found["address"]:
        address = found["address"].rstrip(_ENDS)
        while address.endswith(")") and address.count(")") > address.count("("):
            address = address[:-1].rstrip(_ENDS)
        return _anchor(address, escape_html(address)), found.start() + len(address)
    if not is_safe_link(found["href"]):
        return escape_html(found[0]), found.end()
    return _anchor(found["href"], _inline(found["words"], has_links=False)), found.end()


def _anchor(href: str, words: str) -> str:
    return f'<a href="{escape_html(href)}">{words}</a>'


_LONGEST = 4_000
"""Most characters of both texts that are compared word by word; longer ones are shown one after the other."""
_AROUND, _LEAST_CUT = 8, 8
"""Words, blanks and signs shown beside a change, and the least number that is left out."""


def render_text_changes(before: str, after: str) -> str:
    """Render the later text with additions in `<ins>` and deletions in `<del>`; long unchanged parts are cut."""
    old, new = strip_markup(before), strip_markup(after)
    if len(before) + len(after) > _LONGEST:
        return f"{_mark_words('del', old)} {_mark_words('ins', new)}"
    stretches = word_diff(old, new)
    parts = []
    for number, each in enumerate(stretches):
        if each.is_same:
            parts.append(clean_text(_cut(each.new, is_first=number == 0, is_last=number == len(stretches) - 1)))
        else:
            parts += [_mark_words("del", each.old), _mark_words("ins", each.new)]
    return "".join(parts)


def render_side_by_side(one: str, two: str) -> tuple[str, str]:
    """Render two texts, each with the words marked that the other lacks."""
    old, new = strip_markup(one), strip_markup(two)
    if len(one) + len(two) > _LONGEST:
        return clean_text(old), clean_text(new)
    sides: tuple[list[str], list[str]] = [], []
    for each in word_diff(old, new):
        for side, words in zip(sides, (each.old, each.new), strict=True):
            side += [clean_text(words)] if each.is_same else _highlight_words(words)
    return "".join(sides[0]), "".join(sides[1])


def _cut(text: str, *, is_first: bool, is_last: bool) -> str:
    """Cut unchanged words, leaving enough to locate the change."""
    words = WORD.findall(text)
    head, tail = (0 if is_first else _AROUND), (0 if is_last else _AROUND)
    if len(words) <= head + tail + _LEAST_CUT:
        return text
    sides = ("".join(words[:head]).rstrip(), "…", "".join(words[len(words) - tail :]).lstrip())
    return " ".join(filter(None, sides))


def _highlight_words(words: str) -> list[str]:
    """Mark words that only one text has, without the blanks around them."""
    inside = words.strip()
    if not inside:
        return [clean_text(words)]
    before, _, after = words.partition(inside)
    return [clean_text(before), _mark_words("mark", inside), clean_text(after)]


def _mark_words(tag: str, words: str) -> str:
    text = clean_text(words)
    return f"<{tag}>{text}</{tag}>" if text else ""
