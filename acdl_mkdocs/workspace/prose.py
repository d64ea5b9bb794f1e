"""Text of authors as Markdown that shows exactly that text: nothing becomes markup, and only addresses become links.

A character with a special meaning is written as a character reference (`&#42;`), which every Markdown processor and
HTML itself read as that character, in a paragraph, a table or a tag alike. Knows nothing about ACDL.
"""

import json
import re
from html import escape
from urllib.parse import quote

from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.workspace.fences import map_code_and_text

_SIGN = re.compile(r"[!-'*+<-@\[-`{-~)]|(?<!\w)[-/:]|[-/](?!\w)|:(?! )|(?<=[\d.])\.|\.(?=\.)")
"""All of ASCII but letters, digits and harmless characters: `,` `;` `(`, and mostly `.` `-` `/` `:`."""
_ADDRESS = re.compile(
    r"https?://[^\s<>\"]+|\bdoi:\s?(?P<doi>10\.\d{4,}/[^\s<>\"]+)|\barxiv:\s?(?P<arxiv>\d{4}\.\d{4,5}(?:v\d+)?)",
    re.IGNORECASE,
)
_ENDS = ".,;:!?'*_"
"""Characters that end a sentence rather than the address before them."""
_PAIRS = {")": "(", "]": "[", "}": "{"}
_SAFE = "/#?=&%:@+,~"
_LOOKALIKES = str.maketrans({"<": "\u2039", ">": "\u203a", '"': "\u201d"})
_ENTITY = re.compile(r"&(?=[#\w])")
_HTML = re.compile(r"<|&(?=[#\w])")
_MARKUP = re.compile(r"[\\`*\[\]]|(?<!\w)_|_(?!\w)|~(?=~)|(?<=~)~")
"""What Markdown outside of code reads as markup in the middle of a line."""
_SENTENCE = re.compile(r".+?[.!?](?= |$)")


def escape_markdown(text: str) -> str:
    """Escape text as one line for Markdown and HTML."""
    return _encode_sign(_one_line(text))


def format_code(text: str) -> str:
    """Write text as code. As a tag, because a code span of Markdown cannot hold every text and breaks table cells."""
    return f"<code>{escape_markdown(text)}</code>"


def format_link(label: str, href: str) -> str:
    """Write a link.

    Parameters:
        label: The text, as Markdown.
        href: An address, or the path of a Markdown file, which documentation tools turn into its address.
    """
    return f"[{label}]({percent_encode(href)})"


def percent_encode(address: str) -> str:
    """Encode characters of an address that Markdown or HTML could misread; existing encodings are kept."""
    return quote(make_visible(address), safe=_SAFE)


def link_addresses(text: str) -> str:
    """Escape text as one line, with links for web addresses, DOIs and arXiv numbers."""
    parts: list[str] = []
    at = 0
    text = _one_line(text)
    for match in _ADDRESS.finditer(text):
        words = _strip_end(match[0])
        parts += _encode_sign(text[at : match.start()]), format_link(_encode_sign(words), _href(match, words))
        at = match.start() + len(words)
    return "".join([*parts, _encode_sign(text[at:])])


def take_first_sentence(text: str, longest: int = 160) -> str:
    """Return the first sentence of a text, or as many whole words of it as fit."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    match = _SENTENCE.match(paragraph)
    sentence = match[0] if match else paragraph
    if len(sentence) <= longest:
        return sentence
    return f"{sentence[: longest - 1].rpartition(' ')[0] or sentence[: longest - 1]}…"


def replace_html_signs(text: str) -> str:
    """Return text as one line for the templates of a docs tool: titles of front matter and of the navigation.

    Templates insert such values into pages unescaped, in attributes too, or even undo escapes, so characters with a
    meaning in HTML are replaced by similar ones.
    """
    return _ENTITY.sub("\uff06", _one_line(text).translate(_LOOKALIKES))


def escape_outside_code(text: str) -> str:
    """Return text as one line of Markdown that people and models read unchanged: only code is markup."""

    def outside(words: str) -> str:
        return _HTML.sub(lambda sign: escape(sign[0]), _MARKUP.sub(r"\\\g<0>", words))

    return map_code_and_text(_one_line(text), str, outside)


def front_value(text: str) -> str:
    """Return text as one line, as a value of front matter."""
    return json.dumps(replace_html_signs(text), ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(make_visible(text).split())


def _encode_sign(text: str) -> str:
    return _SIGN.sub(lambda sign: f"&#{ord(sign[0])};", text)


def _strip_end(address: str) -> str:
    """Return the address without the characters that belong to the sentence around it."""
    surplus = {closing: address.count(closing) - address.count(opening) for closing, opening in _PAIRS.items()}
    end = len(address)
    while address[end - 1] in _ENDS or surplus.get(address[end - 1], 0) > 0:
        end -= 1
        surplus[address[end]] = surplus.get(address[end], 0) - 1
    return address[:end]


def _href(match: re.Match[str], words: str) -> str:
    """Return the target of an address."""
    if match["doi"]:
        return f"https://doi.org/{words[match.start('doi') - match.start() :]}"
    return f"https://arxiv.org/abs/{match['arxiv']}" if match["arxiv"] else words
