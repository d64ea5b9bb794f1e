"""References in the text of a page, `[[acdl:React1]]`, as those of the domain's roles. Knows no figure and no page."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from docutils import nodes
from docutils.utils import get_source_line
from sphinx.addnodes import pending_xref
from sphinx.transforms import SphinxTransform

from acdl_mkdocs.integrations.sphinx_report import tell
from acdl_mkdocs.site.references import BEGINNING, PATTERN, no_reference, words_of
from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.letters import canonical

_CODE = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.raw, nodes.reference, pending_xref)
"""What a reference in it is not one."""

_START = re.compile("\\[\0?\\[acdl:")
"""How one begins in a text; docutils leaves a sign where a backslash was, MyST does not."""
_WRITTEN = re.compile(r"(?<!\\)((?:\\\\)*)(\\?)\[(\\?)\[acdl:")
"""How one begins in the text of a page, where a backslash says that it is none."""


class TakeReferences(SphinxTransform):
    """Puts a reference that is still to be resolved into the place of its words."""

    default_priority = 400  # the tree is complete, and nothing is resolved yet

    def apply(self, **kwargs: Any) -> None:
        """Replace the references of a document."""
        del kwargs
        escaped: dict[nodes.Node, list[bool]] = {}  # of each paragraph, what is not looked at yet
        for text in list(self.document.findall(nodes.Text)):
            n_here = len(_START.findall(text))
            if not n_here:
                continue
            block = _block_of(text)
            if block not in escaped:
                escaped[block] = _escaped_in(block)
            here, escaped[block] = escaped[block][:n_here], escaped[block][n_here:]
            if not _is_in_code(text):
                text.parent.replace(text, list(self._split(text, here)))

    def _split(self, text: nodes.Text, escaped: Sequence[bool]) -> Iterator[nodes.Node]:
        words, end = str(text), 0
        for found in re.finditer(f"{PATTERN}|{BEGINNING}", words):
            if any(escaped[len(_START.findall(words, 0, found.start())) :][:1]):
                continue
            whole = re.fullmatch(PATTERN, found[0])
            if whole is None:
                problem = no_reference(found[0], Span(0, 0))
                tell("warning", problem.rule, f"{problem.message}; {problem.help[0]}", _block_of(text))
                continue
            if found.start() > end:
                yield nodes.Text(words[end : found.start()])
            yield self._reference(whole, text)
            end = found.end()
        if end < len(words):
            yield nodes.Text(words[end:])

    def _reference(self, found: re.Match[str], text: nodes.Text) -> pending_xref:
        name, part = canonical(found[1].strip()), (found[2] or "").strip()
        role, is_explicit = ("mark" if part else "ref"), bool((found[3] or "").strip())
        shown = nodes.inline if is_explicit else nodes.literal
        reference = pending_xref(
            found[0],
            shown("", words_of(found), classes=["xref", "acdl", f"acdl-{role}"]),
            refdomain="acdl",
            reftype=role,
            reftarget=f"{name}-{part}" if part else name,
            refexplicit=is_explicit,
            refwarn=True,
            refdoc=self.env.docname,
        )
        reference.source, reference.line = get_source_line(text.parent)
        return reference


def _block_of(text: nodes.Text) -> nodes.Node:
    """The paragraph, title or the like that a text is in."""
    node: nodes.Node = text.parent
    while isinstance(node, nodes.Inline) and node.parent is not None:
        node = node.parent
    return node


def _escaped_in(block: nodes.Node) -> list[bool]:
    """For everything in a block that looks like a reference, whether its author wrote a backslash there."""
    written = [bool(found[2] or found[3]) for found in _WRITTEN.finditer(getattr(block, "rawsource", ""))]
    return written if len(written) == len(_START.findall(block.astext())) else []


def _is_in_code(text: nodes.Text) -> bool:
    node: nodes.Node | None = text.parent
    while node is not None:
        if isinstance(node, _CODE):
            return True
        node = node.parent
    return False
