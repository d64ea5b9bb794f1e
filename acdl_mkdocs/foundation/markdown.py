"""Text of authors as Markdown that shows exactly that text: nothing becomes markup, and only addresses become links.

| where the text goes | function |
|---|---|
| a page of a docs tool: a paragraph, a table or a tag | `escape_markdown`, `link_addresses`, `code_tag` |
| a page that hosts of repositories show | `escape_for_host` |
| a page that people write, for any tool | `escape_with_backslashes` |
| a cell of a table, if the text is Markdown itself | `escape_cell` |
| a code span, a code block | `code_span`, `code_fence` |
| a title that templates of a docs tool insert | `replace_html_signs`, `front_value` |
"""

import re

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.safe_text import make_visible

_SIGN = compile_later(r"[!-'*+<-@\[-`{-~)]|(?<!\w)[-/:]|[-/](?!\w)|:(?! )|(?<=[\d.])\.|\.(?=\.)")
"""All of ASCII but letters, digits and harmless characters: `,` `;` `(`, and mostly `.` `-` `/` `:`."""
_HOST_SIGN = compile_later(r"[\\`*_{}\[\]<>|#~&$@]|:(?=//)")
"""What hosts read as markup, as a mention or as an address."""
_TOOL_SIGN = compile_later(r"[\\`*{}\[\]<>#|$~^@&!=%:\"]|(?<![^\W_])_|_(?![^\W_])")
"""What some tool reads as markup; all of them read a backslash before it."""
_BAR = compile_later(r"(?<!\\)(\\*+)\|")
_ADDRESS = compile_later(
    r"https?://[^\s<>\"]+|\bdoi:\s?(?P<doi>10\.\d{4,}/[^\s<>\"]+)|\barxiv:\s?(?P<arxiv>\d{4}\.\d{4,5}(?:v\d+)?)",
    re.IGNORECASE,
)
_ENDS = ".,;:!?'*_"
"""Characters that end a sentence rather than the address before them."""
_PAIRS = {")": "(", "]": "[", "}": "{"}
_SAFE = "/#?=&%:@+,~"
_LOOKALIKES = str.maketrans({"<": "\u2039", ">": "\u203a", '"': "\u201d"})
_ENTITY = compile_later(r"&(?=[#\w])")


def escape_markdown(text: str) -> str:
    """Escape text as one line for every Markdown processor and for HTML.

    A character with a special meaning is written as a character reference (`&#42;`), which all of them read as that
    character, in a paragraph, a table or a tag alike.
    """
    return _encode_signs(visible_line(text))


def escape_for_host(text: str) -> str:
    """Escape text as one line for Markdown that hosts show: it mentions nobody and links nowhere.

    The same as `escape_markdown` for fewer characters, so that people can read the Markdown itself.
    """
    return _HOST_SIGN.sub(_reference, make_visible(" ".join(text.split())))


def escape_with_backslashes(text: str) -> str:
    """Escape text as one line for a page that people write, whichever tool reads it."""
    return _TOOL_SIGN.sub(r"\\\g<0>", " ".join(text.split()))


def escape_cell(markdown: str) -> str:
    """Escape Markdown for a cell of a table, which a bar would end."""
    return _BAR.sub(r"\1\1\\|", markdown)


def code_tag(text: str) -> str:
    """Write text as code. As a tag, because a code span of Markdown cannot hold every text and breaks table cells."""
    return f"<code>{escape_markdown(text)}</code>"


def code_span(text: str) -> str:
    """Write text as a code span, between more marks than stand together anywhere in it."""
    mark = "`" * (_longest_run("`", text) + 1)
    return f"{mark}{text}{mark}" if mark == "`" else f"{mark} {text} {mark}"


def code_fence(text: str, sign: str = "`") -> str:
    """Return the marks of a fenced block: more of them than stand together anywhere in its text."""
    return sign * max(3, _longest_run(sign, text) + 1)


def format_link(label: str, href: str) -> str:
    """Write a link.

    Parameters:
        label: The text, as Markdown.
        href: An address, or the path of a Markdown file, which documentation tools turn into its address.
    """
    return f"[{label}]({percent_encode(href)})"


def percent_encode(address: str) -> str:
    """Encode characters of an address that Markdown or HTML could misread; existing encodings are kept."""
    from urllib.parse import quote  # most texts hold no address

    return quote(make_visible(address), safe=_SAFE)


def link_addresses(text: str) -> str:
    """Escape text as `escape_markdown` does, with links for web addresses, DOIs and arXiv numbers."""
    parts: list[str] = []
    at = 0
    text = visible_line(text)
    for match in _ADDRESS.finditer(text):
        words = _strip_end(match[0])
        parts += _encode_signs(text[at : match.start()]), format_link(_encode_signs(words), _href(match, words))
        at = match.start() + len(words)
    return "".join([*parts, _encode_signs(text[at:])])


def replace_html_signs(text: str) -> str:
    """Return text as one line for the templates of a docs tool: titles of front matter and of the navigation.

    Templates insert such values into pages unescaped, in attributes too, or even undo escapes, so characters with a
    meaning in HTML are replaced by similar ones.
    """
    return _ENTITY.sub("\uff06", visible_line(text).translate(_LOOKALIKES))


def front_value(text: str) -> str:
    """Return text as one line, as a value of front matter."""
    import json  # only generated pages have front matter

    return json.dumps(replace_html_signs(text), ensure_ascii=False)


def visible_line(text: str) -> str:
    """Return text on one line, as a reader should see it."""
    return " ".join(make_visible(text).split())


def _encode_signs(text: str) -> str:
    return _SIGN.sub(_reference, text)


def _reference(sign: re.Match[str]) -> str:
    return f"&#{ord(sign[0])};"


def _longest_run(sign: str, text: str) -> int:
    return max((len(run) for run in re.findall(f"{sign}+", text)), default=0)


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
