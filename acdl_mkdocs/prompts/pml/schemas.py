"""`write_relax_ng()` and `write_xml_schema()`: the grammar for other programs, published with the package.

RELAX NG expresses all of it. XML Schema cannot express that an element has either text or elements, so it allows
both. Extension elements are checked for their namespace and their position only. What `validate.check_meaning` finds is
in neither.
"""

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from acdl_mkdocs.prompts.pml.grammar import (
    KINDS,
    NAMESPACE,
    ROOTS,
    Attribute,
    ElementGroup,
    ElementKind,
    OptionalSteps,
    Step,
)

_HEAD = "PML 1 and LAIC 1. Made from the grammar of acdl-mkdocs: change it there."
_XML_SCHEMA = "http://www.w3.org/2001/XMLSchema"


def write_relax_ng() -> str:
    """Return the grammar as RELAX NG, XML syntax."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<!-- {_HEAD} -->",
        '<grammar xmlns="http://relaxng.org/ns/structure/1.0"'
        f' datatypeLibrary="{_XML_SCHEMA}-datatypes" xmlns:x="{NAMESPACE}">',
        "  <start>",
        "    <choice>",
        *(f'      <ref name="{root}"/>' for root in ROOTS),
        "    </choice>",
        "  </start>",
    ]
    for kind in KINDS.values():
        if not kind.name.startswith("x:"):
            lines += ["", *_rng_kind(kind)]
    return "\n".join([*lines, "", *_RNG_EXTENSIONS, "</grammar>", ""])


_RNG_EXTENSIONS = (
    '  <define name="extension-attributes">',
    "    <zeroOrMore>",
    "      <attribute>",
    f'        <nsName ns="{NAMESPACE}"/>',
    "      </attribute>",
    "    </zeroOrMore>",
    "  </define>",
    "",
    '  <define name="extension">',
    "    <element>",
    f'      <nsName ns="{NAMESPACE}"/>',
    '      <ref name="anything"/>',
    "    </element>",
    "  </define>",
    "",
    '  <define name="anything">',
    "    <zeroOrMore>",
    "      <choice>",
    "        <text/>",
    "        <attribute>",
    "          <anyName/>",
    "        </attribute>",
    "        <element>",
    "          <anyName/>",
    '          <ref name="anything"/>',
    "        </element>",
    "      </choice>",
    "    </zeroOrMore>",
    "  </define>",
)


def _rng_kind(kind: ElementKind) -> Iterator[str]:
    yield f'  <define name="{kind.key}">'
    yield f'    <element name="{kind.name}">'
    yield f"      <!-- {escape(kind.summary)} -->"
    for attribute in kind.attributes:
        yield from _rng_attribute(attribute)
    if kind.has_any_attribute:
        yield from _rng_any_attribute(kind)
    yield '      <ref name="extension-attributes"/>'
    yield from _rng_content(kind)
    yield "    </element>"
    yield "  </define>"


def _rng_any_attribute(kind: ElementKind) -> Iterator[str]:
    yield "      <zeroOrMore>"
    yield "        <attribute>"
    yield '          <nsName ns="">'
    yield "            <except>"
    yield "              <choice>"
    yield from (f'                <name ns="">{attribute.name}</name>' for attribute in kind.attributes)
    yield "              </choice>"
    yield "            </except>"
    yield "          </nsName>"
    yield "        </attribute>"
    yield "      </zeroOrMore>"


def _rng_attribute(attribute: Attribute) -> Iterator[str]:
    inner = ["<text/>"]
    if attribute.choices:
        inner = ["<choice>", *(f"  <value>{choice}</value>" for choice in attribute.choices), "</choice>"]
    elif attribute.pattern:
        inner = [
            '<data type="string">',
            f'  <param name="pattern">{escape(attribute.pattern)}</param>',
            "</data>",
        ]
    lines = [f'<attribute name="{attribute.name}">', *(f"  {line}" for line in inner), "</attribute>"]
    if not attribute.is_required:
        lines = ["<optional>", *(f"  {line}" for line in lines), "</optional>"]
    return (f"      {line}" for line in lines)


def _rng_content(kind: ElementKind) -> Iterator[str]:
    models = [_rng_model(model) for model in kind.models]
    elements = models[0] if len(models) == 1 else ["<choice>", *_rng_groups(models), "</choice>"]
    if kind.extensions:
        anywhere = ["<zeroOrMore>", '  <ref name="extension"/>', "</zeroOrMore>"]
        elements = ["<interleave>", *_indent_lines(_rng_group(elements)), *_indent_lines(anywhere), "</interleave>"]
    if kind.is_text:
        elements = (
            ["<choice>", "  <text/>", *_indent_lines(_rng_group(elements)), "</choice>"] if elements else ["<text/>"]
        )
    return (f"      {line}" for line in elements or ["<empty/>"])


def _rng_groups(models: list[list[str]]) -> Iterator[str]:
    for model in models:
        yield from _indent_lines(_rng_group(model))


def _rng_group(lines: list[str]) -> list[str]:
    return ["<group>", *_indent_lines(lines), "</group>"] if lines else ["<empty/>"]


def _rng_model(model: tuple[Step, ...]) -> list[str]:
    lines: list[str] = []
    for step in model:
        if isinstance(step, OptionalSteps):
            lines += ["<optional>", *_indent_lines(_rng_model(step.steps)), "</optional>"]
        else:
            lines += _rng_some(step)
    return lines


def _rng_some(group: ElementGroup) -> list[str]:
    refs = [f'<ref name="{kind}"/>' for kind in group.kinds]
    lines = refs if len(refs) == 1 else ["<choice>", *_indent_lines(refs), "</choice>"]
    times = {(0, None): "zeroOrMore", (0, 1): "optional", (1, None): "oneOrMore"}.get((group.least, group.most))
    return [f"<{times}>", *_indent_lines(lines), f"</{times}>"] if times else lines


def _indent_lines(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def write_xml_schema() -> str:
    """Return the grammar as XML Schema 1.0."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<!-- {_HEAD} -->",
        f'<xs:schema xmlns:xs="{_XML_SCHEMA}">',
        *(f'  <xs:element name="{root}" type="{root}"/>' for root in ROOTS),
    ]
    for kind in KINDS.values():
        if not kind.name.startswith("x:"):
            lines += ["", *_xsd_kind(kind)]
    return "\n".join([*lines, "</xs:schema>", ""])


def _xsd_kind(kind: ElementKind) -> Iterator[str]:
    mixed = ' mixed="true"' if kind.is_text else ""
    yield f'  <xs:complexType name="{kind.key}"{mixed}>'
    yield "    <xs:annotation>"
    yield f"      <xs:documentation>{escape(kind.summary)}</xs:documentation>"
    yield "    </xs:annotation>"
    yield from (f"    {line}" for line in _xsd_content(kind))
    for attribute in kind.attributes:
        yield from _xsd_attribute(attribute)
    namespaces = f"##local {NAMESPACE}" if kind.has_any_attribute else NAMESPACE
    yield f'    <xs:anyAttribute namespace="{namespaces}" processContents="skip"/>'
    yield "  </xs:complexType>"


def _xsd_attribute(attribute: Attribute) -> Iterator[str]:
    use = ' use="required"' if attribute.is_required else ""
    if not attribute.choices and not attribute.pattern:
        yield f'    <xs:attribute name="{attribute.name}" type="xs:string"{use}/>'
        return
    yield f'    <xs:attribute name="{attribute.name}"{use}>'
    yield "      <xs:simpleType>"
    yield '        <xs:restriction base="xs:string">'
    yield from (f'          <xs:enumeration value="{choice}"/>' for choice in attribute.choices)
    if attribute.pattern:
        yield f"          <xs:pattern value={quoteattr(attribute.pattern)}/>"
    yield "        </xs:restriction>"
    yield "      </xs:simpleType>"
    yield "    </xs:attribute>"


def _xsd_content(kind: ElementKind) -> list[str]:
    anything = f'<xs:any namespace="{NAMESPACE}" processContents="skip" minOccurs="0" maxOccurs="unbounded"/>'
    extension = [anything] if kind.extensions else []
    models = [[*extension, *_xsd_model(model, extension)] for model in kind.models]
    if len(models) == 1:
        return _write_sequence(models[0])
    # a choice must not begin twice with the same wildcard, so it comes before the choice
    inner = [line for model in models for line in _indent_lines(_write_sequence(model[len(extension) :]))]
    return _write_sequence([*extension, "<xs:choice>", *inner, "</xs:choice>"])


def _write_sequence(lines: list[str], times: str = "") -> list[str]:
    return [f"<xs:sequence{times}>", *_indent_lines(lines), "</xs:sequence>"] if lines else []


def _xsd_model(model: tuple[Step, ...], extension: list[str]) -> list[str]:
    lines: list[str] = []
    for step in model:
        if isinstance(step, OptionalSteps):
            lines += _write_sequence(_xsd_model(step.steps, extension), ' minOccurs="0"')
        else:
            lines += _xsd_some(step, extension)
    return lines


def _xsd_some(group: ElementGroup, extension: list[str]) -> list[str]:
    """Return elements that each take the extensions after them, so that the content model is unambiguous."""
    most = "unbounded" if group.most is None else str(group.most)
    elements = [f'<xs:element name="{KINDS[kind].name}" type="{kind}"/>' for kind in group.kinds]
    lines = elements if len(elements) == 1 else ["<xs:choice>", *_indent_lines(elements), "</xs:choice>"]
    return _write_sequence([*lines, *extension], f' minOccurs="{group.least}" maxOccurs="{most}"')
