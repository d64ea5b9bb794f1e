"""The directive `acdl`: reads a block, gives it an anchor and leaves a node that is drawn when all pages are known."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx import addnodes
from sphinx.locale import _

from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.sphinx.domain import domain_of
from acdl_mkdocs.frontends.docs.sphinx.fence import AnyOption, FenceDirective, option_text
from acdl_mkdocs.frontends.docs.sphinx.nodes import acdl_block, acdl_figure
from acdl_mkdocs.frontends.docs.sphinx.settings import settings_of
from acdl_mkdocs.frontends.docs.sphinx.targets import FigureTarget, KnownBlock, list_targets
from acdl_mkdocs.workspace.options import OPTIONS
from acdl_mkdocs.workspace.read_block import BlockText, figure_name, read_block

_NO_INDEX = ("no-index", "noindex")


class AcdlDirective(FenceDirective):
    """A figure of a spec, from the lines of the directive or a file.

    The words after its name and its options are those of a fence. `name` makes it a target of `ref` and `numref`,
    `class` adds CSS classes, `no-index` keeps its definitions out of the index and of what roles refer to.
    """

    has_content = True
    own_options = (*FenceDirective.own_options, *_NO_INDEX)
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = AnyOption(
        dict.fromkeys((*OPTIONS, *own_options), option_text)
    )

    def run(self) -> list[nodes.Node]:
        """Return the index entries of the block and its placeholder node."""
        block = self._read_block()
        is_listed = not any(name in self.options for name in _NO_INDEX)
        domain, docname = domain_of(self.env), self.env.docname
        page = Page(used_ids={*self.state.document.ids, *(each.anchor for each in domain.blocks.get(docname, ()))})
        anchor = page.take_id(figure_name(block.options, block.source.text))
        targets = list_targets(block) if is_listed else ()
        node, messages = self._build_node(block, anchor)
        caption = node.children[0].astext() if node.children else ""
        block = replace(block, options=replace(block.options, caption=caption))
        domain.add_block(docname, KnownBlock(block, anchor, targets))
        return [*_index_entries(targets, anchor), node, *messages]

    def _read_block(self) -> BlockText:
        """Read the block of the directive, with its places in the file."""
        directive = self.read_directive()
        domain = domain_of(self.env)
        file = Path(directive.file).resolve()
        block = read_block(
            directive.fence,
            domain.display_path(directive.file),
            settings_of(self.config).defaults,
            domain.folder,
            file.parent if file.is_file() else None,
            domain.used_files,
        )
        domain.note_files(block.files)
        if not block.options.src:
            block = replace(block, source=replace(block.source, first_line=directive.first_line))
        classes = (*block.options.classes, *self.own_classes)
        return replace(block, options=replace(block.options, classes=classes))

    def _build_node(self, block: BlockText, anchor: str) -> tuple[acdl_block, list[nodes.system_message]]:
        """Return the node of a block: with its caption, and as a target of its names."""
        node = acdl_figure() if block.options.caption else acdl_block()
        node["docname"], node["anchor"], node["ids"] = self.env.docname, anchor, [anchor]
        messages = self.add_caption(node, block.options.caption)
        self.make_target(node, self.options.get("name") or block.options.id)
        return node, messages


def _index_entries(targets: Iterable[FigureTarget], anchor: str) -> list[nodes.Node]:
    """Return specs and fragments as entries of the general index."""
    words = {"spec": _("%s (ACDL spec)"), "fragment": _("%s (ACDL fragment)")}
    entries = [("single", words[each.kind] % each.name, anchor, "", None) for each in targets if each.kind in words]
    return [addnodes.index(entries=entries)] if entries else []
