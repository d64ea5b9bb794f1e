"""References in the prose of a page: `[[acdl:React1]]`, `[[acdl:React1#mark-2]]`, `[[acdl:React1|the loop]]`.

Gives the HTML of a link, and reports one that leads nowhere. Knows no docs tool.
"""

import re
from collections.abc import Collection, Iterator
from html import escape

from acdl_mkdocs.diagnostics import Diagnostic, Label, error, note, warning
from acdl_mkdocs.site.files import printable
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.source import Source, Span
from acdl_mkdocs.suggest import closest
from acdl_mkdocs.syntax.letters import canonical

PATTERN = r"\[\[acdl:([^\[\]|#\\\n]+)(?:#([^\[\]|\\\n]*))?(?:\\?\|([^\[\]\n]+))?\]\]"
"""Name of a spec or fragment; a part of its figure, such as `mark-2` or `line-12`; words in place of the name. In the
cell of a table the bar before the words is escaped."""

BEGINNING = r"\[\[acdl:(?:(?!\]\])[^\n]){0,60}(?:\]\])?"
"""What begins like a reference, up to its end or that of the line; looked for where `PATTERN` finds nothing."""

_KINDS = ("mark", "line")
"""Parts of which every figure may have some, by number."""


def reference(found: re.Match[str], page: Page, number: int) -> str:
    """The link that a reference becomes.

    Parameters:
        found: What `PATTERN` found.
        page: Where it stands.
        number: How often the same words stood on the page before.
    """
    name = canonical(found[1].strip())
    part, words = (found[2] or "").strip(), (found[3] or "").strip()
    places = page.catalog.find(name)
    address = next(iter(places), "")
    parts = page.catalog.parts(name, address) if part and address else {}
    source, span = page.place_of(found[0], number)
    for diagnostic in problems_of(found, page, span):
        _tell(diagnostic, source, page)
    shown = escape(printable(words)) if words else f"<code>{escape(printable(name))}</code>"
    if not address or (part and part not in parts):
        return f'<span class="acdl-broken-reference">{shown}</span>'
    if part:
        address = f"{address.partition('#')[0]}#{parts[part]}"
    return f'<a class="acdl-reference" href="{escape(address)}">{shown}</a>'


def problems_of(found: re.Match[str], page: Page, span: Span) -> list[Diagnostic]:
    """What is wrong with a reference.

    Parameters:
        found: What `PATTERN` found.
        page: Where it stands.
        span: Its place.
    """
    name, part = canonical(found[1].strip()), (found[2] or "").strip()
    places = page.catalog.find(name)
    address = next(iter(places), "")
    parts = page.catalog.parts(name, address) if part and address else {}
    problems = [*_problems(name, places, page, span), *(_missing_part(name, part, parts, span) if part else ())]
    return problems if address else problems[:1]


def words_of(found: re.Match[str]) -> str:
    """What a reader sees of a reference."""
    return printable((found[3] or "").strip() or canonical(found[1].strip()))


def malformed(words: str, page: Page) -> None:
    """Report what begins like a reference and is none.

    Parameters:
        words: How it begins, up to its end or that of the line.
        page: Where it stands.
    """
    source, span = page.place_of(words, 0)
    _tell(no_reference(words, span), source, page)


def no_reference(words: str, span: Span) -> Diagnostic:
    """What is wrong with something that begins like a reference and is none."""
    cure = "write `[[acdl:Name]]`, `[[acdl:Name#mark-2]]` or `[[acdl:Name|words]]`, with plain words"
    message = f"`{printable(words.strip())}` is no reference"
    return error("unknown-reference", message, Label(span, "begins like one"), help=cure)


def _missing_part(name: str, part: str, parts: Collection[str], span: Span) -> Iterator[Diagnostic]:
    if part not in parts:
        kind = part.partition("-")[0]
        same_kind = [each for each in parts if each.partition("-")[0] == kind]
        near = closest(part, same_kind) or next(iter(same_kind), None)
        if near is None and kind not in _KINDS:
            near = closest(part, parts)
        cure = f"did you mean `[[acdl:{name}#{near}]]`?" if near else f"refer to the whole figure: `[[acdl:{name}]]`"
        message = f"the figure of `{name}` has no part `{part}`"
        yield error("unknown-reference", message, Label(span, "leads nowhere"), help=cure)


def _problems(name: str, places: dict[str, Source], page: Page, span: Span) -> Iterator[Diagnostic]:
    if not places:
        near = _with_part(name, page.catalog.names) or closest(name, page.catalog.names)
        cure = f"did you mean `[[acdl:{near}]]`?" if near else "name a spec that a page or a spec file defines"
        message = f"no spec or fragment of this site is named `{name}`"
        report = note if page.catalog.has_unread else error  # what another tool puts in may define it
        yield report("unknown-reference", message, Label(span, "leads nowhere"), help=cure)
    texts = {each.text for each in places.values()}
    if len(texts) > 1:
        files = ", ".join(f"{each.name}:{each.first_line}" for each in places.values())
        message = f"`{name}` is defined in {len(texts)} places: {files}"
        cure = "give them different names, or link to the figure that is meant"
        yield warning("ambiguous-reference", message, Label(span, "leads to the first"), help=cure)


def _with_part(name: str, names: Collection[str]) -> str:
    """What is meant by a name with a part behind a hyphen, as anchors have it: `Chat#mark-2` for `Chat-mark-2`."""
    spec, hyphen, part = name.partition("-")
    return f"{spec}#{part}" if hyphen and part and spec in names else ""


def _tell(diagnostic: Diagnostic, source: Source, page: Page) -> None:
    from acdl_mkdocs.reports.log_line import line_with_cure

    page.report(diagnostic.severity, line_with_cure(diagnostic, source))
