"""The possible targets in the figure of a block: specs, fragments and marks. Knows nothing of Sphinx."""

from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import Fragment, Mark, Number, Prompt, walk
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.workspace.read_block import BlockText, figure_name


@dataclass(frozen=True, slots=True)
class FigureTarget:
    """A spec, a fragment or a mark that a figure shows."""

    kind: str
    name: str
    """The name of the definition; for a mark `ReactAgent-mark-2`."""
    words: str
    """The source text, which distinguishes two definitions with one name."""
    line: int
    """1-based line in its file."""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class KnownBlock:
    """A block of a page."""

    text: BlockText
    anchor: str
    """Id of its figure."""
    targets: tuple[FigureTarget, ...]
    """The targets whose home it is."""


def list_targets(text: BlockText) -> tuple[FigureTarget, ...]:
    """Return the possible targets in the figure of a block; the anchors are not known yet."""
    source, targets = text.source, []
    for item in parse(source).file.items:
        if not isinstance(item, (Prompt, Fragment)) or text.options.spec not in ("", item.name.name):
            continue
        name = item.name.name
        kind = "spec" if isinstance(item, Prompt) else "fragment"
        targets.append(
            FigureTarget(kind, name, _words_at(source.text, item.span), source.find_place(item.name.span.start).line)
        )
        for node in walk(item):
            if isinstance(node, Mark) and isinstance(node.number, Number):
                number = _words_at(source.text, node.number.span)
                line = source.find_place(node.span.start).line
                targets.append(FigureTarget("mark", f"{name}-mark-{number}", _words_at(source.text, node.span), line))
    return tuple({(each.kind, each.name): each for each in reversed(targets)}.values())[::-1]


def assign_anchors(block: KnownBlock, taken: set[str]) -> Iterator[FigureTarget]:
    """Yield the targets of a block with the ids in its drawing: those without get that of the figure."""
    n_definitions = sum(each.kind != "mark" for each in block.targets)
    is_alone = not block.text.options.id and block.anchor == figure_name(block.text.options, block.text.source.text)
    prefix = "" if is_alone else f"{block.anchor}-"
    for target in block.targets:
        wanted = f"{prefix}{target.name}"
        is_figure = target.name == block.anchor or (target.kind != "mark" and n_definitions == 1) or wanted in taken
        anchor = block.anchor if is_figure else wanted
        taken.add(anchor)
        yield replace(target, anchor=anchor)


def _words_at(text: str, span: Span) -> str:
    return text[span.start : span.end]
