"""`read_tree()`: XML as elements with positions, strictly and within limits; knows no element of PML.

No document type, no entity but the five of XML, no processing instruction, no encoding but UTF-8: nothing is fetched
and nothing is expanded. Comments and attributes of XML itself, such as `xml:lang`, are left out.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple
from xml.parsers import expat
from xml.parsers.expat import errors

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.possessive import repeat_possessively
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.prompts.pml import problems
from acdl_mkdocs.prompts.pml.faults import list_names
from acdl_mkdocs.prompts.pml.grammar import NAMESPACE
from acdl_mkdocs.prompts.pml.limits import (
    LIMITS,
    Limits,
    Offsets,
    RefusedTextError,
    check_tags,
    decode_bytes,
    encode_text,
)
from acdl_mkdocs.prompts.pml.problems import READ_LENIENTLY, Repair
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

_TAG_NAME = re.compile(r"</?\s*([^\s<>/=\"']{0,80})")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([^\W\d][\w.-]{0,30});")
_REFERENCE = re.compile(r"&#(?:x[0-9A-Fa-f]{1,12}|[0-9]{1,12});")
_ROOT = re.compile(r"<[^\W\d]")
_CODES = errors.codes


def malformed_document(text: str, code: int, at: int, innermost: tuple[str, int] | None) -> Diagnostic:
    """Return the diagnostic for an XML error at a position.

    Parameters:
        text: The whole text.
        code: Number of expat's error.
        at: Where expat stopped.
        innermost: Name and start of the innermost element that is open there.
    """
    here = Span(min(at, max(len(text) - 1, 0)), min(at + 1, len(text)))
    if code == _CODES[errors.XML_ERROR_NO_ELEMENTS]:
        return _make_end_problem(text, here, innermost)
    if code == _CODES[errors.XML_ERROR_TAG_MISMATCH]:
        return _make_mismatch_problem(text, at, *innermost) if innermost is not None else stray_end_tag(text, at)
    if code == _CODES[errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]:
        cure = f"put everything into one `<prompt>...</prompt>`{READ_LENIENTLY}"
        return problems.not_xml(here, "there is content after the end of the document", "the document has ended", cure)
    if code == _CODES[errors.XML_ERROR_UNDEFINED_ENTITY]:
        return _make_entity_problem(text, at)
    if code == _CODES[errors.XML_ERROR_BAD_CHAR_REF]:
        return _make_reference_problem(text, at)
    if code == _CODES[errors.XML_ERROR_UNCLOSED_CDATA_SECTION]:
        start = max(text.rfind("<![CDATA[", 0, at + 1), 0)
        here = Span(start, min(start + len("<![CDATA["), len(text)))
        return problems.not_xml(here, "`<![CDATA[` is never closed", "begins here", "write `]]>` at its end")
    if at >= len(text):
        return _make_end_problem(text, here, innermost)
    if innermost is None and _is_json(text):
        return problems.not_xml(here, *_JSON)
    words = _SIMPLE.get(code)
    if words is not None and text[at] != "&":
        return problems.not_xml(here, *words)
    return _make_character_problem(text, at, here, is_open=innermost is not None)


def _find_loose_text(text: str, at: int) -> tuple[int, int]:
    """Return the error of words or a fence around the document, and their start; else that of an invalid token.

    Parameters:
        text: The whole text.
        at: Where expat stopped, outside of all elements.
    """
    start = _find_first_word(text, text.rfind(">", 0, at) + 1)
    if start > at or text.startswith("<", start) or text[at : at + 1] < " ":
        return _CODES[errors.XML_ERROR_INVALID_TOKEN], at
    has_root = _ROOT.search(text, 0, start) is not None
    return _CODES[errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT if has_root else errors.XML_ERROR_SYNTAX], start


def _is_json(text: str) -> bool:
    """Return whether a text begins and ends like JSON."""
    return text[:100].lstrip()[:1] + text[-100:].rstrip()[-1:] in {"{}", "[]"}


_JSON = (
    "this is JSON, but PML is XML",
    "the JSON begins here",
    "`acdl pml convert FILE --to pml` reads the JSON of a request and writes PML",
)
_SIMPLE = {
    _CODES[errors.XML_ERROR_DUPLICATE_ATTRIBUTE]: (
        "the element has an attribute twice",
        "given twice",
        'keep one of the two; write an argument named `name` or `id` as `<arg key="name">...</arg>`',
    ),
    _CODES[errors.XML_ERROR_UNBOUND_PREFIX]: (
        "the part before `:` in a name is a prefix that is not declared",
        "a name with a prefix",
        'write a name without `:`; an argument as `<arg key="a:b">...</arg>`',
    ),
    _CODES[errors.XML_ERROR_SYNTAX]: (
        "there is text outside of the document",
        "not inside an element",
        "remove it, or put it into `<text>...</text>`",
    ),
    _CODES[errors.XML_ERROR_MISPLACED_XML_PI]: (
        "the declaration `<?xml ...?>` is not at the very beginning",
        "there is content before it",
        "remove the content before it, or the declaration",
    ),
    _CODES[errors.XML_ERROR_UNCLOSED_TOKEN]: (
        "a tag or a comment is never closed",
        "begins here",
        "write `>` at its end",
    ),
}


def _make_end_problem(text: str, here: Span, innermost: tuple[str, int] | None) -> Diagnostic:
    if innermost is not None:
        return unclosed_element(text, *innermost)
    if not text.strip():
        message, note = "the document is empty, expected `<prompt>` or `<conversation>`", "nothing here"
    else:
        message, note = "the text ends before the document does", "ends here"
    return problems.not_xml(here, message, note, "write `<conversation>...</conversation>`")


def unclosed_element(text: str, name: str, start: int) -> Diagnostic:
    """Return the diagnostic for an element that is still open at the end of the text.

    Parameters:
        text: The whole text.
        name: The element.
        start: Start of the element.
    """
    here = Span(max(len(text) - 1, 0), len(text))
    label = Label(Span(start, start + 1), f"`<{name}>` begins here")
    cure = f"write `</{name}>` where it ends"
    return problems.not_xml(here, f"`<{name}>` is never closed", "the text ends here", cure, [label])


def _make_mismatch_problem(text: str, at: int, name: str, start: int) -> Diagnostic:
    match = _TAG_NAME.match(text, max(text.rfind("<", 0, at + 1), 0))
    closing = match[1] if match else ""
    span = Span(match.start(), match.end()) if match else Span(at, at + 1)
    message = f"`</{closing}>` appears while `<{name}>` is still open"
    label = Label(Span(start, start + 1), f"`<{name}>` begins here")
    return problems.not_xml(span, message, f"expected `</{name}>`", f"write `</{name}>` before it", [label])


def stray_end_tag(text: str, at: int) -> Diagnostic:
    """Return the diagnostic for an end tag without an open element.

    Parameters:
        text: The whole text.
        at: An offset in the tag.
    """
    match = _TAG_NAME.match(text, max(text.rfind("<", 0, at + 1), 0))
    name = match[1] if match else ""
    span = Span(match.start(), match.end()) if match else Span(at, at + 1)
    cure = f"remove it, or write `<{name}>` where the element begins"
    return problems.not_xml(span, f"`</{name}>` closes nothing", "no element is open here", cure)


def _make_entity_problem(text: str, at: int) -> Diagnostic:
    match = _ENTITY.search(text, at)  # expat stops at the entity, or at the tag that has it in an attribute
    name = match[1] if match else "..."
    return problems.not_xml(
        Span(match.start(), match.end()) if match else Span(at, at + 1),
        f"XML has no entity `&{name};`",
        "not one of `&amp; &lt; &gt; &quot; &apos;`",
        f"write the character itself, or `&amp;{name};` for these letters",
    )


def _make_reference_problem(text: str, at: int) -> Diagnostic:
    match = _REFERENCE.match(text, at)
    if match is None:
        return problems.not_xml(
            Span(at, at + 1), "`&#` is not followed by a number", "not a reference", "write `&amp;#`"
        )
    return problems.not_xml(
        Span(at, match.end()),
        f"`{match[0]}` is not a character that XML can hold",
        "not in XML, not even as a reference",
        problems.CURE_OF_CHARACTERS,
    )


def _make_character_problem(text: str, at: int, here: Span, *, is_open: bool) -> Diagnostic:
    character = text[at]
    if not is_open and text.startswith("</", max(at - 1, 0)):
        return stray_end_tag(text, at)
    before = text.rfind("&", max(at - 40, 0), at + 1)
    if (character < " " and character not in "\t\n\r") or character in "\ufffe\uffff":
        return problems.forbidden_character(at, character)
    if before >= 0 and ";" not in text[before:at]:
        message, note, cure = "`&` begins an entity in XML", "a bare `&`", "write `&amp;`"
        return problems.not_xml(Span(before, before + 1), message, note, cure)
    comment = text.rfind("<!--", 0, at) + len("<!--")
    if comment >= len("<!--") and text.endswith("--", comment, at) and "-->" not in text[comment:at]:
        cure = "write one hyphen, or remove the comment"
        return problems.not_xml(Span(at - 2, at), "`--` ends a comment, but `>` does not follow", "here", cure)
    end = text.find("]]>", max(at - 2, 0), at + 3)
    if end >= 0:
        return problems.not_xml(Span(end, end + 3), "`]]>` ends CDATA, but none is open", "here", "write `]]&gt;`")
    if character == "<" or text[max(at - 1, 0)] == "<":
        message, note = "`<` begins a tag, but none can be read here", "not a tag"
        return problems.not_xml(here, message, note, "write `&lt;` for the sign, or complete the tag")
    message, note = "a tag cannot be read here", "expected a name, `=`, a value in quotes or `>`"
    return problems.not_xml(here, message, note, 'write `<name attribute="value">`')


_XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
_WRAPPER = b"<prompt>"
_DECLARATION = re.compile(rb"\A\s*<\?xml\s[^>]*\?>")
_VALUE = re.compile(rb""""[^"]*+"|'[^']*+'""")
_TAG = re.compile(b"<call" + repeat_possessively(r"""[^>"']++|"[^"]*+"|'[^']*+'""").encode() + b">")
_ATTRIBUTE = re.compile(rb"""(?<![^\s=<>"'/])(?P<key>[^\s=<>"'/]++)\s*+=\s*+(?P<value>"[^"]*+"|'[^']*+')""")
_WHITE = re.compile(rb"\r\n|[\t\n\r]")
_NO_ARGUMENTS = ("name", "id")
_MOST_WARNINGS = 100
_LOOSE = {
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_SYNTAX,
        expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT,
        expat.errors.XML_ERROR_MISPLACED_XML_PI,
    )
}
"""Errors about text before or after the first element."""


class Element(NamedTuple):
    """An element. Names of the extension begin with `x:`, those of another namespace with it in braces."""

    name: str
    attributes: Mapping[str, str]
    text: str
    """All text directly in it."""
    elements: tuple["Element", ...]
    """The elements directly in it."""
    start: int
    """First byte of its start tag; an element that the reader added begins before the document."""
    end: int
    """The offset after its end tag."""
    offsets: Offsets
    """Of the bytes of the document."""

    @property
    def span(self) -> Span:
        """Its position in the source."""
        return Span(self.offsets.count_code_points(self.start), self.offsets.count_code_points(self.end))


@dataclass(frozen=True, slots=True)
class Tree:
    """The XML content of a text."""

    root: Element | None
    """`None` if the text is not XML, or exceeds a limit."""
    source: Source
    problems: tuple[Diagnostic, ...] = ()
    repairs: tuple[Repair, ...] = ()
    is_loose: bool = False
    """Whether it is refused because of text before or after its first element."""


def read_tree(
    text: str | bytes,
    name: str = "<pml>",
    limits: Limits = LIMITS,
    *,
    is_lenient: bool = False,
    is_wrapped: bool = False,
) -> Tree:
    """Return the elements of a text.

    Parameters:
        text: Text, or bytes in UTF-8.
        name: Display name of the file.
        limits: The limits of the document.
        is_lenient: Whether processing instructions are left out instead of refused.
        is_wrapped: Whether it has several roots, which are put into a `<prompt>`.
    """
    source = Source("" if isinstance(text, bytes) else text, name)
    try:
        data = encode_text(text, limits)
        if isinstance(text, bytes):
            source = Source(decode_bytes(data), name)
        builder = _TreeBuilder(source, data, limits, is_lenient=is_lenient, is_wrapped=is_wrapped)
        return Tree(builder.parse_text(), source, tuple(builder.problems), tuple(builder.repairs))
    except RefusedTextError as refused:
        return Tree(None, source, (refused.problem,), is_loose=refused.is_loose)


class _TreeBuilder:
    """Handles the events of expat, in document order."""

    def __init__(self, source: Source, data: bytes, limits: Limits, *, is_lenient: bool, is_wrapped: bool) -> None:
        self.source = source
        self.data = _DECLARATION.sub(lambda match: b" " * len(match[0]), data) if is_wrapped else data
        self.limits = limits
        self.is_lenient = is_lenient
        self.n_before = len(_WRAPPER) if is_wrapped else 0
        self.offsets = Offsets(data, len(source.text))
        self.stack: list[tuple[str, dict[str, str], int, list[str], list[Element]]] = []
        """Elements that are open, each with the words and elements that were found in the one around it."""
        self.words: list[str] = []
        self.elements: list[Element] = []
        """In the innermost element that is open; in the document where none is."""
        self.n_elements = 0
        self.n_attributes = 0
        self.repairs: list[Repair] = []
        self.problems: list[Diagnostic] = []
        self.parser = expat.ParserCreate("utf-8", " ")

    def parse_text(self) -> Element:
        check_tags(self.data)
        parser = self.parser
        parser.buffer_text = True
        parser.buffer_size = 65_536
        for name, handler in self.list_handlers().items():
            setattr(parser, name, handler)
        parser.UseForeignDTD(False)
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        try:
            if self.n_before:
                parser.Parse(_WRAPPER, False)
            parser.Parse(self.data, not self.n_before)
            if self.n_before:
                parser.Parse(b"</prompt>", True)
        except expat.ExpatError as error:
            code, byte = error.code, parser.ErrorByteIndex - self.n_before
            if self.n_before and byte >= len(self.data):
                code, byte = self.find_end_error()
            opened = self.stack[bool(self.n_before) :]
            innermost = (opened[-1][0], self.offsets.count_code_points(opened[-1][2])) if opened else None
            at = self.offsets.count_code_points(min(byte, len(self.data)))
            if code == _CODES[errors.XML_ERROR_INVALID_TOKEN] and not (opened or self.n_before):
                code, at = _find_loose_text(self.source.text, at)
            problem = malformed_document(self.source.text, code, at, innermost)
            raise RefusedTextError(problem, is_loose=code in _LOOSE) from None
        finally:
            for name in self.list_handlers():  # otherwise a reference cycle would keep parser, builder and text alive
                setattr(parser, name, None)
        return self.elements[0]

    def find_end_error(self) -> tuple[int, int]:
        """Return number and byte of the error of an incomplete text, computed without the end of the wrapper."""
        parser = expat.ParserCreate("utf-8", " ")
        try:
            parser.Parse(_WRAPPER + self.data, True)
        except expat.ExpatError as error:
            return error.code, parser.ErrorByteIndex - self.n_before
        raise AssertionError("the wrapper is open")

    def list_handlers(self) -> dict[str, Callable[..., None]]:
        """Return the handlers of expat events."""
        return {
            "StartElementHandler": self.handle_start,
            "EndElementHandler": self.handle_end,
            "CharacterDataHandler": self.handle_text,
            "StartDoctypeDeclHandler": self.handle_doctype,
            "ProcessingInstructionHandler": self.handle_instruction,
            "XmlDeclHandler": self.handle_declaration,
        }

    def make_span(self, byte: int, length: int = 1) -> Span:
        """Return the span of some characters at a byte."""
        at = self.offsets.count_code_points(byte)
        return Span(at, at + length)

    def handle_start(self, name: str, attributes: dict[str, str]) -> None:
        start = self.parser.CurrentByteIndex - self.n_before
        self.n_elements += 1
        stack, limits = self.stack, self.limits
        if attributes:
            self.n_attributes += len(attributes)
            if name == "call":
                attributes = self.restore_line_ends(attributes, start)
            if " " in "".join(attributes):
                attributes = self.clean_attributes(attributes, start)
            if len(attributes) > limits.attributes or self.n_attributes > limits.all_attributes:
                raise RefusedTextError(self.find_exceeded_limit(start, len(attributes)))
        if len(stack) >= limits.depth or self.n_elements > limits.elements:
            raise RefusedTextError(self.find_exceeded_limit(start, len(attributes)))
        stack.append((_format_name(name) if " " in name else name, attributes, start, self.words, self.elements))
        self.words = []
        self.elements = []

    def restore_line_ends(self, attributes: dict[str, str], start: int) -> dict[str, str]:
        """Restore line ends and tabs in the attributes of a call, which XML reads as spaces: they may be code."""
        match = _TAG.match(self.data, start)
        tag = match[0] if match is not None else b""
        if not _WHITE.search(tag):
            return attributes
        spelled = [(each["key"].decode(), each["value"][1:-1]) for each in _ATTRIBUTE.finditer(tag)]
        names = [
            key for key, value in spelled if _WHITE.search(value) and key in attributes and key not in _NO_ARGUMENTS
        ]
        if not names:
            return attributes
        parsed: dict[str, str] = {}
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = lambda _, own: parsed.update(own)
        referenced = _VALUE.sub(lambda value: _WHITE.sub(lambda white: b"&#%d;" % white[0][-1], value[0]), tag)
        parser.Parse(referenced, False)
        if len(self.problems) < _MOST_WARNINGS:
            self.problems.append(problems.raw_line_end(self.make_span(start, len("<call")), list_names(names)))
        return {key: parsed[key] if key in names else value for key, value in attributes.items()}

    def find_exceeded_limit(self, start: int, n_attributes: int) -> Diagnostic:
        """Return the diagnostic for the limit that an element exceeds."""
        limits = self.limits
        what = f"{limits.all_attributes:,} attributes"
        if n_attributes > limits.attributes:
            what = f"{limits.attributes} attributes in one element"
        if self.n_elements > limits.elements:
            what = f"{limits.elements:,} elements"
        if len(self.stack) >= limits.depth:
            what = f"{limits.depth} elements inside each other"
        return problems.too_large(self.make_span(start), what)

    def clean_attributes(self, attributes: dict[str, str], start: int) -> dict[str, str]:
        """Return attributes without those of XML itself, and with those that are given as JSON."""
        cleaned = {_format_name(name): value for name, value in attributes.items()}
        cleaned = {name: value for name, value in cleaned.items() if not name.startswith(f"{{{_XML_NAMESPACE}}}")}
        spelled = cleaned.pop("x:json", None)
        if spelled is None:
            return cleaned
        try:
            json_values = strict_json(spelled)
        except JsonFault as fault:
            raise RefusedTextError(problems.bad_json(self.make_span(start), "`x:json`", str(fault))) from None
        if not isinstance(json_values, dict):
            raise RefusedTextError(problems.bad_json(self.make_span(start), "`x:json`", "it has to be an object"))
        texts = {name: value for name, value in json_values.items() if isinstance(value, str)}
        if len(texts) != len(json_values) or texts.keys() & cleaned.keys():
            reason = "its values have to be strings, and its keys must not repeat existing attributes"
            raise RefusedTextError(problems.bad_json(self.make_span(start), "`x:json`", reason))
        return cleaned | texts

    def handle_end(self, _name: str) -> None:
        end = self.parser.CurrentByteIndex - self.n_before
        words, elements, data = self.words, self.elements, self.data
        if words or elements or data[end - 2 : end] != b"/>":  # otherwise expat has already passed the element
            if self.n_before and (end < len(data)) == (len(self.stack) == 1):
                raise RefusedTextError(self.report_wrong_end(end))
            end = data.find(b">", end) + 1 or len(data)
        name, attributes, start, self.words, outer = self.stack.pop()
        self.elements = outer
        text = words[0] if len(words) == 1 else "".join(words)
        # As `Element(...)`, whose arguments are matched in Python; there are a million of them.
        outer.append(tuple.__new__(Element, (name, attributes, text, tuple(elements), start, end, self.offsets)))

    def report_wrong_end(self, end: int) -> Diagnostic:
        """Return the diagnostic for an end tag that closes the wrapper, or an element that only the wrapper closes."""
        text, at = self.source.text, self.offsets.count_code_points(end)
        if len(self.stack) == 1:
            return stray_end_tag(text, at)
        return unclosed_element(text, self.stack[-1][0], self.offsets.count_code_points(self.stack[-1][2]))

    def handle_text(self, text: str) -> None:
        self.words.append(text)

    def handle_doctype(self, *_: object) -> None:
        at = self.offsets.count_code_points(self.parser.CurrentByteIndex - self.n_before)
        at = self.source.text.rfind("<!DOCTYPE", 0, at + len("<!DOCTYPE"))
        raise RefusedTextError(problems.document_type(Span(at, at + len("<!DOCTYPE"))))

    def handle_instruction(self, target: str, _data: str) -> None:
        span = self.make_span(self.parser.CurrentByteIndex - self.n_before, len(target) + 2)
        if not self.is_lenient:
            raise RefusedTextError(problems.processing_instruction(span, target))
        if len(self.repairs) >= self.limits.repairs:
            raise RefusedTextError(problems.too_large(span, f"{self.limits.repairs:,} things to repair"))
        lost = f"the processing instruction `<?{target} ...?>`"
        self.repairs.append(Repair(span, f"{lost} is left out", lost))

    def handle_declaration(self, version: str, encoding: str | None, _standalone: int) -> None:
        span = Span(0, self.source.text.find("?>") + 2)
        if encoding is not None and encoding.lower() not in {"utf-8", "utf8"}:
            raise RefusedTextError(problems.wrong_encoding(span, f"declared as `{encoding}`"))
        if version is not None and version != "1.0":
            raise RefusedTextError(problems.wrong_version(span, version))


def _format_name(name: str) -> str:
    """Convert a name of expat to the form of trees."""
    namespace, _, local = name.rpartition(" ")
    if not namespace:
        return local
    return f"x:{local}" if namespace == NAMESPACE else f"{{{namespace}}}{local}"


_WHOLE_TAG = re.compile(r"""<[^>"']*+""" + repeat_possessively(r""""[^"]*+"[^>"']*+|'[^']*+'[^>"']*+""") + ">")
_ONE_ATTRIBUTE = re.compile(r"""\s([^\s=<>"'/]++)\s*+=\s*+(?:"[^"]*+"|'[^']*+')""")
_NOTHING = re.compile(repeat_possessively(r"\s++|<!--.*?-->|<\?.*?\?>"), re.DOTALL)


def find_start_tag(text: str, element: Element) -> Span:
    """Return the start tag of an element; a single character if the source has none."""
    match = _WHOLE_TAG.match(text, element.span.start)
    return Span(match.start(), match.end()) if match else Span(element.span.start, element.span.start + 1)


def find_attribute(text: str, element: Element, name: str) -> Span:
    """Return the span of an attribute with its value; the start tag if it is not written as an attribute."""
    tag = find_start_tag(text, element)
    local = name.rpartition("}")[2].removeprefix("x:")
    for match in _ONE_ATTRIBUTE.finditer(text, tag.start, tag.end):
        if match[1] == name or match[1].rpartition(":")[2] == local:
            return Span(match.start(1), match.end())
    return tag


def find_gaps(text: str, element: Element) -> Iterator[tuple[int, int]]:
    """Yield the gaps for text in an element of the source: before, between and after its elements."""
    at = find_start_tag(text, element).end
    for child in element.elements:
        yield at, child.span.start
        at = child.span.end
    yield at, max(text.rfind("<", at, element.span.end), at)


def find_loose_text(text: str, element: Element) -> Span:
    """Return the first text between the elements of an element."""
    is_written = element.name != "prompt" or text.startswith("<prompt", element.span.start)
    at = find_start_tag(text, element).end if is_written else element.span.start
    for child in element.elements:
        at = _find_first_word(text, at)
        if at < child.span.start:
            break
        at = child.span.end
    at = min(_find_first_word(text, at), len(text) - 1)
    ends = (text.find("\n", at), text.find("<", at + 1), len(text))
    return Span(at, max(min(end for end in ends if end >= 0), at + 1))


def _find_first_word(text: str, at: int) -> int:
    """Return the offset after white space, comments and instructions."""
    match = _NOTHING.match(text, at)
    return match.end() if match else at
