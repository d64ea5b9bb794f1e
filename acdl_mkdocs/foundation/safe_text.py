"""The one answer to whether text of strangers is safe: to keep, to draw, to print, or to write in another format.

| where the text goes | function |
|---|---|
| a source whose offsets count | `make_printable` |
| a figure, a page, a sentence | `make_visible`, `visible_lines`, `one_line` |
| a terminal, where columns count | `mask_controls` |
| JSON or XML, of which nothing may be lost | `json_text`, `escape_json`, `escape_xml` |
| HTML that a template language may read | `escape_html` |
"""

import re

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.possessive import repeat_possessively

_REPLACED = "\ufffd"
_INVISIBLE = frozenset(
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f\ufeff"
)
"""Characters that reorder, hide or join text without a trace: shown by their number."""
_CONTROL = {code: _REPLACED for code in range(32) if chr(code) not in "\t\n\r\f"} | {127: _REPLACED}
_RETURN_ALONE = compile_later(r"\r(?!\n)")
_RISKY = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
RISKY = compile_later(f"[{_RISKY}]")
"""Characters that JSON allows unescaped in text but that control a terminal or reverse the direction of a line."""
_SIGNS = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U00013438"
"""Formatting characters that a terminal shows in its own way, or not at all."""
_ACTING = compile_later(f"[\\x00-\\x1f{_RISKY}{_SIGNS}]")
_IN_JSON = compile_later(f"[{_RISKY}{_SIGNS}]")


BEGUN_STRING = '"' + repeat_possessively(r'[^"\\]++|\\.')
"""A string of JSON up to where its closing quote has to be, as a pattern; with `re.DOTALL`."""


def make_printable(text: str) -> str:
    """Return the same text, code point for code point, with control characters and lone surrogates replaced.

    A carriage return alone, with which old programs end a line, is the end of a line.

    No output format may carry them, and Markdown uses two of them for its own marks. All that a spec may rightly
    hold stays, since offsets and figures are those of this text: tabs and line ends, joiners, marks of direction. How
    these are shown is for `mask_controls` in messages and `make_visible` in figures.
    """
    cleaned = text.translate(_CONTROL)
    if "\r" in cleaned:
        cleaned = _RETURN_ALONE.sub("\n", cleaned)
    if not cleaned.isascii():
        cleaned = cleaned.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text if cleaned == text else cleaned  # the original object, so that no second copy stays in memory


def make_visible(text: str) -> str:
    """Return text as a reader should see it: nothing that XML forbids, hides text or reorders it.

    Line ends and tabs become blanks, other control characters U+FFFD, and bidirectional and invisible controls their
    number, such as `<U+202E>`: unlike in messages, where columns count, there is room for it. Joiners that scripts and
    emoji need stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_show_character, text))


def _show_character(character: str) -> str:
    code = ord(character)
    if character in "\t\n\r":
        return " "
    if character in _INVISIBLE:
        return f"<U+{code:04X}>"
    is_control = code < 0x20 or 0x7F <= code < 0xA0
    is_no_character = 0xD800 <= code < 0xE000 or 0xFDD0 <= code < 0xFDF0 or code & 0xFFFE == 0xFFFE
    return _REPLACED if is_control or is_no_character else character


def mask_controls(text: str) -> str:
    """Return text that is safe to print: each character that acts on a terminal becomes a replacement character.

    Columns must not move, so no character is spelled out as `make_visible` does in a figure. Characters that
    `make_printable` allows in a source, such as one that reverses the direction of a line, must not act on a terminal.
    """
    if text.isprintable():
        return text
    return _ACTING.sub(_REPLACED, text)


def one_line(text: str, most: int = 72) -> str:
    """Return the beginning of a text on one line of a terminal or page, cut with `…` where it is longer than `most`."""
    line = make_visible(" ".join(text.split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def escape_html(text: str) -> str:
    """Escape text for HTML, between tags or in an attribute; no template language sees its braces."""
    from html import escape  # most figures never come here

    return escape(text).replace("{", "&#123;").replace("}", "&#125;")


def mark_code(html: str) -> str:
    """Replace backticks in escaped text by tags for code; they stay if one has no partner."""
    pieces = html.split("`")
    if len(pieces) % 2 == 0:
        return html
    return "".join(f"<code>{piece}</code>" if number % 2 else piece for number, piece in enumerate(pieces))


def json_text(value: object, indent: int | None = 1) -> str:
    """Format plain data as JSON, without a final line end.

    Parameters:
        value: What `json.dumps` takes.
        indent: Blanks before each level; `None` for one line.
    """
    import json  # most figures never come here

    return escape_json(json.dumps(value, ensure_ascii=False, indent=indent))


def escape_json(text: str) -> str:
    """Return text that contains JSON with risky characters as escapes."""
    import json  # most figures never come here

    return _IN_JSON.sub(lambda match: json.dumps(match[0])[1:-1], text)


_IN_XML = compile_later("<!\\[CDATA\\[.*?(?:\\]\\]>|\\Z)|[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", re.DOTALL)
"""A stretch of text without references, or a character that no name of an element or attribute can have."""


def visible_lines(text: str) -> list[str]:
    """Return the lines of a text, each safe to print."""
    return [make_visible(line) for line in text.replace("\r\n", "\n").split("\n")]


def escape_xml(text: str) -> str:
    """Return an equivalent XML document with risky characters as character references."""
    return _IN_XML.sub(_escape_match, text)


def _escape_match(match: re.Match[str]) -> str:
    text = match[0]
    if len(text) == 1:
        return f"&#x{ord(text):x};"
    return RISKY.sub(lambda inside: f"]]>&#x{ord(inside[0]):x};<![CDATA[", text)
