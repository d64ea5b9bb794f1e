"""The directive `acdl`: reads a block, gives it an anchor and leaves a node that is drawn when all pages are known."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx import addnodes
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from acdl_mkdocs.integrations.sphinx_domain import domain_of
from acdl_mkdocs.integrations.sphinx_nodes import acdl_block, acdl_figure
from acdl_mkdocs.integrations.sphinx_settings import settings_of
from acdl_mkdocs.integrations.sphinx_source import written
from acdl_mkdocs.integrations.sphinx_things import Known, Thing, things_in
from acdl_mkdocs.site.options import OPTIONS
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.site.read_block import BlockText, figure_name, read_block

_NO_INDEX = ("no-index", "noindex")
_OWN = ("name", "class", *_NO_INDEX)
"""Options that every directive has; the others are those of a fence."""
_FILE = re.compile(r"[^\s=]+\.acdl(?:#\S+)?")
"""A single word behind the name of the directive that is a file, as other directives take one."""


class AnyOption(dict[str, Callable[[str], Any]]):
    """Lets every option through: those that do not exist are explained like those of a fence."""

    def __missing__(self, name: str) -> Callable[[str], Any]:
        del name
        return as_written


def as_written(value: str | None) -> str:
    """The value of an option, empty if it has none."""
    return value or ""


class AcdlDirective(SphinxDirective):
    """A figure of a spec, from the lines of the directive or a file.

    The words behind its name and its options are those of a fence. `name` makes it a target of `ref` and `numref`,
    `class` adds CSS classes, `no-index` keeps its definitions out of the index and of what roles refer to.
    """

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = AnyOption(
        dict.fromkeys((*OPTIONS, *_OWN), as_written)
    )

    def run(self) -> list[nodes.Node]:
        """The index entries of the block and the node that stands for it."""
        block = self._read()
        is_listed = not any(name in self.options for name in _NO_INDEX)
        domain, docname = domain_of(self.env), self.env.docname
        page = Page(used_ids={*self.state.document.ids, *(each.anchor for each in domain.blocks.get(docname, ()))})
        anchor = page.take(figure_name(block.options, block.source.text))
        things = things_in(block) if is_listed else ()
        node, messages = self._node(block, anchor)
        caption = node.children[0].astext() if node.children else ""
        block = replace(block, options=replace(block.options, caption=caption))
        domain.note(docname, Known(block, anchor, things))
        return [*_index_entries(things, anchor), node, *messages]

    def _read(self) -> BlockText:
        """The block that the directive says, with the places that it has in its file."""
        header, lines = self._header_and_lines()
        options = {name: value for name, value in self.options.items() if name not in _OWN}
        if _FILE.fullmatch(header) and "src" not in options:
            header, options["src"] = "", header
        if name := nodes.fully_normalize_name(self.options.get("name", "")):
            options.setdefault("id", nodes.make_id(name) or name)
        place = written(self, header, options, lines)
        domain = domain_of(self.env)
        file = Path(place.file).resolve()
        block = read_block(
            place.fence,
            domain.called(place.file),
            settings_of(self.config).defaults,
            domain.folder,
            file.parent if file.is_file() else None,
            domain.used_files,
        )
        for each in block.files:
            self.env.note_dependency(str(each))
        if not block.options.src:
            block = replace(block, source=replace(block.source, first_line=place.first_line))
        classes = (*block.options.classes, *self.options.get("class", "").split())
        return replace(block, options=replace(block.options, classes=classes))

    def _header_and_lines(self) -> tuple[str, list[str]]:
        """The words behind the name, and the text; a text right below the name is no such word."""
        header, lines = " ".join(self.arguments), list(self.content)
        first = self.block_text.split("\n")[0]
        if first.startswith("..") and header not in first:
            return "", [*header.split("\n"), *([""] if lines else []), *lines]
        return header, lines

    def _node(self, block: BlockText, anchor: str) -> tuple[acdl_block, list[nodes.system_message]]:
        """The node of a block: with its caption, and as a target of the names that it has."""
        messages: list[nodes.system_message] = []
        node = acdl_figure() if block.options.caption else acdl_block()
        self.set_source_info(node)
        node["docname"], node["anchor"], node["ids"] = self.env.docname, anchor, [anchor]
        if block.options.caption:
            words, messages = self.state.inline_text(block.options.caption, self.lineno)
            caption = nodes.caption(block.options.caption, "", *words)
            self.set_source_info(caption)
            node += caption
        label = self.options.get("name") or block.options.id
        if label:
            node["names"].append(nodes.fully_normalize_name(label))
        self.state.document.note_explicit_target(node, node)
        return node, messages


def _index_entries(things: Iterable[Thing], anchor: str) -> list[nodes.Node]:
    """Specs and fragments as entries of the general index."""
    words = {"spec": _("%s (ACDL spec)"), "fragment": _("%s (ACDL fragment)")}
    entries = [("single", words[each.kind] % each.name, anchor, "", None) for each in things if each.kind in words]
    return [addnodes.index(entries=entries)] if entries else []
