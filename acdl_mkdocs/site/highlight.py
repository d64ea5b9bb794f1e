"""A source in the colours of its figure, as HTML. Needs no library: `acdl.css` has the colours.

What would hide or reorder text stands in an element of its own that says which character it is, and reorders nothing.
"""

from html import escape
from itertools import groupby

from acdl_mkdocs.figure.metrics import visible
from acdl_mkdocs.outputs.svg import CLASSES
from acdl_mkdocs.syntax.classify import Kind, Word, classify

STYLES: dict[Kind, str] = {
    "comment": "comment",
    "keyword": "keyword",
    "role": "keyword",
    "title": "title",
    "fragment": "fragment",
    "template": "template",
    "function": "function",
    "namespace": "variable",
    "field": "variable",
    "path": "path",
    "index": "index",
    "reference": "reference",
    "string": "string",
    "number": "number",
    "word-operator": "keyword",
}
"""Kind of word to the style it has in a figure; other words look like the text around them."""


def highlight(text: str) -> str:
    """The text with a `<span>` around the words of one look; what is in a tag is the text, escaped."""
    parts: list[str] = []
    for name, words in groupby(classify(text), key=_class):
        said = shown(escape("".join(word.text for word in words)))
        parts.append(f'<span class="{name}">{said}</span>' if name else said)
    return "".join(parts)


def shown(text: str) -> str:
    """The text with every character that hides or reorders set apart; what is copied is the text as it was."""
    return text if text.isascii() else "".join(map(_set_apart, text))


def _set_apart(character: str) -> str:
    said = visible(character)
    return character if len(said) == 1 else f'<bdi class="acdl-control" data-code="{said[1:-1]}">{character}</bdi>'


def _class(word: Word) -> str:
    style = STYLES.get(word.kind)
    return f"acdl-{CLASSES[style]}" if style else ""
