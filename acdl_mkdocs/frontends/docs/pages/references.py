"""References in the prose of a page: `[the loop](acdl:React1#mark-2)`, and the older `[[acdl:React1#mark-2|the loop]]`.

Returns the address of a link, and reports one that leads nowhere. Knows no docs tool.
"""

import re
from collections.abc import Collection, Iterator
from html import escape
from urllib.parse import unquote

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, note, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.language.syntax.letters import normalize_name

SCHEME = "acdl:"
"""The prefix of a link target that names a spec."""

PATTERN = r"\[\[acdl:([^\[\]|#\\\n]+)(?:#([^\[\]|\\\n]*))?(?:\\?\|([^\[\]\n]+))?\]\]"
"""Name of a spec or fragment; a part of its figure, such as `mark-2` or `line-12`; words in place of the name. In the
cell of a table the bar before the words is escaped."""

BEGINNING = r"\[\[acdl:(?:(?!\]\])[^\n]){0,60}(?:\]\])?"
"""The beginning of a reference, up to its end or that of the line; searched where `PATTERN` does not match."""

_TARGET = compile_later(
    r"(?P<inline>\]\([ \t]*+\n?[ \t]*+)(?:<(?P<pointed>acdl:[^<>\n]*)>|(?P<plain>acdl:[^\s<>()]*))"
    r"(?=[ \t]*+(?:\)|\n?[ \t]*+[\"'(]))"
    r"|^[ \t>]*\[(?!\^)(?:\\.|[^\[\]\\\n])+\]:[ \t]*<?(?P<defined>acdl:[^\s<>]*)",
    re.MULTILINE,
)
_LONGEST_WORDS = 1000
"""The distance before its target within which the words of a link are searched."""
_KINDS = ("mark", "line")
"""Kinds of parts that every figure may have, by number."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference as its author wrote it."""

    name: str
    part: str
    """A part of the figure, such as `mark-2`; empty for the whole."""
    words: str = ""
    """The words to show instead of the name; a link keeps its own words."""
    source_text: str = ""
    """The source: all of a reference, or the target of a link."""
    is_link: bool = True

    @property
    def display_text(self) -> str:
        """The text for readers if it is not a link."""
        return make_printable(self.words or self.name)

    def example_of(self, name: str) -> str:
        """Return the same reference to something else, in the author's form."""
        return f"{SCHEME}{name}" if self.is_link else f"[[{SCHEME}{name}]]"


def parse_brackets(match: re.Match[str]) -> Reference:
    """Parse a match of `PATTERN`."""
    name, part, words = ((each or "").strip() for each in match.groups())
    return Reference(normalize_name(name), part, words, match[0], is_link=False)


def parse_target(target: str) -> Reference:
    """Parse the target of a link: `acdl:React1#mark-2`."""
    name, _, part = unquote(target).removeprefix(SCHEME).partition("#")
    return Reference(normalize_name(name.strip()), part.strip(), source_text=target)


def find_targets(prose: str) -> Iterator[tuple[str, Span]]:
    """Yield the targets of links that name specs, with their places; also those of link definitions.

    Parameters:
        prose: A page with code blanked out.
    """
    for match in _TARGET.finditer(prose) if SCHEME in prose else ():
        group = next(name for name in ("pointed", "plain", "defined") if match[name] is not None)
        if not match["inline"] or _has_words(prose, match.start()):
            yield match[group], Span(*match.span(group))


def _has_words(prose: str, end: int) -> bool:
    """Return whether the words of a link begin before its closing bracket: not escaped, and not those of an image."""
    depth = 0
    for at in range(end, max(end - _LONGEST_WORDS, -1), -1):
        sign = prose[at]
        if sign in "[]" and not _is_escaped(prose, at):
            depth += 1 if sign == "]" else -1
            if depth == 0:
                return prose[at - 1 : at] != "!" or _is_escaped(prose, at - 1)
    return False


def _is_escaped(text: str, at: int) -> bool:
    before = text[max(at - 20, 0) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def address_of(reference: Reference, page: Page, number: int) -> str:
    """Return the address of a reference; empty if it is broken, which is reported.

    Parameters:
        reference: The reference.
        page: The page of the reference.
        number: How many of the same references are on the page before.
    """
    if problems_of(reference, page, Span(0, 0)):  # its position is searched only then
        source, span = _find_position(reference, page, number)
        for diagnostic in problems_of(reference, page, span):
            _report_problem(diagnostic, source, page)
    address = next(iter(page.catalog.find_figures(reference.name)), "")
    if not address or not reference.part:
        return address
    parts = page.catalog.find_parts(reference.name, address)
    return f"{address.partition('#')[0]}#{parts[reference.part]}" if reference.part in parts else ""


def _find_position(reference: Reference, page: Page, number: int) -> tuple[Source, Span]:
    if not reference.is_link:
        return page.find_position(reference.source_text, number)

    def spans_in(prose: str) -> Iterator[Span]:
        return (span for target, span in find_targets(prose) if unquote(target) == unquote(reference.source_text))

    return page.find_position_in_prose(reference.source_text, number, spans_in)


def render_reference(reference: Reference, page: Page, number: int) -> str:
    """Render a reference in brackets as HTML; the parameters are those of `address_of`."""
    address = address_of(reference, page, number)
    label = escape(reference.display_text) if reference.words else f"<code>{escape(reference.display_text)}</code>"
    if not address:
        return f'<span class="acdl-broken-reference">{label}</span>'
    return f'<a class="acdl-reference" href="{escape(address)}">{label}</a>'


def problems_of(reference: Reference, page: Page, span: Span) -> list[Diagnostic]:
    """Return the problems of a reference.

    Parameters:
        reference: The reference.
        page: The page of the reference.
        span: Its place.
    """
    if not reference.name:
        return [no_reference(reference.source_text, span)]
    places = page.catalog.find_figures(reference.name)
    address = next(iter(places), "")
    parts = page.catalog.find_parts(reference.name, address) if reference.part and address else {}
    problems = [
        *_list_problems(reference, places, page, span),
        *(_missing_part(reference, parts, span) if reference.part else ()),
    ]
    return problems if address else problems[:1]


def report_malformed(words: str, page: Page) -> None:
    """Report text that begins like a reference but is none.

    Parameters:
        words: The beginning, up to its end or that of the line.
        page: The page of the reference.
    """
    source, span = page.find_position(words, 0)
    _report_problem(no_reference(words, span), source, page)


def no_reference(words: str, span: Span) -> Diagnostic:
    """Return the problem of text that begins like a reference but is none."""
    cure = "write `[words](acdl:Name)` or `[words](acdl:Name#mark-2)`"
    message = f"`{make_printable(words.strip())}` is not a reference"
    return error("unknown-reference", message, Label(span, "begins like one"), help=cure)


def _missing_part(reference: Reference, parts: Collection[str], span: Span) -> Iterator[Diagnostic]:
    name, part = reference.name, reference.part
    if part not in parts:
        kind = part.partition("-")[0]
        same_kind = [each for each in parts if each.partition("-")[0] == kind]
        near = find_closest(part, same_kind) or next(iter(same_kind), None)
        if near is None and kind not in _KINDS:
            near = find_closest(part, parts)
        cure = f"refer to the whole figure: `{reference.example_of(name)}`"
        cure = f"did you mean `{reference.example_of(f'{name}#{near}')}`?" if near else cure
        message = f"the figure of `{name}` has no part `{part}`"
        yield error("unknown-reference", message, Label(span, "leads nowhere"), help=cure)


def _list_problems(reference: Reference, places: dict[str, Source], page: Page, span: Span) -> Iterator[Diagnostic]:
    name = reference.name
    if not places:
        near = _with_part(name, page.catalog.names) or find_closest(name, page.catalog.names)
        cure = (
            f"did you mean `{reference.example_of(near)}`?"
            if near
            else "name a spec that a page or a spec file defines"
        )
        message = f"no spec or fragment of this site is named `{name}`"
        report = note if page.catalog.has_unread else error  # text inserted by another tool may define it
        yield report("unknown-reference", message, Label(span, "leads nowhere"), help=cure)
    texts: dict[str, Source] = {}
    for each in places.values():
        texts.setdefault(each.text, each)
    if len(texts) > 1:
        defined = ", ".join(_place_of(name, each) for each in texts.values())
        message = f"`{name}` is defined in {len(texts)} places: {defined}"
        cure = "give them different names, or link to the figure that is meant"
        yield warning("ambiguous-reference", message, Label(span, "leads to the first"), help=cure)


def _place_of(name: str, source: Source) -> str:
    """Return the file and line where a text defines a name."""
    from acdl_mkdocs.language.names.library import definitions_of
    from acdl_mkdocs.language.syntax.parse import parse

    entries = definitions_of(parse(source)).get(name)
    return f"{source.name}:{source.find_place(entries[0].node.span.start).line if entries else source.first_line}"


def _with_part(name: str, names: Collection[str]) -> str:
    """Return the likely meaning of a name with a hyphenated part, as in anchors: `Chat#mark-2` for `Chat-mark-2`."""
    spec, hyphen, part = name.partition("-")
    return f"{spec}#{part}" if hyphen and part and spec in names else ""


def _report_problem(diagnostic: Diagnostic, source: Source, page: Page) -> None:
    from acdl_mkdocs.foundation.reports.log_line import format_line_with_help

    page.report(diagnostic.severity, format_line_with_help(diagnostic, source))
