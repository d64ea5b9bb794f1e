"""Check texts: each problem once, their counts, and the texts with their fixes.

The rules are loaded on first use, since the help of a command needs none of them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import format_count

if TYPE_CHECKING:
    from acdl_mkdocs.foundation.diagnostics import Fixed
    from acdl_mkdocs.workspace.inputs import Input
    from acdl_mkdocs.workspace.page_kinds import PageKind
    from acdl_mkdocs.workspace.read_block import Finding


@dataclass(frozen=True, slots=True)
class Checked:
    """The problems of texts."""

    findings: "tuple[Finding, ...]"

    @property
    def counts(self) -> Counter[str]:
        """Number of problems of each severity."""
        return Counter(diagnostic.severity for diagnostic, _ in self.findings)

    @property
    def summary(self) -> str:
        """The counts in words; empty if there are no problems."""
        counts = self.counts
        return ", ".join(format_count(counts[each], each) for each in ("error", "warning", "note") if counts[each])

    def is_fine(self, *, is_strict: bool) -> bool:
        """Whether there is no error and, if requested, no warning."""
        counts = self.counts
        return not (counts["error"] or (is_strict and counts["warning"]))


def check(inputs: "Iterable[Input]", spec: str | None = None) -> Checked:
    """Return the problems of related texts, of their headers, and of the states of blocks.

    Parameters:
        inputs: The texts.
        spec: Name of the one definition to report problems of.
    """
    from acdl_mkdocs.workspace.check import check_each, forget_parsed

    forget_parsed()
    inputs = tuple(inputs)
    pairs = zip(inputs, check_each(inputs), strict=True)
    return Checked(
        tuple(
            each
            for text_input, own in pairs
            for each in (own if spec is None else _select_inside(spec, text_input, own))
        )
    )


def _select_inside(spec: str, text_input: "Input", findings: "Iterable[Finding]") -> "Iterator[Finding]":
    """The problems inside a definition of a text."""
    spans = [each.node.span for each in text_input.examine_names().resolved.definitions.get(spec, ())]
    for diagnostic, source in findings:
        start = diagnostic.label.span.start
        if source is text_input.text.source and any(span.start <= start <= span.end for span in spans):
            yield diagnostic, source


def fix(
    text: str,
    read: "Callable[[str], Sequence[Input]]",
    *,
    unsafe: bool = False,
    page_kind: "PageKind | None" = None,
) -> "Fixed":
    """Apply the fixes of a text, or of the blocks of a page, until none is left.

    Parameters:
        text: The contents of the file.
        read: Returns the inputs to check in a changed text of the file.
        unsafe: Whether fixes are applied that may change what a spec means.
        page_kind: How the page is read; without it, the text is a spec.
    """
    from acdl_mkdocs.foundation.diagnostics import fix_until_stable
    from acdl_mkdocs.workspace.check import check_each
    from acdl_mkdocs.workspace.page_edits import fix_page

    def found(changed: str) -> "list[Finding]":
        return list(chain.from_iterable(check_each(read(changed))))

    if page_kind is not None:
        return fix_page(text, found, unsafe=unsafe, kind=page_kind)
    return fix_until_stable(text, lambda changed: [each for each, _ in found(changed)], unsafe=unsafe)
