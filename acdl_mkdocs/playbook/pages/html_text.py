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
_CODE = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ENTITY = re.compile(r"&#?\w+;")
_SCHEMES = ("http:", "https:", "mailto:")
_ENDS = ".,;:!?'*_"


def clean_text(text: str) -> str:
    """Return text on one line as safe HTML, between tags or in an attribute, on any page of any tool."""
    return escape_html(make_visible(text))


def render_content(content: str) -> str:
    """Render the text of a bullet as a paragraph, or as a block of code."""
    match = _FENCE.fullmatch(content)
    if not match:
        return f"<p>{render_inline(content)}</p>"
    code = "&#10;".join(map(clean_text, match["code"].split("\n")))
    return f'<pre tabindex="0"><code>{code}</code></pre>'


def render_inline(text: str) -> str:
    """Render text on one line with code, emphasis and links."""
    return _inline(" ".join(make_visible(text).split()), has_links=True)


def render_content_line(content: str) -> str:
    """Render the text of a bullet on one line; of a block of code, its content."""
    return f"<code>{clean_text(strip_markup(content))}</code>" if _FENCE.fullmatch(content) else render_inline(content)


def strip_markup(content: str) -> str:
    """Return the text of a bullet on one line without markup, for titles and feeds."""
    match = _FENCE.fullmatch(content)
    return " ".join(make_visible(match["code"] if match else content).split())


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
    for match in _INLINE.finditer(text):
        markup, end = _markup(match, has_links=has_links)
        parts += [escape_html(text[at : match.start()]), markup]
        at = end
    return "".join([*parts, escape_html(text[at:])])


def _markup(match: re.Match[str], *, has_links: bool) -> tuple[str, int]:
    """Return the HTML of a part of the text, and the offset of its end."""
    if match["sign"]:
        return escape_html(match["sign"][1:]), match.end()
    if match["code"]:
        return f"<code>{escape_html(match['code'].strip())}</code>", match.end()
    if match["strong"]:
        return f"<strong>{_inline(match['strong'], has_links=has_links)}</strong>", match.end()
    if emphasised := match["em"] or match["underlined"]:
        return f"<em>{_inline(emphasised, has_links=has_links)}</em>", match.end()
    return _link(match) if has_links else (escape_html(match[0]), match.end())


def _link(match: re.Match[str]) -> tuple[str, int]:
    if match["mail"]:
        return _anchor(f"mailto:{match['mail']}", escape_html(match["mail"])), match.end()
    if match["address"]:
        address = match["address"].rstrip(_ENDS)
        while address.endswith(")") and address.count(")") > address.count("("):
            address = address[:-1].rstrip(_ENDS)
        return _anchor(address, escape_html(address)), match.start() + len(address)
    if not is_safe_link(match["href"]):
        return escape_html(match[0]), match.end()
    return _anchor(match["href"], _inline(match["words"], has_links=False)), match.end()


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
    old_at = new_at = 0
    for number, each in enumerate(stretches):
        old_end, new_end = old_at + len(each.old), new_at + len(each.new)
        if each.is_same:
            head, tail = _cut(each.new, is_first=number == 0, is_last=number == len(stretches) - 1)
            is_cut = head + tail < len(each.new)
            ends = (_render_part(new, new_at, new_at + head), "…" * is_cut, _render_part(new, new_end - tail, new_end))
            parts.append(" ".join(filter(None, ends)))
        else:
            sides = (("del", _render_part(old, old_at, old_end)), ("ins", _render_part(new, new_at, new_end)))
            parts.append(" ".join(f"<{tag}>{html}</{tag}>" for tag, html in sides if html))
        old_at, new_at = old_end, new_end
    return "".join(parts)


def _render_part(text: str, start: int, end: int) -> str:
    """Render a part of a text on one line, with what is in backquotes as code, even if the part cuts it."""
    parts, at = [], start
    for code in _CODE.finditer(text):
        begin, until = max(code.start("code"), start), min(code.end("code"), end)
        parts.append(clean_text(text[at : max(at, min(code.start(), end))]))
        parts.append(f"<code>{clean_text(text[begin:until])}</code>" if begin < until else "")
        at = max(at, min(code.end(), end))
    return "".join([*parts, clean_text(text[at:end])])


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


def _cut(text: str, *, is_first: bool, is_last: bool) -> tuple[int, int]:
    """Return the lengths of the two ends of unchanged words that are shown, enough to locate the change."""
    words = WORD.findall(text)
    head, tail = (0 if is_first else _AROUND), (0 if is_last else _AROUND)
    if len(words) <= head + tail + _LEAST_CUT:
        return len(text), 0
    return len("".join(words[:head]).rstrip()), len("".join(words[len(words) - tail :]).lstrip())


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
