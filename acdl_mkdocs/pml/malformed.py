"""`malformed()`: what a person is told about text that is not well-formed XML, from what expat reports."""

import re
from xml.parsers.expat import errors

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.pml import xml_problems
from acdl_mkdocs.pml.cures import READ_LENIENTLY

_TAG_NAME = re.compile(r"</?\s*([^\s<>/=\"']{0,80})")
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{0,30});")
_REFERENCE = re.compile(r"&#(?:x[0-9A-Fa-f]{1,12}|[0-9]{1,12});")
_CODES = errors.codes


def malformed(text: str, code: int, at: int, innermost: tuple[str, int] | None) -> Diagnostic:
    """The problem at a place.

    Parameters:
        text: The whole text.
        code: Number of expat's error.
        at: Where expat stopped.
        innermost: Name and start of the innermost element that is open there.
    """
    here = Span(min(at, max(len(text) - 1, 0)), min(at + 1, len(text)))
    if code == _CODES[errors.XML_ERROR_NO_ELEMENTS]:
        return _ended(text, here, innermost)
    if code == _CODES[errors.XML_ERROR_TAG_MISMATCH]:
        return _mismatch(text, at, *innermost) if innermost is not None else closes_nothing(text, at)
    if code == _CODES[errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]:
        cure = f"put everything into one `<prompt>...</prompt>`{READ_LENIENTLY}"
        return xml_problems.not_xml(here, "something follows the end of the document", "the document has ended", cure)
    if code == _CODES[errors.XML_ERROR_UNDEFINED_ENTITY]:
        return _entity(text, at)
    if code == _CODES[errors.XML_ERROR_BAD_CHAR_REF]:
        return _reference(text, at)
    if code == _CODES[errors.XML_ERROR_UNCLOSED_CDATA_SECTION]:
        start = max(text.rfind("<![CDATA[", 0, at + 1), 0)
        here = Span(start, min(start + len("<![CDATA["), len(text)))
        return xml_problems.not_xml(here, "`<![CDATA[` is never closed", "begins here", "write `]]>` at its end")
    if at >= len(text):
        return _ended(text, here, innermost)
    if innermost is None and _is_json(text):
        return xml_problems.not_xml(here, *_JSON)
    words = _SIMPLE.get(code)
    if words is not None and text[at] != "&":
        return xml_problems.not_xml(here, *words)
    return _character(text, at, here, is_open=innermost is not None)


def _is_json(text: str) -> bool:
    """Whether a text begins and ends as JSON does."""
    return text[:100].lstrip()[:1] + text[-100:].rstrip()[-1:] in {"{}", "[]"}


_JSON = (
    "this is JSON, and PML is XML",
    "the JSON begins here",
    "`acdl pml convert FILE --to pml` reads the JSON of a request and writes PML",
)
_SIMPLE = {
    _CODES[errors.XML_ERROR_DUPLICATE_ATTRIBUTE]: (
        "the element has an attribute twice",
        "given twice",
        'keep one of the two; write an argument called `name` or `id` as `<arg key="name">...</arg>`',
    ),
    _CODES[errors.XML_ERROR_UNBOUND_PREFIX]: (
        "the part before `:` in a name is a prefix that is not declared",
        "a name with a prefix",
        'write a name without `:`; an argument as `<arg key="a:b">...</arg>`',
    ),
    _CODES[errors.XML_ERROR_SYNTAX]: (
        "text stands outside of the document",
        "not inside an element",
        "remove it, or put it into `<text>...</text>`",
    ),
    _CODES[errors.XML_ERROR_MISPLACED_XML_PI]: (
        "the declaration `<?xml ...?>` is not at the very beginning",
        "something stands before it",
        "remove what stands before it, or the declaration",
    ),
    _CODES[errors.XML_ERROR_UNCLOSED_TOKEN]: (
        "a tag or a comment is never closed",
        "begins here",
        "write `>` at its end",
    ),
}


def _ended(text: str, here: Span, innermost: tuple[str, int] | None) -> Diagnostic:
    if innermost is not None:
        return never_closed(text, *innermost)
    if not text.strip():
        message, note = "the document is empty, expected `<prompt>` or `<conversation>`", "nothing here"
    else:
        message, note = "the text ends before the document does", "ends here"
    return xml_problems.not_xml(here, message, note, "write `<conversation>...</conversation>`")


def never_closed(text: str, name: str, start: int) -> Diagnostic:
    """The problem of an element that is open where the text ends.

    Parameters:
        text: The whole text.
        name: The element.
        start: Where it begins.
    """
    here = Span(max(len(text) - 1, 0), len(text))
    label = Label(Span(start, start + 1), f"`<{name}>` begins here")
    cure = f"write `</{name}>` where it ends"
    return xml_problems.not_xml(here, f"`<{name}>` is never closed", "the text ends here", cure, [label])


def _mismatch(text: str, at: int, name: str, start: int) -> Diagnostic:
    found = _TAG_NAME.match(text, max(text.rfind("<", 0, at + 1), 0))
    closing = found[1] if found else ""
    span = Span(found.start(), found.end()) if found else Span(at, at + 1)
    message = f"`</{closing}>` stands where `<{name}>` is still open"
    label = Label(Span(start, start + 1), f"`<{name}>` begins here")
    return xml_problems.not_xml(span, message, f"expected `</{name}>`", f"write `</{name}>` before it", [label])


def closes_nothing(text: str, at: int) -> Diagnostic:
    """The problem of an end tag that stands where no element is open.

    Parameters:
        text: The whole text.
        at: Where the tag stands, or a place in it.
    """
    found = _TAG_NAME.match(text, max(text.rfind("<", 0, at + 1), 0))
    name = found[1] if found else ""
    span = Span(found.start(), found.end()) if found else Span(at, at + 1)
    cure = f"remove it, or write `<{name}>` where the element begins"
    return xml_problems.not_xml(span, f"`</{name}>` closes nothing", "no element is open here", cure)


def _entity(text: str, at: int) -> Diagnostic:
    found = _ENTITY.match(text, at)
    name = found[1] if found else "..."
    return xml_problems.not_xml(
        Span(at, found.end() if found else at + 1),
        f"XML has no entity `&{name};`",
        "not one of `&amp; &lt; &gt; &quot; &apos;`",
        f"write the character itself, or `&amp;{name};` for these letters",
    )


def _reference(text: str, at: int) -> Diagnostic:
    found = _REFERENCE.match(text, at)
    if found is None:
        return xml_problems.not_xml(Span(at, at + 1), "`&#` is followed by no number", "no reference", "write `&amp;#`")
    return xml_problems.not_xml(
        Span(at, found.end()),
        f"`{found[0]}` is no character that XML can hold",
        "not in XML, not even as a reference",
        xml_problems.CURE_OF_CHARACTERS,
    )


def _character(text: str, at: int, here: Span, *, is_open: bool) -> Diagnostic:
    character = text[at]
    if not is_open and text.startswith("</", max(at - 1, 0)):
        return closes_nothing(text, at)
    before = text.rfind("&", max(at - 40, 0), at + 1)
    if (character < " " and character not in "\t\n\r") or character in "\ufffe\uffff":
        return xml_problems.forbidden_character(at, character)
    if before >= 0 and ";" not in text[before:at]:
        message, note, cure = "`&` begins an entity in XML", "a bare `&`", "write `&amp;`"
        return xml_problems.not_xml(Span(before, before + 1), message, note, cure)
    end = text.find("]]>", max(at - 2, 0), at + 3)
    if end >= 0:
        return xml_problems.not_xml(Span(end, end + 3), "`]]>` ends CDATA, and there is none", "here", "write `]]&gt;`")
    if character == "<" or text[max(at - 1, 0)] == "<":
        message, note = "`<` begins a tag, and none can be read here", "not a tag"
        return xml_problems.not_xml(here, message, note, "write `&lt;` for the sign, or complete the tag")
    message, note = "a tag cannot be read here", "expected a name, `=`, a value in quotes or `>`"
    return xml_problems.not_xml(here, message, note, 'write `<name attribute="value">`')
