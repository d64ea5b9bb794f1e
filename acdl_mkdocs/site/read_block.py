"""What a fenced block asks for: its text, its options, and what is wrong with either.

Used by pages and by the command line alike. Draws nothing.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.site.files import include, printable
from acdl_mkdocs.site.options import BlockOptions, read_header
from acdl_mkdocs.source import Source, Span

if TYPE_CHECKING:
    from acdl_mkdocs.names.resolve import Resolved
    from acdl_mkdocs.site.fences import Fence

Finding = tuple[Diagnostic, Source]
"""A diagnostic and the text that its spans are of."""

_DEFINITION = (
    r"^[ \t]*+(?:(?:StrFrag|RolesFrag|RoleFrag|Prompt)[ \t]++)?"
    r"(?P<name>[^\W\d]\w*+)[ \t]*+(?P<indices>\[[^\]\n]*+\])?[ \t]*+:?[ \t]*+\{"
)
_WITHOUT_INDICES = frozenset(
    ("s", "u", "a", "t", "n", "system", "user", "assistant", "tool", "none", "else", "default")
)


@dataclass(frozen=True, slots=True)
class BlockText:
    """A block that has been read."""

    source: Source
    """The text to draw: that of the block, or of the file that it names; empty if there is none."""
    options: BlockOptions
    findings: tuple[Finding, ...]
    """What is wrong with the header, the file or the fence itself."""
    file: Path | None
    """The file that `src` names, whether it exists or not."""
    is_cut: bool
    """Whether the block is not closed, so that problems of its text say nothing."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A text that has been analysed for a figure."""

    resolved: "Resolved"
    spec: str
    """The definition to draw, empty for all; never one that does not exist."""
    findings: tuple[Finding, ...]


def read_block(fence: "Fence", name: str, defaults: BlockOptions, root: Path) -> BlockText:
    """Read header and text of a fence.

    Parameters:
        fence: As it stands in its file.
        name: What a person calls that file.
        defaults: Options that the header need not repeat.
        root: The project's folder, for `src`.
    """
    header = Source(printable(fence.opening), name, fence.first + 1, len(fence.prefix) + 1)
    read = read_header(header, defaults)
    options, found = read.options, list(read.diagnostics)
    source = Source(printable(fence.text), name, fence.first + 2, fence.column)
    file: Path | None = None
    if options.src:
        if source.text.strip():
            found.append(_text_ignored(header))
        included = include(options.src, header, root)
        found += included.diagnostics
        file = included.path
        source = included.source or replace(source, text="")
        options = replace(options, spec=options.spec or included.spec)
    elif not source.text.strip():
        label = Label(Span(0, len(header.text)), "nothing follows this line")
        found.append(error("empty-block", "the block is empty", label, help="write a spec, or name a file with `src`"))
    if not fence.is_closed:
        found.append(_unclosed(header, fence))
    findings = tuple((diagnostic, header) for diagnostic in found)
    return BlockText(source, options, findings, file, is_cut=not fence.is_closed)


def examine(source: Source, options: BlockOptions, *, is_snippet: bool) -> Examined:
    """Analyse a text for the figure that the options ask for; `is_snippet` accepts one without a title."""
    from acdl_mkdocs.analyse import analyse
    from acdl_mkdocs.config import Config

    analysis = analyse(source, Config(range=options.range, snippet=is_snippet))
    found = list(analysis.diagnostics)
    spec = options.spec
    if spec and spec not in analysis.resolved.definitions:
        found.append(_unknown_spec(spec, analysis.resolved.definitions))
        spec = ""
    return Examined(analysis.resolved, spec, tuple((diagnostic, source) for diagnostic in found))


def source_of(examined: Examined) -> str:
    """The text of the one definition that is drawn, with the comments right above it; or the whole text."""
    file, source = examined.resolved.parsed.file, examined.resolved.source
    if not examined.spec:
        return source.text
    node = examined.resolved.definitions[examined.spec][0].node
    first = source.line_index(node.span.start)
    for item in reversed(file.items):
        if item.span.end <= node.span.start:
            if type(item).__name__ != "Comment" or source.line_index(item.span.start) != first - 1:
                break
            first -= 1
    return source.text[source.line_starts[first] : node.span.end]


def figure_name(options: BlockOptions, text: str) -> str:
    """What a figure is called in addresses: its id, its spec, or the first definition of the text.

    The text is searched without a parser, so that a figure can be found in a cache by its name.
    """
    if options.id or options.spec:
        return options.id or options.spec
    for found in re.finditer(_DEFINITION, text, re.MULTILINE):
        if found["indices"] or found["name"].lower() not in _WITHOUT_INDICES:
            return found["name"]
    return "acdl"


def _unknown_spec(spec: str, definitions: Iterable[str]) -> Diagnostic:
    from acdl_mkdocs.suggest import closest

    names = sorted(definitions)
    near = closest(spec, names)
    listed = ", ".join(f"`{name}`" for name in names)
    cure = f"did you mean `{near}`?" if near else f"it defines {listed}" if listed else "it defines nothing"
    label = Label(Span(0, 0), "not in this text")
    return error("unknown-spec", f"there is no spec named `{spec}`", label, help=cure)


def _text_ignored(header: Source) -> Diagnostic:
    label = Label(Span(0, len(header.text)), "the file is drawn, the lines below are not")
    cure = "remove either `src` or the lines below it"
    return warning("src-and-text", "the block names a file and also has text", label, help=cure)


def _unclosed(header: Source, fence: "Fence") -> Diagnostic:
    label = Label(Span(0, len(header.text)), "no end was found for this block")
    cure = f"end it with a line that has only {fence.mark}, indented like this one"
    return error("unclosed-fence", "the block is not closed", label, help=cure)
