"""Analyse a block, or a text that is drawn like one, for the figure that its options request."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.workspace.read_block import BlockText, Finding

if TYPE_CHECKING:
    from acdl_mkdocs.drawing.figure.describe import View
    from acdl_mkdocs.foundation.config import Config
    from acdl_mkdocs.language.names.library import Library
    from acdl_mkdocs.language.names.resolve import Resolved


@dataclass(frozen=True, slots=True)
class Examined:
    """A text that has been analysed for a figure."""

    resolved: "Resolved"
    view: "View"
    """The part that is drawn; never a missing definition."""
    findings: tuple[Finding, ...]


def examine_text(
    text: BlockText,
    config: "Config",
    library: "Library | None" = None,
    *,
    is_checked: bool = True,
) -> Examined:
    """Analyse a text for the figure that its options request.

    Parameters:
        text: The text and its options, which determine how ranges are read.
        config: How it is checked.
        library: Definitions of other texts that this one may use.
        is_checked: Whether the rules check it; without them only text that is not understood is reported.
    """
    from acdl_mkdocs.drawing.figure.describe import View
    from acdl_mkdocs.language.analyse import analyse, parse_and_resolve

    options = text.options
    if is_checked:
        analysis = analyse(text.source, replace(config, range=options.range), library)
    else:
        analysis = parse_and_resolve(text.source, library)
    findings: list[Finding] = [(diagnostic, text.source) for diagnostic in analysis.diagnostics]
    spec = options.spec
    if spec and spec not in analysis.resolved.definitions:
        span, source = text.find_option("spec")
        findings.append((_unknown_spec(spec, span, analysis.resolved.definitions), source))
        spec = ""
    view = View(spec=spec, comments=options.comments, header=options.header, range=options.range)
    if text.header and not findings and options.show != "source" and _is_empty_figure(analysis.resolved, view):
        findings.append((_nothing_to_draw(text.header), text.header))
    return Examined(analysis.resolved, view, tuple(findings))


def _is_empty_figure(resolved: "Resolved", view: "View") -> bool:
    """Return whether the figure of a text would be empty: it has only comments and declarations."""
    from acdl_mkdocs.drawing.figure.describe import describe
    from acdl_mkdocs.language.syntax.nodes import Comment, Declaration

    if not all(isinstance(item, (Comment, Declaration)) for item in resolved.parsed.file.items):
        return False
    return not describe(resolved, view).children


def source_of(examined: Examined) -> str:
    """Return the text of the one definition that is drawn, with the comments directly above it; or the whole text."""
    file, source = examined.resolved.parsed.file, examined.resolved.source
    if not examined.view.spec:
        return source.text
    node = examined.resolved.definitions[examined.view.spec][0].node
    first = source.line_index(node.span.start)
    for item in reversed(file.items):
        if item.span.end <= node.span.start:
            if type(item).__name__ != "Comment" or source.line_index(item.span.start) != first - 1:
                break
            first -= 1
    return source.text[source.line_starts[first] : node.span.end]


def _unknown_spec(spec: str, span: Span, definitions: Iterable[str]) -> Diagnostic:
    from acdl_mkdocs.foundation.wording import find_closest

    names = sorted(definitions)
    near = find_closest(spec, names)
    listed = ", ".join(f"`{name}`" for name in names)
    cure = f"did you mean `{near}`?" if near else f"it defines {listed}" if listed else "it defines nothing"
    label = Label(span, "the text does not define it")
    return error("unknown-spec", f"there is no spec named `{spec}`", label, help=cure)


def _nothing_to_draw(header: Source) -> Diagnostic:
    label = Label(Span(0, len(header.text)), "only comments and declarations follow")
    return error("empty-block", "the block has nothing to draw", label, help=("write a spec", "`show=source`"))
