"""Spelling of text, attributes, JSON and elements in XML: the only module that escapes anything.

Text of any kind survives: what XML 1.0 has no place for (control characters, lone surrogates) is spelled as a JSON
string. Text that looks like markup of this format is never put into CDATA, so that no line of a file can be mistaken
for the end of the file. Knows nothing about prompts.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from acdl_mkdocs.prompts.pml.grammar import NAMESPACE
from acdl_mkdocs.prompts.prompt import Json

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that no XML 1.0 document can have, not even as a reference."""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
"""A name that every XML parser accepts for an attribute, without a namespace."""

_IMITATES = re.compile(
    r"</?(?:prompt|memory|fact|summary|content|conversation|turn|user|assistant|system|text|thinking|attachment"
    r"|tool_output|tool_result|call|arg|tools|tool|param|schema|x:)",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]*|#[0-9]+|#x[0-9A-Fa-f]+);")
_BARE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)|<")
_EXTENDS = re.compile(r"""<x:| x:[a-z]+=["']""")
_OPEN, _CLOSE = "<![CDATA[", "]]>"

Line = tuple[int, str]
"""Depth and text of a line of a document."""


def escape_text(value: str) -> str:
    """Return character data that an XML parser reads as `value`, which must have no character of `NOT_XML`."""
    return value.replace("&", "&amp;").replace("<", "&lt;").replace("]]>", "]]&gt;").replace("\r", "&#13;")


def write_cdata(value: str) -> str:
    """Return the shorter of character data and CDATA; character data if CDATA would change or could mislead.

    A parser changes CR in CDATA, and `]]>` would end it. A model that reads `</content>` in CDATA may take it for the
    end of the file.
    """
    escaped = escape_text(value)
    if len(escaped) <= len(value) + len(_OPEN) + len(_CLOSE) or "\r" in value or _CLOSE in value:
        return escaped
    return escaped if _IMITATES.search(value) else f"{_OPEN}{value}{_CLOSE}"


def escape_unescaped(spelled: str) -> str | None:
    """Escape `&` and `<` in character data that was written without escaping.

    `None` if they are ambiguous: some are escaped and others are not, or `&name;` may be a reference.
    """
    if not _BARE.search(spelled):
        return spelled
    if _REFERENCE.search(spelled):
        return None
    return spelled.replace("&", "&amp;").replace("<", "&lt;")


def quote_attribute(value: str) -> str:
    """Return an attribute's value in quotes: `"` unless the value has more of them than of `'`."""
    escaped = value.replace("&", "&amp;").replace("<", "&lt;")
    escaped = escaped.replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")
    if value.count('"') > value.count("'"):
        return "'" + escaped.replace("'", "&#39;") + "'"
    return '"' + escaped.replace('"', "&quot;") + '"'


def write_json(value: Json | Mapping[str, Json]) -> str:
    """Return JSON in its shortest form, which XML can always hold.

    `null` for what Python cannot write: too many levels, or a number of more than 4,300 digits.
    """
    try:
        spelled = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (RecursionError, ValueError):
        return "null"
    return json.dumps(value, separators=(",", ":")) if NOT_XML.search(spelled) else spelled


def write_attributes(pairs: Iterable[tuple[str, str | None]]) -> str:
    """Write attributes, each after a blank; those that are `None` are left out.

    Values that XML cannot hold are written together in `x:json`, as JSON.
    """
    texts: list[str] = []
    hidden: dict[str, Json] = {}
    for name, value in pairs:
        if value is None:
            continue
        if NOT_XML.search(value):
            hidden[name] = value
        else:
            texts.append(f" {name}={quote_attribute(value)}")
    if hidden:
        texts.append(f" x:json={quote_attribute(write_json(hidden))}")
    return "".join(texts)


def write_leaf(name: str, attributes: str, value: str, *, is_file: bool = False) -> str:
    """Write an element of text only.

    Parameters:
        name: Its name.
        attributes: Its attributes, from `write_attributes()`.
        value: Its text, of any characters.
        is_file: Whether the text may be in CDATA.
    """
    if NOT_XML.search(value):
        return f'<{name}{attributes} encoding="json">{escape_text(json.dumps(value))}</{name}>'
    return f"<{name}{attributes}>{write_cdata(value) if is_file else escape_text(value)}</{name}>"


def write_block(name: str, attributes: str, children: list[Line], depth: int) -> list[Line]:
    """Write an element of elements, whose lines are one level deeper; without children, an empty element."""
    if not children:
        return [(depth, f"<{name}{attributes}/>")]
    return [(depth, f"<{name}{attributes}>"), *children, (depth, f"</{name}>")]


def write_namespace(lines: Sequence[Line]) -> str:
    """Return the attribute that declares the extension, if lines use it."""
    is_extended = any("x:" in line and _EXTENDS.search(line) for _, line in lines)
    return write_attributes([("xmlns:x", NAMESPACE if is_extended else None)])
