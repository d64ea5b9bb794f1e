"""References in the text of a page as those of the domain's roles: `[the loop](acdl:React1)` and `[[acdl:React1]]`.

MyST treats the link as one to a page that does not exist, in reStructuredText it is one to a site; before either is
resolved, it is replaced. Knows no figure and no page.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from docutils import nodes
from docutils.utils import get_source_line
from sphinx.addnodes import pending_xref
from sphinx.transforms import SphinxTransform

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.docs.pages.references import (
    BEGINNING,
    PATTERN,
    SCHEME,
    Reference,
    no_reference,
    parse_brackets,
    parse_target,
)
from acdl_mkdocs.frontends.docs.sphinx.settings import report_problem

_CODE = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.raw, nodes.reference, pending_xref)
"""Nodes in which a reference does not count."""

_START = re.compile("\\[\0?\\[acdl:")
"""The beginning of a reference in a text; docutils leaves a character where a backslash was, MyST does not."""
_REFERENCE_START = re.compile(r"(?<!\\)((?:\\\\)*)(\\?)\[(\\?)\[acdl:")
"""The beginning in the source of a page, where a backslash escapes it."""


class TakeReferences(SphinxTransform):
    """Replaces the words of a reference by one that is still to be resolved."""

    default_priority = 400  # the tree is complete, and nothing is resolved yet

    def apply(self, **kwargs: Any) -> None:
        """Replace the references of a document."""
        del kwargs
        escaped: dict[nodes.Node, list[bool]] = {}  # of each paragraph, the unprocessed rest
        for text in list(self.document.findall(nodes.Text)):
            n_here = len(_START.findall(text))
            if not n_here:
                continue
            block = _block_of(text)
            if block not in escaped:
                escaped[block] = _escaped_in(block)
            flags, escaped[block] = escaped[block][:n_here], escaped[block][n_here:]
            if not _is_in_code(text):
                text.parent.replace(text, list(self._split_text(text, flags)))

    def _split_text(self, text: nodes.Text, escaped: Sequence[bool]) -> Iterator[nodes.Node]:
        words, end = str(text), 0
        for match in re.finditer(f"{PATTERN}|{BEGINNING}", words):
            if any(escaped[len(_START.findall(words, 0, match.start())) :][:1]):
                continue
            full_match = re.fullmatch(PATTERN, match[0])
            if full_match is None:
                problem = no_reference(match[0], Span(0, 0))
                report_problem("warning", problem.rule, f"{problem.message}; {problem.help[0]}", _block_of(text))
                continue
            if match.start() > end:
                yield nodes.Text(words[end : match.start()])
            yield self._make_bracket_reference(parse_brackets(full_match), text)
            end = match.end()
        if end < len(words):
            yield nodes.Text(words[end:])

    def _make_bracket_reference(self, target: Reference, text: nodes.Text) -> pending_xref:
        node_class = nodes.inline if target.words else nodes.literal
        reference = _pending_reference(
            target, node_class("", target.display_text), self.env.docname, is_explicit=bool(target.words)
        )
        reference.source, reference.line = get_source_line(text.parent)
        return reference


class TakeLinks(SphinxTransform):
    """Replaces a link whose target names a spec by such a reference."""

    default_priority = 700  # docutils knows the targets of all links, and nothing is resolved yet

    def apply(self, **kwargs: Any) -> None:
        """Replace the links of a document."""
        del kwargs
        for link in list(_links_to_specs(self.document)):
            link.parent.replace(link, self._make_link_reference(link))

    def _make_link_reference(self, link: nodes.Element) -> pending_xref:
        """Return the same for a link, which keeps its words; one without any shows the name."""
        target = parse_target(_target_of(link))
        words = link.astext().strip()
        is_explicit = bool(words) and words != target.source_text
        label = nodes.inline("", "", *link.children) if is_explicit else nodes.literal("", target.display_text)
        reference = _pending_reference(target, label, self.env.docname, is_explicit=is_explicit)
        reference.source, reference.line = get_source_line(link)
        if link.get("reftitle"):
            reference["reftitle"] = link["reftitle"]
        return reference


def _pending_reference(target: Reference, label: nodes.Element, docname: str, *, is_explicit: bool) -> pending_xref:
    role = "mark" if target.part else "ref"
    label["classes"] += ["xref", "acdl", f"acdl-{role}"]
    return pending_xref(
        target.source_text,
        label,
        refdomain="acdl",
        reftype=role,
        reftarget=f"{target.name}-{target.part}" if target.part else target.name,
        refexplicit=is_explicit,
        refwarn=True,
        refdoc=docname,
    )


def _target_of(link: nodes.Element) -> str:
    if isinstance(link, pending_xref):
        return str(link.get("reftarget", "")) if link.get("reftype") == "myst" else ""
    return str(link.get("refuri", ""))


def _links_to_specs(document: nodes.document) -> Iterator[nodes.Element]:
    for kind in (pending_xref, nodes.reference):
        yield from (link for link in document.findall(kind) if _target_of(link).startswith(SCHEME))


def _block_of(text: nodes.Text) -> nodes.Node:
    """Return the paragraph, title or similar element that contains a text."""
    node: nodes.Node = text.parent
    while isinstance(node, nodes.Inline) and node.parent is not None:
        node = node.parent
    return node


def _escaped_in(block: nodes.Node) -> list[bool]:
    """Return for everything in a block that looks like a reference whether its author escaped it."""
    written = [bool(match[2] or match[3]) for match in _REFERENCE_START.finditer(getattr(block, "rawsource", ""))]
    return written if len(written) == len(_START.findall(block.astext())) else []


def _is_in_code(text: nodes.Text) -> bool:
    node: nodes.Node | None = text.parent
    while node is not None:
        if isinstance(node, _CODE):
            return True
        node = node.parent
    return False
