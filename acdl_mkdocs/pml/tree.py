"""`read_tree()`: XML as elements with places, strictly and within limits; knows no element of PML.

No document type, no entity but the five of XML, no processing instruction, no encoding but UTF-8: nothing is fetched
and nothing is expanded. Comments and attributes of XML itself, such as `xml:lang`, are left out.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple
from xml.parsers import expat

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.possessive import possessive
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.pml import problems, xml_problems
from acdl_mkdocs.pml.faults import named
from acdl_mkdocs.pml.grammar import NAMESPACE
from acdl_mkdocs.pml.incoming import Offsets, RefusedTextError, check_tags, decoded, encoded
from acdl_mkdocs.pml.limits import LIMITS, Limits
from acdl_mkdocs.pml.malformed import closes_nothing, malformed, never_closed
from acdl_mkdocs.pml.problems import Repair
from acdl_mkdocs.pml.strict_json import JsonFault, strict_json

_XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
_WRAPPER = b"<prompt>"
_DECLARATION = re.compile(rb"\A\s*<\?xml\s[^>]*\?>")
_VALUE = re.compile(rb""""[^"]*+"|'[^']*+'""")
_TAG = re.compile(b"<call" + possessive(r"""[^>"']++|"[^"]*+"|'[^']*+'""").encode() + b">")
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
"""Errors of something before or behind the first element."""


class Element(NamedTuple):
    """An element. Names of the extension begin with `x:`, those of another namespace with it in braces."""

    name: str
    attributes: Mapping[str, str]
    text: str
    """All text that stands directly in it."""
    elements: tuple["Element", ...]
    """The elements directly in it."""
    start: int
    """First byte of its start tag; one that only the reader has put there begins before the document."""
    end: int
    """Behind its end tag."""
    offsets: Offsets
    """Of the bytes of the document."""

    @property
    def span(self) -> Span:
        """Where it stands in the source."""
        return Span(self.offsets.of(self.start), self.offsets.of(self.end))


@dataclass(frozen=True, slots=True)
class Tree:
    """What a text says as XML."""

    root: Element | None
    """`None` where it is no XML, or too much of it."""
    source: Source
    problems: tuple[Diagnostic, ...] = ()
    repairs: tuple[Repair, ...] = ()
    is_loose: bool = False
    """Whether it is refused because there is something before or behind its first element."""


def read_tree(
    text: str | bytes,
    name: str = "<pml>",
    limits: Limits = LIMITS,
    *,
    is_lenient: bool = False,
    is_wrapped: bool = False,
) -> Tree:
    """The elements of a text.

    Parameters:
        text: Text, or bytes in UTF-8.
        name: What a person calls the file.
        limits: The most that it may have.
        is_lenient: Whether processing instructions are left out instead of refused.
        is_wrapped: Whether it has several roots, which are put into a `<prompt>`.
    """
    source = Source("" if isinstance(text, bytes) else text, name)
    try:
        data = encoded(text, limits)
        if isinstance(text, bytes):
            source = Source(decoded(data), name)
        builder = _Builder(source, data, limits, is_lenient=is_lenient, is_wrapped=is_wrapped)
        return Tree(builder.parsed(), source, tuple(builder.problems), tuple(builder.repairs))
    except RefusedTextError as refused:
        return Tree(None, source, (refused.problem,), is_loose=refused.is_loose)


class _Builder:
    """Takes what expat reports, in document order."""

    def __init__(self, source: Source, data: bytes, limits: Limits, *, is_lenient: bool, is_wrapped: bool) -> None:
        self.source = source
        self.data = _DECLARATION.sub(lambda found: b" " * len(found[0]), data) if is_wrapped else data
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

    def parsed(self) -> Element:
        check_tags(self.data)
        parser = self.parser
        parser.buffer_text = True
        parser.buffer_size = 65_536
        for name, handler in self.handlers().items():
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
                code, byte = self.unfinished()
            opened = self.stack[bool(self.n_before) :]
            innermost = (opened[-1][0], self.offsets.of(opened[-1][2])) if opened else None
            problem = malformed(self.source.text, code, self.offsets.of(min(byte, len(self.data))), innermost)
            raise RefusedTextError(problem, is_loose=code in _LOOSE) from None
        finally:
            for name in self.handlers():  # else parser and builder would keep each other, and the whole text
                setattr(parser, name, None)
        return self.elements[0]

    def unfinished(self) -> tuple[int, int]:
        """Number and byte of the error of a text that ends too early, as it is without the end of the wrapper."""
        parser = expat.ParserCreate("utf-8", " ")
        try:
            parser.Parse(_WRAPPER + self.data, True)
        except expat.ExpatError as error:
            return error.code, parser.ErrorByteIndex - self.n_before
        raise AssertionError("the wrapper is open")

    def handlers(self) -> dict[str, Callable[..., None]]:
        """What takes each kind of event."""
        return {
            "StartElementHandler": self.opened,
            "EndElementHandler": self.closed,
            "CharacterDataHandler": self.said,
            "StartDoctypeDeclHandler": self.has_doctype,
            "ProcessingInstructionHandler": self.has_instruction,
            "XmlDeclHandler": self.declared,
        }

    def span(self, byte: int, length: int = 1) -> Span:
        """A few characters at a byte."""
        at = self.offsets.of(byte)
        return Span(at, at + length)

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        start = self.parser.CurrentByteIndex - self.n_before
        self.n_elements += 1
        stack, limits = self.stack, self.limits
        if attributes:
            self.n_attributes += len(attributes)
            if name == "call":
                attributes = self.with_line_ends(attributes, start)
            if " " in "".join(attributes):
                attributes = self.named(attributes, start)
            if len(attributes) > limits.attributes or self.n_attributes > limits.all_attributes:
                raise RefusedTextError(self.too_many(start, len(attributes)))
        if len(stack) >= limits.depth or self.n_elements > limits.elements:
            raise RefusedTextError(self.too_many(start, len(attributes)))
        stack.append((_named(name) if " " in name else name, attributes, start, self.words, self.elements))
        self.words = []
        self.elements = []

    def with_line_ends(self, attributes: dict[str, str], start: int) -> dict[str, str]:
        """The attributes of a call with their line ends and tabs, which XML reads as spaces: they may be code."""
        found = _TAG.match(self.data, start)
        tag = found[0] if found is not None else b""
        if not _WHITE.search(tag):
            return attributes
        spelled = [(each["key"].decode(), each["value"][1:-1]) for each in _ATTRIBUTE.finditer(tag)]
        kept = [
            key for key, value in spelled if _WHITE.search(value) and key in attributes and key not in _NO_ARGUMENTS
        ]
        if not kept:
            return attributes
        said: dict[str, str] = {}
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = lambda _, own: said.update(own)
        referenced = _VALUE.sub(lambda value: _WHITE.sub(lambda white: b"&#%d;" % white[0][-1], value[0]), tag)
        parser.Parse(referenced, False)
        if len(self.problems) < _MOST_WARNINGS:
            self.problems.append(problems.raw_line_end(self.span(start, len("<call")), named(kept)))
        return {key: said[key] if key in kept else value for key, value in attributes.items()}

    def too_many(self, start: int, n_attributes: int) -> Diagnostic:
        """Which limit an element is over."""
        limits = self.limits
        what = f"{limits.all_attributes:,} attributes"
        if n_attributes > limits.attributes:
            what = f"{limits.attributes} attributes in one element"
        if self.n_elements > limits.elements:
            what = f"{limits.elements:,} elements"
        if len(self.stack) >= limits.depth:
            what = f"{limits.depth} elements inside each other"
        return xml_problems.too_large(self.span(start), what)

    def named(self, attributes: dict[str, str], start: int) -> dict[str, str]:
        """Attributes without those of XML itself, and with those that are given as JSON."""
        found = {_named(name): value for name, value in attributes.items()}
        found = {name: value for name, value in found.items() if not name.startswith(f"{{{_XML_NAMESPACE}}}")}
        spelled = found.pop("x:json", None)
        if spelled is None:
            return found
        try:
            more = strict_json(spelled)
        except JsonFault as fault:
            raise RefusedTextError(problems.bad_json(self.span(start), "`x:json`", str(fault))) from None
        if not isinstance(more, dict):
            raise RefusedTextError(problems.bad_json(self.span(start), "`x:json`", "it has to be an object"))
        texts = {name: value for name, value in more.items() if isinstance(value, str)}
        if len(texts) != len(more) or texts.keys() & found.keys():
            reason = "its values have to be strings, its keys no attributes that are there already"
            raise RefusedTextError(problems.bad_json(self.span(start), "`x:json`", reason))
        return found | texts

    def closed(self, _name: str) -> None:
        end = self.parser.CurrentByteIndex - self.n_before
        words, elements, data = self.words, self.elements, self.data
        if words or elements or data[end - 2 : end] != b"/>":  # else expat is behind the element already
            if self.n_before and (end < len(data)) == (len(self.stack) == 1):
                raise RefusedTextError(self.misclosed(end))
            end = data.find(b">", end) + 1 or len(data)
        name, attributes, start, self.words, outer = self.stack.pop()
        self.elements = outer
        text = words[0] if len(words) == 1 else "".join(words)
        # As `Element(...)`, whose arguments are matched in Python; there are a million of them.
        outer.append(tuple.__new__(Element, (name, attributes, text, tuple(elements), start, end, self.offsets)))

    def misclosed(self, end: int) -> Diagnostic:
        """An end tag of the text that would close the wrapper, or an element that only its end tag would close."""
        text, at = self.source.text, self.offsets.of(end)
        if len(self.stack) == 1:
            return closes_nothing(text, at)
        return never_closed(text, self.stack[-1][0], self.offsets.of(self.stack[-1][2]))

    def said(self, text: str) -> None:
        self.words.append(text)

    def has_doctype(self, *_: object) -> None:
        at = self.offsets.of(self.parser.CurrentByteIndex - self.n_before)
        at = self.source.text.rfind("<!DOCTYPE", 0, at + len("<!DOCTYPE"))
        raise RefusedTextError(xml_problems.document_type(Span(at, at + len("<!DOCTYPE"))))

    def has_instruction(self, target: str, _data: str) -> None:
        span = self.span(self.parser.CurrentByteIndex - self.n_before, len(target) + 2)
        if not self.is_lenient:
            raise RefusedTextError(xml_problems.processing_instruction(span, target))
        if len(self.repairs) >= self.limits.repairs:
            raise RefusedTextError(xml_problems.too_large(span, f"{self.limits.repairs:,} things to repair"))
        lost = f"the processing instruction `<?{target} ...?>`"
        self.repairs.append(Repair(span, f"{lost} is left out", lost))

    def declared(self, version: str, encoding: str | None, _standalone: int) -> None:
        span = Span(0, self.source.text.find("?>") + 2)
        if encoding is not None and encoding.lower() not in {"utf-8", "utf8"}:
            raise RefusedTextError(xml_problems.wrong_encoding(span, f"declared as `{encoding}`"))
        if version is not None and version != "1.0":
            raise RefusedTextError(xml_problems.wrong_version(span, version))


def _named(name: str) -> str:
    """A name as trees have it, from one that expat reports."""
    namespace, _, local = name.rpartition(" ")
    if not namespace:
        return local
    return f"x:{local}" if namespace == NAMESPACE else f"{{{namespace}}}{local}"
