"""Words of authors as Markdown that shows exactly them: nothing becomes markup, and only addresses become links.

A sign that could mean something is written as its number (`&#42;`), which every Markdown processor and HTML itself read
as that sign and nothing more, in a paragraph, a table or a tag alike. Knows nothing about ACDL.
"""

import json
import re
from html import escape
from urllib.parse import quote

from acdl_mkdocs.foundation.safe_text import visible
from acdl_mkdocs.workspace.fences import in_code_and_out

_SIGN = re.compile(r"[!-'*+<-@\[-`{-~)]|(?<!\w)[-/:]|[-/](?!\w)|:(?! )|(?<=[\d.])\.|\.(?=\.)")
"""All of ASCII but letters, digits and what is harmless where it stands: `,` `;` `(`, and mostly `.` `-` `/` `:`."""
_ADDRESS = re.compile(
    r"https?://[^\s<>\"]+|\bdoi:\s?(?P<doi>10\.\d{4,}/[^\s<>\"]+)|\barxiv:\s?(?P<arxiv>\d{4}\.\d{4,5}(?:v\d+)?)",
    re.IGNORECASE,
)
_ENDS = ".,;:!?'*_"
"""Signs that end a sentence rather than the address before them."""
_PAIRS = {")": "(", "]": "[", "}": "{"}
_SAFE = "/#?=&%:@+,~"
_LOOKALIKES = str.maketrans({"<": "\u2039", ">": "\u203a", '"': "\u201d"})
_ENTITY = re.compile(r"&(?=[#\w])")
_HTML = re.compile(r"<|&(?=[#\w])")
_MARKUP = re.compile(r"[\\`*\[\]]|(?<!\w)_|_(?!\w)|~(?=~)|(?<=~)~")
"""What Markdown outside of code takes for its own in the middle of a line."""
_SENTENCE = re.compile(r".+?[.!?](?= |$)")


def escaped(text: str) -> str:
    """Words on one line, for Markdown and for HTML."""
    return _numbered(_one_line(text))


def code(text: str) -> str:
    """Words as code. A tag, because a code span of Markdown cannot hold every text and ends a cell of a table."""
    return f"<code>{escaped(text)}</code>"


def link(shown: str, href: str) -> str:
    """A link.

    Parameters:
        shown: Markdown.
        href: An address, or the path of a Markdown file, which documentation tools turn into its address.
    """
    return f"[{shown}]({percent_encoded(href)})"


def percent_encoded(address: str) -> str:
    """An address without signs that Markdown or HTML could take for their own; what is encoded already stays so."""
    return quote(visible(address), safe=_SAFE)


def linked(text: str) -> str:
    """Words on one line, in which addresses of the web, DOIs and numbers of arXiv are links."""
    parts: list[str] = []
    at = 0
    text = _one_line(text)
    for found in _ADDRESS.finditer(text):
        words = _without_end(found[0])
        parts += _numbered(text[at : found.start()]), link(_numbered(words), _href(found, words))
        at = found.start() + len(words)
    return "".join([*parts, _numbered(text[at:])])


def first_sentence(text: str, longest: int = 160) -> str:
    """The first sentence of a text, or as many whole words of it as have room."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    found = _SENTENCE.match(paragraph)
    sentence = found[0] if found else paragraph
    if len(sentence) <= longest:
        return sentence
    return f"{sentence[: longest - 1].rpartition(' ')[0] or sentence[: longest - 1]}…"


def harmless(text: str) -> str:
    """Words on one line, for the templates of a docs tool: titles of front matter and of the navigation.

    Templates put such values into pages as they are, in attributes too, or even undo what was escaped in them, so signs
    that HTML would take for its own are replaced by others that look alike.
    """
    return _ENTITY.sub("\uff06", _one_line(text).translate(_LOOKALIKES))


def inert(text: str) -> str:
    """Words on one line as Markdown that people and models read as it is: code stays code, nothing else is markup."""

    def outside(words: str) -> str:
        return _HTML.sub(lambda sign: escape(sign[0]), _MARKUP.sub(r"\\\g<0>", words))

    return in_code_and_out(_one_line(text), str, outside)


def front_value(text: str) -> str:
    """Words on one line as a value of front matter."""
    return json.dumps(harmless(text), ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())


def _numbered(text: str) -> str:
    return _SIGN.sub(lambda sign: f"&#{ord(sign[0])};", text)


def _without_end(address: str) -> str:
    """The address without the signs that belong to the sentence around it."""
    surplus = {closing: address.count(closing) - address.count(opening) for closing, opening in _PAIRS.items()}
    end = len(address)
    while address[end - 1] in _ENDS or surplus.get(address[end - 1], 0) > 0:
        end -= 1
        surplus[address[end]] = surplus.get(address[end], 0) - 1
    return address[:end]


def _href(found: re.Match[str], words: str) -> str:
    """Where an address leads to."""
    if found["doi"]:
        return f"https://doi.org/{words[found.start('doi') - found.start() :]}"
    return f"https://arxiv.org/abs/{found['arxiv']}" if found["arxiv"] else words
